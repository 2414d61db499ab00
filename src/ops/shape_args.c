/* shape_args.c - shapes from attributes and tensors. */
#include "ops/shape_args.h"

static rg_status check_rank(int64_t rank)
{
    if (rank > RG_MAX_DIMS)
        return rg_fail(RG_EINVAL, "a shape of %lld dimensions, and at most %d are possible",
                       (long long)rank, RG_MAX_DIMS);
    return RG_OK;
}

rg_status rg_shape_from_list(const rg_attr *list, rg_shape *shape)
{
    RG_TRY(check_rank(list->n));
    shape->rank = list->n;
    for (int i = 0; i < list->n; i++)
        shape->dim[i] = list->type == RG_ATTR_LONGS ? list->longs[i] : list->ints[i];
    return RG_OK;
}

static rg_status check_whole(const rg_ctx *ctx, const rg_value *value, int slot)
{
    if (value->meta.dtype != RG_I32 && value->meta.dtype != RG_I64)
        return rg_fail(RG_ESHAPE, "%s is %s, and must be int32 or int64", ctx->op->in[slot].name,
                       rg_dtype_name(value->meta.dtype));
    return RG_OK;
}

rg_status rg_shape_from_inputs(const rg_ctx *ctx, int attr, int whole, int parts, rg_shape *shape)
{
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, attr), shape));
    if (!rg_running(ctx))
        return RG_OK;
    if (whole >= 0 && rg_has_in(ctx, whole)) {
        const rg_value *given = rg_in(ctx, whole);
        RG_TRY(check_whole(ctx, given, whole));
        RG_TRY(check_rank(rg_numel(given)));
        shape->rank = (int)rg_numel(given);
        for (int i = 0; i < shape->rank; i++)
            shape->dim[i] = rg_whole_at(given, i);
    } else if (parts >= 0 && rg_n_in(ctx, parts) > 0) {
        RG_TRY(check_rank(rg_n_in(ctx, parts)));
        shape->rank = rg_n_in(ctx, parts);
        for (int i = 0; i < shape->rank; i++) {
            const rg_value *part = rg_in_n(ctx, parts, i);
            if (part == NULL || rg_numel(part) != 1)
                return rg_fail(RG_ESHAPE, "number %d of %s must be one whole number", i,
                               ctx->op->in[parts].name);
            RG_TRY(check_whole(ctx, part, parts));
            shape->dim[i] = rg_whole_at(part, 0);
        }
    }
    return RG_OK;
}

rg_status rg_shape_to_make(const rg_ctx *ctx, int attr, int whole, int parts, rg_shape *shape)
{
    RG_TRY(rg_shape_from_inputs(ctx, attr, whole, parts, shape));
    if (rg_running(ctx) || shape->rank > 0)
        return RG_OK;
    int64_t rank = rg_has_in(ctx, whole) ? rg_shape_numel(rg_shape_of(ctx, whole))
                                         : rg_n_in(ctx, parts);
    RG_TRY(check_rank(rank));
    while (shape->rank < rank)
        shape->dim[shape->rank++] = -1;
    return RG_OK;
}

rg_status rg_axis_from_input(const rg_ctx *ctx, int axis, int tensor, int64_t *out)
{
    *out = axis;
    if (!rg_running(ctx) || !rg_has_in(ctx, tensor))
        return RG_OK;
    const rg_value *given = rg_in(ctx, tensor);
    RG_TRY(check_whole(ctx, given, tensor));
    if (rg_numel(given) != 1)
        return rg_fail(RG_ESHAPE, "%s has %lld elements, and must have one",
                       ctx->op->in[tensor].name, (long long)rg_numel(given));
    *out = rg_whole_at(given, 0);
    return RG_OK;
}

rg_status rg_dtype_from_attr(const rg_ctx *ctx, int attr, rg_dtype *dtype)
{
    int number = rg_attr_int(ctx, attr);
    if (!rg_dtype_valid(number))
        return rg_fail(RG_EINVAL, "%s %d is not the number of a data type",
                       ctx->op->attr[attr].value.name, number);
    *dtype = (rg_dtype)number;
    return RG_OK;
}
