/* fit.c - gradients held to what they are the gradients of. */
#include "ir/fit.h"

#include "ir/bind.h"
#include "ir/program.h"

#include <string.h>

#define GRAD "@GRAD"

/* in[grad] of the gradient op is the gradient of `of`. */
typedef struct pair {
    int slot, i;
    const rg_meta *of;
} pair;

struct rg_fit {
    rg_ctx forward; /* op NULL: the gradient op has not all that the forward op's rule reads */
    rg_value *outs; /* what that rule sets */
    int n_outs, n_pairs;
    bool refuses; /* the gradient op has no rule of its own that would */
    pair *pairs;
};

static int count(const rg_slot *slots)
{
    int n = 0;
    while (slots != NULL && slots[n].name != NULL)
        n++;
    return n;
}

/* The length of P in "P@GRAD"; 0: it is no gradient. */
static size_t stem(const char *name)
{
    size_t n = strlen(name), tail = sizeof GRAD - 1;
    return n > tail && strcmp(name + n - tail, GRAD) == 0 ? n - tail : 0;
}

/* The slot of the name, of n letters, or of its gradients; -1: none. */
static int find_slot(const rg_slot *slots, const char *name, size_t n, bool grads)
{
    for (int s = 0; slots != NULL && slots[s].name != NULL; s++) {
        size_t length = grads ? stem(slots[s].name) : strlen(slots[s].name);
        if (length == n && memcmp(slots[s].name, name, n) == 0)
            return s;
    }
    return -1;
}

/* ---- the forward op, of the gradient op's inputs ---- */

static const rg_op *forward_of(const rg_ctx *ctx)
{
    char type[128];
    size_t n = strlen(ctx->op->type), tail = sizeof "_grad" - 1;
    if (n <= tail || n >= sizeof type || strcmp(ctx->op->type + n - tail, "_grad") != 0)
        return NULL;
    memcpy(type, ctx->op->type, n - tail);
    type[n - tail] = '\0';
    const rg_op *op = rg_op_find(type);
    return op == NULL || (op->flags & (RG_OP_DYNAMIC | RG_OP_HOST)) ? NULL : op;
}

static rg_status bind_attrs(rg_fit *fit, rg_arena *arena, const rg_ctx *ctx, bool *all)
{
    const rg_op *op = fit->forward.op;
    int n = 0;
    while (op->attr != NULL && op->attr[n].value.name != NULL)
        n++;
    const rg_attr **attr = rg_arena_alloc(arena, (size_t)n * sizeof *attr);
    if (attr == NULL)
        return rg_fail(RG_ENOMEM, "no memory for attributes");
    for (int i = 0; i < n; i++) {
        const rg_attr *spec = &op->attr[i].value;
        int own = rg_op_attr_slot(ctx->op, spec->name);
        attr[i] = own >= 0 ? ctx->attr[own] : rg_opdesc_attr(ctx->desc, spec->name);
        *all = *all && attr[i] != NULL && attr[i]->type == spec->type;
    }
    fit->forward.attr = attr;
    return RG_OK;
}

static rg_status bind_inputs(rg_fit *fit, rg_arena *arena, const rg_ctx *ctx, bool *all)
{
    const rg_op *op = fit->forward.op;
    int n = count(op->in), total = 0;
    uint16_t *at = rg_arena_alloc(arena, ((size_t)n + 1) * sizeof *at);
    rg_meta **metas = rg_arena_alloc(arena, (size_t)ctx->in_at[count(ctx->op->in)] * sizeof *metas);
    if (at == NULL || metas == NULL)
        return rg_fail(RG_ENOMEM, "no memory for arguments");
    for (int s = 0; s < n && *all; s++) {
        int own = find_slot(ctx->op->in, op->in[s].name, strlen(op->in[s].name), false);
        at[s] = (uint16_t)total;
        *all = own >= 0 && ((op->in[s].flags & RG_OPTIONAL) || rg_n_in(ctx, own) > 0);
        for (int i = 0; *all && i < rg_n_in(ctx, own); i++)
            metas[total++] = rg_in_meta_n(ctx, own, i);
    }
    at[n] = (uint16_t)total;
    fit->forward.in = metas;
    fit->forward.in_at = at;
    return RG_OK;
}

static rg_status bind_outputs(rg_fit *fit, rg_arena *arena, const rg_ctx *ctx)
{
    const rg_op *op = fit->forward.op;
    int n = count(op->out);
    uint16_t *at = rg_arena_alloc(arena, ((size_t)n + 1) * sizeof *at);
    if (at == NULL)
        return rg_fail(RG_ENOMEM, "no memory for arguments");
    for (int s = 0; s < n; s++) {
        int grads = find_slot(ctx->op->in, op->out[s].name, strlen(op->out[s].name), true);
        at[s] = (uint16_t)fit->n_outs;
        fit->n_outs += grads < 0 ? 1 : rg_n_in(ctx, grads);
    }
    at[n] = (uint16_t)fit->n_outs;
    rg_meta **metas = rg_arena_alloc(arena, (size_t)fit->n_outs * sizeof *metas);
    fit->outs = rg_arena_zero(arena, (size_t)fit->n_outs * sizeof *fit->outs);
    if (metas == NULL || fit->outs == NULL)
        return rg_fail(RG_ENOMEM, "no memory for arguments");
    for (int i = 0; i < fit->n_outs; i++)
        metas[i] = &fit->outs[i].meta;
    fit->forward.out = metas;
    fit->forward.out_at = at;
    return RG_OK;
}

static rg_status bind_forward(rg_fit *fit, rg_arena *arena, const rg_ctx *ctx)
{
    bool all = true;
    fit->forward = (rg_ctx){.op = forward_of(ctx), .desc = ctx->desc};
    if (fit->forward.op == NULL)
        return RG_OK;
    RG_TRY(bind_attrs(fit, arena, ctx, &all));
    RG_TRY(bind_inputs(fit, arena, ctx, &all));
    RG_TRY(bind_outputs(fit, arena, ctx));
    if (!all)
        fit->forward.op = NULL;
    return RG_OK;
}

/* ---- the pairs ---- */

static void add_pairs(rg_fit *fit, const rg_ctx *ctx, int grads, const rg_ctx *of, bool output,
                      int slot)
{
    for (int i = 0; i < rg_n_in(ctx, grads); i++) {
        const rg_meta *meta = output ? rg_out_meta_n(of, slot, i) : rg_in_meta_n(of, slot, i);
        if (meta != NULL && rg_in_meta_n(ctx, grads, i) != NULL)
            fit->pairs[fit->n_pairs++] = (pair){grads, i, meta};
    }
}

rg_status rg_fit_bind(const rg_fit **out, rg_arena *arena, const rg_ctx *ctx)
{
    int n = count(ctx->op->in);
    *out = NULL;
    if (n == 0 || rg_opdesc_attr(ctx->desc, "sub_block") != NULL)
        return RG_OK; /* a loop's lists of variables and of gradients need not go together */
    rg_fit *fit = rg_arena_zero(arena, sizeof *fit);
    if (fit == NULL)
        return rg_fail(RG_ENOMEM, "no memory for an op");
    fit->pairs = rg_arena_alloc(arena, 2 * (size_t)ctx->in_at[n] * sizeof *fit->pairs);
    if (fit->pairs == NULL)
        return rg_fail(RG_ENOMEM, "no memory for arguments");
    fit->refuses = ctx->op->infer == NULL;
    if (fit->refuses)
        RG_TRY(bind_forward(fit, arena, ctx));
    const rg_op *forward = fit->forward.op;
    for (int s = 0; s < n; s++) {
        const char *name = ctx->op->in[s].name;
        size_t length = stem(name);
        int own = length > 0 ? find_slot(ctx->op->in, name, length, false) : -1;
        int made = length > 0 && forward != NULL ? find_slot(forward->out, name, length, false)
                                                 : -1;
        if (own >= 0)
            add_pairs(fit, ctx, s, ctx, false, own);
        if (made >= 0)
            add_pairs(fit, ctx, s, &fit->forward, true, made);
    }
    if (fit->n_pairs > 0)
        *out = fit;
    return RG_OK;
}

/* ---- when it runs ---- */

static bool only_tensors(const rg_ctx *ctx)
{
    int n = ctx->in_at[count(ctx->op->in)];
    for (int i = 0; i < n; i++)
        if (ctx->in[i] != NULL && ctx->in[i]->kind != RG_TENSOR)
            return false;
    return true;
}

/* Of what has no elements there is no gradient: sum, which leaves such an input out, gives it that
 * of the output. */
static void give_none(rg_meta *grad, const rg_meta *of)
{
    if (grad->dtype == of->dtype && rg_shape_numel(&of->shape) == 0)
        grad->shape = of->shape;
}

static rg_status compare(const rg_fit *fit, const rg_ctx *ctx)
{
    for (int i = 0; i < fit->n_pairs; i++) {
        const pair *p = &fit->pairs[i];
        const rg_value *grad = rg_in_n(ctx, p->slot, p->i);
        if (grad->data == NULL || p->of->kind != RG_TENSOR)
            continue;
        give_none(rg_in_meta_n(ctx, p->slot, p->i), p->of);
        if (!fit->refuses ||
            (grad->meta.dtype == p->of->dtype && rg_shape_equal(&grad->meta.shape, &p->of->shape)))
            continue;
        char tg[RG_SHAPE_TEXT], to[RG_SHAPE_TEXT];
        const char *name = ctx->op->in[p->slot].name;
        return rg_fail(RG_ESHAPE,
                       "%s (%s) is %s %s, and what it is the gradient of, %.*s, is %s %s here",
                       name, rg_in_name(ctx, p->slot, p->i), rg_shape_text(&grad->meta.shape, tg),
                       rg_dtype_name(grad->meta.dtype), (int)stem(name), name,
                       rg_shape_text(&p->of->shape, to), rg_dtype_name(p->of->dtype));
    }
    return RG_OK;
}

rg_status rg_fit_check(const rg_fit *fit, const rg_ctx *ctx)
{
    if (!only_tensors(ctx))
        return RG_OK;
    if (fit->forward.op == NULL)
        return compare(fit, ctx);
    rg_ctx forward = fit->forward;
    forward.run = ctx->run;
    for (int i = 0; i < fit->n_outs; i++)
        fit->outs[i].meta = (rg_meta){.kind = RG_TENSOR, .dtype = RG_F32};
    rg_status code = rg_ctx_infer(&forward);
    if (code == RG_OK)
        code = compare(fit, ctx);
    for (int i = 0; i < fit->n_outs; i++)
        rg_value_fini(&fit->outs[i]);
    return code;
}
