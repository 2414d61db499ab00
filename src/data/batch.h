/* batch.h - a batch: one tensor for each used slot, in the order of the slots.
 *
 * A dense slot is [B, width...] without a LoD; any other is [total, 1] with a LoD of one
 * level. Memory is reused from batch to batch, and so is the LoD object of the batches
 * whose instances have equally many values: a plan that is fed the same rg_lod again
 * need not look at it. */
#ifndef RG_DATA_BATCH_H
#define RG_DATA_BATCH_H

#include "data/feed.h"
#include "data/rows.h"
#include "tensor/value.h"

typedef struct rg_batch {
    rg_value **values; /* n, one for each used slot; owned by the batch */
    size_t n;
    size_t rows; /* instances */
    rg_origins origins;
    void *own; /* of the module */
} rg_batch;

rg_status rg_batch_open(rg_batch **batch, const rg_feed *feed);
/* Another for the same feed, which shares LoD objects with the first. */
rg_status rg_batch_open_like(rg_batch **batch, const rg_batch *first);
void rg_batch_close(rg_batch *batch);

/* Instances first .. first + n - 1 of `rows`. */
rg_status rg_batch_fill(rg_batch *batch, const rg_rows *rows, size_t first, size_t n);

/* An instance somewhere in many rows. */
typedef struct rg_row_at {
    const rg_rows *rows;
    uint32_t row;
} rg_row_at;

/* n instances from wherever they are; column c is taken from at[c][i] where at[c] is not
 * NULL, else from common[i]. `at` may be NULL. */
rg_status rg_batch_gather(rg_batch *batch, const rg_row_at *common, const rg_row_at *const *at,
                          size_t n);

#endif
