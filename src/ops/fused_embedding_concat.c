/* fused_embedding_concat.c - look-ups whose rows stand side by side, made by pass/fuse_gather.c.
 *
 *   Out[i] = W[0][Ids[0][i]], W[1][Ids[1][i]], ..., X[0][i], ...        in the order of `order`
 *
 * and the SGD step of a table straight from the gradient of all of Out. Of a look-up that is
 * `pooled`, the rows of each sequence of Ids are summed. No look-up's rows are written, and none of
 * their gradients: a batch of 26 slots is one pass over it, or on a GPU one kernel. */
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { W, IDS, X };
enum { OUT };
enum { ORDER, POOLED, PADDING, PADDED };

static int64_t rows_of(const rg_meta *ids, bool pooled)
{
    if (pooled)
        return ids->lod ? rg_lod_sequences(ids->lod, ids->lod->levels - 1) : -1;
    return rg_shape_numel(&ids->shape);
}

static rg_status infer(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, IDS);
    int64_t rows = -1, width = 0;
    if (rg_n_in(ctx, W) != n || rg_attr_list(ctx, POOLED)->n != n ||
        rg_attr_list(ctx, PADDING)->n != n || rg_attr_list(ctx, ORDER)->n != n + rg_n_in(ctx, X))
        return rg_fail(RG_EINVAL, "%d look-ups do not fit its attributes", n);
    for (int k = 0; k < n; k++) {
        const rg_meta *ids = rg_in_meta_n(ctx, IDS, k);
        bool pooled = rg_attr_list(ctx, POOLED)->ints[k] != 0;
        if (rg_running(ctx) && pooled && ids->lod == NULL)
            return rg_fail(RG_ESHAPE,
                           "%s has no LoD; feed it as a LoDTensor "
                           "(fluid.create_lod_tensor) with its sequence lengths",
                           rg_in_name(ctx, IDS, k));
        int64_t own = rg_running(ctx) ? rows_of(ids, pooled) : -1;
        if (rows >= 0 && own >= 0 && own != rows)
            return rg_fail(RG_ESHAPE, "%s gives %lld rows, and %s %lld", rg_in_name(ctx, IDS, k),
                           (long long)own, rg_in_name(ctx, IDS, 0), (long long)rows);
        rows = own >= 0 ? own : rows;
        width += rg_in_meta_n(ctx, W, k)->shape.dim[1];
    }
    for (int k = 0; k < rg_n_in(ctx, X); k++) {
        const rg_shape *x = &rg_in_meta_n(ctx, X, k)->shape;
        if (x->rank != 2 || (rg_running(ctx) && rows >= 0 && x->dim[0] != rows)) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "%s has the shape %s, and %lld rows are wanted",
                           rg_in_name(ctx, X, k), rg_shape_text(x, text), (long long)rows);
        }
        width += x->dim[1];
    }
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(rows, width + rg_attr_int(ctx, PADDED)));
    return RG_OK;
}

enum { AHEAD = 16 }; /* rows fetched before they are needed; a row may lie in two lines */

static rg_status check_ids(const rg_ctx *ctx, int k, const int64_t *ids, int64_t n, int64_t rows,
                           int64_t padding)
{
    for (int64_t i = 0; i < n; i++)
        if ((ids[i] < 0 || ids[i] >= rows) && (ids[i] != padding || padding == -1))
            return rg_fail(
                RG_EVALUE, "%s has the id %lld at element %lld, and the table has %lld rows",
                rg_in_name(ctx, IDS, k), (long long)ids[i], (long long)i, (long long)rows);
    return RG_OK;
}

/* Where sequence s of pooled ids begins; the others are sequences of one. */
static int64_t begin_of(const rg_lod *lod, int64_t s)
{
    return lod ? lod->offset[lod->levels - 1][s] : s;
}

RG_HOT static void gather(const float *w, const int64_t *ids, int64_t n, int64_t width,
                          int64_t padding, float *to, int64_t step)
{
    for (int64_t i = 0; i < n; i++, to += step) {
        if (i + AHEAD < n) {
            __builtin_prefetch(w + ids[i + AHEAD] * width);
            __builtin_prefetch(w + ids[i + AHEAD] * width + width - 1);
        }
        if (ids[i] == padding && padding != -1)
            memset(to, 0, (size_t)width * sizeof *to);
        else
            memcpy(to, w + ids[i] * width, (size_t)width * sizeof *to);
    }
}

RG_HOT static void gather_sums(const float *w, const int64_t *ids, const rg_lod *lod, int64_t rows,
                               int64_t width, int64_t padding, float *to, int64_t step)
{
    for (int64_t s = 0; s < rows; s++, to += step) {
        memset(to, 0, (size_t)width * sizeof *to);
        for (int64_t i = begin_of(lod, s); i < begin_of(lod, s + 1); i++) {
            const float *row = w + ids[i] * width;
            for (int64_t j = 0; j < width && (ids[i] != padding || padding == -1); j++)
                to[j] += row[j];
        }
    }
}

static rg_status look_up(rg_ctx *ctx, int k, float *to, int64_t step)
{
    const rg_value *w = rg_in_n(ctx, W, k);
    const rg_meta *meta = rg_in_meta_n(ctx, IDS, k);
    int64_t padding = rg_attr_list(ctx, PADDING)->longs[k], n;
    const int64_t *ids;
    if (w->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, W);
    RG_TRY(rg_read_whole_n(ctx, IDS, k, &ids, &n));
    RG_TRY(check_ids(ctx, k, ids, n, w->meta.shape.dim[0], padding));
    rg_value_settle_rows(w, ids, n);
    if (rg_attr_list(ctx, POOLED)->ints[k] != 0)
        gather_sums(w->data, ids, meta->lod, rows_of(meta, true), w->meta.shape.dim[1], padding, to,
                    step);
    else
        gather(w->data, ids, n, w->meta.shape.dim[1], padding, to, step);
    return RG_OK;
}

static void copy_part(const rg_value *x, float *to, int64_t step)
{
    int64_t width = x->meta.shape.dim[1];
    const float *from = x->data;
    for (int64_t i = 0; i < x->meta.shape.dim[0]; i++, from += width, to += step)
        memcpy(to, from, (size_t)width * sizeof *to);
}

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    const rg_attr *order = rg_attr_list(ctx, ORDER);
    int64_t step = out->meta.shape.dim[1];
    float *to = out->data;
    for (int p = 0; p < order->n; p++) {
        int k = order->ints[p];
        if (k >= 0) {
            RG_TRY(look_up(ctx, k, to, step));
            to += rg_in_n(ctx, W, k)->meta.shape.dim[1];
        } else {
            copy_part(rg_in_n(ctx, X, -1 - k), to, step);
            to += rg_in_n(ctx, X, -1 - k)->meta.shape.dim[1];
        }
    }
    for (int64_t i = 0, n = rg_attr_int(ctx, PADDED); n > 0 && i < out->meta.shape.dim[0]; i++)
        memset(to + i * step, 0, (size_t)n * sizeof *to);
    return RG_OK;
}

#define POOLED_ATTR  RG_LIST("pooled", RG_ATTR_INTS, "by look-up: 1, its sequences are summed")
#define PADDING_ATTR RG_LIST("padding_idx", RG_ATTR_LONGS, "by look-up; -1: none")

const rg_op rg_op_fused_embedding_concat = {
    .type = "fused_embedding_concat",
    .doc = "Rows of tables by id, and other tensors, side by side.",
    .in = RG_SLOTS([W] = {"W", "the table of each look-up", RG_REPEATED | RG_LATE_OK},
                   [IDS] = {"Ids", "of each look-up", RG_REPEATED},
                   [X] = {"X", "other parts", RG_REPEATED | RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, all widths]"}),
    .attr = RG_ATTRS([ORDER] = RG_LIST("order", RG_ATTR_INTS,
                                       "of the parts: look-up k, or X number -1-k where negative"),
                     [POOLED] = POOLED_ATTR, [PADDING] = PADDING_ATTR,
                     [PADDED] = RG_INT("padded", 0, "columns of zeros behind the parts")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};

/* ---- the step ---- */

enum { S_W, S_IDS, S_DOUT, S_RATE };
enum { S_W_OUT };
enum { S_COLUMNS, S_POOLED, S_PADDING };

static rg_status step_infer(rg_ctx *ctx)
{
    const rg_shape *dout = rg_shape_of(ctx, S_DOUT);
    int n = rg_n_in(ctx, S_IDS);
    RG_TRY(rg_expect_rank(ctx, S_W, 2));
    RG_TRY(rg_expect_rank(ctx, S_DOUT, 2));
    if (rg_attr_list(ctx, S_COLUMNS)->n != n || rg_attr_list(ctx, S_POOLED)->n != n ||
        rg_attr_list(ctx, S_PADDING)->n != n)
        return rg_fail(RG_EINVAL, "%d look-ups do not fit its attributes", n);
    for (int k = 0; rg_running(ctx) && k < n; k++) {
        const rg_meta *ids = rg_in_meta_n(ctx, S_IDS, k);
        int64_t rows = rows_of(ids, rg_attr_list(ctx, S_POOLED)->ints[k] != 0);
        int64_t end = rg_attr_list(ctx, S_COLUMNS)->ints[k] + rg_shape_of(ctx, S_W)->dim[1];
        if (rows != dout->dim[0] || end > dout->dim[1])
            return rg_fail(RG_ESHAPE, "%s does not fit the gradient", rg_in_name(ctx, S_IDS, k));
    }
    rg_set_like(ctx, S_W_OUT, S_W);
    return RG_OK;
}

RG_HOT static void descend(float *w, const int64_t *ids, const rg_lod *lod, int64_t rows,
                           const float *g, int64_t step, int64_t width, float rate, int64_t padding)
{
    int64_t n = begin_of(lod, rows);
    for (int64_t s = 0; s < rows; s++, g += step)
        for (int64_t i = begin_of(lod, s); i < begin_of(lod, s + 1); i++) {
            if (i + AHEAD < n) {
                __builtin_prefetch(w + ids[i + AHEAD] * width, 1);
                __builtin_prefetch(w + ids[i + AHEAD] * width + width - 1, 1);
            }
            if (ids[i] == padding && padding != -1)
                continue;
            float *row = w + ids[i] * width;
            for (int64_t j = 0; j < width; j++)
                row[j] -= rate * g[j];
        }
}

static rg_status step_kernel(rg_ctx *ctx)
{
    rg_value *w = rg_out(ctx, S_W_OUT);
    const rg_value *dout = rg_in(ctx, S_DOUT);
    float rate = *(const float *)rg_in_data(ctx, S_RATE);
    for (int k = 0; k < rg_n_in(ctx, S_IDS); k++) {
        int64_t padding = rg_attr_list(ctx, S_PADDING)->longs[k], n;
        bool pooled = rg_attr_list(ctx, S_POOLED)->ints[k] != 0;
        const int64_t *ids;
        RG_TRY(rg_read_whole_n(ctx, S_IDS, k, &ids, &n));
        RG_TRY(check_ids(ctx, k, ids, n, w->meta.shape.dim[0], padding));
        descend(w->data, ids, pooled ? rg_in_meta_n(ctx, S_IDS, k)->lod : NULL,
                dout->meta.shape.dim[0],
                (const float *)dout->data + rg_attr_list(ctx, S_COLUMNS)->ints[k],
                dout->meta.shape.dim[1], w->meta.shape.dim[1], rate, padding);
    }
    return RG_OK;
}

const rg_op rg_op_fused_embedding_concat_sgd = {
    .type = "fused_embedding_concat_sgd",
    .doc = "The SGD step of a table from the gradient of look-ups that stand side by side.",
    .in = RG_SLOTS([S_W] = {"W", ""}, [S_IDS] = {"Ids", "", RG_REPEATED},
                   [S_DOUT] = {"Out@GRAD", "of all parts"}, [S_RATE] = {"LearningRate", ""}),
    .out = RG_SLOTS([S_W_OUT] = {"WOut", "W, in place"}),
    .attr = RG_ATTRS([S_COLUMNS] = RG_LIST("columns", RG_ATTR_INTS,
                                           "by look-up: its first column in the gradient"),
                     [S_POOLED] = POOLED_ATTR, [S_PADDING] = PADDING_ATTR),
    .flags = RG_OP_INTERNAL,
    .infer = step_infer,
    .kernel = step_kernel,
};
