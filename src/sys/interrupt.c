/* interrupt.c - Ctrl+C, and threads that shall stop waiting. */
#include "sys/interrupt.h"

#include <stddef.h>

static _Atomic(rg_status (*)(void)) asked;
static _Thread_local const atomic_bool *mine;
static _Thread_local bool heard, works_for_another;

void rg_set_interrupted(rg_status (*interrupted)(void))
{
    atomic_store(&asked, interrupted);
}

const atomic_bool *rg_halted_by(const atomic_bool *halted)
{
    const atomic_bool *before = mine;
    mine = halted;
    heard = false;
    return before;
}

void rg_works_for_another(const atomic_bool *halted)
{
    (void)rg_halted_by(halted);
    works_for_another = true;
}

bool rg_was_halted(void)
{
    return heard;
}

rg_status rg_interrupted(void)
{
    rg_status (*interrupted)(void) = atomic_load(&asked);
    heard = heard || (mine != NULL && atomic_load_explicit(mine, memory_order_acquire));
    if (heard)
        return rg_fail(RG_ECLOSED, "another thread of this process has failed");
    return interrupted != NULL && !works_for_another ? interrupted() : RG_OK;
}
