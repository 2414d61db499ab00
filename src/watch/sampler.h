/* sampler.h - a thread that tells, each second, how this process is.
 *
 * What was counted (sys/metrics.h) goes into FLAGS_watch_dir/PROCESS.jsonl: a line when the process
 * begins, one each FLAGS_watch_seconds with the values that changed, one when it ends. Everybody
 * who shows a job (the page, `paddle top`, `paddle doctor`) reads these files.
 *
 * A process is watched from rg_watch_start() until it exits. */
#ifndef RG_WATCH_SAMPLER_H
#define RG_WATCH_SAMPLER_H

#include "base/status.h"
#include "sys/metrics.h"

#include <stdbool.h>

/* Copied. */
typedef struct rg_watch_who {
    const char *process;  /* worker.0, server.1: the name of its file */
    const char *endpoint; /* NULL: it listens nowhere */
    rg_metric_whose role;
} rg_watch_who;

/* Where FLAGS_watch_dir or FLAGS_metrics_port asks for it, and it was not started before; a forked
 * child starts anew. What cannot be watched is trained all the same: a failure is logged. */
void rg_watch_start(const rg_watch_who *who);
/* A trainer: worker.NUMBER; below 0 as the environment says, or 0 where it says nothing. */
void rg_watch_trainer(int number);
bool rg_watch_is_on(void);
/* Of this process; "": it was never watched. Borrowed for good. */
const char *rg_watch_name(void);

/* Why this process will end, if it does: said as an event when it exits with a failure. The last
 * one counts. Copied; a no-op where nothing is watched. */
void rg_watch_failed(const char *why);

/* A sample now, then the end's line; no more after it. At exit this is done anyway. */
void rg_watch_end(int status);

/* For tests: a file that has more than so many bytes gets fewer samples, in place of 64 MiB. */
void rg_watch_thin_at(uint64_t bytes);

#endif
