/* one_hot.c - numbers of classes as rows of zeros with a single one.
 *
 *   Out[i] = depth elements, 1 at X[i] and 0 elsewhere
 *
 * one_hot takes X of [..., 1] and puts depth in the place of the 1; one_hot_v2 adds a
 * dimension. A number outside 0 .. depth-1 is an error, or with allow_out_of_range a row
 * of zeros. */
#include "ops/labels.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, DEPTH_TENSOR };
enum { OUT };
enum { DEPTH, DTYPE, ALLOW };

/* -1 where a tensor will say it. */
static rg_status depth_of(const rg_ctx *ctx, int64_t *depth)
{
    *depth = rg_attr_int(ctx, DEPTH);
    if (rg_has_in(ctx, DEPTH_TENSOR)) {
        *depth = -1;
        RG_TRY(RG_EXPECT_DTYPE(ctx, DEPTH_TENSOR, RG_I32, RG_I64));
        if (!rg_running(ctx))
            return RG_OK;
        if (rg_shape_numel(rg_shape_of(ctx, DEPTH_TENSOR)) != 1)
            return rg_fail(RG_ESHAPE, "depth_tensor must be one number");
        *depth = rg_whole_at(rg_in(ctx, DEPTH_TENSOR), 0);
    }
    if (*depth < 1)
        return rg_fail(RG_EINVAL, "depth is %lld, and must be 1 at least", (long long)*depth);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx, bool replace_last)
{
    rg_shape out = *rg_shape_of(ctx, X);
    rg_dtype dtype;
    int64_t depth;
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32));
    RG_TRY(rg_dtype_from_attr(ctx, DTYPE, &dtype));
    RG_TRY(depth_of(ctx, &depth));
    if (replace_last &&
        (out.rank < 2 || (out.dim[out.rank - 1] != 1 && out.dim[out.rank - 1] != -1))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must be [..., 1], and has the shape %s",
                       rg_shape_text(&out, text));
    }
    if (!replace_last && out.rank++ == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "X has %d dimensions already", RG_MAX_DIMS);
    out.dim[out.rank - 1] = depth;
    rg_set_out(ctx, OUT, dtype, &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status infer_v1(rg_ctx *ctx)
{
    return infer(ctx, true);
}

static rg_status infer_v2(rg_ctx *ctx)
{
    return infer(ctx, false);
}

static rg_status put_one(const rg_ctx *ctx, rg_value *out, int64_t at)
{
    switch ((int)out->meta.dtype) {
    case RG_F32:
        ((float *)out->data)[at] = 1;
        return RG_OK;
    case RG_F64:
        ((double *)out->data)[at] = 1;
        return RG_OK;
    case RG_I32:
        ((int32_t *)out->data)[at] = 1;
        return RG_OK;
    case RG_I64:
        ((int64_t *)out->data)[at] = 1;
        return RG_OK;
    case RG_BOOL:
    case RG_U8:
    case RG_I8:
        ((uint8_t *)out->data)[at] = 1;
        return RG_OK;
    default:
        return rg_fail(RG_EUNIMPL, "op %s is not implemented for Out of %s", ctx->op->type,
                       rg_dtype_name(out->meta.dtype));
    }
}

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int64_t n = rg_numel(rg_in(ctx, X)), depth = out->meta.shape.dim[out->meta.shape.rank - 1];
    const int64_t *x;
    RG_TRY(rg_read_labels(ctx, X, &x));
    memset(out->data, 0, rg_value_bytes(out));
    for (int64_t i = 0; i < n; i++) {
        if (x[i] >= 0 && x[i] < depth)
            RG_TRY(put_one(ctx, out, i * depth + x[i]));
        else if (!rg_attr_bool(ctx, ALLOW))
            return rg_bad_label(ctx, X, i, x[i], depth);
    }
    return RG_OK;
}

#define ONE_HOT(TYPE, DOC, XS, OUTS, INFER)                                                      \
    {                                                                                            \
        .type = (TYPE), .doc = (DOC),                                                            \
        .in = RG_SLOTS([X] = {"X", XS, RG_NO_GRAD}, [DEPTH_TENSOR] = {"depth_tensor",            \
                                                                      "instead of depth, [1]",   \
                                                                      RG_OPTIONAL | RG_NO_GRAD | \
                                                                          RG_SIZES}),            \
        .out = RG_SLOTS([OUT] = {"Out", OUTS}),                                                  \
        .attr = RG_ATTRS([DEPTH] = RG_INT("depth", -1, "classes"),                               \
                         [DTYPE] = RG_INT("dtype", RG_F32, "the number of Out's data type"),     \
                         [ALLOW] = RG_BOOLEAN("allow_out_of_range", false,                       \
                                              "zeros for what is no class")),                    \
        .infer = (INFER), .kernel = kernel,                                                      \
    }

const rg_op rg_ops_one_hot[] = {
    ONE_HOT("one_hot", "Classes as rows with a single one; X ends with 1.", "[..., 1]",
            "[..., depth]", infer_v1),
    ONE_HOT("one_hot_v2", "Classes as rows with a single one.", "any shape",
            "the shape of X, and depth", infer_v2),
    {.type = NULL},
};
