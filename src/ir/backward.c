/* backward.c - the reverse walk over a block's ops.
 *
 * The ops that the target depends on are taken from the last to the first. When an
 * op's turn comes, all readers of its outputs have been differentiated, so the
 * contributions to each output's gradient are summed and the op's own gradient ops
 * are appended, each adding a contribution to the gradients of the op's inputs. */
#include "ir/backward_priv.h"

#include <string.h>

/* ---- the walk over a block ---- */

static bool touches(const rg_args *args, int n, const rg_map *names)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++)
            if (rg_map_has(names, args[i].names[k]))
                return true;
    return false;
}

static rg_status put_all(const rg_args *args, int n, rg_map *names)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < args[i].n; k++)
            RG_TRY(rg_map_put(names, args[i].names[k], args[i].names[k]));
    return RG_OK;
}

bool rg_walk_is_update(const rg_opdesc *op)
{
    return (rg_opdesc_role(op) & (RG_ROLE_OPTIMIZE | RG_ROLE_LR_SCHED)) != 0;
}

/* on_path[i]: whether op i of the block leads from the inputs (all, if there are none
 * given) to the targets. */
static rg_status find_path(const rg_block *block, size_t n_ops, const char *const *targets,
                           int n_targets, const char *const *inputs, int n_inputs, bool *on_path)
{
    rg_map reached = {0};
    rg_status code = RG_OK;
    for (size_t i = 0; i < n_ops; i++)
        on_path[i] = n_inputs == 0;
    for (int i = 0; i < n_inputs; i++)
        RG_TRY_GOTO(code, rg_map_put(&reached, inputs[i], inputs[i]));
    for (size_t i = 0; n_inputs > 0 && i < n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        if (!touches(op->in, op->n_in, &reached))
            continue;
        on_path[i] = true;
        RG_TRY_GOTO(code, put_all(op->out, op->n_out, &reached));
    }
    rg_map_fini(&reached);
    for (int i = 0; i < n_targets; i++)
        RG_TRY_GOTO(code, rg_map_put(&reached, targets[i], targets[i]));
    for (size_t i = n_ops; i-- > 0;) {
        const rg_opdesc *op = block->ops[i];
        on_path[i] = on_path[i] && !rg_walk_is_update(op) && touches(op->out, op->n_out, &reached);
        if (on_path[i])
            RG_TRY_GOTO(code, put_all(op->in, op->n_in, &reached));
    }
done:
    rg_map_fini(&reached);
    return code;
}

static void walk_fini(rg_backward_walk *w)
{
    rg_map_fini(&w->states);
    rg_map_fini(&w->no_grad);
    rg_map_fini(&w->last_writer);
    rg_map_fini(&w->copy_of);
    rg_map_fini(&w->constants);
    rg_map_fini(&w->checkpoints);
    rg_map_fini(&w->writers);
    rg_map_fini(&w->again);
    rg_arena_free(&w->arena);
}

/* Walk the first n_ops ops of w->forward, those on the path to the targets. */
static rg_status walk_back(rg_backward_walk *w, size_t n_ops, const char *const *targets,
                           int n_targets, const char *const *inputs, int n_inputs)
{
    bool *on_path = rg_arena_alloc(&w->arena, n_ops);
    if (on_path == NULL)
        return rg_grads_no_memory();
    RG_TRY(find_path(w->forward, n_ops, targets, n_targets, inputs, n_inputs, on_path));
    w->n_forward = n_ops;
    for (size_t i = 0; i < n_ops; i++) {
        const rg_opdesc *op = w->forward->ops[i];
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                RG_TRY(rg_map_put(&w->last_writer, op->out[s].names[k], (void *)(i + 1)));
    }
    RG_TRY(rg_recompute_begin(w));
    for (size_t i = n_ops; i-- > 0;) {
        RG_TRY(rg_recompute_enter(w, i, on_path));
        if (on_path[i])
            RG_TRY(rg_walk_differentiate(w, w->forward->ops[i], i));
    }
    return RG_OK;
}

/* ---- sub-blocks ---- */

/* The gradients of arrays that the loop reads are variables around it: of the block that has the
 * array, whose own loops share it with those inside them. */
static rg_status share_arrays(rg_backward_walk *outer, rg_backward_walk *w, const rg_opdesc *loop)
{
    for (int i = 0; i < loop->n_in; i++)
        for (int k = 0; k < loop->in[i].n; k++) {
            const char *name = loop->in[i].names[k];
            const rg_vardesc *var = rg_block_find(outer->forward, name);
            if (var == NULL || var->meta.kind != RG_ARRAY || !rg_grads_wanted(outer, name))
                continue;
            const char *grad = rg_grads_name(outer, name);
            rg_grad_state *inner = rg_grads_of(w, name);
            rg_vardesc *made;
            if (grad == NULL || inner == NULL)
                return rg_grads_no_memory();
            inner->plain = grad;
            if (var->block != outer->forward && rg_block_find(outer->block, grad) != NULL)
                continue;
            RG_TRY(rg_block_add_var(outer->block, grad, &made));
            made->meta = var->meta;
        }
    return RG_OK;
}

/* The gradient of an output of the loop as its body's gradient finds it: of a tensor, a
 * variable of the block that the loop's gradient op fills; of an array, the outer one. */
static rg_status enter_sub_block(rg_backward_walk *w, const char *name, rg_grad_state *state,
                                 const char *grad)
{
    const rg_vardesc *from = rg_block_find(w->forward, name);
    if (from == NULL || from->meta.kind != RG_ARRAY) {
        rg_vardesc *var;
        RG_TRY(rg_block_add_var(w->block, grad, &var));
        if (from != NULL)
            var->meta = from->meta;
    }
    return rg_grads_push(w, state, grad, NULL);
}

/* What flows out of the block is one variable each. An output that the body writes
 * without having read it has no gradient before that: zeros for the step before. */
static rg_status leave_sub_block(rg_backward_walk *w, const char *const *targets, int n)
{
    const char *grad;
    for (size_t i = 0; i < w->states.n_entries; i++)
        if (rg_map_at(&w->states, i) != NULL)
            RG_TRY(rg_grads_settle(w, w->states.entries[i].key, &grad));
    for (int i = 0; i < n; i++) {
        const rg_grad_state *state = rg_map_get(&w->states, targets[i]);
        rg_opdesc *zeros;
        if (state == NULL || state->n > 0)
            continue;
        RG_TRY(rg_walk_append(w, NULL, false, "fill_zeros_like", &zeros));
        RG_TRY(rg_opdesc_set_in(zeros, "X", 1, &targets[i]));
        RG_TRY(rg_opdesc_set_out(zeros, "Out", 1, &state->plain));
        RG_TRY(rg_opdesc_infer(zeros));
    }
    return RG_OK;
}

/* Whether the gradient of the op's output is wanted in its block: where it has one, or where a
 * later step of a loop reads what this one leaves. */
static bool enters(const rg_grad_ctx *ctx, const char *name, bool loop)
{
    const rg_grad_state *state = rg_map_get(&ctx->walk->states, name);
    const rg_vardesc *var = rg_block_find(ctx->walk->forward, name);
    if (state != NULL && state->final != NULL)
        return true;
    return loop && var != NULL && rg_grads_wanted(ctx->walk, name) && rg_op_reads(ctx->op, name);
}

/* One more variable whose gradient the block is given. */
static rg_status add_target(rg_backward_walk *w, const char *name, const char **targets, int *n)
{
    rg_grad_state *state = rg_grads_of(w, name);
    const char *grad = rg_grads_name(w, name);
    if (state == NULL || grad == NULL)
        return rg_grads_no_memory();
    for (int i = 0; i < *n; i++)
        if (strcmp(targets[i], name) == 0)
            return RG_OK;
    targets[(*n)++] = name;
    return enter_sub_block(w, name, state, grad);
}

static rg_status walk_sub_block(rg_grad_ctx *ctx, rg_backward_walk *w, bool loop,
                                const char *const *states, int n_states)
{
    const rg_opdesc *op = ctx->op;
    int n = n_states;
    for (int i = 0; i < op->n_out; i++)
        n += op->out[i].n;
    const char **targets = rg_arena_alloc(&w->arena, (size_t)(n + 1) * sizeof *targets);
    if (targets == NULL)
        return rg_grads_no_memory();
    RG_TRY(share_arrays(ctx->walk, w, op));
    n = 0;
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++)
            if (enters(ctx, op->out[i].names[k], loop))
                RG_TRY(add_target(w, op->out[i].names[k], targets, &n));
    for (int i = 0; i < n_states; i++)
        RG_TRY(add_target(w, states[i], targets, &n));
    RG_TRY(walk_back(w, w->forward->n_ops, targets, n, NULL, 0));
    return leave_sub_block(w, targets, n);
}

rg_status rg_grad_sub_block(rg_grad_ctx *ctx, bool loop, const char *const *states, int n, int *out)
{
    rg_backward_walk *outer = ctx->walk;
    rg_program *program = outer->block->program;
    const rg_attr *attr = rg_opdesc_attr(ctx->op, "sub_block");
    rg_block *forward = attr ? rg_program_block(program, attr->i) : NULL, *block;
    if (forward == NULL)
        return rg_fail(RG_ECORRUPT, "op %s has no block", ctx->op->type);
    RG_TRY(rg_program_add_block(program, outer->block->idx, &block));
    block->forward_idx = forward->idx;
    rg_backward_walk w = {
        .block = block, .forward = forward, .options = outer->options, .outer = outer, .at = ctx};
    rg_status code = walk_sub_block(ctx, &w, loop, states, n);
    walk_fini(&w);
    *out = block->idx;
    return code;
}

/* ---- of a program ---- */

static rg_status seed_with_ones(rg_backward_walk *w, const char *target, int role)
{
    const rg_vardesc *var = rg_block_find(w->forward, target);
    const char *grad = rg_grads_target_name(w, target);
    rg_opdesc *fill;
    if (grad == NULL)
        return rg_grads_no_memory();
    bool known = rg_shape_numel(&var->meta.shape) >= 0;
    RG_TRY(rg_block_append_op(w->block, known ? "fill_constant" : "fill_any_like", &fill));
    if (known) {
        RG_TRY(rg_opdesc_set_attr(fill, &(rg_attr){.name = "shape",
                                                   .type = RG_ATTR_LONGS,
                                                   .n = var->meta.shape.rank,
                                                   .longs = var->meta.shape.dim}));
    } else {
        RG_TRY(rg_opdesc_set_in(fill, "X", 1, &target));
    }
    RG_TRY(rg_opdesc_set_attr(fill, &(rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = 1.0f}));
    RG_TRY(rg_opdesc_set_attr(
        fill, &(rg_attr){.name = "dtype", .type = RG_ATTR_INT, .i = (int32_t)var->meta.dtype}));
    RG_TRY(rg_opdesc_set_out(fill, "Out", 1, &grad));
    RG_TRY(rg_walk_set_role(fill, role));
    RG_TRY(rg_opdesc_infer(fill));
    rg_grad_state *state = rg_grads_of(w, target);
    return state ? rg_grads_push(w, state, grad, fill) : rg_grads_no_memory();
}

/* The program's own role and variables are set aside while gradient ops are added:
 * those say for themselves what they are. */
typedef struct saved_role {
    int32_t role;
    int n_role_vars;
    const char *where;
} saved_role;

static saved_role enter(rg_program *program)
{
    saved_role saved = {program->op_role, program->n_role_vars, program->where};
    program->op_role = RG_ROLE_BACKWARD;
    program->n_role_vars = 0;
    program->where = NULL;
    return saved;
}

static void leave(rg_program *program, saved_role saved)
{
    program->op_role = saved.role;
    program->n_role_vars = saved.n_role_vars;
    program->where = saved.where;
}

static rg_status start(rg_backward_walk *w, rg_block *block, const rg_backward_options *options)
{
    *w = (rg_backward_walk){.block = block, .forward = block, .options = options};
    for (int i = 0; i < options->n_no_grad; i++)
        RG_TRY(rg_map_put(&w->no_grad, options->no_grad[i], options->no_grad[i]));
    return RG_OK;
}

/* The op that makes `name`: the loss op, marked as such. */
static rg_status mark_loss(rg_block *block, const char *name)
{
    for (size_t i = block->n_ops; i-- > 0;) {
        rg_opdesc *op = block->ops[i];
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                if (strcmp(op->out[s].names[k], name) == 0)
                    return rg_walk_set_role(op, rg_opdesc_role(op) | RG_ROLE_LOSS);
    }
    return RG_OK;
}

rg_status rg_append_backward(rg_block *block, const char *loss, const char *const *parameters,
                             int n, rg_grad_pair *pairs, const rg_backward_options *options)
{
    static const rg_backward_options none = {0};
    const rg_vardesc *var = rg_block_find(block, loss);
    if (var == NULL)
        return rg_fail(RG_ENOENT, "there is no variable %s to be the loss", loss);
    int64_t numel = rg_shape_numel(&var->meta.shape);
    if (numel != 1) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "the loss %s has the shape %s, and must be one number: "
                       "take its mean or sum",
                       loss, rg_shape_text(&var->meta.shape, text));
    }
    RG_TRY(mark_loss(block, loss));
    saved_role saved = enter(block->program);
    size_t n_ops = block->n_ops;
    rg_backward_walk w;
    rg_status code = start(&w, block, options ? options : &none);
    if (code == RG_OK)
        code = seed_with_ones(&w, loss, RG_ROLE_BACKWARD | RG_ROLE_LOSS);
    if (code == RG_OK)
        code = walk_back(&w, n_ops, &loss, 1, NULL, 0);
    for (size_t i = 0; code == RG_OK && i < w.states.n_entries; i++) {
        const char *grad;
        if (rg_map_at(&w.states, i) != NULL)
            code = rg_grads_settle(&w, w.states.entries[i].key, &grad);
    }
    for (int i = 0; code == RG_OK && i < n; i++) {
        pairs[i].var = parameters[i];
        code = rg_grads_settle(&w, parameters[i], &pairs[i].grad);
    }
    walk_fini(&w);
    leave(block->program, saved);
    return code;
}

rg_status rg_gradients(rg_block *block, const char *const *targets, const char *const *target_grads,
                       int n_targets, const char *const *inputs, int n_inputs, const char **grads,
                       const rg_backward_options *options)
{
    static const rg_backward_options none = {0};
    saved_role saved = enter(block->program);
    size_t n_ops = block->n_ops;
    rg_backward_walk w;
    rg_status code = start(&w, block, options ? options : &none);
    w.no_roles = true;
    for (int i = 0; code == RG_OK && i < n_targets; i++) {
        if (rg_block_find(block, targets[i]) == NULL) {
            code = rg_fail(RG_ENOENT, "there is no variable %s to differentiate", targets[i]);
        } else if (target_grads == NULL || target_grads[i] == NULL) {
            code = seed_with_ones(&w, targets[i], RG_ROLE_BACKWARD);
        } else {
            rg_grad_state *state = rg_grads_of(&w, targets[i]);
            const char *kept = rg_program_name(block->program, target_grads[i]);
            code = state && kept ? rg_grads_push(&w, state, kept, NULL) : rg_grads_no_memory();
        }
    }
    if (code == RG_OK)
        code = walk_back(&w, n_ops, targets, n_targets, inputs, n_inputs);
    for (int i = 0; code == RG_OK && i < n_inputs; i++)
        code = rg_grads_settle(&w, inputs[i], &grads[i]);
    walk_fini(&w);
    leave(block->program, saved);
    return code;
}
