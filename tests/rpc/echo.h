/* echo.h - a server for tests, and what a client of it needs. */
#ifndef RG_TESTS_RPC_ECHO_H
#define RG_TESTS_RPC_ECHO_H

#include "base/mem.h"
#include "rpc/client.h"
#include "rpc/server.h"
#include "sys/latch.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ECHO = 1, REFUSE, COUNT, HOLD, PARK };

typedef struct echo {
    rg_rpc_server *server;
    atomic_int hellos, backs, revenants, lost, left, dead, applied, repeated;
    _Atomic rg_status verdict; /* of hello */
    char how[400];             /* why someone is dead */
    rg_latch died, lost_one;   /* the first of each */
    _Atomic(rg_rpc_request *) held;
    rg_latch holding, go; /* HOLD: the loop's thread stands until `go`; PARK: the request waits */
} echo;

static rg_status echo_hello(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello,
                            rg_rpc_arrival arrival)
{
    echo *e = user;
    (void)peer;
    e->hellos++;
    e->backs += arrival == RG_RPC_BACK;
    e->revenants += arrival == RG_RPC_REVENANT;
    if (e->verdict != RG_OK)
        return rg_fail(e->verdict, "trainer %d is not wanted here", hello->trainer);
    if (hello->trainer == RG_RPC_ANY_TRAINER)
        hello->trainer = 7;
    if (hello->epoch == 0)
        hello->epoch = 3;
    return RG_OK;
}

static void echo_release(void *arg)
{
    rg_free(arg);
}

static void echo_request(void *user, rg_rpc_request *request)
{
    echo *e = user;
    size_t bytes;
    const uint8_t *body = rg_rpc_request_body(request, &bytes);
    switch (rg_rpc_request_method(request)) {
    case ECHO: {
        uint8_t *copy = rg_alloc(bytes);
        if (bytes > 0)
            memcpy(copy, body, bytes);
        size_t half = bytes / 2;
        rg_iov iov[2] = {{copy, half}, {copy + half, bytes - half}};
        rg_rpc_reply(request, 0, iov, 2, echo_release, copy);
        return;
    }
    case COUNT: {
        if (rg_rpc_request_repeated(request))
            e->repeated++;
        else
            e->applied++;
        uint32_t total = (uint32_t)e->applied;
        rg_rpc_reply(request, 0, &(rg_iov){&total, sizeof total}, 1, NULL, NULL);
        return;
    }
    case HOLD:
        rg_latch_open(&e->holding);
        (void)rg_latch_wait(&e->go, UINT64_MAX);
        rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        return;
    case PARK: {
        /* One waits, once: what is sent again by who was expelled is another request, and what was
         * answered while there was no connection comes again to hear it. */
        rg_rpc_request *none = NULL;
        if (rg_rpc_request_repeated(request) ||
            !atomic_compare_exchange_strong(&e->held, &none, request))
            rg_rpc_reply(request, 0, NULL, 0, NULL, NULL);
        rg_latch_open(&e->holding);
        return;
    }
    default:
        rg_rpc_refuse(request, RG_EVALUE, "method %u is refused", rg_rpc_request_method(request));
    }
}

static void echo_lost(void *user, rg_rpc_peer *peer, const char *why)
{
    echo *e = user;
    (void)peer, (void)why;
    if (e->lost++ == 0)
        rg_latch_open(&e->lost_one);
}

static void echo_left(void *user, rg_rpc_peer *peer)
{
    echo *e = user;
    (void)peer;
    e->left++;
}

static void echo_dead(void *user, rg_rpc_peer *peer, const char *how)
{
    echo *e = user;
    (void)peer;
    if (e->dead++ > 0)
        return;
    (void)snprintf(e->how, sizeof e->how, "%s", how);
    rg_latch_open(&e->died);
}

static void echo_init(echo *e)
{
    memset(e, 0, sizeof *e);
    rg_latch_init(&e->died);
    rg_latch_init(&e->lost_one);
    rg_latch_init(&e->holding);
    rg_latch_init(&e->go);
}

static rg_status echo_open(echo *e, rg_rpc_server_config *config)
{
    static const char *const any[] = {"127.0.0.1:0"};
    if (config->endpoints == NULL) {
        config->endpoints = any;
        config->n_endpoints = 1;
    }
    config->events = (rg_rpc_server_events){.hello = echo_hello,
                                            .request = echo_request,
                                            .lost = echo_lost,
                                            .left = echo_left,
                                            .dead = echo_dead};
    config->user = e;
    return rg_rpc_server_open(&e->server, config);
}

static inline void echo_start(echo *e)
{
    rg_rpc_server_config config = {.job = "job-1", .name = "pserver 0"};
    echo_init(e);
    assert_ok(echo_open(e, &config));
}

static void echo_stop(echo *e)
{
    rg_rpc_server_close(e->server);
    rg_latch_fini(&e->died);
    rg_latch_fini(&e->lost_one);
    rg_latch_fini(&e->holding);
    rg_latch_fini(&e->go);
}

static rg_rpc_client_config echo_client(void)
{
    return (rg_rpc_client_config){
        .me = {.job = "job-1", .role = RG_RPC_TRAINER, .trainer = 1, .name = "trainer 1"}};
}

static inline rg_rpc_client *echo_connect(const echo *e, const rg_rpc_client_config *config)
{
    rg_rpc_client_config plain = echo_client();
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, rg_rpc_server_endpoint(e->server, 0),
                                 config ? config : &plain));
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

/* `n` bytes there and back; they must be the same. */
static inline void echo_once(rg_rpc_client *client, size_t n, uint8_t seed)
{
    uint8_t *out = rg_alloc(n), *in = NULL;
    size_t got = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)(seed + i * 31 + (i >> 8));
    assert_ok(rg_rpc_ask_once(client, ECHO, &(rg_iov){out, n}, 1, &in, &got));
    assert_int_equal(got, n);
    assert_memory_equal(in, out, n);
    rg_free(in);
    rg_free(out);
}

#endif
