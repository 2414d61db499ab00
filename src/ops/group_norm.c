/* group_norm.c - each group of channels of each image brought to mean 0 and variance 1, then
 * scaled and moved by its channel.
 *
 *   Y = Scale (X - mean) / sqrt(variance + epsilon) + Bias
 *
 * A group has ceil(channels / groups) channels, the last what is left. The gradient reads Y,
 * not X, as Paddle's does, so it finds X's deviation as (Y - Bias) / Scale: where a Scale is
 * exactly 0, that channel counts as if it stood at the mean. */
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE, BIAS };
enum { Y, MEAN, VARIANCE };
enum { EPSILON, GROUPS, LAYOUT };

/* X as [batch, channels, space], or [batch, space, channels]. */
typedef struct extents {
    bool last;
    int64_t batch, channels, space, groups, size; /* size: channels of a group */
} extents;

static rg_status find_extents(const rg_ctx *ctx, const rg_shape *x, extents *e)
{
    const char *layout = rg_attr_string(ctx, LAYOUT);
    int groups = rg_attr_int(ctx, GROUPS);
    bool last = strcmp(layout, "NHWC") == 0;
    if (!last && strcmp(layout, "NCHW") != 0 && strcmp(layout, "AnyLayout") != 0)
        return rg_fail(RG_EINVAL, "data_layout %s: NCHW or NHWC", layout);
    if (x->rank < 2) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have 2 dimensions or more, and has the shape %s",
                       rg_shape_text(x, text));
    }
    int64_t channels = x->dim[last ? x->rank - 1 : 1];
    if (groups < 1 || (channels >= 0 && groups > channels))
        return rg_fail(RG_EINVAL, "groups is %d, and X has %lld channels", groups,
                       (long long)channels);
    *e = (extents){
        .last = last,
        .batch = x->dim[0],
        .channels = channels,
        .space = last ? rg_shape_product(x, 1, x->rank - 1) : rg_shape_product(x, 2, x->rank),
        .groups = groups,
        .size = (channels + groups - 1) / groups,
    };
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    if (!(rg_attr_float(ctx, EPSILON) >= 0))
        return rg_fail(RG_EINVAL, "epsilon is %g, and must not be negative",
                       (double)rg_attr_float(ctx, EPSILON));
    for (int in = SCALE; in <= BIAS; in++) {
        if (!rg_has_in(ctx, in))
            continue;
        int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
        RG_TRY(rg_expect_same_dtype(ctx, X, in));
        if (n >= 0 && e.channels >= 0 && n != e.channels)
            return rg_fail(RG_ESHAPE, "X has %lld channels, and %s %lld elements",
                           (long long)e.channels, ctx->op->in[in].name, (long long)n);
    }
    rg_set_like(ctx, Y, X);
    rg_shape groups = RG_SHAPE(e.batch, e.groups);
    rg_set_out(ctx, MEAN, rg_dtype_of(ctx, X), &groups);
    rg_set_out(ctx, VARIANCE, rg_dtype_of(ctx, X), &groups);
    return RG_OK;
}

/* A group is so many runs of elements that stand together: the plane of each channel, or
 * the channels of each position. */
typedef struct runs {
    int64_t at, n, length, step; /* the first, how many, elements of one, to the next */
    int64_t channel;             /* the first of the group */
} runs;

static runs runs_of(const extents *e, int64_t image, int64_t group)
{
    int64_t first = group * e->size, size = e->channels - first;
    size = size < 0 ? 0 : size > e->size ? e->size : size;
    int64_t at = image * e->channels * e->space;
    if (e->last)
        return (runs){at + first, size ? e->space : 0, size, e->channels, first};
    return (runs){at + first * e->space, size, e->space, e->space, first};
}

#define NORM(T, S)                                                                               \
    RG_HOT static void apply_##S(bool last, const runs *r, const T *x, T mean, T inverse,        \
                                 const T *scale, const T *bias, T *y)                            \
    {                                                                                            \
        for (int64_t k = 0; k < r->n; k++) {                                                     \
            const T *from = x + r->at + k * r->step;                                             \
            T *to = y + r->at + k * r->step;                                                     \
            int64_t c = r->channel + k, step = last ? 1 : 0;                                     \
            const T *s = scale ? scale + (last ? r->channel : c) : NULL;                         \
            const T *b = bias ? bias + (last ? r->channel : c) : NULL;                           \
            for (int64_t i = 0; i < r->length; i++)                                              \
                to[i] = (from[i] - mean) * inverse * (s ? s[i * step] : 1) +                     \
                        (b ? b[i * step] : 0);                                                   \
        }                                                                                        \
    }                                                                                            \
    static void norm_##S(const extents *e, float epsilon, const T *x, const T *scale,            \
                         const T *bias, T *y, T *means, T *variances)                            \
    {                                                                                            \
        for (int64_t g = 0; g < e->batch * e->groups; g++) {                                     \
            runs r = runs_of(e, g / e->groups, g % e->groups);                                   \
            T sum = 0, squares = 0, count = r.n ? (T)(r.n * r.length) : 1;                       \
            for (int64_t k = 0; k < r.n; k++)                                                    \
                sum += rg_sum_##S(x + r.at + k * r.step, r.length);                              \
            T mean = sum / count;                                                                \
            for (int64_t k = 0; k < r.n; k++)                                                    \
                squares += rg_squares_##S(x + r.at + k * r.step, mean, r.length);                \
            T variance = squares / count;                                                        \
            apply_##S(e->last, &r, x, mean, 1 / RG_SQRT(variance + (T)epsilon), scale, bias, y); \
            if (means != NULL)                                                                   \
                means[g] = mean;                                                                 \
            if (variances != NULL)                                                               \
                variances[g] = variance;                                                         \
        }                                                                                        \
    }
RG_FLOATS(NORM)

static rg_status kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    RG_CALL_FLOAT(ctx, X, norm,
                  (&e, rg_attr_float(ctx, EPSILON), rg_in_data(ctx, X), rg_in_data(ctx, SCALE),
                   rg_in_data(ctx, BIAS), rg_out_data(ctx, Y), rg_out_data(ctx, MEAN),
                   rg_out_data(ctx, VARIANCE)))
    return RG_OK;
}

#define ATTRS                                                                               \
    RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 1e-5f, "keeps a variance of 0 from dividing"), \
             [GROUPS] = RG_REQUIRED("groups", RG_ATTR_INT, "how many groups of channels"),  \
             [LAYOUT] = RG_STRING("data_layout", "NCHW", "NCHW or NHWC"))

const rg_op rg_op_group_norm = {
    .type = "group_norm",
    .doc = "Each group of channels brought to mean 0 and variance 1, then scaled and moved.",
    .in = RG_SLOTS([X] = {"X", "[batch, channels, space]"},
                   [SCALE] = {"Scale", "a factor for a channel", RG_OPTIONAL},
                   [BIAS] = {"Bias", "a shift for a channel", RG_OPTIONAL}),
    .out = RG_SLOTS([Y] = {"Y", "the shape of X", .inplace = RG_OF(X)},
                    [MEAN] = {"Mean", "[batch, groups]", RG_INTERMEDIATE},
                    [VARIANCE] = {"Variance", "[batch, groups]", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_Y, G_DY, G_SCALE, G_BIAS, G_VARIANCE };
enum { G_DX, G_DSCALE, G_DBIAS };

/* With x^ = (y - bias) / scale and g = dy scale:
 *     dx = (g - mean(g) - x^ mean(g x^)) / deviation */
#define BACK(T, S)                                                                                 \
    RG_INLINE T deviation_##S(T y, T scale, T bias)                                                \
    {                                                                                              \
        return scale != 0 ? (y - bias) / scale : 0;                                                \
    }                                                                                              \
    RG_HOT static void sums_##S(bool last, const runs *r, const T *y, const T *dy, const T *scale, \
                                const T *bias, T *dscale, T *dbias, T *sum, T *product)            \
    {                                                                                              \
        for (int64_t k = 0; k < r->n; k++)                                                         \
            for (int64_t i = 0; i < r->length; i++) {                                              \
                int64_t at = r->at + k * r->step + i, c = r->channel + (last ? i : k);             \
                T s = scale ? scale[c] : 1, d = deviation_##S(y[at], s, bias ? bias[c] : 0);       \
                *sum += dy[at] * s;                                                                \
                *product += dy[at] * s * d;                                                        \
                if (dscale != NULL)                                                                \
                    dscale[c] += dy[at] * d;                                                       \
                if (dbias != NULL)                                                                 \
                    dbias[c] += dy[at];                                                            \
            }                                                                                      \
    }                                                                                              \
    RG_HOT static void give_##S(bool last, const runs *r, const T *y, const T *dy, const T *scale, \
                                const T *bias, T inverse, T sum, T product, T *dx)                 \
    {                                                                                              \
        for (int64_t k = 0; k < r->n; k++)                                                         \
            for (int64_t i = 0; i < r->length; i++) {                                              \
                int64_t at = r->at + k * r->step + i, c = r->channel + (last ? i : k);             \
                T s = scale ? scale[c] : 1, d = deviation_##S(y[at], s, bias ? bias[c] : 0);       \
                dx[at] = inverse * (dy[at] * s - sum - d * product);                               \
            }                                                                                      \
    }                                                                                              \
    static void back_##S(const extents *e, float epsilon, const T *y, const T *dy, const T *scale, \
                         const T *bias, const T *variances, T *dx, T *dscale, T *dbias)            \
    {                                                                                              \
        for (int64_t g = 0; g < e->batch * e->groups; g++) {                                       \
            runs r = runs_of(e, g / e->groups, g % e->groups);                                     \
            T sum = 0, product = 0, count = (T)(r.n * r.length);                                   \
            sums_##S(e->last, &r, y, dy, scale, bias, dscale, dbias, &sum, &product);              \
            if (dx != NULL && r.n > 0)                                                             \
                give_##S(e->last, &r, y, dy, scale, bias, 1 / RG_SQRT(variances[g] + (T)epsilon),  \
                         sum / count, product / count, dx);                                        \
        }                                                                                          \
    }
RG_FLOATS(BACK)

static rg_status grad_kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, G_Y), &e));
    for (int out = G_DSCALE; out <= G_DBIAS; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    RG_CALL_FLOAT(ctx, G_Y, back,
                  (&e, rg_attr_float(ctx, EPSILON), rg_in_data(ctx, G_Y), rg_in_data(ctx, G_DY),
                   rg_in_data(ctx, G_SCALE), rg_in_data(ctx, G_BIAS), rg_in_data(ctx, G_VARIANCE),
                   rg_out_data(ctx, G_DX), rg_out_data(ctx, G_DSCALE), rg_out_data(ctx, G_DBIAS)))
    return RG_OK;
}

const rg_op rg_op_group_norm_grad = {
    .type = "group_norm_grad",
    .doc = "Gradient of group_norm.",
    .in =
        RG_SLOTS([G_Y] = {"Y", ""}, [G_DY] = {"Y@GRAD", ""}, [G_SCALE] = {"Scale", "", RG_OPTIONAL},
                 [G_BIAS] = {"Bias", "", RG_OPTIONAL}, [G_VARIANCE] = {"Variance", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_Y), RG_OF(G_DY)},
                    [G_DSCALE] = {"Scale@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)},
                    [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_BIAS)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
