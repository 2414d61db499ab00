/* test_backward.c - gradients of gradients, of inputs that come twice, and checkpoints: which ops
 * are appended. What they compute is checked in tests/python. */
#include "check.h"

#include "ir/backward.h"
#include "ir/program.h"

#include <string.h>

static void add(rg_block *block, const char *type, int n, const char *const *in, const char *out)
{
    rg_opdesc *op;
    const rg_op *schema = rg_op_find(type);
    assert_ok(rg_block_append_op(block, type, &op));
    if (n > 0 && (schema->in[0].flags & RG_REPEATED))
        assert_ok(rg_opdesc_set_in(op, schema->in[0].name, n, in));
    else
        for (int i = 0; i < n; i++)
            assert_ok(rg_opdesc_set_in(op, schema->in[i].name, 1, &in[i]));
    assert_ok(rg_opdesc_set_out(op, schema->out[0].name, 1, &out));
    assert_ok(rg_opdesc_infer(op));
}

static rg_program *with_x(void)
{
    rg_program *program;
    rg_vardesc *x;
    assert_ok(rg_program_open(&program));
    assert_ok(rg_block_add_var(program->blocks[0], "x", &x));
    x->meta.shape = RG_SHAPE(2, 3);
    return program;
}

static int count(const rg_block *block, const char *type)
{
    int n = 0;
    for (size_t i = 0; i < block->n_ops; i++)
        n += strcmp(block->ops[i]->type, type) == 0;
    return n;
}

static const char *gradient(rg_block *block, const char *of, rg_status expected)
{
    const char *grad = NULL;
    rg_status code = rg_gradients(block, &of, NULL, 1, &(const char *){"x"}, 1, &grad, NULL);
    assert_int_equal(code, expected);
    return grad;
}

/* One op of x^2, its gradient by x, and the gradient of the square of that. */
static rg_program *twice(const char *type, int n, rg_status expected)
{
    const char *const xs[] = {"q", "q", "q"};
    rg_program *program = with_x();
    rg_block *block = program->blocks[0];
    add(block, "square", 1, &(const char *){"x"}, "q");
    add(block, type, n, xs, "y");
    const char *first = gradient(block, "y", RG_OK);
    assert_non_null(first);
    add(block, "square", 1, &first, "z");
    const char *second = gradient(block, "z", expected);
    if (expected == RG_OK)
        assert_non_null(second);
    return program;
}

static void gradient_ops_are_differentiated_by_what_they_say(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int inputs;
    } ops[] = {{"elementwise_mul", 2},
               {"elementwise_div", 2},
               {"elementwise_max", 2},
               {"tanh", 1},
               {"relu", 1},
               {"softmax", 1},
               {"elu", 1},
               {"gelu", 1},
               {"reduce_sum", 1},
               {"mean", 1},
               {"concat", 3},
               {"stack", 2},
               {"sum", 3},
               {"squared_l2_norm", 1}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        rg_program_close(twice(ops[i].type, ops[i].inputs, RG_OK));
}

static void linear_and_diagonal_ones_need_no_ops_of_their_own(void **state)
{
    (void)state;
    rg_program *program = twice("relu", 1, RG_OK);
    assert_int_equal(count(program->blocks[0], "relu_grad"), 2);
    rg_program_close(program);
    program = twice("concat", 3, RG_OK);
    assert_int_equal(count(program->blocks[0], "concat"), 2);
    rg_program_close(program);
}

static void one_that_has_none_is_named(void **state)
{
    (void)state;
    const char *grad;
    rg_program *program = with_x();
    rg_block *block = program->blocks[0];
    rg_block_var(block, "x")->meta.shape = RG_SHAPE(2, 2, 4, 4);
    rg_opdesc *op;
    assert_ok(rg_block_append_op(block, "pool2d", &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, &(const char *){"x"}));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &(const char *){"y"}));
    assert_ok(rg_opdesc_set_attr(
        op, &(rg_attr){.name = "pooling_type", .type = RG_ATTR_STRING, .s = "max"}));
    assert_ok(rg_opdesc_set_attr(
        op, &(rg_attr){
                .name = "ksize", .type = RG_ATTR_INTS, .n = 2, .ints = (const int32_t[]){2, 2}}));
    assert_ok(rg_opdesc_infer(op));
    const char *first = gradient(block, "y", RG_OK);
    add(block, "elementwise_mul", 2, (const char *const[]){first, "x"}, "z");
    const char *z = "z";
    assert_fails(rg_gradients(block, &z, NULL, 1, &(const char *){"x"}, 1, &grad, NULL), RG_EUNIMPL,
                 "pool2d_grad");
    rg_program_close(program);
}

static void each_place_of_a_repeated_input_has_its_own_gradient(void **state)
{
    (void)state;
    rg_program *program = with_x();
    rg_block *block = program->blocks[0];
    add(block, "stack", 3, (const char *const[]){"x", "x", "x"}, "y");
    assert_non_null(gradient(block, "y", RG_OK));
    for (size_t i = 0; i < block->n_ops; i++) {
        if (strcmp(block->ops[i]->type, "stack_grad") != 0)
            continue;
        const rg_args *out = rg_opdesc_out(block->ops[i], "X@GRAD");
        assert_int_equal(out->n, 3);
        assert_string_not_equal(out->names[0], out->names[1]);
        assert_string_not_equal(out->names[0], out->names[2]);
        assert_string_not_equal(out->names[1], out->names[2]);
    }
    rg_program_close(program);
}

static void a_segment_is_computed_again(void **state)
{
    (void)state;
    static const char *const chain[] = {"x", "a", "b", "c", "d"};
    rg_program *program = with_x();
    rg_block *block = program->blocks[0];
    for (int i = 0; i < 4; i++)
        add(block, "tanh", 1, &chain[i], chain[i + 1]);
    add(block, "mean", 1, &chain[4], "loss");
    rg_grad_pair pair;
    rg_backward_options options = {.checkpoints = &(const char *){"c"}, .n_checkpoints = 1};
    assert_ok(rg_append_backward(block, "loss", &(const char *){"x"}, 1, &pair, &options));
    assert_string_equal(pair.grad, "x@GRAD");
    assert_int_equal(count(block, "tanh"), 6);
    assert_non_null(rg_block_var(block, "a.subprog_0"));
    assert_non_null(rg_block_var(block, "b.subprog_0"));
    assert_null(rg_block_var(block, "c.subprog_0"));
    options.checkpoints = &(const char *){"nowhere"};
    assert_fails(rg_append_backward(block, "loss", &(const char *){"x"}, 1, &pair, &options),
                 RG_ENOENT, "nowhere");
    rg_program_close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_ops_are_differentiated_by_what_they_say),
        cmocka_unit_test(linear_and_diagonal_ones_need_no_ops_of_their_own),
        cmocka_unit_test(one_that_has_none_is_named),
        cmocka_unit_test(each_place_of_a_repeated_input_has_its_own_gradient),
        cmocka_unit_test(a_segment_is_computed_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
