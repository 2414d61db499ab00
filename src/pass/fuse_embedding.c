/* fuse_embedding.c - look-up gradients, their sum and the SGD step of the table as one op.
 *
 *   lookup_table_grad(W, ids, dout) -> g_k ...; sum(g_k ...) -> g; sgd(W, g)
 *       fused_embedding_sgd(W, ids ..., dout ...)
 *
 * in the place of the step, where ids and dout are still the same. One look-up needs no sum. Dense
 * and sparse gradients alike. */
#include "ir/update.h"
#include "pass/uses.h"

#include <string.h>

enum { MAX_LOOKUPS = 4096 };

typedef struct table {
    const char *w;
    rg_opdesc *step, *sum; /* sum may be NULL */
    rg_opdesc *grads[MAX_LOOKUPS];
    int n;
} table;

static bool is_lookup_grad(const rg_uses *uses, const rg_opdesc *op, const char *w)
{
    const rg_vardesc *ids = op != NULL && rg_one_in(op, "Ids") != NULL
                                ? rg_block_find(uses->block, rg_one_in(op, "Ids"))
                                : NULL;
    return (rg_is_type(op, "lookup_table_grad") || rg_is_type(op, "lookup_table_v2_grad")) &&
           ids != NULL && ids->meta.dtype == RG_I64 && rg_one_in(op, "Out@GRAD") != NULL &&
           rg_one_in(op, "W") != NULL && strcmp(rg_one_in(op, "W"), w) == 0;
}

/* The look-up gradient that makes `grad`, which `reader` alone reads, and that can as well be taken
 * in the place of the step. */
static bool add_grad(const rg_uses *uses, table *t, const char *grad, const rg_opdesc *reader)
{
    rg_opdesc *op = rg_only_writer(uses, grad);
    if (t->n == MAX_LOOKUPS || !is_lookup_grad(uses, op, t->w) ||
        rg_sole_reader(uses, grad) != reader)
        return false;
    size_t from = rg_uses_index(uses, op), to = rg_uses_index(uses, t->step);
    if (rg_written_between(uses, rg_one_in(op, "Ids"), from, to) ||
        rg_written_between(uses, rg_one_in(op, "Out@GRAD"), from, to))
        return false;
    t->grads[t->n++] = op;
    return true;
}

static bool match(const rg_uses *uses, rg_opdesc *sgd, table *t)
{
    const rg_update *update = rg_update_of(sgd);
    if (update == NULL || !update->plain || !rg_update_keeps_param(sgd))
        return false;
    const char *w = rg_update_param(sgd), *g = rg_update_grad(sgd), *rate = rg_update_rate(sgd);
    if (g == NULL || rate == NULL)
        return false;
    const rg_vardesc *var = rg_block_find(uses->block, w), *lr = rg_block_find(uses->block, rate);
    if (var == NULL || var->meta.kind != RG_TENSOR || var->meta.dtype != RG_F32 || lr == NULL ||
        lr->meta.dtype != RG_F32)
        return false;
    t->w = w;
    t->step = sgd;
    t->sum = NULL;
    t->n = 0;
    rg_opdesc *writer = rg_only_writer(uses, g);
    if (!rg_is_type(writer, "sum"))
        return add_grad(uses, t, g, sgd);
    if (rg_sole_reader(uses, g) != sgd)
        return false;
    t->sum = writer;
    const rg_args *parts = rg_opdesc_in(writer, "X");
    for (int i = 0; parts != NULL && i < parts->n; i++)
        if (!add_grad(uses, t, parts->names[i], writer))
            return false;
    return t->n > 0;
}

static rg_status rewrite(rg_uses *uses, const table *t)
{
    const char **ids = rg_arena_alloc(&uses->arena, (size_t)t->n * sizeof *ids);
    const char **douts = rg_arena_alloc(&uses->arena, (size_t)t->n * sizeof *douts);
    int64_t *paddings = rg_arena_alloc(&uses->arena, (size_t)t->n * sizeof *paddings);
    const char *rate = rg_update_rate(t->step), *w = t->w;
    if (ids == NULL || douts == NULL || paddings == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    for (int i = 0; i < t->n; i++) {
        ids[i] = rg_one_in(t->grads[i], "Ids");
        douts[i] = rg_one_in(t->grads[i], "Out@GRAD");
        paddings[i] = rg_opdesc_attr(t->grads[i], "padding_idx")->l;
        rg_uses_remove(uses, t->grads[i]);
    }
    rg_uses_remove(uses, t->sum);
    RG_TRY(rg_opdesc_become(t->step, "fused_embedding_sgd"));
    RG_TRY(rg_opdesc_set_in(t->step, "W", 1, &w));
    RG_TRY(rg_opdesc_set_in(t->step, "Ids", t->n, ids));
    RG_TRY(rg_opdesc_set_in(t->step, "Out@GRAD", t->n, douts));
    RG_TRY(rg_opdesc_set_in(t->step, "LearningRate", 1, &rate));
    RG_TRY(rg_opdesc_set_attr(
        t->step,
        &(rg_attr){.name = "padding_idx", .type = RG_ATTR_LONGS, .n = t->n, .longs = paddings}));
    return rg_opdesc_set_out(t->step, "WOut", 1, &w);
}

rg_status rg_pass_fuse_embedding(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    table *t = rg_arena_alloc(&uses.arena, sizeof *t);
    if (t == NULL)
        code = rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        if (!uses.removed[i] && match(&uses, uses.block->ops[i], t))
            code = rewrite(&uses, t);
    rg_uses_fini(&uses);
    return code;
}
