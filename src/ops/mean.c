/* mean.c - the mean of all elements, a tensor of shape [1]; dX is dOut / n everywhere. */
#include "math/reduce.h"
#include "ops/types.h"

enum { X };
enum { OUT };

static rg_status mean_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(1));
    return RG_OK;
}

static rg_status mean_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = rg_numel(x);
    if (x->meta.dtype == RG_F32)
        *(float *)rg_out_data(ctx, OUT) = rg_sum_f32(x->data, n) / (float)n;
    else if (x->meta.dtype == RG_F64)
        *(double *)rg_out_data(ctx, OUT) = rg_sum_f64(x->data, n) / (double)n;
    else
        return rg_bad_dtype(ctx, X);
    return RG_OK;
}

const rg_op rg_op_mean = {
    .type = "mean",
    .doc = "The mean of all elements.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "shape [1]"}),
    .flags = RG_OP_LINEAR,
    .infer = mean_infer,
    .kernel = mean_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DOUT };
enum { G_DX };

#define SPREAD(T, S)                                                                               \
    RG_HOT static void spread_##S(const T *dout, T *dx, int64_t n)                                 \
    {                                                                                              \
        const T each = *dout / (T)n;                                                               \
        for (int64_t i = 0; i < n; i++)                                                            \
            dx[i] = each;                                                                          \
    }
RG_FLOATS(SPREAD)

static rg_status mean_grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, G_DX);
    RG_CALL_FLOAT(ctx, G_DOUT, spread, (rg_in_data(ctx, G_DOUT), dx->data, rg_numel(dx)))
    return RG_OK;
}

const rg_op rg_op_mean_grad = {
    .type = "mean_grad",
    .doc = "Gradient of mean.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = mean_grad_kernel,
};
