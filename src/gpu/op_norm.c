/* op_norm.c - layer_norm, batch_norm. */
#include "gpu/glue.h"

#include <string.h>

static rg_status expect_f32(const rg_ctx *ctx)
{
    if (rg_gpu_in(ctx, "X")->meta.dtype != RG_F32)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    return RG_OK;
}

static rg_status layer_norm(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    int axis = rg_gpu_attr(ctx, "begin_norm_axis")->i;
    RG_TRY(expect_f32(ctx));
    rg_cu_layer_norm(rg_shape_product(&x->meta.shape, 0, axis),
                     rg_shape_product(&x->meta.shape, axis, x->meta.shape.rank),
                     rg_gpu_attr(ctx, "epsilon")->f, x->data, rg_gpu_in_data(ctx, "Scale"),
                     rg_gpu_in_data(ctx, "Bias"), rg_gpu_out_data(ctx, "Y"),
                     rg_gpu_out_data(ctx, "Mean"), rg_gpu_out_data(ctx, "Variance"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

static rg_status layer_norm_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    int axis = rg_gpu_attr(ctx, "begin_norm_axis")->i;
    RG_TRY(expect_f32(ctx));
    rg_cu_layer_norm_grad(rg_shape_product(&x->meta.shape, 0, axis),
                          rg_shape_product(&x->meta.shape, axis, x->meta.shape.rank),
                          rg_gpu_attr(ctx, "epsilon")->f, x->data, rg_gpu_in_data(ctx, "Y@GRAD"),
                          rg_gpu_in_data(ctx, "Scale"), rg_gpu_in_data(ctx, "Mean"),
                          rg_gpu_in_data(ctx, "Variance"), rg_gpu_out_data(ctx, "X@GRAD"),
                          rg_gpu_out_data(ctx, "Scale@GRAD"), rg_gpu_out_data(ctx, "Bias@GRAD"),
                          rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_layer_norm = {"layer_norm", "gpu", layer_norm};
const rg_kernel rg_kernel_gpu_layer_norm_grad = {"layer_norm_grad", "gpu", layer_norm_grad};

/* ---- batch_norm ---- */

static rg_cu_channels channels_of(const rg_ctx *ctx, const rg_shape *x)
{
    const char *layout = rg_gpu_attr(ctx, "data_layout")->s;
    if (strcmp(layout, "NHWC") == 0 || strcmp(layout, "NDHWC") == 0)
        return (rg_cu_channels){rg_shape_product(x, 0, x->rank - 1), x->dim[x->rank - 1], 1};
    return (rg_cu_channels){x->dim[0], x->dim[1], rg_shape_product(x, 2, x->rank)};
}

static bool of_batch(const rg_ctx *ctx)
{
    bool test = rg_gpu_attr(ctx, "is_test")->b && !rg_gpu_attr(ctx, "trainable_statistics")->b;
    return !test && !rg_gpu_attr(ctx, "use_global_stats")->b;
}

/* What was asked for, or memory aside. */
static float *or_scratch(rg_ctx *ctx, const char *slot, int64_t n)
{
    float *out = rg_gpu_out_data(ctx, slot);
    return out ? out : rg_gpu_scratch(ctx, (size_t)n * sizeof *out);
}

static rg_status copy_running(rg_ctx *ctx, const char *in, const char *out)
{
    const rg_value *from = rg_gpu_in(ctx, in);
    void *to = rg_gpu_out_data(ctx, out);
    return to ? rg_gpu_copy_to(ctx, to, from->data, rg_value_bytes(from)) : RG_OK;
}

static rg_status batch_norm(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_cu_channels c = channels_of(ctx, &x->meta.shape);
    float epsilon = rg_gpu_attr(ctx, "epsilon")->f;
    RG_TRY(expect_f32(ctx));
    if (rg_gpu_in(ctx, "MomentumTensor") != NULL || c.outer * c.space <= 1)
        return rg_gpu_leave(ctx, "a momentum that is a tensor, or a batch of one");
    float *mean = or_scratch(ctx, "SavedMean", c.channels);
    float *inverse = or_scratch(ctx, "SavedVariance", c.channels);
    if (mean == NULL || inverse == NULL)
        return RG_ENOMEM;
    if (of_batch(ctx)) {
        rg_cu_batch_moments(c, epsilon, rg_gpu_attr(ctx, "momentum")->f, x->data,
                            rg_gpu_in_data(ctx, "Mean"), rg_gpu_in_data(ctx, "Variance"), mean,
                            inverse, rg_gpu_out_data(ctx, "MeanOut"),
                            rg_gpu_out_data(ctx, "VarianceOut"), rg_cuda(ctx));
    } else {
        RG_TRY(rg_gpu_copy_to(ctx, mean, rg_gpu_in_data(ctx, "Mean"),
                              (size_t)c.channels * sizeof *mean));
        rg_cu_invert(c.channels, epsilon, rg_gpu_in_data(ctx, "Variance"), inverse, rg_cuda(ctx));
        RG_TRY(copy_running(ctx, "Mean", "MeanOut"));
        RG_TRY(copy_running(ctx, "Variance", "VarianceOut"));
    }
    rg_cu_batch_apply(c, x->data, rg_gpu_in_data(ctx, "Scale"), rg_gpu_in_data(ctx, "Bias"), mean,
                      inverse, rg_gpu_out_data(ctx, "Y"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

static rg_status batch_norm_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_cu_channels c = channels_of(ctx, &x->meta.shape);
    const float *mean = rg_gpu_in_data(ctx, "SavedMean");
    const float *inverse = rg_gpu_in_data(ctx, "SavedVariance");
    RG_TRY(expect_f32(ctx));
    if (c.outer * c.space <= 1)
        return rg_gpu_leave(ctx, "a batch of one");
    float *dscale = or_scratch(ctx, "Scale@GRAD", c.channels);
    float *dbias = or_scratch(ctx, "Bias@GRAD", c.channels);
    if (dscale == NULL || dbias == NULL)
        return RG_ENOMEM;
    if (!of_batch(ctx) && rg_gpu_in(ctx, "Mean") != NULL && rg_gpu_in(ctx, "Variance") != NULL) {
        float *made = rg_gpu_scratch(ctx, (size_t)c.channels * sizeof *made);
        if (made == NULL)
            return RG_ENOMEM;
        rg_cu_invert(c.channels, rg_gpu_attr(ctx, "epsilon")->f, rg_gpu_in_data(ctx, "Variance"),
                     made, rg_cuda(ctx));
        mean = rg_gpu_in_data(ctx, "Mean");
        inverse = made;
    }
    rg_cu_batch_norm_grad(c, of_batch(ctx), x->data, rg_gpu_in_data(ctx, "Y@GRAD"),
                          rg_gpu_in_data(ctx, "Scale"), mean, inverse, dscale, dbias,
                          rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_batch_norm = {"batch_norm", "gpu", batch_norm};
const rg_kernel rg_kernel_gpu_batch_norm_grad = {"batch_norm_grad", "gpu", batch_norm_grad};
