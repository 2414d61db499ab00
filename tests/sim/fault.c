/* fault.c - the fault points of src/ (sys/fault.h), in the place of src/sys/fault.c.
 *
 * Each pass is a place where a process may be killed, and where others may run first. Of what
 * points can make fail, bits of what arrives flip, as often as the weather says; memory runs out
 * where the plan wants that. Files fail in disk.c.
 *
 * Left out: builds without fault points (-DFAULTS=OFF), where nothing of this happens. */
#include "sim/sim.h"

#include "sys/fault.h"

#include <string.h>

#ifdef RG_FAULTS
rg_fault_action rg_fault(const char *point)
{
    sim_process *here = sim_process_here();
    if (here == NULL)
        return RG_FAULT_NONE;
    if (++here->points == here->kill_at_point) {
        sim_note("at %s", point);
        here->kill_at_switch = 1; /* as soon as this thread lets go: now */
        sim_yield();
    }
    sim_maybe_yield();
    if (strcmp(point, "stream.flip") == 0 && sim_one_in(sim_net_weather()->flip_one_in)) {
        sim_note("a bit flips");
        return RG_FAULT_FLIP;
    }
    if (strcmp(point, "ps.slab") == 0 && here->slabs != 0 && --here->slabs == 0) {
        sim_note("no memory for rows");
        return RG_FAULT_ENOMEM;
    }
    return RG_FAULT_NONE;
}
#endif
