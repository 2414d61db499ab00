/* op_fc.c - fused_fc and its gradient, with the SGD step where it has one: see ops/fused_fc.c.
 *
 * A layer of a few columns is one kernel each way. Else the way back is one kernel for the
 * activation and the bias, and two products, of which the second goes straight into the weight. */
#include "gpu/glue.h"

#include <string.h>

typedef struct layer {
    int64_t m, n, k;
    enum rg_cu_act act;
} layer;

static rg_status layer_of(const rg_ctx *ctx, layer *l)
{
    static const char *const names[] = {"", "relu", "sigmoid", "tanh"};
    const rg_shape *x = &rg_gpu_in(ctx, "X")->meta.shape, *w = &rg_gpu_in(ctx, "W")->meta.shape;
    const char *act = rg_gpu_attr(ctx, "act")->s;
    *l = (layer){rg_shape_product(x, 0, rg_gpu_attr(ctx, "x_num_col_dims")->i), w->dim[1],
                 w->dim[0], RG_CU_NONE};
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

const rg_kernel rg_kernel_gpu_fused_fc = {"fused_fc", "gpu", fc};

static rg_status thin_grad(rg_ctx *ctx, const layer *l)
{
    float *room = rg_gpu_scratch(ctx, (size_t)rg_cu_thin_fc_back_room(l->m, l->n, l->k) * 4);
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_thin_fc_back(l->act, l->m, l->n, l->k, rg_gpu_in_data(ctx, "X"), rg_gpu_in_data(ctx, "W"),
                       rg_gpu_in_data(ctx, "Out"), rg_gpu_in_data(ctx, "Out@GRAD"),
                       rg_gpu_out_data(ctx, "X@GRAD"), rg_gpu_out_data(ctx, "W@GRAD"),
                       rg_gpu_out_data(ctx, "Bias@GRAD"), rg_gpu_out_data(ctx, "WOut"),
                       rg_gpu_out_data(ctx, "BiasOut"), rg_gpu_in_data(ctx, "LearningRate"), room,
                       rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

/* What each product of the way back needs. */
static rg_status multiply_back(rg_ctx *ctx, const layer *l, const float *dz, const float *scale)
{
    rg_gpu_stream *stream = rg_gpu_stream_of(ctx);
    rg_gpu_product dx = {.trans_b = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .a = dz,
                         .b = rg_gpu_in_data(ctx, "W"),
                         .c = rg_gpu_out_data(ctx, "X@GRAD"),
                         .dtype = RG_F32,
                         .alpha = 1};
    rg_gpu_product dw = {.trans_a = true,
                         .m = l->k,
                         .n = l->n,
                         .k = l->m,
                         .a = rg_gpu_in_data(ctx, "X"),
                         .b = dz,
                         .c = rg_gpu_out_data(ctx, "W@GRAD"),
                         .dtype = RG_F32,
                         .alpha = 1};
    /* dX before W is changed. */
    if (dx.c != NULL)
        RG_TRY(rg_gpu_matmul(stream, &dx));
    if (dw.c != NULL)
        RG_TRY(rg_gpu_matmul(stream, &dw));
    if ((dw.c = rg_gpu_out_data(ctx, "WOut")) == NULL)
        return RG_OK;
    dw.device_alpha = scale;
    return rg_gpu_matmul(stream, &dw);
}

static rg_status fc_grad(rg_ctx *ctx)
{
    layer l;
    RG_TRY(layer_of(ctx, &l));
    if (l.n <= RG_CU_THIN)
        return thin_grad(ctx, &l);
    int64_t own = l.act == RG_CU_NONE ? 0 : l.m * l.n, sums = rg_cu_fc_back_room(l.m, l.n);
    float *room = rg_gpu_scratch(ctx, (size_t)(own + 64 + sums) * sizeof *room);
    if (room == NULL)
        return RG_ENOMEM;
    float *dz = own ? room : NULL, *scale = room + own;
    rg_cu_fc_back(l.act, l.m, l.n, rg_gpu_in_data(ctx, "Out"), rg_gpu_in_data(ctx, "Out@GRAD"), dz,
                  rg_gpu_out_data(ctx, "Bias@GRAD"), rg_gpu_out_data(ctx, "BiasOut"),
                  rg_gpu_in_data(ctx, "LearningRate"), scale, scale + 64,
                  rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx));
    RG_TRY(rg_gpu_done(ctx, true, "X"));
    return multiply_back(ctx, &l, dz ? dz : rg_gpu_in_data(ctx, "Out@GRAD"), scale);
}

const rg_kernel rg_kernel_gpu_fused_fc_grad = {"fused_fc_grad", "gpu", fc_grad};
