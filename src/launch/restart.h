/* restart.h - processes that died and are started again: who, when, and when no more.
 *
 * A process is started again as often as the job says, the first time at once. One that dies within
 * seconds of its start, in the same way, three times in a row, would go on doing so: it is given up
 * before. Between such deaths there is a pause that grows. */
#ifndef RG_LAUNCH_RESTART_H
#define RG_LAUNCH_RESTART_H

#include "launch/launch.h"
#include "sys/children.h"

#include <stdint.h>

/* Of one process. */
typedef struct rg_restart {
    int starts;      /* again, so far */
    int quick;       /* deaths in a row within seconds of a start, all alike */
    uint64_t due_ns; /* when it is to be started again; 0: it is not */
    rg_child_end last;
    bool gave_up; /* it would have been started again, but there were too many deaths */
    char **env;   /* of its last start; owned */
    char text[40];
} rg_restart;

/* Whether this end is answered by another start: `due_ns` says when. */
bool rg_restart_plan(rg_restart *r, const rg_launch_job *job, const rg_launch_process *process,
                     const rg_child_end *end, uint64_t now_ns);
/* Start it again, as number `child` of the set. */
rg_status rg_restart_now(rg_restart *r, rg_children *children, int child,
                         const rg_launch_process *process, bool whole_lines);
/* "worker 1 died: signal 9 ..., after 3.1 s; started again (1 of 3)" */
void rg_restart_text(rg_buf *out, const rg_restart *r, const rg_launch_job *job,
                     const rg_launch_process *process, uint64_t now_ns);
void rg_restart_fini(rg_restart *r);

#endif
