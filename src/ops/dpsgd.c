/* dpsgd.c - gradient descent that hides single examples: the gradient is clipped to a norm
 * and one normal number is added to all its elements.
 *
 *   p -= rate (g / max(1, |g| / clip) + noise / batch_size)      noise ~ N(0, sigma)
 *
 * The number differs from step to step, with a seed too. */
#include "math/reduce.h"
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, RATE };
enum { PARAM_OUT };
enum { CLIP, BATCH_SIZE, SIGMA, SEED };

static const rg_state state[] = {{PARAM, PARAM_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 1, .state = state, .every_row = true};

#define STEP(T, S)                                                                     \
    RG_HOT static void step_##S(T *p, const T *g, T scale, T noise, T rate, int64_t n) \
    {                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                \
            p[i] -= rate * (g[i] / scale + noise);                                     \
    }                                                                                  \
    static void run_##S(const rg_ctx *ctx, rg_walk *g, double normal)                  \
    {                                                                                  \
        T *p = rg_out_data(ctx, PARAM_OUT), rate = (T)rg_number(ctx, RATE);            \
        T norm = RG_SQRT(rg_walk_squares_##S(g)), clip = (T)rg_attr_float(ctx, CLIP);  \
        T scale = norm > clip ? norm / clip : 1;                                       \
        T noise = (T)(normal * (double)rg_attr_float(ctx, SIGMA) /                     \
                      (double)rg_attr_float(ctx, BATCH_SIZE));                         \
        while (rg_walk_next(g))                                                        \
            step_##S(p + g->at, g->grad, scale, noise, rate, g->n);                    \
    }
RG_FLOATS(STEP)

static rg_status dpsgd_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    double normal = rg_philox_normal(rg_random_key(ctx, rg_attr_int(ctx, SEED), false), 0);
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk, normal))
    return RG_OK;
}

const rg_op rg_op_dpsgd = {
    .type = "dpsgd",
    .doc = "Gradient descent with a clipped gradient and noise, for differential privacy.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"}, [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}),
    .attr = RG_ATTRS([CLIP] = RG_FLOAT("clip", 10.0f, "largest norm of the gradient"),
                     [BATCH_SIZE] = RG_FLOAT("batch_size", 16.0f, "divides the noise"),
                     [SIGMA] = RG_FLOAT("sigma", 1.0f, "standard deviation of the noise"),
                     [SEED] = RG_INT("seed", 0, "0: the program's or the process's")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = dpsgd_kernel,
};
