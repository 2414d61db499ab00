/* accuracy.c - how often the label is among the classes that were named.
 *
 *   Correct  = rows where one of Indices is Label     int32, [1]
 *   Total    = rows                                   int32, [1]
 *   Accuracy = Correct / Total, 0 where there is no row */
#include "ops/labels.h"
#include "ops/types.h"

enum { OUT_PROBS, INDICES, LABEL };
enum { ACCURACY, CORRECT, TOTAL };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *indices = rg_shape_of(ctx, INDICES), *label = rg_shape_of(ctx, LABEL);
    RG_TRY(rg_expect_rank(ctx, INDICES, 2));
    RG_TRY(rg_expect_column(ctx, LABEL));
    RG_TRY(RG_EXPECT_DTYPE(ctx, INDICES, RG_I64, RG_I32));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    if (indices->dim[0] >= 0 && label->dim[0] >= 0 && indices->dim[0] != label->dim[0])
        return rg_fail(RG_ESHAPE, "%lld labels for %lld rows of Indices", (long long)label->dim[0],
                       (long long)indices->dim[0]);
    rg_set_out(ctx, ACCURACY, RG_F32, &RG_SHAPE(1));
    rg_set_out(ctx, CORRECT, RG_I32, &RG_SHAPE(1));
    rg_set_out(ctx, TOTAL, RG_I32, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *shape = rg_shape_of(ctx, INDICES);
    int64_t rows = shape->dim[0], k = shape->dim[1], correct = 0;
    const int64_t *indices, *labels;
    RG_TRY(rg_read_labels(ctx, INDICES, &indices));
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    for (int64_t i = 0; i < rows; i++) {
        bool found = false;
        for (int64_t j = 0; j < k; j++)
            found |= indices[i * k + j] == labels[i];
        correct += found;
    }
    if (rg_has_out(ctx, ACCURACY))
        *(float *)rg_out_data(ctx, ACCURACY) = rows > 0 ? (float)correct / (float)rows : 0;
    if (rg_has_out(ctx, CORRECT))
        *(int32_t *)rg_out_data(ctx, CORRECT) = (int32_t)correct;
    if (rg_has_out(ctx, TOTAL))
        *(int32_t *)rg_out_data(ctx, TOTAL) = (int32_t)rows;
    return RG_OK;
}

const rg_op rg_op_accuracy = {
    .type = "accuracy",
    .doc = "How often the label is among the classes that were named.",
    .in = RG_SLOTS([OUT_PROBS] = {"Out", "the scores of Indices", RG_NO_GRAD | RG_SHAPE_ONLY},
                   [INDICES] = {"Indices", "the classes named, [batch, k]", RG_NO_GRAD},
                   [LABEL] = {"Label", "the true class, [batch, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([ACCURACY] = {"Accuracy", "float32, [1]"},
                    [CORRECT] = {"Correct", "int32, [1]"}, [TOTAL] = {"Total", "int32, [1]"}),
    .infer = infer,
    .kernel = kernel,
};
