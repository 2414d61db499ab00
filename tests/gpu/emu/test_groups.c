/* test_groups.c - products by Hopper's warpgroups (wide.cu, deep.cu), by the emulation, against
 * sums in double of factors cut to TF32: sizes that no tile divides, each way, several orders. */
#include "check.h"

#include "gpu/launch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 }; /* floats around all that a kernel is given, of NaN, that nobody changes */
static const uint32_t POISON = 0x7fc0dead;

static float *make(int64_t n)
{
    uint32_t *all = malloc((size_t)(n + 2 * GUARD) * 4);
    assert_non_null(all);
    for (int64_t i = 0; i < n + 2 * GUARD; i++)
        all[i] = POISON;
    return (float *)(all + GUARD);
}

static void drop(float *data, int64_t n)
{
    const uint32_t *all = (const uint32_t *)data - GUARD;
    for (int i = 0; i < GUARD; i++) {
        assert_int_equal(all[i], POISON);
        assert_int_equal(all[GUARD + n + i], POISON);
    }
    free((void *)all);
}

/* Numbers between -1 and 1 that are none of TF32. */
static float *make_numbers(int64_t n, uint32_t seed)
{
    float *data = make(n);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = (float)(int32_t)seed / 2147483648.0f;
    }
    return data;
}

static double cut(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits &= ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}

static bool is_close(float found, double wanted)
{
    return isnan(wanted) ? isnan(found) : fabs(found - wanted) < 2e-4;
}

static void compare(const char *what, const float *found, const double *wanted, int64_t rows,
                    int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++)
        if (!is_close(found[i], wanted[i]))
            fail_msg("%s[%d, %d] of [%d, %d] is %g, not %g", what, (int)(i / columns),
                     (int)(i % columns), (int)rows, (int)columns, found[i], wanted[i]);
}

/* out[m, n] = sum over k of a[i, k] b[j, k], where strides say what lies along the sum. */
static double *product(int m, int n, int k, const float *a, int64_t a_row, int64_t a_sum,
                       const float *b, int64_t b_row, int64_t b_sum)
{
    double *out = calloc((size_t)m * (size_t)n, sizeof *out), *of_a = malloc((size_t)k * 8),
           *of_b = malloc((size_t)n * (size_t)k * 8);
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < k; l++)
            of_b[j * k + l] = cut(b[j * b_row + l * b_sum]);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t l = 0; l < k; l++)
            of_a[l] = cut(a[i * a_row + l * a_sum]);
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += of_a[l] * of_b[j * k + l];
            out[i * n + j] = sum;
        }
    }
    free(of_a);
    free(of_b);
    return out;
}

/* ---- wide.cu ---- */

enum { PLAIN, RELU, SLOPE, ENDS };

typedef struct wide_case {
    int m, n, depth;
    float *a, *b, *bias, *x;
    double *sums;
} wide_case;

static double wanted_of(const wide_case *w, int end, int64_t i)
{
    double sum = w->sums[i];
    if (end == SLOPE)
        return isnan(sum) ? sum : w->x[i] > 0 ? sum : 0;
    sum += end == RELU ? w->bias[i % w->n] : 0;
    return end == RELU && sum < 0 ? 0 : sum;
}

static void run_wide(const wide_case *w, int way, int end)
{
    int64_t size = (int64_t)w->m * w->n;
    double *wanted = malloc((size_t)size * sizeof *wanted);
    rg_cu_wide run = {.relu = end == RELU,
                      .m = w->m,
                      .n = w->n,
                      .depth = w->depth,
                      .a = w->a,
                      .b = w->b,
                      .bias = end == RELU ? w->bias : NULL,
                      .x = end == SLOPE ? w->x : NULL,
                      .c = make(size)};
    char what[64];
    (void)snprintf(what, sizeof what, "way %d, end %d, depth %d: c", way, end, w->depth);
    for (int64_t i = 0; i < size; i++)
        wanted[i] = wanted_of(w, end, i);
    assert_true(rg_cu_wide_run(way, &run, NULL));
    compare(what, run.c, wanted, w->m, w->n);
    drop(run.c, size);
    free(wanted);
}

static void run_wide_case(int m, int n, int depth)
{
    wide_case w = {.m = m,
                   .n = n,
                   .depth = depth,
                   .a = make_numbers((int64_t)m * depth, 1),
                   .b = make_numbers((int64_t)n * depth, 2),
                   .bias = make_numbers(n, 3),
                   .x = make_numbers((int64_t)m * n, 4)};
    w.a[(int64_t)(m / 2) * depth + depth / 3] = NAN; /* what is no number stays so */
    w.x[0] = 0;
    w.x[m * n - 1] = NAN;
    w.sums = product(m, n, depth, w.a, depth, 1, w.b, depth, 1);
    for (int way = 0; way < RG_CU_WIDE_WAYS; way++)
        for (int end = 0; end < ENDS; end++)
            run_wide(&w, way, end);
    drop(w.a, (int64_t)m * depth);
    drop(w.b, (int64_t)n * depth);
    drop(w.bias, n);
    drop(w.x, (int64_t)m * n);
    free(w.sums);
}

static void rows_of_many_sizes_are_multiplied(void **state)
{
    (void)state;
    run_wide_case(300, 260, 212);
    run_wide_case(129, 288, 512);
    run_wide_case(650, 404, 36);
    run_wide_case(513, 400, 288);
    run_wide_case(1, 416, 4);
}

static void sizes_that_are_not_for_warpgroups_are_refused(void **state)
{
    (void)state;
    float *data = make(16);
    const int sizes[][2] = {{256, 32}, {420, 32}, {298, 32}, {300, 30}, {0, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rg_cu_wide run = {
            .m = 4, .n = sizes[i][0], .depth = sizes[i][1], .a = data, .b = data, .c = data};
        assert_false(rg_cu_wide_run(RG_CU_FOURS, &run, NULL));
    }
    drop(data, 16);
}

/* ---- deep.cu ---- */

typedef struct deep_case {
    int m, n, k;
    float *x, *dz, rate;
    double *dw, *dbias;
} deep_case;

static void less(const char *what, const deep_case *d, float *after, double *step, int rows)
{
    for (int64_t i = 0; i < (int64_t)rows * d->n; i++)
        step[i] = 1 - d->rate * step[i];
    compare(what, after, step, rows, d->n);
    for (int64_t i = 0; i < (int64_t)rows * d->n; i++)
        step[i] = (1 - step[i]) / d->rate;
    drop(after, (int64_t)rows * d->n);
}

static float *make_ones(int64_t n)
{
    float *data = make(n);
    for (int64_t i = 0; i < n; i++)
        data[i] = 1;
    return data;
}

static void run_deep(deep_case *d, int quarters)
{
    int64_t weights = (int64_t)d->k * d->n;
    int64_t room = rg_cu_deep_parts(quarters, d->m, d->n, d->k) * (weights + d->n);
    rg_cu_layer_back run = {.m = d->m,
                            .n = d->n,
                            .k = d->k,
                            .rows = d->k,
                            .x = d->x,
                            .dz = d->dz,
                            .rate = &d->rate,
                            .dw = make(weights),
                            .dbias = make(d->n),
                            .w_out = make_ones(weights),
                            .bias_out = make_ones(d->n),
                            .room = make(room)};
    assert_true(rg_cu_deep_run(quarters, &run, NULL));
    compare("dw", run.dw, d->dw, d->k, d->n);
    compare("dbias", run.dbias, d->dbias, 1, d->n);
    less("w", d, run.w_out, d->dw, d->k);
    less("bias", d, run.bias_out, d->dbias, 1);
    drop(run.dw, weights);
    drop(run.dbias, d->n);
    drop(run.room, room);
}

static void run_deep_case(int m, int n, int k)
{
    deep_case d = {.m = m,
                   .n = n,
                   .k = k,
                   .x = make_numbers((int64_t)m * k, 5),
                   .dz = make_numbers((int64_t)m * n, 6),
                   .rate = 0.5f};
    const float one = 1;
    d.x[(int64_t)(m / 2) * k + k / 2] = NAN; /* a row of dw */
    d.dw = product(k, n, m, d.x, 1, k, d.dz, 1, n);
    d.dbias = product(1, n, m, &one, 0, 0, d.dz, 1, n);
    for (int quarters = 1; quarters <= 4; quarters++)
        run_deep(&d, quarters);
    drop(d.x, (int64_t)m * k);
    drop(d.dz, (int64_t)m * n);
    free(d.dw);
    free(d.dbias);
}

static void long_sums_of_many_sizes_are_made(void **state)
{
    (void)state;
    run_deep_case(1100, 404, 512);
    run_deep_case(700, 260, 212);
    run_deep_case(300, 400, 288);
    run_deep_case(515, 200, 216);
    run_deep_case(700, 1000, 100);
    run_deep_case(1, 4, 4);
}

/* ---- on another GPU ---- */

/* It allows the kernels their shared memory by itself; the emulation ends where it does not. */
static void a_second_gpu_does_it_too(void **state)
{
    (void)state;
    for (int gpu = 0; gpu < 2; gpu++) {
        assert_int_equal(cudaSetDevice(gpu), cudaSuccess);
        run_wide_case(1, 260, 4);
        run_deep_case(1, 4, 4);
    }
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
}

/* ---- in several orders ---- */

static int seed(void **state)
{
    assert_int_equal(setenv("EMU_SEED", *state, 1), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_not_for_warpgroups_are_refused),
        cmocka_unit_test(a_second_gpu_does_it_too),
        cmocka_unit_test_prestate_setup_teardown(rows_of_many_sizes_are_multiplied, seed, NULL,
                                                 "1"),
        cmocka_unit_test_prestate_setup_teardown(long_sums_of_many_sizes_are_made, seed, NULL, "1"),
        cmocka_unit_test_prestate_setup_teardown(rows_of_many_sizes_are_multiplied, seed, NULL,
                                                 "2"),
        cmocka_unit_test_prestate_setup_teardown(long_sums_of_many_sizes_are_made, seed, NULL, "2"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
