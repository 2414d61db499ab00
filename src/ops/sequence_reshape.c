/* sequence_reshape.c - sequences with their numbers in rows of another width. */
#include "ops/sequences.h"

#include <string.h>

enum { X };
enum { OUT };
enum { NEW_DIM };

static rg_status new_lod(const rg_lod *lod, int64_t width, int64_t new_dim, rg_lod **out)
{
    int64_t n = rg_lod_sequences(lod, 0);
    RG_TRY(rg_lod_one_level(out, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t numbers = lod->offset[0][i + 1] * width;
        if (numbers % new_dim != 0) {
            rg_lod_release(*out);
            return rg_fail(RG_ESHAPE,
                           "sequence %lld has %lld rows of %lld, which do not make "
                           "rows of %lld",
                           (long long)i, (long long)(lod->offset[0][i + 1] - lod->offset[0][i]),
                           (long long)width, (long long)new_dim);
        }
        (*out)->offset[0][i + 1] = numbers / new_dim;
    }
    return RG_OK;
}

static rg_status sequence_reshape_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    int64_t new_dim = rg_attr_int(ctx, NEW_DIM);
    rg_lod *made = NULL;
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    if (new_dim < 1)
        return rg_fail(RG_EINVAL, "new_dim is %lld, and must be at least 1", (long long)new_dim);
    int64_t numel = rg_shape_numel(x);
    if (lod != NULL)
        RG_TRY(new_lod(lod, x->dim[1], new_dim, &made));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(numel < 0 ? -1 : numel / new_dim, new_dim));
    if (made != NULL)
        rg_take_lod(ctx, OUT, made);
    else
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status copy(const rg_value *from, rg_value *to)
{
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
    return RG_OK;
}

static rg_status sequence_reshape_kernel(rg_ctx *ctx)
{
    return copy(rg_in(ctx, X), rg_out(ctx, OUT));
}

#define ATTRS RG_ATTRS([NEW_DIM] = RG_REQUIRED("new_dim", RG_ATTR_INT, "the width of a row"))

const rg_op rg_op_sequence_reshape = {
    .type = "sequence_reshape",
    .doc = "Sequences with their numbers in rows of another width.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[..., new_dim]", RG_VIEW, .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = sequence_reshape_infer,
    .kernel = sequence_reshape_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status sequence_reshape_grad_kernel(rg_ctx *ctx)
{
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_numel(rg_out(ctx, G_DX))));
    return copy(rg_in(ctx, G_DOUT), rg_out(ctx, G_DX));
}

const rg_op rg_op_sequence_reshape_grad = {
    .type = "sequence_reshape_grad",
    .doc = "Gradient of sequence_reshape.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_VIEW, .like = RG_OF(G_X), .inplace = RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .kernel = sequence_reshape_grad_kernel,
};
