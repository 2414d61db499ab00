/* lstm.c - long short-term memory over sequences.
 *
 *   c, i, f, o = x + h W                   h, C: state and cell before, [n, size]
 *   c = cand(c)  i = gate(i + w_i C)  f = gate(f + w_f C)
 *   C' = f C + i c
 *   o = gate(o + w_o C')
 *   h' = o cell(C')
 *
 * x, the input [n, 4 size] with the bias added, is in the order c, i, f, o. With peepholes
 * the bias is [1, 7 size], its last three parts being w_i, w_f and w_o. Gates are kept as
 * activated, and cell(C') too, for the gradient.
 *
 * Real Paddle 1.8.5 loses what comes back through the cell where size is a multiple of 8 (its AVX
 * kernel): c, i and f get no gradient there, nor do w_i and w_f. Here they always have
 * theirs, which for other sizes is that of real Paddle. */
#include "math/gemm.h"
#include "ops/lstm_loops.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, H0, C0, WEIGHT, BIAS };
enum { HIDDEN, CELL, BATCH_GATE, BATCH_CELL_ACT };
enum { USE_PEEPHOLES, IS_REVERSE, GATE_ACTIVATION, CELL_ACTIVATION, CANDIDATE_ACTIVATION };

static rg_status unit_of(const rg_ctx *ctx, rg_lstm_unit *u, const rg_lod **lod)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT);
    RG_TRY(rg_expect_rank(ctx, INPUT, 2));
    if (x->dim[1] < 0 || x->dim[1] % 4 != 0) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Input has the shape %s, and must have [total, 4 size]",
                       rg_shape_text(x, text));
    }
    *u = (rg_lstm_unit){.size = x->dim[1] / 4, .peepholes = rg_attr_bool(ctx, USE_PEEPHOLES)};
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->gate));
    RG_TRY(rg_cell_act_from_attr(ctx, CELL_ACTIVATION, &u->cell));
    RG_TRY(rg_cell_act_from_attr(ctx, CANDIDATE_ACTIVATION, &u->cand));
    RG_TRY(rg_expect_one_level(ctx, INPUT, lod));
    RG_TRY(rg_expect_state(ctx, WEIGHT, INPUT, &RG_SHAPE(u->size, 4 * u->size)));
    RG_TRY(rg_expect_state(ctx, BIAS, INPUT, &RG_SHAPE(1, (u->peepholes ? 7 : 4) * u->size)));
    rg_shape states = RG_SHAPE(*lod ? rg_lod_sequences(*lod, 0) : -1, u->size);
    RG_TRY(rg_expect_state(ctx, H0, INPUT, &states));
    RG_TRY(rg_expect_state(ctx, C0, INPUT, &states));
    return RG_OK;
}

static rg_status lstm_infer(rg_ctx *ctx)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    RG_TRY(unit_of(ctx, &u, &lod));
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    int64_t rows = rg_shape_of(ctx, INPUT)->dim[0];
    rg_set_out(ctx, HIDDEN, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, CELL, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, BATCH_GATE, dtype, &RG_SHAPE(rows, 4 * u.size));
    rg_set_out(ctx, BATCH_CELL_ACT, dtype, &RG_SHAPE(rows, u.size));
    rg_share_lod(ctx, INPUT, HIDDEN);
    rg_share_lod(ctx, INPUT, CELL);
    return RG_OK;
}

RG_FLOATS(RG_LSTM_CELLS)
RG_FLOATS(RG_LSTM_RUN)

static rg_status lstm_kernel(rg_ctx *ctx)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0, *c0;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, H0, &h0));
    RG_TRY(rg_first_states(ctx, &s, C0, &c0));
    size_t row = (size_t)u.size * rg_dtype_size(rg_dtype_of(ctx, INPUT));
    size_t all = (size_t)s.rows * row;
    void *gates = rg_out_or_scratch(ctx, BATCH_GATE, 4 * all);
    void *acts = rg_out_or_scratch(ctx, BATCH_CELL_ACT, all);
    void *cells = rg_scratch(ctx, all), *states = rg_scratch(ctx, all);
    if (!gates || !acts || !cells || !states)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, INPUT, run,
                  (&u, &s, rg_in_data(ctx, INPUT), rg_in_data(ctx, BIAS), h0, c0,
                   rg_in_data(ctx, WEIGHT), gates, cells, acts, states))
    if (rg_has_out(ctx, HIDDEN))
        rg_from_steps(&s, states, rg_out_data(ctx, HIDDEN), row);
    if (rg_has_out(ctx, CELL))
        rg_from_steps(&s, cells, rg_out_data(ctx, CELL), row);
    return RG_OK;
}

#define ATTRS                                                                                 \
    RG_ATTRS([USE_PEEPHOLES] = RG_BOOLEAN("use_peepholes", true, "the gates see the cell"),   \
             [IS_REVERSE] = RG_BOOLEAN("is_reverse", false, "from the end of each sequence"), \
             [GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid",                      \
                                           "identity, sigmoid, tanh or relu"),                \
             [CELL_ACTIVATION] = RG_STRING("cell_activation", "tanh", "of the cell"),         \
             [CANDIDATE_ACTIVATION] = RG_STRING("candidate_activation", "tanh", "of c"))

const rg_op rg_op_lstm = {
    .type = "lstm",
    .doc = "Long short-term memory over sequences.",
    .in = RG_SLOTS([INPUT] = {"Input", "sequences, [total, 4 size]: c, i, f, o"},
                   [H0] = {"H0", "states before, [sequences, size]", RG_OPTIONAL},
                   [C0] = {"C0", "cells before, [sequences, size]", RG_OPTIONAL},
                   [WEIGHT] = {"Weight", "[size, 4 size]"},
                   [BIAS] = {"Bias", "[1, 4 size], with peepholes [1, 7 size]"}),
    .out = RG_SLOTS([HIDDEN] = {"Hidden", "the states, [total, size]"},
                    [CELL] = {"Cell", "the cells, [total, size]"},
                    [BATCH_GATE] = {"BatchGate", "in step order", RG_INTERMEDIATE},
                    [BATCH_CELL_ACT] = {"BatchCellPreAct", "cell(C), in step order",
                                        RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = lstm_infer,
    .kernel = lstm_kernel,
};

/* ---- gradient ---- */

enum {
    G_INPUT,
    G_H0,
    G_C0,
    G_WEIGHT,
    G_BIAS,
    G_HIDDEN,
    G_CELL,
    G_BATCH_GATE,
    G_BATCH_CELL_ACT,
    G_DHIDDEN,
    G_DCELL
};
enum { G_DINPUT, G_DH0, G_DC0, G_DWEIGHT, G_DBIAS };

/* Everything in step order. On entry dstates and dcells hold the outputs' gradients; dh and
 * dc are a step's rows of memory, which hold in the end the gradients of H0 and C0. */
typedef struct tape {
    const void *gates, *acts, *cells;
    void *states_before, *cells_before;
    void *dstates, *dcells, *dgates, *dh, *dc;
} tape;

RG_FLOATS(RG_LSTM_CELLS_BACK)

#define RUN_BACK(T, S)                                                                            \
    static void run_back_##S(const rg_lstm_unit *u, const rg_steps *s, const T *weight,           \
                             const T *bias, const tape *m)                                        \
    {                                                                                             \
        int64_t size = u->size;                                                                   \
        const T *peep = u->peepholes ? bias + 4 * size : NULL;                                    \
        T *dstates = m->dstates, *dcells = m->dcells, *dh = m->dh, *dc = m->dc;                   \
        for (int64_t t = s->steps; t-- > 0;) {                                                    \
            int64_t at = s->begin[t] * size, n = rg_step_rows(s, t);                              \
            T *dgates = (T *)m->dgates + 4 * at;                                                  \
            cells_back_##S(u, (const T *)m->gates + 4 * at, peep, (T *)m->cells_before + at,      \
                           (const T *)m->acts + at, (const T *)m->cells + at, dstates + at,       \
                           dcells + at, dgates, dc, n);                                           \
            rg_gemm_##S(false, true, n, size, 4 * size, 1, dgates, 4 * size, weight, 4 * size, 0, \
                        dh, size);                                                                \
            if (t > 0) {                                                                          \
                add_##S(dstates + s->begin[t - 1] * size, dh, n * size);                          \
                add_##S(dcells + s->begin[t - 1] * size, dc, n * size);                           \
            }                                                                                     \
        }                                                                                         \
    }
RG_FLOATS(RUN_BACK)

/* Memory for the tape, and what is known before the walk put in step order. */
static rg_status make_tape(rg_ctx *ctx, const rg_steps *s, size_t row, tape *m)
{
    const void *h0, *c0;
    size_t all = (size_t)s->rows * row, one = (size_t)s->sequences * row;
    RG_TRY(rg_first_states(ctx, s, G_H0, &h0));
    RG_TRY(rg_first_states(ctx, s, G_C0, &c0));
    void *states = rg_scratch(ctx, all), *cells = rg_scratch(ctx, all);
    *m = (tape){.gates = rg_in_data(ctx, G_BATCH_GATE),
                .acts = rg_in_data(ctx, G_BATCH_CELL_ACT),
                .cells = cells,
                .states_before = rg_scratch(ctx, all),
                .cells_before = rg_scratch(ctx, all),
                .dstates = rg_scratch(ctx, all),
                .dcells = rg_scratch(ctx, all),
                .dgates = rg_scratch(ctx, 4 * all),
                .dh = rg_scratch(ctx, one),
                .dc = rg_scratch(ctx, one)};
    if (!states || !cells || !m->states_before || !m->cells_before || !m->dstates || !m->dcells ||
        !m->dgates || !m->dh || !m->dc)
        return RG_ENOMEM;
    rg_to_steps(s, rg_in_data(ctx, G_HIDDEN), states, row);
    rg_to_steps(s, rg_in_data(ctx, G_CELL), cells, row);
    rg_previous_rows(s, states, h0, m->states_before, row);
    rg_previous_rows(s, cells, c0, m->cells_before, row);
    rg_to_steps(s, rg_in_data(ctx, G_DHIDDEN), m->dstates, row);
    if (rg_has_in(ctx, G_DCELL))
        rg_to_steps(s, rg_in_data(ctx, G_DCELL), m->dcells, row);
    else
        memset(m->dcells, 0, all);
    return RG_OK;
}

static rg_status check_kept(const rg_ctx *ctx, int64_t numel)
{
    RG_TRY(rg_expect_kept(ctx, G_HIDDEN, G_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, G_CELL, G_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, G_BATCH_GATE, G_INPUT, 4 * numel));
    RG_TRY(rg_expect_kept(ctx, G_BATCH_CELL_ACT, G_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, G_DHIDDEN, G_INPUT, numel));
    return rg_has_in(ctx, G_DCELL) ? rg_expect_kept(ctx, G_DCELL, G_INPUT, numel) : RG_OK;
}

static rg_status lstm_grad_kernel(rg_ctx *ctx)
{
    rg_lstm_unit u;
    const rg_lod *lod;
    rg_steps s;
    tape m;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(check_kept(ctx, s.rows * u.size));
    size_t row = (size_t)u.size * rg_dtype_size(rg_dtype_of(ctx, G_DHIDDEN));
    RG_TRY(make_tape(ctx, &s, row, &m));
    RG_CALL_FLOAT(ctx, G_DHIDDEN, run_back,
                  (&u, &s, rg_in_data(ctx, G_WEIGHT), rg_in_data(ctx, G_BIAS), &m))
    if (rg_has_out(ctx, G_DINPUT))
        rg_from_steps(&s, m.dgates, rg_out_data(ctx, G_DINPUT), 4 * row);
    if (rg_has_out(ctx, G_DH0))
        rg_states_from_steps(&s, m.dh, rg_out_data(ctx, G_DH0), row);
    if (rg_has_out(ctx, G_DC0))
        rg_states_from_steps(&s, m.dc, rg_out_data(ctx, G_DC0), row);
    if (rg_has_out(ctx, G_DWEIGHT))
        RG_CALL_FLOAT(ctx, G_DHIDDEN, rg_gemm,
                      (true, false, u.size, 4 * u.size, s.rows, 1, m.states_before, u.size,
                       m.dgates, 4 * u.size, 0, rg_out_data(ctx, G_DWEIGHT), 4 * u.size))
    if (rg_has_out(ctx, G_DBIAS))
        RG_CALL_FLOAT(ctx, G_DHIDDEN, bias_back,
                      (&u, m.dgates, m.cells_before, m.cells, s.rows, rg_out_data(ctx, G_DBIAS)))
    return RG_OK;
}

const rg_op rg_op_lstm_grad = {
    .type = "lstm_grad",
    .doc = "Gradient of lstm.",
    .in = RG_SLOTS([G_INPUT] = {"Input", "", RG_SHAPE_ONLY}, [G_H0] = {"H0", "", RG_OPTIONAL},
                   [G_C0] = {"C0", "", RG_OPTIONAL}, [G_WEIGHT] = {"Weight", ""},
                   [G_BIAS] = {"Bias", ""}, [G_HIDDEN] = {"Hidden", ""}, [G_CELL] = {"Cell", ""},
                   [G_BATCH_GATE] = {"BatchGate", ""}, [G_BATCH_CELL_ACT] = {"BatchCellPreAct", ""},
                   [G_DHIDDEN] = {"Hidden@GRAD", ""},
                   [G_DCELL] = {"Cell@GRAD", "real Paddle leaves it out", RG_OPTIONAL}),
    .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_INPUT)},
                    [G_DH0] = {"H0@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_H0)},
                    [G_DC0] = {"C0@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_C0)},
                    [G_DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_WEIGHT)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_BIAS)}),
    .attr = ATTRS,
    .kernel = lstm_grad_kernel,
};
