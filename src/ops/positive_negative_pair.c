/* positive_negative_pair.c - how well scores order the examples of a query.
 *
 * Of each two examples of one query with different labels: positive where the scores are in the
 * labels' order, else negative; neutral, too, where the scores are equal. A pair counts as much as
 * the mean of its weights. */
#include "ops/labels.h"
#include "ops/number.h"
#include "ops/types.h"

#include <stdlib.h>

enum { SCORE, LABEL, QUERY_ID, ACC_POSITIVE, ACC_NEGATIVE, ACC_NEUTRAL, WEIGHT };
enum { POSITIVE, NEGATIVE, NEUTRAL };
enum { COLUMN };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *score = rg_shape_of(ctx, SCORE);
    int column = rg_attr_int(ctx, COLUMN);
    RG_TRY(rg_expect_rank(ctx, SCORE, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, SCORE, RG_F32, RG_F64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, QUERY_ID, RG_I64, RG_I32));
    for (int in = LABEL; in <= WEIGHT; in++)
        if (rg_has_in(ctx, in) && (in < ACC_POSITIVE || in == WEIGHT))
            RG_TRY(rg_expect_count(ctx, in, rg_running(ctx) ? score->dim[0] : -1));
        else if (rg_has_in(ctx, in))
            RG_TRY(rg_expect_count(ctx, in, 1));
    if (score->dim[1] >= 0 && (column < -score->dim[1] || column >= score->dim[1]))
        return rg_fail(RG_EINVAL, "column is %d, and Score has %lld", column,
                       (long long)score->dim[1]);
    for (int out = POSITIVE; out <= NEUTRAL; out++)
        rg_set_out(ctx, out, rg_dtype_of(ctx, SCORE), &RG_SHAPE(1));
    return RG_OK;
}

typedef struct place {
    int64_t query, row;
} place;

static int by_query(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *score = rg_in(ctx, SCORE), *label = rg_in(ctx, LABEL);
    const rg_value *weight = rg_in(ctx, WEIGHT);
    int64_t n = score->meta.shape.dim[0], width = score->meta.shape.dim[1];
    int64_t column = (rg_attr_int(ctx, COLUMN) + width) % width;
    double sums[3] = {0};
    const int64_t *query;
    RG_TRY(rg_read_labels(ctx, QUERY_ID, &query));
    for (int i = 0; i < 3; i++)
        if (rg_has_in(ctx, ACC_POSITIVE + i))
            sums[i] = rg_number_at(rg_in(ctx, ACC_POSITIVE + i), 0);
    place *order = rg_scratch(ctx, (size_t)(n + 1) * sizeof *order);
    if (order == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        order[i] = (place){query[i], i};
    qsort(order, (size_t)n, sizeof *order, by_query);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = a + 1; b < n && order[b].query == order[a].query; b++) {
            int64_t i = order[a].row, j = order[b].row;
            double labels = rg_number_at(label, i) - rg_number_at(label, j);
            if (labels == 0)
                continue;
            double scores = rg_number_at(score, i * width + column) -
                            rg_number_at(score, j * width + column);
            double w = weight ? (rg_number_at(weight, i) + rg_number_at(weight, j)) / 2 : 1;
            sums[NEUTRAL] += scores == 0 ? w : 0;
            sums[scores * labels > 0 ? POSITIVE : NEGATIVE] += w;
        }
    for (int i = 0; i < 3; i++)
        if (rg_has_out(ctx, i))
            RG_TRY(rg_fill(rg_out(ctx, i), sums[i]));
    return RG_OK;
}

const rg_op rg_op_positive_negative_pair = {
    .type = "positive_negative_pair",
    .doc = "How well scores order the examples of a query.",
    .in = RG_SLOTS([SCORE] = {"Score", "[n, width]", RG_NO_GRAD},
                   [LABEL] = {"Label", "[n, 1]", RG_NO_GRAD},
                   [QUERY_ID] = {"QueryID", "[n, 1]", RG_NO_GRAD},
                   [ACC_POSITIVE] = {"AccumulatePositivePair", "so far", RG_OPTIONAL | RG_NO_GRAD},
                   [ACC_NEGATIVE] = {"AccumulateNegativePair", "so far", RG_OPTIONAL | RG_NO_GRAD},
                   [ACC_NEUTRAL] = {"AccumulateNeutralPair", "so far", RG_OPTIONAL | RG_NO_GRAD},
                   [WEIGHT] = {"Weight", "of the examples, [n, 1]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([POSITIVE] = {"PositivePair", "[1]"}, [NEGATIVE] = {"NegativePair", "[1]"},
                    [NEUTRAL] = {"NeutralPair", "[1]"}),
    .attr = RG_ATTRS([COLUMN] = RG_INT("column", -1, "of Score; negative: from the last")),
    .infer = infer,
    .kernel = kernel,
};
