/* pointwise_loss.c - losses of one prediction and one label, element by element.
 *
 *   log_loss    -y log(p + epsilon) - (1 - y) log(1 - p + epsilon)
 *   bce_loss    the same without epsilon, each logarithm taken as at least -100
 *   hinge_loss  max(0, 1 - (2 y - 1) x)
 *   teacher_student_sigmoid_loss
 *               sigmoid losses of what was seen, a click or none, and of what a teacher
 *               said, in one label: below -1 no click; below 0 a click; in [0, 1) no
 *               click, and the teacher's score; from 1 on a click, and the score plus 1
 *
 * A loss is two functions, value and slope, which get its numbers as `a`; and a row of
 * the table at the end. Labels have no gradient. */
#include "ir/terms.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X, LABEL };
enum { OUT };

#define FUNCTIONS(T, S)                                                                          \
    RG_INLINE T at_least_##S(T x, T least)                                                       \
    {                                                                                            \
        return x < least ? least : x;                                                            \
    }                                                                                            \
    RG_INLINE T log_loss_value_##S(const float a[2], T p, T y)                                   \
    {                                                                                            \
        return -y * RG_LOG(p + (T)a[0]) - (1 - y) * RG_LOG(1 - p + (T)a[0]);                     \
    }                                                                                            \
    RG_INLINE T log_loss_slope_##S(const float a[2], T p, T y)                                   \
    {                                                                                            \
        return (1 - y) / (1 - p + (T)a[0]) - y / (p + (T)a[0]);                                  \
    }                                                                                            \
    RG_INLINE T bce_loss_value_##S(const float a[2], T p, T y)                                   \
    {                                                                                            \
        (void)a;                                                                                 \
        return -y * at_least_##S(RG_LOG(p), -100) - (1 - y) * at_least_##S(RG_LOG(1 - p), -100); \
    }                                                                                            \
    RG_INLINE T bce_loss_slope_##S(const float a[2], T p, T y)                                   \
    {                                                                                            \
        (void)a;                                                                                 \
        return (p - y) / at_least_##S(p * (1 - p), (T)1e-12);                                    \
    }                                                                                            \
    RG_INLINE T hinge_loss_value_##S(const float a[2], T x, T y)                                 \
    {                                                                                            \
        (void)a;                                                                                 \
        return at_least_##S(1 - (2 * y - 1) * x, 0);                                             \
    }                                                                                            \
    RG_INLINE T hinge_loss_slope_##S(const float a[2], T x, T y)                                 \
    {                                                                                            \
        (void)a;                                                                                 \
        return (1 - (2 * y - 1) * x > 0 ? 1 : 0) * (1 - 2 * y);                                  \
    }                                                                                            \
    RG_INLINE T teacher_student_value_##S(const float a[2], T x, T y)                            \
    {                                                                                            \
        (void)a;                                                                                 \
        const T soft = RG_SOFTPLUS(x);                                                           \
        return y < -1 ? soft : y < 0 ? soft - x : 2 * soft - x * y;                              \
    }                                                                                            \
    /* From the bounds on there is none. */                                                      \
    RG_INLINE T teacher_student_slope_##S(const float a[2], T x, T y)                            \
    {                                                                                            \
        const T p = RG_SIGMOID(x), slope = y < -1 ? p : y < 0 ? p - 1 : 2 * p - y;               \
        return x >= (T)a[0] || x <= (T)a[1] ? 0 : slope;                                         \
    }
RG_FLOATS(FUNCTIONS)

#define LOOPS(NAME, T, S)                                                                       \
    RG_HOT static void NAME##_##S(const float a[2], const T *x, const T *y, T *out, int64_t n)  \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                         \
            out[i] = NAME##_value_##S(a, x[i], y[i]);                                           \
    }                                                                                           \
    RG_HOT static void NAME##_grad_##S(const float a[2], const T *x, const T *y, const T *dout, \
                                       T *dx, int64_t n)                                        \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                         \
            dx[i] = dout[i] * NAME##_slope_##S(a, x[i], y[i]);                                  \
    }

/* ---- gradient: X, Label and the gradient of the loss ---- */

enum { G_X, G_LABEL, G_DOUT };
enum { G_DX };

/* The op's numbers: its attributes in order. */
static void numbers(const rg_ctx *ctx, float a[2])
{
    for (int i = 0; i < 2 && ctx->op->attr[i].value.name != NULL; i++)
        a[i] = rg_attr_float(ctx, i);
}

#define KERNELS(NAME)                                                                           \
    LOOPS(NAME, float, f32)                                                                     \
    LOOPS(NAME, double, f64)                                                                    \
    static rg_status NAME##_kernel(rg_ctx *ctx)                                                 \
    {                                                                                           \
        const rg_value *x = rg_in(ctx, X);                                                      \
        float a[2] = {0, 0};                                                                    \
        numbers(ctx, a);                                                                        \
        RG_CALL_FLOAT(ctx, X, NAME,                                                             \
                      (a, x->data, rg_in_data(ctx, LABEL), rg_out_data(ctx, OUT), rg_numel(x))) \
        return RG_OK;                                                                           \
    }                                                                                           \
    static rg_status NAME##_grad_kernel(rg_ctx *ctx)                                            \
    {                                                                                           \
        const rg_value *x = rg_in(ctx, G_X);                                                    \
        float a[2] = {0, 0};                                                                    \
        numbers(ctx, a);                                                                        \
        RG_CALL_FLOAT(ctx, G_X, NAME##_grad,                                                    \
                      (a, x->data, rg_in_data(ctx, G_LABEL), rg_in_data(ctx, G_DOUT),           \
                       rg_out_data(ctx, G_DX), rg_numel(x)))                                    \
        return RG_OK;                                                                           \
    }
KERNELS(log_loss)
KERNELS(bce_loss)
KERNELS(hinge_loss)
KERNELS(teacher_student)

static rg_status same_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, X, LABEL));
    RG_TRY(rg_expect_same_dtype(ctx, X, LABEL));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status column_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_column(ctx, X));
    return same_infer(ctx);
}

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_LABEL));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_DOUT));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

/* dy ((1 - y) / (1 - p + epsilon) - y / (p + epsilon)) */
static void compose_log_loss(rg_terms *t, const char *in, const char *labels, const char *loss,
                             const char *dx, double epsilon)
{
    rg_term p = rg_term_in(t, in), y = rg_term_in(t, labels), dy = rg_term_in(t, loss);
    rg_term no = rg_term_div(t, rg_term_scale(t, y, -1, 1), rg_term_scale(t, p, -1, 1 + epsilon));
    rg_term yes = rg_term_div(t, y, rg_term_scale(t, p, 1, epsilon));
    rg_term_give(t, dx, rg_term_mul(t, dy, rg_term_sub(t, no, yes)));
}

static void log_loss_terms(rg_terms *t)
{
    compose_log_loss(t, "Predicted", "Labels", "Loss@GRAD", "Predicted@GRAD",
                     (double)rg_term_attr(t, "epsilon")->f);
}

static void bce_loss_terms(rg_terms *t)
{
    compose_log_loss(t, "X", "Label", "Out@GRAD", "X@GRAD", 0);
}

#define LOSS(TYPE, DOC, NAME, INFER, IN, LABELS, LOSSES, TERMS, ...)                               \
    {                                                                                              \
        .type = (TYPE),                                                                            \
        .doc = (DOC),                                                                              \
        .in = RG_SLOTS([X] = {IN, "the predictions"}, [LABEL] = {LABELS, "labels", RG_NO_GRAD}),   \
        .out = RG_SLOTS([OUT] = {LOSSES, "the shape of " IN, .inplace = RG_OF(X)}),                \
        .attr = __VA_ARGS__,                                                                       \
        .infer = (INFER),                                                                          \
        .kernel = NAME##_kernel,                                                                   \
    },                                                                                             \
    {                                                                                              \
        .type = TYPE "_grad", .doc = "Gradient of " TYPE ".",                                      \
        .in =                                                                                      \
            RG_SLOTS([G_X] = {IN, ""}, [G_LABEL] = {LABELS, ""}, [G_DOUT] = {LOSSES "@GRAD", ""}), \
        .out = RG_SLOTS([G_DX] = {IN "@GRAD", "", .inplace = RG_OF(G_DOUT)}), .attr = __VA_ARGS__, \
        .infer = grad_infer, .kernel = NAME##_grad_kernel, .compose = (TERMS),                     \
    }
#define NO_ATTRS RG_ATTRS({.doc = NULL})

const rg_op rg_ops_pointwise_loss[] = {
    LOSS("log_loss", "The logistic loss of probabilities.", log_loss, column_infer, "Predicted",
         "Labels", "Loss", log_loss_terms,
         RG_ATTRS([0] = RG_REQUIRED("epsilon", RG_ATTR_FLOAT, "added before the logarithm"))),
    LOSS("bce_loss", "The cross entropy of probabilities of yes or no.", bce_loss, same_infer, "X",
         "Label", "Out", bce_loss_terms, NO_ATTRS),
    LOSS("hinge_loss", "max(0, 1 - y x) with y = -1 or 1, given as 0 or 1.", hinge_loss,
         column_infer, "Logits", "Labels", "Loss", NULL, NO_ATTRS),
    LOSS("teacher_student_sigmoid_loss", "Learn from clicks and from a teacher's scores.",
         teacher_student, column_infer, "X", "Label", "Y", NULL,
         RG_ATTRS([0] = RG_FLOAT("soft_max_up_bound", 15.0f, "no gradient from here up"),
                  [1] = RG_FLOAT("soft_max_lower_bound", -15.0f, "no gradient from here down"))),
    {.type = NULL},
};
