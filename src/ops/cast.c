/* cast.c - a tensor's numbers as another type.
 *
 * A float becomes a whole number by leaving off its fraction, anything but 0 is true. The
 * gradient is cast back. */
#include "base/bf16.h"
#include "base/half.h"
#include "ir/program.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };
enum { OUT_DTYPE, IN_DTYPE };

static rg_status cast_infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    RG_TRY(rg_dtype_from_attr(ctx, OUT_DTYPE, &dtype));
    rg_set_like(ctx, OUT, X);
    rg_set_dtype(ctx, OUT, dtype);
    return RG_OK;
}

/* ---- float16: a sign, 5 bits of exponent, 10 of fraction ---- */

/* Rounded to the nearest, halves to even; what is too large is infinite, as numpy has it. */
static uint16_t float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return sign | 0x7e00;
    if (bits >= 0x477ff000) /* rounds to 65536 or more */
        return sign | 0x7c00;
    if (bits < 0x38800000) { /* below the smallest exponent: count units of 2^-24 */
        float units;
        memcpy(&units, &bits, sizeof units);
        return (uint16_t)(sign | (uint16_t)nearbyintf(units * 0x1p24f));
    }
    uint32_t odd = bits >> 13 & 1;
    return (uint16_t)(sign | ((bits + 0xfff + odd - ((127 - 15) << 23)) >> 13));
}

/* ---- the loops: one for each pair of types ---- */

#define TYPES(DO, ...)               \
    DO(bool, RG_BOOL, __VA_ARGS__)   \
    DO(int8_t, RG_I8, __VA_ARGS__)   \
    DO(uint8_t, RG_U8, __VA_ARGS__)  \
    DO(int16_t, RG_I16, __VA_ARGS__) \
    DO(int32_t, RG_I32, __VA_ARGS__) \
    DO(int64_t, RG_I64, __VA_ARGS__) \
    DO(float, RG_F32, __VA_ARGS__)   \
    DO(double, RG_F64, __VA_ARGS__)

#define TO(T, DTYPE, FROM)              \
    case DTYPE:                         \
        for (int64_t i = 0; i < n; i++) \
            ((T *)to)[i] = (T)x[i];     \
        return true;
#define FROM(T, NAME)                                                        \
    static bool from_##NAME(const T *x, void *to, rg_dtype dtype, int64_t n) \
    {                                                                        \
        switch ((int)dtype) {                                                \
            TYPES(TO, T)                                                     \
        default:                                                             \
            return false;                                                    \
        }                                                                    \
    }
FROM(bool, bool)
FROM(int8_t, i8)
FROM(uint8_t, u8)
FROM(int16_t, i16)
FROM(int32_t, i32)
FROM(int64_t, i64)
FROM(float, f32)
FROM(double, f64)

/* False where there is no such pair; neither is float16 or bfloat16. */
static bool convert(const void *from, rg_dtype from_dtype, void *to, rg_dtype to_dtype, int64_t n)
{
    switch (from_dtype) {
    case RG_BOOL:
        return from_bool(from, to, to_dtype, n);
    case RG_I8:
        return from_i8(from, to, to_dtype, n);
    case RG_U8:
        return from_u8(from, to, to_dtype, n);
    case RG_I16:
        return from_i16(from, to, to_dtype, n);
    case RG_I32:
        return from_i32(from, to, to_dtype, n);
    case RG_I64:
        return from_i64(from, to, to_dtype, n);
    case RG_F32:
        return from_f32(from, to, to_dtype, n);
    case RG_F64:
        return from_f64(from, to, to_dtype, n);
    case RG_F16:
    case RG_BF16:
    case RG_SIZE_T:
        break;
    }
    return false;
}

static bool is_short(rg_dtype dtype)
{
    return dtype == RG_F16 || dtype == RG_BF16;
}

/* From or to float16 or bfloat16, by way of floats, a piece at a time. */
static bool convert_short(const char *from, rg_dtype from_dtype, char *to, rg_dtype to_dtype,
                          int64_t n)
{
    float piece[256];
    size_t from_size = rg_dtype_size(from_dtype), to_size = rg_dtype_size(to_dtype);
    for (int64_t at = 0; at < n; at += 256) {
        int64_t m = n - at < 256 ? n - at : 256;
        const char *x = from + (size_t)at * from_size;
        char *y = to + (size_t)at * to_size;
        if (from_dtype == RG_F16)
            rg_half_to_floats(piece, (const uint16_t *)(const void *)x, (size_t)m);
        else if (from_dtype == RG_BF16)
            rg_bf16_to_floats(piece, (const uint16_t *)(const void *)x, (size_t)m);
        else if (!convert(x, from_dtype, piece, RG_F32, m))
            return false;
        for (int64_t i = 0; to_dtype == RG_F16 && i < m; i++)
            ((uint16_t *)y)[i] = float_to_half(piece[i]);
        if (to_dtype == RG_BF16)
            rg_bf16_from_floats((uint16_t *)(void *)y, piece, (size_t)m);
        if (!is_short(to_dtype) && !convert(piece, RG_F32, y, to_dtype, m))
            return false;
    }
    return true;
}

static rg_status cast_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    rg_dtype from = x->meta.dtype, to = out->meta.dtype;
    int64_t n = rg_numel(x);
    bool done;
    if (from == to) {
        memmove(out->data, x->data, rg_value_bytes(out));
        return RG_OK;
    }
    if (is_short(from) || is_short(to))
        done = convert_short(x->data, from, out->data, to, n);
    else
        done = convert(x->data, from, out->data, to, n);
    if (!done)
        return rg_fail(RG_EUNIMPL, "no cast from %s to %s", rg_dtype_name(from), rg_dtype_name(to));
    return RG_OK;
}

static rg_status set_dtype(rg_opdesc *op, const char *name, const rg_attr *from)
{
    rg_attr attr = *from;
    attr.name = name;
    return rg_opdesc_set_attr(op, &attr);
}

static rg_status cast_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_attr *in = rg_opdesc_attr(forward, "in_dtype"),
                  *out = rg_opdesc_attr(forward, "out_dtype");
    rg_opdesc *op;
    if (in == NULL || out == NULL)
        return rg_fail(RG_EINVAL, "a cast without in_dtype has no gradient");
    RG_TRY(rg_grad_add(ctx, "cast", false, &op));
    RG_TRY(set_dtype(op, "out_dtype", in));
    RG_TRY(set_dtype(op, "in_dtype", out));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_cast = {
    .type = "cast",
    .doc = "A tensor's numbers as another type.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([OUT_DTYPE] = RG_REQUIRED("out_dtype", RG_ATTR_INT, "the type to make"),
                     [IN_DTYPE] = RG_REQUIRED("in_dtype", RG_ATTR_INT, "X's type: the gradient's")),
    .infer = cast_infer,
    .kernel = cast_kernel,
    .grad = cast_grad,
};
