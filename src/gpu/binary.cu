/* binary.cu - two tensors element by element, either repeated along dimensions: arithmetic, its
 * slopes, and comparisons, as in ops/elementwise_rows.h and ops/compare.c. */
#include "gpu/cuda.h"

/* Where element i of the result has its operands. */
typedef struct pair {
    int64_t x, y;
} pair;

RG_DEVICE pair operands(const rg_cu_broadcast *b, int64_t i)
{
    pair p = {0, 0};
    if (b->rank == 1) {
        p.x = i * b->sx[0];
        p.y = i * b->sy[0];
        return p;
    }
    for (int d = b->rank - 1; d >= 0; d--) {
        int64_t rest, n = b->n[d];
        if (i >> 32 || n >> 32) {
            rest = i % n;
            i /= n;
        } else {
            uint32_t q = (uint32_t)i / (uint32_t)n;
            rest = i - (int64_t)q * n;
            i = q;
        }
        p.x += rest * b->sx[d];
        p.y += rest * b->sy[d];
    }
    return p;
}

static int64_t count_of(const rg_cu_broadcast *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->rank; d++)
        n *= b->n[d];
    return n;
}

/* ---- arithmetic ---- */

template <typename T> RG_DEVICE T rest_of(T a, T b)
{
    return b == 0 ? (T)0 : a % b;
}
RG_DEVICE double rest_of(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
RG_DEVICE float rest_of(float a, float b)
{
    return (float)rest_of((double)a, (double)b);
}

template <typename T> RG_DEVICE T value(int kind, T a, T b)
{
    switch (kind) {
    case RG_CU_ADD:
        return a + b;
    case RG_CU_SUB:
        return a - b;
    case RG_CU_MUL:
        return a * b;
    case RG_CU_DIV:
        return a / b;
    case RG_CU_LARGER:
        return a > b ? a : b;
    case RG_CU_SMALLER:
        return a < b ? a : b;
    case RG_CU_POW:
        return (T)pow((double)a, (double)b);
    }
    return rest_of(a, b);
}

template <typename T>
RG_KERNEL binary(int kind, int64_t n, rg_cu_broadcast b, const T *x, const T *y, T *out)
{
    RG_EACH(i, n) {
        pair p = operands(&b, i);
        out[i] = value(kind, x[p.x], y[p.y]);
    }
}

template <typename T>
static void binary_of(int kind, const rg_cu_broadcast *b, const void *x, const void *y, void *out,
                      cudaStream_t stream)
{
    int64_t n = count_of(b);
    if (n > 0)
        RG_LAUNCH(binary<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, kind, n, *b,
                  (const T *)x, (const T *)y, (T *)out);
}

extern "C" bool rg_cu_binary(enum rg_cu_binary kind, rg_dtype dtype, const rg_cu_broadcast *b,
                             const void *x, const void *y, void *out, cudaStream_t stream)
{
    RG_BY_NUMBER(dtype, binary_of, (kind, b, x, y, out, stream))
    return true;
}

/* ---- slopes ---- */

template <typename T> RG_DEVICE T slope(int kind, bool by_x, T a, T b, T g)
{
    switch (kind) {
    case RG_CU_ADD:
        return g;
    case RG_CU_SUB:
        return by_x ? g : -g;
    case RG_CU_MUL:
        return by_x ? g * b : g * a;
    case RG_CU_DIV:
        return by_x ? g / b : -g * (a / b) / b;
    case RG_CU_LARGER:
        return (by_x ? a > b : a <= b) ? g : (T)0;
    case RG_CU_SMALLER:
        return (by_x ? a < b : a >= b) ? g : (T)0;
    case RG_CU_POW:
        return (T)((double)g * (by_x ? (double)b * pow((double)a, (double)b - 1)
                                     : log((double)a) * pow((double)a, (double)b)));
    }
    return 0;
}

template <typename T>
RG_KERNEL binary_grad(int kind, bool by_x, int64_t n, rg_cu_broadcast b, const T *x, const T *y,
                      const T *dout, T *target)
{
    RG_EACH(i, n) {
        pair p = operands(&b, i);
        bool reads = kind != RG_CU_ADD && kind != RG_CU_SUB; /* else theirs may be gone */
        target[i] = slope(kind, by_x, reads ? x[p.x] : (T)0, reads ? y[p.y] : (T)0, dout[i]);
    }
}

template <typename T>
static void binary_grad_of(int kind, bool by_x, const rg_cu_broadcast *b, const void *x,
                           const void *y, const void *dout, void *target, cudaStream_t stream)
{
    int64_t n = count_of(b);
    if (n > 0)
        RG_LAUNCH(binary_grad<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, kind, by_x, n, *b,
                  (const T *)x, (const T *)y, (const T *)dout, (T *)target);
}

extern "C" bool rg_cu_binary_grad(enum rg_cu_binary kind, bool by_x, rg_dtype dtype,
                                  const rg_cu_broadcast *b, const void *x, const void *y,
                                  const void *dout, void *target, cudaStream_t stream)
{
    RG_BY_FLOAT(dtype, binary_grad_of, (kind, by_x, b, x, y, dout, target, stream))
    return true;
}

/* ---- comparisons ---- */

template <typename T> RG_DEVICE bool same(T a, T b)
{
    return a == b;
}
RG_DEVICE bool same(float a, float b)
{
    return fabs((double)(a - b)) < 1e-8;
}
RG_DEVICE bool same(double a, double b)
{
    return fabs(a - b) < 1e-8;
}

template <typename T> RG_DEVICE bool holds(int kind, T a, T b)
{
    switch (kind) {
    case RG_CU_LESS:
        return a < b;
    case RG_CU_LESS_EQUAL:
        return a <= b;
    case RG_CU_GREATER:
        return a > b;
    case RG_CU_GREATER_EQUAL:
        return a >= b;
    case RG_CU_EQUAL:
        return same(a, b);
    }
    return !same(a, b);
}

template <typename T>
RG_KERNEL compare(int kind, int64_t n, rg_cu_broadcast b, const T *x, const T *y, bool *out)
{
    RG_EACH(i, n) {
        pair p = operands(&b, i);
        out[i] = holds(kind, x[p.x], y[p.y]);
    }
}

template <typename T>
static void compare_of(int kind, const rg_cu_broadcast *b, const void *x, const void *y, void *out,
                       cudaStream_t stream)
{
    int64_t n = count_of(b);
    if (n > 0)
        RG_LAUNCH(compare<T>, rg_blocks(n, RG_THREADS), RG_THREADS, stream, kind, n, *b,
                  (const T *)x, (const T *)y, (bool *)out);
}

extern "C" bool rg_cu_compare(enum rg_cu_compare kind, rg_dtype dtype, const rg_cu_broadcast *b,
                              const void *x, const void *y, void *out, cudaStream_t stream)
{
    if (dtype == RG_BOOL) {
        compare_of<uint8_t>(kind, b, x, y, out, stream);
        return true;
    }
    RG_BY_NUMBER(dtype, compare_of, (kind, b, x, y, out, stream))
    return true;
}
