/* sequence_mask.c - lengths as rows of ones.
 *
 *   Y[..., j] = j < X[...]     for j below maxlen, or below the largest of X */
#include "ops/shape_args.h"
#include "ops/types.h"

#include <math.h>

enum { X, MAX_LEN };
enum { Y };
enum { MAXLEN, OUT_DTYPE };

static double number_at(const rg_value *x, int64_t i)
{
    switch ((int)x->meta.dtype) {
    case RG_F32:
        return ((const float *)x->data)[i];
    case RG_F64:
        return ((const double *)x->data)[i];
    default:
        return (double)rg_whole_at(x, i);
    }
}

/* The length of a row of Y; -1 where the program is being built and the data decides. */
static rg_status length_of(const rg_ctx *ctx, int64_t *out)
{
    int64_t length = rg_attr_int(ctx, MAXLEN);
    bool given = rg_has_in(ctx, MAX_LEN);
    if (given && rg_running(ctx)) {
        RG_TRY(RG_EXPECT_DTYPE(ctx, MAX_LEN, RG_I32, RG_I64));
        if (rg_numel(rg_in(ctx, MAX_LEN)) != 1)
            return rg_fail(RG_ESHAPE, "MaxLenTensor must be one number");
        length = rg_whole_at(rg_in(ctx, MAX_LEN), 0);
    }
    if (length == 0 || (given && rg_running(ctx) && length < 0))
        return rg_fail(RG_EVALUE, "the length of the mask is %lld, and must be at least 1",
                       (long long)length);
    if (length > 0 || !rg_running(ctx)) {
        *out = given && !rg_running(ctx) ? -1 : length > 0 ? length : -1;
        return RG_OK;
    }
    const rg_value *x = rg_in(ctx, X);
    double most = 0;
    for (int64_t i = 0; i < rg_numel(x); i++)
        most = fmax(most, number_at(x, i));
    if (most > INT32_MAX)
        return rg_fail(RG_EVALUE, "%s has the length %.0f", rg_in_name(ctx, X, 0), most);
    *out = (int64_t)most;
    return RG_OK;
}

static rg_status sequence_mask_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    rg_dtype dtype;
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32, RG_F32, RG_F64));
    RG_TRY(rg_dtype_from_attr(ctx, OUT_DTYPE, &dtype));
    if (out.rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "X has %d dimensions already", out.rank);
    RG_TRY(length_of(ctx, &out.dim[out.rank]));
    out.rank++;
    rg_set_out(ctx, Y, dtype, &out);
    return RG_OK;
}

#define MASK(T, S)                                                \
    static void mask_##S(const rg_value *x, T *y, int64_t length) \
    {                                                             \
        int64_t n = rg_numel(x);                                  \
        for (int64_t i = 0; i < n; i++, y += length) {            \
            double limit = number_at(x, i);                       \
            for (int64_t j = 0; j < length; j++)                  \
                y[j] = (double)j < limit;                         \
        }                                                         \
    }
RG_NUMBERS(MASK)
MASK(uint8_t, u8)
MASK(bool, bool)

static rg_status sequence_mask_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *y = rg_out(ctx, Y);
    int64_t length = y->meta.shape.dim[y->meta.shape.rank - 1];
    switch ((int)y->meta.dtype) {
    case RG_F32:
        mask_f32(x, y->data, length);
        break;
    case RG_F64:
        mask_f64(x, y->data, length);
        break;
    case RG_I32:
        mask_i32(x, y->data, length);
        break;
    case RG_I64:
        mask_i64(x, y->data, length);
        break;
    case RG_U8:
        mask_u8(x, y->data, length);
        break;
    case RG_BOOL:
        mask_bool(x, y->data, length);
        break;
    default:
        return rg_fail(RG_EUNIMPL, "no mask of %s", rg_dtype_name(y->meta.dtype));
    }
    return RG_OK;
}

const rg_op rg_op_sequence_mask = {
    .type = "sequence_mask",
    .doc = "Lengths as rows of ones, then zeros.",
    .in = RG_SLOTS([X] = {"X", "lengths", RG_NO_GRAD | RG_SIZES},
                   [MAX_LEN] = {"MaxLenTensor", "one number, instead of maxlen",
                                RG_OPTIONAL | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([Y] = {"Y", "X's shape and one dimension more"}),
    .attr = RG_ATTRS([MAXLEN] = RG_INT("maxlen", -1, "the length of a row; -1: the largest of X"),
                     [OUT_DTYPE] = RG_REQUIRED("out_dtype", RG_ATTR_INT, "the type of Y")),
    .infer = sequence_mask_infer,
    .kernel = sequence_mask_kernel,
};
