/* philox_words.c - Philox for many blocks side by side, by the CPU's vectors.
 *
 * A lane of 64 bits holds a word in its lower half. What stands above it does no harm: the
 * product of two lanes is that of their lower halves, and only those are stored. */
#include "base/philox.h"

enum { STEP = 16 }; /* blocks at once: several vectors, which hides the latency of products */

static const uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
static const uint32_t weyl[2] = {0x9E3779B9u, 0xBB67AE85u};

#if defined(__x86_64__) && !defined(RG_NO_CLONES)
#include <immintrin.h>

typedef uint32_t (*rows)[RG_PHILOX_LANES];

__attribute__((target("avx512f"))) static void words_512(rg_philox_key key, uint64_t first, rows w,
                                                         int at)
{
    enum { V = STEP / 8 };
    __m512i c0[V], c1[V], c2[V], c3[V];
    __m512i m0 = _mm512_set1_epi64(multiplier[0]), m1 = _mm512_set1_epi64(multiplier[1]);
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
#pragma GCC unroll 2
    for (int64_t v = 0; v < V; v++) {
        c0[v] = _mm512_add_epi64(_mm512_set1_epi64((int64_t)first + 8 * v),
                                 _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
        c1[v] = _mm512_srli_epi64(c0[v], 32);
        c2[v] = _mm512_set1_epi64((int64_t)(uint32_t)key.stream);
        c3[v] = _mm512_set1_epi64((int64_t)(key.stream >> 32));
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++, k0 += weyl[0], k1 += weyl[1]) {
        __m512i x0 = _mm512_set1_epi64(k0), x1 = _mm512_set1_epi64(k1);
#pragma GCC unroll 2
        for (int64_t v = 0; v < V; v++) {
            __m512i p0 = _mm512_mul_epu32(m0, c0[v]), p1 = _mm512_mul_epu32(m1, c2[v]);
            c0[v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p1, 32), c1[v]), x0);
            c2[v] = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p0, 32), c3[v]), x1);
            c1[v] = p1;
            c3[v] = p0;
        }
    }
#pragma GCC unroll 2
    for (int64_t v = 0; v < V; v++) {
        _mm256_storeu_si256((void *)(w[0] + at + 8 * v), _mm512_cvtepi64_epi32(c0[v]));
        _mm256_storeu_si256((void *)(w[1] + at + 8 * v), _mm512_cvtepi64_epi32(c1[v]));
        _mm256_storeu_si256((void *)(w[2] + at + 8 * v), _mm512_cvtepi64_epi32(c2[v]));
        _mm256_storeu_si256((void *)(w[3] + at + 8 * v), _mm512_cvtepi64_epi32(c3[v]));
    }
}

/* The lower halves of the four lanes. */
__attribute__((target("avx2"))) static inline void store_lower(uint32_t *to, __m256i lanes)
{
    __m256i low = _mm256_permutevar8x32_epi32(lanes, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
    _mm_storeu_si128((void *)to, _mm256_castsi256_si128(low));
}

__attribute__((target("avx2"))) static void words_256(rg_philox_key key, uint64_t first, rows w,
                                                      int at)
{
    enum { V = 2, LANES = 4 * V }; /* more would not fit into the registers */
    __m256i m0 = _mm256_set1_epi64x(multiplier[0]), m1 = _mm256_set1_epi64x(multiplier[1]);
    for (int half = 0; half < STEP; half += LANES) {
        __m256i c0[V], c1[V], c2[V], c3[V];
        uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
#pragma GCC unroll 2
        for (int64_t v = 0; v < V; v++) {
            c0[v] = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)first + half + 4 * v),
                                     _mm256_set_epi64x(3, 2, 1, 0));
            c1[v] = _mm256_srli_epi64(c0[v], 32);
            c2[v] = _mm256_set1_epi64x((int64_t)(uint32_t)key.stream);
            c3[v] = _mm256_set1_epi64x((int64_t)(key.stream >> 32));
        }
#pragma GCC unroll 10
        for (int round = 0; round < 10; round++, k0 += weyl[0], k1 += weyl[1]) {
            __m256i x0 = _mm256_set1_epi64x(k0), x1 = _mm256_set1_epi64x(k1);
#pragma GCC unroll 2
            for (int64_t v = 0; v < V; v++) {
                __m256i p0 = _mm256_mul_epu32(m0, c0[v]), p1 = _mm256_mul_epu32(m1, c2[v]);
                c0[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1[v]), x0);
                c2[v] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3[v]), x1);
                c1[v] = p1;
                c3[v] = p0;
            }
        }
#pragma GCC unroll 2
        for (int64_t v = 0; v < V; v++) {
            store_lower(w[0] + at + half + 4 * v, c0[v]);
            store_lower(w[1] + at + half + 4 * v, c1[v]);
            store_lower(w[2] + at + half + 4 * v, c2[v]);
            store_lower(w[3] + at + half + 4 * v, c3[v]);
        }
    }
}
#endif

void rg_philox(rg_philox_key key, uint64_t counter, uint32_t out[4])
{
    uint32_t c0 = (uint32_t)counter, c1 = (uint32_t)(counter >> 32);
    uint32_t c2 = (uint32_t)key.stream, c3 = (uint32_t)(key.stream >> 32);
    uint32_t k0 = (uint32_t)key.seed, k1 = (uint32_t)(key.seed >> 32);
    for (int round = 0; round < 10; round++, k0 += weyl[0], k1 += weyl[1]) {
        uint64_t p0 = (uint64_t)multiplier[0] * c0, p1 = (uint64_t)multiplier[1] * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void rg_philox_words(rg_philox_key key, uint64_t first, int n, uint32_t w[4][RG_PHILOX_LANES])
{
#if defined(__x86_64__) && !defined(RG_NO_CLONES)
    void (*step)(rg_philox_key, uint64_t, rows, int) = NULL;
    if (__builtin_cpu_supports("avx512f"))
        step = words_512;
    else if (__builtin_cpu_supports("avx2"))
        step = words_256;
    for (int j = 0; step != NULL && j < n; j += STEP)
        step(key, first + (uint64_t)j, w, j);
    if (step != NULL)
        return;
#endif
    for (int j = 0; j < n; j++) {
        uint32_t r[4];
        rg_philox(key, first + (uint64_t)j, r);
        for (int k = 0; k < 4; k++)
            w[k][j] = r[k];
    }
}

void rg_philox_blocks(rg_philox_key key, uint64_t first, uint64_t n, uint32_t *out)
{
    uint32_t w[4][RG_PHILOX_LANES] = {{0}};
    for (uint64_t i = 0; i < n; i += RG_PHILOX_LANES) {
        uint64_t left = n - i < RG_PHILOX_LANES ? n - i : RG_PHILOX_LANES;
        rg_philox_words(key, first + i, (int)(left + STEP - 1) / STEP * STEP, w);
        for (uint64_t j = 0; j < left; j++)
            for (int k = 0; k < 4; k++)
                out[4 * (i + j) + (uint64_t)k] = w[k][j];
    }
}
