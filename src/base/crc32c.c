/* crc32c.c - by the CPU's own instruction where it has one, by a table else. */
#include "base/crc32c.h"

#include <string.h>

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
#endif

uint32_t rg_crc32c(uint32_t crc, const void *bytes, size_t n)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.2"))
        return ~by_cpu(~crc, bytes, n);
#endif
    return ~by_table(~crc, bytes, n);
}
