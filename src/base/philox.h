/* philox.h - counter-based random numbers (Philox 4x32, 10 rounds).
 *
 * The i-th number is a function of (key, i) alone, so a tensor may be filled
 * whole, in slices or in any order by any number of threads, and comes out the
 * same. The algorithm: Salmon et al., "Parallel random numbers: as easy as
 * 1, 2, 3" (SC 2011). */
#ifndef RG_BASE_PHILOX_H
#define RG_BASE_PHILOX_H

#include <stdint.h>

typedef struct rg_philox_key {
    uint64_t seed;   /* the user's seed */
    uint64_t stream; /* what is drawn: a variable's name hashed, an op, a step */
} rg_philox_key;

/* Four 32-bit numbers for block `counter`. */
void rg_philox(rg_philox_key key, uint64_t counter, uint32_t out[4]);
/* The same for the blocks first .. first + n - 1, one after the other; quicker. */
void rg_philox_blocks(rg_philox_key key, uint64_t first, uint64_t n, uint32_t *out);

enum { RG_PHILOX_LANES = 64 };
/* Word k of block first + j in w[k][j], for j < n, where n is a multiple of 16. */
void rg_philox_words(rg_philox_key key, uint64_t first, int n, uint32_t w[4][RG_PHILOX_LANES]);

/* The i-th number of the stream, in [0, 1): 24 bits as float, 53 as double. */
float rg_philox_uniform_f32(rg_philox_key key, uint64_t i);
double rg_philox_uniform_f64(rg_philox_key key, uint64_t i);

/* The i-th standard normal number of the stream (Box-Muller). */
double rg_philox_normal(rg_philox_key key, uint64_t i);
/* The same within two deviations: one uniform number an element, no rejection, so that
 * element i needs nothing but i. */
double rg_philox_truncated_normal(rg_philox_key key, uint64_t i);

/* The i-th number in 0 .. n-1, n >= 1, without bias that matters (n < 2^48). */
uint64_t rg_philox_below(rg_philox_key key, uint64_t i, uint64_t n);

#endif
