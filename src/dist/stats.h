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

/* Their bodies (docs/protocol.md). Readers: RG_ECORRUPT for what does not fit to the byte. */
enum { RG_STATS_MAX_BINS = 1 << 24 };
void rg_stats_write(rg_buf *out, const rg_stats *stats);
/* The counts are copied to `counts`, 2 x bins: positives, then negatives. It is the caller's to
 * rg_free(), and NULL where there are none; pos and neg point into it. */
rg_status rg_stats_read(rg_stats *stats, int64_t **counts, const uint8_t *bytes, size_t n);
void rg_stats_of_all_write(rg_buf *out, const rg_stats_of_all *all);
rg_status rg_stats_of_all_read(rg_stats_of_all *all, const uint8_t *bytes, size_t n);

rg_status rg_job_tell(rg_job *job, const rg_stats *mine, rg_stats_of_all *all);

#endif
