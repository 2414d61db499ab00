/* sort_pairs.h - values sorted together with the places they stood at.
 *
 *     RG_ORDER(float, f32, isnan)     defines before_f32()
 *     RG_SORT_PAIRS(float, f32)       defines pair_f32 and sort_pairs_f32()
 *
 * Equal values stay in the order they stood; what is no number comes last. The sort is
 * by merging, so that its time does not depend on the values. */
#ifndef RG_OPS_SORT_PAIRS_H
#define RG_OPS_SORT_PAIRS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RG_SORT_RUN = 16 }; /* sorted by insertion */

#define RG_NEVER_NAN(x) ((void)(x), false)

/* Whether a comes before b though it stands behind it. */
#define RG_ORDER(T, S, IS_NAN)                               \
    static inline bool before_##S(T a, T b, bool descending) \
    {                                                        \
        if (IS_NAN(a) || IS_NAN(b))                          \
            return !IS_NAN(a);                               \
        return descending ? a > b : a < b;                   \
    }

/* Sorts p, with `spare` as a second buffer of the same size. */
#define RG_SORT_PAIRS(T, S)                                                                    \
    typedef struct pair_##S {                                                                  \
        T value;                                                                               \
        int64_t at;                                                                            \
    } pair_##S;                                                                                \
    static void sort_run_##S(pair_##S *p, int64_t n, bool descending)                          \
    {                                                                                          \
        for (int64_t i = 1; i < n; i++) {                                                      \
            const pair_##S moved = p[i];                                                       \
            int64_t j = i;                                                                     \
            for (; j > 0 && before_##S(moved.value, p[j - 1].value, descending); j--)          \
                p[j] = p[j - 1];                                                               \
            p[j] = moved;                                                                      \
        }                                                                                      \
    }                                                                                          \
    static void merge_runs_##S(const pair_##S *a, int64_t n_a, const pair_##S *b, int64_t n_b, \
                               pair_##S *to, bool descending)                                  \
    {                                                                                          \
        int64_t i = 0, j = 0;                                                                  \
        while (i < n_a && j < n_b)                                                             \
            *to++ = before_##S(b[j].value, a[i].value, descending) ? b[j++] : a[i++];          \
        memcpy(to, a + i, (size_t)(n_a - i) * sizeof *to);                                     \
        memcpy(to + (n_a - i), b + j, (size_t)(n_b - j) * sizeof *to);                         \
    }                                                                                          \
    static void sort_pairs_##S(pair_##S *p, pair_##S *spare, int64_t n, bool descending)       \
    {                                                                                          \
        pair_##S *from = p, *to = spare;                                                       \
        for (int64_t i = 0; i < n; i += RG_SORT_RUN)                                           \
            sort_run_##S(p + i, n - i < RG_SORT_RUN ? n - i : RG_SORT_RUN, descending);        \
        for (int64_t run = RG_SORT_RUN; run < n; run *= 2) {                                   \
            for (int64_t i = 0; i < n; i += 2 * run) {                                         \
                const int64_t left = n - i < run ? n - i : run;                                \
                const int64_t rest = n - i - left, right = rest < run ? rest : run;            \
                merge_runs_##S(from + i, left, from + i + left, right, to + i, descending);    \
            }                                                                                  \
            pair_##S *swap = from;                                                             \
            from = to;                                                                         \
            to = swap;                                                                         \
        }                                                                                      \
        if (from != p)                                                                         \
            memcpy(p, from, (size_t)n * sizeof *p);                                            \
    }

#endif
