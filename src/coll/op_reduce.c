/* op_reduce.c - sums, products, maxima and minima over the ranks of a group.
 *
 *   c_allreduce_OP, allreduce   Out = OP over ranks of X
 *   c_reducescatter             Out = this rank's part of the sum of X, along dimension 0
 *
 * A sparse gradient is not made dense: the sum of those of all ranks is their rows, one behind the
 * other, of which some may be there twice, as in any sparse gradient. */
#include "coll/rings.h"
#include "coll/rows.h"
#include "ir/op.h"

#include <string.h>

enum { X };
enum { OUT };
enum { RING, CALC_STREAM, NRANKS };

static rg_status reduce_rows(rg_group *group, const rg_value *x, rg_value *out)
{
    rg_group_work *work;
    rg_rows_room room = {0};
    RG_TRY(rg_rows_start(&work, group, x, &room));
    rg_status code = rg_group_wait(work);
    if (code == RG_OK)
        code = rg_rows_take(out, &x->meta, work, rg_group_size(group), &room);
    rg_group_work_close(work);
    rg_rows_room_fini(&room);
    return code;
}

static rg_status reduce(rg_ctx *ctx, int ring, rg_group_op op)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    rg_group *group;
    RG_TRY(rg_ring_group(ring, &group));
    if (x->meta.kind == RG_ROWS && op == RG_GROUP_SUM)
        return reduce_rows(group, x, out);
    if (x->meta.kind != RG_TENSOR)
        return rg_fail(RG_EUNIMPL, "%s is sparse: its sum can be made, and nothing else",
                       rg_in_name(ctx, X, 0));
    if (out->data != x->data)
        memcpy(out->data, x->data, rg_value_bytes(x));
    return rg_group_all_reduce(group, out->data, (size_t)rg_numel(x), x->meta.dtype, op);
}

static rg_status reduce_sum(rg_ctx *ctx)
{
    return reduce(ctx, rg_attr_int(ctx, RING), RG_GROUP_SUM);
}

static rg_status reduce_max(rg_ctx *ctx)
{
    return reduce(ctx, rg_attr_int(ctx, RING), RG_GROUP_MAX);
}

static rg_status reduce_min(rg_ctx *ctx)
{
    return reduce(ctx, rg_attr_int(ctx, RING), RG_GROUP_MIN);
}

static rg_status reduce_prod(rg_ctx *ctx)
{
    return reduce(ctx, rg_attr_int(ctx, RING), RG_GROUP_PROD);
}

/* Each rank's loss counts: what an element of X does to all of them is the sum of what they say. */
static rg_status sum_grad(rg_grad_ctx *ctx)
{
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "c_allreduce_sum", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

#define REDUCE(NAME, DOC, GRAD)                                                               \
    {                                                                                         \
        .type = "c_allreduce_" #NAME, .doc = DOC,                                             \
        .in = RG_SLOTS([X] = {"X", "of this rank; may be sparse for a sum", RG_ANY_KIND}),    \
        .out = RG_SLOTS([OUT] = {"Out", "of all ranks", .like = RG_OF(X),                     \
                                 .inplace = RG_OF(X)}),                                       \
        .attr = RG_ATTRS([RING] = RG_INT("ring_id", 0, "the group"),                          \
                         [CALC_STREAM] = RG_BOOLEAN("use_calc_stream", false,                 \
                                                    "wait here: it is not put together with " \
                                                    "others")),                               \
        .flags = RG_OP_EFFECT | RG_OP_OUTSIDE, .kernel = reduce_##NAME, .grad = GRAD,         \
    }

const rg_op rg_ops_c_allreduce[] = {
    REDUCE(sum, "The sum over all ranks.", sum_grad),
    REDUCE(max, "The maximum over all ranks.", NULL),
    REDUCE(min, "The minimum over all ranks.", NULL),
    REDUCE(prod, "The product over all ranks.", NULL),
    {.type = NULL},
};

/* ---- allreduce: the older op ---- */

enum { REDUCE_TYPE, SYNC_MODE };

static rg_status old_reduce(rg_ctx *ctx)
{
    static const rg_group_op ops[] = {RG_GROUP_SUM, RG_GROUP_PROD, RG_GROUP_MAX, RG_GROUP_MIN};
    int type = rg_attr_int(ctx, REDUCE_TYPE);
    if (type < 0 || type > 3)
        return rg_fail(RG_EINVAL, "reduce_type is %d, and is 0 sum, 1 prod, 2 max or 3 min", type);
    return reduce(ctx, 0, ops[type]);
}

const rg_op rg_op_allreduce = {
    .type = "allreduce",
    .doc = "A sum, product, maximum or minimum over all ranks.",
    .in = RG_SLOTS([X] = {"X", "of this rank", RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "of all ranks", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([REDUCE_TYPE] = RG_INT("reduce_type", 0, "0 sum, 1 prod, 2 max, 3 min"),
                     [SYNC_MODE] = RG_BOOLEAN("sync_mode", false, "it always waits")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .kernel = old_reduce,
};

/* ---- reducescatter ---- */

static rg_status infer_scatter(rg_ctx *ctx)
{
    rg_shape shape = *rg_shape_of(ctx, X);
    int n = rg_attr_int(ctx, NRANKS);
    if (n < 1)
        return rg_fail(RG_EINVAL, "nranks is %d", n);
    if (shape.rank < 1 || (shape.dim[0] >= 0 && shape.dim[0] % n != 0))
        return rg_fail(RG_ESHAPE, "%s has %lld rows, which do not go evenly to %d ranks",
                       rg_in_name(ctx, X, 0), shape.rank < 1 ? 0LL : (long long)shape.dim[0], n);
    if (shape.dim[0] >= 0)
        shape.dim[0] /= n;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &shape);
    return RG_OK;
}

static rg_status check_ranks(const rg_ctx *ctx, const rg_group *group)
{
    if (rg_attr_int(ctx, NRANKS) == rg_group_size(group))
        return RG_OK;
    return rg_fail(RG_EINVAL, "nranks is %d, and the group has %d", rg_attr_int(ctx, NRANKS),
                   rg_group_size(group));
}

static rg_status scatter(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    rg_group *group;
    RG_TRY(rg_ring_group(rg_attr_int(ctx, RING), &group));
    RG_TRY(check_ranks(ctx, group));
    return rg_group_reduce_scatter(group, x->data, out->data, (size_t)rg_numel(out), x->meta.dtype,
                                   RG_GROUP_SUM);
}

static rg_status scatter_grad(rg_grad_ctx *ctx)
{
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "c_allgather", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_c_reducescatter = {
    .type = "c_reducescatter",
    .doc = "Each rank gets its part of the sum over all ranks.",
    .in = RG_SLOTS([X] = {"X", "[nranks rows, ...] of this rank", 0}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, ...]: this rank's part of the sum", 0}),
    .attr = RG_ATTRS([RING] = RG_INT("ring_id", 0, "the group"),
                     [CALC_STREAM] = RG_BOOLEAN("use_calc_stream", false, "it always waits"),
                     [NRANKS] = RG_INT("nranks", 1, "how many there are")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE,
    .infer = infer_scatter,
    .kernel = scatter,
    .grad = scatter_grad,
};
