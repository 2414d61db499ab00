/* crop.c - a window of a tensor: crop, crop_tensor.
 *
 *   Out = X[offsets[d] : offsets[d] + shape[d]] along each dimension d
 *
 * A -1 in the shape is all that the offset leaves. The gradient is zero outside the window. */
#include "ops/box.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, SHAPE_IN, OFFSETS, SHAPE_LIST, OFFSETS_LIST };
enum { OUT };
enum { A_OFFSETS, A_SHAPE };

/* crop takes the shape of the tensor Y, crop_tensor the values of Shape or ShapeTensor. */
static rg_status find_window(const rg_ctx *ctx, bool by_values, const rg_shape *x, rg_shape *shape,
                             rg_shape *offsets)
{
    bool open = !rg_running(ctx) &&
                (rg_has_in(ctx, OFFSETS) || (by_values && rg_n_in(ctx, OFFSETS_LIST) > 0));
    if (by_values)
        RG_TRY(rg_shape_from_inputs(ctx, A_SHAPE, SHAPE_IN, SHAPE_LIST, shape));
    else if (rg_has_in(ctx, SHAPE_IN))
        *shape = *rg_shape_of(ctx, SHAPE_IN);
    else
        RG_TRY(rg_shape_from_list(rg_attr_list(ctx, A_SHAPE), shape));
    RG_TRY(
        rg_shape_from_inputs(ctx, A_OFFSETS, OFFSETS, by_values ? (int)OFFSETS_LIST : -1, offsets));
    if (!rg_running(ctx) && by_values && rg_has_in(ctx, SHAPE_IN)) {
        open = true;
        for (; shape->rank < x->rank; shape->rank++)
            shape->dim[shape->rank] = -1;
    }
    for (; open && offsets->rank < x->rank; offsets->rank++)
        offsets->dim[offsets->rank] = 0;
    if (shape->rank != x->rank || offsets->rank != x->rank)
        return rg_fail(RG_EINVAL,
                       "a window needs a size and an offset for each of %d dimensions, "
                       "and has %d and %d",
                       x->rank, shape->rank, offsets->rank);
    bool parts = !rg_running(ctx) && by_values && rg_n_in(ctx, SHAPE_LIST) > 0;
    for (int d = 0; d < x->rank; d++) {
        if (parts && shape->dim[d] == 0)
            shape->dim[d] = -1; /* how the attribute marks what a tensor says */
        int64_t n = shape->dim[d], at = offsets->dim[d], all = x->dim[d];
        if (n == -1 && (open || parts))
            continue;
        if (n == -1 && all >= 0)
            n = shape->dim[d] = all - at;
        if ((n != -1 || rg_running(ctx)) && !open &&
            (n < 1 || at < 0 || (all >= 0 && at > all - n)))
            return rg_fail(RG_ESHAPE, "a window of %lld at %lld does not fit dimension %d, of %lld",
                           (long long)n, (long long)at, d, (long long)all);
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx, bool by_values)
{
    rg_shape shape, offsets;
    RG_TRY(find_window(ctx, by_values, rg_shape_of(ctx, X), &shape, &offsets));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &shape);
    return RG_OK;
}

static rg_status crop_infer(rg_ctx *ctx)
{
    return infer(ctx, false);
}

static rg_status crop_tensor_infer(rg_ctx *ctx)
{
    return infer(ctx, true);
}

static rg_status crop(rg_ctx *ctx, bool by_values)
{
    const rg_value *x = rg_in(ctx, X);
    size_t size = rg_dtype_size(x->meta.dtype);
    rg_shape shape, offsets;
    rg_box box;
    RG_TRY(find_window(ctx, by_values, &x->meta.shape, &shape, &offsets));
    int64_t start = rg_box_window(&box, &x->meta.shape, &shape, offsets.dim, true);
    rg_box_copy(&box, rg_out_data(ctx, OUT), (const char *)x->data + (size_t)start * size, size);
    return RG_OK;
}

static rg_status crop_kernel(rg_ctx *ctx)
{
    return crop(ctx, false);
}

static rg_status crop_tensor_kernel(rg_ctx *ctx)
{
    return crop(ctx, true);
}

/* ---- gradients ---- */

enum { G_X, G_OFFSETS, G_OFFSETS_LIST, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX);
    const rg_shape *x = &dx->meta.shape, *part = &dout->meta.shape;
    size_t size = rg_dtype_size(dx->meta.dtype);
    rg_shape offsets;
    rg_box box;
    RG_TRY(rg_shape_from_inputs(ctx, A_OFFSETS, G_OFFSETS, G_OFFSETS_LIST, &offsets));
    if (offsets.rank != x->rank || part->rank != x->rank)
        return rg_fail(RG_ESHAPE, "the window has %d dimensions, and X %d", part->rank, x->rank);
    for (int d = 0; d < x->rank; d++)
        if (offsets.dim[d] < 0 || offsets.dim[d] > x->dim[d] - part->dim[d])
            return rg_fail(RG_ESHAPE, "the window does not fit dimension %d", d);
    int64_t start = rg_box_window(&box, x, part, offsets.dim, false);
    memset(dx->data, 0, rg_value_bytes(dx));
    rg_box_copy(&box, (char *)dx->data + (size_t)start * size, dout->data, size);
    return RG_OK;
}

#define ONE  (RG_OPTIONAL | RG_NO_GRAD | RG_SIZES)
#define LIST (RG_OPTIONAL | RG_NO_GRAD | RG_SIZES | RG_REPEATED)
#define ATTRS                                                                           \
    RG_ATTRS([A_OFFSETS] = RG_LIST("offsets", RG_ATTR_INTS, "where the window begins"), \
             [A_SHAPE] = RG_LIST("shape", RG_ATTR_INTS, "its size; -1: all that is left"))
#define GRAD_OUT RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)})

const rg_op rg_ops_crop[] = {
    {
        .type = "crop",
        .doc = "A window of a tensor.",
        .in = RG_SLOTS([X] = {"X", "any shape"},
                       [SHAPE_IN] = {"Y", "its shape is the window's",
                                     RG_OPTIONAL | RG_NO_GRAD | RG_SHAPE_ONLY},
                       [OFFSETS] = {"Offsets", "instead of the attribute", ONE}),
        .out = RG_SLOTS([OUT] = {"Out", "the window"}),
        .attr = ATTRS,
        .infer = crop_infer,
        .kernel = crop_kernel,
    },
    {
        .type = "crop_grad",
        .doc = "Gradient of crop.",
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_OFFSETS] = {"Offsets", "", ONE},
                       [G_OFFSETS_LIST] = {"OffsetsTensor", "never there", LIST},
                       [G_DOUT] = {"Out@GRAD", ""}),
        .out = GRAD_OUT,
        .attr = ATTRS,
        .kernel = grad_kernel,
    },
    {
        .type = "crop_tensor",
        .doc = "A window of a tensor.",
        .in = RG_SLOTS([X] = {"X", "any shape"}, [SHAPE_IN] = {"Shape", "instead of shape", ONE},
                       [OFFSETS] = {"Offsets", "instead of offsets", ONE},
                       [SHAPE_LIST] = {"ShapeTensor", "shape, a tensor each", LIST},
                       [OFFSETS_LIST] = {"OffsetsTensor", "offsets, a tensor each", LIST}),
        .out = RG_SLOTS([OUT] = {"Out", "the window"}),
        .attr = ATTRS,
        .infer = crop_tensor_infer,
        .kernel = crop_tensor_kernel,
    },
    {
        .type = "crop_tensor_grad",
        .doc = "Gradient of crop_tensor.",
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_OFFSETS] = {"Offsets", "", ONE},
                       [G_OFFSETS_LIST] = {"OffsetsTensor", "", LIST}, [G_DOUT] = {"Out@GRAD", ""}),
        .out = GRAD_OUT,
        .attr = ATTRS,
        .kernel = grad_kernel,
    },
    {.type = NULL},
};
