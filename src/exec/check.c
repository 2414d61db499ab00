/* check.c - FLAGS_check_nan_inf: the op that made the first NaN or Inf, by name. */
#include "exec/plan_priv.h"

#include <math.h>

static bool find_bad(const rg_value *value, int64_t *at)
{
    size_t size = rg_dtype_size(value->meta.dtype);
    int64_t n = (int64_t)(rg_value_bytes(value) / (size ? size : 1));
    if (value->data == NULL)
        return false;
    if (value->meta.dtype == RG_F32) {
        const float *x = rg_host_data(value);
        for (*at = 0; *at < n; ++*at)
            if (!isfinite(x[*at]))
                return true;
    } else if (value->meta.dtype == RG_F64) {
        const double *x = rg_host_data(value);
        for (*at = 0; *at < n; ++*at)
            if (!isfinite(x[*at]))
                return true;
    }
    return false;
}

rg_status rg_check_outputs(const rg_node *node)
{
    const rg_ctx *ctx = &node->ctx;
    for (int s = 0; ctx->op->out[s].name != NULL; s++)
        for (int i = 0; i < rg_n_out(ctx, s); i++) {
            const rg_value *value = rg_out_n(ctx, s, i);
            int64_t at;
            if (value == NULL || (value->meta.kind != RG_TENSOR && value->meta.kind != RG_ROWS) ||
                !find_bad(value, &at))
                continue;
            double bad = value->meta.dtype == RG_F32
                             ? (double)((const float *)rg_host_data(value))[at]
                             : ((const double *)rg_host_data(value))[at];
            char shape[RG_SHAPE_TEXT];
            return rg_fail(RG_EVALUE, "it made %s at element %lld of its output %s (%s %s)",
                           isnan(bad) ? "a NaN" : "an Inf", (long long)at, rg_out_name(ctx, s, i),
                           ctx->op->out[s].name, rg_shape_text(&value->meta.shape, shape));
        }
    return RG_OK;
}
