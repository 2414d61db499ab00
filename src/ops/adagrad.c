/* adagrad.c - adagrad and decayed_adagrad.
 *
 *   m += g^2, or of the decayed form m = decay m + (1 - decay) g^2
 *   p -= rate g / (sqrt(m) + eps)
 *
 * A sparse gradient's duplicates are merged. Of adagrad only its rows move; of the decayed form m
 * shrinks in all, in those without a gradient when they are next read (late.h). */
#include "math/vector.h"
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

enum { PARAM, GRAD, MOMENT, RATE };
enum { PARAM_OUT, MOMENT_OUT };
enum { EPSILON };

static const rg_state state[] = {{PARAM, PARAM_OUT}, {MOMENT, MOMENT_OUT}};

/* m = keep m + add g^2 */
#define STEP(T, S)                                                                               \
    RG_INLINE void move_##S(T *restrict p, T *restrict m, const T *g, T keep, T add, T eps,      \
                            T rate, int64_t n)                                                   \
    {                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                        \
            m[i] = keep * m[i] + add * g[i] * g[i];                                              \
            p[i] -= rate * g[i] / (RG_SQRT(m[i]) + eps);                                         \
        }                                                                                        \
    }                                                                                            \
    RG_HOT static void step_##S(T *p, T *m, const T *g, T keep, T add, T eps, T rate, int64_t n) \
    {                                                                                            \
        move_##S(p, m, g, keep, add, eps, rate, n);                                              \
    }                                                                                            \
    static void run_##S(const rg_ctx *ctx, rg_walk *g, float keep, float add, float eps)         \
    {                                                                                            \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT_OUT);                   \
        T rate = (T)rg_number(ctx, RATE);                                                        \
        while (rg_walk_next(g))                                                                  \
            step_##S(p + g->at, m + g->at, g->grad, (T)keep, (T)add, (T)eps, rate, g->n);        \
    }
RG_FLOATS(STEP)

#define IN_SLOTS(GRAD_DOC)                                                \
    RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK},            \
             [GRAD] = {"Grad", GRAD_DOC, RG_ROWS_OK},                    \
             [MOMENT] = {"Moment", "running sum of squares", RG_LATE_OK}, \
             [RATE] = {"LearningRate", "one number"})
#define OUT_SLOTS                                                                    \
    RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK}, \
             [MOMENT_OUT] = {"MomentOut", "", RG_LATE_OK})

/* ---- adagrad ---- */

RG_HOT static void step_rows(const rg_row_batch *rows, float keep, float add, float eps, float rate)
{
    for (size_t i = 0; i < rows->n; i++)
        move_f32(rows->part[0][i], rows->part[1][i], rows->grads + (int64_t)i * rows->width, keep,
                 add, eps, rate, rows->width);
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    step_rows(rows, 1, 1, rg_attr_float(ctx, EPSILON), rate);
}

/* Without an epsilon a row that never had a gradient becomes NaN: as it likes. */
static const char *of_dense_rows(const rg_opdesc *op)
{
    const rg_attr *epsilon = rg_opdesc_attr(op, "epsilon");
    return epsilon != NULL && epsilon->f > 0 ? op->type : NULL;
}

static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 2,
    .state = state,
    .of_dense_rows = of_dense_rows,
    .row_step = row_step,
};

static rg_status adagrad_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    bool done;
    RG_TRY(rg_late_try(ctx, &done));
    if (done)
        return RG_OK;
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk, 1.0f, 1.0f, rg_attr_float(ctx, EPSILON)))
    return RG_OK;
}

const rg_op rg_op_adagrad = {
    .type = "adagrad",
    .doc = "Adagrad: steps scaled by the sum of all squared gradients.",
    .in = IN_SLOTS("dense or sparse"),
    .out = OUT_SLOTS,
    .attr = RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1.0e-6f, "added to the root")),
    .update = &update,
    .infer = rg_update_infer,
    .kernel = adagrad_kernel,
};

/* ---- decayed_adagrad ---- */

enum { D_DECAY, D_EPSILON };

static void decayed_row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    float decay = rg_attr_float(ctx, D_DECAY);
    step_rows(rows, decay, 1.0f - decay, rg_attr_float(ctx, D_EPSILON), rate);
}

static void decayed_numbers(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS])
{
    numbers[0] = rg_attr_float(ctx, D_DECAY);
}

/* An idle step takes 0 divided by the root: NaN where there is no root, or no rate. */
RG_HOT static void spoil(float *restrict p, const float *m, bool all, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        p[i] = m[i] >= 0 && !all ? p[i] : NAN;
}

static void decayed_catch_up(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                             const rg_row_batch *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        bool fresh;
        float *sums = rg_past_memo_at(memo, since[i], &fresh);
        if (fresh)
            rg_past_fade(past, since[i], memo->now, rg_past_numbers(past)[0], sums);
        spoil(rows->part[0][i], rows->part[1][i], rg_past_spoilt(past, since[i]), rows->width);
        rg_scale_f32(rows->part[1][i], sums[0], rows->width);
    }
}

static const rg_idle decayed_idle = {
    .numbers = decayed_numbers, .catch_up = decayed_catch_up, .epsilon = RG_OF(D_EPSILON)};

static const rg_update decayed = {
    .grad = GRAD,
    .rate = RATE,
    .n = 2,
    .state = state,
    .every_row = true,
    .of_dense_rows = of_dense_rows,
    .row_step = decayed_row_step,
    .idle = &decayed_idle,
};

static rg_status decayed_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    bool done;
    RG_TRY(rg_late_try(ctx, &done));
    if (done)
        return RG_OK;
    float decay = rg_attr_float(ctx, D_DECAY);
    RG_TRY(rg_update_begin(ctx, &walk));
    RG_CALL_FLOAT(ctx, PARAM, run, (ctx, &walk, decay, 1.0f - decay, rg_attr_float(ctx, D_EPSILON)))
    return RG_OK;
}

const rg_op rg_op_decayed_adagrad = {
    .type = "decayed_adagrad",
    .doc = "Adagrad whose sum of squares forgets.",
    .in = IN_SLOTS("dense"),
    .out = OUT_SLOTS,
    .attr = RG_ATTRS([D_DECAY] = RG_FLOAT("decay", 0.95f, "what stays of the sum"),
                     [D_EPSILON] = RG_FLOAT("epsilon", 1.0e-6f, "added to the root")),
    .update = &decayed,
    .infer = rg_update_infer,
    .kernel = decayed_kernel,
};
