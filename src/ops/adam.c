/* adam.c - Adam, as Paddle 1.8.5 counts it.
 *
 *   m = b1 m + (1 - b1) g           lt = lr sqrt(1 - b2^t) / (1 - b1^t)
 *   v = b2 v + (1 - b2) g^2         p -= lt m / (sqrt(v) + eps)
 *
 * The powers of b1 and b2 are state. A dense gradient uses them and then advances them;
 * a sparse one, where they are advanced in place, does that first, so that its first step
 * uses the squares. A sparse gradient's duplicates are merged. Without lazy_mode every row moves,
 * those that have no gradient by their moments, but when they are next read (late.h); with it
 * only the rows that have one. fused_adam_rows is the step of a dense gradient that comes as rows
 * (pass/sparse_tables.c).
 *
 * What k steps without a gradient do to a row:
 *
 *   m -> b1^k m      v -> b2^k v      p -= sum over k of lt_k b1^k m / (b2^(k/2) sqrt(v) + eps)
 *
 * With a = sqrt(v) and e = eps / a, the sum is m / a times S1 - e S2 + e^2 S3 - ..., where
 * Sn = sum of lt_k (b1 / b2^(n/2))^k belongs to the steps and not to the row; its terms
 * vanish after a few hundred. Where e is not small the steps are made one by one. Rows that
 * never had a gradient have no moments and do not move. */
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

#include <string.h>

enum { PARAM, GRAD, RATE, MOMENT1, MOMENT2, BETA1_POW, BETA2_POW, BETA1_TENSOR, BETA2_TENSOR };
enum { PARAM_OUT, MOMENT1_OUT, MOMENT2_OUT, BETA1_POW_OUT, BETA2_POW_OUT };
enum { BETA1, BETA2, EPSILON, LAZY_MODE, MIN_ROW_SIZE };

static const rg_state state[] = {{PARAM, PARAM_OUT},
                                 {MOMENT1, MOMENT1_OUT},
                                 {MOMENT2, MOMENT2_OUT},
                                 {BETA1_POW, BETA1_POW_OUT, true},
                                 {BETA2_POW, BETA2_POW_OUT, true}};
static const rg_update update, dense_rows;

static rg_status adam_infer(rg_ctx *ctx)
{
    for (int i = BETA1_TENSOR; i <= BETA2_TENSOR; i++)
        if (rg_has_in(ctx, i))
            RG_TRY(rg_expect_number(ctx, i));
    return rg_update_infer(ctx);
}

/* ---- the rate of a step ---- */

/* beta1 (0) or beta2 (1) */
static double beta_of(const rg_ctx *ctx, int which)
{
    return rg_has_in(ctx, BETA1_TENSOR + which) ? rg_number(ctx, BETA1_TENSOR + which)
                                                : (double)rg_attr_float(ctx, BETA1 + which);
}

/* Whether the step uses the power of that beta as it is afterwards. */
static bool advances_first(const rg_ctx *ctx, int which)
{
    return rg_in(ctx, GRAD)->meta.kind == RG_ROWS && ctx->op->update != &dense_rows &&
           rg_in(ctx, BETA1_POW + which) == rg_out(ctx, BETA1_POW_OUT + which);
}

/* The powers go on, and correct the rate. */
#define BEGIN(T, S)                                                             \
    static T begin_##S(rg_ctx *ctx)                                             \
    {                                                                           \
        T used[2];                                                              \
        for (int i = 0; i < 2; i++) {                                           \
            T old = (T)rg_number(ctx, BETA1_POW + i);                           \
            T now = old * (T)beta_of(ctx, i);                                   \
            *(T *)rg_out_data(ctx, BETA1_POW_OUT + i) = now;                    \
            used[i] = advances_first(ctx, i) ? now : old;                       \
        }                                                                       \
        return (T)rg_number(ctx, RATE) * RG_SQRT(1 - used[1]) / (1 - used[0]);  \
    }
RG_FLOATS(BEGIN)

/* ---- the step ---- */

#define STEP(T, S)                                                                          \
    RG_INLINE void move_##S(T *restrict p, T *restrict m, T *restrict v, const T *g, T b1,  \
                            T b2, T eps, T rate, int64_t n)                                 \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                   \
            T a = b1 * m[i] + (1 - b1) * g[i];                                              \
            T b = b2 * v[i] + (1 - b2) * g[i] * g[i];                                       \
            m[i] = a;                                                                       \
            v[i] = b;                                                                       \
            p[i] -= rate * (a / (RG_SQRT(b) + eps));                                        \
        }                                                                                   \
    }                                                                                       \
    RG_HOT static void step_##S(T *p, T *m, T *v, const T *g, T b1, T b2, T eps, T rate,    \
                                int64_t n)                                                  \
    {                                                                                       \
        move_##S(p, m, v, g, b1, b2, eps, rate, n);                                         \
    }                                                                                       \
    static void run_##S(rg_ctx *ctx, rg_walk *g)                                            \
    {                                                                                       \
        T *p = rg_out_data(ctx, PARAM_OUT), *m = rg_out_data(ctx, MOMENT1_OUT);             \
        T *v = rg_out_data(ctx, MOMENT2_OUT), eps = (T)rg_attr_float(ctx, EPSILON);         \
        T b1 = (T)beta_of(ctx, 0), b2 = (T)beta_of(ctx, 1), rate = begin_##S(ctx);          \
        while (rg_walk_next(g))                                                             \
            step_##S(p + g->at, m + g->at, v + g->at, g->grad, b1, b2, eps, rate, g->n);    \
    }
RG_FLOATS(STEP)

RG_HOT static void step_rows(const rg_row_batch *rows, float b1, float b2, float eps, float rate)
{
    for (size_t i = 0; i < rows->n; i++)
        move_f32(rows->part[0][i], rows->part[1][i], rows->part[2][i],
                 rows->grads + (int64_t)i * rows->width, b1, b2, eps, rate, rows->width);
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    step_rows(rows, (float)beta_of(ctx, 0), (float)beta_of(ctx, 1), rg_attr_float(ctx, EPSILON),
              rate);
}

static rg_status adam_kernel(rg_ctx *ctx)
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

/* ---- rows without a gradient ---- */

enum { TERMS = 2048 };                       /* of a sum, at most */
enum { B1, B2, EPS, CONVERGES };             /* numbers */
enum { SHRINK1, SHRINK2, SUM1, SUM2, SUM3 }; /* sums */

static void idle_numbers(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS])
{
    double b1 = (double)(float)beta_of(ctx, 0), b2 = (double)(float)beta_of(ctx, 1);
    double q = b1 / sqrt(b2);
    numbers[B1] = (float)b1;
    numbers[B2] = (float)b2;
    numbers[EPS] = rg_attr_float(ctx, EPSILON);
    numbers[CONVERGES] = q < 1 && pow(q, TERMS) < 1e-9 && b1 / pow(b2, 1.5) < 1 ? 1 : 0;
}

static void sum_up(const rg_past *past, uint32_t since, uint32_t now, float *sums)
{
    const float *numbers = rg_past_numbers(past);
    double b1 = (double)numbers[B1], b2 = (double)numbers[B2], root = sqrt(b2);
    double q1 = b1 / root, q2 = b1 / b2, q3 = b1 / (b2 * root);
    double p1 = 1, p2 = 1, p3 = 1, s1 = 0, s2 = 0, s3 = 0;
    for (uint32_t k = 1; since + k <= now && k <= TERMS && p1 > 1e-12; k++) {
        double rate = (double)rg_past_rate(past, since + k);
        s1 += rate * (p1 *= q1);
        s2 += rate * (p2 *= q2);
        s3 += rate * (p3 *= q3);
    }
    double n = (double)(now - since);
    sums[SHRINK1] = (float)pow(b1, n);
    sums[SHRINK2] = (float)pow(b2, n);
    sums[SUM1] = (float)s1;
    sums[SUM2] = (float)s2;
    sums[SUM3] = (float)s3;
}

/* The largest eps / sqrt(v) at which three terms of the series are good to 1e-7. */
static const float SMALL = 4e-3f;

RG_HOT static bool move_at_once(const float *sums, float eps, float *restrict p, float *restrict m,
                                float *restrict v, int64_t n)
{
    const float s1 = sums[SUM1], s2 = sums[SUM2], s3 = sums[SUM3];
    const float shrink1 = sums[SHRINK1], shrink2 = sums[SHRINK2];
    float worst = 0;
    for (int64_t i = 0; i < n; i++) {
        float e = m[i] != 0 ? eps / sqrtf(v[i]) : 0;
        worst = e > worst ? e : worst;
    }
    if (!(worst < SMALL))
        return false;
    for (int64_t i = 0; i < n; i++) {
        float a = sqrtf(v[i]), e = a == 0 ? 0 : eps / a, d = a == 0 ? 0 : m[i] / a;
        p[i] -= d * (s1 - e * (s2 - e * s3));
        m[i] *= shrink1;
        v[i] *= shrink2;
    }
    return true;
}

/* So many elements make all their steps together; those of them that are none are zeros. */
enum { LANES = 16 };

RG_HOT static void move_slowly(const rg_past *past, uint32_t since, uint32_t now,
                               float *restrict to_p, float *restrict to_m, float *restrict to_v,
                               size_t n)
{
    const float *numbers = rg_past_numbers(past);
    const float b1 = numbers[B1], b2 = numbers[B2], eps = numbers[EPS];
    const size_t bytes = n * sizeof(float);
    float p[LANES] = {0}, m[LANES] = {0}, v[LANES] = {0};
    memcpy(p, to_p, bytes);
    memcpy(m, to_m, bytes);
    memcpy(v, to_v, bytes);
    for (uint32_t step = since + 1; step <= now; step++) {
        const float rate = rg_past_rate(past, step);
        for (int i = 0; i < LANES; i++) {
            m[i] *= b1;
            v[i] *= b2;
            p[i] -= rate * (m[i] / (sqrtf(v[i]) + eps));
        }
    }
    memcpy(to_p, p, bytes);
    memcpy(to_m, m, bytes);
    memcpy(to_v, v, bytes);
}

static void catch_up(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                     const rg_row_batch *rows)
{
    const float *numbers = rg_past_numbers(past);
    for (size_t i = 0; i < rows->n; i++) {
        bool fresh;
        float *sums = rg_past_memo_at(memo, since[i], &fresh);
        float *p = rows->part[0][i], *m = rows->part[1][i], *v = rows->part[2][i];
        if (fresh)
            sum_up(past, since[i], memo->now, sums);
        if (numbers[CONVERGES] != 0 && move_at_once(sums, numbers[EPS], p, m, v, rows->width))
            continue;
        for (int64_t j = 0; j < rows->width; j += LANES) {
            int64_t left = rows->width - j;
            move_slowly(past, since[i], memo->now, p + j, m + j, v + j,
                        left < LANES ? (size_t)left : LANES);
        }
    }
}

/* ---- the definitions ---- */

/* Without an epsilon a row that never had a gradient becomes NaN: as it likes. */
static const char *of_dense_rows(const rg_opdesc *op)
{
    const rg_attr *epsilon = rg_opdesc_attr(op, "epsilon");
    return epsilon != NULL && epsilon->f > 0 ? "fused_adam_rows" : NULL;
}

static const rg_idle idle = {
    .numbers = idle_numbers, .catch_up = catch_up, .epsilon = RG_OF(EPSILON)};

static const rg_update update = {
    .grad = GRAD,
    .rate = RATE,
    .n = 5,
    .state = state,
    .every_row = true,
    .lazy = RG_OF(LAZY_MODE),
    .of_dense_rows = of_dense_rows,
    .begin = begin_f32,
    .row_step = row_step,
    .idle = &idle,
};

/* A dense gradient has a row for all, whatever lazy_mode says. */
static const rg_update dense_rows = {
    .grad = GRAD,
    .rate = RATE,
    .n = 5,
    .state = state,
    .every_row = true,
    .begin = begin_f32,
    .row_step = row_step,
    .idle = &idle,
};

#define IN_SLOTS                                                                           \
    RG_SLOTS([PARAM] = {"Param", "the parameter", RG_LATE_OK},                             \
             [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},                            \
             [RATE] = {"LearningRate", "one number"},                                      \
             [MOMENT1] = {"Moment1", "running mean of the gradient", RG_LATE_OK},          \
             [MOMENT2] = {"Moment2", "running mean of its square", RG_LATE_OK},            \
             [BETA1_POW] = {"Beta1Pow", "beta1 to the power of the steps"},                \
             [BETA2_POW] = {"Beta2Pow", "beta2 to the power of the steps"},                \
             [BETA1_TENSOR] = {"Beta1Tensor", "beta1, if not the attribute", RG_OPTIONAL}, \
             [BETA2_TENSOR] = {"Beta2Tensor", "beta2, if not the attribute", RG_OPTIONAL})
#define OUT_SLOTS                                                                    \
    RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step", RG_LATE_OK}, \
             [MOMENT1_OUT] = {"Moment1Out", "", RG_LATE_OK},                         \
             [MOMENT2_OUT] = {"Moment2Out", "", RG_LATE_OK},                         \
             [BETA1_POW_OUT] = {"Beta1PowOut", ""}, [BETA2_POW_OUT] = {"Beta2PowOut", ""})
#define ADAM_ATTRS                                                                           \
    RG_ATTRS([BETA1] = RG_FLOAT("beta1", 0.9f, "decay of the first moment"),                 \
             [BETA2] = RG_FLOAT("beta2", 0.999f, "decay of the second moment"),              \
             [EPSILON] = RG_FLOAT("epsilon", 1.0e-8f, "added to the root"),                  \
             [LAZY_MODE] = RG_BOOLEAN("lazy_mode", false, "only rows with a gradient move"), \
             [MIN_ROW_SIZE] = RG_LONG("min_row_size_to_use_multithread", 1000, "kept for files"))

const rg_op rg_op_adam = {
    .type = "adam",
    .doc = "Adam: steps scaled by running moments of the gradient.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ADAM_ATTRS,
    .update = &update,
    .infer = adam_infer,
    .kernel = adam_kernel,
};

const rg_op rg_op_fused_adam_rows = {
    .type = "fused_adam_rows",
    .doc = "Adam's step of a dense gradient that comes as rows.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ADAM_ATTRS,
    .flags = RG_OP_INTERNAL,
    .update = &dense_rows,
    .infer = adam_infer,
    .kernel = adam_kernel,
};
