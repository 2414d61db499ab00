/* shard_index.c - ids as a shard sees them.
 *
 *   index_num ids are spread over nshards shards, size = ceil(index_num / nshards) to each:
 *   Out = X mod size where X / size is shard_id, else ignore_value */
#include "ops/types.h"

enum { X };
enum { OUT };
enum { INDEX_NUM, NSHARDS, SHARD_ID, IGNORE_VALUE };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int num = rg_attr_int(ctx, INDEX_NUM), shards = rg_attr_int(ctx, NSHARDS);
    int id = rg_attr_int(ctx, SHARD_ID);
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32));
    if (x->rank < 2 || (x->dim[x->rank - 1] != 1 && x->dim[x->rank - 1] != -1)) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must be [..., 1], and has the shape %s",
                       rg_shape_text(x, text));
    }
    if (num < 1 || shards < 1 || id < 0 || id >= shards)
        return rg_fail(RG_EINVAL, "index_num %d, nshards %d and shard_id %d do not go together",
                       num, shards, id);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define SHARD(T, S)                                                                            \
    /* The place of the first id that is none; n if there is no such. */                       \
    static int64_t shard_##S(const T *x, T *out, int64_t n, T num, T size, T shard, T ignored) \
    {                                                                                          \
        for (int64_t i = 0; i < n; i++) {                                                      \
            if (x[i] < 0 || x[i] >= num)                                                       \
                return i;                                                                      \
            out[i] = x[i] / size == shard ? x[i] % size : ignored;                             \
        }                                                                                      \
        return n;                                                                              \
    }
SHARD(int32_t, i32)
SHARD(int64_t, i64)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    void *out = rg_out_data(ctx, OUT);
    int num = rg_attr_int(ctx, INDEX_NUM), shards = rg_attr_int(ctx, NSHARDS);
    int shard = rg_attr_int(ctx, SHARD_ID), ignored = rg_attr_int(ctx, IGNORE_VALUE);
    int size = num / shards + (num % shards != 0);
    int64_t n = rg_numel(x), done;
    if (x->meta.dtype == RG_I32)
        done = shard_i32(x->data, out, n, num, size, shard, ignored);
    else
        done = shard_i64(x->data, out, n, num, size, shard, ignored);
    if (done < n)
        return rg_fail(RG_EVALUE, "%s has at element %lld an id that is not in 0 .. %d",
                       rg_in_name(ctx, X, 0), (long long)done, num - 1);
    return RG_OK;
}

const rg_op rg_op_shard_index = {
    .type = "shard_index",
    .doc = "Ids as a shard sees them.",
    .in = RG_SLOTS([X] = {"X", "[..., 1], ids below index_num", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([INDEX_NUM] = RG_REQUIRED("index_num", RG_ATTR_INT, "how many ids there are"),
                     [NSHARDS] = RG_REQUIRED("nshards", RG_ATTR_INT, "how many shards"),
                     [SHARD_ID] = RG_REQUIRED("shard_id", RG_ATTR_INT, "this shard"),
                     [IGNORE_VALUE] = RG_INT("ignore_value", -1, "for ids of other shards")),
    .infer = infer,
    .kernel = kernel,
};
