/* pointwise.cu - what goes over elements one by one: scale, sum, clip, pow, losses of a prediction
 * and a label, dropout. */
#include "gpu/cuda.h"

/* ---- scale ---- */

template <typename T>
RG_KERNEL scale(int64_t n, double factor, const T *device_factor, double bias, bool after,
                const T *x, T *out)
{
    if (device_factor != NULL)
        factor = (double)*device_factor;
    const T by = (T)factor, more = (T)(after ? bias : bias * factor);
    RG_EACH(i, n)
        out[i] = x[i] * by + more;
}

template <typename T>
static void scale_of(int64_t n, double factor, const void *device_factor, double bias, bool after,
                     const void *x, void *out, cudaStream_t stream)
{
    RG_LAUNCH(scale<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, factor,
              (const T *)device_factor, bias, after, (const T *)x, (T *)out);
}

extern "C" bool rg_cu_scale(rg_dtype dtype, int64_t n, double factor, const void *device_factor,
                            double bias, bool bias_after, const void *x, void *out,
                            cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_NUMBER(dtype, scale_of, (n, factor, device_factor, bias, bias_after, x, out, stream))
    return true;
}

/* ---- sum ---- */

typedef struct addends {
    const void *part[RG_CU_PARTS];
} addends;

template <typename T> RG_KERNEL sum(int64_t size, addends from, int n, bool more, T *out)
{
    RG_EACH(i, size) {
        T all = more ? out[i] : ((const T *)from.part[0])[i];
        for (int k = more ? 0 : 1; k < n; k++)
            all += ((const T *)from.part[k])[i];
        out[i] = all;
    }
}

template <typename T>
static void sum_of(int64_t size, const addends *from, int n, bool more, void *out,
                   cudaStream_t stream)
{
    RG_LAUNCH(sum<T>, rg_blocks(size, RG_THREADS), RG_THREADS, stream, size, *from, n, more,
              (T *)out);
}

extern "C" bool rg_cu_sum(rg_dtype dtype, int64_t size, const void *const *parts, int n, bool more,
                          void *out, cudaStream_t stream)
{
    addends from;
    if (size == 0 || n == 0)
        return true;
    for (int k = 0; k < n; k++)
        from.part[k] = parts[k];
    RG_BY_NUMBER(dtype, sum_of, (size, &from, n, more, out, stream))
    return true;
}

/* ---- clip ---- */

template <typename T> RG_KERNEL clip(int64_t n, T a, T b, const T *x, T *y)
{
    RG_EACH(i, n)
        y[i] = x[i] < a ? a : x[i] > b ? b : x[i];
}

template <typename T> RG_KERNEL clip_grad(int64_t n, T a, T b, const T *x, const T *g, T *dx)
{
    RG_EACH(i, n)
        dx[i] = x[i] > a && x[i] < b ? g[i] : (T)0;
}

template <typename T>
static void clip_of(int64_t n, double min, double max, const void *x, void *out,
                    cudaStream_t stream)
{
    RG_LAUNCH(clip<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, (T)min, (T)max,
              (const T *)x, (T *)out);
}

template <typename T>
static void clip_grad_of(int64_t n, double min, double max, const void *x, const void *dout,
                         void *dx, cudaStream_t stream)
{
    RG_LAUNCH(clip_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, (T)min, (T)max,
              (const T *)x, (const T *)dout, (T *)dx);
}

extern "C" bool rg_cu_clip(rg_dtype dtype, int64_t n, double min, double max, const void *x,
                           void *out, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_NUMBER(dtype, clip_of, (n, min, max, x, out, stream))
    return true;
}

extern "C" bool rg_cu_clip_grad(rg_dtype dtype, int64_t n, double min, double max, const void *x,
                                const void *dout, void *dx, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, clip_grad_of, (n, min, max, x, dout, dx, stream))
    return true;
}

/* ---- pow ---- */

template <typename T> RG_DEVICE T power(T x, double by)
{
    return by == 2 ? x * x : by == 3 ? x * x * x : (T)pow((double)x, by);
}

template <typename T> RG_KERNEL pow_all(int64_t n, double by, const T *x, T *y)
{
    RG_EACH(i, n)
        y[i] = power(x[i], by);
}

template <typename T> RG_KERNEL pow_grad(int64_t n, double by, const T *x, const T *g, T *dx)
{
    RG_EACH(i, n)
        dx[i] = by == 2   ? g[i] * 2 * x[i]
                : by == 3 ? g[i] * 3 * x[i] * x[i]
                          : g[i] * (T)by * (T)pow((double)x[i], by - 1);
}

template <typename T>
static void pow_of(int64_t n, double by, const void *x, void *out, cudaStream_t stream)
{
    RG_LAUNCH(pow_all<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, by, (const T *)x,
              (T *)out);
}

template <typename T>
static void pow_grad_of(int64_t n, double by, const void *x, const void *dout, void *dx,
                        cudaStream_t stream)
{
    RG_LAUNCH(pow_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, by, (const T *)x,
              (const T *)dout, (T *)dx);
}

extern "C" bool rg_cu_pow(rg_dtype dtype, int64_t n, double by, const void *x, void *out,
                          cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_NUMBER(dtype, pow_of, (n, by, x, out, stream))
    return true;
}

extern "C" bool rg_cu_pow_grad(rg_dtype dtype, int64_t n, double by, const void *x,
                               const void *dout, void *dx, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, pow_grad_of, (n, by, x, dout, dx, stream))
    return true;
}

/* ---- losses of a prediction and a label, as in ops/pointwise_loss.c ---- */

template <typename T> RG_DEVICE T softplus(T x)
{
    return (x > 0 ? x : x != x ? x : (T)0) + rg_log1p(rg_exp(-rg_abs(x)));
}

template <typename T> RG_DEVICE T sigmoid(T x)
{
    return 1 / (1 + rg_exp(-x));
}

template <typename T> RG_DEVICE T at_least(T x, T least)
{
    return x < least ? least : x;
}

template <typename T> RG_DEVICE T loss(int kind, T a, T p, T y)
{
    switch (kind) {
    case RG_CU_SIGMOID_ENTROPY:
        return y == a ? (T)0 : softplus(p) - p * y;
    case RG_CU_LOG_LOSS:
        return -y * rg_log(p + a) - (1 - y) * rg_log(1 - p + a);
    case RG_CU_BCE_LOSS:
        return -y * at_least(rg_log(p), (T)-100) - (1 - y) * at_least(rg_log(1 - p), (T)-100);
    case RG_CU_HINGE_LOSS:
        return at_least(1 - (2 * y - 1) * p, (T)0);
    }
    T soft = softplus(p);
    return y < -1 ? soft : y < 0 ? soft - p : 2 * soft - p * y;
}

template <typename T> RG_DEVICE T loss_slope(int kind, T a, T b, T p, T y)
{
    switch (kind) {
    case RG_CU_SIGMOID_ENTROPY:
        return y == a ? (T)0 : sigmoid(p) - y;
    case RG_CU_LOG_LOSS:
        return (1 - y) / (1 - p + a) - y / (p + a);
    case RG_CU_BCE_LOSS:
        return (p - y) / at_least(p * (1 - p), (T)1e-12);
    case RG_CU_HINGE_LOSS:
        return (1 - (2 * y - 1) * p > 0 ? (T)1 : (T)0) * (1 - 2 * y);
    }
    T s = sigmoid(p), slope = y < -1 ? s : y < 0 ? s - 1 : 2 * s - y;
    return p >= a || p <= b ? (T)0 : slope;
}

template <typename T>
RG_KERNEL pair_loss(int kind, T a, int64_t n, const T *x, const T *label, T *y)
{
    RG_EACH(i, n)
        y[i] = loss(kind, a, x[i], label[i]);
}

/* What is ignored has none, whatever dy is. */
template <typename T>
RG_KERNEL pair_loss_grad(int kind, T a, T b, int64_t n, const T *x, const T *label, const T *dy,
                         T *dx)
{
    RG_EACH(i, n)
        dx[i] = kind == RG_CU_SIGMOID_ENTROPY && label[i] == a
                    ? (T)0
                    : dy[i] * loss_slope(kind, a, b, x[i], label[i]);
}

template <typename T>
static void pair_loss_of(int kind, const float p[2], int64_t n, const void *x, const void *label,
                         void *y, cudaStream_t stream)
{
    RG_LAUNCH(pair_loss<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, kind, (T)p[0], n,
              (const T *)x, (const T *)label, (T *)y);
}

template <typename T>
static void pair_loss_grad_of(int kind, const float p[2], int64_t n, const void *x,
                              const void *label, const void *dy, void *dx, cudaStream_t stream)
{
    RG_LAUNCH(pair_loss_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, kind, (T)p[0],
              (T)p[1], n, (const T *)x, (const T *)label, (const T *)dy, (T *)dx);
}

extern "C" bool rg_cu_pair_loss(enum rg_cu_loss kind, rg_dtype dtype, const float p[2], int64_t n,
                                const void *x, const void *label, void *y, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, pair_loss_of, (kind, p, n, x, label, y, stream))
    return true;
}

extern "C" bool rg_cu_pair_loss_grad(enum rg_cu_loss kind, rg_dtype dtype, const float p[2],
                                     int64_t n, const void *x, const void *label, const void *dy,
                                     void *dx, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, pair_loss_grad_of, (kind, p, n, x, label, dy, dx, stream))
    return true;
}

template <typename T>
RG_KERNEL huber(T delta, int64_t n, const T *x, const T *y, T *residual, T *out)
{
    RG_EACH(i, n) {
        T r = y[i] - x[i], a = r < 0 ? -r : r;
        if (residual != NULL)
            residual[i] = r;
        out[i] = a <= delta ? r * r / 2 : delta * (a - delta / 2);
    }
}

template <typename T>
RG_KERNEL huber_grad(T delta, T sign, int64_t n, const T *residual, const T *dout, T *dx)
{
    RG_EACH(i, n) {
        T r = residual[i];
        dx[i] = sign * (r < -delta ? -delta : r > delta ? delta : r) * dout[i];
    }
}

template <typename T>
static void huber_of(float delta, int64_t n, const void *x, const void *y, void *residual,
                     void *out, cudaStream_t stream)
{
    RG_LAUNCH(huber<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, (T)delta, n, (const T *)x,
              (const T *)y, (T *)residual, (T *)out);
}

template <typename T>
static void huber_grad_of(float delta, float sign, int64_t n, const void *residual,
                          const void *dout, void *dx, cudaStream_t stream)
{
    RG_LAUNCH(huber_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, (T)delta, (T)sign, n,
              (const T *)residual, (const T *)dout, (T *)dx);
}

extern "C" bool rg_cu_huber(rg_dtype dtype, float delta, int64_t n, const void *x, const void *y,
                            void *residual, void *out, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, huber_of, (delta, n, x, y, residual, out, stream))
    return true;
}

extern "C" bool rg_cu_huber_grad(rg_dtype dtype, float delta, float sign, int64_t n,
                                 const void *residual, const void *dout, void *dx,
                                 cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, huber_grad_of, (delta, sign, n, residual, dout, dx, stream))
    return true;
}

RG_KERNEL shorten(int64_t n, float limit, const float *squares, const float *x, float *out)
{
    float norm = sqrtf(*squares), factor = norm <= limit ? 1 : limit / norm;
    RG_EACH(i, n)
        out[i] = x[i] * factor;
}

extern "C" void rg_cu_shorten(int64_t n, float limit, const float *squares, const float *x,
                              float *out, cudaStream_t stream)
{
    if (n > 0)
        RG_LAUNCH(shorten, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, limit, squares, x, out);
}

/* ---- dropout: the numbers of base/philox.h ---- */

typedef struct block {
    uint32_t word[4];
} block;

RG_DEVICE block philox(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream,
                     (uint32_t)(stream >> 32)};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
        uint32_t high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
        c[0] = high1 ^ c[1] ^ k0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k1;
        c[3] = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    block b = {{c[0], c[1], c[2], c[3]}};
    return b;
}

template <typename T>
RG_KERNEL dropout(int64_t n, uint64_t seed, uint64_t draw, const uint64_t *step, uint64_t below,
                  float factor, const T *x, T *out, uint8_t *mask)
{
    if (step != NULL)
        draw ^= (*step + 1) * 0x9e3779b97f4a7c15u;
    RG_EACH(b, (n + 3) / 4) {
        block r = philox(seed, draw, (uint64_t)b);
        for (int k = 0; k < 4 && 4 * b + k < n; k++) {
            int64_t i = 4 * b + k;
            bool kept = r.word[k] >= below;
            out[i] = kept ? x[i] * (T)factor : (T)0;
            if (mask != NULL)
                mask[i] = kept;
        }
    }
}

template <typename T>
static void dropout_of(int64_t n, uint64_t seed, uint64_t draw, const uint64_t *step, float p,
                       float factor, const void *x, void *out, uint8_t *mask, cudaStream_t stream)
{
    uint64_t below = (uint64_t)((double)p * 4294967296.0);
    RG_LAUNCH(dropout<T>, rg_blocks((n + 3) / 4, RG_THREADS), RG_THREADS, stream, n, seed, draw,
              step, below, factor, (const T *)x, (T *)out, mask);
}

extern "C" bool rg_cu_dropout(rg_dtype dtype, int64_t n, uint64_t seed, uint64_t draw,
                              const uint64_t *step, float p, float factor, const void *x, void *out,
                              uint8_t *mask, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, dropout_of, (n, seed, draw, step, p, factor, x, out, mask, stream))
    return true;
}

template <typename T>
RG_KERNEL dropout_grad(int64_t n, float factor, const T *dout, const uint8_t *mask, T *dx)
{
    RG_EACH(i, n)
        dx[i] = mask[i] ? dout[i] * (T)factor : (T)0;
}

template <typename T>
static void dropout_grad_of(int64_t n, float factor, const void *dout, const uint8_t *mask,
                            void *dx, cudaStream_t stream)
{
    RG_LAUNCH(dropout_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, factor,
              (const T *)dout, mask, (T *)dx);
}

extern "C" bool rg_cu_dropout_grad(rg_dtype dtype, int64_t n, float factor, const void *dout,
                                   const uint8_t *mask, void *dx, cudaStream_t stream)
{
    if (n == 0)
        return true;
    RG_BY_FLOAT(dtype, dropout_grad_of, (n, factor, dout, mask, dx, stream))
    return true;
}
