/* side.c - a second stream beside that of a plan, for work that may run at the same time: it is a
 * branch of a recorded step. */
#include "gpu/side.h"

#include "gpu/device_priv.h"

#include "sys/flags.h"

static bool fill(rg_gpu_side *side, const rg_gpu_stream *stream)
{
    const rg_device *device = stream->inside->device;
    side->workspace = rg_gpu_alloc(device, stream->workspace_bytes);
    side->counters = side->workspace
                         ? rg_gpu_alloc(device, RG_GPU_COUNTERS * sizeof *side->counters)
                         : NULL;
    return side->counters != NULL &&
           cudaStreamCreateWithFlags(&side->cuda, cudaStreamNonBlocking) == cudaSuccess &&
           cudaEventCreateWithFlags(&side->forked, cudaEventDisableTiming) == cudaSuccess &&
           cudaEventCreateWithFlags(&side->joined, cudaEventDisableTiming) == cudaSuccess &&
           cudaMemset(side->counters, 0, RG_GPU_COUNTERS * sizeof *side->counters) == cudaSuccess;
}

void rg_gpu_close_side(rg_gpu_stream *stream)
{
    rg_gpu_side *side = &stream->inside->side;
    const rg_device *device = stream->inside->device;
    if (side->forked != NULL)
        (void)cudaEventDestroy(side->forked);
    if (side->joined != NULL)
        (void)cudaEventDestroy(side->joined);
    if (side->cuda != NULL)
        (void)cudaStreamDestroy(side->cuda);
    rg_gpu_free(device, side->workspace, stream->workspace_bytes);
    rg_gpu_free(device, side->counters, RG_GPU_COUNTERS * sizeof *side->counters);
    *side = (rg_gpu_side){0};
}

/* Where little memory is left each op would try in vain: it is tried once. */
static void open_side(rg_gpu_stream *stream)
{
    rg_gpu_side *side = &stream->inside->side;
    pthread_mutex_lock(&rg_gpu_quiet); /* memory is had while nobody records */
    side->is_open = fill(side, stream);
    if (!side->is_open) {
        (void)cudaGetLastError();
        rg_gpu_close_side(stream);
        side->failed = true;
    }
    pthread_mutex_unlock(&rg_gpu_quiet);
}

/* NULL: there is none, and none can be made now. */
static const rg_gpu_side *side_of(rg_gpu_stream *stream)
{
    const rg_gpu_inside *in = stream->inside;
    if (!in->side.is_open && !in->side.failed && !in->is_recording && rg_flag_bool("gpu_graph"))
        open_side(stream);
    return in->side.is_open ? &in->side : NULL;
}

bool rg_gpu_has_branches(rg_gpu_stream *stream)
{
    return side_of(stream) != NULL;
}

void rg_gpu_trail(rg_gpu_stream *stream, const void *writes, rg_gpu_stream *branch)
{
    rg_gpu_trails *t = &stream->inside->trails;
    const rg_gpu_side *s = side_of(stream);
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
    const rg_gpu_side *s = &stream->inside->side;
    bool is_forked = t->is_forked, meets = of == NULL;
    for (int i = 0; i < t->n; i++)
        meets = meets || t->writes[i] == of;
    if (!meets)
        return RG_OK;
    *t = (rg_gpu_trails){0};
    if (!is_forked)
        return RG_OK;
    RG_GPU_TRY(cudaEventRecord(s->joined, s->cuda));
    RG_GPU_TRY(cudaStreamWaitEvent(stream->cuda, s->joined, 0));
    return RG_OK;
}
