/* test_serve_empty.c - a server that is sent its program by trainer 0. */
#include "dist/whole_server.h"

#include "base/mem.h"
#include "dist/job.h"
#include "dist/protocol.h"
#include "rpc/client.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/latch.h"

#include <stdatomic.h>

/* A server without a program, on a thread of its own; `s.program` is what trainer 0 will send. */
typedef struct empty {
    server s;
    rg_program *startup;
    rg_serve_config config;
    const char *endpoint;
    int trainers;
} empty;

static void *serve_empty(void *arg)
{
    empty *e = arg;
    e->s.outcome = rg_serve_empty(&e->config);
    (void)snprintf(e->s.why, sizeof e->s.why, "%s", e->s.outcome ? rg_error_message() : "");
    return NULL;
}

/* fill_constant of each variable that is no table. */
static void make_startup(empty *e)
{
    const struct {
        const char *name;
        rg_shape shape;
        float value;
    } vars[] = {{"w", RG_SHAPE(2, 3), 5}, {"rate", RG_SHAPE(1), 1}};
    assert_ok(rg_program_open(&e->startup));
    for (int i = 0; i < 2; i++) {
        rg_vardesc *var;
        rg_opdesc *op;
        rg_block *block = e->startup->blocks[0];
        assert_ok(rg_block_add_var(block, vars[i].name, &var));
        var->meta.shape = vars[i].shape;
        var->persistable = var->has_tensor = true;
        assert_ok(rg_block_append_op(block, "fill_constant", &op));
        assert_ok(rg_opdesc_set_out(op, "Out", 1, &vars[i].name));
        assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = "shape",
                                                    .type = RG_ATTR_LONGS,
                                                    .n = vars[i].shape.rank,
                                                    .longs = vars[i].shape.dim}));
        assert_ok(rg_opdesc_set_attr(
            op, &(rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = vars[i].value}));
    }
}

static void empty_start_in(empty *e, int trainers, rg_serve_group *group)
{
    *e = (empty){.trainers = trainers};
    server_prepare(&e->s, RG_UPDATE_ASYNC, trainers, "127.0.0.1");
    make_startup(e);
    e->endpoint = e->s.endpoint;
    e->config = (rg_serve_config){
        .endpoints = &e->endpoint, .n_endpoints = 1, .trainers = trainers, .group = group};
    assert_int_equal(pthread_create(&e->s.thread, NULL, serve_empty, e), 0);
}

static void empty_start(empty *e, int trainers)
{
    empty_start_in(e, trainers, NULL);
}

static void empty_end(empty *e)
{
    server_end(&e->s);
    rg_program_close(e->startup);
}

static rg_rpc_client *connect_as(const empty *e, int trainer, int trainers)
{
    rg_rpc_client_config config = {.me = {.role = RG_RPC_TRAINER,
                                          .trainer = trainer,
                                          .trainers = (uint32_t)trainers,
                                          .name = "someone",
                                          .host = "here"}};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, e->s.endpoint, &config));
    return client;
}

static rg_rpc_client *come(const empty *e, int trainer)
{
    rg_rpc_client *client = connect_as(e, trainer, 0);
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

static rg_rpc_call *begin(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    rg_rpc_call *call;
    const rg_iov iov = {body ? body->data : NULL, body ? body->len : 0};
    assert_ok(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = method, .iov = &iov, .n = 1}));
    return call;
}

static rg_status ask(rg_rpc_client *client, uint16_t method, const rg_buf *body)
{
    rg_rpc_call *call = begin(client, method, body);
    rg_status code = rg_rpc_wait(call);
    rg_rpc_call_close(call);
    return code;
}

static void pack(const empty *e, rg_buf *body)
{
    rg_buf startup, main;
    rg_buf_init(&startup, 0);
    rg_buf_init(&main, 0);
    rg_buf_init(body, 0);
    assert_ok(rg_program_pack(e->startup, &startup));
    assert_ok(rg_program_pack(e->s.program, &main));
    rg_ps_load_write_head(body, startup.len, main.len);
    rg_buf_add(body, startup.data, startup.len);
    rg_buf_add(body, main.data, main.len);
    assert_ok(rg_buf_status(body));
    rg_buf_fini(&startup);
    rg_buf_fini(&main);
}

static rg_status load(const empty *e, rg_rpc_client *client)
{
    rg_buf body;
    pack(e, &body);
    rg_status code = ask(client, RG_PS_LOAD, &body);
    rg_buf_fini(&body);
    return code;
}

static void assert_waits(rg_rpc_client *client, const char *what)
{
    uint8_t *text;
    size_t n;
    char copy[512];
    assert_ok(rg_rpc_ask_once(client, RG_PS_WAITS, NULL, 0, &text, &n));
    (void)snprintf(copy, sizeof copy, "%.*s", (int)n, (const char *)text);
    if (strstr(copy, what) == NULL)
        fail_msg("'%s' does not say '%s'", copy, what);
    rg_free(text);
}

static void leave(rg_rpc_client *client)
{
    assert_ok(ask(client, RG_PS_LEAVE, NULL));
    rg_rpc_client_close(client);
}

/* ---- */

static void what_comes_before_the_program_waits_for_it(void **state)
{
    empty e;
    float w;
    uint8_t *values;
    size_t n;
    rg_buf pull;
    (void)state;
    empty_start(&e, 2);
    rg_rpc_client *second = come(&e, 1);
    rg_rpc_call *schema = begin(second, RG_PS_SCHEMA, NULL);
    assert_waits(second, "waits for trainer 0 to send the program, which was never seen; 1 of 2");
    rg_rpc_client *first = come(&e, 0);
    assert_waits(second, "waits for trainer 0 (pid");
    assert_ok(load(&e, first));
    assert_ok(rg_rpc_wait(schema));
    assert_non_null(rg_rpc_answer(schema, &n));
    rg_rpc_call_close(schema);
    rg_buf_init(&pull, 0);
    rg_buf_u32(&pull, W);
    assert_ok(rg_rpc_ask_once(second, RG_PS_PULL, &(rg_iov){pull.data, pull.len}, 1, &values, &n));
    memcpy(&w, values, sizeof w);
    assert_true(w == 5.0f); /* as the startup program says */
    rg_free(values);
    rg_buf_fini(&pull);
    leave(first);
    leave(second);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
}

static void a_program_is_taken_once_and_from_trainer_0(void **state)
{
    empty e;
    (void)state;
    empty_start(&e, 2);
    rg_rpc_client *first = come(&e, 0), *second = come(&e, 1);
    assert_fails(load(&e, second), RG_EDENIED, "trainer 0 does");
    assert_ok(load(&e, first));
    assert_fails(load(&e, first), RG_EINVAL, "has its program already");
    rg_rpc_client *stranger = connect_as(&e, 0, 0);
    assert_fails(rg_rpc_client_ready(stranger, NULL), RG_EINVAL, "is taken by trainer 0");
    rg_rpc_client_close(stranger);
    leave(first);
    leave(second);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
}

static void the_number_of_trainers_must_be_that_of_the_program(void **state)
{
    empty e;
    (void)state;
    empty_start(&e, 2);
    rg_rpc_client *wrong = connect_as(&e, 0, 3);
    assert_fails(rg_rpc_client_ready(wrong, NULL), RG_EINVAL, "3 trainers");
    rg_rpc_client_close(wrong);
    set_int(e.s.listen, "Fanin", 3);
    rg_rpc_client *first = come(&e, 0);
    assert_fails(load(&e, first), RG_EINVAL, "--num_gradient_servers=2");
    assert_waits(first, "to send the program"); /* nothing has happened */
    set_int(e.s.listen, "Fanin", 2);
    assert_ok(load(&e, first));
    rg_rpc_client *second = come(&e, 1);
    leave(first);
    leave(second);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
}

static rg_opdesc *add_op(rg_program *program, const char *type)
{
    rg_opdesc *op;
    assert_ok(rg_block_insert_op(program->blocks[0], 0, type, &op));
    return op;
}

/* promise 29 */
static void programs_that_reach_outside_are_refused(void **state)
{
    static const char *const ops[] = {"save", "load", "py_func", "print", "send", "while"};
    empty e;
    (void)state;
    empty_start(&e, 1);
    rg_rpc_client *first = come(&e, 0);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        rg_program *programs[] = {e.startup, e.s.program};
        for (int p = 0; p < 2; p++) {
            (void)add_op(programs[p], ops[i]);
            rg_status code = load(&e, first);
            if (code == RG_OK)
                fail_msg("%s was taken", ops[i]);
            rg_block_remove_ops(programs[p]->blocks[0], 0, 1);
        }
    }
    (void)add_op(e.startup, "listen_and_serv");
    assert_fails(load(&e, first), RG_EDENIED, "listen_and_serv");
    rg_block_remove_ops(e.startup->blocks[0], 0, 1);
    assert_ok(load(&e, first));
    leave(first);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
}

static void bodies_that_are_no_programs_are_refused(void **state)
{
    empty e;
    rg_buf body;
    (void)state;
    empty_start(&e, 1);
    rg_rpc_client *first = come(&e, 0);
    pack(&e, &body);
    size_t whole = body.len;
    for (size_t n = 0; n < whole; n = n < 40 ? n + 1 : n + 97) {
        body.len = n;
        assert_true(ask(first, RG_PS_LOAD, &body) != RG_OK);
    }
    body.len = whole;
    for (int i = 0; i < 8; i++)
        body.data[i] = 0xff; /* a program of 2^64 bytes */
    assert_fails(ask(first, RG_PS_LOAD, &body), RG_ECORRUPT, "programs of");
    rg_buf_fini(&body);
    /* A parameter without a start value: what was begun is undone. */
    rg_block_remove_ops(e.startup->blocks[0], 0, 1);
    assert_fails(load(&e, first), RG_EINVAL, "w has no value yet");
    rg_program_close(e.startup);
    make_startup(&e);
    assert_ok(load(&e, first));
    leave(first);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
}

static void nobody_sends_the_program(void **state)
{
    empty e;
    (void)state;
    assert_ok(rg_flag_set("ps_join_seconds", "1"));
    empty_start(&e, 2);
    rg_rpc_client *second = come(&e, 1);
    assert_fails(ask(second, RG_PS_SCHEMA, NULL), RG_ETIMEOUT, "trainer 0 to send the program");
    rg_rpc_client_close(second);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_ETIMEOUT);
    assert_ok(rg_flag_set("ps_join_seconds", "600"));
}

static void trainer_0_leaves_without_sending_it(void **state)
{
    empty e;
    (void)state;
    empty_start(&e, 2);
    rg_rpc_client *first = come(&e, 0), *second = come(&e, 1);
    rg_rpc_call *schema = begin(second, RG_PS_SCHEMA, NULL);
    assert_ok(ask(first, RG_PS_LEAVE, NULL));
    assert_fails(rg_rpc_wait(schema), RG_ECLOSED, "has left without sending the program");
    rg_rpc_call_close(schema);
    rg_rpc_client_close(first);
    rg_rpc_client_close(second);
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_ECLOSED);
}

/* ---- stopping ---- */

static atomic_bool stopped;

static rg_status look(void)
{
    return stopped ? rg_fail(RG_ECLOSED, "stopped by a signal") : RG_OK;
}

static void to_be_stopped_while_idle_is_no_failure(void **state)
{
    empty e;
    (void)state;
    rg_set_interrupted(look);
    empty_start(&e, 1);
    stopped = true;
    empty_end(&e);
    assert_int_equal(e.s.outcome, RG_OK);
    stopped = false;
    rg_set_interrupted(NULL);
}

static void servers_of_a_process_fail_together(void **state)
{
    rg_serve_group group;
    empty one, two;
    (void)state;
    rg_serve_group_init(&group);
    empty_start_in(&one, 1, &group);
    empty_start_in(&two, 2, &group);
    rg_rpc_client *at_one = come(&one, 0), *at_two = come(&two, 1);
    rg_rpc_call *schema = begin(at_two, RG_PS_SCHEMA, NULL);
    assert_ok(ask(at_one, RG_PS_LEAVE, NULL)); /* a good end: the other goes on */
    rg_rpc_client_close(at_one);
    assert_waits(at_two, "trainer 0 to send");
    rg_serve_group_fail(&group, RG_EIO, "the third has failed");
    assert_fails(rg_rpc_wait(schema), RG_EIO, "the third has failed");
    rg_rpc_call_close(schema);
    rg_rpc_client_close(at_two);
    empty_end(&one);
    empty_end(&two);
    assert_int_equal(two.s.outcome, RG_EIO);
    assert_non_null(strstr(two.s.why, "the third has failed"));
    rg_serve_group_fini(&group);
}

static void trainer_0_joins_and_sends_all_programs(void **state)
{
    empty one, two;
    rg_job *job;
    (void)state;
    assert_ok(rg_job_open(&job));
    empty_start(&one, 1);
    empty_start(&two, 1);
    rg_job_load loads[] = {{two.s.endpoint, two.startup, two.s.program},
                           {one.s.endpoint, one.startup, one.s.program}};
    assert_ok(rg_job_join_with(job, loads, 2, 0, 1));
    assert_true(rg_job_is_joined(job));
    assert_int_equal(job->servers[0].schema.n, N_VARS);
    assert_int_equal(job->servers[1].schema.n, N_VARS);
    assert_fails(rg_job_join_with(job, loads, 2, 0, 1), RG_EINVAL, "takes part in a job already");
    assert_ok(rg_job_leave(job));
    rg_job_close(job);
    empty_end(&one);
    empty_end(&two);
    assert_int_equal(one.s.outcome, RG_OK);
    assert_int_equal(two.s.outcome, RG_OK);
}

static void servers_have_one_order_however_they_are_named(void **state)
{
    server a, b;
    rg_job *job;
    (void)state;
    assert_ok(rg_job_open(&job));
    server_start(&a, RG_UPDATE_SYNC, 1);
    server_start(&b, RG_UPDATE_SYNC, 1);
    for (int turn = 0; turn < 2; turn++) {
        const char *endpoints[] = {turn ? a.endpoint : b.endpoint, turn ? b.endpoint : a.endpoint};
        if (turn == 1) {
            server_end_well(&a);
            server_end_well(&b);
            server_start(&a, RG_UPDATE_SYNC, 1);
            server_start(&b, RG_UPDATE_SYNC, 1);
        }
        assert_ok(rg_job_join(job, endpoints, 2, 0, 1));
        assert_true(strcmp(rg_rpc_client_endpoint(job->servers[0].client),
                           rg_rpc_client_endpoint(job->servers[1].client)) < 0);
        assert_ok(rg_job_leave(job));
    }
    rg_job_close(job);
    server_end_well(&a);
    server_end_well(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_before_the_program_waits_for_it),
        cmocka_unit_test(a_program_is_taken_once_and_from_trainer_0),
        cmocka_unit_test(the_number_of_trainers_must_be_that_of_the_program),
        cmocka_unit_test(programs_that_reach_outside_are_refused),
        cmocka_unit_test(bodies_that_are_no_programs_are_refused),
        cmocka_unit_test(nobody_sends_the_program),
        cmocka_unit_test(trainer_0_leaves_without_sending_it),
        cmocka_unit_test(to_be_stopped_while_idle_is_no_failure),
        cmocka_unit_test(servers_of_a_process_fail_together),
        cmocka_unit_test(trainer_0_joins_and_sends_all_programs),
        cmocka_unit_test(servers_have_one_order_however_they_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
