/* affine_channel.c - each channel scaled and moved: Out = Scale X + Bias. What a batch_norm
 * with fixed statistics comes to. */
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE, BIAS };
enum { OUT };
enum { LAYOUT };

/* X as [outer, channels, space]. */
typedef struct extents {
    int64_t outer, channels, space;
} extents;

static rg_status find_extents(const rg_ctx *ctx, const rg_shape *x, extents *e)
{
    const char *layout = rg_attr_string(ctx, LAYOUT);
    bool first = strcmp(layout, "NCHW") == 0;
    /* The default, AnyLayout, means channels last. */
    if (!first && strcmp(layout, "NHWC") != 0 && strcmp(layout, "AnyLayout") != 0)
        return rg_fail(RG_EINVAL, "data_layout %s: NCHW or NHWC", layout);
    if (x->rank != 2 && x->rank != 4)
        return rg_expect_rank(ctx, X, 4);
    if (first)
        *e = (extents){x->dim[0], x->dim[1], rg_shape_product(x, 2, x->rank)};
    else
        *e = (extents){rg_shape_product(x, 0, x->rank - 1), x->dim[x->rank - 1], 1};
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    extents e = {0};
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    for (int in = SCALE; in <= BIAS; in++) {
        int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
        RG_TRY(rg_expect_same_dtype(ctx, X, in));
        if (n >= 0 && e.channels >= 0 && n != e.channels)
            return rg_fail(RG_ESHAPE, "X has %lld channels, and %s %lld elements",
                           (long long)e.channels, ctx->op->in[in].name, (long long)n);
    }
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define LOOPS(T, S)                                                                            \
    RG_HOT static void affine_##S(const extents *e, const T *x, const T *scale, const T *bias, \
                                  T *y)                                                        \
    {                                                                                          \
        for (int64_t n = 0; n < e->outer; n++)                                                 \
            if (e->space == 1)                                                                 \
                for (int64_t c = 0; c < e->channels; c++, x++, y++)                            \
                    *y = *x * scale[c] + (bias ? bias[c] : 0);                                 \
            else                                                                               \
                for (int64_t c = 0; c < e->channels; c++, x += e->space, y += e->space)        \
                    for (int64_t i = 0; i < e->space; i++)                                     \
                        y[i] = x[i] * scale[c] + (bias ? bias[c] : 0);                         \
    }                                                                                          \
    static void sums_##S(const extents *e, const T *x, const T *dout, T *dscale, T *dbias)     \
    {                                                                                          \
        for (int64_t n = 0; n < e->outer; n++)                                                 \
            for (int64_t c = 0; c < e->channels; c++, x += e->space, dout += e->space) {       \
                if (dscale != NULL)                                                            \
                    dscale[c] += e->space == 1 ? *x * *dout : rg_dot_##S(x, dout, e->space);   \
                if (dbias != NULL)                                                             \
                    dbias[c] += e->space == 1 ? *dout : rg_sum_##S(dout, e->space);            \
            }                                                                                  \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    RG_CALL_FLOAT(ctx, X, affine,
                  (&e, rg_in_data(ctx, X), rg_in_data(ctx, SCALE), rg_in_data(ctx, BIAS),
                   rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS \
    RG_ATTRS([LAYOUT] = RG_STRING("data_layout", "AnyLayout", "NCHW; else the channels are last"))

const rg_op rg_op_affine_channel = {
    .type = "affine_channel",
    .doc = "Each channel scaled and moved.",
    .in = RG_SLOTS([X] = {"X", "2 or 4 dimensions"}, [SCALE] = {"Scale", "a factor for a channel"},
                   [BIAS] = {"Bias", "a shift for a channel"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_SCALE, G_DOUT };
enum { G_DX, G_DSCALE, G_DBIAS };

static rg_status grad_kernel(rg_ctx *ctx)
{
    extents e;
    const void *dout = rg_in_data(ctx, G_DOUT);
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, G_X), &e));
    for (int out = G_DSCALE; out <= G_DBIAS; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    if (rg_has_out(ctx, G_DSCALE) || rg_has_out(ctx, G_DBIAS))
        RG_CALL_FLOAT(
            ctx, G_X, sums,
            (&e, rg_in_data(ctx, G_X), dout, rg_out_data(ctx, G_DSCALE), rg_out_data(ctx, G_DBIAS)))
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(ctx, G_X, affine,
                      (&e, dout, rg_in_data(ctx, G_SCALE), NULL, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_affine_channel_grad = {
    .type = "affine_channel_grad",
    .doc = "Gradient of affine_channel.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_SCALE] = {"Scale", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X), RG_OF(G_DOUT)},
                    [G_DSCALE] = {"Scale@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
