/* parallel_priv.h - what parallel.c, parallel_fetch.c and parallel_sum.c share. */
#ifndef RG_EXEC_PARALLEL_PRIV_H
#define RG_EXEC_PARALLEL_PRIV_H

#include "exec/parallel.h"
#include "sys/pool.h"

/* A persistable variable that the first part writes. */
typedef struct rg_own_state {
    const char *name;    /* of `compute` */
    const rg_opdesc *op; /* that counts into it; NULL: it is no counter */
    rg_value base;       /* of a counter: as it was before the run */
} rg_own_state;

/* A variable that the second part reads: a gradient, or what the caller fed. */
typedef struct rg_shared {
    const char *name;
    int fetch; /* its number among the fetches of the first part's plans, or -1: */
    int feed;  /* among their feeds */
} rg_shared;

/* Where a fetch comes from, by number. */
typedef struct rg_fetched {
    enum { RG_OF_COMPUTE, RG_OF_APPLY, RG_OF_SHARED } part;
    int number;
} rg_fetched;

struct rg_parallel {
    int threads;
    int active; /* of them in the next run */
    bool sum;
    rg_update_way way;
    rg_program *compute, *update; /* the two parts */
    rg_scope **scopes;            /* thread 0 has the caller's */
    rg_plan **plans;              /* of `compute`, one for each thread */
    rg_plan *apply;               /* of `update`; NULL where it has no ops */
    rg_pool *pool;
    rg_own_state *states;
    size_t n_states, cap_states;
    rg_shared *shared; /* the feeds of `apply`, in their order */
    int n_shared, n_feeds, n_fetches;
    rg_fetched *fetched;
};

/* What n threads have of one variable. */
typedef struct rg_reduction rg_reduction;
struct rg_reduction {
    const char *name; /* for messages */
    int n;
    bool sum; /* else the mean */
    const rg_value *(*part)(const rg_reduction *r, int thread);
    const rg_parallel *parallel;
    int shared;
};

/* `out` becomes their sum or mean. */
rg_status rg_parallel_reduce(const rg_reduction *r, rg_value *out);
/* To `all`, the first thread's counter, is added what another has counted into `own`; both began
 * as `base`. */
rg_status rg_parallel_count(const char *name, const rg_value *base, const rg_value *own,
                            rg_value *all);

#endif
