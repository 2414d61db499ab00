/* test_int8.c - floats as signed bytes that share a scale, and back. */
#include "check.h"

#include "base/int8.h"

#include <float.h>
#include <math.h>

enum { N = 1003, GROUP = 256, GROUPS = 4 };

static void fill(float *x)
{
    for (int i = 0; i < N; i++)
        x[i] = ldexpf((float)(i * 37 % 1000) - 500, i / GROUP * 10 - 20);
}

static float largest_of(const float *x, int group)
{
    float largest = 0;
    for (int i = group * GROUP; i < N && i < (group + 1) * GROUP; i++)
        largest = fmaxf(largest, fabsf(x[i]));
    return largest;
}

static void values_come_back_within_half_a_step(void **state)
{
    float x[N], back[N], scales[GROUPS];
    int8_t bytes[N];
    (void)state;
    fill(x);
    assert_int_equal(rg_int8_groups(N, GROUP), GROUPS);
    rg_int8_from_floats(bytes, scales, x, N, GROUP);
    rg_int8_to_floats(back, bytes, scales, N, GROUP);
    for (int i = 0; i < N; i++) {
        float scale = scales[i / GROUP];
        assert_true(scale == largest_of(x, i / GROUP) / 127);
        assert_true(bytes[i] >= -127);
        assert_true(back[i] == scale * (float)bytes[i]);
        assert_true(fabsf(back[i] - x[i]) <= 0.5001f * scale);
        if (fabsf(x[i]) == largest_of(x, i / GROUP))
            assert_int_equal(bytes[i], x[i] < 0 ? -127 : 127);
    }
}

/* With 127 in it a group's scale is 1. */
static void between_two_bytes_the_nearer_one_is_taken(void **state)
{
    static const float x[] = {127, 1.49f, 1.5f, 1.51f, 2.5f, -1.5f, -2.5f, -0.49f, -126.6f, 0};
    static const int8_t wanted[] = {127, 1, 2, 2, 2, -2, -2, 0, -127, 0};
    enum { COUNT = sizeof x / sizeof *x };
    int8_t bytes[COUNT];
    float scale;
    (void)state;
    rg_int8_from_floats(bytes, &scale, x, COUNT, COUNT);
    assert_true(scale == 1);
    assert_memory_equal(bytes, wanted, sizeof wanted);
}

/* Groups of three: nothing, nearly nothing, the largest there is, and one with a NaN, infinity. */
static void zeros_and_extremes(void **state)
{
    const float x[] = {0, -0.0f, 0, 1e-37f,    -1e-40f, 0, FLT_MAX, -FLT_MAX, 1,
                       1, NAN,   2, -INFINITY, 0,       3, 5,       1,        5};
    enum { COUNT = sizeof x / sizeof *x };
    int8_t bytes[COUNT];
    float back[COUNT], lost[COUNT], scales[COUNT / 3];
    (void)state;
    rg_int8_from_floats(bytes, scales, x, COUNT, 3);
    rg_int8_to_floats(back, bytes, scales, COUNT, 3);
    rg_int8_lost(lost, x, bytes, scales, COUNT, 3);
    assert_true(scales[0] == 0 && scales[1] == 0);
    for (int i = 0; i < 6; i++)
        assert_true(back[i] == 0 && lost[i] == x[i]);
    assert_true(isfinite(back[6]) && back[6] > 0.9999f * FLT_MAX && back[7] == -back[6]);
    for (int i = 9; i < 15; i++)
        assert_true(isnan(back[i]) && lost[i] == 0);
    assert_true(isfinite(back[15]) && fabsf(back[15] - 5) < 1e-5f); /* its neighbours are whole */
}

/* A value that is too small for a byte each time is not lost for ever. */
static void what_is_lost_can_be_sent_later(void **state)
{
    static const float x[] = {1, 0.001f, -0.003f};
    float with[3], rest[3] = {0}, back[3], sum[3] = {0}, scale;
    int8_t bytes[3];
    (void)state;
    for (int step = 0; step < 100; step++) {
        for (int i = 0; i < 3; i++)
            with[i] = x[i] + rest[i];
        rg_int8_from_floats(bytes, &scale, with, 3, 3);
        rg_int8_to_floats(back, bytes, &scale, 3, 3);
        rg_int8_lost(rest, with, bytes, &scale, 3, 3);
        for (int i = 0; i < 3; i++)
            sum[i] += back[i];
    }
    for (int i = 0; i < 3; i++)
        assert_float_equal(sum[i], 100 * x[i], 0.005f); /* within one step of the scale */
}

static void groups_are_as_single_ones(void **state)
{
    float x[N], back[N], scales[GROUPS], scale, alone_back[GROUP];
    int8_t bytes[N], alone[GROUP];
    (void)state;
    fill(x);
    rg_int8_from_floats(bytes, scales, x, N, GROUP);
    rg_int8_to_floats(back, bytes, scales, N, GROUP);
    for (size_t g = 0; g < GROUPS; g++) {
        size_t at = g * GROUP, n = N - at < GROUP ? N - at : GROUP;
        rg_int8_from_floats(alone, &scale, x + at, n, n);
        rg_int8_to_floats(alone_back, alone, &scale, n, n);
        assert_true(scale == scales[g]);
        assert_memory_equal(alone, bytes + at, n);
        assert_memory_equal(alone_back, back + at, n * sizeof *back);
    }
    rg_int8_from_floats(bytes, scales, x, 0, 0);
    assert_int_equal(rg_int8_groups(0, 0), 0);
}

RUN(cmocka_unit_test(values_come_back_within_half_a_step),
    cmocka_unit_test(between_two_bytes_the_nearer_one_is_taken),
    cmocka_unit_test(zeros_and_extremes), cmocka_unit_test(what_is_lost_can_be_sent_later),
    cmocka_unit_test(groups_are_as_single_ones))
