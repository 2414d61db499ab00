/* test_trainer_waits.c - what a trainer waits for: other trainers, which fail or never come,
 * servers that go while it waits, works, leaves or joins, and the user, who has waited enough. */
#include "dist/trainer_job.h"

#include "base/buf.h"
#include "rpc/server.h"
#include "sys/because.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/latch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

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
    atomic_bool is_over;            /* its job has failed, which who leaves is told */
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
    if (s->is_over && rg_rpc_request_method(request) == RG_PS_LEAVE) {
        rg_rpc_refuse(request, RG_ECLOSED, "trainer 1 has failed: disk full");
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
    atomic_init(&s->is_over, false);
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

/* It may well end before the one that failed has: the launcher has to know that it was not the
 * first. */
static void who_is_refused_when_it_leaves_says_whom_it_blames(void **state)
{
    char path[] = "/tmp/regatta-because-XXXXXX";
    stub stubs[STUBS];
    rg_because of;
    (void)state;
    assert_int_equal(close(mkstemp(path)), 0);
    assert_int_equal(setenv("REGATTA_BECAUSE", path, 1), 0);
    join_stubs(stubs);
    atomic_store(&stubs[1].is_over, true);
    assert_fails(rg_job_leave(job), RG_ECLOSED, "trainer 1 has failed: disk full");
    assert_true(rg_because_read(path, &of));
    assert_false(of.worker);
    assert_int_equal(of.index, RG_BECAUSE_ANY);
    (void)unsetenv("REGATTA_BECAUSE");
    (void)unlink(path);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_can_be_interrupted),
        cmocka_unit_test(a_step_that_is_broken_off_keeps_what_it_has_sent),
        cmocka_unit_test(a_meeting_that_others_do_not_come_to_has_an_end),
        cmocka_unit_test(a_request_can_be_interrupted),
        cmocka_unit_test(a_failure_elsewhere_ends_the_step),
        cmocka_unit_test(leaving_while_a_server_dies),
        cmocka_unit_test(leaving_while_all_die),
        cmocka_unit_test(waiting_while_a_server_dies),
        cmocka_unit_test(a_refusal_ends_the_wait_for_others),
        cmocka_unit_test(who_is_refused_when_it_leaves_says_whom_it_blames),
        cmocka_unit_test(joining_while_a_server_dies),
    };
    return cmocka_run_group_tests(tests, open_job, close_job);
}
