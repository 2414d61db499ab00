/* crc32c.h - the Castagnoli checksum of files and frames. */
#ifndef RG_BASE_CRC32C_H
#define RG_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `n` bytes continued from `crc` (0 to begin). */
uint32_t rg_crc32c(uint32_t crc, const void *bytes, size_t n);

#endif
