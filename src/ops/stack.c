/* stack.c - tensors of one shape as one with a dimension more, and back.
 *
 *   stack            Y has the tensors X0, X1, ... along a new dimension `axis`
 *   unstack, unbind  Y0, Y1, ... are the slices of X along `axis`, which is gone
 *
 * They are each other's gradients. */
#include "ir/program.h"
#include "ops/box.h"
#include "ops/types.h"

enum { X };
enum { Y };
enum { AXIS, NUM };

/* The whole's shape without the axis. */
static rg_shape without(const rg_shape *whole, int axis)
{
    rg_shape part = {.rank = whole->rank - 1};
    for (int d = 0; d < part.rank; d++)
        part.dim[d] = whole->dim[d < axis ? d : d + 1];
    return part;
}

/* Copy slice i of `whole` along the axis, out or in. */
static void move_slice(const rg_value *whole, const rg_value *part, int axis, int i, bool out)
{
    const rg_shape *all = &whole->meta.shape;
    size_t size = rg_dtype_size(whole->meta.dtype);
    int64_t outer = rg_shape_product(all, 0, axis);
    int64_t inner = rg_shape_product(all, axis + 1, all->rank), step = all->dim[axis] * inner;
    char *place = (char *)whole->data + (size_t)(i * inner) * size;
    rg_box box = {.rank = 0};
    rg_box_add_dim(&box, outer, out ? inner : step, out ? step : inner);
    rg_box_add_dim(&box, inner, 1, 1);
    if (out)
        rg_box_copy(&box, part->data, place, size);
    else
        rg_box_copy(&box, place, part->data, size);
}

/* ---- several to one ---- */

static rg_status join_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape part = *x, out = {.rank = x->rank + 1};
    int n = rg_n_in(ctx, X), axis;
    if (out.rank > RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "the result would have %d dimensions", out.rank);
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), out.rank, &axis));
    for (int i = 1; i < n; i++) {
        const rg_meta *other = rg_in_meta_n(ctx, X, i);
        if (other == NULL || other->dtype != rg_dtype_of(ctx, X) ||
            !rg_shape_fits(&other->shape, x)) {
            char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE,
                           "%s of shape %s and %s of shape %s must have one shape and type",
                           rg_in_name(ctx, X, 0), rg_shape_text(x, tx), rg_in_name(ctx, X, i),
                           other ? rg_shape_text(&other->shape, ty) : "none");
        }
        for (int d = 0; d < part.rank; d++)
            part.dim[d] = part.dim[d] < 0 ? other->shape.dim[d] : part.dim[d];
    }
    for (int d = 0; d < out.rank; d++)
        out.dim[d] = d == axis ? n : part.dim[d < axis ? d : d - 1];
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, Y);
    return RG_OK;
}

static rg_status join_kernel(rg_ctx *ctx)
{
    const rg_value *y = rg_out(ctx, Y);
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), y->meta.shape.rank, &axis));
    for (int i = 0; i < rg_n_in(ctx, X); i++)
        move_slice(y, rg_in_n(ctx, X, i), axis, i, false);
    return RG_OK;
}

/* ---- one to several ---- */

static rg_status cut_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int n = rg_n_out(ctx, Y), axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), x->rank, &axis));
    if (x->dim[axis] >= 0 && x->dim[axis] != n)
        return rg_fail(RG_ESHAPE, "X has %lld along axis %d, and there are %d outputs",
                       (long long)x->dim[axis], axis, n);
    rg_shape part = without(x, axis);
    for (int i = 0; i < n; i++)
        rg_set_out_n(ctx, Y, i, rg_dtype_of(ctx, X), &part);
    return RG_OK;
}

static rg_status cut_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), x->meta.shape.rank, &axis));
    for (int i = 0; i < rg_n_out(ctx, Y); i++) {
        const rg_value *y = rg_out_n(ctx, Y, i);
        if (y != NULL)
            move_slice(x, y, axis, i, true);
    }
    return RG_OK;
}

static rg_status unstack_infer(rg_ctx *ctx)
{
    int num = rg_attr_int(ctx, NUM);
    if (num != rg_n_out(ctx, Y))
        return rg_fail(RG_EINVAL, "num is %d, and there are %d outputs", num, rg_n_out(ctx, Y));
    return cut_infer(ctx);
}

static rg_status unbind_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "stack", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Y", "X", -1, NULL);
}

#define STACK_ATTRS RG_ATTRS([AXIS] = RG_INT("axis", 0, "where the new dimension goes"))
#define UNSTACK_ATTRS                                                   \
    RG_ATTRS([AXIS] = RG_INT("axis", 0, "the dimension to take apart"), \
             [NUM] = RG_REQUIRED("num", RG_ATTR_INT, "how many slices it has"))

const rg_op rg_ops_stack[] = {
    {
        .type = "stack",
        .doc = "Tensors of one shape along a new dimension.",
        .in = RG_SLOTS([X] = {"X", "of one shape", RG_REPEATED}),
        .out = RG_SLOTS([Y] = {"Y", "a dimension more"}),
        .attr = STACK_ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = join_infer,
        .kernel = join_kernel,
    },
    {
        .type = "stack_grad",
        .doc = "Gradient of stack.",
        .in = RG_SLOTS([X] = {"Y@GRAD", ""}),
        .out = RG_SLOTS([Y] = {"X@GRAD", "", RG_REPEATED}),
        .attr = STACK_ATTRS,
        .infer = cut_infer,
        .kernel = cut_kernel,
    },
    {
        .type = "unstack",
        .doc = "The slices of a tensor along a dimension.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([Y] = {"Y", "a dimension less", RG_REPEATED}),
        .attr = UNSTACK_ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = unstack_infer,
        .kernel = cut_kernel,
    },
    {
        .type = "unstack_grad",
        .doc = "Gradient of unstack.",
        .in = RG_SLOTS([X] = {"Y@GRAD", "", RG_REPEATED}),
        .out = RG_SLOTS([Y] = {"X@GRAD", ""}),
        .attr = UNSTACK_ATTRS,
        .infer = join_infer,
        .kernel = join_kernel,
    },
    {
        .type = "unbind",
        .doc = "The slices of a tensor along a dimension.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([Y] = {"Out", "a dimension less", RG_REPEATED}),
        .attr = STACK_ATTRS,
        .infer = cut_infer,
        .kernel = cut_kernel,
        .grad = unbind_grad,
    },
    {.type = NULL},
};
