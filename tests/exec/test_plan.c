/* test_plan.c - plans: the same numbers fused and not, on one thread and on several. */
#include "check.h"

#include "exec/parallel.h"
#include "exec/plan.h"
#include "ir/backward.h"
#include "sys/flags.h"

#include <math.h>

enum { ROWS = 12, FEATURES = 5, HIDDEN = 4 };

static rg_opdesc *append(rg_block *block, const char *type, const char *slot, const char *in,
                         const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(block, type, &op));
    assert_ok(rg_opdesc_set_in(op, slot, 1, &in));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    return op;
}

static void infer_with(rg_opdesc *op, const char *slot, const char *in)
{
    assert_ok(rg_opdesc_set_in(op, slot, 1, &in));
    assert_ok(rg_opdesc_infer(op));
}

static void var(rg_block *block, const char *name, const rg_shape *shape, bool parameter)
{
    rg_vardesc *desc;
    assert_ok(rg_block_add_var(block, name, &desc));
    desc->meta.shape = *shape;
    desc->persistable = desc->is_parameter = parameter;
    desc->is_data = desc->stop_gradient = !parameter;
}

static void add_sgd(rg_block *block, const char *param, const char *grad)
{
    rg_opdesc *op;
    block->program->op_role = RG_ROLE_OPTIMIZE;
    assert_ok(rg_block_append_op(block, "sgd", &op));
    block->program->op_role = RG_ROLE_FORWARD;
    assert_ok(rg_opdesc_set_in(op, "Param", 1, &param));
    assert_ok(rg_opdesc_set_in(op, "Grad", 1, &grad));
    assert_ok(rg_opdesc_set_out(op, "ParamOut", 1, &param));
    infer_with(op, "LearningRate", "rate");
}

/* mean((relu(x w + b) v - y)^2), trained by SGD. */
static rg_program *model(void)
{
    static const char *const params[] = {"w", "b", "v"};
    rg_program *program;
    rg_grad_pair pairs[3];
    assert_ok(rg_program_open(&program));
    rg_block *block = program->blocks[0];
    var(block, "x", &RG_SHAPE(-1, FEATURES), false);
    var(block, "y", &RG_SHAPE(-1, 1), false);
    var(block, "w", &RG_SHAPE(FEATURES, HIDDEN), true);
    var(block, "b", &RG_SHAPE(HIDDEN), true);
    var(block, "v", &RG_SHAPE(HIDDEN, 1), true);
    var(block, "rate", &RG_SHAPE(1), true);
    infer_with(append(block, "mul", "X", "x", "a"), "Y", "w");
    infer_with(append(block, "elementwise_add", "X", "a", "z"), "Y", "b");
    assert_ok(rg_opdesc_infer(append(block, "relu", "X", "z", "h")));
    infer_with(append(block, "mul", "X", "h", "p"), "Y", "v");
    infer_with(append(block, "elementwise_sub", "X", "p", "d"), "Y", "y");
    assert_ok(rg_opdesc_infer(append(block, "square", "X", "d", "s")));
    assert_ok(rg_opdesc_infer(append(block, "mean", "X", "s", "loss")));
    assert_ok(rg_append_backward(block, "loss", params, 3, pairs, NULL));
    for (int i = 0; i < 3; i++)
        add_sgd(block, params[i], pairs[i].grad);
    return program;
}

static void set(rg_scope *scope, const char *name, const rg_shape *shape, float scale)
{
    rg_value *value;
    assert_ok(rg_scope_var(scope, name, &value));
    assert_ok(rg_value_resize(value, RG_F32, shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = scale * (float)((i * 7 + 3) % 11 - 5);
}

static rg_scope *start(void)
{
    rg_scope *scope;
    assert_ok(rg_scope_new(&scope, NULL));
    set(scope, "w", &RG_SHAPE(FEATURES, HIDDEN), 0.1f);
    set(scope, "b", &RG_SHAPE(HIDDEN), 0.05f);
    set(scope, "v", &RG_SHAPE(HIDDEN, 1), 0.2f);
    set(scope, "rate", &RG_SHAPE(1), -0.05f); /* (3 % 11 - 5) is -2: a rate of 0.1 */
    return scope;
}

static void fill(rg_value *value, const rg_shape *shape, int salt)
{
    assert_ok(rg_value_resize(value, RG_F32, shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = 0.2f * (float)((i * 5 + salt) % 9 - 4);
}

static float weight(const rg_scope *scope)
{
    return ((const float *)rg_scope_find(scope, "w")->data)[3];
}

/* The loss after some steps; *w is a weight. */
static float train(bool fuse, int rows, float *w)
{
    static const char *const feeds[] = {"x", "y"}, *const fetches[] = {"loss"};
    rg_program *program = model();
    rg_scope *scope = start();
    rg_plan *plan;
    rg_plan_config config = {feeds, 2, fetches, 1, false, !fuse};
    assert_ok(rg_plan_open(&plan, program, scope, &config));
    rg_program_close(program); /* the plan has its own copy */
    for (int i = 0; i < 20; i++) {
        int n = i == 10 ? rows / 2 : rows; /* another batch size in between */
        fill(rg_plan_feed(plan, 0), &RG_SHAPE(n, FEATURES), i);
        fill(rg_plan_feed(plan, 1), &RG_SHAPE(n, 1), i + 1);
        rg_plan_feed_changed(plan, 0);
        assert_ok(rg_plan_run(plan));
    }
    float loss = *(const float *)rg_plan_fetch(plan, 0)->data;
    *w = weight(scope);
    rg_plan_close(plan);
    rg_scope_release(scope);
    return loss;
}

static void a_fused_plan_gives_the_numbers_of_the_plain_one(void **state)
{
    (void)state;
    float w[2], loss[2] = {train(false, ROWS, &w[0]), train(true, ROWS, &w[1])};
    assert_true(loss[0] > 0 && fabsf(loss[0] - loss[1]) < 1e-6f);
    assert_true(fabsf(w[0] - w[1]) < 1e-6f);
}

static void train_on_threads(int threads, float *w)
{
    static const char *const feeds[] = {"x", "y"}, *const fetches[] = {"loss", "w"};
    rg_program *program = model();
    rg_scope *scope = start();
    rg_parallel *parallel;
    rg_value x, y, loss;
    rg_value_init(&x);
    rg_value_init(&y);
    rg_value_init(&loss);
    rg_parallel_config config = {threads, feeds, 2, fetches, 2, false};
    assert_ok(rg_parallel_open(&parallel, program, scope, &config));
    for (int i = 0; i < 20; i++) {
        fill(&x, &RG_SHAPE(ROWS, FEATURES), i);
        fill(&y, &RG_SHAPE(ROWS, 1), i + 1);
        assert_ok(rg_parallel_feed(parallel, 0, &x));
        assert_ok(rg_parallel_feed(parallel, 1, &y));
        assert_ok(rg_parallel_run(parallel));
    }
    assert_ok(rg_parallel_fetch(parallel, 0, &loss));
    assert_int_equal(rg_numel(&loss), threads);
    assert_ok(rg_parallel_fetch(parallel, 1, &loss));
    assert_int_equal(rg_numel(&loss), threads * FEATURES * HIDDEN);
    *w = weight(scope);
    rg_parallel_close(parallel);
    rg_program_close(program);
    rg_scope_release(scope);
    rg_value_fini(&x);
    rg_value_fini(&y);
    rg_value_fini(&loss);
}

static void several_threads_give_the_numbers_of_one(void **state)
{
    (void)state;
    float one, two, again, four;
    train_on_threads(1, &one);
    train_on_threads(2, &two);
    train_on_threads(2, &again);
    train_on_threads(4, &four);
    assert_true(fabsf(one - two) < 1e-6f);
    assert_true(fabsf(one - four) < 1e-6f);
    assert_true(two == again); /* bit by bit */
}

static void a_batch_that_cannot_be_cut_is_refused(void **state)
{
    (void)state;
    static const char *const feeds[] = {"x", "y"};
    rg_program *program = model();
    rg_scope *scope = start();
    rg_parallel *parallel;
    rg_value x;
    rg_value_init(&x);
    rg_parallel_config config = {4, feeds, 2, NULL, 0, false};
    assert_ok(rg_parallel_open(&parallel, program, scope, &config));
    fill(&x, &RG_SHAPE(3, FEATURES), 0);
    assert_fails(rg_parallel_feed(parallel, 0, &x), RG_EINVAL,
                 "a batch of 3 cannot be cut into 4 parts");
    rg_parallel_close(parallel);
    rg_program_close(program);
    rg_scope_release(scope);
    rg_value_fini(&x);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const char *const feeds[] = {"x"}, *const loss[] = {"loss"}, *const none[] = {"zz"};
    rg_program *program = model();
    rg_scope *scope = start(), *empty;
    rg_plan *plan;
    assert_ok(rg_scope_new(&empty, NULL));
    assert_ok(
        rg_plan_open(&plan, program, scope, &(rg_plan_config){feeds, 1, loss, 1, false, true}));
    fill(rg_plan_feed(plan, 0), &RG_SHAPE(ROWS, FEATURES), 0);
    assert_fails(rg_plan_run(plan), RG_EINVAL, "y (Y) is not fed; feed={'y': ...} is wanted");
    rg_plan_close(plan);
    assert_ok(
        rg_plan_open(&plan, program, empty, &(rg_plan_config){feeds, 1, loss, 1, false, true}));
    fill(rg_plan_feed(plan, 0), &RG_SHAPE(ROWS, FEATURES), 0);
    assert_fails(rg_plan_run(plan), RG_EINVAL, "w (Y) has no value yet; run the startup program");
    rg_plan_close(plan);
    assert_fails(
        rg_plan_open(&plan, program, scope, &(rg_plan_config){feeds, 1, none, 1, false, false}),
        RG_ENOENT, "the program has no variable zz to fetch");
    rg_program_close(program);
    rg_scope_release(scope);
    rg_scope_release(empty);
}

static void what_is_fed_and_read_by_no_op_can_be_fetched(void **state)
{
    (void)state;
    static const char *const names[] = {"unread"}, *const twice[] = {"unread", "unread"};
    rg_program *program;
    assert_ok(rg_program_open(&program));
    var(program->blocks[0], "unread", &RG_SHAPE(-1, FEATURES), false);
    rg_scope *scope = start();
    rg_plan *plan;
    assert_ok(rg_plan_open(&plan, program, scope, &(rg_plan_config){names, 1, twice, 2}));
    for (int rows = 1; rows < 4; rows++) {
        fill(rg_plan_feed(plan, 0), &RG_SHAPE(rows, FEATURES), rows);
        assert_ok(rg_plan_run(plan));
        for (int i = 0; i < 2; i++) {
            const rg_value *got = rg_plan_fetch(plan, i);
            assert_true(rg_shape_equal(&got->meta.shape, &RG_SHAPE(rows, FEATURES)));
            assert_ptr_equal(got, rg_plan_feed(plan, 0));
        }
    }
    rg_plan_close(plan);
    rg_program_close(program);
    rg_scope_release(scope);
}

static void the_op_that_made_a_nan_is_named(void **state)
{
    (void)state;
    static const char *const feeds[] = {"x", "y"}, *const fetches[] = {"loss"};
    rg_program *program = model();
    rg_scope *scope = start();
    rg_plan *plan;
    assert_ok(
        rg_plan_open(&plan, program, scope, &(rg_plan_config){feeds, 2, fetches, 1, false, true}));
    fill(rg_plan_feed(plan, 0), &RG_SHAPE(ROWS, FEATURES), 0);
    fill(rg_plan_feed(plan, 1), &RG_SHAPE(ROWS, 1), 0);
    ((float *)rg_plan_feed(plan, 1)->data)[4] = NAN;
    assert_ok(rg_flag_set("check_nan_inf", "1"));
    assert_fails(rg_plan_run(plan), RG_EVALUE,
                 "it made a NaN at element 4 of its output d (Out [12, 1])");
    assert_non_null(strstr(rg_error_message(), "op elementwise_sub("));
    assert_ok(rg_flag_set("check_nan_inf", "0"));
    rg_plan_close(plan);
    rg_program_close(program);
    rg_scope_release(scope);
}

RUN(cmocka_unit_test(a_fused_plan_gives_the_numbers_of_the_plain_one),
    cmocka_unit_test(several_threads_give_the_numbers_of_one),
    cmocka_unit_test(a_batch_that_cannot_be_cut_is_refused),
    cmocka_unit_test(what_is_missing_is_named),
    cmocka_unit_test(what_is_fed_and_read_by_no_op_can_be_fetched),
    cmocka_unit_test(the_op_that_made_a_nan_is_named))
