/* glue.h - what the op_*.c files share: arguments by name, and what becomes of a launch. */
#ifndef RG_GPU_GLUE_H
#define RG_GPU_GLUE_H

#include "gpu/gpu.h"
#include "gpu/launch.h"

#include <string.h>

/* Device memory of an argument; NULL where it is absent. */
static inline const void *rg_gpu_in_data(const rg_ctx *ctx, const char *slot)
{
    const rg_value *value = rg_gpu_in(ctx, slot);
    return value ? value->data : NULL;
}

static inline void *rg_gpu_out_data(const rg_ctx *ctx, const char *slot)
{
    rg_value *value = rg_gpu_out(ctx, slot);
    return value ? value->data : NULL;
}

static inline cudaStream_t rg_cuda(const rg_ctx *ctx)
{
    return rg_gpu_stream_of(ctx)->cuda;
}

/* Of which op and input a kernel finds something wrong. */
static inline rg_gpu_site rg_gpu_site_of(const rg_ctx *ctx, int kind, const char *slot)
{
    return (rg_gpu_site){rg_gpu_stream_of(ctx)->fault, ctx, kind, rg_gpu_in_slot(ctx, slot)};
}

/* What a launcher's answer means for the kernel: RG_EUNIMPL, naming the slot, where it had none for
 * the type; then the CPU's is run. */
static inline rg_status rg_gpu_done(const rg_ctx *ctx, bool launched, const char *slot)
{
    if (!launched)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, slot));
    RG_GPU_TRY(cudaGetLastError());
    return RG_OK;
}

/* For what a kernel here does not do. */
static inline rg_status rg_gpu_leave(const rg_ctx *ctx, const char *what)
{
    return rg_fail(RG_EUNIMPL, "op %s: %s is not implemented on GPUs", ctx->op->type, what);
}

static inline rg_status rg_gpu_zero(const rg_ctx *ctx, void *memory, size_t bytes)
{
    if (bytes > 0)
        RG_GPU_TRY(cudaMemsetAsync(memory, 0, bytes, rg_cuda(ctx)));
    return RG_OK;
}

static inline rg_status rg_gpu_copy_to(const rg_ctx *ctx, void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && to != from)
        RG_GPU_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, rg_cuda(ctx)));
    return RG_OK;
}

/* A tensor taken as [outer, n, inner] at an axis that may count from the end. */
typedef struct rg_gpu_cut {
    int64_t outer, n, inner;
} rg_gpu_cut;

static inline rg_gpu_cut rg_gpu_cut_at(const rg_shape *shape, int axis)
{
    axis += axis < 0 ? shape->rank : 0;
    return (rg_gpu_cut){rg_shape_product(shape, 0, axis), shape->dim[axis],
                        rg_shape_product(shape, axis + 1, shape->rank)};
}

/* Of an activation's name, as ops have it. */
static inline rg_status rg_gpu_act_of(const char *name, enum rg_cu_act *act)
{
    static const char *const names[] = {"", "relu", "sigmoid", "tanh"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) {
            *act = (enum rg_cu_act)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "activation %s", name);
}

/* Labels of an input, for the kernels of loss.cu. */
static inline rg_cu_labels rg_gpu_labels(const rg_ctx *ctx, const char *slot, int64_t ignored)
{
    const rg_value *label = rg_gpu_in(ctx, slot);
    return (rg_cu_labels){label->data, label->meta.dtype == RG_I64, ignored,
                          rg_gpu_site_of(ctx, RG_FAULT_LABEL, slot)};
}

#endif
