/* side.c - a second stream beside that of a plan, for work that may run at the same time: what is
 * put into it between fork and join is a branch of a recorded step. */
#include "gpu/side.h"

#include "gpu/device_priv.h"

enum { MOST = 64 };

typedef struct side {
    cudaStream_t of, cuda;
    cudaEvent_t forked, joined;
    void *workspace;
} side;

/* Under rg_gpu_quiet: memory is had while nobody records. */
static side sides[MOST];
static int n_sides;

static bool open_side(const rg_gpu_stream *stream, side *s)
{
    *s = (side){.of = stream->cuda};
    return cudaStreamCreateWithFlags(&s->cuda, cudaStreamNonBlocking) == cudaSuccess &&
           cudaEventCreateWithFlags(&s->forked, cudaEventDisableTiming) == cudaSuccess &&
           cudaEventCreateWithFlags(&s->joined, cudaEventDisableTiming) == cudaSuccess &&
           cudaMalloc(&s->workspace, stream->workspace_bytes) == cudaSuccess;
}

/* NULL: there is none, and none can be made now. Streams come again under the same address when
 * plans go and others come: then the side does, too. */
static const side *side_of(const rg_gpu_stream *stream)
{
    enum cudaStreamCaptureStatus recording;
    const side *found = NULL;
    pthread_mutex_lock(&rg_gpu_quiet);
    for (int i = 0; i < n_sides && found == NULL; i++)
        if (sides[i].of == stream->cuda)
            found = &sides[i];
    if (found == NULL && n_sides < MOST &&
        cudaStreamIsCapturing(stream->cuda, &recording) == cudaSuccess &&
        recording == cudaStreamCaptureStatusNone) {
        if (open_side(stream, &sides[n_sides]))
            found = &sides[n_sides++];
        else
            (void)cudaGetLastError();
    }
    pthread_mutex_unlock(&rg_gpu_quiet);
    return found;
}

bool rg_gpu_fork(const rg_gpu_stream *stream, rg_gpu_stream *branch)
{
    const side *s = side_of(stream);
    if (s == NULL || cudaEventRecord(s->forked, stream->cuda) != cudaSuccess ||
        cudaStreamWaitEvent(s->cuda, s->forked, 0) != cudaSuccess)
        return false;
    *branch = *stream;
    branch->cuda = s->cuda;
    branch->workspace = s->workspace;
    return true;
}

rg_status rg_gpu_join(const rg_gpu_stream *stream, const rg_gpu_stream *branch)
{
    const side *s = side_of(stream);
    RG_GPU_TRY(cudaEventRecord(s->joined, branch->cuda));
    RG_GPU_TRY(cudaStreamWaitEvent(stream->cuda, s->joined, 0));
    return RG_OK;
}
