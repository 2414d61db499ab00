/* test_bf16.c - products of bfloat16: oneDNN's and the emulated ones against sums of doubles, and
 * the layout in which the second operand is packed against its definition. oneDNN computes them on
 * any CPU with AVX-512, if slowly, so that its calls are tested where no such instructions are. */
#include "check.h"

#include "base/bf16.h"
#include "base/mem.h"
#include "base/philox.h"
#include "math/bf16.h"
#include "math/linear_bf16.h"
#include "math/pairs.h"

#include <math.h>
#include <stdlib.h>

enum { ROOM = 1 << 19 };

static float *numbers; /* ROOM of them, from -1 to 1 */

static void *room(size_t bytes)
{
    void *out = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(out);
    return out;
}

static int setup(void **state)
{
    (void)state;
    numbers = room(ROOM * sizeof *numbers);
    for (uint32_t i = 0; i < ROOM; i++)
        numbers[i] = (float)((i * 2654435761u) >> 8) * 0x1p-23f - 1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(numbers);
    return 0;
}

/* ---- rounding ---- */

static void every_bfloat16_is_itself_again(void **state)
{
    (void)state;
    for (uint32_t x = 0; x < 65536; x++) {
        float f = rg_bf16_float((uint16_t)x);
        if (isnan(f))
            assert_true(isnan(rg_bf16_float(rg_bf16_of(f))));
        else
            assert_int_equal(rg_bf16_of(f), x);
    }
}

static void between_two_the_nearer_one_is_taken(void **state)
{
    (void)state;
    for (uint16_t x = 0; x < 0x7f7f; x++) {
        float low = rg_bf16_float(x), high = rg_bf16_float((uint16_t)(x + 1));
        float middle = low + (high - low) / 2;
        uint16_t even = (x & 1) != 0 ? (uint16_t)(x + 1) : x;
        assert_int_equal(rg_bf16_of(middle), even);
        assert_int_equal(rg_bf16_of(-middle), even | 0x8000);
        assert_int_equal(rg_bf16_of(nextafterf(middle, 0)), x);
        assert_int_equal(rg_bf16_of(nextafterf(middle, INFINITY)), x + 1);
    }
}

static void a_nan_stays_a_nan_whatever_is_cut_off(void **state)
{
    (void)state;
    float hidden = rg_bits_to_float(0x7f800001), many[40], back[40];
    uint16_t shorts[40];
    assert_true(isnan(rg_bf16_float(rg_bf16_of(hidden))));
    for (int i = 0; i < 40; i++)
        many[i] = i % 3 == 0 ? hidden : i % 3 == 1 ? -INFINITY : 1.0f / 3;
    rg_bf16_from_floats(shorts, many, 40);
    rg_bf16_to_floats(back, shorts, 40);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(shorts[i], rg_bf16_of(many[i]));
        assert_true(i % 3 == 0 ? isnan(back[i]) : i % 3 == 1 ? isinf(back[i]) : back[i] < 0.335f);
    }
}

/* ---- products ---- */

static double rounded(float x)
{
    return (double)rg_bf16_float(rg_bf16_of(x));
}

static void check_product(const rg_bf16_product *p)
{
    size_t an = (size_t)(p->m * p->k), bn = (size_t)(p->k * p->n), cn = (size_t)(p->m * p->n);
    const float *fa = numbers, *fb = numbers + 77, *bias = numbers + 5;
    uint16_t *a = room(an * 2), *b = room(bn * 2);
    void *c = room(cn * sizeof(float)), *packed = p->packed ? room(rg_bf16_packed_bytes(p)) : NULL;
    rg_bf16_from_floats(a, fa, an);
    rg_bf16_from_floats(b, fb, bn);
    if (p->packed)
        assert_ok(rg_bf16_pack(p, fb, packed));
    assert_ok(rg_bf16_multiply(p, a, p->packed ? packed : b, p->bias ? bias : NULL, c));
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            double sum = p->bias ? (double)bias[j] : 0;
            for (int64_t q = 0; q < p->k; q++)
                sum += rounded(fa[p->trans_a ? q * p->lda + i : i * p->lda + q]) *
                       rounded(fb[p->trans_b ? j * p->ldb + q : q * p->ldb + j]);
            double got = p->bf16_out ? (double)rg_bf16_float(((uint16_t *)c)[i * p->ldc + j])
                                     : (double)((float *)c)[i * p->ldc + j];
            double allowed = p->bf16_out ? 1e-4 + fabs(sum) / 200 : 1e-4;
            if (!(fabs(got - sum) <= allowed))
                fail_msg("[%lld, %lld] is %g, and should be %g", (long long)i, (long long)j, got,
                         sum);
        }
    free(a);
    free(b);
    free(c);
    free(packed);
}

static void products_are_those_of_rounded_numbers(void **state)
{
    static const int64_t sizes[][3] = {{64, 48, 40}, {32, 400, 64}, {65, 33, 71}, {128, 16, 273}};
    (void)state;
    for (int i = 0; i < 4 * 32; i++) {
        const int64_t *s = sizes[i / 32];
        rg_bf16_product p = {.precision = i & 1 ? RG_BF16_PRODUCTS : RG_BF16_EMULATED,
                             .trans_a = i & 2,
                             .trans_b = i & 4,
                             .bias = i & 8,
                             .packed = i & 16,
                             .bf16_out = (i / 7) & 1,
                             .m = s[0],
                             .n = s[1],
                             .k = s[2]};
        p.lda = p.trans_a ? p.m : p.k;
        p.ldb = p.trans_b ? p.k : p.n;
        p.ldc = p.n;
        check_product(&p);
    }
}

static void products_of_floats_are_scaled_and_added(void **state)
{
    enum { M = 64, N = 72, K = 80 };
    (void)state;
    float *c = room(M * N * sizeof *c);
    for (int p = RG_FP32_PRODUCTS; p <= RG_BF16_EMULATED; p++) {
        memcpy(c, numbers, M * N * sizeof *c);
        assert_ok(rg_gemm_bf16((rg_precision)p, true, false, M, N, K, -0.5f, numbers, M,
                               numbers + 9, N, 1, c, N));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int q = 0; q < K; q++)
                    sum += (double)numbers[q * M + i] * (double)numbers[9 + q * N + j];
                assert_true(fabs((double)c[i * N + j] - (double)numbers[i * N + j] + 0.5 * sum) <
                            (p == RG_FP32_PRODUCTS ? 1e-5 : 5e-2));
            }
    }
    free(c);
}

/* ---- the layout ---- */

static void packing_is_by_its_definition(void **state)
{
    static const int64_t sizes[][2] = {{64, 128}, {37, 19}, {400, 273}, {32, 16}, {1, 1}};
    static const int64_t wide[] = {16, 32, 48, 64};
    (void)state;
    for (int i = 0; i < 5 * 4 * 2; i++) {
        int64_t rows = sizes[i / 8][0], columns = sizes[i / 8][1], w = wide[i % 8 / 2];
        bool trans = i % 2;
        int64_t down = (rows + 31) / 32, across = (columns + w - 1) / w;
        rg_pairs l = {16, w, 32 * w, 32 * w * down, 32 * down, w * across};
        uint16_t *to = room((size_t)(l.padded_rows * l.padded_columns) * 2);
        memset(to, 0xee, (size_t)(l.padded_rows * l.padded_columns) * 2);
        rg_pack_pairs(&l, trans, rows, columns, numbers, trans ? rows : columns, to);
        if (!trans) {
            uint16_t *shorts = room((size_t)(rows * columns) * 2),
                     *same = room((size_t)(l.padded_rows * l.padded_columns) * 2);
            memset(same, 0xcc, (size_t)(l.padded_rows * l.padded_columns) * 2);
            rg_bf16_from_floats(shorts, numbers, (size_t)(rows * columns));
            rg_pack_pairs_bf16(&l, rows, columns, shorts, same);
            assert_memory_equal(same, to, (size_t)(l.padded_rows * l.padded_columns) * 2);
            free(shorts);
            free(same);
        }
        for (int64_t r = 0; r < l.padded_rows; r++)
            for (int64_t j = 0; j < l.padded_columns; j++) {
                int64_t at = r / 32 * l.down + j / w * l.across + (r % 32 / 2 * w + j % w) * 2 +
                             r % 2;
                uint16_t wanted = 0;
                if (r < rows && j < columns)
                    wanted = rg_bf16_of(numbers[trans ? j * rows + r : r * columns + j]);
                assert_int_equal(to[at], wanted);
            }
        free(to);
    }
}

static void matrices_are_turned(void **state)
{
    static const int64_t sizes[][2] = {{32, 32}, {512, 273}, {33, 100}, {5, 7}, {64, 31}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        int64_t rows = sizes[i][0], columns = sizes[i][1];
        size_t n = (size_t)(rows * columns);
        uint16_t *from = room(n * 2), *to = room(n * 2);
        for (size_t at = 0; at < n; at++)
            from[at] = (uint16_t)(at * 7919);
        rg_turn_bf16(from, rows, columns, to);
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++)
                assert_int_equal(to[c * rows + r], from[r * columns + c]);
        free(from);
        free(to);
    }
}

/* ---- layers ---- */

enum { M = 64, N = 48, K = 96 };

static double layer_sum(const float *x, const float *w, const float *b, int i, int j)
{
    double sum = (double)b[j];
    for (int q = 0; q < K; q++)
        sum += rounded(x[i * K + q]) * rounded(w[q * N + j]);
    return sum;
}

static void a_layer_of_either_type_is_the_same(void **state)
{
    static const rg_activation acts[] = {RG_ACT_NONE, RG_ACT_RELU, RG_ACT_SIGMOID, RG_ACT_TANH};
    const float *x = numbers, *w = numbers + 9000, *b = numbers + 30;
    uint16_t *x16 = room(M * K * 2);
    float *out = room(M * N * sizeof *out);
    (void)state;
    rg_bf16_from_floats(x16, x, M * K);
    for (int i = 0; i < 32; i++) {
        rg_linear l = {i & 1 ? RG_BF16_PRODUCTS : RG_BF16_EMULATED, acts[i / 8], M, N, K};
        rg_numbers from = {i & 2 ? (void *)x16 : (void *)(uintptr_t)x, i & 2}, to = {out, i & 4};
        assert_ok(rg_linear_bf16(&l, from, w, b, to));
        for (int r = 0; r < M; r++)
            for (int j = 0; j < N; j++) {
                double z = layer_sum(x, w, b, r, j);
                double y = l.act == RG_ACT_RELU      ? fmax(z, 0)
                           : l.act == RG_ACT_SIGMOID ? 1 / (1 + exp(-z))
                           : l.act == RG_ACT_TANH    ? tanh(z)
                                                     : z;
                double got = to.bf16 ? (double)rg_bf16_float(((uint16_t *)out)[r * N + j])
                                     : (double)out[r * N + j];
                assert_true(fabs(got - y) <= 1e-4 + (to.bf16 ? fabs(y) / 200 : 0));
            }
    }
    free(x16);
    free(out);
}

static double at_of(const void *x, bool bf16, int64_t i)
{
    return bf16 ? (double)rg_bf16_float(((const uint16_t *)x)[i]) : (double)((const float *)x)[i];
}

static void check_gradients(const rg_linear *l, bool x_bf16, bool dx_bf16, bool step)
{
    int64_t m = l->m, n = l->n, k = l->k;
    uint16_t *x16 = room((size_t)(m * k) * 2);
    float *dx = room((size_t)(m * k) * 4), *dw = room((size_t)(k * n) * 4),
          *sums = room((size_t)n * 4);
    const float *w = numbers + 5000, *out = numbers + 300, *dout = numbers + 777;
    rg_bf16_from_floats(x16, numbers, (size_t)(m * k));
    memcpy(dw, w, (size_t)(k * n) * 4);
    rg_linear_grads g = {.x = {x_bf16 ? (void *)x16 : numbers, x_bf16},
                         .out = {(void *)(uintptr_t)out, false},
                         .dout = {(void *)(uintptr_t)dout, false},
                         .w = step ? dw : w,
                         .dx = {dx, dx_bf16},
                         .dw = step ? NULL : dw,
                         .sums = sums,
                         .w_out = step ? dw : NULL,
                         .rate = 0.5f};
    assert_ok(rg_linear_grads_bf16(l, &g));
#define DZ(i, j) (out[(i)*n + (j)] > 0 ? (double)dout[(i)*n + (j)] : 0)
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < m; i++)
            sum += DZ(i, j);
        assert_true(fabs((double)sums[j] - sum) < 1e-3);
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t p = 0; p < k; p++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++)
                sum += DZ(i, j) * (double)w[p * n + j];
            assert_true(fabs(at_of(dx, dx_bf16, i * k + p) - sum) < 0.03 + fabs(sum) / 100);
        }
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < m; i++)
                sum += (double)numbers[i * k + p] * DZ(i, j);
            double wanted = step ? (double)w[p * n + j] - 0.5 * sum : sum;
            assert_true(fabs((double)dw[p * n + j] - wanted) < 0.05);
        }
#undef DZ
    free(x16);
    free(dx);
    free(dw);
    free(sums);
}

static void gradients_of_a_layer_wide_and_narrow(void **state)
{
    static const int64_t sizes[][3] = {
        {64, 48, 96}, {64, 2, 100}, {40, 7, 33}, {9, 9, 9}, {33, 70, 40}};
    (void)state;
    for (int i = 0; i < 5 * 16; i++) {
        const int64_t *s = sizes[i / 16];
        rg_linear l = {i & 1 ? RG_BF16_PRODUCTS : RG_BF16_EMULATED, RG_ACT_RELU, s[0], s[1], s[2]};
        check_gradients(&l, i & 2, i & 4, i & 8);
    }
}

static void a_narrow_layer_adds_up_floats(void **state)
{
    static const int64_t sizes[][3] = {{64, 2, 100}, {40, 7, 33}, {1, 15, 700}};
    (void)state;
    for (int i = 0; i < 6; i++) {
        const int64_t *s = sizes[i / 2];
        rg_linear l = {RG_BF16_EMULATED, RG_ACT_NONE, s[0], s[1], s[2]};
        uint16_t *x16 = room((size_t)(l.m * l.k) * 2);
        float *out = room((size_t)(l.m * l.n) * 4);
        const float *w = numbers + 99;
        rg_bf16_from_floats(x16, numbers, (size_t)(l.m * l.k));
        rg_numbers x = {i % 2 ? (void *)x16 : numbers, i % 2};
        assert_ok(rg_linear_bf16(&l, x, w, numbers, (rg_numbers){out, false}));
        for (int64_t r = 0; r < l.m; r++)
            for (int64_t j = 0; j < l.n; j++) {
                double sum = (double)numbers[j];
                for (int64_t q = 0; q < l.k; q++)
                    sum += at_of(x.data, x.bf16, r * l.k + q) * (double)w[q * l.n + j];
                assert_true(fabs((double)out[r * l.n + j] - sum) < 1e-4);
            }
        free(x16);
        free(out);
    }
}

static void a_nan_goes_through_a_layer_and_its_gradients(void **state)
{
    (void)state;
    float *x = room(M * K * sizeof *x), *w = room(K * N * sizeof *w), sums[N];
    uint16_t *out = room(M * N * 2), *dx = room(M * K * 2);
    float *dout = room(M * N * sizeof *dout);
    memcpy(x, numbers, M * K * sizeof *x);
    memcpy(w, numbers, K * N * sizeof *w);
    memcpy(dout, numbers, M * N * sizeof *dout);
    x[3 * K + 5] = NAN;
    dout[7 * N + 2] = NAN;
    for (int p = RG_BF16_PRODUCTS; p <= RG_BF16_EMULATED; p++) {
        rg_linear l = {(rg_precision)p, RG_ACT_RELU, M, N, K};
        assert_ok(rg_linear_bf16(&l, (rg_numbers){x, false}, w, numbers, (rg_numbers){out, true}));
        for (int j = 0; j < N; j++)
            assert_true(isnan(rg_bf16_float(out[3 * N + j])));
        rg_linear_grads g = {.x = {x, false},
                             .out = {out, true},
                             .dout = {dout, false},
                             .w = w,
                             .dx = {dx, true},
                             .sums = sums,
                             .w_out = w,
                             .rate = 0};
        assert_ok(rg_linear_grads_bf16(&l, &g));
        assert_true(isnan(sums[2]) && !isnan(sums[3]));
        assert_true(isnan(rg_bf16_float(dx[7 * K])) && !isnan(rg_bf16_float(dx[8 * K])));
        assert_true(isnan(w[0 * N + 2]) && isnan(w[5 * N + 1]) && !isnan(w[1]));
        memcpy(w, numbers, K * N * sizeof *w);
    }
    free(x);
    free(w);
    free(out);
    free(dx);
    free(dout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bfloat16_is_itself_again),
        cmocka_unit_test(between_two_the_nearer_one_is_taken),
        cmocka_unit_test(a_nan_stays_a_nan_whatever_is_cut_off),
        cmocka_unit_test(products_are_those_of_rounded_numbers),
        cmocka_unit_test(products_of_floats_are_scaled_and_added),
        cmocka_unit_test(packing_is_by_its_definition),
        cmocka_unit_test(matrices_are_turned),
        cmocka_unit_test(a_layer_of_either_type_is_the_same),
        cmocka_unit_test(gradients_of_a_layer_wide_and_narrow),
        cmocka_unit_test(a_narrow_layer_adds_up_floats),
        cmocka_unit_test(a_nan_goes_through_a_layer_and_its_gradients),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
