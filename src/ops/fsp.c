/* fsp.c - the products of all pairs of channels of two feature maps (the "flow of the
 * solution procedure" that a student network learns from its teacher).
 *
 *   Out[b, i, j] = mean over the image of X[b, i] Y[b, j]     X [n, p, h, w], Y [n, q, h, w]
 *   dX[b] = dOut[b] Y[b] / (h w),  dY[b] = dOut[b]^T X[b] / (h w) */
#include "math/gemm.h"
#include "ops/types.h"

enum { X, Y, DOUT };
enum { OUT };
enum { DX, DY };

static rg_status fsp_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(rg_expect_rank(ctx, Y, 4));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    for (int d = 0; d < 4; d++)
        if (d != 1 && x->dim[d] >= 0 && y->dim[d] >= 0 && x->dim[d] != y->dim[d]) {
            char of_x[RG_SHAPE_TEXT], of_y[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "X is %s and Y %s: only the channels may differ",
                           rg_shape_text(x, of_x), rg_shape_text(y, of_y));
        }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], x->dim[1], y->dim[1]));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

typedef struct sizes {
    int64_t n, p, q, area;
} sizes;

static sizes sizes_of(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    return (sizes){x->dim[0], x->dim[1], rg_shape_of(ctx, Y)->dim[1], x->dim[2] * x->dim[3]};
}

#define FSP(T, S)                                                                              \
    static void fsp_##S(sizes z, const T *x, const T *y, T *out)                               \
    {                                                                                          \
        for (int64_t b = 0; b < z.n; b++)                                                      \
            rg_gemm_##S(false, true, z.p, z.q, z.area, (T)1 / (T)z.area, x + b * z.p * z.area, \
                        z.area, y + b * z.q * z.area, z.area, 0, out + b * z.p * z.q, z.q);    \
    }                                                                                          \
    static void fsp_grad_##S(sizes z, const T *x, const T *y, const T *dout, T *dx, T *dy)     \
    {                                                                                          \
        for (int64_t b = 0; b < z.n; b++) {                                                    \
            const T *d = dout + b * z.p * z.q;                                                 \
            if (dx != NULL)                                                                    \
                rg_gemm_##S(false, false, z.p, z.area, z.q, (T)1 / (T)z.area, d, z.q,          \
                            y + b * z.q * z.area, z.area, 0, dx + b * z.p * z.area, z.area);   \
            if (dy != NULL)                                                                    \
                rg_gemm_##S(true, false, z.q, z.area, z.p, (T)1 / (T)z.area, d, z.q,           \
                            x + b * z.p * z.area, z.area, 0, dy + b * z.q * z.area, z.area);   \
        }                                                                                      \
    }
RG_FLOATS(FSP)

static rg_status fsp_kernel(rg_ctx *ctx)
{
    sizes z = sizes_of(ctx);
    RG_CALL_FLOAT(ctx, X, fsp, (z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status fsp_grad_kernel(rg_ctx *ctx)
{
    sizes z = sizes_of(ctx);
    RG_CALL_FLOAT(ctx, DOUT, fsp_grad,
                  (z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, DOUT),
                   rg_out_data(ctx, DX), rg_out_data(ctx, DY)))
    return RG_OK;
}

const rg_op rg_op_fsp = {
    .type = "fsp",
    .doc = "Mean products of all pairs of channels.",
    .in = RG_SLOTS([X] = {"X", "[n, p, h, w]"}, [Y] = {"Y", "[n, q, h, w]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[n, p, q]"}),
    .flags = RG_OP_BILINEAR,
    .infer = fsp_infer,
    .kernel = fsp_kernel,
};

const rg_op rg_op_fsp_grad = {
    .type = "fsp_grad",
    .doc = "Gradient of fsp.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "",
                                                                                  RG_OPTIONAL,
                                                                                  .like = RG_OF(
                                                                                      Y)}),
    .kernel = fsp_grad_kernel,
};
