/* bf16.c - floats as bfloat16 and back. */
#include "base/bf16.h"

RG_HOT void rg_bf16_from_floats(uint16_t *restrict to, const float *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = rg_bf16_of(from[i]);
}

RG_HOT void rg_bf16_to_floats(float *restrict to, const uint16_t *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = rg_bf16_float(from[i]);
}

RG_HOT void rg_bf16_round_floats(float *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = rg_bf16_float(rg_bf16_of(from[i]));
}
