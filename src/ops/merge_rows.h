/* merge_rows.h - a sparse gradient with its duplicates added up. */
#ifndef RG_OPS_MERGE_ROWS_H
#define RG_OPS_MERGE_ROWS_H

#include "ir/op.h"

typedef struct rg_merged {
    const int64_t *rows; /* ascending, each once */
    const void *values;  /* a row for each, of the gradient's dtype and width */
    size_t n;
} rg_merged;

/* In scratch memory, or the gradient itself where it has no duplicates and is in order. */
rg_status rg_merge_rows(rg_ctx *ctx, const rg_value *gradient, rg_merged *out);

#endif
