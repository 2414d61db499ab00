/* proximal.c - proximal_gd and proximal_adagrad: a step, and then L1 and L2 in closed form.
 *
 *   q = p - rate g, or of adagrad m += g^2, q = p - rate g / sqrt(m)
 *   p = sign(q) max(|q| - rate l1, 0) / (1 + rate l2) */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { L1, L2 };

#define STEP(T, S)                                                                \
    typedef struct step_##S {                                                     \
        T rate, less, share;                                                      \
    } step_##S;                                                                   \
    static step_##S of_##S(const rg_ctx *ctx, int rate_slot)                      \
    {                                                                             \
        T rate = (T)rg_number(ctx, rate_slot), l1 = (T)rg_attr_float(ctx, L1);    \
        T less = l1 > 0 ? rate * l1 : 0;                                          \
        return (step_##S){rate, less, 1 + rate * (T)rg_attr_float(ctx, L2)};      \
    }                                                                             \
    RG_INLINE T shrunk_##S(step_##S k, T q)                                       \
    {                                                                             \
        T size = (q < 0 ? -q : q) - k.less;                                       \
        size = size <= 0 ? 0 : size;                                              \
        return (q < 0 ? -size : size) / k.share;                                  \
    }                                                                             \
    RG_HOT static void gd_##S(step_##S k, T *p, const T *g, int64_t n)            \
    {                                                                             \
        for (int64_t i = 0; i < n; i++)                                           \
            p[i] = shrunk_##S(k, p[i] - k.rate * g[i]);                           \
    }                                                                             \
    RG_HOT static void adagrad_##S(step_##S k, T *p, T *m, const T *g, int64_t n) \
    {                                                                             \
        for (int64_t i = 0; i < n; i++) {                                         \
            m[i] += g[i] * g[i];                                                  \
            p[i] = shrunk_##S(k, p[i] - k.rate * g[i] / RG_SQRT(m[i]));           \
        }                                                                         \
    }
RG_FLOATS(STEP)

#define PROXIMAL_ATTRS                                                                  \
    RG_ATTRS([L1] = RG_FLOAT("l1", 0.0f, "strength of L1"), [L2] = RG_FLOAT("l2", 0.0f, \
                                                                            "strength of L2"))

/* ---- proximal_gd ---- */

enum { PARAM, GRAD, RATE };
enum { PARAM_OUT };

static const rg_state gd_state[] = {{PARAM, PARAM_OUT}};
static const rg_update gd_update = {
    .grad = GRAD, .rate = RATE, .n = 1, .state = gd_state, .every_row = true};

#define RUN_GD(T, S)                                      \
    static void run_gd_##S(const rg_ctx *ctx, rg_walk *g) \
    {                                                     \
        T *p = rg_out_data(ctx, PARAM_OUT);               \
        step_##S k = of_##S(ctx, RATE);                   \
        while (rg_walk_next(g))                           \
            gd_##S(k, p + g->at, g->grad, g->n);          \
    }
RG_FLOATS(RUN_GD)

static rg_status gd_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run_gd, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_proximal_gd = {
    .type = "proximal_gd",
    .doc = "Gradient descent with L1 and L2 in closed form.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"}, [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}),
    .attr = PROXIMAL_ATTRS,
    .update = &gd_update,
    .infer = rg_update_infer,
    .kernel = gd_kernel,
};

/* ---- proximal_adagrad ---- */

enum { A_PARAM, A_MOMENT, A_GRAD, A_RATE };
enum { A_PARAM_OUT, A_MOMENT_OUT };

static const rg_state adagrad_state[] = {{A_PARAM, A_PARAM_OUT}, {A_MOMENT, A_MOMENT_OUT}};
static const rg_update adagrad_update = {
    .grad = A_GRAD, .rate = A_RATE, .n = 2, .state = adagrad_state, .every_row = true};

#define RUN_ADAGRAD(T, S)                                                          \
    static void run_adagrad_##S(const rg_ctx *ctx, rg_walk *g)                     \
    {                                                                              \
        T *p = rg_out_data(ctx, A_PARAM_OUT), *m = rg_out_data(ctx, A_MOMENT_OUT); \
        step_##S k = of_##S(ctx, A_RATE);                                          \
        while (rg_walk_next(g))                                                    \
            adagrad_##S(k, p + g->at, m + g->at, g->grad, g->n);                   \
    }
RG_FLOATS(RUN_ADAGRAD)

static rg_status adagrad_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, A_PARAM, run_adagrad, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_proximal_adagrad = {
    .type = "proximal_adagrad",
    .doc = "Adagrad with L1 and L2 in closed form.",
    .in = RG_SLOTS([A_PARAM] = {"Param", "the parameter"},
                   [A_MOMENT] = {"Moment", "sum of squared gradients"},
                   [A_GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [A_RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([A_PARAM_OUT] = {"ParamOut", "the parameter after the step"}, [A_MOMENT_OUT] =
                                                                                      {"MomentOut",
                                                                                       ""}),
    .attr = PROXIMAL_ATTRS,
    .update = &adagrad_update,
    .infer = rg_update_infer,
    .kernel = adagrad_kernel,
};
