/* half.h - floats as IEEE 754 halves (binary16), to the nearest, ties to even.
 *
 * Plain integer arithmetic that compilers make vectors of, so every machine has the same bits.
 * What is finite but too large becomes the largest half, not infinity: a clipped gradient is better
 * than a lost model. */
#ifndef RG_BASE_HALF_H
#define RG_BASE_HALF_H

#include <stddef.h>
#include <stdint.h>

void rg_half_from_floats(uint16_t *to, const float *from, size_t n);
void rg_half_to_floats(float *to, const uint16_t *from, size_t n);

#endif
