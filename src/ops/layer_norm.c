/* layer_norm.c - each row brought to mean 0 and variance 1, then scaled and moved.
 *
 *   Y = Scale (X - mean) / sqrt(variance + epsilon) + Bias
 *
 * A row is what the dimensions from begin_norm_axis on make; Scale and Bias have a number
 * for each element of it. Mean and Variance (divided by n) are kept for the gradient. */
#include "ops/norm_terms.h"
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE, BIAS };
enum { Y, MEAN, VARIANCE };
enum { EPSILON, BEGIN_AXIS };

static rg_status check_width(const rg_ctx *ctx, int in, int64_t width)
{
    if (!rg_has_in(ctx, in))
        return RG_OK;
    int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
    RG_TRY(rg_expect_same_dtype(ctx, X, in));
    if (n >= 0 && width >= 0 && n != width)
        return rg_fail(RG_ESHAPE, "rows of X have %lld elements, and %s %lld", (long long)width,
                       ctx->op->in[in].name, (long long)n);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int axis = rg_attr_int(ctx, BEGIN_AXIS);
    if (axis < 1 || axis >= x->rank)
        return rg_fail(RG_EINVAL, "begin_norm_axis is %d, and must be from 1 to %d", axis,
                       x->rank - 1);
    if (!(rg_attr_float(ctx, EPSILON) >= 0))
        return rg_fail(RG_EINVAL, "epsilon is %g, and must not be negative",
                       (double)rg_attr_float(ctx, EPSILON));
    int64_t width = rg_shape_product(x, axis, x->rank);
    RG_TRY(check_width(ctx, SCALE, width));
    RG_TRY(check_width(ctx, BIAS, width));
    rg_set_like(ctx, Y, X);
    rg_shape rows = RG_SHAPE(rg_shape_product(x, 0, axis));
    rg_set_out(ctx, MEAN, rg_dtype_of(ctx, X), &rows);
    rg_set_out(ctx, VARIANCE, rg_dtype_of(ctx, X), &rows);
    return RG_OK;
}

#define NORM(T, S)                                                                              \
    RG_HOT static void norm_row_##S(const T *x, int64_t n, T mean, T inverse, const T *scale,   \
                                    const T *bias, T *y)                                        \
    {                                                                                           \
        if (scale != NULL && bias != NULL)                                                      \
            for (int64_t i = 0; i < n; i++)                                                     \
                y[i] = (x[i] - mean) * inverse * scale[i] + bias[i];                            \
        else                                                                                    \
            for (int64_t i = 0; i < n; i++)                                                     \
                y[i] = (x[i] - mean) * inverse * (scale ? scale[i] : 1) + (bias ? bias[i] : 0); \
    }                                                                                           \
    static void norm_##S(const T *x, int64_t rows, int64_t n, float epsilon, const T *scale,    \
                         const T *bias, T *y, T *mean, T *variance)                             \
    {                                                                                           \
        for (int64_t r = 0; r < rows; r++, x += n, y += n) {                                    \
            T m = rg_sum_##S(x, n) / (T)n, v = rg_squares_##S(x, m, n) / (T)n;                  \
            norm_row_##S(x, n, m, 1 / RG_SQRT(v + (T)epsilon), scale, bias, y);                 \
            if (mean != NULL)                                                                   \
                mean[r] = m;                                                                    \
            if (variance != NULL)                                                               \
                variance[r] = v;                                                                \
        }                                                                                       \
    }
RG_FLOATS(NORM)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int axis = rg_attr_int(ctx, BEGIN_AXIS);
    RG_CALL_FLOAT(ctx, X, norm,
                  (rg_in_data(ctx, X), rg_shape_product(x, 0, axis),
                   rg_shape_product(x, axis, x->rank), rg_attr_float(ctx, EPSILON),
                   rg_in_data(ctx, SCALE), rg_in_data(ctx, BIAS), rg_out_data(ctx, Y),
                   rg_out_data(ctx, MEAN), rg_out_data(ctx, VARIANCE)))
    return RG_OK;
}

#define ATTRS                                                                               \
    RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1e-5f, "keeps a variance of 0 from dividing"), \
             [BEGIN_AXIS] = RG_INT("begin_norm_axis", 1, "the first dimension of a row"))

const rg_op rg_op_layer_norm = {
    .type = "layer_norm",
    .doc = "Each row brought to mean 0 and variance 1, then scaled and moved.",
    .in = RG_SLOTS([X] = {"X", "any shape"},
                   [SCALE] = {"Scale", "a factor for each element of a row", RG_OPTIONAL},
                   [BIAS] = {"Bias", "a shift for each element of a row", RG_OPTIONAL}),
    .out = RG_SLOTS([Y] = {"Y", "the shape of X", .inplace = RG_OF(X)},
                    [MEAN] = {"Mean", "of each row", RG_INTERMEDIATE},
                    [VARIANCE] = {"Variance", "of each row", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_MEAN, G_VARIANCE, G_SCALE, G_BIAS, G_DY };
enum { G_DX, G_DSCALE, G_DBIAS };

/* g is the gradient before Scale: through Y itself, through the mean and the variance
 *     dx = (g - mean(g) - x^ mean(g x^)) / deviation,   x^ = (x - mean) / deviation */
#define BACK(T, S)                                                                                 \
    RG_HOT static void sums_##S(const T *x, const T *dy, int64_t n, T mean, T inverse, T *dscale,  \
                                T *dbias)                                                          \
    {                                                                                              \
        for (int64_t i = 0; dscale != NULL && i < n; i++)                                          \
            dscale[i] += dy[i] * ((x[i] - mean) * inverse);                                        \
        for (int64_t i = 0; dbias != NULL && i < n; i++)                                           \
            dbias[i] += dy[i];                                                                     \
    }                                                                                              \
    RG_HOT static void times_##S(const T *a, const T *b, int64_t n, T *out)                        \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = a[i] * b[i];                                                                  \
    }                                                                                              \
    RG_HOT static void back_row_##S(const T *x, const T *g, int64_t n, T mean, T inverse, T shift, \
                                    T slope, T *dx)                                                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            dx[i] = inverse * g[i] + (slope * (x[i] - mean) + shift);                              \
    }                                                                                              \
    static void back_##S(const T *x, const T *dy, int64_t rows, int64_t n, float epsilon,          \
                         const T *scale, const T *mean, const T *variance, T *work, T *dx,         \
                         T *dscale, T *dbias)                                                      \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++, x += n, dy += n) {                                      \
            T m = mean[r], inverse = 1 / RG_SQRT(variance[r] + (T)epsilon);                        \
            sums_##S(x, dy, n, m, inverse, dscale, dbias);                                         \
            if (dx == NULL)                                                                        \
                continue;                                                                          \
            const T *g = scale ? work : dy;                                                        \
            if (scale != NULL)                                                                     \
                times_##S(dy, scale, n, work);                                                     \
            T sum = rg_sum_##S(g, n), product = rg_dot_from_##S(x, m, g, n);                       \
            back_row_##S(x, g, n, m, inverse, -inverse *sum / (T)n,                                \
                         -inverse * inverse * inverse * product / (T)n, dx);                       \
            dx += n;                                                                               \
        }                                                                                          \
    }
RG_FLOATS(BACK)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X);
    int axis = rg_attr_int(ctx, BEGIN_AXIS);
    int64_t width = rg_shape_product(x, axis, x->rank);
    void *work = rg_scratch(ctx, (size_t)width * sizeof(double));
    if (work == NULL)
        return RG_ENOMEM;
    for (int out = G_DSCALE; out <= G_DBIAS; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    RG_CALL_FLOAT(ctx, G_X, back,
                  (rg_in_data(ctx, G_X), rg_in_data(ctx, G_DY), rg_shape_product(x, 0, axis), width,
                   rg_attr_float(ctx, EPSILON), rg_in_data(ctx, G_SCALE), rg_in_data(ctx, G_MEAN),
                   rg_in_data(ctx, G_VARIANCE), work, rg_out_data(ctx, G_DX),
                   rg_out_data(ctx, G_DSCALE), rg_out_data(ctx, G_DBIAS)))
    return RG_OK;
}

/* Scale and Bias are one number after the other; X may have several dimensions there. */
static rg_term as_row(rg_terms *t, rg_term x, const rg_shape *shape, int from)
{
    int32_t dims[RG_MAX_DIMS];
    for (int d = from; d < shape->rank; d++)
        dims[d - from] = (int32_t)shape->dim[d];
    rg_opdesc *op = rg_term_begin(t, "reshape");
    rg_term_put(t, op, "X", x);
    rg_term_set(
        t, op,
        &(rg_attr){.name = "shape", .type = RG_ATTR_INTS, .n = shape->rank - from, .ints = dims});
    return rg_term_end(t, op, "Out");
}

static void grad_terms(rg_terms *t)
{
    const rg_shape x = rg_term_meta(t, rg_term_in(t, "X"))->shape;
    int from = rg_term_attr(t, "begin_norm_axis")->i;
    rg_term scale = rg_term_in(t, "Scale"), bias = rg_term_in(t, "Bias");
    rg_norm_terms norm = {.axis = from};
    for (int d = from; d < x.rank; d++)
        norm.dims[norm.n++] = d;
    if (norm.n > 1 && rg_shape_product(&x, from, x.rank) < 0)
        rg_term_fail(t, "the dimensions of a row are not known");
    norm.scale = scale ? as_row(t, scale, &x, from) : NULL;
    norm.bias = bias ? as_row(t, bias, &x, from) : NULL;
    norm.flat = true;
    rg_compose_norm(t, &norm);
}

const rg_op rg_op_layer_norm_grad = {
    .type = "layer_norm_grad",
    .doc = "Gradient of layer_norm.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_MEAN] = {"Mean", ""}, [G_VARIANCE] = {"Variance", ""},
                   [G_SCALE] = {"Scale", "", RG_OPTIONAL},
                   [G_BIAS] = {"Bias", "", RG_OPTIONAL | RG_SHAPE_ONLY}, [G_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X), RG_OF(G_DY)},
                    [G_DSCALE] = {"Scale@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_BIAS)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
