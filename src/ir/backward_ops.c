/* backward_ops.c - the gradient ops of one op: rg_grad_* of op.h, and the gradient by schema.
 *
 * A gradient op reads values of the forward ops as they were when the op at hand ran; where a
 * later op overwrites one, a copy is made of it just before that. Not so where an earlier loss's
 * update does: as in Fluid the gradient of a second loss reads the parameters that the first has
 * left, beside activations made of those before. */
#include "ir/backward_priv.h"

#include <stdio.h>
#include <string.h>

/* ---- adding an op ---- */

rg_status rg_walk_set_role(rg_opdesc *op, int role)
{
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "op_role", .type = RG_ATTR_INT, .i = role});
}

/* In real Paddle gradient ops have no defaults, and many of its kernels ask for this one. */
static rg_status set_mkldnn(rg_opdesc *op)
{
    if (rg_opdesc_attr(op, "use_mkldnn") != NULL)
        return RG_OK;
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "use_mkldnn", .type = RG_ATTR_BOOL});
}

rg_status rg_walk_append(rg_backward_walk *w, const rg_opdesc *forward, bool with_attrs,
                         const char *type, rg_opdesc **out)
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
    RG_TRY(set_mkldnn(op));
    RG_TRY(rg_walk_set_role(op, RG_ROLE_BACKWARD));
    *out = op;
    return RG_OK;
}

const rg_opdesc *rg_grad_forward(const rg_grad_ctx *ctx)
{
    return ctx->op;
}

rg_status rg_grad_add(rg_grad_ctx *ctx, const char *type, bool with_attrs, rg_opdesc **op)
{
    return rg_walk_append(ctx->walk, ctx->op, with_attrs, type, op);
}

/* ---- what it reads ---- */

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
static rg_status copy_before(rg_backward_walk *w, size_t writer, const char *name,
                             const char **copy)
{
    char text[1024];
    rg_opdesc *assign;
    *copy = copy_made(w->forward, writer, name);
    if (*copy != NULL)
        return RG_OK; /* another op's gradient has asked for it */
    int n = snprintf(text, sizeof text, "%s" COPY_MARK "0", name);
    for (int i = 1; n > 0 && (size_t)n < sizeof text && rg_block_var(w->forward, text); i++)
        n = snprintf(text, sizeof text, "%s" COPY_MARK "%d", name, i);
    *copy = rg_grads_keep_name(w, text, n, sizeof text);
    if (*copy == NULL)
        return rg_grads_no_memory();
    RG_TRY(rg_block_insert_op(w->forward, writer, "assign", &assign));
    RG_TRY(rg_opdesc_set_in(assign, "X", 1, &name));
    RG_TRY(rg_opdesc_set_out(assign, "Out", 1, copy));
    RG_TRY(rg_walk_set_role(assign, RG_ROLE_FORWARD));
    w->n_forward++;
    for (size_t i = 0; i < w->last_writer.n_entries; i++) {
        rg_map_entry *e = rg_map_at(&w->last_writer, i);
        if (e != NULL && (uintptr_t)e->value > writer)
            e->value = (void *)((uintptr_t)e->value + 1);
    }
    return rg_opdesc_infer(assign);
}

/* Whether `name` may be another value after the op than before it. */
static bool changes(const rg_opdesc *op, const char *name)
{
    bool reads = rg_op_reads(op, name);
    for (int s = 0; s < op->n_out; s++) {
        int slot = op->op ? rg_op_out_slot(op->op, op->out[s].slot) : -1;
        bool keeps = reads && slot >= 0 && (op->op->out[slot].flags & RG_UNCHANGED);
        for (int k = 0; !keeps && k < op->out[s].n; k++)
            if (strcmp(op->out[s].names[k], name) == 0)
                return !rg_walk_is_update(op);
    }
    return false;
}

/* The variable that holds, when the gradient runs, what `name` was when op `index` had run,
 * or, with `before`, when it began. In a sub-block, a variable from around it that it changes
 * is for each step as the step left it. */
static rg_status value_at(rg_grad_ctx *ctx, const char *name, bool before, const char **out)
{
    rg_backward_walk *w = ctx->walk;
    const rg_vardesc *var = rg_walk_find(w, name);
    size_t last = (size_t)(uintptr_t)rg_map_get(&w->last_writer, name);
    const char *again = rg_map_get(&w->again, name);
    *out = again != NULL ? again : name;
    if (var == NULL || var->meta.kind != RG_TENSOR || again != NULL)
        return RG_OK;
    for (size_t i = ctx->index + (before ? 0 : 1); i < last; i++) {
        if (!changes(w->forward->ops[i], name))
            continue;
        RG_TRY(copy_before(w, i, name, out));
        ctx->index += i == ctx->index; /* the copy stands where the op was */
        return RG_OK;
    }
    if (last > 0 || w->outer == NULL || var->block == w->forward)
        return RG_OK;
    return value_at(w->at, name, false, out);
}

rg_status rg_walk_value_before(rg_grad_ctx *ctx, const char *name, const char **out)
{
    return value_at(ctx, name, true, out);
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
        return rg_grads_no_memory();
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
static rg_status zeros_for(rg_backward_walk *w, rg_opdesc *before, const char *name,
                           const char **grad)
{
    rg_opdesc *zeros;
    const char *again = rg_map_get(&w->again, name);
    *grad = rg_grads_name(w, name);
    if (*grad == NULL)
        return rg_grads_no_memory();
    RG_TRY(rg_grads_own_var(w, *grad, name));
    name = again != NULL ? again : name;
    RG_TRY(rg_block_insert_op(w->block, rg_opdesc_index(before), "fill_zeros_like", &zeros));
    RG_TRY(rg_opdesc_set_in(zeros, "X", 1, &name));
    RG_TRY(rg_opdesc_set_out(zeros, "Out", 1, grad));
    RG_TRY(rg_walk_set_role(zeros, RG_ROLE_BACKWARD));
    return rg_opdesc_infer(zeros);
}

rg_status rg_grad_read_grad(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from)
{
    rg_backward_walk *w = ctx->walk;
    const rg_args *args = rg_opdesc_out(ctx->op, from);
    if (args == NULL || args->n == 0)
        return RG_OK;
    int slot = op->op ? rg_op_in_slot(op->op, to) : -1;
    /* A list that is not of gradients alone has no use for a gap. */
    bool mixed = slot >= 0 && (op->op->in[slot].flags & RG_REPEATED) && strchr(to, '@') == NULL;
    bool optional = slot >= 0 && (op->op->in[slot].flags & RG_OPTIONAL) && !mixed;
    const char **names = rg_arena_alloc(&w->arena, (size_t)args->n * sizeof *names);
    if (names == NULL)
        return rg_grads_no_memory();
    bool any = false;
    for (int i = 0; i < args->n; i++) {
        const rg_grad_state *state = rg_map_get(&w->states, args->names[i]);
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

/* ---- what it writes ---- */

static bool slot_wanted(const rg_grad_ctx *ctx, const char *from)
{
    const rg_op *op = ctx->op->op;
    int slot = op ? rg_op_in_slot(op, from) : -1;
    return slot < 0 || !(op->in[slot].flags & RG_NO_GRAD);
}

/* One more variable in an input slot of the op at hand. */
static rg_status list_input(rg_grad_ctx *ctx, const char *slot, const char *name)
{
    rg_backward_walk *w = ctx->walk;
    rg_opdesc *op = w->forward->ops[ctx->index];
    const rg_args *args = rg_opdesc_in(op, slot);
    int n = args ? args->n : 0;
    for (int i = 0; i < n; i++)
        if (strcmp(args->names[i], name) == 0)
            return RG_OK;
    const char **names = rg_arena_alloc(&w->arena, ((size_t)n + 1) * sizeof *names);
    if (names == NULL)
        return rg_grads_no_memory();
    if (n > 0)
        memcpy(names, args->names, (size_t)n * sizeof *names);
    names[n] = name;
    return rg_opdesc_set_in(op, slot, n + 1, names);
}

rg_status rg_grad_passes_on(rg_grad_ctx *ctx, const char *slot, const char *name)
{
    rg_backward_walk *w = ctx->walk;
    const rg_vardesc *var = rg_block_find(w->forward, name);
    const rg_grad_state *state = rg_map_get(&w->states, name);
    if (var == NULL || var->meta.kind != RG_TENSOR || !rg_grads_wanted(w, name) || state == NULL ||
        state->final == NULL)
        return RG_OK;
    bool had_value = var->block != w->forward || var->is_data || var->persistable;
    for (size_t i = 0; !had_value && i < ctx->index; i++)
        had_value = rg_op_writes(w->forward->ops[i], name);
    return had_value ? list_input(ctx, slot, name) : RG_OK;
}

rg_status rg_grad_lists(rg_grad_ctx *ctx, const char *slot, const char *name)
{
    const rg_attr *block = rg_opdesc_attr(ctx->op, "sub_block");
    bool read = block != NULL &&
                rg_block_reads(rg_program_block(ctx->walk->block->program, block->i), name);
    return read && rg_grads_wanted(ctx->walk, name) ? list_input(ctx, slot, name) : RG_OK;
}

bool rg_grad_wanted(const rg_grad_ctx *ctx, const char *from, int i)
{
    const rg_args *args = rg_opdesc_in(ctx->op, from);
    return args != NULL && i < args->n && slot_wanted(ctx, from) &&
           rg_grads_wanted(ctx->walk, args->names[i]);
}

rg_status rg_grad_write(rg_grad_ctx *ctx, rg_opdesc *op, const char *to, const char *from, int only,
                        bool *any_wanted)
{
    rg_backward_walk *w = ctx->walk;
    const rg_args *args = rg_opdesc_in(ctx->op, from);
    bool any = false;
    if (args != NULL && args->n > 0) {
        const char **names = rg_arena_alloc(&w->arena, (size_t)args->n * sizeof *names);
        if (names == NULL)
            return rg_grads_no_memory();
        int n = only >= 0 ? only < args->n : args->n;
        for (int i = 0; i < n; i++)
            names[i] = RG_EMPTY_NAME;
        RG_TRY(rg_opdesc_set_out(op, to, n, names));
        for (int i = 0; i < n; i++) {
            int at = only >= 0 ? only : i;
            if (!rg_grad_wanted(ctx, from, at))
                continue;
            /* At once into the op: a variable that comes again renames what it gave before. */
            RG_TRY(rg_grads_contribute(w, args->names[at], op, &names[i]));
            rg_opdesc_out(op, to)->names[i] = names[i];
            any = true;
        }
        if (!any)
            RG_TRY(rg_opdesc_set_out(op, to, 0, NULL));
    }
    if (any_wanted != NULL)
        *any_wanted = any;
    return RG_OK;
}

/* ---- the gradient by schema ---- */

bool rg_grad_without_suffix(const char *name, char *text, size_t size)
{
    size_t length = strlen(name), suffix = strlen(RG_GRAD_SUFFIX);
    if (length <= suffix || strcmp(name + length - suffix, RG_GRAD_SUFFIX) != 0 ||
        length - suffix >= size)
        return false;
    memcpy(text, name, length - suffix);
    text[length - suffix] = '\0';
    return true;
}

const rg_op *rg_grad_op_of(const rg_op *op)
{
    char type[128];
    if (op->grad_type != NULL)
        return rg_op_find(op->grad_type);
    int n = snprintf(type, sizeof type, "%s_grad", op->type);
    return n > 0 && (size_t)n < sizeof type ? rg_op_find(type) : NULL;
}

bool rg_op_has_gradient(const rg_op *op)
{
    return op->grad != NULL || rg_grad_op_of(op) != NULL;
}

/* The gradient as the gradient op's own slots describe it. */
static rg_status grad_by_schema(rg_grad_ctx *ctx, const rg_op *grad)
{
    char base[128];
    bool any = false;
    for (int s = 0; grad->out[s].name != NULL; s++) {
        if (!rg_grad_without_suffix(grad->out[s].name, base, sizeof base))
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
        if (rg_grad_without_suffix(name, base, sizeof base))
            RG_TRY(rg_grad_read_grad(ctx, op, name, base));
        else if (rg_op_in_slot(ctx->op->op, name) >= 0)
            RG_TRY(rg_grad_read_in(ctx, op, name, name));
        else
            RG_TRY(rg_grad_read_out(ctx, op, name, name));
    }
    for (int s = 0; grad->out[s].name != NULL; s++)
        if (rg_grad_without_suffix(grad->out[s].name, base, sizeof base))
            RG_TRY(rg_grad_write(ctx, op, grad->out[s].name, base, -1, NULL));
    return RG_OK;
}

/* ---- one op ---- */

/* Whether the op writes `grad`, or a contribution to it. */
static bool contributes(const rg_opdesc *op, const char *grad)
{
    size_t length = strlen(grad);
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++)
            if (strncmp(op->out[i].names[k], grad, length) == 0 &&
                strchr("@", op->out[i].names[k][length]) != NULL)
                return true;
    return false;
}

/* op_role_var of a gradient op: each parameter whose gradient it writes, and that. */
static rg_status set_role_vars(rg_backward_walk *w, rg_opdesc *op, const rg_opdesc *forward)
{
    const char **pairs = NULL;
    int n = 0;
    for (const rg_backward_walk *at = w; at != NULL; at = at->outer)
        if (at->no_roles)
            return RG_OK;
    for (int i = 0; i < forward->n_in; i++)
        for (int k = 0; k < forward->in[i].n; k++) {
            const char *name = forward->in[i].names[k];
            const rg_vardesc *var = rg_block_find(w->forward, name);
            if (var == NULL || !var->is_parameter || !rg_grads_wanted(w, name))
                continue;
            const char *grad = rg_grads_name(w, name);
            if (grad != NULL && !contributes(op, grad))
                continue;
            const char **more = rg_arena_alloc(&w->arena, ((size_t)n + 2) * sizeof *more);
            if (grad == NULL || more == NULL)
                return rg_grads_no_memory();
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
    rg_backward_walk *w = ctx->walk;
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

rg_status rg_walk_differentiate(rg_backward_walk *w, const rg_opdesc *op, size_t index)
{
    bool any = false;
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < op->out[i].n; k++) {
            const char *name = op->out[i].names[k], *grad;
            RG_TRY(rg_grads_settle(w, name, &grad));
            rg_grad_state *state = rg_map_get(&w->states, name);
            if (state == NULL)
                continue;
            state->final = grad;
            any = any || grad != NULL;
            /* The variable is written here: what is found further up belongs to an
             * earlier value of it. An array is only added to, so it goes on. */
            const rg_vardesc *var = rg_walk_find(w, name);
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
    const rg_op *grad = rg_grad_op_of(op->op);
    bool done = false;
    if (op->op->grad != NULL)
        RG_TRY(op->op->grad(&ctx));
    else if (grad != NULL)
        RG_TRY(grad_by_schema(&ctx, grad));
    else
        RG_TRY(rg_grad_second(&ctx, &done));
    return done ? RG_OK : finish_ops(&ctx);
}
