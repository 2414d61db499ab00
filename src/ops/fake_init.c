/* fake_init.c - a variable that is known here and lives elsewhere: it gets a shape and no
 * memory, as a table of servers has on a trainer. Whoever reads its data is told that it
 * has none; whoever needs its shape alone is served. */
#include "ops/shape_args.h"
#include "ops/types.h"

enum { OUT };
enum { SHAPE };

static rg_status infer(rg_ctx *ctx)
{
    rg_shape shape;
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, SHAPE), &shape));
    rg_set_shape(ctx, OUT, &shape);
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    RG_TRY(rg_shape_from_list(rg_attr_list(ctx, SHAPE), &out->meta.shape));
    rg_storage_release(out->storage);
    out->storage = NULL;
    out->data = NULL;
    return RG_OK;
}

const rg_op rg_op_fake_init = {
    .type = "fake_init",
    .doc = "A shape without memory, for a variable that lives on servers.",
    .in = (const rg_slot[]){{.name = NULL}},
    .out = RG_SLOTS([OUT] = {"Out", "the variable"}),
    .attr = RG_ATTRS([SHAPE] = RG_REQUIRED("shape", RG_ATTR_LONGS, "its shape")),
    .flags = RG_OP_DYNAMIC | RG_OP_NO_MEMORY,
    .infer = infer,
    .kernel = kernel,
};
