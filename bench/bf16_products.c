/* bf16_products.c - how fast oneDNN makes the products of fully connected layers of bfloat16.
 *
 *     bf16_products BATCH IN OUT [IN OUT ...]
 *
 * For each layer the three products of a step (Out = X W, dX = dZ W^T, dW = X^T dZ) with floats,
 * with bfloat16 in plain layouts, and with a second operand in the layout that oneDNN likes best;
 * what it costs to bring it there is timed apart. One thread, the best of some repeats; on standard
 * output one line a product: microseconds, GFLOP/s, and oneDNN's name for what computed it. */
#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void omp_set_num_threads(int threads);

enum { REPEATS = 5 };

static dnnl_engine_t engine;
static dnnl_stream_t stream;

typedef struct matrix {
    int64_t rows, columns, ld;
    bool trans; /* stored as [columns, rows] */
    dnnl_data_type_t type;
} matrix;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static dnnl_memory_desc_t plain(matrix m)
{
    dnnl_memory_desc_t md;
    dnnl_dims_t dims = {m.rows, m.columns}, strides = {m.trans ? 1 : m.ld, m.trans ? m.ld : 1};
    (void)dnnl_memory_desc_init_by_strides(&md, 2, dims, m.type, strides);
    return md;
}

static dnnl_memory_t memory(const dnnl_memory_desc_t *md)
{
    dnnl_memory_t out = NULL;
    void *data = NULL;
    if (dnnl_memory_create(&out, md, engine, DNNL_MEMORY_ALLOCATE) != dnnl_success)
        return NULL;
    (void)dnnl_memory_get_data_handle(out, &data);
    if (data != NULL)
        memset(data, 0, dnnl_memory_desc_get_size(md));
    return out;
}

static double timed(dnnl_primitive_t primitive, int n, const dnnl_exec_arg_t *args, double flops)
{
    double best = 1e9;
    int times = (int)(4e9 / (flops + 1e7)) / 10 + 2;
    for (int r = -1; r < REPEATS; r++) {
        double t = now();
        for (int i = 0; i < times; i++) {
            (void)dnnl_primitive_execute(primitive, stream, n, args);
            (void)dnnl_stream_wait(stream);
        }
        t = (now() - t) / times;
        if (r >= 0 && t < best)
            best = t;
    }
    return best;
}

static void time_reorder(const char *what, const dnnl_memory_desc_t *from,
                         const dnnl_memory_desc_t *to)
{
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    const char *name = "?";
    if (dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, NULL) != dnnl_success) {
        (void)printf("    %-52s none\n", what);
        return;
    }
    (void)dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    (void)dnnl_primitive_create(&primitive, pd);
    dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, memory(from)}, {DNNL_ARG_TO, memory(to)}};
    double t = timed(primitive, 2, args, 1e8);
    (void)printf("    %-52s %8.1f us              %s\n", what, t * 1e6, name);
    (void)dnnl_primitive_destroy(primitive);
    (void)dnnl_primitive_desc_destroy(pd);
    for (int i = 0; i < 2; i++)
        (void)dnnl_memory_destroy(args[i].memory);
}

typedef struct variant {
    const char *what;
    bool any_a, any_b, bias, relu, add; /* add: C += scale * product */
} variant;

static dnnl_primitive_attr_t attributes(const variant *v)
{
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    (void)dnnl_primitive_attr_create(&attr);
    (void)dnnl_post_ops_create(&ops);
    if (v->add) {
        const float runtime = DNNL_RUNTIME_F32_VAL;
        (void)dnnl_primitive_attr_set_output_scales(attr, 1, 0, &runtime);
        (void)dnnl_post_ops_append_sum(ops, 1);
    }
    if (v->relu)
        (void)dnnl_post_ops_append_eltwise(ops, 1, dnnl_eltwise_relu, 0, 0);
    (void)dnnl_primitive_attr_set_post_ops(attr, ops);
    (void)dnnl_post_ops_destroy(ops);
    return attr;
}

static void product(variant v, matrix a, matrix b, matrix c)
{
    dnnl_memory_desc_t pa = plain(a), pb = plain(b), pc = plain(c), bias;
    dnnl_memory_desc_t qa = pa, qb = pb, one;
    dnnl_dims_t bias_dims = {1, c.columns}, bias_strides = {c.columns, 1}, one_dims = {1},
                one_strides = {1};
    (void)dnnl_memory_desc_init_by_strides(&bias, 2, bias_dims, dnnl_f32, bias_strides);
    (void)dnnl_memory_desc_init_by_strides(&one, 1, one_dims, dnnl_f32, one_strides);
    if (v.any_a)
        (void)dnnl_memory_desc_init_by_tag(&qa, 2, pa.dims, a.type, dnnl_format_tag_any);
    if (v.any_b)
        (void)dnnl_memory_desc_init_by_tag(&qb, 2, pb.dims, b.type, dnnl_format_tag_any);
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_primitive_attr_t attr = attributes(&v);
    const char *name = "?";
    double flops = 2.0 * (double)a.rows * (double)a.columns * (double)b.columns;
    (void)dnnl_matmul_desc_init(&desc, &qa, &qb, v.bias ? &bias : NULL, &pc);
    if (dnnl_primitive_desc_create(&pd, &desc, attr, engine, NULL) != dnnl_success) {
        (void)printf("  %-54s none\n", v.what);
        return;
    }
    (void)dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    qa = *dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    qb = *dnnl_primitive_desc_query_md(pd, dnnl_query_weights_md, 0);
    (void)dnnl_primitive_create(&primitive, pd);
    dnnl_exec_arg_t args[] = {
        {DNNL_ARG_SRC, memory(&qa)},
        {DNNL_ARG_WEIGHTS, memory(&qb)},
        {DNNL_ARG_DST, memory(&pc)},
        {v.bias ? DNNL_ARG_BIAS : DNNL_ARG_ATTR_OUTPUT_SCALES, memory(v.bias ? &bias : &one)}};
    float *scale = NULL;
    if (v.add && dnnl_memory_get_data_handle(args[3].memory, (void **)&scale) == dnnl_success)
        *scale = 0.5f; /* of 0 the product would not be made */
    double t = timed(primitive, v.bias || v.add ? 4 : 3, args, flops);
    (void)printf("  %-54s %8.1f us %7.0f GF/s %s\n", v.what, t * 1e6, flops / t * 1e-9, name);
    if (v.any_b && !dnnl_memory_desc_equal(&qb, &pb)) {
        const dnnl_blocking_desc_t *k = &qb.format_desc.blocking;
        (void)printf("    layout of B: strides %lld %lld, inner", (long long)k->strides[0],
                     (long long)k->strides[1]);
        for (int i = 0; i < k->inner_nblks; i++)
            (void)printf(" %lld%c", (long long)k->inner_blks[i], (char)('a' + k->inner_idxs[i]));
        (void)printf(", padded to %lld x %lld\n", (long long)qb.padded_dims[0],
                     (long long)qb.padded_dims[1]);
        matrix from = b;
        time_reorder("B there, from bf16", &pb, &qb);
        from.type = dnnl_f32;
        dnnl_memory_desc_t floats = plain(from);
        time_reorder("B there, from f32", &floats, &qb);
    }
    if (v.any_a && !dnnl_memory_desc_equal(&qa, &pa))
        time_reorder("A there, from bf16", &pa, &qa);
    for (int i = 0; i < 4; i++)
        (void)dnnl_memory_destroy(args[i].memory);
    (void)dnnl_primitive_destroy(primitive);
    (void)dnnl_primitive_desc_destroy(pd);
    (void)dnnl_primitive_attr_destroy(attr);
}

static void layer(int64_t m, int64_t k, int64_t n)
{
    const dnnl_data_type_t F = dnnl_f32, B = dnnl_bf16;
    int64_t padded = (k + 31) / 32 * 32;
    (void)printf("Out = X W, %lld x %lld x %lld\n", (long long)m, (long long)k, (long long)n);
    product((variant){.what = "f32"}, (matrix){m, k, k, 0, F}, (matrix){k, n, n, 0, F},
            (matrix){m, n, n, 0, F});
    product((variant){.what = "bf16, to f32"}, (matrix){m, k, k, 0, B}, (matrix){k, n, n, 0, B},
            (matrix){m, n, n, 0, F});
    product((variant){.what = "bf16, to bf16"}, (matrix){m, k, k, 0, B}, (matrix){k, n, n, 0, B},
            (matrix){m, n, n, 0, B});
    product((variant){.what = "bf16, to bf16, packed W", .any_b = 1}, (matrix){m, k, k, 0, B},
            (matrix){k, n, n, 0, B}, (matrix){m, n, n, 0, B});
    product((variant){.what = "the same, bias and relu", .any_b = 1, .bias = 1, .relu = 1},
            (matrix){m, k, k, 0, B}, (matrix){k, n, n, 0, B}, (matrix){m, n, n, 0, B});
    if (padded != k)
        product((variant){.what = "the same, rows of X apart by 64 bytes", .any_b = 1, .bias = 1},
                (matrix){m, k, padded, 0, B}, (matrix){k, n, n, 0, B}, (matrix){m, n, n, 0, B});
    if (padded != k)
        product((variant){.what = "the same, terms padded with zeros to whole 32",
                          .any_b = 1,
                          .bias = 1},
                (matrix){m, padded, padded, 0, B}, (matrix){padded, n, n, 0, B},
                (matrix){m, n, n, 0, B});
    (void)printf("dX = dZ W^T\n");
    product((variant){.what = "f32"}, (matrix){m, n, n, 0, F}, (matrix){n, k, n, 1, F},
            (matrix){m, k, k, 0, F});
    product((variant){.what = "bf16, to bf16"}, (matrix){m, n, n, 0, B}, (matrix){n, k, n, 1, B},
            (matrix){m, k, k, 0, B});
    product((variant){.what = "bf16, to bf16, packed W", .any_b = 1}, (matrix){m, n, n, 0, B},
            (matrix){n, k, n, 1, B}, (matrix){m, k, k, 0, B});
    product((variant){.what = "bf16, to f32, packed W", .any_b = 1}, (matrix){m, n, n, 0, B},
            (matrix){n, k, n, 1, B}, (matrix){m, k, k, 0, F});
    int64_t terms = (n + 31) / 32 * 32;
    if (terms != n)
        product((variant){.what = "bf16, to bf16, packed W, terms padded to whole 32", .any_b = 1},
                (matrix){m, terms, terms, 0, B}, (matrix){terms, k, terms, 1, B},
                (matrix){m, k, k, 0, B});
    (void)printf("dW = X^T dZ\n");
    product((variant){.what = "f32"}, (matrix){k, m, k, 1, F}, (matrix){m, n, n, 0, F},
            (matrix){k, n, n, 0, F});
    product((variant){.what = "bf16, to f32"}, (matrix){k, m, k, 1, B}, (matrix){m, n, n, 0, B},
            (matrix){k, n, n, 0, F});
    product((variant){.what = "bf16, W += rate dW", .add = 1}, (matrix){k, m, k, 1, B},
            (matrix){m, n, n, 0, B}, (matrix){k, n, n, 0, F});
    product((variant){.what = "bf16, packed dZ", .any_b = 1}, (matrix){k, m, k, 1, B},
            (matrix){m, n, n, 0, B}, (matrix){k, n, n, 0, F});
    product((variant){.what = "bf16, X^T in rows, packed dZ", .any_b = 1}, (matrix){k, m, m, 0, B},
            (matrix){m, n, n, 0, B}, (matrix){k, n, n, 0, F});
    product((variant){.what = "bf16, X^T in rows, plain dZ"}, (matrix){k, m, m, 0, B},
            (matrix){m, n, n, 0, B}, (matrix){k, n, n, 0, F});
    product((variant){.what = "the same, W += rate dW", .any_b = 1, .add = 1},
            (matrix){k, m, m, 0, B}, (matrix){m, n, n, 0, B}, (matrix){k, n, n, 0, F});
    dnnl_memory_desc_t from = plain((matrix){k, m, k, 1, B}), to = plain((matrix){k, m, m, 0, B});
    time_reorder("X^T in rows, from bf16", &from, &to);
    from = plain((matrix){m, k, k, 0, F}), to = plain((matrix){m, k, k, 0, B});
    time_reorder("X from f32 to bf16", &from, &to);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc % 2 != 0) {
        (void)fprintf(stderr, "usage: bf16_products BATCH IN OUT [IN OUT ...]\n");
        return 2;
    }
    omp_set_num_threads(1);
    (void)dnnl_engine_create(&engine, dnnl_cpu, 0);
    (void)dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    const dnnl_version_t *version = dnnl_version();
    (void)printf("oneDNN %d.%d.%d, instructions %#x\n", version->major, version->minor,
                 version->patch, (unsigned)dnnl_get_effective_cpu_isa());
    for (int i = 2; i + 1 < argc; i += 2)
        layer(strtol(argv[1], NULL, 10), strtol(argv[i], NULL, 10), strtol(argv[i + 1], NULL, 10));
    return 0;
}
