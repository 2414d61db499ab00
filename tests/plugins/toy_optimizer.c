/* toy_optimizer.c - an optimizer that nothing else knows of: momentum, corrected for its start.
 *
 *   v = mu v + g          w = mu^t, a counter          p -= rate (1 - mu) / (1 - w) v
 *
 * Every row moves at every step. Its k steps without a gradient are v -> mu^k v and
 * p -= (sum over k of rate_k mu^k) v, which a row makes up when it is next read. */
#include "ops/late.h"
#include "ops/optimizer.h"
#include "ops/past.h"
#include "ops/types.h"

enum { WEIGHTS, SLOPE, SPEED, DECAYED, RATE };
enum { WEIGHTS_OUT, SPEED_OUT, DECAYED_OUT };
enum { MU };

static const rg_state state[] = {
    {WEIGHTS, WEIGHTS_OUT}, {SPEED, SPEED_OUT}, {DECAYED, DECAYED_OUT, true}};

static float begin(rg_ctx *ctx)
{
    float mu = rg_attr_float(ctx, MU), decayed = (float)rg_number(ctx, DECAYED) * mu;
    *(float *)rg_out_data(ctx, DECAYED_OUT) = decayed;
    return (float)rg_number(ctx, RATE) * (1 - mu) / (1 - decayed);
}

RG_INLINE void move(float *restrict p, float *restrict v, const float *g, float mu, float rate,
                    int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] = mu * v[i] + g[i];
        p[i] -= rate * v[i];
    }
}

static void row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        move(rows->part[0][i], rows->part[1][i], rows->grads + (int64_t)i * rows->width,
             rg_attr_float(ctx, MU), rate, rows->width);
}

static void numbers(const rg_ctx *ctx, float out[RG_IDLE_NUMBERS])
{
    out[0] = rg_attr_float(ctx, MU);
}

static void catch_up(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                     const rg_row_batch *rows)
{
    float mu = rg_past_numbers(past)[0];
    for (size_t i = 0; i < rows->n; i++) {
        bool fresh;
        float *sums = rg_past_memo_at(memo, since[i], &fresh);
        if (fresh)
            rg_past_fade(past, since[i], memo->now, mu, sums);
        for (int64_t j = 0; j < rows->width; j++) {
            rows->part[0][i][j] -= sums[1] * rows->part[1][i][j];
            rows->part[1][i][j] *= sums[0];
        }
    }
}

static rg_status toy_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, WEIGHTS, RG_F32));
    return rg_update_infer(ctx);
}

static rg_status toy_kernel(rg_ctx *ctx)
{
    rg_walk walk;
    bool done;
    RG_TRY(rg_late_try(ctx, &done));
    if (done)
        return RG_OK;
    RG_TRY(rg_update_begin(ctx, &walk));
    float rate = begin(ctx), *p = rg_out_data(ctx, WEIGHTS_OUT), *v = rg_out_data(ctx, SPEED_OUT);
    while (rg_walk_next(&walk))
        move(p + walk.at, v + walk.at, walk.grad, rg_attr_float(ctx, MU), rate, walk.n);
    return RG_OK;
}

static const rg_idle idle = {.numbers = numbers, .catch_up = catch_up};

static const rg_update update = {
    .grad = SLOPE,
    .rate = RATE,
    .n = 3,
    .state = state,
    .every_row = true,
    .begin = begin,
    .row_step = row_step,
    .idle = &idle,
};

const rg_op rg_op_toy = {
    .type = "toy",
    .doc = "Momentum, corrected for its start.",
    .in = RG_SLOTS([WEIGHTS] = {"Weights", "the parameter", RG_LATE_OK},
                   [SLOPE] = {"Slope", "dense or sparse", RG_ROWS_OK},
                   [SPEED] = {"Speed", "running sum of gradients", RG_LATE_OK},
                   [DECAYED] = {"Decayed", "mu to the power of the steps"},
                   [RATE] = {"Rate", "one number"}),
    .out = RG_SLOTS([WEIGHTS_OUT] = {"WeightsOut", "the parameter after the step", RG_LATE_OK},
                    [SPEED_OUT] = {"SpeedOut", "", RG_LATE_OK}, [DECAYED_OUT] = {"DecayedOut", ""}),
    .attr = RG_ATTRS([MU] = RG_FLOAT("mu", 0.9f, "what stays of the speed")),
    .update = &update,
    .infer = toy_infer,
    .kernel = toy_kernel,
};
