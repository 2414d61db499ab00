/* huber_loss.c - losses that are squares near zero and straight lines beyond.
 *
 *   huber_loss           r = Y - X;  r^2 / 2 where |r| <= delta, else delta (|r| - delta / 2)
 *   modified_huber_loss  m = (2 Y - 1) X, Y 0 or 1;  -4 m where m < -1, else max(0, 1 - m)^2
 *
 * Each keeps r or m, which is what its gradient reads. */
#include "ops/labels.h"
#include "ops/types.h"

enum { X, Y };
enum { KEPT, OUT };
enum { DELTA };

#define HUBER(T, S)                                                                           \
    RG_HOT static void huber_##S(const T *x, const T *y, T delta, T *kept, T *out, int64_t n) \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T r = y[i] - x[i], a = r < 0 ? -r : r;                                      \
            kept[i] = r;                                                                      \
            out[i] = a <= delta ? r * r / 2 : delta * (a - delta / 2);                        \
        }                                                                                     \
    }                                                                                         \
    /* By X, with the sign turned by Y. */                                                    \
    RG_HOT static void huber_grad_##S(const T *kept, const T *dout, T delta, T sign, T *dx,   \
                                      int64_t n)                                              \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T r = kept[i] < -delta ? -delta : kept[i] > delta ? delta : kept[i];        \
            dx[i] = sign * r * dout[i];                                                       \
        }                                                                                     \
    }                                                                                         \
    RG_HOT static void modified_##S(const T *x, const T *y, T *kept, T *out, int64_t n)       \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T m = (2 * y[i] - 1) * x[i], rest = m < 1 ? 1 - m : 0;                      \
            kept[i] = m;                                                                      \
            out[i] = m < -1 ? -4 * m : rest * rest;                                           \
        }                                                                                     \
    }                                                                                         \
    RG_HOT static void modified_grad_##S(const T *y, const T *kept, const T *dout, T *dx,     \
                                         int64_t n)                                           \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T m = kept[i], slope = m < -1 ? -4 : m < 1 ? -2 * (1 - m) : 0;              \
            dx[i] = slope * (2 * y[i] - 1) * dout[i];                                         \
        }                                                                                     \
    }
RG_FLOATS(HUBER)

/* Where to keep r or m: in scratch if nobody asks for it. */
static void *kept_or_scratch(rg_ctx *ctx)
{
    if (rg_has_out(ctx, KEPT))
        return rg_out_data(ctx, KEPT);
    const rg_value *x = rg_in(ctx, X);
    return rg_scratch(ctx, (size_t)rg_numel(x) * rg_dtype_size(x->meta.dtype));
}

/* ---- huber_loss ---- */

static rg_status huber_loss_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    rg_set_out(ctx, KEPT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status huber_loss_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    void *kept = kept_or_scratch(ctx);
    if (kept == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, huber,
                  (x->data, rg_in_data(ctx, Y), rg_attr_float(ctx, DELTA), kept,
                   rg_out_data(ctx, OUT), rg_numel(x)))
    return RG_OK;
}

#define DELTA_ATTR RG_ATTRS([DELTA] = RG_REQUIRED("delta", RG_ATTR_FLOAT, "where the line begins"))

const rg_op rg_op_huber_loss = {
    .type = "huber_loss",
    .doc = "A square near zero, a line beyond delta.",
    .in = RG_SLOTS([X] = {"X", "predictions"}, [Y] = {"Y", "what they should be"}),
    .out = RG_SLOTS([KEPT] = {"Residual", "Y - X", RG_INTERMEDIATE}, [OUT] = {"Out",
                                                                              "the shape of X"}),
    .attr = DELTA_ATTR,
    .infer = huber_loss_infer,
    .kernel = huber_loss_kernel,
};

enum { G_KEPT, G_DOUT };
enum { G_DX, G_DY };

static rg_status huber_loss_grad_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, G_KEPT, G_DOUT));
    rg_set_like(ctx, G_DX, G_DOUT);
    rg_set_like(ctx, G_DY, G_DOUT);
    return RG_OK;
}

static rg_status huber_loss_grad_kernel(rg_ctx *ctx)
{
    const rg_value *kept = rg_in(ctx, G_KEPT);
    for (int s = G_DX; s <= G_DY; s++)
        if (rg_has_out(ctx, s))
            RG_CALL_FLOAT(ctx, G_KEPT, huber_grad,
                          (kept->data, rg_in_data(ctx, G_DOUT), rg_attr_float(ctx, DELTA),
                           s == G_DX ? -1 : 1, rg_out_data(ctx, s), rg_numel(kept)))
    return RG_OK;
}

const rg_op rg_op_huber_loss_grad = {
    .type = "huber_loss_grad",
    .doc = "Gradient of huber_loss.",
    .in = RG_SLOTS([G_KEPT] = {"Residual", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DY] = {"Y@GRAD", "", RG_OPTIONAL}),
    .attr = DELTA_ATTR,
    .infer = huber_loss_grad_infer,
    .kernel = huber_loss_grad_kernel,
};

/* ---- modified_huber_loss ---- */

static rg_status modified_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_column(ctx, X));
    RG_TRY(rg_expect_same_shape(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    rg_set_out(ctx, KEPT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    return RG_OK;
}

static rg_status modified_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    void *kept = kept_or_scratch(ctx);
    if (kept == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, modified,
                  (x->data, rg_in_data(ctx, Y), kept, rg_out_data(ctx, OUT), rg_numel(x)))
    return RG_OK;
}

const rg_op rg_op_modified_huber_loss = {
    .type = "modified_huber_loss",
    .doc = "A squared hinge that goes on as a line, for yes or no.",
    .in = RG_SLOTS([X] = {"X", "predictions, [batch, 1]"}, [Y] = {"Y", "0 or 1", RG_NO_GRAD}),
    .out = RG_SLOTS([KEPT] = {"IntermediateVal", "(2 Y - 1) X", RG_INTERMEDIATE},
                    [OUT] = {"Out", "the shape of X"}),
    .infer = modified_infer,
    .kernel = modified_kernel,
};

enum { M_Y, M_KEPT, M_DOUT };
enum { M_DX };

static rg_status modified_grad_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, M_KEPT, M_Y));
    RG_TRY(rg_expect_same_shape(ctx, M_KEPT, M_DOUT));
    rg_set_like(ctx, M_DX, M_KEPT);
    return RG_OK;
}

static rg_status modified_grad_kernel(rg_ctx *ctx)
{
    const rg_value *kept = rg_in(ctx, M_KEPT);
    RG_CALL_FLOAT(ctx, M_KEPT, modified_grad,
                  (rg_in_data(ctx, M_Y), kept->data, rg_in_data(ctx, M_DOUT),
                   rg_out_data(ctx, M_DX), rg_numel(kept)))
    return RG_OK;
}

const rg_op rg_op_modified_huber_loss_grad = {
    .type = "modified_huber_loss_grad",
    .doc = "Gradient of modified_huber_loss.",
    .in = RG_SLOTS([M_Y] = {"Y", ""}, [M_KEPT] = {"IntermediateVal", ""},
                   [M_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([M_DX] = {"X@GRAD", "", .inplace = RG_OF(M_DOUT)}),
    .infer = modified_grad_infer,
    .kernel = modified_grad_kernel,
};
