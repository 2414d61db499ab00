/* edit_distance.c - how many symbols must be put in, taken out or changed to make one
 * sequence another (Levenshtein), for each pair of sequences.
 *
 *   Out[i] = the distance of Hyps[i] and Refs[i], over the length of Refs[i] if normalized
 *
 * Sequences are those of the LoD, or rows with HypsLength and RefsLength. */
#include "ops/labels.h"
#include "ops/types.h"

enum { HYPS, REFS, HYPS_LENGTH, REFS_LENGTH };
enum { SEQUENCE_NUM, OUT };
enum { NORMALIZED };

static bool padded(const rg_ctx *ctx)
{
    return rg_has_in(ctx, HYPS_LENGTH);
}

/* How many sequences an input has; -1 where it is not known yet. */
static rg_status count_sequences(const rg_ctx *ctx, int slot, int64_t *n)
{
    const rg_lod *lod;
    if (padded(ctx)) {
        const rg_shape *lengths = rg_shape_of(ctx, slot + HYPS_LENGTH);
        RG_TRY(rg_expect_rank(ctx, slot, 2));
        *n = rg_shape_of(ctx, slot)->dim[0];
        if (rg_running(ctx) && rg_shape_numel(lengths) != *n)
            return rg_fail(RG_ESHAPE, "%s has %lld lengths for %lld rows of %s",
                           ctx->op->in[slot + HYPS_LENGTH].name, (long long)rg_shape_numel(lengths),
                           (long long)*n, ctx->op->in[slot].name);
        return RG_OK;
    }
    RG_TRY(rg_expect_column(ctx, slot));
    RG_TRY(rg_expect_lod(ctx, slot, &lod));
    *n = lod ? rg_lod_sequences(lod, lod->levels - 1) : -1;
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    int64_t hyps, refs;
    if (rg_has_in(ctx, HYPS_LENGTH) != rg_has_in(ctx, REFS_LENGTH))
        return rg_fail(RG_EINVAL, "HypsLength and RefsLength are given both or not at all");
    for (int s = HYPS; s <= REFS_LENGTH; s++)
        if (rg_has_in(ctx, s))
            RG_TRY(RG_EXPECT_DTYPE(ctx, s, RG_I64, RG_I32));
    RG_TRY(count_sequences(ctx, HYPS, &hyps));
    RG_TRY(count_sequences(ctx, REFS, &refs));
    if (hyps >= 0 && refs >= 0 && hyps != refs)
        return rg_fail(RG_ESHAPE, "Hyps has %lld sequences and Refs %lld", (long long)hyps,
                       (long long)refs);
    rg_set_out(ctx, SEQUENCE_NUM, RG_I64, &RG_SHAPE(1));
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(hyps, 1));
    return RG_OK;
}

/* The sequences of an input, one by one. */
typedef struct sequences {
    const int64_t *symbols;
    const int64_t *offsets; /* of the LoD; NULL: rows of `width`, lengths[i] of them used */
    const int64_t *lengths;
    int64_t width;
} sequences;

static rg_status open_sequences(rg_ctx *ctx, int slot, int64_t n, sequences *out)
{
    const rg_value *value = rg_in(ctx, slot);
    *out = (sequences){.width = value->meta.shape.dim[1]};
    RG_TRY(rg_read_labels(ctx, slot, &out->symbols));
    if (!padded(ctx)) {
        out->offsets = value->meta.lod->offset[value->meta.lod->levels - 1];
        return RG_OK;
    }
    RG_TRY(rg_read_labels(ctx, slot + HYPS_LENGTH, &out->lengths));
    for (int64_t i = 0; i < n; i++)
        if (out->lengths[i] < 0 || out->lengths[i] > out->width)
            return rg_fail(RG_EVALUE, "%s is %lld at element %lld, and rows have %lld",
                           rg_in_name(ctx, slot + HYPS_LENGTH, 0), (long long)out->lengths[i],
                           (long long)i, (long long)out->width);
    return RG_OK;
}

static const int64_t *sequence(const sequences *s, int64_t i, int64_t *length)
{
    *length = s->offsets ? s->offsets[i + 1] - s->offsets[i] : s->lengths[i];
    return s->symbols + (s->offsets ? s->offsets[i] : i * s->width);
}

/* Row by row of the table of distances between beginnings; row has n_b + 1 places. */
static int64_t distance(const int64_t *a, int64_t n_a, const int64_t *b, int64_t n_b, int64_t *row)
{
    for (int64_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (int64_t i = 1; i <= n_a; i++) {
        int64_t diagonal = row[0];
        row[0] = i;
        for (int64_t j = 1; j <= n_b; j++) {
            int64_t changed = diagonal + (a[i - 1] != b[j - 1]);
            int64_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < moved ? changed : moved;
        }
    }
    return row[n_b];
}

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int64_t n, longest = 0;
    RG_TRY(count_sequences(ctx, HYPS, &n));
    sequences hyps, refs;
    RG_TRY(open_sequences(ctx, HYPS, n, &hyps));
    RG_TRY(open_sequences(ctx, REFS, n, &refs));
    for (int64_t i = 0; i < n; i++) {
        int64_t length;
        (void)sequence(&refs, i, &length);
        longest = length > longest ? length : longest;
        if (length == 0 && rg_attr_bool(ctx, NORMALIZED))
            return rg_fail(RG_EVALUE,
                           "sequence %lld of %s is empty, so there is no length to "
                           "divide by",
                           (long long)i, rg_in_name(ctx, REFS, 0));
    }
    int64_t *row = rg_scratch(ctx, (size_t)(longest + 1) * sizeof *row);
    if (row == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; out != NULL && i < n; i++) {
        int64_t n_hyp, n_ref;
        const int64_t *hyp = sequence(&hyps, i, &n_hyp), *ref = sequence(&refs, i, &n_ref);
        float d = (float)distance(hyp, n_hyp, ref, n_ref, row);
        ((float *)out->data)[i] = rg_attr_bool(ctx, NORMALIZED) ? d / (float)n_ref : d;
    }
    if (rg_has_out(ctx, SEQUENCE_NUM))
        *(int64_t *)rg_out_data(ctx, SEQUENCE_NUM) = n;
    return RG_OK;
}

const rg_op rg_op_edit_distance = {
    .type = "edit_distance",
    .doc = "The edit distance of pairs of sequences.",
    .in = RG_SLOTS([HYPS] = {"Hyps", "sequences, [total, 1], or [batch, longest]", RG_NO_GRAD},
                   [REFS] = {"Refs", "what they should be", RG_NO_GRAD},
                   [HYPS_LENGTH] = {"HypsLength", "of the rows", RG_OPTIONAL | RG_NO_GRAD},
                   [REFS_LENGTH] = {"RefsLength", "of the rows", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([SEQUENCE_NUM] = {"SequenceNum", "how many pairs, int64 [1]"},
                    [OUT] = {"Out", "float32, [sequences, 1]"}),
    .attr = RG_ATTRS([NORMALIZED] = RG_BOOLEAN("normalized", false, "over the length of Refs")),
    .infer = infer,
    .kernel = kernel,
};
