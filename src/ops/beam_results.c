/* beam_results.c - sentences of a beam search as v1 gave them.
 *
 * Ids and Scores are the sentences of beam_search_decode; the best num_results of each source are
 * taken. One: Out are its words, sequences by source. More: Out is for each of them how many words
 * it has, the words, and -1; sequences by source, too. Prob[i, k] is the score of result k of
 * source i, that of its last word; -infinity where there is none. */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { IDS, SCORES };
enum { OUT, PROB };
enum { NUM_RESULTS };

static rg_status beam_results_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    int results = rg_attr_int(ctx, NUM_RESULTS);
    if (results < 1)
        return rg_fail(RG_EINVAL, "num_results is %d, and must be at least 1", results);
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
    if (rg_running(ctx)) {
        RG_TRY(rg_expect_lod(ctx, IDS, &lod));
        if (lod->levels != 2)
            return rg_fail(RG_ESHAPE, "Ids has a LoD of %d levels, and must have two", lod->levels);
        RG_TRY(rg_expect_numel(ctx, SCORES, rg_shape_numel(rg_shape_of(ctx, IDS))));
    }
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(-1, 1));
    rg_set_lod_level(ctx, OUT, 1);
    rg_set_out(ctx, PROB, RG_F32, &RG_SHAPE(-1, results));
    return RG_OK;
}

/* Of each source the sentences that are taken are [first, first + taken). */
static int64_t taken(const rg_lod *lod, int64_t source, int64_t results)
{
    int64_t n = lod->offset[0][source + 1] - lod->offset[0][source];
    return n < results ? n : results;
}

static rg_status make_lod(const rg_lod *given, int64_t results, rg_lod **lod)
{
    int64_t sources = rg_lod_sequences(given, 0);
    RG_TRY(rg_lod_one_level(lod, sources));
    for (int64_t i = 0; i < sources; i++) {
        int64_t first = given->offset[0][i], n = taken(given, i, results);
        int64_t words = given->offset[1][first + n] - given->offset[1][first];
        (*lod)->offset[0][i + 1] = (*lod)->offset[0][i] + words + (results > 1 ? 2 * n : 0);
    }
    return RG_OK;
}

static void put(rg_ctx *ctx, const rg_lod *given, int64_t results, int64_t *out, float *prob)
{
    const int64_t *ids = rg_in_data(ctx, IDS);
    for (int64_t i = 0; i < rg_lod_sequences(given, 0); i++)
        for (int64_t k = 0; k < results; k++) {
            int64_t s = given->offset[0][i] + k;
            bool there = k < taken(given, i, results);
            int64_t from = there ? given->offset[1][s] : 0;
            int64_t n = there ? given->offset[1][s + 1] - from : 0;
            if (prob != NULL)
                prob[i * results + k] = n > 0
                                            ? (float)rg_number_at(rg_in(ctx, SCORES), from + n - 1)
                                            : -HUGE_VALF;
            if (!there)
                continue;
            if (results > 1)
                *out++ = n;
            if (n > 0)
                memcpy(out, ids + from, (size_t)n * sizeof *out);
            out += n;
            if (results > 1)
                *out++ = -1;
        }
}

static rg_status beam_results_kernel(rg_ctx *ctx)
{
    const rg_lod *given = rg_in_meta(ctx, IDS)->lod;
    int64_t results = rg_attr_int(ctx, NUM_RESULTS), sources = rg_lod_sequences(given, 0);
    rg_lod *lod;
    RG_TRY(make_lod(given, results, &lod));
    rg_status code = rg_out_resize(ctx, OUT, 0, RG_I64, &RG_SHAPE(lod->offset[0][sources], 1));
    if (code == RG_OK && rg_has_out(ctx, PROB))
        code = rg_out_resize(ctx, PROB, 0, RG_F32, &RG_SHAPE(sources, results));
    if (code == RG_OK) {
        rg_value_set_lod(rg_out(ctx, OUT), lod);
        put(ctx, given, results, rg_out_data(ctx, OUT), rg_out_data(ctx, PROB));
    }
    rg_lod_release(lod);
    return code;
}

const rg_op rg_op_beam_results = {
    .type = "beam_results",
    .doc = "Sentences of a beam search as v1 gave them.",
    .in = RG_SLOTS([IDS] = {"Ids", "source -> sentences -> words", RG_NO_GRAD},
                   [SCORES] = {"Scores", "of the words, as many", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "words, by source, int64, [n, 1]"},
                    [PROB] = {"Prob", "scores, [sources, num_results]"}),
    .attr = RG_ATTRS([NUM_RESULTS] = RG_INT("num_results", 1, "sentences of a source")),
    .flags = RG_OP_DYNAMIC,
    .infer = beam_results_infer,
    .kernel = beam_results_kernel,
};
