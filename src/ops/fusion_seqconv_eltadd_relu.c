/* fusion_seqconv_eltadd_relu.c - sequence_conv, elementwise_add and relu in one, as models saved
 * for inference have it:
 *
 *   Out[t] = max(0, [X[t + contextStart], ..., X[t + contextStart + contextLength - 1]] Filter +
 * Bias)
 *
 * where rows outside the sequence are zeros. ColMat are the contexts as a matrix. It has no
 * gradient: training programs have the three. */
#include "math/gemm.h"
#include "ops/context.h"
#include "ops/sequences.h"
#include "ops/types.h"

enum { X, FILTER, BIAS };
enum { OUT, COL_MAT };

static rg_status context_of(const rg_ctx *ctx, rg_context *out)
{
    const rg_shape *filter = rg_shape_of(ctx, FILTER);
    RG_TRY(rg_context_of(ctx, X, out));
    RG_TRY(rg_expect_rank(ctx, FILTER, 2));
    if (rg_attr_bool(ctx, RG_CONTEXT_PADDING_TRAINABLE))
        return rg_fail(RG_EINVAL, "paddingTrainable is set, and there is no PaddingData here");
    if (out->width >= 0 && filter->dim[0] >= 0 && filter->dim[0] != out->length * out->width)
        return rg_fail(RG_ESHAPE,
                       "Filter has %lld rows, and must have %lld: contextLength %lld times the "
                       "width of X",
                       (long long)filter->dim[0], (long long)(out->length * out->width),
                       (long long)out->length);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_context c;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(rg_expect_same_dtype(ctx, X, FILTER));
    RG_TRY(rg_expect_same_dtype(ctx, X, BIAS));
    RG_TRY(context_of(ctx, &c));
    int64_t rows = rg_shape_of(ctx, X)->dim[0], n = rg_shape_of(ctx, FILTER)->dim[1];
    if (rg_shape_numel(rg_shape_of(ctx, BIAS)) != n)
        return rg_fail(RG_ESHAPE, "Bias must have %lld elements, one for each filter",
                       (long long)n);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(rows, n));
    rg_set_out(ctx, COL_MAT, rg_dtype_of(ctx, X),
               &RG_SHAPE(rows, c.width < 0 ? -1 : c.length * c.width));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define ADD_RELU(T, S)                                                                  \
    RG_HOT static void add_relu_##S(int64_t m, int64_t n, const T *bias, T *out)        \
    {                                                                                   \
        for (int64_t i = 0; i < m; i++, out += n)                                       \
            for (int64_t j = 0; j < n; j++) {                                           \
                T z = out[j] + bias[j];                                                 \
                out[j] = z < 0 ? 0 : z; /* a NaN stays */                               \
            }                                                                           \
    }
RG_FLOATS(ADD_RELU)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t rows = x->meta.shape.dim[0], n = rg_shape_of(ctx, FILTER)->dim[1];
    const rg_lod *lod;
    rg_context c;
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(context_of(ctx, &c));
    int64_t k = c.length * c.width;
    void *columns = rg_out_or_scratch(ctx, COL_MAT, rg_value_bytes(x) * (size_t)c.length);
    if (columns == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, rg_context_lay_out,
                  (&c, x->data, NULL, lod->offset[0], rg_lod_sequences(lod, 0), columns))
    RG_CALL_FLOAT(ctx, X, rg_gemm,
                  (false, false, rows, n, k, 1, columns, k, rg_in_data(ctx, FILTER), n, 0,
                   rg_out_data(ctx, OUT), n))
    RG_CALL_FLOAT(ctx, X, add_relu, (rows, n, rg_in_data(ctx, BIAS), rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_fusion_seqconv_eltadd_relu = {
    .type = "fusion_seqconv_eltadd_relu",
    .doc = "A convolution along sequences, a bias and relu, for inference.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]", RG_NO_GRAD},
                   [FILTER] = {"Filter", "[contextLength * width, filters]", RG_NO_GRAD},
                   [BIAS] = {"Bias", "[1, filters]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, filters]"},
                    [COL_MAT] = {"ColMat", "the contexts", RG_INTERMEDIATE}),
    .attr = RG_CONTEXT_ATTRS,
    .infer = infer,
    .kernel = kernel,
};
