/* sequence_pad.c - sequences as rows of equal length, and back.
 *
 *   sequence_pad    Out[i] = sequence i of X, then PadValue up to padded_length (-1: the
 *                   longest sequence); Length[i] = its length
 *   sequence_unpad  sequence i of Out = the first Length[i] entries of X[i] */
#include "ops/sequences.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

/* ---- sequence_pad ---- */

enum { X, PAD_VALUE };
enum { OUT, LENGTH };
enum { PADDED_LENGTH };

static rg_status check_pad_value(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *value = rg_shape_of(ctx, PAD_VALUE);
    rg_shape step = {.rank = x->rank - 1};
    RG_TRY(rg_expect_same_dtype(ctx, X, PAD_VALUE));
    for (int i = 0; i < step.rank; i++)
        step.dim[i] = x->dim[i + 1];
    if (rg_shape_fits(value, &RG_SHAPE(1)) || rg_shape_fits(value, &step))
        return RG_OK;
    char found[RG_SHAPE_TEXT], wanted[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "PadValue has the shape %s, and must be one number or of shape %s",
                   rg_shape_text(value, found), rg_shape_text(&step, wanted));
}

static rg_status padded_length(const rg_ctx *ctx, const rg_lod *lod, int64_t *out)
{
    int64_t longest = 0, wanted = rg_attr_int(ctx, PADDED_LENGTH);
    const int64_t *at = lod->offset[0];
    for (int64_t i = 0; i < rg_lod_sequences(lod, 0); i++)
        longest = at[i + 1] - at[i] > longest ? at[i + 1] - at[i] : longest;
    if (wanted != -1 && wanted < longest)
        return rg_fail(RG_EVALUE, "padded_length is %lld, and the longest sequence has %lld rows",
                       (long long)wanted, (long long)longest);
    *out = wanted == -1 ? longest : wanted;
    return RG_OK;
}

static rg_status sequence_pad_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank_from(ctx, X, 2));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(check_pad_value(ctx));
    if (x->rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "X has %d dimensions already", x->rank);
    rg_shape out = {.rank = x->rank + 1};
    memcpy(out.dim + 2, x->dim + 1, (size_t)(x->rank - 1) * sizeof *x->dim);
    out.dim[0] = lod ? rg_lod_sequences(lod, 0) : -1;
    if (lod != NULL)
        RG_TRY(padded_length(ctx, lod, &out.dim[1]));
    else /* programs are written to Fluid's 1 for what is not known yet */
        out.dim[1] = rg_attr_int(ctx, PADDED_LENGTH) == -1 ? 1 : rg_attr_int(ctx, PADDED_LENGTH);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_set_out(ctx, LENGTH, RG_I64, &RG_SHAPE(out.dim[0]));
    return RG_OK;
}

static rg_status sequence_pad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *value = rg_in(ctx, PAD_VALUE);
    const rg_lod *lod = x->meta.lod;
    const int64_t *at = lod->offset[0];
    int64_t *lengths = rg_out_data(ctx, LENGTH);
    const rg_shape *shape = &rg_out_meta(ctx, OUT)->shape;
    size_t row = rg_row_bytes(x), item = rg_dtype_size(x->meta.dtype);
    bool one = rg_numel(value) == 1;
    uint8_t *to = rg_out_data(ctx, OUT);
    for (int64_t i = 0; i < shape->dim[0]; i++) {
        int64_t n = at[i + 1] - at[i];
        memcpy(to, rg_row(x, at[i]), (size_t)n * row);
        to += (size_t)n * row;
        for (int64_t j = n; j < shape->dim[1]; j++) {
            if (!one)
                memcpy(to, value->data, row);
            for (size_t k = 0; one && k < row; k += item)
                memcpy(to + k, value->data, item);
            to += row;
        }
        if (lengths != NULL)
            lengths[i] = n;
    }
    return RG_OK;
}

#define ATTRS \
    RG_ATTRS([PADDED_LENGTH] = RG_INT("padded_length", -1, "length of a row; -1: of the longest"))

const rg_op rg_op_sequence_pad = {
    .type = "sequence_pad",
    .doc = "Sequences as rows of equal length.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, ...]"}, [PAD_VALUE] =
                                                               {"PadValue",
                                                                "one number, or one entry of X",
                                                                RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[sequences, length, ...]"}, [LENGTH] = {"Length",
                                                                             "[sequences], int64"}),
    .attr = ATTRS,
    .infer = sequence_pad_infer,
    .kernel = sequence_pad_kernel,
};

/* Copy between padded rows of `length` entries and sequences. */
static void unpad_rows(const uint8_t *padded, const int64_t *at, int64_t n, int64_t length,
                       size_t row, uint8_t *to)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)at[i] * row, padded + (size_t)(i * length) * row,
               (size_t)(at[i + 1] - at[i]) * row);
}

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status sequence_pad_grad_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t length;
    RG_TRY(rg_expect_one_level(ctx, G_X, &lod));
    RG_TRY(padded_length(ctx, lod, &length));
    int64_t n = rg_lod_sequences(lod, 0);
    RG_TRY(rg_expect_numel(ctx, G_DOUT, n * length * rg_value_width(dx)));
    unpad_rows(rg_in_data(ctx, G_DOUT), lod->offset[0], n, length, rg_row_bytes(dx), dx->data);
    return RG_OK;
}

const rg_op rg_op_sequence_pad_grad = {
    .type = "sequence_pad_grad",
    .doc = "Gradient of sequence_pad.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = sequence_pad_grad_kernel,
};

/* ---- sequence_unpad ---- */

enum { U_X, U_LENGTH };

static rg_status lod_of_lengths(const rg_ctx *ctx, rg_lod **lod)
{
    const rg_value *lengths = rg_in(ctx, U_LENGTH);
    int64_t n = rg_numel(lengths), most = rg_shape_of(ctx, U_X)->dim[1];
    for (int64_t i = 0; i < n; i++) {
        int64_t length = rg_whole_at(lengths, i);
        if (length < 0 || length > most)
            return rg_fail(RG_EVALUE,
                           "%s has the length %lld at %lld, and a row of X has %lld "
                           "entries",
                           rg_in_name(ctx, U_LENGTH, 0), (long long)length, (long long)i,
                           (long long)most);
    }
    RG_TRY(rg_lod_one_level(lod, n));
    for (int64_t i = 0; i < n; i++)
        (*lod)->offset[0][i + 1] = (*lod)->offset[0][i] + rg_whole_at(lengths, i);
    return RG_OK;
}

static rg_status sequence_unpad_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, U_X), *lengths = rg_shape_of(ctx, U_LENGTH);
    RG_TRY(rg_expect_rank_from(ctx, U_X, 2));
    RG_TRY(rg_expect_rank(ctx, U_LENGTH, 1));
    RG_TRY(RG_EXPECT_DTYPE(ctx, U_LENGTH, RG_I64, RG_I32));
    if (x->dim[0] >= 0 && lengths->dim[0] >= 0 && x->dim[0] != lengths->dim[0])
        return rg_fail(RG_ESHAPE, "X has %lld rows, and Length %lld numbers", (long long)x->dim[0],
                       (long long)lengths->dim[0]);
    rg_shape out = {.rank = x->rank > 2 ? x->rank - 1 : 2, .dim = {-1, 1}};
    for (int i = 2; i < x->rank; i++)
        out.dim[i - 1] = x->dim[i];
    rg_lod *lod = NULL;
    if (rg_running(ctx)) {
        RG_TRY(lod_of_lengths(ctx, &lod));
        out.dim[0] = lod->offset[0][lod->count[0] - 1];
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, U_X), &out);
    rg_take_lod(ctx, OUT, lod);
    rg_set_lod_level(ctx, OUT, 1);
    return RG_OK;
}

static rg_status sequence_unpad_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    const rg_shape *x = rg_shape_of(ctx, U_X);
    unpad_rows(rg_in_data(ctx, U_X), out->meta.lod->offset[0], x->dim[0], x->dim[1],
               rg_row_bytes(out), out->data);
    return RG_OK;
}

const rg_op rg_op_sequence_unpad = {
    .type = "sequence_unpad",
    .doc = "Rows of equal length as sequences of given lengths.",
    .in = RG_SLOTS([U_X] = {"X", "[sequences, length, ...]"}, [U_LENGTH] = {"Length", "[sequences]",
                                                                            RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "sequences, [total, ...]"}),
    .infer = sequence_unpad_infer,
    .kernel = sequence_unpad_kernel,
};

/* The lengths are those of Out@GRAD's sequences. */
static rg_status sequence_unpad_grad_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX);
    const rg_shape *x = &dx->meta.shape;
    RG_TRY(rg_expect_one_level(ctx, G_DOUT, &lod));
    size_t row = rg_row_bytes(dout);
    if (rg_lod_sequences(lod, 0) != x->dim[0] ||
        rg_value_width(dout) != rg_shape_product(x, 2, x->rank)) {
        char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "Out@GRAD, %lld sequences of shape %s, is not of an X of shape "
                       "%s",
                       (long long)rg_lod_sequences(lod, 0), rg_shape_text(&dout->meta.shape, ta),
                       rg_shape_text(x, tb));
    }
    memset(dx->data, 0, rg_value_bytes(dx));
    for (int64_t i = 0; i < x->dim[0]; i++) {
        int64_t n = lod->offset[0][i + 1] - lod->offset[0][i];
        if (n > x->dim[1])
            return rg_fail(RG_ESHAPE,
                           "sequence %lld of Out@GRAD has %lld rows, and a row of X "
                           "%lld entries",
                           (long long)i, (long long)n, (long long)x->dim[1]);
        memcpy((uint8_t *)dx->data + (size_t)(i * x->dim[1]) * row, rg_row(dout, lod->offset[0][i]),
               (size_t)n * row);
    }
    return RG_OK;
}

const rg_op rg_op_sequence_unpad_grad = {
    .type = "sequence_unpad_grad",
    .doc = "Gradient of sequence_unpad.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = sequence_unpad_grad_kernel,
};
