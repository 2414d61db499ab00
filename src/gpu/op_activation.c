/* op_activation.c - functions of one element, and their gradients. */
#include "gpu/glue.h"
#include "ops/activation_kinds.h"

/* The op's numbers: its float and bool attributes in order. */
static void numbers(const rg_ctx *ctx, float p[3])
{
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < 3 && ctx->op->attr != NULL && ctx->op->attr[i].value.name != NULL; i++)
        p[i] = ctx->attr[i]->type == RG_ATTR_BOOL ? (float)ctx->attr[i]->b : ctx->attr[i]->f;
}

static rg_status forward(rg_ctx *ctx, kind k)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    float p[3];
    numbers(ctx, p);
    if (x->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "a sparse X");
    return rg_gpu_done(ctx,
                       rg_cu_activation((int)k, x->meta.dtype, p, rg_numel(x), x->data,
                                        rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

/* Input 0 is X or Out. */
static rg_status backward(rg_ctx *ctx, kind k)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    float p[3];
    numbers(ctx, p);
    return rg_gpu_done(ctx,
                       rg_cu_activation_grad((int)k, dout->meta.dtype, p, rg_numel(dout),
                                             rg_in_data(ctx, 0), dout->data,
                                             rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "Out@GRAD");
}

#define KERNELS(K)                                                                           \
    static rg_status K##_forward(rg_ctx *ctx)                                                \
    {                                                                                        \
        return forward(ctx, K);                                                              \
    }                                                                                        \
    __attribute__((unused)) static rg_status K##_backward(rg_ctx *ctx)                       \
    {                                                                                        \
        return backward(ctx, K);                                                             \
    }
ALL_KINDS(KERNELS)

const rg_kernel rg_kernel_gpu_relu = {"relu", "gpu", RELU_forward};
const rg_kernel rg_kernel_gpu_relu_grad = {"relu_grad", "gpu", RELU_backward};
const rg_kernel rg_kernel_gpu_sigmoid = {"sigmoid", "gpu", SIGMOID_forward};
const rg_kernel rg_kernel_gpu_sigmoid_grad = {"sigmoid_grad", "gpu", SIGMOID_backward};
const rg_kernel rg_kernel_gpu_tanh = {"tanh", "gpu", TANH_forward};
const rg_kernel rg_kernel_gpu_tanh_grad = {"tanh_grad", "gpu", TANH_backward};
const rg_kernel rg_kernel_gpu_exp = {"exp", "gpu", EXP_forward};
const rg_kernel rg_kernel_gpu_exp_grad = {"exp_grad", "gpu", EXP_backward};
const rg_kernel rg_kernel_gpu_log = {"log", "gpu", LOG_forward};
const rg_kernel rg_kernel_gpu_log_grad = {"log_grad", "gpu", LOG_backward};
const rg_kernel rg_kernel_gpu_sqrt = {"sqrt", "gpu", SQRT_forward};
const rg_kernel rg_kernel_gpu_sqrt_grad = {"sqrt_grad", "gpu", SQRT_backward};
const rg_kernel rg_kernel_gpu_rsqrt = {"rsqrt", "gpu", RSQRT_forward};
const rg_kernel rg_kernel_gpu_rsqrt_grad = {"rsqrt_grad", "gpu", RSQRT_backward};
const rg_kernel rg_kernel_gpu_square = {"square", "gpu", SQUARE_forward};
const rg_kernel rg_kernel_gpu_square_grad = {"square_grad", "gpu", SQUARE_backward};
const rg_kernel rg_kernel_gpu_abs = {"abs", "gpu", ABS_forward};
const rg_kernel rg_kernel_gpu_abs_grad = {"abs_grad", "gpu", ABS_backward};
const rg_kernel rg_kernel_gpu_reciprocal = {"reciprocal", "gpu", RECIPROCAL_forward};
const rg_kernel rg_kernel_gpu_reciprocal_grad = {"reciprocal_grad", "gpu", RECIPROCAL_backward};
const rg_kernel rg_kernel_gpu_sin = {"sin", "gpu", SIN_forward};
const rg_kernel rg_kernel_gpu_sin_grad = {"sin_grad", "gpu", SIN_backward};
const rg_kernel rg_kernel_gpu_cos = {"cos", "gpu", COS_forward};
const rg_kernel rg_kernel_gpu_cos_grad = {"cos_grad", "gpu", COS_backward};
const rg_kernel rg_kernel_gpu_asin = {"asin", "gpu", ASIN_forward};
const rg_kernel rg_kernel_gpu_asin_grad = {"asin_grad", "gpu", ASIN_backward};
const rg_kernel rg_kernel_gpu_acos = {"acos", "gpu", ACOS_forward};
const rg_kernel rg_kernel_gpu_acos_grad = {"acos_grad", "gpu", ACOS_backward};
const rg_kernel rg_kernel_gpu_atan = {"atan", "gpu", ATAN_forward};
const rg_kernel rg_kernel_gpu_atan_grad = {"atan_grad", "gpu", ATAN_backward};
const rg_kernel rg_kernel_gpu_erf = {"erf", "gpu", ERF_forward};
const rg_kernel rg_kernel_gpu_erf_grad = {"erf_grad", "gpu", ERF_backward};
const rg_kernel rg_kernel_gpu_softplus = {"softplus", "gpu", SOFTPLUS_forward};
const rg_kernel rg_kernel_gpu_softplus_grad = {"softplus_grad", "gpu", SOFTPLUS_backward};
const rg_kernel rg_kernel_gpu_softsign = {"softsign", "gpu", SOFTSIGN_forward};
const rg_kernel rg_kernel_gpu_softsign_grad = {"softsign_grad", "gpu", SOFTSIGN_backward};
const rg_kernel rg_kernel_gpu_logsigmoid = {"logsigmoid", "gpu", LOGSIGMOID_forward};
const rg_kernel rg_kernel_gpu_logsigmoid_grad = {"logsigmoid_grad", "gpu", LOGSIGMOID_backward};
const rg_kernel rg_kernel_gpu_tanh_shrink = {"tanh_shrink", "gpu", TANH_SHRINK_forward};
const rg_kernel rg_kernel_gpu_tanh_shrink_grad = {"tanh_shrink_grad", "gpu", TANH_SHRINK_backward};
const rg_kernel rg_kernel_gpu_leaky_relu = {"leaky_relu", "gpu", LEAKY_RELU_forward};
const rg_kernel rg_kernel_gpu_leaky_relu_grad = {"leaky_relu_grad", "gpu", LEAKY_RELU_backward};
const rg_kernel rg_kernel_gpu_relu6 = {"relu6", "gpu", RELU6_forward};
const rg_kernel rg_kernel_gpu_relu6_grad = {"relu6_grad", "gpu", RELU6_backward};
const rg_kernel rg_kernel_gpu_elu = {"elu", "gpu", ELU_forward};
const rg_kernel rg_kernel_gpu_elu_grad = {"elu_grad", "gpu", ELU_backward};
const rg_kernel rg_kernel_gpu_selu = {"selu", "gpu", SELU_forward};
const rg_kernel rg_kernel_gpu_selu_grad = {"selu_grad", "gpu", SELU_backward};
const rg_kernel rg_kernel_gpu_brelu = {"brelu", "gpu", BRELU_forward};
const rg_kernel rg_kernel_gpu_brelu_grad = {"brelu_grad", "gpu", BRELU_backward};
const rg_kernel rg_kernel_gpu_soft_relu = {"soft_relu", "gpu", SOFT_RELU_forward};
const rg_kernel rg_kernel_gpu_soft_relu_grad = {"soft_relu_grad", "gpu", SOFT_RELU_backward};
const rg_kernel rg_kernel_gpu_swish = {"swish", "gpu", SWISH_forward};
const rg_kernel rg_kernel_gpu_swish_grad = {"swish_grad", "gpu", SWISH_backward};
const rg_kernel rg_kernel_gpu_hard_sigmoid = {"hard_sigmoid", "gpu", HARD_SIGMOID_forward};
const rg_kernel rg_kernel_gpu_hard_sigmoid_grad = {"hard_sigmoid_grad", "gpu",
                                                   HARD_SIGMOID_backward};
const rg_kernel rg_kernel_gpu_hard_swish = {"hard_swish", "gpu", HARD_SWISH_forward};
const rg_kernel rg_kernel_gpu_hard_swish_grad = {"hard_swish_grad", "gpu", HARD_SWISH_backward};
const rg_kernel rg_kernel_gpu_stanh = {"stanh", "gpu", STANH_forward};
const rg_kernel rg_kernel_gpu_stanh_grad = {"stanh_grad", "gpu", STANH_backward};
const rg_kernel rg_kernel_gpu_hard_shrink = {"hard_shrink", "gpu", HARD_SHRINK_forward};
const rg_kernel rg_kernel_gpu_hard_shrink_grad = {"hard_shrink_grad", "gpu", HARD_SHRINK_backward};
const rg_kernel rg_kernel_gpu_softshrink = {"softshrink", "gpu", SOFTSHRINK_forward};
const rg_kernel rg_kernel_gpu_softshrink_grad = {"softshrink_grad", "gpu", SOFTSHRINK_backward};
const rg_kernel rg_kernel_gpu_thresholded_relu = {"thresholded_relu", "gpu",
                                                  THRESHOLDED_RELU_forward};
const rg_kernel rg_kernel_gpu_thresholded_relu_grad = {"thresholded_relu_grad", "gpu",
                                                       THRESHOLDED_RELU_backward};
const rg_kernel rg_kernel_gpu_gelu = {"gelu", "gpu", GELU_forward};
const rg_kernel rg_kernel_gpu_gelu_grad = {"gelu_grad", "gpu", GELU_backward};
const rg_kernel rg_kernel_gpu_mish = {"mish", "gpu", MISH_forward};
const rg_kernel rg_kernel_gpu_mish_grad = {"mish_grad", "gpu", MISH_backward};
const rg_kernel rg_kernel_gpu_log1p = {"log1p", "gpu", LOG1P_forward};
const rg_kernel rg_kernel_gpu_log1p_grad = {"log1p_grad", "gpu", LOG1P_backward};
const rg_kernel rg_kernel_gpu_ceil = {"ceil", "gpu", CEIL_forward};
const rg_kernel rg_kernel_gpu_floor = {"floor", "gpu", FLOOR_forward};
const rg_kernel rg_kernel_gpu_round = {"round", "gpu", ROUND_forward};
const rg_kernel rg_kernel_gpu_sign = {"sign", "gpu", SIGN_forward};
