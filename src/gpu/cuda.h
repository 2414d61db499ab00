/* cuda.h - for .cu files: how kernels are written and launched, and what they share.
 *
 * A kernel is RG_KERNEL, a function of it RG_DEVICE. It is launched by RG_LAUNCH, or, where it has
 * barriers or shuffles, by RG_LAUNCH_SYNC: on a GPU they are one, and tests run the second kind as
 * fibers (tests/gpu/emu). Element types are template parameters where src/ops has macros. */
#ifndef RG_GPU_CUDA_H
#define RG_GPU_CUDA_H

#include "gpu/fault.h"
#include "gpu/launch.h"

#include <float.h>
#include <stdint.h>

#ifdef RG_EMULATED
#define RG_KERNEL        static void
#define RG_DEVICE        static inline
#define RG_SHARED        static thread_local
#define RG_DYNAMIC(name) float *const name = emu_shared()
#define RG_BOUNDS(threads, blocks)
#else
#define RG_KERNEL static __global__ void
#define RG_DEVICE static __device__ __forceinline__
#define RG_SHARED __shared__
#define RG_LAUNCH(kernel, blocks, threads, stream, ...) \
    kernel<<<(blocks), (threads), 0, (stream)>>>(__VA_ARGS__)
#define RG_LAUNCH_SYNC   RG_LAUNCH
/* Floats of shared memory, as many as a launch by RG_LAUNCH_SHARED has. */
#define RG_DYNAMIC(name) extern __shared__ __align__(128) float name[]
#define RG_LAUNCH_SHARED(kernel, blocks, threads, bytes, stream, ...) \
    kernel<<<(blocks), (threads), (bytes), (stream)>>>(__VA_ARGS__)
/* Threads of a block at most, and blocks that are to fit a multiprocessor. */
#define RG_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#endif

enum { RG_THREADS = 256 };

/* Blocks for n threads' work, as many as keep the GPU busy; RG_EACH goes on from there. */
static inline unsigned rg_blocks(int64_t n, int64_t threads)
{
    int64_t blocks = (n + threads - 1) / threads;
    return (unsigned)(blocks < 1 ? 1 : blocks > 132 * 16 ? 132 * 16 : blocks);
}

/* The GPU that launches go to: what it was told, or asked, holds for no other. */
static inline int rg_this_gpu(void)
{
    int number = 0;
    (void)cudaGetDevice(&number);
    return number;
}

/* Allows a kernel more shared memory than the 48 KB that each has. `allowed`: where it was done. */
template <class K> static bool rg_allow_shared(K kernel, int bytes, bool allowed[RG_GPU_MAX])
{
    bool *here = &allowed[rg_this_gpu()];
    if (!*here)
        *here = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
                cudaSuccess;
    return *here;
}

#define RG_EACH(i, n)                                                                           \
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                    \
         i += (int64_t)gridDim.x * blockDim.x)

/* Call NAME<T> args for the element type; false from the function where there is none. */
#define RG_BY_FLOAT(dtype, name, args) \
    switch ((int)(dtype)) {            \
    case RG_F32:                       \
        name<float> args;              \
        break;                         \
    case RG_F64:                       \
        name<double> args;             \
        break;                         \
    default:                           \
        return false;                  \
    }
#define RG_BY_NUMBER(dtype, name, args) \
    switch ((int)(dtype)) {             \
    case RG_F32:                        \
        name<float> args;               \
        break;                          \
    case RG_F64:                        \
        name<double> args;              \
        break;                          \
    case RG_I32:                        \
        name<int32_t> args;             \
        break;                          \
    case RG_I64:                        \
        name<int64_t> args;             \
        break;                          \
    default:                            \
        return false;                   \
    }
/* By the size of an element, for what only moves it. */
#define RG_BY_SIZE(size, name, args) \
    switch ((int)(size)) {           \
    case 1:                          \
        name<uint8_t> args;          \
        break;                       \
    case 2:                          \
        name<uint16_t> args;         \
        break;                       \
    case 4:                          \
        name<uint32_t> args;         \
        break;                       \
    case 8:                          \
        name<uint64_t> args;         \
        break;                       \
    default:                         \
        return false;                \
    }

/* ---- mathematics in the type of the argument ---- */

RG_DEVICE float rg_exp(float x)
{
    return expf(x);
}
RG_DEVICE double rg_exp(double x)
{
    return exp(x);
}
RG_DEVICE float rg_log(float x)
{
    return logf(x);
}
RG_DEVICE double rg_log(double x)
{
    return log(x);
}
RG_DEVICE float rg_log1p(float x)
{
    return log1pf(x);
}
RG_DEVICE double rg_log1p(double x)
{
    return log1p(x);
}
RG_DEVICE float rg_sqrt(float x)
{
    return sqrtf(x);
}
RG_DEVICE double rg_sqrt(double x)
{
    return sqrt(x);
}
RG_DEVICE float rg_tanh(float x)
{
    return tanhf(x);
}
RG_DEVICE double rg_tanh(double x)
{
    return tanh(x);
}
RG_DEVICE float rg_pow(float x, float y)
{
    return powf(x, y);
}
RG_DEVICE double rg_pow(double x, double y)
{
    return pow(x, y);
}
RG_DEVICE float rg_floor(float x)
{
    return floorf(x);
}
RG_DEVICE double rg_floor(double x)
{
    return floor(x);
}
RG_DEVICE float rg_abs(float x)
{
    return fabsf(x);
}
RG_DEVICE double rg_abs(double x)
{
    return fabs(x);
}

/* ---- sums of a warp and of a block ---- */

template <typename T> RG_DEVICE T rg_warp_sum(T x)
{
    for (int by = 16; by > 0; by /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, by);
    return x;
}

/* The larger; NaN where either is. */
template <typename T> RG_DEVICE T rg_larger(T a, T b)
{
    return a != a ? a : b != b ? b : a > b ? a : b;
}

template <typename T> RG_DEVICE T rg_warp_max(T x)
{
    for (int by = 16; by > 0; by /= 2)
        x = rg_larger(x, __shfl_xor_sync(0xffffffffu, x, by));
    return x;
}

/* The sum over the block's threads (a multiple of 32, in one dimension), in all of them. `room` is
 * RG_SHARED of 32 elements. */
template <typename T> RG_DEVICE T rg_block_sum(T x, T *room)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    x = rg_warp_sum(x);
    __syncthreads();
    if (lane == 0)
        room[warp] = x;
    __syncthreads();
    x = lane < (int)blockDim.x / 32 ? room[lane] : (T)0;
    return rg_warp_sum(x);
}

/* Whether this block is the last of `blocks` to come here: then all that the others wrote before
 * is seen. The counter is zero again afterwards. All threads of the block call it. */
RG_DEVICE bool rg_last_block(unsigned *counter, unsigned blocks)
{
    RG_SHARED bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(counter, 1u) == blocks - 1;
        if (last)
            *counter = 0;
    }
    __syncthreads();
    if (last)
        __threadfence();
    return last;
}

/* ---- what is wrong ---- */

RG_DEVICE void rg_fault(const rg_gpu_site site, int32_t item, double number, int64_t value,
                        int64_t at, int64_t size)
{
    rg_gpu_fault *fault = site.fault;
    if (atomicCAS(&fault->claimed, 0u, 1u) != 0)
        return;
    fault->ctx = site.ctx;
    fault->kind = site.kind;
    fault->slot = site.slot;
    fault->item = item;
    fault->number = number;
    fault->value = value;
    fault->at = at;
    fault->size = size;
    __threadfence();
    fault->set = 1;
}

#endif
