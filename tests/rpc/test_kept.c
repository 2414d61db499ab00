/* test_kept.c - requests that were answered before they were on the disk: kept within a bound, and
 * asked for again from a server that came back without them. */
#include "check.h"

#include "rpc/client.h"
#include "rpc/server.h"
#include "sys/clock.h"
#include "sys/latch.h"
#include "sys/metrics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ADD = 1, READ, NOTE, SYNC, BODY = 100000, MOST = 64 };

/* A server that writes a record for each request, and says itself how far the disk is. */
typedef struct life {
    rg_rpc_server *server, *opened;  /* opened: known before the first request comes */
    uint64_t session, records, came; /* came: what an earlier life had */
    rg_rpc_hello hello;
    atomic_int n;
    uint64_t ids[MOST];
    uint16_t flags[MOST];
    uint64_t answered_ns[MOST], came_ns[MOST];
    bool refuses, logs_all;        /* all: what READ does, too */
    _Atomic(rg_rpc_client *) deaf; /* does not hear the next answer */
    rg_latch back;                 /* that it is connected again */
} life;

static rg_status come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival)
{
    life *l = user;
    (void)arrival;
    hello->epoch = 1;
    l->session = rg_rpc_peer_session(peer);
    l->hello = *hello;
    return RG_OK;
}

/* Its connection breaks before it is answered. */
static bool breaks(life *l)
{
    rg_rpc_client *client = atomic_exchange(&l->deaf, NULL);
    if (client == NULL)
        return false;
    rg_rpc_client_cut(client);
    assert_true(rg_latch_wait(&l->back, 20000));
    return true;
}

/* NOTE is remembered, READ changes something the first time, SYNC waits for the disk. */
static void write_down(const life *l, rg_rpc_request *request, uint64_t *records)
{
    uint16_t method = rg_rpc_request_method(request);
    if (method == SYNC)
        rg_rpc_request_logged(request);
    if (method == SYNC || (method == READ && rg_rpc_request_repeated(request)))
        return;
    if (method == NOTE)
        rg_rpc_request_remember(request);
    rg_rpc_request_noted(request);
    rg_rpc_server_logged(l->opened, ++*records);
}

static void take(void *user, rg_rpc_request *request)
{
    life *l = user;
    bool unheard = breaks(l);
    int i = atomic_load(&l->n);
    size_t bytes;
    l->ids[i] = rg_rpc_request_id(request);
    l->flags[i] = rg_rpc_request_flags(request);
    l->came_ns[i] = rg_clock_ns();
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    if (l->refuses) {
        rg_rpc_refuse(request, RG_ESTALE, "those in between are lost");
        return;
    }
    for (size_t k = 0; k < bytes; k++)
        assert_int_equal(body[k], (uint8_t)(k * 7 + body[0]));
    if (rg_rpc_request_method(request) == ADD || l->logs_all)
        write_down(l, request, &l->records);
    if ((l->flags[i] & RG_FRAME_HEARD) != 0)
        rg_clock_sleep(20000000); /* what follows has time to come too early */
    l->answered_ns[i] = rg_clock_ns();
    atomic_fetch_add(&l->n, 1);
    rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
    if (unheard) /* the disk has it, and says so before the client has come again */
        rg_rpc_server_durable(l->opened, l->records);
}

static void is_back(void *user, const rg_rpc_welcome *welcome, bool again)
{
    life *l = user;
    (void)welcome;
    if (again)
        rg_latch_open(&l->back);
}

/* As from a journal: the session, and which requests have come. */
static rg_status opened(void *user, rg_rpc_server *server)
{
    life *l = user;
    uint64_t state[2] = {l->came, 0};
    rg_rpc_peer *peer;
    l->opened = server;
    if (l->session == 0)
        return RG_OK;
    RG_TRY(rg_rpc_server_recall(server, &peer, l->session, &l->hello, 0));
    return rg_rpc_peer_read(peer, &(rg_cursor){(const uint8_t *)state, sizeof state});
}

static void live(life *l, const char *endpoint)
{
    rg_rpc_server_config config = {
        .endpoints = &endpoint,
        .n_endpoints = 1,
        .lineage = 77,
        .logs_late = true,
        .events = {.opened = opened, .hello = come, .request = take},
        .user = l,
    };
    assert_ok(rg_rpc_server_open(&l->server, &config));
}

static rg_rpc_client *connect_to(life *l, rg_rpc_window *window)
{
    rg_rpc_client *client;
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER, .name = "trainer 0"},
                                   .window = window,
                                   .return_ms = 30000,
                                   .events = {.connected = is_back},
                                   .user = l};
    assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(l->server, 0), &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

/* Of many pieces; the memory is used again at once. */
static void add(rg_rpc_client *client, uint8_t begin)
{
    static uint8_t body[BODY];
    rg_rpc_call *call;
    for (size_t k = 0; k < BODY; k++)
        body[k] = (uint8_t)(k * 7 + begin);
    rg_iov iov[3] = {{body, 1}, {body + 1, 70000}, {body + 70001, BODY - 70001}};
    rg_rpc_ask ask = {.method = ADD, .iov = iov, .n = 3, .keeps = rg_rpc_client_keeps(client)};
    assert_ok(rg_rpc_start(&call, client, &ask));
    assert_ok(rg_rpc_wait(call));
    rg_rpc_call_close(call);
    memset(body, 0, sizeof body);
}

static void wait_until_used(rg_rpc_window *window, uint64_t bytes)
{
    uint64_t end = rg_clock_ns() + 20 * UINT64_C(1000000000);
    while (rg_rpc_window_used(window) != bytes && rg_clock_ns() < end)
        rg_clock_sleep(1000000);
    assert_int_equal(rg_rpc_window_used(window), bytes);
}

/* promise 4 */
static void what_was_not_on_the_disk_is_sent_again_in_order(void **state)
{
    rg_rpc_window *window;
    life first = {0}, second = {0};
    char endpoint[64];
    (void)state;
    assert_ok(rg_rpc_window_open(&window, 10 * BODY));
    live(&first, "127.0.0.1:0");
    rg_rpc_client *client = connect_to(&first, window);
    assert_true(rg_rpc_client_keeps(client));
    for (int i = 0; i < 6; i++) {
        assert_true(rg_rpc_window_take(window, BODY, 0));
        add(client, (uint8_t)i);
    }
    assert_int_equal(rg_rpc_window_used(window), 6 * BODY);
    rg_rpc_server_durable(first.server, 2);
    wait_until_used(window, 4 * BODY);
    (void)snprintf(endpoint, sizeof endpoint, "%s", rg_rpc_server_endpoint(first.server, 0));
    rg_rpc_server_close(first.server); /* and with it the threads that write to `first` */
    /* What is on the disk reaches further than was told; the last two are lost. */
    second.session = first.session;
    second.hello = first.hello;
    second.came = first.ids[3];
    live(&second, endpoint);
    assert_ok(rg_rpc_ask_once(client, READ, NULL, 0, NULL, NULL));
    assert_int_equal(atomic_load(&second.n), 3);
    assert_int_equal(second.ids[0], first.ids[4]);
    assert_int_equal(second.ids[1], first.ids[5]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal((second.flags[i] & RG_FRAME_HEARD) != 0, i < 2);
        if (i > 0) /* each was asked for when the one before had been answered */
            assert_true(second.came_ns[i] >= second.answered_ns[i - 1]);
    }
    assert_int_equal(rg_rpc_window_used(window), 2 * BODY);
    rg_rpc_server_durable(second.server, 2);
    wait_until_used(window, 0);
    rg_rpc_client_close(client);
    rg_rpc_server_close(second.server);
    rg_rpc_window_close(window);
}

static void a_full_window_holds_the_next_and_does_not_grow(void **state)
{
    rg_rpc_window *window;
    life l = {0};
    (void)state;
    assert_ok(rg_rpc_window_open(&window, 3 * BODY));
    live(&l, "127.0.0.1:0");
    rg_rpc_client *client = connect_to(&l, window);
    int sent = 0;
    for (; sent < 10 && rg_rpc_window_take(window, BODY, 1000000); sent++)
        add(client, (uint8_t)sent);
    assert_int_equal(sent, 3);
    assert_int_equal(rg_rpc_window_used(window), 3 * BODY);
    assert_int_equal((int)atomic_load(&rg_metric_cells[RG_M_WINDOW].value), 3 * BODY);
    rg_rpc_server_durable(l.server, 1);
    assert_true(rg_rpc_window_take(window, BODY, 20 * UINT64_C(1000000000)));
    rg_rpc_window_give(window, BODY);
    rg_rpc_server_durable(l.server, 3);
    wait_until_used(window, 0);
    /* One that is larger than the window has it alone. */
    assert_true(rg_rpc_window_take(window, 100 * BODY, 0));
    assert_false(rg_rpc_window_take(window, 1, 0));
    rg_rpc_window_give(window, 100 * BODY);
    rg_rpc_client_close(client);
    rg_rpc_server_close(l.server);
    rg_rpc_window_close(window);
}

/* A disk that had not what it said: the job cannot go on, and hears why. */
static void a_server_that_will_not_have_it_again_is_lost(void **state)
{
    rg_rpc_window *window;
    life first = {0}, second = {.refuses = true};
    char endpoint[64];
    (void)state;
    assert_ok(rg_rpc_window_open(&window, 10 * BODY));
    live(&first, "127.0.0.1:0");
    rg_rpc_client *client = connect_to(&first, window);
    assert_true(rg_rpc_window_take(window, BODY, 0));
    add(client, 1);
    (void)snprintf(endpoint, sizeof endpoint, "%s", rg_rpc_server_endpoint(first.server, 0));
    rg_rpc_server_close(first.server);
    second.session = first.session;
    second.hello = first.hello;
    live(&second, endpoint);
    assert_fails(rg_rpc_ask_once(client, READ, NULL, 0, NULL, NULL), RG_ESTALE,
                 "without what it had said was on its disk: those in between are lost");
    assert_fails(rg_rpc_client_state(client), RG_ESTALE, "those in between are lost");
    rg_rpc_client_close(client);
    rg_rpc_server_close(second.server);
    rg_rpc_window_close(window);
}

/* ---- an answer that was not heard ---- */

static void begin(life *l, rg_rpc_client **client, rg_rpc_window **window)
{
    *l = (life){.logs_all = true};
    rg_latch_init(&l->back);
    assert_ok(rg_rpc_window_open(window, 10 * BODY));
    live(l, "127.0.0.1:0");
    *client = connect_to(l, *window);
}

static void end(life *l, rg_rpc_client *client, rg_rpc_window *window)
{
    rg_rpc_client_close(client);
    rg_rpc_server_close(l->server);
    rg_rpc_window_close(window);
    rg_latch_fini(&l->back);
}

/* Of so many requests the disk has what they did: nothing is kept of them any more. */
static void end_when_kept(life *l, rg_rpc_client *client, rg_rpc_window *window, uint64_t n)
{
    rg_rpc_server_durable(l->server, n);
    wait_until_used(window, 0);
    end(l, client, window);
}

static void ask(rg_rpc_client *client, uint16_t method)
{
    static uint8_t body[100];
    for (size_t k = 0; k < sizeof body; k++)
        body[k] = (uint8_t)(k * 7);
    rg_iov iov = {body, sizeof body};
    rg_rpc_ask ask = {.method = method, .iov = &iov, .n = 1, .flushes = method == SYNC};
    rg_rpc_call *call;
    assert_ok(rg_rpc_start(&call, client, &ask));
    assert_ok(rg_rpc_wait(call));
    rg_rpc_call_close(call);
}

/* What is done again is on the disk once more, and it is known by the same id. */
static void what_was_told_before_it_was_heard_is_told_again(void **state)
{
    rg_rpc_window *window;
    rg_rpc_client *client;
    life l;
    (void)state;
    begin(&l, &client, &window);
    assert_true(rg_rpc_window_take(window, BODY, 0));
    atomic_store(&l.deaf, client);
    add(client, 1);
    assert_int_equal(atomic_load(&l.n), 2);
    assert_int_equal(l.ids[0], l.ids[1]);
    assert_int_equal(rg_rpc_window_used(window), BODY);
    end_when_kept(&l, client, window, 2);
}

/* It is told of by the answer to another request, which this client has not heard. */
static void an_answer_of_a_flush_lets_go_what_was_answered_before(void **state)
{
    rg_rpc_window *window;
    rg_rpc_client *client;
    life l;
    (void)state;
    begin(&l, &client, &window);
    assert_true(rg_rpc_window_take(window, BODY, 0));
    add(client, 1);
    atomic_store(&l.deaf, client);
    ask(client, READ);
    assert_int_equal(atomic_load(&l.n), 3);
    ask(client, SYNC);
    assert_int_equal(rg_rpc_window_used(window), 0);
    assert_true(rg_rpc_window_take(window, BODY, 0));
    add(client, 2); /* and those behind it are kept */
    assert_int_equal(rg_rpc_window_used(window), BODY);
    end_when_kept(&l, client, window, 3);
}

/* Whether it is kept is said as it is by then. */
static void a_remembered_answer_says_what_the_disk_has_now(void **state)
{
    rg_rpc_window *window;
    rg_rpc_client *client;
    life l;
    (void)state;
    begin(&l, &client, &window);
    atomic_store(&l.deaf, client);
    ask(client, NOTE);
    assert_int_equal(atomic_load(&l.n), 1); /* it was not done again */
    assert_int_equal(rg_rpc_window_used(window), 0);
    end(&l, client, window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_on_the_disk_is_sent_again_in_order),
        cmocka_unit_test(a_full_window_holds_the_next_and_does_not_grow),
        cmocka_unit_test(a_server_that_will_not_have_it_again_is_lost),
        cmocka_unit_test(what_was_told_before_it_was_heard_is_told_again),
        cmocka_unit_test(an_answer_of_a_flush_lets_go_what_was_answered_before),
        cmocka_unit_test(a_remembered_answer_says_what_the_disk_has_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
