/* momentum.c - gradient descent with momentum, plain and Nesterov's.
 *
 *   v = mu v + g        p -= rate v, or with use_nesterov p -= rate (g + mu v)
 *
 * A sparse gradient's duplicates are merged, and every row moves: those that have no
 * gradient by their velocity. */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, VELOCITY, RATE };
enum { PARAM_OUT, VELOCITY_OUT };
enum { MU, NESTEROV };

static const rg_state state[] = {{PARAM, PARAM_OUT}, {VELOCITY, VELOCITY_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 2, .state = state, .every_row = true};

static rg_status momentum_infer(rg_ctx *ctx)
{
    return rg_update_infer(ctx);
}

#define STEP(T, S)                                                                                \
    RG_HOT static void plain_##S(T *p, T *v, const T *g, T mu, T rate, int64_t n)                 \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            v[i] = mu * v[i] + g[i];                                                              \
            p[i] -= rate * v[i];                                                                  \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void nesterov_##S(T *p, T *v, const T *g, T mu, T rate, int64_t n)              \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            v[i] = mu * v[i] + g[i];                                                              \
            p[i] -= rate * (g[i] + mu * v[i]);                                                    \
        }                                                                                         \
    }                                                                                             \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                           \
    {                                                                                             \
        T *p = rg_out_data(ctx, PARAM_OUT), *v = rg_out_data(ctx, VELOCITY_OUT);                  \
        T mu = (T)rg_attr_float(ctx, MU), rate = (T)rg_number(ctx, RATE);                         \
        bool nesterov = rg_attr_bool(ctx, NESTEROV);                                              \
        while (rg_walk_next(g))                                                                  \
            (nesterov ? nesterov_##S : plain_##S)(p + g->at, v + g->at, g->grad, mu, rate, g->n); \
    }
RG_FLOATS(STEP)

static rg_status momentum_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_momentum = {
    .type = "momentum",
    .doc = "Gradient descent with momentum.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ANY_KIND},
                   [VELOCITY] = {"Velocity", "running sum of gradients"},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}, [VELOCITY_OUT] =
                                                                                    {"VelocityOut",
                                                                                     ""}),
    .attr = RG_ATTRS([MU] = RG_REQUIRED("mu", RG_ATTR_FLOAT, "what stays of the velocity"),
                     [NESTEROV] = RG_BOOLEAN("use_nesterov", false, "look one step ahead")),
    .update = &update,
    .infer = momentum_infer,
    .kernel = momentum_kernel,
};
