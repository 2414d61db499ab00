/* sequence_pool.c - one row for each sequence.
 *
 *   Out[i] = the sum, average, sum / sqrt(n), max, first or last row of sequence i of X
 *
 * over the last level of the LoD; Out has the levels above it. An empty sequence gives
 * pad_value, and its gradient is nothing. MAX keeps in MaxIndex which row won. */
#include "ir/program.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X };
enum { OUT, MAX_INDEX };
enum { POOLTYPE, PAD_VALUE, IS_TEST };

typedef enum pool { SUM, AVERAGE, SQRT, MAX, FIRST, LAST } pool;

static rg_status pool_of(const rg_ctx *ctx, pool *out)
{
    static const char *const names[] = {"SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST"};
    const char *wanted = rg_attr_string(ctx, POOLTYPE);
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], wanted) == 0) {
            *out = (pool)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "pooltype %s: SUM, AVERAGE, SQRT, MAX, FIRST or LAST", wanted);
}

static rg_status sequence_pool_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    pool p;
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(pool_of(ctx, &p));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (out.rank < 2)
        return rg_expect_rank(ctx, X, 2);
    out.dim[0] = lod ? rg_lod_sequences(lod, lod->levels - 1) : -1;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (p == MAX)
        rg_set_shape(ctx, MAX_INDEX, &out);
    if (rg_running(ctx)) /* Fluid declares it with the type of X */
        rg_set_dtype(ctx, MAX_INDEX, RG_I32);
    if (lod != NULL && lod->levels > 1) {
        rg_lod *above;
        RG_TRY(rg_lod_slice(&above, lod, 0, lod->levels - 1));
        rg_take_lod(ctx, OUT, above);
    }
    int level = rg_in_meta(ctx, X)->lod_level;
    rg_set_lod_level(ctx, OUT, level > 1 ? level - 1 : 0);
    return RG_OK;
}

#define POOL(T, S)                                                                               \
    RG_INLINE void add_up_##S(const T *x, int64_t rows, int64_t width, T factor, T *out)         \
    {                                                                                            \
        for (int64_t j = 0; j < width; j++)                                                      \
            out[j] = x[j];                                                                       \
        for (int64_t r = 1; r < rows; r++)                                                       \
            for (int64_t j = 0; j < width; j++)                                                  \
                out[j] += x[r * width + j];                                                      \
        if (factor != 1)                                                                         \
            for (int64_t j = 0; j < width; j++)                                                  \
                out[j] *= factor;                                                                \
    }                                                                                            \
    /* Row by row, so that columns are compared together; the first NaN stays. */                \
    RG_INLINE void largest_##S(const T *x, int64_t rows, int64_t width, T *out, int32_t *index,  \
                               int64_t first)                                                    \
    {                                                                                            \
        memcpy(out, x, (size_t)width * sizeof *out);                                             \
        for (int64_t j = 0; index != NULL && j < width; j++)                                     \
            index[j] = (int32_t)first;                                                           \
        for (int64_t r = 1; r < rows; r++) {                                                     \
            const T *row = x + r * width;                                                        \
            int32_t at = (int32_t)(first + r);                                                   \
            for (int64_t j = 0; index != NULL && j < width; j++) {                               \
                bool more = !(row[j] <= out[j]) & (out[j] == out[j]);                            \
                index[j] = more ? at : index[j];                                                 \
            }                                                                                    \
            for (int64_t j = 0; j < width; j++) {                                                \
                bool more = !(row[j] <= out[j]) & (out[j] == out[j]);                            \
                out[j] = more ? row[j] : out[j];                                                 \
            }                                                                                    \
        }                                                                                        \
    }                                                                                            \
    RG_HOT static void pool_##S(pool p, const T *x, const int64_t *at, int64_t n, int64_t width, \
                                T pad, T *out, int32_t *index)                                   \
    {                                                                                            \
        for (int64_t i = 0; i < n; i++, out += width) {                                          \
            int64_t rows = at[i + 1] - at[i];                                                    \
            const T *from = x + at[i] * width;                                                   \
            int32_t *won = index ? index + i * width : NULL;                                     \
            if (rows == 0) {                                                                     \
                for (int64_t j = 0; j < width; j++)                                              \
                    out[j] = pad;                                                                \
                for (int64_t j = 0; won != NULL && j < width; j++)                               \
                    won[j] = -1;                                                                 \
            } else if (p == MAX) {                                                               \
                largest_##S(from, rows, width, out, won, at[i]);                                 \
            } else if (p == FIRST || p == LAST) {                                                \
                memcpy(out, p == FIRST ? from : from + (rows - 1) * width,                       \
                       (size_t)width * sizeof *out);                                             \
            } else {                                                                             \
                T factor = p == SUM       ? 1                                                    \
                           : p == AVERAGE ? 1 / (T)rows                                          \
                                          : (T)(1 / sqrt((double)rows));                         \
                add_up_##S(from, rows, width, factor, out);                                      \
            }                                                                                    \
        }                                                                                        \
    }
RG_FLOATS(POOL)

static rg_status sequence_pool_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_lod *lod = x->meta.lod;
    int last = lod->levels - 1;
    pool p;
    RG_TRY(pool_of(ctx, &p));
    RG_CALL_FLOAT(ctx, X, pool,
                  (p, x->data, lod->offset[last], rg_lod_sequences(lod, last), rg_value_width(x),
                   rg_attr_float(ctx, PAD_VALUE), rg_out_data(ctx, OUT),
                   p == MAX ? rg_out_data(ctx, MAX_INDEX) : NULL))
    return RG_OK;
}

/* Only MAX needs to know which row it was. */
static rg_status sequence_pool_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "sequence_pool_grad", true, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    if (strcmp(rg_opdesc_attr(rg_grad_forward(ctx), "pooltype")->s, "MAX") == 0)
        RG_TRY(rg_grad_read_out(ctx, op, "MaxIndex", "MaxIndex"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "Out"));
    return rg_grad_write(ctx, op, "X@GRAD", "X", -1, NULL);
}

#define ATTRS                                                                                      \
    RG_ATTRS([POOLTYPE] = RG_STRING("pooltype", "AVERAGE",                                         \
                                    "SUM, AVERAGE, SQRT, MAX, FIRST or LAST"),                     \
             [PAD_VALUE] = RG_FLOAT("pad_value", 0.0f, "what an empty sequence gives"),            \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "no gradient will be asked for"))

const rg_op rg_op_sequence_pool = {
    .type = "sequence_pool",
    .doc = "One row for each sequence: sum, average, max, ...",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, ...]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[sequences, ...]"},
                    [MAX_INDEX] = {"MaxIndex", "the row that won, for MAX", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = sequence_pool_infer,
    .kernel = sequence_pool_kernel,
    .grad = sequence_pool_grad,
};

/* ---- gradient ---- */

enum { G_X, G_MAX_INDEX, G_DOUT };
enum { G_DX };

#define SPREAD(T, S)                                                                               \
    RG_HOT static void spread_##S(pool p, const T *dout, const int32_t *index, const int64_t *at,  \
                                  int64_t n, int64_t width, T *dx)                                 \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, dout += width) {                                           \
            int64_t rows = at[i + 1] - at[i];                                                      \
            T *to = dx + at[i] * width;                                                            \
            T factor = p == AVERAGE ? 1 / (T)rows                                                  \
                       : p == SQRT  ? (T)(1 / sqrt((double)rows))                                  \
                                    : 1;                                                           \
            if (rows == 0)                                                                         \
                continue;                                                                          \
            if (p == SUM || p == AVERAGE || p == SQRT) {                                           \
                for (int64_t r = 0; r < rows; r++)                                                 \
                    for (int64_t j = 0; j < width; j++)                                            \
                        to[r * width + j] = factor * dout[j];                                      \
                continue;                                                                          \
            }                                                                                      \
            memset(to, 0, (size_t)(rows * width) * sizeof *to);                                    \
            if (p == MAX)                                                                          \
                for (int64_t j = 0; j < width; j++)                                                \
                    dx[index[i * width + j] * width + j] = dout[j];                                \
            else                                                                                   \
                memcpy(p == FIRST ? to : to + (rows - 1) * width, dout,                            \
                       (size_t)width * sizeof *to);                                                \
        }                                                                                          \
    }
RG_FLOATS(SPREAD)

static rg_status sequence_pool_grad_kernel(rg_ctx *ctx)
{
    const rg_meta *x = rg_in_meta(ctx, G_X);
    rg_value *dx = rg_out(ctx, G_DX);
    int last = x->lod->levels - 1;
    pool p;
    RG_TRY(pool_of(ctx, &p));
    if (p == MAX && rg_in_data(ctx, G_MAX_INDEX) == NULL)
        return rg_fail(RG_EINVAL, "the gradient of MAX needs MaxIndex");
    RG_CALL_FLOAT(ctx, G_DOUT, spread,
                  (p, rg_in_data(ctx, G_DOUT), rg_in_data(ctx, G_MAX_INDEX), x->lod->offset[last],
                   rg_lod_sequences(x->lod, last), rg_value_width(dx), dx->data))
    return RG_OK;
}

/* Twice over: all but MAX are linear. An empty sequence gives no change. */
static rg_status sequence_pool_second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    if (strcmp(rg_opdesc_attr(rg_grad_forward(ctx), "pooltype")->s, "MAX") == 0)
        return rg_grad_missing(ctx);
    RG_TRY(rg_grad_linear(ctx, &op));
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "pad_value", .type = RG_ATTR_FLOAT, .f = 0});
}

const rg_op rg_op_sequence_pool_grad = {
    .type = "sequence_pool_grad",
    .doc = "Gradient of sequence_pool.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_MAX_INDEX] = {"MaxIndex", "", RG_OPTIONAL},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = sequence_pool_grad_kernel,
    .grad = sequence_pool_second,
};
