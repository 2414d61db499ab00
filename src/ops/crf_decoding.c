/* crf_decoding.c - the most probable tags of sequences under a conditional random field.
 *
 * The best path is found from step to step (Viterbi): the best score of a path that ends in tag k
 * is the best of those that end in j, with W[j, k]. Transition is as linear_chain_crf has it. With
 * Label the output is not the tags but whether each is the label. */
#include "ops/labels.h"
#include "ops/spans.h"
#include "ops/types.h"

#include <string.h>

enum { EMISSION, TRANSITION, LABEL, LENGTH };
enum { VITERBI_PATH };

static rg_status crf_decoding_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, EMISSION);
    bool padded = rg_has_in(ctx, LENGTH);
    int64_t n;
    RG_TRY(rg_count_tagged(ctx, EMISSION, TRANSITION, LENGTH, &n));
    if (rg_has_in(ctx, LABEL))
        RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    rg_shape out = padded ? RG_SHAPE(x->dim[0], x->dim[1]) : RG_SHAPE(x->dim[0], 1);
    rg_set_out(ctx, VITERBI_PATH, RG_I64, &out);
    if (!padded)
        rg_share_lod(ctx, EMISSION, VITERBI_PATH);
    return RG_OK;
}

/* best: two rows of scores, of which the steps take turns; from[t, k]: the tag before k. */
#define DECODE(T, S)                                                                               \
    RG_HOT static void decode_##S(const T *x, const T *w, int64_t n, int64_t tags, T *best,        \
                                  int64_t *from, int64_t *path)                                    \
    {                                                                                              \
        for (int64_t k = 0; k < tags; k++)                                                         \
            best[k] = w[k] + x[k];                                                                 \
        for (int64_t t = 1; t < n; t++) {                                                          \
            const T *before = best + (t - 1) % 2 * tags;                                           \
            T *now = best + t % 2 * tags;                                                          \
            for (int64_t k = 0; k < tags; k++) {                                                   \
                int64_t top = 0;                                                                   \
                for (int64_t j = 1; j < tags; j++)                                                 \
                    if (before[j] + w[(j + 2) * tags + k] > before[top] + w[(top + 2) * tags + k]) \
                        top = j;                                                                   \
                now[k] = before[top] + w[(top + 2) * tags + k] + x[t * tags + k];                  \
                from[t * tags + k] = top;                                                          \
            }                                                                                      \
        }                                                                                          \
        const T *end = best + (n - 1) % 2 * tags;                                                  \
        int64_t tag = 0;                                                                           \
        for (int64_t k = 1; k < tags; k++)                                                         \
            if (end[k] + w[tags + k] > end[tag] + w[tags + tag])                                   \
                tag = k;                                                                           \
        for (int64_t t = n - 1; t >= 0; t--) {                                                     \
            path[t] = tag;                                                                         \
            tag = t > 0 ? from[t * tags + tag] : tag;                                              \
        }                                                                                          \
    }                                                                                              \
    static void decode_all_##S(const rg_spans *s, const T *x, const T *w, int64_t tags, T *best,   \
                               int64_t *from, int64_t *path)                                       \
    {                                                                                              \
        for (int64_t i = 0; i < s->n; i++) {                                                       \
            int64_t n, at = rg_span(s, i, &n);                                                     \
            if (n > 0)                                                                             \
                decode_##S(x + at * tags, w, n, tags, best, from, path + at);                      \
        }                                                                                          \
    }
RG_FLOATS(DECODE)

static rg_status crf_decoding_kernel(rg_ctx *ctx)
{
    rg_spans s;
    int64_t tags = rg_shape_of(ctx, TRANSITION)->dim[1], longest = 1;
    rg_value *out = rg_out(ctx, VITERBI_PATH);
    int64_t *path = out->data;
    RG_TRY(rg_open_spans(ctx, EMISSION, LENGTH, &s));
    for (int64_t i = 0, n; i < s.n; i++) {
        (void)rg_span(&s, i, &n);
        longest = n > longest ? n : longest;
    }
    int64_t *from = rg_scratch(ctx, (size_t)(longest * tags) * sizeof *from);
    void *best = rg_scratch(ctx, 2 * (size_t)tags * sizeof(double));
    if (!from || !best)
        return RG_ENOMEM;
    memset(path, 0, rg_value_bytes(out));
    RG_CALL_FLOAT(
        ctx, EMISSION, decode_all,
        (&s, rg_in_data(ctx, EMISSION), rg_in_data(ctx, TRANSITION), tags, best, from, path))
    if (!rg_has_in(ctx, LABEL))
        return RG_OK;
    const int64_t *label;
    RG_TRY(rg_expect_count(ctx, LABEL, rg_numel(out)));
    RG_TRY(rg_read_labels(ctx, LABEL, &label));
    for (int64_t i = 0; i < s.n; i++) {
        int64_t n, at = rg_span(&s, i, &n);
        for (int64_t t = at; t < at + n; t++)
            path[t] = path[t] == label[t];
    }
    return RG_OK;
}

const rg_op rg_op_crf_decoding = {
    .type = "crf_decoding",
    .doc = "The most probable tags of sequences under a conditional random field.",
    .in = RG_SLOTS([EMISSION] = {"Emission",
                                 "scores, [total, tags], or with Length [n, time, tags]",
                                 RG_NO_GRAD},
                   [TRANSITION] = {"Transition", "start, end and W, [tags + 2, tags]", RG_NO_GRAD},
                   [LABEL] = {"Label", "tags to compare with", RG_OPTIONAL | RG_NO_GRAD},
                   [LENGTH] = {"Length", "of the sequences, [n, 1]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([VITERBI_PATH] = {"ViterbiPath", "tags, or whether they are the labels: 1, 0"}),
    .infer = crf_decoding_infer,
    .kernel = crf_decoding_kernel,
};
