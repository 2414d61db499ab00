/* gemm.h - matrix products, by the library that does the shape best.
 *
 * Row-major throughout: C[m,n] = alpha * op(A) op(B) + beta * C, where op(A) is
 * [m,k] and lda the length of a row as stored. Products of a vector, or with a very
 * small side, are done by loops here: libraries are made for large ones. Which
 * library and why: docs/performance.md. */
#ifndef RG_MATH_GEMM_H
#define RG_MATH_GEMM_H

#include "math/matmul.h"

#include <stdbool.h>
#include <stdint.h>

void rg_gemm_f32(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                 const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                 int64_t ldc);
void rg_gemm_f64(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
                 const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c,
                 int64_t ldc);

/* out[m,n] = act(x[m,k] w[k,n] + bias[n]), in one pass where a library can. */
void rg_linear_f32(int64_t m, int64_t n, int64_t k, const float *x, const float *w,
                   const float *bias, rg_activation act, float *out);

/* Threads of the libraries inside one call, for the calling thread; 0: FLAGS_paddle_num_threads,
 * as at the beginning. One in a process that was forked from one where there were more. */
void rg_gemm_threads(int threads);
/* Tell the libraries, before a call of one. */
void rg_gemm_configure(void);

#endif
