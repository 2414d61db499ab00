/* leased_priv.h - a run over data that the servers of its job deal. */
#ifndef RG_TRAIN_LEASED_PRIV_H
#define RG_TRAIN_LEASED_PRIV_H

#include "data/dataset.h"
#include "dist/leases.h"

/* RG_EINVAL, saying why, where this run cannot have leased data ... */
rg_status rg_leased_check(rg_job *job, const rg_dataset *dataset, bool infer);
/* ... or must have it: trainers come and go. */
rg_status rg_leased_refuse_others(rg_job *job, bool infer);
/* A pass over it begins. */
rg_status rg_leased_begin(rg_job *job, rg_dataset *dataset, int threads);
/* How far all trainers are, in ranges. */
rg_progress rg_leased_progress(rg_job *job);

/* While others have the last ranges. */
typedef struct rg_leased_wait {
    uint64_t since_ns, told_ns;
    uint32_t done;
} rg_leased_wait;
void rg_leased_wait_a_moment(rg_job *job, rg_leased_wait *wait);

#endif
