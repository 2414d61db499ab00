/* dist.c - how far apart two tensors are: dist and allclose.
 *
 *   dist      (sum of |x - y|^p)^(1/p); p 0 counts what differs, inf and -inf take the largest
 *             and the smallest |x - y|. One tensor may repeat along the other.
 *   allclose  whether |input - other| <= atol + rtol |other| everywhere
 *
 * In dist's gradient, the power of a distance of 0 is taken as 0, whatever p. */
#include "ops/broadcast.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, Y, DIST_OUT, DOUT };
enum { OUT };
enum { DX, DY };
enum { P };

static rg_status dist_infer(rg_ctx *ctx)
{
    rg_shape both;
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_broadcast_shape(rg_shape_of(ctx, X), rg_shape_of(ctx, Y), -1, &both));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(1));
    return RG_OK;
}

/* A walk over the pairs of elements; `row` at the present row. */
#define FOR_PAIRS(b, row, i)                                           \
    for (int64_t r_ = 0; r_ < (b)->rows; r_++, rg_row_next(b, &(row))) \
        for (int64_t i = 0; i < (b)->n[(b)->rank - 1]; i++)

#define DIST(T, S)                                                                               \
    static void dist_##S(const rg_broadcast *b, float p, const T *x, const T *y, T *out)         \
    {                                                                                            \
        const int64_t sx = b->sx[b->rank - 1], sy = b->sy[b->rank - 1];                          \
        rg_row row = {0};                                                                        \
        double sum = p < 0 && isinf(p) ? INFINITY : 0;                                           \
        FOR_PAIRS(b, row, i)                                                                     \
        {                                                                                        \
            double d = fabs((double)x[row.x + i * sx] - (double)y[row.y + i * sy]);              \
            if (isinf(p))                                                                        \
                sum = (p > 0) == (d > sum) ? d : sum;                                            \
            else                                                                                 \
                sum += p == 0 ? d != 0 : pow(d, (double)p);                                      \
        }                                                                                        \
        *out = (T)(isinf(p) || p == 0 ? sum : pow(sum, 1 / (double)p));                          \
    }                                                                                            \
    static void dist_grad_##S(const rg_broadcast *b, float p, const T *x, const T *y, T out,     \
                              T dout, T *dx, T *dy)                                              \
    {                                                                                            \
        const int64_t sx = b->sx[b->rank - 1], sy = b->sy[b->rank - 1];                          \
        rg_row row = {0};                                                                        \
        if (p == 0)                                                                              \
            return;                                                                              \
        FOR_PAIRS(b, row, i)                                                                     \
        {                                                                                        \
            double d = (double)x[row.x + i * sx] - (double)y[row.y + i * sy], size = fabs(d), g; \
            if (isinf(p))                                                                        \
                g = (T)size == out;                                                              \
            else                                                                                 \
                g = size == 0 ? 0 : pow(size / (double)out, (double)p - 1);                      \
            g *= (double)dout * ((d > 0) - (d < 0));                                             \
            if (dx != NULL)                                                                      \
                dx[row.x + i * sx] += (T)g;                                                      \
            if (dy != NULL)                                                                      \
                dy[row.y + i * sy] -= (T)g;                                                      \
        }                                                                                        \
    }
RG_FLOATS(DIST)

static rg_status dist_kernel(rg_ctx *ctx)
{
    rg_broadcast b;
    rg_broadcast_plan(&b, rg_shape_of(ctx, X), rg_shape_of(ctx, Y), -1);
    RG_CALL_FLOAT(
        ctx, X, dist,
        (&b, rg_attr_float(ctx, P), rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static void clear(rg_value *value)
{
    if (value != NULL)
        memset(value->data, 0, rg_value_bytes(value));
}

static rg_status dist_grad_kernel(rg_ctx *ctx)
{
    rg_broadcast b;
    rg_broadcast_plan(&b, rg_shape_of(ctx, X), rg_shape_of(ctx, Y), -1);
    clear(rg_out(ctx, DX));
    clear(rg_out(ctx, DY));
    const void *out = rg_in_data(ctx, DIST_OUT), *dout = rg_in_data(ctx, DOUT);
    if (rg_dtype_of(ctx, X) == RG_F32)
        dist_grad_f32(&b, rg_attr_float(ctx, P), rg_in_data(ctx, X), rg_in_data(ctx, Y),
                      *(const float *)out, *(const float *)dout, rg_out_data(ctx, DX),
                      rg_out_data(ctx, DY));
    else if (rg_dtype_of(ctx, X) == RG_F64)
        dist_grad_f64(&b, rg_attr_float(ctx, P), rg_in_data(ctx, X), rg_in_data(ctx, Y),
                      *(const double *)out, *(const double *)dout, rg_out_data(ctx, DX),
                      rg_out_data(ctx, DY));
    else
        return rg_bad_dtype(ctx, X);
    return RG_OK;
}

/* ---- allclose ---- */

enum { RTOL, ATOL, EQUAL_NAN };

static rg_status close_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    rg_set_out(ctx, OUT, RG_BOOL, &RG_SHAPE(1));
    return RG_OK;
}

#define CLOSE(T, S)                                                                               \
    static void close_##S(const T *x, const T *y, int64_t n, double rtol, double atol, bool nan,  \
                          bool *out)                                                              \
    {                                                                                             \
        *out = true;                                                                              \
        for (int64_t i = 0; i < n && *out; i++) {                                                 \
            double a = (double)x[i], b = (double)y[i];                                            \
            *out = a == b || (isnan(a) && isnan(b) ? nan : fabs(a - b) <= atol + rtol * fabs(b)); \
        }                                                                                         \
    }
RG_FLOATS(CLOSE)

static rg_status close_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    RG_CALL_FLOAT(ctx, X, close,
                  (x->data, rg_in_data(ctx, Y), rg_numel(x), (double)rg_attr_float(ctx, RTOL),
                   (double)rg_attr_float(ctx, ATOL), rg_attr_bool(ctx, EQUAL_NAN),
                   rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define DIST_ATTRS RG_ATTRS([P] = RG_FLOAT("p", 2.0f, "the power"))

const rg_op rg_ops_dist[] = {
    {
        .type = "dist",
        .doc = "The p-norm of the difference.",
        .in = RG_SLOTS([X] = {"X", "any"}, [Y] = {"Y", "its shape, or one that goes with it"}),
        .out = RG_SLOTS([OUT] = {"Out", "[1]"}),
        .attr = DIST_ATTRS,
        .infer = dist_infer,
        .kernel = dist_kernel,
    },
    {
        .type = "dist_grad",
        .doc = "Gradient of dist.",
        .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DIST_OUT] = {"Out", ""},
                       [DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "",
                                                                                      RG_OPTIONAL,
                                                                                      .like = RG_OF(
                                                                                          Y)}),
        .attr = DIST_ATTRS,
        .kernel = dist_grad_kernel,
    },
    {
        .type = "allclose",
        .doc = "Whether two tensors are the same but for small differences.",
        .in = RG_SLOTS([X] = {"Input", "any", RG_NO_GRAD}, [Y] = {"Other", "its shape",
                                                                  RG_NO_GRAD}),
        .out = RG_SLOTS([OUT] = {"Out", "[1], bool"}),
        .attr = RG_ATTRS([RTOL] = RG_FLOAT("rtol", 1e-5f, "allowed, as a part of |other|"),
                         [ATOL] = RG_FLOAT("atol", 1e-8f, "allowed, besides"),
                         [EQUAL_NAN] = RG_BOOLEAN("equal_nan", false, "two NaNs are the same")),
        .infer = close_infer,
        .kernel = close_kernel,
    },
    {.type = NULL},
};
