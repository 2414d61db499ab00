/* softmax_with_cross_entropy.c - the loss of numbers that are no probabilities yet.
 *
 *   Softmax = softmax of Logits along axis
 *   Loss    = -log Softmax[Label]          hard: 0 where Label is ignore_index
 *           = -sum of Label log Softmax    soft, a distribution over the classes
 *
 * The loss is computed from the logarithm of the sum, not from Softmax, which rounds less:
 * numeric_stable_mode or not.
 * dLogits = (Softmax - Label) dLoss. */
#include "ir/terms.h"
#include "math/softmax.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { LOGITS, LABEL };
enum { SOFTMAX, LOSS };
enum { SOFT_LABEL, STABLE, IGNORE_INDEX, AXIS };

/* Logits taken as [outer, n, inner]: n are the classes. */
typedef struct cut {
    int64_t outer, n, inner;
} cut;

static rg_status cut_at_axis(const rg_ctx *ctx, const rg_shape *shape, cut *out)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    *out = (cut){rg_shape_product(shape, 0, axis), shape->dim[axis],
                 rg_shape_product(shape, axis + 1, shape->rank)};
    return RG_OK;
}

/* The inputs fit; *out is the shape of Loss. */
static rg_status check_inputs(const rg_ctx *ctx, int scores, int label, rg_shape *out)
{
    bool soft = rg_attr_bool(ctx, SOFT_LABEL);
    int axis;
    *out = *rg_shape_of(ctx, scores);
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), out->rank, &axis));
    if (soft) {
        RG_TRY(rg_expect_same_shape(ctx, scores, label));
        RG_TRY(rg_expect_same_dtype(ctx, scores, label));
    }
    out->dim[axis] = 1;
    if (!soft && !rg_shape_fits(out, rg_shape_of(ctx, label))) {
        char tx[RG_SHAPE_TEXT], tl[RG_SHAPE_TEXT], to[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "%s has the shape %s, so hard labels must be %s, and are %s",
                       ctx->op->in[scores].name, rg_shape_text(rg_shape_of(ctx, scores), tx),
                       rg_shape_text(out, to), rg_shape_text(rg_shape_of(ctx, label), tl));
    }
    return soft ? RG_OK : RG_EXPECT_DTYPE(ctx, label, RG_I64, RG_I32);
}

static rg_status infer(rg_ctx *ctx)
{
    rg_shape loss;
    RG_TRY(check_inputs(ctx, LOGITS, LABEL, &loss));
    rg_set_like(ctx, SOFTMAX, LOGITS);
    rg_set_out(ctx, LOSS, rg_dtype_of(ctx, LOGITS), &loss);
    rg_share_lod(ctx, LOGITS, LOSS);
    return RG_OK;
}

/* The classes; RG_EVALUE where one is neither a class nor to be ignored. */
static rg_status read_classes(rg_ctx *ctx, int slot, const cut *c, const int64_t **labels)
{
    int64_t ignored = rg_attr_int(ctx, IGNORE_INDEX);
    RG_TRY(rg_read_labels(ctx, slot, labels));
    for (int64_t i = 0; i < c->outer * c->inner; i++) {
        int64_t label = (*labels)[i];
        if (label != ignored && (label < 0 || label >= c->n))
            return rg_bad_label(ctx, slot, i, label, c->n);
    }
    return RG_OK;
}

/* loss holds the logarithms of the sums, and gets the losses. The softmax takes no logit for
 * further below the largest than 64, as Fluid's, so an impossible class has a finite loss: from
 * there on it is that of its probability. */
#define LOSSES(T, S)                                                                              \
    RG_INLINE T loss_of_##S(T log_sum, T logit, T part)                                           \
    {                                                                                             \
        const T loss = log_sum - logit;                                                           \
        return loss > 64 ? -RG_LOG(part) : loss;                                                  \
    }                                                                                             \
    static void hard_##S(const T *logits, const T *softmax, const int64_t *labels, const cut *c,  \
                         int64_t ignored, T *loss)                                                \
    {                                                                                             \
        for (int64_t o = 0; o < c->outer; o++)                                                    \
            for (int64_t i = 0; i < c->inner; i++) {                                              \
                const int64_t at = o * c->inner + i, label = labels[at];                          \
                const int64_t from = (o * c->n + label) * c->inner + i;                           \
                loss[at] = label == ignored ? 0                                                   \
                                            : loss_of_##S(loss[at], logits[from], softmax[from]); \
            }                                                                                     \
    }                                                                                             \
    RG_HOT static void soft_##S(const T *logits, const T *softmax, const T *labels, const cut *c, \
                                T *loss)                                                          \
    {                                                                                             \
        for (int64_t o = 0; o < c->outer; o++)                                                    \
            for (int64_t i = 0; i < c->inner; i++) {                                              \
                T *to = loss + o * c->inner + i, sum = 0;                                         \
                for (int64_t j = 0; j < c->n; j++) {                                              \
                    const int64_t at = (o * c->n + j) * c->inner + i;                             \
                    sum += labels[at] * loss_of_##S(*to, logits[at], softmax[at]);                \
                }                                                                                 \
                *to = sum;                                                                        \
            }                                                                                     \
    }                                                                                             \
    RG_HOT static void hard_grad_##S(const T *softmax, const int64_t *labels, const T *dloss,     \
                                     const cut *c, int64_t ignored, T *dlogits)                   \
    {                                                                                             \
        for (int64_t o = 0; o < c->outer; o++) {                                                  \
            const int64_t first = o * c->inner, row = o * c->n * c->inner;                        \
            for (int64_t j = 0; j < c->n && c->inner > 1; j++)                                    \
                for (int64_t i = 0; i < c->inner; i++) {                                          \
                    const int64_t at = row + j * c->inner + i, label = labels[first + i];         \
                    const T error = softmax[at] - (label == j ? 1 : 0);                           \
                    dlogits[at] = label == ignored ? 0 : error * dloss[first + i];                \
                }                                                                                 \
            if (c->inner > 1)                                                                     \
                continue;                                                                         \
            const T weight = labels[o] == ignored ? 0 : dloss[o];                                 \
            for (int64_t j = 0; j < c->n; j++)                                                    \
                dlogits[row + j] = softmax[row + j] * weight;                                     \
            if (labels[o] != ignored)                                                             \
                dlogits[row + labels[o]] -= weight;                                               \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void soft_grad_##S(const T *softmax, const T *labels, const T *dloss,           \
                                     const cut *c, T *dlogits)                                    \
    {                                                                                             \
        for (int64_t o = 0; o < c->outer; o++)                                                    \
            for (int64_t j = 0; j < c->n; j++)                                                    \
                for (int64_t i = 0; i < c->inner; i++) {                                          \
                    const int64_t at = (o * c->n + j) * c->inner + i;                             \
                    dlogits[at] = (softmax[at] - labels[at]) * dloss[o * c->inner + i];           \
                }                                                                                 \
    }
RG_FLOATS(LOSSES)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *logits = rg_in(ctx, LOGITS);
    cut c;
    RG_TRY(cut_at_axis(ctx, &logits->meta.shape, &c));
    size_t size = rg_dtype_size(logits->meta.dtype);
    void *work = rg_scratch(ctx, (size_t)(2 * c.inner) * size);
    void *softmax = rg_out_or_scratch(ctx, SOFTMAX, (size_t)rg_numel(logits) * size);
    void *loss = rg_out_or_scratch(ctx, LOSS, (size_t)(c.outer * c.inner) * size);
    if (work == NULL || softmax == NULL || loss == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, LOGITS, rg_softmax,
                  (logits->data, softmax, loss, c.outer, c.n, c.inner, work))
    if (rg_attr_bool(ctx, SOFT_LABEL)) {
        RG_CALL_FLOAT(ctx, LOGITS, soft, (logits->data, softmax, rg_in_data(ctx, LABEL), &c, loss))
        return RG_OK;
    }
    const int64_t *labels;
    RG_TRY(read_classes(ctx, LABEL, &c, &labels));
    RG_CALL_FLOAT(ctx, LOGITS, hard,
                  (logits->data, softmax, labels, &c, rg_attr_int(ctx, IGNORE_INDEX), loss))
    return RG_OK;
}

#define ATTRS                                                                           \
    RG_ATTRS([SOFT_LABEL] = RG_BOOLEAN("soft_label", false, "Label is a distribution"), \
             [STABLE] = RG_BOOLEAN("numeric_stable_mode", true, "always so here"),      \
             [IGNORE_INDEX] = RG_INT("ignore_index", -100, "this label has no loss"),   \
             [AXIS] = RG_INT("axis", -1, "the dimension of the classes"))

const rg_op rg_op_softmax_with_cross_entropy = {
    .type = "softmax_with_cross_entropy",
    .doc = "The cross entropy of the softmax of numbers.",
    .in = RG_SLOTS([LOGITS] = {"Logits", "any numbers, the classes along axis"},
                   [LABEL] = {"Label", "classes, 1 along axis; soft: like Logits", RG_NO_GRAD}),
    .out = RG_SLOTS([SOFTMAX] = {"Softmax", "like Logits", RG_INTERMEDIATE}, [LOSS] =
                                                                                 {"Loss",
                                                                                  "1 along axis"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_LABEL, G_SOFTMAX, G_DLOSS };
enum { G_DLOGITS };

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_shape loss;
    RG_TRY(check_inputs(ctx, G_SOFTMAX, G_LABEL, &loss));
    RG_TRY(rg_expect_count(ctx, G_DLOSS, rg_shape_numel(&loss)));
    rg_set_like(ctx, G_DLOGITS, G_SOFTMAX);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *softmax = rg_in(ctx, G_SOFTMAX);
    const void *dloss = rg_in_data(ctx, G_DLOSS);
    void *dlogits = rg_out_data(ctx, G_DLOGITS);
    cut c;
    RG_TRY(cut_at_axis(ctx, &softmax->meta.shape, &c));
    if (rg_attr_bool(ctx, SOFT_LABEL)) {
        RG_CALL_FLOAT(ctx, G_SOFTMAX, soft_grad,
                      (softmax->data, rg_in_data(ctx, G_LABEL), dloss, &c, dlogits))
        return RG_OK;
    }
    const int64_t *labels;
    RG_TRY(read_classes(ctx, G_LABEL, &c, &labels));
    RG_CALL_FLOAT(ctx, G_SOFTMAX, hard_grad,
                  (softmax->data, labels, dloss, &c, rg_attr_int(ctx, IGNORE_INDEX), dlogits))
    return RG_OK;
}

/* dLoss (softmax - label), and 0 where a label is ignored. With a softmax of zeros and dLoss of
 * ones the gradient itself is minus the label, or 0. */
static void grad_terms(rg_terms *t)
{
    rg_term logits = rg_term_source(t, "Softmax", "Logits"), dloss = rg_term_in(t, "Loss@GRAD");
    int axis = rg_term_attr(t, "axis")->i;
    rg_term zeros = rg_term_filled(t, logits, 0), ones = rg_term_filled(t, dloss, 1);
    rg_opdesc *again = rg_term_again(t);
    rg_term_put(t, again, "Softmax", zeros);
    rg_term_put(t, again, "Loss@GRAD", ones);
    rg_term label = rg_term_constant(t, rg_term_end(t, again, "Logits@GRAD"));
    rg_opdesc *op = rg_term_begin(t, "softmax");
    rg_term_put(t, op, "X", logits);
    rg_term_set(t, op, rg_term_attr(t, "axis"));
    rg_term softmax = rg_term_end(t, op, "Out");
    if (!rg_term_attr(t, "soft_label")->b) {
        rg_term counts = rg_term_reduce(t, "reduce_sum", label, &axis, 1, true);
        counts = rg_term_spread(t, rg_term_scale(t, counts, -1, 0), logits, &axis, 1, true);
        softmax = rg_term_mul(t, softmax, rg_term_constant(t, counts));
    }
    rg_term of_each = rg_term_spread(t, dloss, logits, &axis, 1, true);
    rg_term_give(t, "Logits@GRAD", rg_term_mul(t, of_each, rg_term_add(t, softmax, label)));
}

const rg_op rg_op_softmax_with_cross_entropy_grad = {
    .type = "softmax_with_cross_entropy_grad",
    .doc = "Gradient of softmax_with_cross_entropy.",
    .in = RG_SLOTS([G_LABEL] = {"Label", ""}, [G_SOFTMAX] = {"Softmax", ""},
                   [G_DLOSS] = {"Loss@GRAD", ""}),
    .out = RG_SLOTS([G_DLOGITS] = {"Logits@GRAD", "", .inplace = RG_OF(G_SOFTMAX)}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
