/* ftrl.c - follow the regularised leader (McMahan et al., "Ad click prediction", 2013).
 *
 *   n' = n + g^2        z += g - (n'^-power - n^-power) / rate p
 *   p = |z| > l1 ? (sign(z) l1 - z) / (n'^-power / rate + 2 l2) : 0
 *
 * With power -0.5, the usual one, n^-power is the root of n. */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, SQUARED, LINEAR, GRAD, RATE };
enum { PARAM_OUT, SQUARED_OUT, LINEAR_OUT };
enum { L1, L2, POWER };

static const rg_state state[] = {{PARAM, PARAM_OUT}, {SQUARED, SQUARED_OUT}, {LINEAR, LINEAR_OUT}};

#define RAISE(x, power) _Generic((x), float : powf, default : pow)(x, power)

#define STEP(T, S)                                                                            \
    typedef struct step_##S {                                                                 \
        T l1, l2, power, rate;                                                                \
    } step_##S;                                                                               \
    /* One element: r and s are n^-power before and after. */                                 \
    RG_INLINE void move_##S(step_##S k, T *p, T *z, T g, T r, T s)                            \
    {                                                                                         \
        T a = *z + g - (s - r) / k.rate * *p, size = a < 0 ? -a : a;                          \
        T x = (a < 0 ? -k.l1 : k.l1) - a;                                                     \
        *z = a;                                                                               \
        *p = size > k.l1 ? x / (s / k.rate + 2 * k.l2) : 0;                                   \
    }                                                                                         \
    RG_HOT static void root_##S(step_##S k, T *p, T *q, T *z, const T *g, int64_t n)          \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            T old = q[i], now = old + g[i] * g[i];                                            \
            q[i] = now;                                                                       \
            move_##S(k, p + i, z + i, g[i], RG_SQRT(old), RG_SQRT(now));                      \
        }                                                                                     \
    }                                                                                         \
    static void power_##S(step_##S k, T *p, T *q, T *z, const T *g, int64_t n)                \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            T old = q[i], now = old + g[i] * g[i];                                            \
            q[i] = now;                                                                       \
            move_##S(k, p + i, z + i, g[i], RAISE(old, -k.power), RAISE(now, -k.power));      \
        }                                                                                     \
    }                                                                                         \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                        \
    {                                                                                         \
        T *p = rg_out_data(ctx, PARAM_OUT), *q = rg_out_data(ctx, SQUARED_OUT);               \
        T *z = rg_out_data(ctx, LINEAR_OUT);                                                  \
        step_##S k = {(T)rg_attr_float(ctx, L1), (T)rg_attr_float(ctx, L2),                   \
                      (T)rg_attr_float(ctx, POWER), (T)rg_number(ctx, RATE)};                 \
        bool root = k.power == (T)-0.5;                                                       \
        while (rg_walk_next(g))                                                               \
            (root ? root_##S : power_##S)(k, p + g->at, q + g->at, z + g->at, g->grad, g->n); \
    }
RG_FLOATS(STEP)

static rg_status ftrl_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    step_f32 k = {rg_attr_float(ctx, L1), rg_attr_float(ctx, L2), rg_attr_float(ctx, POWER), rate};
    for (size_t i = 0; i < rows->n; i++)
        (k.power == -0.5f ? root_f32
                          : power_f32)(k, rows->part[0][i], rows->part[1][i], rows->part[2][i],
                                       rows->grads + (int64_t)i * rows->width, rows->width);
}

/* A row that has no gradient moves, too, also one that never had any: to zero. */
static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 3,
    .state = state,
    .every_row = true,
    .row_step = row_step,
};

const rg_op rg_op_ftrl = {
    .type = "ftrl",
    .doc = "FTRL: parameters that stay zero unless the gradients insist.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter"},
                   [SQUARED] = {"SquaredAccumulator", "sum of squared gradients"},
                   [LINEAR] = {"LinearAccumulator", "sum of corrected gradients"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"},
                    [SQUARED_OUT] = {"SquaredAccumOut", ""}, [LINEAR_OUT] = {"LinearAccumOut", ""}),
    .attr = RG_ATTRS([L1] = RG_FLOAT("l1", 0.0f, "below it a parameter is zero"),
                     [L2] = RG_FLOAT("l2", 0.0f, "shrinks parameters"),
                     [POWER] = RG_FLOAT("lr_power", -0.5f, "how the rate falls with the squares")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = ftrl_kernel,
};
