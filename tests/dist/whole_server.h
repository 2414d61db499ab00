/* whole_server.h - a parameter server in this process, on a thread of its own. */
#ifndef RG_TESTS_WHOLE_SERVER_H
#define RG_TESTS_WHOLE_SERVER_H

#include "check.h"

#include "dist/serve.h"
#include "ir/program.h"
#include "sys/flags.h"
#include "sys/host.h"

#include <pthread.h>
#include <stdlib.h>

/* w is [2, 3] and moves by SGD with rate 1; rows of the table, [10, 2], start as 1. */
enum { W, TABLE, N_VARS, ROWS = 10, WIDTH = 2, SIZE = 6 };

/* The modes by number. */
typedef enum rg_update_mode {
    RG_UPDATE_SYNC,
    RG_UPDATE_ASYNC,
    RG_UPDATE_HALF_ASYNC,
    RG_UPDATE_GEO,
} rg_update_mode;

typedef struct server {
    rg_program *program;
    rg_opdesc *listen;
    rg_scope *scope;
    char endpoint[64];
    pthread_t thread;
    rg_status outcome;
    char why[1024];
} server;

/* ---- a server's program ---- */

static inline void add_var(server *s, const char *name, rg_shape shape)
{
    rg_vardesc *var;
    assert_ok(rg_block_add_var(s->program->blocks[0], name, &var));
    var->meta.shape = shape;
    var->persistable = true;
    var->has_tensor = true;
}

static inline void set_value(server *s, const char *name, rg_shape shape, float x)
{
    rg_value *value;
    assert_ok(rg_scope_var(s->scope, name, &value));
    assert_ok(rg_value_resize(value, RG_F32, &shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = x;
}

static inline void add_sgd(server *s, const char *param, const char *grad)
{
    rg_block *block;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(s->program, 0, &block));
    assert_ok(rg_block_append_op(block, "sgd", &op));
    assert_ok(rg_opdesc_set_in(op, "Param", 1, &param));
    assert_ok(rg_opdesc_set_in(op, "Grad", 1, &grad));
    assert_ok(rg_opdesc_set_in(op, "LearningRate", 1, (const char *const[]){"rate"}));
    assert_ok(rg_opdesc_set_out(op, "ParamOut", 1, &param));
}

/* The block of the table's initialiser. */
static inline void add_start(server *s)
{
    rg_block *block;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(s->program, 0, &block));
    assert_ok(rg_block_append_op(block, "fill_constant", &op));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, (const char *const[]){"table"}));
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = 1.0f}));
}

static inline void set_strings(rg_opdesc *op, const char *name, int n, const char *const *strings)
{
    assert_ok(rg_opdesc_set_attr(
        op, &(rg_attr){.name = name, .type = RG_ATTR_STRINGS, .n = n, .strings = strings}));
}

static inline void set_int(rg_opdesc *op, const char *name, int value)
{
    assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = name, .type = RG_ATTR_INT, .i = value}));
}

static inline void make_program(server *s, rg_update_mode mode, int trainers)
{
    static const char *const blocks[] = {"w@GRAD:1", "table@GRAD:2"},
                             *const sparse[] = {"table@GRAD:table"}, *const tables[] = {"table"},
                             *const deltas[] = {"w.delta:1", "table.delta:2"},
                             *const geo_sparse[] = {"table.delta:table"};
    bool geo = mode == RG_UPDATE_GEO;
    assert_ok(rg_program_open(&s->program));
    add_var(s, "w", RG_SHAPE(2, 3));
    add_var(s, "w@GRAD", RG_SHAPE(2, 3));
    add_var(s, "table", RG_SHAPE(ROWS, WIDTH));
    add_var(s, "table@GRAD", RG_SHAPE(ROWS, WIDTH));
    add_var(s, "rate", RG_SHAPE(1));
    add_sgd(s, "w", "w@GRAD");
    add_sgd(s, "table", "table@GRAD");
    add_start(s);
    assert_ok(rg_block_append_op(s->program->blocks[0], "listen_and_serv", &s->listen));
    assert_ok(rg_opdesc_set_attr(
        s->listen, &(rg_attr){.name = "endpoint", .type = RG_ATTR_STRING, .s = s->endpoint}));
    set_int(s->listen, "Fanin", trainers);
    set_int(s->listen, "pserver_id", 0);
    set_int(s->listen, "distributed_mode", (int)mode);
    set_int(s->listen, "table_init_block_id", 3);
    set_strings(s->listen, "grad_to_block_id", 2, geo ? deltas : blocks);
    set_strings(s->listen, "sparse_grad_to_param", 1, geo ? geo_sparse : sparse);
    set_strings(s->listen, "tables", 1, tables);
}

/* ---- its life ---- */

static inline void *serve(void *arg)
{
    server *s = arg;
    s->outcome = rg_serve(s->listen, s->scope);
    (void)snprintf(s->why, sizeof s->why, "%s", s->outcome ? rg_error_message() : "");
    return NULL;
}

/* As many as the environment says: all tests of servers are run with one, and with four while they
 * are watched. */
static inline void server_loops(void)
{
    const char *loops = getenv("FLAGS_ps_loops");
    const char *watch = getenv("FLAGS_watch_dir"); /* where a server is seen, all of it works too */
    assert_ok(rg_flag_set("ps_loops", loops ? loops : "1"));
    assert_ok(rg_flag_set("watch_dir", watch ? watch : ""));
    assert_ok(rg_flag_set("watch_seconds", "0.05"));
}

/* All but the thread: until then the scope is the test's. */
static inline void server_prepare(server *s, rg_update_mode mode, int trainers, const char *host)
{
    int port;
    *s = (server){0};
    server_loops();
    assert_ok(rg_port_find(host, &port));
    (void)snprintf(s->endpoint, sizeof s->endpoint, "%s:%d", host, port);
    make_program(s, mode, trainers);
    assert_ok(rg_scope_new(&s->scope, NULL));
    set_value(s, "w", RG_SHAPE(2, 3), 0);
    set_value(s, "rate", RG_SHAPE(1), 1);
}

/* Clients may come at once: they wait for it to listen. */
static inline void server_start_at(server *s, rg_update_mode mode, int trainers, const char *host)
{
    server_prepare(s, mode, trainers, host);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static inline void server_start(server *s, rg_update_mode mode, int trainers)
{
    server_start_at(s, mode, trainers, "127.0.0.1");
}

/* Waits for its end; `outcome` and `why` stay. */
static inline void server_end(server *s)
{
    assert_int_equal(pthread_join(s->thread, NULL), 0);
    rg_scope_release(s->scope);
    rg_program_close(s->program);
}

/* The same, where all went well. */
static inline void server_end_well(server *s)
{
    server_end(s);
    if (s->outcome != RG_OK)
        fail_msg("the server ended with: %s", s->why);
}

#endif
