/* test_executor.c - executors: plans that are kept, what may be fed, several threads. */
#include "check.h"

#include "exec/executor.h"
#include "sys/flags.h"

#include <pthread.h>

/* y = x + x, of any number of rows. */
static rg_program *doubled(void)
{
    static const char *const x = "x", *const y = "y";
    rg_program *program;
    rg_vardesc *desc;
    rg_opdesc *op;
    assert_ok(rg_program_open(&program));
    assert_ok(rg_block_add_var(program->blocks[0], x, &desc));
    desc->meta.shape = RG_SHAPE(-1, 2);
    desc->need_check_feed = true;
    assert_ok(rg_block_append_op(program->blocks[0], "elementwise_add", &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, &x));
    assert_ok(rg_opdesc_set_in(op, "Y", 1, &x));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &y));
    assert_ok(rg_opdesc_infer(op));
    return program;
}

typedef struct fixture {
    rg_executor *executor;
    rg_program *program;
    rg_scope *scope;
} fixture;

static void open_all(fixture *f)
{
    assert_ok(rg_executor_open(&f->executor, NULL));
    assert_ok(rg_scope_new(&f->scope, NULL));
    f->program = doubled();
}

static void close_all(fixture *f)
{
    rg_executor_close(f->executor);
    rg_scope_release(f->scope);
    rg_program_close(f->program);
}

static rg_prepared *prepare(const fixture *f, const char *fetch, bool *is_new)
{
    static const char *const feeds[] = {"x"};
    const rg_plan_config config = {.feeds = feeds, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1};
    rg_prepared *prepared;
    assert_ok(rg_executor_prepare(f->executor, f->program, f->scope, &config, &prepared, is_new));
    return prepared;
}

static void a_plan_is_found_again(void **state)
{
    fixture f;
    bool is_new;
    (void)state;
    open_all(&f);
    rg_prepared *first = prepare(&f, "y", &is_new);
    assert_true(is_new);
    char copy[] = "y"; /* the same name, elsewhere in memory */
    rg_prepared *second = prepare(&f, copy, &is_new);
    assert_false(is_new);
    assert_ptr_equal(first, second);
    rg_prepared *other = prepare(&f, "x", &is_new);
    assert_true(is_new);
    f.program->version++;
    rg_prepared *changed = prepare(&f, "y", &is_new);
    assert_true(is_new);
    rg_prepared_release(first);
    rg_prepared_release(second);
    rg_prepared_release(other);
    rg_prepared_release(changed);
    close_all(&f);
}

/* What it reads was erased, or is hidden in a scope of its own; other names do not matter. */
static void a_plan_of_values_that_are_gone_is_made_anew(void **state)
{
    static const char *const w = "w";
    fixture f;
    rg_vardesc *desc;
    rg_value *value, *hidden;
    rg_scope *root;
    bool is_new;
    (void)state;
    open_all(&f);
    root = f.scope;
    assert_ok(rg_scope_new(&f.scope, root));
    assert_ok(rg_block_add_var(f.program->blocks[0], w, &desc));
    desc->persistable = true;
    assert_ok(rg_opdesc_set_in(f.program->blocks[0]->ops[0], "Y", 1, &w));
    const struct {
        const char *made, *erased;
        bool is_new;
    } steps[] = {{w, NULL, true}, {"other", NULL, false}, {NULL, "other", false},
                 {NULL, w, true}, {NULL, NULL, false},    {NULL, "x", false}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].made != NULL)
            assert_ok(rg_scope_own(root, steps[i].made, &value));
        if (steps[i].erased != NULL)
            rg_scope_erase(root, steps[i].erased);
        rg_prepared_release(prepare(&f, "y", &is_new));
        assert_int_equal(is_new, steps[i].is_new);
    }
    assert_ok(rg_scope_own(f.scope, w, &hidden));
    rg_prepared_release(prepare(&f, "y", &is_new));
    assert_true(is_new);
    rg_prepared_release(prepare(&f, w, &is_new));
    assert_true(is_new);
    rg_scope_erase(f.scope, w);
    rg_prepared *fetched = prepare(&f, w, &is_new);
    assert_true(is_new);
    assert_ptr_equal(rg_plan_fetch(rg_prepared_plan(fetched), 0), rg_scope_find(root, w));
    rg_prepared_release(fetched);
    rg_scope_release(root);
    close_all(&f);
}

static void the_one_used_least_recently_goes(void **state)
{
    fixture f;
    bool is_new;
    rg_program *programs[RG_EXECUTOR_PLANS];
    (void)state;
    open_all(&f);
    rg_prepared *mine = prepare(&f, "y", &is_new);
    rg_program *own = f.program;
    for (int i = 0; i < RG_EXECUTOR_PLANS; i++) {
        f.program = programs[i] = doubled();
        rg_prepared_release(prepare(&f, "y", NULL));
    }
    f.program = own;
    rg_prepared *again = prepare(&f, "y", &is_new);
    assert_true(is_new);
    assert_true(rg_prepared_take(mine, false)); /* it lives while someone has it */
    assert_ok(rg_feed_plan(rg_prepared_plan(mine), 0,
                           &(rg_fed){(const float[]){1, 2}, RG_F32, RG_SHAPE(1, 2), NULL}));
    assert_ok(rg_plan_run(rg_prepared_plan(mine)));
    rg_prepared_give_back(mine);
    rg_prepared_release(mine);
    rg_prepared_release(again);
    for (int i = 0; i < RG_EXECUTOR_PLANS; i++)
        rg_program_close(programs[i]);
    close_all(&f);
}

/* A value of a new scope, which is the fixture's from now on. */
static rg_value *other_scope(fixture *f)
{
    rg_value *value;
    assert_ok(rg_scope_new(&f->scope, NULL));
    assert_ok(rg_scope_own(f->scope, "kept", &value));
    return rg_value_retain(value);
}

static void plans_that_nobody_can_ask_for_go(void **state)
{
    fixture f, other;
    (void)state;
    open_all(&f);
    other = f;
    rg_value *value = other_scope(&other);
    rg_prepared_release(prepare(&other, "y", NULL));
    rg_scope_release(other.scope);
    assert_int_equal(value->refs, 2); /* the plan has the scope still */
    rg_prepared_release(prepare(&f, "y", NULL));
    assert_int_equal(value->refs, 1);
    rg_value_release(value);

    value = other_scope(&other);
    other.program = doubled();
    rg_prepared_release(prepare(&other, "y", NULL));
    rg_program_close(other.program);
    rg_prepared_release(prepare(&f, "x", NULL));
    rg_scope_release(other.scope); /* no plan has it */
    assert_int_equal(value->refs, 1);
    rg_value_release(value);

    bool is_new; /* and those of others are there as they were */
    rg_prepared_release(prepare(&f, "y", &is_new));
    assert_false(is_new);
    close_all(&f);
}

static void what_does_not_fit_is_not_fed(void **state)
{
    fixture f;
    const float data[6] = {1, 2, 3, 4, 5, 6};
    (void)state;
    open_all(&f);
    rg_prepared *p = prepare(&f, "y", NULL);
    rg_plan *plan = rg_prepared_plan(p);
    assert_fails(rg_feed_plan(plan, 0, &(rg_fed){data, RG_F32, RG_SHAPE(2, 3), NULL}), RG_EINVAL,
                 "feed 'x' has the shape [2, 3], and [-1, 2] is wanted");
    assert_fails(
        rg_feed_plan(plan, 0, &(rg_fed){data, RG_F64, RG_SHAPE(1, 2), NULL}), RG_EINVAL,
        "feed 'x' has the data type float64, and float32 is wanted: use .astype('float32')");
    for (int rows = 3; rows > 0; rows--) { /* other shapes from run to run */
        assert_ok(rg_feed_plan(plan, 0, &(rg_fed){data, RG_F32, RG_SHAPE(rows, 2), NULL}));
        assert_ok(rg_plan_run(plan));
        const rg_value *y = rg_plan_fetch(plan, 0);
        assert_int_equal(rg_numel(y), rows * 2);
        assert_float_equal(((const float *)y->data)[rows * 2 - 1], 4.0f * (float)rows, 0);
    }
    rg_prepared_release(p);
    close_all(&f);
}

typedef struct runner {
    pthread_t thread;
    const fixture *f;
    float number;
    bool right;
} runner;

static void *run_often(void *arg)
{
    runner *r = arg;
    static const char *const x[] = {"x"}, *const y[] = {"y"};
    const rg_plan_config config = {.feeds = x, .n_feeds = 1, .fetches = y, .n_fetches = 1};
    const float data[2] = {r->number, -r->number};
    r->right = true;
    for (int i = 0; r->right && i < 500; i++) {
        rg_prepared *p;
        r->right = rg_executor_prepare(r->f->executor, r->f->program, r->f->scope, &config, &p,
                                       NULL) == RG_OK;
        if (!r->right)
            break;
        (void)rg_prepared_take(p, true);
        rg_plan *plan = rg_prepared_plan(p);
        r->right = rg_feed_plan(plan, 0, &(rg_fed){data, RG_F32, RG_SHAPE(1, 2), NULL}) == RG_OK &&
                   rg_plan_run(plan) == RG_OK &&
                   ((const float *)rg_plan_fetch(plan, 0)->data)[1] == -2 * r->number;
        rg_prepared_give_back(p);
        rg_prepared_release(p);
        if (i % 100 == 99)
            rg_executor_clear(r->f->executor);
    }
    return NULL;
}

static void threads_do_not_see_each_others_runs(void **state)
{
    enum { THREADS = 4 };
    fixture f;
    runner runners[THREADS];
    (void)state;
    open_all(&f);
    for (int i = 0; i < THREADS; i++) {
        runners[i] = (runner){.f = &f, .number = (float)(i + 1)};
        assert_int_equal(pthread_create(&runners[i].thread, NULL, run_often, &runners[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(runners[i].thread, NULL);
        assert_true(runners[i].right);
    }
    close_all(&f);
}

static void every_op_of_a_startup_program_runs(void **state)
{
    static const char *const w = "w";
    fixture f;
    rg_opdesc *op;
    rg_vardesc *desc;
    (void)state;
    open_all(&f);
    rg_block *block = f.program->blocks[0];
    rg_block_remove_ops(block, 0, block->n_ops);
    assert_ok(rg_block_add_var(block, w, &desc));
    desc->persistable = true;
    assert_ok(rg_block_append_op(block, "fill_constant", &op));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &w));
    const int64_t shape[] = {3};
    rg_attr attr = {.name = "shape", .type = RG_ATTR_LONGS, .n = 1, .longs = shape};
    assert_ok(rg_opdesc_set_attr(op, &attr));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_execute(f.executor, f.program, f.scope));
    assert_int_equal(rg_numel(rg_scope_find(f.scope, w)), 3);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_found_again),
        cmocka_unit_test(a_plan_of_values_that_are_gone_is_made_anew),
        cmocka_unit_test(the_one_used_least_recently_goes),
        cmocka_unit_test(plans_that_nobody_can_ask_for_go),
        cmocka_unit_test(what_does_not_fit_is_not_fed),
        cmocka_unit_test(threads_do_not_see_each_others_runs),
        cmocka_unit_test(every_op_of_a_startup_program_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
