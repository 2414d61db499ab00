/* matmul.h - oneDNN's matmul primitive, where it is worth making one.
 *
 * The primitive beats the plain sgemm call with a transposed second operand and with few
 * columns, and adds a bias and an activation for nothing. Making one costs as much as some
 * products, and its sums are rounded otherwise than sgemm's, so the shape alone decides, and
 * the same inputs give the same bits whatever the process has computed before.
 *
 * Any thread; each has its own primitives and scratch memory. */
#ifndef RG_MATH_MATMUL_H
#define RG_MATH_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum rg_activation {
    RG_ACT_NONE,
    RG_ACT_RELU,
    RG_ACT_SIGMOID,
    RG_ACT_TANH,
} rg_activation;

typedef struct rg_matmul_shape {
    bool trans_a, trans_b, bias;
    rg_activation act;
    int64_t m, n, k, lda, ldb, ldc;
} rg_matmul_shape;

/* Whether such a product is computed by a primitive. */
bool rg_matmul_suits(const rg_matmul_shape *shape);

/* c = act(op(a) op(b) + bias); false, nothing done, where oneDNN has no primitive for it. */
bool rg_matmul_f32(const rg_matmul_shape *shape, const float *a, const float *b, const float *bias,
                   float *c);

#endif
