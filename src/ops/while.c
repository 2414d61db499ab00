/* while.c - a loop: run the sub-block as long as Condition is true.
 *
 * The block's own variables are set aside after each step, for the gradient, which walks the
 * steps backwards over a block that autodiff made of the body: see ops/block_grad.h. */
#include "ir/program.h"
#include "ops/block_grad.h"
#include "sys/interrupt.h"

enum { X, CONDITION };
enum { OUT, STEP_SCOPES };
enum { SUB_BLOCK, IS_TEST, SKIP_VARS };

static rg_status while_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, CONDITION, RG_BOOL));
    rg_set_kind(ctx, STEP_SCOPES, RG_STEP_SCOPES);
    return RG_OK;
}

static rg_status while_kernel(rg_ctx *ctx)
{
    const rg_run_services *run = ctx->run->services;
    const rg_value *condition = rg_in(ctx, CONDITION);
    rg_value *scopes = rg_out(ctx, STEP_SCOPES);
    uint64_t next_look = 0;
    if (rg_numel(condition) != 1)
        return rg_fail(RG_ESHAPE, "Condition %s has %lld elements, and must have one",
                       rg_in_name(ctx, CONDITION, 0), (long long)rg_numel(condition));
    if (scopes != NULL)
        scopes->n_rows = 0;
    while (*(const bool *)condition->data) {
        RG_TRY(rg_interrupted_at_times(&next_look));
        RG_TRY(run->run_block(ctx));
        if (scopes != NULL)
            RG_TRY(run->save_step(ctx, scopes));
    }
    return RG_OK;
}

static rg_status while_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_add_block_grad(ctx, "while_grad", "X", true, &op));
    if (op == NULL)
        return RG_OK;
    RG_TRY(rg_grad_read_out(ctx, op, "StepScopes", "StepScopes"));
    const rg_args *grads = rg_opdesc_in(op, "Out@GRAD");
    if (grads == NULL || grads->n == 0)
        return RG_OK;
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "original_output_grad",
                                             .type = RG_ATTR_STRINGS,
                                             .n = grads->n,
                                             .strings = grads->names});
}

const rg_op rg_op_while = {
    .type = "while",
    .doc = "Runs a block as long as Condition is true.",
    .in = RG_SLOTS([X] = {"X", "what the block reads",
                          RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [CONDITION] = {"Condition", "one bool", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what the block writes", RG_REPEATED | RG_OPTIONAL},
                    [STEP_SCOPES] = {"StepScopes", "its steps", RG_OPTIONAL}),
    .attr = RG_ATTRS([SUB_BLOCK] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the block"),
                     [IS_TEST] = RG_BOOLEAN("is_test", false, "no gradient will be asked for"),
                     [SKIP_VARS] = RG_LIST("skip_eager_deletion_vars", RG_ATTR_STRINGS,
                                           "kept for files")),
    .flags = RG_OP_DYNAMIC | RG_OP_ENDLESS,
    .infer = while_infer,
    .kernel = while_kernel,
    .grad = while_grad,
};

/* ---- gradient ---- */

enum { G_X, G_OUT, G_DOUT, G_SCOPES };
enum { G_DX };

static rg_status while_grad_kernel(rg_ctx *ctx)
{
    return rg_run_block_grad(
        ctx,
        &(rg_block_grad){.in = G_X, .out = G_OUT, .dout = G_DOUT, .scopes = G_SCOPES, .din = G_DX});
}

const rg_op rg_op_while_grad = {
    .type = "while_grad",
    .doc = "Gradient of while.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_OUT] = {"Out", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [G_DOUT] = {"Out@GRAD", "", RG_REPEATED | RG_OPTIONAL | RG_ANY_KIND},
                   [G_SCOPES] = {"StepScopes", "", RG_ANY_KIND}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_REPEATED | RG_OPTIONAL, .like = RG_OF(G_X)}),
    .attr = RG_ATTRS([0] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the gradient's block"),
                     [1] = RG_LIST("original_output_grad", RG_ATTR_STRINGS, "gradients read")),
    .flags = RG_OP_DYNAMIC,
    .kernel = while_grad_kernel,
};

/* ---- is_empty: a common condition ---- */

static rg_status is_empty_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, 0, RG_BOOL, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status is_empty_kernel(rg_ctx *ctx)
{
    *(bool *)rg_out_data(ctx, 0) = rg_numel(rg_in(ctx, 0)) == 0;
    return RG_OK;
}

const rg_op rg_op_is_empty = {
    .type = "is_empty",
    .doc = "Whether a tensor has no elements.",
    .in = RG_SLOTS([0] = {"X", "a tensor", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([0] = {"Out", "one bool"}),
    .infer = is_empty_infer,
    .kernel = is_empty_kernel,
};
