/* memory.c - quotas, and which rows go. */
#include "ps/memory.h"

#include "base/bytes.h"

#include <string.h>

bool rg_quota_take(rg_quota *quota, size_t bytes)
{
    if (quota == NULL || bytes == 0)
        return true;
    size_t used = atomic_load_explicit(&quota->used, memory_order_relaxed);
    do {
        if (bytes > quota->limit || used > quota->limit - bytes)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&quota->used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

void rg_quota_note(rg_quota *quota, size_t before, size_t now)
{
    if (quota != NULL && now != before)
        (void)atomic_fetch_add_explicit(&quota->used, now - before, memory_order_relaxed);
}

size_t rg_quota_slab(const rg_quota *quota)
{
    return quota->limit / 16;
}

/* The slab that is being filled and a spare one, and what the index has before it is full. */
size_t rg_quota_for_rows(const rg_quota *quota)
{
    size_t slab = rg_quota_slab(quota), index = quota->limit / 8;
    static const size_t most_slab = 4 << 20, most_index = 4 << 20;
    slab = slab < most_slab ? slab : most_slab;
    index = index < most_index ? index : most_index;
    return quota->limit - 2 * slab - index;
}

rg_status rg_parse_evict(const char *what, const char *text, rg_evict *evict)
{
    static const char *const names[] = {"off", "lru", "lfu"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *evict = (rg_evict)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL,
                   "%s is '%s': off, lru (rows that were not used for longest go) or lfu (those "
                   "least often used) are possible",
                   what, text);
}

rg_status rg_parse_table_memory(const char *memory, const char *evict, const char *disk,
                                size_t *bytes, rg_evict *how)
{
    *bytes = 0;
    *how = RG_EVICT_NEVER;
    if (evict[0] != '\0')
        RG_TRY(rg_parse_evict(RG_TABLE_EVICT, evict, how));
    if (memory[0] != '\0')
        return rg_parse_bytes(RG_TABLE_MEMORY, memory, bytes);
    if (*how == RG_EVICT_NEVER && disk[0] == '\0')
        return RG_OK;
    return rg_fail(RG_EINVAL,
                   "%s is given, and " RG_TABLE_MEMORY
                   " is not, which says how much memory rows may take before they go",
                   disk[0] != '\0' ? RG_TABLE_DISK : RG_TABLE_EVICT);
}
