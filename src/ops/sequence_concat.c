/* sequence_concat.c - sequences joined end to end.
 *
 *   sequence i of Out = sequence i of X[0], then of X[1], ... */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };

static rg_status check_input(const rg_ctx *ctx, int i)
{
    const rg_meta *x = rg_in_meta_n(ctx, X, i), *first = rg_in_meta(ctx, X);
    const char *name = rg_in_name(ctx, X, i);
    if (x == NULL)
        return rg_fail(RG_EINVAL, "X[%d] is missing", i);
    if (x->dtype != first->dtype || x->shape.rank != first->shape.rank || x->shape.rank < 1)
        goto differ;
    for (int d = 1; d < x->shape.rank; d++)
        if (x->shape.dim[d] != first->shape.dim[d] && x->shape.dim[d] >= 0 &&
            first->shape.dim[d] >= 0)
            goto differ;
    if (!rg_running(ctx))
        return RG_OK;
    if (x->lod == NULL || x->lod->levels != 1 ||
        x->lod->offset[0][x->lod->count[0] - 1] != x->shape.dim[0])
        return rg_fail(RG_ESHAPE, "%s must have a LoD of one level that covers its rows", name);
    if (x->lod->count[0] != first->lod->count[0])
        return rg_fail(RG_ESHAPE, "%s has %lld sequences, and %s has %lld", name,
                       (long long)rg_lod_sequences(x->lod, 0), rg_in_name(ctx, X, 0),
                       (long long)rg_lod_sequences(first->lod, 0));
    return RG_OK;
differ:;
    char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s is %s of shape %s, and cannot be joined to %s, %s of shape %s",
                   name, rg_dtype_name(x->dtype), rg_shape_text(&x->shape, ta),
                   rg_in_name(ctx, X, 0), rg_dtype_name(first->dtype),
                   rg_shape_text(&first->shape, tb));
}

static rg_status check_inputs(const rg_ctx *ctx)
{
    const rg_lod *lod;
    if (rg_in_meta(ctx, X) == NULL)
        return rg_fail(RG_EINVAL, "X[0] is missing");
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    for (int i = 0; i < rg_n_in(ctx, X); i++)
        RG_TRY(check_input(ctx, i));
    return RG_OK;
}

static rg_status sequence_concat_infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    rg_shape out = *rg_shape_of(ctx, X);
    out.dim[0] = rg_running(ctx) ? 0 : -1;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    if (!rg_running(ctx))
        return RG_OK;
    rg_lod *lod;
    RG_TRY(rg_lod_one_level(&lod, rg_lod_sequences(rg_in_meta(ctx, X)->lod, 0)));
    for (size_t s = 0; s < lod->count[0]; s++)
        for (int i = 0; i < rg_n_in(ctx, X); i++)
            lod->offset[0][s] += rg_in_meta_n(ctx, X, i)->lod->offset[0][s];
    out.dim[0] = lod->offset[0][lod->count[0] - 1];
    rg_set_shape(ctx, OUT, &out);
    rg_take_lod(ctx, OUT, lod);
    return RG_OK;
}

/* Walk the rows of Out, sequence by sequence and input by input. Each input's rows are
 * copied to Out, or from it to the input's gradient. */
static void exchange(const rg_ctx *ctx, rg_value *joined, rg_value *const *parts, bool join)
{
    const rg_lod *first = rg_in_meta(ctx, X)->lod;
    size_t row = rg_row_bytes(joined);
    uint8_t *at = joined->data;
    for (int64_t s = 0; s < rg_lod_sequences(first, 0); s++)
        for (int i = 0; i < rg_n_in(ctx, X); i++) {
            const int64_t *offset = rg_in_meta_n(ctx, X, i)->lod->offset[0];
            size_t bytes = (size_t)(offset[s + 1] - offset[s]) * row;
            if (join)
                memcpy(at, rg_row(parts[i], offset[s]), bytes);
            else if (parts[i] != NULL)
                memcpy(rg_row(parts[i], offset[s]), at, bytes);
            at += bytes;
        }
}

static rg_status sequence_concat_kernel(rg_ctx *ctx)
{
    exchange(ctx, rg_out(ctx, OUT), (rg_value *const *)(ctx->in + ctx->in_at[X]), true);
    return RG_OK;
}

const rg_op rg_op_sequence_concat = {
    .type = "sequence_concat",
    .doc = "Sequences joined end to end.",
    .in = RG_SLOTS([X] = {"X", "sequences, as many in each", RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"Out", "as many sequences"}),
    .flags = RG_OP_LINEAR,
    .infer = sequence_concat_infer,
    .kernel = sequence_concat_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status sequence_concat_grad_kernel(rg_ctx *ctx)
{
    int64_t numel = 0;
    RG_TRY(check_inputs(ctx));
    for (int i = 0; i < rg_n_in(ctx, G_X); i++)
        numel += rg_shape_numel(&rg_in_meta_n(ctx, G_X, i)->shape);
    RG_TRY(rg_expect_numel(ctx, G_DOUT, numel));
    exchange(ctx, (rg_value *)(uintptr_t)rg_in(ctx, G_DOUT),
             (rg_value *const *)(ctx->out + ctx->out_at[G_DX]), false);
    return RG_OK;
}

const rg_op rg_op_sequence_concat_grad = {
    .type = "sequence_concat_grad",
    .doc = "Gradient of sequence_concat.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_REPEATED | RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_REPEATED | RG_OPTIONAL, .like = RG_OF(G_X)}),
    .kernel = sequence_concat_grad_kernel,
};
