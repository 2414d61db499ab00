/* fusion_gru.c - gru of X WeightX, as programs have it that real Paddle has made quicker to infer
 * with.
 *
 * There is no gradient. The outputs beside Hidden are memory that real Paddle works in; here XX
 * alone has a meaning, and the others are zeros for whoever asks. use_seq chooses between two ways
 * to the same numbers. */
#include "ops/gru_loops.h"
#include "ops/sequences.h"

#include <string.h>

enum { X, H0, WEIGHT_X, WEIGHT_H, BIAS };
enum { REORDERED_H0, XX, BATCHED_INPUT, BATCHED_OUT, HIDDEN };
enum { ACTIVATION, GATE_ACTIVATION, IS_REVERSE, USE_SEQ, ORIGIN_MODE };

static rg_status unit_of(const rg_ctx *ctx, rg_gru_unit *u, const rg_lod **lod)
{
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, WEIGHT_H, 2));
    *u = (rg_gru_unit){.size = rg_shape_of(ctx, WEIGHT_H)->dim[0],
                       .origin = rg_attr_bool(ctx, ORIGIN_MODE)};
    RG_TRY(rg_cell_act_from_attr(ctx, ACTIVATION, &u->act));
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->gate));
    RG_TRY(rg_expect_one_level(ctx, X, lod));
    RG_TRY(rg_expect_state(ctx, WEIGHT_H, X, &RG_SHAPE(u->size, 3 * u->size)));
    RG_TRY(rg_expect_state(ctx, WEIGHT_X, X, &RG_SHAPE(rg_shape_of(ctx, X)->dim[1], 3 * u->size)));
    RG_TRY(rg_expect_state(ctx, BIAS, X, &RG_SHAPE(1, 3 * u->size)));
    RG_TRY(rg_expect_state(ctx, H0, X, &RG_SHAPE(*lod ? rg_lod_sequences(*lod, 0) : -1, u->size)));
    return RG_OK;
}

static rg_status fusion_gru_infer(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_lod *lod;
    RG_TRY(unit_of(ctx, &u, &lod));
    rg_dtype dtype = rg_dtype_of(ctx, X);
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    int64_t before = rg_has_in(ctx, H0) ? rg_shape_of(ctx, H0)->dim[0] : 0;
    rg_set_out(ctx, REORDERED_H0, dtype, &RG_SHAPE(before, u.size));
    rg_set_out(ctx, XX, dtype, &RG_SHAPE(rows, 3 * u.size));
    rg_set_out(ctx, BATCHED_INPUT, dtype, &RG_SHAPE(rows, 3 * u.size));
    rg_set_out(ctx, BATCHED_OUT, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, HIDDEN, dtype, &RG_SHAPE(rows, u.size));
    rg_share_lod(ctx, X, XX);
    rg_share_lod(ctx, X, HIDDEN);
    return RG_OK;
}

RG_FLOATS(RG_GRU_STEP)
RG_FLOATS(RG_GRU_RUN)

static rg_status fusion_gru_kernel(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, H0, &h0));
    int64_t width = rg_shape_of(ctx, X)->dim[1];
    size_t row = (size_t)u.size * rg_dtype_size(rg_dtype_of(ctx, X)), all = (size_t)s.rows * row;
    void *xx = rg_out_or_scratch(ctx, XX, 3 * all);
    void *gates = rg_scratch(ctx, 3 * all), *reset = rg_scratch(ctx, all);
    void *states = rg_scratch(ctx, all);
    if (!xx || !gates || !reset || !states)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, rg_gemm,
                  (false, false, s.rows, 3 * u.size, width, 1, rg_in_data(ctx, X), width,
                   rg_in_data(ctx, WEIGHT_X), 3 * u.size, 0, xx, 3 * u.size))
    RG_CALL_FLOAT(
        ctx, X, run,
        (&u, &s, xx, rg_in_data(ctx, BIAS), h0, rg_in_data(ctx, WEIGHT_H), gates, reset, states))
    if (rg_has_out(ctx, HIDDEN))
        rg_from_steps(&s, states, rg_out_data(ctx, HIDDEN), row);
    static const int unused[] = {REORDERED_H0, BATCHED_INPUT, BATCHED_OUT};
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (rg_has_out(ctx, unused[i]))
            memset(rg_out_data(ctx, unused[i]), 0, rg_value_bytes(rg_out(ctx, unused[i])));
    return RG_OK;
}

const rg_op rg_op_fusion_gru = {
    .type = "fusion_gru",
    .doc = "gru of a product; to infer with.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_NO_GRAD},
                   [H0] = {"H0", "states before, [sequences, size]", RG_OPTIONAL | RG_NO_GRAD},
                   [WEIGHT_X] = {"WeightX", "[width, 3 size]: u, r, c", RG_NO_GRAD},
                   [WEIGHT_H] = {"WeightH", "[size, 3 size]", RG_NO_GRAD},
                   [BIAS] = {"Bias", "[1, 3 size]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([REORDERED_H0] = {"ReorderedH0", "zeros", RG_INTERMEDIATE},
                    [XX] = {"XX", "what gru is of, [total, 3 size]", RG_INTERMEDIATE},
                    [BATCHED_INPUT] = {"BatchedInput", "zeros", RG_INTERMEDIATE},
                    [BATCHED_OUT] = {"BatchedOut", "zeros", RG_INTERMEDIATE},
                    [HIDDEN] = {"Hidden", "the states, [total, size]"}),
    .attr = RG_ATTRS([ACTIVATION] = RG_STRING("activation", "tanh",
                                              "of c: identity, sigmoid, tanh or relu"),
                     [GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid", "of u and r"),
                     [IS_REVERSE] = RG_BOOLEAN("is_reverse", false,
                                               "from the end of each sequence"),
                     [USE_SEQ] = RG_BOOLEAN("use_seq", true, "the numbers are the same either way"),
                     [ORIGIN_MODE] = RG_BOOLEAN("origin_mode", false, "u keeps the old state")),
    .infer = fusion_gru_infer,
    .kernel = fusion_gru_kernel,
};
