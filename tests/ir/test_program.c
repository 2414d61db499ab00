/* test_program.c - building programs, their bytes, their gradients. */
#include "check.h"

#include "ir/backward.h"
#include "ir/program.h"

static rg_vardesc *tensor(rg_block *block, const char *name, const rg_shape *shape)
{
    rg_vardesc *var;
    assert_ok(rg_block_add_var(block, name, &var));
    var->meta.shape = *shape;
    return var;
}

static rg_opdesc *append(rg_block *block, const char *type, const char *in_slot, const char *in,
                         const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(block, type, &op));
    assert_ok(rg_opdesc_set_in(op, in_slot, 1, &in));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    return op;
}

/* mean(relu(x w) + relu(x w)): y is read twice, so its gradient is a sum. */
static rg_program *model(void)
{
    rg_program *program;
    rg_opdesc *op;
    assert_ok(rg_program_open(&program));
    rg_block *block = program->blocks[0];
    tensor(block, "x", &RG_SHAPE(-1, 3))->stop_gradient = true;
    rg_vardesc *w = tensor(block, "w", &RG_SHAPE(3, 2));
    w->is_parameter = w->persistable = w->trainable = true;
    op = append(block, "mul", "X", "x", "a");
    assert_ok(rg_opdesc_set_in(op, "Y", 1, &(const char *){"w"}));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_opdesc_infer(append(block, "relu", "X", "a", "y")));
    op = append(block, "sum", "X", "y", "s");
    assert_ok(rg_opdesc_set_in(op, "X", 2, (const char *[]){"y", "y"}));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_opdesc_infer(append(block, "mean", "X", "s", "loss")));
    return program;
}

static void shapes_are_inferred_while_a_program_is_built(void **state)
{
    (void)state;
    rg_program *program = model();
    char text[RG_SHAPE_TEXT];
    assert_string_equal(rg_shape_text(&rg_block_var(program->blocks[0], "y")->meta.shape, text),
                        "[-1, 2]");
    assert_string_equal(rg_shape_text(&rg_block_var(program->blocks[0], "loss")->meta.shape, text),
                        "[1]");
    rg_program_close(program);
}

static void a_bad_shape_names_the_op_its_inputs_and_the_users_line(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *block = program->blocks[0];
    tensor(block, "v", &RG_SHAPE(4, 2));
    program->where = "train.py:12";
    rg_opdesc *op = append(block, "mul", "X", "x", "z");
    assert_ok(rg_opdesc_set_in(op, "Y", 1, &(const char *){"v"}));
    assert_fails(rg_opdesc_infer(op), RG_ESHAPE,
                 "op mul(X=x [-1, 3] float32, Y=v [4, 2] float32) at train.py:12: X of shape "
                 "[-1, 3] has rows of 3, and Y of shape [4, 2] has 4 rows");
    rg_program_close(program);
}

static void slots_and_attributes_are_checked_against_the_schema(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *block = program->blocks[0];
    assert_fails(rg_opdesc_infer(append(block, "relu", "Y", "x", "z")), RG_EINVAL,
                 "it has no input Y; it has X");
    assert_fails(rg_opdesc_infer(append(block, "mul", "X", "x", "z")), RG_EINVAL,
                 "input Y is required");
    rg_opdesc *op = append(block, "relu", "X", "x", "z");
    assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = "alpha", .type = RG_ATTR_FLOAT, .f = 1}));
    assert_ok(rg_opdesc_infer(op)); /* kept, with a note */
    assert_non_null(rg_opdesc_attr(op, "alpha"));
    assert_fails(rg_opdesc_infer(append(block, "relu", "X", "nothing", "z")), RG_ENOENT,
                 "there is no variable nothing");
    assert_fails(rg_opdesc_infer(append(block, "yolov3_loss", "X", "x", "z")), RG_EUNIMPL,
                 "op yolov3_loss is of object detection, which is not here");
    assert_fails(rg_opdesc_infer(append(block, "no_such_op", "X", "x", "z")), RG_EUNIMPL,
                 "op no_such_op is not implemented; implemented: `paddle ops`");
    rg_program_close(program);
}

static void gradients_of_several_readers_are_renamed_and_summed(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *block = program->blocks[0];
    rg_grad_pair pair;
    size_t before = block->n_ops;
    assert_ok(rg_append_backward(block, "loss", &(const char *){"w"}, 1, &pair, NULL));
    assert_string_equal(pair.grad, "w@GRAD");
    static const char *const wanted[] = {"fill_constant", "mean_grad", "scale",   "scale",
                                         "sum",           "relu_grad", "mul_grad"};
    assert_int_equal(block->n_ops - before, 7);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(block->ops[before + i]->type, wanted[i]);
    const rg_args *parts = rg_opdesc_in(block->ops[before + 4], "X");
    assert_string_equal(parts->names[0], "y@GRAD@RENAME@block0@0");
    assert_string_equal(parts->names[1], "y@GRAD@RENAME@block0@1");
    /* x stops the gradient: mul_grad writes none for it. */
    assert_int_equal(rg_opdesc_out(block->ops[before + 6], "X@GRAD")->n, 0);
    rg_program_close(program);
}

static void a_loss_that_is_no_number_is_refused(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_grad_pair pair;
    assert_fails(rg_append_backward(program->blocks[0], "y", NULL, 0, &pair, NULL), RG_ESHAPE,
                 "the loss y has the shape [-1, 2], and must be one number");
    rg_program_close(program);
}

static rg_program *round_trip(const rg_program *program)
{
    rg_program *back;
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_program_pack(program, &bytes));
    assert_ok(rg_program_unpack(&back, bytes.data, bytes.len));
    rg_buf_fini(&bytes);
    return back;
}

static void a_program_survives_its_bytes(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_grad_pair pair;
    assert_ok(rg_append_backward(program->blocks[0], "loss", &(const char *){"w"}, 1, &pair, NULL));
    rg_program *back = round_trip(program), *again = round_trip(back);
    rg_buf a, b;
    rg_buf_init(&a, 0);
    rg_buf_init(&b, 0);
    rg_program_text(back, &a);
    rg_program_text(again, &b);
    assert_string_equal(rg_buf_cstr(&a), rg_buf_cstr(&b));
    assert_int_equal(back->blocks[0]->n_ops, program->blocks[0]->n_ops);
    assert_true(rg_block_var(back->blocks[0], "w")->persistable);
    rg_buf_fini(&a);
    rg_buf_fini(&b);
    rg_program_close(program);
    rg_program_close(back);
    rg_program_close(again);
}

/* VarDesc with field 6 (bool, of a later release) set. */
static void fields_of_later_releases_are_kept(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {
        0x0a, 0x1a,                                                       /* blocks */
        0x08, 0x00,                                                       /* idx 0 */
        0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* parent_idx -1 */
        0x1a, 0x0b,                                                       /* vars */
        0x0a, 0x01, 'v',                                                  /* name */
        0x12, 0x04, 0x08, 0x11, 0x3a, 0x00, /* type RAW, an empty tuple */
        0x30, 0x01,                         /* field 6: 1 */
    };
    rg_program *program;
    rg_buf out;
    rg_buf_init(&out, 0);
    assert_ok(rg_program_unpack(&program, bytes, sizeof bytes));
    assert_ok(rg_program_pack(program, &out));
    bool found = false;
    for (size_t i = 0; i + 1 < out.len; i++)
        found = found || (out.data[i] == 0x30 && out.data[i + 1] == 0x01);
    assert_true(found);
    rg_buf_fini(&out);
    rg_program_close(program);
}

/* promise 29 */
static void every_truncation_of_a_program_is_an_error_or_a_program(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_program_pack(program, &bytes));
    for (size_t n = 0; n <= bytes.len; n++) {
        rg_program *back = NULL;
        if (rg_program_unpack(&back, bytes.data, n) == RG_OK)
            rg_program_close(back);
    }
    for (size_t i = 0; i < bytes.len; i++)
        for (int bit = 0; bit < 8; bit++) {
            rg_program *back = NULL;
            bytes.data[i] ^= (uint8_t)(1 << bit);
            if (rg_program_unpack(&back, bytes.data, bytes.len) == RG_OK)
                rg_program_close(back);
            bytes.data[i] ^= (uint8_t)(1 << bit);
        }
    rg_buf_fini(&bytes);
    rg_program_close(program);
}

/* promise 29 */
static void a_block_that_is_not_below_its_op_is_refused(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *sub;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(program, 0, &sub));
    assert_ok(rg_block_append_op(sub, "while", &op));
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = 1}));
    assert_fails(rg_program_verify(program), RG_ECORRUPT,
                 "op while in block 1 runs block 1, which is not below it");
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = 7}));
    assert_fails(rg_program_verify(program), RG_ECORRUPT, "names block 7 of 2");
    sub->parent_idx = 1;
    assert_fails(rg_program_verify(program), RG_ECORRUPT, "has the later block 1 as parent");
    rg_program_close(program);
}

static void pruning_leaves_what_the_target_needs(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *block = program->blocks[0];
    assert_ok(rg_program_prune(program, &(const char *){"x"}, 1, &(const char *){"y"}, 1));
    assert_int_equal(block->n_ops, 2);
    assert_null(rg_block_var(block, "loss"));
    assert_non_null(rg_block_var(block, "w"));
    assert_fails(rg_program_prune(program, NULL, 0, &(const char *){"zz"}, 1), RG_ENOENT,
                 "no variable zz");
    rg_program_close(program);
}

static rg_block *running(rg_program *program, const char *out)
{
    rg_block *sub;
    rg_opdesc *op;
    assert_ok(rg_program_add_block(program, 0, &sub));
    assert_ok(rg_block_append_op(program->blocks[0], "while", &op));
    assert_ok(rg_opdesc_set_attr(
        op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = sub->idx}));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, &out));
    return sub;
}

static void pruning_removes_the_blocks_of_ops_that_go(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_block *block = program->blocks[0], *inner;
    rg_vardesc *var;
    assert_ok(rg_block_add_var(block, "gone", &var));
    assert_ok(rg_block_add_var(block, "kept", &var));
    running(program, "gone");
    rg_block *sub = running(program, "kept");
    assert_ok(rg_program_add_block(program, sub->idx, &inner));
    rg_opdesc *op;
    assert_ok(rg_block_append_op(sub, "while", &op));
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = 3}));
    assert_ok(rg_program_prune(program, NULL, 0, &(const char *){"kept"}, 1));
    assert_int_equal(program->n_blocks, 3);
    assert_ptr_equal(program->blocks[1], sub);
    assert_int_equal(sub->idx, 1);
    assert_int_equal(inner->idx, 2);
    assert_int_equal(inner->parent_idx, 1);
    assert_int_equal(rg_opdesc_attr(block->ops[0], "sub_block")->i, 1);
    assert_int_equal(rg_opdesc_attr(op, "sub_block")->i, 2);
    assert_ok(rg_program_verify(program));
    rg_program_close(program);
}

static void tests_leave_out_the_schedule_where_there_is_a_backward(void **state)
{
    (void)state;
    rg_program *program = model(), *test;
    rg_opdesc *op;
    program->op_role = RG_ROLE_LR_SCHED;
    assert_ok(rg_block_append_op(program->blocks[0], "increment", &op));
    size_t n = program->blocks[0]->n_ops;
    assert_ok(rg_program_clone(&test, program, true));
    assert_int_equal(test->blocks[0]->n_ops, n);
    rg_program_close(test);
    program->op_role = RG_ROLE_BACKWARD;
    assert_ok(rg_block_append_op(program->blocks[0], "mean_grad", &op));
    assert_ok(rg_program_clone(&test, program, true));
    assert_int_equal(test->blocks[0]->n_ops, n - 1);
    rg_program_close(test);
    rg_program_close(program);
}

static void what_only_training_names_is_not_in_a_copy_for_tests(void **state)
{
    (void)state;
    rg_program *program = model(), *test;
    rg_block *block = program->blocks[0];
    rg_vardesc *moment, *fed, *kept;
    rg_opdesc *op;
    assert_ok(rg_block_add_var(block, "moment", &moment));
    assert_ok(rg_block_add_var(block, "fed", &fed));
    assert_ok(rg_block_add_var(block, "kept", &kept));
    moment->persistable = kept->persistable = true;
    assert_ok(rg_program_clone(&test, program, true)); /* nothing is left out of this one */
    assert_non_null(rg_block_var(test->blocks[0], "moment"));
    rg_program_close(test);
    program->op_role = RG_ROLE_OPTIMIZE;
    assert_ok(rg_block_append_op(block, "scale", &op));
    assert_ok(rg_opdesc_set_in(op, "X", 1, (const char *const[]){"moment"}));
    assert_ok(rg_opdesc_set_out(op, "Out", 1, (const char *const[]){"moment"}));
    assert_ok(rg_program_clone(&test, program, true));
    assert_null(rg_block_var(test->blocks[0], "moment"));
    assert_null(rg_block_var(test->blocks[0], "kept"));
    assert_non_null(rg_block_var(test->blocks[0], "fed"));
    assert_non_null(rg_block_var(test->blocks[0], "y"));
    rg_program_close(test);
    assert_ok(rg_program_clone(&test, program, false));
    assert_non_null(rg_block_var(test->blocks[0], "moment"));
    rg_program_close(test);
    rg_program_close(program);
}

static void a_product_with_an_unknown_dimension_is_unknown(void **state)
{
    (void)state;
    rg_program *program = model(), *loaded;
    rg_buf bytes;
    rg_buf_init(&bytes, 0);
    rg_vardesc *var;
    assert_ok(
        rg_block_add_var(program->blocks[0], "mean", &var)); /* layer_norm of [-1, 128, 768] */
    var->meta.dtype = RG_F32;
    var->meta.shape = (rg_shape){.rank = 2, .dim = {-128, 768}};
    assert_ok(rg_program_pack(program, &bytes));
    assert_ok(rg_program_unpack(&loaded, bytes.data, bytes.len));
    var = rg_block_var(loaded->blocks[0], "mean");
    assert_int_equal(var->meta.shape.dim[0], -1);
    assert_int_equal(var->meta.shape.dim[1], 768);
    rg_buf_fini(&bytes);
    rg_program_close(loaded);
    rg_program_close(program);
}

static void every_change_raises_the_version(void **state)
{
    (void)state;
    rg_program *program = model();
    uint64_t version = program->version;
    rg_opdesc *op = program->blocks[0]->ops[1];
    assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = "op_role", .type = RG_ATTR_INT, .i = 1}));
    assert_true(program->version > version);
    version = program->version;
    assert_ok(rg_block_rename_var(program->blocks[0], "y", "z"));
    assert_true(program->version > version);
    assert_string_equal(rg_opdesc_out(op, "Out")->names[0], "z");
    rg_program_close(program);
}

static void attributes_are_taken_as_the_schemas_type(void **state)
{
    (void)state;
    rg_program *program = model();
    rg_opdesc *op;
    assert_ok(rg_block_append_op(program->blocks[0], "lookup_table", &op));
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "padding_idx", .type = RG_ATTR_INT, .i = 5}));
    assert_int_equal(rg_opdesc_attr(op, "padding_idx")->type, RG_ATTR_LONG);
    assert_int_equal(rg_opdesc_attr(op, "padding_idx")->l, 5);
    assert_fails(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "padding_idx", .type = RG_ATTR_STRING, .s = "x"}),
        RG_EINVAL, "attribute padding_idx is STRING, and LONG is wanted");
    rg_program_close(program);
}

/* Block i inside block i - 1, run by an op there, `times` times. */
static void nest(rg_program *program, int depth, int times)
{
    for (int i = 1; i < depth; i++) {
        rg_block *block;
        assert_ok(rg_program_add_block(program, 0, &block));
        block->parent_idx = i - 1; /* past the limit for who builds programs */
        for (int k = 0; k < times; k++) {
            rg_opdesc *op;
            assert_ok(rg_block_append_op(program->blocks[i - 1], "conditional_block", &op));
            assert_ok(rg_opdesc_set_attr(
                op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = i}));
        }
    }
}

static rg_status through_bytes(rg_program *program)
{
    rg_buf bytes;
    rg_program *again = NULL;
    rg_buf_init(&bytes, 0);
    assert_ok(rg_program_pack(program, &bytes));
    rg_status code = rg_program_unpack(&again, bytes.data, bytes.len);
    rg_program_close(again);
    rg_program_close(program);
    rg_buf_fini(&bytes);
    return code;
}

/* promise 29 */
static void blocks_are_nested_so_deep_and_no_deeper(void **state)
{
    static const int depths[] = {RG_MAX_BLOCK_DEPTH, RG_MAX_BLOCK_DEPTH + 1, 30000, 99990};
    (void)state;
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; i++) {
        rg_program *program;
        assert_ok(rg_program_open(&program));
        nest(program, depths[i], 1);
        rg_status code = through_bytes(program);
        if (i == 0)
            assert_ok(code);
        else
            assert_fails(code, RG_ETOOBIG, "block 128 is nested deeper than 128 blocks");
    }
    rg_program *program;
    rg_block *block;
    assert_ok(rg_program_open(&program));
    for (int i = 1; i < RG_MAX_BLOCK_DEPTH; i++)
        assert_ok(rg_program_add_block(program, i - 1, &block));
    assert_fails(rg_program_add_block(program, RG_MAX_BLOCK_DEPTH - 1, &block), RG_ETOOBIG,
                 "nested deeper");
    rg_program_close(program);
}

/* Thirty blocks, each run by two ops of the one above: a thousand million in the plan. */
/* promise 29 */
static void blocks_that_multiply_are_refused(void **state)
{
    rg_program *program;
    (void)state;
    assert_ok(rg_program_open(&program));
    nest(program, 30, 2);
    assert_fails(through_bytes(program), RG_ETOOBIG, "are run by more than");
    assert_ok(rg_program_open(&program));
    nest(program, 8, 2);
    assert_ok(through_bytes(program));
}

/* Two blocks that are above each other: whoever walks up would never end. */
/* promise 29 */
static void blocks_in_a_circle_are_refused(void **state)
{
    rg_program *program;
    rg_block *one, *two;
    rg_opdesc *op;
    (void)state;
    assert_ok(rg_program_open(&program));
    assert_ok(rg_program_add_block(program, 0, &one));
    assert_ok(rg_program_add_block(program, 0, &two));
    assert_ok(rg_block_append_op(program->blocks[0], "while", &op));
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = 1}));
    one->parent_idx = 2;
    two->parent_idx = 1;
    assert_fails(through_bytes(program), RG_ECORRUPT, "block 1 has the later block 2 as parent");
}

RUN(cmocka_unit_test(blocks_are_nested_so_deep_and_no_deeper),
    cmocka_unit_test(blocks_in_a_circle_are_refused),
    cmocka_unit_test(blocks_that_multiply_are_refused),
    cmocka_unit_test(shapes_are_inferred_while_a_program_is_built),
    cmocka_unit_test(a_bad_shape_names_the_op_its_inputs_and_the_users_line),
    cmocka_unit_test(slots_and_attributes_are_checked_against_the_schema),
    cmocka_unit_test(gradients_of_several_readers_are_renamed_and_summed),
    cmocka_unit_test(a_loss_that_is_no_number_is_refused),
    cmocka_unit_test(a_program_survives_its_bytes),
    cmocka_unit_test(fields_of_later_releases_are_kept),
    cmocka_unit_test(every_truncation_of_a_program_is_an_error_or_a_program),
    cmocka_unit_test(a_block_that_is_not_below_its_op_is_refused),
    cmocka_unit_test(pruning_leaves_what_the_target_needs),
    cmocka_unit_test(pruning_removes_the_blocks_of_ops_that_go),
    cmocka_unit_test(tests_leave_out_the_schedule_where_there_is_a_backward),
    cmocka_unit_test(what_only_training_names_is_not_in_a_copy_for_tests),
    cmocka_unit_test(a_product_with_an_unknown_dimension_is_unknown),
    cmocka_unit_test(every_change_raises_the_version),
    cmocka_unit_test(attributes_are_taken_as_the_schemas_type))
