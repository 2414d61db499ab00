/* Keys in order, and equal ones as they stood, however many there are and wherever they differ. */
#include "check.h"

#include "base/mem.h"
#include "ops/sort_keys.h"

static void expect_sorted(int64_t n, int bits, int shift)
{
    rg_keyed *items = rg_alloc((size_t)n * sizeof *items);
    rg_keyed *spare = rg_alloc((size_t)n * sizeof *spare);
    uint64_t x = 88172645463325252u;
    for (int64_t i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        items[i] = (rg_keyed){x >> (64 - bits) << shift | 3, i};
    }
    rg_sort_keys(items, spare, n);
    for (int64_t i = 1; i < n; i++)
        assert_true(items[i - 1].key < items[i].key ||
                    (items[i - 1].key == items[i].key && items[i - 1].at < items[i].at));
    rg_free(items);
    rg_free(spare);
}

static void keys_are_sorted(void **state)
{
    static const int64_t counts[] = {1, 48, 49, 1023, 1024, 5000};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int bits = 1; bits <= 64; bits += 7)
            for (int shift = 0; shift + bits <= 64; shift += 9)
                expect_sorted(counts[i], bits, shift);
    expect_sorted(5000, 22, 0);
    expect_sorted(5000, 22, 42);
    expect_sorted(5000, 23, 0);
}

RUN(cmocka_unit_test(keys_are_sorted))
