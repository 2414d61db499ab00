/* auc.c - the area under the ROC curve, counted in bins.
 *
 * A prediction p falls into bin (unsigned)(p * num_thresholds) of the positives or the
 * negatives. With slide_steps 0 the bins count everything since the start. With
 * slide_steps S they hold S batches: S histograms in turn, their sum, and last a
 * counter that says whose turn it is. The area is summed by trapezoids from the
 * highest bin down, over positives * negatives; 0 where one of them is missing. */
#include "ir/program.h"
#include "ops/auc.h"
#include "ops/types.h"

#include <string.h>

enum { PREDICT, LABEL, STAT_POS, STAT_NEG };
enum { AUC, STAT_POS_OUT, STAT_NEG_OUT };
enum { CURVE, NUM_THRESHOLDS, SLIDE_STEPS };

/* Elements of a statistics tensor. */
static int64_t stat_size(int64_t bins, int64_t steps)
{
    return steps == 0 ? bins : (1 + steps) * bins + 1;
}

static rg_status auc_infer(rg_ctx *ctx)
{
    const rg_shape *p = rg_shape_of(ctx, PREDICT);
    RG_TRY(rg_expect_rank(ctx, PREDICT, 2));
    if (p->dim[1] != 1 && p->dim[1] != 2) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Predict must be [batch, 2] or [batch, 1], and is %s",
                       rg_shape_text(p, text));
    }
    if (rg_attr_int(ctx, NUM_THRESHOLDS) < 1 || rg_attr_int(ctx, SLIDE_STEPS) < 0)
        return rg_fail(RG_EINVAL, "num_thresholds is %d and slide_steps %d",
                       rg_attr_int(ctx, NUM_THRESHOLDS), rg_attr_int(ctx, SLIDE_STEPS));
    const rg_shape *l = rg_shape_of(ctx, LABEL);
    if (rg_running(ctx) && rg_shape_numel(l) != p->dim[0])
        return rg_fail(RG_ESHAPE, "%lld labels for %lld predictions", (long long)rg_shape_numel(l),
                       (long long)p->dim[0]);
    int64_t bins = rg_attr_int(ctx, NUM_THRESHOLDS) + 1, steps = rg_attr_int(ctx, SLIDE_STEPS);
    int64_t wanted = stat_size(bins, steps);
    for (int s = STAT_POS; s <= STAT_NEG; s++) {
        /* Here and not in the kernel: the outputs are mostly the same variables, and have been
         * made int64 by then. */
        RG_TRY(RG_EXPECT_DTYPE(ctx, s, RG_I64));
        int64_t found = rg_shape_numel(rg_shape_of(ctx, s));
        bool spare = steps == 0 && found == wanted + 1; /* layers.auc always makes a counter */
        if (rg_running(ctx) && found != wanted && !spare)
            return rg_fail(RG_ESHAPE, "%s has %lld elements, and %lld are wanted",
                           ctx->op->in[s].name, (long long)found, (long long)wanted);
    }
    rg_set_out(ctx, AUC, RG_F64, &RG_SHAPE(1));
    for (int s = 0; s < 2; s++) {
        if (steps == 0)
            rg_set_out(ctx, STAT_POS_OUT + s, RG_I64, &RG_SHAPE(1, bins));
        else
            rg_set_like(ctx, STAT_POS_OUT + s, STAT_POS + s);
    }
    return RG_OK;
}

/* Trainer threads may share the bins. */
static void add_to(int64_t *bin, int64_t n)
{
    if (n != 0)
        (void)__atomic_fetch_add(bin, n, __ATOMIC_RELAXED);
}

static int64_t read_bin(const int64_t *bin)
{
    return __atomic_load_n(bin, __ATOMIC_RELAXED);
}

/* Count the batch into two histograms. */
static rg_status count(const rg_ctx *ctx, int64_t bins, int64_t *pos, int64_t *neg)
{
    const rg_value *predict = rg_in(ctx, PREDICT), *label = rg_in(ctx, LABEL);
    int64_t n = predict->meta.shape.dim[0], width = predict->meta.shape.dim[1];
    bool wide = predict->meta.dtype == RG_F64;
    if (!wide && predict->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, PREDICT);
    if (label->meta.dtype != RG_I64 && label->meta.dtype != RG_I32)
        return rg_bad_dtype(ctx, LABEL);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i * width + width - 1;
        double p = wide ? ((const double *)predict->data)[at]
                        : (double)((const float *)predict->data)[at];
        if (!(p >= 0 && p <= 1))
            return rg_fail(RG_EVALUE, "prediction %lld of %s is %g, and must be in [0, 1]",
                           (long long)i, rg_in_name(ctx, PREDICT, 0), p);
        /* In float where the prediction is: so the bins are those of Paddle. */
        int64_t bin = wide ? (int64_t)(p * (double)(bins - 1))
                           : (int64_t)((float)p * (float)(bins - 1));
        int64_t l = label->meta.dtype == RG_I64 ? ((const int64_t *)label->data)[i]
                                                : ((const int32_t *)label->data)[i];
        if (l > 0)
            add_to(&pos[bin], 1);
        else if (l == 0)
            add_to(&neg[bin], 1);
    }
    return RG_OK;
}

double rg_auc_area(const int64_t *pos, const int64_t *neg, int64_t bins)
{
    double sum = 0, n_pos = 0, n_neg = 0;
    for (int64_t i = bins - 1; i >= 0; i--) {
        double more_pos = n_pos + (double)read_bin(&pos[i]);
        double more_neg = n_neg + (double)read_bin(&neg[i]);
        sum += (more_neg - n_neg) * (n_pos + more_pos) / 2;
        n_pos = more_pos;
        n_neg = more_neg;
    }
    return n_pos > 0 && n_neg > 0 ? sum / n_pos / n_neg : 0;
}

/* Replace the oldest of the S histograms by this batch, and keep their sum in step. Each turn
 * is one thread's. */
static void slide(int64_t *stat, const int64_t *batch, int64_t bins, int64_t steps)
{
    int64_t *sum = stat + steps * bins, *counter = sum + bins;
    int64_t turn = __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    int64_t *oldest = stat + turn % steps * bins;
    for (int64_t i = 0; i < bins; i++) {
        int64_t old = read_bin(&oldest[i]);
        add_to(&sum[i], batch[i] - old);
        add_to(&oldest[i], batch[i] - old);
    }
}

/* Parts of one batch are one turn of the window: the others' counts join the first's. */
static void auc_add_counts(const rg_opdesc *desc, const rg_value *base, const rg_value *own,
                           rg_value *all)
{
    int64_t bins = rg_opdesc_attr(desc, "num_thresholds")->i + 1;
    int64_t steps = rg_opdesc_attr(desc, "slide_steps")->i;
    const int64_t *before = base->data, *counted = own->data;
    int64_t *to = all->data;
    if (steps == 0) {
        for (int64_t i = 0; i < bins; i++)
            to[i] += counted[i] - before[i];
        return;
    }
    int64_t at = before[(1 + steps) * bins] % steps * bins;
    for (int64_t i = 0; i < bins; i++) {
        to[at + i] += counted[at + i];
        to[steps * bins + i] += counted[at + i];
    }
}

static rg_status auc_kernel(rg_ctx *ctx)
{
    int64_t bins = rg_attr_int(ctx, NUM_THRESHOLDS) + 1, steps = rg_attr_int(ctx, SLIDE_STEPS);
    rg_value *pos = rg_out(ctx, STAT_POS_OUT), *neg = rg_out(ctx, STAT_NEG_OUT);
    for (int s = 0; s < 2; s++) {
        rg_value *after = rg_out(ctx, STAT_POS_OUT + s);
        const rg_value *before = rg_in(ctx, STAT_POS + s);
        if (after->data != before->data)
            memcpy(after->data, before->data, rg_value_bytes(after));
    }
    int64_t *p = pos->data, *n = neg->data;
    double *out = rg_out_data(ctx, AUC);
    if (steps == 0) {
        RG_TRY(count(ctx, bins, p, n));
        *out = rg_auc_area(p, n, bins);
        return RG_OK;
    }
    int64_t *batch = rg_scratch(ctx, (size_t)(2 * bins) * sizeof *batch);
    if (batch == NULL)
        return RG_ENOMEM;
    memset(batch, 0, (size_t)(2 * bins) * sizeof *batch);
    RG_TRY(count(ctx, bins, batch, batch + bins));
    slide(p, batch, bins, steps);
    slide(n, batch + bins, bins, steps);
    *out = rg_auc_area(p + steps * bins, n + steps * bins, bins);
    return RG_OK;
}

const rg_op rg_op_auc = {
    .type = "auc",
    .doc = "The area under the ROC curve, of all batches or of the last ones.",
    .in = RG_SLOTS([PREDICT] = {"Predict", "probabilities, [batch, 2] or [batch, 1]", RG_NO_GRAD},
                   [LABEL] = {"Label", "0 or 1; below 0: not counted", RG_NO_GRAD},
                   [STAT_POS] = {"StatPos", "positives in each bin", RG_NO_GRAD | RG_SUMMED},
                   [STAT_NEG] = {"StatNeg", "negatives in each bin", RG_NO_GRAD | RG_SUMMED}),
    .out = RG_SLOTS([AUC] = {"AUC", "float64, [1]"},
                    [STAT_POS_OUT] = {"StatPosOut", "after this batch", RG_SUMMED},
                    [STAT_NEG_OUT] = {"StatNegOut", "after this batch", RG_SUMMED}),
    .attr = RG_ATTRS([CURVE] = RG_STRING("curve", "ROC", "always ROC"),
                     [NUM_THRESHOLDS] = RG_INT("num_thresholds", 8191, "bins - 1"),
                     [SLIDE_STEPS] = RG_INT("slide_steps", 1, "batches counted; 0: all")),
    .infer = auc_infer,
    .kernel = auc_kernel,
    .add_counts = auc_add_counts,
};
