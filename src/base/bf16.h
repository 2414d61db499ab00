/* bf16.h - floats as bfloat16: the upper half of a float, to the nearest, ties to even.
 *
 * The range is a float's, so nothing overflows that did not before but the last half of a place
 * below infinity; of the fraction 7 bits are left. A NaN stays one. Plain integer arithmetic that
 * compilers make vectors of, so every machine has the same bits. */
#ifndef RG_BASE_BF16_H
#define RG_BASE_BF16_H

#include "base/float_bits.h"
#include "base/hot.h"

#include <stddef.h>
#include <stdint.h>

RG_INLINE uint16_t rg_bf16_of(float x)
{
    const uint32_t bits = (uint32_t)rg_float_to_bits(x);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    const uint32_t nan = bits >> 16 | 0x40; /* quiet, and not infinite by what is cut off */
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

RG_INLINE float rg_bf16_float(uint16_t x)
{
    return rg_bits_to_float((int32_t)((uint32_t)x << 16));
}

void rg_bf16_from_floats(uint16_t *to, const float *from, size_t n);
void rg_bf16_to_floats(float *to, const uint16_t *from, size_t n);
/* What is left of floats when they have been bfloat16; in place is allowed. */
void rg_bf16_round_floats(float *to, const float *from, size_t n);

#endif
