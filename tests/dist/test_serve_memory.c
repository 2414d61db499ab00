/* test_serve_memory.c - memory runs out in a server's loops, or in those of its clients, at the
 * n-th allocation of each kind of request, for all n: an error or the answer, no crash, no leak,
 * nobody waits for ever, and nothing is applied in part or twice. */
#include "dist/asking.h"

#include "base/mem_faults.h"

enum { MOST = 400 }; /* no request allocates as often */

typedef rg_status (*request)(fixture *f);

static int applied; /* pushes that were answered */

static float w_now(const fixture *f)
{
    const uint32_t w = W;
    uint8_t *reply = NULL;
    size_t n;
    float x;
    assert_ok(ask(f->clients[0], RG_PS_PULL, &w, sizeof w, &reply, &n));
    memcpy(&x, reply, sizeof x);
    for (size_t i = 1; i < SIZE; i++)
        assert_memory_equal(reply, reply + i * sizeof x, sizeof x); /* all of it, or nothing */
    rg_free(reply);
    return x;
}

static rg_status do_push(fixture *f)
{
    static int64_t fresh;
    const int64_t ids[2] = {fresh++ % ROWS, 3};
    rg_buf body;
    write_push(&body, 1, ids, 2, 0);
    rg_status code = ask(f->clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL);
    rg_buf_fini(&body);
    applied += code == RG_OK;
    return code;
}

static rg_status do_pull(fixture *f)
{
    const uint32_t w = W;
    return ask(f->clients[0], RG_PS_PULL, &w, sizeof w, NULL, NULL);
}

static rg_status do_rows(fixture *f)
{
    const struct {
        uint32_t table, n;
        int64_t ids[3];
    } body = {TABLE, 3, {1, 5, 9}};
    return ask(f->clients[1], RG_PS_ROWS, &body, sizeof body, NULL, NULL);
}

static rg_status do_get(fixture *f)
{
    rg_value *value;
    assert_ok(rg_value_new(&value));
    rg_status code = get(f->clients[1], "w", 0, -1, value);
    rg_value_release(value);
    return code;
}

static rg_status do_schema(fixture *f)
{
    return ask(f->clients[0], RG_PS_SCHEMA, NULL, 0, NULL, NULL);
}

static rg_status do_waits(fixture *f)
{
    return ask(f->clients[0], RG_PS_WAITS, NULL, 0, NULL, NULL);
}

static rg_status do_stats(fixture *f)
{
    const uint8_t body[40] = {0};
    return ask(f->clients[1], RG_PS_STATS, body, sizeof body, NULL, NULL);
}

static rg_status do_cut(fixture *f)
{
    rg_rpc_client_cut(f->clients[1]); /* connections are made again without memory, too */
    return do_stats(f);
}

/* promise 18 */
static void any_allocation_of_a_server_may_fail(void **state)
{
    static const request requests[] = {do_push,   do_pull,  do_rows,  do_get,
                                       do_schema, do_waits, do_stats, do_cut};
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    float begun = w_now(&f);
    applied = 0;
    for (size_t r = 0; r < sizeof requests / sizeof requests[0]; r++) {
        int quiet = 0;
        long n = 1;
        for (; n < MOST && quiet < 3; n++) { /* heartbeats allocate now and then, too */
            rg_mem_fail_elsewhere(n);
            rg_status code = requests[r](&f);
            bool failed = rg_mem_failed_elsewhere();
            rg_mem_fail_elsewhere(0);
            if (code != RG_OK)
                assert_true(failed);
            quiet = failed ? 0 : quiet + 1;
            if (requests[r] == do_push)
                assert_float_equal(w_now(&f), begun - (float)applied, 1e-6);
        }
        assert_true(n < MOST);
        assert_true(n > 4 || requests[r] == do_cut);
        assert_ok(requests[r](&f)); /* as if nothing had been */
    }
    finish(&f);
}

RUN(cmocka_unit_test(any_allocation_of_a_server_may_fail))
