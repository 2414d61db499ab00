/* row_set.c - sorting ids to find the distinct ones. */
#include "ops/row_set.h"

#include "ops/sort_keys.h"

#include <string.h>

rg_status rg_row_set_of(rg_ctx *ctx, const int64_t *ids, int64_t n, rg_row_set *out)
{
    rg_keyed *sorted = rg_scratch(ctx, (size_t)(2 * n) * sizeof *sorted);
    int64_t *rows = rg_scratch(ctx, (size_t)(2 * n) * sizeof *rows), *index = rows + n, used = 0;
    if (sorted == NULL || rows == NULL)
        return RG_ENOMEM;
    *out = (rg_row_set){rows, 0, index};
    for (int64_t i = 0; i < n; i++) {
        index[i] = -1;
        if (ids[i] >= 0)
            sorted[used++] = (rg_keyed){(uint64_t)ids[i], i};
    }
    rg_sort_keys(sorted, sorted + n, used);
    for (int64_t i = 0; i < used; i++) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            rows[out->n++] = (int64_t)sorted[i].key;
        index[sorted[i].at] = out->n - 1;
    }
    return RG_OK;
}

rg_status rg_row_set_gradient(rg_ctx *ctx, const rg_value *w, const int64_t *ids, int64_t n,
                              rg_value *dw, const int64_t **index)
{
    rg_row_set set;
    RG_TRY(rg_row_set_of(ctx, ids, n, &set));
    RG_TRY(rg_value_resize_rows(dw, w->meta.dtype, &w->meta.shape, (size_t)set.n));
    if (set.n > 0)
        memcpy(dw->rows, set.rows, (size_t)set.n * sizeof *set.rows);
    memset(dw->data, 0, rg_value_bytes(dw));
    *index = set.index;
    return RG_OK;
}

rg_status rg_row_finder_of(rg_ctx *ctx, const rg_value *table, rg_row_finder *out)
{
    int64_t n = (int64_t)table->n_rows;
    rg_keyed *items = rg_scratch(ctx, (size_t)(2 * n) * sizeof *items);
    if (items == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        items[i] = (rg_keyed){rg_key_i64(table->rows[i], false), i};
    rg_sort_keys(items, items + n, n);
    *out = (rg_row_finder){items, n};
    return RG_OK;
}

int64_t rg_row_find(const rg_row_finder *finder, int64_t row)
{
    uint64_t key = rg_key_i64(row, false);
    int64_t lo = 0, hi = finder->n;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (finder->items[middle].key < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo < finder->n && finder->items[lo].key == key ? finder->items[lo].at : -1;
}
