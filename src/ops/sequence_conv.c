/* sequence_conv.c - a convolution along sequences.
 *
 *   Out[t] = [X[t + contextStart], ..., X[t + contextStart + contextLength - 1]] Filter
 *
 * where rows outside the sequence are zeros, or with paddingTrainable rows of PaddingData:
 * its first ones, as many as a context may reach back, stand before a sequence and the
 * others after it. The contexts are laid out as a matrix, so that all is one product. */
#include "math/gemm.h"
#include "ops/context.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, PADDING_DATA, FILTER };
enum { OUT };

static rg_status context_of(const rg_ctx *ctx, rg_context *out)
{
    const rg_shape *x = rg_shape_of(ctx, X), *filter = rg_shape_of(ctx, FILTER);
    RG_TRY(rg_context_of(ctx, X, out));
    RG_TRY(rg_expect_rank(ctx, FILTER, 2));
    if (x->dim[1] >= 0 && filter->dim[0] >= 0 && filter->dim[0] != out->length * x->dim[1])
        return rg_fail(RG_ESHAPE,
                       "Filter has %lld rows, and must have %lld: contextLength %lld "
                       "times the width of X",
                       (long long)filter->dim[0], (long long)(out->length * x->dim[1]),
                       (long long)out->length);
    return RG_OK;
}

static rg_status sequence_conv_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_context c;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(rg_expect_same_dtype(ctx, X, FILTER));
    RG_TRY(context_of(ctx, &c));
    RG_TRY(rg_check_padding(ctx, PADDING_DATA, &c));
    rg_shape out = RG_SHAPE(rg_shape_of(ctx, X)->dim[0], rg_shape_of(ctx, FILTER)->dim[1]);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status make_columns(rg_ctx *ctx, const rg_context *c, void **out)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_lod *lod;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    *out = rg_scratch(ctx, rg_value_bytes(x) * (size_t)c->length);
    if (*out == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(
        ctx, X, rg_context_lay_out,
        (c, x->data, rg_in_data(ctx, PADDING_DATA), lod->offset[0], rg_lod_sequences(lod, 0), *out))
    return RG_OK;
}

static rg_status sequence_conv_kernel(rg_ctx *ctx)
{
    rg_context c;
    void *columns;
    int64_t rows = rg_shape_of(ctx, X)->dim[0], n = rg_shape_of(ctx, FILTER)->dim[1];
    RG_TRY(context_of(ctx, &c));
    RG_TRY(make_columns(ctx, &c, &columns));
    int64_t k = c.length * c.width;
    RG_CALL_FLOAT(ctx, X, rg_gemm,
                  (false, false, rows, n, k, 1, columns, k, rg_in_data(ctx, FILTER), n, 0,
                   rg_out_data(ctx, OUT), n))
    return RG_OK;
}

const rg_op rg_op_sequence_conv = {
    .type = "sequence_conv",
    .doc = "A convolution along sequences.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]"},
                   [PADDING_DATA] = {"PaddingData", "rows around a sequence", RG_OPTIONAL},
                   [FILTER] = {"Filter", "[contextLength * width, filters]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, filters]"}),
    .attr = RG_CONTEXT_ATTRS,
    .flags = RG_OP_BILINEAR,
    .infer = sequence_conv_infer,
    .kernel = sequence_conv_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_PADDING_DATA, G_FILTER, G_DOUT };
enum { G_DX, G_DPADDING, G_DFILTER };

static rg_status sequence_conv_grad_kernel(rg_ctx *ctx)
{
    rg_context c;
    RG_TRY(context_of(ctx, &c));
    const rg_lod *lod = rg_in_meta(ctx, G_X)->lod;
    int64_t rows = rg_shape_of(ctx, G_X)->dim[0], n = rg_shape_of(ctx, G_FILTER)->dim[1];
    int64_t k = c.length * c.width;
    const void *dout = rg_in_data(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX), *dpadding = rg_out(ctx, G_DPADDING);
    void *columns;
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rows * n));
    RG_TRY(make_columns(ctx, &c, &columns));
    if (rg_has_out(ctx, G_DFILTER))
        RG_CALL_FLOAT(
            ctx, G_X, rg_gemm,
            (true, false, k, n, rows, 1, columns, k, dout, n, 0, rg_out_data(ctx, G_DFILTER), n))
    if (dx == NULL && dpadding == NULL)
        return RG_OK;
    RG_CALL_FLOAT(
        ctx, G_X, rg_gemm,
        (false, true, rows, k, n, 1, dout, n, rg_in_data(ctx, G_FILTER), n, 0, columns, k))
    if (dx != NULL)
        memset(dx->data, 0, rg_value_bytes(dx));
    if (dpadding != NULL)
        memset(dpadding->data, 0, rg_value_bytes(dpadding));
    RG_CALL_FLOAT(ctx, G_X, rg_context_collect,
                  (&c, columns, lod->offset[0], rg_lod_sequences(lod, 0), dx ? dx->data : NULL,
                   dpadding ? dpadding->data : NULL))
    return RG_OK;
}

const rg_op rg_op_sequence_conv_grad = {
    .type = "sequence_conv_grad",
    .doc = "Gradient of sequence_conv.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_PADDING_DATA] = {"PaddingData", "", RG_OPTIONAL},
                   [G_FILTER] = {"Filter", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_X)},
                    [G_DPADDING] = {"PaddingData@GRAD", "", RG_OPTIONAL,
                                    .like = RG_OF(G_PADDING_DATA)},
                    [G_DFILTER] = {"Filter@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_FILTER)}),
    .attr = RG_CONTEXT_ATTRS,
    .kernel = sequence_conv_grad_kernel,
};
