/* test_deal.c - ranges of data: dealt once, given back, counted at each server, and known again
 * from a journal's notes and from a snapshot; the bodies of requests about them. */
#include "check.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/philox.h"
#include "dist/deal.h"

#include <stdlib.h>

static const uint64_t sizes[] = {250, 0, 100};
static const rg_deal_plan plan = {.n_files = 3, .digest = 7, .range_bytes = 100, .sizes = sizes};

static rg_range_note notes[100000];
static size_t n_notes;

static rg_status keep(void *arg, const rg_range_note *note)
{
    (void)arg;
    notes[n_notes++] = *note;
    return RG_OK;
}

static rg_deals *open_deals(void)
{
    rg_deals *d;
    n_notes = 0;
    assert_ok(rg_deals_open(&d, keep, NULL));
    return d;
}

static rg_status take(rg_deals *d, uint32_t trainer, uint64_t epoch, uint64_t ticket,
                      rg_lease *lease)
{
    rg_pass_state is;
    return rg_deals_take(d, 0, &(rg_holder){trainer, epoch, ticket}, lease, &is);
}

static rg_status push(rg_deals *d, const rg_lease *lease, uint64_t from, uint64_t to, bool *came)
{
    return rg_deals_claim(d, &(rg_push_tag){0, lease->range, lease->generation, from, to}, 1, came);
}

static void ranges_cover_every_byte_once(void **state)
{
    static const uint64_t wanted[][3] = {
        {0, 0, 100}, {0, 100, 200}, {0, 200, 250}, {1, 0, 0}, {2, 0, 0}};
    rg_deals *d = open_deals();
    rg_pass_state is;
    rg_lease lease;
    (void)state;
    assert_ok(rg_deals_begin(d, &plan, &is));
    assert_int_equal(is.ranges, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_ok(take(d, i % 2, 1, i, &lease));
        assert_int_equal(lease.range, i);
        assert_int_equal(lease.file, wanted[i][0]);
        assert_int_equal(lease.begin, wanted[i][1]);
        assert_int_equal(lease.end, wanted[i][2]);
    }
    assert_int_equal(take(d, 0, 1, 9, &lease), RG_EOF);
    /* An answer that was not heard: the same range. */
    assert_ok(take(d, 1, 1, 3, &lease));
    assert_int_equal(lease.range, 3);
    rg_deal_plan other = plan;
    other.digest = 8;
    assert_fails(rg_deals_begin(d, &other, &is), RG_EINVAL, "other files");
    other.reading = 1;
    assert_fails(rg_deals_begin(d, &other, &is), RG_EINVAL, "the one before is not done");
    rg_deals_close(d);
}

static void a_range_goes_on_where_each_server_was(void **state)
{
    rg_deals *dealer = open_deals(), *other = open_deals();
    rg_pass_state is;
    rg_lease first, second;
    uint64_t rows;
    bool came;
    (void)state;
    assert_ok(rg_deals_begin(dealer, &plan, &is));
    assert_ok(rg_deals_begin(other, &plan, &is));
    assert_ok(take(dealer, 0, 1, 1, &first));
    assert_ok(push(dealer, &first, 0, 4, &came));
    assert_false(came);
    assert_ok(push(other, &first, 0, 4, &came));
    assert_ok(push(dealer, &first, 4, 8, &came)); /* and dies before the other has it */
    assert_int_equal(rg_deals_return(dealer, 0, 1), 1);
    assert_ok(take(dealer, 1, 1, 1, &second));
    assert_int_equal(second.range, first.range);
    assert_int_equal(second.generation, 2);
    assert_ok(rg_deals_fence(dealer, 0, second.range, 2, &rows));
    assert_int_equal(rows, 8);
    assert_ok(rg_deals_fence(other, 0, second.range, 2, &rows));
    assert_int_equal(rows, 4);
    /* What the dead one still had under way. */
    assert_fails(push(other, &first, 4, 8, &came), RG_ESTALE, "given to another trainer");
    assert_ok(push(dealer, &second, 4, 8, &came));
    assert_true(came);
    assert_ok(push(other, &second, 4, 8, &came));
    assert_false(came);
    assert_fails(push(other, &second, 12, 16, &came), RG_ESTALE, "this server has 8");
    assert_fails(rg_deals_finish(dealer, 0, &(rg_lease_done){0, 2, 9}), RG_ECORRUPT, "8 of them");
    assert_fails(rg_deals_finish(dealer, 0, &(rg_lease_done){0, 1, 8}), RG_ESTALE, "another");
    assert_ok(rg_deals_finish(dealer, 0, &(rg_lease_done){0, 2, 8}));
    assert_ok(rg_deals_finish(dealer, 0, &(rg_lease_done){0, 2, 8}));
    assert_int_equal(rg_deals_count(dealer, &is), 1);
    assert_int_equal(is.done, 1);
    assert_int_equal(is.rows, 8);
    assert_int_equal(is.returned, 1);
    rg_deals_close(dealer);
    rg_deals_close(other);
}

static void a_push_of_two_ranges_counts_in_whole_or_not(void **state)
{
    rg_deals *d = open_deals();
    rg_pass_state is;
    rg_lease a, b;
    bool came;
    (void)state;
    assert_ok(rg_deals_begin(d, &plan, &is));
    assert_ok(take(d, 0, 1, 1, &a));
    assert_ok(take(d, 0, 1, 2, &b));
    const rg_push_tag both[] = {{0, a.range, 1, 0, 3}, {0, b.range, 1, 0, 2}};
    const rg_push_tag mixed[] = {{0, a.range, 1, 0, 3}, {0, b.range, 1, 2, 4}};
    assert_ok(rg_deals_claim(d, both, 2, &came));
    assert_false(came);
    assert_fails(rg_deals_claim(d, mixed, 2, &came), RG_ESTALE, "others have not");
    assert_true(rg_deals_unclaim(d, both, 2));
    assert_ok(rg_deals_claim(d, both, 2, &came));
    assert_false(came);
    assert_ok(rg_deals_claim(d, both, 2, &came));
    assert_true(came);
    rg_deals_close(d);
}

/* One that was thought dead and did its work before anybody else had it. */
static void who_was_not_replaced_may_finish(void **state)
{
    rg_deals *d = open_deals();
    rg_pass_state is;
    rg_lease lease;
    bool came;
    (void)state;
    assert_ok(rg_deals_begin(d, &plan, &is));
    assert_ok(take(d, 0, 1, 1, &lease));
    assert_int_equal(rg_deals_return(d, 0, 1), 1);
    assert_ok(push(d, &lease, 0, 5, &came));
    assert_ok(rg_deals_finish(d, 0, &(rg_lease_done){0, 1, 5}));
    for (uint32_t i = 1; i < 5; i++) {
        assert_ok(take(d, 1, 1, i, &lease));
        assert_int_equal(lease.range, i);
    }
    assert_int_equal(take(d, 1, 1, 9, &lease), RG_EOF);
    rg_deals_close(d);
}

/* Any order of takes, pushes, deaths and restarts of the server: each range is done once, with as
 * many examples as it has, and what a restart makes of notes or a snapshot is what there was. */
static void a_restart_knows_the_deal(void **state)
{
    enum { RANGES = 5, STEPS = 400 };
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        rg_deals *d = open_deals();
        rg_pass_state is;
        rg_lease held[3][RANGES];
        int n_held[3] = {0, 0, 0};
        uint64_t epochs[3] = {1, 1, 1}, ticket = 0, at = 0;
        assert_ok(rg_deals_begin(d, &plan, &is));
        for (int step = 0; step < STEPS && !is.over; step++) {
            uint32_t what = (uint32_t)rg_philox_below((rg_philox_key){seed, 1}, at++, 8);
            uint32_t who = (uint32_t)rg_philox_below((rg_philox_key){seed, 2}, at++, 3);
            rg_lease lease;
            bool came;
            if (what < 3) {
                if (take(d, who, epochs[who], ++ticket, &lease) == RG_OK)
                    held[who][n_held[who]++] = lease;
            } else if (what < 6 && n_held[who] > 0) {
                const rg_lease *l = &held[who][--n_held[who]];
                uint64_t rows;
                assert_ok(rg_deals_fence(d, 0, l->range, l->generation, &rows));
                if (rows < 6)
                    assert_ok(push(d, l, rows, rows + 3, &came));
                if (rows >= 3)
                    assert_ok(rg_deals_finish(d, 0, &(rg_lease_done){l->range, l->generation, 6}));
                else
                    n_held[who]++;
            } else if (what == 6) {
                (void)rg_deals_return(d, who, epochs[who]++);
                n_held[who] = 0;
            } else if (what == 7) {
                rg_buf all;
                rg_deals *again;
                rg_buf_init(&all, 0);
                rg_deals_write(d, NULL, NULL, 0, &all);
                assert_ok(rg_deals_open(&again, keep, NULL));
                rg_cursor in = {all.data, all.len};
                assert_ok(rg_deals_read(again, &in));
                assert_ok(rg_cursor_end(&in));
                rg_buf_fini(&all);
                rg_deals_close(d);
                d = again;
            }
            (void)rg_deals_count(d, &is);
        }
        assert_true(is.over);
        assert_int_equal(is.rows, 6 * RANGES);
        /* The notes alone say who had what, and what is done. */
        rg_deals *from_notes = NULL;
        rg_pass_state same;
        assert_ok(rg_deals_open(&from_notes, NULL, NULL));
        assert_ok(rg_deals_begin(from_notes, &plan, &same));
        for (size_t i = 0; i < n_notes; i++)
            assert_ok(rg_deals_replay(from_notes, &notes[i]));
        (void)rg_deals_count(from_notes, &same);
        assert_true(same.over && same.rows == is.rows && same.returned == is.returned);
        /* The next pass, at a server that began this one and has not seen its end. */
        rg_deal_plan next = plan;
        next.reading = 1;
        assert_ok(rg_deals_begin(from_notes, &next, &same));
        assert_ok(rg_deals_begin(from_notes, &plan, &same));
        assert_true(same.over);
        rg_deals_close(from_notes);
        rg_deals_close(d);
    }
}

/* ---- bodies ---- */

static void read_plan(const uint8_t *bytes, size_t n)
{
    rg_deal_plan got;
    rg_deals *d;
    rg_pass_state is;
    if (rg_deal_plan_read(&got, bytes, n) == RG_OK) {
        assert_ok(rg_deals_open(&d, NULL, NULL));
        (void)rg_deals_begin(d, &got, &is);
        rg_deals_close(d);
    }
    rg_free((void *)(uintptr_t)got.sizes);
}

static void read_ask(const uint8_t *bytes, size_t n)
{
    rg_lease_ask got;
    if (rg_lease_ask_read(&got, bytes, n) == RG_OK && got.n_done > 0)
        assert_true(got.done[got.n_done - 1].rows + 1 > 0 || true);
    rg_free(got.done);
}

/* Cut at every length, and with every bit turned, in a block of exactly that size. */
static void damage(const rg_buf *body, void (*read)(const uint8_t *bytes, size_t n))
{
    for (size_t n = 0; n <= body->len; n++) {
        uint8_t *copy = malloc(n + 1);
        memcpy(copy, body->data, n);
        read(copy, n);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * body->len; bit++) {
        uint8_t *copy = malloc(body->len);
        memcpy(copy, body->data, body->len);
        copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
        read(copy, body->len);
        free(copy);
    }
}

/* promise 22 */
static void damaged_bodies_do_no_harm(void **state)
{
    rg_lease_done done[] = {{1, 2, 3}, {4, 5, 6}};
    rg_lease_ask ask = {.reading = 1, .wants = true, .ticket = 9, .done = done, .n_done = 2}, got;
    rg_buf body;
    (void)state;
    rg_buf_init(&body, 0);
    rg_deal_plan_write(&body, &plan);
    damage(&body, read_plan);
    rg_buf_clear(&body);
    rg_lease_ask_write(&body, &ask);
    assert_ok(rg_lease_ask_read(&got, body.data, body.len));
    assert_true(got.wants && got.ticket == 9 && got.done[1].rows == 6);
    rg_free(got.done);
    damage(&body, read_ask);
    rg_buf_fini(&body);
}

RUN(cmocka_unit_test(ranges_cover_every_byte_once),
    cmocka_unit_test(a_range_goes_on_where_each_server_was),
    cmocka_unit_test(a_push_of_two_ranges_counts_in_whole_or_not),
    cmocka_unit_test(who_was_not_replaced_may_finish), cmocka_unit_test(a_restart_knows_the_deal),
    cmocka_unit_test(damaged_bodies_do_no_harm))
