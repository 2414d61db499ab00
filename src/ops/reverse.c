/* reverse.c - tensors backwards or rotated: reverse, flip, roll.
 *
 *   reverse, flip  the elements along the dimensions named, last to first
 *   roll           those along dims[i] moved on by shifts[i], what falls off coming in at the
 *                  other end
 *
 * The gradient is reversed, or rolled, back. */
#include "ir/program.h"
#include "ops/box.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { AXES };

static rg_status find_reversed(const rg_ctx *ctx, int rank, bool reversed[RG_MAX_DIMS])
{
    const rg_attr *axes = rg_attr_list(ctx, AXES);
    for (int d = 0; d < RG_MAX_DIMS; d++)
        reversed[d] = false;
    for (int i = 0; i < axes->n; i++) {
        int d;
        RG_TRY(rg_expect_axis(ctx, axes->ints[i], rank, &d));
        if (reversed[d])
            return rg_fail(RG_EINVAL, "dimension %d is named twice", d);
        reversed[d] = true;
    }
    return RG_OK;
}

static rg_status reverse_infer(rg_ctx *ctx)
{
    bool reversed[RG_MAX_DIMS];
    RG_TRY(find_reversed(ctx, rg_shape_of(ctx, X)->rank, reversed));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    return RG_OK;
}

static rg_status reverse_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    size_t size = rg_dtype_size(x->meta.dtype);
    bool reversed[RG_MAX_DIMS];
    int64_t steps[RG_MAX_DIMS], last = 0;
    rg_box box = {.rank = 0};
    RG_TRY(find_reversed(ctx, shape->rank, reversed));
    rg_shape_steps(shape, steps);
    if (rg_numel(x) == 0)
        return RG_OK;
    for (int d = 0; d < shape->rank; d++) {
        last += reversed[d] ? (shape->dim[d] - 1) * steps[d] : 0;
        rg_box_add_dim(&box, shape->dim[d], steps[d], reversed[d] ? -steps[d] : steps[d]);
    }
    rg_box_copy(&box, rg_out_data(ctx, OUT), (const char *)x->data + (size_t)last * size, size);
    return RG_OK;
}

static rg_status again(rg_grad_ctx *ctx, const char *type)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, type, true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

static rg_status reverse_grad(rg_grad_ctx *ctx)
{
    return again(ctx, "reverse");
}

static rg_status flip_grad(rg_grad_ctx *ctx)
{
    return again(ctx, "flip");
}

/* ---- roll ---- */

enum { SHIFTS, DIMS };
enum { G_DOUT, G_X };

/* How far each dimension is rolled, 0 .. size-1. */
static rg_status find_shifts(const rg_ctx *ctx, const rg_shape *shape, int64_t shifts[RG_MAX_DIMS])
{
    const rg_attr *given = rg_attr_list(ctx, SHIFTS), *dims = rg_attr_list(ctx, DIMS);
    for (int d = 0; d < RG_MAX_DIMS; d++)
        shifts[d] = 0;
    if (given->n != dims->n)
        return rg_fail(RG_EINVAL, "there are %d shifts for %d dims", given->n, dims->n);
    for (int i = 0; i < dims->n; i++) {
        int d;
        if (dims->longs[i] < -RG_MAX_DIMS || dims->longs[i] > RG_MAX_DIMS)
            return rg_fail(RG_EINVAL, "dims has %lld", (long long)dims->longs[i]);
        RG_TRY(rg_expect_axis(ctx, (int)dims->longs[i], shape->rank, &d));
        if (shape->dim[d] > 0) {
            int64_t all = (shifts[d] + given->longs[i] % shape->dim[d]) % shape->dim[d];
            shifts[d] = all < 0 ? all + shape->dim[d] : all;
        }
    }
    return RG_OK;
}

static rg_status roll_infer(rg_ctx *ctx)
{
    int64_t shifts[RG_MAX_DIMS];
    RG_TRY(find_shifts(ctx, rg_shape_of(ctx, X), shifts));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Each rolled dimension falls into two pieces, so that X falls into as many boxes as there
 * are ways to choose one of each. */
static rg_status roll(rg_ctx *ctx, const rg_value *x, rg_value *out, bool back)
{
    const rg_shape *shape = &x->meta.shape;
    size_t size = rg_dtype_size(x->meta.dtype);
    int64_t steps[RG_MAX_DIMS], shifts[RG_MAX_DIMS];
    RG_TRY(find_shifts(ctx, shape, shifts));
    rg_shape_steps(shape, steps);
    for (unsigned choice = 0; choice < 1u << shape->rank; choice++) {
        int64_t from = 0, to = 0;
        rg_box box = {.rank = 0};
        for (int d = 0; d < shape->rank; d++) {
            int64_t all = shape->dim[d];
            int64_t by = !back || shifts[d] == 0 ? shifts[d] : all - shifts[d];
            bool tail = choice >> d & 1; /* the last `by`, which come first in the result */
            from += tail ? (all - by) * steps[d] : 0;
            to += tail ? 0 : by * steps[d];
            rg_box_add_dim(&box, tail ? by : all - by, steps[d], steps[d]);
        }
        rg_box_copy(&box, (char *)out->data + (size_t)to * size,
                    (const char *)x->data + (size_t)from * size, size);
    }
    return RG_OK;
}

static rg_status roll_kernel(rg_ctx *ctx)
{
    return roll(ctx, rg_in(ctx, X), rg_out(ctx, OUT), false);
}

static rg_status roll_grad_kernel(rg_ctx *ctx)
{
    return roll(ctx, rg_in(ctx, G_DOUT), rg_out(ctx, OUT), true);
}

#define ROLL_ATTRS                                                                    \
    RG_ATTRS([SHIFTS] = RG_LIST("shifts", RG_ATTR_LONGS, "how far, may be negative"), \
             [DIMS] = RG_LIST("dims", RG_ATTR_LONGS, "along which dimension each"))

const rg_op rg_ops_reverse[] = {
    {
        .type = "reverse",
        .doc = "Elements along dimensions, last to first.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
        .attr = RG_ATTRS([AXES] = RG_REQUIRED("axis", RG_ATTR_INTS, "the dimensions")),
        .infer = reverse_infer,
        .kernel = reverse_kernel,
        .grad = reverse_grad,
    },
    {
        .type = "flip",
        .doc = "Elements along dimensions, last to first.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
        .attr = RG_ATTRS([AXES] = RG_REQUIRED("dims", RG_ATTR_INTS, "the dimensions")),
        .infer = reverse_infer,
        .kernel = reverse_kernel,
        .grad = flip_grad,
    },
    {
        .type = "roll",
        .doc = "Elements along dimensions, moved on and in again at the other end.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
        .attr = ROLL_ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = roll_infer,
        .kernel = roll_kernel,
    },
    {
        .type = "roll_grad",
        .doc = "Gradient of roll.",
        .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}, [G_X] = {"X", "", RG_SHAPE_ONLY}),
        .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(G_X)}),
        .attr = ROLL_ATTRS,
        .kernel = roll_grad_kernel,
    },
    {.type = NULL},
};
