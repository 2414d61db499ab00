/* fused_embedding_sgd.c - the SGD step of a table straight from the gradients of its
 * look-ups, made by pass/fuse_embedding.c.
 *
 *   W[Ids[k][i]] -= rate dOut[k][i]          for each look-up k and id i, padding left out
 *
 * Only rows that were read are touched: no gradient of the table's size is formed, summed
 * or gone over. */
#include "ops/number.h"
#include "ops/types.h"

enum { W, IDS, DOUT, RATE };
enum { W_OUT };
enum { PADDING };

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_rank(ctx, W, 2));
    if (rg_n_in(ctx, IDS) != rg_n_in(ctx, DOUT) ||
        rg_attr_list(ctx, PADDING)->n != rg_n_in(ctx, IDS))
        return rg_fail(RG_EINVAL, "%d lists of ids, %d gradients and %d paddings",
                       rg_n_in(ctx, IDS), rg_n_in(ctx, DOUT), rg_attr_list(ctx, PADDING)->n);
    int64_t width = rg_shape_of(ctx, W)->dim[1];
    for (int k = 0; rg_running(ctx) && k < rg_n_in(ctx, IDS); k++) {
        int64_t n = rg_shape_numel(&rg_in_meta_n(ctx, IDS, k)->shape);
        if (rg_shape_numel(&rg_in_meta_n(ctx, DOUT, k)->shape) != n * width)
            return rg_fail(RG_ESHAPE, "%s does not hold %lld rows of %lld",
                           rg_in_name(ctx, DOUT, k), (long long)n, (long long)width);
    }
    rg_set_like(ctx, W_OUT, W);
    return RG_OK;
}

enum { AHEAD = 16 }; /* rows fetched before they are needed; a row may lie in two lines */

RG_HOT static void descend(float *w, const int64_t *ids, const float *g, int64_t n, int64_t width,
                           float rate, int64_t padding)
{
    for (int64_t i = 0; i < n; i++, g += width) {
        if (i + AHEAD < n) {
            __builtin_prefetch(w + ids[i + AHEAD] * width, 1);
            __builtin_prefetch(w + ids[i + AHEAD] * width + width - 1, 1);
        }
        if (ids[i] == padding && padding != -1)
            continue;
        float *row = w + ids[i] * width;
        for (int64_t j = 0; j < width; j++)
            row[j] -= rate * g[j];
    }
}

static rg_status kernel(rg_ctx *ctx)
{
    rg_value *w = rg_out(ctx, W_OUT);
    int64_t rows = w->meta.shape.dim[0], width = w->meta.shape.dim[1];
    float rate = *(const float *)rg_in_data(ctx, RATE);
    for (int k = 0; k < rg_n_in(ctx, IDS); k++) {
        const int64_t *id;
        int64_t n;
        RG_TRY(rg_read_whole_n(ctx, IDS, k, &id, &n));
        for (int64_t i = 0; i < n; i++)
            if (id[i] < 0 || id[i] >= rows)
                return rg_fail(
                    RG_EVALUE, "%s has the id %lld at element %lld, and the table has %lld rows",
                    rg_in_name(ctx, IDS, k), (long long)id[i], (long long)i, (long long)rows);
        descend(w->data, id, rg_in_n(ctx, DOUT, k)->data, n, width, rate,
                rg_attr_list(ctx, PADDING)->longs[k]);
    }
    return RG_OK;
}

const rg_op rg_op_fused_embedding_sgd = {
    .type = "fused_embedding_sgd",
    .doc = "The SGD step of a table from the gradients of its look-ups.",
    .in = RG_SLOTS([W] = {"W", ""}, [IDS] = {"Ids", "", RG_REPEATED},
                   [DOUT] = {"Out@GRAD", "", RG_REPEATED}, [RATE] = {"LearningRate", ""}),
    .out = RG_SLOTS([W_OUT] = {"WOut", "W, in place"}),
    .attr = RG_ATTRS([PADDING] = RG_LIST("padding_idx", RG_ATTR_LONGS, "of each look-up; -1: none")),
    .flags = RG_OP_INTERNAL,
    .infer = infer,
    .kernel = kernel,
};
