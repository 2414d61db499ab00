/* gemm.c - choosing a library, and the products too small for one. */
#include "math/gemm.h"

#include "base/hot.h"
#include "math/fast.h"
#include "math/libraries.h"
#include "sys/flags.h"
#include "sys/process.h"

#include <stdatomic.h>
#include <pthread.h>

/* It comes with OpenMP, without a header that says so in C. */
void omp_set_num_threads(int threads);

enum {
    SMALL = 8192, /* m n k below which a call costs more than the work */
    NARROW = 8,   /* m or n below which oneDNN is poor and OpenBLAS is not */
};

/* What this thread asked for, 0: FLAGS_paddle_num_threads; and what its libraries were told.
 * OpenMP counts for each thread, OpenBLAS for the process. */
static _Thread_local int wanted, told;
static _Atomic int blas_told;
/* A child that was forked once there were more threads than one: it has none of the others, and
 * OpenMP would wait for them for ever. Written while the child has one thread. */
static bool alone;

static void forked(void)
{
    alone = true;
    told = 1;
    omp_set_num_threads(told); /* now: primitives are found by it before the next call */
}

static void watch_forks(void)
{
    rg_process_on_fork(forked);
}

static void tell(int threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (threads > 1)
        (void)pthread_once(&once, watch_forks);
    omp_set_num_threads(threads);
    told = threads;
}

void rg_gemm_threads(int threads)
{
    wanted = threads;
}

void rg_gemm_configure(void)
{
    int64_t flag = wanted > 0 ? wanted : rg_flag_int("paddle_num_threads");
    int threads = flag < 1 || alone ? 1 : (int)flag;
    if (threads != told)
        tell(threads);
    if (atomic_load_explicit(&blas_told, memory_order_relaxed) != threads) {
        openblas_set_num_threads(threads);
        atomic_store_explicit(&blas_told, threads, memory_order_relaxed);
    }
}

/* ---- small products ---- */

/* y[m] = alpha * A x + beta * y, A in rows. */
RG_HOT static void rows_times_vector(int64_t m, int64_t k, float alpha, const float *a, int64_t lda,
                                     const float *x, int64_t step, float beta, float *y,
                                     int64_t y_step)
{
    for (int64_t i = 0; i < m; i++) {
        float sum = 0;
        for (int64_t j = 0; j < k; j++)
            sum += a[i * lda + j] * x[j * step];
        y[i * y_step] = alpha * sum + (beta != 0 ? beta * y[i * y_step] : 0);
    }
}

/* C = alpha * op(A) B + beta * C by adding rows of B: op(B) is not transposed. */
RG_HOT static void add_rows(bool trans_a, int64_t m, int64_t n, int64_t k, float alpha,
                            const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                            float *c, int64_t ldc)
{
    for (int64_t i = 0; i < m; i++) {
        float *row = c + i * ldc;
        for (int64_t j = 0; j < n; j++)
            row[j] = beta != 0 ? beta * row[j] : 0;
        for (int64_t p = 0; p < k; p++) {
            float f = alpha * (trans_a ? a[p * lda + i] : a[i * lda + p]);
            const float *from = b + p * ldb;
            for (int64_t j = 0; j < n; j++)
                row[j] += f * from[j];
        }
    }
}

/* C = alpha * op(A) B^T + beta * C by dot products. */
RG_HOT static void dot_rows(bool trans_a, int64_t m, int64_t n, int64_t k, float alpha,
                            const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                            float *c, int64_t ldc)
{
    int64_t row = trans_a ? 1 : lda, step = trans_a ? lda : 1;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += a[i * row + p * step] * b[j * ldb + p];
            float *out = c + i * ldc + j;
            *out = alpha * sum + (beta != 0 ? beta * *out : 0);
        }
}

static void small(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                  const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                  int64_t ldc)
{
    if (n == 1 && !trans_a)
        rows_times_vector(m, k, alpha, a, lda, b, trans_b ? 1 : ldb, beta, c, ldc);
    else if (trans_b)
        dot_rows(trans_a, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else
        add_rows(trans_a, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* ---- the choice ---- */

void rg_gemm_f32(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                 const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                 int64_t ldc)
{
    if (m == 0 || n == 0)
        return;
    if (m * n * k <= SMALL) {
        small(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    rg_gemm_configure();
    bool narrow = n < NARROW || m < NARROW;
    rg_matmul_shape shape = {.trans_a = trans_a,
                             .trans_b = trans_b,
                             .m = m,
                             .n = n,
                             .k = k,
                             .lda = lda,
                             .ldb = ldb,
                             .ldc = ldc};
    if (alpha == 1 && beta == 0 && !narrow && rg_matmul_suits(&shape) &&
        rg_matmul_run(&shape, a, b, NULL, c))
        return;
    if (narrow)
        cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                    trans_b ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda,
                    b, (int)ldb, beta, c, (int)ldc);
    else
        (void)dnnl_sgemm(trans_a ? 'T' : 'N', trans_b ? 'T' : 'N', m, n, k, alpha, a, lda, b, ldb,
                         beta, c, ldc);
}

void rg_gemm_f64(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, double alpha,
                 const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c,
                 int64_t ldc)
{
    if (m == 0 || n == 0)
        return;
    rg_gemm_configure();
    cblas_dgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda, b,
                (int)ldb, beta, c, (int)ldc);
}

/* ---- a layer ---- */

RG_INLINE float activate(rg_activation act, float z)
{
    switch (act) {
    case RG_ACT_RELU:
        return 0 > z ? 0 : z; /* a NaN stays */
    case RG_ACT_SIGMOID:
        return rg_sigmoidf(z);
    case RG_ACT_TANH:
        return rg_tanhf(z);
    case RG_ACT_NONE:
        break;
    }
    return z;
}

RG_INLINE void finish_rows(rg_activation act, int64_t m, int64_t n, const float *bias, float *out)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            out[i * n + j] = activate(act, out[i * n + j] + bias[j]);
}

RG_HOT static void finish(rg_activation act, int64_t m, int64_t n, const float *bias, float *out)
{
    switch (act) {
    case RG_ACT_NONE:
        finish_rows(RG_ACT_NONE, m, n, bias, out);
        break;
    case RG_ACT_RELU:
        finish_rows(RG_ACT_RELU, m, n, bias, out);
        break;
    case RG_ACT_SIGMOID:
        finish_rows(RG_ACT_SIGMOID, m, n, bias, out);
        break;
    case RG_ACT_TANH:
        finish_rows(RG_ACT_TANH, m, n, bias, out);
        break;
    }
}

RG_HOT static void relu(int64_t n, float *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = activate(RG_ACT_RELU, out[i]);
}

void rg_linear_f32(int64_t m, int64_t n, int64_t k, const float *x, const float *w,
                   const float *bias, rg_activation act, float *out)
{
    /* The library's relu makes 0 of a NaN: ours comes after. */
    rg_activation theirs = act == RG_ACT_RELU ? RG_ACT_NONE : act;
    rg_matmul_shape shape = {
        .bias = true, .act = theirs, .m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n};
    if (n >= NARROW && rg_matmul_suits(&shape)) {
        rg_gemm_configure();
        if (rg_matmul_run(&shape, x, w, bias, out)) {
            if (act == RG_ACT_RELU)
                relu(m * n, out);
            return;
        }
    }
    rg_gemm_f32(false, false, m, n, k, 1, x, k, w, n, 0, out, n);
    finish(act, m, n, bias, out);
}
