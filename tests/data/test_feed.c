/* test_feed.c - the parser of multi-slot lines: what it takes, what it says of what it refuses. */
#include "check.h"

#include "base/mem.h"
#include "base/philox.h"
#include "data/batch.h"
#include "data/feed.h"

#include <math.h>
#include <stdlib.h>

static const rg_feed_slot slots[] = {
    {"d", RG_F32, true, true, {2, {-1, 3}}},
    {"skip", RG_I64, false, false, {0}},
    {"s", RG_I64, true, false, {0}},
    {"w", RG_F32, true, false, {0}},
    {"label", RG_I64, true, true, {2, {-1, 1}}},
};

typedef struct fixture {
    rg_feed *feed;
    rg_rows *rows;
} fixture;

static void open_fixture(fixture *f)
{
    assert_ok(rg_feed_open(&f->feed, slots, 5));
    assert_ok(rg_rows_open(&f->rows, f->feed));
}

static void close_fixture(fixture *f)
{
    rg_rows_close(f->rows);
    rg_feed_close(f->feed);
}

/* From memory of exactly the size the contract asks for, so that a sanitizer sees more. */
static rg_status parse(fixture *f, const char *line)
{
    size_t n = strlen(line);
    char *text = malloc(n + RG_PARSE_PAD);
    assert_non_null(text);
    memset(text + n, '7', RG_PARSE_PAD);
    memcpy(text, line, n);
    text[n] = '\n';
    rg_status code = rg_feed_parse(f->feed, text, text + n, f->rows);
    free(text);
    return code;
}

static void a_line_becomes_a_row_of_every_used_column(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    assert_ok(parse(&f, "3 0.5 -1.25 3e2 2 9 9 1 77 2 1 2 1 1"));
    assert_ok(parse(&f, "3 1 2 3 1 x 3 1 22 18446744073709551615 1 .5 1 -1"));
    assert_int_equal(f.rows->n_rows, 2);
    const rg_column *c = f.rows->columns;
    const float *d = c[0].values;
    assert_true(d[0] == 0.5f && d[1] == -1.25f && d[2] == 300.0f && d[5] == 3.0f);
    const int64_t *s = c[1].values;
    assert_int_equal(s[0], 77);
    assert_int_equal(s[1], 1);
    assert_int_equal(s[2], 22);
    assert_int_equal(s[3], -1); /* 2^64 - 1 wraps, as in Fluid */
    assert_int_equal(rg_column_begin(&c[1], 1), 1);
    assert_int_equal(rg_column_end(&c[1], 1), 4);
    assert_true(((const float *)c[2].values)[2] == 0.5f);
    assert_null(c[0].ends);
    assert_non_null(c[1].ends);
    assert_int_equal(((const int64_t *)c[3].values)[1], -1);
    close_fixture(&f);
}

static void blanks_around_numbers_do_not_matter(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    assert_ok(parse(&f, "  3\t0.5  1 2   1 9\t1 7 1 2 1 1 \t\r"));
    assert_int_equal(((const int64_t *)f.rows->columns[1].values)[0], 7);
    close_fixture(&f);
}

/* promise 28 */
static void a_line_that_does_not_fit_names_the_slot_and_leaves_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } bad[] = {
        {"", "slot 'd' (1 of 5): the line ends, wanted a count of values"},
        {"2 1 2 1 9 1 7 1 2 1 1", "slot 'd' (1 of 5): got 2 values, wanted 3"},
        {"3 1 x 2 1 9 1 7 1 2 1 1", "slot 'd' (1 of 5): got 'x', wanted a finite number"},
        {"3 1 2", "slot 'd' (1 of 5): got a count of 3 with 3 bytes left"},
        {"3 1 2 3 1", "slot 'skip' (2 of 5): got a count of 1 with 0 bytes left"},
        {"3 1 2 3 1 9 1 0.5 1 2 1 1", "slot 's' (3 of 5): got '0.5', wanted an id"},
        {"3 1 2 3 1 9 1 18446744073709551616 1 2 1 1",
         "slot 's' (3 of 5): got '18446744073709551616'"},
        {"3 1 2 3 1 9 0 1 2 1 1", "slot 's' (3 of 5): got 0 values, wanted at least 1"},
        {"3 1 2 3 1 9 -1 7 1 2 1 1", "slot 's' (3 of 5): got '-1', wanted a count of values"},
        {"3 1 2 3 1 9 99999999999 7 1 2 1 1", "got a count of 99999999999"},
        {"3 1 2 3 1 9 1 7 1 1.5.2 1 1", "slot 'w' (4 of 5): got '1.5.2', wanted a finite number"},
        {"3 1 2 3 1 9 1 7 1 2", "slot 'label' (5 of 5): the line ends, wanted a count"},
        {"3 1 2 3 1 9 1 7 1 2 1 1 1 5", "after slot 'label', the last of 5: got '1'"},
        {"3 1 2 3 1 9 1 7x 1 2 1 1", "slot 's' (3 of 5): got '7x', wanted an id"},
    };
    fixture f;
    open_fixture(&f);
    assert_ok(parse(&f, "3 1 2 3 1 9 1 7 1 2 1 1"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(parse(&f, bad[i].line), RG_EVALUE, bad[i].message);
    assert_int_equal(f.rows->n_rows, 1);
    assert_ok(parse(&f, "3 4 5 6 1 9 2 8 9 1 2 1 0"));
    assert_int_equal(f.rows->columns[0].n_values, 6);
    assert_int_equal(f.rows->columns[1].n_values, 3);
    close_fixture(&f);
}

static void floats_are_those_of_strtof(void **state)
{
    (void)state;
    static const rg_feed_slot one = {"x", RG_F32, true, true, {2, {-1, 1}}};
    fixture f;
    assert_ok(rg_feed_open(&f.feed, &one, 1));
    assert_ok(rg_rows_open(&f.rows, f.feed));
    static const char *const formats[] = {"%.6g", "%.9g", "%.3f", "%.8f", "%.17g", "%e", "%.0f"};
    rg_philox_key key = {3, 4};
    for (uint64_t i = 0; i < 20000; i++) {
        char number[64], line[80];
        double scale = pow(10, (double)rg_philox_below(key, 2 * i, 14) - 7);
        double x = (rg_philox_uniform_f64(key, 2 * i + 1) - 0.5) * scale;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(number, sizeof number, formats[i % 7], x);
#pragma GCC diagnostic pop
        (void)snprintf(line, sizeof line, "1 %s", number);
        rg_rows_clear(f.rows);
        assert_ok(parse(&f, line));
        float wanted = strtof(number, NULL), got = ((const float *)f.rows->columns[0].values)[0];
        if (memcmp(&wanted, &got, sizeof got) != 0)
            fail_msg("%s: got %.9g, wanted %.9g", number, (double)got, (double)wanted);
    }
    close_fixture(&f);
}

static void zeros_are_left_out_of_sequences_when_asked(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f);
    rg_feed_set_drop_zeros(f.feed, true);
    assert_ok(parse(&f, "3 0 0 0 1 9 3 0 5 0 2 0 0 1 0"));
    assert_int_equal(f.rows->columns[0].n_values, 3);
    assert_int_equal(f.rows->columns[1].n_values, 1);
    assert_int_equal(((const int64_t *)f.rows->columns[1].values)[0], 5);
    assert_int_equal(f.rows->columns[2].n_values, 1);
    assert_int_equal(f.rows->columns[3].n_values, 1);
    close_fixture(&f);
}

static void slots_that_cannot_be_are_refused(void **state)
{
    (void)state;
    rg_feed *feed;
    rg_feed_slot slot = {"a", RG_F64, true, true, {2, {-1, 1}}};
    assert_fails(rg_feed_open(&feed, NULL, 0), RG_EINVAL, "there are no slots");
    assert_fails(rg_feed_open(&feed, &slot, 1), RG_EINVAL, "slot 'a' is of float64");
    slot.dtype = RG_F32;
    slot.shape.dim[1] = -1;
    assert_fails(rg_feed_open(&feed, &slot, 1), RG_EINVAL, "has the shape [-1, -1]");
    rg_feed_slot twice[2] = {slots[0], slots[0]};
    assert_fails(rg_feed_open(&feed, twice, 2), RG_EINVAL, "slot 'd' is given twice");
}

static void frozen_rows_and_batches_hold_the_same_numbers(void **state)
{
    (void)state;
    fixture f;
    rg_rows *frozen;
    rg_batch *batch;
    open_fixture(&f);
    for (int i = 0; i < 10; i++) {
        char line[64];
        (void)snprintf(line, sizeof line, "3 %d 0 0 1 9 %d %s 1 1 1 %d", i, 1 + i % 2,
                       i % 2 ? "1 2" : "3", i);
        assert_ok(parse(&f, line));
    }
    assert_ok(rg_rows_freeze(f.rows, &frozen));
    assert_int_equal(rg_rows_bytes(frozen), rg_rows_bytes(f.rows));
    assert_ok(rg_batch_open(&batch, f.feed));
    assert_ok(rg_batch_fill(batch, frozen, 3, 4));
    assert_int_equal(batch->values[0]->meta.shape.dim[0], 4);
    assert_int_equal(batch->values[0]->meta.shape.dim[1], 3);
    assert_null(batch->values[0]->meta.lod);
    assert_true(((float *)batch->values[0]->data)[3] == 4.0f);
    const rg_lod *lod = batch->values[1]->meta.lod;
    assert_ok(rg_lod_check(lod, batch->values[1]->meta.shape.dim[0]));
    assert_int_equal(lod->offset[0][4], 6);
    assert_int_equal(((int64_t *)batch->values[1]->data)[2], 3);
    const rg_lod *even = batch->values[2]->meta.lod;
    rg_row_at at[4] = {{frozen, 9}, {frozen, 0}, {frozen, 9}, {frozen, 2}};
    assert_ok(rg_batch_gather(batch, at, NULL, 4));
    assert_ptr_equal(batch->values[2]->meta.lod, even);
    assert_int_equal(((int64_t *)batch->values[3]->data)[2], 9);
    assert_int_equal(batch->values[1]->meta.lod->offset[0][1], 2);
    rg_batch_close(batch);
    rg_rows_close(frozen);
    close_fixture(&f);
}

/* promise 18 */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool failed = true;
    for (long n = 1; failed; n++) {
        rg_feed *feed = NULL;
        rg_rows *rows = NULL, *frozen = NULL;
        rg_batch *batch = NULL;
        rg_mem_fail_at(n);
        rg_status code = rg_feed_open(&feed, slots, 5);
        if (code == RG_OK)
            code = rg_rows_open(&rows, feed);
        fixture f = {feed, rows};
        if (code == RG_OK)
            code = parse(&f, "3 1 2 3 1 9 1 7 1 2 1 1");
        if (code == RG_OK)
            code = parse(&f, "3 1 2 3 1 9 2 7 8 1 2 1 1");
        if (code == RG_OK)
            code = rg_rows_freeze(rows, &frozen);
        if (code == RG_OK)
            code = rg_batch_open(&batch, feed);
        if (code == RG_OK)
            code = rg_batch_fill(batch, frozen, 0, 2);
        failed = rg_mem_failed();
        rg_mem_fail_at(0);
        assert_int_equal(code, failed ? RG_ENOMEM : RG_OK);
        rg_batch_close(batch);
        rg_rows_close(frozen);
        rg_rows_close(rows);
        rg_feed_close(feed);
    }
}

RUN(cmocka_unit_test(a_line_becomes_a_row_of_every_used_column),
    cmocka_unit_test(blanks_around_numbers_do_not_matter),
    cmocka_unit_test(a_line_that_does_not_fit_names_the_slot_and_leaves_nothing),
    cmocka_unit_test(floats_are_those_of_strtof),
    cmocka_unit_test(zeros_are_left_out_of_sequences_when_asked),
    cmocka_unit_test(slots_that_cannot_be_are_refused),
    cmocka_unit_test(frozen_rows_and_batches_hold_the_same_numbers),
    cmocka_unit_test(every_allocation_may_fail))
