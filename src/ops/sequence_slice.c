/* sequence_slice.c - a part of each sequence.
 *
 *   sequence i of Out = rows Offset[i] to Offset[i] + Length[i] of sequence i of X */
#include "ops/sequences.h"
#include "ops/shape_args.h"

#include <string.h>

enum { X, OFFSET, LENGTH };
enum { OUT };

static rg_status check_part(const rg_ctx *ctx, int slot, const rg_lod *lod)
{
    const rg_shape *shape = rg_shape_of(ctx, slot);
    RG_TRY(RG_EXPECT_DTYPE(ctx, slot, RG_I64, RG_I32));
    RG_TRY(rg_expect_rank(ctx, slot, 2));
    if (lod != NULL && rg_shape_numel(shape) != rg_lod_sequences(lod, 0)) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "%s has the shape %s, and X has %lld sequences",
                       ctx->op->in[slot].name, rg_shape_text(shape, text),
                       (long long)rg_lod_sequences(lod, 0));
    }
    return RG_OK;
}

/* The parts lie in the sequences. */
static rg_status check_parts(const rg_ctx *ctx, const rg_lod *lod)
{
    const int64_t *at = lod->offset[0];
    RG_TRY(check_part(ctx, OFFSET, lod));
    RG_TRY(check_part(ctx, LENGTH, lod));
    for (int64_t i = 0; i < rg_lod_sequences(lod, 0); i++) {
        int64_t from = rg_whole_at(rg_in(ctx, OFFSET), i), n = rg_whole_at(rg_in(ctx, LENGTH), i);
        int64_t rows = at[i + 1] - at[i];
        if (from < 0 || n < 0 || from > rows || n > rows - from)
            return rg_fail(RG_EVALUE,
                           "Offset %lld and Length %lld of sequence %lld, which has "
                           "%lld rows",
                           (long long)from, (long long)n, (long long)i, (long long)rows);
    }
    return RG_OK;
}

static rg_status sequence_slice_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank_from(ctx, X, 1));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    if (lod == NULL) {
        RG_TRY(check_part(ctx, OFFSET, NULL));
        RG_TRY(check_part(ctx, LENGTH, NULL));
        rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
        return RG_OK;
    }
    RG_TRY(check_parts(ctx, lod));
    int64_t n = rg_lod_sequences(lod, 0);
    rg_lod *made;
    RG_TRY(rg_lod_one_level(&made, n));
    for (int64_t i = 0; i < n; i++)
        made->offset[0][i + 1] = made->offset[0][i] + rg_whole_at(rg_in(ctx, LENGTH), i);
    out.dim[0] = made->offset[0][n];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_take_lod(ctx, OUT, made);
    return RG_OK;
}

static rg_status sequence_slice_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    const int64_t *at = x->meta.lod->offset[0], *to = out->meta.lod->offset[0];
    for (int64_t i = 0; i < rg_lod_sequences(x->meta.lod, 0); i++)
        memcpy(rg_row(out, to[i]), rg_row(x, at[i] + rg_whole_at(rg_in(ctx, OFFSET), i)),
               (size_t)(to[i + 1] - to[i]) * rg_row_bytes(x));
    return RG_OK;
}

const rg_op rg_op_sequence_slice = {
    .type = "sequence_slice",
    .doc = "A part of each sequence.",
    .in = RG_SLOTS([X] = {"X", "sequences"},
                   [OFFSET] = {"Offset", "[sequences, 1]", RG_NO_GRAD | RG_SIZES},
                   [LENGTH] = {"Length", "[sequences, 1]", RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "as many sequences"}),
    .flags = RG_OP_LINEAR,
    .infer = sequence_slice_infer,
    .kernel = sequence_slice_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_OFFSET, G_LENGTH, G_DOUT };
enum { G_DX };

static rg_status sequence_slice_grad_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_value *dx = rg_out(ctx, G_DX);
    const rg_value *lengths = rg_in(ctx, G_LENGTH);
    RG_TRY(rg_expect_one_level(ctx, G_X, &lod));
    RG_TRY(check_parts(ctx, lod));
    int64_t rows = 0;
    for (int64_t i = 0; i < rg_numel(lengths); i++)
        rows += rg_whole_at(lengths, i);
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rows * rg_value_width(dx)));
    const uint8_t *from = rg_in_data(ctx, G_DOUT);
    memset(dx->data, 0, rg_value_bytes(dx));
    for (int64_t i = 0; i < rg_lod_sequences(lod, 0); i++) {
        size_t bytes = (size_t)rg_whole_at(lengths, i) * rg_row_bytes(dx);
        memcpy(rg_row(dx, lod->offset[0][i] + rg_whole_at(rg_in(ctx, G_OFFSET), i)), from, bytes);
        from += bytes;
    }
    return RG_OK;
}

const rg_op rg_op_sequence_slice_grad = {
    .type = "sequence_slice_grad",
    .doc = "Gradient of sequence_slice.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_OFFSET] = {"Offset", ""},
                   [G_LENGTH] = {"Length", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = sequence_slice_grad_kernel,
};
