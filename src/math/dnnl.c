/* dnnl.c - calls of oneDNN: the primitive, its reorders, their memory. */
#include "math/dnnl.h"

#include "base/mem.h"
#include "math/gemm.h"

#include <stdint.h>
#include <string.h>

enum { KEPT = 16 }; /* calls of one cache: the parts of an op times a few batch sizes */

/* An argument as a call holds it. */
typedef struct bound {
    int id;
    bool output;
    dnnl_memory_t plain;      /* over the caller's tensor */
    dnnl_memory_t own;        /* in the primitive's layout, in scratch; NULL: plain is right */
    size_t own_at;            /* where, in scratch */
    dnnl_primitive_t reorder; /* between the two */
} bound;

struct rg_dnnl_call {
    void *key;
    size_t key_bytes;
    dnnl_stream_t stream; /* the cache's */
    dnnl_primitive_t primitive;
    bound args[RG_DNNL_ARGS];
    int n_args;
    dnnl_memory_t scratchpad; /* NULL: none needed */
    size_t scratchpad_at;
    size_t scratch;
};

struct rg_dnnl_cache {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    rg_dnnl_call *calls[KEPT];
    int n_calls, next;
};

rg_status rg_dnnl_check(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success)
        return RG_OK;
    return rg_fail(status == dnnl_out_of_memory ? RG_ENOMEM : RG_EUNIMPL, "oneDNN: %s failed (%d)",
                   what, (int)status);
}

static void close_call(rg_dnnl_call *call)
{
    if (call == NULL)
        return;
    for (int i = 0; i < call->n_args; i++) {
        bound *b = &call->args[i];
        (void)dnnl_memory_destroy(b->plain);
        (void)dnnl_memory_destroy(b->own);
        (void)dnnl_primitive_destroy(b->reorder);
    }
    (void)dnnl_memory_destroy(call->scratchpad);
    (void)dnnl_primitive_destroy(call->primitive);
    rg_free(call->key);
    rg_free(call);
}

rg_status rg_dnnl_cache_open(rg_dnnl_cache **out)
{
    if (*out != NULL)
        return RG_OK;
    rg_dnnl_cache *cache = rg_alloc_zero(1, sizeof *cache);
    if (cache == NULL)
        return rg_no_memory(sizeof *cache, "a cache of oneDNN calls");
    rg_status code = rg_dnnl_check(dnnl_engine_create(&cache->engine, dnnl_cpu, 0), "an engine");
    if (code == RG_OK)
        code = rg_dnnl_check(
            dnnl_stream_create(&cache->stream, cache->engine, dnnl_stream_default_flags),
            "a stream");
    if (code != RG_OK) {
        rg_dnnl_cache_close(cache);
        return code;
    }
    *out = cache;
    return RG_OK;
}

void rg_dnnl_cache_close(rg_dnnl_cache *cache)
{
    if (cache == NULL)
        return;
    for (int i = 0; i < cache->n_calls; i++)
        close_call(cache->calls[i]);
    if (cache->stream != NULL)
        (void)dnnl_stream_destroy(cache->stream);
    if (cache->engine != NULL)
        (void)dnnl_engine_destroy(cache->engine);
    rg_free(cache);
}

dnnl_engine_t rg_dnnl_engine(const rg_dnnl_cache *cache)
{
    return cache->engine;
}

rg_dnnl_call *rg_dnnl_find(const rg_dnnl_cache *cache, const void *key, size_t bytes)
{
    rg_gemm_configure(); /* for the call, and for one that has to be made */
    for (int i = 0; i < cache->n_calls; i++) {
        rg_dnnl_call *call = cache->calls[i];
        if (call->key_bytes == bytes && memcmp(call->key, key, bytes) == 0)
            return call;
    }
    return NULL;
}

/* ---- making a call ---- */

static size_t rounded(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static rg_status make_reorder(dnnl_engine_t engine, bound *b, const dnnl_memory_desc_t *plain,
                              const dnnl_memory_desc_t *own)
{
    dnnl_primitive_desc_t desc;
    const dnnl_memory_desc_t *from = b->output ? own : plain, *to = b->output ? plain : own;
    RG_TRY(rg_dnnl_check(dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, NULL),
                         "the description of a reorder"));
    rg_status code = rg_dnnl_check(dnnl_primitive_create(&b->reorder, desc), "a reorder");
    (void)dnnl_primitive_desc_destroy(desc);
    return code;
}

static rg_status bind(rg_dnnl_call *call, dnnl_engine_t engine, const_dnnl_primitive_desc_t desc,
                      const rg_dnnl_arg *arg)
{
    bound *b = &call->args[call->n_args++];
    *b = (bound){.id = arg->id, .output = arg->output};
    const dnnl_memory_desc_t *own = dnnl_primitive_desc_query_md(desc, arg->query, 0);
    if (own == NULL)
        return rg_fail(RG_EUNIMPL, "oneDNN: the primitive has no argument %d", arg->id);
    RG_TRY(rg_dnnl_check(dnnl_memory_create(&b->plain, &arg->plain, engine, DNNL_MEMORY_NONE),
                         "an argument"));
    if (dnnl_memory_desc_equal(own, &arg->plain))
        return RG_OK;
    RG_TRY(
        rg_dnnl_check(dnnl_memory_create(&b->own, own, engine, DNNL_MEMORY_NONE), "an argument"));
    b->own_at = call->scratch;
    call->scratch += rounded(dnnl_memory_desc_get_size(own));
    return make_reorder(engine, b, &arg->plain, own);
}

static rg_status fill_call(rg_dnnl_call *call, const rg_dnnl_cache *cache, const void *key,
                           size_t bytes, const_dnnl_primitive_desc_t desc, const rg_dnnl_arg *args,
                           int n)
{
    call->stream = cache->stream;
    call->key = rg_alloc(bytes);
    if (call->key == NULL)
        return rg_no_memory(bytes, "a oneDNN call");
    memcpy(call->key, key, bytes);
    call->key_bytes = bytes;
    RG_TRY(rg_dnnl_check(dnnl_primitive_create(&call->primitive, desc), "a primitive"));
    for (int i = 0; i < n; i++)
        RG_TRY(bind(call, cache->engine, desc, &args[i]));
    const dnnl_memory_desc_t *pad = dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    size_t pad_bytes = pad ? dnnl_memory_desc_get_size(pad) : 0;
    if (pad_bytes == 0)
        return RG_OK;
    call->scratchpad_at = call->scratch;
    call->scratch += rounded(pad_bytes);
    return rg_dnnl_check(
        dnnl_memory_create(&call->scratchpad, pad, cache->engine, DNNL_MEMORY_NONE),
        "a scratchpad");
}

rg_status rg_dnnl_put(rg_dnnl_cache *cache, const void *key, size_t bytes,
                      const_dnnl_primitive_desc_t primitive, const rg_dnnl_arg *args, int n,
                      rg_dnnl_call **out)
{
    rg_dnnl_call *call = rg_alloc_zero(1, sizeof *call);
    if (call == NULL)
        return rg_no_memory(sizeof *call, "a oneDNN call");
    rg_status code = fill_call(call, cache, key, bytes, primitive, args, n);
    if (code != RG_OK) {
        close_call(call);
        return code;
    }
    if (cache->n_calls < KEPT) {
        cache->calls[cache->n_calls++] = call;
    } else {
        close_call(cache->calls[cache->next]);
        cache->calls[cache->next] = call;
        cache->next = (cache->next + 1) % KEPT;
    }
    *out = call;
    return RG_OK;
}

/* ---- running it ---- */

size_t rg_dnnl_scratch(const rg_dnnl_call *call)
{
    return call->scratch;
}

/* Where the rest of a block of channels is not used, this also fills it with zeros. */
static rg_status point(dnnl_memory_t memory, void *data, dnnl_stream_t stream)
{
    return rg_dnnl_check(dnnl_memory_set_data_handle_v2(memory, data, stream), "an argument");
}

static rg_status reorder(const rg_dnnl_call *call, const bound *b)
{
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, b->output ? b->own : b->plain},
                                    {DNNL_ARG_TO, b->output ? b->plain : b->own}};
    return rg_dnnl_check(dnnl_primitive_execute(b->reorder, call->stream, 2, args), "a reorder");
}

rg_status rg_dnnl_run(rg_dnnl_call *call, void *const *data, void *scratch)
{
    dnnl_exec_arg_t args[RG_DNNL_ARGS + 1];
    int n = call->n_args;
    for (int i = 0; i < n; i++) {
        bound *b = &call->args[i];
        RG_TRY(point(b->plain, data[i], call->stream));
        args[i] = (dnnl_exec_arg_t){b->id, b->own ? b->own : b->plain};
        if (b->own == NULL)
            continue;
        RG_TRY(point(b->own, (uint8_t *)scratch + b->own_at, call->stream));
        if (!b->output)
            RG_TRY(reorder(call, b));
    }
    if (call->scratchpad != NULL) {
        RG_TRY(point(call->scratchpad, (uint8_t *)scratch + call->scratchpad_at, call->stream));
        args[n++] = (dnnl_exec_arg_t){DNNL_ARG_SCRATCHPAD, call->scratchpad};
    }
    RG_TRY(rg_dnnl_check(dnnl_primitive_execute(call->primitive, call->stream, n, args),
                         "the computation"));
    for (int i = 0; i < call->n_args; i++)
        if (call->args[i].own != NULL && call->args[i].output)
            RG_TRY(reorder(call, &call->args[i]));
    return rg_dnnl_check(dnnl_stream_wait(call->stream), "the computation");
}
