/* minus.c - X - Y, of one shape. The gradients are scale ops: dOut and -dOut. */
#include "ir/program.h"
#include "ops/types.h"

enum { X, Y };
enum { OUT };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    if (rg_shape_numel(x) >= 0 && rg_shape_numel(y) >= 0 && rg_shape_numel(x) != rg_shape_numel(y))
        RG_TRY(rg_expect_same_shape(ctx, X, Y));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define SUBTRACT(T, S)                                                         \
    RG_HOT static void subtract_##S(const T *x, const T *y, T *out, int64_t n) \
    {                                                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            out[i] = x[i] - y[i];                                              \
    }
RG_FLOATS(SUBTRACT)

static rg_status kernel(rg_ctx *ctx)
{
    RG_CALL_FLOAT(
        ctx, X, subtract,
        (rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT), rg_numel(rg_in(ctx, X))))
    return RG_OK;
}

static rg_status add_scale(rg_grad_ctx *ctx, const char *to, float factor)
{
    rg_opdesc *op;
    if (!rg_grad_wanted(ctx, to, 0))
        return RG_OK;
    RG_TRY(rg_grad_add(ctx, "scale", false, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "scale", .type = RG_ATTR_FLOAT, .f = factor}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", to, -1, NULL);
}

static rg_status grad(rg_grad_ctx *ctx)
{
    RG_TRY(add_scale(ctx, "X", 1));
    return add_scale(ctx, "Y", -1);
}

const rg_op rg_op_minus = {
    .type = "minus",
    .doc = "X - Y.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [Y] = {"Y", "as many elements"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .infer = infer,
    .kernel = kernel,
    .grad = grad,
};
