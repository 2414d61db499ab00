/* lamb.c - Adam's moments with steps scaled to each parameter's norm (You et al., "Large
 * batch optimization for deep learning", 2019), as Paddle 1.8.5 counts it.
 *
 *   m = b1 m + (1 - b1) g       r = m / (sqrt(v) + eps) + decay p
 *   v = b2 v + (1 - b2) g^2     p -= rate |p| / |r| r, and without the ratio where a norm is 0
 *
 * The powers of b1 and b2 are not used: the moments are not corrected for their start. A
 * sparse gradient's duplicates are merged, and every row moves. */
#include "math/reduce.h"
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, RATE, MOMENT1, MOMENT2, BETA1_POW, BETA2_POW };
enum { PARAM_OUT, MOMENT1_OUT, MOMENT2_OUT };
enum { DECAY, BETA1, BETA2, EPSILON };
enum { CHUNK = 512 }; /* elements of r that are held at a time */

static const rg_state state[] = {
    {PARAM, PARAM_OUT}, {MOMENT1, MOMENT1_OUT}, {MOMENT2, MOMENT2_OUT}};
static const rg_update update = {
    .grad = GRAD, .rate = RATE, .n = 3, .state = state, .every_row = true};

#define STEP(T, S)                                                                          \
    RG_HOT static void moments_##S(T *m, T *v, const T *g, T b1, T b2, int64_t n)           \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                   \
            m[i] = b1 * m[i] + (1 - b1) * g[i];                                             \
            v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];                                      \
        }                                                                                   \
    }                                                                                       \
    RG_HOT static void wanted_##S(T *r, const T *p, const T *m, const T *v, T eps, T decay, \
                                  int64_t n)                                                \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                     \
            r[i] = m[i] / (RG_SQRT(v[i]) + eps) + decay * p[i];                             \
    }                                                                                       \
    RG_HOT static void move_##S(T *p, const T *r, T rate, int64_t n)                        \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                     \
            p[i] -= rate * r[i];                                                            \
    }                                                                                       \
    /* Twice over r: once for its norm, once to move. */                                    \
    static void run_##S(const rg_ctx *ctx, rg_walk *g, int64_t n)                           \
    {                                                                                       \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT1_OUT);             \
        T *v = rg_out_data(ctx, MOMENT2_OUT), r[CHUNK];                                     \
        T b1 = (T)rg_attr_float(ctx, BETA1), b2 = (T)rg_attr_float(ctx, BETA2);             \
        T eps = (T)rg_attr_float(ctx, EPSILON), decay = (T)rg_attr_float(ctx, DECAY);       \
        T rate = (T)rg_number(ctx, RATE);                                                   \
        double squares_p = 0, squares_r = 0;                                                \
        while (rg_walk_next(g))                                                             \
            moments_##S(m + g->at, v + g->at, g->grad, b1, b2, g->n);                       \
        for (int64_t i = 0; i < n; i += CHUNK) {                                            \
            int64_t k = n - i < CHUNK ? n - i : CHUNK;                                      \
            wanted_##S(r, p + i, m + i, v + i, eps, decay, k);                              \
            squares_p += (double)rg_dot_##S(p + i, p + i, k);                               \
            squares_r += (double)rg_dot_##S(r, r, k);                                       \
        }                                                                                   \
        if (squares_p > 0 && squares_r > 0)                                                 \
            rate *= (T)sqrt(squares_p / squares_r);                                         \
        for (int64_t i = 0; i < n; i += CHUNK) {                                            \
            int64_t k = n - i < CHUNK ? n - i : CHUNK;                                      \
            wanted_##S(r, p + i, m + i, v + i, eps, decay, k);                              \
            move_##S(p + i, r, rate, k);                                                    \
        }                                                                                   \
    }
RG_FLOATS(STEP)

static rg_status lamb_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk, rg_numel(rg_in(ctx, PARAM))))
    return RG_OK;
}

const rg_op rg_op_lamb = {
    .type = "lamb",
    .doc = "LAMB: Adam with steps scaled to each parameter's norm.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"},
                   [MOMENT1] = {"Moment1", "running mean of the gradient"},
                   [MOMENT2] = {"Moment2", "running mean of its square"},
                   [BETA1_POW] = {"Beta1Pow", "kept for files", RG_SHAPE_ONLY},
                   [BETA2_POW] = {"Beta2Pow", "kept for files", RG_SHAPE_ONLY}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [MOMENT1_OUT] = {"Moment1Out", ""}, [MOMENT2_OUT] = {"Moment2Out", ""}),
    .attr = RG_ATTRS([DECAY] = RG_REQUIRED("weight_decay", RG_ATTR_FLOAT, "decay of the parameter"),
                     [BETA1] = RG_FLOAT("beta1", 0.9f, "decay of the first moment"),
                     [BETA2] = RG_FLOAT("beta2", 0.999f, "decay of the second moment"),
                     [EPSILON] = RG_FLOAT("epsilon", 1.0e-6f, "added to the root")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = lamb_kernel,
};
