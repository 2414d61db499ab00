/* scale.c - Out = scale X + bias, or scale (X + bias); also of a sparse gradient. The
 * gradient is a scale op itself. */
#include "ir/program.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE_TENSOR };
enum { OUT };
enum { SCALE, BIAS, AFTER };

#define AFFINE(T, S)                                                                               \
    RG_HOT static void affine_##S(const T *x, T *y, int64_t n, T factor, T bias)                   \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = x[i] * factor + bias;                                                           \
    }
RG_NUMBERS(AFFINE)

static rg_status scale_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *given = rg_in(ctx, SCALE_TENSOR);
    rg_value *out = rg_out(ctx, OUT);
    double factor = (double)rg_attr_float(ctx, SCALE), bias = (double)rg_attr_float(ctx, BIAS);
    if (given != NULL)
        factor = given->meta.dtype == RG_F64 ? *(const double *)given->data
                                             : (double)*(const float *)given->data;
    if (!rg_attr_bool(ctx, AFTER))
        bias *= factor;
    if (x->meta.kind == RG_ROWS && out != x) {
        RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &x->meta.shape, x->n_rows));
        memcpy(out->rows, x->rows, x->n_rows * sizeof *x->rows);
    }
    int64_t n = (int64_t)(rg_value_bytes(x) / rg_dtype_size(x->meta.dtype));
    switch ((int)x->meta.dtype) {
    case RG_F32:
        affine_f32(x->data, out->data, n, (float)factor, (float)bias);
        break;
    case RG_F64:
        affine_f64(x->data, out->data, n, factor, bias);
        break;
    case RG_I32:
        affine_i32(x->data, out->data, n, (int32_t)factor, (int32_t)bias);
        break;
    case RG_I64:
        affine_i64(x->data, out->data, n, (int64_t)factor, (int64_t)bias);
        break;
    default:
        return rg_bad_dtype(ctx, X);
    }
    return RG_OK;
}

static rg_status scale_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "scale", true, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "bias", .type = RG_ATTR_FLOAT, .f = 0}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "ScaleTensor", "ScaleTensor"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_scale = {
    .type = "scale",
    .doc = "scale X + bias.",
    .in = RG_SLOTS([X] = {"X", "any shape; may be sparse", RG_ROWS_OK},
                   [SCALE_TENSOR] = {"ScaleTensor", "the factor, if not `scale`",
                                     RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([SCALE] = RG_FLOAT("scale", 1.0f, "the factor"),
                     [BIAS] = RG_FLOAT("bias", 0.0f, "added"),
                     [AFTER] = RG_BOOLEAN("bias_after_scale", true, "false: scale (X + bias)")),
    .kernel = scale_kernel,
    .grad = scale_grad,
};
