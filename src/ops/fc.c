/* fc.c - act(Input W + Bias): mul, elementwise_add and relu in one, as models saved for inference
 * have it. It has no gradient: training programs have the three.
 *
 * padding_weights: W was stored with 4 rows and 4 columns too many, which are not read. */
#include "math/gemm.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, W, BIAS };
enum { OUT };
enum { IN_NUM_COL_DIMS, ACTIVATION_TYPE, PADDING_WEIGHTS, ALL_KERNELS };
enum { PADDING = 4 };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT), *w = rg_shape_of(ctx, W);
    int dims = rg_attr_int(ctx, IN_NUM_COL_DIMS), pad = rg_attr_bool(ctx, PADDING_WEIGHTS) ? 4 : 0;
    const char *act = rg_attr_string(ctx, ACTIVATION_TYPE);
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, W));
    if (dims < 1 || dims >= x->rank)
        return rg_fail(RG_EINVAL, "in_num_col_dims is %d, and Input has %d dimensions", dims,
                       x->rank);
    if (act[0] != '\0' && strcmp(act, "relu") != 0)
        return rg_fail(RG_EINVAL, "activation_type %s: relu, or none", act);
    int64_t width = rg_shape_product(x, dims, x->rank), out_width = w->dim[1] - pad;
    if (width >= 0 && w->dim[0] - pad != width)
        return rg_fail(RG_ESHAPE, "Input has %lld columns, and W %lld rows", (long long)width,
                       (long long)(w->dim[0] - pad));
    if (rg_has_in(ctx, BIAS)) {
        RG_TRY(rg_expect_same_dtype(ctx, INPUT, BIAS));
        if (rg_shape_numel(rg_shape_of(ctx, BIAS)) != out_width)
            return rg_fail(RG_ESHAPE, "Bias must have %lld elements", (long long)out_width);
    }
    rg_shape out = *x;
    out.rank = dims + 1;
    out.dim[dims] = out_width;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, INPUT), &out);
    rg_share_lod(ctx, INPUT, OUT);
    return RG_OK;
}

#define FC(T, S)                                                                              \
    static void fc_##S(int64_t m, int64_t n, int64_t k, const T *x, const T *w, int64_t ldw,  \
                       const T *bias, bool relu, T *out)                                      \
    {                                                                                         \
        rg_gemm_##S(false, false, m, n, k, 1, x, k, w, ldw, 0, out, n);                       \
        for (int64_t i = 0; bias != NULL && i < m; i++)                                       \
            for (int64_t j = 0; j < n; j++)                                                   \
                out[i * n + j] += bias[j];                                                    \
        for (int64_t i = 0; relu && i < m * n; i++)                                           \
            out[i] = out[i] < 0 ? 0 : out[i]; /* a NaN stays */                               \
    }
RG_FLOATS(FC)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, INPUT), *w = rg_shape_of(ctx, W);
    int dims = rg_attr_int(ctx, IN_NUM_COL_DIMS);
    int64_t pad = rg_attr_bool(ctx, PADDING_WEIGHTS) ? PADDING : 0;
    RG_CALL_FLOAT(ctx, INPUT, fc,
                  (rg_shape_product(x, 0, dims), w->dim[1] - pad, w->dim[0] - pad,
                   rg_in_data(ctx, INPUT), rg_in_data(ctx, W), w->dim[1], rg_in_data(ctx, BIAS),
                   rg_attr_string(ctx, ACTIVATION_TYPE)[0] != '\0', rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_fc = {
    .type = "fc",
    .doc = "Input W + Bias and relu in one, for inference.",
    .in = RG_SLOTS([INPUT] = {"Input", "any shape", RG_NO_GRAD}, [W] = {"W", "[in, out]", RG_NO_GRAD},
                   [BIAS] = {"Bias", "[out]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[..., out]"}),
    .attr = RG_ATTRS([IN_NUM_COL_DIMS] = RG_INT("in_num_col_dims", 1,
                                                "dimensions of Input that are rows"),
                     [ACTIVATION_TYPE] = RG_STRING("activation_type", "", "relu, or none"),
                     [PADDING_WEIGHTS] = RG_BOOLEAN("padding_weights", false,
                                                    "W has 4 rows and columns too many"),
                     [ALL_KERNELS] = RG_BOOLEAN("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", true,
                                                "kept for files")),
    .infer = infer,
    .kernel = kernel,
};
