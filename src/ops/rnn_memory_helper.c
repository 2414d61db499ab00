/* rnn_memory_helper.c - a copy, by which recurrent blocks name their states and outputs. */
#include "ops/sequences.h"

#include <string.h>

enum { X };
enum { OUT };
enum { DTYPE };

static rg_status copy(const rg_value *from, rg_value *to)
{
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
    return RG_OK;
}

static rg_status helper_kernel(rg_ctx *ctx)
{
    return copy(rg_in(ctx, X), rg_out(ctx, OUT));
}

#define ATTRS RG_ATTRS([DTYPE] = RG_INT("dtype", RG_F32, "kept for files"))

const rg_op rg_op_rnn_memory_helper = {
    .type = "rnn_memory_helper",
    .doc = "A copy of X.",
    .in = RG_SLOTS([X] = {"X", "a tensor"}),
    .out = RG_SLOTS([OUT] = {"Out", "the copy", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = helper_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_OUT, G_DOUT };
enum { G_DX };

static rg_status helper_grad_kernel(rg_ctx *ctx)
{
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_numel(rg_out(ctx, G_DX))));
    return copy(rg_in(ctx, G_DOUT), rg_out(ctx, G_DX));
}

const rg_op rg_op_rnn_memory_helper_grad = {
    .type = "rnn_memory_helper_grad",
    .doc = "Gradient of rnn_memory_helper.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_OUT] = {"Out", "", RG_SHAPE_ONLY},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = helper_grad_kernel,
};
