/* p_norm.c - the p-norm along a dimension.
 *
 *   Out = (sum |x|^p)^(1/p)        dX = sign(x) |x|^(p-1) dOut / (Out^(p-1) + epsilon)
 *
 * of any porder above 0; infinity is not there, as in Paddle. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>

enum { X, Y, DOUT };
enum { OUT };
enum { PORDER, AXIS, EPSILON, KEEPDIM };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out = {.rank = 0};
    float p = rg_attr_float(ctx, PORDER);
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), x->rank, &axis));
    if (!(p > 0) || isinf(p))
        return rg_fail(RG_EINVAL, "porder is %g, and must be above 0 and finite", (double)p);
    for (int d = 0; d < x->rank; d++)
        if (d != axis || rg_attr_bool(ctx, KEEPDIM))
            out.dim[out.rank++] = d == axis ? 1 : x->dim[d];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), out.rank > 0 ? &out : &RG_SHAPE(1));
    return RG_OK;
}

/* X as [outer, n, inner], the sum over n. */
typedef struct walk {
    int64_t outer, n, inner;
    double p, epsilon;
} walk;

static rg_status walk_of(const rg_ctx *ctx, walk *w)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), x->rank, &axis));
    *w = (walk){rg_shape_product(x, 0, axis), x->dim[axis], rg_shape_product(x, axis + 1, x->rank),
                rg_attr_float(ctx, PORDER), rg_attr_float(ctx, EPSILON)};
    return RG_OK;
}

#define NORM(T, S)                                                                            \
    static void norm_##S(const walk *w, const T *x, T *out)                                   \
    {                                                                                         \
        for (int64_t o = 0; o < w->outer; o++)                                                \
            for (int64_t i = 0; i < w->inner; i++) {                                          \
                const T *from = x + o * w->n * w->inner + i;                                  \
                double sum = 0;                                                               \
                for (int64_t k = 0; k < w->n; k++)                                            \
                    sum += pow(fabs((double)from[k * w->inner]), w->p);                       \
                out[o * w->inner + i] = (T)pow(sum, 1 / w->p);                                \
            }                                                                                 \
    }                                                                                         \
    static void norm_grad_##S(const walk *w, const T *x, const T *y, const T *dout, T *dx)    \
    {                                                                                         \
        for (int64_t o = 0; o < w->outer; o++)                                                \
            for (int64_t i = 0; i < w->inner; i++) {                                          \
                int64_t at = o * w->n * w->inner + i, to = o * w->inner + i;                  \
                double d = (double)dout[to] / (pow((double)y[to], w->p - 1) + w->epsilon);    \
                for (int64_t k = 0; k < w->n; k++, at += w->inner) {                          \
                    double v = (double)x[at];                                                 \
                    double slope = v == 0 ? 0 : copysign(pow(fabs(v), w->p - 1), v);          \
                    dx[at] = (T)(slope * d);                                                  \
                }                                                                             \
            }                                                                                 \
    }
RG_FLOATS(NORM)

static rg_status kernel(rg_ctx *ctx)
{
    walk w;
    RG_TRY(walk_of(ctx, &w));
    RG_CALL_FLOAT(ctx, X, norm, (&w, rg_in_data(ctx, X), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    walk w;
    RG_TRY(walk_of(ctx, &w));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_numel(ctx, Y, w.outer * w.inner));
    RG_TRY(rg_expect_numel(ctx, DOUT, w.outer * w.inner));
    RG_CALL_FLOAT(
        ctx, X, norm_grad,
        (&w, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, DOUT), rg_out_data(ctx, 0)))
    return RG_OK;
}

#define ATTRS                                                                        \
    RG_ATTRS([PORDER] = RG_FLOAT("porder", 2.0f, "p"),                               \
             [AXIS] = RG_INT("axis", -1, "the dimension; negative: from the end"),   \
             [EPSILON] = RG_FLOAT("epsilon", 1.0e-12f, "keeps the gradient finite"), \
             [KEEPDIM] = RG_BOOLEAN("keepdim", false, "the dimension stays, as 1"))

const rg_op rg_op_p_norm = {
    .type = "p_norm",
    .doc = "The p-norm along a dimension.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "without the dimension, or with it as 1"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_p_norm_grad = {
    .type = "p_norm_grad",
    .doc = "Gradient of p_norm.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Out", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS({"X@GRAD", "", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
