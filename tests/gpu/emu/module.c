/* module.c - the emulation's GPU as a device that plans run on: libregatta_cuda.so with the kernels
 * of src/gpu, and memory that nobody but they can touch. It is locked except while a kernel runs or
 * bytes are copied: whoever takes an address of it for one of the host ends with a fault. So all of
 * placement is tested where there is no GPU (tests/gpu/test_placed.py). Steps are not recorded. */
#include "gpu/fault.h"
#include "gpu/gpu.h"

#include "base/mem.h"
#include "sys/flags.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern const rg_kernel *const rg_kernel_list[];

/* ---- memory ---- */

enum { UNIT = 4096, BEHIND = 64 << 10 }; /* zeros behind each block, as in src/gpu/memory.c */
static const size_t ARENA = (size_t)8 << 30;
static uint8_t *arena;
static size_t used;
static int open_count; /* who may touch it now */
static pthread_mutex_t lock;

typedef struct spare {
    struct spare *next;
    void *data;
    size_t bytes;
} spare;
static spare *spares;

static void unlock_memory(void)
{
    pthread_mutex_lock(&lock);
    if (open_count++ == 0 && mprotect(arena, used, PROT_READ | PROT_WRITE) != 0)
        abort();
}

static void lock_memory(void)
{
    if (--open_count == 0 && mprotect(arena, used, PROT_NONE) != 0)
        abort();
    pthread_mutex_unlock(&lock);
}

static void *emu_alloc(const rg_device *device, size_t bytes)
{
    size_t need = (bytes + BEHIND + UNIT - 1) / UNIT * UNIT;
    void *data = NULL;
    (void)device;
    pthread_mutex_lock(&lock);
    for (spare **at = &spares; *at != NULL && data == NULL; at = &(*at)->next)
        if ((*at)->bytes == need) {
            spare *found = *at;
            data = found->data;
            *at = found->next;
            rg_free(found);
            break;
        }
    if (data == NULL && used + need <= ARENA) {
        data = arena + used;
        if (open_count > 0 && mprotect(data, need, PROT_READ | PROT_WRITE) != 0)
            abort();
        used += need;
    }
    pthread_mutex_unlock(&lock);
    unlock_memory();
    if (data != NULL) {
        memset(data, 0xa5, bytes); /* what no kernel wrote */
        memset((uint8_t *)data + bytes, 0, need - bytes);
    }
    lock_memory();
    return data;
}

static void emu_free(const rg_device *device, void *memory, size_t bytes)
{
    spare *s = memory ? rg_alloc(sizeof *s) : NULL;
    (void)device;
    if (s == NULL)
        return;
    pthread_mutex_lock(&lock);
    *s = (spare){spares, memory, (bytes + BEHIND + UNIT - 1) / UNIT * UNIT};
    spares = s;
    pthread_mutex_unlock(&lock);
}

static bool is_device(const void *p)
{
    return (const uint8_t *)p >= arena && (const uint8_t *)p < arena + ARENA;
}

static rg_status emu_copy(const rg_device *device, void *to, bool to_host, const void *from,
                          bool from_host, size_t bytes, void *stream)
{
    (void)device, (void)stream;
    if (is_device(to) == to_host || is_device(from) == from_host)
        return rg_fail(RG_EIO, "a copy of %zu bytes that mistakes whose memory it is", bytes);
    unlock_memory();
    memmove(to, from, bytes);
    lock_memory();
    return RG_OK;
}

static rg_status emu_sync(const rg_device *device, void *stream)
{
    (void)device, (void)stream;
    return RG_OK;
}

/* ---- streams ---- */

typedef struct emu_stream_own {
    rg_gpu_stream stream; /* first */
    rg_gpu_fault fault;
    unsigned *counters;
    uint64_t *step;
    int gpu;
} emu_stream_own;

static rg_status emu_open_stream(const rg_device *device, void **stream)
{
    emu_stream_own *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a stream");
    s->counters = emu_alloc(device, RG_GPU_COUNTERS * sizeof *s->counters);
    s->step = emu_alloc(device, sizeof *s->step);
    s->gpu = device->number;
    unlock_memory();
    memset(s->counters, 0, RG_GPU_COUNTERS * sizeof *s->counters);
    lock_memory();
    s->stream = (rg_gpu_stream){.tf32 = rg_flag_bool("enable_tf32"),
                                .step = s->step,
                                .fault = &s->fault,
                                .counters = s->counters};
    *stream = s;
    return RG_OK;
}

static rg_status emu_begin_run(void *stream)
{
    (void)cudaSetDevice(((const emu_stream_own *)stream)->gpu);
    return RG_OK;
}

static rg_status emu_set_step(void *stream, uint64_t step)
{
    unlock_memory();
    *((emu_stream_own *)stream)->step = step;
    lock_memory();
    return RG_OK;
}

static rg_status emu_complain(void *stream, const rg_ctx **ctx)
{
    rg_gpu_stream *s = stream;
    return s->fault->set ? rg_gpu_fault_status(s->fault, ctx) : RG_OK;
}

static rg_status emu_copy_parts(void *stream, const rg_move *parts, int n)
{
    (void)stream;
    unlock_memory();
    for (int i = 0; i < n; i++)
        memmove(parts[i].to, parts[i].from, parts[i].bytes);
    lock_memory();
    return RG_OK;
}

static rg_status emu_upload(void *stream, int turn, void *to, const void *from, size_t bytes)
{
    (void)turn;
    return emu_copy(NULL, to, false, from, true, bytes, stream);
}

/* ---- kernels ---- */

enum { MAX_KERNELS = 1024 };
static rg_kernel kernels[MAX_KERNELS];
static const rg_kernel *kernel_list[MAX_KERNELS];

static _Thread_local rg_gpu_stream *current;

rg_gpu_stream *emu_stream(void);
rg_gpu_stream *emu_stream(void)
{
    return current;
}

static rg_status run(rg_ctx *ctx)
{
    current = ctx->run->stream;
    const rg_kernel *const *k = rg_kernel_list;
    while (strcmp((*k)->type, ctx->op->type) != 0)
        k++;
    unlock_memory();
    rg_status code = (*k)->run(ctx);
    lock_memory();
    return code;
}

enum { GPUS = 2 };

static rg_status count(int *n)
{
    *n = GPUS;
    return RG_OK;
}

#define EMULATED(gpu)                   \
    {                                   \
        .name = "gpu",                  \
        .number = (gpu),                \
        .alloc = emu_alloc,             \
        .free = emu_free,               \
        .copy = emu_copy,               \
        .sync = emu_sync,               \
        .open_stream = emu_open_stream, \
        .close_stream = rg_free,        \
        .begin_run = emu_begin_run,     \
        .set_step = emu_set_step,       \
        .complain = emu_complain,       \
        .copy_parts = emu_copy_parts,   \
        .upload = emu_upload,           \
    }
static const rg_device emulated[GPUS] = {EMULATED(0), EMULATED(1)};

static rg_status open_device(int number, const rg_device **device)
{
    *device = &emulated[number];
    return RG_OK;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_mutexattr_t again;
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &again);
    arena = mmap(NULL, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        abort();
    for (int i = 0; rg_kernel_list[i] != NULL && i + 1 < MAX_KERNELS; i++) {
        kernels[i] = *rg_kernel_list[i];
        kernels[i].run = run;
        kernel_list[i] = &kernels[i];
    }
}

extern const rg_gpu_module rg_gpu_back_end;
__attribute__((visibility("default"))) const rg_gpu_module rg_gpu_back_end = {
    .size = sizeof(rg_gpu_module),
    .count = count,
    .device = open_device,
    .kernels = kernel_list,
};
