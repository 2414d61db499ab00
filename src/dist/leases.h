/* leases.h - a trainer's part in data that the servers deal (dist/deal.h).
 *
 *     rg_leases_begin(job, &plan, threads);                   one pass, by all trainers
 *     while (rg_leases_next(job, thread, &mine) == RG_LEASE_RANGE)    ... by each thread
 *         for (each batch)
 *             rg_leases_batch(job, thread, rows), and the step that pushes it
 *         rg_leases_read(job, thread);
 *
 * A range is done when all servers have what was pushed of it: the first one is told so when the
 * next is asked for. The pass is over when all ranges are, those of others too: until then one of a
 * trainer that dies may come back, and somebody must be there.
 *
 * Threads: next, batch and read by each trainer thread for itself. */
#ifndef RG_DIST_LEASES_H
#define RG_DIST_LEASES_H

#include "dist/deal.h"
#include "dist/job.h"

/* What a thread reads next: `from` examples of it have been trained on. */
typedef struct rg_my_range {
    rg_lease lease;
    uint64_t from;
} rg_my_range;

typedef enum rg_lease_answer {
    RG_LEASE_RANGE,
    RG_LEASE_WAIT, /* others have the last ones: ask again */
    RG_LEASE_OVER,
} rg_lease_answer;

/* RG_EINVAL, saying why, where the job's mode cannot. plan->reading is set here; batch_rows is how
 * many examples a step is of. */
rg_status rg_leases_begin(rg_job *job, rg_deal_plan *plan, int threads, uint64_t batch_rows);
rg_status rg_leases_next(rg_job *job, int thread, rg_my_range *range, rg_lease_answer *answer);
/* The next step of this thread is of so many examples of its range, the next ones. */
rg_status rg_leases_batch(rg_job *job, int thread, uint64_t rows);
/* Its range has no more examples. */
void rg_leases_read(rg_job *job, int thread);
/* How far the pass is, as the servers said last. */
rg_pass_state rg_leases_state(rg_job *job);

/* Of all passes, as far as they are over. */
rg_pass_state rg_leases_total(rg_job *job);

/* For the exchange: all servers have these. */
void rg_leases_pushed(rg_job *job, const rg_push_tag *tags, size_t n);

#endif
