/* dot.c - products of vectors: dot and cross.
 *
 *   dot    Out[i] = sum over j of X[i, j] Y[i, j]; of two vectors, one number
 *   cross  (x1 y2 - x2 y1, x2 y0 - x0 y2, x0 y1 - x1 y0) along a dimension of 3 */
#include "math/reduce.h"
#include "ops/types.h"

enum { X, Y, DOUT };
enum { OUT };
enum { DX, DY };

/* ---- dot ---- */

static rg_status dot_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    if (out.rank != 1 && out.rank != 2)
        return rg_fail(RG_ESHAPE, "X must have one or two dimensions, and has %d", out.rank);
    out.dim[out.rank - 1] = 1;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

#define DOT(T, S)                                                                                \
    static void dot_##S(const T *x, const T *y, T *out, int64_t rows, int64_t n)                 \
    {                                                                                            \
        for (int64_t i = 0; i < rows; i++)                                                       \
            out[i] = rg_dot_##S(x + i * n, y + i * n, n);                                        \
    }                                                                                            \
    RG_HOT static void spread_##S(const T *other, const T *dout, T *to, int64_t rows, int64_t n) \
    {                                                                                            \
        for (int64_t i = 0; i < rows; i++)                                                       \
            for (int64_t j = 0; j < n; j++)                                                      \
                to[i * n + j] = dout[i] * other[i * n + j];                                      \
    }
RG_FLOATS(DOT)

#define DOT_WHOLE(T, S)                                                          \
    static void dot_##S(const T *x, const T *y, T *out, int64_t rows, int64_t n) \
    {                                                                            \
        for (int64_t i = 0; i < rows; i++) {                                     \
            out[i] = 0;                                                          \
            for (int64_t j = 0; j < n; j++)                                      \
                out[i] += x[i * n + j] * y[i * n + j];                           \
        }                                                                        \
    }
DOT_WHOLE(int32_t, i32)
DOT_WHOLE(int64_t, i64)

static rg_status dot_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = x->meta.shape.dim[x->meta.shape.rank - 1], rows = rg_numel(rg_out(ctx, OUT));
    RG_CALL_NUMBER(ctx, X, dot, (x->data, rg_in_data(ctx, Y), rg_out_data(ctx, OUT), rows, n))
    return RG_OK;
}

static rg_status dot_grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *dout = rg_in(ctx, DOUT);
    int64_t n = x->meta.shape.dim[x->meta.shape.rank - 1], rows = rg_numel(dout);
    if (rg_has_out(ctx, DX))
        RG_CALL_FLOAT(ctx, DOUT, spread,
                      (rg_in_data(ctx, Y), dout->data, rg_out_data(ctx, DX), rows, n))
    if (rg_has_out(ctx, DY))
        RG_CALL_FLOAT(ctx, DOUT, spread, (x->data, dout->data, rg_out_data(ctx, DY), rows, n))
    return RG_OK;
}

/* ---- cross ---- */

enum { DIM };
enum { FIRST_OF_3 = RG_MAX_DIMS }; /* the default: the first dimension of 3 */

static rg_status find_dim(const rg_ctx *ctx, const rg_shape *x, int *out)
{
    int dim = rg_attr_int(ctx, DIM);
    *out = 0;
    if (dim == FIRST_OF_3)
        while (*out < x->rank && x->dim[*out] != 3)
            ++*out;
    else
        RG_TRY(rg_expect_axis(ctx, dim, x->rank, out));
    if (*out >= x->rank || (x->dim[*out] >= 0 && x->dim[*out] != 3)) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s has no dimension of 3 there",
                       rg_shape_text(x, text));
    }
    return RG_OK;
}

static rg_status cross_infer(rg_ctx *ctx)
{
    int dim;
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    RG_TRY(find_dim(ctx, rg_shape_of(ctx, X), &dim));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define CROSS(T, S)                                                                            \
    RG_HOT static void cross_##S(const T *x, const T *y, T *out, int64_t outer, int64_t inner) \
    {                                                                                          \
        for (int64_t o = 0; o < outer; o++)                                                    \
            for (int64_t c = 0; c < 3; c++) {                                                  \
                const int64_t base = o * 3 * inner, a = base + (c + 1) % 3 * inner,            \
                              b = base + (c + 2) % 3 * inner;                                  \
                for (int64_t j = 0; j < inner; j++)                                            \
                    out[base + c * inner + j] = x[a + j] * y[b + j] - x[b + j] * y[a + j];     \
            }                                                                                  \
    }
RG_NUMBERS(CROSS)

static rg_status cross_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int dim;
    RG_TRY(find_dim(ctx, x, &dim));
    RG_CALL_NUMBER(ctx, X, cross,
                   (rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT),
                    rg_shape_product(x, 0, dim), rg_shape_product(x, dim + 1, x->rank)))
    return RG_OK;
}

/* dX = Y x dOut, dY = dOut x X. */
static rg_status cross_grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    const void *dout = rg_in_data(ctx, DOUT);
    int dim;
    RG_TRY(find_dim(ctx, x, &dim));
    int64_t outer = rg_shape_product(x, 0, dim), inner = rg_shape_product(x, dim + 1, x->rank);
    if (rg_has_out(ctx, DX))
        RG_CALL_FLOAT(ctx, DOUT, cross,
                      (rg_in_data(ctx, Y), dout, rg_out_data(ctx, DX), outer, inner))
    if (rg_has_out(ctx, DY))
        RG_CALL_FLOAT(ctx, DOUT, cross,
                      (dout, rg_in_data(ctx, X), rg_out_data(ctx, DY), outer, inner))
    return RG_OK;
}

#define TWO_SLOTS  RG_SLOTS([X] = {"X", "any"}, [Y] = {"Y", "the shape of X"})
#define GRAD_SLOTS RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""})
#define GRAD_OUT                                                                         \
    RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "", \
                                                                           RG_OPTIONAL,  \
                                                                           .like = RG_OF(Y)})
#define CROSS_ATTRS \
    RG_ATTRS([DIM] = RG_INT("dim", FIRST_OF_3, "the dimension of 3; 9: the first there is"))

const rg_op rg_ops_dot[] = {
    {
        .type = "dot",
        .doc = "Sums of products along the last dimension.",
        .in = TWO_SLOTS,
        .out = RG_SLOTS([OUT] = {"Out", "the last dimension is 1"}),
        .flags = RG_OP_BILINEAR,
        .infer = dot_infer,
        .kernel = dot_kernel,
    },
    {
        .type = "dot_grad",
        .doc = "Gradient of dot.",
        .in = GRAD_SLOTS,
        .out = GRAD_OUT,
        .kernel = dot_grad_kernel,
    },
    {
        .type = "cross",
        .doc = "Cross products along a dimension of 3.",
        .in = TWO_SLOTS,
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
        .attr = CROSS_ATTRS,
        .flags = RG_OP_BILINEAR,
        .infer = cross_infer,
        .kernel = cross_kernel,
    },
    {
        .type = "cross_grad",
        .doc = "Gradient of cross.",
        .in = GRAD_SLOTS,
        .out = GRAD_OUT,
        .attr = CROSS_ATTRS,
        .kernel = cross_grad_kernel,
    },
    {.type = NULL},
};
