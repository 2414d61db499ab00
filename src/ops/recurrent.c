/* recurrent.c - a block run once for each entry of dimension 0 (StaticRNN).
 *
 * At step t the block finds entry t of each of the `inputs` under the input's name and, as
 * ex_states, what it left under the names `states` at the step before (initial_states at the
 * first); entry t of each of the `outputs` is what it leaves under the output's name. With
 * `reverse` the steps go from the last entry to the first.
 *
 * The gradient walks the steps backwards over the block that autodiff made of the body: what
 * a step gives to ex_states is what the step before finds as the gradient of `states`. */
#include "base/mem.h"
#include "ir/program.h"
#include "ops/block_grad.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { INPUTS, INITIAL_STATES, PARAMETERS };
enum { OUTPUTS, STEP_SCOPES };
enum { HAS_STATES, EX_STATES, STATES, SUB_BLOCK, REVERSE, IS_TRAIN, SKIP_VARS };

static rg_status check_states(const rg_ctx *ctx, int slot)
{
    int n = rg_attr_list(ctx, STATES)->n;
    if (rg_attr_list(ctx, EX_STATES)->n != n || rg_n_in(ctx, slot) != n)
        return rg_fail(RG_EINVAL,
                       "%d initial_states, %d ex_states and %d states: there must be as "
                       "many of each",
                       rg_n_in(ctx, slot), rg_attr_list(ctx, EX_STATES)->n, n);
    return RG_OK;
}

static rg_status recurrent_infer(rg_ctx *ctx)
{
    RG_TRY(check_states(ctx, INITIAL_STATES));
    rg_set_kind(ctx, STEP_SCOPES, RG_STEP_SCOPES);
    return RG_OK;
}

/* The entries of dimension 0, which all inputs must have. */
static rg_status count_steps(const rg_ctx *ctx, int64_t *steps)
{
    *steps = -1;
    for (int i = 0; i < rg_n_in(ctx, INPUTS); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, INPUTS, i);
        if (x == NULL || x->shape.rank < 1 || (*steps >= 0 && x->shape.dim[0] != *steps))
            return rg_fail(RG_ESHAPE, "input %s does not have %lld steps in its dimension 0",
                           rg_in_name(ctx, INPUTS, i), (long long)*steps);
        *steps = x->shape.dim[0];
    }
    if (*steps < 1)
        return rg_fail(RG_ESHAPE, "there is no step to run: inputs have %lld entries",
                       (long long)*steps);
    return RG_OK;
}

/* Where step number i stands in dimension 0. */
static int64_t entry_of(const rg_ctx *ctx, int64_t i, int64_t steps)
{
    return rg_attr_bool(ctx, REVERSE) ? steps - 1 - i : i;
}

static rg_shape entry_shape(const rg_value *whole)
{
    rg_shape shape = {.rank = whole->meta.shape.rank - 1};
    memcpy(shape.dim, whole->meta.shape.dim + 1, (size_t)shape.rank * sizeof *shape.dim);
    return shape;
}

static rg_status take_entry(const rg_value *whole, int64_t entry, rg_value *out)
{
    rg_shape shape = entry_shape(whole);
    RG_TRY(rg_value_resize(out, whole->meta.dtype, &shape));
    rg_value_set_lod(out, NULL);
    memcpy(out->data, rg_row(whole, entry), rg_value_bytes(out));
    return RG_OK;
}

/* `whole` has the entry's shape with a dimension of `steps` before it. */
static rg_status put_entry(rg_value *whole, int64_t entry, int64_t steps, const rg_value *from,
                           bool first)
{
    rg_shape shape = {.rank = from->meta.shape.rank + 1, .dim = {steps}};
    if (shape.rank > RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "a step's output has %d dimensions already", shape.rank - 1);
    memcpy(shape.dim + 1, from->meta.shape.dim, (size_t)from->meta.shape.rank * sizeof *shape.dim);
    if (first)
        RG_TRY(rg_value_resize(whole, from->meta.dtype, &shape));
    if (!rg_shape_equal(&whole->meta.shape, &shape))
        return rg_fail(RG_ESHAPE, "a step's output changes its shape from step to step");
    memcpy(rg_row(whole, entry), from->data, rg_value_bytes(from));
    return RG_OK;
}

/* What passes from one step to the next, kept between runs for its memory. */
typedef struct memory {
    int n;
    rg_value values[];
} memory;

static rg_status memory_of(rg_ctx *ctx, memory **out)
{
    int n = rg_attr_list(ctx, STATES)->n;
    if (ctx->state == NULL) {
        size_t bytes = sizeof(memory) + (size_t)n * sizeof(rg_value);
        memory *made = rg_alloc_zero(1, bytes);
        if (made == NULL)
            return rg_no_memory(bytes, "the states of a recurrent block");
        made->n = n;
        for (int k = 0; k < n; k++)
            rg_value_init(&made->values[k]);
        ctx->state = made;
    }
    *out = ctx->state;
    return RG_OK;
}

static void drop(void *state)
{
    memory *m = state;
    for (int k = 0; k < m->n; k++)
        rg_value_fini(&m->values[k]);
    rg_free(m);
}

/* ---- forward ---- */

static rg_status enter_step(rg_ctx *ctx, int64_t entry)
{
    const rg_run_services *run = ctx->run->services;
    const memory *m = ctx->state;
    for (int i = 0; i < rg_n_in(ctx, INPUTS); i++) {
        rg_value *inner = run->block_value(ctx, rg_in_name(ctx, INPUTS, i));
        if (inner != NULL)
            RG_TRY(take_entry(rg_in_n(ctx, INPUTS, i), entry, inner));
    }
    for (int k = 0; k < m->n; k++) {
        rg_value *inner = run->block_value(ctx, rg_attr_list(ctx, EX_STATES)->strings[k]);
        if (inner != NULL)
            RG_TRY(rg_value_copy(inner, &m->values[k]));
    }
    return RG_OK;
}

static rg_status leave_step(rg_ctx *ctx, int64_t entry, int64_t steps, bool first)
{
    const rg_run_services *run = ctx->run->services;
    memory *m = ctx->state;
    for (int i = 0; i < rg_n_out(ctx, OUTPUTS); i++) {
        const rg_value *inner = run->block_value(ctx, rg_out_name(ctx, OUTPUTS, i));
        rg_value *out = rg_out_n(ctx, OUTPUTS, i);
        if (inner == NULL || inner->data == NULL)
            return rg_fail(RG_EINVAL, "the block does not compute its output %s",
                           rg_out_name(ctx, OUTPUTS, i));
        if (out != NULL)
            RG_TRY(put_entry(out, entry, steps, inner, first));
    }
    for (int k = 0; k < m->n; k++) {
        const char *name = rg_attr_list(ctx, STATES)->strings[k];
        const rg_value *inner = run->block_value(ctx, name);
        if (inner == NULL || inner->data == NULL)
            return rg_fail(RG_EINVAL, "the block does not compute its state %s", name);
        RG_TRY(rg_value_copy(&m->values[k], inner));
    }
    return RG_OK;
}

static rg_status recurrent_kernel(rg_ctx *ctx)
{
    const rg_run_services *run = ctx->run->services;
    rg_value *scopes = rg_out(ctx, STEP_SCOPES);
    memory *m;
    int64_t steps;
    RG_TRY(count_steps(ctx, &steps));
    RG_TRY(memory_of(ctx, &m));
    for (int k = 0; k < m->n; k++)
        RG_TRY(rg_value_copy(&m->values[k], rg_in_n(ctx, INITIAL_STATES, k)));
    if (scopes != NULL)
        scopes->n_rows = 0;
    for (int64_t i = 0; i < steps; i++) {
        RG_TRY(enter_step(ctx, entry_of(ctx, i, steps)));
        RG_TRY(run->run_block(ctx));
        RG_TRY(leave_step(ctx, entry_of(ctx, i, steps), steps, i == 0));
        if (scopes != NULL && rg_attr_bool(ctx, IS_TRAIN))
            RG_TRY(run->save_step(ctx, scopes));
    }
    return RG_OK;
}

static rg_status recurrent_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_attr *states = rg_opdesc_attr(forward, "states");
    static const char *const reads[] = {"inputs", "initial_states", "parameters"};
    static const char *const writes[] = {"inputs@GRAD", "initial_states@GRAD", "parameters@GRAD"};
    const rg_args *scopes = rg_opdesc_out(forward, "step_scopes");
    rg_opdesc *op;
    int block;
    RG_TRY(rg_grad_sub_block(ctx, false, states->strings, states->n, &block));
    RG_TRY(rg_grad_add(ctx, "recurrent_grad", true, &op));
    RG_TRY(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = block}));
    for (int i = 0; i < 3; i++) {
        const rg_args *args = rg_opdesc_in(forward, reads[i]);
        if (args != NULL) /* by the names that the block knows */
            RG_TRY(rg_opdesc_set_in(op, reads[i], args->n, args->names));
        RG_TRY(rg_grad_write(ctx, op, writes[i], reads[i], -1, NULL));
    }
    RG_TRY(rg_grad_read_out(ctx, op, "outputs", "outputs"));
    RG_TRY(rg_grad_read_grad(ctx, op, "outputs@GRAD", "outputs"));
    if (scopes == NULL)
        return rg_fail(RG_EINVAL, "the gradient of a recurrent op needs its step_scopes");
    RG_TRY(rg_opdesc_set_in(op, "step_scopes", scopes->n, scopes->names));
    return rg_opdesc_set_in(op, "step_scopes@GRAD", scopes->n, scopes->names);
}

#define ATTRS                                                                                      \
    RG_ATTRS([HAS_STATES] = RG_BOOLEAN("has_states", false, "kept for files"),                     \
             [EX_STATES] = RG_REQUIRED("ex_states", RG_ATTR_STRINGS, "states, as the step finds"), \
             [STATES] = RG_REQUIRED("states", RG_ATTR_STRINGS, "states, as the step leaves"),      \
             [SUB_BLOCK] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the block"),                   \
             [REVERSE] = RG_BOOLEAN("reverse", false, "from the last entry to the first"),         \
             [IS_TRAIN] = RG_BOOLEAN("is_train", true, "the steps are kept for the gradient"),     \
             [SKIP_VARS] = RG_LIST("skip_eager_deletion_vars", RG_ATTR_STRINGS, "kept for files"))

const rg_op rg_op_recurrent = {
    .type = "recurrent",
    .doc = "A block run once for each entry of dimension 0.",
    .in = RG_SLOTS([INPUTS] = {"inputs", "[steps, ...] each", RG_REPEATED | RG_OPTIONAL},
                   [INITIAL_STATES] = {"initial_states", "states before the first step",
                                       RG_REPEATED | RG_OPTIONAL},
                   [PARAMETERS] = {"parameters", "what the block reads besides",
                                   RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND}),
    .out = RG_SLOTS([OUTPUTS] = {"outputs", "[steps, ...] each", RG_REPEATED | RG_OPTIONAL},
                    [STEP_SCOPES] = {"step_scopes", "its steps", RG_OPTIONAL}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = recurrent_infer,
    .kernel = recurrent_kernel,
    .grad = recurrent_grad,
    .drop = drop,
};

/* ---- gradient ---- */

enum { G_INPUTS, G_INITIAL, G_PARAMETERS, G_OUTPUTS, G_DOUTPUTS, G_SCOPES, G_DSCOPES };
enum { G_DINPUTS, G_DINITIAL, G_DPARAMETERS };

static rg_status zeros(rg_value *out, rg_dtype dtype, const rg_shape *shape)
{
    RG_TRY(rg_value_resize(out, dtype, shape));
    memset(out->data, 0, rg_value_bytes(out));
    return RG_OK;
}

/* What the step finds: the gradients of its outputs and of its states, the latter from the
 * step after it. A state that is an output too has both. */
static rg_status enter_back(rg_ctx *ctx, int64_t entry)
{
    const memory *m = ctx->state;
    for (int i = 0; i < rg_n_in(ctx, G_OUTPUTS); i++) {
        const rg_value *outer = rg_in_n(ctx, G_DOUTPUTS, i), *out = rg_in_n(ctx, G_OUTPUTS, i);
        rg_value *inner = rg_inner_grad(ctx, rg_in_name(ctx, G_OUTPUTS, i));
        if (inner == NULL || out == NULL)
            continue;
        rg_shape shape = entry_shape(out);
        RG_TRY(zeros(inner, out->meta.dtype, &shape));
        if (outer != NULL && outer->data != NULL && rg_numel(outer) == rg_numel(out))
            memcpy(inner->data, rg_row(outer, entry), rg_value_bytes(inner));
    }
    for (int k = 0; k < m->n; k++) {
        const char *name = rg_attr_list(ctx, STATES)->strings[k];
        rg_value *inner = rg_inner_grad(ctx, name);
        bool is_output = false;
        for (int i = 0; i < rg_n_in(ctx, G_OUTPUTS); i++)
            is_output = is_output || strcmp(rg_in_name(ctx, G_OUTPUTS, i), name) == 0;
        if (inner != NULL)
            RG_TRY(is_output ? rg_add_step_grad(inner, &m->values[k])
                             : rg_value_copy(inner, &m->values[k]));
    }
    return RG_OK;
}

static rg_status leave_back(rg_ctx *ctx, int64_t entry, int64_t steps, bool first)
{
    memory *m = ctx->state;
    for (int i = 0; i < rg_n_out(ctx, G_DINPUTS); i++) {
        const rg_value *inner = rg_inner_grad(ctx, rg_in_name(ctx, G_INPUTS, i));
        rg_value *outer = rg_out_n(ctx, G_DINPUTS, i);
        if (outer != NULL && inner != NULL && inner->data != NULL)
            RG_TRY(put_entry(outer, entry, steps, inner, first));
    }
    for (int i = 0; i < rg_n_out(ctx, G_DPARAMETERS); i++) {
        const rg_value *inner = rg_inner_grad(ctx, rg_in_name(ctx, G_PARAMETERS, i));
        rg_value *outer = rg_out_n(ctx, G_DPARAMETERS, i);
        if (outer != NULL && inner != NULL && inner->data != NULL)
            RG_TRY(first ? rg_value_copy(outer, inner) : rg_add_step_grad(outer, inner));
    }
    for (int k = 0; k < m->n; k++) {
        const rg_value *inner = rg_inner_grad(ctx, rg_attr_list(ctx, EX_STATES)->strings[k]);
        rg_value *value = &m->values[k];
        if (inner != NULL && inner->data != NULL)
            RG_TRY(rg_value_copy(value, inner));
        else
            memset(value->data, 0, rg_value_bytes(value));
    }
    return RG_OK;
}

/* Zeros for what no step gave a gradient, of inputs `in`. */
static rg_status fill_missing(rg_ctx *ctx, int in, int out)
{
    for (int i = 0; i < rg_n_out(ctx, out); i++) {
        rg_value *outer = rg_out_n(ctx, out, i);
        const rg_value *inner = outer ? rg_inner_grad(ctx, rg_in_name(ctx, in, i)) : NULL;
        const rg_value *like = rg_in_n(ctx, in, i);
        if (outer != NULL && (inner == NULL || inner->data == NULL))
            RG_TRY(zeros(outer, like->meta.dtype, &like->meta.shape));
    }
    return RG_OK;
}

static rg_status run_back(rg_ctx *ctx, rg_value *scopes, int64_t steps)
{
    const rg_run_services *run = ctx->run->services;
    for (int64_t i = steps; i-- > 0;) {
        int64_t entry = entry_of(ctx, i, steps);
        RG_TRY(run->load_step(ctx, scopes, (size_t)i));
        RG_TRY(enter_back(ctx, entry));
        RG_TRY(run->run_block(ctx));
        RG_TRY(leave_back(ctx, entry, steps, i + 1 == steps));
    }
    return RG_OK;
}

static rg_status recurrent_grad_kernel(rg_ctx *ctx)
{
    const rg_run_services *run = ctx->run->services;
    rg_value *scopes = (rg_value *)(uintptr_t)rg_in(ctx, G_SCOPES);
    memory *m;
    int64_t steps;
    RG_TRY(count_steps(ctx, &steps));
    RG_TRY(memory_of(ctx, &m));
    for (int k = 0; k < m->n; k++) {
        const rg_value *initial = rg_in_n(ctx, G_INITIAL, k);
        RG_TRY(zeros(&m->values[k], initial->meta.dtype, &initial->meta.shape));
    }
    RG_TRY(run->keep_present(ctx, scopes));
    rg_status code = run_back(ctx, scopes, steps);
    RG_TRY(run->load_present(ctx, scopes));
    for (int k = 0; code == RG_OK && k < rg_n_out(ctx, G_DINITIAL); k++)
        if (rg_out_n(ctx, G_DINITIAL, k) != NULL)
            code = rg_value_copy(rg_out_n(ctx, G_DINITIAL, k), &m->values[k]);
    if (code == RG_OK)
        code = fill_missing(ctx, G_INPUTS, G_DINPUTS);
    return code == RG_OK ? fill_missing(ctx, G_PARAMETERS, G_DPARAMETERS) : code;
}

static rg_status recurrent_grad_infer(rg_ctx *ctx)
{
    RG_TRY(check_states(ctx, G_INITIAL));
    for (int s = 0; !rg_running(ctx) && s <= G_DPARAMETERS; s++)
        for (int i = 0; i < rg_n_out(ctx, s); i++)
            if (rg_out_meta_n(ctx, s, i) != NULL && rg_in_meta_n(ctx, s, i) != NULL) {
                rg_set_shape_n(ctx, s, i, &rg_in_meta_n(ctx, s, i)->shape);
                rg_set_dtype_n(ctx, s, i, rg_in_meta_n(ctx, s, i)->dtype);
            }
    return RG_OK;
}

const rg_op rg_op_recurrent_grad = {
    .type = "recurrent_grad",
    .doc = "Gradient of recurrent.",
    .in = RG_SLOTS([G_INPUTS] = {"inputs", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_INITIAL] = {"initial_states", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_PARAMETERS] = {"parameters", "",
                                     RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_OUTPUTS] = {"outputs", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_DOUTPUTS] = {"outputs@GRAD", "", RG_REPEATED | RG_OPTIONAL},
                   [G_SCOPES] = {"step_scopes", "", RG_ANY_KIND},
                   [G_DSCOPES] = {"step_scopes@GRAD", "the same", RG_OPTIONAL | RG_ANY_KIND}),
    .out = RG_SLOTS([G_DINPUTS] = {"inputs@GRAD", "", RG_REPEATED | RG_OPTIONAL},
                    [G_DINITIAL] = {"initial_states@GRAD", "", RG_REPEATED | RG_OPTIONAL},
                    [G_DPARAMETERS] = {"parameters@GRAD", "", RG_REPEATED | RG_OPTIONAL}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = recurrent_grad_infer,
    .kernel = recurrent_grad_kernel,
    .drop = drop,
};
