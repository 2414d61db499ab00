/* fused_fc_loss.c - the last layer of a classifier with its loss and all of its way back, made by
 * pass/fuse_fc_loss.c.
 *
 *   Z = X W + Bias, Softmax = softmax(Z), Y = -log Softmax[label], Loss = mean(Y)
 *   dZ = (Softmax - onehot(label)) scale / rows          zero where the label is ignored
 *   dX = dZ W^T x_act'(X), W -= rate X^T dZ, Bias -= rate column sums of dZ
 *
 * Z has few columns, so that all of it is one pass over X on a device. */
#include "math/gemm.h"
#include "math/reduce.h"
#include "math/slope.h"
#include "math/softmax.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X, W, BIAS, LABEL, RATE };
enum { SOFTMAX, Y, LOSS, DX, W_OUT, BIAS_OUT };
enum { IGNORE_INDEX, SCALE, X_ACT };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *w = rg_shape_of(ctx, W);
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32));
    if (x->rank < 2 || rg_shape_product(x, 1, x->rank) != w->dim[0]) {
        char tx[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s does not fit a weight of shape %s",
                       rg_shape_text(x, tx), rg_shape_text(w, tw));
    }
    RG_TRY(rg_expect_count(ctx, BIAS, w->dim[1]));
    int64_t rows = x->dim[0];
    bool flat = rg_shape_of(ctx, LABEL)->rank == 1;
    RG_TRY(rg_expect_count(ctx, LABEL, rows));
    rg_set_out(ctx, SOFTMAX, RG_F32, &RG_SHAPE(rows, w->dim[1]));
    rg_share_lod(ctx, X, SOFTMAX);
    rg_set_out(ctx, Y, RG_F32, flat ? &RG_SHAPE(rows) : &RG_SHAPE(rows, 1));
    rg_share_lod(ctx, X, Y);
    rg_set_out(ctx, LOSS, RG_F32, &RG_SHAPE(1));
    rg_set_like(ctx, DX, X);
    rg_set_like(ctx, W_OUT, W);
    rg_set_like(ctx, BIAS_OUT, BIAS);
    return RG_OK;
}

/* dZ in the place of the softmax's copy, and the loss of a row. */
static void finish_row(float *dz, int64_t classes, int64_t label, float g, float *y)
{
    *y = label < 0 ? 0 : -RG_LOG(dz[label]);
    for (int64_t j = 0; j < classes; j++)
        dz[j] = label < 0 ? 0 : g * dz[j];
    if (label >= 0)
        dz[label] -= g;
}

static rg_status go_back(rg_ctx *ctx, int64_t m, int64_t n, int64_t k, const float *dz)
{
    rg_activation act;
    float rate = *(const float *)rg_in_data(ctx, RATE), *bias = rg_out_data(ctx, BIAS_OUT);
    RG_TRY(rg_activation_of(rg_attr_string(ctx, X_ACT), &act));
    if (rg_has_out(ctx, DX)) {
        rg_gemm_f32(false, true, m, k, n, 1, dz, n, rg_in_data(ctx, W), n, 0, rg_out_data(ctx, DX),
                    k);
        rg_times_slope(act, m * k, rg_in_data(ctx, X), rg_out_data(ctx, DX));
    }
    rg_gemm_f32(true, false, k, n, m, -rate, rg_in_data(ctx, X), k, dz, n, 1,
                rg_out_data(ctx, W_OUT), n);
    for (int64_t j = 0; j < n; j++) {
        float sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += dz[i * n + j];
        bias[j] -= rate * sum;
    }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t m = x->meta.shape.dim[0], n = rg_shape_of(ctx, W)->dim[1];
    int64_t k = rg_shape_of(ctx, W)->dim[0], ignored = rg_attr_int(ctx, IGNORE_INDEX);
    size_t bytes = (size_t)(m * n) * sizeof(float);
    const int64_t *labels;
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    float *p = rg_out_or_scratch(ctx, SOFTMAX, bytes), *dz = rg_scratch(ctx, bytes);
    float *y = rg_out_or_scratch(ctx, Y, (size_t)m * sizeof *y);
    if (p == NULL || y == NULL || dz == NULL)
        return RG_ENOMEM;
    rg_linear_f32(m, n, k, x->data, rg_in_data(ctx, W), rg_in_data(ctx, BIAS), RG_ACT_NONE, dz);
    rg_softmax_f32(dz, p, NULL, m, n, 1, NULL);
    for (int64_t i = 0; i < m; i++) {
        if (labels[i] != ignored && (labels[i] < 0 || labels[i] >= n))
            return rg_bad_label(ctx, LABEL, i, labels[i], n);
        for (int64_t j = 0; j < n; j++)
            dz[i * n + j] = p[i * n + j];
        finish_row(dz + i * n, n, labels[i] == ignored ? -1 : labels[i],
                   rg_attr_float(ctx, SCALE) / (float)m, y + i);
    }
    if (rg_has_out(ctx, LOSS))
        *(float *)rg_out_data(ctx, LOSS) = rg_sum_f32(y, m) / (float)m;
    return go_back(ctx, m, n, k, dz);
}

const rg_op rg_op_fused_fc_loss = {
    .type = "fused_fc_loss",
    .doc = "Softmax of X W + Bias, cross entropy, their mean, and the SGD step.",
    .in = RG_SLOTS([X] = {"X", ""}, [W] = {"W", "[columns, classes]"}, [BIAS] = {"Bias", ""},
                   [LABEL] = {"Label", "[rows, 1]"}, [RATE] = {"LearningRate", ""}),
    .out = RG_SLOTS([SOFTMAX] = {"Softmax", "", RG_OPTIONAL}, [Y] = {"Y", "", RG_OPTIONAL},
                    [LOSS] = {"Loss", "", RG_OPTIONAL}, [DX] = {"X@GRAD", "", RG_OPTIONAL},
                    [W_OUT] = {"WOut", "W, in place"}, [BIAS_OUT] = {"BiasOut", "Bias, in place"}),
    .attr = RG_ATTRS([IGNORE_INDEX] = RG_INT("ignore_index", -100, "a label without a loss"),
                     [SCALE] = RG_FLOAT("scale", 1, "the gradient of the loss"),
                     [X_ACT] = RG_STRING("x_act", "", "X@GRAD is times the slope of this, at X")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};
