/* op_coll.c - sums and broadcasts over the GPUs of all ranks, by NCCL.
 *
 * Maxima and minima are the CPU's: NCCL's lose a NaN. So are the rows of sparse gradients, whose
 * numbers differ from rank to rank. */
#include "gpu/glue.h"
#include "gpu/nccl.h"

typedef struct call {
    const rg_nccl *nccl;
    rg_nccl_comm comm;
    rg_group *group;
    const rg_value *x;
    rg_value *out;
    int dtype;
    cudaStream_t stream;
} call;

static rg_status begin(rg_ctx *ctx, int ring, call *c)
{
    c->x = rg_gpu_in(ctx, "X");
    c->out = rg_gpu_out(ctx, "Out");
    c->dtype = rg_nccl_type(c->x->meta.dtype);
    c->stream = rg_gpu_stream_of(ctx)->cuda;
    if (c->x->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "a sparse gradient");
    if (c->dtype < 0)
        return rg_gpu_leave(ctx, "this element type");
    return rg_nccl_open(ring, &c->nccl, &c->comm, &c->group);
}

static rg_status reduce(rg_ctx *ctx, rg_group_op op)
{
    call c;
    RG_TRY(begin(ctx, rg_gpu_attr(ctx, "ring_id")->i, &c));
    return rg_nccl_check(c.nccl,
                         c.nccl->ncclAllReduce(c.x->data, c.out->data, (size_t)rg_numel(c.x),
                                               c.dtype, (int)op, c.comm, c.stream),
                         "ncclAllReduce");
}

static rg_status reduce_sum(rg_ctx *ctx)
{
    return reduce(ctx, RG_GROUP_SUM);
}

static rg_status reduce_prod(rg_ctx *ctx)
{
    return reduce(ctx, RG_GROUP_PROD);
}

static rg_status broadcast(rg_ctx *ctx)
{
    call c;
    RG_TRY(begin(ctx, rg_gpu_attr(ctx, "ring_id")->i, &c));
    return rg_nccl_check(c.nccl,
                         c.nccl->ncclBroadcast(c.x->data, c.out->data, (size_t)rg_numel(c.x),
                                               c.dtype, rg_gpu_attr(ctx, "root")->i, c.comm,
                                               c.stream),
                         "ncclBroadcast");
}

static rg_status check_ranks(const rg_ctx *ctx, const call *c)
{
    int told = rg_gpu_attr(ctx, "nranks")->i;
    return told == rg_group_size(c->group)
               ? RG_OK
               : rg_fail(RG_EINVAL, "nranks is %d, and the group has %d", told,
                         rg_group_size(c->group));
}

static rg_status gather(rg_ctx *ctx)
{
    call c;
    RG_TRY(begin(ctx, rg_gpu_attr(ctx, "ring_id")->i, &c));
    RG_TRY(check_ranks(ctx, &c));
    return rg_nccl_check(c.nccl,
                         c.nccl->ncclAllGather(c.x->data, c.out->data, (size_t)rg_numel(c.x),
                                               c.dtype, c.comm, c.stream),
                         "ncclAllGather");
}

static rg_status scatter(rg_ctx *ctx)
{
    call c;
    RG_TRY(begin(ctx, rg_gpu_attr(ctx, "ring_id")->i, &c));
    RG_TRY(check_ranks(ctx, &c));
    return rg_nccl_check(c.nccl,
                         c.nccl->ncclReduceScatter(c.x->data, c.out->data, (size_t)rg_numel(c.out),
                                                   c.dtype, (int)RG_GROUP_SUM, c.comm, c.stream),
                         "ncclReduceScatter");
}

const rg_kernel rg_kernel_gpu_c_allreduce_sum = {"c_allreduce_sum", "gpu", reduce_sum};
const rg_kernel rg_kernel_gpu_c_allreduce_prod = {"c_allreduce_prod", "gpu", reduce_prod};
const rg_kernel rg_kernel_gpu_c_broadcast = {"c_broadcast", "gpu", broadcast};
const rg_kernel rg_kernel_gpu_c_allgather = {"c_allgather", "gpu", gather};
const rg_kernel rg_kernel_gpu_c_reducescatter = {"c_reducescatter", "gpu", scatter};
