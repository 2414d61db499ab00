/* runtime.c - CUDA's runtime, as much of it as the device of src/gpu needs (stream.c, side.c,
 * graph.c, memory.c, choose.c), for tests of these: two GPUs of the host's memory. Work is done
 * when it is put into a stream, also while that is recorded; a graph does nothing. */
#include "runtime.h"

#include "gpu/parts.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 2, HEAD = 256 };

struct emu_stream {
    int device;
    enum cudaStreamCaptureStatus recording;
};
struct emu_event {
    int device;
};
struct emu_graph {
    int nodes;
};

emu_use emu_now;
size_t emu_largest = SIZE_MAX;

static _Thread_local int current;

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "an error of the emulation";
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorUnknown";
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = &current;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    (void)status;
    return "an error of the emulation";
}

/* ---- GPUs and their memory ---- */

cudaError_t cudaGetDevice(int *number)
{
    *number = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int number)
{
    if (number < 0 || number >= GPUS)
        return cudaErrorNotSupported;
    current = number;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

/* Its size stands before a block. */
cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    char *all = bytes <= emu_largest ? aligned_alloc(HEAD, (bytes + 2 * HEAD - 1) / HEAD * HEAD)
                                     : NULL;
    if (all == NULL) {
        emu_now.refused++;
        return cudaErrorMemoryAllocation;
    }
    memcpy(all, &bytes, sizeof bytes);
    emu_now.blocks++;
    emu_now.bytes += bytes;
    *memory = all + HEAD;
    return cudaSuccess;
}

cudaError_t cudaFree(void *memory)
{
    size_t bytes;
    if (memory == NULL)
        return cudaSuccess;
    memcpy(&bytes, (char *)memory - HEAD, sizeof bytes);
    emu_now.blocks--;
    emu_now.bytes -= bytes;
    free((char *)memory - HEAD);
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, bytes);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    (void)kind;
    memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, bytes, kind);
}

/* In no order that anybody may count on: the last one first. */
cudaError_t rg_gpu_launch_parts(const rg_gpu_parts *parts, cudaStream_t stream)
{
    (void)stream;
    for (int i = parts->n - 1; i >= 0; i--)
        memcpy(parts->to[i], parts->from[i], (size_t)parts->words[i] * 4);
    return cudaSuccess;
}

cudaError_t rg_gpu_change_parts(cudaGraphExec_t graph, cudaGraphNode_t node,
                                const rg_gpu_parts *parts)
{
    (void)graph, (void)node, (void)parts;
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return cudaErrorMemoryAllocation;
    (*stream)->device = current;
    emu_now.streams++;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    free(stream);
    emu_now.streams--;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream, (void)event, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    *status = stream->recording;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode)
{
    (void)mode;
    stream->recording = cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    stream->recording = cudaStreamCaptureStatusNone;
    *graph = calloc(1, sizeof **graph);
    emu_now.graphs += *graph != NULL;
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return cudaErrorMemoryAllocation;
    (*event)->device = current;
    emu_now.events++;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    emu_now.events--;
    return cudaSuccess;
}

/* Of another GPU's stream it is refused, as CUDA does. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return event->device == stream->device ? cudaSuccess : cudaErrorNotSupported;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    (void)from, (void)to;
    *ms = 1;
    return cudaSuccess;
}

/* ---- graphs ---- */

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *ready, cudaGraph_t graph, unsigned long flags)
{
    (void)graph, (void)flags;
    *ready = calloc(1, sizeof **ready);
    emu_now.graphs += *ready != NULL;
    return *ready ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n)
{
    (void)graph;
    memset(nodes, 0, *n * sizeof *nodes);
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t ready, cudaStream_t stream)
{
    (void)ready, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream)
{
    (void)ready, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready)
{
    return cudaGraphDestroy(ready);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    emu_now.graphs--;
    return cudaSuccess;
}
