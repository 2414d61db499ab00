/* row_conv.c - each column of a sequence convolved with what follows.
 *
 *   Out[t, j] = sum over k of X[t + k, j] Filter[k, j]    as far as the sequence goes
 *
 * X is sequences [total, width], or dense [batch, time, width]. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, FILTER };
enum { OUT };

static rg_status row_conv_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X), *filter = rg_shape_of(ctx, FILTER);
    RG_TRY(rg_expect_same_dtype(ctx, X, FILTER));
    RG_TRY(rg_expect_rank(ctx, FILTER, 2));
    if (x->rank != 3) {
        RG_TRY(rg_expect_rank(ctx, X, 2));
        RG_TRY(rg_expect_one_level(ctx, X, &lod));
    }
    int64_t width = x->dim[x->rank - 1];
    if (width >= 0 && filter->dim[1] >= 0 && width != filter->dim[1])
        return rg_fail(RG_ESHAPE, "Filter has rows of %lld, and X of %lld",
                       (long long)filter->dim[1], (long long)width);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Where the sequences begin; in scratch where X is dense. */
static rg_status offsets_of(rg_ctx *ctx, const int64_t **at, int64_t *n)
{
    const rg_meta *x = rg_in_meta(ctx, X);
    const rg_lod *lod;
    if (x->shape.rank != 3) {
        RG_TRY(rg_expect_one_level(ctx, X, &lod));
        *at = lod->offset[0];
        *n = rg_lod_sequences(lod, 0);
        return RG_OK;
    }
    *n = x->shape.dim[0];
    int64_t *made = rg_scratch(ctx, (size_t)(*n + 1) * sizeof *made);
    if (made == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i <= *n; i++)
        made[i] = i * x->shape.dim[1];
    *at = made;
    return RG_OK;
}

/* f(rows t and t + k, filter row k) for all pairs inside a sequence. */
#define EACH_PAIR(at, n, reach, t, k)                   \
    for (int64_t s = 0; s < (n); s++)                   \
        for (int64_t t = (at)[s]; t < (at)[s + 1]; t++) \
            for (int64_t k = 0; k < (reach) && t + k < (at)[s + 1]; k++)

#define CONVOLVE(T, S)                                                                             \
    RG_HOT static void convolve_##S(const T *x, const T *filter, const int64_t *at, int64_t n,     \
                                    int64_t reach, int64_t width, T *out)                          \
    {                                                                                              \
        EACH_PAIR(at, n, reach, t, k)                                                              \
        for (int64_t j = 0; j < width; j++)                                                        \
            out[t * width + j] += x[(t + k) * width + j] * filter[k * width + j];                  \
    }                                                                                              \
    RG_HOT static void back_to_x_##S(const T *dout, const T *filter, const int64_t *at, int64_t n, \
                                     int64_t reach, int64_t width, T *dx)                          \
    {                                                                                              \
        EACH_PAIR(at, n, reach, t, k)                                                              \
        for (int64_t j = 0; j < width; j++)                                                        \
            dx[(t + k) * width + j] += dout[t * width + j] * filter[k * width + j];                \
    }                                                                                              \
    RG_HOT static void back_to_filter_##S(const T *dout, const T *x, const int64_t *at, int64_t n, \
                                          int64_t reach, int64_t width, T *dfilter)                \
    {                                                                                              \
        EACH_PAIR(at, n, reach, t, k)                                                              \
        for (int64_t j = 0; j < width; j++)                                                        \
            dfilter[k * width + j] += dout[t * width + j] * x[(t + k) * width + j];                \
    }
RG_FLOATS(CONVOLVE)

static rg_status row_conv_kernel(rg_ctx *ctx)
{
    const rg_shape *filter = rg_shape_of(ctx, FILTER);
    rg_value *out = rg_out(ctx, OUT);
    const int64_t *at;
    int64_t n;
    RG_TRY(offsets_of(ctx, &at, &n));
    memset(out->data, 0, rg_value_bytes(out));
    RG_CALL_FLOAT(ctx, X, convolve,
                  (rg_in_data(ctx, X), rg_in_data(ctx, FILTER), at, n, filter->dim[0],
                   filter->dim[1], out->data))
    return RG_OK;
}

const rg_op rg_op_row_conv = {
    .type = "row_conv",
    .doc = "Each column of a sequence convolved with what follows.",
    .in = RG_SLOTS([X] = {"X", "[total, width] or [batch, time, width]"},
                   [FILTER] = {"Filter", "[rows that count, width]"}),
    .out = RG_SLOTS([OUT] = {"Out", "X's shape"}),
    .flags = RG_OP_BILINEAR,
    .infer = row_conv_infer,
    .kernel = row_conv_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_FILTER, G_DOUT };
enum { G_DX, G_DFILTER };

static rg_status row_conv_grad_kernel(rg_ctx *ctx)
{
    const rg_shape *filter = rg_shape_of(ctx, G_FILTER);
    rg_value *dx = rg_out(ctx, G_DX), *dfilter = rg_out(ctx, G_DFILTER);
    const int64_t *at;
    int64_t n;
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_shape_numel(rg_shape_of(ctx, G_X))));
    RG_TRY(offsets_of(ctx, &at, &n));
    if (dx != NULL) {
        memset(dx->data, 0, rg_value_bytes(dx));
        RG_CALL_FLOAT(ctx, G_DOUT, back_to_x,
                      (rg_in_data(ctx, G_DOUT), rg_in_data(ctx, G_FILTER), at, n, filter->dim[0],
                       filter->dim[1], dx->data))
    }
    if (dfilter != NULL) {
        memset(dfilter->data, 0, rg_value_bytes(dfilter));
        RG_CALL_FLOAT(ctx, G_DOUT, back_to_filter,
                      (rg_in_data(ctx, G_DOUT), rg_in_data(ctx, G_X), at, n, filter->dim[0],
                       filter->dim[1], dfilter->data))
    }
    return RG_OK;
}

const rg_op rg_op_row_conv_grad = {
    .type = "row_conv_grad",
    .doc = "Gradient of row_conv.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_FILTER] = {"Filter", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_X)}, [G_DFILTER] =
                                                                                  {"Filter@GRAD",
                                                                                   "", RG_OPTIONAL,
                                                                                   .like = RG_OF(
                                                                                       G_FILTER)}),
    .kernel = row_conv_grad_kernel,
};
