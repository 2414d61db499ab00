/* watching.h - what the launcher itself tells of a job, in LOG_DIR/watch/launcher.jsonl.
 *
 * Its processes tell how they are; the launcher tells what they cannot: that one was started, died,
 * is stopped by a signal, or that no step is made any more and who waits for whom. It serves the
 * job's page, too, where that is asked for. The thread that runs the job, alone. */
#ifndef RG_LAUNCH_WATCHING_H
#define RG_LAUNCH_WATCHING_H

#include "launch/launch.h"
#include "sys/children.h"

#include <stdint.h>

typedef struct rg_watching rg_watching;

/* NULL where job->watch_dir is: all functions below take that, and do nothing then. */
rg_status rg_watching_open(rg_watching **watching, const rg_launch_job *job);

void rg_watching_started(rg_watching *w, const rg_children *children, int process, int starts);
/* `what` says how it died, and what becomes of that. */
void rg_watching_died(rg_watching *w, const rg_children *children, int process,
                      const rg_child_end *end, const char *what);
void rg_watching_finished(rg_watching *w, int process);
/* Now and then: *next is when, by rg_clock_ns(), at the latest. */
void rg_watching_look(rg_watching *w, const rg_children *children, uint64_t *next);
/* The job is over; `what` says how. */
void rg_watching_end(rg_watching *w, int status, const char *what);
void rg_watching_close(rg_watching *w);

#endif
