/* terms.c - ops appended one by one, and the variables they make: see terms.h. */
#include "ir/terms.h"
#include "ir/backward_priv.h"

#include <string.h>

static void note(rg_terms *t, rg_status code)
{
    if (t->code == RG_OK)
        t->code = code;
}

void rg_term_fail(rg_terms *t, const char *why)
{
    if (t->code == RG_OK)
        t->code = rg_context(rg_grad_missing(t->ctx), "%s", why);
}

/* The input as it was when the op ran; its gradient is the gradient of the variable. */
static rg_term value_of(rg_terms *t, const char *name)
{
    rg_backward_walk *w = t->ctx->walk;
    const char *held = NULL;
    if (t->code == RG_OK)
        t->code = rg_walk_value_before(t->ctx, name, &held);
    if (t->code != RG_OK)
        return NULL;
    const char *kept = rg_program_name(w->block->program, name);
    if (kept == NULL)
        note(t, rg_grads_no_memory());
    else if (strcmp(held, name) != 0)
        note(t, rg_map_put(&w->copy_of, held, (void *)(uintptr_t)kept));
    return held;
}

rg_term rg_term_in(rg_terms *t, const char *slot)
{
    const char *name = rg_grad_named(rg_opdesc_in(t->ctx->op, slot), 0);
    return name != NULL ? value_of(t, name) : NULL;
}

rg_term rg_term_source(rg_terms *t, const char *made, const char *slot)
{
    const rg_block *block = t->ctx->walk->forward;
    const char *name = rg_grad_named(rg_opdesc_in(t->ctx->op, made), 0);
    for (size_t i = t->ctx->index; name != NULL && i-- > 0;) {
        const char *from = rg_grad_named(rg_opdesc_in(block->ops[i], slot), 0);
        if (!rg_op_writes(block->ops[i], name))
            continue;
        if (from == NULL)
            break;
        return value_of(t, from);
    }
    rg_term_fail(t, "the op whose gradient it is was not found");
    return NULL;
}

bool rg_term_wanted(const rg_terms *t, const char *slot)
{
    return rg_grad_has(t->ctx, slot);
}

void rg_term_give(rg_terms *t, const char *slot, rg_term x)
{
    const char *grad = rg_grad_of_output(t->ctx, slot, 0);
    if (t->code != RG_OK || grad == NULL)
        return;
    /* One variable may be given for two outputs, or be an input: each has a gradient of its own. */
    rg_term own = rg_term_of(t, "assign", x);
    rg_grad_state *state = own ? rg_grads_of(t->ctx->walk, own) : NULL;
    if (own != NULL)
        note(t, state ? rg_grads_push(t->ctx->walk, state, grad, NULL) : rg_grads_no_memory());
}

const rg_attr *rg_term_attr(const rg_terms *t, const char *name)
{
    return rg_opdesc_attr(t->ctx->op, name);
}

const rg_meta *rg_term_meta(const rg_terms *t, rg_term x)
{
    static const rg_meta none = {.dtype = RG_F32};
    const rg_vardesc *var = x ? rg_walk_find(t->ctx->walk, x) : NULL;
    return var != NULL ? &var->meta : &none;
}

rg_opdesc *rg_term_begin(rg_terms *t, const char *type)
{
    rg_opdesc *op = NULL;
    if (t->code == RG_OK)
        t->code = rg_walk_append(t->ctx->walk, t->ctx->op, false, type, &op);
    return t->code == RG_OK ? op : NULL;
}

void rg_term_put(rg_terms *t, rg_opdesc *op, const char *slot, rg_term x)
{
    if (t->code == RG_OK && x == NULL)
        rg_term_fail(t, "an input is missing");
    if (t->code == RG_OK)
        t->code = rg_opdesc_set_in(op, slot, 1, &x);
}

void rg_term_set(rg_terms *t, rg_opdesc *op, const rg_attr *attr)
{
    if (t->code == RG_OK)
        t->code = rg_opdesc_set_attr(op, attr);
}

rg_term rg_term_end(rg_terms *t, rg_opdesc *op, const char *out)
{
    if (t->code != RG_OK)
        return NULL;
    const char *name = NULL;
    for (int s = 0; t->code == RG_OK && op->op->out[s].name != NULL; s++) {
        bool asked = strcmp(op->op->out[s].name, out) == 0;
        if (!asked && (op->op->out[s].flags & RG_OPTIONAL))
            continue;
        const char *fresh = rg_walk_temporary(t->ctx->walk, op->type);
        if (fresh == NULL)
            t->code = rg_grads_no_memory();
        else
            t->code = rg_opdesc_set_out(op, op->op->out[s].name, 1, &fresh);
        name = asked ? fresh : name;
    }
    if (t->code == RG_OK)
        t->code = rg_opdesc_infer(op);
    return t->code == RG_OK ? name : NULL;
}

rg_term rg_term_of(rg_terms *t, const char *type, rg_term x)
{
    rg_opdesc *op = rg_term_begin(t, type);
    rg_term_put(t, op, "X", x);
    return rg_term_end(t, op, "Out");
}

rg_term rg_term_scale(rg_terms *t, rg_term x, double factor, double bias)
{
    rg_opdesc *op = rg_term_begin(t, "scale");
    rg_term_put(t, op, "X", x);
    rg_term_set(t, op, &(rg_attr){.name = "scale", .type = RG_ATTR_FLOAT, .f = (float)factor});
    rg_term_set(t, op, &(rg_attr){.name = "bias", .type = RG_ATTR_FLOAT, .f = (float)bias});
    return rg_term_end(t, op, "Out");
}

rg_term rg_term_elementwise(rg_terms *t, const char *type, rg_term x, rg_term y, int axis)
{
    rg_opdesc *op = rg_term_begin(t, type);
    rg_term_put(t, op, "X", x);
    rg_term_put(t, op, "Y", y);
    rg_term_set(t, op, &(rg_attr){.name = "axis", .type = RG_ATTR_INT, .i = axis});
    return rg_term_end(t, op, "Out");
}

rg_term rg_term_add(rg_terms *t, rg_term x, rg_term y)
{
    return rg_term_elementwise(t, "elementwise_add", x, y, -1);
}

rg_term rg_term_sub(rg_terms *t, rg_term x, rg_term y)
{
    return rg_term_elementwise(t, "elementwise_sub", x, y, -1);
}

rg_term rg_term_mul(rg_terms *t, rg_term x, rg_term y)
{
    return rg_term_elementwise(t, "elementwise_mul", x, y, -1);
}

rg_term rg_term_div(rg_terms *t, rg_term x, rg_term y)
{
    return rg_term_elementwise(t, "elementwise_div", x, y, -1);
}

rg_term rg_term_reduce(rg_terms *t, const char *type, rg_term x, const int *dims, int n,
                       bool keep_dim)
{
    int32_t list[RG_MAX_DIMS];
    for (int i = 0; i < n && i < RG_MAX_DIMS; i++)
        list[i] = dims[i];
    rg_opdesc *op = rg_term_begin(t, type);
    rg_term_put(t, op, "X", x);
    rg_term_set(t, op, &(rg_attr){.name = "dim", .type = RG_ATTR_INTS, .n = n, .ints = list});
    rg_term_set(t, op, &(rg_attr){.name = "keep_dim", .type = RG_ATTR_BOOL, .b = keep_dim});
    return rg_term_end(t, op, "Out");
}

rg_term rg_term_back(rg_terms *t, const char *type, const char *slot, rg_term from, rg_term dy)
{
    rg_opdesc *op = rg_term_begin(t, type);
    rg_term_put(t, op, slot, from);
    rg_term_put(t, op, "Out@GRAD", dy);
    return rg_term_end(t, op, "X@GRAD");
}

rg_term rg_term_fold(rg_terms *t, rg_term x, rg_term like, int axis)
{
    rg_opdesc *op = rg_term_begin(t, "elementwise_add_grad");
    rg_term_put(t, op, "X", x);
    rg_term_put(t, op, "Y", like);
    rg_term_put(t, op, "Out@GRAD", x);
    rg_term_set(t, op, &(rg_attr){.name = "axis", .type = RG_ATTR_INT, .i = axis});
    return rg_term_end(t, op, "Y@GRAD");
}

rg_term rg_term_spread(rg_terms *t, rg_term x, rg_term like, const int *dims, int n, bool keep_dim)
{
    int32_t list[RG_MAX_DIMS];
    for (int i = 0; i < n && i < RG_MAX_DIMS; i++)
        list[i] = dims[i];
    rg_opdesc *op = rg_term_begin(t, "reduce_sum_grad");
    rg_term_put(t, op, "X", like);
    rg_term_put(t, op, "Out@GRAD", x);
    rg_term_set(t, op, &(rg_attr){.name = "dim", .type = RG_ATTR_INTS, .n = n, .ints = list});
    rg_term_set(t, op, &(rg_attr){.name = "keep_dim", .type = RG_ATTR_BOOL, .b = keep_dim});
    return rg_term_end(t, op, "X@GRAD");
}

rg_term rg_term_unreduce(rg_terms *t, rg_term x)
{
    static const char *const names[] = {"dim", "keep_dim", "reduce_all"};
    rg_term like = rg_term_in(t, "X");
    rg_opdesc *op = rg_term_begin(t, "reduce_sum_grad");
    rg_term_put(t, op, "X", like);
    rg_term_put(t, op, "Out@GRAD", x);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rg_term_set(t, op, rg_term_attr(t, names[i]));
    return rg_term_end(t, op, "X@GRAD");
}

rg_term rg_term_filled(rg_terms *t, rg_term like, double value)
{
    rg_opdesc *op = rg_term_begin(t, "fill_any_like");
    rg_term_put(t, op, "X", like);
    rg_term_set(t, op, &(rg_attr){.name = "value", .type = RG_ATTR_FLOAT, .f = (float)value});
    return rg_term_end(t, op, "Out");
}

rg_opdesc *rg_term_again(rg_terms *t)
{
    const rg_opdesc *same = t->ctx->op;
    rg_opdesc *op = rg_term_begin(t, same->type);
    for (int i = 0; op != NULL && i < same->n_attrs; i++)
        if (!rg_attr_is_common(same->attrs[i].name))
            rg_term_set(t, op, &same->attrs[i]);
    for (int s = 0; op != NULL && s < same->n_in; s++) {
        rg_term x = rg_term_in(t, same->in[s].slot);
        if (x != NULL)
            rg_term_put(t, op, same->in[s].slot, x);
    }
    return op;
}

rg_term rg_term_constant(rg_terms *t, rg_term x)
{
    rg_vardesc *var = x ? rg_block_find(t->ctx->walk->block, x) : NULL;
    if (var != NULL)
        var->stop_gradient = true;
    return x;
}
