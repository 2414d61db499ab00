/* life.c - a flag that outlives the program it tells of. */
#include "ir/life.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <stddef.h>

struct rg_life {
    atomic_int refs;
    atomic_bool over;
};

rg_life *rg_life_begin(void)
{
    rg_life *life = rg_alloc_zero(1, sizeof *life);
    if (life != NULL)
        atomic_store(&life->refs, 1);
    return life;
}

void rg_life_end(rg_life *life)
{
    if (life != NULL)
        atomic_store(&life->over, true);
    rg_life_drop(life);
}

bool rg_life_is_over(const rg_life *life)
{
    return atomic_load(&life->over);
}

rg_life *rg_life_keep(rg_life *life)
{
    (void)atomic_fetch_add(&life->refs, 1);
    return life;
}

void rg_life_drop(rg_life *life)
{
    if (life != NULL && atomic_fetch_sub(&life->refs, 1) == 1)
        rg_free(life);
}
