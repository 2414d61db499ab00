/* interrupt.c - Ctrl+C, and threads that shall stop waiting. */
#include "sys/interrupt.h"

#include "sys/clock.h"

#include <stddef.h>

static _Atomic(rg_interruption) asked;
static _Thread_local const atomic_bool *mine;
static _Thread_local bool heard, works_for_another;

rg_interruption rg_set_interrupted(rg_interruption interrupted)
{
    return atomic_exchange(&asked, interrupted);
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
    rg_interruption interrupted = atomic_load(&asked);
    heard = heard || (mine != NULL && atomic_load_explicit(mine, memory_order_acquire));
    if (heard)
        return rg_fail(RG_ECLOSED, "another thread of this process has failed");
    return interrupted != NULL && !works_for_another ? interrupted() : RG_OK;
}

rg_status rg_interrupted_at_times(uint64_t *next_ns)
{
    uint64_t now = rg_clock_ns();
    bool looks = *next_ns != 0 && now >= *next_ns;
    if (looks || *next_ns == 0)
        *next_ns = now + RG_LOOK_NS;
    return looks ? rg_interrupted() : RG_OK;
}
