/* row_set.h - the rows that a sparse gradient has, each once; and where rows of a table that
 * has only some of them (SelectedRows as a parameter) stand. */
#ifndef RG_OPS_ROW_SET_H
#define RG_OPS_ROW_SET_H

#include "ir/op.h"
#include "ops/sort_keys.h"

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

/* What the gradient of a dense table is best made of, where either would do: rows, unless n ids
 * name a good part of them, when going through all of it is less work than sorting them. Measured
 * with Adam: 10 to 15 rows for each id. While n is not known, rows. */
enum { RG_ROWS_PER_ID = 16 };
static inline rg_kind rg_row_set_kind(int64_t n, int64_t height)
{
    return n >= 0 && n > height / RG_ROWS_PER_ID ? RG_TENSOR : RG_ROWS;
}

typedef struct rg_row_finder {
    const rg_keyed *items; /* ascending */
    int64_t n;
} rg_row_finder;

/* Of a value of RG_ROWS, in scratch memory. */
rg_status rg_row_finder_of(rg_ctx *ctx, const rg_value *table, rg_row_finder *out);
/* Where the row stands in the table, the first of several; -1: it has none. */
int64_t rg_row_find(const rg_row_finder *finder, int64_t row);

#endif
