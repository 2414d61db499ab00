/* map.c - open addressing over an array of entries in order of insertion. */
#include "base/map.h"

#include "base/mem.h"

#include <string.h>

enum { SMALLEST_TABLE = 16 };

uint64_t rg_hash_bytes(const void *bytes, size_t n, uint64_t seed)
{
    const uint8_t *p = bytes;
    uint64_t h = seed ^ 0x9e3779b97f4a7c15u;
    while (n >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
        p += 8;
        n -= 8;
    }
    uint64_t tail = n;
    for (size_t i = 0; i < n; i++)
        tail = tail << 8 | p[i];
    h = (h ^ tail) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

uint64_t rg_hash_text(const char *text)
{
    return rg_hash_bytes(text, strlen(text), 0);
}

void rg_map_fini(rg_map *map)
{
    rg_free(map->entries);
    rg_free(map->table);
    *map = (rg_map){0};
}

/* The table cell that holds `key`, or the free one where it would go. */
static size_t find_cell(const rg_map *map, const char *key, uint64_t hash)
{
    size_t mask = map->table_size - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t at = map->table[i];
        if (at == 0)
            return i;
        const rg_map_entry *e = &map->entries[at - 1];
        if (e->key != NULL && e->hash == hash && (e->key == key || strcmp(e->key, key) == 0))
            return i;
    }
}

static rg_map_entry *find(const rg_map *map, const char *key)
{
    if (map->live == 0)
        return NULL;
    uint32_t at = map->table[find_cell(map, key, rg_hash_text(key))];
    return at ? &map->entries[at - 1] : NULL;
}

void *rg_map_get(const rg_map *map, const char *key)
{
    rg_map_entry *e = find(map, key);
    return e ? e->value : NULL;
}

bool rg_map_has(const rg_map *map, const char *key)
{
    return find(map, key) != NULL;
}

static rg_status rehash(rg_map *map, size_t size)
{
    uint32_t *table = rg_alloc_zero(size, sizeof *table);
    if (table == NULL)
        return rg_no_memory(size * sizeof *table, "a hash table");
    rg_free(map->table);
    map->table = table;
    map->table_size = size;
    for (size_t i = 0; i < map->n_entries; i++) {
        const rg_map_entry *e = &map->entries[i];
        if (e->key != NULL)
            table[find_cell(map, e->key, e->hash)] = (uint32_t)(i + 1);
    }
    return RG_OK;
}

rg_status rg_map_put(rg_map *map, const char *key, const void *value)
{
    if ((map->n_entries + 1) * 2 > map->table_size)
        RG_TRY(rehash(map, map->table_size ? map->table_size * 2 : SMALLEST_TABLE));
    uint64_t hash = rg_hash_text(key);
    size_t cell = find_cell(map, key, hash);
    if (map->table[cell] != 0) {
        map->entries[map->table[cell] - 1].value = (void *)(uintptr_t)value;
        return RG_OK;
    }
    RG_TRY(
        rg_grow((void **)&map->entries, map->n_entries, &map->cap_entries, sizeof *map->entries));
    map->entries[map->n_entries++] = (rg_map_entry){key, (void *)(uintptr_t)value, hash};
    map->table[cell] = (uint32_t)map->n_entries;
    map->live++;
    return RG_OK;
}

void rg_map_remove(rg_map *map, const char *key)
{
    rg_map_entry *e = find(map, key);
    if (e == NULL)
        return;
    e->key = NULL; /* its cell stays taken, so that later probes go on past it */
    e->value = NULL;
    map->live--;
}
