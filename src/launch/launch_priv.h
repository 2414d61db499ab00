/* launch_priv.h - the supervisor of a job's processes, for launch.c and cause.c. */
#ifndef RG_LAUNCH_LAUNCH_PRIV_H
#define RG_LAUNCH_LAUNCH_PRIV_H

#include "launch/join.h"
#include "launch/launch.h"
#include "launch/restart.h"
#include "launch/watching.h"
#include "sys/because.h"
#include "sys/children.h"

typedef struct rg_supervisor {
    const rg_launch_job *job;
    rg_children *children;
    rg_watching *watching;
    uint64_t started_ns;
    int64_t oom_before;
    rg_child_end *ends; /* of each process that has failed by itself; all 0: it has not */
    int *failed;        /* those processes, in the order of their ends */
    int n_failed;
    rg_restart *restarts; /* by process */
    int *lost;            /* workers that died for good, and are done without */
    int n_lost;
    rg_join *join;        /* NULL: workers do not come and go */
    bool whole_lines;     /* several are echoed */
    bool is_over;         /* a server has ended well: all workers have done their part there */
    int given_up;         /* one that still ran when others ended because of it; -1: none */
    bool given_up_stands; /* it is stopped */
    int signal;           /* that we were sent first; 0: none */
} rg_supervisor;

/* The next end before `deadline`; false in *more where there was none. */
rg_status rg_supervisor_collect_one(rg_supervisor *s, uint64_t deadline, bool *more);

/* ---- who was first (cause.c) ---- */

/* Where the process says why it ended; initialised here. */
void rg_cause_path(const rg_supervisor *s, int child, rg_buf *path);
/* Whether it said that it ended because of another. */
bool rg_cause_said(const rg_supervisor *s, int child, rg_because *of);
void rg_cause_forget(const rg_supervisor *s, int child);
/* Of those that have failed the one that was the cause; those that it may be get a moment to end.
 */
rg_status rg_cause_first(rg_supervisor *s, int *first);

#endif
