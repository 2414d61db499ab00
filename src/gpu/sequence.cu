/* sequence.cu - over the sequences of a LoD: sequence i is rows at[i] .. at[i + 1] - 1. */
#include "gpu/cuda.h"

/* ---- pooling: a thread for each number of a result ---- */

template <typename T> RG_DEVICE T factor_of(int how, int64_t rows)
{
    return how == RG_CU_AVERAGE ? 1 / (T)rows
           : how == RG_CU_ROOT  ? (T)(1 / sqrt((double)rows))
                                : (T)1;
}

template <typename T>
RG_KERNEL pool(int how, int64_t n, int64_t width, const int64_t *at, T pad, const T *x, T *out,
               int32_t *index)
{
    RG_EACH(e, n * width) {
        int64_t i = e / width, j = e % width, first = at[i], rows = at[i + 1] - first, won = -1;
        const T *from = x + first * width + j;
        T value = pad;
        if (rows > 0) {
            value = from[how == RG_CU_LAST ? (rows - 1) * width : 0];
            won = first;
            for (int64_t r = 1; r < rows && how < RG_CU_FIRST; r++) {
                T next = from[r * width];
                if (how != RG_CU_LARGEST) {
                    value += next;
                } else if (!(next <= value) && value == value) { /* the first NaN stays */
                    value = next;
                    won = first + r;
                }
            }
            if (how == RG_CU_AVERAGE || how == RG_CU_ROOT)
                value *= factor_of<T>(how, rows);
        }
        out[e] = value;
        if (index != NULL)
            index[e] = (int32_t)won;
    }
}

template <typename T>
static void pool_of(int how, int64_t n, int64_t width, const int64_t *at, float pad, const void *x,
                    void *out, int32_t *index, cudaStream_t stream)
{
    RG_LAUNCH(pool<T>, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, how, n, width, at,
              (T)pad, (const T *)x, (T *)out, index);
}

extern "C" bool rg_cu_sequence_pool(enum rg_cu_pool how, rg_dtype dtype, int64_t n, int64_t width,
                                    const int64_t *at, float pad, const void *x, void *out,
                                    int32_t *index, cudaStream_t stream)
{
    if (n * width == 0)
        return true;
    RG_BY_FLOAT(dtype, pool_of, (how, n, width, at, pad, x, out, index, stream))
    return true;
}

template <typename T>
RG_KERNEL pool_grad(int how, int64_t n, int64_t width, const int64_t *at, const T *dout,
                    const int32_t *index, T *dx)
{
    RG_EACH(e, n * width) {
        int64_t i = e / width, j = e % width, first = at[i], rows = at[i + 1] - first;
        T g = dout[e];
        for (int64_t r = 0; r < rows; r++) {
            bool whose = how == RG_CU_LARGEST ? index[e] == first + r
                         : how == RG_CU_FIRST ? r == 0
                         : how == RG_CU_LAST  ? r == rows - 1
                                              : true;
            dx[(first + r) * width + j] = whose ? factor_of<T>(how, rows) * g : (T)0;
        }
    }
}

template <typename T>
static void pool_grad_of(int how, int64_t n, int64_t width, const int64_t *at, const void *dout,
                         const int32_t *index, void *dx, cudaStream_t stream)
{
    RG_LAUNCH(pool_grad<T>, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, how, n, width, at,
              (const T *)dout, index, (T *)dx);
}

extern "C" bool rg_cu_sequence_pool_grad(enum rg_cu_pool how, rg_dtype dtype, int64_t n,
                                         int64_t width, const int64_t *at, const void *dout,
                                         const int32_t *index, void *dx, cudaStream_t stream)
{
    if (n * width == 0)
        return true;
    RG_BY_FLOAT(dtype, pool_grad_of, (how, n, width, at, dout, index, dx, stream))
    return true;
}

/* ---- softmax: a warp for each sequence ---- */

template <typename T>
RG_KERNEL sequence_softmax(int64_t n, const int64_t *at, const T *x, T *y)
{
    int lane = (int)threadIdx.x % 32;
    int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= n)
        return;
    T max = (T)-INFINITY, sum = 0;
    for (int64_t j = at[i] + lane; j < at[i + 1]; j += 32)
        max = rg_larger(max, x[j]);
    max = rg_warp_max(max);
    for (int64_t j = at[i] + lane; j < at[i + 1]; j += 32)
        sum += rg_exp(x[j] - max);
    sum = rg_warp_sum(sum);
    for (int64_t j = at[i] + lane; j < at[i + 1]; j += 32)
        y[j] = rg_exp(x[j] - max) / sum;
}

template <typename T>
RG_KERNEL sequence_softmax_grad(int64_t n, const int64_t *at, const T *y, const T *dy, T *dx)
{
    int lane = (int)threadIdx.x % 32;
    int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= n)
        return;
    T dot = 0;
    for (int64_t j = at[i] + lane; j < at[i + 1]; j += 32)
        dot += y[j] * dy[j];
    dot = rg_warp_sum(dot);
    for (int64_t j = at[i] + lane; j < at[i + 1]; j += 32)
        dx[j] = y[j] * (dy[j] - dot);
}

template <typename T>
static void softmax_of(int64_t n, const int64_t *at, const void *x, void *y, cudaStream_t stream)
{
    RG_LAUNCH_SYNC(sequence_softmax<T>, (unsigned)((n + 7) / 8), 256, stream, n, at, (const T *)x,
                   (T *)y);
}

template <typename T>
static void softmax_grad_of(int64_t n, const int64_t *at, const void *y, const void *dy, void *dx,
                            cudaStream_t stream)
{
    RG_LAUNCH_SYNC(sequence_softmax_grad<T>, (unsigned)((n + 7) / 8), 256, stream, n, at,
                   (const T *)y, (const T *)dy, (T *)dx);
}

extern "C" bool rg_cu_sequence_softmax(rg_dtype dtype, int64_t n, const int64_t *at, const void *x,
                                       void *y, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, softmax_of, (n, at, x, y, stream))
    return true;
}

extern "C" bool rg_cu_sequence_softmax_grad(rg_dtype dtype, int64_t n, const int64_t *at,
                                            const void *y, const void *dy, void *dx,
                                            cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, softmax_grad_of, (n, at, y, dy, dx, stream))
    return true;
}
