/* gru.c - gated recurrent units: one step (gru_unit), and whole sequences (gru).
 *
 *   u, r = gate(x_u, x_r + h W_ur)         h: the state before, [n, size]
 *   c    = act(x_c + (r h) W_c)
 *   h'   = (1 - u) h + u c                 origin_mode: u h + (1 - u) c
 *
 * x, the input [n, 3 size] with the bias added, is in the order u, r, c. The weight is stored
 * as [size, 2 size] for u and r, then [size, size] for c. Gates are kept as activated, and
 * r h too, for the gradient. gru runs the step over the rows of all sequences that go on. */
#include "math/gemm.h"
#include "ops/gru_loops.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

/* Biases may be absent; then they are zeros. */
static rg_status check_weights(const rg_ctx *ctx, int input, int weight, int bias, int64_t *size)
{
    const rg_shape *x = rg_shape_of(ctx, input), *w = rg_shape_of(ctx, weight);
    RG_TRY(rg_expect_rank(ctx, input, 2));
    RG_TRY(rg_expect_rank(ctx, weight, 2));
    RG_TRY(rg_expect_same_dtype(ctx, input, weight));
    if (w->dim[0] < 0 || w->dim[1] != 3 * w->dim[0] || (x->dim[1] >= 0 && x->dim[1] != w->dim[1])) {
        char tx[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "%s of shape %s and Weight of shape %s must be [n, 3 size] and "
                       "[size, 3 size]",
                       ctx->op->in[input].name, rg_shape_text(x, tx), rg_shape_text(w, tw));
    }
    *size = w->dim[0];
    if (rg_has_in(ctx, bias) && !rg_shape_fits(rg_shape_of(ctx, bias), &RG_SHAPE(1, 3 * *size))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Bias has the shape %s, and must have [1, %lld]",
                       rg_shape_text(rg_shape_of(ctx, bias), text), (long long)(3 * *size));
    }
    return RG_OK;
}

RG_FLOATS(RG_GRU_STEP)

/* What one step gives back: from dout, dgates (of what was before the activations) and dh. */
#define STEP_BACK(T, S)                                                                            \
    RG_HOT static void output_back_##S(const rg_gru_unit *u, const T *gates, const T *h,           \
                                       const T *dout, T *dgates, T *dh, int64_t n)                 \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t i = 0; i < n; i++, gates += 3 * size, dgates += 3 * size, dout += size) {     \
            const T *c = gates + 2 * size;                                                         \
            T *dc = dgates + 2 * size;                                                             \
            for (int64_t j = 0; j < size; j++) {                                                   \
                T old = h ? h[i * size + j] : 0, part = u->origin ? 1 - gates[j] : gates[j];       \
                T dpart = dout[j] * (c[j] - old);                                                  \
                dgates[j] = u->origin ? -dpart : dpart;                                            \
                dc[j] = dout[j] * part;                                                            \
                dh[i * size + j] = dout[j] * (1 - part);                                           \
            }                                                                                      \
            rg_cell_act_grad_##S(u->act, c, dc, size);                                             \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void reset_back_##S(const rg_gru_unit *u, const T *gates, const T *h,            \
                                      const T *dreset, T *dgates, T *dh, int64_t n)                \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t i = 0; i < n; i++, gates += 3 * size, dgates += 3 * size, dreset += size) {   \
            for (int64_t j = 0; j < size; j++) {                                                   \
                dgates[size + j] = h ? dreset[j] * h[i * size + j] : 0;                            \
                dh[i * size + j] += dreset[j] * gates[size + j];                                   \
            }                                                                                      \
            rg_cell_act_grad_##S(u->gate, gates, dgates, 2 * size);                                \
        }                                                                                          \
    }                                                                                              \
    /* dreset: n rows of memory. */                                                                \
    static void step_back_##S(const rg_gru_unit *u, const T *weight, const T *gates, const T *h,   \
                              const T *dout, T *dgates, T *dreset, T *dh, int64_t n)               \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        output_back_##S(u, gates, h, dout, dgates, dh, n);                                         \
        rg_gemm_##S(false, true, n, size, size, 1, dgates + 2 * size, 3 * size,                    \
                    weight + 2 * size * size, size, 0, dreset, size);                              \
        reset_back_##S(u, gates, h, dreset, dgates, dh, n);                                        \
        rg_gemm_##S(false, true, n, size, 2 * size, 1, dgates, 3 * size, weight, 2 * size, 1, dh,  \
                    size);                                                                         \
    }                                                                                              \
    /* Over all rows of all steps at once. */                                                      \
    static void weight_back_##S(const rg_gru_unit *u, const T *h, const T *reset, const T *dgates, \
                                T *dweight, int64_t n)                                             \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        rg_gemm_##S(true, false, size, 2 * size, n, 1, h, size, dgates, 3 * size, 0, dweight,      \
                    2 * size);                                                                     \
        rg_gemm_##S(true, false, size, size, n, 1, reset, size, dgates + 2 * size, 3 * size, 0,    \
                    dweight + 2 * size * size, size);                                              \
    }                                                                                              \
    RG_HOT static void bias_back_##S(const T *dgates, T *dbias, int64_t n, int64_t width)          \
    {                                                                                              \
        for (int64_t j = 0; j < width; j++)                                                        \
            dbias[j] = 0;                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < width; j++)                                                    \
                dbias[j] += dgates[i * width + j];                                                 \
    }
RG_FLOATS(STEP_BACK)

/* ---- gru_unit ---- */

enum { INPUT, HIDDEN_PREV, WEIGHT, BIAS };
enum { GATE, RESET_HIDDEN_PREV, HIDDEN };
enum { ACTIVATION, GATE_ACTIVATION, ORIGIN_MODE };

static rg_status unit_of(const rg_ctx *ctx, rg_gru_unit *u)
{
    *u = (rg_gru_unit){.origin = rg_attr_bool(ctx, ORIGIN_MODE)};
    RG_TRY(rg_cell_act_from_attr(ctx, ACTIVATION, &u->act));
    RG_TRY(rg_cell_act_from_attr(ctx, GATE_ACTIVATION, &u->gate));
    return check_weights(ctx, INPUT, WEIGHT, BIAS, &u->size);
}

static rg_status gru_unit_infer(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_shape *x = rg_shape_of(ctx, INPUT), *h = rg_shape_of(ctx, HIDDEN_PREV);
    RG_TRY(unit_of(ctx, &u));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, HIDDEN_PREV));
    if (!rg_shape_fits(h, &RG_SHAPE(x->dim[0], u.size))) {
        char found[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "HiddenPrev has the shape %s, and must have %s",
                       rg_shape_text(h, found),
                       rg_shape_text(&RG_SHAPE(x->dim[0], u.size), wanted));
    }
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    rg_set_out(ctx, GATE, dtype, &RG_SHAPE(x->dim[0], 3 * u.size));
    rg_set_out(ctx, RESET_HIDDEN_PREV, dtype, &RG_SHAPE(x->dim[0], u.size));
    rg_set_out(ctx, HIDDEN, dtype, &RG_SHAPE(x->dim[0], u.size));
    return RG_OK;
}

/* The output's data, or scratch where nobody asked for it. */
static void *out_or_scratch(rg_ctx *ctx, int slot, int64_t numel, rg_dtype dtype)
{
    return rg_out_or_scratch(ctx, slot, (size_t)numel * rg_dtype_size(dtype));
}

static rg_status gru_unit_kernel(rg_ctx *ctx)
{
    rg_gru_unit u;
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    RG_TRY(unit_of(ctx, &u));
    int64_t n = rg_shape_of(ctx, INPUT)->dim[0];
    void *gates = out_or_scratch(ctx, GATE, 3 * n * u.size, dtype);
    void *reset = out_or_scratch(ctx, RESET_HIDDEN_PREV, n * u.size, dtype);
    void *out = out_or_scratch(ctx, HIDDEN, n * u.size, dtype);
    if (gates == NULL || reset == NULL || out == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, INPUT, add_bias,
                  (gates, rg_in_data(ctx, INPUT), rg_in_data(ctx, BIAS), n, 3 * u.size))
    RG_CALL_FLOAT(ctx, INPUT, step,
                  (&u, rg_in_data(ctx, WEIGHT), gates, rg_in_data(ctx, HIDDEN_PREV), reset, out, n))
    return RG_OK;
}

#define UNIT_ATTRS                                                                     \
    RG_ATTRS([ACTIVATION] = RG_INT("activation", 2,                                    \
                                   "of c: 0 identity, 1 sigmoid, 2 tanh, 3 relu"),     \
             [GATE_ACTIVATION] = RG_INT("gate_activation", 1, "of u and r, likewise"), \
             [ORIGIN_MODE] = RG_BOOLEAN("origin_mode", false, "u keeps the old state"))

const rg_op rg_op_gru_unit = {
    .type = "gru_unit",
    .doc = "One step of gated recurrent units.",
    .in = RG_SLOTS([INPUT] = {"Input", "[n, 3 size]: u, r, c"},
                   [HIDDEN_PREV] = {"HiddenPrev", "the state before, [n, size]"},
                   [WEIGHT] = {"Weight", "[size, 3 size]"},
                   [BIAS] = {"Bias", "[1, 3 size]", RG_OPTIONAL}),
    .out = RG_SLOTS([GATE] = {"Gate", "[n, 3 size]", RG_INTERMEDIATE},
                    [RESET_HIDDEN_PREV] = {"ResetHiddenPrev", "[n, size]", RG_INTERMEDIATE},
                    [HIDDEN] = {"Hidden", "the state, [n, size]"}),
    .attr = UNIT_ATTRS,
    .infer = gru_unit_infer,
    .kernel = gru_unit_kernel,
};

enum { UG_INPUT, UG_HIDDEN_PREV, UG_WEIGHT, UG_BIAS, UG_GATE, UG_RESET, UG_DHIDDEN };
enum { UG_DINPUT, UG_DHIDDEN_PREV, UG_DWEIGHT, UG_DBIAS };

static rg_status gru_unit_grad_kernel(rg_ctx *ctx)
{
    rg_gru_unit u;
    rg_dtype dtype = rg_dtype_of(ctx, UG_DHIDDEN);
    RG_TRY(unit_of(ctx, &u));
    int64_t n = rg_shape_of(ctx, UG_INPUT)->dim[0], numel = n * u.size;
    RG_TRY(rg_expect_kept(ctx, UG_DHIDDEN, UG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, UG_HIDDEN_PREV, UG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, UG_RESET, UG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, UG_GATE, UG_INPUT, 3 * numel));
    const void *h = rg_in_data(ctx, UG_HIDDEN_PREV);
    void *dgates = out_or_scratch(ctx, UG_DINPUT, 3 * numel, dtype);
    void *dh = out_or_scratch(ctx, UG_DHIDDEN_PREV, numel, dtype);
    void *dreset = rg_scratch(ctx, (size_t)numel * rg_dtype_size(dtype));
    if (dgates == NULL || dh == NULL || dreset == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, UG_DHIDDEN, step_back,
                  (&u, rg_in_data(ctx, UG_WEIGHT), rg_in_data(ctx, UG_GATE), h,
                   rg_in_data(ctx, UG_DHIDDEN), dgates, dreset, dh, n))
    if (rg_has_out(ctx, UG_DWEIGHT))
        RG_CALL_FLOAT(ctx, UG_DHIDDEN, weight_back,
                      (&u, h, rg_in_data(ctx, UG_RESET), dgates, rg_out_data(ctx, UG_DWEIGHT), n))
    if (rg_has_out(ctx, UG_DBIAS))
        RG_CALL_FLOAT(ctx, UG_DHIDDEN, bias_back,
                      (dgates, rg_out_data(ctx, UG_DBIAS), n, 3 * u.size))
    return RG_OK;
}

const rg_op rg_op_gru_unit_grad = {
    .type = "gru_unit_grad",
    .doc = "Gradient of gru_unit.",
    .in = RG_SLOTS([UG_INPUT] = {"Input", "", RG_SHAPE_ONLY}, [UG_HIDDEN_PREV] = {"HiddenPrev", ""},
                   [UG_WEIGHT] = {"Weight", ""},
                   [UG_BIAS] = {"Bias", "", RG_OPTIONAL | RG_SHAPE_ONLY}, [UG_GATE] = {"Gate", ""},
                   [UG_RESET] = {"ResetHiddenPrev", ""}, [UG_DHIDDEN] = {"Hidden@GRAD", ""}),
    .out = RG_SLOTS([UG_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(UG_INPUT)},
                    [UG_DHIDDEN_PREV] = {"HiddenPrev@GRAD", "", RG_OPTIONAL,
                                         .like = RG_OF(UG_HIDDEN_PREV)},
                    [UG_DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL, .like = RG_OF(UG_WEIGHT)},
                    [UG_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, .like = RG_OF(UG_BIAS)}),
    .attr = UNIT_ATTRS,
    .kernel = gru_unit_grad_kernel,
};

/* ---- gru ---- */

enum { S_INPUT, S_H0, S_WEIGHT, S_BIAS };
enum { S_GATE, S_RESET, S_BATCH_HIDDEN, S_HIDDEN };
enum { S_ACTIVATION, S_GATE_ACTIVATION, S_IS_REVERSE, S_ORIGIN_MODE };

static rg_status sequences_of(const rg_ctx *ctx, rg_gru_unit *u, const rg_lod **lod)
{
    *u = (rg_gru_unit){.origin = rg_attr_bool(ctx, S_ORIGIN_MODE)};
    RG_TRY(rg_cell_act_from_attr(ctx, S_ACTIVATION, &u->act));
    RG_TRY(rg_cell_act_from_attr(ctx, S_GATE_ACTIVATION, &u->gate));
    RG_TRY(check_weights(ctx, S_INPUT, S_WEIGHT, S_BIAS, &u->size));
    RG_TRY(rg_expect_one_level(ctx, S_INPUT, lod));
    if (!rg_has_in(ctx, S_H0))
        return RG_OK;
    rg_shape wanted = RG_SHAPE(*lod ? rg_lod_sequences(*lod, 0) : -1, u->size);
    RG_TRY(rg_expect_same_dtype(ctx, S_INPUT, S_H0));
    if (!rg_shape_fits(rg_shape_of(ctx, S_H0), &wanted)) {
        char found[RG_SHAPE_TEXT], text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "H0 has the shape %s, and must have %s: one row for each "
                       "sequence",
                       rg_shape_text(rg_shape_of(ctx, S_H0), found), rg_shape_text(&wanted, text));
    }
    return RG_OK;
}

static rg_status gru_infer(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_lod *lod;
    RG_TRY(sequences_of(ctx, &u, &lod));
    rg_dtype dtype = rg_dtype_of(ctx, S_INPUT);
    int64_t rows = rg_shape_of(ctx, S_INPUT)->dim[0];
    rg_set_out(ctx, S_GATE, dtype, &RG_SHAPE(rows, 3 * u.size));
    rg_set_out(ctx, S_RESET, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, S_BATCH_HIDDEN, dtype, &RG_SHAPE(rows, u.size));
    rg_set_out(ctx, S_HIDDEN, dtype, &RG_SHAPE(rows, u.size));
    rg_share_lod(ctx, S_INPUT, S_HIDDEN);
    return RG_OK;
}

RG_FLOATS(RG_GRU_RUN)

static rg_status gru_kernel(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0;
    rg_dtype dtype = rg_dtype_of(ctx, S_INPUT);
    RG_TRY(sequences_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, S_IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, S_H0, &h0));
    void *gates = out_or_scratch(ctx, S_GATE, 3 * s.rows * u.size, dtype);
    void *reset = out_or_scratch(ctx, S_RESET, s.rows * u.size, dtype);
    void *states = out_or_scratch(ctx, S_BATCH_HIDDEN, s.rows * u.size, dtype);
    if (gates == NULL || reset == NULL || states == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, S_INPUT, run,
                  (&u, &s, rg_in_data(ctx, S_INPUT), rg_in_data(ctx, S_BIAS), h0,
                   rg_in_data(ctx, S_WEIGHT), gates, reset, states))
    if (rg_has_out(ctx, S_HIDDEN))
        rg_from_steps(&s, states, rg_out_data(ctx, S_HIDDEN),
                      (size_t)u.size * rg_dtype_size(dtype));
    return RG_OK;
}

#define ATTRS                                                                                   \
    RG_ATTRS([S_ACTIVATION] = RG_STRING("activation", "tanh",                                   \
                                        "of c: identity, sigmoid, tanh or relu"),               \
             [S_GATE_ACTIVATION] = RG_STRING("gate_activation", "sigmoid", "of u and r"),       \
             [S_IS_REVERSE] = RG_BOOLEAN("is_reverse", false, "from the end of each sequence"), \
             [S_ORIGIN_MODE] = RG_BOOLEAN("origin_mode", false, "u keeps the old state"))

const rg_op rg_op_gru = {
    .type = "gru",
    .doc = "Gated recurrent units over sequences.",
    .in = RG_SLOTS([S_INPUT] = {"Input", "sequences, [total, 3 size]: u, r, c"},
                   [S_H0] = {"H0", "states before, [sequences, size]", RG_OPTIONAL},
                   [S_WEIGHT] = {"Weight", "[size, 3 size]"},
                   [S_BIAS] = {"Bias", "[1, 3 size]", RG_OPTIONAL}),
    .out = RG_SLOTS([S_GATE] = {"BatchGate", "in step order", RG_INTERMEDIATE},
                    [S_RESET] = {"BatchResetHiddenPrev", "in step order", RG_INTERMEDIATE},
                    [S_BATCH_HIDDEN] = {"BatchHidden", "in step order", RG_INTERMEDIATE},
                    [S_HIDDEN] = {"Hidden", "the states, [total, size]"}),
    .attr = ATTRS,
    .infer = gru_infer,
    .kernel = gru_kernel,
};

enum {
    SG_INPUT,
    SG_H0,
    SG_WEIGHT,
    SG_BIAS,
    SG_GATE,
    SG_RESET,
    SG_BATCH_HIDDEN,
    SG_HIDDEN,
    SG_DHIDDEN
};
enum { SG_DINPUT, SG_DH0, SG_DWEIGHT, SG_DBIAS };

/* dstates: on entry the outputs' gradients in step order. dh: a step's rows of memory, which
 * hold in the end the gradient of the states before the first step. */
#define RUN_BACK(T, S)                                                                          \
    RG_HOT static void add_##S(T *to, const T *from, int64_t n)                                 \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                         \
            to[i] += from[i];                                                                   \
    }                                                                                           \
    static void run_back_##S(const rg_gru_unit *u, const rg_steps *s, const T *weight,          \
                             const T *gates, const T *before, T *dstates, T *dgates, T *dreset, \
                             T *dh)                                                             \
    {                                                                                           \
        int64_t size = u->size;                                                                 \
        for (int64_t t = s->steps; t-- > 0;) {                                                  \
            int64_t at = s->begin[t], n = rg_step_rows(s, t);                                   \
            step_back_##S(u, weight, gates + at * 3 * size, before + at * size,                 \
                          dstates + at * size, dgates + at * 3 * size, dreset, dh, n);          \
            if (t > 0)                                                                          \
                add_##S(dstates + s->begin[t - 1] * size, dh, n * size);                        \
        }                                                                                       \
    }
RG_FLOATS(RUN_BACK)

static rg_status gru_grad_kernel(rg_ctx *ctx)
{
    rg_gru_unit u;
    const rg_lod *lod;
    rg_steps s;
    const void *h0;
    RG_TRY(sequences_of(ctx, &u, &lod));
    RG_TRY(rg_make_steps(ctx, lod, rg_attr_bool(ctx, S_IS_REVERSE), &s));
    RG_TRY(rg_first_states(ctx, &s, SG_H0, &h0));
    int64_t numel = s.rows * u.size;
    RG_TRY(rg_expect_kept(ctx, SG_DHIDDEN, SG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, SG_RESET, SG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, SG_BATCH_HIDDEN, SG_INPUT, numel));
    RG_TRY(rg_expect_kept(ctx, SG_GATE, SG_INPUT, 3 * numel));
    size_t row = (size_t)u.size * rg_dtype_size(rg_dtype_of(ctx, SG_DHIDDEN));
    size_t all = (size_t)s.rows * row, one = (size_t)s.sequences * row;
    void *before = rg_scratch(ctx, all), *dstates = rg_scratch(ctx, all);
    void *dgates = rg_scratch(ctx, 3 * all), *dreset = rg_scratch(ctx, one);
    void *dh = rg_scratch(ctx, one);
    if (!before || !dstates || !dgates || !dreset || !dh)
        return RG_ENOMEM;
    rg_previous_rows(&s, rg_in_data(ctx, SG_BATCH_HIDDEN), h0, before, row);
    rg_to_steps(&s, rg_in_data(ctx, SG_DHIDDEN), dstates, row);
    RG_CALL_FLOAT(ctx, SG_DHIDDEN, run_back,
                  (&u, &s, rg_in_data(ctx, SG_WEIGHT), rg_in_data(ctx, SG_GATE), before, dstates,
                   dgates, dreset, dh))
    if (rg_has_out(ctx, SG_DINPUT))
        rg_from_steps(&s, dgates, rg_out_data(ctx, SG_DINPUT), 3 * row);
    if (rg_has_out(ctx, SG_DH0))
        rg_states_from_steps(&s, dh, rg_out_data(ctx, SG_DH0), row);
    if (rg_has_out(ctx, SG_DWEIGHT))
        RG_CALL_FLOAT(
            ctx, SG_DHIDDEN, weight_back,
            (&u, before, rg_in_data(ctx, SG_RESET), dgates, rg_out_data(ctx, SG_DWEIGHT), s.rows))
    if (rg_has_out(ctx, SG_DBIAS))
        RG_CALL_FLOAT(ctx, SG_DHIDDEN, bias_back,
                      (dgates, rg_out_data(ctx, SG_DBIAS), s.rows, 3 * u.size))
    return RG_OK;
}

const rg_op rg_op_gru_grad = {
    .type = "gru_grad",
    .doc = "Gradient of gru.",
    .in = RG_SLOTS([SG_INPUT] = {"Input", "", RG_SHAPE_ONLY}, [SG_H0] = {"H0", "", RG_OPTIONAL},
                   [SG_WEIGHT] = {"Weight", ""},
                   [SG_BIAS] = {"Bias", "", RG_OPTIONAL | RG_SHAPE_ONLY},
                   [SG_GATE] = {"BatchGate", ""}, [SG_RESET] = {"BatchResetHiddenPrev", ""},
                   [SG_BATCH_HIDDEN] = {"BatchHidden", ""},
                   [SG_HIDDEN] = {"Hidden", "", RG_SHAPE_ONLY}, [SG_DHIDDEN] = {"Hidden@GRAD", ""}),
    .out = RG_SLOTS([SG_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(SG_INPUT)},
                    [SG_DH0] = {"H0@GRAD", "", RG_OPTIONAL, .like = RG_OF(SG_H0)},
                    [SG_DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL, .like = RG_OF(SG_WEIGHT)},
                    [SG_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, .like = RG_OF(SG_BIAS)}),
    .attr = ATTRS,
    .kernel = gru_grad_kernel,
};
