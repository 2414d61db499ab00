/* fuse_loss.c - softmax, cross_entropy2, mean and their gradients as one op.
 *
 *   softmax(x) -> p; cross_entropy2(p, label) -> y; mean(y) -> loss;
 *   fill_constant() -> dl; mean_grad(y, dl) -> dy; fused_softmax_cross_entropy_grad(p, label, dy)
 * -> dx fused_softmax_loss(x, label) -> p, y, loss, dx
 *
 * in the place of cross_entropy2; after pass/fuse_softmax.c. A step that is not asked for its loss
 * has no mean any more (pass/dead_ops.c). */
#include "pass/uses.h"

#include <string.h>

typedef struct loss {
    rg_opdesc *softmax, *entropy, *mean, *start, *mean_grad, *grad;
    const char *p, *label, *y;
} loss;

static rg_opdesc *writer_of(const rg_uses *uses, const char *name, const char *type)
{
    rg_opdesc *op = name ? rg_only_writer(uses, name) : NULL;
    return rg_is_type(op, type) ? op : NULL;
}

/* The op of that type that reads the variable; NULL: none, or several. */
static rg_opdesc *reader_of(const rg_uses *uses, const char *name, const char *type)
{
    const rg_var_uses *var = rg_map_get(&uses->vars, name);
    rg_opdesc *found = NULL;
    for (const rg_use *use = var ? var->readers : NULL; use != NULL; use = use->next)
        if (rg_is_type(use->op, type)) {
            if (found != NULL)
                return NULL;
            found = use->op;
        }
    return found;
}

static bool is_read(const rg_uses *uses, const char *name)
{
    const rg_var_uses *var = name ? rg_map_get(&uses->vars, name) : NULL;
    return var != NULL && (var->readers != NULL || var->fixed);
}

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_matrix(const rg_uses *uses, const char *name)
{
    const rg_vardesc *var = name ? rg_block_find(uses->block, name) : NULL;
    return var != NULL && var->meta.dtype == RG_F32 && var->meta.shape.rank == 2;
}

static bool is_one(const rg_opdesc *start)
{
    const rg_attr *shape = rg_opdesc_attr(start, "shape");
    int64_t n = 1;
    for (int i = 0; i < shape->n; i++)
        n *= shape->type == RG_ATTR_LONGS ? shape->longs[i] : shape->ints[i];
    const rg_args *from = rg_opdesc_in(start, "ValueTensor"),
                  *sizes = rg_opdesc_in(start, "ShapeTensor");
    return n == 1 && (from == NULL || from->n == 0) && (sizes == NULL || sizes->n == 0);
}

/* Whether the mean and the gradient, which are made in the place of cross_entropy2, may be there so
 * early. */
static bool may_be_early(const rg_uses *uses, const loss *l)
{
    const char *mean = l->mean ? rg_one_out(l->mean, "Out") : NULL;
    const char *dx = rg_one_out(l->grad, "X@GRAD");
    size_t here = rg_uses_index(uses, l->entropy);
    return dx != NULL && !rg_used_between(uses, dx, here, rg_uses_index(uses, l->grad)) &&
           (mean == NULL || !rg_used_between(uses, mean, here, rg_uses_index(uses, l->mean)));
}

static bool match(const rg_uses *uses, rg_opdesc *grad, loss *l)
{
    l->grad = grad;
    l->p = rg_one_in(grad, "Softmax");
    l->label = rg_one_in(grad, "Label");
    const char *dy = rg_one_in(grad, "Y@GRAD");
    l->softmax = writer_of(uses, l->p, "softmax");
    l->mean_grad = writer_of(uses, dy, "mean_grad");
    if (l->softmax == NULL || l->mean_grad == NULL || rg_sole_reader(uses, dy) != grad)
        return false;
    const char *dl = rg_one_in(l->mean_grad, "Out@GRAD");
    l->y = rg_one_in(l->mean_grad, "X");
    l->start = writer_of(uses, dl, "fill_constant");
    l->entropy = writer_of(uses, l->y, "cross_entropy2");
    l->mean = l->y ? reader_of(uses, l->y, "mean") : NULL;
    if (l->start == NULL || l->entropy == NULL || rg_sole_reader(uses, dl) != l->mean_grad ||
        !is_one(l->start))
        return false;
    size_t first = rg_uses_index(uses, l->softmax), here = rg_uses_index(uses, l->entropy);
    size_t last = rg_uses_index(uses, grad);
    return same(rg_one_in(l->entropy, "X"), l->p) &&
           same(rg_one_in(l->entropy, "Label"), l->label) &&
           !is_read(uses, rg_one_out(l->entropy, "MatchX")) &&
           !is_read(uses, rg_one_out(l->entropy, "XShape")) && is_matrix(uses, l->p) &&
           rg_one_in(l->softmax, "X") != NULL && first < here &&
           !rg_read_between(uses, l->p, first, here) &&
           !rg_written_between(uses, rg_one_in(l->softmax, "X"), first, last) &&
           !rg_written_between(uses, l->label, here, last) && may_be_early(uses, l);
}

static rg_status rewrite(rg_uses *uses, const loss *l)
{
    const char *x = rg_one_in(l->softmax, "X"), *dx = rg_one_out(l->grad, "X@GRAD");
    const char *mean = l->mean ? rg_one_out(l->mean, "Out") : NULL, *p = l->p, *label = l->label,
               *y = l->y;
    rg_attr ignored = *rg_opdesc_attr(l->grad, "ignore_index");
    float scale = rg_opdesc_attr(l->start, "value")->f;
    rg_opdesc *op = l->entropy;
    rg_uses_remove(uses, l->softmax);
    rg_uses_remove(uses, l->mean);
    rg_uses_remove(uses, l->start);
    rg_uses_remove(uses, l->mean_grad);
    rg_uses_remove(uses, l->grad);
    RG_TRY(rg_opdesc_become(op, "fused_softmax_loss"));
    RG_TRY(rg_opdesc_set_in(op, "X", 1, &x));
    RG_TRY(rg_opdesc_set_in(op, "Label", 1, &label));
    RG_TRY(rg_opdesc_set_out(op, "Softmax", 1, &p));
    RG_TRY(rg_opdesc_set_out(op, "Y", 1, &y));
    if (mean != NULL)
        RG_TRY(rg_opdesc_set_out(op, "Loss", 1, &mean));
    RG_TRY(rg_opdesc_set_attr(op, &ignored));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "scale", .type = RG_ATTR_FLOAT, .f = scale}));
    return rg_opdesc_set_out(op, "X@GRAD", 1, &dx);
}

rg_status rg_pass_fuse_loss(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    loss l;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        if (!uses.removed[i] &&
            rg_is_type(uses.block->ops[i], "fused_softmax_cross_entropy_grad") &&
            match(&uses, uses.block->ops[i], &l))
            code = rewrite(&uses, &l);
    rg_uses_fini(&uses);
    return code;
}
