/* add_position_encoding.c - where a row stands in its sequence, added to it as waves.
 *
 *   Out[t, k]        = alpha X[t, k]        + beta sin(t / 10000^(k / (half - 1)))
 *   Out[t, half + k] = alpha X[t, half + k] + beta cos(t / 10000^(k / (half - 1)))
 *
 * half being half the width. X is sequences [total, width], or dense [batch, time, width]. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>

enum { X };
enum { OUT };
enum { ALPHA, BETA };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    const rg_lod *lod;
    if (x->rank != 3) {
        RG_TRY(rg_expect_rank(ctx, X, 2));
        RG_TRY(rg_expect_one_level(ctx, X, &lod));
    }
    if (x->dim[x->rank - 1] >= 0 && x->dim[x->rank - 1] % 2 != 0)
        return rg_fail(RG_ESHAPE, "X has rows of %lld, which must be even",
                       (long long)x->dim[x->rank - 1]);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* waves[t, k], for the longest sequence. */
static void make_waves(double *waves, int64_t rows, int64_t half)
{
    for (int64_t t = 0; t < rows; t++, waves += 2 * half)
        for (int64_t k = 0; k < half; k++) {
            double power = half > 1 ? (double)k / (double)(half - 1) : 1;
            double angle = (double)t / pow(10000.0, power);
            waves[k] = sin(angle);
            waves[half + k] = cos(angle);
        }
}

#define ADD(T, S)                                                                           \
    RG_HOT static void add_##S(const T *x, const double *waves, int64_t n, T alpha, T beta, \
                               T *out)                                                      \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                     \
            out[i] = alpha * x[i] + beta * (T)waves[i];                                     \
    }
RG_FLOATS(ADD)

static int64_t longest(const rg_meta *x)
{
    int64_t most = x->shape.rank == 3 ? x->shape.dim[1] : 0;
    for (int64_t i = 0; x->shape.rank != 3 && i < rg_lod_sequences(x->lod, 0); i++) {
        int64_t rows = x->lod->offset[0][i + 1] - x->lod->offset[0][i];
        most = rows > most ? rows : most;
    }
    return most;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    bool dense = shape->rank == 3;
    int64_t width = shape->dim[shape->rank - 1], rows = longest(&x->meta);
    int64_t n = dense ? shape->dim[0] : rg_lod_sequences(x->meta.lod, 0);
    double *waves = rg_scratch(ctx, (size_t)(rows * width) * sizeof *waves);
    if (waves == NULL)
        return RG_ENOMEM;
    make_waves(waves, rows, width / 2);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = dense ? i * rows : x->meta.lod->offset[0][i];
        int64_t to = dense ? from + rows : x->meta.lod->offset[0][i + 1];
        size_t at = (size_t)(from * width) * rg_dtype_size(x->meta.dtype);
        RG_CALL_FLOAT(ctx, X, add,
                      ((const void *)((const uint8_t *)x->data + at), waves, (to - from) * width,
                       rg_attr_float(ctx, ALPHA), rg_attr_float(ctx, BETA),
                       (void *)((uint8_t *)rg_out_data(ctx, OUT) + at)))
    }
    return RG_OK;
}

#define ATTRS                                                                     \
    RG_ATTRS([ALPHA] = RG_FLOAT("alpha", 1.0f, "factor of X"), [BETA] = RG_FLOAT( \
                                                                   "beta", 1.0f,  \
                                                                   "factor of the waves"))

const rg_op rg_op_add_position_encoding = {
    .type = "add_position_encoding",
    .doc = "Where a row stands in its sequence, added to it as waves.",
    .in = RG_SLOTS([X] = {"X", "[total, width] or [batch, time, width]"}),
    .out = RG_SLOTS([OUT] = {"Out", "X's shape", .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_DOUT };
enum { G_DX };

#define TIMES(T, S)                                                        \
    RG_HOT static void times_##S(const T *dout, T alpha, int64_t n, T *dx) \
    {                                                                      \
        for (int64_t i = 0; i < n; i++)                                    \
            dx[i] = alpha * dout[i];                                       \
    }
RG_FLOATS(TIMES)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    RG_CALL_FLOAT(ctx, G_DOUT, times,
                  (dout->data, rg_attr_float(ctx, ALPHA), rg_numel(dout), rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_add_position_encoding_grad = {
    .type = "add_position_encoding_grad",
    .doc = "Gradient of add_position_encoding.",
    .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_DOUT), .inplace = RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .flags = RG_OP_DIAGONAL,
    .kernel = grad_kernel,
};
