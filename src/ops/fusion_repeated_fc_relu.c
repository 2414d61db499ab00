/* fusion_repeated_fc_relu.c - several fully connected layers one after the other, each with relu:
 * what a model saved for inference has in place of mul, elementwise_add and relu, again and again.
 *
 *   h[0] = X,  h[i + 1] = max(0, h[i] W[i] + Bias[i]),  Out = h[n]
 *
 * ReluOut are h[1] to h[n - 1]. It has no gradient. */
#include "math/gemm.h"
#include "ops/types.h"

enum { X, W, BIAS };
enum { RELU_OUT, OUT };

/* RG_ESHAPE unless layer i fits inputs of this width. */
static rg_status check_layer(const rg_ctx *ctx, int i, int64_t width)
{
    const rg_meta *w = rg_in_meta_n(ctx, W, i), *bias = rg_in_meta_n(ctx, BIAS, i);
    char text[RG_SHAPE_TEXT];
    if (w == NULL || bias == NULL || w->dtype != rg_dtype_of(ctx, X) || bias->dtype != w->dtype)
        return rg_fail(RG_ESHAPE, "W and Bias number %d must be there, of the type of X", i);
    if (w->shape.rank != 2 || (width >= 0 && w->shape.dim[0] != width))
        return rg_fail(RG_ESHAPE, "%s is %s, and must be a matrix of %lld rows",
                       rg_in_name(ctx, W, i), rg_shape_text(&w->shape, text), (long long)width);
    if (rg_shape_numel(&bias->shape) != w->shape.dim[1])
        return rg_fail(RG_ESHAPE, "%s is %s, and must have %lld elements", rg_in_name(ctx, BIAS, i),
                       rg_shape_text(&bias->shape, text), (long long)w->shape.dim[1]);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, W);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    if (n < 2 || rg_n_in(ctx, BIAS) != n || rg_n_out(ctx, RELU_OUT) != n - 1)
        return rg_fail(RG_EINVAL,
                       "%d W, %d Bias and %d ReluOut: at least two layers are wanted, a Bias for "
                       "each W and a ReluOut for each but the last",
                       n, rg_n_in(ctx, BIAS), rg_n_out(ctx, RELU_OUT));
    rg_shape out = *rg_shape_of(ctx, X);
    for (int i = 0; i < n; i++) {
        RG_TRY(check_layer(ctx, i, out.dim[1]));
        out.dim[1] = rg_in_meta_n(ctx, W, i)->shape.dim[1];
        if (i < n - 1)
            rg_set_out_n(ctx, RELU_OUT, i, rg_dtype_of(ctx, X), &out);
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define LAYER(T, S)                                                                           \
    static void layer_##S(int64_t m, int64_t n, int64_t k, const T *x, const T *w,            \
                          const T *bias, T *out)                                              \
    {                                                                                         \
        rg_gemm_##S(false, false, m, n, k, 1, x, k, w, n, 0, out, n);                         \
        for (int64_t i = 0; i < m; i++, out += n)                                             \
            for (int64_t j = 0; j < n; j++) {                                                 \
                T z = out[j] + bias[j];                                                       \
                out[j] = z < 0 ? 0 : z; /* a NaN stays */                                     \
            }                                                                                 \
    }
RG_FLOATS(LAYER)

static rg_status kernel(rg_ctx *ctx)
{
    int n = rg_n_in(ctx, W);
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    const void *x = rg_in_data(ctx, X);
    for (int i = 0; i < n; i++) {
        const rg_value *w = rg_in_n(ctx, W, i);
        int64_t k = w->meta.shape.dim[0], width = w->meta.shape.dim[1];
        rg_value *to = i < n - 1 ? rg_out_n(ctx, RELU_OUT, i) : rg_out(ctx, OUT);
        void *out = to != NULL ? to->data
                               : rg_scratch(ctx, (size_t)(rows * width) * sizeof(double));
        if (out == NULL)
            return RG_ENOMEM;
        RG_CALL_FLOAT(ctx, X, layer, (rows, width, k, x, w->data, rg_in_n(ctx, BIAS, i)->data, out))
        x = out;
    }
    return RG_OK;
}

const rg_op rg_op_fusion_repeated_fc_relu = {
    .type = "fusion_repeated_fc_relu",
    .doc = "Fully connected layers one after the other, each with relu, for inference.",
    .in = RG_SLOTS([X] = {"X", "[rows, width]", RG_NO_GRAD},
                   [W] = {"W", "a matrix for each layer", RG_REPEATED | RG_NO_GRAD},
                   [BIAS] = {"Bias", "a row for each layer", RG_REPEATED | RG_NO_GRAD}),
    .out = RG_SLOTS([RELU_OUT] = {"ReluOut", "what the layers before the last give",
                                  RG_REPEATED | RG_INTERMEDIATE},
                    [OUT] = {"Out", "what the last layer gives"}),
    .infer = infer,
    .kernel = kernel,
};
