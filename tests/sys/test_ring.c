/* test_ring.c - a ring between two threads that sleep and wake each other, and one whose other side
 * is broken. */
#include "check.h"

#include "sys/ring.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BYTES = 4096, TOTAL = 20 << 20 };

typedef struct pair {
    rg_ring_head head;
    uint8_t data[BYTES];
    int to_reader, to_writer, wakes;
} pair;

static void wake(int event)
{
    static const uint64_t once = 1;
    assert_int_equal(write(event, &once, sizeof once), sizeof once);
}

static void sleep_on(int event)
{
    uint64_t times;
    assert_int_equal(read(event, &times, sizeof times), sizeof times); /* blocks */
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 7 + (i >> 9));
}

static void *write_all(void *arg)
{
    pair *p = arg;
    rg_ring ring;
    uint8_t buffer[3000];
    bool garbage = false;
    rg_ring_init(&ring, &p->head, p->data, BYTES, true);
    for (size_t at = 0, n; at < TOTAL; at += n) {
        n = 1 + at * 13 % sizeof buffer;
        n = n < TOTAL - at ? n : TOTAL - at;
        for (size_t i = 0; i < n; i++)
            buffer[i] = byte_at(at + i);
        for (size_t done = 0; done < n;) {
            done += rg_ring_put(&ring, buffer + done, n - done, &garbage);
            if (rg_ring_must_wake(&ring)) {
                wake(p->to_reader);
                p->wakes++;
            }
            if (done < n && rg_ring_may_sleep(&ring))
                sleep_on(p->to_writer);
        }
    }
    assert_false(garbage);
    return NULL;
}

static void bytes_arrive_in_order_and_nobody_sleeps_for_ever(void **state)
{
    pair p = {.to_reader = eventfd(0, EFD_CLOEXEC), .to_writer = eventfd(0, EFD_CLOEXEC)};
    rg_ring ring;
    pthread_t writer;
    rg_ring_record record;
    size_t at = 0;
    (void)state;
    rg_ring_init(&ring, &p.head, p.data, BYTES, false);
    assert_int_equal(pthread_create(&writer, NULL, write_all, &p), 0);
    while (at < TOTAL) {
        rg_ring_found found = rg_ring_next(&ring, &record);
        if (found == RG_RING_EMPTY) {
            if (rg_ring_may_sleep(&ring))
                sleep_on(p.to_reader);
            continue;
        }
        assert_int_equal(found, RG_RING_RECORD);
        for (size_t i = 0; i < record.n; i++)
            if (record.at[i] != byte_at(at + i))
                fail_msg("byte %zu is wrong", at + i);
        rg_ring_advance(&ring, record.takes);
        at += record.n;
        if (rg_ring_must_wake(&ring))
            wake(p.to_writer);
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    (void)close(p.to_reader);
    (void)close(p.to_writer);
}

static void who_is_awake_is_not_woken(void **state)
{
    pair p = {.to_reader = -1};
    rg_ring writer, reader;
    rg_ring_record record;
    bool garbage = false;
    (void)state;
    rg_ring_init(&writer, &p.head, p.data, BYTES, true);
    rg_ring_init(&reader, &p.head, p.data, BYTES, false);
    assert_int_equal(rg_ring_put(&writer, "abc", 3, &garbage), 3);
    assert_false(rg_ring_must_wake(&writer));
    assert_false(rg_ring_may_sleep(&reader)); /* there is something */
    assert_int_equal(rg_ring_next(&reader, &record), RG_RING_RECORD);
    assert_memory_equal(record.at, "abc", 3);
    rg_ring_advance(&reader, record.takes);
    assert_true(rg_ring_may_sleep(&reader));
    assert_int_equal(rg_ring_put(&writer, "d", 1, &garbage), 1);
    assert_true(rg_ring_must_wake(&writer));
    assert_int_equal(rg_ring_put(&writer, "e", 1, &garbage), 1);
    assert_false(rg_ring_must_wake(&writer)); /* once is enough */
}

static void an_index_that_cannot_be_is_noticed(void **state)
{
    static const uint64_t wrong[] = {BYTES + 16, UINT64_MAX, UINT64_C(1) << 63, 17};
    pair p = {.to_reader = -1};
    rg_ring writer, reader;
    rg_ring_record record;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bool garbage = false;
        rg_ring_init(&writer, &p.head, p.data, BYTES, true);
        rg_ring_init(&reader, &p.head, p.data, BYTES, false);
        p.head.written = wrong[i];
        assert_int_equal(rg_ring_next(&reader, &record), RG_RING_GARBAGE);
        assert_false(rg_ring_may_sleep(&reader)); /* so it is looked at again, and told */
        p.head.read = wrong[i];
        assert_int_equal(rg_ring_put(&writer, "abc", 3, &garbage), 0);
        assert_true(garbage);
        p.head.written = p.head.read = 0;
    }
}

/* The head says more than there is, or more than fits before the end. */
static void a_record_that_cannot_be_is_noticed(void **state)
{
    static const uint64_t lengths[] = {17, BYTES, UINT64_MAX / 2, BYTES - 15};
    pair p = {.to_reader = -1};
    rg_ring reader;
    rg_ring_record record;
    (void)state;
    rg_ring_init(&reader, &p.head, p.data, BYTES, false);
    p.head.written = 32;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memcpy(p.data, &lengths[i], sizeof lengths[i]);
        assert_int_equal(rg_ring_next(&reader, &record), RG_RING_GARBAGE);
    }
    uint64_t fits = 16, elsewhere = UINT64_MAX;
    memcpy(p.data, &fits, sizeof fits);
    assert_int_equal(rg_ring_next(&reader, &record), RG_RING_RECORD);
    assert_int_equal(record.takes, 32);
    memcpy(p.data, &elsewhere, sizeof elsewhere); /* whoever lends says whether it is there */
    assert_int_equal(rg_ring_next(&reader, &record), RG_RING_RECORD);
    assert_null(record.at);
    assert_int_equal(record.takes, 16);
}

RUN(cmocka_unit_test(bytes_arrive_in_order_and_nobody_sleeps_for_ever),
    cmocka_unit_test(who_is_awake_is_not_woken),
    cmocka_unit_test(an_index_that_cannot_be_is_noticed),
    cmocka_unit_test(a_record_that_cannot_be_is_noticed))
