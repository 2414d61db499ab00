/* check.c - FLAGS_check_nan_inf: the op that made the first NaN or Inf, by name. */
#include "exec/plan_priv.h"

#include "base/bf16.h"
#include "base/half.h"

#include <math.h>

static double number_at(const void *data, rg_dtype dtype, int64_t i)
{
    float half;
    switch ((int)dtype) {
    case RG_F32:
        return (double)((const float *)data)[i];
    case RG_F64:
        return ((const double *)data)[i];
    case RG_BF16:
        return (double)rg_bf16_float(((const uint16_t *)data)[i]);
    case RG_F16:
        rg_half_to_floats(&half, (const uint16_t *)data + i, 1);
        return (double)half;
    default:
        return 0;
    }
}

static bool find_bad(const rg_value *value, int64_t *at, double *bad)
{
    const rg_dtype dtype = value->meta.dtype;
    if (value->data == NULL || !rg_dtype_is_float(dtype))
        return false;
    int64_t n = (int64_t)(rg_value_bytes(value) / rg_dtype_size(dtype));
    const void *data = rg_host_data(value);
    for (*at = 0; *at < n; ++*at)
        if (!isfinite(*bad = number_at(data, dtype, *at)))
            return true;
    return false;
}

rg_status rg_check_outputs(const rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int i = 0; i < rg_n_out(ctx, s); i++) {
            const rg_value *value = rg_out_n(ctx, s, i);
            int64_t at;
            double bad;
            if (value == NULL || (value->meta.kind != RG_TENSOR && value->meta.kind != RG_ROWS) ||
                !find_bad(value, &at, &bad))
                continue;
            char shape[RG_SHAPE_TEXT];
            return rg_fail(RG_EVALUE, "it made %s at element %lld of its output %s (%s %s)",
                           isnan(bad) ? "a NaN" : "an Inf", (long long)at, rg_out_name(ctx, s, i),
                           ctx->op->out[s].name, rg_shape_text(&value->meta.shape, shape));
        }
    return RG_OK;
}
