/* lstmp.c - long short-term memory over sequences whose state is projected.
 *
 * A step is that of lstm.c, with the cell kept within [-cell_clip, cell_clip] where that is above
 * 0. Its state h [n, size] is projected: p = act(h P), kept within proj_clip likewise, and it is p
 * [n, width] that the next step sees, so Weight is [width, 4 size] and H0 [sequences, width].
 *
 * What is clipped has no gradient; real Paddle's comes through what it has clipped, and its
 * projection has the activation of the cell, whatever is asked for (but identity). */
#include "ops/lstm_loops.h"
#include "ops/sequences.h"

#include <string.h>

enum { INPUT, H0, C0, WEIGHT, PROJ_WEIGHT, BIAS };
enum { PROJECTION, CELL, BATCH_GATE, BATCH_CELL_ACT, BATCH_HIDDEN };
enum {
    USE_PEEPHOLES,
    IS_REVERSE,
    CELL_CLIP,
    PROJ_CLIP,
    GATE_ACTIVATION,
    CELL_ACTIVATION,
    CANDIDATE_ACTIVATION,
    PROJ_ACTIVATION
};

typedef struct unit {
    rg_lstm_unit lstm;
    int64_t width; /* of the projection */
    rg_cell_act act;
    double clip;
} unit;

static rg_status unit_of(const rg_ctx *ctx, unit *u, const rg_lod **lod)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT);
    RG_TRY(rg_expect_rank(ctx, INPUT, 2));
    RG_TRY(rg_expect_rank(ctx, WEIGHT, 2));
    if (x->dim[1] < 0 || x->dim[1] % 4 != 0) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Input has the shape %s, and must have [total, 4 size]",
                       rg_shape_text(x, text));
    }
    int64_t size = x->dim[1] / 4;
    *u = (unit){.lstm = {.size = size,
                         .peepholes = rg_attr_bool(ctx, USE_PEEPHOLES),
                         .clip = rg_attr_float(ctx, CELL_CLIP)},
                .width = rg_shape_of(ctx, WEIGHT)->dim[0],
                .clip = rg_attr_float(ctx, PROJ_CLIP)};
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->lstm.gate));
    RG_TRY(rg_cell_act_from_attr(ctx, CELL_ACTIVATION, &u->lstm.cell));
    RG_TRY(rg_cell_act_from_attr(ctx, CANDIDATE_ACTIVATION, &u->lstm.cand));
    RG_TRY(rg_cell_act_from_attr(ctx, PROJ_ACTIVATION, &u->act));
    if (u->act == RG_CELL_CLIPPED_SIGMOID) /* that of plain tensors */
        u->act = RG_CELL_SIGMOID;
    RG_TRY(rg_expect_one_level(ctx, INPUT, lod));
    RG_TRY(rg_expect_state(ctx, WEIGHT, INPUT, &RG_SHAPE(u->width, 4 * size)));
    RG_TRY(rg_expect_state(ctx, PROJ_WEIGHT, INPUT, &RG_SHAPE(size, u->width)));
    RG_TRY(rg_expect_state(ctx, BIAS, INPUT, &RG_SHAPE(1, (u->lstm.peepholes ? 7 : 4) * size)));
    int64_t sequences = *lod ? rg_lod_sequences(*lod, 0) : -1;
    RG_TRY(rg_expect_state(ctx, H0, INPUT, &RG_SHAPE(sequences, u->width)));
    RG_TRY(rg_expect_state(ctx, C0, INPUT, &RG_SHAPE(sequences, size)));
    return RG_OK;
}

static rg_status lstmp_infer(rg_ctx *ctx)
{
    unit u;
    const rg_lod *lod;
    RG_TRY(unit_of(ctx, &u, &lod));
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    int64_t rows = rg_shape_of(ctx, INPUT)->dim[0], size = u.lstm.size;
    rg_set_out(ctx, PROJECTION, dtype, &RG_SHAPE(rows, u.width));
    rg_set_out(ctx, CELL, dtype, &RG_SHAPE(rows, size));
    rg_set_out(ctx, BATCH_GATE, dtype, &RG_SHAPE(rows, 4 * size));
    rg_set_out(ctx, BATCH_CELL_ACT, dtype, &RG_SHAPE(rows, size));
    rg_set_out(ctx, BATCH_HIDDEN, dtype, &RG_SHAPE(rows, size));
    rg_share_lod(ctx, INPUT, PROJECTION);
    rg_share_lod(ctx, INPUT, CELL);
    return RG_OK;
}

RG_FLOATS(RG_LSTM_CELLS)

/* All in step order. */
#define RUN(T, S)                                                                                 \
    RG_HOT static void project_act_##S(const unit *u, T *p, int64_t n)                            \
    {                                                                                             \
        T top = (T)u->clip;                                                                       \
        rg_cell_act_##S(u->act, p, n);                                                            \
        for (int64_t j = 0; top > 0 && j < n; j++) {                                              \
            T low = -top > p[j] ? -top : p[j];                                                    \
            p[j] = top < low ? top : low;                                                         \
        }                                                                                         \
    }                                                                                             \
    static void run_##S(const unit *u, const rg_steps *s, const T *x, const T *bias, const T *h0, \
                        const T *c0, const T *weight, const T *proj, T *gates, T *cells, T *acts, \
                        T *states, T *out)                                                        \
    {                                                                                             \
        int64_t size = u->lstm.size, width = u->width;                                            \
        const T *peep = u->lstm.peepholes ? bias + 4 * size : NULL;                               \
        rg_to_steps(s, x, gates, 4 * (size_t)size * sizeof *x);                                   \
        add_bias_##S(gates, bias, s->rows, 4 * size);                                             \
        for (int64_t t = 0; t < s->steps; t++) {                                                  \
            int64_t row = s->begin[t], at = row * size, n = rg_step_rows(s, t);                   \
            const T *h = t > 0 ? out + s->begin[t - 1] * width : h0;                              \
            const T *c = t > 0 ? cells + s->begin[t - 1] * size : c0;                             \
            if (h != NULL)                                                                        \
                rg_gemm_##S(false, false, n, 4 * size, width, 1, h, width, weight, 4 * size, 1,   \
                            gates + 4 * at, 4 * size);                                            \
            cells_##S(&u->lstm, gates + 4 * at, peep, c, cells + at, acts + at, states + at, n);  \
            rg_gemm_##S(false, false, n, width, size, 1, states + at, size, proj, width, 0,       \
                        out + row * width, width);                                                \
            project_act_##S(u, out + row * width, n * width);                                     \
        }                                                                                         \
    }
RG_FLOATS(RUN)

static rg_status lstmp_kernel(rg_ctx *ctx)
{
    unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0, *c0;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, H0, &h0));
    RG_TRY(rg_first_states(ctx, &s, C0, &c0));
    size_t number = rg_dtype_size(rg_dtype_of(ctx, INPUT));
    size_t row = (size_t)u.lstm.size * number, all = (size_t)s.rows * row;
    size_t narrow = (size_t)u.width * number;
    void *gates = rg_out_or_scratch(ctx, BATCH_GATE, 4 * all);
    void *acts = rg_out_or_scratch(ctx, BATCH_CELL_ACT, all);
    void *states = rg_out_or_scratch(ctx, BATCH_HIDDEN, all);
    void *cells = rg_scratch(ctx, all), *out = rg_scratch(ctx, (size_t)s.rows * narrow);
    if (!gates || !acts || !states || !cells || !out)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, INPUT, run,
                  (&u, &s, rg_in_data(ctx, INPUT), rg_in_data(ctx, BIAS), h0, c0,
                   rg_in_data(ctx, WEIGHT), rg_in_data(ctx, PROJ_WEIGHT), gates, cells, acts,
                   states, out))
    if (rg_has_out(ctx, PROJECTION))
        rg_from_steps(&s, out, rg_out_data(ctx, PROJECTION), narrow);
    if (rg_has_out(ctx, CELL))
        rg_from_steps(&s, cells, rg_out_data(ctx, CELL), row);
    return RG_OK;
}

#define ATTRS                                                                                 \
    RG_ATTRS([USE_PEEPHOLES] = RG_BOOLEAN("use_peepholes", true, "the gates see the cell"),   \
             [IS_REVERSE] = RG_BOOLEAN("is_reverse", false, "from the end of each sequence"), \
             [CELL_CLIP] = RG_FLOAT("cell_clip", 0, "of the cell, where above 0"),            \
             [PROJ_CLIP] = RG_FLOAT("proj_clip", 0, "of the projection, where above 0"),      \
             [GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid",                      \
                                           "identity, sigmoid, tanh or relu"),                \
             [CELL_ACTIVATION] = RG_STRING("cell_activation", "tanh", "of the cell"),         \
             [CANDIDATE_ACTIVATION] = RG_STRING("candidate_activation", "tanh", "of c"),      \
             [PROJ_ACTIVATION] = RG_STRING("proj_activation", "tanh", "of the projection"))

const rg_op rg_op_lstmp = {
    .type = "lstmp",
    .doc = "Long short-term memory over sequences, its state projected.",
    .in = RG_SLOTS([INPUT] = {"Input", "sequences, [total, 4 size]: c, i, f, o"},
                   [H0] = {"H0", "projections before, [sequences, width]", RG_OPTIONAL},
                   [C0] = {"C0", "cells before, [sequences, size]", RG_OPTIONAL},
                   [WEIGHT] = {"Weight", "[width, 4 size]"},
                   [PROJ_WEIGHT] = {"ProjWeight", "[size, width]"},
                   [BIAS] = {"Bias", "[1, 4 size], with peepholes [1, 7 size]"}),
    .out = RG_SLOTS([PROJECTION] = {"Projection", "the projected states, [total, width]"},
                    [CELL] = {"Cell", "the cells, [total, size]"},
                    [BATCH_GATE] = {"BatchGate", "in step order", RG_INTERMEDIATE},
                    [BATCH_CELL_ACT] = {"BatchCellPreAct", "cell(C), in step order",
                                        RG_INTERMEDIATE},
                    [BATCH_HIDDEN] = {"BatchHidden", "states, in step order", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = lstmp_infer,
    .kernel = lstmp_kernel,
};

/* ---- gradient ---- */

enum {
    G_INPUT,
    G_H0,
    G_C0,
    G_WEIGHT,
    G_PROJ_WEIGHT,
    G_BIAS,
    G_PROJECTION,
    G_CELL,
    G_BATCH_GATE,
    G_BATCH_CELL_ACT,
    G_BATCH_HIDDEN,
    G_DPROJECTION,
    G_DCELL
};
enum { G_DINPUT, G_DH0, G_DC0, G_DWEIGHT, G_DPROJ_WEIGHT, G_DBIAS };

/* In step order. On entry dout and dcells hold the outputs' gradients; dout becomes those before
 * the projection's activation. dp and dc are a step's rows, in the end the gradients of H0, C0. */
typedef struct tape {
    const void *gates, *acts;
    void *out, *cells, *out_before, *cells_before;
    void *dout, *dcells, *dgates, *dstate, *dp, *dc;
} tape;

RG_FLOATS(RG_LSTM_CELLS_BACK)

#define RUN_BACK(T, S)                                                                             \
    RG_HOT static void project_back_##S(const unit *u, const T *p, T *d, int64_t n)                \
    {                                                                                              \
        T top = (T)u->clip;                                                                        \
        rg_cell_act_grad_##S(u->act, p, d, n);                                                     \
        for (int64_t j = 0; top > 0 && j < n; j++)                                                 \
            d[j] = p[j] >= top || p[j] <= -top ? 0 : d[j];                                         \
    }                                                                                              \
    static void run_back_##S(const unit *u, const rg_steps *s, const T *weight, const T *proj,     \
                             const T *bias, const tape *m)                                         \
    {                                                                                              \
        int64_t size = u->lstm.size, width = u->width;                                             \
        const T *peep = u->lstm.peepholes ? bias + 4 * size : NULL, *out = m->out;                 \
        T *dout = m->dout, *dcells = m->dcells, *dp = m->dp, *dc = m->dc;                          \
        for (int64_t t = s->steps; t-- > 0;) {                                                     \
            int64_t row = s->begin[t], at = row * size, n = rg_step_rows(s, t);                    \
            T *dgates = (T *)m->dgates + 4 * at;                                                   \
            project_back_##S(u, out + row * width, dout + row * width, n * width);                 \
            rg_gemm_##S(false, true, n, size, width, 1, dout + row * width, width, proj, width, 0, \
                        m->dstate, size);                                                          \
            cells_back_##S(&u->lstm, (const T *)m->gates + 4 * at, peep,                           \
                           (T *)m->cells_before + at, (const T *)m->acts + at, (T *)m->cells + at, \
                           m->dstate, dcells + at, dgates, dc, n);                                 \
            rg_gemm_##S(false, true, n, width, 4 * size, 1, dgates, 4 * size, weight, 4 * size, 0, \
                        dp, width);                                                                \
            if (t > 0) {                                                                           \
                add_##S(dout + s->begin[t - 1] * width, dp, n * width);                            \
                add_##S(dcells + s->begin[t - 1] * size, dc, n * size);                            \
            }                                                                                      \
        }                                                                                          \
    }
RG_FLOATS(RUN_BACK)

static rg_status make_tape(rg_ctx *ctx, const rg_steps *s, size_t row, size_t narrow, tape *m)
{
    const void *h0, *c0;
    size_t all = (size_t)s->rows * row, thin = (size_t)s->rows * narrow;
    size_t n = (size_t)s->sequences;
    RG_TRY(rg_first_states(ctx, s, G_H0, &h0));
    RG_TRY(rg_first_states(ctx, s, G_C0, &c0));
    *m = (tape){.gates = rg_in_data(ctx, G_BATCH_GATE),
                .acts = rg_in_data(ctx, G_BATCH_CELL_ACT),
                .out = rg_scratch(ctx, thin),
                .cells = rg_scratch(ctx, all),
                .out_before = rg_scratch(ctx, thin),
                .cells_before = rg_scratch(ctx, all),
                .dout = rg_scratch(ctx, thin),
                .dcells = rg_scratch(ctx, all),
                .dgates = rg_scratch(ctx, 4 * all),
                .dstate = rg_scratch(ctx, n * row),
                .dp = rg_scratch(ctx, n * narrow),
                .dc = rg_scratch(ctx, n * row)};
    if (!m->out || !m->cells || !m->out_before || !m->cells_before || !m->dout || !m->dcells ||
        !m->dgates || !m->dstate || !m->dp || !m->dc)
        return RG_ENOMEM;
    rg_to_steps(s, rg_in_data(ctx, G_PROJECTION), m->out, narrow);
    rg_to_steps(s, rg_in_data(ctx, G_CELL), m->cells, row);
    rg_previous_rows(s, m->out, h0, m->out_before, narrow);
    rg_previous_rows(s, m->cells, c0, m->cells_before, row);
    rg_to_steps(s, rg_in_data(ctx, G_DPROJECTION), m->dout, narrow);
    if (rg_has_in(ctx, G_DCELL))
        rg_to_steps(s, rg_in_data(ctx, G_DCELL), m->dcells, row);
    else
        memset(m->dcells, 0, all);
    return RG_OK;
}

static rg_status check_kept(const rg_ctx *ctx, const unit *u, int64_t rows)
{
    int64_t numel = rows * u->lstm.size;
    RG_TRY(rg_expect_kept(ctx, G_PROJECTION, G_INPUT, rows * u->width));
    RG_TRY(rg_expect_kept(ctx, G_DPROJECTION, G_INPUT, rows * u->width));
    RG_TRY(rg_expect_kept(ctx, G_CELL, G_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, G_BATCH_GATE, G_INPUT, 4 * numel));
    RG_TRY(rg_expect_kept(ctx, G_BATCH_CELL_ACT, G_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, G_BATCH_HIDDEN, G_INPUT, numel));
    return rg_has_in(ctx, G_DCELL) ? rg_expect_kept(ctx, G_DCELL, G_INPUT, numel) : RG_OK;
}

static rg_status lstmp_grad_kernel(rg_ctx *ctx)
{
    unit u;
    const rg_lod *lod;
    rg_steps s;
    tape m;
    RG_TRY(unit_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, IS_REVERSE), &s));
    RG_TRY(check_kept(ctx, &u, s.rows));
    size_t number = rg_dtype_size(rg_dtype_of(ctx, G_DPROJECTION));
    int64_t size = u.lstm.size, width = u.width;
    size_t row = (size_t)size * number, narrow = (size_t)width * number;
    RG_TRY(make_tape(ctx, &s, row, narrow, &m));
    RG_CALL_FLOAT(ctx, G_DPROJECTION, run_back,
                  (&u, &s, rg_in_data(ctx, G_WEIGHT), rg_in_data(ctx, G_PROJ_WEIGHT),
                   rg_in_data(ctx, G_BIAS), &m))
    if (rg_has_out(ctx, G_DINPUT))
        rg_from_steps(&s, m.dgates, rg_out_data(ctx, G_DINPUT), 4 * row);
    if (rg_has_out(ctx, G_DH0))
        rg_states_from_steps(&s, m.dp, rg_out_data(ctx, G_DH0), narrow);
    if (rg_has_out(ctx, G_DC0))
        rg_states_from_steps(&s, m.dc, rg_out_data(ctx, G_DC0), row);
    if (rg_has_out(ctx, G_DWEIGHT))
        RG_CALL_FLOAT(ctx, G_DPROJECTION, rg_gemm,
                      (true, false, width, 4 * size, s.rows, 1, m.out_before, width, m.dgates,
                       4 * size, 0, rg_out_data(ctx, G_DWEIGHT), 4 * size))
    if (rg_has_out(ctx, G_DPROJ_WEIGHT))
        RG_CALL_FLOAT(ctx, G_DPROJECTION, rg_gemm,
                      (true, false, size, width, s.rows, 1, rg_in_data(ctx, G_BATCH_HIDDEN), size,
                       m.dout, width, 0, rg_out_data(ctx, G_DPROJ_WEIGHT), width))
    if (rg_has_out(ctx, G_DBIAS))
        RG_CALL_FLOAT(
            ctx, G_DPROJECTION, bias_back,
            (&u.lstm, m.dgates, m.cells_before, m.cells, s.rows, rg_out_data(ctx, G_DBIAS)))
    return RG_OK;
}

const rg_op rg_op_lstmp_grad = {
    .type = "lstmp_grad",
    .doc = "Gradient of lstmp.",
    .in =
        RG_SLOTS([G_INPUT] = {"Input", "", RG_SHAPE_ONLY}, [G_H0] = {"H0", "", RG_OPTIONAL},
                 [G_C0] = {"C0", "", RG_OPTIONAL}, [G_WEIGHT] = {"Weight", ""},
                 [G_PROJ_WEIGHT] = {"ProjWeight", ""}, [G_BIAS] = {"Bias", ""},
                 [G_PROJECTION] = {"Projection", ""}, [G_CELL] = {"Cell", ""},
                 [G_BATCH_GATE] = {"BatchGate", ""}, [G_BATCH_CELL_ACT] = {"BatchCellPreAct", ""},
                 [G_BATCH_HIDDEN] = {"BatchHidden", ""}, [G_DPROJECTION] = {"Projection@GRAD", ""},
                 [G_DCELL] = {"Cell@GRAD", "real Paddle leaves it out", RG_OPTIONAL}),
    .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_INPUT)},
                    [G_DH0] = {"H0@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_H0)},
                    [G_DC0] = {"C0@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_C0)},
                    [G_DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_WEIGHT)},
                    [G_DPROJ_WEIGHT] = {"ProjWeight@GRAD", "", RG_OPTIONAL,
                                        .like = RG_OF(G_PROJ_WEIGHT)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_BIAS)}),
    .attr = ATTRS,
    .kernel = lstmp_grad_kernel,
};
