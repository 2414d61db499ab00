/* op_fc_loss.c - fused_fc_loss: see ops/fused_fc_loss.c. The step of its weight, which nobody
 * behind it reads, runs beside the ops that follow (side.h). Where its kernel does not take the
 * sizes it is the kernels of the layer, of the loss and of the way back. */
#include "gpu/glue.h"
#include "gpu/side.h"

static rg_status apart(rg_ctx *ctx, const rg_cu_fc_loss *b)
{
    int64_t z = b->m * b->n, loss = rg_cu_softmax_mean_room(b->m, b->n);
    int64_t back = rg_cu_thin_fc_back_room(b->m, b->n, b->k);
    float *room = rg_gpu_scratch(ctx, (size_t)(2 * z + (loss > back ? loss : back)) * sizeof *room);
    unsigned *counters = rg_gpu_stream_of(ctx)->counters;
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_thin_fc(RG_CU_NONE, b->m, b->n, b->k, b->x, b->w, b->bias, room, rg_cuda(ctx));
    rg_cu_softmax_mean(b->m, b->n, room, b->labels, b->scale, b->softmax, b->y, b->loss, room + z,
                       room + 2 * z, counters, rg_cuda(ctx));
    rg_cu_thin_back to = {.act = RG_CU_NONE,
                          .x_act = b->x_act,
                          .n = (int)b->n,
                          .m = b->m,
                          .k = b->k,
                          .rows = b->k,
                          .x = b->x,
                          .w = b->w,
                          .dout = room + z,
                          .rate = b->rate,
                          .dx = b->dx,
                          .w_out = b->w_out,
                          .bias_out = b->bias_out,
                          .room = room + 2 * z};
    rg_cu_thin_fc_back(&to, counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

static rg_status fc_loss(rg_ctx *ctx)
{
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *w = &rg_gpu_in(ctx, "W")->meta.shape;
    enum rg_cu_act x_act;
    RG_TRY(rg_gpu_act_of(rg_gpu_attr(ctx, "x_act")->s, &x_act));
    rg_cu_fc_loss b = {.x_act = (int)x_act,
                       .m = x->dim[0],
                       .n = w->dim[1],
                       .k = w->dim[0],
                       .scale = rg_gpu_attr(ctx, "scale")->f,
                       .labels = rg_gpu_labels(ctx, "Label", rg_gpu_attr(ctx, "ignore_index")->i),
                       .x = rg_gpu_in_data(ctx, "X"),
                       .w = rg_gpu_in_data(ctx, "W"),
                       .bias = rg_gpu_in_data(ctx, "Bias"),
                       .rate = rg_gpu_in_data(ctx, "LearningRate"),
                       .softmax = rg_gpu_out_data(ctx, "Softmax"),
                       .y = rg_gpu_out_data(ctx, "Y"),
                       .loss = rg_gpu_out_data(ctx, "Loss"),
                       .dx = rg_gpu_out_data(ctx, "X@GRAD"),
                       .w_out = rg_gpu_out_data(ctx, "WOut"),
                       .bias_out = rg_gpu_out_data(ctx, "BiasOut")};
    rg_gpu_stream *stream = rg_gpu_stream_of(ctx), branch;
    if (b.n > RG_CU_THIN || b.k > 32 * RG_GPU_COUNTERS)
        return rg_gpu_leave(ctx, "so wide a layer");
    RG_TRY(rg_gpu_meet(stream, b.w));
    if (!rg_cu_fc_loss_takes(b.n, b.k) || (uintptr_t)b.x % 16 != 0 || (uintptr_t)b.dx % 16 != 0)
        return apart(ctx, &b);
    b.room = rg_gpu_scratch(ctx, (size_t)rg_cu_fc_loss_room(b.m, b.n, b.k) * sizeof *b.room);
    if (b.room == NULL)
        return RG_ENOMEM;
    rg_cu_fc_loss_run(&b, stream->cuda);
    rg_gpu_trail(stream, b.w, &branch);
    rg_cu_fc_loss_sum(&b, branch.cuda);
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc_loss = {"fused_fc_loss", "gpu", fc_loss, RG_KERNEL_TRAILS,
                                               NULL};
