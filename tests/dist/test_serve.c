/* test_serve.c - what trainers push, pull and set: what is right is done, what is wrong is refused,
 * and whoever else is there goes on. */
#include "dist/asking.h"

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
/* promise 22 */
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
    rg_ps_put_text(&good[2], "table");
    rg_buf_u64(&good[2], 0);
    rg_buf_u64(&good[2], UINT64_MAX);
    rg_ps_change_write(&good[3], &(rg_ps_change){1, 1});
    rg_ps_put_text(&good[3], "w");
    rg_buf_u32(&good[3], RG_F32);
    rg_buf_u32(&good[3], 2);
    rg_buf_u64(&good[3], 2);
    rg_buf_u64(&good[3], 3);
    for (int i = 0; i < SIZE; i++)
        rg_buf_u32(&good[3], 0);
    rg_ps_change_write(&good[4], &(rg_ps_change){1, 1});
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
    rg_ps_change_write(&body, &(rg_ps_change){1, 1});
    rg_ps_put_text(&body, "table");
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
    rg_ps_change_write(&body, &(rg_ps_change){1, 1});
    rg_ps_put_text(&body, "w");
    assert_fails(ask(f.clients[0], RG_PS_CLEAR, body.data, body.len, NULL, NULL), RG_ENOENT,
                 "no table w");
    rg_buf_fini(&body);
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
    cmocka_unit_test(tables_shrink_and_are_cleared), cmocka_unit_test(geo_adds_differences))
