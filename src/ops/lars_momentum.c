/* lars_momentum.c - momentum with a rate for each parameter (You et al., "Large batch
 * training of convolutional networks", 2017).
 *
 *   local = rate coeff |p| / (|g| + decay |p|), or rate where a norm is 0
 *   v = mu v + local (g + decay p)      p -= v */
#include "math/reduce.h"
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, VELOCITY, RATE };
enum { PARAM_OUT, VELOCITY_OUT };
enum { MU, COEFF, DECAY };

static const rg_state state[] = {{PARAM, PARAM_OUT}, {VELOCITY, VELOCITY_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 2, .state = state, .every_row = true};

#define STEP(T, S)                                                                            \
    RG_HOT static void step_##S(T *p, T *v, const T *g, T mu, T decay, T local, int64_t n)    \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            v[i] = mu * v[i] + local * (g[i] + decay * p[i]);                                 \
            p[i] -= v[i];                                                                     \
        }                                                                                     \
    }                                                                                         \
    static void run_##S(const rg_ctx *ctx, rg_walk *g, int64_t n)                             \
    {                                                                                         \
        T *p = rg_out_data(ctx, PARAM_OUT), *v = rg_out_data(ctx, VELOCITY_OUT);              \
        T decay = (T)rg_attr_float(ctx, DECAY), rate = (T)rg_number(ctx, RATE);               \
        T norm_p = RG_SQRT(rg_dot_##S(p, p, n)), norm_g = RG_SQRT(rg_walk_squares_##S(g));    \
        T coeff = (T)rg_attr_float(ctx, COEFF), local = rate, mu = (T)rg_attr_float(ctx, MU); \
        if (norm_p > 0 && norm_g > 0)                                                         \
            local = rate * coeff * norm_p / (norm_g + decay * norm_p);                        \
        while (rg_walk_next(g))                                                               \
            step_##S(p + g->at, v + g->at, g->grad, mu, decay, local, g->n);                  \
    }
RG_FLOATS(STEP)

static rg_status lars_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk, rg_numel(rg_in(ctx, PARAM))))
    return RG_OK;
}

const rg_op rg_op_lars_momentum = {
    .type = "lars_momentum",
    .doc = "Momentum with a learning rate scaled to each parameter's norm.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"}, [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [VELOCITY] = {"Velocity", "running sum of steps"},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}, [VELOCITY_OUT] =
                                                                                    {"VelocityOut",
                                                                                     ""}),
    .attr = RG_ATTRS([MU] = RG_REQUIRED("mu", RG_ATTR_FLOAT, "what stays of the velocity"),
                     [COEFF] = RG_FLOAT("lars_coeff", 0.001f, "how far a step may trust its norm"),
                     [DECAY] = RG_FLOAT("lars_weight_decay", 0.0005f, "decay of the parameter")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = lars_kernel,
};
