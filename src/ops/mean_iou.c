/* mean_iou.c - how well predicted classes cover the true ones: the mean over classes of
 * intersection over union.
 *
 *   OutCorrect[c] = elements where both are c
 *   OutWrong[c]   = elements where one is c and the other is not
 *   OutMeanIou    = mean of OutCorrect / (OutCorrect + OutWrong), of classes that occur
 *
 * What earlier batches counted (InWrongs, InCorrects) is added first, and InMeanIou to
 * the result. */
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { PREDICTIONS, LABELS, IN_WRONGS, IN_CORRECTS, IN_MEAN_IOU };
enum { MEAN, WRONG, CORRECT };
enum { CLASSES };

static rg_status infer(rg_ctx *ctx)
{
    int64_t classes = rg_attr_int(ctx, CLASSES);
    if (classes < 1)
        return rg_fail(RG_EINVAL, "num_classes is %lld", (long long)classes);
    RG_TRY(rg_expect_same_shape(ctx, PREDICTIONS, LABELS));
    for (int s = IN_WRONGS; s <= IN_MEAN_IOU; s++)
        for (int i = 0; i < rg_n_in(ctx, s); i++) {
            const rg_meta *in = rg_in_meta_n(ctx, s, i);
            int64_t wanted = s == IN_MEAN_IOU ? 1 : classes;
            rg_dtype dtype = s == IN_MEAN_IOU ? RG_F32 : RG_I32;
            if (in == NULL)
                continue;
            if (in->dtype != dtype || (rg_running(ctx) && rg_shape_numel(&in->shape) != wanted))
                return rg_fail(RG_ESHAPE, "%s must be %s of %lld elements", ctx->op->in[s].name,
                               rg_dtype_name(dtype), (long long)wanted);
        }
    rg_set_out(ctx, MEAN, RG_F32, &RG_SHAPE(1));
    rg_set_out(ctx, WRONG, RG_I32, &RG_SHAPE(classes));
    rg_set_out(ctx, CORRECT, RG_I32, &RG_SHAPE(classes));
    return RG_OK;
}

static void add_earlier(const rg_ctx *ctx, int slot, int64_t classes, int32_t *counts)
{
    for (int i = 0; i < rg_n_in(ctx, slot); i++) {
        const rg_value *earlier = rg_in_n(ctx, slot, i);
        for (int64_t c = 0; earlier != NULL && c < classes; c++)
            counts[c] += ((const int32_t *)earlier->data)[c];
    }
}

static rg_status count(rg_ctx *ctx, int64_t classes, int32_t *wrong, int32_t *correct)
{
    int64_t n = rg_numel(rg_in(ctx, LABELS));
    const int64_t *predictions, *labels;
    RG_TRY(rg_read_labels(ctx, PREDICTIONS, &predictions));
    RG_TRY(rg_read_labels(ctx, LABELS, &labels));
    for (int64_t i = 0; i < n; i++) {
        int64_t p = predictions[i], l = labels[i];
        if (p < 0 || p >= classes)
            return rg_bad_label(ctx, PREDICTIONS, i, p, classes);
        if (l < 0 || l >= classes)
            return rg_bad_label(ctx, LABELS, i, l, classes);
        if (p == l) {
            correct[p]++;
        } else {
            wrong[p]++;
            wrong[l]++;
        }
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    int64_t classes = rg_attr_int(ctx, CLASSES), occur = 0;
    size_t bytes = (size_t)classes * sizeof(int32_t);
    int32_t *wrong = rg_scratch(ctx, 2 * bytes), *correct = wrong + classes;
    double sum = 0;
    if (wrong == NULL)
        return RG_ENOMEM;
    memset(wrong, 0, 2 * bytes);
    add_earlier(ctx, IN_WRONGS, classes, wrong);
    add_earlier(ctx, IN_CORRECTS, classes, correct);
    RG_TRY(count(ctx, classes, wrong, correct));
    for (int64_t c = 0; c < classes; c++) {
        double all = (double)wrong[c] + (double)correct[c];
        occur += all > 0;
        sum += all > 0 ? correct[c] / all : 0;
    }
    double mean = occur > 0 ? sum / (double)occur : 0;
    for (int i = 0; i < rg_n_in(ctx, IN_MEAN_IOU); i++)
        if (rg_in_n(ctx, IN_MEAN_IOU, i) != NULL)
            mean += (double)*(const float *)rg_in_n(ctx, IN_MEAN_IOU, i)->data;
    if (rg_has_out(ctx, MEAN))
        *(float *)rg_out_data(ctx, MEAN) = (float)mean;
    if (rg_has_out(ctx, WRONG))
        memcpy(rg_out_data(ctx, WRONG), wrong, bytes);
    if (rg_has_out(ctx, CORRECT))
        memcpy(rg_out_data(ctx, CORRECT), correct, bytes);
    return RG_OK;
}

#define EARLIER (RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD)

const rg_op rg_op_mean_iou = {
    .type = "mean_iou",
    .doc = "The mean over classes of intersection over union.",
    .in = RG_SLOTS([PREDICTIONS] = {"Predictions", "classes, any shape", RG_NO_GRAD},
                   [LABELS] = {"Labels", "the true ones, like Predictions", RG_NO_GRAD},
                   [IN_WRONGS] = {"InWrongs", "counted earlier, int32 [classes]", EARLIER},
                   [IN_CORRECTS] = {"InCorrects", "counted earlier, int32 [classes]", EARLIER},
                   [IN_MEAN_IOU] = {"InMeanIou", "added to the mean, float32 [1]", EARLIER}),
    .out = RG_SLOTS([MEAN] = {"OutMeanIou", "float32, [1]"}, [WRONG] = {"OutWrong", "int32"},
                    [CORRECT] = {"OutCorrect", "int32"}),
    .attr = RG_ATTRS([CLASSES] = RG_REQUIRED("num_classes", RG_ATTR_INT, "how many classes")),
    .infer = infer,
    .kernel = kernel,
};
