/* matmul.h - oneDNN's matmul primitive, where it is worth making one, of floats or of bfloat16.
 *
 * The primitive beats the plain sgemm call with a transposed second operand and with few
 * columns, and adds a bias and an activation for nothing. Making one costs as much as some
 * products, and its sums are rounded otherwise than sgemm's, so the shape alone decides, and
 * the same inputs give the same bits whatever the process has computed before.
 *
 * The sums of bfloat16 are floats, and so are bias and activation. Their second operand may be in
 * the layout that the primitive likes best, which rg_matmul_pack() brings it to.
 *
 * Any thread; each has its own primitives and scratch memory. */
#ifndef RG_MATH_MATMUL_H
#define RG_MATH_MATMUL_H

#include <stdbool.h>
#include <stddef.h>
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
    bool bf16;     /* a and b are bfloat16 */
    bool bf16_out; /* and so is c */
    bool packed;   /* b is as rg_matmul_pack() leaves it; ldb and trans_b say how it comes there */
} rg_matmul_shape;

/* Whether such a product is computed by a primitive. */
bool rg_matmul_suits(const rg_matmul_shape *shape);

/* c = act(op(a) op(b) + bias); false, nothing done, where oneDNN has no primitive for it. */
bool rg_matmul_run(const rg_matmul_shape *shape, const void *a, const void *b, const float *bias,
                   void *c);

/* Bytes of a packed b; 0: oneDNN has no primitive for it. */
size_t rg_matmul_packed_bytes(const rg_matmul_shape *shape);
/* Floats of b, as trans_b and ldb say, to bfloat16 in the primitive's layout. The room is aligned
 * to 64 bytes. False as above. */
bool rg_matmul_pack(const rg_matmul_shape *shape, const float *b, void *packed);
/* The same of rows of bfloat16 without gaps, not turned. False also where we do not know the
 * layout. */
bool rg_matmul_pack_bf16(const rg_matmul_shape *shape, const uint16_t *b, void *packed);

#endif
