/* transpose.c - a tensor with its dimensions in another order.
 *
 *   dimension i of Out is dimension axis[i] of X
 *
 * The gradient is turned back. transpose2 keeps X's shape for it in XShape, which has no
 * elements, so that X itself can go. */
#include "ops/box.h"
#include "ops/types.h"

enum { X };
enum { OUT, XSHAPE };
enum { AXIS, DATA_FORMAT };

/* axis[i] as 0 .. rank-1, each once. */
static rg_status read_order(const rg_ctx *ctx, int rank, int order[RG_MAX_DIMS])
{
    const rg_attr *axis = rg_attr_list(ctx, AXIS);
    bool seen[RG_MAX_DIMS] = {false};
    if (axis->n != rank)
        return rg_fail(RG_EINVAL, "axis names %d dimensions, and X has %d", axis->n, rank);
    for (int i = 0; i < rank; i++) {
        RG_TRY(rg_expect_axis(ctx, axis->ints[i], rank, &order[i]));
        if (seen[order[i]])
            return rg_fail(RG_EINVAL, "axis names dimension %d twice", order[i]);
        seen[order[i]] = true;
    }
    return RG_OK;
}

static rg_status transpose_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int order[RG_MAX_DIMS];
    rg_shape out = {.rank = x->rank}, kept = {.rank = x->rank + 1};
    RG_TRY(read_order(ctx, x->rank, order));
    if (ctx->op->out[XSHAPE].name != NULL && rg_has_out(ctx, XSHAPE)) {
        if (kept.rank > RG_MAX_DIMS)
            return rg_fail(RG_ESHAPE, "X has %d dimensions, and XShape would have %d", x->rank,
                           kept.rank);
        for (int i = 0; i < x->rank; i++)
            kept.dim[i + 1] = x->dim[i];
        rg_set_out(ctx, XSHAPE, rg_dtype_of(ctx, X), &kept);
        rg_share_lod(ctx, X, XSHAPE);
    }
    for (int i = 0; i < x->rank; i++)
        out.dim[i] = x->dim[order[i]];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Walk the result in its own order. `back`: dimension order[i] of it is dimension i of from. */
static rg_status turn(rg_ctx *ctx, const rg_value *from, rg_value *to, bool back)
{
    const rg_shape *shape = &to->meta.shape;
    int order[RG_MAX_DIMS];
    int64_t step_to[RG_MAX_DIMS], step_from[RG_MAX_DIMS];
    rg_box box = {.rank = 0};
    RG_TRY(read_order(ctx, shape->rank, order));
    rg_shape_steps(shape, step_to);
    rg_shape_steps(&from->meta.shape, step_from);
    for (int i = 0; i < shape->rank; i++) {
        int d = order[i];
        for (int k = 0; back && k < shape->rank; k++)
            d = order[k] == i ? k : d;
        rg_box_add_dim(&box, shape->dim[i], step_to[i], step_from[d]);
    }
    rg_box_copy(&box, to->data, from->data, rg_dtype_size(to->meta.dtype));
    return RG_OK;
}

static rg_status transpose_kernel(rg_ctx *ctx)
{
    return turn(ctx, rg_in(ctx, X), rg_out(ctx, OUT), false);
}

#define ATTRS                                                                 \
    RG_ATTRS([AXIS] = RG_REQUIRED("axis", RG_ATTR_INTS,                       \
                                  "the dimensions of X, in their new order"), \
             [DATA_FORMAT] = RG_STRING("data_format", "AnyLayout", "kept for files"))

const rg_op rg_op_transpose = {
    .type = "transpose",
    .doc = "X with its dimensions in another order.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "dimension i is dimension axis[i] of X"}, [XSHAPE] =
                                                                                  {.name = NULL}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = transpose_infer,
    .kernel = transpose_kernel,
};

const rg_op rg_op_transpose2 = {
    .type = "transpose2",
    .doc = "X with its dimensions in another order.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "dimension i is dimension axis[i] of X"},
                    [XSHAPE] = {"XShape", "a 0 and X's shape, for the gradient", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = transpose_infer,
    .kernel = transpose_kernel,
};

/* ---- gradients ---- */

enum { G_DOUT };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    const rg_shape *dout = rg_shape_of(ctx, G_DOUT);
    int order[RG_MAX_DIMS];
    rg_shape x = {.rank = dout->rank};
    RG_TRY(read_order(ctx, dout->rank, order));
    for (int i = 0; i < dout->rank; i++)
        x.dim[order[i]] = dout->dim[i];
    rg_set_out(ctx, G_DX, rg_dtype_of(ctx, G_DOUT), &x);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    return turn(ctx, rg_in(ctx, G_DOUT), rg_out(ctx, G_DX), true);
}

const rg_op rg_op_transpose_grad = {
    .type = "transpose_grad",
    .doc = "Gradient of transpose.",
    .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}, {"X", "", RG_SHAPE_ONLY | RG_OPTIONAL},
                   {"Out", "", RG_SHAPE_ONLY | RG_OPTIONAL}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};

const rg_op rg_op_transpose2_grad = {
    .type = "transpose2_grad",
    .doc = "Gradient of transpose2.",
    .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}, {"XShape", "", RG_SHAPE_ONLY | RG_OPTIONAL}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
