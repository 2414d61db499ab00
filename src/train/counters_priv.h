/* counters_priv.h - what metrics add up, apart for each trainer thread.
 *
 * Threads share the parameters, and may overwrite each other's steps there; a count must not lose
 * one. So all but the first have counters of their own, from 0, which are added at the end. */
#ifndef RG_TRAIN_COUNTERS_PRIV_H
#define RG_TRAIN_COUNTERS_PRIV_H

#include "exec/scope.h"
#include "ir/program.h"

typedef struct rg_counters {
    rg_scope *common;
    int threads;
    const char **names; /* of the program */
    size_t n, cap;
    rg_scope **scopes; /* of threads 1 and on; NULL: there are no counters */
} rg_counters;

/* Close it, also after a failure. */
rg_status rg_counters_open(rg_counters *counters, const rg_program *program, rg_scope *scope,
                           int threads);
void rg_counters_close(rg_counters *counters);
/* Where a thread finds its variables. Borrowed. */
rg_scope *rg_counters_scope(const rg_counters *counters, int thread);
/* When the threads have ended: everything to the common ones. */
void rg_counters_add(rg_counters *counters);

#endif
