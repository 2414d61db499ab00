/* Keys in order, and equal ones as they stood, however many there are and wherever they differ. */
#include "check.h"

#include "base/mem.h"
#include "ops/sort_keys.h"

/* Keys of so many bits, `shift` bits up, all with the bits of `above`; they stand at first_at and
 * so on. */
static void expect_sorted(int64_t n, int bits, int shift, uint64_t above, int64_t first_at)
{
    rg_keyed *items = rg_alloc((size_t)n * sizeof *items);
    rg_keyed *spare = rg_alloc((size_t)n * sizeof *spare);
    uint64_t *keys = rg_alloc((size_t)n * sizeof *keys), x = 88172645463325252u;
    for (int64_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        keys[i] = x >> (64 - bits) << shift | 3 | above;
        items[i] = (rg_keyed){keys[i], first_at + i};
    }
    rg_sort_keys(items, spare, n);
    for (int64_t i = 0; i < n; i++) {
        assert_true(i == 0 || items[i - 1].key < items[i].key ||
                    (items[i - 1].key == items[i].key && items[i - 1].at < items[i].at));
        assert_true(items[i].at >= first_at && items[i].at < first_at + n);
        assert_true(keys[items[i].at - first_at] == items[i].key);
    }
    rg_free(items);
    rg_free(spare);
    rg_free(keys);
}

static void keys_are_sorted(void **state)
{
    static const int64_t counts[] = {1, 48, 49, 1023, 1024, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int bits = 1; bits <= 64; bits += 7)
            for (int shift = 0; shift + bits <= 64; shift += 9)
                expect_sorted(counts[i], bits, shift, 0, 0);
    expect_sorted(5000, 22, 0, 0, 0);
    expect_sorted(5000, 22, 42, 0, 0);
    expect_sorted(5000, 23, 0, 0, 0);
}

static void what_is_common_to_all_keys_stays(void **state)
{
    (void)state;
    expect_sorted(5000, 22, 0, UINT64_C(5) << 22, 0);
    expect_sorted(5000, 20, 0, UINT64_C(1) << 63, 7);
}

static void they_may_stand_far_away(void **state)
{
    (void)state;
    expect_sorted(5000, 22, 0, 0, (INT64_C(1) << 42) - 5000);
    expect_sorted(5000, 22, 0, 0, (INT64_C(1) << 42) - 2500);
    expect_sorted(5000, 22, 0, 0, INT64_C(1) << 60);
}

RUN(cmocka_unit_test(keys_are_sorted), cmocka_unit_test(what_is_common_to_all_keys_stays),
    cmocka_unit_test(they_may_stand_far_away))
