/* backward_second.c - the gradient of a gradient op, for gradients taken twice over.
 *
 * T_grad computes dX = J' dOut, J' the transposed Jacobian of T. Let ddX be the gradient of dX.
 * Then that of dOut is J ddX, the change of T's output along ddX, and that of X how this changes:
 *
 *   linear     J ddX is T(ddX), and X has none
 *   bilinear   J ddX is the sum of T with one input in turn exchanged for its ddX; T_grad with the
 *              same exchange gives what the other inputs get
 *   diagonal   J' is J and does not change: the gradient of dOut is T_grad of ddX
 *   composed   T_grad is written out as other ops (terms.h), and those are walked back over */
#include "ir/backward_priv.h"
#include "ir/terms.h"

#include <stdio.h>
#include <string.h>

/* ---- of what the op is the gradient ---- */

/* T, where the op is T_grad; NULL: it is no gradient op by its name. */
static const rg_op *forward_of(const rg_op *op)
{
    char type[128];
    size_t length = strlen(op->type), suffix = strlen("_grad");
    if (length <= suffix || length - suffix >= sizeof type ||
        strcmp(op->type + length - suffix, "_grad") != 0)
        return NULL;
    memcpy(type, op->type, length - suffix);
    type[length - suffix] = '\0';
    const rg_op *forward = rg_op_find(type);
    return forward != NULL && rg_grad_op_of(forward) == op ? forward : NULL;
}

static bool is_gradient_op(const rg_op *op)
{
    return strstr(op->type, "_grad") != NULL;
}

rg_status rg_grad_missing(const rg_grad_ctx *ctx)
{
    rg_buf text;
    rg_buf_init(&text, 2048);
    rg_opdesc_describe(ctx->op, &text);
    rg_status code = rg_fail(RG_EUNIMPL,
                             "%s has no gradient of its own, and what is differentiated here goes "
                             "through it: set stop_gradient on the gradient it makes where it is a "
                             "constant, or build the model without %s",
                             rg_buf_cstr(&text), ctx->op->type);
    rg_buf_fini(&text);
    return code;
}

/* Mark what depends on no variable that gradients flow to: such gradients may have none. */
static rg_status find_constants(rg_backward_walk *w)
{
    for (size_t i = 0; i < w->n_forward; i++) {
        const rg_opdesc *op = w->forward->ops[i];
        bool has_block = rg_opdesc_attr(op, "sub_block") != NULL, constant = true;
        for (int s = 0; s < op->n_in && constant; s++) {
            int slot = op->op ? rg_op_in_slot(op->op, op->in[s].slot) : -1;
            unsigned flags = slot >= 0 && !has_block ? op->op->in[slot].flags : 0;
            for (int k = 0; k < op->in[s].n && !(flags & (RG_SHAPE_ONLY | RG_NO_GRAD)); k++)
                constant = constant && (!rg_grads_wanted(w, op->in[s].names[k]) ||
                                        rg_map_has(&w->constants, op->in[s].names[k]));
        }
        for (int s = 0; s < op->n_out; s++)
            for (int k = 0; k < op->out[s].n; k++) {
                const char *name = op->out[s].names[k];
                if (constant && !rg_op_reads(op, name))
                    RG_TRY(rg_map_put(&w->constants, name, name));
                else if (!constant)
                    rg_map_remove(&w->constants, name);
            }
    }
    w->knows_constants = true;
    return RG_OK;
}

/* Whether anything that the op computes with depends on what gradients flow to. */
static rg_status needs_gradient(rg_grad_ctx *ctx, bool *out)
{
    rg_backward_walk *w = ctx->walk;
    const rg_opdesc *op = ctx->op;
    *out = false;
    if (!w->knows_constants)
        RG_TRY(find_constants(w));
    for (int s = 0; s < op->n_in; s++) {
        int slot = rg_op_in_slot(op->op, op->in[s].slot);
        unsigned flags = slot >= 0 && rg_opdesc_attr(op, "sub_block") == NULL
                             ? op->op->in[slot].flags
                             : 0;
        for (int k = 0; k < op->in[s].n && !(flags & (RG_SHAPE_ONLY | RG_NO_GRAD)); k++)
            *out = *out || (rg_grads_wanted(w, op->in[s].names[k]) &&
                            !rg_map_has(&w->constants, op->in[s].names[k]));
    }
    return RG_OK;
}

/* ---- linear, bilinear, diagonal ---- */

const char *rg_grad_of_output(const rg_grad_ctx *ctx, const char *slot, int i)
{
    const rg_args *args = rg_opdesc_out(ctx->op, slot);
    const rg_grad_state *state = args != NULL && i < args->n
                                     ? rg_map_get(&ctx->walk->states, args->names[i])
                                     : NULL;
    return state != NULL ? state->final : NULL;
}

bool rg_grad_has(const rg_grad_ctx *ctx, const char *slot)
{
    const rg_args *args = rg_opdesc_out(ctx->op, slot);
    for (int i = 0; args != NULL && i < args->n; i++)
        if (rg_grad_of_output(ctx, slot, i) != NULL)
            return true;
    return false;
}

static rg_status zeros_before(rg_backward_walk *w, rg_opdesc *before, const char *like,
                              const char **out)
{
    rg_opdesc *zeros;
    *out = rg_walk_temporary(w, like);
    if (*out == NULL)
        return rg_grads_no_memory();
    RG_TRY(rg_block_insert_op(w->block, rg_opdesc_index(before), "fill_zeros_like", &zeros));
    RG_TRY(rg_opdesc_set_in(zeros, "X", 1, &like));
    RG_TRY(rg_opdesc_set_out(zeros, "Out", 1, out));
    RG_TRY(rg_walk_set_role(zeros, RG_ROLE_BACKWARD));
    return rg_opdesc_infer(zeros);
}

/* Slot `x` of the new op reads ddX, zeros where there is none. */
static rg_status read_second(rg_grad_ctx *ctx, rg_opdesc *op, const char *x, const char *dx)
{
    const rg_args *made = rg_opdesc_out(ctx->op, dx), *from = rg_opdesc_in(ctx->op, x);
    int n = made != NULL && made->n > 0 ? made->n : from != NULL ? from->n : 0;
    const char **names = rg_arena_alloc(&ctx->walk->arena, ((size_t)n + 1) * sizeof *names);
    if (names == NULL)
        return rg_grads_no_memory();
    for (int i = 0; i < n; i++) {
        const char *like = rg_grad_named(made, i) ? rg_grad_named(made, i) : rg_grad_named(from, i);
        names[i] = rg_grad_of_output(ctx, dx, i);
        if (names[i] == NULL && like == NULL)
            return rg_grad_missing(ctx);
        if (names[i] == NULL)
            RG_TRY(zeros_before(ctx->walk, op, like, &names[i]));
    }
    return rg_opdesc_set_in(op, x, n, names);
}

static const char *grad_slot(const rg_slot *slots, const char *of)
{
    char base[128];
    for (int s = 0; slots[s].name != NULL; s++)
        if (rg_grad_without_suffix(slots[s].name, base, sizeof base) && strcmp(base, of) == 0)
            return slots[s].name;
    return NULL;
}

/* What T would have written becomes the gradient of what T_grad read: Out of "Out@GRAD". */
static rg_status write_forward(rg_grad_ctx *ctx, rg_opdesc *op, const rg_op *forward)
{
    for (int s = 0; forward->out[s].name != NULL; s++) {
        const char *name = forward->out[s].name, *dout = grad_slot(ctx->op->op->in, name);
        if (dout != NULL) {
            RG_TRY(rg_grad_write(ctx, op, name, dout, -1, NULL));
        } else if (!(forward->out[s].flags & RG_OPTIONAL)) {
            const char *unused = rg_walk_temporary(ctx->walk, name);
            if (unused == NULL)
                return rg_grads_no_memory();
            RG_TRY(rg_opdesc_set_out(op, name, 1, &unused));
        }
    }
    return RG_OK;
}

/* T over ddX: of all inputs that have gradients, or, with `only`, of that one. */
static rg_status add_forward(rg_grad_ctx *ctx, const rg_op *forward, const char *only,
                             rg_opdesc **out)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, forward->type, true, &op));
    for (int s = 0; forward->in[s].name != NULL; s++) {
        const char *name = forward->in[s].name, *dx = grad_slot(ctx->op->op->out, name);
        if (dx != NULL && (only == NULL || strcmp(only, name) == 0))
            RG_TRY(read_second(ctx, op, name, dx));
        else
            RG_TRY(rg_grad_read_in(ctx, op, name, name));
    }
    if (out != NULL)
        *out = op;
    return write_forward(ctx, op, forward);
}

/* T_grad with input `x` exchanged for ddX: the gradients of the others. */
static rg_status add_back(rg_grad_ctx *ctx, const char *x, const char *dx)
{
    const rg_op *grad = ctx->op->op;
    rg_opdesc *op;
    char base[128];
    RG_TRY(rg_grad_add(ctx, grad->type, true, &op));
    for (int s = 0; grad->in[s].name != NULL; s++) {
        const char *name = grad->in[s].name;
        if (strcmp(name, x) == 0)
            RG_TRY(read_second(ctx, op, x, dx));
        else
            RG_TRY(rg_grad_read_in(ctx, op, name, name));
    }
    for (int s = 0; grad->out[s].name != NULL; s++)
        if (strcmp(grad->out[s].name, dx) != 0 &&
            rg_grad_without_suffix(grad->out[s].name, base, sizeof base))
            RG_TRY(rg_grad_write(ctx, op, grad->out[s].name, base, -1, NULL));
    return RG_OK;
}

static rg_status bilinear(rg_grad_ctx *ctx, const rg_op *forward)
{
    for (int s = 0; forward->in[s].name != NULL; s++) {
        const rg_slot *in = &forward->in[s];
        const char *dx = grad_slot(ctx->op->op->out, in->name);
        /* A bias that may be there is added, and the op not bilinear with it. */
        if (dx != NULL && (in->flags & RG_OPTIONAL) &&
            rg_grad_named(rg_opdesc_in(ctx->op, in->name), 0))
            return rg_grad_missing(ctx);
        if (dx == NULL || !rg_grad_has(ctx, dx))
            continue;
        RG_TRY(add_forward(ctx, forward, in->name, NULL));
        RG_TRY(add_back(ctx, in->name, dx));
    }
    return RG_OK;
}

rg_status rg_grad_linear(rg_grad_ctx *ctx, rg_opdesc **op)
{
    const rg_op *forward = forward_of(ctx->op->op);
    return forward != NULL ? add_forward(ctx, forward, NULL, op) : rg_grad_missing(ctx);
}

rg_status rg_grad_diagonal(rg_grad_ctx *ctx)
{
    const rg_op *grad = ctx->op->op;
    const char *dx = grad->out[0].name;
    char base[128];
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, grad->type, true, &op));
    for (int s = 0; grad->in[s].name != NULL; s++) {
        const char *name = grad->in[s].name;
        if (rg_grad_without_suffix(name, base, sizeof base)) {
            RG_TRY(rg_grad_read_grad(ctx, op, name, dx));
            RG_TRY(rg_grad_write(ctx, op, dx, name, -1, NULL));
        } else {
            RG_TRY(rg_grad_read_in(ctx, op, name, name));
        }
    }
    return RG_OK;
}

/* ---- composed ---- */

/* The ops that it is composed of are appended, and then walked back over. */
static rg_status composed(rg_grad_ctx *ctx)
{
    rg_backward_walk *w = ctx->walk;
    rg_terms terms = {.ctx = ctx, .code = RG_OK};
    ctx->op->op->compose(&terms);
    RG_TRY(terms.code);
    size_t first = ctx->after ? rg_opdesc_index(ctx->after) + 1 : 0, n = w->block->n_ops - first;
    rg_opdesc **parts = rg_arena_alloc(&w->arena, (n + 1) * sizeof *parts);
    if (parts == NULL)
        return rg_grads_no_memory();
    if (n > 0)
        memcpy(parts, w->block->ops + first, n * sizeof *parts);
    while (n-- > 0)
        RG_TRY(rg_walk_differentiate(w, parts[n], w->n_forward));
    return RG_OK;
}

rg_status rg_grad_second(rg_grad_ctx *ctx, bool *done)
{
    const rg_op *op = ctx->op->op, *forward = forward_of(op);
    bool needed;
    *done = false;
    if (!is_gradient_op(op))
        return RG_OK;
    if (op->flags & RG_OP_DIAGONAL)
        return rg_grad_diagonal(ctx);
    if (op->compose != NULL) {
        *done = true;
        return composed(ctx);
    }
    if (forward != NULL && (forward->flags & RG_OP_LINEAR))
        return add_forward(ctx, forward, NULL, NULL);
    if (forward != NULL && (forward->flags & RG_OP_BILINEAR))
        return bilinear(ctx, forward);
    RG_TRY(needs_gradient(ctx, &needed));
    return needed ? rg_grad_missing(ctx) : RG_OK;
}
