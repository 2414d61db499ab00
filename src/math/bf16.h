/* bf16.h - products of bfloat16 with sums of float.
 *
 * RG_BF16_PRODUCTS is for CPUs that have instructions for them (AVX512-BF16, AMX), by oneDNN.
 * RG_BF16_EMULATED is for any, and for tests: the numbers are rounded alike, products and sums are
 * those of floats. The two differ in the order of sums alone.
 *
 * Any thread. */
#ifndef RG_MATH_BF16_H
#define RG_MATH_BF16_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum rg_precision {
    RG_FP32_PRODUCTS,
    RG_BF16_PRODUCTS,
    RG_BF16_EMULATED,
} rg_precision;

/* What FLAGS_matmul_precision says. RG_EINVAL: nothing that there is. */
rg_status rg_precision_of_flag(rg_precision *out);
/* RG_EUNIMPL, naming who asks and what it needs: this CPU has no such instructions. */
rg_status rg_precision_check(rg_precision precision, const char *who);

/* Whether such a product gains by it. Others are of floats: small ones, and those with next to no
 * rows or columns. `batch` is that one of the sizes which may be another in the next step. */
bool rg_bf16_suits(int64_t m, int64_t n, int64_t k, int64_t batch);

/* c[m,n] = op(a) op(b) + bias. */
typedef struct rg_bf16_product {
    rg_precision precision; /* one of the latter two */
    bool trans_a, trans_b;
    bool bias;     /* a float for each column is added */
    bool bf16_out; /* c is bfloat16; else float */
    bool packed;   /* b is as rg_bf16_pack() leaves it; else bfloat16 in rows */
    int64_t m, n, k, lda, ldb, ldc;
} rg_bf16_product;

/* Bytes of a packed b. */
size_t rg_bf16_packed_bytes(const rg_bf16_product *p);
/* From floats, as trans_b and ldb say; `packed` is aligned to 64 bytes. */
rg_status rg_bf16_pack(const rg_bf16_product *p, const float *b, void *packed);
/* From rows of bfloat16 without gaps; false: not to be had in this layout, multiply them as they
 * are. */
bool rg_bf16_pack_rows(const rg_bf16_product *p, const uint16_t *b, void *packed);
rg_status rg_bf16_multiply(const rg_bf16_product *p, const uint16_t *a, const void *b,
                           const float *bias, void *c);

/* c = alpha op(a) op(b) + beta c of floats, rounded on the way. */
rg_status rg_gemm_bf16(rg_precision precision, bool trans_a, bool trans_b, int64_t m, int64_t n,
                       int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                       int64_t ldb, float beta, float *c, int64_t ldc);

/* Memory of the calling thread, aligned to 64 bytes, until it is asked for the same place again.
 * NULL, with the message set: there is none. Places from RG_ROOM_OWN on are the callers' of this
 * file. */
enum { RG_ROOM_OWN = 4, RG_ROOMS = 11 };
void *rg_bf16_room(int place, size_t bytes);

#endif
