/* block_grad.c - the gradient of an op that runs a block. */
#include "ops/block_grad.h"

#include "math/vector.h"

#include <string.h>

rg_status rg_add_block_grad(rg_grad_ctx *ctx, const char *type, const char *in, bool loop,
                            rg_opdesc **op)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_args *outs = rg_opdesc_out(forward, "Out");
    char gradient[64];
    size_t length = strlen(in);
    int block;
    *op = NULL;
    for (int i = 0; outs != NULL && i < outs->n; i++)
        RG_TRY(rg_grad_passes_on(ctx, in, outs->names[i]));
    const rg_args *ins = rg_opdesc_in(forward, in);
    bool any = false;
    for (int i = 0; ins != NULL && i < ins->n; i++)
        any = any || rg_grad_wanted(ctx, in, i);
    if (!any || length + sizeof RG_GRAD_SUFFIX > sizeof gradient)
        return RG_OK;
    memcpy(gradient, in, length);
    memcpy(gradient + length, RG_GRAD_SUFFIX, sizeof RG_GRAD_SUFFIX);
    RG_TRY(rg_grad_sub_block(ctx, loop, NULL, 0, &block));
    RG_TRY(rg_grad_add(ctx, type, true, op));
    RG_TRY(rg_opdesc_set_attr(*op,
                              &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = block}));
    /* By the names that the block knows them by, whatever becomes of them afterwards. */
    RG_TRY(rg_opdesc_set_in(*op, in, ins->n, ins->names));
    if (outs != NULL)
        RG_TRY(rg_opdesc_set_in(*op, "Out", outs->n, outs->names));
    RG_TRY(rg_grad_read_grad(ctx, *op, "Out@GRAD", "Out"));
    return rg_grad_write(ctx, *op, gradient, in, -1, NULL);
}

rg_value *rg_inner_grad(rg_ctx *ctx, const char *name)
{
    char text[1024];
    size_t length = strlen(name);
    if (length + sizeof RG_GRAD_SUFFIX > sizeof text)
        return NULL;
    memcpy(text, name, length);
    memcpy(text + length, RG_GRAD_SUFFIX, sizeof RG_GRAD_SUFFIX);
    return ctx->run->services->block_value(ctx, text);
}

static bool is_carried(const rg_ctx *ctx, const rg_block_grad *s, const char *name)
{
    for (int i = 0; i < rg_n_in(ctx, s->out); i++)
        if (strcmp(rg_in_name(ctx, s->out, i), name) == 0)
            return true;
    return false;
}

static bool is_tensor(const rg_value *value)
{
    return value != NULL && value->meta.kind == RG_TENSOR && value->data != NULL;
}

static rg_status zeros_like(rg_value *out, const rg_value *like)
{
    if (!is_tensor(like))
        return RG_OK;
    RG_TRY(rg_value_resize(out, like->meta.dtype, &like->meta.shape));
    memset(out->data, 0, rg_value_bytes(out));
    rg_value_set_lod(out, like->meta.lod);
    return RG_OK;
}

/* The gradients of the outputs enter the block; zeros where there are none, since those of an
 * earlier run are still there. */
static rg_status enter(rg_ctx *ctx, const rg_block_grad *s)
{
    for (int i = 0; i < rg_n_in(ctx, s->out); i++) {
        const rg_value *outer = rg_in_n(ctx, s->dout, i);
        rg_value *inner = rg_inner_grad(ctx, rg_in_name(ctx, s->out, i));
        if (inner == NULL || inner->meta.kind != RG_TENSOR)
            continue;
        if (is_tensor(outer))
            RG_TRY(rg_value_copy(inner, outer));
        else
            RG_TRY(zeros_like(inner, rg_in_n(ctx, s->out, i)));
    }
    return RG_OK;
}

rg_status rg_add_step_grad(rg_value *to, const rg_value *from)
{
    if (!rg_shape_equal(&to->meta.shape, &from->meta.shape) || to->meta.dtype != from->meta.dtype)
        return rg_fail(RG_ESHAPE, "a gradient changes its shape between the steps of a block");
    if (to->meta.dtype == RG_F32)
        rg_add_f32(to->data, from->data, rg_numel(to));
    else if (to->meta.dtype == RG_F64)
        rg_add_f64(to->data, from->data, rg_numel(to));
    else
        return rg_fail(RG_EUNIMPL, "no gradient of %s", rg_dtype_name(to->meta.dtype));
    return RG_OK;
}

/* What this step gives to the gradients of the inputs. */
static rg_status collect(rg_ctx *ctx, const rg_block_grad *s, bool first)
{
    for (int i = 0; i < rg_n_out(ctx, s->din); i++) {
        rg_value *outer = rg_out_n(ctx, s->din, i);
        const char *name = rg_in_name(ctx, s->in, i);
        const rg_value *inner = outer ? rg_inner_grad(ctx, name) : NULL;
        if (!is_tensor(inner) || is_carried(ctx, s, name))
            continue;
        RG_TRY(first ? rg_value_copy(outer, inner) : rg_add_step_grad(outer, inner));
    }
    return RG_OK;
}

/* The carried ones, as the first step left them; zeros for those that no step gave. */
static rg_status leave(rg_ctx *ctx, const rg_block_grad *s, bool ran)
{
    for (int i = 0; i < rg_n_out(ctx, s->din); i++) {
        rg_value *outer = rg_out_n(ctx, s->din, i);
        const char *name = rg_in_name(ctx, s->in, i);
        const rg_value *inner = outer ? rg_inner_grad(ctx, name) : NULL;
        bool carried = is_carried(ctx, s, name);
        if (outer == NULL || outer->meta.kind == RG_ARRAY)
            continue;
        if (is_tensor(inner) && carried)
            RG_TRY(rg_value_copy(outer, inner));
        else if (!ran || !is_tensor(inner))
            RG_TRY(zeros_like(outer, rg_in_n(ctx, s->in, i)));
    }
    return RG_OK;
}

rg_status rg_run_block_grad(rg_ctx *ctx, const rg_block_grad *s)
{
    const rg_run_services *run = ctx->run->services;
    rg_value *scopes = (rg_value *)(uintptr_t)rg_in(ctx, s->scopes);
    size_t n = scopes->n_rows;
    RG_TRY(enter(ctx, s));
    RG_TRY(run->keep_present(ctx, scopes));
    rg_status code = RG_OK;
    for (size_t i = n; code == RG_OK && i-- > 0;) {
        code = run->load_step(ctx, scopes, i);
        if (code == RG_OK)
            code = run->run_block(ctx);
        if (code == RG_OK)
            code = collect(ctx, s, i + 1 == n);
    }
    RG_TRY(run->load_present(ctx, scopes));
    return code == RG_OK ? leave(ctx, s, n > 0) : code;
}
