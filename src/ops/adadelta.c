/* adadelta.c - steps as large as past steps were for such gradients; no learning rate.
 *
 *   G = rho G + (1 - rho) g^2       d = sqrt((U + eps) / (G + eps)) g
 *   U = rho U + (1 - rho) d^2       p -= sqrt((U + eps) / (G + eps)) g
 *
 * The last line has the new U, as Paddle 1.8.5 computes it where U is updated in place,
 * which is nearly always; where it is written to another variable p moves by d, as in the
 * paper. A sparse gradient's duplicates are merged. In rows that have none both means shrink, when
 * they are next read (late.h). */
#include "math/vector.h"
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

enum { PARAM, GRAD, AVG_GRAD, AVG_UPDATE };
enum { PARAM_OUT, AVG_GRAD_OUT, AVG_UPDATE_OUT };
enum { RHO, EPSILON };

static const rg_state state[] = {
    {PARAM, PARAM_OUT}, {AVG_GRAD, AVG_GRAD_OUT}, {AVG_UPDATE, AVG_UPDATE_OUT}};

#define STEP(T, S)                                                                            \
    RG_INLINE void move_##S(T *restrict p, T *restrict gg, T *restrict uu, const T *g, T rho, \
                            T eps, bool in_place, int64_t n)                                  \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            T a = rho * gg[i] + (1 - rho) * g[i] * g[i];                                      \
            T d = RG_SQRT((uu[i] + eps) / (a + eps)) * g[i];                                  \
            T b = rho * uu[i] + (1 - rho) * d * d;                                            \
            gg[i] = a;                                                                        \
            uu[i] = b;                                                                        \
            p[i] -= in_place ? RG_SQRT((b + eps) / (a + eps)) * g[i] : d;                     \
        }                                                                                     \
    }                                                                                         \
    RG_HOT static void step_##S(T *p, T *gg, T *uu, const T *g, T rho, T eps, bool in_place,  \
                                int64_t n)                                                    \
    {                                                                                         \
        move_##S(p, gg, uu, g, rho, eps, in_place, n);                                        \
    }                                                                                         \
    static void run_##S(const rg_ctx *ctx, rg_walk *g)                                        \
    {                                                                                         \
        T *p = rg_out_data(ctx, PARAM_OUT), *gg = rg_out_data(ctx, AVG_GRAD_OUT);             \
        T *uu = rg_out_data(ctx, AVG_UPDATE_OUT);                                             \
        T rho = (T)rg_attr_float(ctx, RHO), eps = (T)rg_attr_float(ctx, EPSILON);             \
        const bool in_place = rg_in(ctx, AVG_UPDATE) == rg_out(ctx, AVG_UPDATE_OUT);          \
        while (rg_walk_next(g))                                                               \
            step_##S(p + g->at, gg + g->at, uu + g->at, g->grad, rho, eps, in_place, g->n);   \
    }
RG_FLOATS(STEP)

static rg_status adadelta_kernel(rg_ctx *ctx)
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

RG_HOT static void step_rows(const rg_row_batch *rows, float rho, float eps)
{
    for (size_t i = 0; i < rows->n; i++)
        move_f32(rows->part[0][i], rows->part[1][i], rows->part[2][i],
                 rows->grads + (int64_t)i * rows->width, rho, eps, true, rows->width);
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    (void)rate;
    step_rows(rows, rg_attr_float(ctx, RHO), rg_attr_float(ctx, EPSILON));
}

static void idle_numbers(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS])
{
    numbers[0] = rg_attr_float(ctx, RHO);
    numbers[1] = rg_attr_float(ctx, EPSILON);
}

/* An idle step takes 0 times a root: NaN where there is no root, or it is infinite. */
RG_HOT static void spoil(float *restrict p, const float *squares, const float *moves, float eps,
                         int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float under = (moves[i] + eps) / (squares[i] + eps);
        p[i] = under >= 0 && under < INFINITY ? p[i] : NAN;
    }
}

static void catch_up(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                     const rg_row_batch *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        bool fresh;
        float *sums = rg_past_memo_at(memo, since[i], &fresh);
        if (fresh)
            rg_past_fade(past, since[i], memo->now, rg_past_numbers(past)[0], sums);
        spoil(rows->part[0][i], rows->part[1][i], rows->part[2][i], rg_past_numbers(past)[1],
              rows->width);
        rg_scale_f32(rows->part[1][i], sums[0], rows->width);
        rg_scale_f32(rows->part[2][i], sums[0], rows->width);
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
    .rate = -1,
    .n = 3,
    .state = state,
    .every_row = true,
    .of_dense_rows = of_dense_rows,
    .row_step = row_step,
    .idle = &idle,
};

const rg_op rg_op_adadelta = {
    .type = "adadelta",
    .doc = "Adadelta: steps scaled by running means of squared gradients and steps.",
    .in = RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK}, [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},
                   [AVG_GRAD] = {"AvgSquaredGrad", "running mean of squared gradients", RG_LATE_OK},
                   [AVG_UPDATE] = {"AvgSquaredUpdate", "running mean of squared steps", RG_LATE_OK}),
    .out = RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK},
                    [AVG_GRAD_OUT] = {"AvgSquaredGradOut", "", RG_LATE_OK},
                    [AVG_UPDATE_OUT] = {"AvgSquaredUpdateOut", "", RG_LATE_OK}),
    .attr =
        RG_ATTRS([RHO] = RG_FLOAT("rho", 0.95f, "decay of both means"), [EPSILON] = RG_FLOAT(
                                                                            "epsilon", 1.0e-6f,
                                                                            "added to both means")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = adadelta_kernel,
};
