/* mul.c - the matrix product of two tensors taken as matrices.
 *
 *   Out = X Y     X as [product of the first x_num_col_dims dimensions, the rest], Y likewise;
 *                 Out has X's first dimensions and Y's last ones
 *
 * dX = dOut Y^T, dY = X^T dOut. This is what a fully connected layer is made of. */
#include "ir/program.h"
#include "math/bf16.h"
#include "math/gemm.h"
#include "ops/types.h"

enum { X, Y };
enum { OUT };
enum { X_COLS, Y_COLS };

typedef struct matrices {
    int64_t m, n, k;
} matrices;

static rg_status take_as_matrices(const rg_ctx *ctx, matrices *out)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    int p = rg_attr_int(ctx, X_COLS), q = rg_attr_int(ctx, Y_COLS);
    if (p < 1 || p >= x->rank || q < 1 || q >= y->rank) {
        char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "X of shape %s and Y of shape %s cannot be cut after %d and %d "
                       "dimensions",
                       rg_shape_text(x, tx), rg_shape_text(y, ty), p, q);
    }
    int64_t k = rg_shape_product(x, p, x->rank), rows = rg_shape_product(y, 0, q);
    if (k >= 0 && rows >= 0 && k != rows) {
        char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s has rows of %lld, and Y of shape %s has %lld rows",
                       rg_shape_text(x, tx), (long long)k, rg_shape_text(y, ty), (long long)rows);
    }
    *out = (matrices){rg_shape_product(x, 0, p), rg_shape_product(y, q, y->rank), k < 0 ? rows : k};
    return RG_OK;
}

static rg_status mul_infer(rg_ctx *ctx)
{
    matrices mat;
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(take_as_matrices(ctx, &mat));
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    int p = rg_attr_int(ctx, X_COLS), q = rg_attr_int(ctx, Y_COLS);
    rg_shape out = {.rank = p + y->rank - q};
    if (out.rank > RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "the product would have %d dimensions", out.rank);
    for (int i = 0; i < p; i++)
        out.dim[i] = x->dim[i];
    for (int i = q; i < y->rank; i++)
        out.dim[p + i - q] = y->dim[i];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status mul_kernel(rg_ctx *ctx)
{
    matrices mat;
    rg_precision precision = (rg_precision)ctx->desc->precision;
    RG_TRY(take_as_matrices(ctx, &mat));
    if (precision != RG_FP32_PRODUCTS && rg_dtype_of(ctx, X) == RG_F32)
        return rg_gemm_bf16(precision, false, false, mat.m, mat.n, mat.k, 1, rg_in_data(ctx, X),
                            mat.k, rg_in_data(ctx, Y), mat.n, 0, rg_out_data(ctx, OUT), mat.n);
    RG_CALL_FLOAT(ctx, X, rg_gemm,
                  (false, false, mat.m, mat.n, mat.k, 1, rg_in_data(ctx, X), mat.k,
                   rg_in_data(ctx, Y), mat.n, 0, rg_out_data(ctx, OUT), mat.n))
    return RG_OK;
}

const rg_op rg_op_mul = {
    .type = "mul",
    .doc = "The matrix product of two tensors taken as matrices.",
    .in = RG_SLOTS([X] = {"X", "cut into rows after x_num_col_dims dimensions"},
                   [Y] = {"Y", "cut into rows after y_num_col_dims dimensions"}),
    .out = RG_SLOTS([OUT] = {"Out", "X's first dimensions and Y's last ones"}),
    .attr = RG_ATTRS([X_COLS] = RG_INT("x_num_col_dims", 1, "dimensions that make the rows of X"),
                     [Y_COLS] = RG_INT("y_num_col_dims", 1, "dimensions that make the rows of Y")),
    .flags = RG_OP_BILINEAR,
    .infer = mul_infer,
    .kernel = mul_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_Y, G_DOUT };
enum { G_DX, G_DY };

static rg_status grads_bf16(rg_ctx *ctx, const matrices *mat, rg_precision precision)
{
    const float *dout = rg_in_data(ctx, G_DOUT);
    if (rg_has_out(ctx, G_DX))
        RG_TRY(rg_gemm_bf16(precision, false, true, mat->m, mat->k, mat->n, 1, dout, mat->n,
                            rg_in_data(ctx, G_Y), mat->n, 0, rg_out_data(ctx, G_DX), mat->k));
    if (rg_has_out(ctx, G_DY))
        RG_TRY(rg_gemm_bf16(precision, true, false, mat->k, mat->n, mat->m, 1, rg_in_data(ctx, G_X),
                            mat->k, dout, mat->n, 0, rg_out_data(ctx, G_DY), mat->n));
    return RG_OK;
}

static rg_status mul_grad_kernel(rg_ctx *ctx)
{
    matrices mat;
    rg_precision precision = (rg_precision)ctx->desc->precision;
    RG_TRY(take_as_matrices(ctx, &mat));
    const void *dout = rg_in_data(ctx, G_DOUT);
    if (precision != RG_FP32_PRODUCTS && rg_dtype_of(ctx, G_DOUT) == RG_F32)
        return grads_bf16(ctx, &mat, precision);
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(ctx, G_DOUT, rg_gemm,
                      (false, true, mat.m, mat.k, mat.n, 1, dout, mat.n, rg_in_data(ctx, G_Y),
                       mat.n, 0, rg_out_data(ctx, G_DX), mat.k))
    if (rg_has_out(ctx, G_DY))
        RG_CALL_FLOAT(ctx, G_DOUT, rg_gemm,
                      (true, false, mat.k, mat.n, mat.m, 1, rg_in_data(ctx, G_X), mat.k, dout,
                       mat.n, 0, rg_out_data(ctx, G_DY), mat.n))
    return RG_OK;
}

const rg_op rg_op_mul_grad = {
    .type = "mul_grad",
    .doc = "Gradient of mul.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_Y] = {"Y", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_X)},
                    [G_DY] = {"Y@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_Y)}),
    .attr = RG_ATTRS([X_COLS] = RG_INT("x_num_col_dims", 1, "as of mul"),
                     [Y_COLS] = RG_INT("y_num_col_dims", 1, "as of mul")),
    .kernel = mul_grad_kernel,
};
