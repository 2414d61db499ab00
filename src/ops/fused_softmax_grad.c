/* fused_softmax_grad.c - the gradient of softmax and cross_entropy2 together, made by
 * pass/fuse_softmax.c.
 *
 *   dX = dY (softmax - onehot(label))        zero where the label is ignored
 *
 * One pass over the probabilities, where the two gradients one after the other fill a
 * tensor of zeros and go over it twice. */
#include "ops/labels.h"
#include "ops/types.h"

enum { SOFTMAX, LABEL, DY };
enum { DX };
enum { IGNORE_INDEX };

RG_HOT static void fill(const float *p, const int64_t *labels, const float *dy, int64_t rows,
                        int64_t classes, int64_t ignored, float *dx)
{
    for (int64_t i = 0; i < rows; i++, p += classes, dx += classes) {
        const float g = labels[i] == ignored ? 0 : dy[i];
        for (int64_t j = 0; j < classes; j++)
            dx[j] = g * p[j];
        if (labels[i] != ignored)
            dx[labels[i]] -= g;
    }
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *p = rg_in(ctx, SOFTMAX);
    int64_t classes = p->meta.shape.dim[p->meta.shape.rank - 1], rows = rg_numel(p) / classes;
    int64_t ignored = rg_attr_int(ctx, IGNORE_INDEX);
    const int64_t *labels;
    RG_TRY(rg_expect_count(ctx, DY, rows));
    RG_TRY(rg_expect_count(ctx, LABEL, rows));
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    for (int64_t i = 0; i < rows; i++)
        if (labels[i] != ignored && (labels[i] < 0 || labels[i] >= classes))
            return rg_bad_label(ctx, LABEL, i, labels[i], classes);
    fill(p->data, labels, rg_in_data(ctx, DY), rows, classes, ignored, rg_out_data(ctx, DX));
    return RG_OK;
}

const rg_op rg_op_fused_softmax_cross_entropy_grad = {
    .type = "fused_softmax_cross_entropy_grad",
    .doc = "Gradient of softmax and cross_entropy2 together.",
    .in = RG_SLOTS([SOFTMAX] = {"Softmax", ""}, [LABEL] = {"Label", ""}, [DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", .like = RG_OF(SOFTMAX)}),
    .attr = RG_ATTRS([IGNORE_INDEX] = RG_INT("ignore_index", -100, "a label without a gradient")),
    .flags = RG_OP_INTERNAL,
    .kernel = kernel,
};
