/* adamax.c - Adam by the largest gradient seen.
 *
 *   m = b1 m + (1 - b1) g      u = max(|g|, b2 u + eps)      p -= rate / (1 - b1^t) m / u
 *
 * The power of b1 is read, not advanced: programs do that with a scale op. */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, RATE, MOMENT, INF_NORM, BETA1_POW };
enum { PARAM_OUT, MOMENT_OUT, INF_NORM_OUT };
enum { BETA1, BETA2, EPSILON };

static const rg_state state[] = {
    {PARAM, PARAM_OUT}, {MOMENT, MOMENT_OUT}, {INF_NORM, INF_NORM_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 3, .state = state, .every_row = true};

static rg_status adamax_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_number(ctx, BETA1_POW));
    return rg_update_infer(ctx);
}

#define STEP(T, S)                                                                         \
    RG_HOT static void step_##S(T *p, T *m, T *u, const T *g, T b1, T b2, T eps, T rate,   \
                                int64_t n)                                                 \
    {                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                  \
            T size = g[i] < 0 ? -g[i] : g[i], old = b2 * u[i] + eps;                       \
            T a = b1 * m[i] + (1 - b1) * g[i], b = size <= old || old != old ? old : size; \
            m[i] = a;                                                                      \
            u[i] = b;                                                                      \
            p[i] -= rate * (a / b);                                                        \
        }                                                                                  \
    }                                                                                      \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                     \
    {                                                                                      \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT_OUT);             \
        T *u = rg_out_data(ctx, INF_NORM_OUT), eps = (T)rg_attr_float(ctx, EPSILON);       \
        T b1 = (T)rg_attr_float(ctx, BETA1), b2 = (T)rg_attr_float(ctx, BETA2);            \
        T rate = (T)rg_number(ctx, RATE) / (1 - (T)rg_number(ctx, BETA1_POW));             \
        while (rg_walk_next(g))                                                            \
            step_##S(p + g->at, m + g->at, u + g->at, g->grad, b1, b2, eps, rate, g->n);   \
    }
RG_FLOATS(STEP)

static rg_status adamax_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_adamax = {
    .type = "adamax",
    .doc = "Adamax: Adam with the largest gradient in place of the second moment.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"}, [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"},
                   [MOMENT] = {"Moment", "running mean of the gradient"},
                   [INF_NORM] = {"InfNorm", "largest gradient, which fades"},
                   [BETA1_POW] = {"Beta1Pow", "beta1 to the power of the steps"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [MOMENT_OUT] = {"MomentOut", ""}, [INF_NORM_OUT] = {"InfNormOut", ""}),
    .attr = RG_ATTRS([BETA1] = RG_FLOAT("beta1", 0.9f, "decay of the moment"),
                     [BETA2] = RG_FLOAT("beta2", 0.999f, "decay of the largest gradient"),
                     [EPSILON] = RG_FLOAT("epsilon", 1.0e-8f, "added to the largest gradient")),
    .update = &update,
    .infer = adamax_infer,
    .kernel = adamax_kernel,
};
