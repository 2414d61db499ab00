/* parallel.h - one program on several threads, each with a part of the batch.
 *
 * The program is cut in two: what computes losses and gradients runs on every thread, what
 * updates parameters (ops of the roles optimize and lr-schedule) runs once, on the mean
 * of the threads' gradients. Parameters are shared. A persistable variable that the first
 * part writes is each thread's own: counters (RG_SUMMED) are added up after each run, of
 * others, such as running statistics, thread 0's counts. Sums are formed in the order of
 * the threads, so a run repeats bit by bit.
 *
 * A trainer's program of a job with servers: in sync and half_async its threads are one sender,
 * what talks to the servers is of the second part. In async each thread sends for itself, in the
 * first part. In geo the second part, which trains the trainer's own copy, runs for each thread
 * after the other. */
#ifndef RG_EXEC_PARALLEL_H
#define RG_EXEC_PARALLEL_H

#include "exec/plan.h"

typedef struct rg_parallel rg_parallel;

/* How the threads' gradients update parameters. */
typedef enum rg_update_way {
    RG_UPDATE_MEAN,         /* no servers: once, by their mean */
    RG_UPDATE_MEAN_SENT,    /* the mean is sent */
    RG_UPDATE_SENT_BY_EACH, /* each is sent */
    RG_UPDATE_EACH,         /* one after the other, here */
} rg_update_way;

typedef struct rg_parallel_config {
    int threads;
    const char *const *feeds;
    int n_feeds;
    const char *const *fetches;
    int n_fetches;
    bool sum;           /* gradients are added, not averaged */
    struct rg_job *job; /* that its runs take part in, borrowed; NULL: none */
} rg_parallel_config;

/* Owned; ended by rg_parallel_close(). */
rg_status rg_parallel_open(rg_parallel **parallel, const rg_program *program, rg_scope *scope,
                           const rg_parallel_config *config);
void rg_parallel_close(rg_parallel *parallel);

const rg_vardesc *rg_parallel_feed_desc(const rg_parallel *parallel, int i);
/* Feed i, cut into a part for each thread: by rows, or by sequences where it has a LoD. */
rg_status rg_parallel_feed(rg_parallel *parallel, int i, const rg_value *whole);
/* The next runs are of the first n threads: all, or, with servers, fewer (the last batches of a
 * pass). */
rg_status rg_parallel_begin(rg_parallel *parallel, int n);
/* Feed i of one thread. */
rg_status rg_parallel_feed_part(rg_parallel *parallel, int thread, int i, const rg_value *part);

rg_status rg_parallel_run(rg_parallel *parallel);

/* Fetch i: the threads' values joined along dimension 0, arrays item by item; what there is once
 * for all of them (a parameter, the mean of a gradient) as often as there are threads, as in
 * Paddle. Into `out`, the caller's. */
rg_status rg_parallel_fetch(const rg_parallel *parallel, int i, rg_value *out);
/* What one thread has of fetch i. Borrowed until the next run. */
const rg_value *rg_parallel_fetch_part(const rg_parallel *parallel, int thread, int i);
int rg_parallel_threads(const rg_parallel *parallel);
/* How many ran. */
int rg_parallel_active(const rg_parallel *parallel);

#endif
