/* center_loss.c - examples drawn to the centre of their class.
 *
 *   SampleCenterDiff = X - Centers[Label]
 *   Loss             = sum over a row of SampleCenterDiff^2 / 2
 *
 * With need_update each centre moves towards the n examples of its class, by
 * CenterUpdateRate times the sum of their differences over n + 1. All differences are
 * taken from the centres as they came. Centers have no gradient: they move here. */
#include "math/reduce.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, LABEL, CENTERS, RATE };
enum { CENTERS_OUT, DIFF, LOSS };
enum { CLUSTERS, NEED_UPDATE };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *centers = rg_shape_of(ctx, CENTERS);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, CENTERS, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    for (int s = CENTERS; s <= RATE; s++)
        RG_TRY(rg_expect_same_dtype(ctx, X, s));
    if ((x->dim[1] >= 0 && x->dim[1] != centers->dim[1]) ||
        centers->dim[0] != rg_attr_int(ctx, CLUSTERS)) {
        char tx[RG_SHAPE_TEXT], tc[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X has the shape %s, Centers %s, and cluster_num is %d",
                       rg_shape_text(x, tx), rg_shape_text(centers, tc),
                       rg_attr_int(ctx, CLUSTERS));
    }
    if (rg_running(ctx) && rg_shape_numel(rg_shape_of(ctx, LABEL)) != x->dim[0])
        return rg_fail(RG_ESHAPE, "%lld labels for %lld rows of X",
                       (long long)rg_shape_numel(rg_shape_of(ctx, LABEL)), (long long)x->dim[0]);
    if (rg_running(ctx) && rg_shape_numel(rg_shape_of(ctx, RATE)) != 1)
        return rg_fail(RG_ESHAPE, "CenterUpdateRate must be one number");
    rg_set_like(ctx, CENTERS_OUT, CENTERS);
    rg_set_out(ctx, DIFF, rg_dtype_of(ctx, X), x);
    rg_set_out(ctx, LOSS, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], 1));
    rg_share_lod(ctx, X, LOSS);
    return RG_OK;
}

#define LOOPS(T, S)                                                                                \
    RG_HOT static void loss_##S(const T *x, const T *centers, const int64_t *labels, T *diff,      \
                                T *loss, int64_t rows, int64_t width)                              \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++, x += width, diff += width) {                            \
            const T *center = centers + labels[i] * width;                                         \
            for (int64_t j = 0; j < width; j++)                                                    \
                diff[j] = x[j] - center[j];                                                        \
            loss[i] = rg_dot_##S(diff, diff, width) / 2;                                           \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void move_##S(T *centers, const int64_t *labels, const T *diff,                  \
                                const int64_t *count, const T *rate, int64_t rows, int64_t width)  \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++, diff += width) {                                        \
            T *center = centers + labels[i] * width;                                               \
            const T part = *rate / (T)(1 + count[labels[i]]);                                      \
            for (int64_t j = 0; j < width; j++)                                                    \
                center[j] += part * diff[j];                                                       \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void grad_##S(const T *diff, const T *dloss, T *dx, int64_t rows, int64_t width) \
    {                                                                                              \
        for (int64_t i = 0; i < rows; i++)                                                         \
            for (int64_t j = i * width; j < (i + 1) * width; j++)                                  \
                dx[j] = dloss[i] * diff[j];                                                        \
    }
RG_FLOATS(LOOPS)

/* The labels, checked, and how many there are of each. */
static rg_status count_labels(rg_ctx *ctx, int64_t rows, const int64_t **labels, int64_t **count)
{
    int64_t classes = rg_attr_int(ctx, CLUSTERS);
    RG_TRY(rg_read_labels(ctx, LABEL, labels));
    *count = rg_scratch(ctx, (size_t)classes * sizeof **count);
    if (*count == NULL)
        return RG_ENOMEM;
    memset(*count, 0, (size_t)classes * sizeof **count);
    for (int64_t i = 0; i < rows; i++) {
        int64_t label = (*labels)[i];
        if (label < 0 || label >= classes)
            return rg_bad_label(ctx, LABEL, i, label, classes);
        (*count)[label]++;
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *centers = rg_in(ctx, CENTERS);
    int64_t rows = x->meta.shape.dim[0], width = x->meta.shape.dim[1], *count;
    const int64_t *labels;
    RG_TRY(count_labels(ctx, rows, &labels, &count));
    void *diff = rg_out_or_scratch(ctx, DIFF, rg_value_bytes(x));
    if (diff == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, loss,
                  (x->data, centers->data, labels, diff, rg_out_data(ctx, LOSS), rows, width))
    rg_value *moved = rg_out(ctx, CENTERS_OUT);
    if (moved == NULL)
        return RG_OK;
    RG_TRY(rg_value_copy(moved, centers));
    if (rg_attr_bool(ctx, NEED_UPDATE))
        RG_CALL_FLOAT(ctx, X, move,
                      (moved->data, labels, diff, count, rg_in_data(ctx, RATE), rows, width))
    return RG_OK;
}

#define ATTRS                                                                                    \
    RG_ATTRS([CLUSTERS] = RG_REQUIRED("cluster_num", RG_ATTR_INT, "how many centres there are"), \
             [NEED_UPDATE] = RG_REQUIRED("need_update", RG_ATTR_BOOL, "move the centres"))

const rg_op rg_op_center_loss = {
    .type = "center_loss",
    .doc = "Examples drawn to the centre of their class.",
    .in = RG_SLOTS([X] = {"X", "examples, [batch, width]"},
                   [LABEL] = {"Label", "the class of each", RG_NO_GRAD},
                   [CENTERS] = {"Centers", "[cluster_num, width]", RG_NO_GRAD},
                   [RATE] = {"CenterUpdateRate", "how far centres move, [1]", RG_NO_GRAD}),
    .out = RG_SLOTS([CENTERS_OUT] = {"CentersOut", "the centres after this batch"},
                    [DIFF] = {"SampleCenterDiff", "X less its centre"},
                    [LOSS] = {"Loss", "[batch, 1]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DIFF, G_DLOSS };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, G_DIFF, 2));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_DIFF));
    RG_TRY(rg_expect_count(ctx, G_DLOSS, rg_shape_of(ctx, G_DIFF)->dim[0]));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *diff = rg_in(ctx, G_DIFF);
    RG_CALL_FLOAT(ctx, G_DIFF, grad,
                  (diff->data, rg_in_data(ctx, G_DLOSS), rg_out_data(ctx, G_DX),
                   diff->meta.shape.dim[0], diff->meta.shape.dim[1]))
    return RG_OK;
}

const rg_op rg_op_center_loss_grad = {
    .type = "center_loss_grad",
    .doc = "Gradient of center_loss.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DIFF] = {"SampleCenterDiff", ""},
                   [G_DLOSS] = {"Loss@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
