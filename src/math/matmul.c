/* matmul.c - matmul primitives by shape, each thread's own. */
#include "math/matmul.h"

#include "base/map.h"
#include "base/mem.h"
#include "math/libraries.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of OpenMP, which has no header that says so in C. */
int omp_get_max_threads(void);

enum { TABLE = 512, PROBES = 4, ALIGN = 64, PARTS = 5 };

/* A product that this thread has made before. oneDNN keeps the code itself for all threads. */
typedef struct entry {
    rg_matmul_shape shape;
    uint64_t hash;              /* 0: free */
    dnnl_primitive_t primitive; /* NULL: oneDNN has none for it */
    dnnl_exec_arg_t args[PARTS];
    int n_args;
    size_t scratch;
} entry;

static dnnl_engine_t engine;

typedef struct own_memory { /* of one thread */
    dnnl_stream_t stream;
    entry *table;
    unsigned next; /* of PROBES places, the one to be used again */
    void *scratch;
    size_t bytes;
} own_memory;
static _Thread_local own_memory own;
static pthread_key_t own_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_entry(entry *e)
{
    for (int i = 0; i < e->n_args; i++)
        (void)dnnl_memory_destroy(e->args[i].memory);
    if (e->primitive != NULL)
        (void)dnnl_primitive_destroy(e->primitive);
    *e = (entry){0};
}

static void drop_own(void *arg)
{
    own_memory *memory = arg;
    for (int i = 0; memory->table != NULL && i < TABLE; i++)
        drop_entry(&memory->table[i]);
    rg_free(memory->table);
    (void)dnnl_stream_destroy(memory->stream);
    free(memory->scratch); /* from aligned_alloc */
    *memory = (own_memory){0};
}

static void start(void)
{
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
    (void)pthread_key_create(&own_key, drop_own);
}

/* ---- making a primitive ---- */

static void matrix(dnnl_memory_desc_t *out, int64_t rows, int64_t columns, int64_t ld, bool trans)
{
    dnnl_dims_t dims = {rows, columns}, strides = {trans ? 1 : ld, trans ? ld : 1};
    (void)dnnl_memory_desc_init_by_strides(out, 2, dims, dnnl_f32, strides);
}

static dnnl_status_t add_activation(dnnl_primitive_attr_t attr, rg_activation act)
{
    static const dnnl_alg_kind_t kinds[] = {
        [RG_ACT_RELU] = dnnl_eltwise_relu,
        [RG_ACT_SIGMOID] = dnnl_eltwise_logistic,
        [RG_ACT_TANH] = dnnl_eltwise_tanh,
    };
    dnnl_post_ops_t ops;
    if (act == RG_ACT_NONE)
        return dnnl_success;
    dnnl_status_t code = dnnl_post_ops_create(&ops);
    if (code != dnnl_success)
        return code;
    code = dnnl_post_ops_append_eltwise(ops, 1, kinds[act], 0, 0);
    if (code == dnnl_success)
        code = dnnl_primitive_attr_set_post_ops(attr, ops);
    (void)dnnl_post_ops_destroy(ops);
    return code;
}

static bool bind(entry *e, int which, const dnnl_memory_desc_t *desc)
{
    dnnl_exec_arg_t *arg = &e->args[e->n_args];
    arg->arg = which;
    if (dnnl_memory_create(&arg->memory, desc, engine, DNNL_MEMORY_NONE) != dnnl_success)
        return false;
    e->n_args++;
    return true;
}

static dnnl_status_t describe(const rg_matmul_shape *s, dnnl_memory_desc_t parts[4],
                              dnnl_primitive_desc_t *out)
{
    dnnl_matmul_desc_t desc;
    dnnl_primitive_attr_t attr;
    matrix(&parts[0], s->m, s->k, s->lda, s->trans_a);
    matrix(&parts[1], s->k, s->n, s->ldb, s->trans_b);
    matrix(&parts[2], s->m, s->n, s->ldc, false);
    matrix(&parts[3], 1, s->n, s->n, false);
    dnnl_status_t code = dnnl_matmul_desc_init(&desc, &parts[0], &parts[1],
                                               s->bias ? &parts[3] : NULL, &parts[2]);
    if (code != dnnl_success || (code = dnnl_primitive_attr_create(&attr)) != dnnl_success)
        return code;
    code = dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (code == dnnl_success)
        code = add_activation(attr, s->act);
    if (code == dnnl_success)
        code = dnnl_primitive_desc_create(out, &desc, attr, engine, NULL);
    (void)dnnl_primitive_attr_destroy(attr);
    return code;
}

static void make(entry *e)
{
    dnnl_memory_desc_t parts[4];
    dnnl_primitive_desc_t desc;
    if (describe(&e->shape, parts, &desc) != dnnl_success)
        return;
    const dnnl_memory_desc_t *pad = dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
    bool good = bind(e, DNNL_ARG_SRC, &parts[0]) && bind(e, DNNL_ARG_WEIGHTS, &parts[1]) &&
                bind(e, DNNL_ARG_DST, &parts[2]) && bind(e, DNNL_ARG_SCRATCHPAD, pad) &&
                (!e->shape.bias || bind(e, DNNL_ARG_BIAS, &parts[3]));
    e->scratch = dnnl_memory_desc_get_size(pad);
    if (!good || dnnl_primitive_create(&e->primitive, desc) != dnnl_success)
        e->primitive = NULL;
    (void)dnnl_primitive_desc_destroy(desc);
}

/* ---- which shapes ---- */

/* Measured on the shapes of CTR models and MLPs (AVX-512, one thread): with a transposed second
 * operand 2.5 times as quick as sgemm where there are few rows, 1.1 to 1.5 times otherwise; with
 * none up to 1.3 times, from ROWS on; with a transposed first operand sgemm is as good. Making one
 * costs 0.5 ms, as much as a product of LARGE. Between the two only round numbers of rows get
 * one, since batches of sequences have another number of rows each time. */
bool rg_matmul_suits(const rg_matmul_shape *s)
{
    enum { ROWS = 64, ROUND = 8, LEAST = 64 * 64 * 64, LARGE = 1 << 24 };
    int64_t work = s->m * s->n * s->k;
    if (s->trans_a || work < LEAST)
        return false;
    if (s->m < ROWS)
        return s->trans_b;
    return work >= LARGE || s->m % ROUND == 0;
}

/* ---- finding one ---- */

static uint64_t hash_of(const rg_matmul_shape *s)
{
    int64_t words[8] = {s->m,
                        s->n,
                        s->k,
                        s->lda,
                        s->ldb,
                        s->ldc,
                        s->trans_a | s->trans_b << 1 | s->bias << 2 | (int64_t)s->act << 3,
                        omp_get_max_threads()}; /* a primitive is made for so many */
    uint64_t hash = rg_hash_bytes(words, sizeof words, 0);
    return hash ? hash : 1;
}

/* The shape's entry, made if it has none; one of another shape may go for it. */
static entry *find(const rg_matmul_shape *shape)
{
    uint64_t hash = hash_of(shape);
    entry *place = NULL;
    for (unsigned i = 0; i < PROBES; i++) {
        entry *e = &own.table[(hash + i) % TABLE];
        if (e->hash == hash)
            return e;
        if (e->hash == 0 && place == NULL)
            place = e;
    }
    if (place == NULL)
        place = &own.table[(hash + own.next++ % PROBES) % TABLE];
    drop_entry(place);
    place->shape = *shape;
    place->hash = hash;
    make(place);
    return place;
}

/* ---- running it ---- */

static bool open_own(void)
{
    (void)pthread_once(&once, start);
    if (engine == NULL ||
        dnnl_stream_create(&own.stream, engine, dnnl_stream_default_flags) != dnnl_success)
        return false;
    own.table = rg_alloc_zero(TABLE, sizeof *own.table);
    (void)pthread_setspecific(own_key, &own);
    return own.table != NULL;
}

static bool has_scratch(size_t bytes)
{
    if (bytes <= own.bytes)
        return true;
    void *bigger = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
    if (bigger == NULL)
        return false;
    free(own.scratch);
    own.scratch = bigger;
    own.bytes = bytes;
    return true;
}

bool rg_matmul_f32(const rg_matmul_shape *shape, const float *a, const float *b, const float *bias,
                   float *c)
{
    if (own.table == NULL && !open_own())
        return false;
    entry *e = find(shape);
    if (e->primitive == NULL || !has_scratch(e->scratch))
        return false;
    void *data[PARTS] = {(void *)(uintptr_t)a, (void *)(uintptr_t)b, c, own.scratch,
                         (void *)(uintptr_t)bias};
    for (int i = 0; i < e->n_args; i++)
        if (dnnl_memory_set_data_handle(e->args[i].memory, data[i]) != dnnl_success)
            return false;
    return dnnl_primitive_execute(e->primitive, own.stream, e->n_args, e->args) == dnnl_success &&
           dnnl_stream_wait(own.stream) == dnnl_success;
}
