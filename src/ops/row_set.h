/* row_set.h - the rows that a sparse gradient has, each once. */
#ifndef RG_OPS_ROW_SET_H
#define RG_OPS_ROW_SET_H

#include "ir/op.h"

typedef struct rg_row_set {
    const int64_t *rows; /* ascending, `n` of them */
    int64_t n;
    const int64_t *index; /* for each id, where its row stands in `rows`; -1: it has none */
} rg_row_set;

/* Of n ids, in scratch memory. Ids below 0 have no row. */
rg_status rg_row_set_of(rg_ctx *ctx, const int64_t *ids, int64_t n, rg_row_set *out);

/* A sparse gradient of `w` with a row of zeros for each row of the ids; *index as above. */
rg_status rg_row_set_gradient(rg_ctx *ctx, const rg_value *w, const int64_t *ids, int64_t n,
                              rg_value *dw, const int64_t **index);

#endif
