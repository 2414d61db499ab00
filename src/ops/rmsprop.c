/* rmsprop.c - steps scaled by a running mean of squared gradients.
 *
 *   s = decay s + (1 - decay) g^2
 *   v = momentum v + rate g / sqrt(s + eps)            p -= v
 *
 * Centered, the squared running mean of the gradient is taken from s under the root. A
 * sparse gradient's duplicates are merged, and every row moves, those without a gradient when they
 * are next read (late.h). k steps without one are
 *
 *   s -> decay^k s        v -> momentum^k v        p -= (sum over k of momentum^k) v */
#include "math/vector.h"
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

#include <string.h>

enum { PARAM, MEAN_SQUARE, MEAN_GRAD, RATE, GRAD, MOMENT };
enum { PARAM_OUT, MOMENT_OUT, MEAN_SQUARE_OUT, MEAN_GRAD_OUT };
enum { EPSILON, DECAY, MOMENTUM, CENTERED };

static const rg_state state[] = {{PARAM, PARAM_OUT},
                                 {MOMENT, MOMENT_OUT},
                                 {MEAN_SQUARE, MEAN_SQUARE_OUT},
                                 {MEAN_GRAD, MEAN_GRAD_OUT}};

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
    RG_INLINE void plain_move_##S(step_##S k, T *restrict p, T *restrict v, T *restrict s,     \
                                  const T *g, int64_t n)                                       \
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
    RG_INLINE void centered_move_##S(step_##S k, T *restrict p, T *restrict v, T *restrict s,  \
                                     T *restrict m, const T *g, int64_t n)                     \
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
    RG_HOT static void plain_##S(step_##S k, T *p, T *v, T *s, const T *g, int64_t n)          \
    {                                                                                          \
        plain_move_##S(k, p, v, s, g, n);                                                      \
    }                                                                                          \
    RG_HOT static void centered_##S(step_##S k, T *p, T *v, T *s, T *m, const T *g, int64_t n) \
    {                                                                                          \
        centered_move_##S(k, p, v, s, m, g, n);                                                \
    }                                                                                          \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                         \
    {                                                                                          \
        T *p = rg_out_data(ctx, PARAM_OUT), *v = rg_out_data(ctx, MOMENT_OUT);                 \
        T *s = rg_out_data(ctx, MEAN_SQUARE_OUT), *m = rg_out_data(ctx, MEAN_GRAD_OUT);        \
        step_##S k = {(T)rg_attr_float(ctx, EPSILON), (T)rg_attr_float(ctx, DECAY),            \
                      (T)rg_attr_float(ctx, MOMENTUM), (T)rg_number(ctx, RATE)};               \
        bool centered = rg_attr_bool(ctx, CENTERED);                                           \
        while (rg_walk_next(g))                                                                \
            if (centered)                                                                      \
                centered_##S(k, p + g->at, v + g->at, s + g->at, m + g->at, g->grad, g->n);    \
            else                                                                               \
                plain_##S(k, p + g->at, v + g->at, s + g->at, g->grad, g->n);                  \
    }
RG_FLOATS(STEP)

static rg_status rmsprop_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    bool done;
    RG_TRY(rg_late_try(ctx, &done));
    if (!done)
        RG_TRY(rg_update_begin(ctx, &walk));
    if (!rg_has_in(ctx, MEAN_GRAD) && rg_has_out(ctx, MEAN_GRAD_OUT))
        memset(rg_out_data(ctx, MEAN_GRAD_OUT), 0, rg_value_bytes(rg_out(ctx, MEAN_GRAD_OUT)));
    if (done)
        return RG_OK;
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk))
    return RG_OK;
}

/* ---- rows ---- */

RG_HOT static void step_rows(const rg_row_batch *rows, step_f32 k, bool centered)
{
    for (size_t i = 0; i < rows->n; i++) {
        const float *g = rows->grads + (int64_t)i * rows->width;
        float *p = rows->part[0][i], *v = rows->part[1][i], *s = rows->part[2][i];
        if (centered)
            centered_move_f32(k, p, v, s, rows->part[3][i], g, rows->width);
        else
            plain_move_f32(k, p, v, s, g, rows->width);
    }
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    step_f32 k = {rg_attr_float(ctx, EPSILON), rg_attr_float(ctx, DECAY),
                  rg_attr_float(ctx, MOMENTUM), rate};
    step_rows(rows, k, rg_attr_bool(ctx, CENTERED));
}

enum { BY_DECAY, BY_MOMENTUM, IS_CENTERED, WITH_EPSILON }; /* numbers */
enum { LEFT_SQUARE, LEFT_STEP, MOVED };                    /* sums */

static void idle_numbers(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS])
{
    numbers[BY_DECAY] = rg_attr_float(ctx, DECAY);
    numbers[BY_MOMENTUM] = rg_attr_float(ctx, MOMENTUM);
    numbers[IS_CENTERED] = rg_attr_bool(ctx, CENTERED) ? 1 : 0;
    numbers[WITH_EPSILON] = rg_attr_float(ctx, EPSILON);
}

static void sum_up(const float *numbers, uint32_t k, float *sums)
{
    double by = (double)numbers[BY_MOMENTUM], left = 1, moved = 0;
    for (uint32_t i = 0; i < k && (left > 1e-12 || left < -1e-12); i++)
        moved += left *= by;
    sums[LEFT_SQUARE] = (float)pow((double)numbers[BY_DECAY], (double)k);
    sums[LEFT_STEP] = (float)pow(by, (double)k);
    sums[MOVED] = (float)moved;
}

RG_HOT static void fade(float *restrict p, float *restrict v, float left, float moved, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        p[i] -= moved * v[i];
        v[i] *= left;
    }
}

/* An idle step adds 0 divided by the root: NaN where there is no root. The first missed step
 * decides: the means shrink, and their difference stays above zero where it was. */
RG_HOT static void spoil(float *restrict v, const float *s, const float *m, float decay, float eps,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float c = m ? decay * m[i] : 0;
        v[i] = decay * s[i] - c * c + eps > 0 ? v[i] : NAN;
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
            sum_up(numbers, memo->now - since[i], sums);
        const float *mean = numbers[IS_CENTERED] != 0 ? rows->part[3][i] : NULL;
        if (rg_past_spoilt(past, since[i]))
            sums[LEFT_STEP] = sums[MOVED] = NAN;
        spoil(rows->part[1][i], rows->part[2][i], mean, numbers[BY_DECAY], numbers[WITH_EPSILON],
              rows->width);
        fade(rows->part[0][i], rows->part[1][i], sums[LEFT_STEP], sums[MOVED], rows->width);
        rg_scale_f32(rows->part[2][i], sums[LEFT_SQUARE], rows->width);
        if (numbers[IS_CENTERED] != 0)
            rg_scale_f32(rows->part[3][i], sums[LEFT_SQUARE], rows->width);
    }
}

/* A row of zeros does what a row that is not named does; without an epsilon both become NaN. */
static const char *of_dense_rows(const rg_opdesc *op)
{
    return rg_update_can_wait(op) ? op->type : NULL;
}

static const rg_idle idle = {
    .numbers = idle_numbers, .catch_up = catch_up, .epsilon = RG_OF(EPSILON)};

static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 4,
    .state = state,
    .every_row = true,
    .of_dense_rows = of_dense_rows,
    .row_step = row_step,
    .idle = &idle,
};

const rg_op rg_op_rmsprop = {
    .type = "rmsprop",
    .doc = "RMSProp: steps scaled by a running mean of squared gradients.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK},
                   [MEAN_SQUARE] = {"MeanSquare", "running mean of the squared gradient", RG_LATE_OK},
                   [MEAN_GRAD] = {"MeanGrad", "running mean of the gradient, if centered", RG_OPTIONAL | RG_LATE_OK},
                   [RATE] = {"LearningRate", "one number"},
                   [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [MOMENT] = {"Moment", "running sum of steps", RG_LATE_OK}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK},
                    [MOMENT_OUT] = {"MomentOut", "", RG_LATE_OK}, [MEAN_SQUARE_OUT] = {"MeanSquareOut", "", RG_LATE_OK},
                    [MEAN_GRAD_OUT] = {"MeanGradOut", "", RG_LATE_OK}),
    .attr = RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1.0e-10f, "added under the root"),
                     [DECAY] = RG_FLOAT("decay", 0.9f, "decay of the means"),
                     [MOMENTUM] = RG_FLOAT("momentum", 0.0f, "what stays of the last step"),
                     [CENTERED] = RG_BOOLEAN("centered", false, "by the variance, not the square")),
    .update = &update,
    .infer = rmsprop_infer,
    .kernel = rmsprop_kernel,
};
