/* test_late.c - tables whose rows wait: whoever reads rows settles those alone, whoever takes the
 * table over has its record end, and whose record it is nobody else needs to know. */
#include "check.h"

#include "exec/plan.h"
#include "ir/backward.h"

enum { HEIGHT = 6, WIDTH = 3 };

static void add_var(rg_block *block, const char *name, const rg_shape *shape, rg_dtype dtype,
                    bool kept)
{
    rg_vardesc *desc;
    assert_ok(rg_block_add_var(block, name, &desc));
    desc->meta.shape = *shape;
    desc->meta.dtype = dtype;
    desc->persistable = desc->is_parameter = kept;
    desc->is_data = desc->stop_gradient = !kept;
}

static rg_opdesc *append(rg_block *block, const char *type, const char *slot, const char *in,
                         const char *out_slot, const char *out)
{
    rg_opdesc *op;
    assert_ok(rg_block_append_op(block, type, &op));
    assert_ok(rg_opdesc_set_in(op, slot, 1, &in));
    assert_ok(rg_opdesc_set_out(op, out_slot, 1, &out));
    return op;
}

static void set_in(rg_opdesc *op, const char *slot, const char *name)
{
    assert_ok(rg_opdesc_set_in(op, slot, 1, &name));
}

/* loss = mean(rows of the ids); with `learns`, trained by momentum. */
static rg_program *model(bool learns)
{
    static const char *const table = "table", *const velocity = "velocity";
    rg_program *program;
    rg_grad_pair pair;
    assert_ok(rg_program_open(&program));
    rg_block *block = program->blocks[0];
    add_var(block, "ids", &RG_SHAPE(-1, 1), RG_I64, false);
    add_var(block, table, &RG_SHAPE(HEIGHT, WIDTH), RG_F32, true);
    add_var(block, velocity, &RG_SHAPE(HEIGHT, WIDTH), RG_F32, true);
    add_var(block, "rate", &RG_SHAPE(1), RG_F32, true);
    rg_opdesc *op = append(block, "lookup_table", "W", table, "Out", "rows");
    set_in(op, "Ids", "ids");
    assert_ok(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "is_sparse", .type = RG_ATTR_BOOL, .b = 1}));
    assert_ok(rg_opdesc_infer(op));
    assert_ok(rg_opdesc_infer(append(block, "mean", "X", "rows", "Out", "loss")));
    if (!learns)
        return program;
    assert_ok(rg_append_backward(block, "loss", &table, 1, &pair, NULL));
    program->op_role = RG_ROLE_OPTIMIZE;
    op = append(block, "momentum", "Param", table, "ParamOut", table);
    set_in(op, "Grad", pair.grad);
    set_in(op, "Velocity", velocity);
    set_in(op, "LearningRate", "rate");
    assert_ok(rg_opdesc_set_out(op, "VelocityOut", 1, &velocity));
    assert_ok(rg_opdesc_set_attr(op, &(rg_attr){.name = "mu", .type = RG_ATTR_FLOAT, .f = 0.5f}));
    assert_ok(rg_opdesc_infer(op));
    return program;
}

static rg_value *set(rg_scope *scope, const char *name, const rg_shape *shape, float x)
{
    rg_value *value;
    assert_ok(rg_scope_var(scope, name, &value));
    assert_ok(rg_value_resize(value, RG_F32, shape));
    for (int64_t i = 0; i < rg_numel(value); i++)
        ((float *)value->data)[i] = x;
    return value;
}

static rg_value *start(rg_scope **scope)
{
    assert_ok(rg_scope_new(scope, NULL));
    (void)set(*scope, "velocity", &RG_SHAPE(HEIGHT, WIDTH), 0);
    (void)set(*scope, "rate", &RG_SHAPE(1), 1);
    return set(*scope, "table", &RG_SHAPE(HEIGHT, WIDTH), 0);
}

static rg_plan *open_plan(bool learns, rg_scope *scope)
{
    static const char *const feed = "ids", *const fetch = "loss";
    rg_program *program = model(learns);
    rg_plan *plan;
    assert_ok(rg_plan_open(
        &plan, program, scope,
        &(rg_plan_config){.feeds = &feed, .n_feeds = 1, .fetches = &fetch, .n_fetches = 1}));
    rg_program_close(program);
    return plan;
}

static void run(rg_plan *plan, int64_t a, int64_t b)
{
    rg_value *ids = rg_plan_feed(plan, 0);
    assert_ok(rg_value_resize(ids, RG_I64, &RG_SHAPE(2, 1)));
    ((int64_t *)ids->data)[0] = a;
    ((int64_t *)ids->data)[1] = b;
    rg_plan_feed_changed(plan, 0);
    assert_ok(rg_plan_run(plan));
}

/* ---- a record of other hands ---- */

typedef struct foreign {
    rg_late late; /* first */
    rg_value *table;
    int all, some, left;
    int64_t last;
} foreign;

static void settle(rg_late *late)
{
    ((foreign *)late)->all++;
}

static void settle_rows(rg_late *late, const int64_t *ids, int64_t n)
{
    ((foreign *)late)->some++;
    ((foreign *)late)->last = ids[n - 1];
}

static void leave(rg_late *late, const rg_value *value)
{
    foreign *f = (foreign *)late;
    f->left++;
    if (f->table != value)
        f->table->late = NULL;
    rg_late_count--;
}

static void anyones_rows_are_settled_by_who_keeps_them(void **state)
{
    rg_scope *scope;
    (void)state;
    rg_value *table = start(&scope);
    rg_plan *reads = open_plan(false, scope), *learns = open_plan(true, scope);
    foreign f = {.late = {settle, settle_rows, leave}, .table = table};
    table->late = &f.late;
    rg_late_count++;
    run(reads, 4, 2);
    assert_int_equal(f.some, 1); /* the look-up's rows, and not the whole table */
    assert_int_equal(f.last, 2);
    assert_int_equal(f.all, 0);
    run(learns, 1, 3); /* momentum keeps a record of its own from now on */
    assert_int_equal(f.left, 1);
    assert_non_null(table->late);
    assert_ptr_not_equal(table->late, &f.late);
    rg_plan_close(reads);
    rg_plan_close(learns);
    rg_scope_release(scope);
    assert_int_equal(rg_late_count, 0);
}

/* ---- our own ---- */

/* Row 1 has a gradient in the first step alone, of 1 / 6 an element, and goes on by its velocity:
 * 1 + 1/2 + 1/4 + 1/8 of that. */
static void a_row_is_where_it_would_be_when_it_is_read(void **state)
{
    rg_scope *scope;
    (void)state;
    const rg_value *table = start(&scope);
    rg_plan *reads = open_plan(false, scope), *learns = open_plan(true, scope);
    const float *row = (const float *)table->data + WIDTH;
    run(learns, 1, 0);
    for (int step = 0; step < 3; step++)
        run(learns, 0, 0);
    assert_float_equal(row[0], -1.0 / 6, 1e-6); /* it waits */
    run(reads, 1, 1);
    assert_float_equal(row[0], -1.875 / 6, 1e-6);
    run(learns, 0, 0);
    rg_value_settle(table);
    assert_float_equal(row[0], -1.9375 / 6, 1e-6);
    assert_float_equal(row[WIDTH], 0, 0); /* a row that never had one stays */
    rg_plan_close(reads);
    rg_plan_close(learns);
    rg_scope_release(scope);
    assert_int_equal(rg_late_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anyones_rows_are_settled_by_who_keeps_them),
        cmocka_unit_test(a_row_is_where_it_would_be_when_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
