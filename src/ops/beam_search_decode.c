/* beam_search_decode.c - the sentences that a beam search has found.
 *
 * Ids and Scores are arrays with what each step of beam_search has selected. Each sentence is
 * followed from its last word back to its first; its sentences, the best first, are those of a
 * source. The end_id of a sentence that ended early stands in it once. */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <stdlib.h>
#include <string.h>

enum { IDS, SCORES };
enum { SENTENCE_IDS, SENTENCE_SCORES };
enum { BEAM_SIZE, END_ID };

static rg_status beam_search_decode_infer(rg_ctx *ctx)
{
    for (int in = IDS; in <= SCORES; in++)
        if (rg_in_meta(ctx, in)->kind != RG_ARRAY)
            return rg_fail(RG_ESHAPE, "%s is a %s, and must be an array of tensors",
                           ctx->op->in[in].name, rg_kind_name(rg_in_meta(ctx, in)->kind));
    if (rg_attr_int(ctx, BEAM_SIZE) < 1)
        return rg_fail(RG_EINVAL, "beam_size is %d, and must be at least 1",
                       rg_attr_int(ctx, BEAM_SIZE));
    rg_set_dtype(ctx, SENTENCE_IDS, rg_dtype_of(ctx, IDS));
    rg_set_dtype(ctx, SENTENCE_SCORES, rg_dtype_of(ctx, SCORES));
    return RG_OK;
}

typedef struct sentence {
    int64_t n;  /* words, the last one first */
    int64_t at; /* where it stands in the step that is looked at; -1: not begun */
    int64_t *ids;
    double *scores;
} sentence;

static int best_first(const void *a, const void *b)
{
    const sentence *x = *(sentence *const *)a, *y = *(sentence *const *)b;
    double s = x->n ? x->scores[0] : -HUGE_VAL, t = y->n ? y->scores[0] : -HUGE_VAL;
    if (s != t)
        return s > t ? -1 : 1;
    return x < y ? -1 : 1;
}

static rg_status check_step(const rg_ctx *ctx, size_t step, int64_t *sources)
{
    const rg_value *ids = rg_in(ctx, IDS)->items[step], *scores = rg_in(ctx, SCORES)->items[step];
    if (ids == NULL || scores == NULL || ids->meta.lod == NULL || ids->meta.lod->levels != 2 ||
        ids->meta.dtype != RG_I64 || rg_numel(scores) != rg_numel(ids))
        return rg_fail(RG_ESHAPE,
                       "item %zu of Ids and Scores must be as many int64 and scores, with the LoD "
                       "of two levels that beam_search gives",
                       step);
    RG_TRY(rg_lod_check(ids->meta.lod, rg_numel(ids)));
    int64_t n = rg_lod_sequences(ids->meta.lod, 0);
    if (step > 0 && n != *sources)
        return rg_fail(RG_ESHAPE, "item %zu of Ids has %lld sources, and the first has %lld", step,
                       (long long)n, (long long)*sources);
    *sources = n;
    return RG_OK;
}

static void add_word(sentence *s, const rg_value *ids, const rg_value *scores, int64_t at)
{
    s->ids[s->n] = ((const int64_t *)ids->data)[at];
    s->scores[s->n++] = rg_number_at(scores, at);
}

/* A step of one source, whose `most` sentences these are: those that end here begin to be followed,
 * unless some are followed already. */
static rg_status step_back(rg_ctx *ctx, size_t step, int64_t source, sentence *s, int64_t most)
{
    const rg_value *ids = rg_in(ctx, IDS)->items[step], *scores = rg_in(ctx, SCORES)->items[step];
    const int64_t *coarse = ids->meta.lod->offset[0], *fine = ids->meta.lod->offset[1];
    int64_t prefix = coarse[source], end = coarse[source + 1];
    if (s[0].at < 0) {
        int64_t found = 0;
        for (; prefix < end; prefix++)
            for (int64_t at = fine[prefix]; at < fine[prefix + 1]; at++, found++) {
                if (found == most)
                    return rg_fail(RG_ESHAPE, "source %lld has more than beam_size %lld sentences",
                                   (long long)source, (long long)most);
                add_word(&s[found], ids, scores, at);
                s[found].at = prefix;
            }
        return RG_OK;
    }
    for (int64_t k = 0; k < most && s[k].at >= 0; k++) {
        int64_t at = s[k].at;
        if (at < fine[coarse[source]] || at >= fine[end])
            return rg_fail(RG_EVALUE, "item %zu of Ids does not lead to item %zu", step, step + 1);
        if (((const int64_t *)ids->data)[at] != rg_attr_int(ctx, END_ID) || s[k].n == 0)
            add_word(&s[k], ids, scores, at);
        for (prefix = coarse[source]; fine[prefix + 1] <= at;)
            prefix++;
        s[k].at = prefix;
    }
    return RG_OK;
}

static rg_status put_sentences(rg_ctx *ctx, sentence **s, int64_t sources, int64_t most)
{
    rg_lod *lod;
    int64_t all = sources * most, word = 0;
    RG_TRY(rg_lod_new(&lod, 2, (size_t[]){(size_t)sources + 1, (size_t)all + 1}));
    for (int64_t i = 0; i < sources; i++)
        lod->offset[0][i + 1] = (i + 1) * most;
    for (int64_t k = 0; k < all; k++)
        lod->offset[1][k + 1] = lod->offset[1][k] + s[k]->n;
    rg_shape shape = RG_SHAPE(lod->offset[1][all]);
    rg_value *ids = rg_out(ctx, SENTENCE_IDS), *scores = rg_out(ctx, SENTENCE_SCORES);
    rg_dtype dtype = rg_in(ctx, SCORES)->items[0]->meta.dtype;
    rg_status code = rg_out_resize(ctx, SENTENCE_IDS, 0, RG_I64, &shape);
    if (code == RG_OK)
        code = rg_out_resize(ctx, SENTENCE_SCORES, 0, dtype, &shape);
    if (code == RG_OK) {
        rg_value_set_lod(ids, lod);
        rg_value_set_lod(scores, lod);
    }
    for (int64_t k = 0; code == RG_OK && k < all; k++)
        for (int64_t w = s[k]->n; w-- > 0; word++) {
            ((int64_t *)ids->data)[word] = s[k]->ids[w];
            if (dtype == RG_F32)
                ((float *)scores->data)[word] = (float)s[k]->scores[w];
            else
                ((double *)scores->data)[word] = s[k]->scores[w];
        }
    rg_lod_release(lod);
    return code;
}

static rg_status beam_search_decode_kernel(rg_ctx *ctx)
{
    const rg_value *ids = rg_in(ctx, IDS);
    size_t steps = ids->n_items;
    int64_t sources = 0, most = rg_attr_int(ctx, BEAM_SIZE);
    if (steps == 0 || steps != rg_in(ctx, SCORES)->n_items)
        return rg_fail(RG_ESHAPE, "Ids has %zu steps and Scores %zu", steps,
                       rg_in(ctx, SCORES)->n_items);
    for (size_t t = 0; t < steps; t++)
        RG_TRY(check_step(ctx, t, &sources));
    size_t all = (size_t)(sources * most);
    sentence *s = rg_scratch(ctx, (all + 1) * sizeof *s);
    sentence **order = rg_scratch(ctx, (all + 1) * sizeof *order);
    int64_t *words = rg_scratch(ctx, (all * steps + 1) * sizeof *words);
    double *scores = rg_scratch(ctx, (all * steps + 1) * sizeof *scores);
    if (!s || !order || !words || !scores)
        return RG_ENOMEM;
    for (size_t k = 0; k < all; k++) {
        s[k] = (sentence){0, -1, words + k * steps, scores + k * steps};
        order[k] = &s[k];
    }
    for (size_t t = steps; t-- > 0;)
        for (int64_t i = 0; i < sources; i++)
            RG_TRY(step_back(ctx, t, i, s + i * most, most));
    for (int64_t i = 0; i < sources; i++)
        qsort(order + i * most, (size_t)most, sizeof *order, best_first);
    return put_sentences(ctx, order, sources, most);
}

const rg_op rg_op_beam_search_decode = {
    .type = "beam_search_decode",
    .doc = "The sentences that a beam search has found.",
    .in = RG_SLOTS([IDS] = {"Ids", "array: selected_ids of each step", RG_NO_GRAD | RG_ANY_KIND},
                   [SCORES] = {"Scores", "array: selected_scores of each step",
                               RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([SENTENCE_IDS] = {"SentenceIds", "words: source -> sentences -> words"},
                    [SENTENCE_SCORES] = {"SentenceScores", "of the words, as many"}),
    .attr = RG_ATTRS([BEAM_SIZE] = RG_REQUIRED("beam_size", RG_ATTR_INT, "sentences of a source"),
                     [END_ID] = RG_REQUIRED("end_id", RG_ATTR_INT, "the id that ends a sentence")),
    .flags = RG_OP_DYNAMIC,
    .infer = beam_search_decode_infer,
    .kernel = beam_search_decode_kernel,
};
