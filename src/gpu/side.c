/* side.c - a second stream beside that of a plan, for work that may run at the same time: it is a
 * branch of a recorded step. */
#include "gpu/side.h"

#include "gpu/device_priv.h"

enum { MOST = 64 };

typedef struct side {
    cudaStream_t of, cuda;
    cudaEvent_t forked, joined;
    void *workspace;
    unsigned *counters;
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
           cudaMalloc(&s->workspace, stream->workspace_bytes) == cudaSuccess &&
           cudaMalloc((void **)&s->counters, RG_GPU_COUNTERS * sizeof *s->counters) ==
               cudaSuccess &&
           cudaMemset(s->counters, 0, RG_GPU_COUNTERS * sizeof *s->counters) == cudaSuccess;
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

void rg_gpu_trail(rg_gpu_stream *stream, const void *writes, rg_gpu_stream *branch)
{
    rg_gpu_trails *t = &stream->inside->trails;
    const side *s = side_of(stream);
    *branch = *stream;
    if (t->n == RG_GPU_TRAILS && rg_gpu_meet(stream, NULL) != RG_OK)
        return;
    t->writes[t->n++] = writes;
    if (s == NULL || !stream->inside->is_recording ||
        cudaEventRecord(s->forked, stream->cuda) != cudaSuccess ||
        cudaStreamWaitEvent(s->cuda, s->forked, 0) != cudaSuccess)
        return;
    t->is_forked = true;
    branch->cuda = s->cuda;
    branch->workspace = s->workspace;
    branch->counters = s->counters;
}

rg_status rg_gpu_meet(rg_gpu_stream *stream, const void *of)
{
    rg_gpu_trails *t = &stream->inside->trails;
    const side *s = t->is_forked ? side_of(stream) : NULL;
    bool meets = of == NULL;
    for (int i = 0; i < t->n; i++)
        meets = meets || t->writes[i] == of;
    if (!meets)
        return RG_OK;
    *t = (rg_gpu_trails){0};
    if (s == NULL)
        return RG_OK;
    RG_GPU_TRY(cudaEventRecord(s->joined, s->cuda));
    RG_GPU_TRY(cudaStreamWaitEvent(stream->cuda, s->joined, 0));
    return RG_OK;
}
