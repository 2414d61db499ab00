/* group.h - what Hopper's warpgroups do by single instructions, and barriers in shared memory by
 * which warps of a block hand tiles to each other. For .cu files that are compiled for sm_90a;
 * tests have an emulation of it all (tests/gpu/emu). */
#ifndef RG_GPU_GROUP_H
#define RG_GPU_GROUP_H

#include "gpu/cuda.h"
#include "gpu/matrix_map.h"

#ifdef RG_EMULATED
#include <emu_group.h>
#else

/* ---- addresses ---- */

RG_DEVICE unsigned shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- barriers in shared memory ---- */

RG_DEVICE void make_barrier(uint64_t *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_at(b)), "r"(count)
                 : "memory");
}

RG_DEVICE void expect_bytes(uint64_t *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_at(b)),
                 "r"(bytes)
                 : "memory");
}

RG_DEVICE void arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_at(b)) : "memory");
}

RG_DEVICE void wait_for(uint64_t *b, unsigned parity)
{
    asm volatile("{\n.reg .pred done;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n}\n" ::"r"(shared_at(b)),
                 "r"(parity)
                 : "memory");
}

/* A part of a matrix, from column x and row y on; zeros beyond it. */
RG_DEVICE void bring(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_at(to)),
                 "l"(map), "r"(shared_at(b)), "r"(x), "r"(y)
                 : "memory");
}

/* The same into all blocks of the cluster that `mask` names, at the same place, with their
 * barriers. */
RG_DEVICE void bring_to(unsigned mask, void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_at(to)),
                 "l"(map), "r"(shared_at(b)), "r"(x), "r"(y), "h"((uint16_t)mask)
                 : "memory");
}

/* The other way, without what is beyond the matrix. */
RG_DEVICE void send(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(shared_at(from)), "r"(x), "r"(y)
                 : "memory");
}

/* What this thread has sent is read, and its memory may be used again. */
RG_DEVICE void sent(void)
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/* And written. */
RG_DEVICE void sent_all(void)
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* All threads of a warpgroup come here. */
RG_DEVICE void meet_group(int group)
{
    asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
}

/* Of three warpgroups two that multiply take registers from the third. */
RG_DEVICE void more_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
}
RG_DEVICE void fewer_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}

/* ---- clusters: blocks that reach each other's shared memory ---- */

RG_DEVICE unsigned rank_in_cluster(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* What this thread wrote can be seen by copies and products that begin from now on. */
RG_DEVICE void show(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* So can barriers that it made, by other blocks too. */
RG_DEVICE void show_barriers(void)
{
    show();
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* At the barrier in the same place of another block. */
RG_DEVICE void arrive_at(uint64_t *b, unsigned block)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(shared_at(b)),
                 "r"(block)
                 : "memory");
}

/* All threads of the cluster come here. */
RG_DEVICE void meet_cluster(void)
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/* ---- products ---- */

/* Rows of 32 floats, chunks of four of which change places by row, as copies lay them. */
RG_DEVICE uint64_t descriptor(const void *tile)
{
    uint64_t at = shared_at(tile);
    return (at & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)64 << 32 | (uint64_t)1 << 62;
}

RG_DEVICE void begin(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
RG_DEVICE void end(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT> RG_DEVICE void finished(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* d (+)= 64 x 8 times 8 x N; of each 8 columns lane 4 g + t of warp w has 2 t and 2 t + 1, of rows
 * 16 w + g and 16 w + g + 8. A is in shared memory, or in registers: there the lane has these rows
 * of it, both at t and then both at t + 4. */
template <int N> struct group_of;
#define OUT4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define OUT20(i) OUT4(i), OUT4(i + 4), OUT4(i + 8), OUT4(i + 12), OUT4(i + 16)
template <> struct group_of<72> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %38, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n72k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35}, "
                     "%36, %37, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<104> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %54, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n104k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51}, "
                     "%52, %53, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<144> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %74, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n144k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                     "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                     "%70, %71}, "
                     "%72, %73, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48), OUT4(52), OUT4(56),
                       OUT4(60), OUT4(64), OUT4(68)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<208> {
    static __device__ __forceinline__ void multiply(float *d, uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %106, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n208k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                     "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                     "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
                     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
                     "%98, %99, %100, %101, %102, %103}, "
                     "%104, %105, p, 1, 1;\n}\n"
                     : OUT4(0), OUT4(4), OUT4(8), OUT4(12), OUT4(16), OUT4(20), OUT4(24), OUT4(28),
                       OUT4(32), OUT4(36), OUT4(40), OUT4(44), OUT4(48), OUT4(52), OUT4(56),
                       OUT4(60), OUT4(64), OUT4(68), OUT4(72), OUT4(76), OUT4(80), OUT4(84),
                       OUT4(88), OUT4(92), OUT4(96), OUT4(100)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct group_of<200> {
    static __device__ __forceinline__ void multiply(float *d, const float a[4], uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %105, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n200k8.f32.tf32.tf32 {"
                     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                     "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "
                     "%28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
                     "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
                     "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
                     "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "
                     "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
                     "%98, %99}, {%100, %101, %102, %103}, %104, p, 1, 1;\n}\n"
                     : OUT20(0), OUT20(20), OUT20(40), OUT20(60), OUT20(80)
                     : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                       "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(add));
    }
};
#undef OUT20
#undef OUT4

/* ---- launching ---- */

static cudaLaunchConfig_t rg_of_clusters(int clusters, int size, int threads, int bytes,
                                         cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned)size;
    attribute->val.clusterDim.y = attribute->val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned)(clusters * size));
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)bytes;
    config.attrs = attribute;
    config.numAttrs = size > 1 ? 1 : 0; /* clusters of one start later than none */
    return config;
}

/* How many clusters of some blocks, which take a multiprocessor each, run side by side; 0: none, or
 * the GPU does not take the kernel. */
template <class K> static int rg_most_clusters(K kernel, int size, int threads, int bytes)
{
    int most = 0;
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = rg_of_clusters(132, size, threads, bytes, &attribute);
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
        cudaSuccess)
        return 0;
    if (size == 1)
        return 132;
    return cudaOccupancyMaxActiveClusters(&most, kernel, &config) == cudaSuccess ? most : 0;
}

template <class... P, class... A>
static bool rg_launch_clusters(void (*kernel)(P...), int clusters, int size, int threads, int bytes,
                               cudaStream_t stream, const A &...args)
{
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = rg_of_clusters(clusters, size, threads, bytes, &attribute);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, args...) == cudaSuccess;
}
#endif

#endif
