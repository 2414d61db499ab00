/* sort_keys.c - a radix sort from the lowest digit; few are sorted by insertion. */
#include "ops/sort_keys.h"

/* Digits are bytes, or, where many items differ in the lowest 22 bits alone, as ids do, two of 11
 * bits. */
enum { FEW = 48, MANY = 1024, BYTES = 8, VALUES = 256, WIDE = 11, WIDE_VALUES = 1 << WIDE };

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

static void sort_by_two(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    int64_t count[2][WIDE_VALUES] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        count[0][items[i].key & (WIDE_VALUES - 1)]++;
        count[1][(items[i].key >> WIDE) & (WIDE_VALUES - 1)]++;
    }
    sort_by_digit(items, spare, n, 0, count[0], WIDE_VALUES);
    sort_by_digit(spare, items, n, WIDE, count[1], WIDE_VALUES);
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

/* Whether the two lowest digits hold all the bits in which the keys differ. */
static bool differ_in_two(const rg_keyed *items, int64_t n)
{
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; i++)
        differ |= items[i].key ^ items[0].key;
    return differ >> (2 * WIDE) == 0;
}

void rg_sort_keys(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    if (n <= FEW)
        sort_few(items, n);
    else if (n >= MANY && differ_in_two(items, n))
        sort_by_two(items, spare, n);
    else
        sort_by_bytes(items, spare, n);
}
