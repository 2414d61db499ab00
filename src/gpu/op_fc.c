/* op_fc.c - fused_fc and its gradient, with the SGD step where it has one: see ops/fused_fc.c.
 *
 * A layer of a few columns is a kernel each way. Else the
 * way back is one kernel for the activation and the bias, and two products, of which the second
 * goes straight into the weight. Small ones run side by side, the first on a copy of the weight. Of
 * large ones in TF32 the second is one of turned matrices: the GPU's best kernels want both
 * operands along the sum.
 *
 * X may have more columns than the weight has rows, of zeros, so that rows are aligned; behind the
 * weight there are zeros, too (gpu/memory.c), which the products read, and to which they add zeros.
 */
#include "gpu/glue.h"
#include "gpu/side.h"

#include <string.h>

enum { LARGE = 8192 }; /* rows from which a product fills the GPU */

typedef struct layer {
    int64_t m, n, k;
    enum rg_cu_act act;
} layer;

static rg_status layer_of(const rg_ctx *ctx, layer *l)
{
    static const char *const names[] = {"", "relu", "sigmoid", "tanh"};
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *w = &rg_gpu_in(ctx, "W")->meta.shape;
    const char *act = rg_gpu_attr(ctx, "act")->s;
    int cols = rg_gpu_attr(ctx, "x_num_col_dims")->i;
    *l = (layer){rg_shape_product(x, 0, cols), w->dim[1], rg_shape_product(x, cols, x->rank),
                 RG_CU_NONE};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], act) == 0) {
            l->act = (enum rg_cu_act)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "activation %s", act);
}

static rg_status fc(rg_ctx *ctx)
{
    layer l;
    RG_TRY(layer_of(ctx, &l));
    const float *x = rg_gpu_in_data(ctx, "X"), *w = rg_gpu_in_data(ctx, "W");
    const float *bias = rg_gpu_in_data(ctx, "Bias");
    float *out = rg_gpu_out_data(ctx, "Out");
    if (l.n <= RG_CU_THIN) {
        rg_cu_thin_fc(l.act, l.m, l.n, l.k, x, w, bias, out, rg_cuda(ctx));
        return rg_gpu_done(ctx, true, "X");
    }
    rg_gpu_product p = {.m = l.m,
                        .n = l.n,
                        .k = l.k,
                        .a = x,
                        .b = w,
                        .c = out,
                        .dtype = RG_F32,
                        .alpha = 1,
                        .bias = bias,
                        .end = l.act == RG_CU_RELU ? RG_GPU_END_BIAS_RELU : RG_GPU_END_BIAS};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &p));
    if (l.act == RG_CU_SIGMOID || l.act == RG_CU_TANH)
        rg_cu_activate(l.act, l.m * l.n, out, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_fused_fc = {"fused_fc", "gpu", fc, RG_KERNEL_PADS, NULL};

static rg_status thin_grad(rg_ctx *ctx, const layer *l)
{
    float *room = rg_gpu_scratch(ctx, (size_t)rg_cu_thin_fc_back_room(l->m, l->n, l->k) * 4);
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_thin_back b = {.act = (int)l->act,
                         .n = (int)l->n,
                         .m = l->m,
                         .k = l->k,
                         .x = rg_gpu_in_data(ctx, "X"),
                         .w = rg_gpu_in_data(ctx, "W"),
                         .out = rg_gpu_in_data(ctx, "Out"),
                         .dout = rg_gpu_in_data(ctx, "Out@GRAD"),
                         .rate = rg_gpu_in_data(ctx, "LearningRate"),
                         .dx = rg_gpu_out_data(ctx, "X@GRAD"),
                         .dw = rg_gpu_out_data(ctx, "W@GRAD"),
                         .dbias = rg_gpu_out_data(ctx, "Bias@GRAD"),
                         .w_out = rg_gpu_out_data(ctx, "WOut"),
                         .bias_out = rg_gpu_out_data(ctx, "BiasOut"),
                         .room = room};
    rg_cu_thin_fc_back(&b, rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

/* What the products of the way back work on, beside X and W; NULL: not made. */
typedef struct parts {
    const float *dz;
    float *dz_turned, *x_turned, *w_copy, *scale, *sums;
} parts;

/* Memory for n floats behind what was taken. */
static float *take(float **room, int64_t n)
{
    float *at = *room;
    *room += (n + 63) / 64 * 64;
    return at;
}

static rg_status through(rg_ctx *ctx, const layer *l, parts *p)
{
    const rg_gpu_stream *stream = rg_gpu_stream_of(ctx);
    bool steps = rg_gpu_out(ctx, "WOut") != NULL, both = steps && rg_gpu_out(ctx, "X@GRAD") != NULL;
    bool turned = steps && rg_gpu_out(ctx, "W@GRAD") == NULL && stream->tf32 && l->m >= LARGE &&
                  l->m % 4 == 0;
    int64_t z = l->m * l->n, x = l->m * l->k, w = l->k * l->n,
            sums = rg_cu_fc_back_room(l->m, l->n);
    int64_t all = 2 * z + (turned ? x : 0) + w + sums + 6 * 64;
    float *room = rg_gpu_scratch(ctx, (size_t)all * sizeof *room), *own;
    if (room == NULL)
        return RG_ENOMEM;
    own = l->act == RG_CU_NONE ? NULL : take(&room, z);
    *p = (parts){.dz = own ? own : rg_gpu_in_data(ctx, "Out@GRAD"),
                 .dz_turned = turned ? take(&room, z) : NULL,
                 .x_turned = turned ? take(&room, x) : NULL,
                 .w_copy = both && l->m < LARGE ? take(&room, w) : NULL,
                 .scale = take(&room, 64),
                 .sums = take(&room, sums)};
    rg_cu_back b = {.act = (int)l->act,
                    .m = l->m,
                    .n = l->n,
                    .out = rg_gpu_in_data(ctx, "Out"),
                    .dout = rg_gpu_in_data(ctx, "Out@GRAD"),
                    .dz = own,
                    .dz_turned = p->dz_turned,
                    .dbias = rg_gpu_out_data(ctx, "Bias@GRAD"),
                    .bias = rg_gpu_out_data(ctx, "BiasOut"),
                    .rate = rg_gpu_in_data(ctx, "LearningRate"),
                    .scale = p->scale,
                    .room = p->sums,
                    .copy_from = rg_gpu_in_data(ctx, "W"),
                    .copy_to = p->w_copy,
                    .copy_size = w};
    rg_cu_fc_back(&b, stream->counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

/* W -= rate X^T dZ */
static rg_status step(rg_ctx *ctx, rg_gpu_stream *stream, const layer *l, const parts *p)
{
    rg_gpu_product dw = {.m = l->k,
                         .n = l->n,
                         .k = l->m,
                         .c = rg_gpu_out_data(ctx, "WOut"),
                         .dtype = RG_F32,
                         .device_alpha = p->scale};
    dw.trans_a = p->x_turned == NULL;
    dw.trans_b = p->x_turned != NULL;
    dw.a = p->x_turned ? p->x_turned : rg_gpu_in_data(ctx, "X");
    dw.b = p->x_turned ? p->dz_turned : p->dz;
    return rg_gpu_matmul(stream, &dw);
}

static rg_status multiply_back(rg_ctx *ctx, const layer *l, const parts *p)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(ctx), branch;
    rg_gpu_product dx = {.trans_b = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .a = p->dz,
                         .b = rg_gpu_in_data(ctx, "W"),
                         .c = rg_gpu_out_data(ctx, "X@GRAD"),
                         .dtype = RG_F32,
                         .alpha = 1};
    rg_gpu_product dw = {.trans_a = true,
                         .m = l->k,
                         .n = l->n,
                         .k = l->m,
                         .a = rg_gpu_in_data(ctx, "X"),
                         .b = p->dz,
                         .c = rg_gpu_out_data(ctx, "W@GRAD"),
                         .dtype = RG_F32,
                         .alpha = 1};
    bool steps = rg_gpu_out(ctx, "WOut") != NULL;
    if (dw.c != NULL)
        RG_TRY(rg_gpu_matmul(stream, &dw));
    if (p->w_copy != NULL && rg_gpu_fork(stream, &branch)) {
        dx.b = p->w_copy;
        RG_TRY(step(ctx, &branch, l, p));
        RG_TRY(rg_gpu_matmul(stream, &dx));
        return rg_gpu_join(stream, &branch);
    }
    if (dx.c != NULL) /* before W is changed */
        RG_TRY(rg_gpu_matmul(stream, &dx));
    return steps ? step(ctx, stream, l, p) : RG_OK;
}

/* X is turned, which is all memory, beside the product of dX, which is all sums. */
static rg_status turn_and_multiply(rg_ctx *ctx, const layer *l, const parts *p)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(ctx), branch;
    rg_gpu_product dx = {.trans_b = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .a = p->dz,
                         .b = rg_gpu_in_data(ctx, "W"),
                         .c = rg_gpu_out_data(ctx, "X@GRAD"),
                         .dtype = RG_F32,
                         .alpha = 1};
    bool forked = dx.c != NULL && rg_gpu_fork(stream, &branch);
    rg_cu_turn(l->m, l->k, rg_gpu_in_data(ctx, "X"), p->x_turned,
               forked ? branch.cuda : stream->cuda);
    RG_TRY(rg_gpu_done(ctx, true, "X"));
    rg_status code = dx.c != NULL ? rg_gpu_matmul(stream, &dx) : RG_OK;
    if (forked)
        RG_TRY(rg_gpu_join(stream, &branch));
    RG_TRY(code);
    return step(ctx, stream, l, p);
}

static rg_status fc_grad(rg_ctx *ctx)
{
    layer l;
    parts p;
    RG_TRY(layer_of(ctx, &l));
    if (l.n > 32 * RG_GPU_COUNTERS || l.k > 32 * RG_GPU_COUNTERS)
        return rg_gpu_leave(ctx, "so wide a layer");
    if (l.n <= RG_CU_THIN)
        return thin_grad(ctx, &l);
    RG_TRY(through(ctx, &l, &p));
    if (p.x_turned != NULL)
        return turn_and_multiply(ctx, &l, &p);
    return multiply_back(ctx, &l, &p);
}

const rg_kernel rg_kernel_gpu_fused_fc_grad = {"fused_fc_grad", "gpu", fc_grad, RG_KERNEL_PADS,
                                               NULL};
