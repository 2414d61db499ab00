/* test_geo_rows.c - what trainers have not seen: against sets kept one for each trainer. */
#include "check.h"

#include "base/mem.h"
#include "base/philox.h"
#include "ps/geo_rows.h"

#include <stdbool.h>

enum { TRAINERS = 4, SPAN = 2000, MOST = 300 };

static void expect(rg_geo_rows *rows, int trainer, const int64_t *wanted, size_t n_wanted)
{
    int64_t ids[16];
    size_t n;
    uint64_t mark;
    assert_int_equal(rg_geo_rows_count(rows, trainer), n_wanted);
    assert_ok(rg_geo_rows_list(rows, trainer, ids, 16, &n, &mark));
    assert_int_equal(n, n_wanted);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ids[i], wanted[i]);
}

static void take_all(rg_geo_rows *rows, int trainer)
{
    int64_t ids[16];
    size_t n;
    uint64_t mark;
    assert_ok(rg_geo_rows_list(rows, trainer, ids, 16, &n, &mark));
    assert_ok(rg_geo_rows_done(rows, trainer, mark));
}

static void a_trainer_gets_what_changed_since_its_last_pull(void **state)
{
    (void)state;
    rg_geo_rows *rows;
    assert_ok(rg_geo_rows_open(&rows, 2));
    expect(rows, 0, NULL, 0);
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){5, 9, 5}, 3));
    expect(rows, 0, (int64_t[]){5, 9}, 2);
    expect(rows, 0, (int64_t[]){5, 9}, 2); /* listed again: nothing said it had arrived */
    take_all(rows, 0);
    expect(rows, 0, NULL, 0);
    expect(rows, 1, (int64_t[]){5, 9}, 2);
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){5, 7}, 2));
    expect(rows, 0, (int64_t[]){5, 7}, 2);
    expect(rows, 1, (int64_t[]){9, 5, 7}, 3); /* by the last change */
    take_all(rows, 1);
    take_all(rows, 0);
    expect(rows, 1, NULL, 0);
    rg_geo_rows_close(rows);
}

static void rows_are_given_out_piece_by_piece(void **state)
{
    (void)state;
    rg_geo_rows *rows;
    int64_t ids[2];
    size_t n;
    uint64_t mark, old;
    assert_ok(rg_geo_rows_open(&rows, 2));
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){1, 2, 3}, 3));
    assert_ok(rg_geo_rows_list(rows, 0, ids, 2, &n, &old));
    assert_true(n == 2 && ids[0] == 1 && ids[1] == 2);
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){1}, 1)); /* between listing and its arrival */
    assert_ok(rg_geo_rows_done(rows, 0, old));
    assert_ok(rg_geo_rows_list(rows, 0, ids, 2, &n, &mark));
    assert_true(n == 2 && ids[0] == 3 && ids[1] == 1);
    assert_ok(rg_geo_rows_done(rows, 0, mark));
    assert_ok(rg_geo_rows_done(rows, 0, old));
    assert_int_equal(rg_geo_rows_count(rows, 0), 0);
    rg_geo_rows_close(rows);
}

static void nothing_is_kept_for_a_trainer_that_left(void **state)
{
    (void)state;
    rg_geo_rows *rows;
    uint64_t mark;
    size_t n;
    int64_t ids[4];
    assert_ok(rg_geo_rows_open(&rows, 2));
    assert_ok(rg_geo_rows_leave(rows, 1));
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){1, 2}, 2));
    assert_fails(rg_geo_rows_list(rows, 1, ids, 4, &n, &mark), RG_EINVAL, "trainer 1 has left");
    take_all(rows, 0);
    assert_ok(rg_geo_rows_join(rows, 1));
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){2}, 1));
    expect(rows, 1, (int64_t[]){2}, 1);
    assert_ok(rg_geo_rows_leave(rows, 0));
    assert_ok(rg_geo_rows_leave(rows, 1));
    assert_ok(rg_geo_rows_note(rows, (int64_t[]){3}, 1));
    assert_ok(rg_geo_rows_join(rows, 0));
    expect(rows, 0, NULL, 0);
    rg_geo_rows_close(rows);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    rg_geo_rows *rows;
    assert_fails(rg_geo_rows_open(&rows, 0), RG_EINVAL, "0 trainers");
    assert_ok(rg_geo_rows_open(&rows, 2));
    assert_fails(rg_geo_rows_note(rows, (int64_t[]){4, -1}, 2), RG_EVALUE, "id -1");
    assert_int_equal(rg_geo_rows_count(rows, 0), 0);
    assert_fails(rg_geo_rows_done(rows, 2, 0), RG_EINVAL, "trainer 2 of 2");
    assert_fails(rg_geo_rows_done(rows, 1, 1), RG_EINVAL, "never listed");
    rg_geo_rows_close(rows);
    rg_geo_rows_close(NULL);
}

static uint64_t draws;

static uint64_t draw(uint64_t n)
{
    return rg_philox_below((rg_philox_key){1, 2}, draws++, n);
}

static void push(rg_geo_rows *rows, bool (*sets)[SPAN])
{
    int64_t ids[MOST];
    size_t n = draw(MOST);
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int64_t)draw(draw(2) ? SPAN : 50); /* some are hot */
        for (int t = 0; t < TRAINERS; t++)
            sets[t][ids[i]] = true;
    }
    assert_ok(rg_geo_rows_note(rows, ids, n));
}

/* One trainer pulls some; what it gets leaves its set, and may come in again at once. */
static void pull(rg_geo_rows *rows, int trainer, bool (*sets)[SPAN])
{
    int64_t ids[SPAN];
    size_t n, most = draw(3) == 0 ? draw(MOST) : SPAN, wanted = 0;
    uint64_t mark;
    for (int i = 0; i < SPAN; i++)
        wanted += sets[trainer][i];
    assert_int_equal(rg_geo_rows_count(rows, trainer), wanted);
    assert_ok(rg_geo_rows_list(rows, trainer, ids, most, &n, &mark));
    assert_int_equal(n, wanted < most ? wanted : most);
    for (size_t i = 0; i < n; i++) {
        assert_true(sets[trainer][ids[i]]); /* once each */
        sets[trainer][ids[i]] = false;
    }
    if (draw(2) == 0)
        push(rows, sets);
    assert_ok(rg_geo_rows_done(rows, trainer, mark));
}

static void any_order_of_pushes_and_pulls_agrees_with_sets(void **state)
{
    (void)state;
    static bool sets[TRAINERS][SPAN];
    rg_geo_rows *rows;
    assert_ok(rg_geo_rows_open(&rows, TRAINERS));
    for (int round = 0; round < 3000; round++) {
        if (draw(3) == 0)
            pull(rows, (int)draw(round % 1000 < 500 ? TRAINERS - 1 : TRAINERS), sets);
        else
            push(rows, sets);
        assert_true(rg_geo_rows_bytes(rows) < 200 * 1024); /* though one may not pull for long */
    }
    for (int t = 0; t < TRAINERS; t++)
        pull(rows, t, sets);
    rg_geo_rows_close(rows);
}

static void without_memory_noting_can_be_tried_again(void **state)
{
    (void)state;
    rg_geo_rows *rows;
    int failures = 0;
    rg_mem_fail_at(1);
    assert_int_equal(rg_geo_rows_open(&rows, 2), RG_ENOMEM);
    rg_mem_fail_at(2);
    assert_int_equal(rg_geo_rows_open(&rows, 2), RG_ENOMEM);
    rg_mem_fail_at(0);
    assert_ok(rg_geo_rows_open(&rows, 2));
    for (int64_t id = 0; id < SPAN; id++)
        for (int again = 0; again < 2; again++) {
            rg_mem_fail_at(again == 0);
            rg_status code = rg_geo_rows_note(rows, &id, 1);
            failures += rg_mem_failed();
            assert_int_equal(code, rg_mem_failed() ? RG_ENOMEM : RG_OK);
            rg_mem_fail_at(0);
        }
    assert_true(failures > 5);
    assert_int_equal(rg_geo_rows_count(rows, 1), SPAN);
    rg_geo_rows_close(rows);
}

RUN(cmocka_unit_test(a_trainer_gets_what_changed_since_its_last_pull),
    cmocka_unit_test(rows_are_given_out_piece_by_piece),
    cmocka_unit_test(nothing_is_kept_for_a_trainer_that_left),
    cmocka_unit_test(what_cannot_be_is_refused),
    cmocka_unit_test(any_order_of_pushes_and_pulls_agrees_with_sets),
    cmocka_unit_test(without_memory_noting_can_be_tried_again))
