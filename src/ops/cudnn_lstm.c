/* cudnn_lstm.c - layers of long short-term memory over steps of one length, in one or both
 * directions.
 *
 *   i, f, g, o = x W + h R + bW + bR         i, f, o: sigmoid; g: tanh
 *   C' = f C + i g        h' = o tanh(C')
 *
 * Input is [steps, batch, in]. A layer's output, [steps, batch, directions size], is the next one's
 * input, with dropout between the two while training. W holds, for each layer and direction, W
 * [4 size, in] and R [4 size, size]; and after all of these, again for each, bW and bR, [4 size]
 * each. That is how cuDNN lays them out, so weights trained on a GPU can be used here.
 *
 * Real Paddle has no kernel for the CPU. Reserve, which it has not either, keeps for the gradient:
 * for each layer what its input was multiplied by, its output, and for each direction the gates and
 * the cells. */
#include "math/fast.h"
#include "math/gemm.h"
#include "ops/rnn.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, INIT_H, INIT_C, W, CACHE };
enum { OUT, LAST_H, LAST_C, RESERVE };
enum { MAX_LEN, DROPOUT_PROB, IS_BIDIREC, INPUT_SIZE, HIDDEN_SIZE, NUM_LAYERS, IS_TEST, SEED };

typedef struct net {
    int64_t layers, directions, size, in, steps, batch;
} net;

static int64_t layer_in(const net *u, int64_t layer)
{
    return layer == 0 ? u->in : u->directions * u->size;
}

/* Where the weights of a layer and direction begin in W; past the last one: where biases do. */
static int64_t weights_at(const net *u, int64_t layer, int64_t d)
{
    int64_t at = 0;
    for (int64_t l = 0; l < layer; l++)
        at += u->directions * 4 * u->size * (layer_in(u, l) + u->size);
    return at + (layer < u->layers ? d * 4 * u->size * (layer_in(u, layer) + u->size) : 0);
}

static int64_t biases_at(const net *u, int64_t layer, int64_t d)
{
    return weights_at(u, u->layers, 0) + (layer * u->directions + d) * 8 * u->size;
}

/* Parts of Reserve, counted in numbers. */
static int64_t layer_numbers(const net *u)
{
    return 7 * u->directions * u->size * u->steps * u->batch;
}

static int64_t factors_at(const net *u, int64_t layer)
{
    return layer * layer_numbers(u);
}

static int64_t out_at(const net *u, int64_t layer)
{
    return factors_at(u, layer) + u->directions * u->size * u->steps * u->batch;
}

static int64_t gates_at(const net *u, int64_t layer, int64_t d)
{
    int64_t one = u->size * u->steps * u->batch;
    return factors_at(u, layer) + 2 * u->directions * one + d * 5 * one;
}

static rg_status net_of(const rg_ctx *ctx, net *u)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT);
    float p = rg_attr_float(ctx, DROPOUT_PROB);
    int max_len = rg_attr_int(ctx, MAX_LEN);
    RG_TRY(RG_EXPECT_DTYPE(ctx, INPUT, RG_F32, RG_F64));
    RG_TRY(rg_expect_rank(ctx, INPUT, 3));
    *u = (net){rg_attr_int(ctx, NUM_LAYERS),
               rg_attr_bool(ctx, IS_BIDIREC) ? 2 : 1,
               rg_attr_int(ctx, HIDDEN_SIZE),
               rg_attr_int(ctx, INPUT_SIZE),
               x->dim[0],
               x->dim[1]};
    if (u->layers < 1 || u->size < 1 || u->in < 1)
        return rg_fail(RG_EINVAL,
                       "num_layers is %lld, hidden_size %lld and input_size %lld: each must be at "
                       "least 1",
                       (long long)u->layers, (long long)u->size, (long long)u->in);
    if (u->layers > 1024 || u->size > (1 << 20) || u->in > (1 << 20))
        return rg_fail(RG_EINVAL, "num_layers above 1024, or a size above 1048576");
    if (!(p >= 0 && p < 1))
        return rg_fail(RG_EINVAL, "dropout_prob is %g, and must be from 0 to below 1", (double)p);
    if (x->dim[0] > max_len)
        return rg_fail(RG_ESHAPE, "Input has %lld steps, and max_len is %d", (long long)x->dim[0],
                       max_len);
    RG_TRY(rg_expect_state(ctx, INPUT, INPUT, &RG_SHAPE(x->dim[0], x->dim[1], u->in)));
    rg_shape states = RG_SHAPE(u->layers * u->directions, x->dim[1], u->size);
    RG_TRY(rg_expect_state(ctx, INIT_H, INPUT, &states));
    RG_TRY(rg_expect_state(ctx, INIT_C, INPUT, &states));
    return rg_expect_state(ctx, W, INPUT, &RG_SHAPE(biases_at(u, u->layers, 0)));
}

static rg_status cudnn_lstm_infer(rg_ctx *ctx)
{
    net u;
    RG_TRY(net_of(ctx, &u));
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    rg_shape states = RG_SHAPE(u.layers * u.directions, u.batch, u.size);
    bool known = u.steps >= 0 && u.batch >= 0;
    rg_set_out(ctx, OUT, dtype, &RG_SHAPE(u.steps, u.batch, u.directions * u.size));
    rg_set_out(ctx, LAST_H, dtype, &states);
    rg_set_out(ctx, LAST_C, dtype, &states);
    rg_set_out(ctx, RESERVE, dtype, &RG_SHAPE(known ? u.layers * layer_numbers(&u) : -1));
    return RG_OK;
}

#define RUN(T, S, SIGMOID, TANH)                                                                   \
    /* One step: gates, before their activations, become themselves; out has rows of `wide`. */    \
    RG_HOT static void cells_##S(T *gates, const T *before, T *cells, T *out, int64_t n,           \
                                 int64_t size, int64_t wide)                                       \
    {                                                                                              \
        for (int64_t r = 0; r < n; r++, gates += 4 * size, out += wide) {                          \
            T *i = gates, *f = i + size, *g = f + size, *o = g + size, *c = cells + r * size;      \
            const T *old = before + r * size;                                                      \
            for (int64_t j = 0; j < size; j++) {                                                   \
                i[j] = SIGMOID(i[j]);                                                              \
                f[j] = SIGMOID(f[j]);                                                              \
                g[j] = TANH(g[j]);                                                                 \
                o[j] = SIGMOID(o[j]);                                                              \
                c[j] = f[j] * old[j] + i[j] * g[j];                                                \
                out[j] = o[j] * TANH(c[j]);                                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* out: the columns of this direction. h: [batch, size], the state before, then the last. */   \
    static void run_##S(const net *u, int64_t in, bool back, const T *x, const T *w,               \
                        const T *bias, const T *c0, T *gates, T *cells, T *out, T *h)              \
    {                                                                                              \
        int64_t size = u->size, n = u->batch, rows = u->steps * n, wide = u->directions * size;    \
        for (int64_t r = 0; r < rows; r++)                                                         \
            for (int64_t j = 0; j < 4 * size; j++)                                                 \
                gates[r * 4 * size + j] = bias[j] + bias[4 * size + j];                            \
        rg_gemm_##S(false, true, rows, 4 * size, in, 1, x, in, w, in, 1, gates, 4 * size);         \
        for (int64_t k = 0; k < u->steps; k++) {                                                   \
            int64_t t = back ? u->steps - 1 - k : k, last = back ? t + 1 : t - 1;                  \
            T *here = gates + t * n * 4 * size;                                                    \
            rg_gemm_##S(false, true, n, 4 * size, size, 1, h, size, w + 4 * size * in, size, 1,    \
                        here, 4 * size);                                                           \
            cells_##S(here, k > 0 ? cells + last * n * size : c0, cells + t * n * size,            \
                      out + t * n * wide, n, size, wide);                                          \
            for (int64_t r = 0; r < n; r++)                                                        \
                memcpy(h + r * size, out + (t * n + r) * wide, (size_t)size * sizeof *h);          \
        }                                                                                          \
    }                                                                                              \
    static void drop_##S(rg_philox_key key, double p, const T *from, T *factors, T *to,            \
                         uint64_t first, int64_t n)                                                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            bool kept = rg_philox_uniform_f64(key, first + (uint64_t)i) >= p;                      \
            factors[i] = kept ? (T)(1 / (1 - p)) : 0;                                              \
            to[i] = from[i] * factors[i];                                                          \
        }                                                                                          \
    }                                                                                              \
    static void layers_##S(const net *u, rg_philox_key key, double p, const T *x, const T *w,      \
                           const T *h0, const T *c0, T *reserve, T *input, T *h, T *c)             \
    {                                                                                              \
        int64_t one = u->batch * u->size, all = u->directions * one * u->steps;                    \
        for (int64_t l = 0; l < u->layers; l++) {                                                  \
            T *factors = reserve + factors_at(u, l), *out = reserve + out_at(u, l);                \
            if (l > 0)                                                                             \
                drop_##S(key, p, reserve + out_at(u, l - 1), factors, input, (uint64_t)(l * all),  \
                         all);                                                                     \
            else                                                                                   \
                memset(factors, 0, (size_t)all * sizeof *factors);                                 \
            for (int64_t d = 0; d < u->directions; d++) {                                          \
                int64_t at = (l * u->directions + d) * one;                                        \
                T *gates = reserve + gates_at(u, l, d), *cells = gates + 4 * u->steps * one;       \
                memcpy(h + at, h0 + at, (size_t)one * sizeof *h);                                  \
                run_##S(u, layer_in(u, l), d == 1, l > 0 ? input : x, w + weights_at(u, l, d),     \
                        w + biases_at(u, l, d), c0 + at, gates, cells, out + d * u->size, h + at); \
                const T *end = u->steps == 0 ? c0 + at                                             \
                                             : cells + (d == 1 ? 0 : (u->steps - 1) * one);        \
                memcpy(c + at, end, (size_t)one * sizeof *c);                                      \
            }                                                                                      \
        }                                                                                          \
    }
RUN(float, f32, rg_sigmoidf, rg_tanhf)
RUN(double, f64, rg_sigmoid, tanh)

static rg_status cudnn_lstm_kernel(rg_ctx *ctx)
{
    net u;
    RG_TRY(net_of(ctx, &u));
    size_t number = rg_dtype_size(rg_dtype_of(ctx, INPUT));
    size_t all = (size_t)(u.directions * u.size * u.steps * u.batch) * number;
    size_t states = (size_t)(u.layers * u.directions * u.batch * u.size) * number;
    uint8_t *reserve = rg_out_or_scratch(ctx, RESERVE,
                                         (size_t)(u.layers * layer_numbers(&u)) * number);
    void *h = rg_out_or_scratch(ctx, LAST_H, states), *c = rg_out_or_scratch(ctx, LAST_C, states);
    void *input = rg_scratch(ctx, all);
    if (!reserve || !input || !h || !c)
        return RG_ENOMEM;
    double p = rg_attr_bool(ctx, IS_TEST) ? 0 : (double)rg_attr_float(ctx, DROPOUT_PROB);
    int seed = rg_attr_int(ctx, SEED);
    rg_philox_key key = rg_random_key(ctx, seed > 0 ? seed : 0, seed > 0);
    RG_CALL_FLOAT(ctx, INPUT, layers,
                  (&u, key, p, rg_in_data(ctx, INPUT), rg_in_data(ctx, W), rg_in_data(ctx, INIT_H),
                   rg_in_data(ctx, INIT_C), (void *)reserve, input, h, c))
    if (rg_has_out(ctx, OUT))
        memcpy(rg_out_data(ctx, OUT), reserve + (size_t)out_at(&u, u.layers - 1) * number, all);
    return RG_OK;
}

#define ATTRS                                                                                \
    RG_ATTRS([MAX_LEN] = RG_INT("max_len", 20, "most steps that Input may have"),            \
             [DROPOUT_PROB] = RG_FLOAT("dropout_prob", 0, "between layers, while training"), \
             [IS_BIDIREC] = RG_BOOLEAN("is_bidirec", false, "in both directions"),           \
             [INPUT_SIZE] = RG_INT("input_size", 10, "width of Input"),                      \
             [HIDDEN_SIZE] = RG_INT("hidden_size", 100, "of a state"),                       \
             [NUM_LAYERS] = RG_INT("num_layers", 1, "one above the other"),                  \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "no dropout"),                         \
             [SEED] = RG_INT("seed", -1, "above 0: the same is dropped in every run"))

const rg_op rg_op_cudnn_lstm = {
    .type = "cudnn_lstm",
    .doc = "Layers of long short-term memory over steps of one length.",
    .in = RG_SLOTS([INPUT] = {"Input", "[steps, batch, in]"},
                   [INIT_H] = {"InitH", "states before, [layers directions, batch, size]"},
                   [INIT_C] = {"InitC", "cells before, likewise"},
                   [W] = {"W", "all weights, then all biases, as cuDNN has them"},
                   [CACHE] = {"Cache", "real Paddle's memory of dropout: not read",
                              RG_OPTIONAL | RG_NO_GRAD | RG_UNSET_OK | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "[steps, batch, directions size]"},
                    [LAST_H] = {"last_h", "states after, like InitH"},
                    [LAST_C] = {"last_c", "cells after, like InitC"},
                    [RESERVE] = {"Reserve", "what the gradient reads",
                                 RG_OPTIONAL | RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = cudnn_lstm_infer,
    .kernel = cudnn_lstm_kernel,
};

/* ---- gradient ---- */

enum { G_INPUT, G_INIT_H, G_INIT_C, G_W, G_RESERVE, G_DOUT, G_DLAST_H, G_DLAST_C };
enum { G_DINPUT, G_DINIT_H, G_DINIT_C, G_DW };

typedef struct tape {
    const void *x, *w, *h0, *c0, *reserve;
    void *input, *dgates, *before; /* a layer's input, gradients of gates, states before */
    void *dout, *dinput;           /* of the layer, and of the one below */
    void *dh, *dc;                 /* like InitH: of the states after, then before */
    void *dw;
} tape;

#define BACK(T, S, TANH)                                                                           \
    RG_HOT static void cells_back_##S(const T *gates, const T *old, const T *cells, const T *dout, \
                                      int64_t wide, const T *dh, T *dc, T *dgates, int64_t n,      \
                                      int64_t size)                                                \
    {                                                                                              \
        for (int64_t r = 0; r < n; r++, gates += 4 * size, dgates += 4 * size, dout += wide) {     \
            const T *i = gates, *f = i + size, *g = f + size, *o = g + size;                       \
            T *di = dgates, *df = di + size, *dg = df + size, *d_o = dg + size;                    \
            for (int64_t j = 0, at = r * size; j < size; j++, at++) {                              \
                T act = TANH(cells[at]), d = dout[j] + dh[at];                                     \
                T cell = dc[at] + d * o[j] * (1 - act * act);                                      \
                d_o[j] = d * act * o[j] * (1 - o[j]);                                              \
                di[j] = cell * g[j] * i[j] * (1 - i[j]);                                           \
                df[j] = cell * old[at] * f[j] * (1 - f[j]);                                        \
                dg[j] = cell * i[j] * (1 - g[j] * g[j]);                                           \
                dc[at] = cell * f[j];                                                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void weights_back_##S(const net *u, int64_t in, const T *x, const tape *m, T *dw,       \
                                 T *dbias)                                                         \
    {                                                                                              \
        int64_t size = u->size, rows = u->steps * u->batch;                                        \
        const T *dgates = m->dgates;                                                               \
        rg_gemm_##S(true, false, 4 * size, in, rows, 1, dgates, 4 * size, x, in, 0, dw, in);       \
        rg_gemm_##S(true, false, 4 * size, size, rows, 1, dgates, 4 * size, m->before, size, 0,    \
                    dw + 4 * size * in, size);                                                     \
        memset(dbias, 0, 8 * (size_t)size * sizeof *dbias);                                        \
        for (int64_t r = 0; r < rows; r++)                                                         \
            for (int64_t j = 0; j < 4 * size; j++)                                                 \
                dbias[j] += dgates[r * 4 * size + j];                                              \
        memcpy(dbias + 4 * size, dbias, 4 * (size_t)size * sizeof *dbias);                         \
    }                                                                                              \
    static void run_back_##S(const net *u, int64_t l, int64_t d, const T *x, const tape *m)        \
    {                                                                                              \
        int64_t size = u->size, n = u->batch, one = n * size, wide = u->directions * size;         \
        int64_t in = layer_in(u, l), at = (l * u->directions + d) * one;                           \
        const T *gates = (const T *)m->reserve + gates_at(u, l, d);                                \
        const T *cells = gates + 4 * u->steps * one, *w = (const T *)m->w + weights_at(u, l, d);   \
        const T *out = (const T *)m->reserve + out_at(u, l) + d * size;                            \
        const T *dout = (const T *)m->dout + d * size;                                             \
        T *dgates = m->dgates, *before = m->before, *dh = (T *)m->dh + at, *dc = (T *)m->dc + at;  \
        for (int64_t k = u->steps; k-- > 0;) {                                                     \
            int64_t t = d == 1 ? u->steps - 1 - k : k, last = d == 1 ? t + 1 : t - 1;              \
            const T *old = k > 0 ? cells + last * one : (const T *)m->c0 + at;                     \
            for (int64_t r = 0; r < n; r++)                                                        \
                memcpy(before + t * one + r * size,                                                \
                       k > 0 ? out + (last * n + r) * wide : (const T *)m->h0 + at + r * size,     \
                       (size_t)size * sizeof *before);                                             \
            cells_back_##S(gates + 4 * t * one, old, cells + t * one, dout + t * n * wide, wide,   \
                           dh, dc, dgates + 4 * t * one, n, size);                                 \
            rg_gemm_##S(false, false, n, size, 4 * size, 1, dgates + 4 * t * one, 4 * size,        \
                        w + 4 * size * in, size, 0, dh, size);                                     \
        }                                                                                          \
        rg_gemm_##S(false, false, u->steps *n, in, 4 * size, 1, dgates, 4 * size, w, in,           \
                    d == 0 ? 0 : 1, m->dinput, in);                                                \
        weights_back_##S(u, in, x, m, (T *)m->dw + weights_at(u, l, d),                            \
                         (T *)m->dw + biases_at(u, l, d));                                         \
    }                                                                                              \
    static void layers_back_##S(const net *u, const tape *m)                                       \
    {                                                                                              \
        int64_t all = u->directions * u->size * u->steps * u->batch;                               \
        const T *reserve = m->reserve;                                                             \
        T *input = m->input, *dout = m->dout;                                                      \
        for (int64_t l = u->layers; l-- > 0;) {                                                    \
            const T *factors = reserve + factors_at(u, l);                                         \
            for (int64_t i = 0; l > 0 && i < all; i++)                                             \
                input[i] = reserve[out_at(u, l - 1) + i] * factors[i];                             \
            for (int64_t d = 0; d < u->directions; d++)                                            \
                run_back_##S(u, l, d, l > 0 ? input : m->x, m);                                    \
            for (int64_t i = 0; l > 0 && i < all; i++)                                             \
                dout[i] = ((T *)m->dinput)[i] * factors[i];                                        \
        }                                                                                          \
    }
BACK(float, f32, rg_tanhf)
BACK(double, f64, tanh)

/* The gradient of an output, copied where it is given, else zeros. */
static void *start_of(rg_ctx *ctx, int from, void *to, size_t bytes)
{
    if (to == NULL)
        to = rg_scratch(ctx, bytes);
    if (to != NULL && rg_has_in(ctx, from))
        memcpy(to, rg_in_data(ctx, from), bytes);
    else if (to != NULL)
        memset(to, 0, bytes);
    return to;
}

static rg_status cudnn_lstm_grad_kernel(rg_ctx *ctx)
{
    net u;
    RG_TRY(net_of(ctx, &u));
    int64_t rows = u.steps * u.batch, states = u.layers * u.directions * u.batch * u.size;
    RG_TRY(rg_expect_kept(ctx, G_RESERVE, G_INPUT, u.layers * layer_numbers(&u)));
    if (rg_has_in(ctx, G_DOUT))
        RG_TRY(rg_expect_kept(ctx, G_DOUT, G_INPUT, rows * u.directions * u.size));
    if (rg_has_in(ctx, G_DLAST_H))
        RG_TRY(rg_expect_kept(ctx, G_DLAST_H, G_INPUT, states));
    if (rg_has_in(ctx, G_DLAST_C))
        RG_TRY(rg_expect_kept(ctx, G_DLAST_C, G_INPUT, states));
    size_t number = rg_dtype_size(rg_dtype_of(ctx, G_INPUT));
    size_t one = (size_t)(rows * u.size) * number, all = (size_t)u.directions * one;
    size_t widest = (size_t)(rows * (u.in > u.directions * u.size ? u.in : u.directions * u.size));
    void *dinput = rg_scratch(ctx, widest * number), *dw = rg_out_data(ctx, G_DW);
    tape m = {.x = rg_in_data(ctx, G_INPUT),
              .w = rg_in_data(ctx, G_W),
              .h0 = rg_in_data(ctx, G_INIT_H),
              .c0 = rg_in_data(ctx, G_INIT_C),
              .reserve = rg_in_data(ctx, G_RESERVE),
              .input = rg_scratch(ctx, all),
              .dgates = rg_scratch(ctx, 4 * one),
              .before = rg_scratch(ctx, one),
              .dout = start_of(ctx, G_DOUT, NULL, all),
              .dinput = dinput,
              .dh = start_of(ctx, G_DLAST_H, rg_out_data(ctx, G_DINIT_H), (size_t)states * number),
              .dc = start_of(ctx, G_DLAST_C, rg_out_data(ctx, G_DINIT_C), (size_t)states * number),
              .dw = dw ? dw : rg_scratch(ctx, rg_value_bytes(rg_in(ctx, G_W)))};
    if (!m.input || !m.dgates || !m.before || !m.dout || !dinput || !m.dh || !m.dc || !m.dw)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, G_INPUT, layers_back, (&u, &m))
    if (rg_has_out(ctx, G_DINPUT))
        memcpy(rg_out_data(ctx, G_DINPUT), dinput, (size_t)(rows * u.in) * number);
    return RG_OK;
}

const rg_op rg_op_cudnn_lstm_grad = {
    .type = "cudnn_lstm_grad",
    .doc = "Gradient of cudnn_lstm.",
    .in = RG_SLOTS([G_INPUT] = {"Input", ""}, [G_INIT_H] = {"InitH", ""},
                   [G_INIT_C] = {"InitC", ""}, [G_W] = {"W", ""}, [G_RESERVE] = {"Reserve", ""},
                   [G_DOUT] = {"Out@GRAD", "", RG_OPTIONAL},
                   [G_DLAST_H] = {"last_h@GRAD", "", RG_OPTIONAL},
                   [G_DLAST_C] = {"last_c@GRAD", "", RG_OPTIONAL}),
    .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_INPUT)},
                    [G_DINIT_H] = {"InitH@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_INIT_H)},
                    [G_DINIT_C] = {"InitC@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_INIT_C)},
                    [G_DW] = {"W@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_W)}),
    .attr = ATTRS,
    .kernel = cudnn_lstm_grad_kernel,
};
