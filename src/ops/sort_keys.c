/* sort_keys.c - a radix sort from the lowest digit; few are sorted by insertion. */
#include "ops/sort_keys.h"

/* Digits are bytes, or, where many items differ in the lowest 22 bits alone, as ids do, two of 11
 * bits. An item is one word then, with where it stood in the other 42. */
enum {
    FEW = 48,
    MANY = 1024,
    BYTES = 8,
    VALUES = 256,
    WIDE = 11,
    WIDE_VALUES = 1 << WIDE,
    AT_BITS = 64 - 2 * WIDE,
};

static void sort_few(rg_keyed *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const rg_keyed moved = items[i];
        int64_t j = i;
        for (; j > 0 && moved.key < items[j - 1].key; j--)
            items[j] = items[j - 1];
        items[j] = moved;
    }
}

/* count: how often each value of the digit is there. */
static inline void sort_by_digit(const rg_keyed *from, rg_keyed *to, int64_t n, int shift,
                                 int64_t *count, uint64_t values)
{
    int64_t start = 0;
    for (uint64_t v = 0; v < values; v++) {
        const int64_t here = count[v];
        count[v] = start;
        start += here;
    }
    for (int64_t i = 0; i < n; i++)
        to[count[(from[i].key >> shift) & (values - 1)]++] = from[i];
}

/* Half the memory goes through the cache: packed into the spare buffer, sorted there by the lower
 * digit, and unpacked by the upper one. */
static void sort_by_two(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    const uint64_t all_at = (UINT64_C(1) << AT_BITS) - 1;
    const uint64_t same = items[0].key >> (2 * WIDE) << (2 * WIDE);
    uint64_t *packed = (uint64_t *)(void *)spare, *halfway = packed + n;
    uint32_t low[WIDE_VALUES] = {0}, high[WIDE_VALUES] = {0}, low_start = 0, high_start = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = items[i].key;
        low[key & (WIDE_VALUES - 1)]++;
        high[(key >> WIDE) & (WIDE_VALUES - 1)]++;
        packed[i] = key << AT_BITS | (uint64_t)items[i].at;
    }
    for (int v = 0; v < WIDE_VALUES; v++) {
        const uint32_t lower = low[v], higher = high[v];
        low[v] = low_start;
        high[v] = high_start;
        low_start += lower;
        high_start += higher;
    }
    for (int64_t i = 0; i < n; i++)
        halfway[low[packed[i] >> AT_BITS & (WIDE_VALUES - 1)]++] = packed[i];
    for (int64_t i = 0; i < n; i++) {
        const uint64_t item = halfway[i];
        items[high[item >> (AT_BITS + WIDE)]++] = (rg_keyed){same | item >> AT_BITS,
                                                             (int64_t)(item & all_at)};
    }
}

static void sort_by_bytes(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    int64_t count[BYTES][VALUES] = {{0}};
    rg_keyed *from = items, *to = spare;
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++)
            count[b][(items[i].key >> (8 * b)) & (VALUES - 1)]++;
    for (int b = 0; b < BYTES; b++) {
        if (count[b][(items[0].key >> (8 * b)) & (VALUES - 1)] == n)
            continue; /* all have the same byte here */
        sort_by_digit(from, to, n, 8 * b, count[b], VALUES);
        rg_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}

/* Whether the two lowest digits hold all the bits in which the keys differ, and the rest of a word
 * where they stand. */
static bool fit_a_word(const rg_keyed *items, int64_t n)
{
    uint64_t differ = 0, at = 0;
    for (int64_t i = 0; i < n; i++) {
        differ |= items[i].key ^ items[0].key;
        at |= (uint64_t)items[i].at;
    }
    return differ >> (2 * WIDE) == 0 && at >> AT_BITS == 0 && n <= UINT32_MAX;
}

void rg_sort_keys(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    if (n <= FEW)
        sort_few(items, n);
    else if (n >= MANY && fit_a_word(items, n))
        sort_by_two(items, spare, n);
    else
        sort_by_bytes(items, spare, n);
}
