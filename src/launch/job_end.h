/* job_end.h - how a job has ended, left in its log folder for those who look at it later.
 *
 * LOG_DIR/job.end is lines "name=value". It is written when a job begins, with end=running, and
 * again when it is over: so a launcher that was killed is known by a file that still says running.
 * The card (launch/card.h) is the same for people, on the launcher's stderr; `paddle doctor
 * LOG_DIR` reads this. Names that are not known are for later versions. */
#ifndef RG_LAUNCH_JOB_END_H
#define RG_LAUNCH_JOB_END_H

#include "launch/card.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum rg_job_end_kind {
    RG_JOB_RUNNING,
    RG_JOB_FINISHED,
    RG_JOB_INTERRUPTED,
    RG_JOB_FAILED
} rg_job_end_kind;

typedef struct rg_job_end {
    rg_job_end_kind kind;
    long launcher;  /* its process id, */
    char host[256]; /* and where that is one */
    /* of RG_JOB_FAILED: */
    rg_launch_failure failure; /* of what it points to, process, given_up and tail are these: */
    rg_launch_process first, given_up;
    /* of RG_JOB_INTERRUPTED: */
    int signal;
} rg_job_end;

/* Where there is a log folder. A failure is not one of the job: it is logged. `failure` is of
 * RG_JOB_FAILED, `signal` of RG_JOB_INTERRUPTED. */
void rg_job_end_write(const char *log_dir, rg_job_end_kind kind, const rg_launch_failure *failure,
                      int signal);
/* Its n bytes, which may be any. RG_ECORRUPT: a line that cannot be. */
rg_status rg_job_end_parse(rg_job_end *end, const char *bytes, size_t n);
/* RG_ENOENT: there is none. RG_ECORRUPT: a line that cannot be. */
rg_status rg_job_end_read(const char *log_dir, rg_job_end *end);

#endif
