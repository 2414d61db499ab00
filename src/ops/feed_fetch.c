/* feed_fetch.c - where values enter and leave a saved program. The executor does their
 * work itself: in a plan they are never run. */
#include "ops/types.h"

enum { COL };

static rg_status nothing(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_feed = {
    .type = "feed",
    .doc = "Takes column `col` of what is fed.",
    .in = RG_SLOTS([0] = {"X", "the feed list", RG_OPTIONAL | RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([0] = {"Out", "the variable fed"}),
    .attr = RG_ATTRS([COL] = RG_INT("col", 0, "which column")),
    .flags = RG_OP_HOST,
    .infer = nothing,
    .kernel = nothing,
};

const rg_op rg_op_fetch = {
    .type = "fetch",
    .doc = "Gives a variable out as column `col`.",
    .in = RG_SLOTS([0] = {"X", "the variable", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([0] = {"Out", "the fetch list", RG_OPTIONAL}),
    .attr = RG_ATTRS([COL] = RG_INT("col", 0, "which column")),
    .flags = RG_OP_HOST,
    .infer = nothing,
    .kernel = nothing,
};
