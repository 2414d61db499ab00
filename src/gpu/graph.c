/* graph.c - a stretch of a step as a CUDA graph: recorded once, then started by one call. */
#include "gpu/device_priv.h"

#include "base/mem.h"

rg_status rg_gpu_record_begin(void *stream)
{
    rg_gpu_stream *s = stream;
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaStreamBeginCapture(s->cuda, cudaStreamCaptureModeRelaxed);
    s->inside->is_recording = error == cudaSuccess;
    if (error == cudaSuccess)
        return RG_OK;
    pthread_mutex_unlock(&rg_gpu_quiet);
    return rg_gpu_failed(error, "cudaStreamBeginCapture");
}

rg_status rg_gpu_record_end(void *stream, void **record)
{
    rg_gpu_stream *s = stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    cudaError_t error = cudaStreamEndCapture(s->cuda, &graph);
    s->inside->is_recording = false;
    if (error == cudaSuccess)
        error = cudaGraphInstantiate(&ready, graph, 0);
    if (error == cudaSuccess)
        error = cudaGraphUpload(ready, s->cuda);
    if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    pthread_mutex_unlock(&rg_gpu_quiet);
    *record = error == cudaSuccess ? ready : NULL;
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "recording a step");
}

rg_status rg_gpu_replay(void *stream, void *record)
{
    RG_GPU_TRY(cudaGraphLaunch(record, ((rg_gpu_stream *)stream)->cuda));
    return RG_OK;
}

void rg_gpu_drop_record(void *record)
{
    pthread_mutex_lock(&rg_gpu_quiet);
    (void)cudaGraphExecDestroy(record);
    pthread_mutex_unlock(&rg_gpu_quiet);
}
