/* test_shards.c - a server with several loops does what one with one loop does: to the bit in sync
 * mode, each push once in async, also where it comes twice. */
#include "check.h"

#include "base/mem.h"
#include "dist/protocol.h"
#include "dist/serve.h"
#include "ir/program.h"
#include "rpc/client.h"
#include "sys/flags.h"
#include "sys/host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYNC, ASYNC };
enum { DENSE = 5, TABLE = DENSE, VARS, TRAINERS = 3, STEPS = 6 };
enum { SIDE = 7, HEIGHT = 500, WIDTH = 3, ROWS = 120 };

typedef struct job {
    rg_program *program;
    rg_scope *scope;
    rg_opdesc *listen;
    char endpoint[64];
    pthread_t server;
    rg_status outcome;
    bool twice; /* every push is sent a second time, under another id */
    const char *optimizer;
} job;

/* ---- the server ---- */

static void add_var(job *j, const char *name, rg_shape shape, bool has_value, float x)
{
    rg_vardesc *var;
    rg_value *value;
    assert_ok(rg_block_add_var(j->program->blocks[0], name, &var));
    var->meta.shape = shape;
    var->persistable = var->has_tensor = true;
    if (!has_value)
        return;
    assert_ok(rg_scope_var(j->scope, name, &value));
    assert_ok(rg_value_resize(value, RG_F32, &shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = x;
}

static void set(rg_opdesc *op, rg_attr attr)
{
    assert_ok(rg_opdesc_set_attr(op, &attr));
}

/* A variable under Adam, or under SGD, which leaves out what Adam has more. */
static void add_updated(job *j, const char *name, rg_shape shape, bool is_table)
{
    static const char *const in[] = {"Param",   "Grad",     "LearningRate", "Moment1",
                                     "Moment2", "Beta1Pow", "Beta2Pow"},
                             *const out[] = {"ParamOut",   NULL,         NULL,
                                             "Moment1Out", "Moment2Out", "Beta1PowOut",
                                             "Beta2PowOut"},
                             *const end[] = {"", "@GRAD", "", "_m1", "_m2", "_b1", "_b2"};
    bool adam = strcmp(j->optimizer, "adam") == 0;
    rg_block *block;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(j->program, 0, &block));
    assert_ok(rg_block_append_op(block, j->optimizer, &op));
    for (int i = 0; i < (adam ? 7 : 3); i++) {
        char text[32];
        const char *const names[] = {text};
        bool number = i > 4;
        (void)snprintf(text, sizeof text, "%s%s", i == 2 ? "rate" : name, end[i]);
        if (i != 2)
            add_var(j, text, number ? RG_SHAPE(1) : shape, i != 1 && (number || !is_table),
                    i == 5   ? 0.9f
                    : i == 6 ? 0.999f
                             : 0);
        assert_ok(rg_opdesc_set_in(op, in[i], 1, names));
        if (out[i] != NULL)
            assert_ok(rg_opdesc_set_out(op, out[i], 1, names));
    }
}

static void add_starts(job *j)
{
    static const char *const names[] = {"table", "table_m1", "table_m2"};
    rg_block *block;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(j->program, 0, &block));
    for (int i = 0; i < (strcmp(j->optimizer, "adam") == 0 ? 3 : 1); i++) {
        assert_ok(rg_block_append_op(block, "fill_constant", &op));
        assert_ok(rg_opdesc_set_out(op, "Out", 1, &names[i]));
        set(op, (rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = i == 0 ? 0.5f : 0});
    }
}

static void *serve(void *arg)
{
    job *j = arg;
    j->outcome = rg_serve(j->listen, j->scope);
    return NULL;
}

static void start(job *j, int mode, int loops)
{
    static const char *const sparse[] = {"table@GRAD:table"}, *const tables[] = {"table"};
    char pairs[VARS][32], text[16];
    const char *blocks[VARS];
    int port;
    (void)snprintf(text, sizeof text, "%d", loops);
    assert_ok(rg_flag_set("ps_loops", text));
    assert_ok(rg_port_find("127.0.0.1", &port));
    (void)snprintf(j->endpoint, sizeof j->endpoint, "127.0.0.1:%d", port);
    assert_ok(rg_program_open(&j->program));
    assert_ok(rg_scope_new(&j->scope, NULL));
    add_var(j, "rate", RG_SHAPE(1), true, mode == ASYNC ? 1 : 0.01f);
    for (int i = 0; i < VARS; i++) {
        (void)snprintf(text, sizeof text, i == TABLE ? "table" : "w%d", i);
        add_updated(j, text, i == TABLE ? RG_SHAPE(HEIGHT, WIDTH) : RG_SHAPE(SIDE + i, SIDE),
                    i == TABLE);
        (void)snprintf(pairs[i], sizeof pairs[i], "%s@GRAD:%d", text, i + 1);
        blocks[i] = pairs[i];
    }
    add_starts(j);
    assert_ok(rg_block_append_op(j->program->blocks[0], "listen_and_serv", &j->listen));
    set(j->listen, (rg_attr){.name = "endpoint", .type = RG_ATTR_STRING, .s = j->endpoint});
    set(j->listen, (rg_attr){.name = "Fanin", .type = RG_ATTR_INT, .i = TRAINERS});
    set(j->listen, (rg_attr){.name = "pserver_id", .type = RG_ATTR_INT, .i = 0});
    set(j->listen, (rg_attr){.name = "distributed_mode", .type = RG_ATTR_INT, .i = mode});
    set(j->listen, (rg_attr){.name = "table_init_block_id", .type = RG_ATTR_INT, .i = VARS + 1});
    set(j->listen,
        (rg_attr){
            .name = "grad_to_block_id", .type = RG_ATTR_STRINGS, .n = VARS, .strings = blocks});
    set(j->listen,
        (rg_attr){
            .name = "sparse_grad_to_param", .type = RG_ATTR_STRINGS, .n = 1, .strings = sparse});
    set(j->listen, (rg_attr){.name = "tables", .type = RG_ATTR_STRINGS, .n = 1, .strings = tables});
    assert_int_equal(pthread_create(&j->server, NULL, serve, j), 0);
}

static rg_rpc_client *come(const job *j, rg_rpc_role role, int number)
{
    rg_rpc_client_config config = {
        .me = {.role = role, .trainer = number, .name = "someone", .host = "here"},
        .deadline_ms = 60000};
    rg_rpc_client *client;
    assert_ok(rg_rpc_client_open(&client, j->endpoint, &config));
    assert_ok(rg_rpc_client_ready(client, NULL));
    return client;
}

/* ---- trainers ---- */

static uint32_t draw(uint64_t *chance)
{
    *chance = *chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*chance >> 33);
}

/* Small whole numbers, so that in async, with rate 1, their sum is exact in any order. Ids come as
 * they like, and some of them twice. */
static void write_push(rg_buf *body, uint64_t step, uint64_t *chance)
{
    uint32_t vars[DENSE], table = TABLE, rows = ROWS;
    for (uint32_t i = 0; i < DENSE; i++)
        vars[i] = i;
    rg_buf_init(body, 0);
    rg_push_write_head(body, step, vars, DENSE, &table, &rows, 1, vars, DENSE);
    for (int i = 0; i < DENSE; i++) {
        int n = (SIDE + i) * SIDE;
        for (int k = 0; k < n + n % 2; k++) /* padded */
            rg_buf_add(body, &(float){k < n ? (float)(draw(chance) % 9) - 4 : 0}, sizeof(float));
    }
    for (int i = 0; i < ROWS; i++)
        rg_buf_u64(body, draw(chance) % HEIGHT);
    for (int i = 0; i < ROWS * WIDTH; i++)
        rg_buf_add(body, &(float){(float)(draw(chance) % 9) - 4}, sizeof(float));
    assert_ok(rg_buf_status(body));
}

typedef struct trainer {
    job *job;
    int number;
    pthread_t thread;
} trainer;

static void *train(void *arg)
{
    const trainer *t = arg;
    rg_rpc_client *client = come(t->job, RG_RPC_TRAINER, t->number);
    uint64_t chance = (uint64_t)t->number * 77 + 1;
    for (uint64_t step = 0; step < STEPS; step++) {
        rg_buf body;
        write_push(&body, step, &chance);
        for (int time = 0; time < (t->job->twice ? 2 : 1); time++)
            assert_ok(
                rg_rpc_ask_once(client, RG_PS_PUSH, &(rg_iov){body.data, body.len}, 1, NULL, NULL));
        rg_buf_fini(&body);
    }
    assert_ok(rg_rpc_ask_once(client, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    rg_rpc_client_close(client);
    return NULL;
}

/* Everything that the server has in the end, one after the other; a tool reads it. */
static void read_all(const job *j, rg_buf *out)
{
    static const char *const more[] = {"table", "table_m1", "table_m2", "table_b1", "w3_m2"};
    rg_rpc_client *tool = come(j, RG_RPC_TOOL, RG_RPC_ANY_TRAINER);
    uint32_t vars[DENSE] = {0, 1, 2, 3, 4};
    uint8_t *reply;
    size_t n;
    rg_buf_init(out, 0);
    assert_ok(rg_rpc_ask_once(tool, RG_PS_PULL, &(rg_iov){vars, sizeof vars}, 1, &reply, &n));
    rg_buf_add(out, reply, n);
    rg_free(reply);
    for (int i = 0; i < (strcmp(j->optimizer, "adam") == 0 ? 5 : 1); i++) {
        rg_buf body;
        rg_buf_init(&body, 0);
        rg_ps_put_text(&body, more[i]);
        rg_buf_u64(&body, 0);
        rg_buf_u64(&body, UINT64_MAX);
        assert_ok(rg_rpc_ask_once(tool, RG_PS_GET, &(rg_iov){body.data, body.len}, 1, &reply, &n));
        rg_buf_add(out, reply, n);
        rg_free(reply);
        rg_buf_fini(&body);
    }
    rg_rpc_client_close(tool);
}

static void run(const char *optimizer, int mode, int loops, bool twice, rg_buf *out)
{
    job j = {.optimizer = optimizer, .twice = twice};
    trainer trainers[TRAINERS];
    start(&j, mode, loops);
    /* One more trainer than train would end the job early; the last leaves when all is read. */
    for (int t = 1; t < TRAINERS; t++) {
        trainers[t] = (trainer){.job = &j, .number = t};
        assert_int_equal(pthread_create(&trainers[t].thread, NULL, train, &trainers[t]), 0);
    }
    rg_rpc_client *first = come(&j, RG_RPC_TRAINER, 0);
    uint64_t chance = 1;
    for (uint64_t step = 0; step < STEPS; step++) {
        rg_buf body;
        write_push(&body, step, &chance);
        assert_ok(
            rg_rpc_ask_once(first, RG_PS_PUSH, &(rg_iov){body.data, body.len}, 1, NULL, NULL));
        rg_buf_fini(&body);
    }
    for (int t = 1; t < TRAINERS; t++)
        assert_int_equal(pthread_join(trainers[t].thread, NULL), 0);
    read_all(&j, out);
    assert_ok(rg_rpc_ask_once(first, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    rg_rpc_client_close(first);
    assert_int_equal(pthread_join(j.server, NULL), 0);
    assert_int_equal(j.outcome, RG_OK);
    rg_scope_release(j.scope);
    rg_program_close(j.program);
}

static void expect_same(const char *optimizer, int mode, bool twice, const rg_buf *wanted)
{
    static const int loops[] = {2, 3, 7};
    for (int i = 0; i < 3; i++) {
        rg_buf got;
        run(optimizer, mode, loops[i], twice, &got);
        assert_int_equal(got.len, wanted->len);
        assert_memory_equal(got.data, wanted->data, wanted->len);
        rg_buf_fini(&got);
    }
}

/* ---- tests ---- */

static void steps_are_equal_to_the_bit(void **state)
{
    static const char *const optimizers[] = {"sgd", "adam"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        rg_buf one;
        run(optimizers[i], SYNC, 1, false, &one);
        expect_same(optimizers[i], SYNC, false, &one);
        rg_buf_fini(&one);
    }
}

static void a_push_is_applied_once_in_every_shard(void **state)
{
    rg_buf one;
    (void)state;
    run("sgd", ASYNC, 1, false, &one);
    expect_same("sgd", ASYNC, false, &one);
    expect_same("sgd", ASYNC, true, &one);
    rg_buf_fini(&one);
}

static void more_loops_than_there_can_be_are_refused(void **state)
{
    job j = {.optimizer = "sgd"};
    (void)state;
    start(&j, SYNC, 65);
    assert_int_equal(pthread_join(j.server, NULL), 0);
    assert_int_equal(j.outcome, RG_EINVAL);
    rg_scope_release(j.scope);
    rg_program_close(j.program);
}

RUN(cmocka_unit_test(steps_are_equal_to_the_bit),
    cmocka_unit_test(a_push_is_applied_once_in_every_shard),
    cmocka_unit_test(more_loops_than_there_can_be_are_refused))
