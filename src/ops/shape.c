/* shape.c - what a tensor measures, as a tensor: shape, size. */
#include "ops/types.h"

enum { INPUT };
enum { OUT };

static rg_status shape_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_I32, &RG_SHAPE(rg_shape_of(ctx, INPUT)->rank));
    return RG_OK;
}

static rg_status shape_kernel(rg_ctx *ctx)
{
    const rg_shape *shape = rg_shape_of(ctx, INPUT);
    int32_t *out = rg_out_data(ctx, OUT);
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dim[d] > INT32_MAX)
            return rg_fail(RG_EVALUE, "dimension %d, of %lld, is too large for an int32", d,
                           (long long)shape->dim[d]);
        out[d] = (int32_t)shape->dim[d];
    }
    return RG_OK;
}

const rg_op rg_op_shape = {
    .type = "shape",
    .doc = "The dimensions of a tensor, as int32.",
    .in = RG_SLOTS([INPUT] = {"Input", "any shape", RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "one number a dimension"}),
    .infer = shape_infer,
    .kernel = shape_kernel,
};

static rg_status size_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status size_kernel(rg_ctx *ctx)
{
    *(int64_t *)rg_out_data(ctx, OUT) = rg_shape_numel(rg_shape_of(ctx, INPUT));
    return RG_OK;
}

const rg_op rg_op_size = {
    .type = "size",
    .doc = "How many elements a tensor has.",
    .in = RG_SLOTS([INPUT] = {"Input", "any shape", RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "one int64"}),
    .infer = size_infer,
    .kernel = size_kernel,
};
