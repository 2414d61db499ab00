/* fuse_fc_loss.c - the last layer of a classifier, its loss and its way back as one op.
 *
 *   fused_fc(x, w, b) -> z; fused_softmax_loss(z, label) -> p, y, loss, dz;
 *   fused_fc_grad(x, w, b, z, dz, rate) -> dx, w, b
 *   fused_fc_loss(x, w, b, label, rate) -> p, y, loss, dx, w, b
 *
 * in the place of fused_softmax_loss, where z and dz are nobody else's, and the layer is thin: more
 * columns are work for a library of products. After pass/fuse_loss.c; pass/fold_slopes.c comes
 * next. */
#include "pass/uses.h"

#include <string.h>

enum { THIN = 8 };

typedef struct head {
    rg_opdesc *fc, *loss, *grad;
    const char *x, *w, *bias;
} head;

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_plain(const rg_opdesc *op)
{
    return rg_opdesc_attr(op, "act")->s[0] == '\0' && rg_opdesc_attr(op, "padded")->i == 0 &&
           rg_opdesc_attr(op, "x_num_col_dims")->i == 1;
}

/* Whether nobody between the two places looks at what is written earlier now, or writes what is
 * read earlier. */
static bool may_move(const rg_uses *uses, const head *h)
{
    size_t first = rg_uses_index(uses, h->fc), here = rg_uses_index(uses, h->loss);
    size_t last = rg_uses_index(uses, h->grad);
    const char *const given[] = {h->x, h->w, h->bias, rg_one_in(h->grad, "LearningRate")};
    const char *dx = rg_one_out(h->grad, "X@GRAD");
    for (int i = 0; i < 4; i++)
        if (rg_written_between(uses, given[i], first, last))
            return false;
    return first < here && here < last && !rg_read_between(uses, h->w, here, last) &&
           !rg_read_between(uses, h->bias, here, last) &&
           (dx == NULL || !rg_used_between(uses, dx, here, last));
}

static bool match(const rg_uses *uses, rg_opdesc *loss, head *h)
{
    const char *z = rg_one_in(loss, "X"), *dz = rg_one_out(loss, "X@GRAD");
    const rg_var_uses *logits = z ? rg_map_get(&uses->vars, z) : NULL;
    *h = (head){.loss = loss, .fc = z ? rg_only_writer(uses, z) : NULL};
    h->grad = dz ? rg_sole_reader(uses, dz) : NULL;
    if (!rg_is_type(h->fc, "fused_fc") || !rg_is_type(h->grad, "fused_fc_grad") ||
        !is_plain(h->fc) || !is_plain(h->grad) || logits->fixed)
        return false;
    for (const rg_use *use = logits->readers; use != NULL; use = use->next)
        if (use->op != loss && use->op != h->grad)
            return false;
    h->x = rg_one_in(h->fc, "X");
    h->w = rg_one_in(h->fc, "W");
    h->bias = rg_one_in(h->fc, "Bias");
    const rg_vardesc *w = h->w ? rg_block_find(uses->block, h->w) : NULL;
    return same(rg_one_in(h->grad, "X"), h->x) && same(rg_one_in(h->grad, "W"), h->w) &&
           same(rg_one_in(h->grad, "Out"), z) && same(rg_one_in(h->grad, "Out@GRAD"), dz) &&
           same(rg_one_in(h->grad, "Bias"), h->bias) && same(rg_one_out(h->grad, "WOut"), h->w) &&
           same(rg_one_out(h->grad, "BiasOut"), h->bias) && rg_one_out(h->grad, "W@GRAD") == NULL &&
           rg_one_out(h->grad, "Bias@GRAD") == NULL && rg_one_in(h->grad, "LearningRate") != NULL &&
           w != NULL && w->meta.shape.dim[1] <= THIN && may_move(uses, h);
}

static rg_status set_out(rg_opdesc *op, const char *slot, const char *name)
{
    return name ? rg_opdesc_set_out(op, slot, 1, &name) : RG_OK;
}

static rg_status rewrite(rg_uses *uses, const head *h)
{
    rg_opdesc *op = h->loss;
    const char *label = rg_one_in(op, "Label"), *rate = rg_one_in(h->grad, "LearningRate");
    const char *dx = rg_one_out(h->grad, "X@GRAD"), *p = rg_one_out(op, "Softmax");
    const char *y = rg_one_out(op, "Y"), *loss = rg_one_out(op, "Loss");
    rg_attr ignored = *rg_opdesc_attr(op, "ignore_index"), scale = *rg_opdesc_attr(op, "scale");
    rg_uses_remove(uses, h->fc);
    rg_uses_remove(uses, h->grad);
    RG_TRY(rg_opdesc_become(op, "fused_fc_loss"));
    RG_TRY(rg_opdesc_set_in(op, "X", 1, &h->x));
    RG_TRY(rg_opdesc_set_in(op, "W", 1, &h->w));
    RG_TRY(rg_opdesc_set_in(op, "Bias", 1, &h->bias));
    RG_TRY(rg_opdesc_set_in(op, "Label", 1, &label));
    RG_TRY(rg_opdesc_set_in(op, "LearningRate", 1, &rate));
    RG_TRY(rg_opdesc_set_attr(op, &ignored));
    RG_TRY(rg_opdesc_set_attr(op, &scale));
    RG_TRY(set_out(op, "Softmax", p));
    RG_TRY(set_out(op, "Y", y));
    RG_TRY(set_out(op, "Loss", loss));
    RG_TRY(set_out(op, "X@GRAD", dx));
    RG_TRY(set_out(op, "WOut", h->w));
    return set_out(op, "BiasOut", h->bias);
}

rg_status rg_pass_fuse_fc_loss(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    head h;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        if (!uses.removed[i] && rg_is_type(uses.block->ops[i], "fused_softmax_loss") &&
            match(&uses, uses.block->ops[i], &h))
            code = rewrite(&uses, &h);
    rg_uses_fini(&uses);
    return code;
}
