/* array_to_tensor.c - the items of an array as one tensor: tensor_array_to_tensor.
 *
 *   Out = item 0, item 1, ... one behind the other along `axis`, or, with use_stack, along a
 *         new dimension there; OutIndex = their sizes along `axis`
 *
 * The gradient cuts Out@GRAD into items again. */
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT, OUT_INDEX };
enum { AXIS, USE_STACK };
enum { G_X, G_DOUT };
enum { G_DX };

/* Of items of this rank, as 0 .. */
static rg_status find_axis(const rg_ctx *ctx, int rank, int *axis)
{
    return rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), rank + rg_attr_bool(ctx, USE_STACK), axis);
}

static rg_shape joined(const rg_shape *item, int axis, bool stacked, int64_t size)
{
    rg_shape out = *item;
    if (stacked) {
        memmove(out.dim + axis + 1, out.dim + axis, sizeof *out.dim * (size_t)(item->rank - axis));
        out.rank++;
    }
    out.dim[axis] = size;
    return out;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_meta *array = rg_in_meta(ctx, X);
    int axis;
    if (array->kind != RG_ARRAY)
        return rg_fail(RG_ESHAPE, "X is a %s, and must be an array of tensors",
                       rg_kind_name(array->kind));
    if (rg_running(ctx))
        return RG_OK;
    if (array->shape.rank >= RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "the items have %d dimensions", array->shape.rank);
    rg_shape out = array->shape;
    if (out.rank > 0) {
        RG_TRY(find_axis(ctx, out.rank, &axis));
        out = joined(&array->shape, axis, rg_attr_bool(ctx, USE_STACK), -1);
    }
    rg_set_out(ctx, OUT, array->dtype, &out);
    rg_set_out(ctx, OUT_INDEX, RG_I32, &RG_SHAPE(-1));
    return RG_OK;
}

/* How the items lie in the whole. */
typedef struct layout {
    int axis;
    bool stacked;
    int64_t outer, inner, size; /* around the axis, and along it in the whole */
} layout;

static rg_status lay_out(const rg_ctx *ctx, const rg_value *array, layout *l)
{
    const rg_value *first = array->n_items > 0 ? array->items[0] : NULL;
    if (first == NULL)
        return rg_fail(RG_EVALUE, "the array %s is empty", rg_in_name(ctx, X, 0));
    const rg_shape *shape = &first->meta.shape;
    if (shape->rank >= RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "the items have %d dimensions", shape->rank);
    *l = (layout){.stacked = rg_attr_bool(ctx, USE_STACK)};
    RG_TRY(find_axis(ctx, shape->rank, &l->axis));
    l->outer = rg_shape_product(shape, 0, l->axis);
    l->inner = rg_shape_product(shape, l->axis + !l->stacked, shape->rank);
    for (size_t i = 0; i < array->n_items; i++) {
        const rg_value *item = array->items[i];
        if (item == NULL || item->data == NULL)
            return rg_fail(RG_EVALUE, "item %zu of %s has not been written", i,
                           rg_in_name(ctx, X, 0));
        rg_shape same = item->meta.shape;
        if (!l->stacked && same.rank == shape->rank)
            same.dim[l->axis] = shape->dim[l->axis];
        if (item->meta.dtype != first->meta.dtype || !rg_shape_equal(&same, shape)) {
            char a[RG_SHAPE_TEXT], b[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "items 0 and %zu of shapes %s and %s cannot be joined", i,
                           rg_shape_text(shape, a), rg_shape_text(&item->meta.shape, b));
        }
        l->size += l->stacked ? 1 : item->meta.shape.dim[l->axis];
    }
    return RG_OK;
}

/* Copy the item that begins at `at` along the axis into the whole, or out of it. */
static int64_t move_item(const layout *l, char *whole, const rg_value *item, int64_t at, bool out)
{
    size_t size = rg_dtype_size(item->meta.dtype);
    int64_t n = l->stacked ? 1 : item->meta.shape.dim[l->axis];
    size_t width = (size_t)(n * l->inner) * size, step = (size_t)(l->size * l->inner) * size;
    char *place = whole + (size_t)(at * l->inner) * size, *own = item->data;
    for (int64_t o = 0; o < l->outer && width > 0; o++, place += step, own += width)
        memcpy(out ? own : place, out ? place : own, width);
    return n;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *array = rg_in(ctx, X);
    layout l;
    RG_TRY(lay_out(ctx, array, &l));
    const rg_meta *first = &array->items[0]->meta;
    rg_shape shape = joined(&first->shape, l.axis, l.stacked, l.size);
    RG_TRY(rg_out_resize(ctx, OUT, 0, first->dtype, &shape));
    if (rg_has_out(ctx, OUT_INDEX))
        RG_TRY(rg_out_resize(ctx, OUT_INDEX, 0, RG_I32, &RG_SHAPE((int64_t)array->n_items)));
    int32_t *sizes = rg_out_data(ctx, OUT_INDEX);
    int64_t at = 0;
    for (size_t i = 0; i < array->n_items; i++) {
        const rg_shape *item = &array->items[i]->meta.shape;
        at += move_item(&l, rg_out_data(ctx, OUT), array->items[i], at, false);
        if (sizes != NULL) /* of a stack, too, those of the items, as Fluid does */
            sizes[i] = l.axis < item->rank ? (int32_t)item->dim[l.axis] : 1;
    }
    return RG_OK;
}

/* ---- gradient ---- */

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_meta *dx = rg_out_meta(ctx, G_DX);
    if (dx == NULL)
        return RG_OK;
    dx->kind = RG_ARRAY;
    dx->dtype = rg_dtype_of(ctx, G_X);
    if (!rg_running(ctx))
        dx->shape = *rg_shape_of(ctx, G_X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *array = rg_in(ctx, G_X), *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX), *item;
    layout l;
    RG_TRY(lay_out(ctx, array, &l));
    const rg_meta *first = &array->items[0]->meta;
    rg_shape shape = joined(&first->shape, l.axis, l.stacked, l.size);
    if (dout->meta.dtype != first->dtype || !rg_shape_equal(&dout->meta.shape, &shape))
        return rg_fail(RG_ESHAPE, "Out@GRAD does not have the shape of Out");
    int64_t at = 0;
    for (size_t i = 0; i < array->n_items; i++) {
        RG_TRY(rg_value_item(dx, i, &item));
        RG_TRY(rg_value_resize(item, first->dtype, &array->items[i]->meta.shape));
        at += move_item(&l, dout->data, item, at, true);
    }
    return RG_OK;
}

#define ATTRS                                                                \
    RG_ATTRS([AXIS] = RG_INT("axis", 0, "along which the items are joined"), \
             [USE_STACK] = RG_BOOLEAN("use_stack", false, "along a new dimension"))

const rg_op rg_ops_array_to_tensor[] = {
    {
        .type = "tensor_array_to_tensor",
        .doc = "The items of an array as one tensor.",
        .in = RG_SLOTS([X] = {"X", "an array of tensors", RG_ANY_KIND}),
        .out = RG_SLOTS([OUT] = {"Out", "the items, joined"},
                        [OUT_INDEX] = {"OutIndex", "int32: the items' sizes along the axis"}),
        .attr = ATTRS,
        .flags = RG_OP_DYNAMIC,
        .infer = infer,
        .kernel = kernel,
    },
    {
        .type = "tensor_array_to_tensor_grad",
        .doc = "Gradient of tensor_array_to_tensor.",
        .in = RG_SLOTS([G_X] = {"X", "", RG_ANY_KIND}, [G_DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "an array"}),
        .attr = ATTRS,
        .flags = RG_OP_DYNAMIC,
        .infer = grad_infer,
        .kernel = grad_kernel,
    },
    {.type = NULL},
};
