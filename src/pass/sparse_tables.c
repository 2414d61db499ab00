/* sparse_tables.c - gradients of large tables as rows, although the program calls for dense ones.
 *
 *   lookup_table_grad(W, ids, dout) -> g; adam(W, g)
 *       fused_lookup_grad(W, ids, dout) -> g; fused_adam_rows(W, g)
 *
 * where nobody but the update reads g, or the sum of several such: a step reads a few hundred rows
 * of a table, and clearing, adding and stepping through all of it is nearly all that such a model
 * does. Only for updates that say which op makes such a step of rows (ir/update.h): those that
 * leave a row alone whose gradient is zero (sgd, adagrad), and Adam, which catches rows up when
 * they are read, as look-ups and nce do. */
#include "ir/update.h"
#include "pass/uses.h"

#include <string.h>

enum { LARGE = 1 << 18, MAX_SLOTS = 32 }; /* LARGE: elements; smaller ones stay in a cache */

/* An op that can make the gradient of a table as rows. */
static const struct {
    const char *type, *table, *grad, *fused;
} makers[] = {
    {"lookup_table_grad", "W", "W@GRAD", "fused_lookup_grad"},
    {"lookup_table_v2_grad", "W", "W@GRAD", "fused_lookup_grad"},
    {"nce_grad", "Weight", "Weight@GRAD", "fused_nce_grad"},
};

/* What makes rows of `grad`, the gradient of w, in its writer's place; NULL: nothing does. */
static const char *maker_of(const rg_uses *uses, const char *grad, const char *w)
{
    const rg_opdesc *op = rg_only_writer(uses, grad);
    for (size_t i = 0; op != NULL && i < sizeof makers / sizeof *makers; i++) {
        if (!rg_is_type(op, makers[i].type))
            continue;
        const char *table = rg_one_in(op, makers[i].table), *out = rg_one_out(op, makers[i].grad);
        const rg_attr *sparse = rg_opdesc_attr(op, "is_sparse");
        return table != NULL && strcmp(table, w) == 0 && out != NULL && strcmp(out, grad) == 0 &&
                       sparse != NULL && !sparse->b && op->n_in <= MAX_SLOTS &&
                       op->n_out <= MAX_SLOTS
                   ? makers[i].fused
                   : NULL;
    }
    return NULL;
}

static bool is_large(const rg_uses *uses, const char *name)
{
    const rg_vardesc *var = rg_block_find(uses->block, name);
    return var != NULL && var->meta.kind == RG_TENSOR && var->meta.dtype == RG_F32 &&
           var->meta.shape.rank == 2 && rg_shape_numel(&var->meta.shape) >= LARGE;
}

/* Whether all of the gradients, which `reader` alone reads, can be rows. */
static bool all_can(const rg_uses *uses, const rg_args *grads, const char *w,
                    const rg_opdesc *reader)
{
    for (int i = 0; i < grads->n; i++)
        if (maker_of(uses, grads->names[i], w) == NULL ||
            rg_sole_reader(uses, grads->names[i]) != reader)
            return false;
    return grads->n > 0;
}

static void make_rows(const rg_uses *uses, const char *grad)
{
    rg_vardesc *var = rg_block_find(uses->block, grad);
    if (var != NULL)
        var->meta.kind = RG_ROWS;
}

/* Another op with the same arguments. */
static rg_status exchange(rg_uses *uses, rg_opdesc *op, const char *type)
{
    rg_args in[MAX_SLOTS], out[MAX_SLOTS];
    int n_in = op->n_in, n_out = op->n_out, n_attrs = op->n_attrs;
    rg_attr *attrs = rg_arena_alloc(&uses->arena, ((size_t)n_attrs + 1) * sizeof *attrs);
    if (attrs == NULL)
        return rg_fail(RG_ENOMEM, "no memory to fuse a program");
    memcpy(attrs, op->attrs, (size_t)n_attrs * sizeof *attrs);
    memcpy(in, op->in, (size_t)n_in * sizeof *in);
    memcpy(out, op->out, (size_t)n_out * sizeof *out);
    RG_TRY(rg_opdesc_become(op, type));
    for (int i = 0; i < n_in; i++)
        RG_TRY(rg_opdesc_set_in(op, in[i].slot, in[i].n, in[i].names));
    for (int i = 0; i < n_out; i++)
        RG_TRY(rg_opdesc_set_out(op, out[i].slot, out[i].n, out[i].names));
    for (int i = 0; i < n_attrs; i++)
        RG_TRY(rg_opdesc_set_attr(op, &attrs[i]));
    return RG_OK;
}

static rg_status make_sparse(rg_uses *uses, const rg_args *grads, const char *w)
{
    for (int i = 0; i < grads->n; i++) {
        const char *name = grads->names[i];
        RG_TRY(exchange(uses, rg_only_writer(uses, name), maker_of(uses, name, w)));
        make_rows(uses, name);
    }
    return RG_OK;
}

static rg_status rewrite(rg_uses *uses, rg_opdesc *step)
{
    const rg_update *update = rg_update_of(step);
    const char *type = update && update->of_dense_rows ? update->of_dense_rows(step) : NULL;
    if (type == NULL || !rg_update_keeps_param(step))
        return RG_OK;
    const char *w = rg_update_param(step), *g = rg_update_grad(step);
    if (g == NULL || !is_large(uses, w) || rg_sole_reader(uses, g) != step ||
        step->n_in > MAX_SLOTS || step->n_out > MAX_SLOTS)
        return RG_OK;
    rg_opdesc *sum = rg_only_writer(uses, g);
    const rg_args one = {.n = 1, .names = &g};
    const rg_args *grads = rg_is_type(sum, "sum") ? rg_opdesc_in(sum, "X") : &one;
    if (grads == NULL || !all_can(uses, grads, w, grads == &one ? step : sum))
        return RG_OK;
    RG_TRY(make_sparse(uses, grads, w));
    make_rows(uses, g);
    return rg_is_type(step, type) ? RG_OK : exchange(uses, step, type);
}

rg_status rg_pass_sparse_tables(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        code = rewrite(&uses, uses.block->ops[i]);
    rg_uses_fini(&uses);
    return code;
}
