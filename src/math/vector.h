/* vector.h - runs of numbers, element by element. */
#ifndef RG_MATH_VECTOR_H
#define RG_MATH_VECTOR_H

#include <stdint.h>

/* to += from */
void rg_add_f32(float *to, const float *from, int64_t n);
void rg_add_f64(double *to, const double *from, int64_t n);
/* x *= by */
void rg_scale_f32(float *x, float by, int64_t n);

#endif
