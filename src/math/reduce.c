/* reduce.c - sums in 32 lanes.
 *
 * What is left after the last 32 goes through all lanes too, by loads under a mask: a loop over
 * the few that remain would keep the lanes in memory, and rows of 39 elements are nearly all
 * remainder. */
#include "math/reduce.h"

#include "base/hot.h"

enum { LANES = 32 };

#define DEFINE(T, S)                                                           \
    RG_INLINE T join_##S(T lane[LANES])                                        \
    {                                                                          \
        for (int half = LANES / 2; half > 0; half /= 2)                        \
            for (int i = 0; i < half; i++)                                     \
                lane[i] += lane[i + half];                                     \
        return lane[0];                                                        \
    }                                                                          \
    RG_HOT T rg_sum_##S(const T *x, int64_t n)                                 \
    {                                                                          \
        T lane[LANES] = {0};                                                   \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] += x[i + k];                                           \
        const int left = (int)(n - i);                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] += k < left ? x[i + k] : 0;                                \
        return join_##S(lane);                                                 \
    }                                                                          \
    RG_HOT T rg_dot_##S(const T *x, const T *y, int64_t n)                     \
    {                                                                          \
        T lane[LANES] = {0};                                                   \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] += x[i + k] * y[i + k];                                \
        const int left = (int)(n - i);                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] += k < left ? x[i + k] * y[i + k] : 0;                     \
        return join_##S(lane);                                                 \
    }                                                                          \
    RG_HOT T rg_squares_##S(const T *x, T from, int64_t n)                     \
    {                                                                          \
        T lane[LANES] = {0};                                                   \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] += (x[i + k] - from) * (x[i + k] - from);              \
        const int left = (int)(n - i);                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] += k < left ? (x[i + k] - from) * (x[i + k] - from) : 0;   \
        return join_##S(lane);                                                 \
    }                                                                          \
    RG_HOT T rg_dot_from_##S(const T *x, T from, const T *y, int64_t n)        \
    {                                                                          \
        T lane[LANES] = {0};                                                   \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] += (x[i + k] - from) * y[i + k];                       \
        const int left = (int)(n - i);                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] += k < left ? (x[i + k] - from) * y[i + k] : 0;            \
        return join_##S(lane);                                                 \
    }                                                                          \
    RG_HOT T rg_max_##S(const T *x, int64_t n)                                 \
    {                                                                          \
        T lane[LANES];                                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] = x[0];                                                    \
        int64_t i = 0;                                                         \
        for (; i + LANES <= n; i += LANES)                                     \
            for (int k = 0; k < LANES; k++)                                    \
                lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];             \
        const int left = (int)(n - i);                                         \
        for (int k = 0; k < LANES; k++)                                        \
            lane[k] = k < left && x[i + k] > lane[k] ? x[i + k] : lane[k];     \
        for (int half = LANES / 2; half > 0; half /= 2)                        \
            for (int k = 0; k < half; k++)                                     \
                lane[k] = lane[k + half] > lane[k] ? lane[k + half] : lane[k]; \
        return lane[0];                                                        \
    }
DEFINE(float, f32)
DEFINE(double, f64)
