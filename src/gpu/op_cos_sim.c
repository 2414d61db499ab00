/* op_cos_sim.c - the cosine between rows. */
#include "gpu/glue.h"

static rg_status cos_sim(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X"), *y = rg_gpu_in(ctx, "Y");
    int64_t rows = x->meta.shape.dim[0], others = y->meta.shape.dim[0];
    float *x_norm = rg_gpu_out_data(ctx, "XNorm"), *y_norm = rg_gpu_out_data(ctx, "YNorm");
    if (x->meta.dtype != RG_F32 || x_norm == NULL || y_norm == NULL)
        return rg_gpu_leave(ctx, "another type, or a norm that nobody asks for");
    rg_cu_cos_sim(rows, rg_value_width(x), others != rows, x->data, y->data,
                  rg_gpu_out_data(ctx, "Out"), x_norm, y_norm, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

static rg_status cos_sim_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X"), *y = rg_gpu_in(ctx, "Y");
    int64_t rows = x->meta.shape.dim[0], others = y->meta.shape.dim[0];
    if (x->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    rg_cu_cos_sim_grad(
        rows, rg_value_width(x), others != rows, x->data, y->data, rg_gpu_in_data(ctx, "XNorm"),
        rg_gpu_in_data(ctx, "YNorm"), rg_gpu_in_data(ctx, "Out"), rg_gpu_in_data(ctx, "Out@GRAD"),
        rg_gpu_out_data(ctx, "X@GRAD"), rg_gpu_out_data(ctx, "Y@GRAD"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_cos_sim = {"cos_sim", "gpu", cos_sim};
const rg_kernel rg_kernel_gpu_cos_sim_grad = {"cos_sim_grad", "gpu", cos_sim_grad};
