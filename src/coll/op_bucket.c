/* op_bucket.c - gradients that are reduced while backward goes on, made by pass/fuse_all_reduce.c.
 *
 *   c_bucket_start(X...) -> Work     the group begins with the sum of X over all ranks
 *   c_bucket_wait(Work, X...) -> X   ... which is in X from here on
 *
 * One large gradient is summed where it stands, which other ranks of the host may look at; several
 * small ones are put together before and taken apart after. A sparse gradient goes alone: its rows
 * are gathered. Between the two ops X belongs to the group's thread; the plan keeps its memory,
 * since the second op reads it. */
#include "base/mem.h"
#include "coll/rings.h"
#include "coll/rows.h"
#include "ir/op.h"

#include <string.h>

typedef struct bucket {
    rg_group_work *work; /* NULL: nothing is under way */
    uint8_t *packed;     /* several gradients */
    size_t room;
    rg_rows_room rows;
    bool is_packed, is_rows;
    rg_storage *held; /* where the group's thread writes, if that is a gradient itself */
} bucket;

/* Also where the other ops of a step have failed, and nobody has waited. */
static void settle(bucket *b)
{
    rg_group_work_close(b->work);
    b->work = NULL;
    rg_storage_release(b->held);
    b->held = NULL;
}

static void drop(void *object)
{
    bucket *b = object;
    settle(b);
    rg_rows_room_fini(&b->rows);
    rg_free(b->packed);
    rg_free(b);
}

static rg_status bucket_of(rg_value *handle, bucket **out)
{
    bucket *b = handle->object;
    if (b == NULL) {
        b = rg_alloc_zero(1, sizeof *b);
        if (b == NULL)
            return rg_no_memory(sizeof *b, "a bucket of gradients");
        rg_value_set_object(handle, RG_RAW, b, drop);
    }
    *out = b;
    return RG_OK;
}

static rg_status make_room(bucket *b, size_t bytes)
{
    if (bytes <= b->room)
        return RG_OK;
    rg_free(b->packed);
    b->packed = rg_alloc(bytes);
    b->room = b->packed ? bytes : 0;
    return b->packed ? RG_OK : rg_no_memory(bytes, "a bucket of gradients");
}

enum { X };
enum { WORK };
enum { RING };

static rg_status start_packed(rg_ctx *ctx, bucket *b, rg_group *group)
{
    size_t bytes = 0, at = 0;
    rg_dtype dtype = rg_in(ctx, X)->meta.dtype;
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        if (x->meta.kind != RG_TENSOR || x->meta.dtype != dtype)
            return rg_fail(RG_EINVAL, "%s is of another kind than %s", rg_in_name(ctx, X, i),
                           rg_in_name(ctx, X, 0));
        bytes += rg_value_bytes(x);
    }
    RG_TRY(make_room(b, bytes));
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        memcpy(b->packed + at, x->data, rg_value_bytes(x));
        at += rg_value_bytes(x);
    }
    b->is_packed = true;
    return rg_group_start_all_reduce(&b->work, group, b->packed, bytes / rg_dtype_size(dtype),
                                     dtype, RG_GROUP_SUM);
}

static rg_status start(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_group *group;
    bucket *b;
    RG_TRY(bucket_of(rg_out(ctx, WORK), &b));
    settle(b);
    b->is_packed = b->is_rows = false;
    RG_TRY(rg_ring_group(rg_attr_int(ctx, RING), &group));
    if (rg_n_in(ctx, X) > 1)
        return start_packed(ctx, b, group);
    b->is_rows = x->meta.kind == RG_ROWS;
    if (b->is_rows)
        return rg_rows_start(&b->work, group, x, &b->rows);
    /* The next time it is written there; it is the plan's own, since a dynamic op writes it. */
    if (rg_group_looks_at_lent(group))
        rg_value_lend((rg_value *)(uintptr_t)x);
    b->held = x->storage ? rg_storage_retain(x->storage) : NULL;
    return rg_group_start_all_reduce(&b->work, group, x->data, (size_t)rg_numel(x), x->meta.dtype,
                                     RG_GROUP_SUM);
}

static rg_status infer_start(rg_ctx *ctx)
{
    rg_set_kind(ctx, WORK, RG_RAW);
    return RG_OK;
}

const rg_op rg_op_c_bucket_start = {
    .type = "c_bucket_start",
    .doc = "Begin the sum of gradients over all ranks.",
    .in = RG_SLOTS([X] = {"X", "gradients of this rank", RG_REPEATED | RG_ANY_KIND}),
    .out = RG_SLOTS([WORK] = {"Work", "the sum that is under way", 0}),
    .attr = RG_ATTRS([RING] = RG_INT("ring_id", 0, "the group")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_INTERNAL,
    .infer = infer_start,
    .kernel = start,
};

enum { OF_WORK, OF_X };
enum { OUT };

static rg_status end(rg_ctx *ctx)
{
    const rg_value *handle = rg_in(ctx, OF_WORK);
    bucket *b = handle->object;
    size_t at = 0;
    if (b == NULL || b->work == NULL)
        return rg_fail(RG_EINVAL, "nothing is under way");
    rg_status code = rg_group_wait(b->work);
    if (code == RG_OK && b->is_rows) {
        rg_group *group;
        RG_TRY(rg_ring_group(rg_attr_int(ctx, RING), &group));
        code = rg_rows_take(rg_out(ctx, OUT), &rg_in(ctx, OF_X)->meta, b->work,
                            rg_group_size(group), &b->rows);
    }
    for (int i = 0; code == RG_OK && b->is_packed && i < rg_n_out(ctx, OUT); i++) {
        rg_value *x = rg_out_n(ctx, OUT, i);
        memcpy(x->data, b->packed + at, rg_value_bytes(x));
        at += rg_value_bytes(x);
    }
    settle(b);
    return code;
}

static rg_status infer_end(rg_ctx *ctx)
{
    (void)ctx; /* the outputs are the inputs */
    return RG_OK;
}

const rg_op rg_op_c_bucket_wait = {
    .type = "c_bucket_wait",
    .doc = "Wait for a sum of gradients.",
    .in = RG_SLOTS([OF_WORK] = {"Work", "what was begun", RG_ANY_KIND},
                   [OF_X] = {"X", "the gradients", RG_REPEATED | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "the same variables", RG_REPEATED, .inplace = RG_OF(OF_X)}),
    .attr = RG_ATTRS([RING] = RG_INT("ring_id", 0, "the group")),
    .flags = RG_OP_EFFECT | RG_OP_OUTSIDE | RG_OP_INTERNAL | RG_OP_DYNAMIC,
    .infer = infer_end,
    .kernel = end,
};
