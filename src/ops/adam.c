/* adam.c - Adam, as Paddle 1.8.5 counts it.
 *
 *   m = b1 m + (1 - b1) g           lt = lr sqrt(1 - b2^t) / (1 - b1^t)
 *   v = b2 v + (1 - b2) g^2         p -= lt m / (sqrt(v) + eps)
 *
 * The powers of b1 and b2 are state. A dense gradient uses them and then advances them;
 * a sparse one advances them first, so its first step uses the squares. A sparse
 * gradient's duplicates are merged. Without lazy_mode every row moves, those that have
 * no gradient by their moments; with it only the rows that have one. */
#include "ops/merge_rows.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { PARAM, GRAD, RATE, MOMENT1, MOMENT2, BETA1_POW, BETA2_POW, BETA1_TENSOR, BETA2_TENSOR };
enum { PARAM_OUT, MOMENT1_OUT, MOMENT2_OUT, BETA1_POW_OUT, BETA2_POW_OUT };
enum { BETA1, BETA2, EPSILON, LAZY_MODE, MIN_ROW_SIZE };

static rg_status adam_infer(rg_ctx *ctx)
{
    if (rg_in_meta(ctx, GRAD)->kind == RG_TENSOR)
        RG_TRY(rg_expect_same_shape(ctx, PARAM, GRAD));
    RG_TRY(rg_expect_same_shape(ctx, PARAM, MOMENT1));
    RG_TRY(rg_expect_same_shape(ctx, PARAM, MOMENT2));
    rg_set_like(ctx, PARAM_OUT, PARAM);
    rg_set_like(ctx, MOMENT1_OUT, MOMENT1);
    rg_set_like(ctx, MOMENT2_OUT, MOMENT2);
    rg_set_like(ctx, BETA1_POW_OUT, BETA1_POW);
    rg_set_like(ctx, BETA2_POW_OUT, BETA2_POW);
    return RG_OK;
}

#define STEP(T, S)                                                                                 \
    typedef struct step_##S {                                                                      \
        T b1, b2, eps, rate;                                                                       \
    } step_##S;                                                                                    \
    RG_HOT static void dense_##S(const step_##S *s, T *p, T *m, T *v, const T *g, int64_t n)       \
    {                                                                                              \
        const T b1 = s->b1, b2 = s->b2, eps = s->eps, rate = s->rate;                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T a = b1 * m[i] + (1 - b1) * g[i];                                                     \
            T b = b2 * v[i] + (1 - b2) * g[i] * g[i];                                              \
            m[i] = a;                                                                              \
            v[i] = b;                                                                              \
            p[i] -= rate * (a / (RG_SQRT(b) + eps));                                       \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void idle_##S(const step_##S *s, T *p, T *m, T *v, int64_t n)                    \
    {                                                                                              \
        const T b1 = s->b1, b2 = s->b2, eps = s->eps, rate = s->rate;                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            m[i] *= b1;                                                                            \
            v[i] *= b2;                                                                            \
            p[i] -= rate * (m[i] / (RG_SQRT(v[i]) + eps));                                 \
        }                                                                                          \
    }                                                                                              \
    /* Rows in ascending order; between them, the rows without a gradient. */                      \
    static void sparse_##S(const step_##S *s, T *p, T *m, T *v, const rg_merged *g, int64_t rows,  \
                           int64_t width, bool lazy)                                               \
    {                                                                                              \
        int64_t next = 0;                                                                          \
        for (size_t i = 0; i < g->n; i++) {                                                        \
            int64_t row = g->rows[i], at = row * width;                                            \
            if (!lazy && row > next)                                                               \
                idle_##S(s, p + next * width, m + next * width, v + next * width,                  \
                         (row - next) * width);                                                    \
            dense_##S(s, p + at, m + at, v + at, (const T *)g->values + (int64_t)i * width, width); \
            next = row + 1;                                                                        \
        }                                                                                          \
        if (!lazy && rows > next)                                                                  \
            idle_##S(s, p + next * width, m + next * width, v + next * width,                      \
                     (rows - next) * width);                                                       \
    }                                                                                              \
    static rg_status run_##S(rg_ctx *ctx, T b1, T b2)                                              \
    {                                                                                              \
        const rg_value *grad = rg_in(ctx, GRAD), *param = rg_in(ctx, PARAM);                       \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT1_OUT);                    \
        T *v = rg_out_data(ctx, MOMENT2_OUT);                                                      \
        T *pow1 = rg_out_data(ctx, BETA1_POW_OUT), *pow2 = rg_out_data(ctx, BETA2_POW_OUT);        \
        T rate = *(const T *)rg_in_data(ctx, RATE);                                                \
        bool sparse = grad->meta.kind == RG_ROWS;                                                  \
        if (sparse) {                                                                              \
            *pow1 *= b1;                                                                           \
            *pow2 *= b2;                                                                           \
        }                                                                                          \
        step_##S s = {b1, b2, (T)rg_attr_float(ctx, EPSILON),                                      \
                      rate * RG_SQRT(1 - *pow2) / (1 - *pow1)};                          \
        if (!sparse) {                                                                             \
            dense_##S(&s, p, m, v, grad->data, rg_numel(param));                                   \
            *pow1 *= b1;                                                                           \
            *pow2 *= b2;                                                                           \
            return RG_OK;                                                                          \
        }                                                                                          \
        rg_merged merged;                                                                          \
        RG_TRY(rg_merge_rows(ctx, grad, &merged));                                                 \
        sparse_##S(&s, p, m, v, &merged, param->meta.shape.dim[0], rg_value_width(param),          \
                   rg_attr_bool(ctx, LAZY_MODE));                                                  \
        return RG_OK;                                                                              \
    }
RG_FLOATS(STEP)

static double beta_of(const rg_ctx *ctx, int tensor, int attr)
{
    const rg_value *given = rg_in(ctx, tensor);
    if (given == NULL)
        return (double)rg_attr_float(ctx, attr);
    return given->meta.dtype == RG_F64 ? *(const double *)given->data
                                       : (double)*(const float *)given->data;
}

static rg_status adam_kernel(rg_ctx *ctx)
{
    static const int pairs[][2] = {{PARAM, PARAM_OUT},
                                   {MOMENT1, MOMENT1_OUT},
                                   {MOMENT2, MOMENT2_OUT},
                                   {BETA1_POW, BETA1_POW_OUT},
                                   {BETA2_POW, BETA2_POW_OUT}};
    for (int i = 0; i < 5; i++)
        RG_TRY(rg_value_copy(rg_out(ctx, pairs[i][1]), rg_in(ctx, pairs[i][0])));
    double b1 = beta_of(ctx, BETA1_TENSOR, BETA1), b2 = beta_of(ctx, BETA2_TENSOR, BETA2);
    if (rg_dtype_of(ctx, PARAM) == RG_F32)
        return run_f32(ctx, (float)b1, (float)b2);
    if (rg_dtype_of(ctx, PARAM) == RG_F64)
        return run_f64(ctx, b1, b2);
    return rg_bad_dtype(ctx, PARAM);
}

const rg_op rg_op_adam = {
    .type = "adam",
    .doc = "Adam: steps scaled by running moments of the gradient.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"},
                   [GRAD] = {"Grad", "dense or sparse"},
                   [RATE] = {"LearningRate", "one number"},
                   [MOMENT1] = {"Moment1", "running mean of the gradient"},
                   [MOMENT2] = {"Moment2", "running mean of its square"},
                   [BETA1_POW] = {"Beta1Pow", "beta1 to the power of the steps"},
                   [BETA2_POW] = {"Beta2Pow", "beta2 to the power of the steps"},
                   [BETA1_TENSOR] = {"Beta1Tensor", "beta1, if not the attribute", RG_OPTIONAL},
                   [BETA2_TENSOR] = {"Beta2Tensor", "beta2, if not the attribute", RG_OPTIONAL}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [MOMENT1_OUT] = {"Moment1Out", ""}, [MOMENT2_OUT] = {"Moment2Out", ""},
                    [BETA1_POW_OUT] = {"Beta1PowOut", ""}, [BETA2_POW_OUT] = {"Beta2PowOut", ""}),
    .attr = RG_ATTRS([BETA1] = RG_FLOAT("beta1", 0.9f, "decay of the first moment"),
                     [BETA2] = RG_FLOAT("beta2", 0.999f, "decay of the second moment"),
                     [EPSILON] = RG_FLOAT("epsilon", 1.0e-8f, "added to the root"),
                     [LAZY_MODE] = RG_BOOLEAN("lazy_mode", false, "only rows with a gradient move"),
                     [MIN_ROW_SIZE] = RG_LONG("min_row_size_to_use_multithread", 1000,
                                              "kept for files")),
    .infer = adam_infer,
    .kernel = adam_kernel,
};
