/* lrn.c - local response normalisation across channels.
 *
 *   MidOut[c] = k + alpha * sum of X[j]^2 over the n channels j around c
 *   Out = X MidOut^-beta
 *
 * In memory the channels around c stand a fixed step away, whichever layout: the size of a
 * plane, or 1. So both layouts are one loop. */
#include "math/fast.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT, MID };
enum { N_CHANNELS, K, ALPHA, BETA, FORMAT, IS_TEST };

/* X as `blocks` of `size` elements; channels are `step` apart within each. */
typedef struct extents {
    int64_t blocks, size, step, around;
    float k, alpha, beta;
} extents;

static rg_status find_extents(const rg_ctx *ctx, const rg_shape *x, extents *e)
{
    const char *format = rg_attr_string(ctx, FORMAT);
    int n = rg_attr_int(ctx, N_CHANNELS);
    bool last = strcmp(format, "NHWC") == 0;
    if (!last && strcmp(format, "NCHW") != 0 && strcmp(format, "AnyLayout") != 0)
        return rg_fail(RG_EINVAL, "data_format %s: NCHW or NHWC", format);
    if (n < 1 || n % 2 == 0)
        return rg_fail(RG_EINVAL, "n is %d, and must be odd: as many channels on either side", n);
    int64_t channels = x->dim[last ? 3 : 1], around = n / 2;
    *e = (extents){
        .blocks = last ? rg_shape_product(x, 0, 3) : x->dim[0],
        .size = last ? x->dim[3] : rg_shape_product(x, 1, 4),
        .step = last ? 1 : rg_shape_product(x, 2, 4),
        .around = around < channels ? around : channels, /* further away there are none */
        .k = rg_attr_float(ctx, K),
        .alpha = rg_attr_float(ctx, ALPHA),
        .beta = rg_attr_float(ctx, BETA),
    };
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    extents e;
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    rg_set_like(ctx, OUT, X);
    rg_set_like(ctx, MID, X);
    return RG_OK;
}

static inline double power_f64(double x, double exponent)
{
    return pow(x, exponent);
}

RG_INLINE float power_f32(float x, float exponent)
{
    return rg_expf(exponent * rg_logf(x));
}

/* The part lo <= i < hi of a block that has a neighbour `shift` elements away. */
static void within(const extents *e, int64_t shift, int64_t *lo, int64_t *hi)
{
    *lo = shift < 0 ? -shift : 0;
    *hi = shift > 0 ? e->size - shift : e->size;
}

#define LOOPS(T, S)                                                                               \
    RG_HOT static void add_square_##S(const T *x, int64_t n, T factor, T *sum)                    \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            sum[i] += factor * (x[i] * x[i]);                                                     \
    }                                                                                             \
    RG_HOT static void add_##S(const T *x, int64_t n, T *sum)                                     \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            sum[i] += x[i];                                                                       \
    }                                                                                             \
    RG_HOT static void scale_##S(const T *x, const T *mid, int64_t n, T exponent, T *out)         \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            out[i] = x[i] * power_##S(mid[i], exponent);                                          \
    }                                                                                             \
    RG_HOT static void ratio_##S(const T *dout, const T *out, const T *mid, int64_t n, T *ratio)  \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            ratio[i] = dout[i] * out[i] / mid[i];                                                 \
    }                                                                                             \
    RG_HOT static void back_##S(const T *x, const T *dout, const T *mid, const T *sum, int64_t n, \
                                T exponent, T factor, T *dx)                                      \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            dx[i] = dout[i] * power_##S(mid[i], exponent) + factor * x[i] * sum[i];               \
    }                                                                                             \
    static void respond_##S(const extents *e, const T *x, T *mid, bool keep_mid, T *out)          \
    {                                                                                             \
        int64_t lo, hi;                                                                           \
        for (int64_t b = 0; b < e->blocks; b++, x += e->size, out += e->size) {                   \
            for (int64_t i = 0; i < e->size; i++)                                                 \
                mid[i] = (T)e->k;                                                                 \
            for (int64_t j = -e->around; j <= e->around; j++) {                                   \
                within(e, j * e->step, &lo, &hi);                                                 \
                if (lo < hi)                                                                      \
                    add_square_##S(x + lo + j * e->step, hi - lo, (T)e->alpha, mid + lo);         \
            }                                                                                     \
            scale_##S(x, mid, e->size, (T)-e->beta, out);                                         \
            mid += keep_mid ? e->size : 0;                                                        \
        }                                                                                         \
    }                                                                                             \
    static void respond_back_##S(const extents *e, const T *x, const T *out, const T *mid,        \
                                 const T *dout, T *ratio, T *sum, T *dx)                          \
    {                                                                                             \
        int64_t lo, hi, n = e->size;                                                              \
        for (int64_t b = 0; b < e->blocks; b++) {                                                 \
            ratio_##S(dout + b * n, out + b * n, mid + b * n, n, ratio);                          \
            memset(sum, 0, (size_t)n * sizeof *sum);                                              \
            for (int64_t j = -e->around; j <= e->around; j++) {                                   \
                within(e, j * e->step, &lo, &hi);                                                 \
                if (lo < hi)                                                                      \
                    add_##S(ratio + lo + j * e->step, hi - lo, sum + lo);                         \
            }                                                                                     \
            back_##S(x + b * n, dout + b * n, mid + b * n, sum, n, (T)-e->beta,                   \
                     -2 * (T)e->alpha * (T)e->beta, dx + b * n);                                  \
        }                                                                                         \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    void *mid = rg_out_data(ctx, MID);
    bool keep = mid != NULL;
    if (!keep)
        mid = rg_scratch(ctx, (size_t)e.size * sizeof(double));
    if (mid == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, respond, (&e, rg_in_data(ctx, X), mid, keep, rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                               \
    RG_ATTRS([N_CHANNELS] = RG_INT("n", 5, "channels that are summed over, an odd number"), \
             [K] = RG_FLOAT("k", 2.0f, "what is added to the sum"),                         \
             [ALPHA] = RG_FLOAT("alpha", 1e-4f, "the factor of the sum"),                   \
             [BETA] = RG_FLOAT("beta", 0.75f, "the power"),                                 \
             [FORMAT] = RG_STRING("data_format", "AnyLayout", "NCHW or NHWC"),              \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "kept for files"))

const rg_op rg_op_lrn = {
    .type = "lrn",
    .doc = "Local response normalisation across channels.",
    .in = RG_SLOTS([X] = {"X", "[batch, channels, height, width]"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}, [MID] = {"MidOut",
                                                                "k + alpha * the sum of squares",
                                                                RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_OUT, G_MID, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, G_X), &e));
    void *ratio = rg_scratch(ctx, (size_t)e.size * sizeof(double));
    void *sum = rg_scratch(ctx, (size_t)e.size * sizeof(double));
    if (ratio == NULL || sum == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, G_X, respond_back,
                  (&e, rg_in_data(ctx, G_X), rg_in_data(ctx, G_OUT), rg_in_data(ctx, G_MID),
                   rg_in_data(ctx, G_DOUT), ratio, sum, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_lrn_grad = {
    .type = "lrn_grad",
    .doc = "Gradient of lrn.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_OUT] = {"Out", ""}, [G_MID] = {"MidOut", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
