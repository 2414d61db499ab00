/* draw.h - many random numbers at once: what initialisers fill tensors with.
 *
 * Element i of a key is a function of (key, i) alone, bit by bit the same in a run of any length
 * and on any CPU: the kernels are plain arithmetic without contraction, compiled for each
 * generation (base/hot.h). Four elements are made of a Philox block. */
#ifndef RG_MATH_DRAW_H
#define RG_MATH_DRAW_H

#include "base/philox.h"

/* Elements first .. first + n - 1: evenly in [low, low + span), to 24 bits. */
void rg_draw_uniform(rg_philox_key key, uint64_t first, int64_t n, float low, float span,
                     float *out);
/* Normal (Box-Muller); the largest is 6.6 deviations from the mean. */
void rg_draw_normal(rg_philox_key key, uint64_t first, int64_t n, float mean, float deviation,
                    float *out);
/* Normal within two deviations, by the inverse of the distribution, so that no element needs a
 * second try. */
void rg_draw_truncated(rg_philox_key key, uint64_t first, int64_t n, float mean, float deviation,
                       float *out);

#endif
