/* int8.c - floats as signed bytes that share a scale, and back. */
#include "base/int8.h"

#include "base/float_bits.h"
#include "base/hot.h"

#include <float.h>
#include <math.h>

enum { INFINITE = 0x7f800000, MOST = 127 };

static const float LARGEST_SCALE = 0x1.020406p+121f; /* 127 times the next one is infinite */

/* Magnitudes are compared as bits, in which infinities and NaNs are the largest. */
RG_INLINE float scale_of(const float *from, size_t n)
{
    int32_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t size = rg_float_to_bits(from[i]) & 0x7fffffff;
        largest = size > largest ? size : largest;
    }
    const float scale = rg_bits_to_float(largest) / MOST;
    if (largest >= INFINITE)
        return NAN;
    if (scale < FLT_MIN)
        return 0;
    return scale < LARGEST_SCALE ? scale : LARGEST_SCALE;
}

/* Between 2^23 and 2^24 floats are whole numbers: adding 1.5 * 2^23 rounds, and leaves the number
 * in the low bits. */
RG_INLINE int8_t to_byte(float x)
{
    return (int8_t)(uint8_t)rg_float_to_bits(x + 0x1.8p23f);
}

RG_HOT void rg_int8_from_floats(int8_t *restrict to, float *restrict scales,
                                const float *restrict from, size_t n, size_t group)
{
    for (size_t g = 0, at = 0; at < n; g++, at += group) {
        const size_t count = n - at < group ? n - at : group;
        const float scale = scale_of(from + at, count);
        scales[g] = scale;
        if (!(scale > 0)) {
            memset(to + at, 0, count);
            continue;
        }
        const float by = 1 / scale;
        for (size_t i = 0; i < count; i++)
            to[at + i] = to_byte(from[at + i] * by);
    }
}

RG_HOT void rg_int8_to_floats(float *restrict to, const int8_t *restrict from,
                              const float *restrict scales, size_t n, size_t group)
{
    for (size_t g = 0, at = 0; at < n; g++, at += group) {
        const size_t count = n - at < group ? n - at : group;
        const float scale = scales[g];
        for (size_t i = 0; i < count; i++)
            to[at + i] = scale * (float)from[at + i];
    }
}

RG_HOT void rg_int8_lost(float *restrict lost, const float *restrict from,
                         const int8_t *restrict bytes, const float *restrict scales, size_t n,
                         size_t group)
{
    for (size_t g = 0, at = 0; at < n; g++, at += group) {
        const size_t count = n - at < group ? n - at : group;
        const float scale = scales[g];
        if (isnan(scale)) {
            memset(lost + at, 0, count * sizeof *lost);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            lost[at + i] = from[at + i] - scale * (float)bytes[at + i];
    }
}
