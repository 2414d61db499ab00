/* serve_loops.c - how many pushes a second one server takes, with 1 loop and with several.
 *
 *     serve_loops [LOOPS [WORKERS [SECONDS [MODE]]]]      (4 8 2 async)
 *
 * The server and each worker are processes of their own. A push has ROWS rows of a table and DENSE
 * dense variables, all under Adam; workers send prepared bytes and wait for each answer, so that
 * the server is what there is to wait for. Rounds with 1 and with LOOPS loops alternate; printed
 * are the best of each, their ratio, and what a push costs the server in CPU. */
#include "base/mem.h"
#include "dist/protocol.h"
#include "dist/serve.h"
#include "ir/program.h"
#include "rpc/client.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/host.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DENSE = 4, SIDE = 100, ROWS = 8000, WIDTH = 8, HEIGHT = 1 << 20, ROUNDS = 3, BODIES = 4 };
enum { TABLE = DENSE };

typedef struct shared {
    _Atomic long pushes[256];
    atomic_bool stop;
} shared;

static shared *all;
static char endpoint[64];

static void check(rg_status code)
{
    if (code == RG_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", rg_status_name(code), rg_error_message());
    exit(1);
}

/* ---- the server ---- */

static void add_var(rg_program *program, rg_scope *scope, const char *name, rg_shape shape, float x)
{
    rg_vardesc *var;
    rg_value *value;
    check(rg_block_add_var(program->blocks[0], name, &var));
    var->meta.shape = shape;
    var->persistable = var->has_tensor = true;
    if (scope == NULL)
        return; /* a table's, or a gradient */
    check(rg_scope_var(scope, name, &value));
    check(rg_value_resize(value, RG_F32, &shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = x;
}

static void set(rg_opdesc *op, rg_attr attr)
{
    check(rg_opdesc_set_attr(op, &attr));
}

static char *name_of(const char *base, const char *end)
{
    char *name = rg_alloc(strlen(base) + strlen(end) + 1);
    (void)sprintf(name, "%s%s", base, end);
    return name;
}

/* A block with Adam for a variable, and what Adam keeps. */
static void add_adam(rg_program *program, rg_scope *scope, const char *name, rg_shape shape,
                     bool is_table)
{
    static const char *const slots[] = {"Param",   "Grad",     "LearningRate", "Moment1",
                                        "Moment2", "Beta1Pow", "Beta2Pow"},
                             *const outs[] = {"ParamOut",   NULL,         NULL,
                                              "Moment1Out", "Moment2Out", "Beta1PowOut",
                                              "Beta2PowOut"};
    const char *names[] = {name,
                           name_of(name, "@GRAD"),
                           "rate",
                           name_of(name, "_moment1"),
                           name_of(name, "_moment2"),
                           name_of(name, "_beta1_pow"),
                           name_of(name, "_beta2_pow")};
    rg_block *block;
    rg_opdesc *op;
    add_var(program, is_table ? NULL : scope, names[0], shape, 0);
    add_var(program, NULL, names[1], shape, 0);
    add_var(program, is_table ? NULL : scope, names[3], shape, 0);
    add_var(program, is_table ? NULL : scope, names[4], shape, 0);
    add_var(program, scope, names[5], RG_SHAPE(1), 0.9f);
    add_var(program, scope, names[6], RG_SHAPE(1), 0.999f);
    check(rg_program_add_block(program, 0, &block));
    check(rg_block_append_op(block, "adam", &op));
    for (int i = 0; i < 7; i++) {
        check(rg_opdesc_set_in(op, slots[i], 1, &names[i]));
        if (outs[i] != NULL)
            check(rg_opdesc_set_out(op, outs[i], 1, &names[i]));
    }
}

static void add_start(rg_program *program)
{
    static const char *const names[] = {"table", "table_moment1", "table_moment2"};
    rg_block *block;
    rg_opdesc *op;
    check(rg_program_add_block(program, 0, &block));
    for (int i = 0; i < 3; i++) {
        check(rg_block_append_op(block, "fill_constant", &op));
        check(rg_opdesc_set_out(op, "Out", 1, &names[i]));
        set(op, (rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = 0});
    }
}

static void serve(int loops, int workers, int mode)
{
    static const char *const sparse[] = {"table@GRAD:table"}, *const tables[] = {"table"};
    static char pairs[DENSE + 1][64], dense[DENSE][32], text[16];
    const char *blocks[DENSE + 1];
    rg_program *program;
    rg_scope *scope;
    rg_opdesc *listen;
    (void)snprintf(text, sizeof text, "%d", loops);
    check(rg_flag_set("ps_loops", text));
    check(rg_flag_set("ps_log_seconds", "0"));
    check(rg_program_open(&program));
    check(rg_scope_new(&scope, NULL));
    add_var(program, scope, "rate", RG_SHAPE(1), 0.001f);
    for (int i = 0; i < DENSE; i++) {
        (void)snprintf(dense[i], sizeof dense[i], "w%d", i);
        (void)snprintf(pairs[i], sizeof pairs[i], "w%d@GRAD:%d", i, i + 1);
        add_adam(program, scope, dense[i], RG_SHAPE(SIDE, SIDE), false);
        blocks[i] = pairs[i];
    }
    (void)snprintf(pairs[DENSE], sizeof pairs[DENSE], "table@GRAD:%d", DENSE + 1);
    blocks[DENSE] = pairs[DENSE];
    add_adam(program, scope, "table", RG_SHAPE(HEIGHT, WIDTH), true);
    add_start(program);
    check(rg_block_append_op(program->blocks[0], "listen_and_serv", &listen));
    set(listen, (rg_attr){.name = "endpoint", .type = RG_ATTR_STRING, .s = endpoint});
    set(listen, (rg_attr){.name = "Fanin", .type = RG_ATTR_INT, .i = workers});
    set(listen, (rg_attr){.name = "pserver_id", .type = RG_ATTR_INT, .i = 0});
    set(listen, (rg_attr){.name = "distributed_mode", .type = RG_ATTR_INT, .i = mode});
    set(listen, (rg_attr){.name = "table_init_block_id", .type = RG_ATTR_INT, .i = DENSE + 2});
    set(listen, (rg_attr){.name = "grad_to_block_id",
                          .type = RG_ATTR_STRINGS,
                          .n = DENSE + 1,
                          .strings = blocks});
    set(listen,
        (rg_attr){
            .name = "sparse_grad_to_param", .type = RG_ATTR_STRINGS, .n = 1, .strings = sparse});
    set(listen, (rg_attr){.name = "tables", .type = RG_ATTR_STRINGS, .n = 1, .strings = tables});
    check(freopen("/dev/null", "w", stdout) ? RG_OK : RG_EIO);
    check(rg_serve(listen, scope));
    exit(0);
}

/* ---- a worker ---- */

static void write_body(rg_buf *body, uint64_t *chance)
{
    uint32_t vars[DENSE], table = TABLE, rows = ROWS;
    int64_t id = 0;
    for (uint32_t i = 0; i < DENSE; i++)
        vars[i] = i;
    rg_buf_init(body, 0);
    rg_push_write_head(body, 0, vars, DENSE, &table, &rows, 1, vars, DENSE);
    size_t start = body->len, bytes = (size_t)(DENSE * SIDE * SIDE) * sizeof(float);
    rg_buf_room(body, bytes);
    for (int i = 0; i < ROWS; i++) { /* growing, all over the table */
        *chance = *chance * 6364136223846793005u + 1442695040888963407u;
        id += 1 + (int64_t)(*chance >> 33) % (2 * HEIGHT / ROWS - 1);
        rg_buf_u64(body, (uint64_t)(id < HEIGHT ? id : HEIGHT - 1));
    }
    size_t values = body->len;
    rg_buf_room(body, (size_t)(ROWS * WIDTH) * sizeof(float));
    check(rg_buf_status(body));
    float *at = (float *)(void *)(body->data + start);
    for (int i = 0; i < DENSE * SIDE * SIDE; i++)
        at[i] = 0.01f;
    at = (float *)(void *)(body->data + values);
    for (int i = 0; i < ROWS * WIDTH; i++)
        at[i] = 0.01f;
}

static void push_on(int number)
{
    rg_rpc_client_config config = {
        .me = {.role = RG_RPC_TRAINER, .trainer = number, .name = "worker", .host = "here"},
        .deadline_ms = 60000};
    rg_rpc_client *client;
    rg_buf bodies[BODIES];
    uint64_t chance = (uint64_t)number + 1;
    for (int i = 0; i < BODIES; i++)
        write_body(&bodies[i], &chance);
    check(rg_rpc_client_open(&client, endpoint, &config));
    check(rg_rpc_client_ready(client, NULL));
    for (uint64_t step = 0; !atomic_load(&all->stop); step++) {
        rg_buf *body = &bodies[step % BODIES];
        memcpy(body->data, &step, sizeof step);
        rg_status code = rg_rpc_ask_once(client, RG_PS_PUSH, &(rg_iov){body->data, body->len}, 1,
                                         NULL, NULL);
        if (code != RG_OK && atomic_load(&all->stop))
            break;
        check(code);
        (void)atomic_fetch_add(&all->pushes[number], 1);
    }
    check(rg_rpc_ask_once(client, RG_PS_LEAVE, NULL, 0, NULL, NULL));
    rg_rpc_client_close(client);
    exit(0);
}

/* ---- a round ---- */

static long count(int workers)
{
    long n = 0;
    for (int i = 0; i < workers; i++)
        n += atomic_load(&all->pushes[i]);
    return n;
}

static void nap(double seconds)
{
    (void)usleep((useconds_t)(seconds * 1e6));
}

/* Pushes a second; *cpu gets the server's microseconds for each. */
static double run(int loops, int workers, double seconds, int mode, double *cpu)
{
    pid_t server, worker;
    int port, status = 0;
    struct rusage used;
    memset((void *)all, 0, sizeof *all);
    check(rg_port_find("127.0.0.1", &port));
    (void)snprintf(endpoint, sizeof endpoint, "127.0.0.1:%d", port);
    if ((server = fork()) == 0)
        serve(loops, workers, mode);
    for (int i = 0; i < workers; i++)
        if ((worker = fork()) == 0)
            push_on(i);
    while (count(workers) < 4 * workers) /* all have come, and most rows are there */
        nap(0.01);
    nap(seconds / 4);
    uint64_t began = rg_clock_ns();
    long before = count(workers);
    nap(seconds);
    long pushes = count(workers) - before;
    double rate = (double)pushes / ((double)(rg_clock_ns() - began) * 1e-9);
    atomic_store(&all->stop, true);
    for (pid_t done; (done = wait4(-1, &status, 0, &used)) > 0;) {
        if (done == server)
            *cpu = ((double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec) * 1e6 +
                   (double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec;
        if (status != 0)
            exit(1);
    }
    *cpu /= (double)count(workers);
    return rate;
}

int main(int argc, char **argv)
{
    int loops = argc > 1 ? atoi(argv[1]) : 4, workers = argc > 2 ? atoi(argv[2]) : 8;
    double seconds = argc > 3 ? atof(argv[3]) : 2, best[2] = {0}, cpu[2] = {0};
    int mode = argc > 4 && strcmp(argv[4], "sync") == 0 ? 0 : 1;
    if (loops < 1 || workers < 1 || workers > 256 || seconds <= 0) {
        (void)fprintf(stderr, "usage: serve_loops [LOOPS [WORKERS [SECONDS [sync|async]]]]\n");
        return 2;
    }
    all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return 1;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++) {
            double each, rate = run(i == 0 ? 1 : loops, workers, seconds, mode, &each);
            if (rate > best[i]) {
                best[i] = rate;
                cpu[i] = each;
            }
        }
    (void)printf("%s, %d workers: 1 loop %.0f pushes/s (%.0f us of CPU each), %d loops %.0f (%.0f "
                 "us): %.2fx\n",
                 mode == 0 ? "sync" : "async", workers, best[0], cpu[0], loops, best[1], cpu[1],
                 best[1] / best[0]);
    return 0;
}
