/* increment.c - Out = X + step, of one number; mostly in place: a counter. */
#include "ops/types.h"

enum { X };
enum { OUT };
enum { STEP };

static rg_status increment_infer(rg_ctx *ctx)
{
    if (rg_running(ctx) && rg_shape_numel(rg_shape_of(ctx, X)) != 1)
        return rg_fail(RG_ESHAPE, "X has %lld elements, and must have one",
                       (long long)rg_shape_numel(rg_shape_of(ctx, X)));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define ADD(T, S)                                                                                  \
    static void add_##S(const T *x, T *out, float step)                                            \
    {                                                                                              \
        *out = *x + (T)step;                                                                       \
    }
RG_NUMBERS(ADD)

static rg_status increment_kernel(rg_ctx *ctx)
{
    RG_CALL_NUMBER(ctx, X, add,
                   (rg_in_data(ctx, X), rg_out_data(ctx, OUT), rg_attr_float(ctx, STEP)))
    return RG_OK;
}

/* Of a float: the gradient as it is. */
static rg_status increment_grad(rg_grad_ctx *ctx)
{
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "assign", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_increment = {
    .type = "increment",
    .doc = "X + step, of one number.",
    .in = RG_SLOTS([X] = {"X", "one number"}),
    .out = RG_SLOTS([OUT] = {"Out", "one number"}),
    .attr = RG_ATTRS([STEP] = RG_FLOAT("step", 1.0f, "added")),
    .infer = increment_infer,
    .kernel = increment_kernel,
    .grad = increment_grad,
};
