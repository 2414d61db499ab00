/* fuse_softmax.c - the gradients of cross_entropy2 and of the softmax before it as one.
 *
 *   cross_entropy_grad2(label, dy) -> dp; softmax_grad(p, dp) -> dx
 *       fused_softmax_cross_entropy_grad(p, label, dy) -> dx
 *
 * where nobody else reads dp. */
#include "pass/uses.h"

#include <string.h>

static bool over_last_axis(const rg_uses *uses, const rg_opdesc *softmax_grad, const char *p)
{
    const rg_vardesc *var = rg_block_find(uses->block, p);
    int axis = rg_opdesc_attr(softmax_grad, "axis")->i;
    return var != NULL && var->meta.dtype == RG_F32 &&
           (axis == -1 || axis == var->meta.shape.rank - 1);
}

/* The forward cross_entropy2 read what the softmax made, which is the same when its gradient is
 * taken, and so are the labels. */
static bool same_softmax(const rg_uses *uses, const rg_opdesc *entropy_grad, const char *p,
                         size_t here)
{
    const char *match = rg_one_in(entropy_grad, "MatchX");
    const rg_opdesc *entropy = match ? rg_only_writer(uses, match) : NULL;
    if (!rg_is_type(entropy, "cross_entropy2") || rg_one_in(entropy, "X") == NULL ||
        strcmp(rg_one_in(entropy, "X"), p) != 0)
        return false;
    size_t first = rg_uses_index(uses, entropy);
    return !rg_written_between(uses, p, first, here) &&
           !rg_written_between(uses, rg_one_in(entropy_grad, "Label"), first, here);
}

static rg_status fuse(rg_uses *uses, rg_opdesc *entropy_grad)
{
    const char *dp = rg_one_out(entropy_grad, "X@GRAD");
    rg_opdesc *softmax_grad = rg_sole_reader(uses, dp);
    if (!rg_is_type(softmax_grad, "softmax_grad"))
        return RG_OK;
    const char *p = rg_one_in(softmax_grad, "Out"), *dx = rg_one_out(softmax_grad, "X@GRAD");
    const char *label = rg_one_in(entropy_grad, "Label"), *dy = rg_one_in(entropy_grad, "Y@GRAD");
    size_t here = rg_uses_index(uses, softmax_grad);
    if (p == NULL || dx == NULL || label == NULL || dy == NULL ||
        !over_last_axis(uses, softmax_grad, p) || !same_softmax(uses, entropy_grad, p, here) ||
        rg_written_between(uses, dy, rg_uses_index(uses, entropy_grad), here))
        return RG_OK;
    rg_attr ignored = *rg_opdesc_attr(entropy_grad, "ignore_index");
    rg_uses_remove(uses, entropy_grad);
    RG_TRY(rg_opdesc_become(softmax_grad, "fused_softmax_cross_entropy_grad"));
    RG_TRY(rg_opdesc_set_in(softmax_grad, "Softmax", 1, &p));
    RG_TRY(rg_opdesc_set_in(softmax_grad, "Label", 1, &label));
    RG_TRY(rg_opdesc_set_in(softmax_grad, "Y@GRAD", 1, &dy));
    RG_TRY(rg_opdesc_set_attr(softmax_grad, &ignored));
    return rg_opdesc_set_out(softmax_grad, "X@GRAD", 1, &dx);
}

rg_status rg_pass_fuse_softmax(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++)
        if (!uses.removed[i] && rg_is_type(uses.block->ops[i], "cross_entropy_grad2"))
            code = fuse(&uses, uses.block->ops[i]);
    rg_uses_fini(&uses);
    return code;
}
