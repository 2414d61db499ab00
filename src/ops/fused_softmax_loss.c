/* fused_softmax_loss.c - softmax, cross_entropy2 and mean with their gradients, made by
 * pass/fuse_loss.c.
 *
 *   Softmax = softmax(X), Y = -log Softmax[label], Loss = mean(Y)
 *   dX = (Softmax - onehot(label)) scale / rows          zero where the label is ignored
 *
 * where `scale` is the gradient that the loss begins with, a constant. Six ops over numbers of
 * which there are few: on a device that is six starts for the work of one. */
#include "math/reduce.h"
#include "math/softmax.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X, LABEL };
enum { SOFTMAX, Y, LOSS, DX };
enum { IGNORE_INDEX, SCALE };

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, X, 2));
    rg_shape each = *rg_shape_of(ctx, X);
    each.dim[1] = 1;
    RG_TRY(rg_expect_count(ctx, LABEL, each.dim[0]));
    rg_set_like(ctx, SOFTMAX, X);
    rg_set_like(ctx, DX, X);
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &each);
    rg_share_lod(ctx, X, Y);
    if (rg_shape_of(ctx, LABEL)->rank == 1)
        rg_set_shape(ctx, Y, &RG_SHAPE(each.dim[0]));
    rg_set_out(ctx, LOSS, rg_dtype_of(ctx, X), &RG_SHAPE(1));
    return RG_OK;
}

static void finish_row(const float *p, int64_t classes, int64_t label, float g, float *y, float *dx)
{
    *y = label < 0 ? 0 : -RG_LOG(p[label]);
    for (int64_t j = 0; j < classes; j++)
        dx[j] = label < 0 ? 0 : g * p[j];
    if (label >= 0)
        dx[label] -= g;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t rows = x->meta.shape.dim[0], classes = x->meta.shape.dim[1];
    int64_t ignored = rg_attr_int(ctx, IGNORE_INDEX);
    const int64_t *labels;
    if (x->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, X);
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    float *p = rg_out_or_scratch(ctx, SOFTMAX, (size_t)(rows * classes) * sizeof *p);
    float *y = rg_out_or_scratch(ctx, Y, (size_t)rows * sizeof *y);
    float *dx = rg_out_data(ctx, DX), g = rg_attr_float(ctx, SCALE) / (float)rows;
    if (p == NULL || y == NULL)
        return RG_ENOMEM;
    rg_softmax_f32(x->data, p, NULL, rows, classes, 1, NULL);
    for (int64_t i = 0; i < rows; i++) {
        if (labels[i] != ignored && (labels[i] < 0 || labels[i] >= classes))
            return rg_bad_label(ctx, LABEL, i, labels[i], classes);
        finish_row(p + i * classes, classes, labels[i] == ignored ? -1 : labels[i], g, y + i,
                   dx + i * classes);
    }
    if (rg_has_out(ctx, LOSS))
        *(float *)rg_out_data(ctx, LOSS) = rg_sum_f32(y, rows) / (float)rows;
    return RG_OK;
}

const rg_op rg_op_fused_softmax_loss = {
    .type = "fused_softmax_loss",
    .doc = "Softmax, cross entropy, their mean, and the gradient.",
    .in = RG_SLOTS([X] = {"X", "[rows, classes]"}, [LABEL] = {"Label", "[rows, 1]"}),
    .out = RG_SLOTS([SOFTMAX] = {"Softmax", "", RG_OPTIONAL}, [Y] = {"Y", "", RG_OPTIONAL},
                    [LOSS] = {"Loss", "", RG_OPTIONAL}, [DX] = {"X@GRAD", ""}),
    .attr = RG_ATTRS([IGNORE_INDEX] = RG_INT("ignore_index", -100, "a label without a loss"),
                     [SCALE] = RG_FLOAT("scale", 1, "the gradient of the loss")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};
