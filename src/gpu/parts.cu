/* parts.cu - many small copies as one launch: 26 feeds of a batch cost as much as one. */
#include "gpu/parts.h"

static constexpr int THREADS = 256, WORDS_A_BLOCK = THREADS * 16;

__global__ static void copy_parts(rg_gpu_parts parts)
{
    int part = blockIdx.y;
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

extern "C" cudaError_t rg_gpu_launch_parts(const rg_gpu_parts *parts, cudaStream_t stream)
{
    uint32_t most = 1;
    for (int i = 0; i < parts->n; i++)
        most = parts->words[i] > most ? parts->words[i] : most;
    uint32_t blocks = (most + WORDS_A_BLOCK - 1) / WORDS_A_BLOCK;
    dim3 grid(blocks < 64 ? blocks : 64, (unsigned)parts->n);
    copy_parts<<<grid, THREADS, 0, stream>>>(*parts);
    return cudaGetLastError();
}
