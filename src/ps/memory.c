/* memory.c - quotas, and sizes in words. */
#include "ps/memory.h"

#include <stdio.h>
#include <stdlib.h>
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

static rg_status bad_size(const char *what, const char *text)
{
    return rg_fail(RG_EINVAL,
                   "%s is '%s': a number of bytes is wanted, above 0, that may end in K, M, G or T "
                   "(as 8G or 512M)",
                   what, text);
}

/* How many bits the unit stands for; -1: it is none. */
static int shift_of(const char *unit)
{
    static const char units[] = "kmgt";
    if (unit[0] == '\0' || (strcmp(unit, "b") == 0 || strcmp(unit, "B") == 0))
        return 0;
    const char *at = strchr(units, unit[0] | 0x20);
    const char *rest = unit + 1;
    rest += (rest[0] | 0x20) == 'i' && (rest[1] | 0x20) == 'b';
    rest += (rest[0] | 0x20) == 'b';
    return at != NULL && *rest == '\0' ? 10 * (int)(at - units + 1) : -1;
}

rg_status rg_parse_bytes(const char *what, const char *text, size_t *bytes)
{
    size_t number = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(number, (size_t)10, &number) ||
            __builtin_add_overflow(number, (size_t)(*at - '0'), &number))
            return bad_size(what, text);
    int shift = shift_of(at);
    if (at == text || shift < 0 || number == 0 || number > SIZE_MAX >> shift >> 1)
        return bad_size(what, text);
    *bytes = number << shift;
    return RG_OK;
}

const char *rg_show_bytes(size_t bytes, char text[RG_BYTES_TEXT])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double number = (double)bytes;
    size_t unit = 0;
    for (; number >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        number /= 1024;
    bool whole = number - (double)(long)number < 0.05;
    (void)snprintf(text, RG_BYTES_TEXT, "%.*f %s", whole ? 0 : 1, number, units[unit]);
    return text;
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
