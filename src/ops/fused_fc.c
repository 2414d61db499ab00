/* fused_fc.c - a fully connected layer as one op, made by pass/fuse_fc.c.
 *
 *   Out = act(X W + Bias)                           mul, elementwise_add and an activation
 *
 *   dZ = dOut act'(Out)                             their three gradients:
 *   dBias = column sums of dZ, dX = dZ W^T, dW = X^T dZ
 *
 * Where X is what another layer's activation gave, dX may be taken times that one's slope,
 * x_act'(X) (pass/fold_slopes.c): it is the dZ of that layer then.
 *
 * With a LearningRate the gradient op takes the SGD step too: W and Bias are changed in
 * place (WOut, BiasOut) and dW is never formed: W -= rate X^T dZ is one product.
 *
 * Where the plan says so (rg_opdesc.precision) the products are of bfloat16 (math/linear_bf16.h).
 * Then X, Out and their gradients may be bfloat16, too, where pass/bf16.c has found that other
 * layers alone read them. */
#include "ir/program.h"
#include "math/gemm.h"
#include "math/linear_bf16.h"
#include "math/slope.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, W, BIAS };
enum { OUT };
enum { X_COLS, ACT, BF16_OUT, PADDED, X_ACT };

static rg_status act_of(const rg_ctx *ctx, rg_activation *act)
{
    return rg_activation_of(rg_attr_string(ctx, ACT), act);
}

/* X as [m, k]; W as [k, n]. */
typedef struct sizes {
    int64_t m, n, k, stride; /* stride: of the rows of X */
} sizes;

static rg_status sizes_of(const rg_ctx *ctx, int x_slot, int w_slot, sizes *s)
{
    const rg_shape *x = rg_shape_of(ctx, x_slot), *w = rg_shape_of(ctx, w_slot);
    int cols = rg_attr_int(ctx, X_COLS);
    if (cols < 1 || cols >= x->rank || w->rank != 2 ||
        rg_shape_product(x, cols, x->rank) != w->dim[0] + rg_attr_int(ctx, PADDED)) {
        char tx[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s does not fit a weight of shape %s",
                       rg_shape_text(x, tx), rg_shape_text(w, tw));
    }
    *s = (sizes){rg_shape_product(x, 0, cols), w->dim[1], w->dim[0],
                 w->dim[0] + rg_attr_int(ctx, PADDED)};
    return RG_OK;
}

static rg_status fused_fc_infer(rg_ctx *ctx)
{
    sizes s;
    if (ctx->desc->precision == RG_FP32_PRODUCTS)
        RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32)); /* data may be fed in another type */
    else
        RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32, RG_BF16));
    RG_TRY(sizes_of(ctx, X, W, &s));
    RG_TRY(rg_expect_count(ctx, BIAS, s.n)); /* a scope may hold another than is declared */
    rg_shape out = *rg_shape_of(ctx, X);
    out.rank = rg_attr_int(ctx, X_COLS) + 1;
    out.dim[out.rank - 1] = s.n;
    rg_set_out(ctx, OUT, rg_attr_bool(ctx, BF16_OUT) ? RG_BF16 : RG_F32, &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_linear linear_of(const rg_ctx *ctx, const sizes *s, rg_activation act)
{
    return (rg_linear){(rg_precision)ctx->desc->precision, act, s->m, s->n, s->k};
}

static rg_numbers numbers_of(const rg_value *value)
{
    return value ? (rg_numbers){value->data, value->meta.dtype == RG_BF16} : (rg_numbers){0};
}

static rg_status fused_fc_kernel(rg_ctx *ctx)
{
    sizes s;
    rg_activation act;
    RG_TRY(sizes_of(ctx, X, W, &s));
    RG_TRY(act_of(ctx, &act));
    if (ctx->desc->precision != RG_FP32_PRODUCTS) {
        rg_linear l = linear_of(ctx, &s, act);
        return rg_linear_bf16(&l, numbers_of(rg_in(ctx, X)), rg_in_data(ctx, W),
                              rg_in_data(ctx, BIAS), numbers_of(rg_out(ctx, OUT)));
    }
    const float *x = rg_in_data(ctx, X);
    if (s.stride != s.k) { /* rare here: padding is for GPUs */
        float *rows = rg_scratch(ctx, (size_t)(s.m * s.k) * sizeof *rows);
        if (rows == NULL)
            return RG_ENOMEM;
        for (int64_t i = 0; i < s.m; i++)
            memcpy(rows + i * s.k, x + i * s.stride, (size_t)s.k * sizeof *rows);
        x = rows;
    }
    rg_linear_f32(s.m, s.n, s.k, x, rg_in_data(ctx, W), rg_in_data(ctx, BIAS), act,
                  rg_out_data(ctx, OUT));
    return RG_OK;
}

#define FC_ATTRS                                                                     \
    [X_COLS] = RG_INT("x_num_col_dims", 1, "dimensions that make the rows of X"),    \
    [ACT] = RG_STRING("act", "", "relu, sigmoid, tanh or none"),                     \
    [BF16_OUT] = RG_BOOLEAN("bf16_out", false, "of Out, or of the gradient X@GRAD"), \
    [PADDED] = RG_INT("padded", 0, "columns of X beyond W's rows, which are zero")

const rg_op rg_op_fused_fc = {
    .type = "fused_fc",
    .doc = "act(X W + Bias).",
    .in = RG_SLOTS([X] = {"X", ""}, [W] = {"W", ""}, [BIAS] = {"Bias", ""}),
    .out = RG_SLOTS([OUT] = {"Out", ""}),
    .attr = RG_ATTRS(FC_ATTRS),
    .flags = RG_OP_INTERNAL,
    .infer = fused_fc_infer,
    .kernel = fused_fc_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_W, G_BIAS, G_OUT, G_DOUT, G_RATE };
enum { G_DX, G_DW, G_DBIAS, G_W_OUT, G_BIAS_OUT };

static rg_status fused_fc_grad_infer(rg_ctx *ctx)
{
    sizes s;
    RG_TRY(sizes_of(ctx, G_X, G_W, &s));
    RG_TRY(rg_expect_count(ctx, G_BIAS, s.n));
    RG_TRY(rg_expect_count(ctx, G_OUT, s.m < 0 ? -1 : s.m * s.n));
    RG_TRY(rg_expect_count(ctx, G_DOUT, s.m < 0 ? -1 : s.m * s.n));
    rg_set_like(ctx, G_DX, G_X);
    rg_set_dtype(ctx, G_DX, rg_attr_bool(ctx, BF16_OUT) ? RG_BF16 : RG_F32);
    rg_set_like(ctx, G_DW, G_W);
    rg_set_like(ctx, G_DBIAS, G_BIAS);
    rg_set_like(ctx, G_W_OUT, G_W);
    rg_set_like(ctx, G_BIAS_OUT, G_BIAS);
    return RG_OK;
}

/* dZ, and the sums of its columns, in one pass. dz may be NULL: then only the sums. */
RG_INLINE void through(rg_activation act, int64_t m, int64_t n, const float *out, const float *dout,
                       float *dz, float *sums)
{
    for (int64_t i = 0; i < m; i++) {
        const float *y = out + i * n, *g = dout + i * n;
        if (dz != NULL) {
            float *z = dz + i * n;
            for (int64_t j = 0; j < n; j++) {
                z[j] = g[j] * rg_slope(act, y[j]);
                sums[j] += z[j];
            }
        } else {
            for (int64_t j = 0; j < n; j++)
                sums[j] += g[j];
        }
    }
}

RG_HOT static void through_activation(rg_activation act, int64_t m, int64_t n, const float *out,
                                      const float *dout, float *dz, float *sums)
{
    switch (act) {
    case RG_ACT_NONE:
        through(RG_ACT_NONE, m, n, dout, dout, NULL, sums);
        break;
    case RG_ACT_RELU:
        through(RG_ACT_RELU, m, n, out, dout, dz, sums);
        break;
    case RG_ACT_SIGMOID:
        through(RG_ACT_SIGMOID, m, n, out, dout, dz, sums);
        break;
    case RG_ACT_TANH:
        through(RG_ACT_TANH, m, n, out, dout, dz, sums);
        break;
    }
}

RG_HOT static void descend(float *to, const float *from, float rate, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] -= rate * from[i];
}

static rg_status grads_bf16(rg_ctx *ctx, const sizes *s, rg_activation act)
{
    rg_linear l = linear_of(ctx, s, act);
    const float *rate = rg_in_data(ctx, G_RATE);
    rg_linear_grads g = {
        .x = numbers_of(rg_in(ctx, G_X)),
        .out = numbers_of(rg_in(ctx, G_OUT)),
        .dout = numbers_of(rg_in(ctx, G_DOUT)),
        .w = rg_in_data(ctx, G_W),
        .dx = numbers_of(rg_out(ctx, G_DX)),
        .dw = rg_out_data(ctx, G_DW),
        .sums = rg_out_or_scratch(ctx, G_DBIAS, (size_t)s->n * sizeof(float)),
        .w_out = rg_out_data(ctx, G_W_OUT),
        .rate = rate ? *rate : 0,
    };
    if (g.sums == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_linear_grads_bf16(&l, &g));
    if (rg_has_out(ctx, G_BIAS_OUT))
        descend(rg_out_data(ctx, G_BIAS_OUT), g.sums, g.rate, s->n);
    return RG_OK;
}

static rg_status fused_fc_grad_kernel(rg_ctx *ctx)
{
    sizes s;
    rg_activation act, x_act;
    RG_TRY(sizes_of(ctx, G_X, G_W, &s));
    RG_TRY(act_of(ctx, &act));
    RG_TRY(rg_activation_of(rg_attr_string(ctx, X_ACT), &x_act));
    if (ctx->desc->precision != RG_FP32_PRODUCTS && x_act != RG_ACT_NONE)
        return rg_fail(RG_EUNIMPL, "x_act of a layer of bfloat16");
    if (ctx->desc->precision != RG_FP32_PRODUCTS)
        return grads_bf16(ctx, &s, act);
    const float *dz = rg_in_data(ctx, G_DOUT), *rate = rg_in_data(ctx, G_RATE);
    float *own = NULL, *sums = rg_out_data(ctx, G_DBIAS);
    if (act != RG_ACT_NONE)
        own = rg_scratch(ctx, (size_t)(s.m * s.n) * sizeof *own);
    if (sums == NULL)
        sums = rg_scratch(ctx, (size_t)s.n * sizeof *sums);
    if ((act != RG_ACT_NONE && own == NULL) || sums == NULL)
        return RG_ENOMEM;
    memset(sums, 0, (size_t)s.n * sizeof *sums);
    through_activation(act, s.m, s.n, rg_in_data(ctx, G_OUT), dz, own, sums);
    dz = own ? own : dz;
    /* dX before W is changed. */
    if (rg_has_out(ctx, G_DX)) {
        rg_gemm_f32(false, true, s.m, s.k, s.n, 1, dz, s.n, rg_in_data(ctx, G_W), s.n, 0,
                    rg_out_data(ctx, G_DX), s.stride);
        rg_times_slope(x_act, s.m * s.stride, rg_in_data(ctx, G_X), rg_out_data(ctx, G_DX));
    }
    if (rg_has_out(ctx, G_DW))
        rg_gemm_f32(true, false, s.k, s.n, s.m, 1, rg_in_data(ctx, G_X), s.stride, dz, s.n, 0,
                    rg_out_data(ctx, G_DW), s.n);
    if (rg_has_out(ctx, G_W_OUT))
        rg_gemm_f32(true, false, s.k, s.n, s.m, -*rate, rg_in_data(ctx, G_X), s.stride, dz, s.n, 1,
                    rg_out_data(ctx, G_W_OUT), s.n);
    if (rg_has_out(ctx, G_BIAS_OUT))
        descend(rg_out_data(ctx, G_BIAS_OUT), sums, *rate, s.n);
    return RG_OK;
}

const rg_op rg_op_fused_fc_grad = {
    .type = "fused_fc_grad",
    .doc = "Gradient of fused_fc, with the SGD step where a LearningRate is given.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_W] = {"W", ""}, [G_BIAS] = {"Bias", ""},
                   [G_OUT] = {"Out", ""}, [G_DOUT] = {"Out@GRAD", ""},
                   [G_RATE] = {"LearningRate", "", RG_OPTIONAL}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DW] = {"W@GRAD", "", RG_OPTIONAL},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL},
                    [G_W_OUT] = {"WOut", "W, in place", RG_OPTIONAL},
                    [G_BIAS_OUT] = {"BiasOut", "Bias, in place", RG_OPTIONAL}),
    .attr = RG_ATTRS(FC_ATTRS, [X_ACT] = RG_STRING("x_act", "",
                                                   "X@GRAD is times the slope of this, at X")),
    .flags = RG_OP_INTERNAL,
    .infer = fused_fc_grad_infer,
    .kernel = fused_fc_grad_kernel,
};
