/* matmul.c - matmul primitives by shape, each thread's own. */
#include "math/matmul.h"

#include "base/map.h"
#include "base/mem.h"
#include "math/libraries.h"
#include "math/pairs.h"

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
    dnnl_memory_desc_t packed; /* b's layout, of shape.packed */
    dnnl_primitive_t reorder;  /* to it, from floats; made when it is first needed */
    dnnl_exec_arg_t reorder_args[2];
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
    if (e->reorder != NULL)
        (void)dnnl_primitive_destroy(e->reorder);
    for (int i = 0; i < 2; i++)
        (void)dnnl_memory_destroy(e->reorder_args[i].memory);
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

static void matrix(dnnl_memory_desc_t *out, int64_t rows, int64_t columns, int64_t ld, bool trans,
                   dnnl_data_type_t type)
{
    dnnl_dims_t dims = {rows, columns}, strides = {trans ? 1 : ld, trans ? ld : 1};
    (void)dnnl_memory_desc_init_by_strides(out, 2, dims, type, strides);
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
    dnnl_data_type_t type = s->bf16 ? dnnl_bf16 : dnnl_f32;
    matrix(&parts[0], s->m, s->k, s->lda, s->trans_a, type);
    matrix(&parts[1], s->k, s->n, s->ldb, s->trans_b, type);
    matrix(&parts[2], s->m, s->n, s->ldc, false, s->bf16_out ? dnnl_bf16 : dnnl_f32);
    matrix(&parts[3], 1, s->n, s->n, false, dnnl_f32);
    if (s->packed) {
        dnnl_dims_t dims = {s->k, s->n};
        (void)dnnl_memory_desc_init_by_tag(&parts[1], 2, dims, type, dnnl_format_tag_any);
    }
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
    if (e->shape.packed)
        e->packed = parts[1] = *dnnl_primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
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
    int64_t flags = s->trans_a | s->trans_b << 1 | s->bias << 2 | s->bf16 << 3 | s->bf16_out << 4 |
                    s->packed << 5 | (int64_t)s->act << 6;
    int64_t words[8] = {s->m,   s->n,   s->k,  s->lda,
                        s->ldb, s->ldc, flags, omp_get_max_threads()}; /* it is made for so many */
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

static entry *find_primitive(const rg_matmul_shape *shape)
{
    if (own.table == NULL && !open_own())
        return NULL;
    entry *e = find(shape);
    return e->primitive != NULL ? e : NULL;
}

bool rg_matmul_run(const rg_matmul_shape *shape, const void *a, const void *b, const float *bias,
                   void *c)
{
    entry *e = find_primitive(shape);
    if (e == NULL || !has_scratch(e->scratch))
        return false;
    void *data[PARTS] = {(void *)(uintptr_t)a, (void *)(uintptr_t)b, c, own.scratch,
                         (void *)(uintptr_t)bias};
    for (int i = 0; i < e->n_args; i++)
        if (dnnl_memory_set_data_handle(e->args[i].memory, data[i]) != dnnl_success)
            return false;
    return dnnl_primitive_execute(e->primitive, own.stream, e->n_args, e->args) == dnnl_success &&
           dnnl_stream_wait(own.stream) == dnnl_success;
}

/* ---- packing ---- */

size_t rg_matmul_packed_bytes(const rg_matmul_shape *shape)
{
    const entry *e = find_primitive(shape);
    return e != NULL ? dnnl_memory_desc_get_size(&e->packed) : 0;
}

static bool make_reorder(entry *e)
{
    const rg_matmul_shape *s = &e->shape;
    dnnl_memory_desc_t floats;
    dnnl_primitive_desc_t desc;
    matrix(&floats, s->k, s->n, s->ldb, s->trans_b, dnnl_f32);
    e->reorder_args[0].arg = DNNL_ARG_FROM;
    e->reorder_args[1].arg = DNNL_ARG_TO;
    if (dnnl_memory_create(&e->reorder_args[0].memory, &floats, engine, DNNL_MEMORY_NONE) !=
            dnnl_success ||
        dnnl_memory_create(&e->reorder_args[1].memory, &e->packed, engine, DNNL_MEMORY_NONE) !=
            dnnl_success ||
        dnnl_reorder_primitive_desc_create(&desc, &floats, engine, &e->packed, engine, NULL) !=
            dnnl_success)
        return false;
    bool good = dnnl_primitive_create(&e->reorder, desc) == dnnl_success;
    (void)dnnl_primitive_desc_destroy(desc);
    return good;
}

/* The layout of pairs of rows: blocks of `pairs` such pairs by `columns`. */
static bool is_pairs(const dnnl_memory_desc_t *md, rg_pairs *out)
{
    const dnnl_blocking_desc_t *b = &md->format_desc.blocking;
    if (md->format_kind != dnnl_blocked || b->inner_nblks != 3 || b->inner_idxs[0] != 0 ||
        b->inner_idxs[1] != 1 || b->inner_idxs[2] != 0 || b->inner_blks[2] != 2)
        return false;
    *out = (rg_pairs){b->inner_blks[0], b->inner_blks[1],   b->strides[0],
                      b->strides[1],    md->padded_dims[0], md->padded_dims[1]};
    return out->pairs <= RG_PAIRS_MOST && out->columns <= RG_PAIRS_WIDEST;
}

bool rg_matmul_pack(const rg_matmul_shape *shape, const float *b, void *packed)
{
    entry *e = find_primitive(shape);
    rg_pairs pairs;
    if (e == NULL)
        return false;
    if (is_pairs(&e->packed, &pairs)) {
        rg_pack_pairs(&pairs, shape->trans_b, shape->k, shape->n, b, shape->ldb, packed);
        return true;
    }
    if (e->reorder == NULL && !make_reorder(e))
        return false;
    return dnnl_memory_set_data_handle(e->reorder_args[0].memory, (void *)(uintptr_t)b) ==
               dnnl_success &&
           dnnl_memory_set_data_handle(e->reorder_args[1].memory, packed) == dnnl_success &&
           dnnl_primitive_execute(e->reorder, own.stream, 2, e->reorder_args) == dnnl_success &&
           dnnl_stream_wait(own.stream) == dnnl_success;
}

bool rg_matmul_pack_bf16(const rg_matmul_shape *shape, const uint16_t *b, void *packed)
{
    const entry *e = find_primitive(shape);
    rg_pairs pairs;
    if (e == NULL || !is_pairs(&e->packed, &pairs))
        return false;
    rg_pack_pairs_bf16(&pairs, shape->k, shape->n, b, packed);
    return true;
}
