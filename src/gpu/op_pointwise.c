/* op_pointwise.c - element by element: dropout, losses of a prediction and a label, clip, pow; and
 * norms of whole tensors. */
#include "gpu/glue.h"

#include <string.h>

/* ---- dropout ---- */

static float factor_of(const rg_ctx *ctx)
{
    float p = rg_gpu_attr(ctx, "dropout_prob")->f;
    bool upscale = strcmp(rg_gpu_attr(ctx, "dropout_implementation")->s, "upscale_in_train") == 0;
    if (rg_gpu_attr(ctx, "is_test")->b)
        return upscale ? 1 : 1 - p;
    return upscale && p < 1 ? 1 / (1 - p) : 1;
}

static rg_status dropout(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    void *out = rg_gpu_out_data(ctx, "Out"), *mask = rg_gpu_out_data(ctx, "Mask");
    int64_t n = rg_numel(x);
    bool uses_step;
    if (rg_gpu_attr(ctx, "is_test")->b) {
        if (mask != NULL)
            RG_GPU_TRY(cudaMemsetAsync(mask, 1, (size_t)n, rg_cuda(ctx)));
        return rg_gpu_done(ctx,
                           rg_cu_scale(x->meta.dtype, n, (double)factor_of(ctx), NULL, 0, true,
                                       x->data, out, rg_cuda(ctx)),
                           "X");
    }
    if (rg_gpu_in(ctx, "Seed") != NULL)
        return rg_gpu_leave(ctx, "a seed that is a tensor");
    rg_philox_key key = rg_gpu_key(ctx, rg_gpu_attr(ctx, "seed")->i,
                                   rg_gpu_attr(ctx, "fix_seed")->b, &uses_step);
    return rg_gpu_done(ctx,
                       rg_cu_dropout(x->meta.dtype, n, key.seed, key.stream,
                                     uses_step ? rg_gpu_stream_of(ctx)->step : NULL,
                                     rg_gpu_attr(ctx, "dropout_prob")->f, factor_of(ctx), x->data,
                                     out, mask, rg_cuda(ctx)),
                       "X");
}

static rg_status dropout_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    return rg_gpu_done(ctx,
                       rg_cu_dropout_grad(dout->meta.dtype, rg_numel(dout), factor_of(ctx),
                                          dout->data, rg_gpu_in_data(ctx, "Mask"),
                                          rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "Out@GRAD");
}

/* Its mask is of bytes, which the default rule would leave to the CPU. */
static bool takes(const struct rg_opdesc *op)
{
    (void)op;
    return true;
}

const rg_kernel rg_kernel_gpu_dropout = {"dropout", "gpu", dropout, RG_KERNEL_STEP, takes};
const rg_kernel rg_kernel_gpu_dropout_grad = {"dropout_grad", "gpu", dropout_grad, 0, takes};

/* ---- losses ---- */

static rg_status pair(rg_ctx *ctx, enum rg_cu_loss kind, const float p[2], const char *x_slot,
                      const char *label_slot, const char *out_slot)
{
    const rg_value *x = rg_gpu_in(ctx, x_slot);
    return rg_gpu_done(ctx,
                       rg_cu_pair_loss(kind, x->meta.dtype, p, rg_numel(x), x->data,
                                       rg_gpu_in_data(ctx, label_slot),
                                       rg_gpu_out_data(ctx, out_slot), rg_cuda(ctx)),
                       x_slot);
}

static rg_status pair_grad(rg_ctx *ctx, enum rg_cu_loss kind, const float p[2], const char *x_slot,
                           const char *label_slot, const char *dout_slot, const char *dx_slot)
{
    const rg_value *x = rg_gpu_in(ctx, x_slot);
    return rg_gpu_done(ctx,
                       rg_cu_pair_loss_grad(kind, x->meta.dtype, p, rg_numel(x), x->data,
                                            rg_gpu_in_data(ctx, label_slot),
                                            rg_gpu_in_data(ctx, dout_slot),
                                            rg_gpu_out_data(ctx, dx_slot), rg_cuda(ctx)),
                       x_slot);
}

static rg_status sigmoid_entropy(rg_ctx *ctx, bool grad)
{
    float p[2] = {(float)rg_gpu_attr(ctx, "ignore_index")->i, 0};
    if (rg_gpu_attr(ctx, "normalize")->b)
        return rg_gpu_leave(ctx, "normalize");
    return grad ? pair_grad(ctx, RG_CU_SIGMOID_ENTROPY, p, "X", "Label", "Out@GRAD", "X@GRAD")
                : pair(ctx, RG_CU_SIGMOID_ENTROPY, p, "X", "Label", "Out");
}

static rg_status sigmoid_loss(rg_ctx *ctx)
{
    return sigmoid_entropy(ctx, false);
}

static rg_status sigmoid_loss_grad(rg_ctx *ctx)
{
    return sigmoid_entropy(ctx, true);
}

static rg_status log_loss(rg_ctx *ctx)
{
    float p[2] = {rg_gpu_attr(ctx, "epsilon")->f, 0};
    return pair(ctx, RG_CU_LOG_LOSS, p, "Predicted", "Labels", "Loss");
}

static rg_status log_loss_grad(rg_ctx *ctx)
{
    float p[2] = {rg_gpu_attr(ctx, "epsilon")->f, 0};
    return pair_grad(ctx, RG_CU_LOG_LOSS, p, "Predicted", "Labels", "Loss@GRAD", "Predicted@GRAD");
}

const rg_kernel rg_kernel_gpu_sigmoid_loss = {"sigmoid_cross_entropy_with_logits", "gpu",
                                              sigmoid_loss};
const rg_kernel rg_kernel_gpu_sigmoid_loss_grad = {"sigmoid_cross_entropy_with_logits_grad", "gpu",
                                                   sigmoid_loss_grad};
const rg_kernel rg_kernel_gpu_log_loss = {"log_loss", "gpu", log_loss};
const rg_kernel rg_kernel_gpu_log_loss_grad = {"log_loss_grad", "gpu", log_loss_grad};

static rg_status huber(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    return rg_gpu_done(ctx,
                       rg_cu_huber(x->meta.dtype, rg_gpu_attr(ctx, "delta")->f, rg_numel(x),
                                   x->data, rg_gpu_in_data(ctx, "Y"),
                                   rg_gpu_out_data(ctx, "Residual"), rg_gpu_out_data(ctx, "Out"),
                                   rg_cuda(ctx)),
                       "X");
}

static rg_status huber_grad(rg_ctx *ctx)
{
    static const char *const out[] = {"X@GRAD", "Y@GRAD"};
    const rg_value *residual = rg_gpu_in(ctx, "Residual");
    bool launched = true;
    for (int i = 0; i < 2 && launched; i++)
        if (rg_gpu_out(ctx, out[i]) != NULL)
            launched = rg_cu_huber_grad(residual->meta.dtype, rg_gpu_attr(ctx, "delta")->f,
                                        i == 0 ? -1 : 1, rg_numel(residual), residual->data,
                                        rg_gpu_in_data(ctx, "Out@GRAD"),
                                        rg_gpu_out_data(ctx, out[i]), rg_cuda(ctx));
    return rg_gpu_done(ctx, launched, "Residual");
}

const rg_kernel rg_kernel_gpu_huber = {"huber_loss", "gpu", huber};
const rg_kernel rg_kernel_gpu_huber_grad = {"huber_loss_grad", "gpu", huber_grad};

/* ---- clip, pow ---- */

static rg_status clip(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    double min = (double)rg_gpu_attr(ctx, "min")->f, max = (double)rg_gpu_attr(ctx, "max")->f;
    if (rg_gpu_in(ctx, "Min") != NULL || rg_gpu_in(ctx, "Max") != NULL ||
        x->meta.kind != RG_TENSOR || !(min <= max))
        return rg_gpu_leave(ctx, "a bound that is a tensor, or a sparse X");
    return rg_gpu_done(ctx,
                       rg_cu_clip(x->meta.dtype, rg_numel(x), min, max, x->data,
                                  rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

static rg_status clip_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    double min = (double)rg_gpu_attr(ctx, "min")->f, max = (double)rg_gpu_attr(ctx, "max")->f;
    if (rg_gpu_in(ctx, "Min") != NULL || rg_gpu_in(ctx, "Max") != NULL || !(min <= max))
        return rg_gpu_leave(ctx, "a bound that is a tensor");
    return rg_gpu_done(ctx,
                       rg_cu_clip_grad(x->meta.dtype, rg_numel(x), min, max, x->data,
                                       rg_gpu_in_data(ctx, "Out@GRAD"),
                                       rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "X");
}

static rg_status power(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    if (rg_gpu_in(ctx, "FactorTensor") != NULL)
        return rg_gpu_leave(ctx, "a factor that is a tensor");
    return rg_gpu_done(ctx,
                       rg_cu_pow(x->meta.dtype, rg_numel(x), (double)rg_gpu_attr(ctx, "factor")->f,
                                 x->data, rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

static rg_status power_grad(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    if (rg_gpu_in(ctx, "FactorTensor") != NULL)
        return rg_gpu_leave(ctx, "a factor that is a tensor");
    return rg_gpu_done(ctx,
                       rg_cu_pow_grad(x->meta.dtype, rg_numel(x),
                                      (double)rg_gpu_attr(ctx, "factor")->f, x->data,
                                      rg_gpu_in_data(ctx, "Out@GRAD"),
                                      rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "X");
}

const rg_kernel rg_kernel_gpu_clip = {"clip", "gpu", clip};
const rg_kernel rg_kernel_gpu_clip_grad = {"clip_grad", "gpu", clip_grad};
const rg_kernel rg_kernel_gpu_pow = {"pow", "gpu", power};
const rg_kernel rg_kernel_gpu_pow_grad = {"pow_grad", "gpu", power_grad};

/* ---- norms of whole tensors, as clips want them ---- */

static rg_status squares(rg_ctx *ctx, const rg_value *x, void *out)
{
    int64_t n = rg_numel(x);
    void *room = rg_gpu_scratch(ctx, rg_cu_reduce_room(1, n));
    if (room == NULL)
        return RG_ENOMEM;
    if (x->meta.dtype != RG_F32 && x->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
    return rg_gpu_done(ctx,
                       rg_cu_reduce(RG_CU_SQUARES, x->meta.dtype, 1, &n, 1, x->data, out, room,
                                    rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx)),
                       "X");
}

static rg_status squared_norm(rg_ctx *ctx)
{
    return squares(ctx, rg_gpu_in(ctx, "X"), rg_gpu_out_data(ctx, "Out"));
}

static rg_status clip_by_norm(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    float *sum = rg_gpu_scratch(ctx, 8);
    if (x->meta.kind != RG_TENSOR || x->meta.dtype != RG_F32)
        return rg_gpu_leave(ctx, "an X that is no tensor of float32");
    if (sum == NULL)
        return RG_ENOMEM;
    RG_TRY(squares(ctx, x, sum));
    rg_cu_shorten(rg_numel(x), rg_gpu_attr(ctx, "max_norm")->f, sum, x->data,
                  rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "X");
}

const rg_kernel rg_kernel_gpu_squared_norm = {"squared_l2_norm", "gpu", squared_norm};
const rg_kernel rg_kernel_gpu_clip_by_norm = {"clip_by_norm", "gpu", clip_by_norm};
