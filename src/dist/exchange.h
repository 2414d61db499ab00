/* exchange.h - what a trainer's steps give to the servers, and get from them. */
#ifndef RG_DIST_EXCHANGE_H
#define RG_DIST_EXCHANGE_H

#include "dist/job.h"

/* What a send op adds to the step of its thread: a dense slice (stays: it is as it is until the
 * push is answered), or rows with ids of the whole variable, ascending, each once. */
rg_status rg_exchange_dense(rg_job *job, int thread, int server, uint32_t var, const float *grad,
                            bool stays);
rg_status rg_exchange_rows(rg_job *job, int thread, int server, uint32_t var, const int64_t *ids,
                           const float *rows, size_t n);
/* Whether slices of this gradient, which is as it is until the step is complete, stay: the step
 * waits for the answer, or (gives: nobody reads it any more) the gradient's memory can be given
 * away. Where they have been added, rg_exchange_give() sees to that: the value has other memory
 * then. */
bool rg_exchange_stays(const rg_job *job, const rg_value *gradient, bool gives);
rg_status rg_exchange_give(rg_job *job, int thread, rg_value *gradient);
/* The step of this thread is complete. Sync and half_async: it is pushed, and the answer awaited.
 * Async: it is pushed when the one before has been taken, with those that wait. */
rg_status rg_exchange_push(rg_job *job, int thread);
/* Whether the next step of this thread was pushed by an earlier process of this trainer, which was
 * started again; then it is counted as made. For who has the data of a step and need not compute
 * it; rg_exchange_push() asks by itself. */
bool rg_exchange_skip(rg_job *job, int thread);
/* Whether it was, and is not counted. */
bool rg_exchange_replays(rg_job *job, int thread);
/* The latest values that came back of a variable, where some have since the last call for it, into
 * `value` from element `first` on. RG_TAKE_STAYS: `value` outlives the step, so that later answers
 * may be written there as they come: in sync and half_async while rg_exchange_push() waits, in
 * async below. RG_TAKE_SHOWN: and it may show the server's memory, from which ops read it. */
typedef enum rg_taking { RG_TAKE_ONCE, RG_TAKE_STAYS, RG_TAKE_SHOWN } rg_taking;
rg_status rg_exchange_take(rg_job *job, int thread, int server, uint32_t var, rg_value *value,
                           int64_t first, rg_taking how);
/* What values show becomes their own: before a request that lets steps go on without this trainer.
 * No thread of it is in a step. */
void rg_exchange_own(rg_job *job);
/* Async: at the beginning of a step. */
rg_status rg_exchange_refresh(rg_job *job, int thread);
/* `n` threads will push (train_from_dataset); in sync and half_async their gradients are averaged,
 * and one push is made of them. Each thread says when it ends. */
rg_status rg_exchange_threads(rg_job *job, int n);
rg_status rg_exchange_thread_ends(rg_job *job, int thread);
/* The next step of this thread is of these examples of leased data (dist/leases.h). */
rg_status rg_exchange_tag(rg_job *job, int thread, const rg_push_tag *tag);
/* Its next so many steps are one push: some servers have that already. Nothing of it is under way.
 */
rg_status rg_exchange_hold(rg_job *job, int thread, uint64_t steps);
/* Wait until everything that the thread has pushed has been taken. */
rg_status rg_exchange_flush_thread(rg_job *job, int thread);
/* Wait until everything pushed has been taken. */
rg_status rg_exchange_flush(rg_job *job);

#endif
