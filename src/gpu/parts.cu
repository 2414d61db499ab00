/* parts.cu - many small copies as one launch: 26 feeds of a batch cost as much as one. */
#include "gpu/parts.h"

static constexpr int THREADS = 256, WORDS_A_BLOCK = THREADS * 4;

__global__ static void copy_parts(rg_gpu_parts parts)
{
    int part = blockIdx.y;
    if (part >= parts.n)
        return;
    uint32_t n = parts.words[part];
    const uint32_t *from = (const uint32_t *)parts.from[part];
    uint32_t *to = (uint32_t *)parts.to[part];
    uint32_t stride = gridDim.x * THREADS, at = blockIdx.x * THREADS + threadIdx.x;
    if ((((uintptr_t)from | (uintptr_t)to) & 15) == 0) {
        const uint4 *wide_from = (const uint4 *)from;
        uint4 *wide_to = (uint4 *)to;
        for (uint32_t i = at; i < n / 4; i += stride)
            wide_to[i] = wide_from[i];
        for (uint32_t i = n / 4 * 4 + at; i < n; i += stride)
            to[i] = from[i];
    } else {
        for (uint32_t i = at; i < n; i += stride)
            to[i] = from[i];
    }
}

static dim3 grid_of(const rg_gpu_parts *parts)
{
    uint32_t most = 1;
    for (int i = 0; i < parts->n; i++)
        most = parts->words[i] > most ? parts->words[i] : most;
    uint32_t blocks = (most + WORDS_A_BLOCK - 1) / WORDS_A_BLOCK;
    return dim3(blocks < 256 ? blocks : 256, parts->n > 0 ? (unsigned)parts->n : 1);
}

extern "C" cudaError_t rg_gpu_launch_parts(const rg_gpu_parts *parts, cudaStream_t stream)
{
    copy_parts<<<grid_of(parts), THREADS, 0, stream>>>(*parts);
    return cudaGetLastError();
}

extern "C" cudaError_t rg_gpu_change_parts(cudaGraphExec_t graph, cudaGraphNode_t node,
                                           const rg_gpu_parts *parts)
{
    void *args[] = {(void *)parts};
    cudaKernelNodeParams to = {};
    to.func = (void *)copy_parts;
    to.gridDim = grid_of(parts);
    to.blockDim = dim3(THREADS);
    to.kernelParams = args;
    return cudaGraphExecKernelNodeSetParams(graph, node, &to);
}
