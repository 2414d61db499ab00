/* reduce.h - sums in a fixed order that is also quick: 32 running sums side by side,
 * joined by a tree. The same numbers on every CPU and for any number of threads. */
#ifndef RG_MATH_REDUCE_H
#define RG_MATH_REDUCE_H

#include <stdint.h>

float rg_sum_f32(const float *x, int64_t n);
double rg_sum_f64(const double *x, int64_t n);
float rg_dot_f32(const float *x, const float *y, int64_t n);
double rg_dot_f64(const double *x, const double *y, int64_t n);
/* Sums of (x - from)^2 and of (x - from) y. */
float rg_squares_f32(const float *x, float from, int64_t n);
double rg_squares_f64(const double *x, double from, int64_t n);
float rg_dot_from_f32(const float *x, float from, const float *y, int64_t n);
double rg_dot_from_f64(const double *x, double from, const double *y, int64_t n);
float rg_max_f32(const float *x, int64_t n); /* n >= 1 */
double rg_max_f64(const double *x, int64_t n);

#endif
