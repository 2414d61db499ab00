/* peak.h - what one core could compute at best, measured. */
#ifndef RG_MATH_PEAK_H
#define RG_MATH_PEAK_H

#include <stdint.h>

/* Products and sums of floats a second, by fused multiply-adds that wait for nothing, of one core
 * in about `ns`; `isa` names the instructions: "AVX-512", "AVX2", "plain C". */
double rg_peak_flops(uint64_t ns, const char **isa);
/* The same of rg_gemm_f32() on squares of side 512, with the packing and reading that it does. */
double rg_gemm_flops(uint64_t ns);

#endif
