/* emu.h - CUDA C for g++: a launch runs its blocks one after the other, and the threads of a block
 * as fibers where the kernel has barriers, so that kernels can be run and compared with the CPU's
 * where there is no GPU. It shows wrong indices, sums and barriers; it does not show races between
 * blocks, which never run at the same time here. What Hopper's warpgroups do is in emu_group.h. */
#ifndef RG_EMU_H
#define RG_EMU_H

#include "cuda_runtime_api.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define __global__ static
#define __device__ static
#define __host__
#define __forceinline__ inline
#define __shared__      static thread_local
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __constant__ static const
#define __grid_constant__

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
struct emu_float4 {
    float x, y, z, w;
};
struct emu_float2 {
    float x, y;
};
#define float4 emu_float4
#define float2 emu_float2

extern __thread dim3 emu_thread, emu_block, emu_threads, emu_blocks;
#define threadIdx emu_thread
#define blockIdx  emu_block
#define blockDim  emu_threads
#define gridDim   emu_blocks
enum { warpSize = 32 };

/* fibers: it has barriers. groups: of warps, and copies that come later than they are begun. */
struct emu_grid {
    dim3 blocks, threads;
    unsigned cluster, bytes; /* blocks of a cluster; shared memory of a block */
    bool fibers, groups;
    const void *of; /* the kernel, where it has such memory */
};
void emu_launch(const emu_grid &grid, void (*run)(void *), void *kernel);
/* On the GPU that is set: more shared memory for a kernel than each may have. */
void emu_allow(const void *kernel, int bytes);
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
template <typename K> static cudaError_t cudaFuncSetAttribute(K *kernel, int, int bytes)
{
    emu_allow((const void *)kernel, bytes);
    return cudaSuccess;
}
void emu_barrier(void);
/* Of the block that runs, as many bytes as the launch said. */
float *emu_shared(void);
/* Copies beside a thread's work, for gpu/tile.h. */
void emu_copy16(float *to, const float *from, bool there);
void emu_copies_end(void);
void emu_copies_wait(int left);
/* What lane `from` of the warp gave; all its lanes call it. */
uint64_t emu_exchange(uint64_t mine, unsigned from);

template <typename F> static void emu_call(void *kernel)
{
    (*(F *)kernel)();
}
template <typename F> static void emu_run(const emu_grid &grid, F kernel)
{
    emu_launch(grid, emu_call<F>, &kernel);
}
#define EMU_LAUNCH(kernel, blocks, threads, bytes, fibers, of, stream, ...)                 \
    ((void)(stream),                                                                        \
     emu_run({dim3(blocks), dim3(threads), 1, (unsigned)(bytes), fibers, false, (of)},      \
             [&] { kernel(__VA_ARGS__); }))
#define RG_LAUNCH(kernel, blocks, threads, stream, ...) \
    EMU_LAUNCH(kernel, blocks, threads, 0, false, NULL, stream, __VA_ARGS__)
#define RG_LAUNCH_SYNC(kernel, blocks, threads, stream, ...) \
    EMU_LAUNCH(kernel, blocks, threads, 0, true, NULL, stream, __VA_ARGS__)
#define RG_LAUNCH_SHARED(kernel, blocks, threads, bytes, stream, ...) \
    EMU_LAUNCH(kernel, blocks, threads, bytes, true, (const void *)(kernel), stream, __VA_ARGS__)

static inline void __syncthreads(void)
{
    emu_barrier();
}
static inline void __syncwarp(unsigned = 0xffffffffu)
{
    (void)emu_exchange(0, emu_thread.x % 32);
}
static inline void __threadfence(void)
{
}
template <typename T> static inline T emu_shuffle(T mine, unsigned from)
{
    uint64_t bits = 0;
    memcpy(&bits, &mine, sizeof mine);
    bits = emu_exchange(bits, from);
    memcpy(&mine, &bits, sizeof mine);
    return mine;
}
static inline unsigned emu_lane(void)
{
    return (emu_thread.x + emu_thread.y * emu_threads.x) % 32;
}
template <typename T> static inline T __shfl_xor_sync(unsigned, T mine, int mask)
{
    return emu_shuffle(mine, emu_lane() ^ (unsigned)mask);
}
template <typename T> static inline T __shfl_down_sync(unsigned, T mine, unsigned by)
{
    return emu_shuffle(mine, emu_lane() + by < 32 ? emu_lane() + by : emu_lane());
}
template <typename T> static inline T __shfl_up_sync(unsigned, T mine, unsigned by)
{
    return emu_shuffle(mine, emu_lane() >= by ? emu_lane() - by : emu_lane());
}
template <typename T> static inline T __shfl_sync(unsigned, T mine, int from)
{
    return emu_shuffle(mine, (unsigned)from % 32);
}
template <typename T> static inline T __ldg(const T *at)
{
    return *at;
}
template <typename T> static inline T atomicAdd(T *at, T more)
{
    T old = *at;
    *at = old + more;
    return old;
}
template <typename T> static inline T atomicExch(T *at, T other)
{
    T old = *at;
    *at = other;
    return old;
}
template <typename T> static inline T atomicCAS(T *at, T wanted, T other)
{
    T old = *at;
    if (old == wanted)
        *at = other;
    return old;
}
template <typename T> static inline T atomicMin(T *at, T other)
{
    T old = *at;
    if (other < old)
        *at = other;
    return old;
}
template <typename T> static inline T atomicMax(T *at, T other)
{
    T old = *at;
    if (other > old)
        *at = other;
    return old;
}
template <typename T> static inline T atomicOr(T *at, T bits)
{
    T old = *at;
    *at = old | bits;
    return old;
}
static inline uint32_t __umulhi(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
static inline int __float_as_int(float x)
{
    int bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static inline float __int_as_float(int bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}
static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
#endif
