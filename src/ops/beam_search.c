/* beam_search.c - one step of a beam search: the best ways to go on.
 *
 * Rows are prefixes; the LoD of scores says which belong to one source (the level `level`). Of the
 * candidates of all prefixes of a source, columns of a row each, the beam_size best are selected.
 * A prefix that has ended (pre_ids is end_id) goes on as itself alone. Where all that is selected
 * for a source are such prefixes, nothing is: the source is done.
 *
 * selected_ids and selected_scores are in the order of their prefixes, parent_idx says which one
 * each goes on from, and their LoD: source -> prefixes, prefix -> what was selected for it. */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { PRE_IDS, PRE_SCORES, IDS, SCORES };
enum { SELECTED_IDS, SELECTED_SCORES, PARENT_IDX };
enum { LEVEL, BEAM_SIZE, END_ID, IS_ACCUMULATED };

static rg_status beam_search_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    int level = rg_attr_int(ctx, LEVEL);
    RG_TRY(RG_EXPECT_DTYPE(ctx, PRE_IDS, RG_I64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, PRE_SCORES, RG_F32, RG_F64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, SCORES, RG_F32, RG_F64));
    RG_TRY(rg_expect_rank(ctx, SCORES, 2));
    if (rg_has_in(ctx, IDS)) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
        RG_TRY(rg_expect_same_shape(ctx, IDS, SCORES));
    }
    if (rg_attr_int(ctx, BEAM_SIZE) < 1)
        return rg_fail(RG_EINVAL, "beam_size is %d, and must be at least 1",
                       rg_attr_int(ctx, BEAM_SIZE));
    if (rg_running(ctx)) {
        RG_TRY(rg_expect_lod(ctx, SCORES, &lod));
        if (level < 0 || level >= lod->levels)
            return rg_fail(RG_EINVAL, "level is %d, and scores has a LoD of %d levels", level,
                           lod->levels);
        RG_TRY(rg_expect_numel(ctx, PRE_IDS, rg_shape_of(ctx, SCORES)->dim[0]));
        RG_TRY(rg_expect_numel(ctx, PRE_SCORES, rg_shape_of(ctx, SCORES)->dim[0]));
    }
    rg_set_out(ctx, SELECTED_IDS, RG_I64, &RG_SHAPE(-1, 1));
    rg_set_out(ctx, SELECTED_SCORES, rg_dtype_of(ctx, PRE_SCORES), &RG_SHAPE(-1, 1));
    rg_set_out(ctx, PARENT_IDX, RG_I32, &RG_SHAPE(-1));
    return RG_OK;
}

typedef struct item {
    int64_t prefix, id;
    double score;
} item;

static bool worse(const item *a, const item *b)
{
    return a->score < b->score || (a->score == b->score && a->prefix < b->prefix);
}

/* Into the best so far, which are in falling order; of equals the earlier stays first. */
static void insert(item *best, int64_t *n, int64_t most, item candidate)
{
    int64_t at = *n;
    while (at > 0 && worse(&best[at - 1], &candidate))
        at--;
    if (at == most)
        return;
    *n += *n < most;
    memmove(best + at + 1, best + at, (size_t)(*n - 1 - at) * sizeof *best);
    best[at] = candidate;
}

/* The best of the prefixes [from, to), in order of their prefixes; how many. */
static int64_t select_best(rg_ctx *ctx, int64_t from, int64_t to, item *best)
{
    const rg_value *scores = rg_in(ctx, SCORES), *ids = rg_in(ctx, IDS);
    const int64_t *pre_ids = rg_in_data(ctx, PRE_IDS);
    int64_t n = 0, most = rg_attr_int(ctx, BEAM_SIZE), width = scores->meta.shape.dim[1];
    int64_t end = rg_attr_int(ctx, END_ID);
    for (int64_t row = from; row < to; row++) {
        double before = rg_number_at(rg_in(ctx, PRE_SCORES), row);
        if (pre_ids[row] == end) {
            insert(best, &n, most, (item){row, end, before});
            continue;
        }
        for (int64_t d = 0; d < width; d++) {
            double score = rg_number_at(scores, row * width + d);
            if (!rg_attr_bool(ctx, IS_ACCUMULATED))
                score = before + log(score);
            insert(best, &n, most,
                   (item){row, ids ? ((const int64_t *)ids->data)[row * width + d] : d, score});
        }
    }
    bool done = true;
    for (int64_t i = 0; i < n; i++)
        done = done && best[i].id == end && pre_ids[best[i].prefix] == end;
    if (done)
        return 0;
    for (int64_t i = 1; i < n; i++) { /* by prefix, the better first */
        item moved = best[i];
        int64_t at = i;
        for (; at > 0 && best[at - 1].prefix > moved.prefix; at--)
            best[at] = best[at - 1];
        best[at] = moved;
    }
    return n;
}

static rg_status put_selected(rg_ctx *ctx, const item *found, int64_t n, rg_lod *lod)
{
    RG_TRY(rg_out_resize(ctx, SELECTED_IDS, 0, RG_I64, &RG_SHAPE(n, 1)));
    RG_TRY(rg_out_resize(ctx, SELECTED_SCORES, 0, rg_dtype_of(ctx, PRE_SCORES), &RG_SHAPE(n, 1)));
    if (rg_has_out(ctx, PARENT_IDX))
        RG_TRY(rg_out_resize(ctx, PARENT_IDX, 0, RG_I32, &RG_SHAPE(n)));
    rg_value *scores = rg_out(ctx, SELECTED_SCORES);
    rg_value_set_lod(rg_out(ctx, SELECTED_IDS), lod);
    rg_value_set_lod(scores, lod);
    for (int64_t i = 0; i < n; i++) {
        ((int64_t *)rg_out_data(ctx, SELECTED_IDS))[i] = found[i].id;
        if (scores->meta.dtype == RG_F32)
            ((float *)scores->data)[i] = (float)found[i].score;
        else
            ((double *)scores->data)[i] = found[i].score;
        if (rg_has_out(ctx, PARENT_IDX))
            ((int32_t *)rg_out_data(ctx, PARENT_IDX))[i] = (int32_t)found[i].prefix;
    }
    return RG_OK;
}

static rg_status beam_search_kernel(rg_ctx *ctx)
{
    const rg_lod *given = rg_in_meta(ctx, SCORES)->lod;
    int level = rg_attr_int(ctx, LEVEL);
    int64_t rows = rg_shape_of(ctx, SCORES)->dim[0], sources = rg_lod_sequences(given, level);
    int64_t most = rg_attr_int(ctx, BEAM_SIZE), n = 0;
    item *found = rg_scratch(ctx, (size_t)(sources * most + 1) * sizeof *found);
    item *best = rg_scratch(ctx, (size_t)(most + 1) * sizeof *best);
    rg_lod *lod;
    if (!found || !best)
        return RG_ENOMEM;
    RG_TRY(rg_lod_new(&lod, 2, (size_t[]){(size_t)sources + 1, (size_t)rows + 1}));
    for (int64_t i = 0; i < sources; i++) {
        int64_t to = given->offset[level][i + 1];
        for (int l = level + 1; l < given->levels; l++)
            to = given->offset[l][to];
        int64_t kept = select_best(ctx, lod->offset[0][i], to, best);
        memcpy(found + n, best, (size_t)kept * sizeof *best);
        lod->offset[0][i + 1] = to;
        n += kept;
    }
    for (int64_t i = 0; i < n; i++)
        lod->offset[1][found[i].prefix + 1]++;
    for (int64_t row = 0; row < rows; row++)
        lod->offset[1][row + 1] += lod->offset[1][row];
    rg_status code = put_selected(ctx, found, n, lod);
    rg_lod_release(lod);
    return code;
}

const rg_op rg_op_beam_search = {
    .type = "beam_search",
    .doc = "One step of a beam search: the best ways to go on.",
    .in = RG_SLOTS([PRE_IDS] = {"pre_ids", "last ids of the prefixes, int64, [n, 1]", RG_NO_GRAD},
                   [PRE_SCORES] = {"pre_scores", "scores of the prefixes, [n, 1]", RG_NO_GRAD},
                   [IDS] = {"ids", "of the candidates, [n, k]; without, the number of the column",
                            RG_OPTIONAL | RG_NO_GRAD},
                   [SCORES] = {"scores", "of the candidates, [n, k]", RG_NO_GRAD}),
    .out = RG_SLOTS([SELECTED_IDS] = {"selected_ids", "[m, 1]"},
                    [SELECTED_SCORES] = {"selected_scores", "[m, 1]"},
                    [PARENT_IDX] = {"parent_idx", "the prefix of each, int32, [m]", RG_OPTIONAL}),
    .attr = RG_ATTRS([LEVEL] = RG_REQUIRED("level", RG_ATTR_INT, "of the LoD: the sources"),
                     [BEAM_SIZE] = RG_REQUIRED("beam_size", RG_ATTR_INT, "how many go on"),
                     [END_ID] = RG_REQUIRED("end_id", RG_ATTR_INT, "the id that ends a prefix"),
                     [IS_ACCUMULATED] = RG_BOOLEAN("is_accumulated", true,
                                                   "scores are of whole prefixes; else "
                                                   "probabilities of the candidate alone")),
    .flags = RG_OP_DYNAMIC,
    .infer = beam_search_infer,
    .kernel = beam_search_kernel,
};
