/* softmax.c - numbers made into probabilities along one dimension.
 *
 *   Out = e^X / sum of e^X along axis
 *
 * dX = Out (dOut - sum of Out dOut). */
#include "ir/terms.h"
#include "math/softmax.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { AXIS, DATA_FORMAT, IS_TEST };

/* The shape taken as [outer, n, inner]. */
typedef struct cut {
    int64_t outer, n, inner;
} cut;

static rg_status cut_at_axis(const rg_ctx *ctx, const rg_shape *shape, cut *out)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    *out = (cut){rg_shape_product(shape, 0, axis), shape->dim[axis],
                 rg_shape_product(shape, axis + 1, shape->rank)};
    return RG_OK;
}

static rg_status softmax_infer(rg_ctx *ctx)
{
    cut c;
    RG_TRY(cut_at_axis(ctx, rg_shape_of(ctx, X), &c));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status softmax_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    cut c;
    RG_TRY(cut_at_axis(ctx, &x->meta.shape, &c));
    void *work = rg_scratch(ctx, (size_t)(2 * c.inner) * sizeof(double));
    if (work == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, rg_softmax,
                  (x->data, rg_out_data(ctx, OUT), NULL, c.outer, c.n, c.inner, work))
    return RG_OK;
}

#define ATTRS                                                                         \
    RG_ATTRS([AXIS] = RG_INT("axis", -1, "the dimension; negative: from the end"),    \
             [DATA_FORMAT] = RG_STRING("data_format", "AnyLayout", "kept for files"), \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "no gradient will be asked for"))

const rg_op rg_op_softmax = {
    .type = "softmax",
    .doc = "Numbers made into probabilities along one dimension.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = ATTRS,
    .infer = softmax_infer,
    .kernel = softmax_kernel,
};

/* ---- gradient ---- */

enum { G_OUT, G_DOUT };
enum { G_DX };

static rg_status softmax_grad_infer(rg_ctx *ctx)
{
    cut c;
    RG_TRY(cut_at_axis(ctx, rg_shape_of(ctx, G_OUT), &c));
    RG_TRY(rg_expect_same_shape(ctx, G_OUT, G_DOUT));
    rg_set_like(ctx, G_DX, G_OUT);
    return RG_OK;
}

static rg_status softmax_grad_kernel(rg_ctx *ctx)
{
    const rg_value *out = rg_in(ctx, G_OUT);
    cut c;
    RG_TRY(cut_at_axis(ctx, &out->meta.shape, &c));
    void *work = rg_scratch(ctx, (size_t)c.inner * sizeof(double));
    if (work == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(
        ctx, G_OUT, rg_softmax_grad,
        (out->data, rg_in_data(ctx, G_DOUT), rg_out_data(ctx, G_DX), c.outer, c.n, c.inner, work))
    return RG_OK;
}

/* y (dy - the sum of y dy) */
static void softmax_grad_terms(rg_terms *t)
{
    rg_term y = rg_term_in(t, "Out"), dy = rg_term_in(t, "Out@GRAD");
    int axis = rg_term_attr(t, "axis")->i;
    rg_term sum = rg_term_reduce(t, "reduce_sum", rg_term_mul(t, y, dy), &axis, 1, true);
    rg_term rest = rg_term_sub(t, dy, rg_term_spread(t, sum, dy, &axis, 1, true));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, y, rest));
}

const rg_op rg_op_softmax_grad = {
    .type = "softmax_grad",
    .doc = "Gradient of softmax.",
    .in = RG_SLOTS([G_OUT] = {"Out", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = softmax_grad_infer,
    .kernel = softmax_grad_kernel,
    .compose = softmax_grad_terms,
};
