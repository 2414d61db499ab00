/* copy_row.h - short rows of floats, copied without a call: for a row of ten that costs more than
 * the copy. */
#ifndef RG_BASE_COPY_ROW_H
#define RG_BASE_COPY_ROW_H

#include <stddef.h>
#include <string.h>

/* n floats; the two do not overlap. */
static inline __attribute__((always_inline)) void rg_copy_row(float *restrict to,
                                                              const float *restrict from, size_t n)
{
    enum { FOUR = 4, LONG = 64 };
    if (n < FOUR || n > LONG) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    size_t i = 0;
    do {
        memcpy(to + i, from + i, FOUR * sizeof *to);
        i += FOUR;
        __asm__("" : "+r"(i)); /* or the compiler makes a call of the loop */
    } while (i + FOUR <= n);
    memcpy(to + n - FOUR, from + n - FOUR, FOUR * sizeof *to); /* some of them once more */
}

#endif
