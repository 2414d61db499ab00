/* Modes by number, and one that is a file of this folder: it transpiles and trains. */
#include "check.h"

#include "dist/exchange.h"
#include "dist/serve.h"
#include "exec/plan.h"
#include "ir/backward.h"
#include "sys/host.h"

static rg_job *job; /* this process's, of all tests */

enum { SIZE = 4, ASYNC = 1, HALF_ASYNC = 2, PAIRS = 9, STEPS = 20 };

static void modes_are_found_by_number(void **state)
{
    const rg_mode *mode;
    (void)state;
    for (int i = 0; rg_modes[i] != NULL; i++) {
        assert_ok(rg_mode_find(rg_modes[i]->programs.number, &mode));
        assert_ptr_equal(mode, rg_modes[i]);
    }
    assert_ok(rg_mode_find(PAIRS, &mode));
    assert_string_equal(mode->programs.name, "pairs");
    assert_fails(rg_mode_find(4, &mode), RG_EINVAL,
                 "distributed_mode 4 is no mode: there are 0 sync, 1 async, 2 half_async, 3 geo, "
                 "9 pairs");
}

/* ---- a job ---- */

static rg_vardesc *add_var(rg_program *program, const char *name, rg_shape shape, bool persistable)
{
    rg_vardesc *var;
    assert_ok(rg_block_add_var(program->blocks[0], name, &var));
    var->meta.shape = shape;
    var->persistable = persistable;
    var->has_tensor = true;
    return var;
}

static rg_opdesc *add_op(rg_program *program, const char *type, const char *x, const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(program->blocks[0], type, &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, &x));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    return op;
}

static void add_start(rg_program *startup, const char *name, rg_shape shape, float value)
{
    rg_opdesc *op;
    add_var(startup, name, shape, true);
    assert_ok(rg_block_append_op(startup->blocks[0], "fill_constant", &op));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &name));
    assert_ok(rg_edit_shape(op, &shape));
    assert_ok(rg_edit_float(op, "value", value));
    assert_ok(rg_opdesc_infer(op));
}

/* mean(x w): w moves by -1 a step, where x is 1 and the rate too. */
static void make_model(rg_program **main, rg_program **startup)
{
    rg_grad_pair pair;
    rg_opdesc *sgd;
    assert_ok(rg_program_open(main));
    assert_ok(rg_program_open(startup));
    rg_program *p = *main;
    add_var(p, "x", RG_SHAPE(-1, SIZE), false);
    rg_vardesc *w = add_var(p, "w", RG_SHAPE(SIZE, 1), true);
    w->is_parameter = w->trainable = true;
    add_var(p, "rate", RG_SHAPE(1), true);
    add_var(p, "xw", RG_SHAPE(-1, 1), false);
    add_var(p, "loss", RG_SHAPE(1), false);
    rg_opdesc *mul = add_op(p, "mul", "x", "xw");
    assert_ok(rg_opdesc_set_in(mul, "Y", 1, (const char *const[]){"w"}));
    assert_ok(rg_opdesc_infer(mul));
    assert_ok(rg_opdesc_infer(add_op(p, "mean", "xw", "loss")));
    assert_ok(rg_append_backward(p->blocks[0], "loss", (const char *const[]){"w"}, 1, &pair,
                                 &(rg_backward_options){0}));
    p->op_role = RG_ROLE_OPTIMIZE;
    assert_ok(rg_block_append_op(p->blocks[0], "sgd", &sgd));
    assert_ok(rg_opdesc_set_in(sgd, "Param", 1, (const char *const[]){"w"}));
    assert_ok(rg_opdesc_set_in(sgd, "Grad", 1, &pair.grad));
    assert_ok(rg_opdesc_set_in(sgd, "LearningRate", 1, (const char *const[]){"rate"}));
    assert_ok(rg_opdesc_set_out(sgd, "ParamOut", 1, (const char *const[]){"w"}));
    assert_ok(rg_opdesc_infer(sgd));
    add_start(*startup, "w", RG_SHAPE(SIZE, 1), 0);
    add_start(*startup, "rate", RG_SHAPE(1), 1);
}

static void run_once(const rg_program *program, rg_scope *scope)
{
    rg_plan *plan;
    assert_ok(rg_plan_open(&plan, program, scope, &(rg_plan_config){.job = job}));
    assert_ok(rg_plan_run(plan));
    rg_plan_close(plan);
}

typedef struct trial {
    char endpoint[64];
    rg_program *main, *startup, *server, *server_startup;
    rg_scope *scope, *server_scope;
    pthread_t thread;
    rg_status outcome;
} trial;

static void *serve(void *arg)
{
    trial *j = arg;
    const rg_block *block = j->server->blocks[0];
    j->outcome = rg_serve(block->ops[block->n_ops - 1], j->server_scope);
    return NULL;
}

/* `servers`: what their program says the mode is. */
static void start_job(trial *j, int mode, int servers, bool barrier)
{
    const char *endpoint = j->endpoint;
    const rg_mode *how;
    rg_transpiler *t;
    int port;
    assert_ok(rg_port_find("127.0.0.1", &port));
    (void)snprintf(j->endpoint, sizeof j->endpoint, "127.0.0.1:%d", port);
    assert_ok(rg_mode_find(mode, &how));
    make_model(&j->main, &j->startup);
    const rg_transpile_config config = {.mode = &how->programs,
                                        .trainers = 1,
                                        .endpoints = &endpoint,
                                        .n_endpoints = 1,
                                        .runtime_split = mode != HALF_ASYNC || barrier,
                                        .local_barrier = barrier,
                                        .min_block = RG_MIN_BLOCK};
    assert_ok(rg_transpiler_open(&t, j->main, j->startup, &config));
    assert_ok(rg_transpile_trainer(t, j->main, j->startup));
    assert_ok(rg_transpile_server(t, endpoint, &j->server));
    assert_ok(rg_transpile_server_startup(t, endpoint, NULL, &j->server_startup));
    rg_transpiler_close(t);
    const rg_block *block = j->server->blocks[0];
    assert_ok(rg_edit_int(block->ops[block->n_ops - 1], "distributed_mode", servers));
    assert_ok(rg_scope_new(&j->scope, NULL));
    assert_ok(rg_scope_new(&j->server_scope, NULL));
    run_once(j->server_startup, j->server_scope);
    assert_int_equal(pthread_create(&j->thread, NULL, serve, j), 0);
    run_once(j->startup, j->scope);
}

static void end_job(trial *j)
{
    assert_ok(rg_job_leave(job));
    assert_int_equal(pthread_join(j->thread, NULL), 0);
    assert_int_equal(j->outcome, RG_OK);
    rg_scope_release(j->scope);
    rg_scope_release(j->server_scope);
    rg_program_close(j->main);
    rg_program_close(j->startup);
    rg_program_close(j->server);
    rg_program_close(j->server_startup);
}

static float of_server(const trial *j)
{
    rg_value value;
    rg_value_init(&value);
    assert_ok(rg_job_get(job, j->endpoint, "w", &value));
    float x = *(const float *)value.data;
    rg_value_fini(&value);
    return x;
}

static rg_opdesc *find_op(const trial *j, const char *type)
{
    const rg_block *block = j->main->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++)
        if (strcmp(block->ops[i]->type, type) == 0)
            return block->ops[i];
    fail_msg("the program has no %s", type);
    return NULL;
}

/* A thread's plan, over an x of ones. */
static void open_step(const trial *j, rg_plan **plan, int thread)
{
    assert_ok(rg_plan_open(plan, j->main, j->scope,
                           &(rg_plan_config){.job = job,
                                             .feeds = (const char *const[]){"x"},
                                             .n_feeds = 1,
                                             .fetches = (const char *const[]){"loss"},
                                             .n_fetches = 1,
                                             .thread = thread}));
    rg_value *x = rg_plan_feed(*plan, 0);
    assert_ok(rg_value_resize(x, RG_F32, &RG_SHAPE(1, SIZE)));
    for (int i = 0; i < SIZE; i++)
        ((float *)x->data)[i] = 1;
    rg_plan_feed_changed(*plan, 0);
}

/* Steps 1 and 2 are one push, 3 and 4 the next; the fifth goes when the trainer leaves. */
static void a_mode_of_one_file_trains(void **state)
{
    static const float wanted[] = {0, -2, -2, -4, -4};
    rg_plan *plan;
    trial j;
    (void)state;
    start_job(&j, PAIRS, PAIRS, false);
    open_step(&j, &plan, 0);
    for (int step = 0; step < 5; step++) {
        assert_ok(rg_plan_run(plan));
        const float *loss = rg_plan_fetch(plan, 0)->data;
        assert_float_equal(*loss, step == 0 ? 0 : SIZE * wanted[step - 1], 1e-6);
        assert_float_equal(of_server(&j), wanted[step], 1e-6);
    }
    assert_string_equal(job->mode->programs.name, "pairs");
    rg_plan_close(plan);
    rg_scope *kept = rg_scope_retain(j.server_scope);
    end_job(&j);
    assert_float_equal(*(const float *)rg_scope_find(kept, "w")->data, -5, 1e-6);
    rg_scope_release(kept);
}

/* ---- threads of a trainer ---- */

typedef struct worker {
    pthread_t thread;
    rg_plan *plan;
    int steps;
    rg_status code;
} worker;

static void *run_steps(void *arg)
{
    worker *w = arg;
    for (int i = 0; i < w->steps && w->code == RG_OK; i++)
        w->code = rg_plan_run(w->plan);
    return NULL;
}

/* So many steps of two threads. */
static void run_two(const trial *j)
{
    worker workers[2] = {{.steps = STEPS}, {.steps = STEPS}};
    rg_job_follow(job, j->main);
    assert_ok(rg_exchange_threads(job, 2));
    for (int i = 0; i < 2; i++) {
        open_step(j, &workers[i].plan, i);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run_steps, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_int_equal(workers[i].code, RG_OK);
        rg_plan_close(workers[i].plan);
    }
    assert_ok(rg_exchange_flush(job));
}

/* What Paddle 1.8.5 writes for half_async: the servers' program says async, and the trainer's
 * barrier that its threads step together. Measured there: two threads with gradients 1 and 2 move
 * w by 1.5 in one step. */
static void threads_step_together_where_the_barrier_says_so(void **state)
{
    (void)state;
    for (int servers = ASYNC; servers <= HALF_ASYNC; servers++) {
        trial j;
        start_job(&j, HALF_ASYNC, servers, true);
        run_two(&j);
        assert_float_equal(of_server(&j), -STEPS, 1e-4);
        assert_true(job->mode->together);
        end_job(&j);
    }
}

/* And what it writes for async whose send and recv are given slices: mode 2, no barrier. */
static void threads_are_for_themselves_where_there_is_no_barrier(void **state)
{
    trial j;
    rg_plan *plan;
    (void)state;
    start_job(&j, HALF_ASYNC, HALF_ASYNC, false);
    run_two(&j);
    assert_float_equal(of_server(&j), -2 * STEPS, 1e-4);
    open_step(&j, &plan, 0);
    assert_ok(rg_plan_run(plan)); /* it waits: the parameters that it has are the servers' */
    assert_float_equal(*(const float *)rg_scope_find(j.scope, "w")->data, -2 * STEPS - 1, 1e-4);
    rg_plan_close(plan);
    end_job(&j);
}

static void a_barrier_of_all_trainers_needs_servers_that_wait(void **state)
{
    rg_plan *plan;
    trial j;
    (void)state;
    start_job(&j, HALF_ASYNC, HALF_ASYNC, true);
    assert_ok(rg_edit_bool(find_op(&j, "send_barrier"), "half_async", false));
    open_step(&j, &plan, 0);
    assert_fails(rg_plan_run(plan), RG_EINVAL, "half_async is false");
    rg_plan_close(plan);
    end_job(&j);
}

/* ---- attributes ---- */

static float own(const trial *j)
{
    return *(const float *)rg_scope_find(j->scope, "w")->data;
}

/* Where w is 7 on the server: what one step of async, whose answer brings nothing yet, has of it.
 */
static float after_one_step(const char *attr, int value)
{
    static const float sevens[SIZE] = {7, 7, 7, 7};
    rg_value w;
    rg_plan *plan;
    trial j;
    start_job(&j, ASYNC, ASYNC, false);
    rg_value_init(&w);
    assert_ok(rg_value_resize(&w, RG_F32, &RG_SHAPE(SIZE, 1)));
    memcpy(w.data, sevens, sizeof sevens);
    assert_ok(rg_job_set(job, &(rg_ps_change){1, 1}, j.endpoint, "w", &w));
    rg_value_fini(&w);
    if (strcmp(attr, "with_barrier") == 0)
        assert_ok(rg_edit_bool(find_op(&j, "recv"), attr, value != 0));
    else
        assert_ok(rg_edit_int(find_op(&j, "recv"), attr, value));
    open_step(&j, &plan, 0);
    assert_ok(rg_plan_run(plan));
    float got = own(&j);
    rg_plan_close(plan);
    end_job(&j);
    return got;
}

static void recv_without_a_barrier_asks_at_once(void **state)
{
    (void)state;
    assert_float_equal(after_one_step("with_barrier", 1), 0, 0);
    float got = after_one_step("with_barrier", 0); /* the push may have been applied */
    assert_true(got == 7 || got == 6);
    assert_float_equal(after_one_step("do_not_run", 1), 0, 0);
}

/* Outside of a step, as in a startup program, a recv that shall not run leaves all as it is. */
static void recv_that_shall_not_run_asks_for_nothing(void **state)
{
    rg_program *program;
    rg_scope *scope;
    rg_value *w;
    trial j;
    (void)state;
    start_job(&j, ASYNC, ASYNC, false);
    const char *endpoint = j.endpoint;
    for (int idle = 1; idle >= 0; idle--) {
        rg_opdesc *op;
        assert_ok(rg_program_open(&program));
        add_var(program, "w", RG_SHAPE(SIZE, 1), true);
        assert_ok(rg_block_append_op(program->blocks[0], "recv", &op));
        assert_ok(rg_opdesc_set_out(op, "Out", 1, (const char *const[]){"w"}));
        assert_ok(rg_edit_strings(op, "epmap", 1, &endpoint));
        assert_ok(rg_edit_int(op, "do_not_run", idle));
        assert_ok(rg_scope_new(&scope, NULL));
        assert_ok(rg_scope_var(scope, "w", &w));
        assert_ok(rg_value_resize(w, RG_F32, &RG_SHAPE(SIZE, 1)));
        *(float *)w->data = 5;
        run_once(program, scope);
        assert_float_equal(*(const float *)w->data, (idle ? 5.0f : 0.0f), 0);
        rg_scope_release(scope);
        rg_program_close(program);
    }
    end_job(&j);
}

static void gradients_are_not_merged_one_by_one(void **state)
{
    rg_plan *plan;
    trial j;
    (void)state;
    start_job(&j, ASYNC, ASYNC, false);
    assert_ok(rg_edit_bool(find_op(&j, "send"), "merge_add", true));
    open_step(&j, &plan, 0);
    assert_fails(rg_plan_run(plan), RG_EUNIMPL, "merge_add is for counters");
    rg_plan_close(plan);
    end_job(&j);
}

/* None is left out in silence. */
static void more_servers_than_there_may_be_are_refused(void **state)
{
    enum { MANY = 4097 };
    static char names[MANY][20];
    const char *endpoints[MANY];
    rg_program *program;
    rg_scope *scope;
    rg_plan *plan;
    rg_opdesc *op;
    (void)state;
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "host:%d", i);
        endpoints[i] = names[i];
    }
    assert_ok(rg_program_open(&program));
    assert_ok(rg_block_append_op(program->blocks[0], "fetch_barrier", &op));
    assert_ok(rg_edit_strings(op, "endpoints", MANY, endpoints));
    assert_ok(rg_scope_new(&scope, NULL));
    assert_ok(rg_plan_open(&plan, program, scope, &(rg_plan_config){.job = job}));
    assert_fails(rg_plan_run(plan), RG_ETOOBIG, "more than 4096 servers, host:4096");
    rg_plan_close(plan);
    rg_scope_release(scope);
    rg_program_close(program);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_found_by_number),
        cmocka_unit_test(a_mode_of_one_file_trains),
        cmocka_unit_test(threads_step_together_where_the_barrier_says_so),
        cmocka_unit_test(threads_are_for_themselves_where_there_is_no_barrier),
        cmocka_unit_test(a_barrier_of_all_trainers_needs_servers_that_wait),
        cmocka_unit_test(recv_without_a_barrier_asks_at_once),
        cmocka_unit_test(recv_that_shall_not_run_asks_for_nothing),
        cmocka_unit_test(gradients_are_not_merged_one_by_one),
        cmocka_unit_test(more_servers_than_there_may_be_are_refused),
    };
    return cmocka_run_group_tests(tests, open_job, close_job);
}
