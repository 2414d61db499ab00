/* kernel_toy.c - a device and its kernels, added as one file. */
#include "exec/toy_device.h"

#include "base/mem.h"

#include <pthread.h>
#include <string.h>

struct toy_counts toy;

/* No address of the host has its upper bits so. */
static const uintptr_t FAR = (uintptr_t)1 << 62;

static uint8_t *near(const void *far)
{
    assert(((uintptr_t)far & FAR) != 0);
    return (uint8_t *)((uintptr_t)far - FAR);
}

/* ---- streams: lists of work ---- */

enum { MAX_WORK = 4096, MAX_STREAMS = 16 };

typedef struct work {
    void (*run)(const struct work *w);
    void *to;
    const void *from, *other;
    int64_t n, wide, inner;
    bool to_host, from_host;
} work;

typedef struct toy_stream {
    work list[MAX_WORK];
    int n;
    struct toy_record *recording;
} toy_stream;

typedef struct toy_record {
    work list[MAX_WORK];
    int n;
} toy_record;

static toy_stream *streams[MAX_STREAMS];

static void finish(toy_stream *s)
{
    toy.waits += s->n > 0;
    for (int i = 0; i < s->n; i++)
        s->list[i].run(&s->list[i]);
    s->n = 0;
}

static void put(toy_stream *s, work w)
{
    if (s->recording != NULL) {
        assert(s->recording->n < MAX_WORK);
        s->recording->list[s->recording->n++] = w;
        return;
    }
    if (s->n == MAX_WORK)
        finish(s);
    s->list[s->n++] = w;
}

static rg_status toy_sync(const rg_device *device, void *stream)
{
    (void)device;
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i] != NULL && (stream == NULL || stream == streams[i])) {
            assert(streams[i]->recording == NULL);
            finish(streams[i]);
        }
    return RG_OK;
}

static rg_status toy_begin_run(void *stream)
{
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i] != NULL && streams[i] != stream)
            finish(streams[i]);
    return RG_OK;
}

static rg_status toy_open_stream(const rg_device *device, void **stream)
{
    int at = 0;
    (void)device;
    while (streams[at] != NULL)
        at++;
    *stream = streams[at] = rg_alloc_zero(1, sizeof(toy_stream));
    return *stream ? RG_OK : rg_no_memory(sizeof(toy_stream), "a stream");
}

static void toy_close_stream(void *stream)
{
    for (int i = 0; i < MAX_STREAMS; i++)
        if (streams[i] == stream)
            streams[i] = NULL;
    rg_free(stream);
}

/* ---- memory ---- */

static void *toy_alloc(const rg_device *device, size_t bytes)
{
    uint8_t *memory = rg_alloc(bytes);
    (void)device;
    toy.bytes += (int)bytes;
    memset(memory, 0xcd, bytes);
    return memory + FAR;
}

static void toy_free(const rg_device *device, void *memory, size_t bytes)
{
    (void)toy_sync(device, NULL);
    toy.bytes -= memory ? (int)bytes : 0;
    if (memory != NULL)
        rg_free(near(memory));
}

/* Bytes look otherwise there. */
static void copy_bytes(const work *w)
{
    uint8_t *to = w->to_host ? w->to : near(w->to);
    const uint8_t *from = w->from_host ? w->from : near(w->from);
    for (int64_t i = 0; i < w->n; i++)
        to[i] = (uint8_t)(from[i] ^ (w->to_host != w->from_host ? 0xff : 0));
}

static rg_status toy_copy(const rg_device *device, void *to, bool to_host, const void *from,
                          bool from_host, size_t bytes, void *stream)
{
    const work w = {.run = copy_bytes,
                    .to = to,
                    .from = from,
                    .n = (int64_t)bytes,
                    .to_host = to_host,
                    .from_host = from_host};
    toy.to_device += from_host && !to_host;
    toy.to_host += to_host && !from_host;
    (void)toy_sync(device, stream); /* the host's bytes may be written over when this returns */
    copy_bytes(&w);
    return RG_OK;
}

static rg_status toy_copy_parts(void *stream, const rg_move *parts, int n)
{
    toy.parts++;
    for (int i = 0; i < n; i++)
        put(stream, (work){.run = copy_bytes,
                           .to = parts[i].to,
                           .from = parts[i].from,
                           .n = (int64_t)parts[i].bytes});
    return RG_OK;
}

static rg_status toy_upload(void *stream, int turn, void *to, const void *from, size_t bytes)
{
    (void)turn;
    toy.uploads++;
    put(stream,
        (work){.run = copy_bytes, .to = to, .from = from, .n = (int64_t)bytes, .from_host = true});
    return RG_OK;
}

static rg_status toy_uploaded(void *stream, int turn)
{
    (void)turn;
    finish(stream);
    return RG_OK;
}

/* ---- recording ---- */

static rg_status toy_record_begin(void *stream)
{
    ((toy_stream *)stream)->recording = rg_alloc_zero(1, sizeof(toy_record));
    return RG_OK;
}

static rg_status toy_record_end(void *stream, void **record)
{
    *record = ((toy_stream *)stream)->recording;
    ((toy_stream *)stream)->recording = NULL;
    toy.records++;
    return RG_OK;
}

static rg_status toy_replay(void *stream, void *record)
{
    const toy_record *r = record;
    toy.replays++;
    for (int i = 0; i < r->n; i++)
        put(stream, r->list[i]);
    return RG_OK;
}

const rg_device toy_device = {
    .name = "toy",
    .alloc = toy_alloc,
    .free = toy_free,
    .copy = toy_copy,
    .sync = toy_sync,
    .open_stream = toy_open_stream,
    .close_stream = toy_close_stream,
    .begin_run = toy_begin_run,
    .copy_parts = toy_copy_parts,
    .upload = toy_upload,
    .uploaded = toy_uploaded,
    .record_begin = toy_record_begin,
    .record_end = toy_record_end,
    .replay = toy_replay,
    .drop_record = rg_free,
};

/* ---- kernels ---- */

static float load(const void *data, int64_t i)
{
    uint32_t bits;
    float x;
    memcpy(&bits, near(data) + i * 4, 4);
    bits = ~bits;
    memcpy(&x, &bits, 4);
    return x;
}

static void store(void *data, int64_t i, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = ~bits;
    memcpy(near(data) + i * 4, &bits, 4);
}

static void launch(const rg_ctx *ctx, work w)
{
    toy.launches++;
    put(ctx->run->stream, w);
}

static void do_relu(const work *w)
{
    for (int64_t i = 0; i < w->n; i++)
        store(w->to, i, load(w->from, i) > 0 ? load(w->from, i) : 0);
}

static rg_status relu(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    launch(ctx,
           (work){.run = do_relu, .to = out->data, .from = rg_in_data(ctx, 0), .n = rg_numel(out)});
    return RG_OK;
}

static void do_add(const work *w)
{
    for (int64_t i = 0; i < w->n; i++)
        store(w->to, i, load(w->from, i) + load(w->other, i % w->wide));
}

static rg_status add(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    launch(ctx, (work){.run = do_add,
                       .to = out->data,
                       .from = rg_in_data(ctx, 0),
                       .other = rg_in_data(ctx, 1),
                       .n = rg_numel(out),
                       .wide = rg_numel(rg_in(ctx, 1))});
    return RG_OK;
}

static void do_mul(const work *w)
{
    for (int64_t i = 0; i < w->n; i++) {
        float sum = 0;
        for (int64_t k = 0; k < w->inner; k++)
            sum += load(w->from, i / w->wide * w->inner + k) *
                   load(w->other, k * w->wide + i % w->wide);
        store(w->to, i, sum);
    }
}

static rg_status mul(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    launch(ctx, (work){.run = do_mul,
                       .to = out->data,
                       .from = rg_in_data(ctx, 0),
                       .other = rg_in_data(ctx, 1),
                       .n = rg_numel(out),
                       .inner = rg_shape_of(ctx, 1)->dim[0],
                       .wide = rg_shape_of(ctx, 1)->dim[1]});
    return RG_OK;
}

static void do_scale(const work *w)
{
    float factor;
    memcpy(&factor, &w->inner, sizeof factor);
    for (int64_t i = 0; i < w->n; i++)
        store(w->to, i, load(w->from, i) * factor);
}

/* It can only multiply: another bias is the CPU's, which is found when it runs. */
static rg_status scale(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    work w = {.run = do_scale, .to = out->data, .from = rg_in_data(ctx, 0), .n = rg_numel(out)};
    float factor = rg_attr_float(ctx, rg_op_attr_slot(ctx->op, "scale"));
    if (rg_attr_float(ctx, rg_op_attr_slot(ctx->op, "bias")) != 0)
        return rg_fail(RG_EUNIMPL, "the toy has no bias");
    memcpy(&w.inner, &factor, sizeof factor);
    launch(ctx, w);
    return RG_OK;
}

/* What the host must know each time: it cannot be recorded. */
static rg_status sum(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    RG_TRY(toy_sync(&toy_device, ctx->run->stream));
    for (int64_t i = 0; i < rg_numel(out); i++) {
        float all = 0;
        for (int k = 0; k < rg_n_in(ctx, 0); k++)
            all += load(rg_in_n(ctx, 0, k)->data, i);
        store(out->data, i, all);
    }
    toy.launches++;
    return RG_OK;
}

static bool never(const struct rg_opdesc *op)
{
    (void)op;
    return false;
}

const rg_kernel rg_kernel_toy_relu = {"relu", "toy", relu, 0, NULL};
const rg_kernel rg_kernel_toy_add = {"elementwise_add", "toy", add, 0, NULL};
const rg_kernel rg_kernel_toy_mul = {"mul", "toy", mul, 0, NULL};
const rg_kernel rg_kernel_toy_scale = {"scale", "toy", scale, 0, NULL};
const rg_kernel rg_kernel_toy_sum = {"sum", "toy", sum, RG_KERNEL_HOST, NULL};
const rg_kernel rg_kernel_toy_sigmoid = {"sigmoid", "toy", relu, 0, never};
