/* fill.c - tensors of one number: fill_constant, fill_zeros_like, fill_any_like and
 * fill_constant_batch_size_like. */
#include "ops/shape_args.h"
#include "ops/types.h"

#include <stdlib.h>
#include <string.h>

#define FILL(T, S)                                                                                 \
    RG_HOT static void fill_##S(T *y, T number, int64_t n)                                         \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = number;                                                                         \
    }
RG_NUMBERS(FILL)

/* `number` as the value's dtype in every element. */
static rg_status fill(rg_value *value, double number)
{
    int64_t n = rg_numel(value);
    switch (value->meta.dtype) {
    case RG_F32:
        fill_f32(value->data, (float)number, n);
        return RG_OK;
    case RG_F64:
        fill_f64(value->data, number, n);
        return RG_OK;
    case RG_I32:
        fill_i32(value->data, (int32_t)number, n);
        return RG_OK;
    case RG_I64:
    case RG_SIZE_T:
        fill_i64(value->data, (int64_t)number, n);
        return RG_OK;
    case RG_BOOL:
        memset(value->data, number != 0, (size_t)n);
        return RG_OK;
    case RG_U8:
    case RG_I8:
        memset(value->data, (int)number, (size_t)n);
        return RG_OK;
    case RG_I16:
        for (int64_t i = 0; i < n; i++)
            ((int16_t *)value->data)[i] = (int16_t)number;
        return RG_OK;
    case RG_F16:
        break;
    }
    return rg_fail(RG_EUNIMPL, "no %s can be filled", rg_dtype_name(value->meta.dtype));
}

/* ---- fill_constant ---- */

enum { VALUE_TENSOR, SHAPE_TENSOR, SHAPE_LIST };
enum { OUT };
enum { SHAPE, VALUE, STR_VALUE, DTYPE, FORCE_CPU };

static rg_status fill_constant_infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    rg_shape shape;
    RG_TRY(rg_dtype_from_attr(ctx, DTYPE, &dtype));
    RG_TRY(rg_shape_from_inputs(ctx, SHAPE, SHAPE_TENSOR, SHAPE_LIST, &shape));
    rg_set_out(ctx, OUT, dtype, &shape);
    return RG_OK;
}

/* str_value holds what a float cannot: "inf", "nan", large whole numbers. */
static rg_status constant(const rg_ctx *ctx, double *number)
{
    const rg_value *given = rg_in(ctx, VALUE_TENSOR);
    const char *text = rg_attr_string(ctx, STR_VALUE);
    *number = (double)rg_attr_float(ctx, VALUE);
    if (given != NULL) {
        if (given->meta.dtype == RG_F32)
            *number = (double)*(const float *)given->data;
        else if (given->meta.dtype == RG_F64)
            *number = *(const double *)given->data;
        else
            *number = (double)rg_whole_at(given, 0);
    } else if (text[0] != '\0') {
        char *end;
        *number = strtod(text, &end);
        if (*end != '\0')
            return rg_fail(RG_EINVAL, "str_value '%s' is not a number", text);
    }
    return RG_OK;
}

static rg_status fill_constant_kernel(rg_ctx *ctx)
{
    double number;
    RG_TRY(constant(ctx, &number));
    return fill(rg_out(ctx, OUT), number);
}

const rg_op rg_op_fill_constant = {
    .type = "fill_constant",
    .doc = "A tensor of one number.",
    .in = RG_SLOTS([VALUE_TENSOR] = {"ValueTensor", "the number, if not `value`",
                                     RG_OPTIONAL | RG_NO_GRAD},
                   [SHAPE_TENSOR] = {"ShapeTensor", "the shape, if not `shape`",
                                     RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},
                   [SHAPE_LIST] = {"ShapeTensorList", "the shape, a tensor a dimension",
                                   RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "of the shape and dtype asked for"}),
    .attr = RG_ATTRS([SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "the shape"),
                     [VALUE] = RG_FLOAT("value", 0.0f, "the number"),
                     [STR_VALUE] = RG_STRING("str_value", "", "the number as text, if not empty"),
                     [DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"),
                     [FORCE_CPU] = RG_BOOLEAN("force_cpu", false, "always true here")),
    .infer = fill_constant_infer,
    .kernel = fill_constant_kernel,
};

/* ---- the shape of another tensor ---- */

enum { X };

static rg_status fill_zeros_kernel(rg_ctx *ctx)
{
    return fill(rg_out(ctx, OUT), 0);
}

const rg_op rg_op_fill_zeros_like = {
    .type = "fill_zeros_like",
    .doc = "Zeros of the shape of X.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X)}),
    .kernel = fill_zeros_kernel,
};

enum { ANY_VALUE, ANY_DTYPE };

static rg_status fill_any_infer(rg_ctx *ctx)
{
    rg_set_like(ctx, OUT, X);
    if (rg_attr_int(ctx, ANY_DTYPE) >= 0) {
        rg_dtype dtype;
        RG_TRY(rg_dtype_from_attr(ctx, ANY_DTYPE, &dtype));
        rg_set_dtype(ctx, OUT, dtype);
    }
    return RG_OK;
}

static rg_status fill_any_kernel(rg_ctx *ctx)
{
    return fill(rg_out(ctx, OUT), (double)rg_attr_float(ctx, ANY_VALUE));
}

const rg_op rg_op_fill_any_like = {
    .type = "fill_any_like",
    .doc = "One number in the shape of X.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([ANY_VALUE] = RG_FLOAT("value", 0.0f, "the number"),
                     [ANY_DTYPE] = RG_INT("dtype", -1, "-1: that of X")),
    .infer = fill_any_infer,
    .kernel = fill_any_kernel,
};

/* ---- the batch size of another tensor ---- */

enum { B_SHAPE, B_IN_DIM, B_OUT_DIM, B_DTYPE, B_VALUE, B_STR_VALUE, B_FORCE_CPU };

static rg_status batch_like_infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    rg_shape shape;
    const rg_meta *input = rg_in_meta(ctx, X);
    RG_TRY(rg_dtype_from_attr(ctx, B_DTYPE, &dtype));
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, B_SHAPE), &shape));
    int from, to;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, B_IN_DIM), input->shape.rank, &from));
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, B_OUT_DIM), shape.rank, &to));
    shape.dim[to] = input->shape.dim[from];
    /* Of sequences, the batch is their number. */
    if (rg_running(ctx) && from == 0 && input->lod != NULL)
        shape.dim[to] = rg_lod_sequences(input->lod, input->lod->levels - 1);
    rg_set_out(ctx, OUT, dtype, &shape);
    return RG_OK;
}

static rg_status batch_like_kernel(rg_ctx *ctx)
{
    double number = (double)rg_attr_float(ctx, B_VALUE);
    const char *text = rg_attr_string(ctx, B_STR_VALUE);
    if (text[0] != '\0') {
        char *end;
        number = strtod(text, &end);
        if (*end != '\0')
            return rg_fail(RG_EINVAL, "str_value '%s' is not a number", text);
    }
    return fill(rg_out(ctx, OUT), number);
}

const rg_op rg_op_fill_constant_batch_size_like = {
    .type = "fill_constant_batch_size_like",
    .doc = "One number in a shape whose batch dimension is that of Input.",
    .in = RG_SLOTS([X] = {"Input", "gives the batch size", RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", ""}),
    .attr = RG_ATTRS([B_SHAPE] = RG_REQUIRED("shape", RG_ATTR_INTS, "the shape, but for the batch"),
                     [B_IN_DIM] = RG_INT("input_dim_idx", 0, "the batch dimension of Input"),
                     [B_OUT_DIM] = RG_INT("output_dim_idx", 0, "the batch dimension of Out"),
                     [B_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"),
                     [B_VALUE] = RG_FLOAT("value", 0.0f, "the number"),
                     [B_STR_VALUE] = RG_STRING("str_value", "", "the number as text"),
                     [B_FORCE_CPU] = RG_BOOLEAN("force_cpu", false, "always true here")),
    .infer = batch_like_infer,
    .kernel = batch_like_kernel,
};
