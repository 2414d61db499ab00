/* sequence_softmax.c - a softmax over each sequence of numbers, one to a row. */
#include "ir/terms.h"
#include "math/fast.h"
#include "math/reduce.h"
#include "ops/sequences.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { USE_CUDNN, DATA_FORMAT };

static rg_status sequence_softmax_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank_from(ctx, X, 1));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    int64_t width = rg_shape_product(x, 1, x->rank);
    if (width >= 0 && width != 1) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have one number in a row, and has the shape %s",
                       rg_shape_text(x, text));
    }
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define SOFTMAX(T, S, EXP)                                                         \
    RG_INLINE void normalise_##S(const T *x, T *y, int64_t n)                      \
    {                                                                              \
        T most = rg_max_##S(x, n);                                                 \
        for (int64_t j = 0; j < n; j++)                                            \
            y[j] = EXP(x[j] - most);                                               \
        T factor = 1 / rg_sum_##S(y, n);                                           \
        for (int64_t j = 0; j < n; j++)                                            \
            y[j] *= factor;                                                        \
    }                                                                              \
    RG_HOT static void softmax_##S(const T *x, T *y, const int64_t *at, int64_t n) \
    {                                                                              \
        for (int64_t i = 0; i < n; i++)                                            \
            if (at[i + 1] > at[i])                                                 \
                normalise_##S(x + at[i], y + at[i], at[i + 1] - at[i]);            \
    }
SOFTMAX(float, f32, rg_expf)
SOFTMAX(double, f64, exp)

static rg_status sequence_softmax_kernel(rg_ctx *ctx)
{
    const rg_lod *lod = rg_in_meta(ctx, X)->lod;
    int last = lod->levels - 1;
    RG_CALL_FLOAT(
        ctx, X, softmax,
        (rg_in_data(ctx, X), rg_out_data(ctx, OUT), lod->offset[last], rg_lod_sequences(lod, last)))
    return RG_OK;
}

#define ATTRS                                                                \
    RG_ATTRS([USE_CUDNN] = RG_BOOLEAN("use_cudnn", false, "kept for files"), \
             [DATA_FORMAT] = RG_STRING("data_format", "AnyLayout", "kept for files"))

const rg_op rg_op_sequence_softmax = {
    .type = "sequence_softmax",
    .doc = "A softmax over each sequence of numbers.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, 1]"}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, 1]"}),
    .attr = ATTRS,
    .infer = sequence_softmax_infer,
    .kernel = sequence_softmax_kernel,
};

/* ---- gradient: dX = Out (dOut - sum of Out dOut over the sequence) ---- */

enum { G_X, G_OUT, G_DOUT };
enum { G_DX };

#define BACK(T, S)                                                                            \
    RG_HOT static void back_##S(const T *y, const T *dy, T *dx, const int64_t *at, int64_t n) \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            T all = rg_dot_##S(y + at[i], dy + at[i], at[i + 1] - at[i]);                     \
            for (int64_t j = at[i]; j < at[i + 1]; j++)                                       \
                dx[j] = y[j] * (dy[j] - all);                                                 \
        }                                                                                     \
    }
RG_FLOATS(BACK)

static rg_status sequence_softmax_grad_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    RG_TRY(rg_expect_lod(ctx, G_X, &lod));
    int last = lod->levels - 1;
    int64_t rows = rg_shape_of(ctx, G_X)->dim[0];
    RG_TRY(rg_expect_numel(ctx, G_OUT, rows));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rows));
    RG_CALL_FLOAT(ctx, G_DOUT, back,
                  (rg_in_data(ctx, G_OUT), rg_in_data(ctx, G_DOUT), rg_out_data(ctx, G_DX),
                   lod->offset[last], rg_lod_sequences(lod, last)))
    return RG_OK;
}

static void sequence_softmax_grad_terms(rg_terms *t)
{
    rg_term y = rg_term_in(t, "Out"), dy = rg_term_in(t, "Out@GRAD"), both = rg_term_mul(t, y, dy);
    rg_opdesc *op = rg_term_begin(t, "sequence_pool");
    rg_term_put(t, op, "X", both);
    rg_term_set(t, op, &(rg_attr){.name = "pooltype", .type = RG_ATTR_STRING, .s = "SUM"});
    rg_term sums = rg_term_end(t, op, "Out");
    op = rg_term_begin(t, "sequence_expand_as");
    rg_term_put(t, op, "X", sums);
    rg_term_put(t, op, "Y", y);
    rg_term rest = rg_term_sub(t, dy, rg_term_end(t, op, "Out"));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, y, rest));
}

const rg_op rg_op_sequence_softmax_grad = {
    .type = "sequence_softmax_grad",
    .doc = "Gradient of sequence_softmax.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_OUT] = {"Out", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = sequence_softmax_grad_kernel,
    .compose = sequence_softmax_grad_terms,
};
