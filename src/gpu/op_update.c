/* op_update.c - optimizers. A sparse gradient moves its rows alone, or, where the optimizer moves
 * every row, becomes a dense one first. */
#include "gpu/glue.h"
#include "ops/optimizer.h"

/* Outputs that are not their inputs become copies of them. */
static rg_status copy_states(rg_ctx *ctx)
{
    const rg_update *update = ctx->op->update;
    for (int i = 0; i < update->n; i++) {
        const rg_value *in = rg_in(ctx, update->state[i].in);
        if (in == NULL || update->state[i].counter)
            continue;
        if (in->meta.dtype != RG_F32)
            return rg_bad_dtype(ctx, update->state[i].in);
        rg_value *out = rg_out(ctx, update->state[i].out);
        RG_TRY(rg_gpu_copy_to(ctx, out->data, in->data, rg_value_bytes(in)));
    }
    return RG_OK;
}

static rg_status rows(rg_ctx *ctx, const rg_cu_update *u, const rg_value *param,
                      const rg_value *grad)
{
    int64_t n = (int64_t)grad->n_rows, width = rg_value_width(param);
    void *room = rg_gpu_scratch(ctx, rg_cu_update_rows_room(n, width));
    if (room == NULL)
        return RG_ENOMEM;
    rg_cu_update_rows(u, n, width, param->meta.shape.dim[0], grad->rows, grad->data, room,
                      rg_gpu_site_of(ctx, RG_FAULT_ROW, "Grad"), rg_gpu_stream_of(ctx)->counters,
                      rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "Param");
}

static rg_cu_lookups rows_of(const rg_value *grad)
{
    rg_cu_lookups l = {.n = 1, .wide = true};
    l.ids[0] = grad->rows;
    l.out[0] = grad->data;
    l.count[0] = (int64_t)grad->n_rows;
    l.step[0] = rg_value_width(grad);
    l.padding[0] = -1;
    return l;
}

/* `u` has all but the parameter and the rate. */
static rg_status step(rg_ctx *ctx, rg_cu_update *u)
{
    const rg_value *param = rg_gpu_in(ctx, "Param"), *grad = rg_gpu_in(ctx, "Grad");
    int64_t n = rg_numel(param);
    const float *dense = grad->data;
    if (param->meta.kind != RG_TENSOR || param->meta.dtype != RG_F32)
        return rg_gpu_leave(ctx, "a parameter that is no tensor of float32");
    u->param = rg_gpu_out_data(ctx, "ParamOut");
    if (ctx->op->update->rate >= 0) {
        if (rg_in(ctx, ctx->op->update->rate)->meta.dtype != RG_F32)
            return rg_bad_dtype(ctx, ctx->op->update->rate);
        u->rate = rg_in_data(ctx, ctx->op->update->rate);
    }
    RG_TRY(copy_states(ctx));
    if (grad->meta.kind == RG_ROWS) {
        rg_gpu_site site = rg_gpu_site_of(ctx, RG_FAULT_ROW, "Grad");
        rg_cu_lookups l = rows_of(grad);
        if (u->kind == RG_CU_SGD) /* duplicates one after another */
            return rg_gpu_done(ctx,
                               rg_cu_scatter(RG_F32, u->param, param->meta.shape.dim[0], l.step[0],
                                             &l, u->rate, site, 0, rg_cuda(ctx)),
                               "Param");
        if (!rg_moves_idle(ctx))
            return rows(ctx, u, param, grad);
        float *whole = rg_gpu_scratch(ctx, (size_t)n * sizeof *whole);
        if (whole == NULL)
            return RG_ENOMEM;
        RG_TRY(rg_gpu_zero(ctx, whole, (size_t)n * sizeof *whole));
        (void)rg_cu_scatter(RG_F32, whole, param->meta.shape.dim[0], l.step[0], &l, NULL, site, 0,
                            rg_cuda(ctx));
        dense = whole;
    }
    rg_cu_update_dense(u, n, dense, rg_gpu_stream_of(ctx)->counters, rg_cuda(ctx));
    return rg_gpu_done(ctx, true, "Param");
}

static rg_status sgd(rg_ctx *ctx)
{
    rg_cu_update u = {.kind = RG_CU_SGD};
    return step(ctx, &u);
}

static rg_status momentum(rg_ctx *ctx)
{
    rg_cu_update u = {
        .kind = RG_CU_MOMENTUM,
        .number = {rg_gpu_attr(ctx, "mu")->f, rg_gpu_attr(ctx, "use_nesterov")->b ? 1 : 0},
        .state = {rg_gpu_out_data(ctx, "VelocityOut")}};
    return step(ctx, &u);
}

/* As ops/adam.c: a sparse gradient whose powers go on in place uses them as they are afterwards. */
static rg_status adam_step(rg_ctx *ctx, bool dense_rows)
{
    static const char *const in[] = {"Beta1Pow", "Beta2Pow"};
    static const char *const out[] = {"Beta1PowOut", "Beta2PowOut"};
    rg_cu_update u = {
        .kind = RG_CU_ADAM,
        .number = {rg_gpu_attr(ctx, "beta1")->f, rg_gpu_attr(ctx, "beta2")->f,
                   rg_gpu_attr(ctx, "epsilon")->f},
        .state = {rg_gpu_out_data(ctx, "Moment1Out"), rg_gpu_out_data(ctx, "Moment2Out")}};
    if (rg_gpu_in(ctx, "Beta1Tensor") != NULL || rg_gpu_in(ctx, "Beta2Tensor") != NULL)
        return rg_gpu_leave(ctx, "a beta that is a tensor");
    for (int i = 0; i < 2; i++) {
        u.power[i] = rg_gpu_in_data(ctx, in[i]);
        u.power_out[i] = rg_gpu_out_data(ctx, out[i]);
        u.advance_first[i] = rg_gpu_in(ctx, "Grad")->meta.kind == RG_ROWS && !dense_rows &&
                             rg_gpu_in(ctx, in[i]) == rg_gpu_out(ctx, out[i]);
    }
    return step(ctx, &u);
}

static rg_status adam(rg_ctx *ctx)
{
    return adam_step(ctx, false);
}

static rg_status adam_rows(rg_ctx *ctx)
{
    return adam_step(ctx, true);
}

static rg_status adagrad(rg_ctx *ctx)
{
    rg_cu_update u = {.kind = RG_CU_ADAGRAD,
                      .number = {1, 1, rg_gpu_attr(ctx, "epsilon")->f},
                      .state = {rg_gpu_out_data(ctx, "MomentOut")}};
    return step(ctx, &u);
}

static rg_status decayed_adagrad(rg_ctx *ctx)
{
    float decay = rg_gpu_attr(ctx, "decay")->f;
    rg_cu_update u = {.kind = RG_CU_ADAGRAD,
                      .number = {decay, 1.0f - decay, rg_gpu_attr(ctx, "epsilon")->f},
                      .state = {rg_gpu_out_data(ctx, "MomentOut")}};
    return step(ctx, &u);
}

static rg_status rmsprop(rg_ctx *ctx)
{
    rg_value *mean = rg_gpu_out(ctx, "MeanGradOut");
    rg_cu_update u = {
        .kind = RG_CU_RMSPROP,
        .number = {rg_gpu_attr(ctx, "epsilon")->f, rg_gpu_attr(ctx, "decay")->f,
                   rg_gpu_attr(ctx, "momentum")->f, rg_gpu_attr(ctx, "centered")->b ? 1 : 0},
        .state = {rg_gpu_out_data(ctx, "MomentOut"), rg_gpu_out_data(ctx, "MeanSquareOut"),
                  rg_gpu_out_data(ctx, "MeanGradOut")}};
    if (rg_gpu_in(ctx, "Param")->meta.dtype == RG_F32 && rg_gpu_in(ctx, "MeanGrad") == NULL &&
        mean != NULL)
        RG_TRY(rg_gpu_zero(ctx, mean->data, rg_value_bytes(mean)));
    return step(ctx, &u);
}

static rg_status ftrl(rg_ctx *ctx)
{
    rg_cu_update u = {
        .kind = RG_CU_FTRL,
        .number = {rg_gpu_attr(ctx, "l1")->f, rg_gpu_attr(ctx, "l2")->f,
                   rg_gpu_attr(ctx, "lr_power")->f},
        .state = {rg_gpu_out_data(ctx, "SquaredAccumOut"), rg_gpu_out_data(ctx, "LinearAccumOut")}};
    return step(ctx, &u);
}

static rg_status adadelta(rg_ctx *ctx)
{
    bool in_place = rg_gpu_in(ctx, "AvgSquaredUpdate") == rg_gpu_out(ctx, "AvgSquaredUpdateOut");
    rg_cu_update u = {
        .kind = RG_CU_ADADELTA,
        .number = {rg_gpu_attr(ctx, "rho")->f, rg_gpu_attr(ctx, "epsilon")->f, in_place ? 1 : 0},
        .state = {rg_gpu_out_data(ctx, "AvgSquaredGradOut"),
                  rg_gpu_out_data(ctx, "AvgSquaredUpdateOut")}};
    return step(ctx, &u);
}

static rg_status adamax(rg_ctx *ctx)
{
    rg_cu_update u = {
        .kind = RG_CU_ADAMAX,
        .number = {rg_gpu_attr(ctx, "beta1")->f, rg_gpu_attr(ctx, "beta2")->f,
                   rg_gpu_attr(ctx, "epsilon")->f},
        .state = {rg_gpu_out_data(ctx, "MomentOut"), rg_gpu_out_data(ctx, "InfNormOut")},
        .power = {rg_gpu_in_data(ctx, "Beta1Pow")}};
    return step(ctx, &u);
}

const rg_kernel rg_kernel_gpu_sgd = {"sgd", "gpu", sgd};
const rg_kernel rg_kernel_gpu_momentum = {"momentum", "gpu", momentum};
const rg_kernel rg_kernel_gpu_adam = {"adam", "gpu", adam};
const rg_kernel rg_kernel_gpu_fused_adam_rows = {"fused_adam_rows", "gpu", adam_rows};
const rg_kernel rg_kernel_gpu_adagrad = {"adagrad", "gpu", adagrad};
const rg_kernel rg_kernel_gpu_decayed_adagrad = {"decayed_adagrad", "gpu", decayed_adagrad};
const rg_kernel rg_kernel_gpu_rmsprop = {"rmsprop", "gpu", rmsprop};
const rg_kernel rg_kernel_gpu_ftrl = {"ftrl", "gpu", ftrl};
const rg_kernel rg_kernel_gpu_adadelta = {"adadelta", "gpu", adadelta};
const rg_kernel rg_kernel_gpu_adamax = {"adamax", "gpu", adamax};
