/* tensor_array.c - arrays of tensors: write_to_array, read_from_array, lod_array_length.
 *
 * Reading and writing are each other's gradients. An item that was never written reads
 * as an error in the forward pass, and as a zero gradient in the backward one. */
#include "ir/program.h"
#include "ops/types.h"

#include <string.h>

enum { X, I };
enum { OUT };
enum { ADD };

static rg_status index_of(const rg_ctx *ctx, size_t *out)
{
    const rg_value *i = rg_in(ctx, I);
    if (i->meta.dtype != RG_I64 || rg_numel(i) != 1)
        return rg_fail(RG_ESHAPE, "the index %s must be one int64", rg_in_name(ctx, I, 0));
    int64_t number = *(const int64_t *)i->data;
    if (number < 0 || number > INT32_MAX)
        return rg_fail(RG_EVALUE, "the index %s is %lld", rg_in_name(ctx, I, 0), (long long)number);
    *out = (size_t)number;
    return RG_OK;
}

/* ---- write_to_array ---- */

static rg_status write_infer(rg_ctx *ctx)
{
    rg_meta *out = rg_out_meta(ctx, OUT);
    out->kind = RG_ARRAY;
    out->dtype = rg_dtype_of(ctx, X);
    if (!rg_running(ctx)) {
        out->shape = *rg_shape_of(ctx, X);
        out->lod_level = rg_in_meta(ctx, X)->lod_level;
    }
    return RG_OK;
}

#define ADD_TO(T, S)                                                                               \
    RG_HOT static void add_to_##S(T *to, const T *from, int64_t n)                                 \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] += from[i];                                                                      \
    }
RG_FLOATS(ADD_TO)

static rg_status add_to(rg_value *to, const rg_value *from)
{
    if (!rg_shape_equal(&to->meta.shape, &from->meta.shape))
        return rg_fail(RG_ESHAPE, "two gradients of one item of an array differ in shape");
    if (to->meta.dtype == RG_F32)
        add_to_f32(to->data, from->data, rg_numel(to));
    else if (to->meta.dtype == RG_F64)
        add_to_f64(to->data, from->data, rg_numel(to));
    else
        return rg_fail(RG_EUNIMPL, "no gradient of %s", rg_dtype_name(to->meta.dtype));
    return RG_OK;
}

static rg_status write_kernel(rg_ctx *ctx)
{
    size_t i;
    rg_value *item;
    RG_TRY(index_of(ctx, &i));
    RG_TRY(rg_value_item(rg_out(ctx, OUT), i, &item));
    if (rg_attr_bool(ctx, ADD) && item->data != NULL)
        return add_to(item, rg_in(ctx, X));
    return rg_value_copy(item, rg_in(ctx, X));
}

static rg_status write_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "read_from_array", false, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "take", .type = RG_ATTR_BOOL, .b = true}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "I", "I"));
    RG_TRY(rg_grad_read_in(ctx, op, "X_W", "X"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_write_to_array = {
    .type = "write_to_array",
    .doc = "Item I of the array Out becomes a copy of X.",
    .in = RG_SLOTS([X] = {"X", "a tensor"}, [I] = {"I", "one int64", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "an array of tensors"}),
    .attr = RG_ATTRS([ADD] = RG_BOOLEAN("add", false, "of gradients: add to what is there")),
    .flags = RG_OP_DYNAMIC,
    .infer = write_infer,
    .kernel = write_kernel,
    .grad = write_grad,
};

/* ---- read_from_array ---- */

enum { R_X, R_I, R_LIKE };
enum { TAKE };

static rg_status read_infer(rg_ctx *ctx)
{
    const rg_meta *array = rg_in_meta(ctx, R_X);
    if (array->kind != RG_ARRAY)
        return rg_fail(RG_ESHAPE, "X is a %s, and must be an array of tensors",
                       rg_kind_name(array->kind));
    rg_meta *out = rg_out_meta(ctx, OUT);
    out->kind = RG_TENSOR;
    out->dtype = array->dtype;
    if (!rg_running(ctx)) {
        out->shape = array->shape;
        out->lod_level = array->lod_level;
    }
    return RG_OK;
}

static rg_status read_kernel(rg_ctx *ctx)
{
    const rg_value *array = rg_in(ctx, R_X), *like = rg_in(ctx, R_LIKE);
    rg_value *out = rg_out(ctx, OUT);
    size_t i;
    RG_TRY(index_of(ctx, &i));
    const rg_value *item = i < array->n_items ? array->items[i] : NULL;
    if (item != NULL && item->data != NULL) {
        RG_TRY(rg_value_copy(out, item));
        if (rg_attr_bool(ctx, TAKE)) /* what stood there before was overwritten */
            array->items[i]->data = NULL;
        return RG_OK;
    }
    if (like == NULL)
        return rg_fail(RG_EVALUE, "item %zu of %s has not been written; it has %zu items", i,
                       rg_in_name(ctx, R_X, 0), array->n_items);
    RG_TRY(rg_value_resize(out, like->meta.dtype, &like->meta.shape));
    memset(out->data, 0, rg_value_bytes(out));
    rg_value_set_lod(out, like->meta.lod);
    return RG_OK;
}

static rg_status read_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "write_to_array", false, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "add", .type = RG_ATTR_BOOL, .b = true}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "I", "I"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_read_from_array = {
    .type = "read_from_array",
    .doc = "A copy of item I of the array X.",
    .in = RG_SLOTS([R_X] = {"X", "an array of tensors", RG_ANY_KIND},
                   [R_I] = {"I", "one int64", RG_NO_GRAD},
                   [R_LIKE] = {"X_W", "what was written, where this is a gradient: an item that "
                                      "is not there is zeros of its shape",
                               RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "a tensor"}),
    .attr = RG_ATTRS([TAKE] = RG_BOOLEAN("take", false, "of gradients: the item is gone then")),
    .flags = RG_OP_DYNAMIC,
    .infer = read_infer,
    .kernel = read_kernel,
    .grad = read_grad,
};

/* ---- lod_array_length ---- */

static rg_status length_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status length_kernel(rg_ctx *ctx)
{
    *(int64_t *)rg_out_data(ctx, OUT) = (int64_t)rg_in(ctx, X)->n_items;
    return RG_OK;
}

const rg_op rg_op_lod_array_length = {
    .type = "lod_array_length",
    .doc = "How many items an array has.",
    .in = RG_SLOTS([X] = {"X", "an array of tensors", RG_NO_GRAD | RG_ANY_KIND},
                   [I] = {.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "one int64"}),
    .infer = length_infer,
    .kernel = length_kernel,
};
