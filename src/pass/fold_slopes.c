/* fold_slopes.c - the slope of a layer's activation is taken where its gradient is made.
 *
 *   fused_fc_grad(x, ...) -> dx; fused_fc_grad(out = x, dout = dx, act = relu)
 *   fused_fc_grad(x, x_act = relu) -> dz; fused_fc_grad(dout = dz, act = "")
 *
 * On a GPU dx is multiplied while it is still in registers, and a pass over it is saved. Where
 * nobody else reads dx; the first of the two may be fused_fc_loss, too. */
#include "pass/uses.h"

#include <string.h>

static bool same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* The gradient of the layer before, whose activation gave X; NULL: there is none. */
static rg_opdesc *layer_before(const rg_uses *uses, const rg_opdesc *op)
{
    const char *x = rg_one_in(op, "X"), *dx = rg_one_out(op, "X@GRAD");
    rg_opdesc *before = dx ? rg_sole_reader(uses, dx) : NULL;
    if (x == NULL || !rg_is_type(before, "fused_fc_grad") || !same(rg_one_in(before, "Out"), x) ||
        !same(rg_one_in(before, "Out@GRAD"), dx) || rg_opdesc_attr(op, "x_act")->s[0] != '\0')
        return NULL;
    return rg_written_between(uses, x, rg_uses_index(uses, op), rg_uses_index(uses, before))
               ? NULL
               : before;
}

rg_status rg_pass_fold_slopes(rg_program *program, const rg_protected *keep)
{
    rg_uses uses;
    rg_status code = RG_OK;
    RG_TRY(rg_uses_make(&uses, program, keep));
    for (size_t i = 0; code == RG_OK && i < uses.block->n_ops; i++) {
        rg_opdesc *op = uses.block->ops[i], *before;
        if ((!rg_is_type(op, "fused_fc_grad") && !rg_is_type(op, "fused_fc_loss")) ||
            (before = layer_before(&uses, op)) == NULL)
            continue;
        rg_attr act = *rg_opdesc_attr(before, "act");
        if (act.s[0] == '\0')
            continue;
        code = rg_opdesc_set_attr(op,
                                  &(rg_attr){.name = "x_act", .type = RG_ATTR_STRING, .s = act.s});
        if (code == RG_OK)
            code = rg_opdesc_set_attr(before,
                                      &(rg_attr){.name = "act", .type = RG_ATTR_STRING, .s = ""});
    }
    rg_uses_fini(&uses);
    return code;
}
