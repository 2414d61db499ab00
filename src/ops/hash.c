/* hash.c - rows of ids as numbers of buckets.
 *
 *   Out[i, h, 0] = XXH64(the bytes of X[i], seed h) mod mod_by
 *
 * XXH64 is Yann Collet's xxHash of 64 bits: four sums run over stripes of 32 bytes, are joined,
 * and what is left of the input is mixed in by eight, four and one bytes. */
#include "ops/sequences.h"

#include <string.h>

enum { X };
enum { OUT };
enum { NUM_HASH, MOD_BY, ALL_KERNELS };

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

/* Bytes are read as little-endian numbers whatever the machine. */
static uint64_t read_bytes(const uint8_t *at, int n)
{
    uint64_t x = 0;
    for (int i = n; i-- > 0;)
        x = x << 8 | at[i];
    return x;
}

static uint64_t take_in(uint64_t sum, uint64_t lane)
{
    return rotate(sum + lane * PRIME_2, 31) * PRIME_1;
}

static uint64_t sum_stripes(const uint8_t **at, const uint8_t *end, uint64_t seed)
{
    uint64_t sum[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
    for (; end - *at >= 32; *at += 32)
        for (size_t i = 0; i < 4; i++)
            sum[i] = take_in(sum[i], read_bytes(*at + 8 * i, 8));
    uint64_t hash = rotate(sum[0], 1) + rotate(sum[1], 7) + rotate(sum[2], 12) + rotate(sum[3], 18);
    for (int i = 0; i < 4; i++)
        hash = (hash ^ take_in(0, sum[i])) * PRIME_1 + PRIME_4;
    return hash;
}

static uint64_t xxh64(const uint8_t *at, size_t n, uint64_t seed)
{
    const uint8_t *end = at + n;
    uint64_t hash = n >= 32 ? sum_stripes(&at, end, seed) : seed + PRIME_5;
    hash += n;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ take_in(0, read_bytes(at, 8)), 27) * PRIME_1 + PRIME_4;
    for (; end - at >= 4; at += 4)
        hash = rotate(hash ^ read_bytes(at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
    for (; at < end; at++)
        hash = rotate(hash ^ *at * PRIME_5, 11) * PRIME_1;
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

static rg_status hash_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    if (rg_attr_int(ctx, NUM_HASH) < 1 || rg_attr_long(ctx, MOD_BY) < 1)
        return rg_fail(RG_EINVAL, "num_hash is %d and mod_by %lld, and both must be at least 1",
                       rg_attr_int(ctx, NUM_HASH), (long long)rg_attr_long(ctx, MOD_BY));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X),
               &RG_SHAPE(rg_shape_of(ctx, X)->dim[0], rg_attr_int(ctx, NUM_HASH), 1));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status hash_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    uint64_t mod = (uint64_t)rg_attr_long(ctx, MOD_BY);
    int64_t hashes = rg_attr_int(ctx, NUM_HASH), n = rg_numel(out);
    for (int64_t i = 0; i < n; i++) {
        uint64_t hash = xxh64(rg_row(x, i / hashes), rg_row_bytes(x), (uint64_t)(i % hashes)) % mod;
        if (x->meta.dtype == RG_I64)
            ((int64_t *)out->data)[i] = (int64_t)hash;
        else
            ((int32_t *)out->data)[i] = (int32_t)(uint32_t)hash;
    }
    return RG_OK;
}

const rg_op rg_op_hash = {
    .type = "hash",
    .doc = "Rows of ids as numbers of buckets.",
    .in = RG_SLOTS([X] = {"X", "ids, [n, width]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[n, num_hash, 1]"}),
    .attr = RG_ATTRS([NUM_HASH] = RG_INT("num_hash", 1, "numbers for each row"),
                     [MOD_BY] = RG_LONG("mod_by", 100000, "how many buckets there are"),
                     [ALL_KERNELS] = RG_BOOLEAN("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", true,
                                                "kept for files")),
    .infer = hash_infer,
    .kernel = hash_kernel,
};
