/* temporal_shift.c - channels that move along time.
 *
 * X is [videos * seg_num, channels, height, width]. Of the channels, the first shift_ratio
 * come from the segment before, the next as many from the segment after, the others stay;
 * beyond the ends of a video stand zeros. The gradient moves them back. */
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };
enum { SEGMENTS, RATIO };

static rg_status check(const rg_ctx *ctx, int in)
{
    const rg_shape *x = rg_shape_of(ctx, in);
    int segments = rg_attr_int(ctx, SEGMENTS);
    float ratio = rg_attr_float(ctx, RATIO);
    RG_TRY(rg_expect_rank(ctx, in, 4));
    if (segments < 1 || (x->dim[0] >= 0 && x->dim[0] % segments != 0))
        return rg_fail(RG_ESHAPE, "%lld images cannot be cut into videos of seg_num, %d",
                       (long long)x->dim[0], segments);
    if (!(ratio > 0 && ratio < 0.5f))
        return rg_fail(RG_EINVAL, "shift_ratio is %g, and must be between 0 and 0.5",
                       (double)ratio);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check(ctx, X));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* way: 1 forward, -1 for the gradient. */
static rg_status shift(rg_ctx *ctx, int64_t way)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int64_t segments = rg_attr_int(ctx, SEGMENTS), channels = x->dim[1];
    int64_t first = (int64_t)((float)channels * rg_attr_float(ctx, RATIO));
    int64_t second = (int64_t)((float)channels * 2 * rg_attr_float(ctx, RATIO));
    size_t plane = (size_t)rg_shape_product(x, 2, 4) * rg_dtype_size(rg_dtype_of(ctx, X));
    const uint8_t *from = rg_in_data(ctx, X);
    uint8_t *to = rg_out_data(ctx, OUT);
    for (int64_t n = 0; n < x->dim[0]; n++)
        for (int64_t c = 0; c < channels; c++, to += plane) {
            int64_t step = c < first ? -way : c < second ? way : 0, t = n % segments + step;
            if (t < 0 || t >= segments)
                memset(to, 0, plane);
            else
                memcpy(to, from + (size_t)((n + step) * channels + c) * plane, plane);
        }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    return shift(ctx, 1);
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    return shift(ctx, -1);
}

#define ATTRS                                                                         \
    RG_ATTRS([SEGMENTS] = RG_REQUIRED("seg_num", RG_ATTR_INT, "segments of a video"), \
             [RATIO] = RG_FLOAT("shift_ratio", 0.25f, "the part of the channels that moves"))

const rg_op rg_op_temporal_shift = {
    .type = "temporal_shift",
    .doc = "Channels that move along time.",
    .in = RG_SLOTS([X] = {"X", "[videos * seg_num, channels, height, width]"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_temporal_shift_grad = {
    .type = "temporal_shift_grad",
    .doc = "Gradient of temporal_shift.",
    .in = RG_SLOTS([X] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = grad_kernel,
};
