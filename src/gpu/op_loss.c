/* op_loss.c - softmax and the cross entropies. */
#include "gpu/glue.h"

static rg_status softmax(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_gpu_cut c = rg_gpu_cut_at(&x->meta.shape, rg_gpu_attr(ctx, "axis")->i);
    return rg_gpu_done(ctx,
                       rg_cu_softmax(x->meta.dtype, c.outer, c.n, c.inner, x->data,
                                     rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

const rg_kernel rg_kernel_gpu_softmax = {"softmax", "gpu", softmax};

static rg_status softmax_grad(rg_ctx *ctx)
{
    const rg_value *y = rg_gpu_in(ctx, "Out");
    rg_gpu_cut c = rg_gpu_cut_at(&y->meta.shape, rg_gpu_attr(ctx, "axis")->i);
    return rg_gpu_done(ctx,
                       rg_cu_softmax_grad(y->meta.dtype, c.outer, c.n, c.inner, y->data,
                                          rg_gpu_in_data(ctx, "Out@GRAD"),
                                          rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "Out");
}

const rg_kernel rg_kernel_gpu_softmax_grad = {"softmax_grad", "gpu", softmax_grad};

/* Soft labels, and NULL where they are hard. */
static const void *soft_labels(const rg_ctx *ctx)
{
    return rg_gpu_attr(ctx, "soft_label")->b ? rg_gpu_in_data(ctx, "Label") : NULL;
}

static rg_status softmax_loss(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "Logits");
    rg_gpu_cut c = rg_gpu_cut_at(&x->meta.shape, rg_gpu_attr(ctx, "axis")->i);
    rg_cu_labels hard = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i);
    return rg_gpu_done(ctx,
                       rg_cu_softmax_loss(x->meta.dtype, c.outer, c.n, c.inner, x->data,
                                          soft_labels(ctx), hard, rg_gpu_out_data(ctx, "Softmax"),
                                          rg_gpu_out_data(ctx, "Loss"), rg_cuda(ctx)),
                       "Logits");
}

const rg_kernel rg_kernel_gpu_softmax_loss = {"softmax_with_cross_entropy", "gpu", softmax_loss};

static rg_status softmax_loss_grad(rg_ctx *ctx)
{
    const rg_value *p = rg_gpu_in(ctx, "Softmax");
    rg_gpu_cut c = rg_gpu_cut_at(&p->meta.shape, rg_gpu_attr(ctx, "axis")->i);
    rg_cu_labels hard = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i);
    return rg_gpu_done(ctx,
                       rg_cu_softmax_loss_grad(p->meta.dtype, c.outer, c.n, c.inner, p->data,
                                               soft_labels(ctx), hard,
                                               rg_gpu_in_data(ctx, "Loss@GRAD"),
                                               rg_gpu_out_data(ctx, "Logits@GRAD"), rg_cuda(ctx)),
                       "Softmax");
}

const rg_kernel rg_kernel_gpu_softmax_loss_grad = {"softmax_with_cross_entropy_grad", "gpu",
                                                   softmax_loss_grad};

/* ---- of probabilities ---- */

static rg_status entropy(rg_ctx *ctx, const void *soft, void *match)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_cu_labels hard = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i);
    rg_value *y = rg_gpu_out(ctx, "Y");
    return rg_gpu_done(ctx,
                       rg_cu_cross_entropy(x->meta.dtype, rg_numel(y),
                                           x->meta.shape.dim[x->meta.shape.rank - 1], x->data, soft,
                                           hard, y->data, match, rg_cuda(ctx)),
                       "X");
}

static rg_status cross_entropy(rg_ctx *ctx)
{
    return entropy(ctx, soft_labels(ctx), NULL);
}

static rg_status cross_entropy2(rg_ctx *ctx)
{
    return entropy(ctx, NULL, rg_gpu_out_data(ctx, "MatchX"));
}

const rg_kernel rg_kernel_gpu_cross_entropy = {"cross_entropy", "gpu", cross_entropy};
const rg_kernel rg_kernel_gpu_cross_entropy2 = {"cross_entropy2", "gpu", cross_entropy2};

static rg_status entropy_grad(rg_ctx *ctx, const char *slot, const void *soft, bool matched)
{
    const rg_value *x = rg_gpu_in(ctx, slot), *dy = rg_gpu_in(ctx, "Y@GRAD");
    const rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    rg_cu_labels hard = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i);
    int64_t n = dx->meta.shape.dim[dx->meta.shape.rank - 1];
    return rg_gpu_done(ctx,
                       rg_cu_cross_entropy_grad(x->meta.dtype, rg_numel(dy), n, x->data, matched,
                                                soft, hard, dy->data, dx->data, rg_cuda(ctx)),
                       slot);
}

static rg_status cross_entropy_grad(rg_ctx *ctx)
{
    return entropy_grad(ctx, "X", soft_labels(ctx), false);
}

static rg_status cross_entropy_grad2(rg_ctx *ctx)
{
    return entropy_grad(ctx, "MatchX", NULL, true);
}

const rg_kernel rg_kernel_gpu_cross_entropy_grad = {"cross_entropy_grad", "gpu",
                                                    cross_entropy_grad};
const rg_kernel rg_kernel_gpu_cross_entropy_grad2 = {"cross_entropy_grad2", "gpu",
                                                     cross_entropy_grad2};

static rg_status fused_softmax_grad(rg_ctx *ctx)
{
    const rg_value *p = rg_gpu_in(ctx, "Softmax");
    rg_cu_labels hard = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i);
    int64_t n = p->meta.shape.dim[p->meta.shape.rank - 1];
    return rg_gpu_done(ctx,
                       rg_cu_softmax_loss_grad(p->meta.dtype, n ? rg_numel(p) / n : 0, n, 1,
                                               p->data, NULL, hard, rg_gpu_in_data(ctx, "Y@GRAD"),
                                               rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "Softmax");
}

const rg_kernel rg_kernel_gpu_fused_softmax_grad = {"fused_softmax_cross_entropy_grad", "gpu",
                                                    fused_softmax_grad};

/* softmax, cross_entropy2 and mean with their gradients, as pass/fuse_gather.c's companion joins
 * them. */
static rg_status fused_softmax_loss(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    int64_t n = x->meta.shape.dim[x->meta.shape.rank - 1], rows = n ? rg_numel(x) / n : 0;
    if (x->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    float *room = rg_gpu_scratch(ctx, (size_t)rg_cu_softmax_mean_room(rows, n) * sizeof *room);
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_softmax_mean(
        rows, n, x->data, rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i),
        rg_gpu_attr(ctx, "scale")->f, rg_gpu_out_data(ctx, "Softmax"), rg_gpu_out_data(ctx, "Y"),
        rg_gpu_out_data(ctx, "Loss"), rg_gpu_out_data(ctx, "X@GRAD"), room,
        rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_softmax_loss = {"fused_softmax_loss", "gpu",
                                                    fused_softmax_loss};
