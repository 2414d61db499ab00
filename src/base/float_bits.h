/* float_bits.h - a float as the 32 bits it is made of, and back. */
#ifndef RG_BASE_FLOAT_BITS_H
#define RG_BASE_FLOAT_BITS_H

#include "base/hot.h"

#include <stdint.h>
#include <string.h>

RG_INLINE float rg_bits_to_float(int32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

RG_INLINE int32_t rg_float_to_bits(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
