/* precision_recall.c - precision, recall and F1 over classes, of a batch and of all so far.
 *
 * For each class four weights are added up: true positives, false positives, true
 * negatives, false negatives. Precision is TP / (TP + FP), recall TP / (TP + FN), each 1
 * where there is nothing to divide; F1 is 2 P R / (P + R). Metrics are six numbers: macro
 * (the classes' mean) and micro (of the sums) precision, recall and F1. */
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { MAX_PROBS, INDICES, LABELS, WEIGHTS, STATES };
enum { BATCH, ACCUM, ACCUM_STATES };
enum { CLASSES };

enum { TP, FP, TN, FN, N_STATES };

static rg_status infer(rg_ctx *ctx)
{
    int64_t classes = rg_attr_int(ctx, CLASSES);
    if (classes < 1)
        return rg_fail(RG_EINVAL, "class_number is %lld", (long long)classes);
    RG_TRY(rg_expect_column(ctx, INDICES));
    RG_TRY(rg_expect_same_shape(ctx, INDICES, LABELS));
    RG_TRY(RG_EXPECT_DTYPE(ctx, MAX_PROBS, RG_F32, RG_F64));
    if (rg_has_in(ctx, WEIGHTS)) {
        RG_TRY(rg_expect_same_shape(ctx, INDICES, WEIGHTS));
        RG_TRY(rg_expect_same_dtype(ctx, MAX_PROBS, WEIGHTS));
    }
    if (rg_has_in(ctx, STATES)) {
        RG_TRY(rg_expect_same_dtype(ctx, MAX_PROBS, STATES));
        if (!rg_shape_fits(rg_shape_of(ctx, STATES), &RG_SHAPE(classes, N_STATES))) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "StatesInfo must be [%lld, 4], and is %s", (long long)classes,
                           rg_shape_text(rg_shape_of(ctx, STATES), text));
        }
    }
    rg_set_out(ctx, BATCH, RG_F64, &RG_SHAPE(6));
    rg_set_out(ctx, ACCUM, RG_F64, &RG_SHAPE(6));
    rg_set_out(ctx, ACCUM_STATES, rg_dtype_of(ctx, MAX_PROBS), &RG_SHAPE(classes, N_STATES));
    return RG_OK;
}

static double number_at(const rg_value *value, int64_t i)
{
    return value->meta.dtype == RG_F64 ? ((const double *)value->data)[i]
                                       : (double)((const float *)value->data)[i];
}

/* The batch into `states`, [classes][4]. */
static rg_status count(rg_ctx *ctx, int64_t classes, double *states)
{
    const rg_value *weights = rg_in(ctx, WEIGHTS);
    int64_t rows = rg_shape_of(ctx, INDICES)->dim[0];
    const int64_t *indices, *labels;
    RG_TRY(rg_read_labels(ctx, INDICES, &indices));
    RG_TRY(rg_read_labels(ctx, LABELS, &labels));
    for (int64_t i = 0; i < rows; i++) {
        double w = weights ? number_at(weights, i) : 1;
        if (indices[i] < 0 || indices[i] >= classes)
            return rg_bad_label(ctx, INDICES, i, indices[i], classes);
        if (labels[i] < 0 || labels[i] >= classes)
            return rg_bad_label(ctx, LABELS, i, labels[i], classes);
        for (int64_t c = 0; c < classes; c++) {
            bool named = c == indices[i], is = c == labels[i];
            states[c * N_STATES + (named ? (is ? TP : FP) : (is ? FN : TN))] += w;
        }
    }
    return RG_OK;
}

static double share(double part, double rest)
{
    return part > 0 || rest > 0 ? part / (part + rest) : 1;
}

static double f1(double precision, double recall)
{
    return precision > 0 || recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

static void metrics(const double *states, int64_t classes, double out[6])
{
    double precision = 0, recall = 0, sum[N_STATES] = {0};
    for (int64_t c = 0; c < classes; c++) {
        const double *s = states + c * N_STATES;
        precision += share(s[TP], s[FP]);
        recall += share(s[TP], s[FN]);
        for (int k = 0; k < N_STATES; k++)
            sum[k] += s[k];
    }
    out[0] = precision / (double)classes;
    out[1] = recall / (double)classes;
    out[2] = f1(out[0], out[1]);
    out[3] = share(sum[TP], sum[FP]);
    out[4] = share(sum[TP], sum[FN]);
    out[5] = f1(out[3], out[4]);
}

static rg_status kernel(rg_ctx *ctx)
{
    int64_t classes = rg_attr_int(ctx, CLASSES), n = classes * N_STATES;
    const rg_value *before = rg_in(ctx, STATES);
    rg_value *after = rg_out(ctx, ACCUM_STATES);
    double *states = rg_scratch(ctx, (size_t)n * sizeof *states);
    if (states == NULL)
        return RG_ENOMEM;
    memset(states, 0, (size_t)n * sizeof *states);
    RG_TRY(count(ctx, classes, states));
    if (rg_has_out(ctx, BATCH))
        metrics(states, classes, rg_out_data(ctx, BATCH));
    for (int64_t i = 0; before != NULL && i < n; i++)
        states[i] += number_at(before, i);
    if (rg_has_out(ctx, ACCUM))
        metrics(states, classes, rg_out_data(ctx, ACCUM));
    for (int64_t i = 0; after != NULL && i < n; i++) {
        if (after->meta.dtype == RG_F64)
            ((double *)after->data)[i] = states[i];
        else
            ((float *)after->data)[i] = (float)states[i];
    }
    return RG_OK;
}

const rg_op rg_op_precision_recall = {
    .type = "precision_recall",
    .doc = "Precision, recall and F1 over classes, of a batch and of all so far.",
    .in = RG_SLOTS([MAX_PROBS] = {"MaxProbs", "the scores of Indices", RG_NO_GRAD | RG_SHAPE_ONLY},
                   [INDICES] = {"Indices", "the class named, [batch, 1]", RG_NO_GRAD},
                   [LABELS] = {"Labels", "the true class, [batch, 1]", RG_NO_GRAD},
                   [WEIGHTS] = {"Weights", "of the examples, [batch, 1]", RG_OPTIONAL | RG_NO_GRAD},
                   [STATES] = {"StatesInfo", "TP, FP, TN, FN of each class so far, [classes, 4]",
                               RG_OPTIONAL | RG_NO_GRAD | RG_SUMMED}),
    .out = RG_SLOTS([BATCH] = {"BatchMetrics", "float64, [6]"},
                    [ACCUM] = {"AccumMetrics", "of all so far, float64, [6]"},
                    [ACCUM_STATES] = {"AccumStatesInfo", "after this batch", RG_SUMMED}),
    .attr = RG_ATTRS([CLASSES] = RG_REQUIRED("class_number", RG_ATTR_INT, "how many classes")),
    .infer = infer,
    .kernel = kernel,
};
