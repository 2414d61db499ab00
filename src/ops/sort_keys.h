/* sort_keys.h - numbers of any type sorted by keys: whole numbers in the same order.
 *
 * The sort is by digits, so that equal keys stay in the order they stood, and the time
 * does not depend on what is sorted. What is no number counts as the largest, so that
 * it shows among the first k of a row. */
#ifndef RG_OPS_SORT_KEYS_H
#define RG_OPS_SORT_KEYS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct rg_keyed {
    uint64_t key;
    int64_t at; /* where it stood */
} rg_keyed;

/* Ascending by key, with `spare` as a second buffer of the same size. */
void rg_sort_keys(rg_keyed *items, rg_keyed *spare, int64_t n);

/* Keys of 32 bits leave the upper digits zero, and those are not sorted by. */
static inline uint64_t rg_key_i32(int32_t x, bool descending)
{
    uint32_t key = (uint32_t)x ^ 0x80000000u;
    return descending ? ~key : key;
}

static inline uint64_t rg_key_i64(int64_t x, bool descending)
{
    uint64_t key = (uint64_t)x ^ 0x8000000000000000u;
    return descending ? ~key : key;
}

/* The bits of a float are ordered as they stand where it is positive, and the other way
 * round where it is negative. Adding 0 makes one of the two zeros. */
static inline uint64_t rg_key_f32(float x, bool descending)
{
    uint32_t bits;
    if (isnan(x))
        return descending ? 0 : UINT32_MAX;
    x += 0.0f;
    memcpy(&bits, &x, sizeof bits);
    uint32_t key = bits >> 31 ? ~bits : bits | 0x80000000u;
    return descending ? ~key : key;
}

static inline uint64_t rg_key_f64(double x, bool descending)
{
    uint64_t bits;
    if (isnan(x))
        return descending ? 0 : UINT64_MAX;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    uint64_t key = bits >> 63 ? ~bits : bits | 0x8000000000000000u;
    return descending ? ~key : key;
}

/* Whether a comes before b though it stands behind it. */
#define RG_ORDER(T, S)                                       \
    static inline bool before_##S(T a, T b, bool descending) \
    {                                                        \
        if (isnan(a) || isnan(b))                            \
            return descending ? !isnan(b) : !isnan(a);       \
        return descending ? a > b : a < b;                   \
    }

#endif
