/* test_serve_leases.c - data that a server deals: what a trainer hears of its pass. */
#include "dist/asking.h"

#include "dist/deal.h"

static void begins(const fixture *f, int trainer, uint32_t reading)
{
    static const uint64_t sizes[] = {100, 200};
    rg_deal_plan plan = {
        .reading = reading, .n_files = 2, .digest = 7, .range_bytes = 0, .sizes = sizes};
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_deal_plan_write(&body, &plan);
    assert_ok(ask(f->clients[trainer], RG_PS_DEAL, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
}

/* Asks for a range, and is done with the one that it has, which is of no examples. */
static bool takes(const fixture *f, int trainer, uint32_t reading, bool is_done, rg_lease *lease,
                  rg_pass_state *is)
{
    static uint64_t ticket;
    rg_lease_done done = {lease->range, lease->generation, 0};
    rg_lease_ask a = {
        .reading = reading, .wants = true, .ticket = ++ticket, .done = &done, .n_done = is_done};
    uint8_t *reply;
    size_t n;
    bool given;
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_lease_ask_write(&body, &a);
    assert_ok(ask(f->clients[trainer], RG_PS_LEASE, body.data, body.len, &reply, &n));
    assert_ok(rg_lease_given_read(reply, n, &given, lease, is));
    rg_free(reply);
    rg_buf_fini(&body);
    return given;
}

/* Or what the job says at its end, the sum of its passes, would be wrong. */
static void who_comes_late_hears_of_its_own_pass(void **state)
{
    fixture f;
    rg_lease lease = {0}, none = {0};
    rg_pass_state is;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    begins(&f, 0, 0);
    begins(&f, 1, 0);
    assert_true(takes(&f, 0, 0, false, &lease, &is));
    assert_true(takes(&f, 0, 0, true, &lease, &is));
    assert_false(takes(&f, 1, 0, false, &none, &is));
    assert_true(!is.over && is.done == 1);
    assert_false(takes(&f, 0, 0, true, &lease, &is));
    assert_true(is.over && is.done == 2);
    begins(&f, 0, 1);
    assert_true(takes(&f, 0, 1, false, &lease, &is));
    assert_true(takes(&f, 0, 1, true, &lease, &is));
    assert_true(!is.over && is.done == 1);
    /* The other one still waits in the first pass. */
    assert_false(takes(&f, 1, 0, false, &none, &is));
    assert_true(is.over);
    assert_int_equal(is.done, 2);
    assert_false(takes(&f, 0, 1, true, &lease, &is));
    finish(&f);
}

RUN(cmocka_unit_test(who_comes_late_hears_of_its_own_pass))
