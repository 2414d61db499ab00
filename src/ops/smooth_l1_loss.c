/* smooth_l1_loss.c - the distance of two rows: squares near zero, straight lines beyond.
 *
 *   d = InsideWeight (X - Y)
 *   Out = sum over a row of OutsideWeight (s d^2 / 2 where |d| < 1 / s, else |d| - 1 / (2 s))
 *
 * with s = sigma^2. Diff keeps d for the gradient. Both weights are there, or none. */
#include "ops/labels.h"
#include "ops/types.h"

enum { X, Y, INSIDE, OUTSIDE };
enum { DIFF, OUT };
enum { SIGMA };

static rg_status check_weights(const rg_ctx *ctx, int inside, int outside, int like)
{
    if (rg_has_in(ctx, inside) != rg_has_in(ctx, outside))
        return rg_fail(RG_EINVAL, "InsideWeight and OutsideWeight are given both or not at all");
    for (int s = inside; s <= outside && rg_has_in(ctx, s); s++) {
        RG_TRY(rg_expect_same_shape(ctx, like, s));
        RG_TRY(rg_expect_same_dtype(ctx, like, s));
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    if (x->rank < 2)
        return rg_expect_rank(ctx, X, 2);
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(check_weights(ctx, INSIDE, OUTSIDE, X));
    rg_set_out(ctx, DIFF, rg_dtype_of(ctx, X), x);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], 1));
    return RG_OK;
}

#define LOOPS(T, S)                                                                              \
    RG_HOT static void loss_##S(const T *x, const T *y, const T *inside, const T *outside, T s,  \
                                T *diff, T *out, int64_t rows, int64_t width)                    \
    {                                                                                            \
        for (int64_t i = 0; i < rows; i++) {                                                     \
            T sum = 0;                                                                           \
            for (int64_t j = i * width; j < (i + 1) * width; j++) {                              \
                const T d = (x[j] - y[j]) * (inside ? inside[j] : 1), a = d < 0 ? -d : d;        \
                diff[j] = d;                                                                     \
                const T loss = a < 1 / s ? s * d * d / 2 : a - 1 / (2 * s);                      \
                sum += loss * (outside ? outside[j] : 1);                                        \
            }                                                                                    \
            out[i] = sum;                                                                        \
        }                                                                                        \
    }                                                                                            \
    /* By X, with the sign turned by Y. */                                                       \
    RG_HOT static void grad_##S(const T *diff, const T *inside, const T *outside, const T *dout, \
                                T s, T sign, T *dx, int64_t rows, int64_t width)                 \
    {                                                                                            \
        for (int64_t i = 0; i < rows; i++)                                                       \
            for (int64_t j = i * width; j < (i + 1) * width; j++) {                              \
                const T d = diff[j] * s, slope = d < -1 ? -1 : d > 1 ? 1 : d;                    \
                const T weight = inside ? inside[j] * outside[j] : 1;                            \
                dx[j] = sign * slope * weight * dout[i];                                         \
            }                                                                                    \
    }
RG_FLOATS(LOOPS)

static float squared_sigma(const rg_ctx *ctx)
{
    return rg_attr_float(ctx, SIGMA) * rg_attr_float(ctx, SIGMA);
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    void *diff = rg_out_or_scratch(ctx, DIFF, rg_value_bytes(x));
    if (diff == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, loss,
                  (x->data, rg_in_data(ctx, Y), rg_in_data(ctx, INSIDE), rg_in_data(ctx, OUTSIDE),
                   squared_sigma(ctx), diff, rg_out_data(ctx, OUT), x->meta.shape.dim[0],
                   rg_value_width(x)))
    return RG_OK;
}

#define ATTRS RG_ATTRS([SIGMA] = RG_FLOAT("sigma", 1.0f, "1 / sigma^2 is where the lines begin"))

const rg_op rg_op_smooth_l1_loss = {
    .type = "smooth_l1_loss",
    .doc = "The distance of two rows: squares near zero, lines beyond.",
    .in = RG_SLOTS([X] = {"X", "[batch, ...]"}, [Y] = {"Y", "like X"},
                   [INSIDE] = {"InsideWeight", "of the difference", RG_OPTIONAL | RG_NO_GRAD},
                   [OUTSIDE] = {"OutsideWeight", "of the loss", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([DIFF] = {"Diff", "InsideWeight (X - Y)", RG_INTERMEDIATE}, [OUT] =
                                                                                    {"Out",
                                                                                     "[batch, 1]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_INSIDE, G_OUTSIDE, G_DIFF, G_DOUT };
enum { G_DX, G_DY };

static rg_status grad_infer(rg_ctx *ctx)
{
    if (rg_shape_of(ctx, G_DIFF)->rank < 2)
        return rg_expect_rank(ctx, G_DIFF, 2);
    RG_TRY(check_weights(ctx, G_INSIDE, G_OUTSIDE, G_DIFF));
    RG_TRY(rg_expect_count(ctx, G_DOUT, rg_shape_of(ctx, G_DIFF)->dim[0]));
    rg_set_like(ctx, G_DX, G_DIFF);
    rg_set_like(ctx, G_DY, G_DIFF);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *diff = rg_in(ctx, G_DIFF);
    for (int s = G_DX; s <= G_DY; s++)
        if (rg_has_out(ctx, s))
            RG_CALL_FLOAT(ctx, G_DIFF, grad,
                          (diff->data, rg_in_data(ctx, G_INSIDE), rg_in_data(ctx, G_OUTSIDE),
                           rg_in_data(ctx, G_DOUT), squared_sigma(ctx), s == G_DX ? 1 : -1,
                           rg_out_data(ctx, s), diff->meta.shape.dim[0], rg_value_width(diff)))
    return RG_OK;
}

const rg_op rg_op_smooth_l1_loss_grad = {
    .type = "smooth_l1_loss_grad",
    .doc = "Gradient of smooth_l1_loss.",
    .in = RG_SLOTS([G_INSIDE] = {"InsideWeight", "", RG_OPTIONAL},
                   [G_OUTSIDE] = {"OutsideWeight", "", RG_OPTIONAL}, [G_DIFF] = {"Diff", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DY] = {"Y@GRAD", "", RG_OPTIONAL}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
