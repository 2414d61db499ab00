/* labels.c - columns of labels, checked. */
#include "ops/labels.h"

rg_status rg_expect_column(const rg_ctx *ctx, int in)
{
    const rg_shape *shape = rg_shape_of(ctx, in);
    if (shape->rank == 2 && (shape->dim[1] == 1 || shape->dim[1] == -1))
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s must be [batch, 1], and has the shape %s", ctx->op->in[in].name,
                   rg_shape_text(shape, text));
}

rg_status rg_expect_column_or_row(const rg_ctx *ctx, int in)
{
    const rg_shape *shape = rg_shape_of(ctx, in);
    if (shape->rank == 1 || (shape->rank == 2 && (shape->dim[1] == 1 || shape->dim[1] == -1)))
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "%s must be [batch] or [batch, 1], and has the shape %s",
                   ctx->op->in[in].name, rg_shape_text(shape, text));
}

rg_status rg_expect_count(const rg_ctx *ctx, int in, int64_t wanted)
{
    if (!rg_has_in(ctx, in))
        return RG_OK;
    int64_t found = rg_shape_numel(rg_shape_of(ctx, in));
    if (found < 0 || wanted < 0 || found == wanted)
        return RG_OK;
    return rg_fail(RG_ESHAPE, "%s has %lld elements, and %lld are wanted", ctx->op->in[in].name,
                   (long long)found, (long long)wanted);
}

rg_status rg_read_labels(rg_ctx *ctx, int in, const int64_t **labels)
{
    const rg_value *value = rg_in(ctx, in);
    RG_TRY(RG_EXPECT_DTYPE(ctx, in, RG_I64, RG_I32));
    if (value->meta.dtype == RG_I64) {
        *labels = value->data;
        return RG_OK;
    }
    int64_t n = rg_numel(value), *wide = rg_scratch(ctx, (size_t)n * sizeof *wide);
    if (wide == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        wide[i] = ((const int32_t *)value->data)[i];
    *labels = wide;
    return RG_OK;
}

rg_status rg_bad_label(const rg_ctx *ctx, int in, int64_t at, int64_t label, int64_t classes)
{
    return rg_fail(RG_EVALUE, "%s is %lld at element %lld, and must be in 0 .. %lld",
                   rg_in_name(ctx, in, 0), (long long)label, (long long)at,
                   (long long)(classes - 1));
}
