/* sequence_top_k.c - the best steps of each sequence.
 *
 *   Out[i, k] = the number, in its sequence, of the step of sequence i with the k-th largest score
 *
 * over the lowest level of the LoD. A sequence of fewer than k steps has -1 in the rest of its
 * row. Of equal scores the earlier step is first. v1's kmax_seq_score_layer. */
#include "ops/number.h"
#include "ops/sequences.h"

enum { X };
enum { OUT };
enum { K };

static rg_status sequence_top_k_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    int k = rg_attr_int(ctx, K);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (x->dim[1] != 1 && x->dim[1] != -1) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X has the shape %s, and must have one score in a row",
                       rg_shape_text(x, text));
    }
    if (k < 1)
        return rg_fail(RG_EINVAL, "k is %d, and must be at least 1", k);
    int level = rg_in_meta(ctx, X)->lod_level;
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(lod ? rg_lod_sequences(lod, lod->levels - 1) : -1, k));
    if (lod != NULL && lod->levels > 1) {
        rg_lod *above;
        RG_TRY(rg_lod_slice(&above, lod, 0, lod->levels - 1));
        rg_take_lod(ctx, OUT, above);
    }
    rg_set_lod_level(ctx, OUT, level > 1 ? level - 1 : 0);
    return RG_OK;
}

/* A NaN is worse than any number. */
static bool worse(double a, double b)
{
    return a < b || (a != a && b == b);
}

/* The scores [from, to) ranked into a row of k. */
static void rank(const rg_value *x, int64_t from, int64_t to, int64_t k, float *row)
{
    int64_t n = 0;
    for (int64_t r = from; r < to; r++) {
        double score = rg_number_at(x, r);
        int64_t at = n;
        for (; at > 0 && worse(rg_number_at(x, from + (int64_t)row[at - 1]), score); at--)
            if (at < k)
                row[at] = row[at - 1];
        if (at < k)
            row[at] = (float)(r - from);
        n += n < k;
    }
    for (; n < k; n++)
        row[n] = -1;
}

static rg_status sequence_top_k_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_lod *lod = x->meta.lod;
    const int64_t *at = lod->offset[lod->levels - 1];
    int64_t k = rg_attr_int(ctx, K);
    float *out = rg_out_data(ctx, OUT);
    if (x->meta.dtype != RG_F32 && x->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, X);
    for (int64_t i = 0; i < rg_lod_sequences(lod, lod->levels - 1); i++)
        rank(x, at[i], at[i + 1], k, out + i * k);
    return RG_OK;
}

const rg_op rg_op_sequence_top_k = {
    .type = "sequence_top_k",
    .doc = "The best steps of each sequence.",
    .in = RG_SLOTS([X] = {"X", "scores, [total, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "numbers of steps, [sequences, k]; -1: none"}),
    .attr = RG_ATTRS([K] = RG_INT("k", 1, "how many")),
    .infer = sequence_top_k_infer,
    .kernel = sequence_top_k_kernel,
};
