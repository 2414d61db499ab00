/* op_conv.c - conv2d as products over columns, pool2d. */
#include "gpu/glue.h"
#include "ops/convolve.h"
#include "ops/pooling.h"

#include <string.h>

typedef struct conv {
    rg_cu_conv c;
    int64_t filters, depth, windows; /* depth: of a column, channels * taps */
} conv;

static rg_status conv_of(const rg_ctx *ctx, conv *to)
{
    const rg_value *image = rg_gpu_in(ctx, "Input"), *filter = rg_gpu_in(ctx, "Filter");
    rg_conv c;
    RG_TRY(rg_convolve_shape(ctx, &image->meta.shape, &filter->meta.shape, NULL, &c));
    if (image->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Input"));
    if (rg_gpu_attr(ctx, "groups")->i != 1 || c.channels_last || image->meta.shape.rank != 4)
        return rg_gpu_leave(ctx, "groups, or channels that stand last");
    const rg_shape *x = &image->meta.shape, *f = &filter->meta.shape;
    to->c = (rg_cu_conv){.images = x->dim[0], .channels = x->dim[1]};
    for (int i = 0; i < 2; i++) {
        to->c.in[i] = x->dim[2 + i];
        to->c.out[i] = c.out[i];
        to->c.kernel[i] = f->dim[2 + i];
        to->c.stride[i] = c.stride[i];
        to->c.dilation[i] = c.dilation[i];
        to->c.before[i] = c.before[i];
    }
    to->filters = f->dim[0];
    to->depth = x->dim[1] * f->dim[2] * f->dim[3];
    to->windows = c.out[0] * c.out[1];
    return RG_OK;
}

static float *columns_room(rg_ctx *ctx, const conv *c)
{
    return rg_gpu_scratch(ctx, (size_t)(c->c.images * c->depth * c->windows) * sizeof(float));
}

static rg_status conv2d(rg_ctx *ctx)
{
    conv c;
    RG_TRY(conv_of(ctx, &c));
    if (rg_gpu_in(ctx, "Bias") != NULL)
        return rg_gpu_leave(ctx, "a bias");
    float *columns = columns_room(ctx, &c);
    if (columns == NULL)
        return RG_ENOMEM;
    rg_cu_to_columns(&c.c, rg_gpu_in_data(ctx, "Input"), columns, rg_cuda(ctx));
    rg_gpu_product p = {.m = c.filters,
                        .n = c.windows,
                        .k = c.depth,
                        .a = rg_gpu_in_data(ctx, "Filter"),
                        .b = columns,
                        .c = rg_gpu_out_data(ctx, "Output"),
                        .dtype = RG_F32,
                        .alpha = 1,
                        .batch = c.c.images,
                        .stride_b = c.depth * c.windows,
                        .stride_c = c.filters * c.windows};
    return c.c.images > 0 ? rg_gpu_matmul(rg_gpu_stream_of(ctx), &p) : RG_OK;
}

static rg_status image_grad(rg_ctx *ctx, const conv *c, float *columns)
{
    rg_gpu_product p = {.trans_a = true,
                        .m = c->depth,
                        .n = c->windows,
                        .k = c->filters,
                        .a = rg_gpu_in_data(ctx, "Filter"),
                        .b = rg_gpu_in_data(ctx, "Output@GRAD"),
                        .c = columns,
                        .dtype = RG_F32,
                        .alpha = 1,
                        .batch = c->c.images,
                        .stride_b = c->filters * c->windows,
                        .stride_c = c->depth * c->windows};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &p));
    rg_cu_from_columns(&c->c, columns, rg_gpu_out_data(ctx, "Input@GRAD"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "Input");
}

/* A gradient for each image, which are added up. */
static rg_status filter_grad(rg_ctx *ctx, const conv *c, float *columns)
{
    int64_t size = c->filters * c->depth, dim[2] = {c->c.images, size};
    float *each = rg_gpu_scratch(ctx, (size_t)(c->c.images * size) * sizeof *each);
    void *room = rg_gpu_scratch(ctx, rg_cu_reduce_room(size, c->c.images));
    if (each == NULL || room == NULL)
        return RG_ENOMEM;
    rg_cu_to_columns(&c->c, rg_gpu_in_data(ctx, "Input"), columns, rg_cuda(ctx));
    rg_gpu_product p = {.trans_b = true,
                        .m = c->filters,
                        .n = c->depth,
                        .k = c->windows,
                        .a = rg_gpu_in_data(ctx, "Output@GRAD"),
                        .b = columns,
                        .c = each,
                        .dtype = RG_F32,
                        .alpha = 1,
                        .batch = c->c.images,
                        .stride_a = c->filters * c->windows,
                        .stride_b = c->depth * c->windows,
                        .stride_c = size};
    RG_TRY(rg_gpu_matmul(rg_gpu_stream_of(ctx), &p));
    return rg_gpu_done(ctx,
                       rg_cu_reduce(RG_CU_SUM, RG_F32, 2, dim, 1, each,
                                    rg_gpu_out_data(ctx, "Filter@GRAD"), room,
                                    rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx)),
                       "Filter");
}

static rg_status conv2d_grad(rg_ctx *ctx)
{
    conv c;
    RG_TRY(conv_of(ctx, &c));
    if (rg_gpu_out(ctx, "Bias@GRAD") != NULL || c.c.images == 0)
        return rg_gpu_leave(ctx, "a bias, or no image");
    float *columns = columns_room(ctx, &c);
    if (columns == NULL)
        return RG_ENOMEM;
    if (rg_gpu_out(ctx, "Input@GRAD") != NULL)
        RG_TRY(image_grad(ctx, &c, columns));
    if (rg_gpu_out(ctx, "Filter@GRAD") != NULL)
        RG_TRY(filter_grad(ctx, &c, columns));
    return RG_OK;
}

const rg_kernel rg_kernel_gpu_conv2d = {"conv2d", "gpu", conv2d};
const rg_kernel rg_kernel_gpu_conv2d_grad = {"conv2d_grad", "gpu", conv2d_grad};

/* ---- pool2d ---- */

static rg_status pooling_of(const rg_ctx *ctx, const rg_value *x, rg_cu_pooling *to)
{
    rg_pooling p;
    rg_shape out;
    bool last;
    if (x->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    RG_TRY(rg_window_format(rg_gpu_attr(ctx, "data_format")->s, x->meta.shape.rank - 2, &last));
    RG_TRY(rg_pooling_shape(ctx, &x->meta.shape, last, rg_gpu_attr(ctx, "padding_algorithm")->s,
                            rg_gpu_attr(ctx, "ceil_mode")->b, &p, &out));
    *to = (rg_cu_pooling){.max = strcmp(rg_gpu_attr(ctx, "pooling_type")->s, "max") == 0,
                          .exclusive = rg_gpu_attr(ctx, "exclusive")->b,
                          .adaptive = p.adaptive,
                          .outer = p.outer,
                          .inner = p.inner};
    for (int i = 0; i < 2; i++) {
        to->in[i] = p.in[1 + i];
        to->out[i] = p.out[1 + i];
        to->kernel[i] = p.kernel[1 + i];
        to->stride[i] = p.stride[1 + i];
        to->before[i] = p.before[1 + i];
    }
    return RG_OK;
}

static rg_status pool2d(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_cu_pooling p;
    RG_TRY(pooling_of(ctx, x, &p));
    rg_cu_pool2d(&p, x->data, rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

static rg_status pool2d_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    rg_cu_pooling p;
    RG_TRY(pooling_of(ctx, x, &p));
    RG_TRY(rg_gpu_zero(ctx, dx->data, rg_value_bytes(dx)));
    rg_cu_pool2d_grad(&p, x->data, rg_gpu_in_data(ctx, "Out"), rg_gpu_in_data(ctx, "Out@GRAD"),
                      dx->data, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_pool2d = {"pool2d", "gpu", pool2d};
const rg_kernel rg_kernel_gpu_pool2d_grad = {"pool2d_grad", "gpu", pool2d_grad};
