/* group.h - what Hopper's warpgroups do by single instructions, and barriers in shared memory by
 * which warps of a block hand tiles to each other. For .cu files that are compiled for sm_90a. */
#ifndef RG_GPU_GROUP_H
#define RG_GPU_GROUP_H

#include "gpu/cuda.h"

#ifndef RG_EMULATED
#include "gpu/matrix_map.h"
#endif

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
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
#endif

#ifndef RG_EMULATED
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
