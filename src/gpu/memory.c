/* memory.c - the memory of GPUs: blocks that are freed are kept, and given to who asks for as much.
 *
 * cudaMalloc() and cudaFree() wait for the whole GPU, so a block goes back to CUDA only when there
 * is no memory left. What is freed may still be read or written by work in some stream: that is
 * waited for, once, when it is freed; in the steps of a training nothing is. */
#include "gpu/device_priv.h"

#include "base/mem.h"

typedef struct block {
    struct block *next;
    void *data;
    size_t bytes;
    int device;
} block;

enum { SMALL = 512, LARGE = 1 << 21 };
/* Zeros behind each block: products read whole vectors, and rows that a weight does not have
 * (pass/pad_rows.c). */
enum { BEHIND = 64 << 10 };

static block *spare;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of spare */
pthread_mutex_t rg_gpu_quiet = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

rg_status rg_gpu_failed(cudaError_t error, const char *doing)
{
    (void)cudaGetLastError(); /* it is said once */
    return rg_fail(error == cudaErrorMemoryAllocation ? RG_ENOMEM : RG_EIO, "CUDA: %s (%s) in %s",
                   cudaGetErrorString(error), cudaGetErrorName(error), doing);
}

static size_t rounded(size_t bytes)
{
    size_t unit = bytes >= LARGE ? LARGE : SMALL;
    return (bytes + BEHIND + unit - 1) / unit * unit;
}

/* A spare block of that size, or any one of the device; NULL: none. */
static void *take(int device, size_t bytes, bool any)
{
    void *data = NULL;
    pthread_mutex_lock(&lock);
    for (block **at = &spare; data == NULL && *at != NULL; at = &(*at)->next)
        if ((*at)->device == device && (any || (*at)->bytes == bytes)) {
            block *found = *at;
            data = found->data;
            *at = found->next;
            rg_free(found);
            break;
        }
    pthread_mutex_unlock(&lock);
    return data;
}

static void *alloc(const rg_device *device, size_t bytes)
{
    void *data = take(device->number, rounded(bytes), false);
    if (data != NULL)
        return data;
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaMalloc(&data, rounded(bytes));
    for (void *other;
         error == cudaErrorMemoryAllocation && (other = take(device->number, 0, true)) != NULL;) {
        (void)cudaGetLastError();
        (void)cudaFree(other);
        error = cudaMalloc(&data, rounded(bytes));
    }
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (error != cudaSuccess) {
        (void)rg_gpu_failed(error, "cudaMalloc");
        return NULL;
    }
    return data;
}

void *rg_gpu_alloc(const rg_device *device, size_t bytes)
{
    uint8_t *data = alloc(device, bytes);
    if (data == NULL)
        return NULL;
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaMemset(data + bytes, 0, rounded(bytes) - bytes);
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (error != cudaSuccess) {
        (void)rg_gpu_failed(error, "cudaMemset");
        rg_gpu_free(device, data, bytes);
        return NULL;
    }
    return data;
}

void rg_gpu_free(const rg_device *device, void *memory, size_t bytes)
{
    if (memory == NULL)
        return;
    block *b = rg_alloc(sizeof *b);
    pthread_mutex_lock(&rg_gpu_quiet);
    (void)cudaSetDevice(device->number);
    (void)cudaDeviceSynchronize();
    if (b == NULL)
        (void)cudaFree(memory);
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (b == NULL)
        return;
    *b = (block){.data = memory, .bytes = rounded(bytes), .device = device->number};
    pthread_mutex_lock(&lock);
    b->next = spare;
    spare = b;
    pthread_mutex_unlock(&lock);
}

void *rg_gpu_alloc_host(const rg_device *device, size_t bytes)
{
    void *data = NULL;
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaHostAlloc(&data, bytes, cudaHostAllocDefault);
    pthread_mutex_unlock(&rg_gpu_quiet);
    if (error != cudaSuccess)
        (void)rg_gpu_failed(error, "cudaHostAlloc");
    return error == cudaSuccess ? data : NULL;
}

void rg_gpu_free_host(const rg_device *device, void *memory)
{
    (void)device;
    pthread_mutex_lock(&rg_gpu_quiet);
    (void)cudaFreeHost(memory);
    pthread_mutex_unlock(&rg_gpu_quiet);
}

rg_status rg_gpu_copy(const rg_device *device, void *to, bool to_host, const void *from,
                      bool from_host, size_t bytes, void *stream)
{
    rg_gpu_stream *s = stream;
    enum cudaMemcpyKind kind = to_host     ? cudaMemcpyDeviceToHost
                               : from_host ? cudaMemcpyHostToDevice
                                           : cudaMemcpyDeviceToDevice;
    if (s != NULL) {
        RG_TRY(rg_gpu_make_copies(s));
        RG_GPU_TRY(cudaMemcpyAsync(to, from, bytes, kind, s->cuda));
        return RG_OK;
    }
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaMemcpy(to, from, bytes, kind); /* waits for all streams of plans */
    pthread_mutex_unlock(&rg_gpu_quiet);
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "cudaMemcpy");
}

rg_status rg_gpu_sync(const rg_device *device, void *stream)
{
    rg_gpu_stream *s = stream;
    if (s != NULL) {
        RG_TRY(rg_gpu_make_copies(s));
        RG_GPU_TRY(cudaStreamSynchronize(s->cuda));
        return RG_OK;
    }
    pthread_mutex_lock(&rg_gpu_quiet);
    cudaError_t error = cudaSetDevice(device->number);
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    pthread_mutex_unlock(&rg_gpu_quiet);
    return error == cudaSuccess ? RG_OK : rg_gpu_failed(error, "cudaDeviceSynchronize");
}
