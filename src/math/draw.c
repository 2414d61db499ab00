/* draw.c - random numbers in groups of Philox blocks. */
#include "math/draw.h"

#include "base/float_bits.h"
#include "base/hot.h"

#include <math.h>
#include <string.h>

enum { MANY = RG_PHILOX_LANES, FEW = 16 }; /* blocks of a group: of a tensor, of a table's row */

/* ---- one number ---- */

RG_INLINE float even(uint32_t bits)
{
    return (float)(int32_t)(bits >> 8) * 0x1p-24f;
}

/* -log(u) of u in (0, 1]: u = 2^k m with m in [sqrt(1/2), sqrt(2)), as in math/fast.h. */
RG_INLINE float minus_log(float u)
{
    int32_t bits = rg_float_to_bits(u), k = (bits - 0x3f3504f3) >> 23;
    float m = rg_bits_to_float(bits - (int32_t)((uint32_t)k << 23));
    float e = (float)k, s = (m - 1.0f) / (m + 1.0f), z = s * s;
    float p = 0.2222221984f;
    p = p * z + 0.2857142874f;
    p = p * z + 0.4f;
    p = p * z + 0.6666666667f;
    float y = 2.0f * s + s * z * p;
    return -(e * 0.693359375f + (y - e * 2.12194440e-4f));
}

/* The length that the first word of a pair decides. */
RG_INLINE float radius(uint32_t bits)
{
    float u = (float)(int32_t)(bits >> 1) * 0x1p-31f + 0x1p-32f; /* (0, 1] */
    return sqrtf(2.0f * minus_log(u));
}

/* Cosine and sine of the angle bits / 2^32 of a turn: of the nearest quarter, and of what is left,
 * x quarters with |x| <= 1/2, by polynomials (errors below 1e-7). */
RG_INLINE void turn(uint32_t bits, float *cosine, float *sine)
{
    uint32_t quarter = (bits + 0x20000000u) >> 30;
    float x = (float)(int32_t)(bits - (quarter << 30)) * 0x1p-30f, z = x * x;
    float s = -0.004602163f, c = 0.0009036299f;
    s = s * z + 0.07968022f;
    s = s * z + -0.6459635f;
    s = (s * z + 1.5707964f) * x;
    c = c * z + -0.02086007f;
    c = c * z + 0.2536692f;
    c = c * z + -1.2337005f;
    c = c * z + 1.0f;
    float across = quarter & 1 ? s : c, up = quarter & 1 ? c : s;
    *cosine = (quarter + 1) & 2 ? -across : across;
    *sine = quarter & 2 ? -up : up;
}

/* y in [-1, 1] is how far along the distribution between -2 and 2 deviations: the number there.
 * A quotient in v = 1 - y^2, fitted to 1e-7; all its terms are positive. */
RG_INLINE float truncated(uint32_t bits)
{
    float y = (float)(int32_t)bits * 0x1p-31f, v = (1.0f - y) * (1.0f + y);
    float p = 0.40772194f, q = v + 5.2142897f;
    p = p * v + 5.1030455f;
    p = p * v + 7.0812798f;
    p = p * v + 2.3242762f;
    p = p * v + 0.19267635f;
    q = q * v + 4.9924145f;
    q = q * v + 1.3268584f;
    q = q * v + 0.09633818f;
    return y * (p / q);
}

/* ---- a group ---- */

typedef enum kind { UNIFORM, NORMAL, TRUNCATED } kind;

/* 4 n numbers from block `first` on; n and `what` are constants. a + b * number is what is
 * wanted. */
RG_INLINE void fill_group(kind what, rg_philox_key key, uint64_t first, int n, float a, float b,
                          float *restrict out)
{
    uint32_t w[4][MANY];
    rg_philox_words(key, first, n, w);
    if (what == NORMAL) {
        for (int64_t j = 0; j < n; j++) {
            float cosine, sine, other_cosine, other_sine;
            float length = radius(w[0][j]) * b, other = radius(w[2][j]) * b;
            turn(w[1][j], &cosine, &sine);
            turn(w[3][j], &other_cosine, &other_sine);
            out[4 * j] = a + length * cosine;
            out[4 * j + 1] = a + length * sine;
            out[4 * j + 2] = a + other * other_cosine;
            out[4 * j + 3] = a + other * other_sine;
        }
        return;
    }
    for (int64_t j = 0; j < n; j++)
        for (int k = 0; k < 4; k++)
            out[4 * j + k] = a + b * (what == UNIFORM ? even(w[k][j]) : truncated(w[k][j]));
}

/* Whole groups straight to `out`, which begins with a block, as long as there are; the rest and
 * what begins within a block by way of a group aside. */
RG_INLINE void fill(kind what, rg_philox_key key, uint64_t first, int64_t n, float a, float b,
                    float *out)
{
    float aside[4 * FEW];
    while (n > 0) {
        int64_t skip = (int64_t)(first & 3), made;
        if (skip == 0 && n >= INT64_C(4) * MANY) {
            fill_group(what, key, first >> 2, MANY, a, b, out);
            made = INT64_C(4) * MANY;
        } else {
            fill_group(what, key, first >> 2, FEW, a, b, aside);
            made = INT64_C(4) * FEW - skip < n ? INT64_C(4) * FEW - skip : n;
            memcpy(out, aside + skip, (size_t)made * sizeof *out);
        }
        first += (uint64_t)made;
        out += made;
        n -= made;
    }
}

RG_HOT void rg_draw_uniform(rg_philox_key key, uint64_t first, int64_t n, float low, float span,
                            float *out)
{
    fill(UNIFORM, key, first, n, low, span, out);
}

RG_HOT void rg_draw_normal(rg_philox_key key, uint64_t first, int64_t n, float mean,
                           float deviation, float *out)
{
    fill(NORMAL, key, first, n, mean, deviation, out);
}

RG_HOT void rg_draw_truncated(rg_philox_key key, uint64_t first, int64_t n, float mean,
                              float deviation, float *out)
{
    fill(TRUNCATED, key, first, n, mean, deviation, out);
}
