/* group.h - what Hopper's warpgroups do by single instructions, and barriers in shared memory by
 * which warps of a block hand tiles to each other. For .cu files that are compiled for sm_90a. */
#ifndef RG_GPU_GROUP_H
#define RG_GPU_GROUP_H

#include "gpu/cuda.h"

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

#endif
