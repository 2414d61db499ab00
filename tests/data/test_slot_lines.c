/* test_slot_lines.c - lines of slot:value words: what they become, and what is said of others. */
#include "check.h"

#include "data/feed.h"

#include <stdlib.h>

static const rg_feed_slot slots[] = {
    {"dense_var", RG_F32, true, true, {2, {-1, 2}}},
    {"click", RG_I64, true, false, {0}},
    {"1", RG_I64, true, false, {0}},
    {"12", RG_I64, true, false, {0}},
};

typedef struct fixture {
    rg_feed *feed;
    rg_rows *rows;
} fixture;

static void open_fixture(fixture *f, double padding)
{
    assert_ok(rg_feed_open(&f->feed, slots, 4));
    assert_ok(rg_feed_set_named(f->feed, padding));
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

static int64_t id_at(const fixture *f, size_t column, size_t row, size_t i)
{
    const rg_column *c = &f->rows->columns[column];
    assert_true(rg_column_begin(c, row) + i < rg_column_end(c, row));
    return ((const int64_t *)c->values)[rg_column_begin(c, row) + i];
}

static size_t ids(const fixture *f, size_t column, size_t row)
{
    const rg_column *c = &f->rows->columns[column];
    return rg_column_end(c, row) - rg_column_begin(c, row);
}

static void words_come_in_any_order_and_a_slot_as_often_as_it_likes(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 0);
    assert_ok(parse(&f, "click:0 dense_var:0.5 dense_var:1 1:57 12:90"));
    assert_ok(
        parse(&f, "12:3 1:4\t1:5 dense_var:2 12:6 click:1 dense_var:-.25 1:18446744073709551615"));
    assert_ok(parse(&f, " dense_var:1 dense_var:2 click:1 1:8 12:9:0.5 "));
    assert_int_equal(f.rows->n_rows, 3);
    const float *d = f.rows->columns[0].values;
    assert_true(d[0] == 0.5f && d[1] == 1.0f && d[2] == 2.0f && d[3] == -0.25f);
    assert_int_equal(id_at(&f, 1, 0, 0), 0);
    assert_int_equal(id_at(&f, 1, 1, 0), 1);
    assert_int_equal(id_at(&f, 2, 0, 0), 57);
    assert_int_equal(ids(&f, 2, 1), 3);
    assert_int_equal(id_at(&f, 2, 1, 1), 5);
    assert_int_equal(id_at(&f, 2, 1, 2), -1);
    assert_int_equal(id_at(&f, 3, 1, 1), 6);
    assert_int_equal(id_at(&f, 3, 2, 0), 9); /* of 9:0.5 the rest is passed over */
    close_fixture(&f);
}

static void what_a_line_has_not_is_padded_and_other_slots_are_passed_over(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 7);
    assert_ok(parse(&f, "click:1 99:5 other 1:3"));
    assert_int_equal(f.rows->n_rows, 1);
    const float *d = f.rows->columns[0].values;
    assert_true(d[0] == 7.0f && d[1] == 7.0f);
    assert_int_equal(ids(&f, 3, 0), 1);
    assert_int_equal(id_at(&f, 3, 0, 0), 7);
    close_fixture(&f);
}

static void a_blank_line_is_no_instance(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 0);
    assert_ok(parse(&f, ""));
    assert_ok(parse(&f, " \t\r"));
    assert_int_equal(f.rows->n_rows, 0);
    close_fixture(&f);
}

static void what_does_not_fit_is_refused_with_its_slot(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"click:x 1:3", "'click'"},
        {"click:1.5", "'click'"},
        {"click: 1:3", "'click'"},
        {"click:", "'click'"},
        {"click", "'click'"},
        {"dense_var:0.5 click:1", "got 1 values, wanted 2"},
        {"dense_var:nan dense_var:1", "'dense_var'"},
        {"1:99999999999999999999999", "'1'"},
        {"3 0.5 7 2", "slot:value"},
    };
    fixture f;
    open_fixture(&f, 0);
    assert_ok(parse(&f, "click:1 1:5 1:6"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(parse(&f, cases[i].line), RG_EVALUE);
        assert_non_null(strstr(rg_error_message(), cases[i].says));
        assert_int_equal(f.rows->n_rows, 1);
        assert_int_equal(f.rows->columns[2].n_values, 2);
    }
    assert_ok(parse(&f, "click:0 1:9"));
    assert_int_equal(id_at(&f, 2, 1, 0), 9);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_in_any_order_and_a_slot_as_often_as_it_likes),
        cmocka_unit_test(what_a_line_has_not_is_padded_and_other_slots_are_passed_over),
        cmocka_unit_test(a_blank_line_is_no_instance),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
