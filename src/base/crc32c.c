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
__attribute__((target("sse4.2"))) static uint32_t by_cpu(uint32_t c, const uint8_t *p, size_t n)
{
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
