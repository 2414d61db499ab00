/* max_pool_with_index.c - max_pool2d_with_index, max_pool3d_with_index.
 *
 *   Out[n, c, y] = the largest of each window, Mask[n, c, y] = where in the image of its
 *                  channel it stands (the first of equals; -1 where the window is empty)
 *
 * The gradient goes where Mask says. */
#include "ops/pooling.h"
#include "ops/types.h"

#include <float.h>
#include <string.h>

enum { X };
enum { OUT, MASK };

static rg_status infer(rg_ctx *ctx, int rank)
{
    rg_pooling p;
    rg_shape out;
    RG_TRY(rg_expect_rank(ctx, X, rank));
    RG_TRY(rg_pooling_shape(ctx, rg_shape_of(ctx, X), false, "EXPLICIT", false, &p, &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_set_out(ctx, MASK, RG_I32, &out);
    return RG_OK;
}

static rg_status infer2(rg_ctx *ctx)
{
    return infer(ctx, 4);
}

static rg_status infer3(rg_ctx *ctx)
{
    return infer(ctx, 5);
}

/* The usual windows have loops of their own, unrolled. */
#define LARGEST(T, S, LEAST)                                                               \
    RG_INLINE int64_t find_##S(const rg_pooling *p, const T *x, const int64_t lo[3],       \
                               int64_t depth, int64_t height, int64_t width, T *out)       \
    {                                                                                      \
        T best = LEAST;                                                                    \
        int64_t at = -1;                                                                   \
        for (int64_t z = 0; z < depth; z++)                                                \
            for (int64_t y = 0; y < height; y++) {                                         \
                int64_t row = ((lo[0] + z) * p->in[1] + lo[1] + y) * p->in[2] + lo[2];     \
                for (int64_t i = 0; i < width; i++) {                                      \
                    bool larger = x[row + i] > best;                                       \
                    best = larger ? x[row + i] : best;                                     \
                    at = larger ? row + i : at;                                            \
                }                                                                          \
            }                                                                              \
        *out = best;                                                                       \
        return at;                                                                         \
    }                                                                                      \
    RG_INLINE int64_t window_##S(const rg_pooling *p, const T *x, const int64_t lo[3],     \
                                 const int64_t hi[3], T *out)                              \
    {                                                                                      \
        int64_t d = hi[0] - lo[0], h = hi[1] - lo[1], w = hi[2] - lo[2];                   \
        if (d == 1 && h == 2 && w == 2)                                                    \
            return find_##S(p, x, lo, 1, 2, 2, out);                                       \
        if (d == 1 && h == 3 && w == 3)                                                    \
            return find_##S(p, x, lo, 1, 3, 3, out);                                       \
        return find_##S(p, x, lo, d, h, w, out);                                           \
    }                                                                                      \
    RG_HOT static void largest_##S(const rg_pooling *p, const T *x, T *out, int32_t *mask) \
    {                                                                                      \
        int64_t lo[3], hi[3], image = p->in[0] * p->in[1] * p->in[2], done = 0;            \
        for (int64_t n = 0; n < p->outer; n++, x += image)                                 \
            for (int64_t z = 0; z < p->out[0]; z++)                                        \
                for (int64_t y = 0; y < p->out[1]; y++) {                                  \
                    rg_pooling_range(p, 0, z, &lo[0], &hi[0]);                             \
                    rg_pooling_range(p, 1, y, &lo[1], &hi[1]);                             \
                    for (int64_t i = 0; i < p->out[2]; i++, done++) {                      \
                        rg_pooling_range(p, 2, i, &lo[2], &hi[2]);                         \
                        int64_t at = window_##S(p, x, lo, hi, &out[done]);                 \
                        if (mask != NULL)                                                  \
                            mask[done] = (int32_t)at;                                      \
                    }                                                                      \
                }                                                                          \
    }
LARGEST(float, f32, -FLT_MAX)
LARGEST(double, f64, -DBL_MAX)

static rg_status kernel(rg_ctx *ctx)
{
    rg_pooling p;
    rg_shape shape;
    RG_TRY(rg_pooling_shape(ctx, rg_shape_of(ctx, X), false, "EXPLICIT", false, &p, &shape));
    if (p.in[0] * p.in[1] * p.in[2] > INT32_MAX)
        return rg_fail(RG_ESHAPE, "X has images of more than 2^31 elements: Mask is int32");
    RG_CALL_FLOAT(ctx, X, largest,
                  (&p, rg_in_data(ctx, X), rg_out_data(ctx, OUT), rg_out_data(ctx, MASK)))
    return RG_OK;
}

/* ---- gradient ---- */

enum { G_X, G_MASK, G_DOUT };
enum { G_DX };

#define GIVE(T, S)                                                                               \
    static int64_t give_##S(int64_t images, int64_t image, int64_t windows, const int32_t *mask, \
                            const T *dout, T *dx)                                                \
    {                                                                                            \
        for (int64_t n = 0; n < images; n++, dx += image)                                        \
            for (int64_t i = n * windows; i < (n + 1) * windows; i++) {                          \
                if (mask[i] >= image)                                                            \
                    return i;                                                                    \
                if (mask[i] >= 0)                                                                \
                    dx[mask[i]] += dout[i];                                                      \
            }                                                                                    \
        return -1;                                                                               \
    }
RG_FLOATS(GIVE)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X), *out = rg_shape_of(ctx, G_DOUT);
    const int32_t *mask = rg_in_data(ctx, G_MASK);
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t image = rg_shape_product(x, 2, x->rank), bad = -1;
    int64_t windows = rg_shape_product(out, 2, out->rank);
    RG_TRY(rg_expect_same_shape(ctx, G_MASK, G_DOUT));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_MASK, RG_I32));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, G_DOUT, bad = give,
                  (x->dim[0] * x->dim[1], image, windows, mask, rg_in_data(ctx, G_DOUT), dx->data))
    if (bad >= 0)
        return rg_fail(RG_EVALUE, "Mask has %d at element %lld, and images have %lld elements",
                       mask[bad], (long long)bad, (long long)image);
    return RG_OK;
}

#define POOL(NAME, AXES, INFER)                                                       \
    {                                                                                 \
        .type = NAME, .doc = "The largest of each window, and where it stands.",      \
        .in = RG_SLOTS([X] = {"X", "[batch, channels, space]"}),                      \
        .out = RG_SLOTS([OUT] = {"Out", "[batch, channels, windows]"},                \
                        [MASK] = {"Mask", "int32, where the largest stands"}),        \
        .attr = RG_ATTRS(RG_POOL_ATTR_SPECS(AXES)), .infer = INFER, .kernel = kernel, \
    }
#define POOL_GRAD(NAME, AXES)                                                     \
    {                                                                             \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                     \
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_MASK] = {"Mask", ""}, \
                       [G_DOUT] = {"Out@GRAD", ""}),                              \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),             \
        .attr = RG_ATTRS(RG_POOL_ATTR_SPECS(AXES)), .kernel = grad_kernel,        \
    }

const rg_op rg_ops_max_pool_with_index[] = {
    POOL("max_pool2d_with_index", 2, infer2),
    POOL("max_pool3d_with_index", 3, infer3),
    POOL_GRAD("max_pool2d_with_index", 2),
    POOL_GRAD("max_pool3d_with_index", 3),
    {.type = NULL},
};
