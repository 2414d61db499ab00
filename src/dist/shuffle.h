/* shuffle.h - the examples in the memory of all trainers of a job, dealt anew: each is at one
 * trainer afterwards, as it was before. */
#ifndef RG_DIST_SHUFFLE_H
#define RG_DIST_SHUFFLE_H

#include "data/dataset.h"
#include "dist/job.h"

typedef struct rg_shuffle_config {
    uint64_t seed;     /* the same at all trainers */
    size_t rows_each;  /* examples in one message; 0: the most */
    uint64_t pause_ns; /* before each message */
} rg_shuffle_config;

/* Every trainer of the job calls it. Where examples have ids (rg_dataset_set_texts), those of one
 * id come to one trainer. The order is a function of the seed and of how often it was called. On
 * failure the dataset is as before. */
rg_status rg_job_shuffle(rg_job *job, rg_dataset *dataset, const rg_shuffle_config *config);

#endif
