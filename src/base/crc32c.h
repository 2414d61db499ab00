/* crc32c.h - the Castagnoli checksum of files and frames. */
#ifndef RG_BASE_CRC32C_H
#define RG_BASE_CRC32C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The checksum of `n` bytes continued from `crc` (0 to begin). */
uint32_t rg_crc32c(uint32_t crc, const void *bytes, size_t n);

/* The quickest that the CPU has is taken. */
typedef enum rg_crc32c_way {
    RG_CRC32C_PRODUCTS,    /* of polynomials, in wide vectors */
    RG_CRC32C_INSTRUCTION, /* for this very sum */
    RG_CRC32C_TABLE,
} rg_crc32c_way;

/* In one way, for tests; false: the CPU has it not. */
bool rg_crc32c_by(rg_crc32c_way way, uint32_t *crc, const void *bytes, size_t n);

#endif
