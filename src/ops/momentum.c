/* momentum.c - gradient descent with momentum, plain and Nesterov's.
 *
 *   v = mu v + g        p -= rate v, or with use_nesterov p -= rate (g + mu v)
 *
 * A sparse gradient's duplicates are merged, and every row moves: those that have no
 * gradient by their velocity, when they are next read (late.h). k steps without one are
 *
 *   v -> mu^k v        p -= (sum over k of rate_k mu^k) v, or with use_nesterov mu times that */
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

enum { PARAM, GRAD, VELOCITY, RATE };
enum { PARAM_OUT, VELOCITY_OUT };
enum { MU, NESTEROV };

static const rg_state state[] = {{PARAM, PARAM_OUT}, {VELOCITY, VELOCITY_OUT}};

#define STEP(T, S)                                                                                \
    RG_INLINE void plain_move_##S(T *restrict p, T *restrict v, const T *g, T mu, T rate,         \
                                  int64_t n)                                                      \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            v[i] = mu * v[i] + g[i];                                                              \
            p[i] -= rate * v[i];                                                                  \
        }                                                                                         \
    }                                                                                             \
    RG_INLINE void nesterov_move_##S(T *restrict p, T *restrict v, const T *g, T mu, T rate,      \
                                     int64_t n)                                                   \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            v[i] = mu * v[i] + g[i];                                                              \
            p[i] -= rate * (g[i] + mu * v[i]);                                                    \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void plain_##S(T *p, T *v, const T *g, T mu, T rate, int64_t n)                 \
    {                                                                                             \
        plain_move_##S(p, v, g, mu, rate, n);                                                     \
    }                                                                                             \
    RG_HOT static void nesterov_##S(T *p, T *v, const T *g, T mu, T rate, int64_t n)              \
    {                                                                                             \
        nesterov_move_##S(p, v, g, mu, rate, n);                                                  \
    }                                                                                             \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                            \
    {                                                                                             \
        T *p = rg_out_data(ctx, PARAM_OUT), *v = rg_out_data(ctx, VELOCITY_OUT);                  \
        T mu = (T)rg_attr_float(ctx, MU), rate = (T)rg_number(ctx, RATE);                         \
        bool nesterov = rg_attr_bool(ctx, NESTEROV);                                              \
        while (rg_walk_next(g))                                                                   \
            (nesterov ? nesterov_##S : plain_##S)(p + g->at, v + g->at, g->grad, mu, rate, g->n); \
    }
RG_FLOATS(STEP)

static rg_status momentum_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    bool done;
    RG_TRY(rg_late_try(ctx, &done));
    if (done)
        return RG_OK;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

/* ---- rows ---- */

RG_HOT static void step_rows(const rg_row_batch *rows, float mu, float rate, bool nesterov)
{
    for (size_t i = 0; i < rows->n; i++) {
        const float *g = rows->grads + (int64_t)i * rows->width;
        if (nesterov)
            nesterov_move_f32(rows->part[0][i], rows->part[1][i], g, mu, rate, rows->width);
        else
            plain_move_f32(rows->part[0][i], rows->part[1][i], g, mu, rate, rows->width);
    }
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    step_rows(rows, rg_attr_float(ctx, MU), rate, rg_attr_bool(ctx, NESTEROV));
}

static void idle_numbers(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS])
{
    numbers[0] = rg_attr_float(ctx, MU);
    numbers[1] = rg_attr_bool(ctx, NESTEROV) ? numbers[0] : 1;
}

RG_HOT static void fade(float *restrict p, float *restrict v, float left, float moved, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        p[i] -= moved * v[i];
        v[i] *= left;
    }
}

static void catch_up(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                     const rg_row_batch *rows)
{
    const float *numbers = rg_past_numbers(past);
    for (size_t i = 0; i < rows->n; i++) {
        bool fresh;
        float *sums = rg_past_memo_at(memo, since[i], &fresh);
        if (fresh)
            rg_past_fade(past, since[i], memo->now, numbers[0], sums);
        fade(rows->part[0][i], rows->part[1][i], sums[0], sums[1] * numbers[1], rows->width);
    }
}

/* A row of zeros does what a row that is not named does. */
static const char *of_dense_rows(const rg_opdesc *op)
{
    return op->type;
}

static const rg_idle idle = {.numbers = idle_numbers, .catch_up = catch_up};

static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 2,
    .state = state,
    .every_row = true,
    .of_dense_rows = of_dense_rows,
    .row_step = row_step,
    .idle = &idle,
};

const rg_op rg_op_momentum = {
    .type = "momentum",
    .doc = "Gradient descent with momentum.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK},
                   [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [VELOCITY] = {"Velocity", "running sum of gradients", RG_LATE_OK},
                   [RATE] = {"LearningRate", "one number"}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK}, [VELOCITY_OUT] =
                                                                                    {"VelocityOut", "", RG_LATE_OK}),
    .attr = RG_ATTRS([MU] = RG_REQUIRED("mu", RG_ATTR_FLOAT, "what stays of the velocity"),
                     [NESTEROV] = RG_BOOLEAN("use_nesterov", false, "look one step ahead")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = momentum_kernel,
};
