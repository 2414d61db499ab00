/* op_metric.c - top_k, accuracy, auc. */
#include "gpu/glue.h"

static rg_status top_k(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    int64_t n = x->meta.shape.dim[x->meta.shape.rank - 1];
    int k = rg_gpu_attr(ctx, "k")->i;
    if (rg_gpu_in(ctx, "K") != NULL || k > RG_CU_TOP)
        return rg_gpu_leave(ctx, "a k that is a tensor, or above 16");
    return rg_gpu_done(ctx,
                       rg_cu_top_k(x->meta.dtype, n ? rg_numel(x) / n : 0, n, k, x->data,
                                   rg_gpu_out_data(ctx, "Out"), rg_gpu_out_data(ctx, "Indices"),
                                   rg_cuda(ctx)),
                       "X");
}

static rg_status top_k_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    int last = dx->meta.shape.rank - 1;
    int64_t n = dx->meta.shape.dim[last], k = dout->meta.shape.dim[last];
    return rg_gpu_done(ctx,
                       rg_cu_top_k_grad(dout->meta.dtype, k ? rg_numel(dout) / k : 0, n, (int)k,
                                        dout->data, rg_gpu_in_data(ctx, "Indices"), dx->data,
                                        rg_gpu_site_of(ctx, RG_FAULT_INDEX, "Indices"),
                                        rg_cuda(ctx)),
                       "Out@GRAD");
}

static rg_status accuracy(rg_ctx *ctx)
{
    const rg_value *indices = rg_gpu_in(ctx, "Indices"), *label = rg_gpu_in(ctx, "Label");
    rg_cu_accuracy(indices->meta.shape.dim[0], indices->meta.shape.dim[1], indices->data,
                   indices->meta.dtype == RG_I64, label->data, label->meta.dtype == RG_I64,
                   rg_gpu_out_data(ctx, "Accuracy"), rg_gpu_out_data(ctx, "Correct"),
                   rg_gpu_out_data(ctx, "Total"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "Indices");
}

static rg_status auc(rg_ctx *ctx)
{
    const rg_value *predict = rg_gpu_in(ctx, "Predict"), *label = rg_gpu_in(ctx, "Label");
    rg_value *pos = rg_gpu_out(ctx, "StatPosOut"), *neg = rg_gpu_out(ctx, "StatNegOut");
    int64_t bins = rg_gpu_attr(ctx, "num_thresholds")->i + 1;
    int64_t steps = rg_gpu_attr(ctx, "slide_steps")->i, *room = NULL;
    if (label->meta.dtype != RG_I64 && label->meta.dtype != RG_I32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Label"));
    if (predict->meta.dtype != RG_F32 && predict->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Predict"));
    if (steps > 0 && (room = rg_gpu_scratch(ctx, (size_t)(2 * bins) * sizeof *room)) == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_gpu_copy_to(ctx, pos->data, rg_gpu_in_data(ctx, "StatPos"), rg_value_bytes(pos)));
    RG_TRY(rg_gpu_copy_to(ctx, neg->data, rg_gpu_in_data(ctx, "StatNeg"), rg_value_bytes(neg)));
    return rg_gpu_done(ctx,
                       rg_cu_auc(predict->meta.dtype, predict->meta.shape.dim[0],
                                 predict->meta.shape.dim[1], predict->data, label->data,
                                 label->meta.dtype == RG_I64, bins, steps, pos->data, neg->data,
                                 room, rg_gpu_out_data(ctx, "AUC"),
                                 rg_gpu_site_of(ctx, RG_FAULT_PREDICTION, "Predict"),
                                 rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx)),
                       "Predict");
}

/* Its area is float64, which the default rule would leave to the CPU. */
static bool takes(const struct rg_opdesc *op)
{
    (void)op;
    return true;
}

const rg_kernel rg_kernel_gpu_top_k = {"top_k", "gpu", top_k};
const rg_kernel rg_kernel_gpu_top_k_grad = {"top_k_grad", "gpu", top_k_grad};
const rg_kernel rg_kernel_gpu_accuracy = {"accuracy", "gpu", accuracy};
const rg_kernel rg_kernel_gpu_auc = {"auc", "gpu", auc, .takes = takes};
