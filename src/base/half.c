/* half.c - floats as halves and back. */
#include "base/half.h"

#include "base/float_bits.h"
#include "base/hot.h"

enum {
    SIGN = 0x8000,
    INFINITE = 0x7c00,
    NOT_A_NUMBER = 0x7e00,
    LARGEST = 0x7bff,
    REBIAS = 112 << 23, /* a float's exponents begin so much higher */
};

RG_INLINE uint16_t to_half(float x)
{
    const uint32_t all = rg_float_to_bits(x), size = all & 0x7fffffffu;
    /* Below 2^-14 halves are multiples of 2^-24, and so are floats from 0.5 to 1: adding 0.5
     * rounds, and leaves the multiple in the low bits. */
    const float shifted = rg_bits_to_float((int32_t)size) + 0.5f;
    const uint32_t small = rg_float_to_bits(shifted) - rg_float_to_bits(0.5f);
    /* Else 13 bits go; half of the last place is added, less one where the last bit is even. */
    const uint32_t normal = (size + 0xfffu + (size >> 13 & 1) - REBIAS) >> 13;
    uint32_t half = size < (uint32_t)113 << 23 ? small : normal;
    half = size >= (uint32_t)143 << 23 || half > LARGEST ? LARGEST : half;
    half = size == (uint32_t)255 << 23 ? INFINITE : half;
    half = size > (uint32_t)255 << 23 ? NOT_A_NUMBER : half;
    return (uint16_t)(half | (all >> 16 & SIGN));
}

RG_INLINE float to_float(uint16_t half)
{
    const uint32_t size = half & 0x7fffu;
    uint32_t bits = (size << 13) + REBIAS;
    bits += size >= INFINITE ? REBIAS : 0;
    const uint32_t small = rg_float_to_bits((float)(int32_t)size * 0x1p-24f);
    bits = size < 0x400 ? small : bits;
    return rg_bits_to_float((int32_t)(bits | (uint32_t)(half & SIGN) << 16));
}

RG_HOT void rg_half_from_floats(uint16_t *restrict to, const float *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = to_half(from[i]);
}

RG_HOT void rg_half_to_floats(float *restrict to, const uint16_t *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = to_float(from[i]);
}
