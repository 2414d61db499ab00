/* reduce.c - sums in 32 lanes. */
#include "math/reduce.h"

#include "base/hot.h"

enum { LANES = 32 };

#define DEFINE(T, S)                                                                               \
    RG_INLINE T join_##S(T lane[LANES])                                                            \
    {                                                                                              \
        for (int half = LANES / 2; half > 0; half /= 2)                                            \
            for (int i = 0; i < half; i++)                                                         \
                lane[i] += lane[i + half];                                                         \
        return lane[0];                                                                            \
    }                                                                                              \
    RG_HOT T rg_sum_##S(const T *x, int64_t n)                                                     \
    {                                                                                              \
        T lane[LANES] = {0};                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int k = 0; k < LANES; k++)                                                        \
                lane[k] += x[i + k];                                                               \
        for (int k = 0; i + k < n; k++)                                                            \
            lane[k] += x[i + k];                                                                   \
        return join_##S(lane);                                                                     \
    }                                                                                              \
    RG_HOT T rg_dot_##S(const T *x, const T *y, int64_t n)                                         \
    {                                                                                              \
        T lane[LANES] = {0};                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int k = 0; k < LANES; k++)                                                        \
                lane[k] += x[i + k] * y[i + k];                                                    \
        for (int k = 0; i + k < n; k++)                                                            \
            lane[k] += x[i + k] * y[i + k];                                                        \
        return join_##S(lane);                                                                     \
    }                                                                                              \
    RG_HOT T rg_squares_##S(const T *x, T from, int64_t n)                                         \
    {                                                                                              \
        T lane[LANES] = {0};                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int k = 0; k < LANES; k++)                                                        \
                lane[k] += (x[i + k] - from) * (x[i + k] - from);                                  \
        for (int k = 0; i + k < n; k++)                                                            \
            lane[k] += (x[i + k] - from) * (x[i + k] - from);                                      \
        return join_##S(lane);                                                                     \
    }                                                                                              \
    RG_HOT T rg_dot_from_##S(const T *x, T from, const T *y, int64_t n)                            \
    {                                                                                              \
        T lane[LANES] = {0};                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int k = 0; k < LANES; k++)                                                        \
                lane[k] += (x[i + k] - from) * y[i + k];                                           \
        for (int k = 0; i + k < n; k++)                                                            \
            lane[k] += (x[i + k] - from) * y[i + k];                                               \
        return join_##S(lane);                                                                     \
    }                                                                                              \
    RG_HOT T rg_max_##S(const T *x, int64_t n)                                                     \
    {                                                                                              \
        T lane[LANES];                                                                             \
        for (int k = 0; k < LANES; k++)                                                            \
            lane[k] = x[0];                                                                        \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES)                                                         \
            for (int k = 0; k < LANES; k++)                                                        \
                lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];                                 \
        for (int k = 0; i + k < n; k++)                                                            \
            lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];                                     \
        T max = lane[0];                                                                           \
        for (int k = 1; k < LANES; k++)                                                            \
            max = lane[k] > max ? lane[k] : max;                                                   \
        return max;                                                                                \
    }
DEFINE(float, f32)
DEFINE(double, f64)
