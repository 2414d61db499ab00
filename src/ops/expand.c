/* expand.c - a tensor repeated along its dimensions: expand, expand_as.
 *
 *   Out[i0, i1, ...] = X[i0 mod n0, i1 mod n1, ...]
 *
 * with as many repetitions as expand_times or a target's shape asks for. The gradient of X
 * is the sum over the repetitions. */
#include "ops/box.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, TIMES, TIMES_LIST };
enum { TARGET = 1 };
enum { OUT };
enum { A_TIMES };

static rg_status expand_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape times, out = {.rank = x->rank};
    RG_TRY(rg_shape_from_inputs(ctx, A_TIMES, TIMES, TIMES_LIST, &times));
    if (!rg_running(ctx) && rg_has_in(ctx, TIMES)) {
        times.rank = x->rank; /* not known yet */
        for (int d = 0; d < x->rank; d++)
            times.dim[d] = -1;
    }
    if (times.rank != x->rank)
        return rg_fail(RG_EINVAL, "expand_times has %d numbers, and X has %d dimensions",
                       times.rank, x->rank);
    for (int d = 0; d < x->rank; d++) {
        bool open = !rg_running(ctx) && times.dim[d] == -1;
        if (times.dim[d] < 1 && !open)
            return rg_fail(RG_EINVAL, "expand_times has %lld for dimension %d",
                           (long long)times.dim[d], d);
        out.dim[d] = open || x->dim[d] < 0 ? -1 : x->dim[d];
        if (out.dim[d] > 0 && __builtin_mul_overflow(out.dim[d], times.dim[d], &out.dim[d]))
            return rg_fail(RG_EINVAL, "expand_times has %lld for dimension %d",
                           (long long)times.dim[d], d);
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (x->rank > 0 && x->dim[0] == out.dim[0])
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status expand_as_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *target = rg_shape_of(ctx, TARGET);
    RG_TRY(rg_expect_rank(ctx, TARGET, x->rank));
    for (int d = 0; d < x->rank; d++)
        if (x->dim[d] >= 0 && target->dim[d] >= 0 &&
            (x->dim[d] == 0 || target->dim[d] % x->dim[d] != 0)) {
            char tx[RG_SHAPE_TEXT], tt[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "X of shape %s does not go into the target of shape %s",
                           rg_shape_text(x, tx), rg_shape_text(target, tt));
        }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), target);
    return RG_OK;
}

/* Each dimension is a repetition and what is repeated. `back` adds up instead. */
static void find_box(const rg_shape *x, const rg_shape *out, bool back, rg_box *box)
{
    int64_t in_steps[RG_MAX_DIMS], out_steps[RG_MAX_DIMS];
    rg_shape_steps(x, in_steps);
    rg_shape_steps(out, out_steps);
    *box = (rg_box){.rank = 0};
    for (int d = 0; d < x->rank; d++) {
        int64_t times = x->dim[d] > 0 ? out->dim[d] / x->dim[d] : 0, far = x->dim[d] * out_steps[d];
        rg_box_add_dim(box, times, back ? 0 : far, back ? far : 0);
        rg_box_add_dim(box, x->dim[d], back ? in_steps[d] : out_steps[d],
                       back ? out_steps[d] : in_steps[d]);
    }
}

static rg_status repeat_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    rg_box box;
    find_box(&x->meta.shape, &out->meta.shape, false, &box);
    rg_box_copy(&box, out->data, x->data, rg_dtype_size(x->meta.dtype));
    return RG_OK;
}

/* ---- gradients ---- */

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX);
    rg_box box;
    find_box(&dx->meta.shape, &dout->meta.shape, true, &box);
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, G_DOUT, rg_box_add, (&box, dx->data, dout->data))
    return RG_OK;
}

#define TIMES_ATTRS RG_ATTRS([A_TIMES] = RG_LIST("expand_times", RG_ATTR_INTS, "one a dimension"))

const rg_op rg_op_expand = {
    .type = "expand",
    .doc = "X repeated along its dimensions.",
    .in = RG_SLOTS([X] = {"X", "any shape"},
                   [TIMES] = {"ExpandTimes", "instead of expand_times",
                              RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},
                   [TIMES_LIST] = {"expand_times_tensor", "the same, a tensor each",
                                   RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "dimension d is expand_times[d] times that of X"}),
    .attr = TIMES_ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = expand_infer,
    .kernel = repeat_kernel,
};

const rg_op rg_op_expand_grad = {
    .type = "expand_grad",
    .doc = "Gradient of expand.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""},
                   {"ExpandTimes", "", RG_OPTIONAL | RG_SHAPE_ONLY},
                   {"expand_times_tensor", "", RG_OPTIONAL | RG_SHAPE_ONLY | RG_REPEATED}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = TIMES_ATTRS,
    .kernel = grad_kernel,
};

const rg_op rg_op_expand_as = {
    .type = "expand_as",
    .doc = "X repeated to the shape of a target.",
    .in = RG_SLOTS([X] = {"X", "goes into the target"}, [TARGET] = {"target_tensor",
                                                                    "gives the shape",
                                                                    RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the target's shape"}),
    .flags = RG_OP_LINEAR,
    .infer = expand_as_infer,
    .kernel = repeat_kernel,
};

const rg_op rg_op_expand_as_grad = {
    .type = "expand_as_grad",
    .doc = "Gradient of expand_as.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""},
                   {"target_tensor", "", RG_SHAPE_ONLY}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = grad_kernel,
};
