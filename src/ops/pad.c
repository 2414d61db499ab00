/* pad.c - a tensor with a margin of one number: pad, pad_constant_like.
 *
 *   pad                Out = X with paddings[2d] elements before and paddings[2d + 1] behind
 *                      it along dimension d
 *   pad_constant_like  Out = Y with as much behind it as makes the shape of X
 *
 * The gradient is cut out of dOut. */
#include "ir/program.h"
#include "ops/box.h"
#include "ops/number.h"
#include "ops/types.h"

static rg_status put_in(rg_value *out, const rg_value *part, const int64_t *first, float margin)
{
    size_t size = rg_dtype_size(out->meta.dtype);
    rg_box box;
    RG_TRY(rg_fill(out, (double)margin));
    int64_t start = rg_box_window(&box, &out->meta.shape, &part->meta.shape, first, false);
    rg_box_copy(&box, (char *)out->data + (size_t)start * size, part->data, size);
    return RG_OK;
}

static rg_status cut_out(rg_value *part, const rg_value *whole, const int64_t *first)
{
    size_t size = rg_dtype_size(part->meta.dtype);
    rg_box box;
    int64_t start = rg_box_window(&box, &whole->meta.shape, &part->meta.shape, first, true);
    rg_box_copy(&box, part->data, (const char *)whole->data + (size_t)start * size, size);
    return RG_OK;
}

/* ---- pad ---- */

enum { X };
enum { OUT };
enum { PADDINGS, PAD_VALUE };

/* The shape made wider by the paddings, or narrower. */
static rg_status pad_shape(const rg_ctx *ctx, const rg_shape *from, int sign, rg_shape *out,
                           int64_t first[RG_MAX_DIMS])
{
    const rg_attr *paddings = rg_attr_list(ctx, PADDINGS);
    if (paddings->n != 2 * from->rank)
        return rg_fail(RG_EINVAL,
                       "paddings has %d numbers, and must have 2 for each of %d "
                       "dimensions",
                       paddings->n, from->rank);
    out->rank = from->rank;
    for (int d = 0; d < from->rank; d++) {
        const int32_t *around = paddings->ints + 2 * (size_t)d;
        int32_t before = around[0], behind = around[1];
        if (before < 0 || behind < 0)
            return rg_fail(RG_EINVAL, "paddings has %d and %d for dimension %d", before, behind, d);
        first[d] = before;
        out->dim[d] = from->dim[d] < 0 ? -1 : from->dim[d] + sign * ((int64_t)before + behind);
        if (from->dim[d] >= 0 && out->dim[d] < 0)
            return rg_fail(RG_ESHAPE, "the paddings of dimension %d are more than it has", d);
    }
    return RG_OK;
}

static rg_status pad_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out;
    int64_t first[RG_MAX_DIMS];
    RG_TRY(pad_shape(ctx, x, 1, &out, first));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (x->rank > 0 && x->dim[0] == out.dim[0])
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status pad_kernel(rg_ctx *ctx)
{
    rg_shape out;
    int64_t first[RG_MAX_DIMS];
    RG_TRY(pad_shape(ctx, rg_shape_of(ctx, X), 1, &out, first));
    return put_in(rg_out(ctx, OUT), rg_in(ctx, X), first, rg_attr_float(ctx, PAD_VALUE));
}

static rg_status pad_grad_infer(rg_ctx *ctx)
{
    rg_shape x;
    int64_t first[RG_MAX_DIMS];
    RG_TRY(pad_shape(ctx, rg_shape_of(ctx, X), -1, &x, first));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &x);
    return RG_OK;
}

static rg_status pad_grad_kernel(rg_ctx *ctx)
{
    rg_shape x;
    int64_t first[RG_MAX_DIMS];
    RG_TRY(pad_shape(ctx, rg_shape_of(ctx, X), -1, &x, first));
    return cut_out(rg_out(ctx, OUT), rg_in(ctx, X), first);
}

#define PAD_ATTRS                                                                                  \
    RG_ATTRS([PADDINGS] = RG_REQUIRED("paddings", RG_ATTR_INTS, "before and behind, a dimension"), \
             [PAD_VALUE] = RG_FLOAT("pad_value", 0.0f, "what the margin is made of"))

const rg_op rg_op_pad = {
    .type = "pad",
    .doc = "A tensor with a margin of one number.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "wider by the paddings"}),
    .attr = PAD_ATTRS,
    .infer = pad_infer,
    .kernel = pad_kernel,
};

/* Twice over: the margin does not change, whatever it is made of. */
static rg_status pad_second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_linear(ctx, &op));
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "pad_value", .type = RG_ATTR_FLOAT, .f = 0});
}

const rg_op rg_op_pad_grad = {
    .type = "pad_grad",
    .doc = "Gradient of pad.",
    .in = RG_SLOTS([X] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", ""}),
    .attr = PAD_ATTRS,
    .infer = pad_grad_infer,
    .kernel = pad_grad_kernel,
    .grad = pad_second,
};

/* ---- pad_constant_like ---- */

enum { Y = 1 };
enum { LIKE_VALUE };
enum { G_Y, G_DOUT };

static rg_status like_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    bool fits = x->rank == y->rank;
    for (int d = 0; fits && d < x->rank; d++)
        fits = x->dim[d] < 0 || y->dim[d] <= x->dim[d];
    if (!fits) {
        char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Y of shape %s does not go into X of shape %s",
                       rg_shape_text(y, ty), rg_shape_text(x, tx));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, Y), x);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status like_kernel(rg_ctx *ctx)
{
    const int64_t first[RG_MAX_DIMS] = {0};
    return put_in(rg_out(ctx, OUT), rg_in(ctx, Y), first, rg_attr_float(ctx, LIKE_VALUE));
}

static rg_status like_grad_kernel(rg_ctx *ctx)
{
    const int64_t first[RG_MAX_DIMS] = {0};
    return cut_out(rg_out(ctx, OUT), rg_in(ctx, G_DOUT), first);
}

#define LIKE_ATTRS \
    RG_ATTRS([LIKE_VALUE] = RG_FLOAT("pad_value", 0.0f, "what the margin is made of"))

const rg_op rg_op_pad_constant_like = {
    .type = "pad_constant_like",
    .doc = "A tensor with a margin that gives it the shape of another.",
    .in = RG_SLOTS([X] = {"X", "gives the shape", RG_SHAPE_ONLY | RG_NO_GRAD},
                   [Y] = {"Y", "in no dimension larger than X"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = LIKE_ATTRS,
    .infer = like_infer,
    .kernel = like_kernel,
};

const rg_op rg_op_pad_constant_like_grad = {
    .type = "pad_constant_like_grad",
    .doc = "Gradient of pad_constant_like.",
    .in = RG_SLOTS([G_Y] = {"Y", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"Y@GRAD", "", .like = RG_OF(G_Y)}),
    .attr = LIKE_ATTRS,
    .kernel = like_grad_kernel,
};
