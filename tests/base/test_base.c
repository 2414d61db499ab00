/* test_base.c - status, memory, arenas, buffers, maps, checksums, random numbers. */
#include "check.h"

#include "base/escape.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/cursor.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/philox.h"

#include <math.h>

static void a_context_stands_in_front_of_the_message(void **state)
{
    (void)state;
    rg_status code = rg_fail(RG_EIO, "cannot read %s", "x");
    code = rg_context(code, "file %d", 3);
    assert_int_equal(code, RG_EIO);
    assert_string_equal(rg_error_message(), "file 3: cannot read x");
}

static void a_message_may_quote_the_last_one(void **state)
{
    (void)state;
    (void)rg_fail(RG_EIO, "inner");
    (void)rg_fail(RG_EIO, "outer (%s)", rg_error_message());
    assert_string_equal(rg_error_message(), "outer (inner)");
}

static void a_message_that_is_too_long_is_cut(void **state)
{
    (void)state;
    char big[10000];
    memset(big, 'a', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    (void)rg_fail(RG_EIO, "%s", big);
    (void)rg_context(RG_EIO, "%s", big);
    assert_int_equal(strlen(rg_error_message()), 4095);
}

static void sizes_do_not_wrap(void **state)
{
    (void)state;
    size_t out = 7;
    assert_false(rg_mul_size(SIZE_MAX / 2, 3, &out));
    assert_false(rg_add_size(SIZE_MAX, 1, &out));
    assert_int_equal(out, 7);
    assert_true(rg_mul_size(6, 7, &out));
    assert_int_equal(out, 42);
}

static void the_nth_allocation_can_be_made_to_fail(void **state)
{
    (void)state;
    rg_mem_fail_at(2);
    void *first = rg_alloc(10), *second = rg_alloc(10), *third = rg_alloc(10);
    rg_mem_fail_at(0);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    rg_free(first);
    rg_free(third);
}

static void an_arena_gives_aligned_memory_and_uses_it_again(void **state)
{
    (void)state;
    rg_arena arena = RG_ARENA_EMPTY;
    void *small = rg_arena_alloc(&arena, 3), *large = rg_arena_alloc(&arena, 100000);
    assert_int_equal((uintptr_t)small % 16, 0);
    assert_int_equal((uintptr_t)large % 64, 0);
    for (int round = 0; round < 100; round++) {
        rg_arena_reset(&arena);
        rg_mem_fail_at(1); /* no further malloc is needed */
        assert_non_null(rg_arena_alloc(&arena, 3));
        assert_non_null(rg_arena_alloc(&arena, 100000));
        rg_mem_fail_at(0);
    }
    rg_arena_free(&arena);
}

static void a_buffer_refuses_to_grow_over_its_maximum_and_says_so_once(void **state)
{
    (void)state;
    rg_buf buf;
    rg_buf_init(&buf, 10);
    rg_buf_text(&buf, "12345");
    rg_buf_printf(&buf, "%d", 123456);
    rg_buf_text(&buf, "x");
    assert_int_equal(rg_buf_status(&buf), RG_ETOOBIG);
    assert_string_equal(rg_buf_cstr(&buf), "12345");
    rg_buf_fini(&buf);
}

static void numbers_are_written_little_endian(void **state)
{
    (void)state;
    rg_buf buf;
    rg_buf_init(&buf, 0);
    rg_buf_u32(&buf, 0x01020304);
    rg_buf_u64(&buf, 0x05);
    assert_memory_equal(buf.data, "\4\3\2\1\5\0\0\0\0\0\0\0", 12);
    rg_cursor c = {buf.data, buf.len};
    uint32_t a;
    uint64_t b;
    assert_ok(rg_cursor_u32(&c, &a));
    assert_ok(rg_cursor_u64(&c, &b));
    assert_int_equal(a, 0x01020304);
    assert_int_equal(b, 5);
    assert_fails(rg_cursor_u32(&c, &a), RG_ECORRUPT, "4 bytes early");
    rg_buf_fini(&buf);
}

static void a_map_finds_what_was_put_in_and_keeps_the_order(void **state)
{
    (void)state;
    rg_map map = {0};
    static char names[2000][16];
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(names[i], sizeof names[i], "name%d", i);
        assert_ok(rg_map_put(&map, names[i], names[i]));
    }
    for (int i = 0; i < 2000; i += 2)
        rg_map_remove(&map, names[i]);
    for (int i = 0; i < 2000; i++)
        assert_ptr_equal(rg_map_get(&map, names[i]), i % 2 ? names[i] : NULL);
    assert_ok(rg_map_put(&map, names[0], names[0]));
    assert_true(rg_map_has(&map, "name0"));
    assert_false(rg_map_has(&map, "name2"));
    int last = -1;
    for (size_t i = 0; i < map.n_entries; i++) {
        const rg_map_entry *e = rg_map_at(&map, i);
        if (e == NULL || e->value == names[0])
            continue;
        int at = (int)((char(*)[16])e->value - names);
        assert_true(at > last);
        last = at;
    }
    assert_int_equal(map.live, 1001);
    rg_map_fini(&map);
}

/* "123456789" and RFC 3720's 32 zero bytes. */
/* Byte by byte is the one way that has no long steps. */
static void crc32c_of_any_length_from_anywhere(void **state)
{
    enum { MOST = 80000 };
    static uint8_t bytes[MOST];
    static uint32_t sums[MOST + 1];
    (void)state;
    for (uint32_t i = 0; i < MOST; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    for (size_t from = 0; from < 70; from += 23) {
        sums[from] = 0x1234567;
        for (size_t i = from; i < MOST; i++)
            sums[i + 1] = rg_crc32c(sums[i], bytes + i, 1);
        for (size_t n = 0; from + n <= MOST; n += n < 1200 ? 1 : 977)
            for (rg_crc32c_way way = RG_CRC32C_PRODUCTS; way <= RG_CRC32C_TABLE; way++) {
                uint32_t sum = sums[from];
                if (rg_crc32c_by(way, &sum, bytes + from, n))
                    assert_int_equal(sum, sums[from + n]);
            }
    }
}

static void crc32c_has_the_published_values(void **state)
{
    (void)state;
    uint8_t zeros[32] = {0};
    assert_int_equal(rg_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(rg_crc32c(0, zeros, sizeof zeros), 0x8a9136aa);
    uint32_t crc = rg_crc32c(0, "1234", 4);
    assert_int_equal(rg_crc32c(crc, "56789", 5), 0xe3069283);
    /* Long runs are summed in another way: it must be the same as piece by piece. */
    static uint8_t many[100001];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (uint8_t)(i * 31 + (i >> 9));
    crc = 0;
    for (size_t i = 0; i < sizeof many; i++)
        crc = rg_crc32c(crc, &many[i], 1);
    assert_int_equal(rg_crc32c(0, many, sizeof many), crc);
}

/* The known answers of Random123 for philox4x32-10: all zeros, and all ones. */
static void philox_has_the_published_values(void **state)
{
    (void)state;
    uint32_t out[4];
    rg_philox((rg_philox_key){0, 0}, 0, out);
    assert_int_equal(out[0], 0x6627e8d5);
    assert_int_equal(out[1], 0xe169c58d);
    assert_int_equal(out[2], 0xbc57ac4c);
    assert_int_equal(out[3], 0x9b00dbd8);
    rg_philox((rg_philox_key){UINT64_MAX, UINT64_MAX}, UINT64_MAX, out);
    assert_int_equal(out[0], 0x408f276d);
    assert_int_equal(out[1], 0x41c83b0e);
    assert_int_equal(out[2], 0xa20bc7c6);
    assert_int_equal(out[3], 0x6d5451fd);
}

static void random_numbers_have_the_moments_of_their_distribution(void **state)
{
    (void)state;
    rg_philox_key key = {7, 11};
    double sum = 0, square = 0, truncated = 0, uniform = 0;
    enum { N = 200000 };
    for (uint64_t i = 0; i < N; i++) {
        double z = rg_philox_normal(key, i), u = rg_philox_uniform_f64(key, i);
        assert_true(u >= 0 && u < 1);
        assert_true(rg_philox_uniform_f32(key, i) < 1.0f);
        assert_true(rg_philox_below(key, i, 7) < 7);
        sum += z;
        square += z * z;
        uniform += u;
        double t = rg_philox_truncated_normal(key, i);
        assert_true(fabs(t) <= 2);
        truncated += t * t;
    }
    assert_true(fabs(truncated / N - 0.7737) < 0.02); /* the variance within two deviations */
    assert_true(fabs(sum / N) < 0.01);
    assert_true(fabs(square / N - 1) < 0.02);
    assert_true(fabs(uniform / N - 0.5) < 0.005);
}

static void texts_of_others_are_one_line(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain text, \"quoted\"", "plain text, \"quoted\""},
        {"two\nlines\r\tx", "two\\nlines\\x0d\\tx"},
        {"\x1b[31mred\x7f", "\\x1b[31mred\\x7f"},
        {"caf\xc3\xa9 \xe6\xb1\x89 \xf0\x9f\x9a\xa3", "caf\xc3\xa9 \xe6\xb1\x89 \xf0\x9f\x9a\xa3"},
        {"\x9b"
         "31m",
         "\\x9b31m"}, /* a C1 code as one byte, */
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"}, /* as two, */
        {"\xe2\x80\xae"
         "abc",
         "\\xe2\\x80\\xaeabc"},                       /* right to left, */
        {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},          /* a line end, */
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* too long for what it is, */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* half a character, */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last, */
        {"\xe6\xb1", "\\xe6\\xb1"},                   /* cut off */
    };
    char out[100];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = rg_escape(out, sizeof out, cases[i].text, strlen(cases[i].text));
        assert_string_equal(out, cases[i].shown);
        assert_int_equal(n, strlen(cases[i].shown));
    }
    assert_int_equal(rg_escape(out, 4, "ab\x01z", 4), 2); /* never half of an escape */
    assert_string_equal(out, "ab");
    assert_int_equal(rg_escape(out, 1, "ab", 2), 0);
    assert_int_equal(rg_escape(out, 10, NULL, 0), 0);
}

RUN(cmocka_unit_test(texts_of_others_are_one_line),
    cmocka_unit_test(a_context_stands_in_front_of_the_message),
    cmocka_unit_test(a_message_may_quote_the_last_one),
    cmocka_unit_test(a_message_that_is_too_long_is_cut), cmocka_unit_test(sizes_do_not_wrap),
    cmocka_unit_test(the_nth_allocation_can_be_made_to_fail),
    cmocka_unit_test(an_arena_gives_aligned_memory_and_uses_it_again),
    cmocka_unit_test(a_buffer_refuses_to_grow_over_its_maximum_and_says_so_once),
    cmocka_unit_test(numbers_are_written_little_endian),
    cmocka_unit_test(a_map_finds_what_was_put_in_and_keeps_the_order),
    cmocka_unit_test(crc32c_has_the_published_values),
    cmocka_unit_test(crc32c_of_any_length_from_anywhere),
    cmocka_unit_test(philox_has_the_published_values),
    cmocka_unit_test(random_numbers_have_the_moments_of_their_distribution))
