/* spans.c - sequences one by one. */
#include "ops/spans.h"

#include "ops/labels.h"
#include "ops/sequences.h"

rg_status rg_count_spans(const rg_ctx *ctx, int in, int length, int64_t *n)
{
    const rg_lod *lod;
    if (!rg_has_in(ctx, length)) {
        RG_TRY(rg_expect_one_level(ctx, in, &lod));
        *n = lod ? rg_lod_sequences(lod, 0) : -1;
        return RG_OK;
    }
    RG_TRY(rg_expect_rank_from(ctx, in, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, length, RG_I64, RG_I32));
    *n = rg_shape_of(ctx, in)->dim[0];
    return rg_expect_count(ctx, length, rg_running(ctx) ? *n : -1);
}

rg_status rg_count_tagged(const rg_ctx *ctx, int in, int transition, int length, int64_t *n)
{
    const rg_shape *x = rg_shape_of(ctx, in), *w = rg_shape_of(ctx, transition);
    int64_t tags = w->rank == 2 ? w->dim[1] : -1;
    RG_TRY(rg_expect_rank(ctx, in, rg_has_in(ctx, length) ? 3 : 2));
    RG_TRY(rg_expect_rank(ctx, transition, 2));
    RG_TRY(rg_expect_same_dtype(ctx, in, transition));
    RG_TRY(rg_count_spans(ctx, in, length, n));
    if (tags < 1 || w->dim[0] != tags + 2 ||
        (x->dim[x->rank - 1] >= 0 && x->dim[x->rank - 1] != tags)) {
        char tx[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "Emission of shape %s and Transition of shape %s must end in the number of "
                       "tags, and Transition must have two rows more",
                       rg_shape_text(x, tx), rg_shape_text(w, tw));
    }
    return RG_OK;
}

rg_status rg_open_spans(rg_ctx *ctx, int in, int length, rg_spans *out)
{
    *out = (rg_spans){0};
    RG_TRY(rg_count_spans(ctx, in, length, &out->n));
    if (!rg_has_in(ctx, length)) {
        out->offsets = rg_in_meta(ctx, in)->lod->offset[0];
        return RG_OK;
    }
    out->width = rg_shape_of(ctx, in)->dim[1];
    RG_TRY(rg_read_labels(ctx, length, &out->lengths));
    for (int64_t i = 0; i < out->n; i++)
        if (out->lengths[i] < 0 || out->lengths[i] > out->width)
            return rg_fail(RG_EVALUE, "%s is %lld at element %lld, and rows have %lld",
                           rg_in_name(ctx, length, 0), (long long)out->lengths[i], (long long)i,
                           (long long)out->width);
    return RG_OK;
}
