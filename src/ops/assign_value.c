/* assign_value.c - a tensor whose numbers are written in the program: assign_value, fill. */
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { NO_INPUT };
enum { OUT };
enum { SHAPE, DTYPE, BOOLS, FLOATS, INTS, LONGS };

static rg_status infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    rg_shape shape;
    RG_TRY(rg_dtype_from_attr(ctx, DTYPE, &dtype));
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, SHAPE), &shape));
    if (rg_shape_numel(&shape) < 0)
        return rg_fail(RG_EINVAL, "shape has a negative dimension");
    rg_set_out(ctx, OUT, dtype, &shape);
    return RG_OK;
}

static rg_status check_count(const rg_ctx *ctx, int attr, int64_t n)
{
    const rg_attr *list = rg_attr_list(ctx, attr);
    if (list->n != n)
        return rg_fail(RG_EINVAL, "%s has %d numbers, and the shape asks for %lld",
                       ctx->op->attr[attr].value.name, list->n, (long long)n);
    return RG_OK;
}

static rg_status assign_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int64_t n = rg_numel(out);
    switch ((int)out->meta.dtype) {
    case RG_BOOL:
        RG_TRY(check_count(ctx, BOOLS, n));
        for (int64_t i = 0; i < n; i++)
            ((bool *)out->data)[i] = rg_attr_list(ctx, BOOLS)->ints[i] != 0;
        return RG_OK;
    case RG_F32:
        RG_TRY(check_count(ctx, FLOATS, n));
        memcpy(out->data, rg_attr_list(ctx, FLOATS)->floats, (size_t)n * sizeof(float));
        return RG_OK;
    case RG_I32:
        RG_TRY(check_count(ctx, INTS, n));
        memcpy(out->data, rg_attr_list(ctx, INTS)->ints, (size_t)n * sizeof(int32_t));
        return RG_OK;
    case RG_I64:
        RG_TRY(check_count(ctx, LONGS, n));
        memcpy(out->data, rg_attr_list(ctx, LONGS)->longs, (size_t)n * sizeof(int64_t));
        return RG_OK;
    default:
        return rg_fail(RG_EINVAL, "dtype is %s, and must be bool, int32, int64 or float32",
                       rg_dtype_name(out->meta.dtype));
    }
}

const rg_op rg_op_assign_value = {
    .type = "assign_value",
    .doc = "A tensor whose numbers are attributes.",
    .in = RG_SLOTS([NO_INPUT] = {.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "of the shape and dtype asked for"}),
    .attr = RG_ATTRS([SHAPE] = RG_REQUIRED("shape", RG_ATTR_INTS, "the shape"),
                     [DTYPE] = RG_REQUIRED("dtype", RG_ATTR_INT, "the data type's number"),
                     [BOOLS] = RG_LIST("bool_values", RG_ATTR_INTS, "the numbers of a bool"),
                     [FLOATS] = RG_LIST("fp32_values", RG_ATTR_FLOATS, "of a float32"),
                     [INTS] = RG_LIST("int32_values", RG_ATTR_INTS, "of an int32"),
                     [LONGS] = RG_LIST("int64_values", RG_ATTR_LONGS, "of an int64")),
    .infer = infer,
    .kernel = assign_kernel,
};

/* ---- fill ---- */

enum { F_SHAPE, F_DTYPE, F_VALUE, F_FORCE_CPU };

static rg_status fill_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int64_t n = rg_numel(out);
    RG_TRY(check_count(ctx, F_VALUE, n));
    const float *from = rg_attr_list(ctx, F_VALUE)->floats;
    for (int64_t i = 0; i < n; i++)
        switch ((int)out->meta.dtype) {
        case RG_F32:
            ((float *)out->data)[i] = from[i];
            break;
        case RG_F64:
            ((double *)out->data)[i] = (double)from[i];
            break;
        case RG_I32:
            ((int32_t *)out->data)[i] = (int32_t)from[i];
            break;
        case RG_I64:
            ((int64_t *)out->data)[i] = (int64_t)from[i];
            break;
        case RG_BOOL:
            ((bool *)out->data)[i] = from[i] != 0;
            break;
        default:
            return rg_fail(RG_EINVAL, "no %s can be filled", rg_dtype_name(out->meta.dtype));
        }
    return RG_OK;
}

const rg_op rg_op_fill = {
    .type = "fill",
    .doc = "A tensor whose numbers are attributes, given as floats.",
    .in = RG_SLOTS([NO_INPUT] = {.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "of the shape and dtype asked for"}),
    .attr = RG_ATTRS([F_SHAPE] = RG_REQUIRED("shape", RG_ATTR_INTS, "the shape"),
                     [F_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number"),
                     [F_VALUE] = RG_REQUIRED("value", RG_ATTR_FLOATS, "the numbers"),
                     [F_FORCE_CPU] = RG_BOOLEAN("force_cpu", false, "always true here")),
    .infer = infer,
    .kernel = fill_kernel,
};
