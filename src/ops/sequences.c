/* sequences.c - what ops over sequences share. */
#include "ops/sequences.h"

rg_status rg_expect_one_level(const rg_ctx *ctx, int in, const rg_lod **lod)
{
    RG_TRY(rg_expect_lod(ctx, in, lod));
    if (*lod != NULL && (*lod)->levels != 1)
        return rg_fail(RG_ESHAPE, "%s has a LoD of %d levels, and must have one",
                       ctx->op->in[in].name, (*lod)->levels);
    return RG_OK;
}

rg_status rg_expect_rank_from(const rg_ctx *ctx, int in, int rank)
{
    const rg_shape *shape = rg_shape_of(ctx, in);
    if (shape->rank >= rank)
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s must have at least %d dimensions, and has the shape %s",
                   ctx->op->in[in].name, rank, rg_shape_text(shape, text));
}

rg_status rg_expect_numel(const rg_ctx *ctx, int in, int64_t numel)
{
    const rg_shape *shape = rg_shape_of(ctx, in);
    if (rg_shape_numel(shape) == numel)
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s has the shape %s, and must have %lld elements",
                   ctx->op->in[in].name, rg_shape_text(shape, text), (long long)numel);
}

rg_status rg_lod_one_level(rg_lod **lod, int64_t n)
{
    size_t count = (size_t)n + 1;
    return rg_lod_new(lod, 1, &count);
}
