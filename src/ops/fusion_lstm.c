/* fusion_lstm.c - lstm with what comes before it, as programs have it that real Paddle has made
 * quicker to infer with.
 *
 *   fusion_lstm              lstm of X WeightX
 *   fused_embedding_fc_lstm  lstm of rows of Embeddings, which has the product, and its bias, in
 * it: of Bias the part of the peepholes alone is read
 *
 * There is no gradient. The outputs beside Hidden and Cell are memory that real Paddle works in;
 * here XX alone has a meaning, and the others are zeros for whoever asks. use_seq chooses between
 * two ways to the same numbers. */
#include "ops/lstm_loops.h"
#include "ops/sequences.h"

#include <string.h>

enum { X, WEIGHT_X, WEIGHT_H, BIAS, H0, C0 };
enum { IDS = X, EMBEDDINGS = WEIGHT_X };
enum { HIDDEN, CELL, XX, BATCHED_INPUT, BATCHED_HIDDEN, BATCHED_CELL, REORDERED_H0, REORDERED_C0 };
enum { CHECKED_CELL = REORDERED_C0 + 1 };
enum { USE_PEEPHOLES, IS_REVERSE, USE_SEQ, GATE_ACTIVATION, CELL_ACTIVATION, CANDIDATE_ACTIVATION };

static rg_status unit_of(const rg_ctx *ctx, rg_lstm_unit *u, const rg_lod **lod)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, WEIGHT_H, RG_F32, RG_F64));
    RG_TRY(rg_expect_rank(ctx, WEIGHT_H, 2));
    *u = (rg_lstm_unit){.size = rg_shape_of(ctx, WEIGHT_H)->dim[0],
                        .peepholes = rg_attr_bool(ctx, USE_PEEPHOLES)};
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->gate));
    RG_TRY(rg_cell_act_from_attr(ctx, CELL_ACTIVATION, &u->cell));
    RG_TRY(rg_cell_act_from_attr(ctx, CANDIDATE_ACTIVATION, &u->cand));
    RG_TRY(rg_expect_one_level(ctx, X, lod));
    RG_TRY(rg_expect_state(ctx, WEIGHT_H, WEIGHT_H, &RG_SHAPE(u->size, 4 * u->size)));
    RG_TRY(rg_expect_state(ctx, BIAS, WEIGHT_H, &RG_SHAPE(1, (u->peepholes ? 7 : 4) * u->size)));
    RG_TRY(rg_expect_state(ctx, WEIGHT_X, WEIGHT_H, &RG_SHAPE(-1, 4 * u->size)));
    rg_shape states = RG_SHAPE(*lod ? rg_lod_sequences(*lod, 0) : -1, u->size);
    if (rg_has_in(ctx, H0) != rg_has_in(ctx, C0))
        return rg_fail(RG_EINVAL, "H0 and C0 must be given both, or neither");
    if (rg_has_in(ctx, H0)) {
        RG_TRY(rg_expect_state(ctx, H0, WEIGHT_H, &states));
        RG_TRY(rg_expect_state(ctx, C0, WEIGHT_H, &states));
    }
    return RG_OK;
}

static void set_outs(rg_ctx *ctx, int64_t size)
{
    rg_dtype dtype = rg_dtype_of(ctx, WEIGHT_H);
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    rg_set_out(ctx, HIDDEN, dtype, &RG_SHAPE(rows, size));
    rg_set_out(ctx, CELL, dtype, &RG_SHAPE(rows, size));
    rg_share_lod(ctx, X, HIDDEN);
    rg_share_lod(ctx, X, CELL);
    rg_set_out(ctx, XX, dtype, &RG_SHAPE(rows, 4 * size));
    rg_share_lod(ctx, X, XX);
    rg_set_out(ctx, BATCHED_INPUT, dtype, &RG_SHAPE(rows, 4 * size));
    rg_set_out(ctx, BATCHED_HIDDEN, dtype, &RG_SHAPE(rows, size));
    rg_set_out(ctx, BATCHED_CELL, dtype, &RG_SHAPE(rows, size));
    int64_t before = rg_has_in(ctx, H0) ? rg_shape_of(ctx, H0)->dim[0] : 0;
    rg_set_out(ctx, REORDERED_H0, dtype, &RG_SHAPE(before, size));
    rg_set_out(ctx, REORDERED_C0, dtype, &RG_SHAPE(before, size));
}

RG_FLOATS(RG_LSTM_CELLS)
RG_FLOATS(RG_LSTM_RUN)

/* xx: the input of lstm, in the order of the tensor. bias: what is added to it. */
static rg_status run_lstm(rg_ctx *ctx, const void *xx, const void *bias)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0, *c0;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, H0, &h0));
    RG_TRY(rg_first_states(ctx, &s, C0, &c0));
    size_t row = (size_t)u.size * rg_dtype_size(rg_dtype_of(ctx, WEIGHT_H));
    size_t all = (size_t)s.rows * row;
    void *gates = rg_scratch(ctx, 4 * all), *acts = rg_scratch(ctx, all);
    void *cells = rg_scratch(ctx, all), *states = rg_scratch(ctx, all);
    if (!gates || !acts || !cells || !states)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, WEIGHT_H, run,
                  (&u, &s, xx, bias, h0, c0, rg_in_data(ctx, WEIGHT_H), gates, cells, acts, states))
    if (rg_has_out(ctx, HIDDEN))
        rg_from_steps(&s, states, rg_out_data(ctx, HIDDEN), row);
    if (rg_has_out(ctx, CELL))
        rg_from_steps(&s, cells, rg_out_data(ctx, CELL), row);
    for (int slot = BATCHED_INPUT; ctx->op->out[slot].name != NULL; slot++)
        if (rg_has_out(ctx, slot))
            memset(rg_out_data(ctx, slot), 0, rg_value_bytes(rg_out(ctx, slot)));
    return RG_OK;
}

/* The output XX, or memory for it. */
static void *make_xx(rg_ctx *ctx, int64_t rows, int64_t width)
{
    size_t bytes = (size_t)(rows * width) * rg_dtype_size(rg_dtype_of(ctx, WEIGHT_H));
    return rg_out_or_scratch(ctx, XX, bytes);
}

static rg_status fusion_lstm_infer(rg_ctx *ctx)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_expect_same_dtype(ctx, X, WEIGHT_X));
    RG_TRY(rg_expect_state(ctx, WEIGHT_X, WEIGHT_H,
                           &RG_SHAPE(rg_shape_of(ctx, X)->dim[1], 4 * u.size)));
    set_outs(ctx, u.size);
    rg_set_out(ctx, CHECKED_CELL, rg_dtype_of(ctx, X), &RG_SHAPE(2, u.size));
    return RG_OK;
}

static rg_status fusion_lstm_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *w = rg_shape_of(ctx, WEIGHT_X);
    void *xx = make_xx(ctx, x->dim[0], w->dim[1]);
    if (xx == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, rg_gemm,
                  (false, false, x->dim[0], w->dim[1], x->dim[1], 1, rg_in_data(ctx, X), x->dim[1],
                   rg_in_data(ctx, WEIGHT_X), w->dim[1], 0, xx, w->dim[1]))
    return run_lstm(ctx, xx, rg_in_data(ctx, BIAS));
}

static rg_status fused_embedding_fc_lstm_infer(rg_ctx *ctx)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
    RG_TRY(rg_expect_rank(ctx, IDS, 2));
    RG_TRY(unit_of(ctx, &u, &lod));
    if (rg_shape_of(ctx, IDS)->dim[1] != 1)
        return rg_fail(RG_ESHAPE, "Ids must have the shape [total, 1]");
    set_outs(ctx, u.size);
    return RG_OK;
}

static rg_status fused_embedding_fc_lstm_kernel(rg_ctx *ctx)
{
    const rg_value *table = rg_in(ctx, EMBEDDINGS);
    const int64_t *ids = rg_in_data(ctx, IDS);
    int64_t rows = rg_shape_of(ctx, IDS)->dim[0], height = table->meta.shape.dim[0];
    int64_t width = table->meta.shape.dim[1];
    size_t bytes = rg_row_bytes(table), bias_bytes = rg_value_bytes(rg_in(ctx, BIAS));
    uint8_t *xx = make_xx(ctx, rows, width), *bias = rg_scratch(ctx, bias_bytes);
    if (xx == NULL || bias == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < rows; i++) {
        if (ids[i] < 0 || ids[i] >= height)
            return rg_fail(RG_EVALUE, "Ids has %lld, and Embeddings has %lld rows",
                           (long long)ids[i], (long long)height);
        memcpy(xx + (size_t)i * bytes, rg_row(table, ids[i]), bytes);
    }
    memcpy(bias, rg_in_data(ctx, BIAS), bias_bytes);
    memset(bias, 0, bytes); /* as wide as a row: the bias is in the table already */
    return run_lstm(ctx, xx, bias);
}

#define ATTRS                                                                                 \
    RG_ATTRS([USE_PEEPHOLES] = RG_BOOLEAN("use_peepholes", true, "the gates see the cell"),   \
             [IS_REVERSE] = RG_BOOLEAN("is_reverse", false, "from the end of each sequence"), \
             [USE_SEQ] = RG_BOOLEAN("use_seq", true, "the numbers are the same either way"),  \
             [GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid",                      \
                                           "identity, sigmoid, tanh or relu"),                \
             [CELL_ACTIVATION] = RG_STRING("cell_activation", "tanh", "of the cell"),         \
             [CANDIDATE_ACTIVATION] = RG_STRING("candidate_activation", "tanh", "of c"))
#define SHARED_INPUTS                                                            \
    [WEIGHT_H] = {"WeightH", "[size, 4 size]", RG_NO_GRAD},                      \
    [BIAS] = {"Bias", "[1, 4 size], with peepholes [1, 7 size]", RG_NO_GRAD},    \
    [H0] = {"H0", "states before, [sequences, size]", RG_OPTIONAL | RG_NO_GRAD}, \
    [C0] = {"C0", "cells before, [sequences, size]", RG_OPTIONAL | RG_NO_GRAD}
#define SHARED_OUTPUTS                                                  \
    [HIDDEN] = {"Hidden", "the states, [total, size]"},                 \
    [CELL] = {"Cell", "the cells, [total, size]"},                      \
    [XX] = {"XX", "what lstm is of, [total, 4 size]", RG_INTERMEDIATE}, \
    [BATCHED_INPUT] = {"BatchedInput", "zeros", RG_INTERMEDIATE},       \
    [BATCHED_HIDDEN] = {"BatchedHidden", "zeros", RG_INTERMEDIATE},     \
    [BATCHED_CELL] = {"BatchedCell", "zeros", RG_INTERMEDIATE},         \
    [REORDERED_H0] = {"ReorderedH0", "zeros", RG_INTERMEDIATE},         \
    [REORDERED_C0] = {"ReorderedC0", "zeros", RG_INTERMEDIATE}

const rg_op rg_op_fusion_lstm = {
    .type = "fusion_lstm",
    .doc = "lstm of a product; to infer with.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_NO_GRAD},
                   [WEIGHT_X] = {"WeightX", "[width, 4 size]: c, i, f, o", RG_NO_GRAD},
                   SHARED_INPUTS),
    .out = RG_SLOTS(SHARED_OUTPUTS, [CHECKED_CELL] = {"CheckedCell", "zeros", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = fusion_lstm_infer,
    .kernel = fusion_lstm_kernel,
};

const rg_op rg_op_fused_embedding_fc_lstm = {
    .type = "fused_embedding_fc_lstm",
    .doc = "lstm of rows of a table; to infer with.",
    .in = RG_SLOTS([IDS] = {"Ids", "sequences of int64, [total, 1]", RG_NO_GRAD},
                   [EMBEDDINGS] = {"Embeddings", "[height, 4 size]: c, i, f, o", RG_NO_GRAD},
                   SHARED_INPUTS),
    .out = RG_SLOTS(SHARED_OUTPUTS),
    .attr = ATTRS,
    .infer = fused_embedding_fc_lstm_infer,
    .kernel = fused_embedding_fc_lstm_kernel,
};
