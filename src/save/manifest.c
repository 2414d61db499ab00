/* manifest.c - reading and writing manifests. */
#include "save/manifest.h"

#include "base/crc32c.h"
#include "sys/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "regatta manifest 1\n";

void rg_manifest_fini(rg_manifest *manifest)
{
    rg_map_fini(&manifest->entries);
    rg_arena_free(&manifest->arena);
}

rg_status rg_manifest_put(rg_manifest *manifest, const char *name, uint64_t size, uint32_t crc)
{
    rg_manifest_entry *entry = rg_map_get(&manifest->entries, name);
    if (entry == NULL) {
        entry = rg_arena_alloc(&manifest->arena, sizeof *entry);
        char *kept = rg_arena_strdup(&manifest->arena, name);
        if (entry == NULL || kept == NULL)
            return rg_fail(RG_ENOMEM, "no memory for a manifest");
        entry->name = kept;
        RG_TRY(rg_map_put(&manifest->entries, kept, entry));
    }
    entry->size = size;
    entry->crc = crc;
    return RG_OK;
}

const rg_manifest_entry *rg_manifest_get(const rg_manifest *manifest, const char *name)
{
    return rg_map_get(&manifest->entries, name);
}

void rg_manifest_text(const rg_manifest *manifest, rg_buf *text)
{
    size_t start = text->len;
    rg_buf_text(text, first_line);
    for (size_t i = 0; i < manifest->entries.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&manifest->entries, i);
        if (e == NULL)
            continue;
        const rg_manifest_entry *entry = e->value;
        rg_buf_printf(text, "%08x %llu %s\n", entry->crc, (unsigned long long)entry->size,
                      entry->name);
    }
    if (rg_buf_status(text) == RG_OK)
        rg_buf_printf(text, "end %08x\n", rg_crc32c(0, text->data + start, text->len - start));
}

static rg_status corrupt(size_t line, const char *what)
{
    return rg_fail(RG_ECORRUPT, "line %zu of the manifest %s", line, what);
}

/* "crc size name" of one line, without its newline. */
static rg_status parse_line(rg_manifest *manifest, const char *at, size_t length, size_t line)
{
    char text[8192], *end;
    if (length >= sizeof text)
        return corrupt(line, "is too long");
    memcpy(text, at, length);
    text[length] = '\0';
    if (strlen(text) != length)
        return corrupt(line, "holds a NUL");
    unsigned long crc = strtoul(text, &end, 16);
    if (end != text + 8 || *end != ' ' || crc > UINT32_MAX)
        return corrupt(line, "has no checksum");
    char *number = end + 1;
    if (*number < '0' || *number > '9')
        return corrupt(line, "has no size");
    unsigned long long size = strtoull(number, &end, 10);
    if (*end != ' ')
        return corrupt(line, "has no size");
    rg_status code = rg_path_check_inside(end + 1);
    if (code != RG_OK)
        return rg_context(RG_ECORRUPT, "line %zu of the manifest", line);
    if (rg_manifest_get(manifest, end + 1) != NULL)
        return corrupt(line, "names a file twice");
    return rg_manifest_put(manifest, end + 1, size, (uint32_t)crc);
}

rg_status rg_manifest_parse(rg_manifest *manifest, const uint8_t *bytes, size_t n)
{
    const char *text = (const char *)bytes;
    size_t at = sizeof first_line - 1, line = 1;
    if (n < at || memcmp(text, first_line, at) != 0)
        return corrupt(line, "is not 'regatta manifest 1'");
    while (at < n) {
        const char *newline = memchr(text + at, '\n', n - at);
        line++;
        if (newline == NULL)
            return corrupt(line, "is cut short");
        size_t length = (size_t)(newline - (text + at));
        if (length == 12 && memcmp(text + at, "end ", 4) == 0) {
            char wanted[16];
            (void)snprintf(wanted, sizeof wanted, "%08x", rg_crc32c(0, bytes, at));
            if (memcmp(text + at + 4, wanted, 8) != 0)
                return corrupt(line, "does not match the checksum of what is above it");
            if (at + length + 1 != n)
                return corrupt(line, "is the end, but more follows");
            return RG_OK;
        }
        RG_TRY(parse_line(manifest, text + at, length, line));
        at += length + 1;
    }
    return rg_fail(RG_ECORRUPT, "the manifest has no end");
}
