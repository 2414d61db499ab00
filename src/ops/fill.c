/* fill.c - tensors of one number: fill_constant, fill_zeros_like, fill_any_like and
 * fill_constant_batch_size_like. */
#include "ops/number.h"
#include "ops/shape_args.h"

#include <float.h>
#include <stdlib.h>

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
    if (!rg_running(ctx) && rg_has_in(ctx, SHAPE_TENSOR)) {
        /* Its length says how many dimensions there will be. */
        const rg_shape *given = rg_shape_of(ctx, SHAPE_TENSOR);
        shape = (rg_shape){.rank = 0};
        if (given->rank == 1 && given->dim[0] <= RG_MAX_DIMS)
            while (shape.rank < given->dim[0])
                shape.dim[shape.rank++] = -1;
    }
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
        if (rg_numel(given) != 1)
            return rg_fail(RG_ESHAPE, "ValueTensor has %lld elements, and must have one",
                           (long long)rg_numel(given));
        *number = rg_number_at(given, 0);
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
    return rg_fill(rg_out(ctx, OUT), number);
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

/* Dense, also of SelectedRows, whose shape is that of the whole. */
static rg_status dense_like(rg_ctx *ctx)
{
    rg_set_like(ctx, OUT, X);
    rg_set_kind(ctx, OUT, RG_TENSOR);
    return RG_OK;
}

static rg_status fill_zeros_kernel(rg_ctx *ctx)
{
    return rg_fill(rg_out(ctx, OUT), 0);
}

const rg_op rg_op_fill_zeros_like = {
    .type = "fill_zeros_like",
    .doc = "Zeros of the shape of X.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY | RG_NO_GRAD | RG_ROWS_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .infer = dense_like,
    .kernel = fill_zeros_kernel,
};

enum { ZEROS_DTYPE };

static rg_status fill_zeros2_infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    RG_TRY(rg_dtype_from_attr(ctx, ZEROS_DTYPE, &dtype));
    RG_TRY(dense_like(ctx));
    rg_set_dtype(ctx, OUT, dtype);
    return RG_OK;
}

const rg_op rg_op_fill_zeros_like2 = {
    .type = "fill_zeros_like2",
    .doc = "Zeros of the shape of X, of any type.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY | RG_NO_GRAD | RG_ROWS_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([ZEROS_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number")),
    .infer = fill_zeros2_infer,
    .kernel = fill_zeros_kernel,
};

enum { ANY_VALUE, ANY_DTYPE };

/* A number that the type does not hold is refused, infinities and NaN too, as in Fluid. */
static rg_status expect_in_range(rg_dtype dtype, double value)
{
    double least = -(double)FLT_MAX, most = (double)FLT_MAX; /* the attribute is a float */
    if (dtype == RG_I32) {
        least = INT32_MIN;
        most = INT32_MAX;
    } else if (dtype == RG_I64) {
        least = -0x1p63;
        most = 0x1p63 - 1024; /* the largest double below 2^63 */
    } else if (dtype == RG_BOOL) {
        least = 0;
        most = 1;
    }
    if (value >= least && value <= most)
        return RG_OK;
    return rg_fail(RG_EINVAL, "value is %g, which a tensor of %s does not hold: %g to %g", value,
                   rg_dtype_name(dtype), least, most);
}

static rg_status fill_any_infer(rg_ctx *ctx)
{
    rg_dtype dtype = rg_dtype_of(ctx, X);
    RG_TRY(dense_like(ctx));
    if (rg_attr_int(ctx, ANY_DTYPE) >= 0) {
        RG_TRY(rg_dtype_from_attr(ctx, ANY_DTYPE, &dtype));
        rg_set_dtype(ctx, OUT, dtype);
    }
    return expect_in_range(dtype, (double)rg_attr_float(ctx, ANY_VALUE));
}

static rg_status fill_any_kernel(rg_ctx *ctx)
{
    return rg_fill(rg_out(ctx, OUT), (double)rg_attr_float(ctx, ANY_VALUE));
}

const rg_op rg_op_fill_any_like = {
    .type = "fill_any_like",
    .doc = "One number in the shape of X.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY | RG_NO_GRAD | RG_ROWS_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([ANY_VALUE] = RG_FLOAT("value", 0.0f, "the number"), [ANY_DTYPE] = RG_INT(
                                                                              "dtype", -1,
                                                                              "-1: that of X")),
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
    return rg_fill(rg_out(ctx, OUT), number);
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
