/* types.h - one kernel for several element types.
 *
 *     #define TWICE(T, S) RG_HOT static void twice_##S(const T *x, T *y, int64_t n) ...
 *     RG_FLOATS(TWICE)                       defines twice_f32 and twice_f64
 *     RG_CALL_FLOAT(ctx, X, twice, (x, y, n)); calls the one for the dtype of input X
 *
 * The call returns from the kernel with an error where there is no such type. */
#ifndef RG_OPS_TYPES_H
#define RG_OPS_TYPES_H

#include "base/hot.h"
#include "ir/op.h"

#include <math.h>

/* The root in the type of x, so that a loop over it is a loop of vectors. */
#define RG_SQRT(x) _Generic((x), float : sqrtf, default : sqrt)(x)

#define RG_FLOATS(DEFINE) DEFINE(float, f32) DEFINE(double, f64)
#define RG_NUMBERS(DEFINE) \
    DEFINE(float, f32) DEFINE(double, f64) DEFINE(int32_t, i32) DEFINE(int64_t, i64)

#define RG_CALL_FLOAT(ctx, in, name, args) \
    switch ((int)rg_dtype_of(ctx, in)) {   \
    case RG_F32:                           \
        name##_f32 args;                   \
        break;                             \
    case RG_F64:                           \
        name##_f64 args;                   \
        break;                             \
    default:                               \
        return rg_bad_dtype(ctx, in);      \
    }

#define RG_CALL_NUMBER(ctx, in, name, args) \
    switch ((int)rg_dtype_of(ctx, in)) {    \
    case RG_F32:                            \
        name##_f32 args;                    \
        break;                              \
    case RG_F64:                            \
        name##_f64 args;                    \
        break;                              \
    case RG_I32:                            \
        name##_i32 args;                    \
        break;                              \
    case RG_I64:                            \
        name##_i64 args;                    \
        break;                              \
    default:                                \
        return rg_bad_dtype(ctx, in);       \
    }

#endif
