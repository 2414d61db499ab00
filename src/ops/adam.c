/* adam.c - Adam, as Paddle 1.8.5 counts it.
 *
 *   m = b1 m + (1 - b1) g           lt = lr sqrt(1 - b2^t) / (1 - b1^t)
 *   v = b2 v + (1 - b2) g^2         p -= lt m / (sqrt(v) + eps)
 *
 * The powers of b1 and b2 are state. A dense gradient uses them and then advances them;
 * a sparse one, where they are advanced in place, does that first, so that its first step
 * uses the squares. A sparse gradient's duplicates are merged. Without lazy_mode every row moves,
 * those that have no gradient by their moments, but when they are next read (adam_late.h); with it
 * only the rows that have one. fused_adam_rows is the step of a dense gradient that comes as rows
 * (pass/sparse_tables.c). */
#include "ops/adam_late.h"
#include "ops/merge_rows.h"
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, RATE, MOMENT1, MOMENT2, BETA1_POW, BETA2_POW, BETA1_TENSOR, BETA2_TENSOR };
enum { PARAM_OUT, MOMENT1_OUT, MOMENT2_OUT, BETA1_POW_OUT, BETA2_POW_OUT };
enum { BETA1, BETA2, EPSILON, LAZY_MODE, MIN_ROW_SIZE };

static const rg_state state[] = {{PARAM, PARAM_OUT},
                                 {MOMENT1, MOMENT1_OUT},
                                 {MOMENT2, MOMENT2_OUT},
                                 {BETA1_POW, BETA1_POW_OUT, true},
                                 {BETA2_POW, BETA2_POW_OUT, true}};
static const rg_update update = {GRAD, RATE, 5, state};

static rg_status adam_infer(rg_ctx *ctx)
{
    for (int i = BETA1_TENSOR; i <= BETA2_TENSOR; i++)
        if (rg_has_in(ctx, i))
            RG_TRY(rg_expect_number(ctx, i));
    return rg_update_infer(ctx, &update);
}

/* Whether the power of beta1 (0) or beta2 (1) is advanced in place. */
static bool own_pow(const rg_ctx *ctx, int which)
{
    return rg_in(ctx, BETA1_POW + which) == rg_out(ctx, BETA1_POW_OUT + which);
}

/* Whether the step uses that power as it is afterwards. */
static bool advances_first(const rg_ctx *ctx, int which)
{
    return rg_in(ctx, GRAD)->meta.kind == RG_ROWS && !(ctx->op->flags & RG_OP_INTERNAL) &&
           own_pow(ctx, which);
}

/* Rows that have no gradient stay. A dense gradient has one for all. */
static bool is_lazy(const rg_ctx *ctx)
{
    return rg_attr_bool(ctx, LAZY_MODE) && !(ctx->op->flags & RG_OP_INTERNAL);
}

#define STEP(T, S)                                                                          \
    RG_HOT static void step_##S(T *p, T *m, T *v, const T *g, T b1, T b2, T eps, T rate,    \
                                int64_t n)                                                  \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                   \
            T a = b1 * m[i] + (1 - b1) * g[i];                                              \
            T b = b2 * v[i] + (1 - b2) * g[i] * g[i];                                       \
            m[i] = a;                                                                       \
            v[i] = b;                                                                       \
            p[i] -= rate * (a / (RG_SQRT(b) + eps));                                        \
        }                                                                                   \
    }                                                                                       \
    static void run_##S(const rg_ctx *ctx, rg_spans *g, T b1, T b2)                         \
    {                                                                                       \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT1_OUT);             \
        T *v = rg_out_data(ctx, MOMENT2_OUT), eps = (T)rg_attr_float(ctx, EPSILON);         \
        T *pow1 = rg_out_data(ctx, BETA1_POW_OUT), *pow2 = rg_out_data(ctx, BETA2_POW_OUT); \
        T old1 = *pow1, old2 = *pow2;                                                       \
        *pow1 *= b1;                                                                        \
        *pow2 *= b2;                                                                        \
        T used1 = advances_first(ctx, 0) ? *pow1 : old1;                                    \
        T used2 = advances_first(ctx, 1) ? *pow2 : old2;                                    \
        T rate = (T)rg_number(ctx, RATE) * RG_SQRT(1 - used2) / (1 - used1);                \
        while (rg_spans_next(g))                                                            \
            step_##S(p + g->at, m + g->at, v + g->at, g->grad, b1, b2, eps, rate, g->n);    \
    }
RG_FLOATS(STEP)

static double beta_of(const rg_ctx *ctx, int tensor, int attr)
{
    return rg_has_in(ctx, tensor) ? rg_number(ctx, tensor) : (double)rg_attr_float(ctx, attr);
}

/* Whether the rows that the gradient does not name can wait. */
static bool can_wait(const rg_ctx *ctx)
{
    return rg_in(ctx, GRAD)->meta.kind == RG_ROWS && !is_lazy(ctx) &&
           rg_dtype_of(ctx, PARAM) == RG_F32 && rg_in(ctx, PARAM) == rg_out(ctx, PARAM_OUT) &&
           rg_in(ctx, MOMENT1) == rg_out(ctx, MOMENT1_OUT) &&
           rg_in(ctx, MOMENT2) == rg_out(ctx, MOMENT2_OUT) && rg_shape_of(ctx, PARAM)->rank > 1;
}

static rg_status step_late(rg_ctx *ctx, float b1, float b2)
{
    rg_merged merged;
    float *pow1 = rg_out_data(ctx, BETA1_POW_OUT), *pow2 = rg_out_data(ctx, BETA2_POW_OUT);
    RG_TRY(rg_expect_rows_below(ctx, GRAD, rg_shape_of(ctx, PARAM)->dim[0]));
    RG_TRY(rg_merge_rows(ctx, rg_in(ctx, GRAD), &merged));
    float old1 = (float)rg_number(ctx, BETA1_POW), old2 = (float)rg_number(ctx, BETA2_POW);
    *pow1 = old1 * b1;
    *pow2 = old2 * b2;
    float used1 = advances_first(ctx, 0) ? *pow1 : old1;
    float used2 = advances_first(ctx, 1) ? *pow2 : old2;
    return rg_adam_late_step(&(rg_adam_update){
        .param = rg_out(ctx, PARAM_OUT),
        .moment1 = rg_out(ctx, MOMENT1_OUT),
        .moment2 = rg_out(ctx, MOMENT2_OUT),
        .rows = merged.rows,
        .grads = merged.values,
        .n = merged.n,
        .betas = {b1, b2, rg_attr_float(ctx, EPSILON)},
        .rate = (float)rg_number(ctx, RATE) * sqrtf(1 - used2) / (1 - used1),
    });
}

static rg_status adam_kernel(rg_ctx *ctx)
{
    double b1 = beta_of(ctx, BETA1_TENSOR, BETA1), b2 = beta_of(ctx, BETA2_TENSOR, BETA2);
    rg_spans spans;
    if (can_wait(ctx))
        return step_late(ctx, (float)b1, (float)b2);
    for (int i = PARAM_OUT; i <= MOMENT2_OUT; i++)
        rg_value_settle(rg_out(ctx, i));
    RG_TRY(rg_update_begin(ctx, &update, &spans));
    if (is_lazy(ctx))
        spans.end = 0; /* the rows that are named, alone */
    if (rg_dtype_of(ctx, PARAM) == RG_F32)
        run_f32(ctx, &spans, (float)b1, (float)b2);
    else if (rg_dtype_of(ctx, PARAM) == RG_F64)
        run_f64(ctx, &spans, b1, b2);
    else
        return rg_bad_dtype(ctx, PARAM);
    return RG_OK;
}

#define IN_SLOTS                                                                           \
    RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK},                             \
             [GRAD] = {"Grad", "dense or sparse", RG_ANY_KIND},                            \
             [RATE] = {"LearningRate", "one number"},                                      \
             [MOMENT1] = {"Moment1", "running mean of the gradient", RG_LATE_OK},          \
             [MOMENT2] = {"Moment2", "running mean of its square", RG_LATE_OK},            \
             [BETA1_POW] = {"Beta1Pow", "beta1 to the power of the steps"},                \
             [BETA2_POW] = {"Beta2Pow", "beta2 to the power of the steps"},                \
             [BETA1_TENSOR] = {"Beta1Tensor", "beta1, if not the attribute", RG_OPTIONAL}, \
             [BETA2_TENSOR] = {"Beta2Tensor", "beta2, if not the attribute", RG_OPTIONAL})
#define OUT_SLOTS                                                                    \
    RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK}, \
             [MOMENT1_OUT] = {"Moment1Out", "", RG_LATE_OK},                         \
             [MOMENT2_OUT] = {"Moment2Out", "", RG_LATE_OK},                         \
             [BETA1_POW_OUT] = {"Beta1PowOut", ""}, [BETA2_POW_OUT] = {"Beta2PowOut", ""})
#define ADAM_ATTRS                                                                           \
    RG_ATTRS([BETA1] = RG_FLOAT("beta1", 0.9f, "decay of the first moment"),                 \
             [BETA2] = RG_FLOAT("beta2", 0.999f, "decay of the second moment"),              \
             [EPSILON] = RG_FLOAT("epsilon", 1.0e-8f, "added to the root"),                  \
             [LAZY_MODE] = RG_BOOLEAN("lazy_mode", false, "only rows with a gradient move"), \
             [MIN_ROW_SIZE] = RG_LONG("min_row_size_to_use_multithread", 1000, "kept for files"))

const rg_op rg_op_adam = {
    .type = "adam",
    .doc = "Adam: steps scaled by running moments of the gradient.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ADAM_ATTRS,
    .flags = RG_OP_EVERY_ROW,
    .infer = adam_infer,
    .kernel = adam_kernel,
};

const rg_op rg_op_fused_adam_rows = {
    .type = "fused_adam_rows",
    .doc = "Adam's step of a dense gradient that comes as rows.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ADAM_ATTRS,
    .flags = RG_OP_EVERY_ROW | RG_OP_INTERNAL,
    .infer = adam_infer,
    .kernel = adam_kernel,
};
