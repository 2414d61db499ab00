/* parts.h - many small copies as one launch. */
#ifndef RG_GPU_PARTS_H
#define RG_GPU_PARTS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_GPU_PARTS = 128 };

/* The argument of the launch, by value. */
typedef struct rg_gpu_parts {
    void *to[RG_GPU_PARTS];
    const void *from[RG_GPU_PARTS];
    uint32_t words[RG_GPU_PARTS]; /* of 4 bytes */
    int n;
} rg_gpu_parts;

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t rg_gpu_launch_parts(const rg_gpu_parts *parts, cudaStream_t stream);
/* A recorded launch copies these from now on. */
cudaError_t rg_gpu_change_parts(cudaGraphExec_t graph, cudaGraphNode_t node,
                                const rg_gpu_parts *parts);
#ifdef __cplusplus
}
#endif

#endif
