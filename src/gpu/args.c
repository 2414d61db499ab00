/* args.c - an op's slots and attributes by their names. */
#include "gpu/gpu.h"

#include <assert.h>

int rg_gpu_in_slot(const rg_ctx *ctx, const char *slot)
{
    int s = rg_op_in_slot(ctx->op, slot);
    assert(s >= 0);
    return s;
}

int rg_gpu_out_slot(const rg_ctx *ctx, const char *slot)
{
    int s = rg_op_out_slot(ctx->op, slot);
    assert(s >= 0);
    return s;
}

const rg_value *rg_gpu_in(const rg_ctx *ctx, const char *slot)
{
    return rg_in(ctx, rg_gpu_in_slot(ctx, slot));
}

rg_value *rg_gpu_out(const rg_ctx *ctx, const char *slot)
{
    return rg_out(ctx, rg_gpu_out_slot(ctx, slot));
}

const rg_attr *rg_gpu_attr(const rg_ctx *ctx, const char *name)
{
    int a = rg_op_attr_slot(ctx->op, name);
    assert(a >= 0);
    return ctx->attr[a];
}
