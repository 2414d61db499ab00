/* partial.c - some columns of several matrices, side by side or added up.
 *
 *   partial_concat  Out = X0[:, start : start + length], X1[:, ...], ...
 *   partial_sum     Out = X0[:, start : start + length] + X1[:, ...] + ...
 *
 * A negative start_index counts from the end; length -1 is all that follows. The gradient goes
 * to those columns and is 0 in the others. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, DOUT };
enum { OUT };
enum { START_INDEX, LENGTH };

/* The columns [*start, *start + *length) of matrices of this width. */
static rg_status find_columns(const rg_ctx *ctx, int64_t width, int64_t *start, int64_t *length)
{
    *start = rg_attr_int(ctx, START_INDEX);
    *length = rg_attr_int(ctx, LENGTH);
    if (*start < -width || *start >= width)
        return rg_fail(RG_EINVAL, "start_index is %lld, and the inputs have %lld columns",
                       (long long)*start, (long long)width);
    if (*start < 0)
        *start += width;
    if (*length < 0)
        *length = width - *start;
    if (*length > width - *start)
        return rg_fail(RG_EINVAL, "%lld columns from number %lld on, and the inputs have %lld",
                       (long long)*length, (long long)*start, (long long)width);
    return RG_OK;
}

/* RG_ESHAPE unless all are matrices of one shape and type. */
static rg_status check_inputs(const rg_ctx *ctx)
{
    const rg_meta *first = rg_in_meta(ctx, X);
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        char one[RG_SHAPE_TEXT], other[RG_SHAPE_TEXT];
        if (x == NULL || x->shape.rank != 2 || x->dtype != first->dtype ||
            !rg_shape_fits(&x->shape, &first->shape))
            return rg_fail(RG_ESHAPE,
                           "%s is %s, and %s is %s: all must be matrices of one shape and type",
                           rg_in_name(ctx, X, 0), rg_shape_text(&first->shape, one),
                           rg_in_name(ctx, X, i), x ? rg_shape_text(&x->shape, other) : "empty");
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx, bool side_by_side)
{
    const rg_meta *first = rg_in_meta(ctx, X);
    rg_shape out = first->shape;
    int64_t start, length;
    RG_TRY(check_inputs(ctx));
    if (out.dim[1] >= 0) {
        RG_TRY(find_columns(ctx, out.dim[1], &start, &length));
        out.dim[1] = side_by_side ? length * rg_n_in(ctx, X) : length;
    }
    rg_set_out(ctx, OUT, first->dtype, &out);
    return RG_OK;
}

static rg_status concat_infer(rg_ctx *ctx)
{
    return infer(ctx, true);
}

static rg_status sum_infer(rg_ctx *ctx)
{
    return infer(ctx, false);
}

static rg_status concat_kernel(rg_ctx *ctx)
{
    const rg_shape *shape = rg_shape_of(ctx, X);
    size_t size = rg_dtype_size(rg_dtype_of(ctx, X));
    int64_t start, length;
    RG_TRY(find_columns(ctx, shape->dim[1], &start, &length));
    size_t part = (size_t)length * size, row = (size_t)shape->dim[1] * size;
    size_t step = part * (size_t)rg_n_in(ctx, X);
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const char *from = (const char *)rg_in_n(ctx, X, i)->data + (size_t)start * size;
        char *to = (char *)rg_out_data(ctx, OUT) + (size_t)i * part;
        for (int64_t r = 0; r < shape->dim[0]; r++, from += row, to += step)
            memcpy(to, from, part);
    }
    return RG_OK;
}

#define ADD(T, S)                                                                               \
    RG_HOT static void add_##S(const T *x, int64_t rows, int64_t width, int64_t length, T *out) \
    {                                                                                           \
        for (int64_t r = 0; r < rows; r++, x += width, out += length)                           \
            for (int64_t j = 0; j < length; j++)                                                \
                out[j] += x[j];                                                                 \
    }
RG_NUMBERS(ADD)

static rg_status sum_kernel(rg_ctx *ctx)
{
    const rg_shape *shape = rg_shape_of(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    size_t size = rg_dtype_size(out->meta.dtype);
    int64_t start, length;
    RG_TRY(find_columns(ctx, shape->dim[1], &start, &length));
    memset(out->data, 0, rg_value_bytes(out));
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const void *x = (const char *)rg_in_n(ctx, X, i)->data + (size_t)start * size;
        RG_CALL_NUMBER(ctx, X, add, (x, shape->dim[0], shape->dim[1], length, out->data))
    }
    return RG_OK;
}

#define ATTRS                                                                                  \
    RG_ATTRS([START_INDEX] = RG_INT("start_index", 0, "the first column; negative: from the "  \
                                                      "end"),                                  \
             [LENGTH] = RG_INT("length", -1, "how many; -1: all that follow"))

const rg_op rg_op_partial_concat = {
    .type = "partial_concat",
    .doc = "Some columns of several matrices, side by side.",
    .in = RG_SLOTS([X] = {"X", "matrices of one shape", RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, inputs * length]"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = concat_infer,
    .kernel = concat_kernel,
};

const rg_op rg_op_partial_sum = {
    .type = "partial_sum",
    .doc = "Some columns of several matrices, added up.",
    .in = RG_SLOTS([X] = {"X", "matrices of one shape", RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, length]"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = sum_infer,
    .kernel = sum_kernel,
};

/* ---- gradients ---- */

/* Input i reads `step` columns further right in Out@GRAD than the one before. */
static rg_status spread(rg_ctx *ctx, bool side_by_side)
{
    const rg_value *dout = rg_in(ctx, DOUT);
    size_t size = rg_dtype_size(dout->meta.dtype);
    RG_TRY(check_inputs(ctx));
    int64_t start, length, width = rg_shape_of(ctx, X)->dim[1];
    RG_TRY(find_columns(ctx, width, &start, &length));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_numel(
        ctx, DOUT, rg_shape_of(ctx, X)->dim[0] * length * (side_by_side ? rg_n_in(ctx, X) : 1)));
    size_t part = (size_t)length * size, row = part * (size_t)(side_by_side ? rg_n_in(ctx, X) : 1);
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        rg_value *dx = rg_out_n(ctx, OUT, i);
        if (dx == NULL)
            continue;
        const char *from = (const char *)dout->data + (side_by_side ? (size_t)i * part : 0);
        char *to = (char *)dx->data + (size_t)start * size;
        memset(dx->data, 0, rg_value_bytes(dx));
        for (int64_t r = 0; r < dx->meta.shape.dim[0]; r++, from += row, to += (size_t)width * size)
            memcpy(to, from, part);
    }
    return RG_OK;
}

static rg_status concat_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, true);
}

static rg_status sum_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, false);
}

#define GRAD_SLOTS \
    RG_SLOTS([X] = {"X", "", RG_REPEATED | RG_SHAPE_ONLY}, [DOUT] = {"Out@GRAD", ""})

const rg_op rg_op_partial_concat_grad = {
    .type = "partial_concat_grad",
    .doc = "Gradient of partial_concat.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", RG_REPEATED, .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = concat_grad_kernel,
};

const rg_op rg_op_partial_sum_grad = {
    .type = "partial_sum_grad",
    .doc = "Gradient of partial_sum.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", RG_REPEATED, .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = sum_grad_kernel,
};
