/* crc32c.c - by the CPU's products of polynomials where it has wide ones, by its own instruction
 * for this sum, or by a table. */
#include "base/crc32c.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* What four bits shifted out of the register put back into it. */
static const uint32_t nibble[16] = {
    0x00000000u, 0x105ec76fu, 0x20bd8edeu, 0x30e349b1u, 0x417b1dbcu, 0x5125dad3u,
    0x61c69362u, 0x7198540du, 0x82f63b78u, 0x92a8fc17u, 0xa24bb5a6u, 0xb21572c9u,
    0xc38d26c4u, 0xd3d3e1abu, 0xe330a81au, 0xf36e6f75u,
};

static uint32_t by_table(uint32_t c, const uint8_t *p, size_t n)
{
    while (n-- > 0) {
        c ^= *p++;
        c = c >> 4 ^ nibble[c & 15];
        c = c >> 4 ^ nibble[c & 15];
    }
    return c;
}

#if defined(__x86_64__)
enum { BLOCK = 8192 };

/* What BLOCK zero bytes make of a register with the one bit i set. */
static const uint32_t after_block[32] = {
    0xe040e0acu, 0xc56db7a9u, 0x8f3719a3u, 0x1b8245b7u, 0x37048b6eu, 0x6e0916dcu, 0xdc122db8u,
    0xbdc82d81u, 0x7e7c2df3u, 0xfcf85be6u, 0xfc1cc13du, 0xfdd5f48bu, 0xfe479fe7u, 0xf963493fu,
    0xf72ae48fu, 0xebb9bfefu, 0xd29f092fu, 0xa0d264afu, 0x4448bfafu, 0x88917f5eu, 0x14ce884du,
    0x299d109au, 0x533a2134u, 0xa6744268u, 0x4904f221u, 0x9209e442u, 0x21ffbe75u, 0x43ff7ceau,
    0x87fef9d4u, 0x0a118559u, 0x14230ab2u, 0x28461564u,
};

static uint32_t skip_block(uint32_t c)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out ^= after_block[i] & (0u - (c >> i & 1));
    return out;
}

/* The instruction takes three cycles, but a new one can start each cycle: three blocks are summed
 * side by side. */
__attribute__((target("sse4.2"))) static uint32_t three_blocks(uint32_t c, const uint8_t *p)
{
    uint64_t a = c, b = 0, d = 0, w[3];
    for (size_t i = 0; i < BLOCK; i += 8) {
        memcpy(&w[0], p + i, 8);
        memcpy(&w[1], p + BLOCK + i, 8);
        memcpy(&w[2], p + 2 * (size_t)BLOCK + i, 8);
        a = __builtin_ia32_crc32di(a, w[0]);
        b = __builtin_ia32_crc32di(b, w[1]);
        d = __builtin_ia32_crc32di(d, w[2]);
    }
    return skip_block(skip_block((uint32_t)a) ^ (uint32_t)b) ^ (uint32_t)d;
}

__attribute__((target("sse4.2"))) static uint32_t by_cpu(uint32_t c, const uint8_t *p, size_t n)
{
    for (; n >= 3 * (size_t)BLOCK; p += 3 * (size_t)BLOCK, n -= 3 * (size_t)BLOCK)
        c = three_blocks(c, p);
    uint64_t wide = c;
    while (n >= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        wide = __builtin_ia32_crc32di(wide, w);
        p += 8;
        n -= 8;
    }
    c = (uint32_t)wide;
    while (n-- > 0)
        c = __builtin_ia32_crc32qi(c, *p++);
    return c;
}

enum { WIDE = 256 };
#define WIDE_TARGET __attribute__((target("sse4.2,pclmul,avx512f,avx512bw,avx512dq,vpclmulqdq")))

/* x^(d + 32) and x^(d - 32) modulo the polynomial, reflected: what 64 bits, and the 64 behind them,
 * are worth d bits further on. For each lane of 128 bits; those of the last go to its last lane. */
static const uint64_t by_2048[8] = {0xdcb17aa4, 0xb9e02b86, 0xdcb17aa4, 0xb9e02b86,
                                    0xdcb17aa4, 0xb9e02b86, 0xdcb17aa4, 0xb9e02b86};
static const uint64_t by_512[8] = {0x740eef02, 0x9e4addf8, 0x740eef02, 0x9e4addf8,
                                   0x740eef02, 0x9e4addf8, 0x740eef02, 0x9e4addf8};
static const uint64_t to_its_end[8] = {0x1c291d04,  0x1d82c63da, /* 384 */
                                       0x1384aa63a, 0xba4fc28e,  /* 256 */
                                       0xf20c0dfe,  0x14cd00bd6 /* 128 */};

WIDE_TARGET static __m512i fold(__m512i x, __m512i by, __m512i onto)
{
    enum { LOW = 0x00, HIGH = 0x11, ALL_THREE = 0x96 };
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(x, by, LOW),
                                     _mm512_clmulepi64_epi128(x, by, HIGH), onto, ALL_THREE);
}

/* The remainder does not change where a part is replaced by what it is worth further on: four
 * vectors move over all, in the end the 16 bytes that they come to are summed. n: a multiple of
 * WIDE. */
WIDE_TARGET static uint32_t over_all(uint32_t c, const uint8_t *p, size_t n)
{
    const __m512i far = _mm512_loadu_si512(by_2048), next = _mm512_loadu_si512(by_512);
    __m512i x[4];
    for (int i = 0; i < 4; i++)
        x[i] = _mm512_loadu_si512(p + 64 * i);
    x[0] = _mm512_xor_si512(x[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)c)));
    for (p += WIDE, n -= WIDE; n > 0; p += WIDE, n -= WIDE)
        for (int i = 0; i < 4; i++)
            x[i] = fold(x[i], far, _mm512_loadu_si512(p + 64 * i));
    for (int i = 1; i < 4; i++)
        x[i] = fold(x[i - 1], next, x[i]);
    enum { LAST_LANE = 0xc0 };
    __m512i ends = fold(x[3], _mm512_loadu_si512(to_its_end),
                        _mm512_maskz_mov_epi64(LAST_LANE, x[3]));
    __m128i all = _mm_xor_si128(
        _mm_xor_si128(_mm512_extracti32x4_epi32(ends, 0), _mm512_extracti32x4_epi32(ends, 1)),
        _mm_xor_si128(_mm512_extracti32x4_epi32(ends, 2), _mm512_extracti32x4_epi32(ends, 3)));
    uint64_t sum = __builtin_ia32_crc32di(0, (uint64_t)_mm_cvtsi128_si64(all));
    return (uint32_t)__builtin_ia32_crc32di(sum, (uint64_t)_mm_extract_epi64(all, 1));
}

static uint32_t by_products(uint32_t c, const uint8_t *p, size_t n)
{
    size_t whole = n / WIDE * WIDE;
    return by_cpu(whole > 0 ? over_all(c, p, whole) : c, p + whole, n - whole);
}

static bool has_products(void)
{
    return __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}
#endif

bool rg_crc32c_by(rg_crc32c_way way, uint32_t *crc, const void *bytes, size_t n)
{
#if defined(__x86_64__)
    if (way == RG_CRC32C_PRODUCTS && has_products()) {
        *crc = ~by_products(~*crc, bytes, n);
        return true;
    }
    if (way == RG_CRC32C_INSTRUCTION && __builtin_cpu_supports("sse4.2")) {
        *crc = ~by_cpu(~*crc, bytes, n);
        return true;
    }
#endif
    if (way == RG_CRC32C_TABLE)
        *crc = ~by_table(~*crc, bytes, n);
    return way == RG_CRC32C_TABLE;
}

uint32_t rg_crc32c(uint32_t crc, const void *bytes, size_t n)
{
    rg_crc32c_way way = RG_CRC32C_PRODUCTS;
    while (!rg_crc32c_by(way, &crc, bytes, n))
        way++;
    return crc;
}
