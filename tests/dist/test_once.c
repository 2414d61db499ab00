/* test_once.c - requests that come again because an answer was lost, and pushes that come twice,
 * late or not at all: whatever changes something is applied once, and answered as it was. */
#include "dist/whole_server.h"

#include "base/mem.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "rpc/raw.h"

enum { SESSION = 4711 };

/* Trainer 0 speaks by hand, and loses its connection whenever the test likes; trainer 1 is as
 * trainers are. */
typedef struct fixture {
    server server;
    raw zero;
    rg_rpc_client *one;
    uint64_t id;        /* of the last request of trainer 0 */
    uint64_t pushes[2]; /* of each */
} fixture;

static void start(fixture *f, rg_update_mode mode)
{
    const rg_rpc_client_config config = {
        .me = {.role = RG_RPC_TRAINER, .trainer = 1, .name = "the other", .host = "here"}};
    memset(f, 0, sizeof *f);
    server_start(&f->server, mode, 2);
    assert_ok(raw_enter(&f->zero, f->server.endpoint, SESSION, 0, 0));
    assert_ok(rg_rpc_client_open(&f->one, f->server.endpoint, &config));
    assert_ok(rg_rpc_client_ready(f->one, NULL));
}

/* Trainer 0 comes again, in its session. */
static void reconnect(fixture *f)
{
    raw_leave(&f->zero);
    assert_ok(raw_enter(&f->zero, f->server.endpoint, SESSION, 0, f->zero.welcome.epoch));
}

static rg_status ask(fixture *f, uint16_t method, const rg_buf *body)
{
    return raw_ask(&f->zero, ++f->id, method, 0, body ? body->data : NULL, body ? body->len : 0);
}

/* The last answer was lost: the same request on a new connection. */
static rg_status ask_again(fixture *f, uint16_t method, const rg_buf *body)
{
    reconnect(f);
    return raw_ask(&f->zero, f->id, method, RG_FRAME_RESENT, body ? body->data : NULL,
                   body ? body->len : 0);
}

static rg_status other_asks(const fixture *f, uint16_t method, const rg_buf *body)
{
    return rg_rpc_ask_once(
        f->one, method, &(rg_iov){body ? body->data : NULL, body ? body->len : 0}, 1, NULL, NULL);
}

static rg_rpc_call *other_begins(const fixture *f, uint16_t method, const rg_buf *body)
{
    rg_rpc_call *call;
    const rg_iov iov = {body->data, body->len};
    assert_ok(rg_rpc_start(&call, f->one, &(rg_rpc_ask){.method = method, .iov = &iov, .n = 1}));
    return call;
}

static void finish(fixture *f)
{
    assert_ok(other_asks(f, RG_PS_LEAVE, NULL));
    assert_ok(ask(f, RG_PS_LEAVE, NULL));
    raw_send(&f->zero, (rg_frame){.kind = RG_FRAME_BYE}, NULL, 0);
    raw_leave(&f->zero);
    rg_rpc_client_close(f->one);
    server_end_well(&f->server);
}

/* ---- bodies ---- */

/* Push `step` of a thread: w's gradient is 1 everywhere, a row's `y` (id -1: no row). */
static void write_push(rg_buf *body, uint64_t step, int thread, bool taken, int64_t id, float y)
{
    const uint32_t w = W, table = TABLE, n = 1;
    const float x = 1;
    rg_buf_init(body, 0);
    rg_push_write_head(body, step, &w, 1, &table, &n, id >= 0, &w, 1);
    rg_push_sign(body, thread, taken, 0);
    for (int i = 0; i < SIZE; i++)
        rg_buf_add(body, &x, sizeof x);
    if (id >= 0)
        rg_buf_add(body, &id, sizeof id);
    for (int i = 0; id >= 0 && i < WIDTH; i++)
        rg_buf_add(body, &y, sizeof y);
    assert_ok(rg_buf_status(body));
}

static void write_name(rg_buf *body, const char *name)
{
    rg_buf_init(body, 0);
    rg_ps_put_text(body, name);
}

static void write_change(rg_buf *body, const char *name)
{
    rg_buf_init(body, 0);
    rg_ps_change_write(body, &(rg_ps_change){1, 1});
    rg_ps_put_text(body, name);
}

static void write_reduce(rg_buf *body, double x)
{
    write_name(body, "auc!"); /* its length keeps what follows at a multiple of 8 */
    rg_buf_u32(body, 0);
    rg_buf_u32(body, 0);
    rg_buf_add(body, &x, sizeof x);
}

/* A push of trainer 1, by itself. */
static rg_status other_pushes(fixture *f, int64_t id, float y)
{
    rg_buf body;
    write_push(&body, f->pushes[1]++, 0, true, id, y);
    rg_status code = other_asks(f, RG_PS_PUSH, &body);
    rg_buf_fini(&body);
    return code;
}

static void expect_w(const fixture *f, float x)
{
    uint8_t *reply;
    size_t n;
    assert_ok(rg_rpc_ask_once(f->one, RG_PS_PULL, &(rg_iov){&(uint32_t){W}, 4}, 1, &reply, &n));
    assert_int_equal(n, SIZE * sizeof x);
    for (int i = 0; i < SIZE; i++)
        assert_float_equal(((const float *)(const void *)reply)[i], x, 1e-6);
    rg_free(reply);
}

static uint64_t number_in(const raw *r)
{
    uint64_t n;
    assert_int_equal(r->frame.bytes, sizeof n);
    memcpy(&n, r->body, sizeof n);
    return n;
}

/* ---- requests that come again ---- */

/* A barrier once more would be a second rendezvous, at which nobody else is, and steps would be
 * made without the trainer. */
static void a_meeting_is_attended_once(void **state)
{
    fixture f;
    rg_buf barrier, one, two, push;
    double sum;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_name(&barrier, "all");
    rg_rpc_call *waiting = other_begins(&f, RG_PS_BARRIER, &barrier);
    assert_ok(ask(&f, RG_PS_BARRIER, &barrier));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    assert_ok(ask_again(&f, RG_PS_BARRIER, &barrier));
    write_push(&push, 0, 0, false, -1, 0);
    waiting = other_begins(&f, RG_PS_PUSH, &push);
    assert_ok(ask(&f, RG_PS_PUSH, &push)); /* a step of both */
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    expect_w(&f, -1);
    write_reduce(&one, 1);
    write_reduce(&two, 2);
    waiting = other_begins(&f, RG_PS_REDUCE, &two);
    assert_ok(ask(&f, RG_PS_REDUCE, &one));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    for (int i = 0; i < 2; i++) {
        assert_ok(ask_again(&f, RG_PS_REDUCE, &one));
        assert_int_equal(f.zero.frame.bytes, sizeof sum);
        memcpy(&sum, f.zero.body, sizeof sum);
        assert_float_equal(sum, 3, 0);
    }
    rg_buf_fini(&barrier);
    rg_buf_fini(&one);
    rg_buf_fini(&two);
    rg_buf_fini(&push);
    finish(&f);
}

/* What was refused is refused again, though by now it could be done. */
static void a_refusal_stands(void **state)
{
    fixture f;
    rg_buf a, b;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_name(&a, "a");
    write_name(&b, "b");
    rg_rpc_call *waiting = other_begins(&f, RG_PS_BARRIER, &b);
    assert_fails(ask(&f, RG_PS_BARRIER, &a), RG_EINVAL, "wait for different things");
    assert_fails(rg_rpc_wait(waiting), RG_EINVAL, "wait for different things");
    rg_rpc_call_close(waiting);
    waiting = other_begins(&f, RG_PS_BARRIER, &a);
    assert_fails(ask_again(&f, RG_PS_BARRIER, &a), RG_EINVAL, "wait for different things");
    assert_ok(ask(&f, RG_PS_BARRIER, &a));
    assert_ok(rg_rpc_wait(waiting));
    rg_rpc_call_close(waiting);
    rg_buf_fini(&a);
    rg_buf_fini(&b);
    finish(&f);
}

/* Rows that came to be after the first CLEAR or SHRINK stay; a variable that was set and has moved
 * since is not set back. */
/* promise 24 */
static void what_changes_variables_does_so_once(void **state)
{
    fixture f;
    rg_buf clear, shrink, set;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_change(&clear, "table");
    write_change(&shrink, "table");
    rg_buf_u32(&shrink, 0);
    write_change(&set, "w");
    rg_ps_put_tensor_head(&set, RG_F32, &RG_SHAPE(2, 3));
    for (int i = 0; i < SIZE; i++)
        rg_buf_add(&set, &(float){7}, sizeof(float));
    assert_ok(other_pushes(&f, 3, 1));
    assert_ok(ask(&f, RG_PS_CLEAR, &clear));
    assert_int_equal(number_in(&f.zero), 1);
    assert_ok(other_pushes(&f, 4, 1));
    assert_ok(other_pushes(&f, 5, 1));
    assert_ok(ask_again(&f, RG_PS_CLEAR, &clear));
    assert_int_equal(number_in(&f.zero), 1);
    assert_ok(ask(&f, RG_PS_SHRINK, &shrink));
    assert_int_equal(number_in(&f.zero), 2); /* they were there */
    assert_ok(other_pushes(&f, 6, 1));
    assert_ok(ask_again(&f, RG_PS_SHRINK, &shrink));
    assert_int_equal(number_in(&f.zero), 2);
    assert_ok(ask(&f, RG_PS_CLEAR, &clear));
    assert_int_equal(number_in(&f.zero), 1);
    assert_ok(ask(&f, RG_PS_SET, &set));
    assert_ok(other_pushes(&f, -1, 0));
    assert_ok(ask_again(&f, RG_PS_SET, &set));
    expect_w(&f, 6);
    rg_buf_fini(&clear);
    rg_buf_fini(&shrink);
    rg_buf_fini(&set);
    finish(&f);
}

/* Beyond what is remembered it is an error. */
static void what_is_no_longer_known_is_refused(void **state)
{
    fixture f;
    rg_buf clear;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_change(&clear, "table");
    for (int i = 0; i < 1100; i++)
        assert_ok(ask(&f, RG_PS_CLEAR, &clear));
    assert_ok(other_pushes(&f, 3, 1));
    reconnect(&f);
    assert_fails(raw_ask(&f.zero, 5, RG_PS_CLEAR, RG_FRAME_RESENT, clear.data, clear.len),
                 RG_ESTALE, "asks again for what was done long ago");
    assert_ok(ask(&f, RG_PS_CLEAR, &clear));
    assert_int_equal(number_in(&f.zero), 1);
    rg_buf_fini(&clear);
    finish(&f);
}

/* Answers are remembered by their size, too: the last 8, and of others a mebibyte. */
static void large_answers_are_remembered_but_not_all(void **state)
{
    enum { NUMBERS = 8000, TIMES = 40 };
    fixture f;
    rg_buf body;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_reduce(&body, 0);
    rg_buf_room(&body, (NUMBERS - 1) * sizeof(double));
    memset(body.data + body.len - NUMBERS * sizeof(double), 0, NUMBERS * sizeof(double));
    for (int i = 0; i < TIMES; i++) {
        rg_rpc_call *waiting = other_begins(&f, RG_PS_REDUCE, &body);
        assert_ok(ask(&f, RG_PS_REDUCE, &body));
        assert_ok(rg_rpc_wait(waiting));
        rg_rpc_call_close(waiting);
    }
    reconnect(&f);
    assert_fails(raw_ask(&f.zero, 1, RG_PS_REDUCE, RG_FRAME_RESENT, body.data, body.len), RG_ESTALE,
                 "long ago");
    assert_ok(raw_ask(&f.zero, TIMES - 8, RG_PS_REDUCE, RG_FRAME_RESENT, body.data, body.len));
    assert_int_equal(f.zero.frame.bytes, NUMBERS * sizeof(double));
    assert_ok(raw_ask(&f.zero, TIMES, RG_PS_REDUCE, RG_FRAME_RESENT, body.data, body.len));
    rg_buf_fini(&body);
    finish(&f);
}

/* A frame that comes twice on one connection is thrown away the second time, answered or not. */
static void a_doubled_frame_is_nothing(void **state)
{
    fixture f;
    rg_buf push, clear;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    write_push(&push, 0, 0, false, 3, 1);
    write_change(&clear, "table");
    const rg_frame frame = {.kind = RG_FRAME_REQUEST, .id = ++f.id, .method = RG_PS_PUSH};
    for (int i = 0; i < 3; i++)
        raw_send(&f.zero, frame, push.data, push.len);
    assert_ok(other_pushes(&f, 3, 1));
    assert_ok(raw_read(&f.zero));
    assert_int_equal(f.zero.frame.id, f.id);
    raw_send(&f.zero, frame, push.data, push.len);
    assert_ok(ask(&f, RG_PS_CLEAR, &clear)); /* its answer is the next */
    expect_w(&f, -1);
    rg_buf_fini(&push);
    rg_buf_fini(&clear);
    finish(&f);
}

static void leaving_twice_is_leaving_once(void **state)
{
    fixture f;
    (void)state;
    start(&f, RG_UPDATE_SYNC);
    assert_ok(ask(&f, RG_PS_LEAVE, NULL));
    assert_ok(ask_again(&f, RG_PS_LEAVE, NULL));
    finish(&f);
}

/* ---- pushes say which they are ---- */

static void a_push_is_applied_once(void **state)
{
    (void)state;
    for (rg_update_mode mode = RG_UPDATE_SYNC; mode <= RG_UPDATE_GEO; mode++) {
        fixture f;
        rg_buf push;
        float sign = mode == RG_UPDATE_GEO ? 1 : -1, both = mode == RG_UPDATE_SYNC ? 1 : 2;
        start(&f, mode);
        write_push(&push, 0, 0, false, 3, 1);
        rg_rpc_call *waiting = other_begins(&f, RG_PS_PUSH, &push);
        assert_ok(ask(&f, RG_PS_PUSH, &push));
        assert_ok(rg_rpc_wait(waiting));
        rg_rpc_call_close(waiting);
        expect_w(&f, sign * both);
        assert_ok(ask_again(&f, RG_PS_PUSH, &push));
        float w;
        memcpy(&w, f.zero.body, sizeof w);
        assert_float_equal(w, sign * both, 1e-6); /* the answer has it, too */
        assert_ok(ask(&f, RG_PS_PUSH, &push));    /* with another id: it is the same push */
        expect_w(&f, sign * both);
        rg_buf_fini(&push);
        finish(&f);
    }
}

static void a_gap_is_refused(void **state)
{
    fixture f;
    rg_buf push;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    write_push(&push, 1, 0, false, -1, 0);
    assert_fails(ask(&f, RG_PS_PUSH, &push), RG_ESTALE,
                 "trainer 0 (pid 7 on here) sends its push number 1, and only 0 have come");
    expect_w(&f, 0);
    rg_buf_fini(&push);
    /* Threads of a trainer count each for itself. */
    for (int thread = 0; thread < 3; thread++) {
        write_push(&push, 0, thread * 500, false, -1, 0);
        assert_ok(ask(&f, RG_PS_PUSH, &push));
        rg_buf_fini(&push);
    }
    expect_w(&f, -3);
    write_push(&push, 0, RG_PS_MAX_THREADS, false, -1, 0);
    assert_fails(ask(&f, RG_PS_PUSH, &push), RG_ECORRUPT, "thread 1024");
    rg_buf_fini(&push);
    /* One that is refused has come: the next one has the next number. */
    write_push(&push, 1, 0, false, ROWS, 0);
    assert_fails(ask(&f, RG_PS_PUSH, &push), RG_EVALUE, "id 10 is not in table");
    assert_fails(ask_again(&f, RG_PS_PUSH, &push), RG_EVALUE, "id 10 is not in table");
    rg_buf_fini(&push);
    write_push(&push, 2, 0, false, -1, 0);
    assert_ok(ask(&f, RG_PS_PUSH, &push));
    expect_w(&f, -4);
    rg_buf_fini(&push);
    finish(&f);
}

/* ---- geo: rows are told until they are known to have come ---- */

/* How many rows an answer in geo has behind w; the first one's id. */
static uint32_t rows_told(const raw *r, int64_t *id)
{
    uint32_t head[2];
    memcpy(head, r->body + SIZE * sizeof(float), sizeof head);
    assert_int_equal(head[0], TABLE);
    if (head[1] > 0)
        memcpy(id, r->body + SIZE * sizeof(float) + sizeof head, sizeof *id);
    return head[1];
}

static void rows_in_a_lost_answer_are_told_again(void **state)
{
    fixture f;
    rg_buf push;
    int64_t id = -1;
    (void)state;
    start(&f, RG_UPDATE_GEO);
    assert_ok(other_pushes(&f, 4, 2));
    write_push(&push, 0, 0, false, -1, 0);
    assert_ok(ask(&f, RG_PS_PUSH, &push));
    assert_int_equal(rows_told(&f.zero, &id), 1);
    assert_ok(ask_again(&f, RG_PS_PUSH, &push)); /* it was lost */
    assert_int_equal(rows_told(&f.zero, &id), 1);
    assert_int_equal(id, 4);
    rg_buf_fini(&push);
    write_push(&push, 1, 0, false, -1, 0); /* and this one does not have it: it gave up */
    assert_ok(ask(&f, RG_PS_PUSH, &push));
    assert_int_equal(rows_told(&f.zero, &id), 1);
    rg_buf_fini(&push);
    assert_ok(other_pushes(&f, 6, 2));
    write_push(&push, 2, 0, true, -1, 0);
    assert_ok(ask(&f, RG_PS_PUSH, &push));
    assert_int_equal(rows_told(&f.zero, &id), 1);
    assert_int_equal(id, 6); /* that alone is new */
    rg_buf_fini(&push);
    write_push(&push, 3, 0, true, -1, 0);
    assert_ok(ask(&f, RG_PS_PUSH, &push));
    assert_int_equal(rows_told(&f.zero, &id), 0);
    rg_buf_fini(&push);
    finish(&f);
}

/* A push of trainer 0 that brings nothing: how many rows it is told, which it is where it is one,
 * and what the first has. */
static void expect_told(fixture *f, uint32_t rows, int64_t only, float value)
{
    rg_buf push;
    int64_t id = -1;
    float x;
    write_push(&push, f->pushes[0], 0, f->pushes[0] > 0, -1, 0);
    f->pushes[0]++;
    assert_ok(ask(f, RG_PS_PUSH, &push));
    rg_buf_fini(&push);
    assert_int_equal(rows_told(&f->zero, &id), rows);
    if (rows == 0)
        return;
    if (rows == 1) /* of several, any may be the first */
        assert_int_equal(id, only);
    memcpy(&x, f->zero.body + (SIZE + 2) * sizeof(float) + rows * sizeof id, sizeof x);
    assert_float_equal(x, value, 1e-6);
}

/* A row that was dropped begins anew, also for who has a copy; and to hear of it is no use of it.
 */
static void rows_that_are_dropped_or_set_are_told(void **state)
{
    fixture f;
    rg_buf clear, shrink, set;
    (void)state;
    start(&f, RG_UPDATE_GEO);
    write_change(&clear, "table");
    write_change(&shrink, "table");
    rg_buf_u32(&shrink, 0);
    write_change(&set, "table");
    rg_ps_put_tensor_head(&set, RG_F32, &RG_SHAPE(ROWS, WIDTH));
    for (int i = 0; i < ROWS * WIDTH; i++)
        rg_buf_add(&set, &(float){7}, sizeof(float));
    assert_ok(other_pushes(&f, 4, 2));
    expect_told(&f, 1, 4, 3);
    assert_ok(ask(&f, RG_PS_SHRINK, &shrink));
    assert_int_equal(number_in(&f.zero), 1);
    expect_told(&f, 1, 4, 1);
    expect_told(&f, 0, 0, 0);
    assert_ok(ask(&f, RG_PS_SHRINK, &shrink));
    assert_int_equal(number_in(&f.zero), 0);
    assert_ok(other_pushes(&f, 5, 2));
    expect_told(&f, 1, 5, 3);
    assert_ok(ask(&f, RG_PS_CLEAR, &clear));
    assert_int_equal(number_in(&f.zero), 1);
    expect_told(&f, 1, 5, 1);
    assert_ok(ask(&f, RG_PS_SET, &set));
    expect_told(&f, ROWS, 0, 7);
    expect_told(&f, 0, 0, 0);
    rg_buf_fini(&clear);
    rg_buf_fini(&shrink);
    rg_buf_fini(&set);
    finish(&f);
}

/* ---- epochs ---- */

/* A trainer that an earlier process of this server has let in: its job cannot go on here. */
static void a_server_that_was_started_again_says_so(void **state)
{
    server s;
    raw r;
    (void)state;
    server_start(&s, RG_UPDATE_SYNC, 2);
    for (int trainer = 0; trainer < 2; trainer++) { /* each of them hears it */
        assert_fails(raw_enter(&r, s.endpoint, SESSION + (uint64_t)trainer, trainer, 1), RG_ESTALE,
                     "server 0 was started again while its job was running");
        raw_leave(&r);
    }
    server_end(&s);
    assert_int_equal(s.outcome, RG_ESTALE);
    assert_non_null(strstr(s.why, "start it again from what was saved last"));
}

/* One left over from another job does no harm to a job that runs. */
/* promise 3 */
static void an_old_epoch_is_refused(void **state)
{
    fixture f;
    raw r;
    (void)state;
    start(&f, RG_UPDATE_ASYNC);
    assert_int_equal(f.zero.welcome.epoch, 1);
    assert_fails(raw_enter(&r, f.server.endpoint, SESSION + 1, 0, 1), RG_ESTALE, "started again");
    raw_leave(&r);
    assert_fails(raw_enter(&r, f.server.endpoint, SESSION, 0, 2), RG_ESTALE,
                 "is of epoch 2, and here of 1");
    raw_leave(&r);
    assert_ok(other_pushes(&f, -1, 0));
    finish(&f);
}

RUN(cmocka_unit_test(a_meeting_is_attended_once), cmocka_unit_test(a_refusal_stands),
    cmocka_unit_test(what_changes_variables_does_so_once),
    cmocka_unit_test(what_is_no_longer_known_is_refused),
    cmocka_unit_test(large_answers_are_remembered_but_not_all),
    cmocka_unit_test(a_doubled_frame_is_nothing), cmocka_unit_test(leaving_twice_is_leaving_once),
    cmocka_unit_test(a_push_is_applied_once), cmocka_unit_test(a_gap_is_refused),
    cmocka_unit_test(rows_in_a_lost_answer_are_told_again),
    cmocka_unit_test(rows_that_are_dropped_or_set_are_told),
    cmocka_unit_test(a_server_that_was_started_again_says_so),
    cmocka_unit_test(an_old_epoch_is_refused))
