/* bind.c - from descriptions to contexts; shape rules while a program is built. */
#include "ir/bind.h"

#include <stdio.h>
#include <string.h>

static int count_slots(const rg_slot *slots)
{
    int n = 0;
    while (slots != NULL && slots[n].name != NULL)
        n++;
    return n;
}

static int count_attrs(const rg_attr_spec *attrs)
{
    int n = 0;
    while (attrs != NULL && attrs[n].value.name != NULL)
        n++;
    return n;
}

static rg_status unknown_slot(const rg_slot *slots, const char *way, const char *name)
{
    rg_buf known;
    rg_buf_init(&known, 1024);
    for (int i = 0; slots != NULL && slots[i].name != NULL; i++)
        rg_buf_printf(&known, "%s%s", i ? ", " : "", slots[i].name);
    rg_status code = rg_fail(RG_EINVAL, "it has no %s %s; it has %s", way, name,
                             known.len ? rg_buf_cstr(&known) : "none");
    rg_buf_fini(&known);
    return code;
}

static rg_status check_slots(const rg_slot *slots, const rg_args *args, int n, const char *way)
{
    for (int i = 0; i < n; i++) {
        int s = 0;
        while (slots != NULL && slots[s].name != NULL && strcmp(slots[s].name, args[i].slot) != 0)
            s++;
        if (slots == NULL || slots[s].name == NULL) {
            if (args[i].n == 0)
                continue; /* an empty slot of another release */
            return unknown_slot(slots, way, args[i].slot);
        }
        if (args[i].n > 1 && !(slots[s].flags & RG_REPEATED))
            return rg_fail(RG_EINVAL, "%s %s takes one variable, and has %d", way, args[i].slot,
                           args[i].n);
    }
    return RG_OK;
}

static rg_status bind_attrs(rg_ctx *ctx, rg_arena *arena, const rg_opdesc *op)
{
    int n = count_attrs(op->op->attr);
    const rg_attr **attr = rg_arena_alloc(arena, (size_t)n * sizeof *attr);
    if (attr == NULL)
        return rg_fail(RG_ENOMEM, "no memory for attributes");
    for (int i = 0; i < n; i++)
        attr[i] = op->op->attr[i].required ? NULL : &op->op->attr[i].value;
    for (int i = 0; i < op->n_attrs; i++) {
        int slot = rg_op_attr_slot(op->op, op->attrs[i].name);
        if (slot >= 0) /* others are a script's notes, or of another release: they stay */
            attr[slot] = &op->attrs[i];
    }
    for (int i = 0; i < n; i++)
        if (attr[i] == NULL)
            return rg_fail(RG_EINVAL, "attribute %s is required", op->op->attr[i].value.name);
    ctx->attr = attr;
    return RG_OK;
}

/* The metas of all slots of one side, in the schema's order. */
static rg_status bind_side(rg_arena *arena, const rg_slot *slots, const rg_args *args, int n_args,
                           rg_find_meta find, void *arg, bool output, rg_meta *const **out,
                           const uint16_t **out_at)
{
    int n_slots = count_slots(slots), total = 0;
    for (int i = 0; i < n_args; i++)
        total += args[i].n;
    if (total > UINT16_MAX)
        return rg_fail(RG_ETOOBIG, "%d variables, and an op may have %d", total, UINT16_MAX);
    rg_meta **metas = rg_arena_alloc(arena, (size_t)total * sizeof *metas);
    uint16_t *at = rg_arena_alloc(arena, ((size_t)n_slots + 1) * sizeof *at);
    if (metas == NULL || at == NULL)
        return rg_fail(RG_ENOMEM, "no memory for arguments");
    uint16_t used = 0;
    for (int s = 0; s < n_slots; s++) {
        at[s] = used;
        bool present = false;
        for (int i = 0; i < n_args; i++) {
            if (strcmp(args[i].slot, slots[s].name) != 0)
                continue;
            for (int k = 0; k < args[i].n; k++) {
                rg_meta *meta = NULL;
                if (strcmp(args[i].names[k], RG_EMPTY_NAME) != 0) {
                    meta = find(arg, args[i].names[k], output);
                    if (meta == NULL && !(slots[s].flags & RG_NOT_DESCRIBED))
                        return rg_context(RG_ENOENT, "%s %s", output ? "output" : "input",
                                          slots[s].name);
                    present = true;
                }
                metas[used++] = meta;
            }
        }
        if (!present && !(slots[s].flags & RG_OPTIONAL))
            return rg_fail(RG_EINVAL, "%s %s is required", output ? "output" : "input",
                           slots[s].name);
    }
    at[n_slots] = used;
    *out = metas;
    *out_at = at;
    return RG_OK;
}

rg_status rg_ctx_bind(rg_ctx *ctx, rg_arena *arena, const rg_opdesc *op, rg_find_meta find,
                      void *arg)
{
    if (op->op == NULL)
        return rg_op_missing(op->type);
    *ctx = (rg_ctx){.op = op->op, .desc = op};
    RG_TRY(check_slots(op->op->in, op->in, op->n_in, "input"));
    RG_TRY(check_slots(op->op->out, op->out, op->n_out, "output"));
    RG_TRY(bind_attrs(ctx, arena, op));
    RG_TRY(bind_side(arena, op->op->in, op->in, op->n_in, find, arg, false, &ctx->in, &ctx->in_at));
    return bind_side(arena, op->op->out, op->out, op->n_out, find, arg, true, &ctx->out,
                     &ctx->out_at);
}

static rg_status check_kinds(const rg_ctx *ctx)
{
    for (int s = 0; ctx->op->in != NULL && ctx->op->in[s].name != NULL; s++)
        for (int i = 0; !(ctx->op->in[s].flags & RG_ANY_KIND) && i < rg_n_in(ctx, s); i++) {
            const rg_meta *meta = rg_in_meta_n(ctx, s, i);
            bool rows_ok = (ctx->op->in[s].flags & RG_ROWS_OK) != 0;
            if (meta != NULL && meta->kind != RG_TENSOR && !(rows_ok && meta->kind == RG_ROWS))
                return rg_fail(
                    RG_ESHAPE, "%s is a %s, and %s takes tensors%s there%s", ctx->op->in[s].name,
                    rg_kind_name(meta->kind), ctx->op->type, rows_ok ? " and SelectedRows" : "",
                    meta->kind == RG_ROWS ? ": build the embedding with is_sparse=False" : "");
        }
    return RG_OK;
}

rg_status rg_ctx_infer(rg_ctx *ctx)
{
    RG_TRY(check_kinds(ctx));
    if (ctx->op->infer != NULL)
        return ctx->op->infer(ctx);
    for (int s = 0; ctx->op->out != NULL && ctx->op->out[s].name != NULL; s++) {
        int like = ctx->op->out[s].like;
        if (like == 0)
            continue;
        /* A repeated slot is like its partner one by one. */
        for (int i = 0; i < rg_n_out(ctx, s) && i < rg_n_in(ctx, like - 1); i++) {
            rg_meta *out = rg_out_meta_n(ctx, s, i);
            const rg_meta *in = rg_in_meta_n(ctx, like - 1, i);
            if (out == NULL || in == NULL || out == in)
                continue;
            rg_lod *old = out->lod;
            out->kind = in->kind;
            out->dtype = in->dtype;
            out->shape = in->shape;
            out->lod_level = in->lod_level;
            out->lod = rg_lod_retain(in->lod);
            rg_lod_release(old);
        }
    }
    return RG_OK;
}

static rg_meta *find_in_block(void *arg, const char *name, bool output)
{
    rg_block *block = arg;
    rg_vardesc *var = rg_block_find(block, name);
    if (var == NULL && output && rg_block_add_var(block, name, &var) != RG_OK)
        return NULL;
    if (var == NULL) {
        (void)rg_fail(RG_ENOENT, "there is no variable %s in block %d", name, block->idx);
        return NULL;
    }
    return &var->meta;
}

rg_status rg_opdesc_infer(rg_opdesc *op)
{
    rg_arena arena = RG_ARENA_EMPTY;
    rg_ctx ctx;
    rg_status code = rg_ctx_bind(&ctx, &arena, op, find_in_block, op->block);
    if (code == RG_OK)
        code = rg_ctx_infer(&ctx);
    rg_arena_free(&arena);
    if (code != RG_OK) {
        rg_buf text;
        rg_buf_init(&text, 2048);
        rg_opdesc_describe(op, &text);
        code = rg_context(code, "%s", rg_buf_cstr(&text));
        rg_buf_fini(&text);
    }
    return code;
}

void rg_opdesc_describe(const rg_opdesc *op, rg_buf *text)
{
    char shape[RG_SHAPE_TEXT];
    rg_buf_printf(text, "op %s(", op->type);
    const char *comma = "";
    for (int i = 0; i < op->n_in; i++)
        for (int k = 0; k < op->in[i].n; k++) {
            const rg_vardesc *var = rg_block_find(op->block, op->in[i].names[k]);
            rg_buf_printf(text, "%s%s=%s", comma, op->in[i].slot, op->in[i].names[k]);
            if (var != NULL && (var->meta.kind == RG_TENSOR || var->meta.kind == RG_ROWS))
                rg_buf_printf(text, " %s%s %s", var->meta.kind == RG_ROWS ? "rows of " : "",
                              rg_shape_text(&var->meta.shape, shape),
                              rg_dtype_name(var->meta.dtype));
            comma = ", ";
        }
    rg_buf_text(text, ")");
    const char *where = rg_opdesc_where(op);
    if (where != NULL)
        rg_buf_printf(text, " at %s", where);
}
