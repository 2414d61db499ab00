/* test_serve.c - a whole server in this process, and clients that ask by hand: what is right is
 * done, what is wrong is refused, and whoever else is there goes on. */
#include "dist/whole_server.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "sys/file.h"
#include "sys/flags.h"
#include "tensor/tensor_io.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static rg_rpc_client *connect_as(const fixture *f, rg_rpc_role role, int trainer)
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

static void start_at(fixture *f, rg_update_mode mode, const char *host)
{
    server_start_at(&f->server, mode, TRAINERS, host);
    for (int t = 0; t < TRAINERS; t++) {
        f->clients[t] = connect_as(f, RG_RPC_TRAINER, t);
        pushes[t].client = f->clients[t];
        pushes[t].n = 0;
    }
}

/* The body of a push says which push of this client it is. */
static void number(const rg_rpc_client *client, uint16_t method, void *body, size_t n)
{
    for (int t = 0; t < TRAINERS; t++)
        if (method == RG_PS_PUSH && n >= sizeof pushes[t].n && pushes[t].client == client)
            memcpy(body, &pushes[t].n, sizeof pushes[t].n), pushes[t].n++;
}

static void start(fixture *f, rg_update_mode mode)
{
    start_at(f, mode, "127.0.0.1");
}

static rg_status ask(rg_rpc_client *client, uint16_t method, const void *body, size_t n,
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

static void close_clients(fixture *f)
{
    for (int t = 0; t < TRAINERS; t++)
        rg_rpc_client_close(f->clients[t]);
}

static void wait_for_end(fixture *f)
{
    close_clients(f);
    server_end(&f->server);
}

/* All trainers leave, which ends it well. */
static void finish(fixture *f)
{
    for (int t = 0; t < TRAINERS; t++)
        assert_ok(ask(f->clients[t], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    close_clients(f);
    server_end_well(&f->server);
}

/* ---- requests ---- */

/* w's gradient is `x` everywhere; rows of the table with gradient `y`; w is wanted back. */
static void write_push(rg_buf *body, float x, const int64_t *ids, uint32_t n, float y)
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

static rg_rpc_call *begin_with(rg_rpc_client *client, uint16_t method, uint16_t flags,
                               const rg_buf *body)
{
    rg_rpc_call *call;
    const rg_iov iov = {body->data, body->len};
    number(client, method, body->data, body->len);
    const rg_rpc_ask ask = {.method = method, .flags = flags, .iov = &iov, .n = 1};
    assert_ok(rg_rpc_start(&call, client, &ask));
    return call;
}

static rg_rpc_call *begin(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    return begin_with(client, method, 0, body);
}

static void expect_w(const uint8_t *bytes, size_t n, float x)
{
    assert_int_equal(n, SIZE * sizeof(float));
    for (int i = 0; i < SIZE; i++) {
        float got;
        memcpy(&got, bytes + (size_t)i * sizeof got, sizeof got);
        assert_float_equal(got, x, 1e-6);
    }
}

/* Both trainers push, and both get w. */
static void step(const fixture *f, float a, float b, float wanted)
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

static void expect_rows(rg_rpc_client *client, const int64_t *ids, uint32_t n, const float *wanted)
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

/* ---- tests ---- */

static void the_schema_says_what_it_has(void **state)
{
    fixture f;
    uint8_t *reply;
    size_t n;
    rg_ps_schema schema;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_ok(ask(f.clients[0], RG_PS_SCHEMA, NULL, 0, &reply, &n));
    assert_ok(rg_ps_schema_read(&schema, reply, n));
    assert_int_equal(schema.n, N_VARS);
    assert_int_equal(schema.trainers, TRAINERS);
    assert_string_equal(schema.vars[W].name, "w");
    assert_false(schema.vars[W].table);
    assert_string_equal(schema.vars[TABLE].name, "table");
    assert_true(schema.vars[TABLE].table);
    assert_int_equal(schema.vars[TABLE].rows, ROWS);
    rg_ps_schema_fini(&schema);
    rg_free(reply);
    finish(&f);
}

static void a_step_is_the_mean_of_what_all_push(void **state)
{
    static const int64_t first[] = {3, 1}, second[] = {3, 9}, all[] = {1, 3, 9, 0};
    static const float rows[] = {1 - 1, 1 - 3, 1 - 2, 1};
    fixture f;
    rg_buf body[TRAINERS];
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    step(&f, 1, 2, -1.5f);
    step(&f, -1, 0, -1);
    write_push(&body[0], 0, first, 2, 2);
    write_push(&body[1], 0, second, 2, 4);
    rg_rpc_call *one = begin(f.clients[0], RG_PS_PUSH, &body[0]);
    rg_rpc_call *two = begin(f.clients[1], RG_PS_PUSH, &body[1]);
    assert_ok(rg_rpc_wait(one));
    assert_ok(rg_rpc_wait(two));
    expect_rows(f.clients[1], all, 4, rows);
    rg_rpc_call_close(one);
    rg_rpc_call_close(two);
    rg_buf_fini(&body[0]);
    rg_buf_fini(&body[1]);
    finish(&f);
}

static void a_second_push_in_a_step_is_refused(void **state)
{
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_push(&body, 1, NULL, 0, 0);
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_PUSH, &body);
    assert_fails(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL), RG_EINVAL,
                 "trainer 0 (pid 7 on here) has pushed twice in one step");
    assert_fails(ask(f.clients[0], RG_PS_LEAVE, NULL, 0, NULL, NULL), RG_EINVAL,
                 "leaves while it waits");
    assert_ok(ask(f.clients[1], RG_PS_PUSH, body.data, body.len, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    rg_buf_fini(&body);
    finish(&f);
}

/* One that has left takes no part in the steps of the others, and cannot come again. */
static void the_others_go_on_when_one_has_left(void **state)
{
    fixture f;
    rg_buf body;
    uint8_t *reply;
    size_t n;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_push(&body, 1, NULL, 0, 0);
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_PUSH, &body);
    assert_ok(ask(f.clients[1], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    assert_ok(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, &reply, &n));
    expect_w(reply, n, -2); /* by itself: the gradient is not halved */
    rg_free(reply);
    static const uint16_t methods[] = {RG_PS_PUSH, RG_PS_BARRIER, RG_PS_REDUCE, RG_PS_SET,
                                       RG_PS_CLEAR};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        assert_fails(ask(f.clients[1], methods[i], body.data, body.len, NULL, NULL), RG_EINVAL,
                     "trainer 1 (pid 7 on here) has said that it is done");
    rg_buf_fini(&body);
    finish(&f); /* leaving twice is no fault: the first answer may have been lost */
}

/* Bodies of every method that are cut short, or whose bits are turned. */
static void hostile_bodies_are_refused(void **state)
{
    static const int64_t ids[] = {1, 2};
    fixture f;
    rg_buf good[5];
    uint64_t chance = 1;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_push(&good[0], 0, ids, 2, 0);
    for (int i = 1; i < 5; i++)
        rg_buf_init(&good[i], 0);
    rg_buf_u32(&good[1], TABLE);
    rg_buf_u32(&good[1], 2);
    rg_buf_add(&good[1], ids, sizeof ids);
    rg_handshake_text(&good[2], "table");
    rg_buf_u64(&good[2], 0);
    rg_buf_u64(&good[2], UINT64_MAX);
    rg_handshake_text(&good[3], "w");
    rg_buf_u32(&good[3], RG_F32);
    rg_buf_u32(&good[3], 2);
    rg_buf_u64(&good[3], 2);
    rg_buf_u64(&good[3], 3);
    for (int i = 0; i < SIZE; i++)
        rg_buf_u32(&good[3], 0);
    rg_ps_save_write(&good[4], "/no/such/folder", "another"); /* nothing is ever written */
    static const uint16_t methods[] = {RG_PS_PUSH, RG_PS_ROWS,   RG_PS_GET,  RG_PS_SET,
                                       RG_PS_PULL, RG_PS_SHRINK, RG_PS_SAVE, RG_PS_STATS};
    for (int round = 0; round < 3000; round++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t r = (uint32_t)(chance >> 33);
        const rg_buf *from = &good[r % 5];
        size_t n = r % 3 == 0 ? (r >> 8) % (from->len + 1) : from->len;
        uint8_t *copy = malloc(from->len + 1);
        memcpy(copy, from->data, from->len);
        if (n > 0 && r % 3 != 0)
            copy[(r >> 8) % n] ^= (uint8_t)(1u << (r >> 4) % 8);
        (void)ask(f.clients[0], methods[(r >> 3) % 8], copy, n, NULL, NULL);
        free(copy);
        if (round % 100 == 0) /* the other one is served as ever */
            assert_ok(ask(f.clients[1], RG_PS_SCHEMA, NULL, 0, NULL, NULL));
    }
    for (int i = 0; i < 5; i++)
        rg_buf_fini(&good[i]);
    finish(&f);
}

static void ids_outside_the_table_are_refused(void **state)
{
    static const int64_t bad[] = {2, ROWS}, negative[] = {-1}, good[] = {2};
    static const float untouched[] = {1};
    fixture f;
    rg_buf body;
    (void)state;
    for (rg_update_mode mode = RG_UPDATE_SYNC; mode <= RG_UPDATE_GEO; mode++) {
        start(&f, mode);
        write_push(&body, 5, bad, 2, 1);
        assert_fails(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL), RG_EVALUE,
                     "id 10 is not in table, which has rows 0 to 9");
        rg_buf_fini(&body);
        write_push(&body, 5, negative, 1, 1);
        assert_fails(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL), RG_EVALUE,
                     "id -1 is not in table");
        rg_buf_fini(&body);
        expect_rows(f.clients[1], good, 1, untouched); /* nothing of it was applied */
        uint8_t *reply;
        size_t n;
        assert_ok(ask(f.clients[1], RG_PS_PULL, &(uint32_t){W}, 4, &reply, &n));
        expect_w(reply, n, 0);
        rg_free(reply);
        finish(&f);
    }
}

/* A push that names one variable often once wrote over the list of gradients of a step. */
static void a_variable_named_twice_is_refused(void **state)
{
    enum { MANY = 64 };
    uint32_t dense[MANY], wanted[MANY];
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    for (int i = 0; i < MANY; i++)
        dense[i] = wanted[i] = W;
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 0, dense, MANY, NULL, NULL, 0, NULL, 0);
    for (int i = 0; i < MANY * SIZE; i++)
        rg_buf_u32(&body, 0);
    assert_fails(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL), RG_ECORRUPT,
                 "a push names variable 0 twice");
    assert_fails(ask(f.clients[0], RG_PS_PULL, wanted, sizeof wanted, NULL, NULL), RG_ECORRUPT,
                 "a pull of 256 bytes");
    rg_buf_fini(&body);
    step(&f, 1, 1, -1);
    finish(&f);
}

/* w's gradient is `x` everywhere, in bytes; w is wanted back. */
static void write_bytes(rg_buf *body, float x)
{
    const uint32_t w = W;
    const float grad[SIZE] = {x, x, x, x, x, x};
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, &w, 1, NULL, NULL, 0, &w, 1);
    size_t start = body->len;
    rg_buf_room(body, rg_payload_padded(RG_PAYLOAD_BYTES, SIZE, RG_PAYLOAD_BLOCK));
    assert_ok(rg_buf_status(body));
    rg_payload_write(RG_PAYLOAD_BYTES, body->data + start, grad, SIZE, RG_PAYLOAD_BLOCK);
}

/* A push in bytes is answered in halves; in what nobody knows it is refused, as in geo. */
static void each_request_says_what_it_is_in(void **state)
{
    static const uint16_t minus_two[SIZE] = {0xc000, 0xc000, 0xc000, 0xc000, 0xc000, 0xc000};
    const uint16_t bytes = rg_payload_to_flags(RG_PAYLOAD_BYTES);
    fixture f;
    rg_buf body;
    size_t n;
    (void)state;
    write_bytes(&body, 2);
    start(&f, RG_UPDATE_ASYNC);
    rg_rpc_call *call = begin_with(f.clients[0], RG_PS_PUSH, bytes, &body);
    assert_ok(rg_rpc_wait(call));
    const uint8_t *reply = rg_rpc_answer(call, &n);
    assert_int_equal(rg_rpc_answer_flags(call) & ~RG_FRAME_UNCHECKED,
                     rg_payload_to_flags(RG_PAYLOAD_HALVES));
    assert_int_equal(n, 16);
    assert_memory_equal(reply, minus_two, sizeof minus_two);
    rg_rpc_call_close(call);
    call = begin_with(f.clients[0], RG_PS_PUSH, 3 * RG_FRAME_USER, &body);
    assert_fails(rg_rpc_wait(call), RG_ECORRUPT, "payload 3");
    rg_rpc_call_close(call);
    finish(&f);
    start(&f, RG_UPDATE_GEO);
    call = begin_with(f.clients[0], RG_PS_PUSH, bytes, &body);
    assert_fails(rg_rpc_wait(call), RG_EUNIMPL, "no int8 in geo");
    rg_rpc_call_close(call);
    finish(&f);
    rg_buf_fini(&body);
}

static rg_status get(rg_rpc_client *client, const char *name, int64_t first, int64_t n,
                     rg_value *value)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t bytes;
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, name);
    rg_buf_u64(&body, (uint64_t)first);
    rg_buf_u64(&body, (uint64_t)n);
    rg_status code = ask(client, RG_PS_GET, body.data, body.len, &reply, &bytes);
    if (code == RG_OK)
        code = rg_handshake_read_tensor(reply, bytes, value);
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}

static rg_status set(rg_rpc_client *client, const char *name, const rg_value *value)
{
    rg_buf body;
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, name);
    rg_handshake_tensor_head(&body, value->meta.dtype, &value->meta.shape);
    rg_buf_add(&body, value->data, rg_value_bytes(value));
    rg_status code = ask(client, RG_PS_SET, body.data, body.len, NULL, NULL);
    rg_buf_fini(&body);
    return code;
}

static void variables_are_set_and_got(void **state)
{
    static const struct {
        const char *name;
        rg_shape shape;
    } cases[] = {{"w", {.rank = 2, .dim = {2, 3}}}, {"table", {.rank = 2, .dim = {ROWS, WIDTH}}}};
    fixture f;
    rg_value value, got;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    rg_value_init(&value);
    rg_value_init(&got);
    for (int c = 0; c < 2; c++) {
        assert_ok(rg_value_resize(&value, RG_F32, &cases[c].shape));
        float *x = value.data;
        for (int64_t i = 0; i < rg_numel(&value); i++)
            x[i] = (float)i;
        assert_ok(set(f.clients[0], cases[c].name, &value));
        assert_ok(get(f.clients[1], cases[c].name, 0, -1, &got));
        assert_true(rg_shape_equal(&got.meta.shape, &cases[c].shape));
        assert_memory_equal(got.data, value.data, rg_value_bytes(&value));
        int64_t width = cases[c].shape.dim[1], rows = cases[c].shape.dim[0];
        assert_ok(get(f.clients[1], cases[c].name, 1, 1, &got));
        assert_memory_equal(got.data, x + width, (size_t)width * sizeof *x);
        assert_ok(get(f.clients[1], cases[c].name, rows, -1, &got));
        assert_int_equal(rg_numel(&got), 0);
        const int64_t bad[][2] = {{0, rows + 1},   {rows + 1, -1},        {-1, 1},
                                  {1, rows},       {INT64_MAX, 1},        {1, INT64_MAX},
                                  {INT64_MIN, -1}, {INT64_MIN, INT64_MIN}};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            assert_fails(get(f.clients[1], cases[c].name, bad[i][0], bad[i][1], &got), RG_EVALUE,
                         cases[c].name);
        assert_ok(rg_value_resize(&value, RG_F32, &RG_SHAPE(1, 5)));
        assert_int_equal(set(f.clients[0], cases[c].name, &value), RG_ESHAPE);
    }
    assert_fails(get(f.clients[0], "v", 0, -1, &got), RG_ENOENT, "no variable v");
    assert_fails(set(f.clients[0], "v", &value), RG_ENOENT, "no variable v");
    rg_value_fini(&value);
    rg_value_fini(&got);
    finish(&f);
}

/* How many rows SHRINK or CLEAR says. */
static uint64_t rows_gone(rg_rpc_client *client, uint16_t method, uint32_t unseen)
{
    rg_buf body;
    uint8_t *reply;
    uint64_t rows;
    size_t n;
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, "table");
    if (method == RG_PS_SHRINK)
        rg_buf_u32(&body, unseen);
    assert_ok(ask(client, method, body.data, body.len, &reply, &n));
    assert_int_equal(n, sizeof rows);
    memcpy(&rows, reply, sizeof rows);
    rg_free(reply);
    rg_buf_fini(&body);
    return rows;
}

static void tables_shrink_and_are_cleared(void **state)
{
    static const int64_t ids[] = {0, 1, 2, 3};
    static const float ones[] = {1, 1, 1, 1};
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    expect_rows(f.clients[0], ids, 4, ones);
    assert_int_equal(rows_gone(f.clients[0], RG_PS_SHRINK, 1), 0);
    expect_rows(f.clients[0], ids, 2, ones);
    assert_int_equal(rows_gone(f.clients[0], RG_PS_SHRINK, 1), 2); /* 2 and 3 */
    write_push(&body, 0, ids, 2, 1);
    assert_ok(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
    static const float moved[] = {0, 0};
    expect_rows(f.clients[1], ids, 2, moved);
    assert_int_equal(rows_gone(f.clients[1], RG_PS_CLEAR, 0), 2);
    expect_rows(f.clients[1], ids, 2, ones); /* new ones */
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, "w");
    assert_fails(ask(f.clients[0], RG_PS_CLEAR, body.data, body.len, NULL, NULL), RG_ENOENT,
                 "no table w");
    rg_buf_fini(&body);
    finish(&f);
}

/* ---- a part of a table in a file ---- */

static rg_status save_part(rg_rpc_client *client, const char *folder, const char *table,
                           uint64_t *rows)
{
    rg_buf body;
    uint8_t *reply = NULL;
    size_t n = 0;
    rg_buf_init(&body, 0);
    rg_ps_save_write(&body, folder, table);
    rg_status code = ask(client, RG_PS_SAVE, body.data, body.len, &reply, &n);
    rg_cursor in = {reply, n};
    if (code == RG_OK)
        assert_ok(rg_cursor_u64(&in, rows));
    rg_free(reply);
    rg_buf_fini(&body);
    return code;
}

static void read_part(const char *path, rg_value *part)
{
    rg_file *file;
    assert_ok(rg_file_open(&file, path));
    rg_source source = rg_source_file(file);
    assert_ok(rg_rows_read(&source, part));
    assert_int_equal(source.left, 0);
    rg_file_close(file);
}

static void a_server_writes_its_rows(void **state)
{
    static const int64_t ids[] = {7, 2};
    char folder[] = "/tmp/regatta-test-serve-XXXXXX", path[128];
    fixture f;
    rg_buf body;
    rg_value part;
    uint64_t rows;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_ok(rg_flag_set("ps_save_root", folder));
    rg_value_init(&part);
    start(&f, RG_UPDATE_ASYNC);
    (void)snprintf(path, sizeof path, "%s/deep", folder);
    assert_ok(save_part(f.clients[0], path, "table", &rows));
    assert_int_equal(rows, 0); /* nobody has touched any */
    (void)snprintf(path, sizeof path, "%s/deep/table_0", folder);
    read_part(path, &part);
    assert_int_equal(part.n_rows, 0);
    write_push(&body, 0, ids, 2, 3);
    assert_ok(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
    (void)snprintf(path, sizeof path, "%s/deep", folder);
    assert_ok(save_part(f.clients[1], path, "table", &rows)); /* over the old one */
    assert_int_equal(rows, 2);
    (void)snprintf(path, sizeof path, "%s/deep/table_0", folder);
    read_part(path, &part);
    assert_int_equal(part.n_rows, 2);
    assert_int_equal(part.rows[0], 2);
    assert_int_equal(part.rows[1], 7);
    assert_int_equal(part.meta.shape.dim[0], ROWS);
    for (int i = 0; i < 2 * WIDTH; i++)
        assert_float_equal(((const float *)part.data)[i], 1 - 3, 1e-6);
    assert_fails(save_part(f.clients[0], folder, "w", &rows), RG_ENOENT, "no part of a table w");
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EIO, "table_0");
    rg_rpc_client *tool = connect_as(&f, RG_RPC_TOOL, RG_RPC_ANY_TRAINER);
    assert_fails(save_part(tool, folder, "table", &rows), RG_EINVAL, "only a trainer");
    rg_rpc_client_close(tool);
    rg_value_fini(&part);
    finish(&f);
    assert_ok(rg_flag_set("ps_save_root", ""));
    assert_ok(rg_dir_remove(folder));
}

/* Below the root, whatever the folder is called and whatever lies there. */
static void a_server_writes_below_its_root(void **state)
{
    char root[] = "/tmp/regatta-test-serve-XXXXXX", other[] = "/tmp/regatta-test-other-XXXXXX";
    char path[256];
    fixture f;
    uint64_t rows;
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_non_null(mkdtemp(other));
    assert_ok(rg_flag_set("ps_save_root", root));
    start(&f, RG_UPDATE_ASYNC);
    (void)snprintf(path, sizeof path, "%s/link", root);
    assert_int_equal(symlink(other, path), 0);
    (void)snprintf(path, sizeof path, "%s/inside", other);
    assert_int_equal(mkdir(path, 0700), 0);
    static const char *const links[] = {"link", "link/inside", "./link/deep/er"};
    for (int i = 0; i < 3; i++)
        assert_fails(save_part(f.clients[0], links[i], "table", &rows), RG_EDENIED,
                     "link is a symbolic link");
    (void)snprintf(path, sizeof path, "%s/link/inside", root);
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EDENIED, "symbolic link");
    const char *const outside[] = {other, "..", "deep/../../x", "/", "/proc/none"};
    for (int i = 0; i < 5; i++)
        assert_fails(save_part(f.clients[0], outside[i], "table", &rows), RG_EINVAL,
                     "FLAGS_ps_save_root");
    (void)snprintf(path, sizeof path, "%s-more", root); /* begins as the root does */
    assert_fails(save_part(f.clients[0], path, "table", &rows), RG_EINVAL, "is not below");
    (void)snprintf(path, sizeof path, "%s/inside/table_0", other);
    assert_false(rg_path_exists(path));
    (void)snprintf(path, sizeof path, "%s//a/./b", root);
    assert_ok(save_part(f.clients[0], path, "table", &rows));
    assert_ok(save_part(f.clients[0], "c", "table", &rows));
    assert_ok(save_part(f.clients[0], root, "table", &rows));
    static const char *const written[] = {"a/b/table_0", "c/table_0", "table_0"};
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", root, written[i]);
        assert_true(rg_path_exists(path));
    }
    finish(&f);
    assert_ok(rg_flag_set("ps_save_root", ""));
    assert_ok(rg_dir_remove(root));
    assert_ok(rg_dir_remove(other));
}

/* Without a key: by TCP anyone on this host may have come. */
static void strangers_cannot_have_files_written(void **state)
{
    fixture f;
    uint64_t rows;
    (void)state;
    assert_ok(rg_flag_set("rpc_transport", "tcp"));
    start(&f, RG_UPDATE_ASYNC);
    assert_fails(save_part(f.clients[0], "regatta-test-serve", "table", &rows), RG_EDENIED,
                 "has no key");
    finish(&f);
    assert_false(rg_path_exists("regatta-test-serve"));
    /* With the key it may be any user, on any host. */
    static const uint8_t key[16] = {0x5a, 0x5a};
    assert_int_equal(setenv("REGATTA_JOB_KEY", "5a5a0000000000000000000000000000", 1), 0);
    security = (rg_rpc_security){.key = key, .key_bytes = sizeof key};
    start(&f, RG_UPDATE_ASYNC);
    assert_ok(save_part(f.clients[0], "regatta-test-serve", "table", &rows));
    finish(&f);
    security = (rg_rpc_security){0};
    assert_int_equal(unsetenv("REGATTA_JOB_KEY"), 0);
    assert_ok(rg_flag_set("rpc_transport", "auto"));
    assert_true(rg_path_exists("regatta-test-serve/table_0"));
    assert_ok(rg_dir_remove("regatta-test-serve"));
}

static void write_reduce(rg_buf *body, const char *name, uint32_t op, double a, double b)
{
    rg_buf_init(body, 0);
    rg_handshake_text(body, name);
    while (body->len % RG_PS_ALIGN != 0)
        rg_buf_char(body, 0);
    rg_buf_u32(body, op);
    rg_buf_u32(body, 0);
    rg_buf_add(body, &a, sizeof a);
    rg_buf_add(body, &b, sizeof b);
}

static void numbers_over_all_trainers(void **state)
{
    static const double wanted[3][2] = {{11, -3}, {10, -1}, {1, -2}};
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    for (uint32_t op = 0; op < 3; op++) {
        rg_buf one, two;
        double got[2];
        size_t n;
        write_reduce(&one, "auc", op, 1, -2);
        write_reduce(&two, "auc", op, 10, -1);
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &one);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &two);
        assert_ok(rg_rpc_wait(last));
        assert_ok(rg_rpc_wait(waiting));
        memcpy(got, rg_rpc_answer(waiting, &n), sizeof got);
        assert_int_equal(n, sizeof got);
        assert_memory_equal(got, wanted[op], sizeof got);
        assert_memory_equal(rg_rpc_answer(last, &n), got, sizeof got);
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
        rg_buf_fini(&one);
        rg_buf_fini(&two);
    }
    finish(&f);
}

/* Whole numbers, that no double is, to the last bit; what has no room is refused on both sides. */
static void whole_numbers_over_all_trainers(void **state)
{
    const int64_t large = (INT64_C(1) << 53) + 1;
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    for (int64_t each = large; each > 0; each = each == large ? INT64_MAX : 0) {
        rg_buf_init(&body, 0);
        rg_handshake_text(&body, "sum");
        while (body.len % 8 != 0)
            rg_buf_char(&body, 0);
        rg_buf_u32(&body, 0);
        rg_buf_u32(&body, 1);
        rg_buf_u64(&body, (uint64_t)each);
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &body);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &body);
        if (each == large) {
            int64_t got;
            size_t n;
            assert_ok(rg_rpc_wait(last));
            assert_ok(rg_rpc_wait(waiting));
            memcpy(&got, rg_rpc_answer(waiting, &n), sizeof got);
            assert_true(got == 2 * large);
        } else {
            assert_fails(rg_rpc_wait(last), RG_EVALUE, "beyond 64 bits");
            assert_fails(rg_rpc_wait(waiting), RG_EVALUE, "beyond 64 bits");
        }
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
        rg_buf_fini(&body);
    }
    finish(&f);
}

static void without_memory_a_sum_is_refused(void **state)
{
    fixture f;
    rg_buf one, two;
    (void)state;
#ifndef RG_FAULTS
    skip();
#endif
    assert_int_equal(setenv("RG_FAULT", "ps.reduce:1:enomem", 1), 0);
    start(&f, RG_UPDATE_SYNC);
    write_reduce(&one, "auc", 0, 1, -2);
    write_reduce(&two, "auc", 0, 10, -1);
    for (int round = 0; round < 2; round++) { /* the second finds memory again */
        rg_rpc_call *waiting = begin(f.clients[0], RG_PS_REDUCE, &one);
        rg_rpc_call *last = begin(f.clients[1], RG_PS_REDUCE, &two);
        assert_int_equal(rg_rpc_wait(waiting), round == 0 ? RG_ENOMEM : RG_OK);
        assert_int_equal(rg_rpc_wait(last), round == 0 ? RG_ENOMEM : RG_OK);
        rg_rpc_call_close(waiting);
        rg_rpc_call_close(last);
    }
    rg_buf_fini(&one);
    rg_buf_fini(&two);
    finish(&f);
    assert_int_equal(unsetenv("RG_FAULT"), 0);
}

/* Different rendezvous are refused on both sides; each may then meet again. */
static void trainers_wait_for_the_same_or_are_told(void **state)
{
    fixture f;
    rg_buf a, b, odd;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    rg_buf_init(&a, 0);
    rg_buf_init(&b, 0);
    rg_handshake_text(&a, "a");
    rg_handshake_text(&b, "b");
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_BARRIER, &a);
    assert_fails(ask(f.clients[0], RG_PS_BARRIER, a.data, a.len, NULL, NULL), RG_EINVAL,
                 "waits already, for 'a'");
    assert_fails(ask(f.clients[1], RG_PS_BARRIER, b.data, b.len, NULL, NULL), RG_EINVAL,
                 "wait for different things");
    assert_fails(rg_rpc_wait(waiting), RG_EINVAL, "wait for different things");
    rg_rpc_call_close(waiting);
    waiting = begin(f.clients[0], RG_PS_BARRIER, &a);
    assert_ok(ask(f.clients[1], RG_PS_BARRIER, a.data, a.len, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    write_reduce(&odd, "auc", 3, 0, 0);
    assert_fails(ask(f.clients[0], RG_PS_REDUCE, odd.data, odd.len, NULL, NULL), RG_ECORRUPT,
                 "operation 3");
    odd.data[8] = 0;
    assert_fails(ask(f.clients[0], RG_PS_REDUCE, odd.data, odd.len - 1, NULL, NULL), RG_ECORRUPT,
                 "15 bytes to be reduced");
    rg_buf_fini(&odd);
    /* One that leaves is not waited for. */
    waiting = begin(f.clients[0], RG_PS_BARRIER, &b);
    assert_ok(ask(f.clients[1], RG_PS_LEAVE, NULL, 0, NULL, NULL));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    rg_buf_fini(&a);
    rg_buf_fini(&b);
    finish(&f);
}

static void a_short_key_is_refused_with_what_to_do(void **state)
{
    server s;
    (void)state;
    assert_int_equal(setenv("REGATTA_JOB_KEY", "ab", 1), 0);
    server_start(&s, RG_UPDATE_SYNC, 1);
    server_end(&s);
    assert_int_equal(unsetenv("REGATTA_JOB_KEY"), 0);
    assert_int_equal(s.outcome, RG_EINVAL);
    assert_non_null(strstr(s.why, "has 2 digits, and must have at least 32"));
    assert_non_null(strstr(s.why, "openssl rand -hex 32"));
}

/* What a trainer says is shown to all: as one line, whatever is in it. */
static void what_trainers_say_is_escaped(void **state)
{
    static const char text[] = "lost\x1b[2J\n2026-01-01 E ps \"all is well\"";
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_ok(ask(f.clients[0], RG_PS_FAIL, text, sizeof text - 1, NULL, NULL));
    assert_fails(ask(f.clients[1], RG_PS_SCHEMA, NULL, 0, NULL, NULL), RG_ECLOSED,
                 "lost\\x1b[2J\\n2026");
    wait_for_end(&f);
    assert_null(strchr(f.server.why, '\n'));
    assert_null(strchr(f.server.why, 0x1b));
}

static void a_failure_ends_the_job_for_all(void **state)
{
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_push(&body, 1, NULL, 0, 0);
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_PUSH, &body);
    assert_ok(ask(f.clients[1], RG_PS_FAIL, "disk full", 9, NULL, NULL));
    assert_fails(rg_rpc_wait(waiting), RG_ECLOSED,
                 "trainer 1 (pid 7 on here) has failed: disk full");
    rg_rpc_call_close(waiting);
    assert_fails(ask(f.clients[0], RG_PS_SCHEMA, NULL, 0, NULL, NULL), RG_ECLOSED, "disk full");
    rg_buf_fini(&body);
    wait_for_end(&f);
    assert_int_equal(f.server.outcome, RG_ECLOSED);
    assert_non_null(strstr(f.server.why, "disk full"));
}

static void going_without_a_word_ends_it_too(void **state)
{
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    rg_buf_init(&body, 0);
    rg_handshake_text(&body, "all");
    rg_rpc_call *waiting = begin(f.clients[0], RG_PS_BARRIER, &body);
    rg_rpc_client_close(f.clients[1]);
    f.clients[1] = NULL;
    assert_fails(rg_rpc_wait(waiting), RG_ECLOSED, "trainer 1 (pid 7 on here) went");
    rg_rpc_call_close(waiting);
    rg_buf_fini(&body);
    wait_for_end(&f);
    assert_int_equal(f.server.outcome, RG_ECLOSED);
}

/* A tool reads what it likes and changes nothing; its going is no loss. */
static void tools_may_only_look(void **state)
{
    fixture f;
    rg_value got;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    rg_rpc_client *tool = connect_as(&f, RG_RPC_TOOL, RG_RPC_ANY_TRAINER);
    rg_value_init(&got);
    assert_ok(get(tool, "w", 0, -1, &got));
    assert_fails(set(tool, "w", &got), RG_EINVAL, "only a trainer");
    assert_fails(ask(tool, RG_PS_LEAVE, NULL, 0, NULL, NULL), RG_EINVAL, "only a trainer");
    assert_fails(ask(f.clients[0], 99, NULL, 0, NULL, NULL), RG_EUNIMPL, "no method 99");
    rg_value_fini(&got);
    rg_rpc_client_close(tool);
    step(&f, 2, 2, -2);
    finish(&f);
}

static rg_status try_to_join(const fixture *f, int trainer, uint32_t trainers, uint8_t digest)
{
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER,
                                          .trainer = trainer,
                                          .trainers = trainers,
                                          .digest = {digest},
                                          .name = "trainer x"},
                                   .deadline_ms = 20000};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, f->server.endpoint, &config));
    rg_status code = rg_rpc_client_ready(client, NULL);
    char text[512];
    (void)snprintf(text, sizeof text, "%s", rg_error_message());
    rg_rpc_client_close(client);
    return code == RG_OK ? RG_OK : rg_fail(code, "%s", text);
}

static void who_does_not_belong_is_refused(void **state)
{
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_fails(try_to_join(&f, 1, 0, 0), RG_EINVAL, "trainer number 1 is taken by trainer 1");
    assert_fails(try_to_join(&f, 2, 0, 0), RG_EINVAL, "no trainer 2 in a job of 2");
    assert_fails(try_to_join(&f, 1, 3, 0), RG_EINVAL, "believes that there are 3 trainers");
    assert_fails(try_to_join(&f, RG_RPC_ANY_TRAINER, 0, 0), RG_EINVAL, "all of them have come");
    step(&f, 1, 1, -1);
    finish(&f);
}

/* Geo: differences are added, and each trainer gets what the others changed. */
static void geo_adds_differences(void **state)
{
    static const int64_t ids[] = {4};
    fixture f;
    rg_buf body;
    uint8_t *reply;
    size_t n;
    (void)state;
    start(&f, RG_UPDATE_GEO);
    write_push(&body, 0.5f, ids, 1, 2);
    assert_ok(ask(f.clients[0], RG_PS_PUSH, body.data, body.len, NULL, NULL));
    rg_buf_fini(&body);
    write_push(&body, 0.25f, NULL, 0, 0);
    assert_ok(ask(f.clients[1], RG_PS_PUSH, body.data, body.len, &reply, &n));
    assert_int_equal(n, SIZE * 4 + 8 + 8 + WIDTH * 4);
    expect_w(reply, SIZE * sizeof(float), 0.75f);
    uint32_t head[2];
    int64_t id;
    float row[WIDTH];
    memcpy(head, reply + SIZE * 4, sizeof head);
    memcpy(&id, reply + SIZE * 4 + 8, sizeof id);
    memcpy(row, reply + SIZE * 4 + 16, sizeof row);
    assert_int_equal(head[0], TABLE);
    assert_int_equal(head[1], 1);
    assert_int_equal(id, 4);
    assert_float_equal(row[0], 3, 1e-6);
    rg_free(reply);
    rg_buf_fini(&body);
    finish(&f);
}

RUN(cmocka_unit_test(the_schema_says_what_it_has),
    cmocka_unit_test(a_step_is_the_mean_of_what_all_push),
    cmocka_unit_test(a_second_push_in_a_step_is_refused),
    cmocka_unit_test(the_others_go_on_when_one_has_left),
    cmocka_unit_test(hostile_bodies_are_refused),
    cmocka_unit_test(ids_outside_the_table_are_refused),
    cmocka_unit_test(a_variable_named_twice_is_refused),
    cmocka_unit_test(each_request_says_what_it_is_in), cmocka_unit_test(variables_are_set_and_got),
    cmocka_unit_test(tables_shrink_and_are_cleared), cmocka_unit_test(a_server_writes_its_rows),
    cmocka_unit_test(strangers_cannot_have_files_written),
    cmocka_unit_test(a_server_writes_below_its_root), cmocka_unit_test(numbers_over_all_trainers),
    cmocka_unit_test(whole_numbers_over_all_trainers),
    cmocka_unit_test(without_memory_a_sum_is_refused),
    cmocka_unit_test(trainers_wait_for_the_same_or_are_told),
    cmocka_unit_test(a_failure_ends_the_job_for_all),
    cmocka_unit_test(what_trainers_say_is_escaped),
    cmocka_unit_test(a_short_key_is_refused_with_what_to_do),
    cmocka_unit_test(going_without_a_word_ends_it_too), cmocka_unit_test(tools_may_only_look),
    cmocka_unit_test(who_does_not_belong_is_refused), cmocka_unit_test(geo_adds_differences))
