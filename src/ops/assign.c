/* assign.c - Out becomes a copy of X: a tensor, a sparse gradient or an array. The gradient is
 * an assign itself. */
#include "ir/program.h"
#include "ops/types.h"

enum { X };
enum { OUT };

static rg_status assign_kernel(rg_ctx *ctx)
{
    return rg_value_copy(rg_out(ctx, OUT), rg_in(ctx, X));
}

static rg_status assign_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "assign", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_assign = {
    .type = "assign",
    .doc = "A copy of X.",
    .in = RG_SLOTS([X] = {"X", "a tensor, a sparse gradient or an array", RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "the copy", .like = RG_OF(X)}),
    .kernel = assign_kernel,
    .grad = assign_grad,
};
