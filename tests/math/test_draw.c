/* Random numbers in bulk: the distributions are right, and element i is the same in a run of any
 * length, by vectors or without. */
#include "check.h"

#include "base/mem.h"

/* The same source once more, without the versions for newer CPUs. */
#undef RG_NO_CLONES
#define RG_NO_CLONES      1
#define rg_draw_uniform   plain_uniform
#define rg_draw_normal    plain_normal
#define rg_draw_truncated plain_truncated
#include "math/draw.c"
#undef rg_draw_uniform
#undef rg_draw_normal
#undef rg_draw_truncated
#undef RG_MATH_DRAW_H
#include "math/draw.h"

#include <math.h>
#include <stdlib.h>

enum { MILLION = 1 << 20 };

typedef void (*draw)(rg_philox_key, uint64_t, int64_t, float, float, float *);
static const draw draws[] = {rg_draw_uniform, rg_draw_normal, rg_draw_truncated};
static const draw plain[] = {plain_uniform, plain_normal, plain_truncated};
static const rg_philox_key key = {0x1234567890abcdefu, 77};

/* ---- distributions ---- */

static double even_below(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double normal_below(double x)
{
    return 0.5 * erfc(-x * 0.7071067811865476);
}

static double truncated_below(double x)
{
    double low = normal_below(-2);
    return x <= -2 ? 0 : x >= 2 ? 1 : (normal_below(x) - low) / (1 - 2 * low);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Kolmogorov and Smirnov's distance; above 1.95 / sqrt(n) by chance once in a thousand times. */
static double distance(float *x, size_t n, double (*below)(double))
{
    double worst = 0;
    qsort(x, n, sizeof *x, by_size);
    for (size_t i = 0; i < n; i++) {
        double p = below((double)x[i]),
               here = fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p);
        worst = fmax(worst, here);
    }
    return worst;
}

static void numbers_have_their_distribution(void **state)
{
    static double (*const below[])(double) = {even_below, normal_below, truncated_below};
    float *x = rg_alloc(MILLION * sizeof *x);
    (void)state;
    for (int d = 0; d < 3; d++)
        for (uint64_t part = 0; part < 4; part++) { /* also far out in the stream */
            draws[d](key, part << 40, MILLION, 0, 1, x);
            assert_true(distance(x, MILLION, below[d]) < 1.95 / sqrt(MILLION));
        }
    rg_free(x);
}

static void moments_are_right(void **state)
{
    static const double mean[] = {0.5, 0, 0}, square[] = {1.0 / 3, 1, 0.7737413};
    static const double fourth[] = {0.2, 3, 1.4164};
    float *x = rg_alloc(MILLION * sizeof *x);
    (void)state;
    for (int d = 0; d < 3; d++) {
        double sums[4] = {0}, neighbours = 0;
        for (uint64_t part = 0; part < 4; part++) {
            draws[d](key, part * MILLION, MILLION, 0, 1, x);
            for (int i = 0; i < MILLION; i++) {
                double v = (double)x[i], last = (double)x[i > 0 ? i - 1 : 0];
                sums[0] += v;
                sums[1] += v * v;
                sums[3] += v * v * v * v;
                neighbours += (v - mean[d]) * (last - mean[d]);
            }
        }
        double n = 4.0 * MILLION;
        assert_true(fabs(sums[0] / n - mean[d]) < 4 / sqrt(n));
        assert_true(fabs(sums[1] / n - square[d]) < 8 / sqrt(n));
        assert_true(fabs(sums[3] / n - fourth[d]) < 50 / sqrt(n));
        assert_true(fabs(neighbours / n) < 5 / sqrt(n));
    }
    rg_free(x);
}

/* As many beyond 3, 4 and 5 deviations as there should be, to four of Poisson's deviations. */
static void tails_are_right(void **state)
{
    float *x = rg_alloc(MILLION * sizeof *x), largest = 0;
    double beyond[3] = {0}, n = 16.0 * MILLION;
    (void)state;
    for (uint64_t part = 0; part < 16; part++) {
        rg_draw_normal(key, part * MILLION, MILLION, 0, 1, x);
        for (int i = 0; i < MILLION; i++) {
            float a = fabsf(x[i]);
            largest = a > largest ? a : largest;
            for (int k = 0; k < 3; k++)
                beyond[k] += a > (float)(k + 3);
        }
    }
    for (int k = 0; k < 3; k++) {
        double wanted = n * 2 * normal_below(-(k + 3));
        assert_true(fabs(beyond[k] - wanted) < 4 * sqrt(wanted));
    }
    assert_true(largest < 6.7f);
    for (uint64_t part = 0; part < 4; part++) {
        rg_draw_truncated(key, part * MILLION, MILLION, 0, 1, x);
        for (int i = 0; i < MILLION; i++)
            assert_true(fabsf(x[i]) <= 2);
    }
    rg_free(x);
}

/* ---- the same numbers ---- */

static void slices_are_parts_of_the_whole(void **state)
{
    enum { N = 3000 };
    float whole[N], part[N];
    (void)state;
    for (int d = 0; d < 3; d++) {
        uint64_t begin = (UINT64_C(1) << 34) - 1500; /* where the block's number outgrows 32 bits */
        draws[d](key, begin, N, 0.5f, 3, whole);
        for (int from = 0; from < N; from += 1 + from / 3)
            for (int n = 1; from + n <= N; n += 1 + n / 2) {
                draws[d](key, begin + (uint64_t)from, n, 0.5f, 3, part);
                assert_memory_equal(part, whole + from, (size_t)n * sizeof *part);
            }
    }
}

static void every_version_gives_the_same_bits(void **state)
{
    float *x = rg_alloc(MILLION * sizeof *x), *y = rg_alloc(MILLION * sizeof *y);
    (void)state;
    for (int d = 0; d < 3; d++) {
        draws[d](key, 123, MILLION, -0.25f, 1.5f, x);
        plain[d](key, 123, MILLION, -0.25f, 1.5f, y);
        assert_memory_equal(x, y, MILLION * sizeof *x);
    }
    rg_free(x);
    rg_free(y);
}

static void words_are_those_of_single_blocks(void **state)
{
    uint32_t w[4][RG_PHILOX_LANES], r[4];
    uint64_t first = UINT64_C(0xfffffff0); /* carries into the upper half */
    (void)state;
    for (int n = 16; n <= RG_PHILOX_LANES; n += 16) {
        rg_philox_words(key, first, n, w);
        for (int j = 0; j < n; j++) {
            rg_philox(key, first + (uint64_t)j, r);
            for (int k = 0; k < 4; k++)
                assert_int_equal(w[k][j], r[k]);
        }
    }
}

RUN(cmocka_unit_test(numbers_have_their_distribution), cmocka_unit_test(moments_are_right),
    cmocka_unit_test(tails_are_right), cmocka_unit_test(slices_are_parts_of_the_whole),
    cmocka_unit_test(every_version_gives_the_same_bits),
    cmocka_unit_test(words_are_those_of_single_blocks))
