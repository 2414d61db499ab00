/* fast.h - exp, log, tanh and the like for floats, in plain arithmetic, so that a
 * loop over them becomes vectors. Each is within 3 units in the last place of the
 * true value where the result is a normal float; no tables, no branches. */
#ifndef RG_MATH_FAST_H
#define RG_MATH_FAST_H

#include "base/float_bits.h"
#include "base/hot.h"

#include <math.h>
#include <stdint.h>

/* e^x = 2^n e^r with r in [-ln2/2, ln2/2], and e^r = 1 + r + r^2 q(r). */
RG_INLINE float rg_expf(float x)
{
    float c = x < -87.33654f ? -87.33654f : x;
    c = c > 88.72283f ? 88.72283f : c;
    /* Rounded by adding and taking away 1.5 * 2^23. */
    float n = c * 1.44269504f + 12582912.0f;
    int32_t k = rg_float_to_bits(n) - 0x4b400000;
    n -= 12582912.0f;
    float r = c - n * 0.693359375f;
    r += n * 2.12194440e-4f;
    float q = 0.00138145925f;
    q = q * r + 0.00836871198f;
    q = q * r + 0.0416683878f;
    q = q * r + 0.166665207f;
    q = q * r + 0.499999934f;
    float y = 1.0f + (r + r * r * q);
    /* In two halves: 2^128 is no float, but e^88.7 is. (Of a NaN k is anything.) */
    int32_t half = k >> 1;
    y *= rg_bits_to_float((int32_t)((uint32_t)(half + 127) << 23));
    y *= rg_bits_to_float((int32_t)((uint32_t)(k - half + 127) << 23));
    y = x > 88.72283f ? INFINITY : y;
    return x < -87.33654f ? (x < -103.98f ? 0.0f : y) : x != x ? x : y;
}

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)), and log m = 2 atanh((m - 1) / (m + 1)). */
RG_INLINE float rg_logf(float x)
{
    int32_t bits = rg_float_to_bits(x);
    /* Subnormals are scaled up first. */
    float scaled = x * 8388608.0f;
    int small = bits < 0x00800000;
    bits = small ? rg_float_to_bits(scaled) : bits;
    int32_t k = (bits - 0x3f3504f3) >> 23;
    float m = rg_bits_to_float(bits - (int32_t)((uint32_t)k << 23));
    float e = (float)(small ? k - 23 : k);
    float s = (m - 1.0f) / (m + 1.0f);
    float z = s * s;
    float p = 0.2222221984f;
    p = p * z + 0.2857142874f;
    p = p * z + 0.4f;
    p = p * z + 0.6666666667f;
    float y = 2.0f * s + s * z * p;
    y = e * 0.693359375f + (y - e * 2.12194440e-4f);
    y = x > 3.4028234e38f ? x : y;
    y = x == 0.0f ? -INFINITY : y;
    return x < 0.0f || x != x ? NAN : y;
}

RG_INLINE float rg_sigmoidf(float x)
{
    return 1.0f / (1.0f + rg_expf(-x));
}

RG_INLINE float rg_tanhf(float x)
{
    float a = fabsf(x);
    float big = 1.0f - 2.0f / (rg_expf(2.0f * a) + 1.0f);
    float z = x * x;
    float t = -0.00569742001f;
    t = t * z + 0.0206325826f;
    t = t * z + -0.0537378109f;
    t = t * z + 0.133314206f;
    t = t * z + -0.333332812f;
    float low = x + x * z * t;
    float high = x < 0.0f ? -big : big;
    return a < 0.625f ? low : high;
}

/* log(1 + e^x), without overflow: the larger of x and 0, and log(1 + e) with e = e^-|x| in
 * [0, 1], which is 2 atanh(e / (2 + e)) by its series. (Not rg_logf: its special cases after
 * those of rg_expf are more than the compiler makes vectors of.) */
RG_INLINE float rg_softplusf(float x)
{
    float e = rg_expf(-fabsf(x));
    float s = e / (2.0f + e);
    float z = s * s;
    float p = 0.0769230769f;
    p = p * z + 0.0909090909f;
    p = p * z + 0.111111111f;
    p = p * z + 0.142857143f;
    p = p * z + 0.2f;
    p = p * z + 0.333333333f;
    return (x > 0.0f ? x : 0.0f) + 2.0f * (s + s * z * p);
}

#endif
