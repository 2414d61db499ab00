/* stream.c - the stream of a plan: scratch, the number of the run, bytes that come from the host.
 */
#include "gpu/device_priv.h"
#include "gpu/side.h"

#include "base/map.h"
#include "base/mem.h"
#include "sys/flags.h"

#include <string.h>

enum { WORKSPACE = 32 << 20, ALIGN = 256, PIECE = 1 << 20 };

static cublasLtHandle_t handles[RG_GPU_MAX];
static rg_gpu_stream *latest[RG_GPU_MAX];                /* that a run was put into; NULL: none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of both */

static rg_status blas_of(int device, cublasLtHandle_t *handle)
{
    pthread_mutex_lock(&lock);
    cublasStatus_t failed = handles[device] ? CUBLAS_STATUS_SUCCESS
                                            : cublasLtCreate(&handles[device]);
    *handle = handles[device];
    pthread_mutex_unlock(&lock);
    if (failed != CUBLAS_STATUS_SUCCESS)
        return rg_fail(RG_EIO, "cuBLASLt: %s in cublasLtCreate", cublasLtGetStatusString(failed));
    return RG_OK;
}

static rg_status fill(rg_gpu_stream *s)
{
    rg_gpu_inside *in = s->inside;
    RG_GPU_TRY(cudaSetDevice(in->device->number));
    RG_GPU_TRY(cudaStreamCreate(&s->cuda));
    RG_GPU_TRY(cudaStreamCreateWithFlags(&in->copies, cudaStreamNonBlocking));
    RG_TRY(blas_of(in->device->number, &s->blas));
    s->workspace_bytes = WORKSPACE;
    s->workspace = rg_gpu_alloc(in->device, WORKSPACE);
    in->step = rg_gpu_alloc(in->device, sizeof *in->step);
    if (s->workspace == NULL || in->step == NULL)
        return RG_ENOMEM;
    s->step = in->step;
    s->counters = rg_gpu_alloc(in->device, RG_GPU_COUNTERS * sizeof *s->counters);
    if (s->counters == NULL)
        return RG_ENOMEM;
    RG_GPU_TRY(cudaMemsetAsync(s->counters, 0, RG_GPU_COUNTERS * sizeof *s->counters, s->cuda));
    RG_GPU_TRY(cudaHostAlloc((void **)&s->fault, sizeof *s->fault, cudaHostAllocMapped));
    memset(s->fault, 0, sizeof *s->fault);
    RG_GPU_TRY(cudaMemsetAsync(in->step, 0, sizeof *in->step, s->cuda));
    for (int i = 0; i < RG_GPU_TURNS; i++) {
        RG_GPU_TRY(cudaEventCreateWithFlags(&in->turn[i].copied, cudaEventDisableTiming));
        RG_GPU_TRY(cudaEventCreateWithFlags(&in->turn[i].taken, cudaEventDisableTiming));
    }
    RG_GPU_TRY(cudaEventCreateWithFlags(&in->handed_on, cudaEventDisableTiming));
    s->tf32 = rg_flag_bool("enable_tf32");
    return RG_OK;
}

rg_status rg_gpu_open_stream(const rg_device *device, void **stream)
{
    rg_gpu_stream *s = rg_alloc_zero(1, sizeof *s);
    rg_gpu_inside *in = rg_alloc_zero(1, sizeof *in);
    if (s == NULL || in == NULL) {
        rg_free(s);
        rg_free(in);
        return rg_no_memory(sizeof *in, "a stream");
    }
    in->device = device;
    s->inside = in;
    pthread_mutex_lock(&rg_gpu_quiet);
    rg_status code = fill(s);
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (code == RG_OK)
        *stream = s;
    else
        rg_gpu_close_stream(s);
    return code;
}

void rg_gpu_close_stream(void *stream)
{
    rg_gpu_stream *s = stream;
    rg_gpu_inside *in = s->inside;
    pthread_mutex_lock(&rg_gpu_quiet);
    (void)cudaSetDevice(in->device->number);
    (void)cudaDeviceSynchronize();
    pthread_mutex_lock(&lock);
    if (latest[in->device->number] == s)
        latest[in->device->number] = NULL;
    pthread_mutex_unlock(&lock);
    rg_gpu_close_side(s);
    if (in->handed_on != NULL)
        (void)cudaEventDestroy(in->handed_on);
    for (int i = 0; i < RG_GPU_TURNS; i++) {
        rg_gpu_free(in->device, in->turn[i].incoming, in->turn[i].bytes);
        if (in->turn[i].copied != NULL)
            (void)cudaEventDestroy(in->turn[i].copied);
        if (in->turn[i].taken != NULL)
            (void)cudaEventDestroy(in->turn[i].taken);
    }
    for (rg_gpu_piece *p = in->scratch, *next; p != NULL; p = next) {
        next = p->next;
        rg_gpu_free(in->device, p->data, p->bytes);
        rg_free(p);
    }
    for (int i = 0; i < in->n_constants; i++) {
        rg_free(in->constants[i].host);
        rg_gpu_free(in->device, in->constants[i].data, in->constants[i].bytes);
    }
    rg_gpu_free(in->device, s->workspace, s->workspace_bytes);
    rg_gpu_free(in->device, in->step, sizeof *in->step);
    rg_gpu_free(in->device, s->counters, RG_GPU_COUNTERS * sizeof *s->counters);
    if (s->fault != NULL)
        (void)cudaFreeHost(s->fault);
    if (in->copies != NULL)
        (void)cudaStreamDestroy(in->copies);
    if (s->cuda != NULL)
        (void)cudaStreamDestroy(s->cuda);
    pthread_mutex_unlock(&rg_gpu_quiet);
    rg_free(in);
    rg_free(s);
}

/* ---- for kernels ---- */

void rg_gpu_next_op(void *stream, unsigned flags)
{
    rg_gpu_inside *in = ((rg_gpu_stream *)stream)->inside;
    if (!in->is_recording)
        (void)rg_gpu_make_copies(stream); /* where that fails, so does the op */
    if (in->trails.n > 0 && (flags & RG_KERNEL_TRAILS))
        return;                      /* what is beside uses its scratch */
    (void)rg_gpu_meet(stream, NULL); /* where that fails, so does the end of the recording */
    for (rg_gpu_piece *p = in->scratch; p != NULL; p = p->next)
        p->used = 0;
}

void *rg_gpu_scratch(rg_ctx *ctx, size_t bytes)
{
    rg_gpu_inside *in = rg_gpu_stream_of(ctx)->inside;
    size_t need = ((bytes ? bytes : 1) + ALIGN - 1) / ALIGN * ALIGN;
    rg_gpu_piece **at = &in->scratch;
    while (*at != NULL && (*at)->bytes - (*at)->used < need)
        at = &(*at)->next;
    if (*at == NULL) {
        rg_gpu_piece *fresh = rg_alloc_zero(1, sizeof *fresh);
        if (fresh == NULL) {
            (void)rg_no_memory(sizeof *fresh, "scratch");
            return NULL;
        }
        fresh->bytes = need > PIECE ? need : PIECE;
        fresh->data = rg_gpu_alloc(in->device, fresh->bytes);
        if (fresh->data == NULL) {
            rg_free(fresh);
            return NULL;
        }
        *at = fresh; /* at the end: the same question finds the same piece again */
    }
    void *memory = (*at)->data + (*at)->used;
    (*at)->used += need;
    return memory;
}

/* The place for new bytes: a fresh one or, where there are enough, that of the oldest that no graph
 * has. NULL, with the message set: there is none. */
static rg_gpu_bytes *new_constant(rg_gpu_inside *in)
{
    if (in->n_constants < RG_GPU_CONSTANTS)
        return &in->constants[in->n_constants++];
    for (int i = 0; i < RG_GPU_CONSTANTS; i++) {
        rg_gpu_bytes *c = &in->constants[in->next_constant++ % RG_GPU_CONSTANTS];
        if (c->is_recorded)
            continue;
        rg_free(c->host);
        rg_gpu_free(in->device, c->data, c->bytes); /* after who still reads it */
        *c = (rg_gpu_bytes){0};
        return c;
    }
    (void)rg_fail(RG_ETOOBIG, "a recorded step has more than %d lists of the host",
                  RG_GPU_CONSTANTS);
    return NULL;
}

const void *rg_gpu_constant(rg_ctx *ctx, const void *host, size_t bytes)
{
    rg_gpu_inside *in = rg_gpu_stream_of(ctx)->inside;
    uint64_t hash = rg_hash_bytes(host, bytes, 0);
    for (int i = 0; i < in->n_constants; i++) {
        rg_gpu_bytes *c = &in->constants[i];
        if (c->data != NULL && c->hash == hash && c->bytes == bytes &&
            memcmp(c->host, host, bytes) == 0) {
            c->is_recorded = c->is_recorded || in->is_recording;
            return c->data;
        }
    }
    rg_gpu_bytes *c = new_constant(in);
    if (c == NULL)
        return NULL;
    *c = (rg_gpu_bytes){.hash = hash,
                        .host = rg_alloc(bytes ? bytes : 1),
                        .data = rg_gpu_alloc(in->device, bytes ? bytes : 1),
                        .bytes = bytes,
                        .is_recorded = in->is_recording};
    cudaError_t error = c->host && c->data ? cudaSuccess : cudaErrorMemoryAllocation;
    if (error == cudaSuccess) {
        memcpy(c->host, host, bytes);
        error = cudaMemcpyAsync(c->data, host, bytes, cudaMemcpyHostToDevice, in->copies);
    }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(in->copies); /* this one is never recorded */
    if (error != cudaSuccess) {
        (void)rg_gpu_failed(error, "copying a list of the host");
        rg_free(c->host);
        rg_gpu_free(in->device, c->data, bytes);
        *c = (rg_gpu_bytes){0};
        return NULL;
    }
    return c->data;
}

rg_philox_key rg_gpu_key(const rg_ctx *ctx, int seed, bool fixed, bool *uses_step)
{
    rg_philox_key key = rg_random_key(ctx, seed, fixed);
    *uses_step = !fixed;
    if (!fixed)
        key.stream ^= (ctx->run->step + 1) * 0x9e3779b97f4a7c15u;
    return key;
}

/* ---- for plans ---- */

rg_status rg_gpu_begin_run(void *stream)
{
    rg_gpu_stream *s = stream;
    int device = s->inside->device->number;
    cudaError_t error = cudaSuccess;
    RG_GPU_TRY(cudaSetDevice(device)); /* of this thread: launches go to the GPU of their stream */
    s->inside->waiting.n = 0;     /* of a run that failed before its first op: not this one's */
    RG_TRY(rg_gpu_meet(s, NULL)); /* scratch of the run before is free again */
    if (__atomic_load_n(&latest[device], __ATOMIC_RELAXED) == s)
        return RG_OK;
    pthread_mutex_lock(&rg_gpu_quiet); /* not while another thread records */
    pthread_mutex_lock(&lock);
    rg_gpu_stream *before = latest[device];
    if (before != NULL && before != s) {
        error = cudaEventRecord(before->inside->handed_on, before->cuda);
        if (error == cudaSuccess)
            error = cudaStreamWaitEvent(s->cuda, before->inside->handed_on, 0);
    }
    __atomic_store_n(&latest[device], s, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&rg_gpu_quiet);
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "waiting for another plan");
}

rg_status rg_gpu_set_step(void *stream, uint64_t step)
{
    rg_gpu_stream *s = stream;
    /* From memory that may change at once: CUDA takes so few bytes along with the command. */
    RG_GPU_TRY(
        cudaMemcpyAsync(s->inside->step, &step, sizeof step, cudaMemcpyHostToDevice, s->cuda));
    return RG_OK;
}

rg_status rg_gpu_complain(void *stream, const rg_ctx **ctx)
{
    rg_gpu_stream *s = stream;
    return s->fault->set ? rg_gpu_fault_status(s->fault, ctx) : RG_OK;
}

rg_status rg_gpu_make_copies(rg_gpu_stream *s)
{
    rg_gpu_parts *parts = &s->inside->waiting;
    int n = parts->n;
    cudaError_t error = n > 0 ? rg_gpu_launch_parts(parts, s->cuda) : cudaSuccess;
    parts->n = 0;
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "copying feeds");
}

rg_status rg_gpu_copy_parts(void *stream, const rg_move *parts, int n)
{
    rg_gpu_stream *s = stream;
    rg_gpu_parts *few = &s->inside->waiting;
    for (int i = 0; i < n; i++) {
        if (parts[i].bytes % 4 != 0 || parts[i].bytes / 4 > UINT32_MAX) {
            RG_GPU_TRY(cudaMemcpyAsync(parts[i].to, parts[i].from, parts[i].bytes,
                                       cudaMemcpyDeviceToDevice, s->cuda));
            continue;
        }
        if (few->n == RG_GPU_PARTS)
            RG_TRY(rg_gpu_make_copies(s));
        few->to[few->n] = parts[i].to;
        few->from[few->n] = parts[i].from;
        few->words[few->n++] = (uint32_t)(parts[i].bytes / 4);
    }
    return RG_OK;
}

/* The bytes go to a block of their own in another stream, while this one computes, and from there
 * to their place when it comes to it. */
rg_status rg_gpu_upload(void *stream, int turn, void *to, const void *from, size_t bytes)
{
    rg_gpu_stream *s = stream;
    rg_gpu_inside *in = s->inside;
    rg_gpu_turn *t = &in->turn[turn];
    RG_TRY(rg_gpu_make_copies(s));
    if (t->bytes < bytes) {
        rg_gpu_free(in->device, t->incoming, t->bytes);
        t->incoming = rg_gpu_alloc(in->device, bytes);
        t->bytes = t->incoming ? bytes : 0;
        if (t->incoming == NULL)
            return RG_ENOMEM;
    }
    if (t->is_used)
        RG_GPU_TRY(cudaStreamWaitEvent(in->copies, t->taken, 0));
    RG_GPU_TRY(cudaMemcpyAsync(t->incoming, from, bytes, cudaMemcpyHostToDevice, in->copies));
    RG_GPU_TRY(cudaEventRecord(t->copied, in->copies));
    RG_GPU_TRY(cudaStreamWaitEvent(s->cuda, t->copied, 0));
    RG_GPU_TRY(cudaMemcpyAsync(to, t->incoming, bytes, cudaMemcpyDeviceToDevice, s->cuda));
    RG_GPU_TRY(cudaEventRecord(t->taken, s->cuda));
    t->is_used = true;
    return RG_OK;
}

rg_status rg_gpu_uploaded(void *stream, int turn)
{
    const rg_gpu_turn *t = &((rg_gpu_stream *)stream)->inside->turn[turn];
    if (t->is_used)
        RG_GPU_TRY(cudaEventSynchronize(t->copied));
    return RG_OK;
}
