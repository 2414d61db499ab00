/* manifest.h - the list of files of a folder with their sizes and checksums.
 *
 * Text: a first line "regatta manifest 1", a line "crc32c size name" for each file, and
 * a last line "end crc32c" with the checksum of all that stands above it. */
#ifndef RG_SAVE_MANIFEST_H
#define RG_SAVE_MANIFEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/status.h"

#include <stdint.h>

typedef struct rg_manifest_entry {
    const char *name;
    uint64_t size;
    uint32_t crc;
} rg_manifest_entry;

typedef struct rg_manifest {
    rg_arena arena;
    rg_map entries; /* name -> rg_manifest_entry */
} rg_manifest;

/* A zeroed rg_manifest is empty. */
void rg_manifest_fini(rg_manifest *manifest);
rg_status rg_manifest_put(rg_manifest *manifest, const char *name, uint64_t size, uint32_t crc);
const rg_manifest_entry *rg_manifest_get(const rg_manifest *manifest, const char *name);
void rg_manifest_text(const rg_manifest *manifest, rg_buf *text);
/* RG_ECORRUPT, saying what is wrong, for anything but what rg_manifest_text() writes. */
rg_status rg_manifest_parse(rg_manifest *manifest, const uint8_t *bytes, size_t n);

#endif
