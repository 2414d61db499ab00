/* activation.c - functions of one element: Out = f(X), with up to three numbers p.
 *
 * A row of the table at the end is all of an op: its name, what the gradient reads (the
 * input or the output), and its attributes. The functions and their derivatives stand
 * in activation_loops.h, the derivatives as terms in activation_terms.h. */
#include "ir/program.h"
#include "ir/terms.h"
#include "math/fast.h"
#include "ops/activation_kinds.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X };
enum { OUT };

#define T           float
#define S           f32
#define EXP_OF      rg_expf
#define LOG_OF      rg_logf
#define TANH_OF     rg_tanhf
#define SIGMOID_OF  rg_sigmoidf
#define SOFTPLUS_OF rg_softplusf
#define SQRT_OF     sqrtf
#define CEIL_OF     ceilf
#define FLOOR_OF    floorf
#define ROUND_OF    roundf
#include "ops/activation_loops.h"

static inline double sigmoid64(double x)
{
    return 1 / (1 + exp(-x));
}

static inline double softplus64(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

#define T           double
#define S           f64
#define EXP_OF      exp
#define LOG_OF      log
#define TANH_OF     tanh
#define SIGMOID_OF  sigmoid64
#define SOFTPLUS_OF softplus64
#define SQRT_OF     sqrt
#define CEIL_OF     ceil
#define FLOOR_OF    floor
#define ROUND_OF    round
#include "ops/activation_loops.h"

/* The op's numbers: its float and bool attributes in order. */
static void numbers(const rg_ctx *ctx, float p[3])
{
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < 3 && ctx->op->attr != NULL && ctx->op->attr[i].value.name != NULL; i++)
        p[i] = ctx->attr[i]->type == RG_ATTR_BOOL ? (float)ctx->attr[i]->b : ctx->attr[i]->f;
}

static rg_status run(rg_ctx *ctx, kind k)
{
    float p[3];
    numbers(ctx, p);
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    int64_t n = rg_numel(x);
    if (x->meta.kind == RG_ROWS) {
        n = (int64_t)x->n_rows * rg_value_width(x);
        if (out != x) {
            RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &x->meta.shape, x->n_rows));
            memcpy(out->rows, x->rows, x->n_rows * sizeof *x->rows);
        }
    }
    RG_CALL_FLOAT(ctx, X, forward, (k, p, x->data, out->data, n))
    return RG_OK;
}

/* Input 0 is X or Out, input 1 the gradient of Out. */
static rg_status run_back(rg_ctx *ctx, kind k)
{
    float p[3];
    numbers(ctx, p);
    const rg_value *from = rg_in(ctx, 0), *dout = rg_in(ctx, 1);
    RG_CALL_FLOAT(ctx, 1, backward,
                  (k, p, from->data, dout->data, rg_out_data(ctx, 0), rg_numel(dout)))
    return RG_OK;
}

#include "ops/activation_terms.h"

#define KERNELS(K)                                                                                 \
    static rg_status K##_kernel(rg_ctx *ctx)                                                       \
    {                                                                                              \
        return run(ctx, K);                                                                        \
    }                                                                                              \
    __attribute__((unused)) static rg_status K##_grad_kernel(rg_ctx *ctx)                          \
    {                                                                                              \
        return run_back(ctx, K);                                                                   \
    }                                                                                              \
    __attribute__((unused)) static void K##_terms(rg_terms *t)                                     \
    {                                                                                              \
        compose_slope(t, K);                                                                       \
    }
ALL_KINDS(KERNELS)

/* squares of whole numbers, and their absolute values, are wanted too */
static rg_status whole_or_float(rg_ctx *ctx, kind k, rg_status (*kernel)(rg_ctx *))
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = rg_numel(x);
    if (x->meta.dtype == RG_I32) {
        const int32_t *from = x->data;
        int32_t *to = rg_out_data(ctx, OUT);
        for (int64_t i = 0; i < n; i++)
            to[i] = k == SQUARE ? from[i] * from[i] : from[i] < 0 ? -from[i] : from[i];
        return RG_OK;
    }
    if (x->meta.dtype == RG_I64) {
        const int64_t *from = x->data;
        int64_t *to = rg_out_data(ctx, OUT);
        for (int64_t i = 0; i < n; i++)
            to[i] = k == SQUARE ? from[i] * from[i] : from[i] < 0 ? -from[i] : from[i];
        return RG_OK;
    }
    return kernel(ctx);
}

static rg_status square_kernel(rg_ctx *ctx)
{
    return whole_or_float(ctx, SQUARE, SQUARE_kernel);
}

static rg_status abs_kernel(rg_ctx *ctx)
{
    return whole_or_float(ctx, ABS, ABS_kernel);
}

#define NO_ATTRS RG_ATTRS({.doc = NULL})
/* square, sqrt and abs also of SelectedRows, row by row, duplicates as they are: as Fluid's. */
#define FORWARD_ROWS(NAME, KERNEL, DOC)                                                            \
    {                                                                                              \
        .type = NAME, .doc = (DOC),                                                                \
        .in = RG_SLOTS([X] = {"X", "any shape; may be sparse", RG_ROWS_OK}),                       \
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}), \
        .attr = NO_ATTRS, .kernel = (KERNEL),                                                      \
    }
#define FORWARD(NAME, KERNEL, DOC, ...)                                                            \
    {                                                                                              \
        .type = NAME, .doc = (DOC),                                                                \
        .in = RG_SLOTS([X] = {"X", "any shape"}),                                                  \
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}), \
        .attr = __VA_ARGS__, .kernel = (KERNEL),                                                   \
    }
#define BACKWARD(NAME, K, READS, ...)                                                              \
    {                                                                                              \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                                      \
        .in = RG_SLOTS([0] = {READS, ""}, [1] = {"Out@GRAD", ""}),                                 \
        .out = RG_SLOTS(                                                                           \
            [0] = {"X@GRAD", "", .like = RG_OF(0), .inplace = RG_OF(1)}),                          \
        .attr = __VA_ARGS__, .flags = IS_PIECEWISE(K) ? RG_OP_DIAGONAL : 0,                        \
        .kernel = K##_grad_kernel, .compose = K##_terms,                                           \
    }
#define OP(NAME, K, READS, DOC, ...)                                                               \
    FORWARD(NAME, K##_kernel, DOC, __VA_ARGS__), BACKWARD(NAME, K, READS, __VA_ARGS__)
/* A constant almost everywhere: the gradient needs neither X nor Out, only a shape. */
#define STEP(NAME, K, DOC)                                                                         \
    FORWARD(NAME, K##_kernel, DOC, NO_ATTRS),                                                      \
    {                                                                                              \
        .type = NAME "_grad", .doc = "Gradient of " NAME ": zero.",                                \
        .in = RG_SLOTS([0] = {"Out@GRAD", ""}, [1] = {.name = NULL}),                              \
        .out = RG_SLOTS([0] = {"X@GRAD", "", .like = RG_OF(0)}), .attr = NO_ATTRS,                 \
        .flags = RG_OP_DIAGONAL, .kernel = zero_kernel,                                            \
    }

static rg_status zero_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, 0);
    memset(dx->data, 0, rg_value_bytes(dx));
    return RG_OK;
}

/* Zeros, by a scale of 0, as Fluid writes it. */
static rg_status sign_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "scale", false, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "scale", .type = RG_ATTR_FLOAT, .f = 0}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_ops_activation[] = {
    OP("relu", RELU, "Out", "max(x, 0).", NO_ATTRS),
    OP("sigmoid", SIGMOID, "Out", "1 / (1 + e^-x).", NO_ATTRS),
    OP("tanh", TANH, "Out", "Hyperbolic tangent.", NO_ATTRS),
    OP("exp", EXP, "Out", "e^x.", NO_ATTRS),
    OP("log", LOG, "X", "Natural logarithm.", NO_ATTRS),
    FORWARD_ROWS("sqrt", SQRT_kernel, "Square root."),
    BACKWARD("sqrt", SQRT, "Out", NO_ATTRS),
    OP("rsqrt", RSQRT, "Out", "1 / sqrt(x).", NO_ATTRS),
    FORWARD_ROWS("square", square_kernel, "x^2."),
    BACKWARD("square", SQUARE, "X", NO_ATTRS),
    FORWARD_ROWS("abs", abs_kernel, "|x|."),
    BACKWARD("abs", ABS, "X", NO_ATTRS),
    STEP("ceil", CEIL, "The next whole number up."),
    STEP("floor", FLOOR, "The next whole number down."),
    STEP("round", ROUND, "The nearest whole number, halves away from zero."),
    OP("reciprocal", RECIPROCAL, "Out", "1 / x.", NO_ATTRS),
    OP("sin", SIN, "X", "Sine.", NO_ATTRS),
    OP("cos", COS, "X", "Cosine.", NO_ATTRS),
    OP("asin", ASIN, "X", "Arc sine.", NO_ATTRS),
    OP("acos", ACOS, "X", "Arc cosine.", NO_ATTRS),
    OP("atan", ATAN, "X", "Arc tangent.", NO_ATTRS),
    OP("erf", ERF, "X", "The error function.", NO_ATTRS),
    OP("softplus", SOFTPLUS, "X", "log(1 + e^x).", NO_ATTRS),
    OP("softsign", SOFTSIGN, "X", "x / (1 + |x|).", NO_ATTRS),
    OP("logsigmoid", LOGSIGMOID, "X", "log(sigmoid(x)).", NO_ATTRS),
    OP("tanh_shrink", TANH_SHRINK, "X", "x - tanh(x).", NO_ATTRS),
    {
        .type = "sign",
        .doc = "-1, 0 or 1.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}),
        .kernel = SIGN_kernel,
        .grad = sign_grad,
    },
    OP("leaky_relu", LEAKY_RELU, "Out", "x, or alpha x below 0.",
       RG_ATTRS(RG_FLOAT("alpha", 0.02f, "slope below 0"))),
    OP("relu6", RELU6, "Out", "x between 0 and the threshold.",
       RG_ATTRS(RG_FLOAT("threshold", 6.0f, "upper bound"))),
    OP("elu", ELU, "X", "x, or alpha (e^x - 1) below 0.",
       RG_ATTRS(RG_FLOAT("alpha", 1.0f, "scale below 0"))),
    OP("selu", SELU, "Out", "scale (x, or alpha (e^x - 1) below 0).",
       RG_ATTRS(RG_FLOAT("scale", 1.0507009873554805f, "scale"),
                RG_FLOAT("alpha", 1.6732632423543772f, "scale below 0"))),
    OP("brelu", BRELU, "X", "x between t_min and t_max.",
       RG_ATTRS(RG_FLOAT("t_min", 0.0f, "lower bound"), RG_FLOAT("t_max", 24.0f, "upper bound"))),
    OP("soft_relu", SOFT_RELU, "Out", "log(1 + e^x), x clipped to the threshold.",
       RG_ATTRS(RG_FLOAT("threshold", 40.0f, "bound of |x|"))),
    OP("swish", SWISH, "X", "x sigmoid(beta x).", RG_ATTRS(RG_FLOAT("beta", 1.0f, "beta"))),
    OP("hard_sigmoid", HARD_SIGMOID, "Out", "slope x + offset, between 0 and 1.",
       RG_ATTRS(RG_FLOAT("slope", 0.2f, "slope"), RG_FLOAT("offset", 0.5f, "value at 0"))),
    OP("hard_swish", HARD_SWISH, "X", "x min(max(x + offset, 0), threshold) / scale.",
       RG_ATTRS(RG_FLOAT("threshold", 6.0f, "threshold"), RG_FLOAT("scale", 6.0f, "divisor"),
                RG_FLOAT("offset", 3.0f, "offset"))),
    OP("stanh", STANH, "X", "scale_b tanh(scale_a x).",
       RG_ATTRS(RG_FLOAT("scale_a", 0.67f, "inner scale"),
                RG_FLOAT("scale_b", 1.7159f, "outer scale"))),
    OP("hard_shrink", HARD_SHRINK, "X", "x, or 0 within the threshold.",
       RG_ATTRS(RG_FLOAT("threshold", 0.5f, "bound of |x|"))),
    OP("softshrink", SOFTSHRINK, "X", "x brought nearer to 0 by lambda.",
       RG_ATTRS(RG_FLOAT("lambda", 0.5f, "lambda"))),
    OP("thresholded_relu", THRESHOLDED_RELU, "X", "x above the threshold, else 0.",
       RG_ATTRS(RG_FLOAT("threshold", 1.0f, "threshold"))),
    OP("gelu", GELU, "X", "x times the normal distribution's value at x.",
       RG_ATTRS(RG_BOOLEAN("approximate", false, "by tanh instead of erf"))),
    OP("mish", MISH, "X", "x tanh(log(1 + e^x)).",
       RG_ATTRS(RG_FLOAT("threshold", 20.0f, "|x| from which log(1 + e^x) is x or e^x"))),
    OP("log1p", LOG1P, "X", "log(1 + x).", NO_ATTRS),
    {.type = NULL},
};
