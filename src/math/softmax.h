/* softmax.h - e^x over its sum, along one dimension of [outer, n, inner].
 *
 * No probability is below e^-64: so the logarithm of each, and one over it, are
 * numbers, and a loss made of two ops (softmax, cross_entropy) learns from the worst
 * of examples too. */
#ifndef RG_MATH_SOFTMAX_H
#define RG_MATH_SOFTMAX_H

#include <stdint.h>

/* y may be x. log_sum, unless NULL, gets the logarithm of the sum of e^x for each of
 * [outer, inner]; work is 2 * inner numbers, and not used where inner is 1. */
void rg_softmax_f32(const float *x, float *y, float *log_sum, int64_t outer, int64_t n,
                    int64_t inner, float *work);
void rg_softmax_f64(const double *x, double *y, double *log_sum, int64_t outer, int64_t n,
                    int64_t inner, double *work);

/* dx from the probabilities y and their gradient dy: y (dy - sum of y dy). */
void rg_softmax_grad_f32(const float *y, const float *dy, float *dx, int64_t outer, int64_t n,
                         int64_t inner, float *work);
void rg_softmax_grad_f64(const double *y, const double *dy, double *dx, int64_t outer, int64_t n,
                         int64_t inner, double *work);

#endif
