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
    rg_kernel_add(rg_kernel_list);
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
    const rg_value *w = rg_scope_find(scope, "w");
    assert_ptr_equal(rg_device_of(w), &toy_device); /* it went to where it is used, ... */
    assert_float_equal(((const float *)rg_host_data(w))[0], -3, 0);
    run_layer(scope, &rg_cpu, back); /* ... and back */
    assert_memory_equal(here, back, sizeof here);
    rg_scope_release(scope);
    assert_int_equal(toy.bytes, 0);
}

/* ---- ops that run on the CPU in a plan of the device ---- */

typedef struct job {
    rg_program *program;
    rg_scope *scope;
    rg_plan *plan;
} job;

static job open_job(rg_program *program, const rg_device *device, const char *const *fetches, int n)
{
    static const char *const feeds[] = {"x"};
    job j = {.program = program, .scope = parameters()};
    rg_kernel_add(rg_kernel_list);
    assert_ok(rg_plan_open(
        &j.plan, j.program, j.scope,
        &(rg_plan_config){
            .feeds = feeds, .n_feeds = 1, .fetches = fetches, .n_fetches = n, .device = device}));
    return j;
}

static void close_job(job *j)
{
    rg_plan_close(j->plan);
    rg_scope_release(j->scope);
    rg_program_close(j->program);
}

static void feed(job *j, int64_t rows, float first)
{
    float x[16 * FEATURES];
    for (int i = 0; i < rows * FEATURES; i++)
        x[i] = first + (float)(i % 5) - 2;
    assert_ok(rg_feed_plan(j->plan, 0, &(rg_fed){x, RG_F32, RG_SHAPE(rows, FEATURES)}));
}

/* The same feeds to both; what they fetch is the same. */
static void both(job *there, job *here, int64_t rows, float first, int n_fetches)
{
    feed(there, rows, first);
    feed(here, rows, first);
    assert_ok(rg_plan_run(there->plan));
    assert_ok(rg_plan_run(here->plan));
    for (int i = 0; i < n_fetches; i++) {
        const rg_value *a = rg_plan_fetch(there->plan, i), *b = rg_plan_fetch(here->plan, i);
        assert_int_equal(rg_value_bytes(a), rg_value_bytes(b));
        assert_memory_equal(rg_host_data(a), rg_host_data(b), rg_value_bytes(a));
    }
}

/* tanh between ops of the device, read twice by the CPU; a sum that the host must see; a bias that
 * the device's kernel refuses when it runs; a sigmoid that it refuses before. */
static rg_program *mixed(void)
{
    rg_program *program = layer();
    rg_block *block = program->blocks[0];
    rg_opdesc *op;
    add_op(block, "tanh", "y", NULL, "t");
    add_op(block, "elementwise_mul", "y", "t", "yt");
    add_op(block, "elementwise_add", "t", "b", "tb");
    add_op(block, "relu", "tb", NULL, "r");
    const char *parts[] = {"r", "y"}, *s = "s", *o = "o";
    assert_ok(rg_block_append_op(block, "sum", &op));
    assert_ok(rg_opdesc_set_in(op, "X", 2, parts));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &s));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_block_append_op(block, "scale", &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, &s));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &o));
    assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = "bias", .type = RG_ATTR_FLOAT, .f = 2}));
    assert_ok(rg_opdesc_infer(op));
    add_op(block, "relu", "o", NULL, "q");
    add_op(block, "sigmoid", "q", NULL, "g");
    add_op(block, "relu", "g", NULL, "end");
    return program;
}

static void ops_without_kernels_run_on_the_cpu(void **state)
{
    static const char *const fetches[] = {"end", "t", "y", "yt"};
    job there = open_job(mixed(), &toy_device, fetches, 4);
    job here = open_job(mixed(), &rg_cpu, fetches, 4);
    (void)state;
    for (int i = 0; i < 5; i++)
        both(&there, &here, 3, (float)i, 4);
    /* tanh and elementwise_mul need y once, scale s, sigmoid q; 4 fetches are read, of which yt is
     * the CPU's anyway. */
    int to_host = toy.to_host, to_device = toy.to_device, uploads = toy.uploads;
    both(&there, &here, 3, 9, 4);
    assert_int_equal(toy.to_host - to_host, 3 + 3);
    assert_int_equal(toy.to_device - to_device, 3); /* t, o, g; the feed goes as an upload */
    assert_int_equal(toy.uploads - uploads, 1);
    close_job(&there);
    close_job(&here);
    assert_int_equal(toy.bytes, 0);
}

static void batches_of_other_sizes_come_and_go(void **state)
{
    static const int64_t rows[] = {3, 3, 3, 5, 5, 1, 1, 7, 7, 7, 3, 3};
    static const char *const fetches[] = {"end"};
    job there = open_job(mixed(), &toy_device, fetches, 1);
    job here = open_job(mixed(), &rg_cpu, fetches, 1);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        both(&there, &here, rows[i], (float)i, 1);
    close_job(&there);
    close_job(&here);
    assert_int_equal(toy.bytes, 0);
}

static void a_step_is_recorded_and_run_as_one(void **state)
{
    static const char *const fetches[] = {"y"};
    job there = open_job(layer(), &toy_device, fetches, 1);
    job here = open_job(layer(), &rg_cpu, fetches, 1);
    (void)state;
    toy.records = toy.replays = 0;
    both(&there, &here, 3, 0, 1);
    assert_int_equal(toy.records, 0); /* shapes have not settled */
    int launches = toy.launches;
    for (int i = 1; i < 6; i++)
        both(&there, &here, 3, (float)i, 1);
    assert_int_equal(toy.records, 1);
    assert_int_equal(toy.replays, 5);
    assert_int_equal(toy.launches - launches, 3);
    /* A parameter that is set from outside to memory of its own is seen. */
    rg_value *w[2] = {rg_scope_find(there.scope, "w"), rg_scope_find(here.scope, "w")};
    for (int i = 0; i < 2; i++) {
        assert_ok(rg_value_move(w[i], &rg_cpu));
        ((float *)w[i]->data)[1] = 42;
    }
    both(&there, &here, 3, 7, 1);
    both(&there, &here, 3, 8, 1);
    both(&there, &here, 3, 9, 1);
    assert_ptr_equal(rg_device_of(w[0]), &toy_device);
    assert_int_equal(toy.records, 2);
    /* Another shape, another record. */
    both(&there, &here, 4, 7, 1);
    both(&there, &here, 4, 8, 1);
    assert_int_equal(toy.records, 3);
    close_job(&there);
    close_job(&here);
    assert_int_equal(toy.bytes, 0);
}

static void feeds_of_the_device_stay_there(void **state)
{
    static const char *const fetches[] = {"y"};
    job there = open_job(layer(), &toy_device, fetches, 1);
    job here = open_job(layer(), &rg_cpu, fetches, 1);
    rg_value batch[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        float x[ROWS * FEATURES];
        for (int k = 0; k < ROWS * FEATURES; k++)
            x[k] = (float)(i * 7 + k % 5 - 2);
        rg_value_init(&batch[i]);
        rg_value_place(&batch[i], &toy_device);
        assert_ok(rg_value_resize(&batch[i], RG_F32, &RG_SHAPE(ROWS, FEATURES)));
        assert_ok(rg_host_write(&batch[i], 0, x, sizeof x));
    }
    int to_device = 0, to_host = 0, parts = 0;
    for (int i = 0; i < 6; i++) {
        const rg_value *b = &batch[i % 2];
        const rg_fed fed = {NULL, RG_F32, b->meta.shape, NULL, b};
        if (i == 2)
            to_device = toy.to_device, to_host = toy.to_host, parts = toy.parts;
        assert_ok(rg_feed_plan(there.plan, 0, &fed));
        assert_ok(rg_plan_run(there.plan));
    }
    assert_int_equal(toy.to_device, to_device);
    assert_int_equal(toy.to_host, to_host);
    assert_int_equal(toy.parts - parts, 4);
    assert_ok(
        rg_feed_plan(here.plan, 0, &(rg_fed){NULL, RG_F32, batch[1].meta.shape, NULL, &batch[1]}));
    assert_ok(rg_plan_run(here.plan));
    assert_memory_equal(rg_host_data(rg_plan_fetch(there.plan, 0)),
                        rg_host_data(rg_plan_fetch(here.plan, 0)), ROWS * HIDDEN * sizeof(float));
    rg_value_fini(&batch[0]);
    rg_value_fini(&batch[1]);
    close_job(&there);
    close_job(&here);
    assert_int_equal(toy.bytes, 0);
}

/* What one plan leaves in its stream is done before another reads it: w here, which the first
 * writes. */
static void plans_see_what_others_wrote(void **state)
{
    static const char *const fetches[] = {"y"};
    rg_program *writer;
    rg_plan *plan;
    (void)state;
    job there = open_job(layer(), &toy_device, fetches, 1);
    assert_ok(rg_program_open(&writer));
    add_var(writer->blocks[0], "w", RG_SHAPE(FEATURES, HIDDEN), true);
    add_op(writer->blocks[0], "relu", "w", NULL, "w");
    assert_ok(rg_plan_open(&plan, writer, there.scope,
                           &(rg_plan_config){.device = &toy_device, .keep_all = true}));
    for (int i = 0; i < 3; i++) {
        feed(&there, 3, 1);
        assert_ok(rg_plan_run(there.plan));
        assert_ok(rg_plan_run(plan));
    }
    feed(&there, 3, 1);
    assert_ok(rg_plan_run(there.plan));
    const rg_value *y = rg_plan_fetch(there.plan, 0);
    float last = ((const float *)rg_host_data(y))[0], w[FEATURES * HIDDEN];
    const rg_value *weight = rg_scope_find(there.scope, "w");
    memcpy(w, rg_host_data(weight), sizeof w);
    for (int i = 0; i < FEATURES * HIDDEN; i++)
        assert_true(w[i] >= 0);
    float x[2] = {-1, 0},
          wanted = x[0] * w[0] + x[1] * w[HIDDEN] +
                   ((const float *)rg_host_data(rg_scope_find(there.scope, "b")))[0];
    assert_float_equal(last, wanted > 0 ? wanted : 0, 1e-6);
    rg_plan_close(plan);
    rg_program_close(writer);
    close_job(&there);
    assert_int_equal(toy.bytes, 0);
}

static void rows_go_with_their_values(void **state)
{
    rg_value here, there, back;
    (void)state;
    rg_value_init(&here);
    rg_value_init(&there);
    rg_value_init(&back);
    rg_value_place(&there, &toy_device);
    assert_ok(rg_value_resize_rows(&here, RG_F32, &RG_SHAPE(100, 2), 3));
    for (int i = 0; i < 3; i++) {
        here.rows[i] = 10 * i + 7;
        ((float *)here.data)[2 * i] = (float)i;
        ((float *)here.data)[2 * i + 1] = -(float)i;
    }
    assert_ok(rg_value_copy(&there, &here));
    assert_ok(rg_value_copy(&back, &there));
    assert_int_equal(back.n_rows, 3);
    assert_memory_equal(back.rows, here.rows, 3 * sizeof *back.rows);
    assert_memory_equal(back.data, here.data, 6 * sizeof(float));
    assert_ok(rg_value_move(&there, &rg_cpu));
    assert_memory_equal(there.rows, here.rows, 3 * sizeof *there.rows);
    rg_value_fini(&here);
    rg_value_fini(&there);
    rg_value_fini(&back);
    assert_int_equal(toy.bytes, 0);
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
    assert_memory_equal(rg_host_data(&there), numbers, sizeof numbers);
    assert_ok(rg_value_copy(&back, &there));
    assert_memory_equal(back.data, numbers, sizeof numbers);
    assert_ok(rg_value_share(&back, &there));
    assert_ptr_equal(rg_device_of(&back), &toy_device);
    rg_value_fini(&here);
    rg_value_fini(&there);
    rg_value_fini(&back);
    assert_int_equal(toy.bytes, 0);
}

RUN(cmocka_unit_test(a_layer_gives_the_same_on_both),
    cmocka_unit_test(ops_without_kernels_run_on_the_cpu),
    cmocka_unit_test(batches_of_other_sizes_come_and_go),
    cmocka_unit_test(a_step_is_recorded_and_run_as_one),
    cmocka_unit_test(feeds_of_the_device_stay_there), cmocka_unit_test(plans_see_what_others_wrote),
    cmocka_unit_test(rows_go_with_their_values),
    cmocka_unit_test(values_are_copied_between_devices))
