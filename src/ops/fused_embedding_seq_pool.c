/* fused_embedding_seq_pool.c - look-up and sum of the rows of each sequence of ids in one.
 *
 *   Out[i] = the sum of W[id] over the ids of sequence i, but for padding_idx
 *
 * The gradient of W is dense, or with is_sparse the rows that were read, in the order they were
 * read; that of the padding is zero. */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { W, IDS, DOUT };
enum { OUT };
enum { COMBINER, PADDING_IDX, GRAD_INPLACE, IS_SPARSE, ALL_KERNELS };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *w = rg_shape_of(ctx, W), *ids = rg_shape_of(ctx, IDS);
    const rg_lod *lod;
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
    RG_TRY(rg_expect_lod(ctx, IDS, &lod));
    if (ids->rank != 2 || (ids->dim[1] != 1 && ids->dim[1] != -1)) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Ids must have one id in a row, and has the shape %s",
                       rg_shape_text(ids, text));
    }
    if (strcmp(rg_attr_string(ctx, COMBINER), "sum") != 0)
        return rg_fail(RG_EINVAL, "combiner %s: only sum is there", rg_attr_string(ctx, COMBINER));
    if (lod != NULL && lod->levels != 1)
        return rg_fail(RG_ESHAPE, "Ids has a LoD of %d levels, and must have one", lod->levels);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, W),
               &RG_SHAPE(lod ? rg_lod_sequences(lod, 0) : -1, w->dim[1]));
    return RG_OK;
}

/* Sequences of ids, and what they index. */
typedef struct bags {
    const int64_t *ids, *at;
    int64_t n, width, padding;
} bags;

static rg_status read_bags(rg_ctx *ctx, bags *b)
{
    const rg_value *ids = rg_in(ctx, IDS);
    const rg_shape *w = rg_shape_of(ctx, W);
    b->ids = ids->data;
    b->at = ids->meta.lod->offset[0];
    b->n = rg_lod_sequences(ids->meta.lod, 0);
    b->width = w->dim[1];
    b->padding = rg_attr_long(ctx, PADDING_IDX);
    return rg_check_ids(ctx, IDS, b->ids, rg_numel(ids), w->dim[0], "rows of the table");
}

#define POOL(T, S)                                                                     \
    RG_HOT static void pool_##S(const bags *b, const T *w, T *out)                     \
    {                                                                                  \
        const int64_t width = b->width;                                                \
        memset(out, 0, (size_t)(b->n * width) * sizeof *out);                          \
        for (int64_t i = 0; i < b->n; i++, out += width)                               \
            for (int64_t r = b->at[i]; r < b->at[i + 1]; r++) {                        \
                const T *row = w + b->ids[r] * width;                                  \
                if (b->ids[r] == b->padding && b->padding != -1)                       \
                    continue;                                                          \
                for (int64_t j = 0; j < width; j++)                                    \
                    out[j] += row[j];                                                  \
            }                                                                          \
    }                                                                                  \
    RG_HOT static void spread_##S(const bags *b, const T *dout, bool dense, T *dw)     \
    {                                                                                  \
        const int64_t width = b->width;                                                \
        for (int64_t i = 0; i < b->n; i++, dout += width)                              \
            for (int64_t r = b->at[i]; r < b->at[i + 1]; r++) {                        \
                T *row = dw + (dense ? b->ids[r] : r) * width;                         \
                if (b->ids[r] == b->padding && b->padding != -1)                       \
                    continue;                                                          \
                for (int64_t j = 0; j < width; j++)                                    \
                    row[j] += dout[j];                                                 \
            }                                                                          \
    }
RG_FLOATS(POOL)

static rg_status kernel(rg_ctx *ctx)
{
    bags b;
    RG_TRY(read_bags(ctx, &b));
    rg_value_settle_rows(rg_in(ctx, W), b.ids, b.at[b.n]);
    RG_CALL_FLOAT(ctx, W, pool, (&b, rg_in_data(ctx, W), rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                                    \
    RG_ATTRS([COMBINER] = RG_STRING("combiner", "sum", "how rows are joined: sum"),              \
             [PADDING_IDX] = RG_LONG("padding_idx", -1, "this id adds nothing; -1: all do"),     \
             [GRAD_INPLACE] = RG_BOOLEAN("grad_inplace", false, "kept for files"),               \
             [IS_SPARSE] = RG_BOOLEAN("is_sparse", false, "the gradient holds only rows read"),  \
             [ALL_KERNELS] = RG_BOOLEAN("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", true,        \
                                        "kept for files"))

const rg_op rg_op_fused_embedding_seq_pool = {
    .type = "fused_embedding_seq_pool",
    .doc = "The sum of a table's rows over each sequence of ids.",
    .in = RG_SLOTS([W] = {"W", "the table, [rows, width]", RG_LATE_OK},
                   [IDS] = {"Ids", "sequences of row numbers, [total, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[sequences, width]"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { DW };

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_set_like(ctx, DW, W);
    rg_set_kind(ctx, DW, rg_attr_bool(ctx, IS_SPARSE) ? RG_ROWS : RG_TENSOR);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dw = rg_out(ctx, DW);
    const rg_lod *lod;
    bags b;
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(rg_expect_one_level(ctx, IDS, &lod));
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
    RG_TRY(rg_expect_same_dtype(ctx, W, DOUT));
    RG_TRY(rg_expect_numel(ctx, IDS, lod->offset[0][lod->count[0] - 1]));
    RG_TRY(read_bags(ctx, &b));
    RG_TRY(rg_expect_numel(ctx, DOUT, b.n * b.width));
    bool dense = dw->meta.kind != RG_ROWS;
    if (!dense) {
        size_t n = (size_t)b.at[b.n];
        RG_TRY(rg_value_resize_rows(dw, rg_dtype_of(ctx, W), rg_shape_of(ctx, W), n));
        memcpy(dw->rows, b.ids, n * sizeof *b.ids);
    }
    memset(dw->data, 0, rg_value_bytes(dw));
    RG_CALL_FLOAT(ctx, DOUT, spread, (&b, rg_in_data(ctx, DOUT), dense, dw->data))
    return RG_OK;
}

const rg_op rg_op_fused_embedding_seq_pool_grad = {
    .type = "fused_embedding_seq_pool_grad",
    .doc = "Gradient of fused_embedding_seq_pool, dense or sparse.",
    .in = RG_SLOTS([W] = {"W", "", RG_SHAPE_ONLY}, [IDS] = {"Ids", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DW] = {"W@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
