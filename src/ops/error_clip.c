/* error_clip.c - a value that is passed on as it is, and its gradient within bounds.
 *
 *   Out = X, X@GRAD = Out@GRAD between min and max
 *
 * What comes back to a layer is bounded where the layer is: inside loops, too. v1's
 * error_clipping_threshold. */
#include "ir/program.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };
enum { MIN, MAX };

static rg_status error_clip_infer(rg_ctx *ctx)
{
    if (!(rg_attr_float(ctx, MIN) <= rg_attr_float(ctx, MAX)))
        return rg_fail(RG_EINVAL, "min is %g and max %g", (double)rg_attr_float(ctx, MIN),
                       (double)rg_attr_float(ctx, MAX));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status error_clip_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    if (out->data != x->data)
        memcpy(out->data, x->data, rg_value_bytes(out));
    return RG_OK;
}

static rg_status error_clip_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "clip", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_error_clip = {
    .type = "error_clip",
    .doc = "A value that is passed on as it is, and its gradient within bounds.",
    .in = RG_SLOTS([X] = {"X", "a tensor"}),
    .out = RG_SLOTS([OUT] = {"Out", "X", RG_VIEW, .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([MIN] = RG_REQUIRED("min", RG_ATTR_FLOAT, "of the gradient"),
                     [MAX] = RG_REQUIRED("max", RG_ATTR_FLOAT, "of the gradient")),
    .infer = error_clip_infer,
    .kernel = error_clip_kernel,
    .grad = error_clip_grad,
};
