/* addmm.c - Out = Beta Input + Alpha X Y, of matrices; Input may be one row, one column or one
 * number, repeated. */
#include "math/gemm.h"
#include "ops/box.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, X, Y, DOUT };
enum { OUT };
enum { ALPHA, BETA };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *input = rg_shape_of(ctx, INPUT), *x = rg_shape_of(ctx, X),
                   *y = rg_shape_of(ctx, Y);
    RG_TRY(rg_expect_rank(ctx, INPUT, 2));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, Y, 2));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, X));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    rg_shape out = RG_SHAPE(x->dim[0], y->dim[1]);
    bool fits = x->dim[1] < 0 || y->dim[0] < 0 || x->dim[1] == y->dim[0];
    for (int d = 0; d < 2; d++)
        fits = fits && (input->dim[d] == 1 || input->dim[d] < 0 || out.dim[d] < 0 ||
                        input->dim[d] == out.dim[d]);
    if (!fits) {
        char ti[RG_SHAPE_TEXT], tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Input of shape %s, X of shape %s and Y of shape %s do not fit",
                       rg_shape_text(input, ti), rg_shape_text(x, tx), rg_shape_text(y, ty));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Between Input, repeated, and a matrix of the result's shape. */
static rg_box input_box(const rg_shape *input, int64_t m, int64_t n, bool back)
{
    int64_t down = input->dim[0] == 1 ? 0 : input->dim[1], right = input->dim[1] == 1 ? 0 : 1;
    rg_box box = {.rank = 0};
    rg_box_add_dim(&box, m, back ? down : n, back ? n : down);
    rg_box_add_dim(&box, n, back ? right : 1, back ? 1 : right);
    return box;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *input = rg_in(ctx, INPUT);
    rg_value *out = rg_out(ctx, OUT);
    int64_t m = x->meta.shape.dim[0], k = x->meta.shape.dim[1], n = out->meta.shape.dim[1];
    rg_box box = input_box(&input->meta.shape, m, n, false);
    rg_box_copy(&box, out->data, input->data, rg_dtype_size(out->meta.dtype));
    float alpha = rg_attr_float(ctx, ALPHA), beta = rg_attr_float(ctx, BETA);
    if (x->meta.dtype == RG_F32)
        rg_gemm_f32(false, false, m, n, k, alpha, x->data, k, rg_in_data(ctx, Y), n, beta,
                    out->data, n);
    else if (x->meta.dtype == RG_F64)
        rg_gemm_f64(false, false, m, n, k, (double)alpha, x->data, k, rg_in_data(ctx, Y), n,
                    (double)beta, out->data, n);
    else
        return rg_bad_dtype(ctx, X);
    return RG_OK;
}

/* ---- gradient ---- */

enum { DINPUT, DX, DY };

#define GRADIENTS(T, S)                                                                       \
    static void by_input_##S(const rg_box *box, const T *dout, T *dinput, int64_t n, T beta)  \
    {                                                                                         \
        rg_box_add_##S(box, dinput, dout);                                                    \
        for (int64_t i = 0; i < n; i++)                                                       \
            dinput[i] *= beta;                                                                \
    }                                                                                         \
    static void by_x_##S(int64_t m, int64_t n, int64_t k, T alpha, const T *dout, const T *y, \
                         T *dx)                                                               \
    {                                                                                         \
        rg_gemm_##S(false, true, m, k, n, alpha, dout, n, y, n, 0, dx, k);                    \
    }                                                                                         \
    static void by_y_##S(int64_t m, int64_t n, int64_t k, T alpha, const T *dout, const T *x, \
                         T *dy)                                                               \
    {                                                                                         \
        rg_gemm_##S(true, false, k, n, m, alpha, x, k, dout, n, 0, dy, n);                    \
    }
RG_FLOATS(GRADIENTS)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, DOUT);
    rg_value *dinput = rg_out(ctx, DINPUT), *dx = rg_out(ctx, DX), *dy = rg_out(ctx, DY);
    int64_t m = dout->meta.shape.dim[0], n = dout->meta.shape.dim[1];
    int64_t k = rg_shape_of(ctx, X)->dim[1];
    float alpha = rg_attr_float(ctx, ALPHA), beta = rg_attr_float(ctx, BETA);
    if (dinput != NULL) {
        rg_box box = input_box(&dinput->meta.shape, m, n, true);
        memset(dinput->data, 0, rg_value_bytes(dinput));
        RG_CALL_FLOAT(ctx, DOUT, by_input, (&box, dout->data, dinput->data, rg_numel(dinput), beta))
    }
    if (dx != NULL)
        RG_CALL_FLOAT(ctx, DOUT, by_x, (m, n, k, alpha, dout->data, rg_in_data(ctx, Y), dx->data))
    if (dy != NULL)
        RG_CALL_FLOAT(ctx, DOUT, by_y, (m, n, k, alpha, dout->data, rg_in_data(ctx, X), dy->data))
    return RG_OK;
}

#define ATTRS                                                                       \
    RG_ATTRS([ALPHA] = RG_FLOAT("Alpha", 1.0f, "factor of X Y"), [BETA] = RG_FLOAT( \
                                                                     "Beta", 1.0f,  \
                                                                     "factor of Input"))

const rg_op rg_op_addmm = {
    .type = "addmm",
    .doc = "Beta Input + Alpha X Y.",
    .in = RG_SLOTS([INPUT] = {"Input", "[m, n], or 1 for either"}, [X] = {"X", "[m, k]"},
                   [Y] = {"Y", "[k, n]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[m, n]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_addmm_grad = {
    .type = "addmm_grad",
    .doc = "Gradient of addmm.",
    .in = RG_SLOTS([INPUT] = {"Input", "", RG_SHAPE_ONLY}, [X] = {"X", ""}, [Y] = {"Y", ""},
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, .like = RG_OF(INPUT)},
                    [DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)},
                    [DY] = {"Y@GRAD", "", RG_OPTIONAL, .like = RG_OF(Y)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
