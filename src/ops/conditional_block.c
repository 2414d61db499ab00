/* conditional_block.c - run the sub-block or not.
 *
 * It is run if Cond, one bool, is true; without is_scalar_condition, if no tensor of Cond is
 * empty. Otherwise the outputs stay as they were, and so their gradients pass on. */
#include "ops/block_grad.h"

enum { COND, INPUT };
enum { OUT, SCOPE };
enum { SUB_BLOCK, IS_SCALAR_CONDITION, SKIP_VARS };

static rg_status conditional_block_infer(rg_ctx *ctx)
{
    if (rg_attr_bool(ctx, IS_SCALAR_CONDITION))
        RG_TRY(RG_EXPECT_DTYPE(ctx, COND, RG_BOOL));
    rg_set_kind(ctx, SCOPE, RG_STEP_SCOPES);
    return RG_OK;
}

static rg_status is_true(const rg_ctx *ctx, bool *out)
{
    *out = true;
    if (rg_attr_bool(ctx, IS_SCALAR_CONDITION)) {
        const rg_value *cond = rg_in(ctx, COND);
        if (rg_n_in(ctx, COND) != 1 || rg_numel(cond) != 1)
            return rg_fail(RG_ESHAPE, "Cond %s must be one bool", rg_in_name(ctx, COND, 0));
        *out = *(const bool *)cond->data;
        return RG_OK;
    }
    for (int i = 0; i < rg_n_in(ctx, COND); i++)
        *out = *out && rg_in_n(ctx, COND, i) != NULL && rg_numel(rg_in_n(ctx, COND, i)) > 0;
    return RG_OK;
}

static rg_status conditional_block_kernel(rg_ctx *ctx)
{
    const rg_run_services *run = ctx->run->services;
    rg_value *scope = rg_out(ctx, SCOPE);
    bool wanted;
    RG_TRY(is_true(ctx, &wanted));
    if (scope != NULL)
        scope->n_rows = 0;
    if (!wanted)
        return RG_OK;
    RG_TRY(run->run_block(ctx));
    return scope != NULL ? run->save_step(ctx, scope) : RG_OK;
}

static rg_status conditional_block_grad(rg_grad_ctx *ctx)
{
    const rg_args *cond = rg_opdesc_in(rg_grad_forward(ctx), "Cond");
    rg_opdesc *op;
    /* Tensors that must not be empty may be what the block computes with. */
    for (int i = 0; cond != NULL && i < cond->n; i++)
        RG_TRY(rg_grad_lists(ctx, "Input", cond->names[i]));
    RG_TRY(rg_add_block_grad(ctx, "conditional_block_grad", "Input", false, &op));
    if (op == NULL)
        return RG_OK;
    RG_TRY(rg_opdesc_set_in(op, "Cond", cond->n, cond->names));
    return rg_grad_read_out(ctx, op, "Scope", "Scope");
}

#define SLOTS_IN                                                                                \
    RG_SLOTS([COND] = {"Cond", "one bool, or tensors", RG_REPEATED | RG_NO_GRAD | RG_ANY_KIND}, \
             [INPUT] = {"Input", "what the block reads",                                        \
                        RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND})
#define SLOTS_OUT                                                                 \
    RG_SLOTS([OUT] = {"Out", "what the block writes", RG_REPEATED | RG_OPTIONAL}, \
             [SCOPE] = {"Scope", "its variables, where it was run", RG_OPTIONAL})
#define ATTRS                                                                                      \
    RG_ATTRS([SUB_BLOCK] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the block"),                   \
             [IS_SCALAR_CONDITION] = RG_BOOLEAN("is_scalar_condition", false, "Cond is one bool"), \
             [SKIP_VARS] = RG_LIST("skip_eager_deletion_vars", RG_ATTR_STRINGS, "kept for files"))

const rg_op rg_op_conditional_block = {
    .type = "conditional_block",
    .doc = "Runs a block if a condition is true.",
    .in = SLOTS_IN,
    .out = SLOTS_OUT,
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = conditional_block_infer,
    .kernel = conditional_block_kernel,
    .grad = conditional_block_grad,
};

const rg_op rg_op_conditional_block_infer = {
    .type = "conditional_block_infer",
    .doc = "conditional_block in programs that are not trained.",
    .in = SLOTS_IN,
    .out = SLOTS_OUT,
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = conditional_block_infer,
    .kernel = conditional_block_kernel,
};

/* ---- gradient ---- */

enum { G_COND, G_INPUT, G_OUT, G_DOUT, G_SCOPE };
enum { G_DINPUT };

static rg_status conditional_block_grad_kernel(rg_ctx *ctx)
{
    return rg_run_block_grad(
        ctx, &(rg_block_grad){
                 .in = G_INPUT, .out = G_OUT, .dout = G_DOUT, .scopes = G_SCOPE, .din = G_DINPUT});
}

const rg_op rg_op_conditional_block_grad = {
    .type = "conditional_block_grad",
    .doc = "Gradient of conditional_block.",
    .in = RG_SLOTS([G_COND] = {"Cond", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_INPUT] = {"Input", "",
                                RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_OUT] = {"Out", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_DOUT] = {"Out@GRAD", "",
                               RG_REPEATED | RG_OPTIONAL | RG_UNSET_OK | RG_ANY_KIND},
                   [G_SCOPE] = {"Scope", "", RG_ANY_KIND}),
    .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_REPEATED | RG_OPTIONAL,
                                  .like = RG_OF(G_INPUT)}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .kernel = conditional_block_grad_kernel,
};
