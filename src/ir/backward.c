/* backward.c - the reverse walk over a block's ops.
 *
 * The ops that the target depends on are taken from the last to the first. When an
 * op's turn comes, all readers of its outputs have been differentiated, so the
 * contributions to each output's gradient are summed and the op's own gradient ops
 * are appended, each adding a contribution to the gradients of the op's inputs. */
#include "ir/backward.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* What is known of one variable's gradient so far. */
typedef struct grad_state {
    const char **names; /* contributions not yet summed */
    rg_opdesc **ops;    /* the op that writes each; NULL: from outside */
    int n;
    const char *plain; /* the name of the whole: x@GRAD */
    int renamed;       /* contributions that have been given a @RENAME@ name */
    const char *final; /* of the op at hand: its output's gradient, summed; NULL: none */
} grad_state;

typedef struct walk {
    rg_block *block;   /* where gradient ops go */
    rg_block *forward; /* whose ops are walked */
    const rg_backward_options *options;
    struct walk *outer;     /* of the block around a sub-block */
    struct rg_grad_ctx *at; /* of a sub-block: the op of `outer` that runs it */
    rg_map states;          /* name -> grad_state */
    rg_map no_grad;
    rg_map last_writer; /* name -> 1 + index in `forward` of the last op that writes it */
    size_t n_forward;   /* ops of `forward` that are walked, and those before them */
    rg_arena arena;
} walk;

struct rg_grad_ctx {
    walk *walk;
    const rg_opdesc *op;
    size_t index;     /* of the op, in walk->forward */
    rg_opdesc *after; /* the last op of walk->block before those appended for it */
};

static rg_status no_memory(void)
{
    return rg_fail(RG_ENOMEM, "no memory for gradients");
}

static rg_status append_grad(walk *w, const rg_opdesc *forward, bool with_attrs, const char *type,
                             rg_opdesc **out);

static grad_state *state_of(walk *w, const char *name)
{
    grad_state *state = rg_map_get(&w->states, name);
    if (state != NULL)
        return state;
    const char *kept = rg_program_name(w->block->program, name);
    state = rg_arena_zero(&w->arena, sizeof *state);
    if (kept == NULL || state == NULL || rg_map_put(&w->states, kept, state) != RG_OK)
        return NULL;
    return state;
}

static const char *keep_name(walk *w, const char *text, int length, size_t size)
{
    return length > 0 && (size_t)length < size ? rg_program_name(w->block->program, text) : NULL;
}

static const char *rename_name(walk *w, const char *grad, int i)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s@RENAME@block%d@%d", grad, w->block->idx, i);
    return keep_name(w, text, n, sizeof text);
}

/* x@GRAD; where an earlier call has made that variable, x@GRAD_0 and so on. */
static const char *grad_name(walk *w, const char *name)
{
    grad_state *state = state_of(w, name);
    if (state == NULL || state->plain != NULL)
        return state ? state->plain : NULL;
    char text[1024];
    int n = snprintf(text, sizeof text, "%s" RG_GRAD_SUFFIX, name);
    for (int i = 0; n > 0 && (size_t)n < sizeof text && rg_block_var(w->block, text) != NULL; i++)
        n = snprintf(text, sizeof text, "%s" RG_GRAD_SUFFIX "_%d", name, i);
    state->plain = keep_name(w, text, n, sizeof text);
    return state->plain;
}

static bool wanted(const walk *w, const char *name)
{
    if (strcmp(name, RG_EMPTY_NAME) == 0)
        return false;
    for (const walk *at = w; at != NULL; at = at->outer)
        if (rg_map_has(&at->no_grad, name))
            return false;
    const rg_vardesc *var = rg_block_find(w->forward, name);
    if (var == NULL || var->stop_gradient)
        return false;
    return var->meta.kind == RG_ARRAY || rg_dtype_is_float(var->meta.dtype);
}

/* ---- contributions ---- */

/* In a sub-block, gradients are its own: a variable of that name around it is another. */
static rg_status own_var(walk *w, const char *grad, const char *name)
{
    const rg_vardesc *from = rg_block_find(w->forward, name);
    rg_vardesc *var;
    if (w->outer == NULL || rg_block_var(w->block, grad) != NULL)
        return RG_OK;
    RG_TRY(rg_block_add_var(w->block, grad, &var));
    if (from != NULL)
        var->meta = from->meta;
    return RG_OK;
}

static rg_status push(walk *w, grad_state *state, const char *name, rg_opdesc *op)
{
    if ((state->n & (state->n - 1)) == 0) {
        size_t room = state->n ? (size_t)state->n * 2 : 1;
        const char **names = rg_arena_alloc(&w->arena, room * sizeof *names);
        rg_opdesc **ops = rg_arena_alloc(&w->arena, room * sizeof *ops);
        if (names == NULL || ops == NULL)
            return no_memory();
        if (state->n > 0) {
            memcpy(names, state->names, (size_t)state->n * sizeof *names);
            memcpy(ops, state->ops, (size_t)state->n * sizeof *ops);
        }
        state->names = names;
        state->ops = ops;
    }
    state->names[state->n] = name;
    state->ops[state->n++] = op;
    return RG_OK;
}

static rg_status give_rename(walk *w, grad_state *state, int i)
{
    const char *old = state->names[i];
    const char *fresh = rename_name(w, old, state->renamed);
    if (fresh == NULL)
        return no_memory();
    const rg_vardesc *from = rg_block_var(w->block, old);
    rg_vardesc *var;
    RG_TRY(rg_block_add_var(w->block, fresh, &var));
    if (from != NULL)
        var->meta = from->meta;
    RG_TRY(rg_opdesc_rename(state->ops[i], old, fresh, false, true));
    state->names[i] = fresh;
    state->renamed++;
    return RG_OK;
}

/* A name for one more contribution, by `op`, to the gradient of `name`. */
static rg_status contribute(walk *w, const char *name, rg_opdesc *op, const char **out)
{
    grad_state *state = state_of(w, name);
    const char *plain = grad_name(w, name);
    if (state == NULL || plain == NULL)
        return no_memory();
    const rg_vardesc *var = rg_block_find(w->forward, name);
    bool array = var != NULL && var->meta.kind == RG_ARRAY;
    if (state->n == 0) {
        *out = plain;
        if (!array)
            RG_TRY(own_var(w, plain, name));
        return push(w, state, plain, op);
    }
    if (array) {
        *out = plain; /* gradients of an array are added to it in place */
        return RG_OK;
    }
    if (state->n == 1 && state->ops[0] != NULL && state->names[0] == plain)
        RG_TRY(give_rename(w, state, 0));
    const char *fresh = rename_name(w, plain, state->renamed++);
    if (fresh == NULL)
        return no_memory();
    *out = fresh;
    return push(w, state, fresh, op);
}

/* The gradient of `name` as one variable: *grad, or NULL where there is none. */
static rg_status settle(walk *w, const char *name, const char **grad)
{
    grad_state *state = rg_map_get(&w->states, name);
    *grad = NULL;
    if (state == NULL || state->n == 0)
        return RG_OK;
    if (state->n > 1) {
        rg_opdesc *sum;
        const char *plain = grad_name(w, name);
        if (plain == NULL)
            return no_memory();
        RG_TRY(append_grad(w, NULL, false, "sum", &sum));
        RG_TRY(rg_opdesc_set_in(sum, "X", state->n, state->names));
        RG_TRY(rg_opdesc_set_out(sum, "Out", 1, &plain));
        RG_TRY(rg_opdesc_infer(sum));
        state->names[0] = plain;
        state->ops[0] = sum;
        state->n = 1;
    }
    *grad = state->names[0];
    return RG_OK;
}

/* ---- appending gradient ops ---- */

static rg_status set_role(rg_opdesc *op, int role)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "op_role", .type = RG_ATTR_INT, .i = role});
}

static rg_status append_grad(walk *w, const rg_opdesc *forward, bool with_attrs, const char *type,
                             rg_opdesc **out)
{
    rg_opdesc *op;
    RG_TRY(rg_block_append_op(w->block, type, &op));
    for (int i = 0; forward != NULL && i < forward->n_attrs; i++) {
        const rg_attr *attr = &forward->attrs[i];
        if (strcmp(attr->name, "op_role") == 0 || strcmp(attr->name, "op_role_var") == 0)
            continue;
        bool common = rg_attr_is_common(attr->name);
        bool known = op->op == NULL || rg_op_attr_slot(op->op, attr->name) >= 0;
        if (common || (with_attrs && known))
            RG_TRY(rg_opdesc_set_attr(op, attr));
    }
    RG_TRY(set_role(op, RG_ROLE_BACKWARD));
    *out = op;
    return RG_OK;
}

const rg_opdesc *rg_grad_forward(const rg_grad_ctx *ctx)
{
    return ctx->op;
}

rg_status rg_grad_add(rg_grad_ctx *ctx, const char *type, bool with_attrs, rg_opdesc **op)
{
    return append_grad(ctx->walk, ctx->op, with_attrs, type, op);
}

#define COPY_MARK "@BEFORE@"

/* The copy of `name` that is made just before the op at `writer`; NULL: none. */
static const char *copy_made(const rg_block *block, size_t writer, const char *name)
{
    size_t length = strlen(name);
    while (writer-- > 0 && strcmp(block->ops[writer]->type, "assign") == 0) {
        const rg_args *from = rg_opdesc_in(block->ops[writer], "X");
        const rg_args *to = rg_opdesc_out(block->ops[writer], "Out");
        if (from == NULL || from->n != 1 || to == NULL || to->n != 1)
            return NULL;
        if (strcmp(from->names[0], name) == 0 && strncmp(to->names[0], name, length) == 0 &&
            strncmp(to->names[0] + length, COPY_MARK, strlen(COPY_MARK)) == 0)
            return to->names[0];
        if (strstr(to->names[0], COPY_MARK) == NULL)
            return NULL;
    }
    return NULL;
}

/* A forward op overwrites `name`: keep the value that the gradient will need, in a copy made
 * just before. */
static rg_status copy_before(walk *w, size_t writer, const char *name, const char **copy)
{
    char text[1024];
    rg_opdesc *assign;
    *copy = copy_made(w->forward, writer, name);
    if (*copy != NULL)
        return RG_OK; /* another op's gradient has asked for it */
    int n = snprintf(text, sizeof text, "%s" COPY_MARK "0", name);
    for (int i = 1; n > 0 && (size_t)n < sizeof text && rg_block_var(w->forward, text); i++)
        n = snprintf(text, sizeof text, "%s" COPY_MARK "%d", name, i);
    *copy = keep_name(w, text, n, sizeof text);
    if (*copy == NULL)
        return no_memory();
    RG_TRY(rg_block_insert_op(w->forward, writer, "assign", &assign));
    RG_TRY(rg_opdesc_set_in(assign, "X", 1, &name));
    RG_TRY(rg_opdesc_set_out(assign, "Out", 1, copy));
    RG_TRY(set_role(assign, RG_ROLE_FORWARD));
    w->n_forward++;
    for (size_t i = 0; i < w->last_writer.n_entries; i++) {
        rg_map_entry *e = rg_map_at(&w->last_writer, i);
        if (e != NULL && (uintptr_t)e->value > writer)
            e->value = (void *)((uintptr_t)e->value + 1);
    }
    return rg_opdesc_infer(assign);
}

/* The variable that holds, when the gradient runs, what `name` was when op `index` had run,
 * or, with `before`, when it began. In a sub-block, a variable from around it that it changes
 * is for each step as the step left it. */
static rg_status value_at(rg_grad_ctx *ctx, const char *name, bool before, const char **out)
{
    walk *w = ctx->walk;
    const rg_vardesc *var = rg_block_find(w->forward, name);
    size_t last = (size_t)(uintptr_t)rg_map_get(&w->last_writer, name);
    *out = name;
    if (var == NULL || var->meta.kind != RG_TENSOR)
        return RG_OK;
    for (size_t i = ctx->index + (before ? 0 : 1); i < last; i++) {
        if (!rg_op_writes(w->forward->ops[i], name))
            continue;
        RG_TRY(copy_before(w, i, name, out));
        ctx->index += i == ctx->index; /* the copy stands where the op was */
        return RG_OK;
    }
    if (last > 0 || w->outer == NULL || var->block == w->forward)
        return RG_OK;
    return value_at(w->at, name, false, out);
}

/* Only the shape of a slot's variables is read: the op itself may have changed their data. */
static bool reads_shape_only(const rg_opdesc *op, const char *slot)
{
    int s = op->op ? rg_op_in_slot(op->op, slot) : -1;
    return s >= 0 && (op->op->in[s].flags & RG_SHAPE_ONLY) != 0;
}

static rg_status read_args(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const rg_args *args,
                           bool before)
{
    if (args == NULL)
        return RG_OK;
    const char **names = rg_arena_alloc(&ctx->walk->arena, (size_t)(args->n + 1) * sizeof *names);
    if (names == NULL)
        return no_memory();
    for (int i = 0; i < args->n; i++)
        RG_TRY(value_at(ctx, args->names[i], before && !reads_shape_only(op, to), &names[i]));
    return rg_opdesc_set_in(op, to, args->n, names);
}

rg_status rg_grad_read_in(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from)
{
    return read_args(ctx, op, to, rg_opdesc_in(ctx->op, from), true);
}

rg_status rg_grad_read_out(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from)
{
    return read_args(ctx, op, to, rg_opdesc_out(ctx->op, from), false);
}

/* Zeros for the gradient of an output that nothing downstream read. */
static rg_status zeros_for(walk *w, rg_opdesc *before, const char *name, const char **grad)
{
    rg_opdesc *zeros;
    *grad = grad_name(w, name);
    if (*grad == NULL)
        return no_memory();
    RG_TRY(own_var(w, *grad, name));
    RG_TRY(rg_block_insert_op(w->block, rg_opdesc_index(before), "fill_zeros_like", &zeros));
    RG_TRY(rg_opdesc_set_in(zeros, "X", 1, &name));
    RG_TRY(rg_opdesc_set_out(zeros, "Out", 1, grad));
    RG_TRY(set_role(zeros, RG_ROLE_BACKWARD));
    return rg_opdesc_infer(zeros);
}

rg_status rg_grad_read_grad(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from)
{
    walk *w = ctx->walk;
    const rg_args *args = rg_opdesc_out(ctx->op, from);
    if (args == NULL || args->n == 0)
        return RG_OK;
    int slot = op->op ? rg_op_in_slot(op->op, to) : -1;
    /* A list that is not of gradients alone has no use for a gap. */
    bool mixed = slot >= 0 && (op->op->in[slot].flags & RG_REPEATED) && strchr(to, '@') == NULL;
    bool optional = slot >= 0 && (op->op->in[slot].flags & RG_OPTIONAL) && !mixed;
    const char **names = rg_arena_alloc(&w->arena, (size_t)args->n * sizeof *names);
    if (names == NULL)
        return no_memory();
    bool any = false;
    for (int i = 0; i < args->n; i++) {
        const grad_state *state = rg_map_get(&w->states, args->names[i]);
        names[i] = state ? state->final : NULL;
        any = any || names[i] != NULL;
    }
    if (!any && optional)
        return rg_opdesc_set_in(op, to, 0, NULL);
    for (int i = 0; i < args->n; i++) {
        if (names[i] != NULL)
            continue;
        if (optional)
            names[i] = RG_EMPTY_NAME;
        else
            RG_TRY(zeros_for(w, op, args->names[i], &names[i]));
    }
    return rg_opdesc_set_in(op, to, args->n, names);
}

static bool slot_wanted(const rg_grad_ctx *ctx, const char *from)
{
    const rg_op *op = ctx->op->op;
    int slot = op ? rg_op_in_slot(op, from) : -1;
    return slot < 0 || !(op->in[slot].flags & RG_NO_GRAD);
}

rg_status rg_grad_passes_on(rg_grad_ctx *ctx, const char *slot, const char *name)
{
    walk *w = ctx->walk;
    rg_opdesc *op = w->forward->ops[ctx->index];
    const rg_args *args = rg_opdesc_in(op, slot);
    const rg_vardesc *var = rg_block_find(w->forward, name);
    const grad_state *state = rg_map_get(&w->states, name);
    int n = args ? args->n : 0;
    if (var == NULL || var->meta.kind != RG_TENSOR || !wanted(w, name) || state == NULL ||
        state->final == NULL)
        return RG_OK;
    for (int i = 0; i < n; i++)
        if (strcmp(args->names[i], name) == 0)
            return RG_OK;
    bool had_value = var->block != w->forward || var->is_data || var->persistable;
    for (size_t i = 0; !had_value && i < ctx->index; i++)
        had_value = rg_op_writes(w->forward->ops[i], name);
    if (!had_value)
        return RG_OK;
    const char **names = rg_arena_alloc(&w->arena, ((size_t)n + 1) * sizeof *names);
    if (names == NULL)
        return no_memory();
    if (n > 0)
        memcpy(names, args->names, (size_t)n * sizeof *names);
    names[n] = name;
    return rg_opdesc_set_in(op, slot, n + 1, names);
}

bool rg_grad_wanted(const rg_grad_ctx *ctx, const char *from, int i)
{
    const rg_args *args = rg_opdesc_in(ctx->op, from);
    return args != NULL && i < args->n && slot_wanted(ctx, from) &&
           wanted(ctx->walk, args->names[i]);
}

rg_status rg_grad_write(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from, int only,
                        bool *any_wanted)
{
    walk *w = ctx->walk;
    const rg_args *args = rg_opdesc_in(ctx->op, from);
    bool any = false;
    if (args != NULL && args->n > 0) {
        const char **names = rg_arena_alloc(&w->arena, (size_t)args->n * sizeof *names);
        if (names == NULL)
            return no_memory();
        int n = 0;
        for (int i = 0; i < args->n; i++) {
            if (only >= 0 && i != only)
                continue;
            names[n] = RG_EMPTY_NAME;
            if (rg_grad_wanted(ctx, from, i)) {
                RG_TRY(contribute(w, args->names[i], op, &names[n]));
                any = true;
            }
            n++;
        }
        RG_TRY(rg_opdesc_set_out(op, to, any ? n : 0, names));
    }
    if (any_wanted != NULL)
        *any_wanted = any;
    return RG_OK;
}

/* "X" of "X@GRAD", into text; false where the name is not a gradient's. */
static bool without_suffix(const char *name, char *text, size_t size)
{
    size_t length = strlen(name), suffix = strlen(RG_GRAD_SUFFIX);
    if (length <= suffix || strcmp(name + length - suffix, RG_GRAD_SUFFIX) != 0 ||
        length - suffix >= size)
        return false;
    memcpy(text, name, length - suffix);
    text[length - suffix] = '\0';
    return true;
}

static const rg_op *grad_op_of(const rg_op *op)
{
    char type[128];
    if (op->grad_type != NULL)
        return rg_op_find(op->grad_type);
    int n = snprintf(type, sizeof type, "%s_grad", op->type);
    return n > 0 && (size_t)n < sizeof type ? rg_op_find(type) : NULL;
}

/* The gradient as the gradient op's own slots describe it. */
static rg_status grad_by_schema(rg_grad_ctx *ctx, const rg_op *grad)
{
    char base[128];
    bool any = false;
    for (int s = 0; grad->out[s].name != NULL; s++) {
        if (!without_suffix(grad->out[s].name, base, sizeof base))
            continue;
        const rg_args *args = rg_opdesc_in(ctx->op, base);
        for (int i = 0; args != NULL && i < args->n; i++)
            any = any || rg_grad_wanted(ctx, base, i);
    }
    if (!any)
        return RG_OK;
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, grad->type, true, &op));
    for (int s = 0; grad->in[s].name != NULL; s++) {
        const char *name = grad->in[s].name;
        if (without_suffix(name, base, sizeof base))
            RG_TRY(rg_grad_read_grad(ctx, op, name, base));
        else if (rg_op_in_slot(ctx->op->op, name) >= 0)
            RG_TRY(rg_grad_read_in(ctx, op, name, name));
        else
            RG_TRY(rg_grad_read_out(ctx, op, name, name));
    }
    for (int s = 0; grad->out[s].name != NULL; s++)
        if (without_suffix(grad->out[s].name, base, sizeof base))
            RG_TRY(rg_grad_write(ctx, op, grad->out[s].name, base, -1, NULL));
    return RG_OK;
}

/* op_role_var of a gradient op: each parameter whose gradient it writes, and that. */
static rg_status set_role_vars(walk *w, rg_opdesc *op, const rg_opdesc *forward)
{
    const char **pairs = NULL;
    int n = 0;
    for (int i = 0; i < forward->n_in; i++)
        for (int k = 0; k < forward->in[i].n; k++) {
            const char *name = forward->in[i].names[k];
            const rg_vardesc *var = rg_block_find(w->forward, name);
            if (var == NULL || !var->is_parameter || !wanted(w, name))
                continue;
            const char *grad = grad_name(w, name);
            const char **more = rg_arena_alloc(&w->arena, ((size_t)n + 2) * sizeof *more);
            if (grad == NULL || more == NULL)
                return no_memory();
            if (n > 0)
                memcpy(more, pairs, (size_t)n * sizeof *more);
            more[n++] = name;
            more[n++] = grad;
            pairs = more;
        }
    if (n == 0)
        return RG_OK;
    return rg_opdesc_set_attr(
        op, &(rg_attr){.name = "op_role_var", .type = RG_ATTR_STRINGS, .n = n, .strings = pairs});
}

static bool writes_nothing(const rg_opdesc *op)
{
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++)
            if (strcmp(op->out[i].names[k], RG_EMPTY_NAME) != 0)
                return false;
    return true;
}

static rg_status finish_ops(rg_grad_ctx *ctx)
{
    walk *w = ctx->walk;
    size_t first = ctx->after ? rg_opdesc_index(ctx->after) + 1 : 0;
    size_t end = w->block->n_ops; /* a callback may append ops of its own behind it */
    for (size_t i = first; i < end;) {
        rg_opdesc *op = w->block->ops[i];
        if (writes_nothing(op)) {
            rg_block_remove_ops(w->block, i, i + 1);
            end--;
            continue;
        }
        if (strcmp(op->type, "fill_zeros_like") != 0) {
            RG_TRY(set_role_vars(w, op, ctx->op));
            RG_TRY(rg_opdesc_infer(op));
            if (w->options->after_op != NULL)
                RG_TRY(w->options->after_op(w->options->arg, op));
        }
        i++;
    }
    return RG_OK;
}

/* ---- the walk ---- */

static rg_status differentiate(walk *w, size_t index)
{
    const rg_opdesc *op = w->forward->ops[index];
    bool any = false;
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++) {
            const char *name = op->out[i].names[k], *grad;
            RG_TRY(settle(w, name, &grad));
            grad_state *state = rg_map_get(&w->states, name);
            if (state == NULL)
                continue;
            state->final = grad;
            any = any || grad != NULL;
            /* The variable is written here: what is found further up belongs to an
             * earlier value of it. An array is only added to, so it goes on. */
            const rg_vardesc *var = rg_block_find(w->forward, name);
            if (var == NULL || var->meta.kind != RG_ARRAY) {
                state->n = 0;
                state->renamed = 0;
            }
        }
    if (!any)
        return RG_OK;
    if (op->op == NULL)
        return rg_op_missing(op->type);
    size_t n = w->block->n_ops;
    rg_grad_ctx ctx = {w, op, index, n ? w->block->ops[n - 1] : NULL};
    if (op->op->grad != NULL) {
        RG_TRY(op->op->grad(&ctx));
    } else {
        const rg_op *grad = grad_op_of(op->op);
        if (grad != NULL)
            RG_TRY(grad_by_schema(&ctx, grad));
    }
    return finish_ops(&ctx);
}

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
        on_path[i] = on_path[i] && touches(op->out, op->n_out, &reached);
        if (on_path[i])
            RG_TRY_GOTO(code, put_all(op->in, op->n_in, &reached));
    }
done:
    rg_map_fini(&reached);
    return code;
}

static void walk_fini(walk *w)
{
    rg_map_fini(&w->states);
    rg_map_fini(&w->no_grad);
    rg_map_fini(&w->last_writer);
    rg_arena_free(&w->arena);
}

/* Walk the first n_ops ops of w->forward, those on the path to the targets. */
static rg_status walk_back(walk *w, size_t n_ops, const char *const *targets, int n_targets,
                           const char *const *inputs, int n_inputs)
{
    bool *on_path = rg_arena_alloc(&w->arena, n_ops);
    if (on_path == NULL)
        return no_memory();
    RG_TRY(find_path(w->forward, n_ops, targets, n_targets, inputs, n_inputs, on_path));
    w->n_forward = n_ops;
    for (size_t i = 0; i < n_ops; i++) {
        const rg_opdesc *op = w->forward->ops[i];
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++)
                RG_TRY(rg_map_put(&w->last_writer, op->out[s].names[k], (void *)(i + 1)));
    }
    for (size_t i = n_ops; i-- > 0;)
        if (on_path[i])
            RG_TRY(differentiate(w, i));
    return RG_OK;
}

/* The gradients of arrays that the loop reads are variables around it. */
static rg_status share_arrays(walk *outer, walk *w, const rg_opdesc *loop)
{
    for (int i = 0; i < loop->n_in; i++)
        for (int k = 0; k < loop->in[i].n; k++) {
            const char *name = loop->in[i].names[k];
            const rg_vardesc *var = rg_block_find(outer->forward, name);
            if (var == NULL || var->meta.kind != RG_ARRAY || !wanted(outer, name))
                continue;
            const char *grad = grad_name(outer, name);
            grad_state *inner = state_of(w, name);
            rg_vardesc *made;
            if (grad == NULL || inner == NULL)
                return no_memory();
            inner->plain = grad;
            RG_TRY(rg_block_add_var(outer->block, grad, &made));
            made->meta = var->meta;
        }
    return RG_OK;
}

/* The gradient of an output of the loop as its body's gradient finds it: of a tensor, a
 * variable of the block that the loop's gradient op fills; of an array, the outer one. */
static rg_status enter_sub_block(walk *w, const char *name, grad_state *state, const char *grad)
{
    const rg_vardesc *from = rg_block_find(w->forward, name);
    if (from == NULL || from->meta.kind != RG_ARRAY) {
        rg_vardesc *var;
        RG_TRY(rg_block_add_var(w->block, grad, &var));
        if (from != NULL)
            var->meta = from->meta;
    }
    return push(w, state, grad, NULL);
}

/* What flows out of the block is one variable each. An output that the body writes
 * without having read it has no gradient before that: zeros for the step before. */
static rg_status leave_sub_block(walk *w, const char *const *targets, int n)
{
    const char *grad;
    for (size_t i = 0; i < w->states.n_entries; i++)
        if (rg_map_at(&w->states, i) != NULL)
            RG_TRY(settle(w, w->states.entries[i].key, &grad));
    for (int i = 0; i < n; i++) {
        const grad_state *state = rg_map_get(&w->states, targets[i]);
        rg_opdesc *zeros;
        if (state == NULL || state->n > 0)
            continue;
        RG_TRY(append_grad(w, NULL, false, "fill_zeros_like", &zeros));
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
    const grad_state *state = rg_map_get(&ctx->walk->states, name);
    const rg_vardesc *var = rg_block_find(ctx->walk->forward, name);
    if (state != NULL && state->final != NULL)
        return true;
    return loop && var != NULL && wanted(ctx->walk, name) && rg_op_reads(ctx->op, name);
}

/* One more variable whose gradient the block is given. */
static rg_status add_target(walk *w, const char *name, const char **targets, int *n)
{
    grad_state *state = state_of(w, name);
    const char *grad = grad_name(w, name);
    if (state == NULL || grad == NULL)
        return no_memory();
    for (int i = 0; i < *n; i++)
        if (strcmp(targets[i], name) == 0)
            return RG_OK;
    targets[(*n)++] = name;
    return enter_sub_block(w, name, state, grad);
}

static rg_status walk_sub_block(rg_grad_ctx *ctx, walk *w, bool loop, const char *const *states,
                                int n_states)
{
    const rg_opdesc *op = ctx->op;
    int n = n_states;
    for (int i = 0; i < op->n_out; i++)
        n += op->out[i].n;
    const char **targets = rg_arena_alloc(&w->arena, (size_t)(n + 1) * sizeof *targets);
    if (targets == NULL)
        return no_memory();
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
    walk *outer = ctx->walk;
    rg_program *program = outer->block->program;
    const rg_attr *attr = rg_opdesc_attr(ctx->op, "sub_block");
    rg_block *forward = attr ? rg_program_block(program, attr->i) : NULL, *block;
    if (forward == NULL)
        return rg_fail(RG_ECORRUPT, "op %s has no block", ctx->op->type);
    RG_TRY(rg_program_add_block(program, outer->block->idx, &block));
    block->forward_idx = forward->idx;
    walk w = {
        .block = block, .forward = forward, .options = outer->options, .outer = outer, .at = ctx};
    rg_status code = walk_sub_block(ctx, &w, loop, states, n);
    walk_fini(&w);
    *out = block->idx;
    return code;
}

static rg_status seed_with_ones(walk *w, const char *target, int role)
{
    const rg_vardesc *var = rg_block_find(w->forward, target);
    const char *grad = grad_name(w, target);
    rg_opdesc *fill;
    if (grad == NULL)
        return no_memory();
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
    RG_TRY(set_role(fill, role));
    RG_TRY(rg_opdesc_infer(fill));
    grad_state *state = state_of(w, target);
    return state ? push(w, state, grad, fill) : no_memory();
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

static rg_status start(walk *w, rg_block *block, const rg_backward_options *options)
{
    *w = (walk){.block = block, .forward = block, .options = options};
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
                    return set_role(op, rg_opdesc_role(op) | RG_ROLE_LOSS);
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
    walk w;
    rg_status code = start(&w, block, options ? options : &none);
    if (code == RG_OK)
        code = seed_with_ones(&w, loss, RG_ROLE_BACKWARD | RG_ROLE_LOSS);
    if (code == RG_OK)
        code = walk_back(&w, n_ops, &loss, 1, NULL, 0);
    for (size_t i = 0; code == RG_OK && i < w.states.n_entries; i++) {
        const char *grad;
        if (rg_map_at(&w.states, i) != NULL)
            code = settle(&w, w.states.entries[i].key, &grad);
    }
    for (int i = 0; code == RG_OK && i < n; i++) {
        pairs[i].var = parameters[i];
        code = settle(&w, parameters[i], &pairs[i].grad);
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
    walk w;
    rg_status code = start(&w, block, options ? options : &none);
    for (int i = 0; code == RG_OK && i < n_targets; i++) {
        if (rg_block_find(block, targets[i]) == NULL) {
            code = rg_fail(RG_ENOENT, "there is no variable %s to differentiate", targets[i]);
        } else if (target_grads == NULL || target_grads[i] == NULL) {
            code = seed_with_ones(&w, targets[i], RG_ROLE_BACKWARD);
        } else {
            grad_state *state = state_of(&w, targets[i]);
            const char *kept = rg_program_name(block->program, target_grads[i]);
            code = state && kept ? push(&w, state, kept, NULL) : no_memory();
        }
    }
    if (code == RG_OK)
        code = walk_back(&w, n_ops, targets, n_targets, inputs, n_inputs);
    for (int i = 0; code == RG_OK && i < n_inputs; i++)
        code = settle(&w, inputs[i], &grads[i]);
    walk_fini(&w);
    leave(block->program, saved);
    return code;
}
