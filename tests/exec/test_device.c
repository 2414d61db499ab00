/* test_device.c - programs on a device that is not the CPU: one that a file beside this one adds.
 */
#include "check.h"
#include "exec/toy_device.h"

#include "exec/executor.h"

enum { ROWS = 3, FEATURES = 2, HIDDEN = 4 };

static void add_var(rg_block *block, const char *name, rg_shape shape, bool kept)
{
    rg_vardesc *var;
    assert_ok(rg_block_add_var(block, name, &var));
    var->meta.shape = shape;
    var->persistable = kept;
}

static void add_op(rg_block *block, const char *type, const char *x, const char *y, const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(block, type, &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, &x));
    if (y != NULL)
        assert_ok(rg_opdesc_set_in(op, "Y", 1, &y));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    assert_ok(rg_opdesc_infer(op));
}

/* relu(x w + b): on the CPU it becomes one fused op, for which the toy has no kernel. */
static rg_program *layer(void)
{
    rg_program *program;
    assert_ok(rg_program_open(&program));
    rg_block *block = program->blocks[0];
    add_var(block, "x", RG_SHAPE(-1, FEATURES), false);
    add_var(block, "w", RG_SHAPE(FEATURES, HIDDEN), true);
    add_var(block, "b", RG_SHAPE(HIDDEN), true);
    add_op(block, "mul", "x", "w", "a");
    add_op(block, "elementwise_add", "a", "b", "z");
    add_op(block, "relu", "z", NULL, "y");
    return program;
}

static rg_scope *parameters(void)
{
    static const struct {
        const char *name;
        rg_shape shape;
    } vars[] = {{"w", {.rank = 2, .dim = {FEATURES, HIDDEN}}}, {"b", {.rank = 1, .dim = {HIDDEN}}}};
    rg_scope *scope;
    assert_ok(rg_scope_new(&scope, NULL));
    for (int v = 0; v < 2; v++) {
        rg_value *value;
        assert_ok(rg_scope_var(scope, vars[v].name, &value));
        assert_ok(rg_value_resize(value, RG_F32, &vars[v].shape));
        for (int64_t i = 0; i < rg_numel(value); i++)
            ((float *)value->data)[i] = (float)((i * 5 + v) % 7 - 3);
    }
    return scope;
}

static void run_layer(rg_scope *scope, const rg_device *device, float *y)
{
    static const char *const feeds[] = {"x"}, *const fetches[] = {"y"};
    const float x[ROWS * FEATURES] = {1, 2, -3, 4, 0.5f, -6};
    const rg_plan_config config = {
        .feeds = feeds, .n_feeds = 1, .fetches = fetches, .n_fetches = 1, .device = device};
    rg_program *program = layer();
    rg_executor *executor;
    rg_prepared *p;
    assert_ok(rg_executor_open(&executor, NULL));
    assert_ok(rg_executor_prepare(executor, program, scope, &config, &p, NULL));
    rg_plan *plan = rg_prepared_plan(p);
    for (int i = 0; i < 2; i++) { /* again, over the same memory */
        assert_ok(rg_feed_plan(plan, 0, &(rg_fed){x, RG_F32, RG_SHAPE(ROWS, FEATURES), NULL}));
        assert_ok(rg_plan_run(plan));
    }
    assert_int_equal(rg_numel(rg_plan_fetch(plan, 0)), ROWS * HIDDEN);
    memcpy(y, rg_host_data(rg_plan_fetch(plan, 0)), ROWS * HIDDEN * sizeof *y);
    rg_prepared_release(p);
    rg_executor_close(executor);
    rg_program_close(program);
}

static void a_layer_gives_the_same_on_both(void **state)
{
    float here[ROWS * HIDDEN], there[ROWS * HIDDEN], back[ROWS * HIDDEN];
    rg_scope *scope = parameters();
    (void)state;
    run_layer(scope, NULL, here);
    run_layer(scope, &toy_device, there);
    assert_memory_equal(here, there, sizeof here);
    assert_int_equal(toy_syncs, 2); /* once a run */
    const rg_value *w = rg_scope_find(scope, "w");
    assert_ptr_equal(rg_device_of(w), &toy_device); /* it went to where it is used, ... */
    assert_float_equal(((const float *)rg_host_data(w))[0], -3, 0);
    run_layer(scope, &rg_cpu, back); /* ... and back */
    assert_memory_equal(here, back, sizeof here);
    rg_scope_release(scope);
    assert_int_equal(toy_bytes, 0);
}

static void an_op_without_a_kernel_is_named(void **state)
{
    static const char *const feeds[] = {"x"}, *const fetches[] = {"t"};
    rg_program *program = layer();
    rg_scope *scope = parameters();
    rg_plan *plan;
    (void)state;
    add_op(program->blocks[0], "tanh", "y", NULL, "t");
    assert_fails(rg_plan_open(&plan, program, scope,
                              &(rg_plan_config){.feeds = feeds,
                                                .n_feeds = 1,
                                                .fetches = fetches,
                                                .n_fetches = 1,
                                                .device = &toy_device}),
                 RG_EUNIMPL, "it has no kernel for the device toy");
    assert_non_null(strstr(rg_error_message(), "tanh"));
    rg_scope_release(scope);
    rg_program_close(program);
}

static void values_are_copied_between_devices(void **state)
{
    const float numbers[4] = {1, -2, 3, 0.5f};
    rg_value here, there, back;
    (void)state;
    rg_value_init(&here);
    rg_value_init(&there);
    rg_value_init(&back);
    rg_value_place(&there, &toy_device);
    assert_ok(rg_value_resize(&here, RG_F32, &RG_SHAPE(4)));
    memcpy(here.data, numbers, sizeof numbers);
    assert_ok(rg_value_copy(&there, &here));
    assert_memory_not_equal(there.data, numbers, sizeof numbers);
    assert_memory_equal(rg_host_data(&there), numbers, sizeof numbers);
    assert_ok(rg_value_copy(&back, &there));
    assert_memory_equal(back.data, numbers, sizeof numbers);
    assert_ok(rg_value_share(&back, &there));
    assert_ptr_equal(rg_device_of(&back), &toy_device);
    rg_value_fini(&here);
    rg_value_fini(&there);
    rg_value_fini(&back);
    assert_int_equal(toy_bytes, 0);
}

RUN(cmocka_unit_test(a_layer_gives_the_same_on_both),
    cmocka_unit_test(an_op_without_a_kernel_is_named),
    cmocka_unit_test(values_are_copied_between_devices))
