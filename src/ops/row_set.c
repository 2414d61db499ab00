/* row_set.c - sorting ids to find the distinct ones. */
#include "ops/row_set.h"

#include "ops/sort_pairs.h"

RG_ORDER(int64_t, i64, RG_NEVER_NAN)
RG_SORT_PAIRS(int64_t, i64)

rg_status rg_row_set_of(rg_ctx *ctx, const int64_t *ids, int64_t n, rg_row_set *out)
{
    pair_i64 *pairs = rg_scratch(ctx, (size_t)(2 * n) * sizeof *pairs);
    int64_t *rows = rg_scratch(ctx, (size_t)(2 * n) * sizeof *rows), *index = rows + n;
    if (pairs == NULL || rows == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        pairs[i] = (pair_i64){ids[i], i};
    sort_pairs_i64(pairs, pairs + n, n, false);
    *out = (rg_row_set){rows, 0, index};
    for (int64_t i = 0; i < n; i++) {
        if (pairs[i].value >= 0 && (out->n == 0 || rows[out->n - 1] != pairs[i].value))
            rows[out->n++] = pairs[i].value;
        index[pairs[i].at] = pairs[i].value < 0 ? -1 : out->n - 1;
    }
    return RG_OK;
}
