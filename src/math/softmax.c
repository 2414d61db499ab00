/* softmax.c - along the last dimension in blocks of rows that stay in the cache: the
 * exponentials of a whole block are one loop, however short the rows are. */
#include "math/softmax.h"

#include "math/fast.h"
#include "math/reduce.h"

#include <math.h>
#include <stddef.h>

enum { BLOCK = 4096 }; /* elements */

#define DEFINE(T, S, EXP, LOG)                                                                     \
    RG_INLINE T largest_##S(const T *x, int64_t n)                                                 \
    {                                                                                              \
        if (n > 32)                                                                                \
            return rg_max_##S(x, n);                                                               \
        T max = x[0];                                                                              \
        for (int64_t j = 1; j < n; j++)                                                            \
            max = x[j] > max ? x[j] : max;                                                         \
        return max;                                                                                \
    }                                                                                              \
    RG_INLINE T total_##S(const T *x, int64_t n)                                                   \
    {                                                                                              \
        if (n > 32)                                                                                \
            return rg_sum_##S(x, n);                                                               \
        T sum = 0;                                                                                 \
        for (int64_t j = 0; j < n; j++)                                                            \
            sum += x[j];                                                                           \
        return sum;                                                                                \
    }                                                                                              \
    RG_INLINE T exp_above_##S(T x)                                                                 \
    {                                                                                              \
        return EXP(x < -64 ? -64 : x);                                                             \
    }                                                                                              \
    RG_HOT static void last_##S(const T *x, T *y, T *log_sum, int64_t rows, int64_t n)             \
    {                                                                                              \
        const int64_t most = n < BLOCK ? BLOCK / n : 1;                                            \
        for (int64_t at = 0; at < rows; at += most) {                                              \
            const int64_t block = rows - at < most ? rows - at : most;                             \
            const T *from = x + at * n;                                                            \
            T *to = y + at * n;                                                                    \
            for (int64_t r = 0; r < block; r++) {                                                  \
                const T max = largest_##S(from + r * n, n);                                        \
                if (log_sum != NULL)                                                               \
                    log_sum[at + r] = max;                                                         \
                for (int64_t j = 0; j < n; j++)                                                    \
                    to[r * n + j] = from[r * n + j] - max;                                         \
            }                                                                                      \
            for (int64_t i = 0; i < block * n; i++)                                                \
                to[i] = exp_above_##S(to[i]);                                                      \
            for (int64_t r = 0; r < block; r++) {                                                  \
                const T sum = total_##S(to + r * n, n), part = 1 / sum;                            \
                if (log_sum != NULL)                                                               \
                    log_sum[at + r] += LOG(sum);                                                   \
                for (int64_t j = 0; j < n; j++)                                                    \
                    to[r * n + j] *= part;                                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* Along a dimension within: all of `inner` side by side. */                                   \
    RG_HOT static void within_##S(const T *x, T *y, T *log_sum, int64_t n, int64_t inner, T *max,  \
                                  T *sum)                                                          \
    {                                                                                              \
        for (int64_t i = 0; i < inner; i++) {                                                      \
            max[i] = x[i];                                                                         \
            sum[i] = 0;                                                                            \
        }                                                                                          \
        for (int64_t j = 1; j < n; j++)                                                            \
            for (int64_t i = 0; i < inner; i++)                                                    \
                max[i] = x[j * inner + i] > max[i] ? x[j * inner + i] : max[i];                    \
        for (int64_t j = 0; j < n; j++)                                                            \
            for (int64_t i = 0; i < inner; i++) {                                                  \
                const T e = exp_above_##S(x[j * inner + i] - max[i]);                              \
                y[j * inner + i] = e;                                                              \
                sum[i] += e;                                                                       \
            }                                                                                      \
        for (int64_t i = 0; log_sum != NULL && i < inner; i++)                                     \
            log_sum[i] = max[i] + LOG(sum[i]);                                                     \
        for (int64_t j = 0; j < n; j++)                                                            \
            for (int64_t i = 0; i < inner; i++)                                                    \
                y[j * inner + i] /= sum[i];                                                        \
    }                                                                                              \
    void rg_softmax_##S(const T *x, T *y, T *log_sum, int64_t outer, int64_t n, int64_t inner,     \
                        T *work)                                                                   \
    {                                                                                              \
        if (n == 0 || inner == 0)                                                                  \
            return;                                                                                \
        if (inner == 1) {                                                                          \
            last_##S(x, y, log_sum, outer, n);                                                     \
            return;                                                                                \
        }                                                                                          \
        for (int64_t o = 0; o < outer; o++)                                                        \
            within_##S(x + o * n * inner, y + o * n * inner, log_sum ? log_sum + o * inner : NULL, \
                       n, inner, work, work + inner);                                              \
    }
DEFINE(float, f32, rg_expf, rg_logf)
DEFINE(double, f64, exp, log)

#define DEFINE_GRAD(T, S)                                                                        \
    RG_HOT static void last_grad_##S(const T *y, const T *dy, T *dx, int64_t rows, int64_t n)    \
    {                                                                                            \
        for (int64_t r = 0; r < rows; r++, y += n, dy += n, dx += n) {                           \
            T dot = 0;                                                                           \
            if (n > 32)                                                                          \
                dot = rg_dot_##S(y, dy, n);                                                      \
            else                                                                                 \
                for (int64_t j = 0; j < n; j++)                                                  \
                    dot += y[j] * dy[j];                                                         \
            for (int64_t j = 0; j < n; j++)                                                      \
                dx[j] = y[j] * (dy[j] - dot);                                                    \
        }                                                                                        \
    }                                                                                            \
    RG_HOT static void within_grad_##S(const T *y, const T *dy, T *dx, int64_t n, int64_t inner, \
                                       T *dot)                                                   \
    {                                                                                            \
        for (int64_t i = 0; i < inner; i++)                                                      \
            dot[i] = 0;                                                                          \
        for (int64_t j = 0; j < n; j++)                                                          \
            for (int64_t i = 0; i < inner; i++)                                                  \
                dot[i] += y[j * inner + i] * dy[j * inner + i];                                  \
        for (int64_t j = 0; j < n; j++)                                                          \
            for (int64_t i = 0; i < inner; i++)                                                  \
                dx[j * inner + i] = y[j * inner + i] * (dy[j * inner + i] - dot[i]);             \
    }                                                                                            \
    void rg_softmax_grad_##S(const T *y, const T *dy, T *dx, int64_t outer, int64_t n,           \
                             int64_t inner, T *work)                                             \
    {                                                                                            \
        if (inner == 1) {                                                                        \
            last_grad_##S(y, dy, dx, outer, n);                                                  \
            return;                                                                              \
        }                                                                                        \
        for (int64_t o = 0; o < outer; o++, y += n * inner, dy += n * inner, dx += n * inner)    \
            within_grad_##S(y, dy, dx, n, inner, work);                                          \
    }
DEFINE_GRAD(float, f32)
DEFINE_GRAD(double, f64)
