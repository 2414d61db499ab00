/* sigmoid_focal_loss.c - the sigmoid loss of many classes, with less weight on what is
 * right already.
 *
 *   p = sigmoid(X)
 *   Out[i, j] = -alpha (1 - p)^gamma log p / fg          where Label[i] is j + 1
 *             = -(1 - alpha) p^gamma log(1 - p) / fg     where it is another class or 0
 *             = 0                                        where it is -1
 *
 * Class 0 is the background, and fg the number of examples that are not (at least 1). */
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X, LABEL, FG_NUM };
enum { OUT };
enum { GAMMA, ALPHA };

static rg_status check_inputs(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *label = rg_shape_of(ctx, LABEL);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_column(ctx, LABEL));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I32, RG_I64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, FG_NUM, RG_I32, RG_I64));
    if (x->dim[0] >= 0 && label->dim[0] >= 0 && x->dim[0] != label->dim[0])
        return rg_fail(RG_ESHAPE, "%lld labels for %lld rows of X", (long long)label->dim[0],
                       (long long)x->dim[0]);
    if (rg_running(ctx) && rg_shape_numel(rg_shape_of(ctx, FG_NUM)) != 1)
        return rg_fail(RG_ESHAPE, "FgNum must be one number, and has %lld",
                       (long long)rg_shape_numel(rg_shape_of(ctx, FG_NUM)));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Numbers of the op: gamma, and the weights of right classes and of others. */
typedef struct weights {
    float gamma, right, other;
} weights;

static rg_status read_inputs(rg_ctx *ctx, weights *w, const int64_t **labels)
{
    const int64_t *fg;
    RG_TRY(rg_read_labels(ctx, FG_NUM, &fg));
    RG_TRY(rg_read_labels(ctx, LABEL, labels));
    float n = *fg > 1 ? (float)*fg : 1, alpha = rg_attr_float(ctx, ALPHA);
    *w = (weights){rg_attr_float(ctx, GAMMA), alpha / n, (1 - alpha) / n};
    return RG_OK;
}

/* Both logarithms from softplus: log p = -softplus(-x), log(1 - p) = -softplus(x). */
#define LOOPS(T, S)                                                                                \
    RG_INLINE T power_##S(T x, T gamma)                                                            \
    {                                                                                              \
        return gamma == 2 ? x * x : (T)pow((double)x, (double)gamma);                              \
    }                                                                                              \
    RG_HOT static void loss_##S(const T *x, const int64_t *labels, const weights *w, int64_t rows, \
                                int64_t classes, T *out)                                           \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int64_t j = 0; j < classes; j++) {                                                \
                const int64_t at = i * classes + j;                                                \
                const T p = RG_SIGMOID(x[at]);                                                     \
                const bool right = labels[i] == j + 1;                                             \
                const T loss = right ? w->right * power_##S(1 - p, w->gamma) * RG_SOFTPLUS(-x[at]) \
                                     : w->other * power_##S(p, w->gamma) * RG_SOFTPLUS(x[at]);     \
                out[at] = labels[i] == -1 ? 0 : loss;                                              \
            }                                                                                      \
    }                                                                                              \
    RG_HOT static void grad_##S(const T *x, const int64_t *labels, const T *dout,                  \
                                const weights *w, int64_t rows, int64_t classes, T *dx)            \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int64_t j = 0; j < classes; j++) {                                                \
                const int64_t at = i * classes + j;                                                \
                const T p = RG_SIGMOID(x[at]), g = w->gamma;                                       \
                const bool right = labels[i] == j + 1;                                             \
                const T slope = right ? -w->right * power_##S(1 - p, g) *                          \
                                            (1 - p + p * g * RG_SOFTPLUS(-x[at]))                  \
                                      : w->other * power_##S(p, g) *                               \
                                            (p + (1 - p) * g * RG_SOFTPLUS(x[at]));                \
                dx[at] = labels[i] == -1 ? 0 : slope * dout[at];                                   \
            }                                                                                      \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const int64_t *labels;
    weights w;
    RG_TRY(read_inputs(ctx, &w, &labels));
    RG_CALL_FLOAT(
        ctx, X, loss,
        (x->data, labels, &w, x->meta.shape.dim[0], x->meta.shape.dim[1], rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                                 \
    RG_ATTRS([GAMMA] = RG_FLOAT("gamma", 2.0f, "how fast the weight of what is right falls"), \
             [ALPHA] = RG_FLOAT("alpha", 0.25f, "the weight of the right class"))
#define SLOTS(...)                                                                          \
    RG_SLOTS([X] = {"X", "any numbers, [batch, classes]"},                                  \
             [LABEL] = {"Label", "0: background; -1: not counted; [batch, 1]", RG_NO_GRAD}, \
             [FG_NUM] = {"FgNum", "examples that are no background, [1]", RG_NO_GRAD},      \
             __VA_ARGS__)

const rg_op rg_op_sigmoid_focal_loss = {
    .type = "sigmoid_focal_loss",
    .doc = "The sigmoid loss of many classes, with less weight on what is right already.",
    .in = SLOTS({.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient: the inputs as above, and ---- */

enum { G_DOUT = FG_NUM + 1 };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    RG_TRY(rg_expect_same_shape(ctx, X, G_DOUT));
    rg_set_like(ctx, G_DX, X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const int64_t *labels;
    weights w;
    RG_TRY(read_inputs(ctx, &w, &labels));
    RG_CALL_FLOAT(ctx, X, grad,
                  (x->data, labels, rg_in_data(ctx, G_DOUT), &w, x->meta.shape.dim[0],
                   x->meta.shape.dim[1], rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_sigmoid_focal_loss_grad = {
    .type = "sigmoid_focal_loss_grad",
    .doc = "Gradient of sigmoid_focal_loss.",
    .in = SLOTS([G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
