/* sequence_context.c - each row of a sequence with those around it, side by side.
 *
 *   Out[t] = [X[t + contextStart], ..., X[t + contextStart + contextLength - 1]]
 *
 * What sequence_conv multiplies; rows outside the sequence as there. v1's context_projection. */
#include "ops/context.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, PADDING_DATA };
enum { OUT };

static rg_status sequence_context_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_context c;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(rg_context_of(ctx, X, &c));
    RG_TRY(rg_check_padding(ctx, PADDING_DATA, &c));
    rg_shape out = RG_SHAPE(rg_shape_of(ctx, X)->dim[0], c.width < 0 ? -1 : c.length * c.width);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status sequence_context_kernel(rg_ctx *ctx)
{
    rg_context c;
    const rg_lod *lod = rg_in_meta(ctx, X)->lod;
    RG_TRY(rg_context_of(ctx, X, &c));
    RG_CALL_FLOAT(ctx, X, rg_context_lay_out,
                  (&c, rg_in_data(ctx, X), rg_in_data(ctx, PADDING_DATA), lod->offset[0],
                   rg_lod_sequences(lod, 0), rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_sequence_context = {
    .type = "sequence_context",
    .doc = "Each row of a sequence with those around it.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]"}, [PADDING_DATA] =
                                                                 {"PaddingData",
                                                                  "rows around a sequence",
                                                                  RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, contextLength * width]"}),
    .attr = RG_CONTEXT_ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = sequence_context_infer,
    .kernel = sequence_context_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_PADDING_DATA, G_DOUT };
enum { G_DX, G_DPADDING };

static rg_status sequence_context_grad_kernel(rg_ctx *ctx)
{
    rg_context c;
    const rg_lod *lod = rg_in_meta(ctx, G_X)->lod;
    rg_value *dx = rg_out(ctx, G_DX), *dpadding = rg_out(ctx, G_DPADDING);
    RG_TRY(rg_context_of(ctx, G_X, &c));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_shape_of(ctx, G_X)->dim[0] * c.length * c.width));
    if (dx != NULL)
        memset(dx->data, 0, rg_value_bytes(dx));
    if (dpadding != NULL)
        memset(dpadding->data, 0, rg_value_bytes(dpadding));
    RG_CALL_FLOAT(ctx, G_X, rg_context_collect,
                  (&c, rg_in_data(ctx, G_DOUT), lod->offset[0], rg_lod_sequences(lod, 0),
                   dx ? dx->data : NULL, dpadding ? dpadding->data : NULL))
    return RG_OK;
}

const rg_op rg_op_sequence_context_grad = {
    .type = "sequence_context_grad",
    .doc = "Gradient of sequence_context.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY},
                   [G_PADDING_DATA] = {"PaddingData", "", RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_X)},
                    [G_DPADDING] = {"PaddingData@GRAD", "", RG_OPTIONAL,
                                    .like = RG_OF(G_PADDING_DATA)}),
    .attr = RG_CONTEXT_ATTRS,
    .kernel = sequence_context_grad_kernel,
};
