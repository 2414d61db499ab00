/* bpr_loss.c - the true class should score above every other (Bayesian personalised
 * ranking).
 *
 *   Y[i] = mean over j != Label[i] of -log sigmoid(X[i, Label[i]] - X[i, j])
 *
 * The classes are the last dimension of X. */
#include "math/reduce.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X, LABEL };
enum { Y };

/* The inputs fit; *out is the shape of Y. */
static rg_status check_inputs(const rg_ctx *ctx, rg_shape *out)
{
    const rg_shape *x = rg_shape_of(ctx, X), *label = rg_shape_of(ctx, LABEL);
    if (x->rank < 2)
        return rg_expect_rank(ctx, X, 2);
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    *out = *x;
    out->dim[x->rank - 1] = 1;
    if (!rg_shape_fits(out, label)) {
        char to[RG_SHAPE_TEXT], tl[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Label must have the shape %s, and has %s",
                       rg_shape_text(out, to), rg_shape_text(label, tl));
    }
    int64_t classes = x->dim[x->rank - 1];
    if (classes >= 0 && classes < 2)
        return rg_fail(RG_ESHAPE, "X has %lld classes, and two at least are compared",
                       (long long)classes);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    rg_shape out;
    RG_TRY(check_inputs(ctx, &out));
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, Y);
    return RG_OK;
}

static rg_status read_classes(rg_ctx *ctx, int64_t rows, int64_t classes, const int64_t **labels)
{
    RG_TRY(rg_read_labels(ctx, LABEL, labels));
    for (int64_t i = 0; i < rows; i++)
        if ((*labels)[i] < 0 || (*labels)[i] >= classes)
            return rg_bad_label(ctx, LABEL, i, (*labels)[i], classes);
    return RG_OK;
}

enum { PIECE = 256 }; /* classes whose losses are computed before they are added */

/* -log sigmoid(a - b) is softplus(b - a). */
#define LOOPS(T, S)                                                                    \
    RG_HOT static void loss_##S(const T *x, const int64_t *labels, T *y, int64_t rows, \
                                int64_t classes)                                       \
    {                                                                                  \
        for (int64_t i = 0; i < rows; i++, x += classes) {                             \
            const T right = x[labels[i]];                                              \
            T sum = 0;                                                                 \
            for (int64_t at = 0; at < classes; at += PIECE) {                          \
                const int64_t n = classes - at < PIECE ? classes - at : PIECE;         \
                T loss[PIECE];                                                         \
                for (int64_t j = 0; j < n; j++)                                        \
                    loss[j] = RG_SOFTPLUS(x[at + j] - right);                          \
                if (labels[i] >= at && labels[i] < at + n)                             \
                    loss[labels[i] - at] = 0;                                          \
                sum += rg_sum_##S(loss, n);                                            \
            }                                                                          \
            y[i] = sum / (T)(classes - 1);                                             \
        }                                                                              \
    }                                                                                  \
    RG_HOT static void grad_##S(const T *x, const int64_t *labels, const T *dy, T *dx, \
                                int64_t rows, int64_t classes)                         \
    {                                                                                  \
        for (int64_t i = 0; i < rows; i++, x += classes, dx += classes) {              \
            const T right = x[labels[i]], part = dy[i] / (T)(classes - 1);             \
            T sum = 0;                                                                 \
            for (int64_t j = 0; j < classes; j++)                                      \
                dx[j] = part * RG_SIGMOID(x[j] - right);                               \
            dx[labels[i]] = 0;                                                         \
            for (int64_t j = 0; j < classes; j++)                                      \
                sum += dx[j];                                                          \
            dx[labels[i]] = -sum;                                                      \
        }                                                                              \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t rows = rg_numel(rg_in(ctx, LABEL)), classes = x->meta.shape.dim[x->meta.shape.rank - 1];
    const int64_t *labels;
    RG_TRY(read_classes(ctx, rows, classes, &labels));
    RG_CALL_FLOAT(ctx, X, loss, (x->data, labels, rg_out_data(ctx, Y), rows, classes))
    return RG_OK;
}

const rg_op rg_op_bpr_loss = {
    .type = "bpr_loss",
    .doc = "The true class should score above every other.",
    .in = RG_SLOTS([X] = {"X", "scores, [..., classes]"}, [LABEL] = {"Label",
                                                                     "the true class, [..., 1]",
                                                                     RG_NO_GRAD}),
    .out = RG_SLOTS([Y] = {"Y", "[..., 1]"}),
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient: X and Label as above, and ---- */

enum { G_DY = LABEL + 1 };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_shape losses;
    RG_TRY(check_inputs(ctx, &losses));
    RG_TRY(rg_expect_count(ctx, G_DY, rg_shape_numel(&losses)));
    rg_set_like(ctx, G_DX, X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t rows = rg_numel(rg_in(ctx, LABEL)), classes = x->meta.shape.dim[x->meta.shape.rank - 1];
    const int64_t *labels;
    RG_TRY(read_classes(ctx, rows, classes, &labels));
    RG_CALL_FLOAT(ctx, X, grad,
                  (x->data, labels, rg_in_data(ctx, G_DY), rg_out_data(ctx, G_DX), rows, classes))
    return RG_OK;
}

const rg_op rg_op_bpr_loss_grad = {
    .type = "bpr_loss_grad",
    .doc = "Gradient of bpr_loss.",
    .in = RG_SLOTS([X] = {"X", ""}, [LABEL] = {"Label", ""}, [G_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .infer = grad_infer,
    .kernel = grad_kernel,
};
