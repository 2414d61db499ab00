/* label_smooth.c - labels that are a little less sure.
 *
 *   Out = (1 - epsilon) X + epsilon / classes, or + epsilon PriorDist
 *
 * over the last dimension of X, a distribution over the classes. */
#include "ops/types.h"

enum { X, PRIOR };
enum { OUT };
enum { EPSILON };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    if (x->rank < 1)
        return rg_expect_rank(ctx, X, 2);
    if (rg_has_in(ctx, PRIOR)) {
        int64_t prior = rg_shape_numel(rg_shape_of(ctx, PRIOR)), classes = x->dim[x->rank - 1];
        RG_TRY(rg_expect_same_dtype(ctx, X, PRIOR));
        if (prior >= 0 && classes >= 0 && prior != classes)
            return rg_fail(RG_ESHAPE, "PriorDist has %lld elements for %lld classes",
                           (long long)prior, (long long)classes);
    }
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define LOOPS(T, S)                                                                            \
    RG_HOT static void smooth_##S(const T *x, const T *prior, T epsilon, T *out, int64_t rows, \
                                  int64_t classes)                                             \
    {                                                                                          \
        const T keep = 1 - epsilon, even = epsilon / (T)classes;                               \
        for (int64_t i = 0; i < rows; i++, x += classes, out += classes)                       \
            for (int64_t j = 0; j < classes; j++)                                              \
                out[j] = keep * x[j] + (prior ? epsilon * prior[j] : even);                    \
    }                                                                                          \
    RG_HOT static void grad_##S(const T *dout, T epsilon, T *dx, int64_t n)                    \
    {                                                                                          \
        for (int64_t i = 0; i < n; i++)                                                        \
            dx[i] = (1 - epsilon) * dout[i];                                                   \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t classes = x->meta.shape.dim[x->meta.shape.rank - 1];
    RG_CALL_FLOAT(ctx, X, smooth,
                  (x->data, rg_in_data(ctx, PRIOR), rg_attr_float(ctx, EPSILON),
                   rg_out_data(ctx, OUT), classes > 0 ? rg_numel(x) / classes : 0, classes))
    return RG_OK;
}

#define ATTRS RG_ATTRS([EPSILON] = RG_FLOAT("epsilon", 0.0f, "how much is given to all classes"))

const rg_op rg_op_label_smooth = {
    .type = "label_smooth",
    .doc = "Labels that are a little less sure.",
    .in = RG_SLOTS([X] = {"X", "distributions, [..., classes]"},
                   [PRIOR] = {"PriorDist", "what is given; all alike without it",
                              RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    RG_CALL_FLOAT(ctx, G_DOUT, grad,
                  (dout->data, rg_attr_float(ctx, EPSILON), rg_out_data(ctx, G_DX), rg_numel(dout)))
    return RG_OK;
}

const rg_op rg_op_label_smooth_grad = {
    .type = "label_smooth_grad",
    .doc = "Gradient of label_smooth.",
    .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_DOUT), .inplace = RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .flags = RG_OP_DIAGONAL,
    .kernel = grad_kernel,
};
