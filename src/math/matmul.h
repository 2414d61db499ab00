/* matmul.h - oneDNN's matmul primitive, where it is worth making one.
 *
 * For a shape that comes again and again the primitive beats the plain sgemm call, above
 * all with a transposed operand, and adds a bias and an activation for nothing. Making
 * one costs as much as many products, so a shape earns its primitive by coming up
 * RG_MATMUL_EARNED times; until then, and past the table's size, the caller is told no.
 *
 * Any thread; primitives are shared, scratch memory is each thread's own. */
#ifndef RG_MATH_MATMUL_H
#define RG_MATH_MATMUL_H

#include <stdbool.h>
#include <stdint.h>

enum { RG_MATMUL_EARNED = 8 };

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

/* c = act(op(a) op(b) + bias); false, nothing done, where there is no primitive. */
bool rg_matmul_f32(const rg_matmul_shape *shape, const float *a, const float *b, const float *bias,
                   float *c);

#endif
