/* cross_entropy.c - the loss of probabilities, given the true class or a distribution.
 *
 *   Y = -log X[Label]          hard labels: 0 where Label is ignore_index
 *   Y = -sum of Label log X    soft labels, a distribution over the classes
 *
 * The classes are the last dimension of X. The logarithm of zero is taken as -1e20, and that
 * of infinity as 1e20, so that one impossible example leaves the sum of the batch a number.
 * cross_entropy2 is the same for hard labels and keeps the probability of the true class,
 * which is all that its gradient needs. */
#include "ir/terms.h"
#include "math/reduce.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, LABEL };
enum { Y, XSHAPE, MATCH_X };
enum { IGNORE_INDEX, SOFT_LABEL }; /* cross_entropy2 has the first alone */

static rg_status label_misfit(const rg_ctx *ctx, const char *wanted)
{
    char tx[RG_SHAPE_TEXT], tl[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "X has the shape %s and Label %s; %s",
                   rg_shape_text(rg_shape_of(ctx, X), tx),
                   rg_shape_text(rg_shape_of(ctx, LABEL), tl), wanted);
}

/* One number for each row of X: the shape of hard labels, or X with a last dimension of 1. */
static rg_status losses_shape(const rg_ctx *ctx, bool soft, rg_shape *out)
{
    const rg_shape *x = rg_shape_of(ctx, X), *label = rg_shape_of(ctx, LABEL);
    if (x->rank < 1)
        return label_misfit(ctx, "X has no dimension of classes");
    *out = *x;
    out->dim[x->rank - 1] = 1;
    if (soft)
        return rg_shape_fits(x, label) ? RG_OK : label_misfit(ctx, "soft labels are like X");
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    if (label->rank == x->rank - 1)
        out->rank--;
    if (!rg_shape_fits(out, label))
        return label_misfit(ctx, "hard labels are X without its last dimension, or with 1 there");
    return RG_OK;
}

/* The class of each row; RG_EVALUE where it is neither one nor to be ignored. */
static rg_status read_classes(rg_ctx *ctx, int slot, int64_t rows, int64_t classes,
                              const int64_t **labels)
{
    int64_t ignored = rg_attr_int(ctx, IGNORE_INDEX);
    RG_TRY(rg_read_labels(ctx, slot, labels));
    for (int64_t i = 0; i < rows; i++) {
        int64_t label = (*labels)[i];
        if (label != ignored && (label < 0 || label >= classes))
            return rg_bad_label(ctx, slot, i, label, classes);
    }
    return RG_OK;
}

enum { PIECE = 256 }; /* classes whose losses are computed before they are added */

/* matched: x holds the probabilities of the labels alone. */
#define LOSSES(T, S)                                                                               \
    RG_INLINE T minus_log_##S(T x)                                                                 \
    {                                                                                              \
        const T loss = -RG_LOG(x);                                                                 \
        return loss > (T)1e20 ? (T)1e20 : loss < (T)-1e20 ? (T)-1e20 : loss;                       \
    }                                                                                              \
    RG_HOT static void hard_##S(const T *x, const int64_t *labels, int64_t rows, int64_t classes,  \
                                int64_t ignored, T *y, T *match)                                   \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++) {                                                       \
            const bool skip = labels[i] == ignored;                                                \
            const T p = skip ? 0 : x[i * classes + labels[i]];                                     \
            y[i] = skip ? 0 : minus_log_##S(p);                                                    \
            if (match != NULL)                                                                     \
                match[i] = p;                                                                      \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void soft_##S(const T *x, const T *labels, int64_t rows, int64_t classes, T *y)  \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++) {                                                       \
            y[i] = 0;                                                                              \
            for (int64_t at = i * classes; at < (i + 1) * classes; at += PIECE) {                  \
                const int64_t rest = (i + 1) * classes - at, n = rest < PIECE ? rest : PIECE;      \
                T loss[PIECE];                                                                     \
                for (int64_t j = 0; j < n; j++)                                                    \
                    loss[j] = labels[at + j] * minus_log_##S(x[at + j]);                           \
                y[i] += rg_sum_##S(loss, n);                                                       \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void hard_grad_##S(const T *x, bool matched, const int64_t *labels, const T *dy, \
                                     int64_t rows, int64_t classes, int64_t ignored, T *dx)        \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++) {                                                       \
            if (labels[i] == ignored)                                                              \
                continue;                                                                          \
            const T p = x[matched ? i : i * classes + labels[i]];                                  \
            dx[i * classes + labels[i]] = -dy[i] / p;                                              \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void soft_grad_##S(const T *x, const T *labels, const T *dy, int64_t rows,       \
                                     int64_t classes, T *dx)                                       \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int64_t j = i * classes; j < (i + 1) * classes; j++)                              \
                dx[j] = labels[j] == 0 ? 0 : -dy[i] * labels[j] / x[j];                            \
    }
RG_FLOATS(LOSSES)

/* ---- cross_entropy ---- */

static rg_status cross_entropy_infer(rg_ctx *ctx)
{
    rg_shape out;
    RG_TRY(losses_shape(ctx, rg_attr_bool(ctx, SOFT_LABEL), &out));
    if (rg_attr_bool(ctx, SOFT_LABEL))
        RG_TRY(rg_expect_same_dtype(ctx, X, LABEL));
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, Y);
    return RG_OK;
}

static rg_status cross_entropy_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t classes = x->meta.shape.dim[x->meta.shape.rank - 1], rows = rg_numel(rg_out(ctx, Y));
    const int64_t *labels;
    if (rg_attr_bool(ctx, SOFT_LABEL)) {
        RG_CALL_FLOAT(ctx, X, soft,
                      (x->data, rg_in_data(ctx, LABEL), rows, classes, rg_out_data(ctx, Y)))
        return RG_OK;
    }
    RG_TRY(read_classes(ctx, LABEL, rows, classes, &labels));
    RG_CALL_FLOAT(
        ctx, X, hard,
        (x->data, labels, rows, classes, rg_attr_int(ctx, IGNORE_INDEX), rg_out_data(ctx, Y), NULL))
    return RG_OK;
}

#define IGNORE RG_INT("ignore_index", -100, "this label has no loss and no gradient")
#define ATTRS                                                                        \
    RG_ATTRS([IGNORE_INDEX] = IGNORE, [SOFT_LABEL] = RG_BOOLEAN("soft_label", false, \
                                                                "Label is a distribution"))
#define SLOTS                                                                                     \
    RG_SLOTS([X] = {"X", "probabilities, [..., classes]"}, [LABEL] = {                            \
                                                               "Label",                           \
                                                               "classes, [..., 1]; soft: like X", \
                                                               RG_NO_GRAD})

const rg_op rg_op_cross_entropy = {
    .type = "cross_entropy",
    .doc = "Minus the logarithm of the true class's probability.",
    .in = SLOTS,
    .out = RG_SLOTS([Y] = {"Y", "[..., 1]"}),
    .attr = ATTRS,
    .infer = cross_entropy_infer,
    .kernel = cross_entropy_kernel,
};

enum { G_X = X, G_LABEL = LABEL, G_DY };
enum { G_DX };

static rg_status cross_entropy_grad_infer(rg_ctx *ctx)
{
    rg_shape losses;
    RG_TRY(losses_shape(ctx, rg_attr_bool(ctx, SOFT_LABEL), &losses));
    RG_TRY(rg_expect_count(ctx, G_DY, rg_shape_numel(&losses)));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static rg_status cross_entropy_grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, G_X), *dy = rg_in(ctx, G_DY);
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t classes = x->meta.shape.dim[x->meta.shape.rank - 1], rows = rg_numel(dy);
    const int64_t *labels;
    if (rg_attr_bool(ctx, SOFT_LABEL)) {
        RG_CALL_FLOAT(ctx, G_X, soft_grad,
                      (x->data, rg_in_data(ctx, G_LABEL), dy->data, rows, classes, dx->data))
        return RG_OK;
    }
    RG_TRY(read_classes(ctx, G_LABEL, rows, classes, &labels));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(
        ctx, G_X, hard_grad,
        (x->data, false, labels, dy->data, rows, classes, rg_attr_int(ctx, IGNORE_INDEX), dx->data))
    return RG_OK;
}

/* Minus what Label says of each class, by X: with X and dY of ones it is the gradient itself. */
static void cross_entropy_grad_terms(rg_terms *t)
{
    static const int last = -1;
    rg_term x = rg_term_in(t, "X"), dy = rg_term_in(t, "Y@GRAD");
    rg_term ones = rg_term_filled(t, x, 1), one = rg_term_filled(t, dy, 1);
    rg_opdesc *again = rg_term_again(t);
    rg_term_put(t, again, "X", ones);
    rg_term_put(t, again, "Y@GRAD", one);
    rg_term label = rg_term_constant(t, rg_term_end(t, again, "X@GRAD"));
    rg_term of_each = rg_term_mul(t, rg_term_spread(t, dy, x, &last, 1, true), label);
    rg_term_give(t, "X@GRAD", rg_term_div(t, of_each, x));
}

const rg_op rg_op_cross_entropy_grad = {
    .type = "cross_entropy_grad",
    .doc = "Gradient of cross_entropy.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_LABEL] = {"Label", ""}, [G_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = cross_entropy_grad_infer,
    .kernel = cross_entropy_grad_kernel,
    .compose = cross_entropy_grad_terms,
};

/* ---- cross_entropy2 ---- */

static rg_status cross_entropy2_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out, match = *x, with_zero = *x;
    RG_TRY(losses_shape(ctx, false, &out));
    if (x->rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "X has %d dimensions already", x->rank);
    with_zero.dim[with_zero.rank++] = 0;
    match.dim[x->rank - 1] = 1;
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &out);
    rg_set_out(ctx, MATCH_X, rg_dtype_of(ctx, X), &match);
    rg_set_out(ctx, XSHAPE, rg_dtype_of(ctx, X), &with_zero);
    rg_share_lod(ctx, X, Y);
    rg_share_lod(ctx, X, XSHAPE);
    return RG_OK;
}

static rg_status cross_entropy2_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t classes = x->meta.shape.dim[x->meta.shape.rank - 1], rows = rg_numel(rg_out(ctx, Y));
    const int64_t *labels;
    RG_TRY(read_classes(ctx, LABEL, rows, classes, &labels));
    RG_CALL_FLOAT(ctx, X, hard,
                  (x->data, labels, rows, classes, rg_attr_int(ctx, IGNORE_INDEX),
                   rg_out_data(ctx, Y), rg_out_data(ctx, MATCH_X)))
    return RG_OK;
}

const rg_op rg_op_cross_entropy2 = {
    .type = "cross_entropy2",
    .doc = "Minus the logarithm of the true class's probability, which is kept.",
    .in = SLOTS,
    .out = RG_SLOTS([Y] = {"Y", "[..., 1]"},
                    [XSHAPE] = {"XShape", "the shape of X and 0; no data", RG_INTERMEDIATE},
                    [MATCH_X] = {"MatchX", "the probability of the label", RG_INTERMEDIATE}),
    .attr = RG_ATTRS([IGNORE_INDEX] = IGNORE),
    .grad_type = "cross_entropy_grad2",
    .infer = cross_entropy2_infer,
    .kernel = cross_entropy2_kernel,
};

enum { G2_MATCH_X, G2_LABEL, G2_XSHAPE, G2_DY };

static rg_status cross_entropy2_grad_infer(rg_ctx *ctx)
{
    rg_shape x = *rg_shape_of(ctx, G2_XSHAPE);
    if (--x.rank < 1)
        return rg_fail(RG_ESHAPE, "XShape has %d dimensions", x.rank + 1);
    if (rg_running(ctx) &&
        (rg_shape_product(&x, 0, x.rank - 1) != rg_shape_numel(rg_shape_of(ctx, G2_DY)) ||
         !rg_shape_equal(rg_shape_of(ctx, G2_DY), rg_shape_of(ctx, G2_LABEL)))) {
        char tx[RG_SHAPE_TEXT], td[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "the gradient of Y has the shape %s, and X had %s",
                       rg_shape_text(rg_shape_of(ctx, G2_DY), td), rg_shape_text(&x, tx));
    }
    RG_TRY(rg_expect_count(ctx, G2_MATCH_X, rg_shape_numel(rg_shape_of(ctx, G2_DY))));
    rg_set_out(ctx, G_DX, rg_dtype_of(ctx, G2_MATCH_X), &x);
    rg_share_lod(ctx, G2_XSHAPE, G_DX);
    return RG_OK;
}

static rg_status cross_entropy2_grad_kernel(rg_ctx *ctx)
{
    const rg_value *dy = rg_in(ctx, G2_DY);
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t rows = rg_numel(dy), classes = dx->meta.shape.dim[dx->meta.shape.rank - 1];
    const int64_t *labels;
    RG_TRY(read_classes(ctx, G2_LABEL, rows, classes, &labels));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, G2_DY, hard_grad,
                  (rg_in_data(ctx, G2_MATCH_X), true, labels, dy->data, rows, classes,
                   rg_attr_int(ctx, IGNORE_INDEX), dx->data))
    return RG_OK;
}

/* The same as cross_entropy's, by X itself. */
static void cross_entropy2_grad_terms(rg_terms *t)
{
    rg_term x = rg_term_source(t, "MatchX", "X"), label = rg_term_in(t, "Label");
    rg_term dy = rg_term_in(t, "Y@GRAD");
    rg_opdesc *op = rg_term_begin(t, "cross_entropy_grad");
    rg_term_put(t, op, "X", x);
    rg_term_put(t, op, "Label", label);
    rg_term_put(t, op, "Y@GRAD", dy);
    rg_term_set(t, op, rg_term_attr(t, "ignore_index"));
    rg_term_give(t, "X@GRAD", rg_term_end(t, op, "X@GRAD"));
}

const rg_op rg_op_cross_entropy_grad2 = {
    .type = "cross_entropy_grad2",
    .doc = "Gradient of cross_entropy2.",
    .in = RG_SLOTS([G2_MATCH_X] = {"MatchX", ""}, [G2_LABEL] = {"Label", ""},
                   [G2_XSHAPE] = {"XShape", "", RG_SHAPE_ONLY}, [G2_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = RG_ATTRS([IGNORE_INDEX] = IGNORE),
    .infer = cross_entropy2_grad_infer,
    .kernel = cross_entropy2_grad_kernel,
    .compose = cross_entropy2_grad_terms,
};
