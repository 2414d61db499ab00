/* delete_var.c - a variable that is not needed any more. Memory is shared out by who still reads
 * what, so there is nothing left to do: the op is here for programs that have it. */
#include "ir/op.h"

enum { X };

static rg_status infer(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_delete_var = {
    .type = "delete_var",
    .doc = "Marks variables that are not needed any more; their memory is used again anyway.",
    .in = RG_SLOTS([X] = {"X", "any", RG_REPEATED | RG_NO_GRAD | RG_SHAPE_ONLY | RG_ANY_KIND |
                                          RG_UNSET_OK}),
    .out = RG_SLOTS({.name = NULL}),
    .flags = RG_OP_EFFECT,
    .infer = infer,
    .kernel = kernel,
};
