/* kernel_toy.c - a device and its kernels, added as one file. */
#include "exec/toy_device.h"

#include "base/mem.h"
#include "ir/kernel.h"

#include <string.h>

int toy_bytes, toy_syncs;

static void *toy_alloc(size_t bytes)
{
    toy_bytes += (int)bytes;
    return rg_alloc(bytes);
}

static void toy_free(void *memory, size_t bytes)
{
    toy_bytes -= memory ? (int)bytes : 0;
    rg_free(memory);
}

static rg_status toy_copy(void *to, bool to_host, const void *from, bool from_host, size_t bytes,
                          void *stream)
{
    (void)stream;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = (uint8_t)(((const uint8_t *)from)[i] ^
                                       (to_host != from_host ? 0xff : 0));
    return RG_OK;
}

static rg_status toy_sync(void *stream)
{
    toy_stream *s = stream;
    toy_syncs += s != NULL && s->waiting > 0;
    if (s != NULL)
        s->waiting = 0;
    return RG_OK;
}

static rg_status toy_open_stream(void **stream)
{
    *stream = rg_alloc_zero(1, sizeof(toy_stream));
    return *stream ? RG_OK : rg_no_memory(sizeof(toy_stream), "a stream");
}

const rg_device toy_device = {
    .name = "toy",
    .alloc = toy_alloc,
    .free = toy_free,
    .copy = toy_copy,
    .sync = toy_sync,
    .open_stream = toy_open_stream,
    .close_stream = rg_free,
};

/* ---- kernels ---- */

static float load(const void *data, int64_t i)
{
    float x;
    (void)toy_copy(&x, true, (const float *)data + i, false, sizeof x, NULL);
    return x;
}

static void store(void *data, int64_t i, float x)
{
    (void)toy_copy((float *)data + i, false, &x, true, sizeof x, NULL);
}

static rg_status relu(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    for (int64_t i = 0; i < rg_numel(out); i++) {
        float x = load(rg_in_data(ctx, 0), i);
        store(out->data, i, x > 0 ? x : 0);
    }
    ((toy_stream *)ctx->run->stream)->waiting++;
    return RG_OK;
}

static rg_status add(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    int64_t wide = rg_numel(rg_in(ctx, 1));
    for (int64_t i = 0; i < rg_numel(out); i++)
        store(out->data, i, load(rg_in_data(ctx, 0), i) + load(rg_in_data(ctx, 1), i % wide));
    ((toy_stream *)ctx->run->stream)->waiting++;
    return RG_OK;
}

static rg_status mul(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, 0);
    int64_t inner = rg_shape_of(ctx, 1)->dim[0], wide = rg_shape_of(ctx, 1)->dim[1];
    for (int64_t i = 0; i < rg_numel(out); i++) {
        float sum = 0;
        for (int64_t k = 0; k < inner; k++)
            sum += load(rg_in_data(ctx, 0), i / wide * inner + k) *
                   load(rg_in_data(ctx, 1), k * wide + i % wide);
        store(out->data, i, sum);
    }
    ((toy_stream *)ctx->run->stream)->waiting++;
    return RG_OK;
}

const rg_kernel rg_kernel_toy_relu = {
    .type = "relu",
    .device = "toy",
    .run = relu,
};

const rg_kernel rg_kernel_toy_add = {
    .type = "elementwise_add",
    .device = "toy",
    .run = add,
};

const rg_kernel rg_kernel_toy_mul = {
    .type = "mul",
    .device = "toy",
    .run = mul,
};
