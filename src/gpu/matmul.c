/* matmul.c - products of matrices by cuBLASLt.
 *
 * Ours are row by row, the library's column by column: C = A B is asked for as C' = B' A', whose
 * columns are our rows. What the library needs to know of a product (layouts, the algorithm) is
 * found once for each kind of product, and kept. The first time, unless the stream is being
 * recorded, the algorithms that the library proposes are timed; with FLAGS_cudnn_deterministic its
 * first proposal is taken, so that each process gets the same bits. Some hide NaN behind relu:
 * those are found out and left aside. */
#include "gpu/device_priv.h"
#include "gpu/glue.h"

#include "base/mem.h"
#include "sys/flags.h"

#include <string.h>

#define LT_TRY(call)                                                                           \
    do {                                                                                       \
        cublasStatus_t failed_ = (call);                                                       \
        if (failed_ != CUBLAS_STATUS_SUCCESS)                                                  \
            return rg_fail(RG_EIO, "cuBLASLt: %s in %s", cublasLtGetStatusString(failed_), #call); \
    } while (0)

/* All that the choice of an algorithm depends on; no padding, so that bytes can be compared. */
typedef struct shape_key {
    int64_t m, n, k, batch, stride_a, stride_b, stride_c;
    int32_t trans_a, trans_b, dtype, end, device_scale, tf32, adds, device;
    int32_t align_a, align_b, align_c, align_bias;
} shape_key;

typedef struct known {
    shape_key key;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c; /* the library's first is our B */
    cublasLtMatmulAlgo_t algo;
    bool relu_apart; /* no algorithm keeps NaN through relu: it is a kernel of its own */
    struct known *next;
} known;

enum { BUCKETS = 256, PROPOSALS = 32, ROUNDS = 4, TRIES = 4 };

/* Under rg_gpu_quiet, with what they hold: an algorithm is tried while nobody records. */
static known *table[BUCKETS];

static int32_t align_of(const void *p)
{
    uintptr_t bits = (uintptr_t)p | 256;
    return (int32_t)(bits & -bits);
}

static shape_key key_of(const rg_gpu_stream *stream, const rg_gpu_product *p)
{
    int device = 0;
    (void)cudaGetDevice(&device);
    shape_key key;
    memset(&key, 0, sizeof key);
    key = (shape_key){p->m,
                      p->n,
                      p->k,
                      p->batch > 1 ? p->batch : 1,
                      p->stride_a,
                      p->stride_b,
                      p->stride_c,
                      p->trans_a,
                      p->trans_b,
                      (int32_t)p->dtype,
                      (int32_t)p->end,
                      p->device_alpha != NULL,
                      stream->tf32,
                      p->device_alpha || p->beta != 0,
                      device,
                      align_of(p->a),
                      align_of(p->b),
                      align_of(p->c),
                      align_of(p->bias)};
    return key;
}

static unsigned bucket_of(const shape_key *key)
{
    const unsigned char *bytes = (const unsigned char *)key;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *key; i++)
        hash = (hash ^ bytes[i]) * 16777619u;
    return hash % BUCKETS;
}

static bool type_of(rg_dtype dtype, cudaDataType_t *type)
{
    switch ((int)dtype) {
    case RG_F32:
        *type = CUDA_R_32F;
        return true;
    case RG_F16:
        *type = CUDA_R_16F;
        return true;
    case 22: /* bfloat16, as Fluid's later files number it */
        *type = CUDA_R_16BF;
        return true;
    }
    return false;
}

/* ---- what is kept ---- */

static rg_status set_end(known *k, rg_gpu_end end, const void *bias)
{
    static const cublasLtEpilogue_t ends[] = {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS,
                                              CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS};
    cublasLtEpilogue_t epilogue = ends[end];
    LT_TRY(cublasLtMatmulDescSetAttribute(k->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                          sizeof epilogue));
    if (end == RG_GPU_END_BIAS || end == RG_GPU_END_BIAS_RELU)
        LT_TRY(cublasLtMatmulDescSetAttribute(k->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                              sizeof bias));
    return RG_OK;
}

static rg_status layout(cublasLtMatrixLayout_t *to, cudaDataType_t type, int64_t rows, int64_t cols,
                        int32_t batch, int64_t stride)
{
    LT_TRY(cublasLtMatrixLayoutCreate(to, type, (uint64_t)rows, (uint64_t)cols, rows));
    if (batch == 1)
        return RG_OK;
    LT_TRY(cublasLtMatrixLayoutSetAttribute(*to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                            sizeof batch));
    LT_TRY(cublasLtMatrixLayoutSetAttribute(*to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                            &stride, sizeof stride));
    return RG_OK;
}

static rg_status describe(known *k, const rg_gpu_stream *stream, const rg_gpu_product *p)
{
    cudaDataType_t type;
    if (!type_of(p->dtype, &type))
        return rg_fail(RG_EUNIMPL, "no product of %s on GPUs", rg_dtype_name(p->dtype));
    cublasComputeType_t compute = p->dtype == RG_F32 && stream->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                     : CUBLAS_COMPUTE_32F;
    cublasOperation_t turn = CUBLAS_OP_T;
    cublasLtPointerMode_t mode = CUBLASLT_POINTER_MODE_DEVICE;
    int32_t batch = (int32_t)k->key.batch;
    LT_TRY(cublasLtMatmulDescCreate(&k->desc, compute, CUDA_R_32F));
    if (p->trans_b)
        LT_TRY(cublasLtMatmulDescSetAttribute(k->desc, CUBLASLT_MATMUL_DESC_TRANSA, &turn,
                                              sizeof turn));
    if (p->trans_a)
        LT_TRY(cublasLtMatmulDescSetAttribute(k->desc, CUBLASLT_MATMUL_DESC_TRANSB, &turn,
                                              sizeof turn));
    if (p->device_alpha != NULL)
        LT_TRY(cublasLtMatmulDescSetAttribute(k->desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode,
                                              sizeof mode));
    RG_TRY(set_end(k, p->end, p->bias));
    RG_TRY(layout(&k->a, type, p->trans_b ? p->k : p->n, p->trans_b ? p->n : p->k, batch,
                  p->stride_b));
    RG_TRY(layout(&k->b, type, p->trans_a ? p->m : p->k, p->trans_a ? p->k : p->m, batch,
                  p->stride_a));
    return layout(&k->c, type, p->n, p->m, batch, p->stride_c);
}

static void drop(known *k)
{
    if (k->a)
        (void)cublasLtMatrixLayoutDestroy(k->a);
    if (k->b)
        (void)cublasLtMatrixLayoutDestroy(k->b);
    if (k->c)
        (void)cublasLtMatrixLayoutDestroy(k->c);
    if (k->desc)
        (void)cublasLtMatmulDescDestroy(k->desc);
    rg_free(k);
}

/* ---- which algorithm ---- */

static rg_status propose(const known *k, const rg_gpu_stream *stream,
                         cublasLtMatmulHeuristicResult_t *found, int *n)
{
    cublasLtMatmulPreference_t want;
    uint32_t align[3] = {(uint32_t)k->key.align_b, (uint32_t)k->key.align_a,
                         (uint32_t)k->key.align_c};
    LT_TRY(cublasLtMatmulPreferenceCreate(&want));
    cublasStatus_t failed = cublasLtMatmulPreferenceSetAttribute(
        want, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &stream->workspace_bytes,
        sizeof stream->workspace_bytes);
    static const cublasLtMatmulPreferenceAttributes_t which[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    for (int i = 0; i < 4 && failed == CUBLAS_STATUS_SUCCESS; i++)
        failed = cublasLtMatmulPreferenceSetAttribute(want, which[i], &align[i < 3 ? i : 2],
                                                      sizeof align[0]);
    *n = 0;
    if (failed == CUBLAS_STATUS_SUCCESS)
        failed = cublasLtMatmulAlgoGetHeuristic(stream->blas, k->desc, k->a, k->b, k->c, k->c, want,
                                                PROPOSALS, found, n);
    (void)cublasLtMatmulPreferenceDestroy(want);
    if (failed != CUBLAS_STATUS_SUCCESS || *n == 0)
        return rg_fail(RG_EIO, "cuBLASLt has no algorithm for %lld x %lld x %lld (%s)",
                       (long long)k->key.m, (long long)k->key.n, (long long)k->key.k,
                       cublasLtGetStatusString(failed));
    return RG_OK;
}

static cublasStatus_t multiply(const known *k, const cublasLtMatmulAlgo_t *algo,
                               const rg_gpu_stream *stream, const rg_gpu_product *p, void *c)
{
    const void *alpha = p->device_alpha ? p->device_alpha : &p->alpha;
    const void *beta = p->device_alpha ? p->device_alpha + 1 : &p->beta;
    return cublasLtMatmul(stream->blas, k->desc, alpha, p->b, k->a, p->a, k->b, beta, c, k->c, c,
                          k->c, algo, stream->workspace, stream->workspace_bytes, stream->cuda);
}

/* How long some take, the best of several tries; less than nothing where it cannot be had. The
 * first call loads the kernel, and is not counted. */
static float time_one(const known *k, const cublasLtMatmulAlgo_t *algo, const rg_gpu_stream *stream,
                      const rg_gpu_product *p, void *aside, cudaEvent_t from, cudaEvent_t to)
{
    float least = -1;
    if (multiply(k, algo, stream, p, aside) != CUBLAS_STATUS_SUCCESS ||
        cudaStreamSynchronize(stream->cuda) != cudaSuccess)
        return -1;
    for (int try = 0; try < TRIES; try++) {
        float ms = -1;
        bool timed = cudaEventRecord(from, stream->cuda) == cudaSuccess;
        for (int i = 0; i < ROUNDS; i++)
            timed = timed && multiply(k, algo, stream, p, aside) == CUBLAS_STATUS_SUCCESS;
        timed = timed && cudaEventRecord(to, stream->cuda) == cudaSuccess &&
                cudaEventSynchronize(to) == cudaSuccess &&
                cudaEventElapsedTime(&ms, from, to) == cudaSuccess;
        if (!timed)
            return -1;
        least = least < 0 || ms < least ? ms : least;
    }
    return least;
}

/* Whether what is no number stays so through relu at its end: the bias is made of NaN for it. */
static bool keeps_nan(known *k, const cublasLtMatmulAlgo_t *algo, const rg_gpu_stream *stream,
                      const rg_gpu_product *p, void *aside)
{
    void *bias;
    float one = 0;
    size_t bytes = (size_t)p->n * sizeof(float);
    if (p->end != RG_GPU_END_BIAS_RELU || p->dtype != RG_F32 ||
        cudaMalloc(&bias, bytes) != cudaSuccess)
        return false;
    bool ran = cudaMemsetAsync(bias, 0xff, bytes, stream->cuda) == cudaSuccess &&
               set_end(k, p->end, bias) == RG_OK &&
               multiply(k, algo, stream, p, aside) == CUBLAS_STATUS_SUCCESS &&
               cudaMemcpyAsync(&one, aside, sizeof one, cudaMemcpyDeviceToHost, stream->cuda) ==
                   cudaSuccess &&
               cudaStreamSynchronize(stream->cuda) == cudaSuccess;
    (void)cudaFree(bias);
    return set_end(k, p->end, p->bias) == RG_OK && ran && one != one;
}

/* The quickest, by results that go aside; without `timed` the first. -1: none keeps NaN, or it
 * cannot be found out while the stream is being recorded. */
static int choose(known *k, const cublasLtMatmulHeuristicResult_t *found, int n,
                  const rg_gpu_stream *stream, const rg_gpu_product *p)
{
    enum cudaStreamCaptureStatus recording;
    size_t bytes = (size_t)(k->key.batch > 1 ? k->key.batch * p->stride_c : p->m * p->n) *
                   rg_dtype_size(p->dtype);
    bool timed = !rg_flag_bool("cudnn_deterministic");
    bool relu = p->end == RG_GPU_END_RELU || p->end == RG_GPU_END_BIAS_RELU;
    void *aside;
    cudaEvent_t from = NULL, to = NULL;
    int best = relu ? -1 : 0;
    if (cudaStreamIsCapturing(stream->cuda, &recording) != cudaSuccess ||
        recording != cudaStreamCaptureStatusNone || cudaMalloc(&aside, bytes) != cudaSuccess)
        return best;
    float least = -1;
    if (cudaEventCreate(&from) == cudaSuccess && cudaEventCreate(&to) == cudaSuccess)
        for (int i = 0; i < n && (timed || best < 0); i++) {
            if (relu && !keeps_nan(k, &found[i].algo, stream, p, aside))
                continue;
            float ms = time_one(k, &found[i].algo, stream, p, aside, from, to);
            if (ms >= 0 && (least < 0 || ms < least)) {
                least = ms;
                best = i;
            }
        }
    if (from)
        (void)cudaEventDestroy(from);
    if (to)
        (void)cudaEventDestroy(to);
    (void)cudaFree(aside);
    (void)cudaGetLastError(); /* of a proposal that could not run */
    return best;
}

static rg_status get_known(const rg_gpu_stream *stream, const rg_gpu_product *p, known **out)
{
    shape_key key = key_of(stream, p);
    unsigned at = bucket_of(&key);
    for (known *k = table[at]; k != NULL; k = k->next)
        if (memcmp(&k->key, &key, sizeof key) == 0) {
            *out = k;
            return RG_OK;
        }
    cublasLtMatmulHeuristicResult_t found[PROPOSALS];
    int n;
    known *k = rg_alloc_zero(1, sizeof *k);
    if (k == NULL)
        return rg_no_memory(sizeof *k, "a product");
    k->key = key;
    rg_status code = describe(k, stream, p);
    if (code == RG_OK)
        code = propose(k, stream, found, &n);
    if (code != RG_OK) {
        drop(k);
        return code;
    }
    int best = choose(k, found, n, stream, p);
    k->relu_apart = best < 0;
    if (best >= 0)
        k->algo = found[best].algo;
    k->next = table[at];
    table[at] = k;
    *out = k;
    return RG_OK;
}

/* ---- the product ---- */

/* Of nothing: what is added alone. */
static rg_status of_nothing(const rg_gpu_stream *stream, const rg_gpu_product *p)
{
    size_t bytes = (size_t)(p->m * p->n) * rg_dtype_size(p->dtype);
    if (p->device_alpha != NULL || p->beta == 1)
        return RG_OK;
    for (int64_t i = 0; i < (p->batch > 1 ? p->batch : 1); i++)
        RG_GPU_TRY(
            cudaMemsetAsync((char *)p->c + (size_t)(i * p->stride_c) * rg_dtype_size(p->dtype), 0,
                            bytes, stream->cuda));
    if (p->end == RG_GPU_END_BIAS || p->end == RG_GPU_END_BIAS_RELU)
        (void)rg_cu_add_row(p->dtype, p->m, p->n, p->bias, p->c, stream->cuda);
    if (p->end == RG_GPU_END_BIAS_RELU && p->dtype == RG_F32)
        rg_cu_activate(RG_CU_RELU, p->m * p->n, p->c, stream->cuda);
    return RG_OK;
}

static rg_status run(const rg_gpu_stream *stream, const rg_gpu_product *p, bool *relu_apart)
{
    known *k;
    RG_TRY(get_known(stream, p, &k));
    *relu_apart = k->relu_apart;
    if (k->relu_apart)
        return RG_OK;
    RG_TRY(set_end(k, p->end, p->bias));
    cublasStatus_t failed = multiply(k, &k->algo, stream, p, p->c);
    if (failed != CUBLAS_STATUS_SUCCESS)
        return rg_fail(RG_EIO, "cuBLASLt: %s for %lld x %lld x %lld",
                       cublasLtGetStatusString(failed), (long long)p->m, (long long)p->n,
                       (long long)p->k);
    return RG_OK;
}

rg_status rg_gpu_matmul(rg_gpu_stream *stream, const rg_gpu_product *p)
{
    bool relu_apart = false;
    if (p->m == 0 || p->n == 0)
        return RG_OK;
    if (p->k == 0)
        return of_nothing(stream, p);
    pthread_mutex_lock(&rg_gpu_quiet);
    rg_status code = run(stream, p, &relu_apart);
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (code != RG_OK || !relu_apart)
        return code;
    rg_gpu_product plain = *p;
    plain.end = p->end == RG_GPU_END_BIAS_RELU ? RG_GPU_END_BIAS : RG_GPU_END_NONE;
    RG_TRY(rg_gpu_matmul(stream, &plain));
    if (p->dtype != RG_F32)
        return rg_fail(RG_EUNIMPL, "relu of %s on GPUs", rg_dtype_name(p->dtype));
    rg_cu_activate(RG_CU_RELU, (p->batch > 1 ? p->batch : 1) * p->m * p->n, p->c, stream->cuda);
    return RG_OK;
}
