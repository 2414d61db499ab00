/* block_grad.h - the gradient of an op that runs a block: a loop, a condition.
 *
 * The gradient op walks the steps that were set aside backwards and runs, for each, the block
 * that autodiff made of the body. Of the variables around the block,
 *
 *   - one that the body only reads has the sum over the steps;
 *   - one that is an input and an output is carried from step to step: its gradient enters
 *     as that of the output, is replaced by each step, and leaves as that of the input. So
 *     where there was no step, the one is the other;
 *   - gradients of arrays are the outer arrays themselves, added to in place. */
#ifndef RG_OPS_BLOCK_GRAD_H
#define RG_OPS_BLOCK_GRAD_H

#include "ir/program.h"

/* For the op's `grad`: append an op of this type, with its sub_block; its slots are those of
 * the forward op, `in` and Out, with Out@GRAD and the gradient of `in`. `loop` as of
 * rg_grad_sub_block(). *op is NULL where nothing wants a gradient. */
rg_status rg_add_block_grad(rg_grad_ctx *ctx, const char *type, const char *in, bool loop,
                            rg_opdesc **op);

/* Which slots of the gradient op are which. */
typedef struct rg_block_grad {
    int in, out, dout, scopes; /* inputs */
    int din;                   /* output */
} rg_block_grad;

/* The kernel of the gradient op. */
rg_status rg_run_block_grad(rg_ctx *ctx, const rg_block_grad *slots);

/* In such a kernel: the variable of the gradient's block that holds the gradient of `name`;
 * NULL: none. */
rg_value *rg_inner_grad(rg_ctx *ctx, const char *name);
/* to += from, what one more step gives. */
rg_status rg_add_step_grad(rg_value *to, const rg_value *from);

#endif
