/* test_trainer.c - a trainer as a program has it, and its servers, in one process: steps that are
 * exchanged, and what they bring. Its waits are in test_trainer_waits.c. */
#include "dist/trainer_job.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sys/clock.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

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
    };
    return cmocka_run_group_tests(tests, open_job, close_job);
}
