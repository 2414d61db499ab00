/* fuse_embedding_grad.c - the sparse gradients of look-ups over one table and their sum as one op.
 *
 *   lookup_table_grad(W, ids, dout) -> g_k ...; sum(g_k ...) -> g
 *       fused_embedding_grad(W, ids ..., dout ...) -> g
 *
 * in the place of the sum: what a trainer sends to servers, and what sparse steps other than SGD
 * (pass/fuse_embedding.c) take. */
#include "pass/uses.h"

#include <string.h>

static bool is_true(const rg_opdesc *op, const char *attr)
{
    const rg_attr *value = rg_opdesc_attr(op, attr);
    return value != NULL && value->b;
}

/* The look-up gradient that makes `grad`, of floats, which `sum` alone reads, and that can as well
 * be made in the sum's place; NULL otherwise. */
static rg_opdesc *part_of(const rg_uses *uses, const char *grad, const rg_opdesc *sum)
{
    rg_opdesc *op = rg_only_writer(uses, grad);
    const char *ids = op ? rg_one_in(op, "Ids") : NULL,
               *dout = op ? rg_one_in(op, "Out@GRAD") : NULL, *w = op ? rg_one_in(op, "W") : NULL;
    if ((!rg_is_type(op, "lookup_table_grad") && !rg_is_type(op, "lookup_table_v2_grad")) ||
        ids == NULL || dout == NULL || w == NULL || !is_true(op, "is_sparse") ||
        rg_sole_reader(uses, grad) != sum)
        return NULL;
    const rg_vardesc *id = rg_block_find(uses->block, ids), *var = rg_block_find(uses->block, w);
    size_t from = rg_uses_index(uses, op), to = rg_uses_index(uses, sum);
    if (id == NULL || id->meta.dtype != RG_I64 || var == NULL || var->meta.dtype != RG_F32 ||
        rg_written_between(uses, ids, from, to) || rg_written_between(uses, dout, from, to))
        return NULL;
    return op;
}

/* Whether all that the sum adds are gradients of one table; they go to `parts`. */
static bool match(const rg_uses *uses, const rg_opdesc *sum, rg_opdesc **parts)
{
    const rg_args *in = rg_opdesc_in(sum, "X");
    for (int i = 0; i < in->n; i++) {
        parts[i] = part_of(uses, in->names[i], sum);
        if (parts[i] == NULL || strcmp(rg_one_in(parts[i], "W"), rg_one_in(parts[0], "W")) != 0 ||
            is_true(parts[i], "is_distributed") != is_true(parts[0], "is_distributed"))
            return false;
    }
    return in->n > 0;
}

static rg_status rewrite(rg_uses *uses, rg_opdesc *sum, rg_opdesc *const *parts, int n)
{
    const char **ids = rg_arena_alloc(&uses->arena, (size_t)n * sizeof *ids);
    const char **douts = rg_arena_alloc(&uses->arena, (size_t)n * sizeof *douts);
    int64_t *paddings = rg_arena_alloc(&uses->arena, (size_t)n * sizeof *paddings);
    const char *w = rg_one_in(parts[0], "W"), *grad = rg_one_out(sum, "Out");
    bool grows = is_true(parts[0], "is_distributed");
    if (ids == NULL || douts == NULL || paddings == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
    for (int i = 0; i < n; i++) {
        ids[i] = rg_one_in(parts[i], "Ids");
        douts[i] = rg_one_in(parts[i], "Out@GRAD");
        paddings[i] = rg_opdesc_attr(parts[i], "padding_idx")->l;
        rg_uses_remove(uses, parts[i]);
    }
    RG_TRY(rg_opdesc_become(sum, "fused_embedding_grad"));
    RG_TRY(rg_opdesc_set_in(sum, "W", 1, &w));
    RG_TRY(rg_opdesc_set_in(sum, "Ids", n, ids));
    RG_TRY(rg_opdesc_set_in(sum, "Out@GRAD", n, douts));
    RG_TRY(rg_opdesc_set_attr(
        sum, &(rg_attr){.name = "padding_idx", .type = RG_ATTR_LONGS, .n = n, .longs = paddings}));
    RG_TRY(rg_opdesc_set_attr(sum, &(rg_attr){.name = "grows", .type = RG_ATTR_BOOL, .b = grows}));
    return rg_opdesc_set_out(sum, "W@GRAD", 1, &grad);
}

rg_status rg_pass_fuse_embedding_grad(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *sum = uses.block->ops[i];
        const rg_args *in = rg_is_type(sum, "sum") && !uses.removed[i] ? rg_opdesc_in(sum, "X")
                                                                       : NULL;
        if (in == NULL || rg_one_out(sum, "Out") == NULL)
            continue;
        rg_opdesc **parts = rg_arena_alloc(&uses.arena, (size_t)(in->n + 1) * sizeof *parts);
        if (parts == NULL)
            code = rg_fail(RG_ENOMEM, "no memory to fuse look-ups");
        else if (match(&uses, sum, parts))
            code = rewrite(&uses, sum, parts, in->n);
    }
    rg_uses_fini(&uses);
    return code;
}
