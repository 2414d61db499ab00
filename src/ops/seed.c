/* seed.c - the seed of a random op as a variable: dropout reads it, and so does what is computed
 * again in the backward pass. 0: another number each run. */
#include "ir/op.h"

enum { OUT };
enum { SEED };

static rg_status infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_I32, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    int seed = rg_attr_int(ctx, SEED);
    if (seed == 0) {
        uint32_t drawn[4];
        rg_philox(rg_random_key(ctx, 0, false), 0, drawn);
        seed = (int)(drawn[0] >> 1) | 1;
    }
    *(int32_t *)rg_out_data(ctx, OUT) = seed;
    return RG_OK;
}

const rg_op rg_op_seed = {
    .type = "seed",
    .doc = "The seed of a random op, as a variable.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "one int32"}),
    .attr = RG_ATTRS([SEED] = RG_INT("seed", 0, "0: another number each run")),
    .infer = infer,
    .kernel = kernel,
};
