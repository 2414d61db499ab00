/* map.h - a hash map from text to a pointer.
 *
 * Keys are borrowed: they must live as long as their entry (names usually live
 * in a program's arena). Entries keep the order they were first put in, which
 * is the order of rg_map_at(). Removing one moves none of the others. */
#ifndef RG_BASE_MAP_H
#define RG_BASE_MAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_map_entry {
    const char *key; /* NULL: removed */
    void *value;
    uint64_t hash;
} rg_map_entry;

typedef struct rg_map {
    rg_map_entry *entries;
    size_t n_entries, cap_entries; /* removed ones counted */
    size_t live;
    uint32_t *table; /* 0: free, else 1 + index of the entry */
    size_t table_size;
} rg_map;

uint64_t rg_hash_text(const char *text);
uint64_t rg_hash_bytes(const void *bytes, size_t n, uint64_t seed);

/* A zeroed rg_map is an empty map. */
void rg_map_fini(rg_map *map);
/* NULL where there is none. */
void *rg_map_get(const rg_map *map, const char *key);
bool rg_map_has(const rg_map *map, const char *key);
/* Puts or replaces; the key of an entry that is there stays the old one. */
rg_status rg_map_put(rg_map *map, const char *key, const void *value);
void rg_map_remove(rg_map *map, const char *key);

/* for (size_t i = 0; i < map.n_entries; i++) if ((e = rg_map_at(&map, i))) ... */
static inline rg_map_entry *rg_map_at(const rg_map *map, size_t i)
{
    return map->entries[i].key ? &map->entries[i] : NULL;
}

#endif
