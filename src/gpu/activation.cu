/* activation.cu - functions of one element and their slopes: those of ops/activation_loops.h, the
 * CPU's own, compiled for the GPU. */
#include "gpu/cuda.h"
#include "ops/activation_kinds.h"

#define RG_INLINE RG_DEVICE
#ifdef RG_EMULATED
#define RG_HOT __attribute__((unused))
#else
#define RG_HOT __device__ __attribute__((unused))
#endif

template <typename T> RG_DEVICE T sigmoid(T x)
{
    return 1 / (1 + rg_exp(-x));
}
template <typename T> RG_DEVICE T softplus(T x)
{
    return (x > 0 ? x : x != x ? x : (T)0) + rg_log1p(rg_exp(-rg_abs(x)));
}

#define T           float
#define S           f32
#define EXP_OF      expf
#define LOG_OF      logf
#define TANH_OF     tanhf
#define SIGMOID_OF  sigmoid
#define SOFTPLUS_OF softplus
#define SQRT_OF     sqrtf
#define CEIL_OF     ceilf
#define FLOOR_OF    floorf
#define ROUND_OF    roundf
#include "ops/activation_loops.h"

#define T           double
#define S           f64
#define EXP_OF      exp
#define LOG_OF      log
#define TANH_OF     tanh
#define SIGMOID_OF  sigmoid
#define SOFTPLUS_OF softplus
#define SQRT_OF     sqrt
#define CEIL_OF     ceil
#define FLOOR_OF    floor
#define ROUND_OF    round
#include "ops/activation_loops.h"

RG_DEVICE float value(kind k, const float *p, float x)
{
    return value_f32(k, p, x);
}
RG_DEVICE double value(kind k, const float *p, double x)
{
    return value_f64(k, p, x);
}
RG_DEVICE float slope(kind k, const float *p, float from)
{
    return slope_f32(k, p, from, from);
}
RG_DEVICE double slope(kind k, const float *p, double from)
{
    return slope_f64(k, p, from, from);
}

typedef struct numbers {
    float p[3];
} numbers;

template <typename T> RG_KERNEL forward(kind k, numbers by, int64_t n, const T *x, T *y)
{
    RG_EACH(i, n)
        y[i] = value(k, by.p, x[i]);
}

template <typename T>
RG_KERNEL backward(kind k, numbers by, int64_t n, const T *from, const T *dy, T *dx)
{
    RG_EACH(i, n)
        dx[i] = dy[i] * slope(k, by.p, from[i]);
}

/* Those that every model has, compiled alone: the others' registers would slow them down. */
RG_KERNEL relu_forward(int64_t n, const float *x, float *y)
{
    RG_EACH(i, n)
        y[i] = 0 > x[i] ? 0 : x[i];
}

RG_KERNEL relu_backward(int64_t n, const float *y, const float *dy, float *dx)
{
    RG_EACH(i, n)
        dx[i] = dy[i] * (y[i] > 0 ? 1.0f : 0.0f);
}

template <typename T>
static void forward_of(kind k, numbers by, int64_t n, const void *x, void *y, cudaStream_t stream)
{
    RG_LAUNCH(forward<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, k, by, n, (const T *)x,
              (T *)y);
}

template <typename T>
static void backward_of(kind k, numbers by, int64_t n, const void *from, const void *dy, void *dx,
                        cudaStream_t stream)
{
    RG_LAUNCH(backward<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, k, by, n, (const T *)from,
              (const T *)dy, (T *)dx);
}

extern "C" bool rg_cu_activation(int k, rg_dtype dtype, const float p[3], int64_t n, const void *x,
                                 void *y, cudaStream_t stream)
{
    numbers by = {{p[0], p[1], p[2]}};
    if (n == 0)
        return true;
    if (k == RELU && dtype == RG_F32) {
        RG_LAUNCH(relu_forward, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, (const float *)x,
                  (float *)y);
        return true;
    }
    RG_BY_FLOAT(dtype, forward_of, ((kind)k, by, n, x, y, stream))
    return true;
}

extern "C" bool rg_cu_activation_grad(int k, rg_dtype dtype, const float p[3], int64_t n,
                                      const void *from, const void *dy, void *dx,
                                      cudaStream_t stream)
{
    numbers by = {{p[0], p[1], p[2]}};
    if (n == 0)
        return true;
    if (k == RELU && dtype == RG_F32) {
        RG_LAUNCH(relu_backward, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n,
                  (const float *)from, (const float *)dy, (float *)dx);
        return true;
    }
    RG_BY_FLOAT(dtype, backward_of, ((kind)k, by, n, from, dy, dx, stream))
    return true;
}
