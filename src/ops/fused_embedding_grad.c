/* fused_embedding_grad.c - the sparse gradient of a table from the gradients of its look-ups, made
 * by pass/fuse_embedding_grad.c.
 *
 *   W@GRAD = rows of dOut[k][i] by Ids[k][i], those of one id added up, ascending
 *
 * as the look-ups' gradients and their sum would make it, to the bit, without a copy of each. Where
 * the look-up has sorted the ids (Unique, Places), that order is used (pass/share_places.c). */
#include "base/copy_row.h"
#include "ops/number.h"
#include "ops/sort_keys.h"
#include "ops/types.h"

#include <string.h>

enum { W, IDS, DOUT, UNIQUE, PLACES };
enum { DW };
enum { PADDING, GROWS, LISTS, COLUMNS };

enum { LIST_SHIFT = 36 }; /* an item is where it stands: the list's number above its place there */

/* Where the gradients stand side by side: n rows, with a place for this list's. */
static rg_status check_column(const rg_ctx *ctx, int k, int64_t n, int64_t width)
{
    const rg_shape *dout = rg_shape_of(ctx, DOUT);
    int64_t column = rg_attr_list(ctx, COLUMNS)->ints[k];
    if (dout->rank != 2 || dout->dim[0] != n || column < 0 || column + width > dout->dim[1])
        return rg_fail(RG_ESHAPE, "%s does not hold %lld rows with columns %lld to %lld",
                       rg_in_name(ctx, DOUT, 0), (long long)n, (long long)column,
                       (long long)(column + width - 1));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    bool joined = rg_attr_list(ctx, COLUMNS)->n > 0;
    if ((joined ? rg_n_in(ctx, DOUT) != 1 || rg_attr_list(ctx, COLUMNS)->n != rg_n_in(ctx, IDS)
                : rg_n_in(ctx, IDS) != rg_n_in(ctx, DOUT)) ||
        rg_attr_list(ctx, PADDING)->n != rg_n_in(ctx, IDS))
        return rg_fail(RG_EINVAL, "%d lists of ids, %d gradients and %d paddings",
                       rg_n_in(ctx, IDS), rg_n_in(ctx, DOUT), rg_attr_list(ctx, PADDING)->n);
    int64_t width = rg_shape_of(ctx, W)->dim[1];
    for (int k = 0; rg_running(ctx) && k < rg_n_in(ctx, IDS); k++) {
        int64_t n = rg_shape_numel(&rg_in_meta_n(ctx, IDS, k)->shape);
        if (joined) {
            RG_TRY(check_column(ctx, k, n, width));
            continue;
        }
        if (rg_shape_numel(&rg_in_meta_n(ctx, DOUT, k)->shape) != n * width)
            return rg_fail(RG_ESHAPE, "%s does not hold %lld rows of %lld",
                           rg_in_name(ctx, DOUT, k), (long long)n, (long long)width);
    }
    rg_set_like(ctx, DW, W);
    rg_set_kind(ctx, DW, RG_ROWS);
    return RG_OK;
}

static rg_status list_ids(rg_ctx *ctx, int64_t rows, rg_keyed *items)
{
    for (int k = 0; k < rg_n_in(ctx, IDS); k++) {
        const int64_t *id;
        int64_t n;
        RG_TRY(rg_read_whole_n(ctx, IDS, k, &id, &n));
        for (int64_t i = 0; i < n; i++) {
            if (id[i] < 0 || id[i] >= rows)
                return rg_fail(
                    RG_EVALUE, "%s has the id %lld at element %lld, and the table has %lld rows",
                    rg_in_name(ctx, IDS, k), (long long)id[i], (long long)i, (long long)rows);
            *items++ = (rg_keyed){(uint64_t)id[i], (int64_t)k << LIST_SHIFT | i};
        }
    }
    return RG_OK;
}

/* Those of the padding have a gradient of zero. */
RG_HOT static size_t gather(const rg_keyed *items, int64_t n, const float *const *lists,
                            const int64_t *paddings, int64_t width, int64_t *rows, float *out)
{
    size_t unique = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = items[i].at >> LIST_SHIFT, id = (int64_t)items[i].key;
        const float *from = lists[k] + (items[i].at & ((INT64_C(1) << LIST_SHIFT) - 1)) * width;
        bool padding = id == paddings[k] && id != -1;
        float *to = out + (int64_t)unique * width;
        if (i > 0 && items[i].key == items[i - 1].key) {
            for (int64_t j = 0; !padding && j < width; j++)
                to[j - width] += from[j];
            continue;
        }
        if (padding)
            memset(to, 0, (size_t)width * sizeof *to);
        else
            memcpy(to, from, (size_t)width * sizeof *to);
        rows[unique++] = id;
    }
    return unique;
}

static size_t count_unique(const rg_keyed *items, int64_t n)
{
    size_t unique = n > 0;
    for (int64_t i = 1; i < n; i++)
        unique += items[i].key != items[i - 1].key;
    return unique;
}

/* ---- by the order of the look-up ---- */

/* Lists in their order, and so those of one id added up as above; started: which rows have a
 * value. */
RG_HOT static void add_list(const int32_t *places, int64_t n, const float *from, int64_t step,
                            int64_t width, float *out, uint8_t *started)
{
    for (int64_t i = 0; i < n; i++, from += step) {
        float *to = out + places[i] * width;
        if (started[places[i]]) {
            for (int64_t j = 0; j < width; j++)
                to[j] += from[j];
        } else {
            rg_copy_row(to, from, (size_t)width);
            started[places[i]] = 1;
        }
    }
}

/* Where each list of the look-up begins in Places. */
static rg_status list_begins(rg_ctx *ctx, int64_t *begins)
{
    const rg_attr *lists = rg_attr_list(ctx, LISTS);
    int n = rg_n_in(ctx, IDS);
    int64_t at = 0;
    memset(begins, 0, (size_t)n * sizeof *begins);
    if (lists->n != n)
        return rg_fail(RG_EINVAL, "%d lists of ids, and %d numbers of them", n, lists->n);
    for (int k = 0; k < n; k++)
        if (lists->ints[k] < 0 || lists->ints[k] >= n)
            return rg_fail(RG_EINVAL, "list %d of %d", lists->ints[k], n);
        else
            begins[lists->ints[k]] = rg_numel(rg_in_n(ctx, IDS, k));
    for (int k = 0; k < n; k++) {
        int64_t size = begins[k];
        begins[k] = at;
        at += size;
    }
    return at == rg_numel(rg_in(ctx, PLACES))
               ? RG_OK
               : rg_fail(RG_ESHAPE, "%lld ids, and %lld places", (long long)at,
                         (long long)rg_numel(rg_in(ctx, PLACES)));
}

static rg_status by_places(rg_ctx *ctx)
{
    const rg_value *w = rg_in(ctx, W), *unique = rg_in(ctx, UNIQUE);
    const int32_t *places = rg_in(ctx, PLACES)->data;
    rg_value *dw = rg_out(ctx, DW);
    int32_t most = -1, least = 0;
    int64_t total = rg_numel(rg_in(ctx, PLACES)), width = w->meta.shape.dim[1];
    int64_t *begins = rg_scratch(ctx, (size_t)(rg_n_in(ctx, IDS) + 1) * sizeof *begins);
    if (begins == NULL)
        return RG_ENOMEM;
    RG_TRY(list_begins(ctx, begins));
    for (int64_t i = 0; i < total; i++) {
        most = places[i] > most ? places[i] : most;
        least = places[i] < least ? places[i] : least;
    }
    if (least < 0 || most >= rg_numel(unique))
        return rg_fail(RG_EVALUE, "place %d of %lld ids", least < 0 ? least : most,
                       (long long)rg_numel(unique));
    uint8_t *started = rg_scratch(ctx, (size_t)most + 2);
    if (started == NULL)
        return RG_ENOMEM;
    memset(started, 0, (size_t)most + 2);
    RG_TRY(rg_value_resize_rows(dw, RG_F32, &w->meta.shape, (size_t)(most + 1)));
    memcpy(dw->rows, unique->data, (size_t)(most + 1) * sizeof *dw->rows);
    bool joined = rg_attr_list(ctx, COLUMNS)->n > 0;
    for (int k = 0; k < rg_n_in(ctx, IDS); k++) {
        const rg_value *dout = rg_in_n(ctx, DOUT, joined ? 0 : k);
        int64_t column = joined ? rg_attr_list(ctx, COLUMNS)->ints[k] : 0;
        add_list(places + begins[rg_attr_list(ctx, LISTS)->ints[k]], rg_numel(rg_in_n(ctx, IDS, k)),
                 (const float *)dout->data + column, joined ? dout->meta.shape.dim[1] : width,
                 width, dw->data, started);
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    if (rg_has_in(ctx, PLACES) && rg_has_in(ctx, UNIQUE))
        return by_places(ctx);
    if (rg_attr_list(ctx, COLUMNS)->n > 0)
        return rg_fail(RG_EINVAL, "columns without Places");
    const rg_value *w = rg_in(ctx, W);
    rg_value *dw = rg_out(ctx, DW);
    int n_lists = rg_n_in(ctx, IDS);
    int64_t total = 0, rows = rg_attr_bool(ctx, GROWS) ? INT64_MAX : w->meta.shape.dim[0];
    for (int k = 0; k < n_lists; k++)
        total += rg_numel(rg_in_n(ctx, IDS, k));
    rg_keyed *items = rg_scratch(ctx, (size_t)(2 * total + 1) * sizeof *items);
    const float **lists = rg_scratch(ctx, (size_t)n_lists * sizeof *lists);
    if (items == NULL || lists == NULL)
        return RG_ENOMEM;
    for (int k = 0; k < n_lists; k++)
        lists[k] = rg_in_n(ctx, DOUT, k)->data;
    RG_TRY(list_ids(ctx, rows, items));
    rg_sort_keys(items, items + total, total);
    RG_TRY(rg_value_resize_rows(dw, RG_F32, &w->meta.shape, count_unique(items, total)));
    (void)gather(items, total, lists, rg_attr_list(ctx, PADDING)->longs, w->meta.shape.dim[1],
                 dw->rows, dw->data);
    return RG_OK;
}

const rg_op rg_op_fused_embedding_grad = {
    .type = "fused_embedding_grad",
    .doc = "The sparse gradient of a table from the gradients of its look-ups.",
    .in = RG_SLOTS([W] = {"W", "", RG_SHAPE_ONLY | RG_ROWS_OK}, [IDS] = {"Ids", "", RG_REPEATED},
                   [DOUT] = {"Out@GRAD", "", RG_REPEATED},
                   [UNIQUE] = {"Unique", "the ids, each once, ascending", RG_OPTIONAL},
                   [PLACES] = {"Places", "which of Unique stands at each place", RG_OPTIONAL}),
    .out = RG_SLOTS([DW] = {"W@GRAD", "each row once, ascending"}),
    .attr = RG_ATTRS([PADDING] = RG_LIST("padding_idx", RG_ATTR_LONGS, "of each look-up; -1: none"),
                     [GROWS] = RG_BOOLEAN("grows", false, "ids beyond the height are welcome"),
                     [LISTS] = RG_LIST("lists", RG_ATTR_INTS,
                                       "with Places: which of its lists each of Ids is"),
                     [COLUMNS] = RG_LIST("columns", RG_ATTR_INTS,
                                         "with Places: where in the one Out@GRAD each begins")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};
