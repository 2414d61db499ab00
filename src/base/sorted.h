/* sorted.h - looking for a number among ascending ones. */
#ifndef RG_BASE_SORTED_H
#define RG_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Where the first stands that is not below x; n: there is none. */
static inline size_t rg_first_from(const int64_t *sorted, size_t n, int64_t x)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
