/* bare_gemms.c - the matrix products of one training step of an MLP, and nothing else.
 *
 *     bare_gemms [--input] BATCH WIDTH WIDTH ...
 *
 * With --input the gradient of the first layer's input is wanted, too, as over embeddings.
 *
 * Each product is timed with OpenBLAS, oneDNN's sgemm and oneDNN's matmul primitive, and
 * the quickest is taken. Then, for every line on standard input, the whole set is run a
 * few times and the milliseconds of one set are printed (CPU time of the thread). */
#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void openblas_set_num_threads(int threads);
void omp_set_num_threads(int threads);

enum { MAX_PRODUCTS = 64, SETS = 20 };
enum { OPENBLAS, SGEMM, PRIMITIVE, LIBRARIES };

typedef struct product {
    int ta, tb;
    int64_t m, n, k;
    float *a, *b, *c;
    int library;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[3];
} product;

static product products[MAX_PRODUCTS];
static int n_products;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static float *matrix(int64_t n)
{
    float *x = aligned_alloc(64, ((size_t)n * sizeof *x + 63) / 64 * 64);
    for (int64_t i = 0; x != NULL && i < n; i++)
        x[i] = (float)(i % 17) * 0.01f;
    return x;
}

static void make_primitive(product *p)
{
    dnnl_dims_t da = {p->m, p->k}, db = {p->k, p->n}, dc = {p->m, p->n};
    dnnl_dims_t sa = {p->ta ? 1 : p->k, p->ta ? p->m : 1},
                sb = {p->tb ? 1 : p->n, p->tb ? p->k : 1};
    dnnl_dims_t sc = {p->n, 1};
    dnnl_memory_desc_t a, b, c;
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t pd;
    dnnl_memory_t ma, mb, mc;
    dnnl_memory_desc_init_by_strides(&a, 2, da, dnnl_f32, sa);
    dnnl_memory_desc_init_by_strides(&b, 2, db, dnnl_f32, sb);
    dnnl_memory_desc_init_by_strides(&c, 2, dc, dnnl_f32, sc);
    dnnl_matmul_desc_init(&desc, &a, &b, NULL, &c);
    dnnl_primitive_desc_create(&pd, &desc, NULL, engine, NULL);
    dnnl_primitive_create(&p->primitive, pd);
    dnnl_memory_create(&ma, &a, engine, p->a);
    dnnl_memory_create(&mb, &b, engine, p->b);
    dnnl_memory_create(&mc, &c, engine, p->c);
    p->args[0] = (dnnl_exec_arg_t){DNNL_ARG_SRC, ma};
    p->args[1] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, mb};
    p->args[2] = (dnnl_exec_arg_t){DNNL_ARG_DST, mc};
}

static void run(const product *p, int library)
{
    int64_t lda = p->ta ? p->m : p->k, ldb = p->tb ? p->k : p->n;
    if (library == OPENBLAS) {
        cblas_sgemm(CblasRowMajor, p->ta ? CblasTrans : CblasNoTrans,
                    p->tb ? CblasTrans : CblasNoTrans, (int)p->m, (int)p->n, (int)p->k, 1, p->a,
                    (int)lda, p->b, (int)ldb, 0, p->c, (int)p->n);
    } else if (library == SGEMM) {
        dnnl_sgemm(p->ta ? 'T' : 'N', p->tb ? 'T' : 'N', p->m, p->n, p->k, 1, p->a, lda, p->b, ldb,
                   0, p->c, p->n);
    } else {
        dnnl_primitive_execute(p->primitive, stream, 3, p->args);
        dnnl_stream_wait(stream);
    }
}

/* The library that does this product quickest, of the best of three. */
static void choose(product *p)
{
    double best = 1e9;
    int times = (int)(2e8 / (2.0 * (double)p->m * (double)p->n * (double)p->k)) + 2;
    for (int library = 0; library < LIBRARIES; library++) {
        run(p, library);
        for (int r = 0; r < 3; r++) {
            double t = now();
            for (int i = 0; i < times; i++)
                run(p, library);
            t = (now() - t) / times;
            if (t < best) {
                best = t;
                p->library = library;
            }
        }
    }
}

static void add(int ta, int tb, int64_t m, int64_t n, int64_t k)
{
    product *p = &products[n_products++];
    *p = (product){ta, tb, m, n, k, matrix(m * k), matrix(k * n), matrix(m * n), 0, NULL, {{0}}};
    make_primitive(p);
    choose(p);
}

int main(int argc, char **argv)
{
    char line[64];
    int input = argc > 1 && strcmp(argv[1], "--input") == 0;
    argc -= input;
    argv += input;
    if (argc < 4 || argc - 3 > MAX_PRODUCTS / 3) {
        (void)fprintf(stderr, "usage: bare_gemms [--input] BATCH WIDTH WIDTH ...\n");
        return 2;
    }
    openblas_set_num_threads(1);
    omp_set_num_threads(1);
    dnnl_engine_create(&engine, dnnl_cpu, 0);
    dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    int64_t batch = strtol(argv[1], NULL, 10);
    for (int i = 2; i + 1 < argc; i++) {
        int64_t in = strtol(argv[i], NULL, 10), out = strtol(argv[i + 1], NULL, 10);
        add(0, 0, batch, out, in); /* forward */
        add(1, 0, in, out, batch); /* gradient of the weight */
        if (i > 2 || input)
            add(0, 1, batch, in, out); /* gradient of the input */
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        double t = now();
        for (int s = 0; s < SETS; s++)
            for (int i = 0; i < n_products; i++)
                run(&products[i], products[i].library);
        (void)printf("%.6f\n", (now() - t) / SETS * 1e3);
        (void)fflush(stdout);
    }
    return 0;
}
