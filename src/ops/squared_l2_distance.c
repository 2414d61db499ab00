/* squared_l2_distance.c - how far the rows of X are from those of Y.
 *
 *   sub_result = X - Y          each as [rows, width]; Y may have one row for all
 *   Out        = sum over a row of sub_result^2
 *
 * dX = 2 sub_result dOut, and dY the opposite, summed where one row stood for all. */
#include "math/reduce.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y };
enum { SUB, OUT };

/* Y is like X, or one row of it. */
static rg_status check_shapes(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    if (x->rank < 2)
        return rg_expect_rank(ctx, X, 2);
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    rg_shape wanted = *x;
    if (y->rank > 0 && y->dim[0] == 1)
        wanted.dim[0] = 1;
    if (!rg_shape_fits(&wanted, y)) {
        char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X has the shape %s and Y %s; Y must be like X, or one row of it",
                       rg_shape_text(x, tx), rg_shape_text(y, ty));
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(check_shapes(ctx));
    rg_set_out(ctx, SUB, rg_dtype_of(ctx, X),
               &RG_SHAPE(x->dim[0], rg_shape_product(x, 1, x->rank)));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], 1));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define LOOPS(T, S)                                                                         \
    RG_HOT static void distance_##S(const T *x, const T *y, int64_t step, T *sub, T *out,   \
                                    int64_t rows, int64_t width)                            \
    {                                                                                       \
        for (int64_t i = 0; i < rows; i++, x += width, y += step, sub += width) {           \
            for (int64_t j = 0; j < width; j++)                                             \
                sub[j] = x[j] - y[j];                                                       \
            out[i] = rg_dot_##S(sub, sub, width);                                           \
        }                                                                                   \
    }                                                                                       \
    RG_HOT static void grad_##S(const T *sub, const T *dout, T factor, T *dx, int64_t rows, \
                                int64_t width)                                              \
    {                                                                                       \
        for (int64_t i = 0; i < rows; i++)                                                  \
            for (int64_t j = i * width; j < (i + 1) * width; j++)                           \
                dx[j] = factor * dout[i] * sub[j];                                          \
    }                                                                                       \
    RG_HOT static void grad_sum_##S(const T *sub, const T *dout, T *dy, int64_t rows,       \
                                    int64_t width)                                          \
    {                                                                                       \
        memset(dy, 0, (size_t)width * sizeof *dy);                                          \
        for (int64_t i = 0; i < rows; i++)                                                  \
            for (int64_t j = 0; j < width; j++)                                             \
                dy[j] -= 2 * dout[i] * sub[i * width + j];                                  \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *y = rg_in(ctx, Y);
    int64_t rows = x->meta.shape.dim[0], width = rg_value_width(x);
    void *sub = rg_out_or_scratch(ctx, SUB, rg_value_bytes(x));
    if (sub == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, distance,
                  (x->data, y->data, y->meta.shape.dim[0] == rows ? width : 0, sub,
                   rg_out_data(ctx, OUT), rows, width))
    return RG_OK;
}

const rg_op rg_op_squared_l2_distance = {
    .type = "squared_l2_distance",
    .doc = "The squared distance of rows.",
    .in = RG_SLOTS([X] = {"X", "[rows, ...]"}, [Y] = {"Y", "like X, or one row for all"}),
    .out = RG_SLOTS([SUB] = {"sub_result", "X - Y, [rows, width]", RG_INTERMEDIATE},
                    [OUT] = {"Out", "[rows, 1]"}),
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X = X, G_Y = Y, G_SUB, G_DOUT };
enum { G_DX, G_DY };

static rg_status grad_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, G_X), *sub = rg_shape_of(ctx, G_SUB);
    RG_TRY(check_shapes(ctx));
    RG_TRY(rg_expect_rank(ctx, G_SUB, 2));
    RG_TRY(rg_expect_count(ctx, G_SUB, rg_shape_numel(x)));
    RG_TRY(rg_expect_count(ctx, G_DOUT, sub->dim[0]));
    rg_set_like(ctx, G_DX, G_X);
    rg_set_like(ctx, G_DY, G_Y);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *sub = rg_in(ctx, G_SUB);
    const void *dout = rg_in_data(ctx, G_DOUT);
    int64_t rows = sub->meta.shape.dim[0], width = sub->meta.shape.dim[1];
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(ctx, G_SUB, grad, (sub->data, dout, 2, rg_out_data(ctx, G_DX), rows, width))
    if (!rg_has_out(ctx, G_DY))
        return RG_OK;
    if (rg_shape_of(ctx, G_Y)->dim[0] == rows)
        RG_CALL_FLOAT(ctx, G_SUB, grad, (sub->data, dout, -2, rg_out_data(ctx, G_DY), rows, width))
    else
        RG_CALL_FLOAT(ctx, G_SUB, grad_sum, (sub->data, dout, rg_out_data(ctx, G_DY), rows, width))
    return RG_OK;
}

const rg_op rg_op_squared_l2_distance_grad = {
    .type = "squared_l2_distance_grad",
    .doc = "Gradient of squared_l2_distance.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_Y] = {"Y", "", RG_SHAPE_ONLY},
                   [G_SUB] = {"sub_result", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DY] = {"Y@GRAD", "", RG_OPTIONAL}),
    .infer = grad_infer,
    .kernel = grad_kernel,
};
