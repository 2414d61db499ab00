/* sort_keys.c - a radix sort by bytes from the lowest; few are sorted by insertion. */
#include "ops/sort_keys.h"

enum { FEW = 48, BYTES = 8, VALUES = 256 };

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

void rg_sort_keys(rg_keyed *items, rg_keyed *spare, int64_t n)
{
    int64_t count[BYTES][VALUES] = {{0}};
    rg_keyed *from = items, *to = spare;
    if (n <= FEW) {
        sort_few(items, n);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++)
            count[b][(items[i].key >> (8 * b)) & (VALUES - 1)]++;
    for (int b = 0; b < BYTES; b++) {
        int64_t start = 0;
        if (count[b][(items[0].key >> (8 * b)) & (VALUES - 1)] == n)
            continue; /* all have the same byte here */
        for (int v = 0; v < VALUES; v++) {
            const int64_t here = count[b][v];
            count[b][v] = start;
            start += here;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[b][(from[i].key >> (8 * b)) & (VALUES - 1)]++] = from[i];
        rg_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *items);
}
