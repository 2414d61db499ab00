/* fusion_squared_mat_sub.c - the second-order term of a factorisation machine, as models saved for
 * inference have it:
 *
 *   Out = scalar ((X Y)^2 - X^2 Y^2)         squares are element by element
 *
 * SquaredX, SquaredY and SquaredXY are X^2, Y^2 and (X Y)^2. It has no gradient. */
#include "math/gemm.h"
#include "ops/types.h"

enum { X, Y };
enum { SQUARED_X, SQUARED_Y, SQUARED_XY, OUT };
enum { SCALAR };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, Y, 2));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    if (x->dim[1] >= 0 && y->dim[0] >= 0 && x->dim[1] != y->dim[0])
        return rg_fail(RG_ESHAPE, "X has %lld columns, and Y %lld rows", (long long)x->dim[1],
                       (long long)y->dim[0]);
    rg_set_out(ctx, SQUARED_X, rg_dtype_of(ctx, X), x);
    rg_set_out(ctx, SQUARED_Y, rg_dtype_of(ctx, X), y);
    rg_set_out(ctx, SQUARED_XY, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], y->dim[1]));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], y->dim[1]));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define SQUARES(T, S)                                                                        \
    RG_HOT static void square_##S(const T *x, int64_t n, T *out)                             \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                      \
            out[i] = x[i] * x[i];                                                            \
    }                                                                                        \
    static void subtract_##S(int64_t m, int64_t n, int64_t k, float scalar, const T *x,      \
                             const T *y, T *xx, T *yy, T *xy, T *out)                        \
    {                                                                                        \
        square_##S(x, m * k, xx);                                                            \
        square_##S(y, k * n, yy);                                                            \
        rg_gemm_##S(false, false, m, n, k, 1, x, k, y, n, 0, xy, n);                         \
        rg_gemm_##S(false, false, m, n, k, 1, xx, k, yy, n, 0, out, n);                      \
        square_##S(xy, m * n, xy);                                                           \
        for (int64_t i = 0; i < m * n; i++)                                                  \
            out[i] = (xy[i] - out[i]) * (T)scalar;                                           \
    }
RG_FLOATS(SQUARES)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    int64_t m = x->dim[0], k = x->dim[1], n = y->dim[1];
    size_t size = rg_dtype_size(rg_dtype_of(ctx, X));
    void *xx = rg_out_or_scratch(ctx, SQUARED_X, (size_t)(m * k) * size);
    void *yy = rg_out_or_scratch(ctx, SQUARED_Y, (size_t)(k * n) * size);
    void *xy = rg_out_or_scratch(ctx, SQUARED_XY, (size_t)(m * n) * size);
    if (xx == NULL || yy == NULL || xy == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, subtract,
                  (m, n, k, rg_attr_float(ctx, SCALAR), rg_in_data(ctx, X), rg_in_data(ctx, Y), xx,
                   yy, xy, rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_fusion_squared_mat_sub = {
    .type = "fusion_squared_mat_sub",
    .doc = "scalar ((X Y)^2 - X^2 Y^2), squares element by element, for inference.",
    .in = RG_SLOTS([X] = {"X", "[m, k]", RG_NO_GRAD}, [Y] = {"Y", "[k, n]", RG_NO_GRAD}),
    .out = RG_SLOTS([SQUARED_X] = {"SquaredX", "X^2", RG_INTERMEDIATE},
                    [SQUARED_Y] = {"SquaredY", "Y^2", RG_INTERMEDIATE},
                    [SQUARED_XY] = {"SquaredXY", "(X Y)^2", RG_INTERMEDIATE},
                    [OUT] = {"Out", "[m, n]"}),
    .attr = RG_ATTRS([SCALAR] = RG_FLOAT("scalar", 1, "what the difference is multiplied by")),
    .infer = infer,
    .kernel = kernel,
};
