/* device.c - the GPU that the emulation's kernels believe in: memory of the host, products in
 * loops. Its kernels take the place of the CPU's, op by op, when the extension is loaded; one that
 * says RG_EUNIMPL leaves the op to the CPU's, as a plan on a GPU does. EMU_LOG=FILE: a line for
 * each op type that ran, and how. */
#include "gpu/choose.h"
#include "gpu/fault.h"
#include "gpu/gpu.h"
#include "gpu/side.h"
#include "sys/flags.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const rg_kernel *const rg_kernel_list[];

#ifndef EMU_MODULE
static rg_gpu_fault fault;
static unsigned counters[RG_GPU_COUNTERS];
static uint64_t step;
static rg_gpu_stream stream = {.fault = &fault, .counters = counters, .step = &step};
#endif

rg_gpu_stream *emu_stream(void);
#ifndef EMU_MODULE /* there a plan has its own (module.c) */
rg_gpu_stream *emu_stream(void)
{
    stream.tf32 = rg_flag_bool("enable_tf32");
    return &stream;
}
#endif

/* ---- CUDA's runtime ---- */

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t on)
{
    (void)kind, (void)on;
    memmove(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t on)
{
    (void)on;
    memset(to, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

/* ---- gpu.h ---- */

rg_status rg_gpu_failed(cudaError_t error, const char *doing)
{
    return rg_fail(RG_EIO, "CUDA error %d: %s", error, doing);
}

/* Filled with what no kernel wrote, so that whoever reads it before shows. */
void *rg_gpu_scratch(rg_ctx *ctx, size_t bytes)
{
    void *memory = rg_scratch(ctx, bytes);
    if (memory != NULL)
        memset(memory, 0xa5, bytes);
    return memory;
}

const void *rg_gpu_constant(rg_ctx *ctx, const void *host, size_t bytes)
{
    void *memory = rg_scratch(ctx, bytes);
    return memory ? memcpy(memory, host, bytes) : NULL;
}

rg_philox_key rg_gpu_key(const rg_ctx *ctx, int seed, bool fixed, bool *uses_step)
{
    rg_philox_key key = rg_random_key(ctx, seed, fixed);
#ifndef EMU_MODULE
    step = ctx->run->step;
#endif
    *uses_step = !fixed;
    if (!fixed)
        key.stream ^= (ctx->run->step + 1) * 0x9e3779b97f4a7c15u;
    return key;
}

static void missing(const rg_ctx *ctx, const char *what, const char *name)
{
    fprintf(stderr, "emulation: op %s has no %s %s\n", ctx->op->type, what, name);
    abort();
}

int rg_gpu_in_slot(const rg_ctx *ctx, const char *slot)
{
    int s = rg_op_in_slot(ctx->op, slot);
    if (s < 0)
        missing(ctx, "input", slot);
    return s;
}

int rg_gpu_out_slot(const rg_ctx *ctx, const char *slot)
{
    int s = rg_op_out_slot(ctx->op, slot);
    if (s < 0)
        missing(ctx, "output", slot);
    return s;
}

const rg_value *rg_gpu_in(const rg_ctx *ctx, const char *slot)
{
    return rg_in(ctx, rg_gpu_in_slot(ctx, slot));
}

rg_value *rg_gpu_out(const rg_ctx *ctx, const char *slot)
{
    return rg_out(ctx, rg_gpu_out_slot(ctx, slot));
}

const rg_attr *rg_gpu_attr(const rg_ctx *ctx, const char *name)
{
    int a = rg_op_attr_slot(ctx->op, name);
    if (a < 0)
        missing(ctx, "attribute", name);
    return ctx->attr[a];
}

static double element(const void *data, rg_dtype dtype, int64_t i)
{
    return dtype == RG_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

rg_status rg_gpu_matmul(rg_gpu_stream *on, const rg_gpu_product *p)
{
    (void)on;
    float alpha = p->device_alpha ? p->device_alpha[0] : p->alpha;
    float beta = p->device_alpha ? p->device_alpha[1] : p->beta;
    bool biased = p->end == RG_GPU_END_BIAS || p->end == RG_GPU_END_BIAS_RELU;
    bool relu = p->end == RG_GPU_END_RELU || p->end == RG_GPU_END_BIAS_RELU;
    if (p->dtype != RG_F32)
        return rg_fail(RG_EUNIMPL, "no product of %s in the emulation", rg_dtype_name(p->dtype));
    for (int64_t q = 0; q < (p->batch > 1 ? p->batch : 1); q++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                double sum = 0;
                for (int64_t l = 0; l < p->k; l++) {
                    int64_t a = p->trans_a ? l * p->m + i : i * p->k + l;
                    int64_t b = p->trans_b ? j * p->k + l : l * p->n + j;
                    sum += element(p->a, p->dtype, q * p->stride_a + a) *
                           element(p->b, p->dtype, q * p->stride_b + b);
                }
                float *c = (float *)p->c + q * p->stride_c + i * p->n + j;
                float x = alpha * (float)sum + (beta != 0 ? beta * *c : 0);
                x += biased ? ((const float *)p->bias)[j] : 0;
                *c = relu && 0 > x ? 0 : x;
            }
    return RG_OK;
}

/* What was asked of a key; another question of the same key would be given its answer. */
typedef struct asked {
    unsigned char key[64];
    size_t bytes;
    rg_gpu_way way;
    int n;
} asked;

static asked asked_list[1024];
static int n_asked;

/* Whether it is asked for the first time. */
static bool ask(const void *key, size_t bytes, rg_gpu_way way, int n)
{
    asked fresh = {.bytes = bytes, .way = way, .n = n};
    for (int i = 0; i < n_asked; i++) {
        const asked *a = &asked_list[i];
        if (a->bytes != bytes || memcmp(a->key, key, bytes) != 0)
            continue;
        if (a->way != way || a->n != n) {
            fprintf(stderr, "emulation: two questions have one key\n");
            abort();
        }
        return false;
    }
    memcpy(fresh.key, key, bytes);
    if (n_asked < (int)(sizeof asked_list / sizeof *asked_list))
        asked_list[n_asked++] = fresh;
    return true;
}

/* A line for the key, with the ways that are to be had: they are tried, as on a GPU. */
static void note_ways(const char *path, rg_gpu_way way, void *arg, int n)
{
    FILE *file = fopen(path, "a");
    if (file == NULL)
        return;
    fprintf(file, "%d:", n);
    for (int i = 0; i < n; i++)
        if (way(arg, i) == RG_OK)
            fprintf(file, " %d", i);
    fprintf(file, "\n");
    fclose(file);
}

/* Nothing is timed here; EMU_WAY: one for all. EMU_WAYS=FILE: a line for each key. */
int rg_gpu_choose(rg_gpu_stream *on, const void *key, size_t bytes, int n, rg_gpu_way way,
                  void *arg, int by_rule)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of asked_list */
    const char *wanted = getenv("EMU_WAY"), *path = getenv("EMU_WAYS");
    (void)on;
    pthread_mutex_lock(&lock);
    bool is_new = ask(key, bytes, way, n);
    pthread_mutex_unlock(&lock);
    if (is_new && path != NULL)
        note_ways(path, way, arg, n);
    return wanted ? atoi(wanted) % n : by_rule;
}

/* Nothing runs beside anything here. */
void rg_gpu_trail(rg_gpu_stream *on, const void *writes, rg_gpu_stream *branch)
{
    (void)writes;
    *branch = *on;
}

bool rg_gpu_has_branches(rg_gpu_stream *on)
{
    (void)on;
    return rg_flag_bool("gpu_graph");
}

rg_status rg_gpu_meet(rg_gpu_stream *on, const void *of)
{
    (void)on, (void)of;
    return RG_OK;
}

#ifndef EMU_MODULE
/* ---- in the CPU's place ---- */

typedef struct replaced {
    const rg_op *op;
    rg_kernel_run own, cpu;
    bool ran, left;
} replaced;

static replaced list[1024];
static int n_list;

static replaced *find(const rg_op *op)
{
    for (int i = 0; i < n_list; i++)
        if (list[i].op == op)
            return &list[i];
    abort();
}

static void note(const replaced *r, const char *what)
{
    const char *path = getenv("EMU_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    fprintf(file, "%s %s\n", r->op->type, what);
    fclose(file);
}

static rg_status run(rg_ctx *ctx)
{
    replaced *r = find(ctx->op);
    rg_status code = r->own(ctx);
    if (code == RG_EUNIMPL) {
        if (!r->left)
            note(r, rg_error_message());
        r->left = true;
        return r->cpu(ctx);
    }
    if (!r->ran)
        note(r, "ran");
    r->ran = true;
    for (int i = 0; i < RG_GPU_COUNTERS; i++)
        if (counters[i] != 0) {
            fprintf(stderr, "emulation: op %s left a counter of %u\n", ctx->op->type, counters[i]);
            abort();
        }
    if (code == RG_OK) {
        const rg_ctx *at;
        return rg_gpu_fault_status(&fault, &at);
    }
    memset(&fault, 0, sizeof fault);
    return code;
}

/* Ops are constants: their pages are made writable for it. */
__attribute__((constructor)) static void replace_all(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (const rg_kernel *const *k = rg_kernel_list; *k != NULL; k++) {
        const rg_op *op = rg_op_find((*k)->type);
        if (op == NULL) {
            fprintf(stderr, "emulation: there is no op %s\n", (*k)->type);
            continue;
        }
        list[n_list++] = (replaced){op, (*k)->run, op->kernel, false, false};
        char *at = (char *)((size_t)op / page * page);
        size_t bytes = (size_t)((const char *)(op + 1) - at);
        if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
            abort();
        ((rg_op *)(size_t)op)->kernel = run;
        (void)mprotect(at, bytes, PROT_READ);
    }
}
#endif
