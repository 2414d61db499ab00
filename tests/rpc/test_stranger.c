/* test_stranger.c - a client at a port where no server of ours is, or none that stays. */
#include "check.h"

#include "rpc/echo.h"
#include "sys/clock.h"
#include "sys/interrupt.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

typedef enum manner { ANSWERS, ANSWERS_LINES, CLOSES, SILENT } manner;

typedef struct stranger {
    manner manner;
    int listening;
    pthread_t thread;
    atomic_bool stop;
    char endpoint[64];
} stranger;

/* One that reads lines answers when there is one, as HTTP servers do. */
static void answer(const stranger *s, int socket)
{
    static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    char got[4096];
    bool line = s->manner == ANSWERS;
    while (!atomic_load(&s->stop) && !line) {
        struct pollfd p = {.fd = socket, .events = POLLIN};
        ssize_t n = poll(&p, 1, 20) > 0 ? recv(socket, got, sizeof got, 0) : 0;
        line = n >= 4 && memcmp(got + n - 4, "\r\n\r\n", 4) == 0;
        if (n < 0)
            return;
    }
    if (line)
        (void)send(socket, text, sizeof text - 1, MSG_NOSIGNAL);
}

static void *run(void *arg)
{
    stranger *s = arg;
    int sockets[64], n = 0;
    while (!atomic_load(&s->stop)) {
        struct pollfd p = {.fd = s->listening, .events = POLLIN};
        int socket = poll(&p, 1, 20) > 0 ? accept(s->listening, NULL, NULL) : -1;
        if (socket < 0)
            continue;
        if (s->manner == ANSWERS || s->manner == ANSWERS_LINES)
            answer(s, socket);
        if (s->manner == SILENT && n < 64)
            sockets[n++] = socket;
        else
            (void)close(socket);
    }
    while (n > 0)
        (void)close(sockets[--n]);
    return NULL;
}

static void stranger_start(stranger *s, manner how)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    s->manner = how;
    atomic_store(&s->stop, false);
    s->listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->listening, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(s->listening, 16), 0);
    assert_int_equal(getsockname(s->listening, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(s->endpoint, sizeof s->endpoint, "127.0.0.1:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&s->thread, NULL, run, s), 0);
}

static void stranger_stop(stranger *s)
{
    atomic_store(&s->stop, true);
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    (void)close(s->listening);
}

static rg_rpc_client *connector(const char *endpoint, int64_t deadline_ms)
{
    rg_rpc_client_config mine = echo_client();
    rg_rpc_client *client;
    mine.deadline_ms = deadline_ms;
    assert_ok(rg_rpc_client_open(&client, endpoint, &mine));
    return client;
}

/* Long before the deadline, and with what it said. */
static void another_protocol_is_named(void **state)
{
    static const manner manners[] = {ANSWERS, ANSWERS_LINES};
    stranger admission[2];
    rg_rpc_client *clients[2];
    uint64_t began = rg_clock_ns();
    (void)state;
    for (int i = 0; i < 2; i++) {
        stranger_start(&admission[i], manners[i]);
        clients[i] = connector(admission[i].endpoint, 120000);
    }
    for (int i = 0; i < 2; i++) {
        assert_fails(rg_rpc_client_ready(clients[i], NULL), RG_ECORRUPT, "HTTP/1.1.400.Bad");
        assert_fails(rg_rpc_ask_once(clients[i], ECHO, NULL, 0, NULL, NULL), RG_ECORRUPT,
                     "another service's port");
        rg_rpc_client_close(clients[i]);
        stranger_stop(&admission[i]);
    }
    assert_in_range((rg_clock_ns() - began) / 1000000000u, 0, 60);
}

static void one_that_says_nothing_is_waited_for_until_the_deadline(void **state)
{
    static const manner manners[] = {CLOSES, SILENT};
    static const char *const says[] = {"connection", "nothing was heard from the server for 2.5 s"};
    stranger admission[2];
    rg_rpc_client *clients[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        stranger_start(&admission[i], manners[i]);
        clients[i] = connector(admission[i].endpoint, 2500);
    }
    for (int i = 0; i < 2; i++) {
        assert_fails(rg_rpc_client_ready(clients[i], NULL), RG_ETIMEOUT, says[i]);
        rg_rpc_client_close(clients[i]);
        stranger_stop(&admission[i]);
    }
}

static rg_status user_stops_it(void)
{
    return rg_fail(RG_ECLOSED, "Ctrl+C");
}

static void a_wait_for_a_server_can_be_interrupted(void **state)
{
    rg_rpc_client *client = connector("127.0.0.1:1", 120000);
    (void)state;
    rg_set_interrupted(user_stops_it);
    assert_fails(rg_rpc_client_ready(client, NULL), RG_ECLOSED, "Ctrl+C");
    assert_fails(rg_rpc_ask_once(client, ECHO, NULL, 0, NULL, NULL), RG_ECLOSED, "Ctrl+C");
    rg_set_interrupted(NULL);
    rg_rpc_client_close(client);
}

/* ---- a server without memory ---- */

/* promise 18 */
static void one_failed_allocation_does_not_end_accepting(void **state)
{
    echo e;
    (void)state;
    (void)setenv("RG_FAULT", "listen.accept:1:enomem", 1);
    echo_start(&e);
    for (int i = 0; i < 3; i++) {
        rg_rpc_client *client = echo_connect(&e, NULL);
        echo_once(client, 10, 1);
        rg_rpc_client_close(client);
    }
    echo_stop(&e);
    (void)unsetenv("RG_FAULT");
}

/* ---- connections that break again and again ---- */

static void a_request_outlives_many_connections(void **state)
{
    echo e;
    rg_rpc_call *call;
    (void)state;
    echo_start(&e);
    rg_rpc_client *client = echo_connect(&e, NULL);
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = PARK}));
    (void)rg_latch_wait(&e.holding, UINT64_MAX);
    for (int i = 0; i < 8; i++) {
        int before = atomic_load(&e.backs);
        while (atomic_load(&e.backs) == before) {
            rg_rpc_server_cut(e.server); /* where it is in already */
            (void)poll(NULL, 0, 10);
        }
    }
    rg_rpc_reply(atomic_exchange(&e.held, NULL), 0, NULL, 0, NULL, NULL);
    assert_ok(rg_rpc_wait(call));
    rg_rpc_call_close(call);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

/* What breaks every connection is given up in the end: here a request that is too large. */
static void a_request_that_breaks_connections_is_given_up(void **state)
{
    echo e;
    rg_rpc_server_config config = {.max_body = 1000, .lease_ms = 300};
    rg_rpc_client_config mine = echo_client();
    uint8_t body[1001] = {0};
    (void)state;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    mine.retry_times = 3;
    rg_rpc_client *client = echo_connect(&e, &mine);
    assert_fails(rg_rpc_ask_once(client, ECHO, &(rg_iov){body, 1001}, 1, NULL, NULL), RG_ECLOSED,
                 "FLAGS_rpc_retry_times=3");
    echo_once(client, 1000, 1);
    rg_rpc_client_close(client);
    echo_stop(&e);
}

RUN(cmocka_unit_test(another_protocol_is_named),
    cmocka_unit_test(one_that_says_nothing_is_waited_for_until_the_deadline),
    cmocka_unit_test(a_wait_for_a_server_can_be_interrupted),
    cmocka_unit_test(one_failed_allocation_does_not_end_accepting),
    cmocka_unit_test(a_request_outlives_many_connections),
    cmocka_unit_test(a_request_that_breaks_connections_is_given_up))
