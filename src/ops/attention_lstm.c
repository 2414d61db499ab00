/* attention_lstm.c - long short-term memory whose input, at each step, is what it attends to of
 * the whole sequence; to infer with.
 *
 *   a = softmax over rows r of relu(x_r A_x + C A_c + bias), which Scalar, where there is one,
 *       turns into relu(Scalar a_r + ScalarBias) before the softmax
 *   x = sum_r a_r x_r
 *   f, i, o, g = h W_h + x W_x + b           LSTMWeight: [size + width, 4 size], W_h first
 *   C' = f C + i g        h' = o cell(C')
 *
 * A sequence has as many steps as rows. There is no gradient. The outputs beside Hidden and Cell
 * are memory that real Paddle works in; zeros here for whoever asks. */
#include "math/gemm.h"
#include "ops/rnn.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum {
    X,
    C0,
    H0,
    ATTENTION_WEIGHT,
    ATTENTION_BIAS,
    ATTENTION_SCALAR,
    ATTENTION_SCALAR_BIAS,
    LSTM_WEIGHT,
    LSTM_BIAS
};
enum { HIDDEN, CELL, ATTENTIONED_X, ATTENTION_FC_OUT, LSTM_X, LSTM_OUT };
enum { GATE_ACTIVATION, CELL_ACTIVATION, CANDIDATE_ACTIVATION };

typedef struct unit {
    int64_t size, width, longest;
    rg_cell_act gate, cell, cand;
} unit;

static rg_status unit_of(const rg_ctx *ctx, unit *u, const rg_lod **lod)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32, RG_F64));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, LSTM_WEIGHT, 2));
    RG_TRY(rg_expect_one_level(ctx, X, lod));
    int64_t width = rg_shape_of(ctx, X)->dim[1], size = rg_shape_of(ctx, LSTM_WEIGHT)->dim[1] / 4;
    if (width < 0 || size < 0)
        return rg_fail(RG_ESHAPE, "the widths of X and LSTMWeight must be known");
    *u = (unit){.size = size, .width = width};
    for (int64_t i = 0; *lod && i < rg_lod_sequences(*lod, 0); i++) {
        int64_t length = (*lod)->offset[0][i + 1] - (*lod)->offset[0][i];
        u->longest = length > u->longest ? length : u->longest;
    }
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->gate));
    RG_TRY(rg_cell_act_from_attr(ctx, CELL_ACTIVATION, &u->cell));
    RG_TRY(rg_cell_act_from_attr(ctx, CANDIDATE_ACTIVATION, &u->cand));
    rg_shape states = RG_SHAPE(*lod ? rg_lod_sequences(*lod, 0) : -1, size);
    RG_TRY(rg_expect_state(ctx, C0, X, &states));
    RG_TRY(rg_expect_state(ctx, H0, X, &states));
    RG_TRY(rg_expect_state(ctx, ATTENTION_WEIGHT, X, &RG_SHAPE(width + size, 1)));
    RG_TRY(rg_expect_state(ctx, ATTENTION_BIAS, X, &RG_SHAPE(1, 1)));
    RG_TRY(rg_expect_state(ctx, ATTENTION_SCALAR, X, &RG_SHAPE(1, 1)));
    RG_TRY(rg_expect_state(ctx, ATTENTION_SCALAR_BIAS, X, &RG_SHAPE(1, 1)));
    RG_TRY(rg_expect_state(ctx, LSTM_WEIGHT, X, &RG_SHAPE(width + size, 4 * size)));
    return rg_expect_state(ctx, LSTM_BIAS, X, &RG_SHAPE(1, 4 * size));
}

static rg_status attention_lstm_infer(rg_ctx *ctx)
{
    unit u;
    const rg_lod *lod;
    RG_TRY(unit_of(ctx, &u, &lod));
    rg_dtype dtype = rg_dtype_of(ctx, X);
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    rg_set_out(ctx, HIDDEN, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, CELL, dtype, &RG_SHAPE(rows, u.size));
    rg_share_lod(ctx, X, HIDDEN);
    rg_share_lod(ctx, X, CELL);
    rg_set_out(ctx, ATTENTIONED_X, dtype, &RG_SHAPE(rows, 1));
    rg_set_out(ctx, ATTENTION_FC_OUT, dtype, &RG_SHAPE(lod ? u.longest : -1, 1));
    rg_set_out(ctx, LSTM_X, dtype, &RG_SHAPE(1, u.width));
    rg_set_out(ctx, LSTM_OUT, dtype, &RG_SHAPE(1, 4 * u.size));
    return RG_OK;
}

#define RUN(T, S, EXP)                                                                            \
    /* How much of each row, of `scores`, those of x alone. */                                    \
    static void attend_##S(const unit *u, const T *weight, const T *scalar, const T *scalar_bias, \
                           const T *cell, const T *scores, int64_t n, T *parts)                   \
    {                                                                                             \
        T of_cell = 0, most = 0, sum = 0;                                                         \
        for (int64_t j = 0; j < u->size; j++)                                                     \
            of_cell += weight[u->width + j] * cell[j];                                            \
        for (int64_t r = 0; r < n; r++) {                                                         \
            T score = scores[r] + of_cell;                                                        \
            score = 0 > score ? 0 : score;                                                        \
            if (scalar != NULL) {                                                                 \
                score = score * *scalar + (scalar_bias ? *scalar_bias : 0);                       \
                score = 0 > score ? 0 : score;                                                    \
            }                                                                                     \
            parts[r] = score;                                                                     \
            most = r == 0 || parts[r] > most ? parts[r] : most;                                   \
        }                                                                                         \
        for (int64_t r = 0; r < n; r++)                                                           \
            sum += parts[r] = EXP(parts[r] - most);                                               \
        for (int64_t r = 0; r < n; r++)                                                           \
            parts[r] /= sum;                                                                      \
    }                                                                                             \
    static void step_##S(const unit *u, const T *before, T *gates, T *cell, T *hidden)            \
    {                                                                                             \
        int64_t size = u->size;                                                                   \
        T *f = gates, *i = f + size, *o = i + size, *g = o + size;                                \
        rg_cell_act_##S(u->gate, f, 3 * size);                                                    \
        rg_cell_act_##S(u->cand, g, size);                                                        \
        for (int64_t j = 0; j < size; j++)                                                        \
            hidden[j] = cell[j] = f[j] * before[j] + i[j] * g[j];                                 \
        rg_cell_act_##S(u->cell, hidden, size);                                                   \
        for (int64_t j = 0; j < size; j++)                                                        \
            hidden[j] *= o[j];                                                                    \
    }                                                                                             \
    /* One sequence of n rows. memory: 2 n + width + 4 size numbers. */                           \
    static void run_##S(const rg_ctx *ctx, const unit *u, const T *x, int64_t n, const T *h,      \
                        const T *c, T *memory, T *cells, T *states)                               \
    {                                                                                             \
        const T *weight = rg_in_data(ctx, ATTENTION_WEIGHT);                                      \
        const T *bias = rg_in_data(ctx, ATTENTION_BIAS), *w = rg_in_data(ctx, LSTM_WEIGHT);       \
        int64_t size = u->size, width = u->width;                                                 \
        T *scores = memory, *parts = scores + n, *mix = parts + n, *gates = mix + width;          \
        rg_gemm_##S(false, false, n, 1, width, 1, x, width, weight, 1, 0, scores, 1);             \
        for (int64_t r = 0; bias != NULL && r < n; r++)                                           \
            scores[r] += *bias;                                                                   \
        for (int64_t t = 0; t < n; t++) {                                                         \
            attend_##S(u, weight, rg_in_data(ctx, ATTENTION_SCALAR),                              \
                       rg_in_data(ctx, ATTENTION_SCALAR_BIAS), c, scores, n, parts);              \
            rg_gemm_##S(false, false, 1, width, n, 1, parts, n, x, width, 0, mix, width);         \
            memcpy(gates, rg_in_data(ctx, LSTM_BIAS), 4 * (size_t)size * sizeof *gates);          \
            rg_gemm_##S(false, false, 1, 4 * size, width, 1, mix, width, w + size * 4 * size,     \
                        4 * size, 1, gates, 4 * size);                                            \
            if (h != NULL)                                                                        \
                rg_gemm_##S(false, false, 1, 4 * size, size, 1, h, size, w, 4 * size, 1, gates,   \
                            4 * size);                                                            \
            step_##S(u, c, gates, cells + t * size, states + t * size);                           \
            c = cells + t * size;                                                                 \
            h = states + t * size;                                                                \
        }                                                                                         \
    }                                                                                             \
    static void sequences_##S(const rg_ctx *ctx, const unit *u, const rg_lod *lod, T *memory,     \
                              T *cells, T *states)                                                \
    {                                                                                             \
        const T *x = rg_in_data(ctx, X), *h0 = rg_in_data(ctx, H0), *c0 = rg_in_data(ctx, C0);    \
        for (int64_t i = 0; i < rg_lod_sequences(lod, 0); i++) {                                  \
            int64_t at = lod->offset[0][i], n = lod->offset[0][i + 1] - at;                       \
            run_##S(ctx, u, x + at * u->width, n, h0 ? h0 + i * u->size : NULL, c0 + i * u->size, \
                    memory, cells + at * u->size, states + at * u->size);                         \
        }                                                                                         \
    }
RUN(float, f32, expf)
RUN(double, f64, exp)

static rg_status attention_lstm_kernel(rg_ctx *ctx)
{
    unit u;
    const rg_lod *lod;
    RG_TRY(unit_of(ctx, &u, &lod));
    size_t number = rg_dtype_size(rg_dtype_of(ctx, X));
    size_t all = (size_t)(rg_shape_of(ctx, X)->dim[0] * u.size) * number;
    void *memory = rg_scratch(ctx, (size_t)(2 * u.longest + u.width + 4 * u.size) * number);
    void *cells = rg_out_or_scratch(ctx, CELL, all);
    void *states = rg_out_or_scratch(ctx, HIDDEN, all);
    if (!memory || !cells || !states)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, sequences, (ctx, &u, lod, memory, cells, states))
    for (int slot = ATTENTIONED_X; slot <= LSTM_OUT; slot++)
        if (rg_has_out(ctx, slot))
            memset(rg_out_data(ctx, slot), 0, rg_value_bytes(rg_out(ctx, slot)));
    return RG_OK;
}

const rg_op rg_op_attention_lstm = {
    .type = "attention_lstm",
    .doc = "Long short-term memory that attends to the whole sequence; to infer with.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_NO_GRAD},
                   [C0] = {"C0", "cells before, [sequences, size]", RG_NO_GRAD},
                   [H0] = {"H0", "states before, likewise", RG_OPTIONAL | RG_NO_GRAD},
                   [ATTENTION_WEIGHT] = {"AttentionWeight", "[width + size, 1]", RG_NO_GRAD},
                   [ATTENTION_BIAS] = {"AttentionBias", "[1, 1]", RG_OPTIONAL | RG_NO_GRAD},
                   [ATTENTION_SCALAR] = {"AttentionScalar", "[1, 1]", RG_OPTIONAL | RG_NO_GRAD},
                   [ATTENTION_SCALAR_BIAS] = {"AttentionScalarBias", "[1, 1]",
                                              RG_OPTIONAL | RG_NO_GRAD},
                   [LSTM_WEIGHT] = {"LSTMWeight", "[size + width, 4 size]: f, i, o, g", RG_NO_GRAD},
                   [LSTM_BIAS] = {"LSTMBias", "[1, 4 size]", RG_NO_GRAD}),
    .out = RG_SLOTS([HIDDEN] = {"Hidden", "the states, [total, size]"},
                    [CELL] = {"Cell", "the cells, [total, size]"},
                    [ATTENTIONED_X] = {"AttentionedX", "zeros", RG_INTERMEDIATE},
                    [ATTENTION_FC_OUT] = {"AttentionFCOut", "zeros", RG_INTERMEDIATE},
                    [LSTM_X] = {"LSTMX", "zeros", RG_INTERMEDIATE},
                    [LSTM_OUT] = {"LSTMOUT", "zeros", RG_INTERMEDIATE}),
    .attr = RG_ATTRS([GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid",
                                                   "identity, sigmoid, tanh or relu"),
                     [CELL_ACTIVATION] = RG_STRING("cell_activation", "tanh", "of the cell"),
                     [CANDIDATE_ACTIVATION] = RG_STRING("candidate_activation", "tanh", "of g")),
    .infer = attention_lstm_infer,
    .kernel = attention_lstm_kernel,
};
