/* fuse_parts.c - the gradients of parts of one tensor, and their sum, as one op.
 *
 *   slice_grad(x, dout) -> g_k ...; sum(g_k ..., others ...) -> g
 *       fused_slice_grad(x, dout ...) -> g                  where there are no others
 *       fused_slice_grad(x, dout ...) -> g_k; sum(g_k, others ...) -> g
 *
 * Each g_k has the size of x, nearly all of it zero: a model that looks at a thousand parts of a
 * tensor (a field-aware FM at each pair of fields) spent all its time and memory on them. */
#include "pass/uses.h"

#include <string.h>

typedef struct parts {
    const char *x;
    rg_opdesc *sum, **grads; /* in the order of the sum */
    const char **others;     /* what else is added */
    int n, n_others, n_axes;
    size_t first, last; /* places of the gradients */
} parts;

static bool has_inputs(const rg_opdesc *op, const char *slot)
{
    const rg_args *args = rg_opdesc_in(op, slot);
    return args != NULL && args->n > 0;
}

/* A part of floats, at a place that the program itself says. */
static bool is_plain(const rg_uses *uses, const rg_opdesc *grad)
{
    const char *x = rg_one_in(grad, "Input");
    const rg_vardesc *var = x != NULL ? rg_block_find(uses->block, x) : NULL;
    const rg_attr *axes = rg_opdesc_attr(grad, "axes"), *starts = rg_opdesc_attr(grad, "starts");
    const rg_attr *ends = rg_opdesc_attr(grad, "ends");
    return var != NULL && var->meta.kind == RG_TENSOR &&
           (var->meta.dtype == RG_F32 || var->meta.dtype == RG_F64) &&
           rg_one_in(grad, "Out@GRAD") != NULL && !has_inputs(grad, "StartsTensor") &&
           !has_inputs(grad, "EndsTensor") && !has_inputs(grad, "StartsTensorList") &&
           !has_inputs(grad, "EndsTensorList") && axes != NULL && starts != NULL && ends != NULL &&
           axes->n == starts->n && axes->n == ends->n;
}

/* The gradient of a part that makes `name`, which the sum alone reads; NULL: another thing. */
static rg_opdesc *part_grad(const rg_uses *uses, const parts *p, const char *name)
{
    rg_opdesc *op = rg_only_writer(uses, name);
    if (!rg_is_type(op, "slice_grad") || rg_sole_reader(uses, name) != p->sum ||
        !is_plain(uses, op) || (p->x != NULL && strcmp(p->x, rg_one_in(op, "Input")) != 0))
        return NULL;
    return op;
}

/* Nothing that the gradients read changes until the last of them, or the sum. */
static bool stay_as_they_are(const rg_uses *uses, const parts *p)
{
    size_t end = p->n_others > 0 ? p->last : rg_uses_index(uses, p->sum);
    if (rg_written_between(uses, p->x, p->first, end))
        return false;
    for (int k = 0; k < p->n; k++)
        if (rg_written_between(uses, rg_one_in(p->grads[k], "Out@GRAD"),
                               rg_uses_index(uses, p->grads[k]), end))
            return false;
    return true;
}

static rg_status match(rg_uses *uses, rg_opdesc *sum, parts *p, bool *found)
{
    const rg_args *terms = rg_opdesc_in(sum, "X");
    *found = false;
    if (terms == NULL || terms->n < 2)
        return RG_OK;
    *p = (parts){.sum = sum, .first = SIZE_MAX};
    p->grads = rg_arena_alloc(&uses->arena, (size_t)terms->n * sizeof *p->grads);
    p->others = rg_arena_alloc(&uses->arena, ((size_t)terms->n + 1) * sizeof *p->others);
    if (p->grads == NULL || p->others == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse parts");
    for (int i = 0; i < terms->n; i++) {
        rg_opdesc *op = part_grad(uses, p, terms->names[i]);
        if (op == NULL) {
            p->others[p->n_others++] = terms->names[i];
            continue;
        }
        size_t at = rg_uses_index(uses, op);
        p->x = rg_one_in(op, "Input");
        p->grads[p->n++] = op;
        p->n_axes += rg_opdesc_attr(op, "axes")->n;
        p->first = at < p->first ? at : p->first;
        p->last = at > p->last ? at : p->last;
    }
    *found = p->n >= 2 && stay_as_they_are(uses, p);
    return RG_OK;
}

/* The numbers of all parts, one after another, as the fused op has them. */
static rg_status gather(rg_uses *uses, const parts *p, const char *name, rg_attr *out)
{
    int32_t *all = rg_arena_alloc(&uses->arena, ((size_t)p->n_axes + 1) * sizeof *all);
    int at = 0;
    if (all == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse parts");
    for (int k = 0; k < p->n; k++) {
        const rg_attr *list = rg_opdesc_attr(p->grads[k], name);
        for (int i = 0; i < list->n; i++)
            all[at++] = list->ints[i];
    }
    *out = (rg_attr){.name = name, .type = RG_ATTR_INTS, .n = at, .ints = all};
    return RG_OK;
}

static rg_status rewrite(rg_uses *uses, parts *p)
{
    static const char *const lists[] = {"axes", "starts", "ends"};
    const char **douts = rg_arena_alloc(&uses->arena, (size_t)p->n * sizeof *douts);
    int32_t *counts = rg_arena_alloc(&uses->arena, (size_t)p->n * sizeof *counts);
    rg_attr numbers[3];
    bool all = p->n_others == 0;
    rg_opdesc *op = all ? p->sum : uses->block->ops[p->last];
    const char *out = rg_one_out(op, all ? "Out" : "Input@GRAD"), *x = p->x;
    if (douts == NULL || counts == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse parts");
    for (int i = 0; i < 3; i++)
        RG_TRY(gather(uses, p, lists[i], &numbers[i]));
    for (int k = 0; k < p->n; k++) {
        douts[k] = rg_one_in(p->grads[k], "Out@GRAD");
        counts[k] = rg_opdesc_attr(p->grads[k], "axes")->n;
        if (p->grads[k] != op)
            rg_uses_remove(uses, p->grads[k]);
    }
    RG_TRY(rg_opdesc_become(op, "fused_slice_grad"));
    RG_TRY(rg_opdesc_set_in(op, "Input", 1, &x));
    RG_TRY(rg_opdesc_set_in(op, "Out@GRAD", p->n, douts));
    for (int i = 0; i < 3; i++)
        RG_TRY(rg_opdesc_set_attr(op, &numbers[i]));
    RG_TRY(rg_opdesc_set_attr(
        op, &(rg_attr){.name = "counts", .type = RG_ATTR_INTS, .n = p->n, .ints = counts}));
    RG_TRY(rg_opdesc_set_out(op, "Input@GRAD", 1, &out));
    if (all)
        return RG_OK;
    p->others[p->n_others++] = out;
    return rg_opdesc_set_in(p->sum, "X", p->n_others, p->others);
}

rg_status rg_pass_fuse_parts(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        parts p;
        bool found = false;
        if (!uses.removed[i] && rg_is_type(uses.block->ops[i], "sum"))
            code = match(&uses, uses.block->ops[i], &p, &found);
        if (code == RG_OK && found)
            code = rewrite(&uses, &p);
    }
    rg_uses_fini(&uses);
    return code;
}
