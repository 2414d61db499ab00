/* bilinear_tensor_product.c - a bilinear form for each output unit.
 *
 *   Out[b, k] = X[b] W[k] Y[b]^T + Bias[k]      X [n, p], Y [n, q], W [units, p, q]
 *
 *   dX[b] = sum over k of dOut[b, k] Y[b] W[k]^T,  dY[b] likewise with X[b] W[k],
 *   dW[k] = sum over b of dOut[b, k] X[b]^T Y[b],  dBias = sum over b of dOut[b] */
#include "math/gemm.h"
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y, WEIGHT, BIAS_OR_DOUT };
enum { OUT };
enum { DX, DY, DWEIGHT, DBIAS };

typedef struct sizes {
    int64_t n, p, q, units;
} sizes;

static sizes sizes_of(const rg_ctx *ctx)
{
    const rg_shape *w = rg_shape_of(ctx, WEIGHT);
    return (sizes){rg_shape_of(ctx, X)->dim[0], w->dim[1], w->dim[2], w->dim[0]};
}

static bool differ(int64_t a, int64_t b)
{
    return a >= 0 && b >= 0 && a != b;
}

static rg_status product_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, Y, 2));
    RG_TRY(rg_expect_rank(ctx, WEIGHT, 3));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, WEIGHT));
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    const rg_shape *w = rg_shape_of(ctx, WEIGHT);
    char of_x[RG_SHAPE_TEXT], of_y[RG_SHAPE_TEXT], of_w[RG_SHAPE_TEXT];
    if (differ(x->dim[0], y->dim[0]) || differ(x->dim[1], w->dim[1]) ||
        differ(y->dim[1], w->dim[2]))
        return rg_fail(RG_ESHAPE,
                       "X %s, Y %s and Weight %s do not go together: [n, p], [n, q] and "
                       "[units, p, q] do",
                       rg_shape_text(x, of_x), rg_shape_text(y, of_y), rg_shape_text(w, of_w));
    if (rg_has_in(ctx, BIAS_OR_DOUT)) {
        RG_TRY(rg_expect_same_dtype(ctx, X, BIAS_OR_DOUT));
        const rg_shape *bias = rg_shape_of(ctx, BIAS_OR_DOUT);
        if (bias->rank != 2 || bias->dim[0] != 1 || differ(bias->dim[1], w->dim[0]))
            return rg_fail(RG_ESHAPE, "Bias is %s, and must be [1, %lld]",
                           rg_shape_text(bias, of_x), (long long)w->dim[0]);
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], w->dim[0]));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define PRODUCT(T, S)                                                                            \
    static void product_##S(sizes z, const T *x, const T *y, const T *w, const T *bias, T *half, \
                            T *out)                                                              \
    {                                                                                            \
        for (int64_t k = 0; k < z.units; k++) {                                                  \
            rg_gemm_##S(false, false, z.n, z.q, z.p, 1, x, z.p, w + k * z.p * z.q, z.q, 0, half, \
                        z.q);                                                                    \
            for (int64_t b = 0; b < z.n; b++)                                                    \
                out[b * z.units + k] = rg_dot_##S(half + b * z.q, y + b * z.q, z.q) +            \
                                       (bias ? bias[k] : 0);                                     \
        }                                                                                        \
    }                                                                                            \
    /* Row b of `from`, `width` long, times dOut[b, k]. */                                       \
    RG_HOT static void weighted_##S(sizes z, const T *from, int64_t width, const T *dout,        \
                                    int64_t k, T *to)                                            \
    {                                                                                            \
        for (int64_t b = 0; b < z.n; b++)                                                        \
            for (int64_t j = 0; j < width; j++)                                                  \
                to[b * width + j] = dout[b * z.units + k] * from[b * width + j];                 \
    }                                                                                            \
    static void product_grad_##S(sizes z, const T *x, const T *y, const T *w, const T *dout,     \
                                 T *part, T *dx, T *dy, T *dw, T *dbias)                         \
    {                                                                                            \
        for (int64_t k = 0; k < z.units; k++) {                                                  \
            const T *wk = w + k * z.p * z.q;                                                     \
            T keep = k > 0;                                                                      \
            if (dx != NULL || dw != NULL)                                                        \
                weighted_##S(z, y, z.q, dout, k, part);                                          \
            if (dx != NULL)                                                                      \
                rg_gemm_##S(false, true, z.n, z.p, z.q, 1, part, z.q, wk, z.q, keep, dx, z.p);   \
            if (dw != NULL)                                                                      \
                rg_gemm_##S(true, false, z.p, z.q, z.n, 1, x, z.p, part, z.q, 0,                 \
                            dw + k * z.p * z.q, z.q);                                            \
            if (dy != NULL) {                                                                    \
                weighted_##S(z, x, z.p, dout, k, part);                                          \
                rg_gemm_##S(false, false, z.n, z.q, z.p, 1, part, z.p, wk, z.q, keep, dy, z.q);  \
            }                                                                                    \
            if (dbias != NULL) {                                                                 \
                dbias[k] = 0;                                                                    \
                for (int64_t b = 0; b < z.n; b++)                                                \
                    dbias[k] += dout[b * z.units + k];                                           \
            }                                                                                    \
        }                                                                                        \
    }
RG_FLOATS(PRODUCT)

static rg_status product_kernel(rg_ctx *ctx)
{
    sizes z = sizes_of(ctx);
    void *half = rg_scratch(ctx, (size_t)(z.n * z.q + 1) * sizeof(double));
    if (half == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, product,
                  (z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, WEIGHT),
                   rg_in_data(ctx, BIAS_OR_DOUT), half, rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status product_grad_infer(rg_ctx *ctx)
{
    rg_set_like(ctx, DX, X);
    rg_set_like(ctx, DY, Y);
    rg_set_like(ctx, DWEIGHT, WEIGHT);
    rg_set_out(ctx, DBIAS, rg_dtype_of(ctx, X), &RG_SHAPE(1, rg_shape_of(ctx, WEIGHT)->dim[0]));
    return RG_OK;
}

static rg_status product_grad_kernel(rg_ctx *ctx)
{
    sizes z = sizes_of(ctx);
    int64_t widest = z.p > z.q ? z.p : z.q;
    void *part = rg_scratch(ctx, (size_t)(z.n * widest + 1) * sizeof(double));
    if (part == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, product_grad,
                  (z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, WEIGHT),
                   rg_in_data(ctx, BIAS_OR_DOUT), part, rg_out_data(ctx, DX), rg_out_data(ctx, DY),
                   rg_out_data(ctx, DWEIGHT), rg_out_data(ctx, DBIAS)))
    return RG_OK;
}

const rg_op rg_op_bilinear_tensor_product = {
    .type = "bilinear_tensor_product",
    .doc = "X W Y^T for each output unit.",
    .in = RG_SLOTS([X] = {"X", "[n, p]"}, [Y] = {"Y", "[n, q]"},
                   [WEIGHT] = {"Weight", "[units, p, q]"},
                   [BIAS_OR_DOUT] = {"Bias", "[1, units]", RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "[n, units]"}),
    .flags = RG_OP_BILINEAR,
    .infer = product_infer,
    .kernel = product_kernel,
};

const rg_op rg_op_bilinear_tensor_product_grad = {
    .type = "bilinear_tensor_product_grad",
    .doc = "Gradient of bilinear_tensor_product.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [WEIGHT] = {"Weight", ""},
                   [BIAS_OR_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL}, [DY] = {"Y@GRAD", "", RG_OPTIONAL},
                    [DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL},
                    [DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL}),
    .infer = product_grad_infer,
    .kernel = product_grad_kernel,
};
