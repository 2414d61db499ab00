/* graph.c - a stretch of a step as a CUDA graph: recorded once, then started by one call. Feeds
 * that are on the GPU are copied to their places at its beginning: each time from where they are
 * then. */
#include "gpu/device_priv.h"
#include "gpu/side.h"

#include "base/mem.h"

typedef struct recorded {
    cudaGraph_t graph; /* it is kept, since `copies` is a node of it */
    cudaGraphExec_t ready;
    cudaGraphNode_t copies; /* NULL: it makes none */
} recorded;

rg_status rg_gpu_record_begin(void *stream)
{
    rg_gpu_stream *s = stream;
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaStreamBeginCapture(s->cuda, cudaStreamCaptureModeRelaxed);
    s->inside->is_recording = error == cudaSuccess;
    if (error == cudaSuccess && s->inside->waiting.n > 0)
        error = rg_gpu_launch_parts(&s->inside->waiting, s->cuda);
    if (error == cudaSuccess)
        return RG_OK;
    if (s->inside->is_recording) {
        cudaGraph_t graph = NULL;
        (void)cudaStreamEndCapture(s->cuda, &graph);
        if (graph != NULL)
            (void)cudaGraphDestroy(graph);
        s->inside->is_recording = false;
    }
    pthread_mutex_unlock(&rg_gpu_quiet);
    return rg_gpu_failed(error, "cudaStreamBeginCapture");
}

/* The first node is that of the copies, if there are any: all others come after it. */
static cudaError_t make_ready(recorded *r, rg_gpu_stream *s)
{
    size_t n = 1;
    cudaError_t error = cudaGraphInstantiate(&r->ready, r->graph, 0);
    if (error == cudaSuccess && s->inside->waiting.n > 0)
        error = cudaGraphGetRootNodes(r->graph, &r->copies, &n);
    return error == cudaSuccess ? cudaGraphUpload(r->ready, s->cuda) : error;
}

rg_status rg_gpu_record_end(void *stream, void **record)
{
    rg_gpu_stream *s = stream;
    recorded *r = rg_alloc_zero(1, sizeof *r);
    cudaGraph_t graph = NULL;
    (void)rg_gpu_meet(stream, NULL);
    cudaError_t error = cudaStreamEndCapture(s->cuda, &graph);
    s->inside->is_recording = false;
    if (r != NULL)
        r->graph = graph;
    else if (graph != NULL)
        (void)cudaGraphDestroy(graph);
    if (error == cudaSuccess)
        error = r ? make_ready(r, s) : cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (error != cudaSuccess && r != NULL)
        rg_gpu_drop_record(r);
    *record = error == cudaSuccess ? r : NULL;
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "recording a step");
}

rg_status rg_gpu_replay(void *stream, void *record)
{
    rg_gpu_stream *s = stream;
    const recorded *r = record;
    if (r->copies == NULL)
        RG_TRY(rg_gpu_make_copies(s));
    else
        RG_GPU_TRY(rg_gpu_change_parts(r->ready, r->copies, &s->inside->waiting));
    s->inside->waiting.n = 0;
    RG_GPU_TRY(cudaGraphLaunch(r->ready, s->cuda));
    return RG_OK;
}

void rg_gpu_drop_record(void *record)
{
    recorded *r = record;
    pthread_mutex_lock(&rg_gpu_quiet);
    if (r->ready != NULL)
        (void)cudaGraphExecDestroy(r->ready);
    if (r->graph != NULL)
        (void)cudaGraphDestroy(r->graph);
    pthread_mutex_unlock(&rg_gpu_quiet);
    rg_free(r);
}
