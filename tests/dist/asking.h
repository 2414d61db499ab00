/* asking.h - a whole server in this process, and clients that ask it by hand. */
#ifndef RG_TESTS_ASKING_H
#define RG_TESTS_ASKING_H

#include "dist/whole_server.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "sys/flags.h"

#include <stdlib.h>

enum { TRAINERS = 2 };

typedef struct fixture {
    server server;
    rg_rpc_client *clients[TRAINERS];
} fixture;

/* How many pushes each client has sent. */
static struct {
    const rg_rpc_client *client;
    uint64_t n;
} pushes[TRAINERS];

/* ---- its life ---- */

static rg_rpc_security security; /* of clients */

static inline rg_rpc_client *connect_as(const fixture *f, rg_rpc_role role, int trainer)
{
    rg_rpc_client_config config = {
        .security = security,
        .me = {.role = role, .trainer = trainer, .name = "someone", .host = "here", .pid = 7},
        .deadline_ms = 20000};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, f->server.endpoint, &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

static inline void start_at(fixture *f, rg_update_mode mode, const char *host)
{
    server_start_at(&f->server, mode, TRAINERS, host);
    for (int t = 0; t < TRAINERS; t++) {
        f->clients[t] = connect_as(f, RG_RPC_TRAINER, t);
        pushes[t].client = f->clients[t];
        pushes[t].n = 0;
    }
}

/* The body of a push says which push of this client it is. */
static inline void number(const rg_rpc_client *client, uint16_t method, void *body, size_t n)
{
    for (int t = 0; t < TRAINERS; t++)
        if (method == RG_PS_PUSH && n >= sizeof pushes[t].n && pushes[t].client == client)
            memcpy(body, &pushes[t].n, sizeof pushes[t].n), pushes[t].n++;
}

static inline void start(fixture *f, rg_update_mode mode)
{
    start_at(f, mode, "127.0.0.1");
}

static inline rg_status ask(rg_rpc_client *client, uint16_t method, const void *body, size_t n,
                            uint8_t **reply, size_t *bytes)
{
    uint8_t *copy = malloc(n + 1);
    if (n > 0)
        memcpy(copy, body, n);
    number(client, method, copy, n);
    rg_status code = rg_rpc_ask_once(client, method, &(rg_iov){copy, n}, 1, reply, bytes);
    free(copy);
    return code;
}

static inline void close_clients(fixture *f)
{
    for (int t = 0; t < TRAINERS; t++)
        rg_rpc_client_close(f->clients[t]);
}

static inline void wait_for_end(fixture *f)
{
    close_clients(f);
    server_end(&f->server);
}

/* All trainers leave, which ends it well. */
static inline void finish(fixture *f)
{
    for (int t = 0; t < TRAINERS; t++)
        assert_ok(ask(f->clients[t], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    close_clients(f);
    server_end_well(&f->server);
}

/* ---- requests ---- */

/* w's gradient is `x` everywhere; rows of the table with gradient `y`; w is wanted back. */
static inline void write_push(rg_buf *body, float x, const int64_t *ids, uint32_t n, float y)
{
    const uint32_t w = W, table = TABLE;
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, &w, 1, &table, &n, n > 0, &w, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_add(body, &x, sizeof x);
    rg_buf_add(body, ids, n * sizeof *ids);
    for (uint32_t i = 0; i < n * WIDTH; i++)
        rg_buf_add(body, &y, sizeof y);
    assert_ok(rg_buf_status(body));
}

static inline rg_rpc_call *begin_with(rg_rpc_client *client, uint16_t method, uint16_t flags,
                                      const rg_buf *body)
{
    rg_rpc_call *call;
    const rg_iov iov = {body->data, body->len};
    number(client, method, body->data, body->len);
    const rg_rpc_ask ask = {.method = method, .flags = flags, .iov = &iov, .n = 1};
    assert_ok(rg_rpc_start(&call, client, &ask));
    return call;
}

static inline rg_rpc_call *begin(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    return begin_with(client, method, 0, body);
}

static inline void expect_w(const uint8_t *bytes, size_t n, float x)
{
    assert_int_equal(n, SIZE * sizeof(float));
    for (int i = 0; i < SIZE; i++) {
        float got;
        memcpy(&got, bytes + (size_t)i * sizeof got, sizeof got);
        assert_float_equal(got, x, 1e-6);
    }
}

/* Both trainers push, and both get w. */
static inline void step(const fixture *f, float a, float b, float wanted)
{
    const float x[TRAINERS] = {a, b};
    rg_buf body[TRAINERS];
    rg_rpc_call *calls[TRAINERS];
    for (int t = 0; t < TRAINERS; t++) {
        write_push(&body[t], x[t], NULL, 0, 0);
        calls[t] = begin(f->clients[t], RG_PS_PUSH, &body[t]);
    }
    for (int t = 0; t < TRAINERS; t++) {
        size_t n;
        assert_ok(rg_rpc_wait(calls[t]));
        const uint8_t *bytes = rg_rpc_answer(calls[t], &n);
        expect_w(bytes, n, wanted);
        rg_rpc_call_close(calls[t]);
        rg_buf_fini(&body[t]);
    }
}

static inline void expect_rows(rg_rpc_client *client, const int64_t *ids, uint32_t n,
                               const float *wanted)
{
    rg_buf body;
    uint8_t *reply;
    size_t bytes;
    rg_buf_init(&body, 0);
    rg_buf_u32(&body, TABLE);
    rg_buf_u32(&body, n);
    rg_buf_add(&body, ids, n * sizeof *ids);
    assert_ok(ask(client, RG_PS_ROWS, body.data, body.len, &reply, &bytes));
    assert_int_equal(bytes, n * WIDTH * sizeof(float));
    for (uint32_t i = 0; i < n * WIDTH; i++)
        assert_float_equal(((const float *)(const void *)reply)[i], wanted[i / WIDTH], 1e-6);
    rg_free(reply);
    rg_buf_fini(&body);
}

static inline rg_status get(rg_rpc_client *client, const char *name, int64_t first, int64_t n,
                            rg_value *value)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t bytes;
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, name);
    rg_buf_u64(&body, (uint64_t)first);
    rg_buf_u64(&body, (uint64_t)n);
    rg_status code = ask(client, RG_PS_GET, body.data, body.len, &reply, &bytes);
    if (code == RG_OK)
        code = rg_ps_get_tensor(reply, bytes, value);
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}

static inline rg_status set(rg_rpc_client *client, const char *name, const rg_value *value)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_ps_change_write(&body, &(rg_ps_change){1, 1});
    rg_ps_put_text(&body, name);
    rg_ps_put_tensor_head(&body, value->meta.dtype, &value->meta.shape);
    rg_buf_add(&body, value->data, rg_value_bytes(value));
    rg_status code = ask(client, RG_PS_SET, body.data, body.len, NULL, NULL);
    rg_buf_fini(&body);
    return code;
}

#endif
