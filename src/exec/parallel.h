/* parallel.h - one program on several threads, each with a part of the batch.
 *
 * The program is cut in two: what computes losses and gradients runs on every thread, what
 * updates parameters (ops of the roles optimize and lr-schedule) runs once, on the mean
 * of the threads' gradients. Parameters are shared. A persistable variable that the first
 * part writes is each thread's own: counters (RG_SUMMED) are added up after each run, of
 * others, such as running statistics, thread 0's counts. Sums are formed in the order of
 * the threads, so a run repeats bit by bit. */
#ifndef RG_EXEC_PARALLEL_H
#define RG_EXEC_PARALLEL_H

#include "exec/plan.h"

typedef struct rg_parallel rg_parallel;

typedef struct rg_parallel_config {
    int threads;
    const char *const *feeds;
    int n_feeds;
    const char *const *fetches;
    int n_fetches;
    bool sum; /* gradients are added, not averaged */
    bool no_fuse;
} rg_parallel_config;

/* Owned; ended by rg_parallel_close(). */
rg_status rg_parallel_open(rg_parallel **parallel, const rg_program *program, rg_scope *scope,
                           const rg_parallel_config *config);
void rg_parallel_close(rg_parallel *parallel);

const rg_vardesc *rg_parallel_feed_desc(const rg_parallel *parallel, int i);
/* Feed i, cut into a part for each thread: by rows, or by sequences where it has a LoD. */
rg_status rg_parallel_feed(rg_parallel *parallel, int i, const rg_value *whole);
/* Feed i of one thread. */
rg_status rg_parallel_feed_part(rg_parallel *parallel, int thread, int i, const rg_value *part);

rg_status rg_parallel_run(rg_parallel *parallel);

/* Fetch i: the threads' values joined along dimension 0, or one value where the second part
 * computes it or it is persistable. Into `out`, the caller's. */
rg_status rg_parallel_fetch(const rg_parallel *parallel, int i, rg_value *out);
/* What one thread has of fetch i. Borrowed until the next run. */
const rg_value *rg_parallel_fetch_part(const rg_parallel *parallel, int thread, int i);
int rg_parallel_threads(const rg_parallel *parallel);

#endif
