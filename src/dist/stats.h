/* stats.h - how training goes over all trainers: each tells server 0 now and then how far it is,
 * and hears how far all are. */
#ifndef RG_DIST_STATS_H
#define RG_DIST_STATS_H

#include "dist/job.h"

typedef struct rg_stats {
    uint64_t rows, batches;
    double seconds, loss_sum;
    const int64_t *pos, *neg; /* counts of the AUC; NULL: none */
    size_t bins;
} rg_stats;

typedef struct rg_stats_of_all {
    uint64_t rows, batches;
    double rate, loss_sum, auc; /* rate: examples a second; auc: NaN where nobody counts */
    int told, slowest;          /* trainers that have told; the number of the slowest */
    double slowest_rate;
} rg_stats_of_all;

rg_status rg_job_tell(rg_job *job, const rg_stats *mine, rg_stats_of_all *all);

#endif
