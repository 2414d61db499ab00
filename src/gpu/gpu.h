/* gpu.h - the inside of the CUDA back end: a module of its own (libregatta_cuda.so) that is loaded
 * when a program asks for a GPU, so that the library itself needs no CUDA.
 *
 * Three kinds of files:
 *   - *.cu are CUDA C: kernels and functions that launch them (launch.h). They know pointers, sizes
 *     and a stream, and nothing of programs or values.
 *   - op_*.c are C: one file for an op or a family of near-twins, each with
 *     `const rg_kernel rg_kernel_NAME` (ir/kernel.h) that reads its arguments and calls the above.
 *   - the others are the device: memory, streams, graphs.
 *
 * Everything is put into the plan's stream and nothing waits there: a kernel that needs a number
 * that is on the GPU (a learning rate) reads it there, so that a step can be recorded as a graph
 * and run again. What cannot be recorded says so (RG_KERNEL_HOST). A recorded step has the
 * addresses and sizes in it, and is made anew when these change; so nothing else that differs from
 * run to run may be an argument of a launch.
 *
 * Of RG_ROWS, values and row numbers are both on the GPU: value->rows is an address there, as
 * value->data is; how many there are (n_rows) the host knows. rg_value_resize_rows() gives both.
 * Arrays, and ops with blocks of ops, are the CPU's. */
#ifndef RG_GPU_GPU_H
#define RG_GPU_GPU_H

#include "ir/gpu_module.h"
#include "ir/kernel.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

enum { RG_GPU_COUNTERS = 4096 };

/* rg_run.stream of a plan on a GPU. The first fields are for kernels, the rest is the device's. */
typedef struct rg_gpu_stream {
    cudaStream_t cuda;
    cublasLtHandle_t blas;
    void *workspace; /* of cuBLASLt */
    size_t workspace_bytes;
    bool tf32;            /* FLAGS_enable_tf32 */
    const uint64_t *step; /* on the GPU: the number of the run */
    /* Memory of the host that kernels write to when a value is wrong (an id that is in no table),
     * and only then: they go on without it, and it is said at the end of the run, or of the next.
     */
    struct rg_gpu_fault *fault;
    unsigned *counters; /* RG_GPU_COUNTERS words of the GPU, zero between kernels */
    struct rg_gpu_inside *inside;
} rg_gpu_stream;

static inline rg_gpu_stream *rg_gpu_stream_of(const rg_ctx *ctx)
{
    return ctx->run->stream;
}

/* RG_EIO with CUDA's own words for it and what was being done. */
rg_status rg_gpu_failed(cudaError_t error, const char *doing);
#define RG_GPU_TRY(call)                              \
    do {                                              \
        cudaError_t error_ = (call);                  \
        if (error_ != cudaSuccess)                    \
            return rg_gpu_failed(error_, #call);      \
    } while (0)

/* Memory of the GPU for the kernel that asks, and those put into the stream before the next op;
 * 256-byte aligned. NULL, with the message set, when there is none. It is the same memory at each
 * run while sizes stay (a recorded step has its address). */
void *rg_gpu_scratch(rg_ctx *ctx, size_t bytes);

/* A copy of the host's bytes on the GPU (offsets of a LoD, lists of addresses), to be read as
 * scratch is: the same address for the same bytes, also in a recorded step. NULL, with the message
 * set, when there is no memory. */
const void *rg_gpu_constant(rg_ctx *ctx, const void *host, size_t bytes);

/* As rg_random_key(). *uses_step: the number of the run is not in it yet, and the kernel (of flag
 * RG_KERNEL_STEP) makes its second word ^= (*stream->step + 1) * 0x9e3779b97f4a7c15. */
rg_philox_key rg_gpu_key(const rg_ctx *ctx, int seed, bool fixed, bool *uses_step);

/* What stands in `fault`, as a failure in the CPU's words, and the op that it is of; it is cleared.
 */
rg_status rg_gpu_fault_status(struct rg_gpu_fault *fault, const rg_ctx **ctx);

/* Slots and attributes by the name that the op's schema has for them (its file's enums are its
 * own). A name that the schema does not have is an error of ours, found by tests/gpu. */
const rg_value *rg_gpu_in(const rg_ctx *ctx, const char *slot);
rg_value *rg_gpu_out(const rg_ctx *ctx, const char *slot);
int rg_gpu_in_slot(const rg_ctx *ctx, const char *slot);
int rg_gpu_out_slot(const rg_ctx *ctx, const char *slot);
const rg_attr *rg_gpu_attr(const rg_ctx *ctx, const char *name);

/* C = alpha op(A) op(B) + beta C, row-major, with what cuBLASLt can do at the end of it. */
typedef enum rg_gpu_end {
    RG_GPU_END_NONE,
    RG_GPU_END_BIAS,      /* + bias, a row */
    RG_GPU_END_RELU,      /* relu(.) */
    RG_GPU_END_BIAS_RELU, /* relu(. + bias) */
} rg_gpu_end;

typedef struct rg_gpu_product {
    bool trans_a, trans_b;
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    rg_dtype dtype; /* of a, b and c: RG_F32, RG_F16, RG_BF16; sums are float32 */
    float alpha, beta;
    const float *device_alpha; /* not NULL: {alpha, beta} on the GPU, in place of the two */
    rg_gpu_end end;
    const void *bias;
    int64_t batch; /* 0 or 1: one; else that many, these strides apart */
    int64_t stride_a, stride_b, stride_c;
} rg_gpu_product;

rg_status rg_gpu_matmul(rg_gpu_stream *stream, const rg_gpu_product *p);

#endif
