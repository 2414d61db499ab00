/* Products of matrices: the same inputs give the same bits, whatever was computed before, on any
 * thread and wherever the matrices stand in memory. */
#include "check.h"

#include "base/mem.h"
#include "base/philox.h"
#include "math/gemm.h"

#include <pthread.h>
#include <string.h>

enum { ROOM = 1 << 20, SHIFT = 16 };

typedef struct product {
    bool trans_a, trans_b;
    int64_t m, n, k;
    float alpha, beta;
    rg_activation act; /* with a bias, where it is not none */
} product;

static const product products[] = {
    {false, false, 128, 64, 64, 1, 0, RG_ACT_NONE},
    {false, true, 128, 64, 64, 1, 0, RG_ACT_NONE},
    {true, false, 128, 64, 64, 1, 0, RG_ACT_NONE},
    {false, false, 101, 64, 64, 1, 0, RG_ACT_NONE},
    {false, true, 1000, 64, 64, 1, 0, RG_ACT_NONE},
    {false, false, 512, 400, 390, 1, 0, RG_ACT_RELU},
    {false, true, 512, 400, 390, 1, 0, RG_ACT_NONE},
    {true, false, 390, 400, 512, -0.1f, 1, RG_ACT_NONE},
    {false, false, 300, 1, 300, 1, 0, RG_ACT_NONE},
    {false, false, 4, 300, 300, 1, 0, RG_ACT_NONE},
    {false, false, 20, 20, 20, 1, 0, RG_ACT_SIGMOID},
    {false, true, 20, 20, 20, 1, 0, RG_ACT_NONE},
    {false, false, 256, 64, 65, 1, 0, RG_ACT_TANH},
};
enum { PRODUCTS = sizeof products / sizeof products[0] };

static float *a, *b, *c, *d, *numbers;

static void compute(const product *p, int shift, float *out)
{
    float *x = a + shift, *y = b + shift, *z = c + shift, *bias = d + shift;
    memcpy(x, numbers, (size_t)(p->m * p->k) * sizeof *x);
    memcpy(y, numbers + 77, (size_t)(p->k * p->n) * sizeof *y);
    memcpy(z, numbers + 33, (size_t)(p->m * p->n) * sizeof *z);
    memcpy(bias, numbers, (size_t)p->n * sizeof *bias);
    if (p->act != RG_ACT_NONE)
        rg_linear_f32(p->m, p->n, p->k, x, y, bias, p->act, z);
    else
        rg_gemm_f32(p->trans_a, p->trans_b, p->m, p->n, p->k, p->alpha, x, p->trans_a ? p->m : p->k,
                    y, p->trans_b ? p->k : p->n, p->beta, z, p->n);
    memcpy(out, z, (size_t)(p->m * p->n) * sizeof *z);
}

static float *wanted[PRODUCTS];

static void expect_same(int shift)
{
    float *again = rg_alloc(ROOM * sizeof *again);
    assert_non_null(again);
    for (int i = 0; i < PRODUCTS; i++) {
        compute(&products[i], shift, again);
        if (memcmp(again, wanted[i], (size_t)(products[i].m * products[i].n) * sizeof *again) != 0)
            fail_msg("product %d has other bits than at first", i);
    }
    rg_free(again);
}

static void often(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++)
        expect_same(0);
}

static void after_many_other_shapes(void **state)
{
    float *out = rg_alloc(ROOM * sizeof *out);
    (void)state;
    for (int64_t n = 64; n < 64 + 300; n++) /* more than are kept */
        for (int trans = 0; trans < 2; trans++)
            compute(&(product){false, trans != 0, 72, n, 64, 1, 0, RG_ACT_NONE}, 0, out);
    rg_free(out);
    expect_same(0);
}

static void *on_thread(void *arg)
{
    expect_same(0);
    return arg;
}

static void on_another_thread(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, on_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void after_a_run_with_another_number_of_threads(void **state)
{
    float *out = rg_alloc(ROOM * sizeof *out);
    (void)state;
    rg_gemm_threads(2);
    for (int i = 0; i < PRODUCTS; i++)
        compute(&products[i], 0, out);
    rg_gemm_threads(0);
    expect_same(0);
    rg_free(out);
}

static void wherever_in_memory(void **state)
{
    (void)state;
    for (int shift = 1; shift < SHIFT; shift += 3)
        expect_same(shift);
}

static int fill(void **state)
{
    uint32_t r[4];
    float **all[] = {&a, &b, &c, &d, &numbers};
    (void)state;
    for (int i = 0; i < 5; i++)
        *all[i] = rg_alloc((ROOM + SHIFT + 77) * sizeof(float));
    for (size_t i = 0; i < ROOM; i++) {
        rg_philox((rg_philox_key){1, 2}, i, r);
        numbers[i] = (float)r[0] * 0x1p-32f - 0.5f;
    }
    for (int i = 0; i < PRODUCTS; i++) {
        wanted[i] = rg_alloc(ROOM * sizeof(float));
        compute(&products[i], 0, wanted[i]);
    }
    return 0;
}

static int empty(void **state)
{
    (void)state;
    for (int i = 0; i < PRODUCTS; i++)
        rg_free(wanted[i]);
    rg_free(a);
    rg_free(b);
    rg_free(c);
    rg_free(d);
    rg_free(numbers);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(often),
        cmocka_unit_test(after_many_other_shapes),
        cmocka_unit_test(on_another_thread),
        cmocka_unit_test(after_a_run_with_another_number_of_threads),
        cmocka_unit_test(wherever_in_memory),
    };
    return cmocka_run_group_tests(tests, fill, empty);
}
