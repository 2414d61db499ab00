/* The transpiler without Python: a linear model with one large and one small parameter. */
#include "check.h"

#include "base/mem.h"
#include "dist/mode.h"
#include "ir/backward.h"

enum { ROWS = 200, WIDTH = 100 };

static const char *const servers[] = {"a:1", "b:1"};

static rg_vardesc *add_var(rg_program *program, const char *name, rg_shape shape, bool persistable)
{
    rg_vardesc *var;
    assert_ok(rg_block_add_var(program->blocks[0], name, &var));
    var->meta.shape = shape;
    var->persistable = persistable;
    var->has_tensor = true;
    return var;
}

static rg_opdesc *add_op(rg_program *program, const char *type, const char *in_slot, const char *in,
                         const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(program->blocks[0], type, &op));
    if (in != NULL)
        assert_ok(rg_opdesc_set_in(op, in_slot, 1, &in));
    assert_ok(rg_opdesc_set_out(op, strcmp(type, "sgd") == 0 ? "ParamOut" : "Out", 1, &out));
    return op;
}

static void add_initialiser(rg_program *startup, const char *name, rg_shape shape)
{
    add_var(startup, name, shape, true);
    rg_opdesc *op = add_op(startup, "uniform_random", NULL, NULL, name);
    assert_ok(rg_opdesc_set_attr(
        op,
        &(rg_attr){.name = "shape", .type = RG_ATTR_LONGS, .n = shape.rank, .longs = shape.dim}));
    assert_ok(rg_opdesc_infer(op));
}

/* mean(x w) with SGD. */
static void make_model(rg_program **main, rg_program **startup)
{
    assert_ok(rg_program_open(main));
    assert_ok(rg_program_open(startup));
    rg_program *p = *main;
    add_var(p, "x", RG_SHAPE(-1, ROWS), false);
    rg_vardesc *w = add_var(p, "w", RG_SHAPE(ROWS, WIDTH), true);
    w->is_parameter = w->trainable = true;
    add_var(p, "rate", RG_SHAPE(1), true);
    add_var(p, "xw", RG_SHAPE(-1, WIDTH), false);
    add_var(p, "loss", RG_SHAPE(1), false);
    rg_opdesc *mul = add_op(p, "mul", "X", "x", "xw");
    assert_ok(rg_opdesc_set_in(mul, "Y", 1, (const char *const[]){"w"}));
    assert_ok(rg_opdesc_infer(mul));
    assert_ok(rg_opdesc_infer(add_op(p, "mean", "X", "xw", "loss")));
    rg_grad_pair pair;
    assert_ok(rg_append_backward(p->blocks[0], "loss", (const char *const[]){"w"}, 1, &pair,
                                 &(rg_backward_options){0}));
    p->op_role = RG_ROLE_OPTIMIZE;
    rg_opdesc *sgd = add_op(p, "sgd", "Param", "w", "w");
    assert_ok(rg_opdesc_set_in(sgd, "Grad", 1, &pair.grad));
    assert_ok(rg_opdesc_set_in(sgd, "LearningRate", 1, (const char *const[]){"rate"}));
    assert_ok(rg_opdesc_infer(sgd));
    p->op_role = RG_ROLE_FORWARD;
    add_initialiser(*startup, "w", RG_SHAPE(ROWS, WIDTH));
    add_initialiser(*startup, "rate", RG_SHAPE(1));
}

static rg_transpile_config config_of_two(void)
{
    return (rg_transpile_config){.mode = &rg_modes[0]->programs,
                                 .trainers = 2,
                                 .endpoints = servers,
                                 .n_endpoints = 2,
                                 .slice = true,
                                 .min_block = RG_MIN_BLOCK,
                                 .geo_push_nums = 1};
}

static void expect_ops(const rg_block *block, int n, const char *const *types)
{
    for (int i = 0; i < n && (size_t)i < block->n_ops; i++)
        assert_string_equal(block->ops[i]->type, types[i]);
    assert_int_equal(block->n_ops, n);
}

static void a_large_parameter_is_cut_between_servers(void **state)
{
    rg_transpile_config config = config_of_two();
    rg_program *main, *startup, *server;
    rg_transpiler *t;
    (void)state;
    make_model(&main, &startup);
    assert_ok(rg_transpiler_open(&t, main, startup, &config));
    assert_int_equal(rg_transpiler_n_slices(t), 2);
    rg_param_slice slice = rg_transpiler_slice(t, 1);
    assert_string_equal(slice.name, "w.block1");
    assert_string_equal(slice.endpoint, "b:1");
    assert_int_equal(slice.begin, 100);
    assert_ok(rg_transpile_trainer(t, main, startup));
    static const char *const trainer[] = {
        "mul",  "mean",         "fill_constant", "mean_grad",     "mul_grad", "split_byref",
        "send", "send_barrier", "recv",          "fetch_barrier", "concat"};
    expect_ops(main->blocks[0], 11, trainer);
    assert_ok(rg_transpile_server(t, "b:1", &server));
    static const char *const update[] = {"sum", "scale", "sgd"};
    expect_ops(server->blocks[1], 3, update);
    assert_ok(rg_program_verify(server));
    rg_program_close(server);
    rg_transpiler_close(t);
    rg_program_close(main);
    rg_program_close(startup);
}

static void wrong_configs_are_refused(void **state)
{
    rg_program *main, *startup, *server;
    rg_transpiler *t;
    (void)state;
    make_model(&main, &startup);
    rg_transpile_config config = config_of_two();
    config.n_endpoints = 0;
    assert_fails(rg_transpiler_open(&t, main, startup, &config), RG_EINVAL, "no server");
    config = config_of_two();
    config.trainer_id = 2;
    assert_fails(rg_transpiler_open(&t, main, startup, &config), RG_EINVAL, "trainer_id is 2");
    config = config_of_two();
    config.min_block = 1;
    assert_fails(rg_transpiler_open(&t, main, startup, &config), RG_EINVAL, "min_block_size is 1");
    config = config_of_two();
    assert_fails(rg_transpiler_open(&t, startup, startup, &config), RG_EINVAL, "no optimizer");
    assert_ok(rg_transpiler_open(&t, main, startup, &config));
    assert_fails(rg_transpile_server(t, "c:1", &server), RG_ENOENT, "c:1");
    assert_fails(rg_transpile_trainer(t, startup, main), RG_EINVAL, "has changed");
    rg_transpiler_close(t);
    rg_program_close(main);
    rg_program_close(startup);
}

/* Everything once; the first failure is returned. */
static rg_status transpile_all(const rg_program *main, const rg_program *startup,
                               const rg_transpile_config *config)
{
    rg_program *m = NULL, *s = NULL, *server = NULL, *server_startup = NULL;
    rg_transpiler *t = NULL;
    rg_status code = RG_OK;
    RG_TRY_GOTO(code, rg_program_clone(&m, main, false));
    RG_TRY_GOTO(code, rg_program_clone(&s, startup, false));
    RG_TRY_GOTO(code, rg_transpiler_open(&t, m, s, config));
    RG_TRY_GOTO(code, rg_transpile_trainer(t, m, s));
    RG_TRY_GOTO(code, rg_transpile_server(t, "a:1", &server));
    RG_TRY_GOTO(code, rg_transpile_server_startup(t, "a:1", NULL, &server_startup));
done:
    rg_transpiler_close(t);
    rg_program_close(m);
    rg_program_close(s);
    rg_program_close(server);
    rg_program_close(server_startup);
    return code;
}

static void want_of_memory_is_an_error_and_no_crash(void **state)
{
    rg_program *main, *startup;
    (void)state;
    make_model(&main, &startup);
    for (const rg_mode *const *mode = rg_modes; *mode != NULL; mode++) {
        rg_transpile_config config = config_of_two();
        config.mode = &(*mode)->programs;
        config.runtime_split = (*mode)->background;
        bool failed = true;
        for (long n = 1; failed; n++) {
            rg_mem_fail_at(n);
            rg_status code = transpile_all(main, startup, &config);
            failed = rg_mem_failed();
            rg_mem_fail_at(0);
            assert_int_equal(code, failed ? RG_ENOMEM : RG_OK);
        }
    }
    rg_program_close(main);
    rg_program_close(startup);
}

RUN(cmocka_unit_test(a_large_parameter_is_cut_between_servers),
    cmocka_unit_test(wrong_configs_are_refused),
    cmocka_unit_test(want_of_memory_is_an_error_and_no_crash))
