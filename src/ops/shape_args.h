/* shape_args.h - shapes that come as attributes or as the values of tensors. */
#ifndef RG_OPS_SHAPE_ARGS_H
#define RG_OPS_SHAPE_ARGS_H

#include "ir/op.h"

/* Element i of an int32 or int64 tensor. */
static inline int64_t rg_whole_at(const rg_value *value, int64_t i)
{
    return value->meta.dtype == RG_I32 ? ((const int32_t *)value->data)[i]
                                       : ((const int64_t *)value->data)[i];
}

/* An INTS or LONGS attribute as a shape, its numbers unchecked. */
rg_status rg_shape_from_list(const rg_attr *list, rg_shape *shape);

/* As above; where the program runs, overridden by the values of the tensor in slot
 * `whole` or, one number each, of the tensors in slot `parts` (-1: no such slot). */
rg_status rg_shape_from_inputs(const rg_ctx *ctx, int attr, int whole, int parts, rg_shape *shape);

/* As above, for a tensor that is made: while building, where the attribute says nothing, it
 * has as many unknown dimensions as the tensors will give. */
rg_status rg_shape_to_make(const rg_ctx *ctx, int attr, int whole, int parts, rg_shape *shape);

/* `axis`; where the program runs, overridden by the one value of the tensor in the slot. */
rg_status rg_axis_from_input(const rg_ctx *ctx, int axis, int tensor, int64_t *out);

/* The data type whose number is the INT attribute. */
rg_status rg_dtype_from_attr(const rg_ctx *ctx, int attr, rg_dtype *dtype);

#endif
