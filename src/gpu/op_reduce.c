/* op_reduce.c - mean, reduce_* and their gradients. */
#include "gpu/glue.h"

static rg_status reduce_dims(rg_ctx *ctx, enum rg_cu_reduce how, const rg_value *x, unsigned gone,
                             rg_value *out)
{
    int64_t kept = rg_numel(out), all = rg_numel(x);
    void *room = rg_gpu_scratch(ctx, rg_cu_reduce_room(kept, kept ? all / kept : 0));
    if (room == NULL)
        return RG_ENOMEM;
    return rg_gpu_done(ctx,
                       rg_cu_reduce(how, x->meta.dtype, x->meta.shape.rank, x->meta.shape.dim, gone,
                                    x->data, out->data, room, rg_gpu_stream_of(ctx)->counters,
                                    rg_cuda(ctx)),
                       "X");
}

static rg_status mean(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    if (x->meta.dtype != RG_F32 && x->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    return reduce_dims(ctx, RG_CU_MEAN, x, (1u << x->meta.shape.rank) - 1, rg_gpu_out(ctx, "Out"));
}

const rg_kernel rg_kernel_gpu_mean = {"mean", "gpu", mean};

static rg_status mean_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    int64_t n = rg_numel(dx);
    return rg_gpu_done(ctx,
                       rg_cu_reduce_grad(RG_CU_MEAN, dout->meta.dtype, 1, &n, 1, NULL, NULL,
                                         dout->data, dx->data, rg_cuda(ctx)),
                       "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_mean_grad = {"mean_grad", "gpu", mean_grad};

/* ---- along dimensions ---- */

/* Bits of the dimensions that go. */
static unsigned gone_of(const rg_ctx *ctx, const rg_shape *x)
{
    const rg_attr *dims = rg_gpu_attr(ctx, "dim");
    unsigned bits = 0;
    if (rg_gpu_attr(ctx, "reduce_all")->b || dims->n == 0)
        return (1u << x->rank) - 1;
    for (int i = 0; i < dims->n; i++)
        bits |= 1u << (dims->ints[i] < 0 ? dims->ints[i] + x->rank : dims->ints[i]);
    return bits;
}

static rg_status reduce(rg_ctx *ctx, enum rg_cu_reduce how)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *out = rg_gpu_out(ctx, "Out");
    if (rg_numel(x) == 0)
        return rg_gpu_zero(ctx, out->data, rg_value_bytes(out));
    return reduce_dims(ctx, how, x, gone_of(ctx, &x->meta.shape), out);
}

static rg_status reduce_grad(rg_ctx *ctx, enum rg_cu_reduce how)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    bool plain = how == RG_CU_SUM || how == RG_CU_MEAN; /* reads neither X nor Out */
    return rg_gpu_done(ctx,
                       rg_cu_reduce_grad(how, dout->meta.dtype, dx->meta.shape.rank,
                                         dx->meta.shape.dim, gone_of(ctx, &dx->meta.shape),
                                         plain ? NULL : rg_gpu_in_data(ctx, "X"),
                                         plain ? NULL : rg_gpu_in_data(ctx, "Out"), dout->data,
                                         dx->data, rg_cuda(ctx)),
                       "Out@GRAD");
}

#define REDUCE(NAME, HOW)                              \
    static rg_status reduce_##NAME(rg_ctx *ctx)        \
    {                                                  \
        return reduce(ctx, HOW);                       \
    }                                                  \
    static rg_status reduce_##NAME##_grad(rg_ctx *ctx) \
    {                                                  \
        return reduce_grad(ctx, HOW);                  \
    }
REDUCE(sum, RG_CU_SUM)
REDUCE(mean, RG_CU_MEAN)
REDUCE(max, RG_CU_MAX)
REDUCE(min, RG_CU_MIN)
REDUCE(prod, RG_CU_PROD)

const rg_kernel rg_kernel_gpu_reduce_sum = {"reduce_sum", "gpu", reduce_sum};
const rg_kernel rg_kernel_gpu_reduce_sum_grad = {"reduce_sum_grad", "gpu", reduce_sum_grad};
const rg_kernel rg_kernel_gpu_reduce_mean = {"reduce_mean", "gpu", reduce_mean};
const rg_kernel rg_kernel_gpu_reduce_mean_grad = {"reduce_mean_grad", "gpu", reduce_mean_grad};
const rg_kernel rg_kernel_gpu_reduce_max = {"reduce_max", "gpu", reduce_max};
const rg_kernel rg_kernel_gpu_reduce_max_grad = {"reduce_max_grad", "gpu", reduce_max_grad};
const rg_kernel rg_kernel_gpu_reduce_min = {"reduce_min", "gpu", reduce_min};
const rg_kernel rg_kernel_gpu_reduce_min_grad = {"reduce_min_grad", "gpu", reduce_min_grad};
const rg_kernel rg_kernel_gpu_reduce_prod = {"reduce_prod", "gpu", reduce_prod};
const rg_kernel rg_kernel_gpu_reduce_prod_grad = {"reduce_prod_grad", "gpu", reduce_prod_grad};
