/* rank_attention.c - instances shown together, each seen by the others according to their ranks.
 *
 *   Out[i] = sum over k of X[index_k] P[rank_i, rank_k]
 *
 * RankOffset[i] is rank_i, then for each of MaxRank places rank_k and index_k, the instance
 * there; ranks count from 1, and 0 is none: a place without one adds nothing, and an instance
 * without rank gives zeros. P[a, b] is block (a - 1) MaxRank + b - 1 of RankParam, of as many
 * rows as X has columns. As in Paddle, where it is a GPU kernel, X has no gradient. */
#include "math/gemm.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, RANK_OFFSET, RANK_PARAM };
enum { OUT };
enum { MAX_RANK, MAX_SIZE };

typedef struct sizes {
    int64_t n, in, out;
    int ranks;
} sizes;

static rg_status check(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *offset = rg_shape_of(ctx, RANK_OFFSET);
    const rg_shape *param = rg_shape_of(ctx, RANK_PARAM);
    int64_t ranks = rg_attr_int(ctx, MAX_RANK);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, RANK_OFFSET, 2));
    RG_TRY(rg_expect_rank(ctx, RANK_PARAM, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, RANK_OFFSET, RG_I32));
    RG_TRY(rg_expect_same_dtype(ctx, X, RANK_PARAM));
    if (ranks < 1)
        return rg_fail(RG_EINVAL, "MaxRank is %lld, and must be at least 1", (long long)ranks);
    if (offset->dim[1] >= 0 && offset->dim[1] != 2 * ranks + 1)
        return rg_fail(RG_ESHAPE,
                       "RankOffset has %lld columns, and must have %lld for MaxRank %lld",
                       (long long)offset->dim[1], (long long)(2 * ranks + 1), (long long)ranks);
    if (x->dim[1] >= 0 && param->dim[0] >= 0 && param->dim[0] != x->dim[1] * ranks * ranks)
        return rg_fail(RG_ESHAPE,
                       "RankParam has %lld rows, and must have %lld: MaxRank x MaxRank "
                       "blocks of the %lld columns of X",
                       (long long)param->dim[0], (long long)(x->dim[1] * ranks * ranks),
                       (long long)x->dim[1]);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *offset = rg_shape_of(ctx, RANK_OFFSET);
    const rg_shape *param = rg_shape_of(ctx, RANK_PARAM);
    RG_TRY(check(ctx));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(offset->dim[0], param->dim[1]));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Check what RankOffset says before anyone follows it. */
static rg_status read_sizes(const rg_ctx *ctx, sizes *z)
{
    const int32_t *offset = rg_in_data(ctx, RANK_OFFSET);
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    *z = (sizes){rg_shape_of(ctx, RANK_OFFSET)->dim[0], rg_shape_of(ctx, X)->dim[1],
                 rg_shape_of(ctx, RANK_PARAM)->dim[1], rg_attr_int(ctx, MAX_RANK)};
    for (int64_t i = 0; i < z->n; i++)
        for (int c = 0; c < 2 * z->ranks + 1; c++) {
            int64_t value = offset[i * (2 * z->ranks + 1) + c];
            bool index = c > 0 && c % 2 == 0;
            bool used = !index || offset[i * (2 * z->ranks + 1) + c - 1] > 0;
            if (used && (value >= (index ? rows : z->ranks + 1) || (index && value < 0)))
                return rg_fail(RG_EVALUE,
                               "%s (RankOffset) has %lld at [%lld, %d]: there are %lld %s",
                               rg_in_name(ctx, RANK_OFFSET, 0), (long long)value, (long long)i, c,
                               (long long)(index ? rows : z->ranks), index ? "rows" : "ranks");
        }
    return RG_OK;
}

/* Block and row of X that place k of instance i uses; false: none. */
static bool place(const sizes *z, const int32_t *offset, int64_t i, int k, int64_t *block,
                  int64_t *row)
{
    const int32_t *line = offset + i * (2 * z->ranks + 1);
    *block = (int64_t)(line[0] - 1) * z->ranks + line[2 * k + 1] - 1;
    *row = line[2 * k + 2];
    return line[0] > 0 && line[2 * k + 1] > 0;
}

#define ATTEND(T, S)                                                                            \
    static void attend_##S(const sizes *z, const T *x, const int32_t *offset, const T *param,   \
                           T *out)                                                              \
    {                                                                                           \
        int64_t block, row;                                                                     \
        memset(out, 0, (size_t)(z->n * z->out) * sizeof *out);                                  \
        for (int64_t i = 0; i < z->n; i++)                                                      \
            for (int k = 0; k < z->ranks; k++)                                                  \
                if (place(z, offset, i, k, &block, &row))                                       \
                    rg_gemm_##S(false, false, 1, z->out, z->in, 1, x + row * z->in, z->in,      \
                                param + block * z->in * z->out, z->out, 1, out + i * z->out,    \
                                z->out);                                                        \
    }                                                                                           \
    static void attend_grad_##S(const sizes *z, const T *x, const int32_t *offset,              \
                                const T *dout, T *dparam)                                       \
    {                                                                                           \
        int64_t block, row;                                                                     \
        for (int64_t i = 0; i < z->n; i++)                                                      \
            for (int k = 0; k < z->ranks; k++)                                                  \
                if (place(z, offset, i, k, &block, &row))                                       \
                    rg_gemm_##S(true, false, z->in, z->out, 1, 1, x + row * z->in, z->in,       \
                                dout + i * z->out, z->out, 1, dparam + block * z->in * z->out,  \
                                z->out);                                                        \
    }
RG_FLOATS(ATTEND)

static rg_status kernel(rg_ctx *ctx)
{
    sizes z;
    RG_TRY(read_sizes(ctx, &z));
    RG_CALL_FLOAT(ctx, X, attend,
                  (&z, rg_in_data(ctx, X), rg_in_data(ctx, RANK_OFFSET),
                   rg_in_data(ctx, RANK_PARAM), rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                         \
    RG_ATTRS([MAX_RANK] = RG_INT("MaxRank", 3, "how many ranks, and places"),         \
             [MAX_SIZE] = RG_INT("MaxSize", 0, "kept for files"))

const rg_op rg_op_rank_attention = {
    .type = "rank_attention",
    .doc = "Instances shown together, seen by each other according to their ranks.",
    .in = RG_SLOTS([X] = {"X", "[n, width]", RG_NO_GRAD},
                   [RANK_OFFSET] = {"RankOffset", "int32, [n, 1 + 2 MaxRank]", RG_NO_GRAD},
                   [RANK_PARAM] = {"RankParam", "[MaxRank^2 width, out]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[n, out]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

enum { G_DOUT = RANK_PARAM + 1 };
enum { G_DPARAM };

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dparam = rg_out(ctx, G_DPARAM);
    sizes z;
    RG_TRY(check(ctx));
    RG_TRY(read_sizes(ctx, &z));
    RG_TRY(rg_expect_same_dtype(ctx, X, G_DOUT));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, z.n * z.out));
    memset(dparam->data, 0, rg_value_bytes(dparam));
    RG_CALL_FLOAT(ctx, X, attend_grad,
                  (&z, rg_in_data(ctx, X), rg_in_data(ctx, RANK_OFFSET), rg_in_data(ctx, G_DOUT),
                   dparam->data))
    return RG_OK;
}

const rg_op rg_op_rank_attention_grad = {
    .type = "rank_attention_grad",
    .doc = "Gradient of rank_attention.",
    .in = RG_SLOTS([X] = {"X", ""}, [RANK_OFFSET] = {"RankOffset", ""},
                   [RANK_PARAM] = {"RankParam", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DPARAM] = {"RankParam@GRAD", "", .like = RG_OF(RANK_PARAM)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
