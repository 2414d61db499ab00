/* ctc_align.c - what a path of connectionist temporal classification says.
 *
 * Of each sequence of symbols, repeats are made one (merge_repeated) and blanks are left out; a
 * symbol is a repeat if it is the one right before it, so that a blank keeps two apart. Sequences
 * are those of the LoD, or rows with InputLength, which are filled up with padding_value. Where a
 * LoD would have no row at all, Out has one, -1, that is in no sequence, as real Paddle has it. */
#include "ops/labels.h"
#include "ops/sequences.h"
#include "ops/spans.h"
#include "ops/types.h"

enum { INPUT, INPUT_LENGTH };
enum { OUTPUT, OUTPUT_LENGTH };
enum { BLANK, MERGE_REPEATED, PADDING_VALUE };

static rg_status ctc_align_infer(rg_ctx *ctx)
{
    int64_t n;
    const rg_shape *x = rg_shape_of(ctx, INPUT);
    RG_TRY(RG_EXPECT_DTYPE(ctx, INPUT, RG_I64, RG_I32));
    RG_TRY(rg_expect_rank(ctx, INPUT, 2));
    RG_TRY(rg_count_spans(ctx, INPUT, INPUT_LENGTH, &n));
    rg_set_out(ctx, OUTPUT, rg_dtype_of(ctx, INPUT), x);
    if (rg_has_in(ctx, INPUT_LENGTH))
        rg_set_out(ctx, OUTPUT_LENGTH, rg_dtype_of(ctx, INPUT), &RG_SHAPE(n, 1));
    return RG_OK;
}

/* The symbols [from, from + n) into `to`, and how many they are. */
static int64_t align(const rg_ctx *ctx, const int64_t *from, int64_t n, int64_t *to)
{
    bool merge = rg_attr_bool(ctx, MERGE_REPEATED);
    int64_t kept = 0;
    for (int64_t t = 0; t < n; t++)
        if (from[t] != rg_attr_int(ctx, BLANK) && !(merge && t > 0 && from[t] == from[t - 1]))
            to[kept++] = from[t];
    return kept;
}

static void put(rg_value *value, int64_t at, int64_t symbol)
{
    if (value->meta.dtype == RG_I32)
        ((int32_t *)value->data)[at] = (int32_t)symbol;
    else
        ((int64_t *)value->data)[at] = symbol;
}

static rg_status align_rows(rg_ctx *ctx, const rg_spans *s, const int64_t *symbols, int64_t *kept)
{
    rg_value *out = rg_out(ctx, OUTPUT), *lengths = rg_out(ctx, OUTPUT_LENGTH);
    const rg_shape *shape = rg_shape_of(ctx, INPUT);
    RG_TRY(rg_out_resize(ctx, OUTPUT, 0, rg_dtype_of(ctx, INPUT), shape));
    if (lengths != NULL)
        RG_TRY(rg_out_resize(ctx, OUTPUT_LENGTH, 0, rg_dtype_of(ctx, INPUT), &RG_SHAPE(s->n, 1)));
    for (int64_t i = 0; i < s->n; i++) {
        int64_t n, at = rg_span(s, i, &n), found = align(ctx, symbols + at, n, kept);
        for (int64_t t = 0; t < s->width; t++)
            put(out, at + t, t < found ? kept[t] : rg_attr_int(ctx, PADDING_VALUE));
        if (lengths != NULL)
            put(lengths, i, found);
    }
    return RG_OK;
}

static rg_status align_sequences(rg_ctx *ctx, const rg_spans *s, const int64_t *symbols,
                                 int64_t *kept)
{
    rg_lod *lod;
    RG_TRY(rg_lod_one_level(&lod, s->n));
    int64_t *to = lod->offset[0];
    for (int64_t i = 0; i < s->n; i++) {
        int64_t n, at = rg_span(s, i, &n);
        to[i + 1] = to[i] + align(ctx, symbols + at, n, kept + to[i]);
    }
    int64_t total = to[s->n];
    rg_shape shape = RG_SHAPE(total > 0 ? total : 1, 1);
    rg_status code = rg_out_resize(ctx, OUTPUT, 0, rg_dtype_of(ctx, INPUT), &shape);
    if (code == RG_OK) {
        rg_value_set_lod(rg_out(ctx, OUTPUT), lod);
        put(rg_out(ctx, OUTPUT), 0, -1);
        for (int64_t i = 0; i < total; i++)
            put(rg_out(ctx, OUTPUT), i, kept[i]);
    }
    rg_lod_release(lod);
    return code;
}

static rg_status ctc_align_kernel(rg_ctx *ctx)
{
    rg_spans s;
    const int64_t *symbols;
    RG_TRY(rg_open_spans(ctx, INPUT, INPUT_LENGTH, &s));
    RG_TRY(rg_read_labels(ctx, INPUT, &symbols));
    int64_t *kept = rg_scratch(ctx, (size_t)(rg_numel(rg_in(ctx, INPUT)) + 1) * sizeof *kept);
    if (kept == NULL)
        return RG_ENOMEM;
    return (s.offsets ? align_sequences : align_rows)(ctx, &s, symbols, kept);
}

const rg_op rg_op_ctc_align = {
    .type = "ctc_align",
    .doc = "What a path of connectionist temporal classification says.",
    .in = RG_SLOTS([INPUT] = {"Input", "symbols, [total, 1], or with InputLength [n, time]",
                              RG_NO_GRAD},
                   [INPUT_LENGTH] = {"InputLength", "[n, 1]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUTPUT] = {"Output", "what is left of them"}, [OUTPUT_LENGTH] =
                                                                       {"OutputLength", "[n, 1]",
                                                                        RG_OPTIONAL}),
    .attr = RG_ATTRS([BLANK] = RG_INT("blank", 0, "the symbol that is none"),
                     [MERGE_REPEATED] = RG_BOOLEAN("merge_repeated", true, "repeats are one"),
                     [PADDING_VALUE] = RG_INT("padding_value", 0, "fills rows up")),
    .flags = RG_OP_DYNAMIC,
    .infer = ctc_align_infer,
    .kernel = ctc_align_kernel,
};
