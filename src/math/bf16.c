/* bf16.c - products of bfloat16: by oneDNN, or emulated. */
#include "math/bf16.h"

#include "base/bf16.h"
#include "base/mem.h"
#include "math/gemm.h"
#include "math/libraries.h"
#include "sys/flags.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ---- */

rg_status rg_precision_check(rg_precision precision, const char *who)
{
    if (precision != RG_BF16_PRODUCTS)
        return RG_OK;
    unsigned isa = (unsigned)dnnl_get_effective_cpu_isa();
    if ((isa & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16)
        return RG_OK;
    return rg_fail(RG_EUNIMPL,
                   "%s needs a CPU that multiplies bfloat16 (AVX512-BF16 or AMX: avx512_bf16 or "
                   "amx_bf16 in /proc/cpuinfo), and this one does not. float32 needs none "
                   "(FLAGS_matmul_precision=fp32, an optimizer that is not decorated); "
                   "FLAGS_matmul_precision=bf16_emulated gives the numbers of bf16, slowly",
                   who);
}

static rg_status parse(const char *text, rg_precision *out)
{
    static const char *const names[] = {"fp32", "bf16", "bf16_emulated"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (rg_precision)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL,
                   "FLAGS_matmul_precision is '%s', and must be fp32, bf16 or bf16_emulated", text);
}

rg_status rg_precision_of_flag(rg_precision *out)
{
    const char *text;
    RG_TRY(rg_flag_text("matmul_precision", &text));
    return parse(text, out);
}

/* As of rg_matmul_suits(): a primitive is dear to make, and batches of sequences have another
 * number of rows each time. Packing a weight costs 0.23 ns a number, and multiplying a number of it
 * with one row of floats 0.013: with FEW rows there is nothing to gain where bfloat16 is twice as
 * quick, and with less there is something to lose. */
bool rg_bf16_suits(int64_t m, int64_t n, int64_t k, int64_t batch)
{
    enum { NARROW = 16, FEW = 32, ROUND = 8, LEAST = 64 * 64 * 64, LARGE = 1 << 24 };
    int64_t work = m * n * k;
    return m >= NARROW && n >= NARROW && k >= NARROW && batch >= FEW && work >= LEAST &&
           (work >= LARGE || batch % ROUND == 0);
}

/* ---- memory ---- */

typedef struct room {
    void *data;
    size_t bytes;
} room;

static _Thread_local room rooms[RG_ROOMS];
static pthread_key_t rooms_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_rooms(void *arg)
{
    room *mine = arg;
    for (int i = 0; i < RG_ROOMS; i++) {
        free(mine[i].data); /* from aligned_alloc */
        mine[i] = (room){0};
    }
}

static void make_key(void)
{
    (void)pthread_key_create(&rooms_key, drop_rooms);
}

void *rg_bf16_room(int place, size_t bytes)
{
    enum { ALIGN = 64 };
    room *r = &rooms[place];
    if (bytes <= r->bytes)
        return r->data;
    (void)pthread_once(&once, make_key);
    (void)pthread_setspecific(rooms_key, rooms);
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    void *data = aligned_alloc(ALIGN, bytes);
    if (data == NULL) {
        (void)rg_no_memory(bytes, "a product of bfloat16");
        return NULL;
    }
    free(r->data);
    *r = (room){data, bytes};
    return data;
}

enum { ROOM_A, ROOM_B, ROOM_C, ROOM_SUM };

/* ---- products ---- */

static rg_matmul_shape shape_of(const rg_bf16_product *p)
{
    return (rg_matmul_shape){.trans_a = p->trans_a,
                             .trans_b = p->trans_b,
                             .bias = p->bias,
                             .m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .lda = p->lda,
                             .ldb = p->ldb,
                             .ldc = p->ldc,
                             .bf16 = true,
                             .bf16_out = p->bf16_out,
                             .packed = p->packed};
}

static int64_t rows_of(bool trans, int64_t rows, int64_t columns)
{
    return trans ? columns : rows;
}

/* Packed for the emulation: rounded floats, as they stand, without gaps. */
static size_t plain_bytes(const rg_bf16_product *p)
{
    return (size_t)(p->k * p->n) * sizeof(float);
}

size_t rg_bf16_packed_bytes(const rg_bf16_product *p)
{
    rg_matmul_shape shape = shape_of(p);
    rg_gemm_configure();
    size_t bytes = p->precision == RG_BF16_PRODUCTS ? rg_matmul_packed_bytes(&shape) : 0;
    return bytes > 0 ? bytes : plain_bytes(p);
}

rg_status rg_bf16_pack(const rg_bf16_product *p, const float *b, void *packed)
{
    rg_matmul_shape shape = shape_of(p);
    rg_gemm_configure();
    if (p->precision == RG_BF16_PRODUCTS && rg_matmul_packed_bytes(&shape) > 0)
        return rg_matmul_pack(&shape, b, packed)
                   ? RG_OK
                   : rg_fail(RG_EUNIMPL, "oneDNN cannot pack a matrix as bfloat16");
    int64_t rows = rows_of(p->trans_b, p->k, p->n), columns = rows_of(p->trans_b, p->n, p->k);
    for (int64_t i = 0; i < rows; i++)
        rg_bf16_round_floats((float *)packed + i * columns, b + i * p->ldb, (size_t)columns);
    return RG_OK;
}

bool rg_bf16_pack_rows(const rg_bf16_product *p, const uint16_t *b, void *packed)
{
    rg_matmul_shape shape = shape_of(p);
    rg_gemm_configure();
    return p->precision == RG_BF16_PRODUCTS && rg_matmul_pack_bf16(&shape, b, packed);
}

/* Rows of bfloat16 as floats without gaps; NULL: no memory. */
static float *floats_of(int place, const uint16_t *x, int64_t rows, int64_t columns, int64_t ld)
{
    float *out = rg_bf16_room(place, (size_t)(rows * columns) * sizeof *out);
    for (int64_t i = 0; out != NULL && i < rows; i++)
        rg_bf16_to_floats(out + i * columns, x + i * ld, (size_t)columns);
    return out;
}

static void add_bias(float *row, const float *bias, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        row[j] += bias[j];
}

static rg_status emulate(const rg_bf16_product *p, const uint16_t *a, const void *b,
                         const float *bias, void *c)
{
    int64_t a_rows = rows_of(p->trans_a, p->m, p->k), a_columns = rows_of(p->trans_a, p->k, p->m);
    int64_t b_rows = rows_of(p->trans_b, p->k, p->n), b_columns = rows_of(p->trans_b, p->n, p->k);
    const float *x = floats_of(ROOM_A, a, a_rows, a_columns, p->lda);
    const float *y = p->packed ? b : floats_of(ROOM_B, b, b_rows, b_columns, p->ldb);
    float *z = p->bf16_out ? rg_bf16_room(ROOM_C, (size_t)(p->m * p->n) * sizeof *z) : c;
    int64_t ldz = p->bf16_out ? p->n : p->ldc;
    if (x == NULL || y == NULL || z == NULL)
        return RG_ENOMEM;
    rg_gemm_f32(p->trans_a, p->trans_b, p->m, p->n, p->k, 1, x, a_columns, y, b_columns, 0, z, ldz);
    for (int64_t i = 0; i < p->m; i++) {
        if (p->bias)
            add_bias(z + i * ldz, bias, p->n);
        if (p->bf16_out)
            rg_bf16_from_floats((uint16_t *)c + i * p->ldc, z + i * ldz, (size_t)p->n);
    }
    return RG_OK;
}

rg_status rg_bf16_multiply(const rg_bf16_product *p, const uint16_t *a, const void *b,
                           const float *bias, void *c)
{
    rg_matmul_shape shape = shape_of(p);
    rg_gemm_configure();
    if (p->precision == RG_BF16_PRODUCTS && rg_matmul_run(&shape, a, b, bias, c))
        return RG_OK;
    return emulate(p, a, b, bias, c);
}

/* ---- products of floats ---- */

static const uint16_t *rounded(int place, const float *x, int64_t rows, int64_t columns, int64_t ld)
{
    uint16_t *out = rg_bf16_room(place, (size_t)(rows * columns) * sizeof *out);
    for (int64_t i = 0; out != NULL && i < rows; i++)
        rg_bf16_from_floats(out + i * columns, x + i * ld, (size_t)columns);
    return out;
}

RG_HOT static void scale_and_add(float alpha, const float *x, float beta, float *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = alpha * x[i] + (beta != 0 ? beta * y[i] : 0);
}

rg_status rg_gemm_bf16(rg_precision precision, bool trans_a, bool trans_b, int64_t m, int64_t n,
                       int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                       int64_t ldb, float beta, float *c, int64_t ldc)
{
    if (precision == RG_FP32_PRODUCTS || !rg_bf16_suits(m, n, k, trans_a ? k : m)) {
        rg_gemm_f32(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return RG_OK;
    }
    enum { OWN_A = RG_ROOM_OWN + 4, OWN_B };
    bool straight = alpha == 1 && beta == 0;
    rg_bf16_product p = {.precision = precision,
                         .trans_a = trans_a,
                         .trans_b = trans_b,
                         .m = m,
                         .n = n,
                         .k = k,
                         .lda = trans_a ? m : k,
                         .ldb = trans_b ? k : n,
                         .ldc = straight ? ldc : n};
    const uint16_t *x = rounded(OWN_A, a, rows_of(trans_a, m, k), p.lda, lda);
    const uint16_t *y = rounded(OWN_B, b, rows_of(trans_b, k, n), p.ldb, ldb);
    float *z = straight ? c : rg_bf16_room(ROOM_SUM, (size_t)(m * n) * sizeof *z);
    if (x == NULL || y == NULL || z == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_bf16_multiply(&p, x, y, NULL, z));
    for (int64_t i = 0; !straight && i < m; i++)
        scale_and_add(alpha, z + i * n, beta, c + i * ldc, n);
    return RG_OK;
}
