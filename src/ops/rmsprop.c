/* rmsprop.c - steps scaled by a running mean of squared gradients.
 *
 *   s = decay s + (1 - decay) g^2
 *   v = momentum v + rate g / sqrt(s + eps)            p -= v
 *
 * Centered, the squared running mean of the gradient is taken from s under the root. A
 * sparse gradient's duplicates are merged, and every row moves. */
#include "ops/optimizer.h"
#include "ops/types.h"

#include <string.h>

enum { PARAM, MEAN_SQUARE, MEAN_GRAD, RATE, GRAD, MOMENT };
enum { PARAM_OUT, MOMENT_OUT, MEAN_SQUARE_OUT, MEAN_GRAD_OUT };
enum { EPSILON, DECAY, MOMENTUM, CENTERED };

static const rg_state state[] = {{PARAM, PARAM_OUT},
                                 {MOMENT, MOMENT_OUT},
                                 {MEAN_SQUARE, MEAN_SQUARE_OUT},
                                 {MEAN_GRAD, MEAN_GRAD_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 4, .state = state, .every_row = true};

static rg_status rmsprop_infer(rg_ctx *ctx)
{
    if (rg_attr_bool(ctx, CENTERED) && !rg_has_in(ctx, MEAN_GRAD))
        return rg_fail(RG_EINVAL, "with centered=True rmsprop needs its input MeanGrad");
    rg_set_like(ctx, MEAN_GRAD_OUT, PARAM);
    return rg_update_infer(ctx);
}

#define STEP(T, S)                                                                             \
    typedef struct step_##S {                                                                  \
        T eps, decay, momentum, rate;                                                          \
    } step_##S;                                                                                \
    RG_HOT static void plain_##S(step_##S k, T *p, T *v, T *s, const T *g, int64_t n)          \
    {                                                                                          \
        const T eps = k.eps, decay = k.decay, momentum = k.momentum, rate = k.rate;            \
        for (int64_t i = 0; i < n; i++) {                                                      \
            T a = decay * s[i] + (1 - decay) * g[i] * g[i];                                    \
            T b = momentum * v[i] + rate * g[i] / RG_SQRT(a + eps);                            \
            s[i] = a;                                                                          \
            v[i] = b;                                                                          \
            p[i] -= b;                                                                         \
        }                                                                                      \
    }                                                                                          \
    RG_HOT static void centered_##S(step_##S k, T *p, T *v, T *s, T *m, const T *g, int64_t n) \
    {                                                                                          \
        const T eps = k.eps, decay = k.decay, momentum = k.momentum, rate = k.rate;            \
        for (int64_t i = 0; i < n; i++) {                                                      \
            T a = decay * s[i] + (1 - decay) * g[i] * g[i];                                    \
            T c = decay * m[i] + (1 - decay) * g[i];                                           \
            T b = momentum * v[i] + rate * g[i] / RG_SQRT(a - c * c + eps);                    \
            s[i] = a;                                                                          \
            m[i] = c;                                                                          \
            v[i] = b;                                                                          \
            p[i] -= b;                                                                         \
        }                                                                                      \
    }                                                                                          \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                        \
    {                                                                                          \
        T *p = rg_out_data(ctx, PARAM_OUT), *v = rg_out_data(ctx, MOMENT_OUT);                 \
        T *s = rg_out_data(ctx, MEAN_SQUARE_OUT), *m = rg_out_data(ctx, MEAN_GRAD_OUT);        \
        step_##S k = {(T)rg_attr_float(ctx, EPSILON), (T)rg_attr_float(ctx, DECAY),            \
                      (T)rg_attr_float(ctx, MOMENTUM), (T)rg_number(ctx, RATE)};               \
        bool centered = rg_attr_bool(ctx, CENTERED);                                           \
        while (rg_walk_next(g))                                                               \
            if (centered)                                                                      \
                centered_##S(k, p + g->at, v + g->at, s + g->at, m + g->at, g->grad, g->n);    \
            else                                                                               \
                plain_##S(k, p + g->at, v + g->at, s + g->at, g->grad, g->n);                  \
    }
RG_FLOATS(STEP)

static rg_status rmsprop_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    if (!rg_has_in(ctx, MEAN_GRAD) && rg_has_out(ctx, MEAN_GRAD_OUT))
        memset(rg_out_data(ctx, MEAN_GRAD_OUT), 0, rg_value_bytes(rg_out(ctx, MEAN_GRAD_OUT)));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

const rg_op rg_op_rmsprop = {
    .type = "rmsprop",
    .doc = "RMSProp: steps scaled by a running mean of squared gradients.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"},
                   [MEAN_SQUARE] = {"MeanSquare", "running mean of the squared gradient"},
                   [MEAN_GRAD] = {"MeanGrad", "running mean of the gradient, if centered",
                                  RG_OPTIONAL},
                   [RATE] = {"LearningRate", "one number"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ANY_KIND},
                   [MOMENT] = {"Moment", "running sum of steps"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [MOMENT_OUT] = {"MomentOut", ""}, [MEAN_SQUARE_OUT] = {"MeanSquareOut", ""},
                    [MEAN_GRAD_OUT] = {"MeanGradOut", ""}),
    .attr = RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1.0e-10f, "added under the root"),
                     [DECAY] = RG_FLOAT("decay", 0.9f, "decay of the means"),
                     [MOMENTUM] = RG_FLOAT("momentum", 0.0f, "what stays of the last step"),
                     [CENTERED] = RG_BOOLEAN("centered", false, "by the variance, not the square")),
    .update = &update,
    .infer = rmsprop_infer,
    .kernel = rmsprop_kernel,
};
