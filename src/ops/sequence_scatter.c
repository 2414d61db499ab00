/* sequence_scatter.c - numbers added at places of a row, the places of row i being sequence i.
 *
 *   Out = X, and Out[i, Ids[k]] += Updates[k] for every k of sequence i */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, IDS, UPDATES };
enum { OUT };

/* The places are columns of X, a sequence of them for each row at most. */
static rg_status check_places(const rg_ctx *ctx, const rg_shape *x, int ids, int updates)
{
    const rg_lod *lod;
    RG_TRY(RG_EXPECT_DTYPE(ctx, ids, RG_I64));
    RG_TRY(rg_expect_one_level(ctx, ids, &lod));
    if (lod == NULL)
        return RG_OK;
    RG_TRY(rg_expect_numel(ctx, ids, rg_shape_of(ctx, ids)->dim[0]));
    RG_TRY(rg_expect_numel(ctx, updates, rg_shape_of(ctx, ids)->dim[0]));
    if (rg_lod_sequences(lod, 0) > x->dim[0])
        return rg_fail(RG_ESHAPE, "Ids has %lld sequences, and X %lld rows",
                       (long long)rg_lod_sequences(lod, 0), (long long)x->dim[0]);
    return RG_OK;
}

static rg_status check_ids(const rg_ctx *ctx, int slot, int64_t width)
{
    const rg_value *ids = rg_in(ctx, slot);
    const int64_t *id = ids->data;
    for (int64_t k = 0; k < rg_numel(ids); k++)
        if (id[k] < 0 || id[k] >= width)
            return rg_fail(RG_EVALUE, "%s has %lld at element %lld, and X has %lld columns",
                           rg_in_name(ctx, slot, 0), (long long)id[k], (long long)k,
                           (long long)width);
    return RG_OK;
}

static rg_status sequence_scatter_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_same_dtype(ctx, X, UPDATES));
    RG_TRY(check_places(ctx, rg_shape_of(ctx, X), IDS, UPDATES));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define SCATTER(T, S)                                                                           \
    static void scatter_##S(const int64_t *ids, const T *updates, const int64_t *at, int64_t n, \
                            int64_t width, T *out)                                              \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++, out += width)                                           \
            for (int64_t k = at[i]; k < at[i + 1]; k++)                                         \
                out[ids[k]] += updates[k];                                                      \
    }
RG_NUMBERS(SCATTER)

static rg_status sequence_scatter_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    const rg_lod *lod = rg_in_meta(ctx, IDS)->lod;
    RG_TRY(check_ids(ctx, IDS, x->meta.shape.dim[1]));
    if (out->data != x->data)
        memcpy(out->data, x->data, rg_value_bytes(out));
    RG_CALL_NUMBER(ctx, X, scatter,
                   (rg_in_data(ctx, IDS), rg_in_data(ctx, UPDATES), lod->offset[0],
                    rg_lod_sequences(lod, 0), x->meta.shape.dim[1], out->data))
    return RG_OK;
}

const rg_op rg_op_sequence_scatter = {
    .type = "sequence_scatter",
    .doc = "Numbers added at places of rows.",
    .in = RG_SLOTS([X] = {"X", "[rows, width]"}, [IDS] = {"Ids", "places, sequences", RG_NO_GRAD},
                   [UPDATES] = {"Updates", "what is added at each"}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, width]", .inplace = RG_OF(X)}),
    .flags = RG_OP_LINEAR,
    .infer = sequence_scatter_infer,
    .kernel = sequence_scatter_kernel,
};

/* ---- gradient ---- */

enum { G_IDS, G_UPDATES, G_DOUT };
enum { G_DX, G_DUPDATES };

#define GATHER(T, S)                                                                        \
    static void gather_##S(const int64_t *ids, const T *dout, const int64_t *at, int64_t n, \
                           int64_t width, T *dupdates)                                      \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++, dout += width)                                      \
            for (int64_t k = at[i]; k < at[i + 1]; k++)                                     \
                dupdates[k] = dout[ids[k]];                                                 \
    }
RG_FLOATS(GATHER)

static rg_status sequence_scatter_grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    const rg_lod *lod = rg_in_meta(ctx, G_IDS)->lod;
    RG_TRY(rg_expect_rank(ctx, G_DOUT, 2));
    RG_TRY(check_places(ctx, &dout->meta.shape, G_IDS, G_UPDATES));
    RG_TRY(check_ids(ctx, G_IDS, dout->meta.shape.dim[1]));
    if (rg_has_out(ctx, G_DUPDATES))
        RG_CALL_FLOAT(ctx, G_DOUT, gather,
                      (rg_in_data(ctx, G_IDS), dout->data, lod->offset[0], rg_lod_sequences(lod, 0),
                       dout->meta.shape.dim[1], rg_out_data(ctx, G_DUPDATES)))
    if (rg_has_out(ctx, G_DX) && rg_out_data(ctx, G_DX) != dout->data)
        memcpy(rg_out_data(ctx, G_DX), dout->data, rg_value_bytes(dout));
    return RG_OK;
}

const rg_op rg_op_sequence_scatter_grad = {
    .type = "sequence_scatter_grad",
    .doc = "Gradient of sequence_scatter.",
    .in = RG_SLOTS([G_IDS] = {"Ids", ""}, [G_UPDATES] = {"Updates", "", RG_SHAPE_ONLY},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_DOUT)},
                    [G_DUPDATES] = {"Updates@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_UPDATES)}),
    .kernel = sequence_scatter_grad_kernel,
};
