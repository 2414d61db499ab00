/* while.c - a loop: run the sub-block as long as Condition is true.
 *
 * The block's own variables are set aside after each step, for the gradient. The
 * gradient walks the steps backwards over a block that autodiff made of the body:
 *
 *   - a variable that the body reads and writes is carried from step to step: its
 *     gradient enters as that of the output, is replaced by each step, and leaves as
 *     that of the input;
 *   - a variable that the body only reads has the sum over the steps;
 *   - gradients of arrays are the outer arrays themselves, added to in place.
 *
 * Variables around the loop that the body changes (a counter, a carried state) are kept
 * as they were before each step; a restore_step op in the gradient's block puts one back
 * where the body had changed it. */
#include "ir/program.h"
#include "ops/types.h"

#include <string.h>

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
    if (rg_numel(condition) != 1)
        return rg_fail(RG_ESHAPE, "Condition %s has %lld elements, and must have one",
                       rg_in_name(ctx, CONDITION, 0), (long long)rg_numel(condition));
    if (scopes != NULL)
        scopes->n_rows = 0;
    for (size_t i = 0; *(const bool *)condition->data; i++) {
        if (scopes != NULL)
            RG_TRY(run->save_carried(ctx, scopes, i));
        RG_TRY(run->run_block(ctx));
        if (scopes != NULL)
            RG_TRY(run->save_step(ctx, scopes));
    }
    return RG_OK;
}

static rg_status while_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    rg_opdesc *op;
    int block;
    RG_TRY(rg_grad_sub_block(ctx, rg_opdesc_attr(forward, "sub_block")->i, &block));
    RG_TRY(rg_grad_add(ctx, "while_grad", false, &op));
    RG_TRY(
        rg_opdesc_set_attr(op, &(rg_attr){.name = "sub_block", .type = RG_ATTR_BLOCK, .i = block}));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    RG_TRY(rg_grad_read_out(ctx, op, "Out", "Out"));
    RG_TRY(rg_grad_read_out(ctx, op, "StepScopes", "StepScopes"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "Out"));
    RG_TRY(rg_grad_write(ctx, op, "X@GRAD", "X", -1, NULL));
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
    .in = RG_SLOTS([X] = {"X", "what the block reads", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [CONDITION] = {"Condition", "one bool", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what the block writes", RG_REPEATED | RG_OPTIONAL},
                    [STEP_SCOPES] = {"StepScopes", "its steps", RG_OPTIONAL}),
    .attr = RG_ATTRS([SUB_BLOCK] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the block"),
                     [IS_TEST] = RG_BOOLEAN("is_test", false, "no gradient will be asked for"),
                     [SKIP_VARS] = RG_LIST("skip_eager_deletion_vars", RG_ATTR_STRINGS,
                                           "kept for files")),
    .flags = RG_OP_DYNAMIC,
    .infer = while_infer,
    .kernel = while_kernel,
    .grad = while_grad,
};

/* ---- gradient ---- */

enum { G_X, G_OUT, G_DOUT, G_SCOPES };
enum { G_DX };

/* The variable of the gradient's block that holds the gradient of `name`; NULL: none. */
static rg_value *inner_grad(rg_ctx *ctx, const char *name)
{
    char text[1024];
    size_t length = strlen(name);
    if (length + sizeof RG_GRAD_SUFFIX > sizeof text)
        return NULL;
    memcpy(text, name, length);
    memcpy(text + length, RG_GRAD_SUFFIX, sizeof RG_GRAD_SUFFIX);
    return ctx->run->services->block_value(ctx, text);
}

static bool is_carried(const rg_ctx *ctx, const char *name)
{
    for (int i = 0; i < rg_n_in(ctx, G_OUT); i++)
        if (strcmp(rg_in_name(ctx, G_OUT, i), name) == 0)
            return true;
    return false;
}

/* The gradients of the outputs enter the block. */
static rg_status enter(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_in(ctx, G_DOUT); i++) {
        const rg_value *outer = rg_in_n(ctx, G_DOUT, i);
        rg_value *inner = inner_grad(ctx, rg_in_name(ctx, G_OUT, i));
        if (outer == NULL || inner == NULL || outer->meta.kind != RG_TENSOR || outer->data == NULL)
            continue;
        RG_TRY(rg_value_copy(inner, outer));
    }
    return RG_OK;
}

static rg_status zeros_like(rg_value *out, const rg_value *like)
{
    if (like->meta.kind != RG_TENSOR || like->data == NULL)
        return RG_OK;
    RG_TRY(rg_value_resize(out, like->meta.dtype, &like->meta.shape));
    memset(out->data, 0, rg_value_bytes(out));
    rg_value_set_lod(out, like->meta.lod);
    return RG_OK;
}

#define ADD(T, S)                                                                                  \
    RG_HOT static void add_##S(T *to, const T *from, int64_t n)                                    \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] += from[i];                                                                      \
    }
RG_FLOATS(ADD)

static rg_status add_to(rg_value *to, const rg_value *from)
{
    if (to->data == NULL || to->meta.kind != RG_TENSOR)
        return rg_value_copy(to, from);
    if (!rg_shape_equal(&to->meta.shape, &from->meta.shape))
        return rg_fail(RG_ESHAPE, "a gradient changes its shape between the steps of a loop");
    if (to->meta.dtype == RG_F32)
        add_f32(to->data, from->data, rg_numel(to));
    else if (to->meta.dtype == RG_F64)
        add_f64(to->data, from->data, rg_numel(to));
    else
        return rg_fail(RG_EUNIMPL, "no gradient of %s", rg_dtype_name(to->meta.dtype));
    return RG_OK;
}

/* What this step gives to the gradients of the inputs. */
static rg_status collect(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_out(ctx, G_DX); i++) {
        rg_value *outer = rg_out_n(ctx, G_DX, i);
        const char *name = rg_in_name(ctx, G_X, i);
        const rg_value *inner = outer ? inner_grad(ctx, name) : NULL;
        if (inner == NULL)
            continue;
        if (!is_carried(ctx, name) && inner->data != NULL)
            RG_TRY(add_to(outer, inner));
    }
    return RG_OK;
}

/* The carried ones, as the first step left them. */
static rg_status leave(rg_ctx *ctx, bool ran)
{
    for (int i = 0; i < rg_n_out(ctx, G_DX); i++) {
        rg_value *outer = rg_out_n(ctx, G_DX, i);
        const char *name = rg_in_name(ctx, G_X, i);
        const rg_value *inner = outer ? inner_grad(ctx, name) : NULL;
        if (inner != NULL && inner->meta.kind == RG_TENSOR && inner->data != NULL &&
            is_carried(ctx, name))
            RG_TRY(rg_value_copy(outer, inner));
        else if (outer != NULL && !ran)
            RG_TRY(zeros_like(outer, rg_in_n(ctx, G_X, i)));
    }
    return RG_OK;
}

static rg_status while_grad_kernel(rg_ctx *ctx)
{
    const rg_run_services *run = ctx->run->services;
    rg_value *scopes = (rg_value *)(uintptr_t)rg_in(ctx, G_SCOPES);
    for (int i = 0; i < rg_n_out(ctx, G_DX); i++) {
        rg_value *outer = rg_out_n(ctx, G_DX, i);
        if (outer != NULL && !is_carried(ctx, rg_in_name(ctx, G_X, i)))
            RG_TRY(zeros_like(outer, rg_in_n(ctx, G_X, i)));
    }
    size_t n = scopes->n_rows;
    RG_TRY(enter(ctx));
    RG_TRY(run->save_carried(ctx, scopes, n)); /* as the loop left them, for the ops after it */
    for (size_t i = n; i-- > 0;) {
        RG_TRY(run->load_step(ctx, scopes, i));
        RG_TRY(run->run_block(ctx));
        RG_TRY(collect(ctx));
    }
    RG_TRY(run->load_carried(ctx, scopes, n));
    return leave(ctx, n > 0);
}

const rg_op rg_op_while_grad = {
    .type = "while_grad",
    .doc = "Gradient of while.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_OUT] = {"Out", "", RG_REPEATED | RG_OPTIONAL | RG_SHAPE_ONLY},
                   [G_DOUT] = {"Out@GRAD", "", RG_REPEATED | RG_OPTIONAL},
                   [G_SCOPES] = {"StepScopes", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_REPEATED | RG_OPTIONAL, .like = RG_OF(G_X)}),
    .attr = RG_ATTRS([0] = RG_REQUIRED("sub_block", RG_ATTR_BLOCK, "the gradient's block"),
                     [1] = RG_LIST("original_output_grad", RG_ATTR_STRINGS, "gradients read")),
    .flags = RG_OP_DYNAMIC,
    .kernel = while_grad_kernel,
};

/* ---- restore_step ---- */

static rg_status restore_kernel(rg_ctx *ctx)
{
    return ctx->run->services->restore_carried(ctx, rg_out(ctx, 0));
}

static rg_status restore_infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_restore_step = {
    .type = "restore_step",
    .doc = "In the gradient of a loop: a variable as it was before the step.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS([0] = {"Out", "the variable"}),
    .flags = RG_OP_DYNAMIC | RG_OP_INTERNAL,
    .infer = restore_infer,
    .kernel = restore_kernel,
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
    .in = RG_SLOTS([0] = {"X", "a tensor", RG_NO_GRAD}),
    .out = RG_SLOTS([0] = {"Out", "one bool"}),
    .infer = is_empty_infer,
    .kernel = is_empty_kernel,
};
