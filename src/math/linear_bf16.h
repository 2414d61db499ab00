/* linear_bf16.h - a fully connected layer and its gradients with products of bfloat16.
 *
 * Activations and their gradients come and go as floats or as bfloat16, so that a layer hands on to
 * the next what it multiplies with. Weights, biases and their gradients are floats. */
#ifndef RG_MATH_LINEAR_BF16_H
#define RG_MATH_LINEAR_BF16_H

#include "math/bf16.h"
#include "math/matmul.h"

/* X is [m, k], W [k, n]. */
typedef struct rg_linear {
    rg_precision precision;
    rg_activation act;
    int64_t m, n, k;
} rg_linear;

typedef struct rg_numbers {
    void *data; /* NULL: none */
    bool bf16;
} rg_numbers;

/* out = act(x w + bias) */
rg_status rg_linear_bf16(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                         rg_numbers out);

typedef struct rg_linear_grads {
    rg_numbers x, out, dout;
    const float *w;
    rg_numbers dx; /* data NULL: not wanted */
    float *dw;     /* NULL: not wanted */
    float *sums;   /* the bias's gradient */
    float *w_out;  /* NULL, or w less rate times its gradient */
    float rate;
} rg_linear_grads;

rg_status rg_linear_grads_bf16(const rg_linear *l, const rg_linear_grads *g);

#endif
