/* test_cut.c - a proxy between client and server that cuts a connection, or flips a bit of it, at
 * each place of the first conversation. Every request is applied once all the same. */
#include "check.h"
#include "rpc/echo.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { CUT, FLIP, MAX_PAIRS = 16, REQUESTS = 3 };

typedef struct proxy {
    int listening, server_port, port;
    pthread_t thread;
    atomic_bool stop;
    int what;       /* CUT or FLIP, once */
    bool to_server; /* on the way there, or back */
    atomic_long at; /* at this byte of the first connection; -1: it was done */
    int pairs[MAX_PAIRS][2];
    int n;
} proxy;

static int dial(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void drop(proxy *p, int i)
{
    (void)close(p->pairs[i][0]);
    (void)close(p->pairs[i][1]);
    p->pairs[i][0] = p->pairs[i][1] = -1;
}

/* What has come in at one end of pair i goes out at the other, or into nothing. */
static void forward(proxy *p, int i, int side)
{
    uint8_t bytes[512];
    ssize_t n = recv(p->pairs[i][side], bytes, sizeof bytes, 0);
    if (n <= 0) {
        drop(p, i);
        return;
    }
    bool cut = false;
    if (i == 0 && p->at >= 0 && (side == 0) == p->to_server) {
        if (p->at >= n) {
            p->at -= n;
        } else {
            cut = p->what == CUT;
            bytes[p->at] ^= (uint8_t)(p->what == FLIP ? 4 : 0);
            n = cut ? p->at : n;
            p->at = -1;
        }
    }
    (void)send(p->pairs[i][1 - side], bytes, (size_t)n, MSG_NOSIGNAL);
    if (cut)
        drop(p, i);
}

static void *run_proxy(void *arg)
{
    proxy *p = arg;
    while (!p->stop) {
        struct pollfd fds[1 + 2 * MAX_PAIRS];
        fds[0] = (struct pollfd){.fd = p->listening, .events = POLLIN};
        int n = p->n;
        for (int i = 0; i < 2 * n; i++)
            fds[1 + i] = (struct pollfd){.fd = p->pairs[i / 2][i % 2], .events = POLLIN};
        if (poll(fds, (nfds_t)(1 + 2 * n), 2) <= 0)
            continue;
        if (fds[0].revents != 0 && p->n < MAX_PAIRS) {
            p->pairs[p->n][0] = accept(p->listening, NULL, NULL);
            p->pairs[p->n++][1] = dial(p->server_port);
        }
        for (int i = 0; i < 2 * n; i++)
            if (fds[1 + i].revents != 0 && p->pairs[i / 2][i % 2] >= 0)
                forward(p, i / 2, i % 2);
    }
    for (int i = 0; i < p->n; i++)
        if (p->pairs[i][0] >= 0)
            drop(p, i);
    return NULL;
}

static void proxy_open(proxy *p, const echo *e, int what, bool to_server, long at)
{
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof self;
    memset(p, 0, sizeof *p);
    p->what = what;
    p->to_server = to_server;
    p->at = at;
    p->server_port = (int)strtol(strrchr(rg_rpc_server_endpoint(e->server, 0), ':') + 1, NULL, 10);
    p->listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listening, (struct sockaddr *)&self, sizeof self), 0);
    assert_int_equal(listen(p->listening, 16), 0);
    assert_int_equal(getsockname(p->listening, (struct sockaddr *)&self, &length), 0);
    p->port = ntohs(self.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, run_proxy, p), 0);
}

static void proxy_close(proxy *p)
{
    p->stop = true;
    assert_int_equal(pthread_join(p->thread, NULL), 0);
    (void)close(p->listening);
}

/* A conversation in which one thing goes wrong; whether it came to it. */
static bool converse(echo *e, int what, bool to_server, long at)
{
    static const uint8_t key[] = "sixteen byte key";
    char endpoint[32];
    proxy p;
    rg_rpc_client *client;
    rg_rpc_client_config config = echo_client();
    config.security = (rg_rpc_security){.key = key, .key_bytes = 16};
    config.transport = "tcp";
    proxy_open(&p, e, what, to_server, at);
    (void)snprintf(endpoint, sizeof endpoint, "127.0.0.1:%d", p.port);
    int before = e->applied;
    assert_ok(rg_rpc_client_open(&client, endpoint, &config));
    for (int i = 0; i < REQUESTS; i++)
        assert_ok(rg_rpc_ask_once(client, COUNT, &(rg_iov){"twelve bytes", 12}, 1, NULL, NULL));
    assert_int_equal(e->applied, before + REQUESTS);
    bool done = p.at < 0;
    rg_rpc_client_close(client);
    proxy_close(&p);
    return done;
}

static void at_each_place(int what)
{
    static const uint8_t key[] = "sixteen byte key";
    rg_rpc_server_config config = {.security = {.key = key, .key_bytes = 16}};
    echo e;
    echo_init(&e);
    assert_ok(echo_open(&e, &config));
    for (int way = 0; way < 2; way++) {
        long at = 0;
        while (converse(&e, what, way == 0, at))
            at += 3;
        assert_true(at > 200); /* the handshake and all requests */
    }
    echo_stop(&e);
}

/* promise 11 */
static void a_cut_at_any_byte_loses_nothing(void **state)
{
    (void)state;
    at_each_place(CUT);
}

/* promise 10 */
static void a_flipped_bit_anywhere_changes_nothing(void **state)
{
    (void)state;
    at_each_place(FLIP);
}

RUN(cmocka_unit_test(a_cut_at_any_byte_loses_nothing),
    cmocka_unit_test(a_flipped_bit_anywhere_changes_nothing))
