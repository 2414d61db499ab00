/* instance_norm.c - each channel of each image brought to mean 0 and variance 1, then scaled
 * and moved by its channel.
 *
 *   Y = Scale (X - mean) / sqrt(variance + epsilon) + Bias
 *
 * SavedMean and SavedVariance, the latter as 1 / sqrt(variance + epsilon), have a number for
 * each channel of each image. */
#include "ops/norm_terms.h"
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE, BIAS };
enum { Y, SAVED_MEAN, SAVED_VARIANCE };
enum { EPSILON };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    if (x->rank < 2 || x->rank > 5) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have 2 to 5 dimensions, and has the shape %s",
                       rg_shape_text(x, text));
    }
    if (!(rg_attr_float(ctx, EPSILON) >= 0))
        return rg_fail(RG_EINVAL, "epsilon is %g, and must not be negative",
                       (double)rg_attr_float(ctx, EPSILON));
    for (int in = SCALE; in <= BIAS; in++) {
        int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
        RG_TRY(rg_expect_same_dtype(ctx, X, in));
        if (n >= 0 && x->dim[1] >= 0 && n != x->dim[1])
            return rg_fail(RG_ESHAPE, "X has %lld channels, and %s %lld elements",
                           (long long)x->dim[1], ctx->op->in[in].name, (long long)n);
    }
    rg_set_like(ctx, Y, X);
    rg_shape planes = RG_SHAPE(rg_shape_product(x, 0, 2));
    rg_set_out(ctx, SAVED_MEAN, rg_dtype_of(ctx, X), &planes);
    rg_set_out(ctx, SAVED_VARIANCE, rg_dtype_of(ctx, X), &planes);
    return RG_OK;
}

#define LOOPS(T, S)                                                                              \
    RG_HOT static void plane_##S(const T *x, int64_t n, T mean, T factor, T shift, T *y)         \
    {                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                          \
            y[i] = (x[i] - mean) * factor + shift;                                               \
    }                                                                                            \
    static void norm_##S(const T *x, int64_t planes, int64_t channels, int64_t n, float epsilon, \
                         const T *scale, const T *bias, T *y, T *means, T *inverses)             \
    {                                                                                            \
        for (int64_t p = 0; p < planes; p++, x += n, y += n) {                                   \
            T mean = rg_sum_##S(x, n) / (T)n;                                                    \
            T inverse = 1 / RG_SQRT(rg_squares_##S(x, mean, n) / (T)n + (T)epsilon);             \
            T factor = inverse * scale[p % channels];                                            \
            plane_##S(x, n, mean, factor, bias[p % channels], y);                                \
            if (means != NULL)                                                                   \
                means[p] = mean;                                                                 \
            if (inverses != NULL)                                                                \
                inverses[p] = inverse;                                                           \
        }                                                                                        \
    }                                                                                            \
    RG_HOT static void back_plane_##S(const T *x, const T *dy, int64_t n, T mean, T factor,      \
                                      T slope, T shift, T *dx)                                   \
    {                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                          \
            dx[i] = factor * dy[i] + (slope * (x[i] - mean) + shift);                            \
    }                                                                                            \
    static void back_##S(const T *x, const T *dy, int64_t planes, int64_t channels, int64_t n,   \
                         const T *scale, const T *means, const T *inverses, T *dx, T *dscale,    \
                         T *dbias)                                                               \
    {                                                                                            \
        for (int64_t p = 0; p < planes; p++, x += n, dy += n) {                                  \
            T mean = means[p], inverse = inverses[p];                                            \
            T sum = rg_sum_##S(dy, n), product = rg_dot_from_##S(x, mean, dy, n) * inverse;      \
            if (dscale != NULL)                                                                  \
                dscale[p % channels] += product;                                                 \
            if (dbias != NULL)                                                                   \
                dbias[p % channels] += sum;                                                      \
            if (dx == NULL)                                                                      \
                continue;                                                                        \
            T factor = inverse * scale[p % channels];                                            \
            back_plane_##S(x, dy, n, mean, factor, -factor *inverse *product / (T)n,             \
                           -factor * sum / (T)n, dx);                                            \
            dx += n;                                                                             \
        }                                                                                        \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_CALL_FLOAT(ctx, X, norm,
                  (rg_in_data(ctx, X), rg_shape_product(x, 0, 2), x->dim[1],
                   rg_shape_product(x, 2, x->rank), rg_attr_float(ctx, EPSILON),
                   rg_in_data(ctx, SCALE), rg_in_data(ctx, BIAS), rg_out_data(ctx, Y),
                   rg_out_data(ctx, SAVED_MEAN), rg_out_data(ctx, SAVED_VARIANCE)))
    return RG_OK;
}

#define ATTRS \
    RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1e-5f, "keeps a variance of 0 from dividing"))

const rg_op rg_op_instance_norm = {
    .type = "instance_norm",
    .doc = "Each channel of each image brought to mean 0 and variance 1, scaled and moved.",
    .in = RG_SLOTS([X] = {"X", "[batch, channels, space]"},
                   [SCALE] = {"Scale", "a factor for a channel"},
                   [BIAS] = {"Bias", "a shift for a channel"}),
    .out = RG_SLOTS([Y] = {"Y", "the shape of X", .inplace = RG_OF(X)},
                    [SAVED_MEAN] = {"SavedMean", "[batch * channels]", RG_INTERMEDIATE},
                    [SAVED_VARIANCE] = {"SavedVariance", "1 / the deviation, [batch * channels]",
                                        RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_SCALE, G_SAVED_MEAN, G_SAVED_VARIANCE, G_DY };
enum { G_DX, G_DSCALE, G_DBIAS };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X);
    for (int out = G_DSCALE; out <= G_DBIAS; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    RG_CALL_FLOAT(ctx, G_X, back,
                  (rg_in_data(ctx, G_X), rg_in_data(ctx, G_DY), rg_shape_product(x, 0, 2),
                   x->dim[1], rg_shape_product(x, 2, x->rank), rg_in_data(ctx, G_SCALE),
                   rg_in_data(ctx, G_SAVED_MEAN), rg_in_data(ctx, G_SAVED_VARIANCE),
                   rg_out_data(ctx, G_DX), rg_out_data(ctx, G_DSCALE), rg_out_data(ctx, G_DBIAS)))
    return RG_OK;
}

/* Over the space of each channel of each image. */
static void grad_terms(rg_terms *t)
{
    rg_norm_terms norm = {.axis = 1, .scale = rg_term_in(t, "Scale")};
    int rank = rg_term_meta(t, rg_term_in(t, "X"))->shape.rank;
    for (int d = 2; d < rank; d++)
        norm.dims[norm.n++] = d;
    rg_compose_norm(t, &norm);
}

const rg_op rg_op_instance_norm_grad = {
    .type = "instance_norm_grad",
    .doc = "Gradient of instance_norm.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_SCALE] = {"Scale", ""}, [G_SAVED_MEAN] = {"SavedMean", ""},
                   [G_SAVED_VARIANCE] = {"SavedVariance", ""}, [G_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X), RG_OF(G_DY)},
                    [G_DSCALE] = {"Scale@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
