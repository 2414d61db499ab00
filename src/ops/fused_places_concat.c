/* fused_places_concat.c - rows of a table on servers put side by side straight from what servers
 * answered, made by pass/share_places.c.
 *
 *   Out[i] = Rows[Places[0][i]], Rows[Places[1][i]], ..., X[0][i], ...      in the order of `order`
 *
 * Places has a list for each of Ids, one after the other. */
#include "base/copy_row.h"
#include "base/hot.h"
#include "ops/types.h"

#include <string.h>

enum { ROWS, PLACES, IDS, X };
enum { OUT };
enum { ORDER };

/* What a part of the order is: a list of ids, or another tensor. */
static const rg_meta *part_of(const rg_ctx *ctx, int part)
{
    bool is_list = part >= 0 && part < rg_n_in(ctx, IDS),
         is_other = part < 0 && -1 - part < rg_n_in(ctx, X);
    return is_list    ? rg_in_meta_n(ctx, IDS, part)
           : is_other ? rg_in_meta_n(ctx, X, -1 - part)
                      : NULL;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_attr *order = rg_attr_list(ctx, ORDER);
    int64_t rows = -1, width = 0;
    for (int p = 0; p < order->n; p++) {
        const rg_meta *part = part_of(ctx, order->ints[p]);
        if (part == NULL || (order->ints[p] < 0 && part->shape.rank != 2))
            return rg_fail(RG_EINVAL, "part %d of its order is not there", p);
        int64_t own = order->ints[p] < 0 ? part->shape.dim[0] : rg_shape_numel(&part->shape);
        if (rows >= 0 && own >= 0 && own != rows)
            return rg_fail(RG_ESHAPE, "part %d has %lld rows, and those before it %lld", p,
                           (long long)own, (long long)rows);
        rows = own >= 0 ? own : rows;
        width += order->ints[p] < 0 ? part->shape.dim[1] : rg_shape_of(ctx, ROWS)->dim[1];
    }
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(rows, width));
    const rg_meta *first = order->n > 0 ? part_of(ctx, order->ints[0]) : NULL;
    rg_meta *out = rg_out_meta(ctx, OUT);
    if (first != NULL) { /* as concat */
        out->lod = rg_lod_retain(first->lod);
        out->lod_level = first->lod_level;
    }
    return RG_OK;
}

RG_HOT static void gather(const float *rows, const int32_t *places, int64_t n, int64_t width,
                          float *to, int64_t step)
{
    for (int64_t i = 0; i < n; i++, to += step)
        if (places[i] >= 0)
            rg_copy_row(to, rows + places[i] * width, (size_t)width);
        else /* a padding */
            memset(to, 0, (size_t)width * sizeof *to);
}

static void copy_part(const rg_value *x, float *to, int64_t step)
{
    int64_t width = x->meta.shape.dim[1];
    const float *from = x->data;
    for (int64_t i = 0; i < x->meta.shape.dim[0]; i++, from += width, to += step)
        rg_copy_row(to, from, (size_t)width);
}

/* Where each list begins in Places, which has room for all of them. */
static rg_status list_begins(rg_ctx *ctx, int64_t **out)
{
    int n = rg_n_in(ctx, IDS);
    int64_t *begins = rg_scratch(ctx, (size_t)(n + 1) * sizeof *begins);
    if (begins == NULL)
        return RG_ENOMEM;
    begins[0] = 0;
    for (int k = 0; k < n; k++)
        begins[k + 1] = begins[k] + rg_shape_numel(&rg_in_meta_n(ctx, IDS, k)->shape);
    *out = begins;
    return begins[n] == rg_numel(rg_in(ctx, PLACES))
               ? RG_OK
               : rg_fail(RG_ESHAPE, "%lld ids, and %lld places", (long long)begins[n],
                         (long long)rg_numel(rg_in(ctx, PLACES)));
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_attr *order = rg_attr_list(ctx, ORDER);
    const rg_value *rows = rg_in(ctx, ROWS), *out = rg_out(ctx, OUT);
    int64_t step = out->meta.shape.dim[1], width = rows->meta.shape.dim[1], *begins;
    const int32_t *places = rg_in(ctx, PLACES)->data;
    float *to = out->data;
    RG_TRY(list_begins(ctx, &begins));
    for (int p = 0; p < order->n; p++) {
        int part = order->ints[p];
        if (part < 0) {
            copy_part(rg_in_n(ctx, X, -1 - part), to, step);
            to += rg_in_n(ctx, X, -1 - part)->meta.shape.dim[1];
        } else {
            gather(rows->data, places + begins[part], begins[part + 1] - begins[part], width, to,
                   step);
            to += width;
        }
    }
    return RG_OK;
}

const rg_op rg_op_fused_places_concat = {
    .type = "fused_places_concat",
    .doc = "Rows of a table on servers, and other tensors, side by side.",
    .in = RG_SLOTS([ROWS] = {"Rows", "rows of the ids, each once"},
                   [PLACES] = {"Places", "which of Rows stands at each place of Ids"},
                   [IDS] = {"Ids", "", RG_REPEATED | RG_SHAPE_ONLY},
                   [X] = {"X", "", RG_REPEATED | RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "one beside the other"}),
    .attr = RG_ATTRS([ORDER] = RG_LIST("order", RG_ATTR_INTS,
                                       "k: the k-th of Ids; -1 - k: the k-th of X")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};
