/* get_places.c - the places of a program, for ops that are not any more: the op is here for
 * programs that have it. Everything runs on the CPU. */
#include "ir/op.h"

#include <string.h>

enum { OUT };
enum { DEVICE_COUNT, DEVICE_TYPE };

static rg_status infer(rg_ctx *ctx)
{
    const char *type = rg_attr_string(ctx, DEVICE_TYPE);
    if (strcmp(type, "AUTO") != 0 && strcmp(type, "CPU") != 0)
        return rg_fail(RG_EINVAL, "device_type %s: everything runs on the CPU", type);
    if (rg_attr_int(ctx, DEVICE_COUNT) < 0)
        return rg_fail(RG_EINVAL, "device_count is %d", rg_attr_int(ctx, DEVICE_COUNT));
    rg_set_kind(ctx, OUT, RG_PLACE_LIST);
    return RG_OK;
}

/* No op reads the list, and places of the CPU are all the same: there is nothing to keep. */
static rg_status kernel(rg_ctx *ctx)
{
    rg_value_set_object(rg_out(ctx, OUT), RG_PLACE_LIST, NULL, NULL);
    return RG_OK;
}

const rg_op rg_op_get_places = {
    .type = "get_places",
    .doc = "A list of places of the CPU.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "the list"}),
    .attr = RG_ATTRS([DEVICE_COUNT] = RG_INT("device_count", 0, "how many; 0: all there are"),
                     [DEVICE_TYPE] = RG_STRING("device_type", "AUTO", "AUTO or CPU")),
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};
