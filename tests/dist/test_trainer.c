/* test_trainer.c - a trainer as a program has it, and its servers, in one process: steps that are
 * exchanged, and servers that go while it waits, works or leaves. */
#include "dist/whole_server.h"

#include "base/buf.h"
#include "base/mem.h"
#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "rpc/server.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/latch.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static rg_job *job; /* this process's, of all tests */

static int open_job(void **state)
{
    (void)state;
    return (int)rg_job_open(&job);
}

static int close_job(void **state)
{
    (void)state;
    rg_job_close(job);
    return 0;
}

static void join(const server *s)
{
    const char *endpoint = s->endpoint;
    assert_ok(rg_job_join(job, &endpoint, 1, 0, 1));
}

static void fill(float *values, size_t n, float x)
{
    for (size_t i = 0; i < n; i++)
        values[i] = x;
}

/* A step of this thread, whose gradient of w is `x` everywhere. */
static rg_status push(int thread, float x)
{
    static _Thread_local float grad[SIZE]; /* lent, also after a wait that ends early */
    fill(grad, SIZE, x);
    RG_TRY(rg_exchange_dense(job, thread, 0, W, grad, job->mode->together));
    return rg_exchange_push(job, thread);
}

static void expect(const float *values, float x)
{
    assert_non_null(values);
    for (int i = 0; i < SIZE; i++)
        assert_float_equal(values[i], x, 1e-6);
}

static rg_status make_home(rg_value *target, float x)
{
    rg_value_init(target);
    RG_TRY(rg_value_resize(target, RG_F32, &RG_SHAPE(2, 3)));
    fill(target->data, SIZE, x);
    return RG_OK;
}

static void expect_taken(int thread, float x)
{
    rg_value target;
    assert_ok(make_home(&target, 1e9f));
    assert_ok(rg_exchange_take(job, thread, 0, W, &target, 0, false));
    expect(target.data, x);
    rg_value_fini(&target);
}

static void expect_on_server(const server *s, const char *name, float x)
{
    rg_value value;
    rg_value_init(&value);
    assert_ok(rg_job_get(job, s->endpoint, name, &value));
    assert_int_equal(rg_numel(&value), SIZE);
    expect(value.data, x);
    rg_value_fini(&value);
}

/* ---- steps ---- */

static void sync_steps_bring_parameters(void **state)
{
    static const int64_t ids[] = {1, 4};
    static const float rows[2 * WIDTH] = {3, 3, 3, 3};
    server s;
    double numbers[2] = {1, 2};
    (void)state;
    server_start(&s, RG_UPDATE_SYNC, 1);
    join(&s);
    assert_int_equal(job->trainer, 0);
    assert_string_equal(job->mode->programs.name, "sync");
    for (int step = 1; step <= 5; step++) {
        assert_ok(rg_exchange_rows(job, 0, 0, TABLE, ids, rows, 2));
        assert_ok(push(0, 1));
        expect_taken(0, -(float)step);
    }
    assert_ok(rg_job_barrier(job, "all"));
    assert_ok(rg_job_reduce(job, "auc", 0, numbers, 2));
    assert_float_equal(numbers[1], 2, 0);
    expect_on_server(&s, "w", -5);
    assert_ok(rg_job_leave(job));
    assert_false(rg_job_is_joined(job));
    assert_ok(rg_job_leave(job)); /* nothing to leave */
    server_end_well(&s);
}

/* Answers go straight to where parameters are, and to who runs another program with its own. */
static void answers_find_their_homes(void **state)
{
    server s;
    rg_value *mine, *other;
    (void)state;
    server_start(&s, RG_UPDATE_SYNC, 1);
    join(&s);
    assert_ok(rg_value_new(&mine));
    assert_ok(rg_value_new(&other));
    assert_ok(rg_value_resize(mine, RG_F32, &RG_SHAPE(3, 3)));
    assert_ok(rg_value_resize(other, RG_F32, &RG_SHAPE(2, 3)));
    fill(mine->data, 9, 7);
    float *values = mine->data;
    assert_ok(push(0, 1));
    assert_ok(rg_exchange_take(job, 0, 0, W, mine, 3, true)); /* copied */
    expect(values + 3, -1);
    assert_ok(push(0, 1));
    expect(values + 3, -2); /* there already */
    assert_ok(rg_exchange_take(job, 0, 0, W, other, 0, true));
    expect(other->data, -2);
    assert_ok(push(0, 1));
    expect(other->data, -3);
    expect(values + 3, -2);
    assert_float_equal(values[2], 7, 0);
    assert_ok(rg_value_resize(other, RG_F32, &RG_SHAPE(1))); /* too small to be written to */
    assert_ok(push(0, 1));
    assert_ok(rg_exchange_take(job, 0, 0, W, mine, 3, false));
    expect(values + 3, -4);
    rg_value_release(other);
    rg_value_release(mine);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
}

enum { THREADS = 4, STEPS = 50 };

typedef struct worker {
    pthread_t thread;
    int number, steps;
    rg_status code;
    float last; /* of w, as it was taken */
} worker;

static rg_status work(worker *w)
{
    rg_value *target;
    RG_TRY(rg_value_new(&target));
    RG_TRY(rg_value_resize(target, RG_F32, &RG_SHAPE(2, 3)));
    fill(target->data, SIZE, 0);
    for (int step = 0; step < w->steps; step++) {
        RG_TRY(rg_exchange_refresh(job, w->number));
        RG_TRY(push(w->number, 1));
        RG_TRY(rg_exchange_take(job, w->number, 0, W, target, 0, true));
    }
    w->last = *(const float *)target->data;
    rg_value_release(target); /* the exchange keeps it as long as it writes there */
    return rg_exchange_thread_ends(job, w->number);
}

static void *run_worker(void *arg)
{
    worker *w = arg;
    w->code = work(w);
    return NULL;
}

/* Worker k makes STEPS - k steps. */
static void run_workers(worker *workers)
{
    assert_ok(rg_exchange_threads(job, THREADS));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.number = i, .steps = STEPS - i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].code, RG_OK);
    assert_ok(rg_exchange_threads(job, 1));
}

/* Each step is the mean of the threads that are still there. */
static void threads_make_one_step(void **state)
{
    static const rg_update_mode modes[] = {RG_UPDATE_SYNC, RG_UPDATE_HALF_ASYNC};
    worker workers[THREADS];
    (void)state;
    for (int m = 0; m < 2; m++) {
        server s;
        server_start(&s, modes[m], 1);
        join(&s);
        run_workers(workers);
        expect_on_server(&s, "w", -STEPS);
        for (int i = 0; i < THREADS; i++)
            assert_float_equal(workers[i].last, -(float)workers[i].steps, 1e-6);
        assert_ok(rg_job_leave(job));
        server_end_well(&s);
    }
}

/* Steps fly while the next are made; none is lost. */
static void async_steps_all_arrive(void **state)
{
    worker workers[THREADS];
    server s;
    int steps = 0;
    (void)state;
    server_start(&s, RG_UPDATE_ASYNC, 1);
    join(&s);
    run_workers(workers);
    for (int i = 0; i < THREADS; i++)
        steps += workers[i].steps;
    assert_ok(rg_exchange_flush(job));
    expect_on_server(&s, "w", -(float)steps);
    assert_ok(push(0, 2)); /* in the air when we leave */
    rg_scope *kept = rg_scope_retain(s.scope);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
    expect(rg_scope_find(kept, "w")->data, -(float)steps - 2);
    rg_scope_release(kept);
}

typedef struct cutter {
    pthread_t thread;
    rg_rpc_client *client;
    atomic_bool stop;
    int cuts;
} cutter;

static void *cut_often(void *arg)
{
    cutter *c = arg;
    for (; !c->stop; c->cuts++) {
        rg_rpc_client_cut(c->client);
        (void)usleep(2000);
    }
    return NULL;
}

/* Every push arrives once, whichever thread it is of, and however often it has to be sent. */
static void breaking_connections_change_nothing(void **state)
{
    static const rg_update_mode modes[] = {RG_UPDATE_SYNC, RG_UPDATE_ASYNC, RG_UPDATE_HALF_ASYNC};
    worker workers[THREADS];
    (void)state;
    for (int m = 0; m < 3; m++) {
        server s;
        int steps = 0, rounds = 0;
        server_start(&s, modes[m], 1);
        join(&s);
        cutter c = {.client = job->servers[0].client};
        assert_int_equal(pthread_create(&c.thread, NULL, cut_often, &c), 0);
        for (; rounds < 5; rounds++)
            run_workers(workers);
        assert_ok(rg_exchange_flush(job));
        c.stop = true;
        assert_int_equal(pthread_join(c.thread, NULL), 0);
        assert_true(c.cuts > 0);
        for (int i = 0; i < THREADS; i++)
            steps += workers[i].steps;
        expect_on_server(&s, "w", -(float)(rounds * (modes[m] == RG_UPDATE_ASYNC ? steps : STEPS)));
        assert_ok(rg_job_leave(job));
        server_end_well(&s);
    }
}

/* ---- other trainers ---- */

static rg_rpc_client *other; /* trainer 1, which asks by hand */

static void join_with_other(server *s, rg_update_mode mode)
{
    const char *endpoint = s->endpoint;
    const rg_rpc_client_config config = {
        .me = {.role = RG_RPC_TRAINER, .trainer = 1, .name = "the other", .host = "here"}};
    server_start(s, mode, 2);
    assert_ok(rg_rpc_client_open(&other, s->endpoint, &config));
    assert_ok(rg_rpc_client_ready(other, NULL));
    assert_ok(rg_job_join(job, &endpoint, 1, 0, 2));
}

/* What happens while this thread waits: once. */
static _Thread_local rg_status (*meanwhile)(void);

static rg_status look(void)
{
    rg_status (*now)(void) = meanwhile;
    meanwhile = NULL;
    return now ? now() : RG_OK;
}

static rg_status user_stops_it(void)
{
    return rg_fail(RG_ECLOSED, "Ctrl+C");
}

/* Nothing is forgotten by a wait that ends early: the step is made when the other has come. */
static void a_wait_can_be_interrupted(void **state)
{
    server s;
    rg_buf body;
    const uint32_t w = W;
    (void)state;
    rg_set_interrupted(look);
    join_with_other(&s, RG_UPDATE_SYNC);
    meanwhile = user_stops_it;
    assert_fails(push(0, 1), RG_ECLOSED, "Ctrl+C");
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 0, &w, 1, NULL, NULL, 0, &w, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_u32(&body, 0);
    const rg_iov iov = {body.data, body.len};
    assert_ok(rg_rpc_ask_once(other, RG_PS_PUSH, &iov, 1, NULL, NULL));
    assert_ok(rg_exchange_flush(job));
    expect_taken(0, -0.5f);
    assert_ok(rg_rpc_ask_once(other, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    assert_ok(rg_job_leave(job));
    rg_rpc_client_close(other);
    rg_buf_fini(&body);
    server_end_well(&s);
}

/* What it had sent is what counts, whatever the next step writes: the gradient has other memory
 * then, with the same values. */
static void a_step_that_is_broken_off_keeps_what_it_has_sent(void **state)
{
    server s;
    rg_buf body;
    const uint32_t w = W;
    rg_value *gradient;
    (void)state;
    rg_set_interrupted(look);
    join_with_other(&s, RG_UPDATE_SYNC);
    assert_ok(rg_value_new(&gradient));
    assert_ok(rg_value_resize(gradient, RG_F32, &RG_SHAPE(2, 3)));
    fill(gradient->data, SIZE, 1);
    const void *sent = gradient->data;
    assert_true(rg_exchange_stays(job, gradient, false));
    assert_ok(rg_exchange_dense(job, 0, 0, W, gradient->data, true));
    assert_ok(rg_exchange_give(job, 0, gradient));
    assert_ptr_equal(gradient->data, sent);
    meanwhile = user_stops_it;
    assert_fails(rg_exchange_push(job, 0), RG_ECLOSED, "Ctrl+C");
    assert_ptr_not_equal(gradient->data, sent);
    expect(gradient->data, 1);
    fill(gradient->data, SIZE, 100);
    expect(sent, 1);
    rg_buf_init(&body, 0);
    rg_push_write_head(&body, 0, &w, 1, NULL, NULL, 0, &w, 1);
    for (int i = 0; i < SIZE; i++)
        rg_buf_u32(&body, 0);
    const rg_iov iov = {body.data, body.len};
    assert_ok(rg_rpc_ask_once(other, RG_PS_PUSH, &iov, 1, NULL, NULL));
    assert_ok(rg_exchange_flush(job));
    expect_taken(0, -0.5f);
    rg_value_release(gradient);
    assert_ok(rg_rpc_ask_once(other, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    assert_ok(rg_job_leave(job));
    rg_rpc_client_close(other);
    rg_buf_fini(&body);
    server_end_well(&s);
}

static void a_meeting_that_others_do_not_come_to_has_an_end(void **state)
{
    server s;
    (void)state;
    join_with_other(&s, RG_UPDATE_ASYNC);
    assert_ok(rg_flag_set("ps_meet_seconds", "1"));
    assert_fails(rg_job_barrier(job, "all"), RG_ETIMEOUT, "1 s (FLAGS_ps_meet_seconds)");
    assert_ok(rg_flag_set("ps_meet_seconds", "0"));
    expect_on_server(&s, "w", 0);
    assert_fails(rg_job_leave(job), RG_EINVAL, "leaves while it waits");
    rg_rpc_client_close(other);
    server_end(&s);
    assert_int_equal(s.outcome, RG_ECLOSED);
}

/* Calls are closed as they may just be answered. */
static void a_request_can_be_interrupted(void **state)
{
    server s;
    (void)state;
    rg_set_interrupted(look);
    join_with_other(&s, RG_UPDATE_ASYNC);
    meanwhile = user_stops_it;
    assert_fails(rg_job_barrier(job, "all"), RG_ECLOSED, "Ctrl+C");
    expect_on_server(&s, "w", 0);
    assert_fails(rg_job_leave(job), RG_EINVAL, "leaves while it waits");
    rg_rpc_client_close(other);
    server_end(&s);
    assert_int_equal(s.outcome, RG_ECLOSED);
}

static rg_status other_fails(void)
{
    return rg_rpc_ask_once(other, RG_PS_FAIL, &(rg_iov){"disk full", 9}, 1, NULL, NULL);
}

static void a_failure_elsewhere_ends_the_step(void **state)
{
    server s;
    (void)state;
    rg_set_interrupted(look);
    join_with_other(&s, RG_UPDATE_SYNC);
    meanwhile = other_fails;
    assert_fails(push(0, 1), RG_ECLOSED, "disk full");
    assert_fails(rg_job_leave(job), RG_ECLOSED, "disk full");
    rg_rpc_client_close(other);
    server_end(&s);
    assert_int_equal(s.outcome, RG_ECLOSED);
}

/* ---- servers that go ---- */

/* Knows the schema of a job and says yes to everything, until it is closed: then it is as a
 * machine that was switched off. */
typedef struct stub {
    rg_rpc_server *rpc;
    char endpoint[64];
    rg_latch asked;                 /* for its schema */
    atomic_bool refuses, is_silent; /* what it does when it is asked for a program */
    _Atomic(rg_rpc_request *) held; /* that it is silent about */
} stub;

enum { STUBS = 4 };

static void stub_answers(void *user, rg_rpc_request *request)
{
    rg_buf out;
    stub *s = user;
    bool schema = rg_rpc_request_method(request) == RG_PS_SCHEMA;
    if (s->is_silent && rg_rpc_request_method(request) == RG_PS_PROGRAM) {
        atomic_store(&s->held, request);
        return;
    }
    if (s->refuses && rg_rpc_request_method(request) == RG_PS_PROGRAM) {
        rg_rpc_refuse(request, RG_EIO, "its disk is full");
        return;
    }
    rg_buf_init(&out, 0);
    if (schema)
        rg_ps_schema_write(&out, &(rg_ps_schema){.mode = RG_UPDATE_SYNC, .trainers = 1});
    rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, 1, NULL, NULL);
    if (schema)
        rg_latch_open(&s->asked);
    rg_buf_fini(&out);
}

static rg_status stub_lets_in(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello,
                              rg_rpc_arrival arrival)
{
    (void)user, (void)peer, (void)hello, (void)arrival;
    return RG_OK;
}

/* Number i of the job's servers, whose order is that of their names. */
static void stub_open(stub *s, int i)
{
    char address[32];
    const char *any = address;
    rg_rpc_server_config config = {.endpoints = &any,
                                   .n_endpoints = 1,
                                   .name = "a stub",
                                   .lease_ms = 500,
                                   .events = {.hello = stub_lets_in, .request = stub_answers},
                                   .user = s};
    (void)snprintf(address, sizeof address, "127.0.0.%d:0", 1 + i);
    atomic_init(&s->refuses, false);
    atomic_init(&s->is_silent, false);
    atomic_init(&s->held, NULL);
    rg_latch_init(&s->asked);
    assert_ok(rg_rpc_server_open(&s->rpc, &config));
    (void)snprintf(s->endpoint, sizeof s->endpoint, "%s", rg_rpc_server_endpoint(s->rpc, 0));
}

static void join_stubs(stub *stubs)
{
    const char *endpoints[STUBS];
    for (int i = 0; i < STUBS; i++) {
        stub_open(&stubs[i], i);
        endpoints[i] = stubs[i].endpoint;
    }
    assert_ok(rg_job_join(job, endpoints, STUBS, 0, 1));
}

static void close_stub(stub *s)
{
    if (s->rpc == NULL)
        return;
    rg_rpc_server_close(s->rpc);
    s->rpc = NULL;
    rg_latch_fini(&s->asked);
}

static void close_stubs(stub *stubs)
{
    for (int i = 0; i < STUBS; i++)
        close_stub(&stubs[i]);
}

/* Leaving asks the dead one too, and goes on the moment its death is known: the others are being
 * told then. */
static void leaving_while_a_server_dies(void **state)
{
    (void)state;
    for (int dies = 0; dies < STUBS; dies += STUBS - 1) {
        stub stubs[STUBS];
        join_stubs(stubs);
        close_stub(&stubs[dies]);
        assert_fails(rg_job_leave(job), RG_ECLOSED, "is gone: no heartbeat");
        close_stubs(stubs);
    }
}

/* All at once, as when a machine goes. */
static void leaving_while_all_die(void **state)
{
    stub stubs[STUBS];
    (void)state;
    join_stubs(stubs);
    close_stubs(stubs);
    assert_fails(rg_job_leave(job), RG_ECLOSED, "is gone: no heartbeat");
}

/* What waits for a server hears that it, or another one, is gone; and a job can be joined again. */
static void waiting_while_a_server_dies(void **state)
{
    stub stubs[STUBS];
    server s;
    (void)state;
    join_stubs(stubs);
    close_stub(&stubs[1]);
    assert_fails(rg_job_ask(job, 1, RG_PS_PROGRAM, NULL, 0, NULL, NULL), RG_ECLOSED,
                 "is gone: no heartbeat");
    while (rg_job_ask(job, 2, RG_PS_PROGRAM, NULL, 0, NULL, NULL) == RG_OK)
        continue; /* until the others have been told */
    assert_non_null(strstr(rg_error_message(), "is gone: no heartbeat"));
    assert_int_equal(rg_job_leave(job), RG_ECLOSED);
    close_stubs(stubs);
    server_start(&s, RG_UPDATE_SYNC, 1);
    join(&s);
    assert_ok(push(0, 1));
    expect_taken(0, -1);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
}

/* The others may wait for a trainer that was refused as we were. */
static void a_refusal_ends_the_wait_for_others(void **state)
{
    stub stubs[STUBS];
    rg_job_request requests[2] = {{.server = 1, .method = RG_PS_PROGRAM},
                                  {.server = 2, .method = RG_PS_PROGRAM}};
    (void)state;
    join_stubs(stubs);
    atomic_store(&stubs[1].is_silent, true);
    atomic_store(&stubs[2].refuses, true);
    assert_fails(rg_job_ask_all(job, requests, 2), RG_EIO, "its disk is full");
    rg_job_close_all(requests, 2);
    rg_rpc_refuse(atomic_load(&stubs[1].held), RG_ECLOSED, "too late");
    (void)rg_job_leave(job);
    close_stubs(stubs);
}

typedef struct attempt {
    const char *endpoints[2];
    rg_status code;
    char why[512];
} attempt;

static void *try_to_join(void *arg)
{
    attempt *a = arg;
    a->code = rg_job_join(job, a->endpoints, 2, 0, 1);
    (void)snprintf(a->why, sizeof a->why, "%s", rg_error_message());
    return NULL;
}

/* One is there and goes while the other, which never comes, is waited for. */
static void joining_while_a_server_dies(void **state)
{
    char deadline[32], nowhere[64];
    const char *was;
    pthread_t thread;
    stub here;
    int port;
    (void)state;
    assert_ok(rg_flag_text("rpc_deadline", &was));
    (void)snprintf(deadline, sizeof deadline, "%s", was);
    assert_ok(rg_flag_set("rpc_deadline", "1500"));
    assert_ok(rg_port_find("127.0.0.1", &port));
    (void)snprintf(nowhere, sizeof nowhere, "127.0.0.2:%d", port);
    stub_open(&here, 0);
    attempt a = {.endpoints = {here.endpoint, nowhere}};
    assert_int_equal(pthread_create(&thread, NULL, try_to_join, &a), 0);
    assert_true(rg_latch_wait(&here.asked, UINT64_MAX));
    close_stub(&here);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_not_equal(a.code, RG_OK);
    assert_non_null(strstr(a.why, nowhere));
    assert_false(rg_job_is_joined(job));
    assert_ok(rg_flag_set("rpc_deadline", deadline));
}

/* One answer would be 24 MB: it comes in several, and none of them is larger than it may be. */
static void a_large_variable_comes_in_pieces(void **state)
{
    enum { MANY = 750001, WIDE = 8 };
    server s;
    rg_value value;
    (void)state;
    server_prepare(&s, RG_UPDATE_SYNC, 1, "127.0.0.1");
    set_value(&s, "large", RG_SHAPE(MANY, WIDE), 0);
    set_value(&s, "exact", RG_SHAPE((16 << 20) / 32, WIDE), 3); /* one answer to the byte */
    float *there = rg_scope_find(s.scope, "large")->data;
    for (int i = 0; i < MANY * WIDE; i++)
        there[i] = (float)i;
    assert_int_equal(pthread_create(&s.thread, NULL, serve, &s), 0);
    join(&s);
    rg_value_init(&value);
    assert_ok(rg_job_get(job, s.endpoint, "large", &value));
    assert_true(rg_shape_equal(&value.meta.shape, &RG_SHAPE(MANY, WIDE)));
    assert_memory_equal(value.data, there, (size_t)MANY * WIDE * sizeof *there);
    rg_buf body;
    uint8_t *reply;
    size_t bytes;
    rg_buf_init(&body, 0);
    rg_ps_put_text(&body, "large");
    rg_buf_u64(&body, 0);
    rg_buf_u64(&body, MANY);
    assert_ok(rg_job_ask(job, 0, RG_PS_GET, &(rg_iov){body.data, body.len}, 1, &reply, &bytes));
    assert_int_equal(bytes, RG_PS_GET_BYTES + 8 + 2 * 8);
    rg_free(reply);
    rg_buf_fini(&body);
    assert_ok(rg_job_get(job, s.endpoint, "exact", &value));
    assert_int_equal(rg_numel(&value), (16 << 20) / 4);
    rg_value_fini(&value);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
}

/* Not when the memory is full of the half of it. */
static void a_variable_larger_than_memory_is_refused_when_its_first_rows_have_come(void **state)
{
    server s;
    rg_value value;
    (void)state;
    server_prepare(&s, RG_UPDATE_SYNC, 1, "127.0.0.1");
    set_value(&s, "large", RG_SHAPE(750001, 8), 0);
    assert_int_equal(pthread_create(&s.thread, NULL, serve, &s), 0);
    join(&s);
    rg_ps_var *said = &job->servers[0].schema.vars[0], before = *said;
    said->name = (char[]){"large"};
    said->rows = (int64_t)1 << 40;
    rg_value_init(&value);
    assert_int_equal(rg_job_get(job, s.endpoint, "large", &value), RG_ENOMEM);
    assert_non_null(strstr(rg_error_message(), "large [1099511627776, 8], whole: no memory"));
    *said = before;
    rg_value_fini(&value);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
}

/* ---- parameters that are read where the server has them ---- */

enum { LARGE = 120 * 100 };

static rg_status push_large(float x)
{
    static float grad[LARGE];
    fill(grad, LARGE, x);
    RG_TRY(rg_exchange_dense(job, 0, 0, W, grad, true));
    return rg_exchange_push(job, 0);
}

static void expect_large(const rg_value *value, float x)
{
    for (int i = 0; i < LARGE; i++)
        assert_float_equal(((const float *)value->data)[i], x, 0);
}

static bool is_shown(const rg_value *value)
{
    return value->data != value->storage->data;
}

static void make_step(rg_value *mine, float x)
{
    assert_ok(push_large(1));
    assert_ok(rg_exchange_take(job, 0, 0, W, mine, 0, RG_TAKE_SHOWN));
    expect_large(mine, x);
}

static void step_shows(rg_value *mine, float x)
{
    make_step(mine, x);
    assert_true(is_shown(mine));
}

/* Not in the first step, and in all from then on when the server has heard that its memory is
 * seen. How far that is. */
static float step_until_shown(rg_value *mine)
{
    float x = -1;
    make_step(mine, x);
    assert_false(is_shown(mine));
    while (!is_shown(mine) && x > -1000) {
        rg_clock_sleep(1000000);
        make_step(mine, x -= 1);
    }
    assert_true(is_shown(mine));
    return x;
}

/* What a trainer has for itself, and what is set, the other does not see before the next step. */
static void parameters_are_shown(void **state)
{
    server s;
    rg_value *mine, set;
    (void)state;
    server_prepare(&s, RG_UPDATE_SYNC, 1, "127.0.0.1");
    rg_block_find(s.program->blocks[0], "w")->meta.shape = RG_SHAPE(120, 100);
    set_value(&s, "w", RG_SHAPE(120, 100), 0);
    assert_int_equal(pthread_create(&s.thread, NULL, serve, &s), 0);
    join(&s);
    assert_ok(rg_value_new(&mine));
    assert_ok(rg_value_resize(mine, RG_F32, &RG_SHAPE(120, 100)));
    float x = step_until_shown(mine);
    rg_value_settle(mine);
    assert_false(is_shown(mine));
    expect_large(mine, x);
    ((float *)mine->data)[5] = 9; /* its own: the server's cannot be written to */
    step_shows(mine, x - 1);
    rg_value_init(&set);
    assert_ok(rg_value_resize(&set, RG_F32, &RG_SHAPE(120, 100)));
    fill(set.data, LARGE, 100);
    assert_ok(rg_job_set(job, &(rg_ps_change){1, 1}, s.endpoint, "w", &set));
    expect_large(mine, x - 1);
    step_shows(mine, 99);
    assert_ok(rg_job_barrier(job, "all"));
    assert_false(is_shown(mine));
    step_shows(mine, 98);
    assert_ok(rg_job_leave(job));
    assert_null(mine->late);
    expect_large(mine, 98);
    rg_value_fini(&set);
    rg_value_release(mine);
    server_end_well(&s);
}

/* ---- several trainers in one process ---- */

typedef struct trainer {
    pthread_t thread;
    const server *at;
    int number;
    rg_job *own;
    rg_status code;
    char why[200];
} trainer;

static rg_status train_two_steps(trainer *t)
{
    float grad[SIZE];
    for (int i = 0; i < SIZE; i++)
        grad[i] = (float)(t->number + 1);
    const char *endpoint = t->at->endpoint;
    RG_TRY(rg_job_join(t->own, &endpoint, 1, t->number, 2));
    for (int step = 0; step < 2; step++) {
        RG_TRY(rg_exchange_dense(t->own, 0, 0, W, grad, t->own->mode->together));
        RG_TRY(rg_exchange_push(t->own, 0));
    }
    return rg_job_barrier(t->own, "trained");
}

static void *run_trainer(void *arg)
{
    trainer *t = arg;
    t->code = train_two_steps(t);
    (void)snprintf(t->why, sizeof t->why, "%s", t->code ? rg_error_message() : "");
    return NULL;
}

/* Each has its own number and steps; one leaves, and the other is still there. */
static void two_trainers_of_a_process(void **state)
{
    server s;
    trainer two[2];
    (void)state;
    server_start(&s, RG_UPDATE_SYNC, 2);
    for (int i = 0; i < 2; i++) {
        two[i] = (trainer){.at = &s, .number = i};
        assert_ok(rg_job_open(&two[i].own));
        assert_int_equal(pthread_create(&two[i].thread, NULL, run_trainer, &two[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(two[i].thread, NULL);
        assert_string_equal(two[i].why, "");
        assert_int_equal(two[i].own->trainer, i);
    }
    assert_ok(rg_job_leave(two[0].own));
    assert_false(rg_job_is_joined(two[0].own));
    assert_true(rg_job_is_joined(two[1].own));
    rg_value value;
    rg_value_init(&value);
    assert_ok(rg_job_get(two[1].own, s.endpoint, "w", &value));
    assert_float_equal(((const float *)value.data)[0], -3, 0); /* two steps of the mean, 1.5 */
    rg_value_fini(&value);
    assert_ok(rg_job_leave(two[1].own));
    rg_job_close(two[0].own);
    rg_job_close(two[1].own);
    server_end_well(&s);
}

/* What a child says would be taken for its parent's word. */
static void a_forked_child_takes_no_part(void **state)
{
    server s;
    int status = -1;
    (void)state;
    server_start(&s, RG_UPDATE_SYNC, 1);
    join(&s);
    pid_t child = fork();
    if (child == 0)
        _exit(rg_job_is_joined(job) || rg_job_leave(job) != RG_OK ? 1 : 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ok(push(0, 1));
    expect_on_server(&s, "w", -1);
    assert_ok(rg_job_leave(job));
    server_end_well(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_trainers_of_a_process),
        cmocka_unit_test(a_forked_child_takes_no_part),
        cmocka_unit_test(a_large_variable_comes_in_pieces),
        cmocka_unit_test(a_variable_larger_than_memory_is_refused_when_its_first_rows_have_come),
        cmocka_unit_test(sync_steps_bring_parameters),
        cmocka_unit_test(answers_find_their_homes),
        cmocka_unit_test(parameters_are_shown),
        cmocka_unit_test(threads_make_one_step),
        cmocka_unit_test(async_steps_all_arrive),
        cmocka_unit_test(breaking_connections_change_nothing),
        cmocka_unit_test(a_wait_can_be_interrupted),
        cmocka_unit_test(a_step_that_is_broken_off_keeps_what_it_has_sent),
        cmocka_unit_test(a_request_can_be_interrupted),
        cmocka_unit_test(a_meeting_that_others_do_not_come_to_has_an_end),
        cmocka_unit_test(a_failure_elsewhere_ends_the_step),
        cmocka_unit_test(leaving_while_a_server_dies),
        cmocka_unit_test(leaving_while_all_die),
        cmocka_unit_test(waiting_while_a_server_dies),
        cmocka_unit_test(a_refusal_ends_the_wait_for_others),
        cmocka_unit_test(joining_while_a_server_dies),
    };
    return cmocka_run_group_tests(tests, open_job, close_job);
}
