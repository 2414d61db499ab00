/* fusion_seqexpand_concat_fc.c - rows of sequences, joined with one row of each of the others that
 * goes for the whole sequence, through a fully connected layer: sequence_expand, concat and fc in
 * one, as models saved for inference have it.
 *
 *   Out[t] = act([X0[t], X1[i], X2[i], ...] FCWeight + FCBias)      t is in sequence i
 *
 * X1, X2, ... meet their rows of FCWeight once for a sequence, not once for each of its rows:
 * FCOut is what they add. It has no gradient. */
#include "math/gemm.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, FC_WEIGHT, FC_BIAS };
enum { OUT, FC_OUT };
enum { FC_ACTIVATION };

static rg_status check_activation(const rg_ctx *ctx, int *act)
{
    static const char *const names[] = {"identity", "relu", "sigmoid", "tanh"};
    const char *name = rg_attr_string(ctx, FC_ACTIVATION);
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *act = i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "fc_activation %s: identity, relu, sigmoid or tanh", name);
}

/* *width: the columns of all inputs; -1 where one is not known yet. */
static rg_status check_inputs(const rg_ctx *ctx, const rg_lod *lod, int64_t *width)
{
    *width = 0;
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x == NULL || x->shape.rank != 2 || x->dtype != rg_dtype_of(ctx, X))
            return rg_fail(RG_ESHAPE, "%s must be a matrix of the type of the others",
                           rg_in_name(ctx, X, i));
        if (rg_running(ctx) && i > 0 && x->shape.dim[0] != rg_lod_sequences(lod, 0))
            return rg_fail(RG_ESHAPE, "%s has %lld rows, and %s %lld sequences",
                           rg_in_name(ctx, X, i), (long long)x->shape.dim[0], rg_in_name(ctx, X, 0),
                           (long long)rg_lod_sequences(lod, 0));
        *width = *width < 0 || x->shape.dim[1] < 0 ? -1 : *width + x->shape.dim[1];
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *w = rg_shape_of(ctx, FC_WEIGHT);
    const rg_lod *lod;
    int64_t width;
    int act;
    RG_TRY(check_activation(ctx, &act));
    if (rg_n_in(ctx, X) < 2)
        return rg_fail(RG_EINVAL, "X is one variable, and must be at least two");
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    RG_TRY(rg_expect_rank(ctx, FC_WEIGHT, 2));
    RG_TRY(rg_expect_same_dtype(ctx, X, FC_WEIGHT));
    RG_TRY(check_inputs(ctx, lod, &width));
    if (width >= 0 && w->dim[0] != width)
        return rg_fail(RG_ESHAPE, "FCWeight has %lld rows, and the inputs %lld columns",
                       (long long)w->dim[0], (long long)width);
    if (rg_has_in(ctx, FC_BIAS)) {
        RG_TRY(rg_expect_same_dtype(ctx, X, FC_BIAS));
        if (rg_shape_numel(rg_shape_of(ctx, FC_BIAS)) != w->dim[1])
            return rg_fail(RG_ESHAPE, "FCBias must have %lld elements", (long long)w->dim[1]);
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(rg_shape_of(ctx, X)->dim[0], w->dim[1]));
    rg_set_out(ctx, FC_OUT, rg_dtype_of(ctx, X),
               &RG_SHAPE(lod ? rg_lod_sequences(lod, 0) : -1, w->dim[1]));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define ROWS(T, S)                                                                                 \
    static T act_##S(int act, T z)                                                                 \
    {                                                                                              \
        switch (act) {                                                                             \
        case 1:                                                                                    \
            return z < 0 ? 0 : z;                                                                  \
        case 2:                                                                                    \
            return (T)(1 / (1 + exp(-(double)z)));                                                 \
        case 3:                                                                                    \
            return (T)tanh((double)z);                                                             \
        default:                                                                                   \
            return z;                                                                              \
        }                                                                                          \
    }                                                                                              \
    /* Adds each sequence's row, and the bias, to its rows of out. */                              \
    static void finish_##S(int64_t n, const int64_t *at, int64_t width, const T *whole,            \
                           const T *bias, int act, T *out)                                         \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++, whole += width)                                            \
            for (int64_t t = at[i]; t < at[i + 1]; t++, out += width)                              \
                for (int64_t j = 0; j < width; j++)                                                \
                    out[j] = act_##S(act, out[j] + whole[j] + (bias != NULL ? bias[j] : 0));       \
    }
RG_FLOATS(ROWS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    int act;
    RG_TRY(check_activation(ctx, &act));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    int64_t n = rg_lod_sequences(lod, 0), width = rg_shape_of(ctx, FC_WEIGHT)->dim[1];
    size_t size = rg_dtype_size(rg_dtype_of(ctx, X));
    const uint8_t *w = rg_in_data(ctx, FC_WEIGHT);
    void *whole = rg_out_or_scratch(ctx, FC_OUT, (size_t)(n * width) * size);
    if (whole == NULL)
        return RG_ENOMEM;
    for (int i = 0; i < rg_n_in(ctx, X); i++) {
        const rg_value *x = rg_in_n(ctx, X, i);
        int64_t k = x->meta.shape.dim[1];
        void *to = i == 0 ? rg_out_data(ctx, OUT) : whole;
        RG_CALL_FLOAT(ctx, X, rg_gemm,
                      (false, false, x->meta.shape.dim[0], width, k, 1, x->data, k, (const void *)w,
                       width, i > 1 ? 1 : 0, to, width))
        w += (size_t)(k * width) * size;
    }
    RG_CALL_FLOAT(
        ctx, X, finish,
        (n, lod->offset[0], width, whole, rg_in_data(ctx, FC_BIAS), act, rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_fusion_seqexpand_concat_fc = {
    .type = "fusion_seqexpand_concat_fc",
    .doc = "Rows of sequences joined with a row for each sequence, and a fully connected layer, "
           "for inference.",
    .in = RG_SLOTS([X] = {"X", "sequences, then matrices with a row for each sequence",
                          RG_REPEATED | RG_NO_GRAD},
                   [FC_WEIGHT] = {"FCWeight", "[sum of widths, out]", RG_NO_GRAD},
                   [FC_BIAS] = {"FCBias", "[out]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, out]"},
                    [FC_OUT] = {"FCOut", "what the others add, [sequences, out]", RG_INTERMEDIATE}),
    .attr = RG_ATTRS([FC_ACTIVATION] = RG_STRING("fc_activation", "identity",
                                                 "identity, relu, sigmoid or tanh")),
    .infer = infer,
    .kernel = kernel,
};
