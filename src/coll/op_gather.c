/* op_gather.c - what one rank has to all ranks, and what all have to each.
 *
 *   c_broadcast, broadcast   Out = X of rank `root`
 *   c_allgather              Out = X of all ranks, along dimension 0 */
#include "coll/rings.h"
#include "ir/op.h"

#include <string.h>

enum { X };
enum { OUT };

/* ---- broadcast ---- */

static rg_status spread(rg_ctx *ctx, int ring, int root)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    rg_group *group;
    RG_TRY(rg_ring_group(ring, &group));
    if (out->data != x->data && rg_group_rank(group) == root)
        memcpy(out->data, x->data, rg_value_bytes(x));
    return rg_group_broadcast(group, out->data, rg_value_bytes(out), root);
}

enum { RING, ROOT, CALC_STREAM };

static rg_status c_broadcast(rg_ctx *ctx)
{
    return spread(ctx, rg_attr_int(ctx, RING), rg_attr_int(ctx, ROOT));
}

const rg_op rg_op_c_broadcast = {
    .type = "c_broadcast",
    .doc = "The values of one rank, to all.",
    .in = RG_SLOTS([X] = {"X", "of this rank: only its shape counts where it is not the root", 0}),
    .out = RG_SLOTS([OUT] = {"Out", "of the root", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([RING] = RG_INT("ring_id", 0, "the group"),
                     [ROOT] = RG_INT("root", 0, "whose values they are"),
                     [CALC_STREAM] = RG_BOOLEAN("use_calc_stream", false, "it always waits")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .kernel = c_broadcast,
};

enum { SYNC_MODE, OLD_ROOT };

static rg_status broadcast(rg_ctx *ctx)
{
    return spread(ctx, 0, rg_attr_int(ctx, OLD_ROOT));
}

const rg_op rg_op_broadcast = {
    .type = "broadcast",
    .doc = "The values of one rank, to all.",
    .in = RG_SLOTS([X] = {"X", "of this rank", 0}),
    .out = RG_SLOTS([OUT] = {"Out", "of the root", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([SYNC_MODE] = RG_BOOLEAN("sync_mode", false, "it always waits"),
                     [OLD_ROOT] = RG_INT("root", 0, "whose values they are")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .kernel = broadcast,
};

/* ---- all_gather ---- */

enum { GATHER_RING, GATHER_CALC_STREAM, NRANKS };

static rg_status infer_gather(rg_ctx *ctx)
{
    rg_shape shape = *rg_shape_of(ctx, X);
    int n = rg_attr_int(ctx, NRANKS);
    if (n < 1 || shape.rank < 1)
        return rg_fail(RG_EINVAL, "nranks is %d, and %s has %d dimensions", n,
                       rg_in_name(ctx, X, 0), shape.rank);
    if (shape.dim[0] >= 0)
        shape.dim[0] *= n;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &shape);
    return RG_OK;
}

static rg_status gather(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_group *group;
    RG_TRY(rg_ring_group(rg_attr_int(ctx, GATHER_RING), &group));
    if (rg_attr_int(ctx, NRANKS) != rg_group_size(group))
        return rg_fail(RG_EINVAL, "nranks is %d, and the group has %d", rg_attr_int(ctx, NRANKS),
                       rg_group_size(group));
    return rg_group_all_gather(group, x->data, rg_value_bytes(x), rg_out_data(ctx, OUT));
}

static rg_status gather_grad(rg_grad_ctx *ctx)
{
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "c_reducescatter", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_c_allgather = {
    .type = "c_allgather",
    .doc = "The rows of all ranks, in their order.",
    .in = RG_SLOTS([X] = {"X", "[rows, ...] of this rank", 0}),
    .out = RG_SLOTS([OUT] = {"Out", "[nranks rows, ...]", 0}),
    .attr = RG_ATTRS([GATHER_RING] = RG_INT("ring_id", 0, "the group"),
                     [GATHER_CALC_STREAM] = RG_BOOLEAN("use_calc_stream", false, "it always waits"),
                     [NRANKS] = RG_INT("nranks", 1, "how many there are")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = infer_gather,
    .kernel = gather,
    .grad = gather_grad,
};
