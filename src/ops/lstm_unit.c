/* lstm_unit.c - one step of long short-term memory, without peepholes.
 *
 *   i, f, o, g = X                          X: [n, 4 size]
 *   C = sigmoid(f + forget_bias) C_prev + sigmoid(i) tanh(g)
 *   H = sigmoid(o) tanh(C) */
#include "ops/rnn.h"
#include "ops/sequences.h"
#include "ops/types.h"

enum { X, C_PREV };
enum { C, H };
enum { FORGET_BIAS };

static rg_status lstm_unit_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *c = rg_shape_of(ctx, C_PREV);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, C_PREV, 2));
    RG_TRY(rg_expect_same_dtype(ctx, X, C_PREV));
    rg_shape wanted = RG_SHAPE(c->dim[0], c->dim[1] < 0 ? -1 : 4 * c->dim[1]);
    if (!rg_shape_fits(x, &wanted)) {
        char found[RG_SHAPE_TEXT], text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X has the shape %s, and must have %s: four times C_prev's",
                       rg_shape_text(x, found), rg_shape_text(&wanted, text));
    }
    rg_set_out(ctx, C, rg_dtype_of(ctx, X), c);
    rg_set_out(ctx, H, rg_dtype_of(ctx, X), c);
    return RG_OK;
}

#define UNIT(T, S, SIGMOID, TANH)                                                            \
    RG_HOT static void unit_##S(const T *x, const T *old, T forget, T *c, T *h, int64_t n,   \
                                int64_t size)                                                \
    {                                                                                        \
        for (int64_t r = 0; r < n; r++, x += 4 * size)                                       \
            for (int64_t j = 0; j < size; j++) {                                             \
                int64_t at = r * size + j;                                                   \
                T cell = SIGMOID(x[size + j] + forget) * old[at] +                           \
                         SIGMOID(x[j]) * TANH(x[3 * size + j]);                              \
                if (c != NULL)                                                               \
                    c[at] = cell;                                                            \
                if (h != NULL)                                                               \
                    h[at] = SIGMOID(x[2 * size + j]) * TANH(cell);                           \
            }                                                                                \
    }                                                                                        \
    /* dx and dold are NULL where they are not wanted. */                                    \
    RG_HOT static void back_##S(const T *x, const T *old, const T *c, T forget, const T *dc, \
                                const T *dh, T *dx, T *dold, int64_t n, int64_t size)        \
    {                                                                                        \
        for (int64_t r = 0; r < n; r++, x += 4 * size)                                       \
            for (int64_t j = 0; j < size; j++) {                                             \
                int64_t at = r * size + j;                                                   \
                T i = SIGMOID(x[j]), f = SIGMOID(x[size + j] + forget);                      \
                T o = SIGMOID(x[2 * size + j]), g = TANH(x[3 * size + j]);                   \
                T act = TANH(c[at]), out = dh[at];                                           \
                T whole = dc[at] + out * o * (1 - act * act);                                \
                if (dold != NULL)                                                            \
                    dold[at] = whole * f;                                                    \
                if (dx == NULL)                                                              \
                    continue;                                                                \
                T *d = dx + r * 4 * size + j;                                                \
                d[0] = whole * g * i * (1 - i);                                              \
                d[size] = whole * old[at] * f * (1 - f);                                     \
                d[2 * size] = out * act * o * (1 - o);                                       \
                d[3 * size] = whole * i * (1 - g * g);                                       \
            }                                                                                \
    }
UNIT(float, f32, rg_sigmoidf, rg_tanhf)
UNIT(double, f64, rg_sigmoid, tanh)

static rg_status lstm_unit_kernel(rg_ctx *ctx)
{
    const rg_shape *c = rg_shape_of(ctx, C_PREV);
    RG_CALL_FLOAT(ctx, X, unit,
                  (rg_in_data(ctx, X), rg_in_data(ctx, C_PREV), rg_attr_float(ctx, FORGET_BIAS),
                   rg_out_data(ctx, C), rg_out_data(ctx, H), c->dim[0], c->dim[1]))
    return RG_OK;
}

#define ATTRS RG_ATTRS([FORGET_BIAS] = RG_FLOAT("forget_bias", 0.0f, "added to f"))

const rg_op rg_op_lstm_unit = {
    .type = "lstm_unit",
    .doc = "One step of long short-term memory.",
    .in = RG_SLOTS([X] = {"X", "[n, 4 size]: i, f, o, g"}, [C_PREV] =
                                                               {"C_prev",
                                                                "the cell before, [n, size]"}),
    .out = RG_SLOTS([C] = {"C", "the cell, [n, size]"}, [H] = {"H", "the state, [n, size]"}),
    .attr = ATTRS,
    .infer = lstm_unit_infer,
    .kernel = lstm_unit_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_C_PREV, G_C, G_DC, G_DH };
enum { G_DX, G_DC_PREV };

static rg_status lstm_unit_grad_kernel(rg_ctx *ctx)
{
    const rg_shape *c = rg_shape_of(ctx, G_C_PREV);
    int64_t numel = rg_shape_numel(c);
    RG_TRY(rg_expect_numel(ctx, G_X, 4 * numel));
    RG_TRY(rg_expect_numel(ctx, G_C, numel));
    RG_TRY(rg_expect_numel(ctx, G_DC, numel));
    RG_TRY(rg_expect_numel(ctx, G_DH, numel));
    RG_CALL_FLOAT(ctx, G_X, back,
                  (rg_in_data(ctx, G_X), rg_in_data(ctx, G_C_PREV), rg_in_data(ctx, G_C),
                   rg_attr_float(ctx, FORGET_BIAS), rg_in_data(ctx, G_DC), rg_in_data(ctx, G_DH),
                   rg_out_data(ctx, G_DX), rg_out_data(ctx, G_DC_PREV), c->dim[0], c->dim[1]))
    return RG_OK;
}

const rg_op rg_op_lstm_unit_grad = {
    .type = "lstm_unit_grad",
    .doc = "Gradient of lstm_unit.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_C_PREV] = {"C_prev", ""}, [G_C] = {"C", ""},
                   [G_DC] = {"C@GRAD", ""}, [G_DH] = {"H@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_X)}, [G_DC_PREV] =
                                                                                  {"C_prev@GRAD",
                                                                                   "", RG_OPTIONAL,
                                                                                   .like = RG_OF(
                                                                                       G_C_PREV)}),
    .attr = ATTRS,
    .kernel = lstm_unit_grad_kernel,
};
