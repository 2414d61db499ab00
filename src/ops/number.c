/* number.c - reading and writing numbers of any type. */
#include "ops/number.h"

#include "base/bf16.h"
#include "base/hot.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

double rg_number_at(const rg_value *value, int64_t i)
{
    switch (value->meta.dtype) {
    case RG_F32:
        return (double)((const float *)value->data)[i];
    case RG_F64:
        return ((const double *)value->data)[i];
    case RG_I32:
        return ((const int32_t *)value->data)[i];
    case RG_I64:
        return (double)((const int64_t *)value->data)[i];
    case RG_SIZE_T:
        return (double)((const uint64_t *)value->data)[i];
    case RG_I16:
        return ((const int16_t *)value->data)[i];
    case RG_I8:
        return ((const int8_t *)value->data)[i];
    case RG_U8:
        return ((const uint8_t *)value->data)[i];
    case RG_BOOL:
        return ((const bool *)value->data)[i];
    case RG_BF16:
        return (double)rg_bf16_float(((const uint16_t *)value->data)[i]);
    case RG_F16:
        break;
    }
    return 0;
}

#define FILL(T, S)                                         \
    RG_HOT static void fill_##S(T *y, T number, int64_t n) \
    {                                                      \
        for (int64_t i = 0; i < n; i++)                    \
            y[i] = number;                                 \
    }
RG_NUMBERS(FILL)

rg_status rg_fill(rg_value *value, double number)
{
    int64_t n = rg_numel(value);
    switch (value->meta.dtype) {
    case RG_F32:
        fill_f32(value->data, (float)number, n);
        return RG_OK;
    case RG_F64:
        fill_f64(value->data, number, n);
        return RG_OK;
    case RG_I32:
        fill_i32(value->data, (int32_t)number, n);
        return RG_OK;
    case RG_I64:
    case RG_SIZE_T:
        fill_i64(value->data, (int64_t)number, n);
        return RG_OK;
    case RG_BOOL:
        memset(value->data, number != 0, (size_t)n);
        return RG_OK;
    case RG_U8:
    case RG_I8:
        memset(value->data, (int)number, (size_t)n);
        return RG_OK;
    case RG_I16:
        for (int64_t i = 0; i < n; i++)
            ((int16_t *)value->data)[i] = (int16_t)number;
        return RG_OK;
    case RG_BF16:
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)value->data)[i] = rg_bf16_of((float)number);
        return RG_OK;
    case RG_F16:
        break;
    }
    return rg_fail(RG_EUNIMPL, "no %s can be filled", rg_dtype_name(value->meta.dtype));
}

rg_status rg_read_whole(rg_ctx *ctx, int slot, const int64_t **out, int64_t *n)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, slot, RG_I32, RG_I64));
    return rg_read_whole_n(ctx, slot, 0, out, n);
}

rg_status rg_read_whole_n(rg_ctx *ctx, int slot, int item, const int64_t **out, int64_t *n)
{
    const rg_value *value = rg_in_n(ctx, slot, item);
    *n = rg_numel(value);
    if (value->meta.dtype != RG_I64 && value->meta.dtype != RG_I32)
        return rg_fail(RG_ESHAPE, "%s is %s, and must be int32 or int64",
                       rg_in_name(ctx, slot, item), rg_dtype_name(value->meta.dtype));
    if (value->meta.dtype == RG_I64) {
        *out = value->data;
        return RG_OK;
    }
    int64_t *wide = rg_scratch(ctx, (size_t)*n * sizeof *wide);
    if (wide == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < *n; i++)
        wide[i] = ((const int32_t *)value->data)[i];
    *out = wide;
    return RG_OK;
}

rg_status rg_check_ids(const rg_ctx *ctx, int slot, const int64_t *ids, int64_t n, int64_t end,
                       const char *of)
{
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= end)
            return rg_fail(RG_EVALUE, "%s (%s) has %lld at element %lld, and there are %lld %s",
                           rg_in_name(ctx, slot, 0), ctx->op->in[slot].name, (long long)ids[i],
                           (long long)i, (long long)end, of);
    return RG_OK;
}

rg_status rg_whole_dtype_from_attr(const rg_ctx *ctx, int attr, rg_dtype *dtype)
{
    RG_TRY(rg_dtype_from_attr(ctx, attr, dtype));
    if (*dtype != RG_I32 && *dtype != RG_I64)
        return rg_fail(RG_EINVAL, "dtype is %s, and must be int32 or int64", rg_dtype_name(*dtype));
    return RG_OK;
}

void rg_put_whole(rg_value *out, int64_t i, int64_t number)
{
    if (out->meta.dtype == RG_I32)
        ((int32_t *)out->data)[i] = (int32_t)number;
    else
        ((int64_t *)out->data)[i] = number;
}
