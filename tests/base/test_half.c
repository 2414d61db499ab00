/* test_half.c - floats as halves and back. */
#include "check.h"

#include "base/half.h"

#include <math.h>

static uint16_t half_of(float x)
{
    uint16_t half;
    rg_half_from_floats(&half, &x, 1);
    return half;
}

static float float_of(uint16_t half)
{
    float x;
    rg_half_to_floats(&x, &half, 1);
    return x;
}

/* What a half means, from its definition. */
static double meaning(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 0    ? ldexp(fraction, -24)
                  : exponent == 31 ? (fraction ? NAN : INFINITY)
                                   : ldexp(1024 + fraction, exponent - 25);
    return half >> 15 ? -size : size;
}

static void every_half_is_itself_again(void **state)
{
    (void)state;
    for (uint32_t half = 0; half < 65536; half++) {
        double wanted = meaning((uint16_t)half);
        float x = float_of((uint16_t)half);
        if (isnan(wanted)) {
            assert_true(isnan(x));
            assert_true(isnan(meaning(half_of(x))));
            continue;
        }
        assert_true((double)x == wanted);
        assert_int_equal(half_of(x), half);
    }
}

static void between_two_halves_the_nearer_one_is_taken(void **state)
{
    (void)state;
    for (uint16_t half = 0; half < 0x7bff; half++) {
        float low = float_of(half), high = float_of((uint16_t)(half + 1));
        float middle = low + (high - low) / 2;
        uint16_t even = (half & 1) != 0 ? (uint16_t)(half + 1) : half;
        assert_int_equal(half_of(middle), even);
        assert_int_equal(half_of(-middle), even | 0x8000);
        assert_int_equal(half_of(nextafterf(middle, 0)), half);
        assert_int_equal(half_of(nextafterf(middle, INFINITY)), half + 1);
    }
}

static void what_is_too_large_is_the_largest(void **state)
{
    (void)state;
    assert_true(float_of(half_of(65505.0f)) == 65504.0f);
    assert_true(float_of(half_of(65520.0f)) == 65504.0f);
    assert_true(float_of(half_of(-1e30f)) == -65504.0f);
    assert_true(float_of(half_of(3.4e38f)) == 65504.0f);
    assert_true(float_of(half_of(INFINITY)) == INFINITY);
    assert_true(float_of(half_of(-INFINITY)) == -INFINITY);
    assert_true(float_of(half_of(1e-30f)) == 0.0f);
    assert_int_equal(half_of(-0.0f), 0x8000);
}

static void long_lists_are_as_single_numbers(void **state)
{
    enum { N = 1003 };
    float x[N], back[N];
    uint16_t half[N];
    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = ldexpf((float)(i * 37 % 1000) - 500, i % 40 - 30);
    rg_half_from_floats(half, x, N);
    rg_half_to_floats(back, half, N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(half[i], half_of(x[i]));
        assert_true(back[i] == float_of(half[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_is_itself_again),
        cmocka_unit_test(between_two_halves_the_nearer_one_is_taken),
        cmocka_unit_test(what_is_too_large_is_the_largest),
        cmocka_unit_test(long_lists_are_as_single_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
