/* cos_sim.c - the cosine of the angle between rows.
 *
 *   Out = sum of X Y / (XNorm YNorm)     each as [rows, width]; Y may have one row for all
 *
 * A norm is at least 1e-4, so that a row of zeros has the cosine 0. */
#include "math/reduce.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y };
enum { OUT, XNORM, YNORM };
enum { RUNTIME_SHAPE };

/* Y is like X, or one row of it. */
static rg_status check_shapes(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    if (x->rank < 2)
        return rg_expect_rank(ctx, X, 2);
    rg_shape wanted = *x;
    if (y->rank > 0 && y->dim[0] == 1)
        wanted.dim[0] = 1;
    if (rg_shape_fits(&wanted, y))
        return RG_OK;
    char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "X has the shape %s and Y %s; Y must be like X, or one row of it",
                   rg_shape_text(x, tx), rg_shape_text(y, ty));
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check_shapes(ctx));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    int64_t rows = rg_shape_of(ctx, X)->dim[0], others = rg_shape_of(ctx, Y)->dim[0];
    rg_dtype dtype = rg_dtype_of(ctx, X);
    rg_set_out(ctx, OUT, dtype, &RG_SHAPE(rows, 1));
    rg_set_out(ctx, XNORM, dtype, &RG_SHAPE(rows, 1));
    rg_set_out(ctx, YNORM, dtype, &RG_SHAPE(others, 1));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define LOOPS(T, S)                                                                               \
    static void norms_##S(const T *x, int64_t rows, int64_t width, T *norm)                       \
    {                                                                                             \
        for (int64_t i = 0; i < rows; i++) {                                                      \
            const T square = rg_dot_##S(x + i * width, x + i * width, width);                     \
            norm[i] = RG_SQRT(square < (T)1e-8 ? (T)1e-8 : square);                               \
        }                                                                                         \
    }                                                                                             \
    static void cosines_##S(const T *x, const T *y, const T *x_norm, const T *y_norm, bool one,   \
                            int64_t rows, int64_t width, T *out)                                  \
    {                                                                                             \
        for (int64_t i = 0; i < rows; i++) {                                                      \
            const int64_t j = one ? 0 : i;                                                        \
            out[i] = rg_dot_##S(x + i * width, y + j * width, width) / (x_norm[i] * y_norm[j]);   \
        }                                                                                         \
    }                                                                                             \
    /* What row y and the cosine do to row x: set, or added where x stands for all. */            \
    RG_INLINE void slope_##S(const T *x, const T *y, T x_norm, T y_norm, T cosine, T dout,        \
                             int64_t width, bool add, T *dx)                                      \
    {                                                                                             \
        const T by_y = dout / (x_norm * y_norm), by_x = dout * cosine / (x_norm * x_norm);        \
        for (int64_t k = 0; k < width; k++)                                                       \
            dx[k] = (add ? dx[k] : 0) + by_y * y[k] - by_x * x[k];                                \
    }                                                                                             \
    RG_HOT static void grad_x_##S(const T *x, const T *y, const T *x_norm, const T *y_norm,       \
                                  bool one, const T *out, const T *dout, int64_t rows,            \
                                  int64_t width, T *dx)                                           \
    {                                                                                             \
        for (int64_t i = 0; i < rows; i++) {                                                      \
            const int64_t j = one ? 0 : i;                                                        \
            slope_##S(x + i * width, y + j * width, x_norm[i], y_norm[j], out[i], dout[i], width, \
                      false, dx + i * width);                                                     \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void grad_y_##S(const T *x, const T *y, const T *x_norm, const T *y_norm,       \
                                  bool one, const T *out, const T *dout, int64_t rows,            \
                                  int64_t width, T *dy)                                           \
    {                                                                                             \
        for (int64_t i = 0; i < rows; i++) {                                                      \
            const int64_t j = one ? 0 : i;                                                        \
            slope_##S(y + j * width, x + i * width, y_norm[j], x_norm[i], out[i], dout[i], width, \
                      one, dy + j * width);                                                       \
        }                                                                                         \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *y = rg_in(ctx, Y);
    int64_t rows = x->meta.shape.dim[0], others = y->meta.shape.dim[0], width = rg_value_width(x);
    size_t size = rg_dtype_size(x->meta.dtype);
    void *x_norm = rg_out_or_scratch(ctx, XNORM, (size_t)rows * size);
    void *y_norm = rg_out_or_scratch(ctx, YNORM, (size_t)others * size);
    if (x_norm == NULL || y_norm == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, norms, (x->data, rows, width, x_norm))
    RG_CALL_FLOAT(ctx, X, norms, (y->data, others, width, y_norm))
    RG_CALL_FLOAT(
        ctx, X, cosines,
        (x->data, y->data, x_norm, y_norm, others != rows, rows, width, rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                               \
    RG_ATTRS([RUNTIME_SHAPE] = RG_BOOLEAN("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", true, \
                                          "kept for files"))

const rg_op rg_op_cos_sim = {
    .type = "cos_sim",
    .doc = "The cosine of the angle between rows.",
    .in = RG_SLOTS([X] = {"X", "[rows, ...]"}, [Y] = {"Y", "like X, or one row for all"}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, 1]"}, [XNORM] = {"XNorm", "[rows, 1]", RG_INTERMEDIATE},
                    [YNORM] = {"YNorm", "of the rows of Y", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient: X and Y as above, and ---- */

enum { G_XNORM = Y + 1, G_YNORM, G_OUT, G_DOUT };
enum { G_DX, G_DY };

static rg_status grad_infer(rg_ctx *ctx)
{
    int64_t rows = rg_shape_of(ctx, X)->dim[0];
    RG_TRY(check_shapes(ctx));
    for (int s = G_XNORM; s <= G_DOUT; s++)
        RG_TRY(rg_expect_count(ctx, s, s == G_YNORM ? rg_shape_of(ctx, Y)->dim[0] : rows));
    rg_set_like(ctx, G_DX, X);
    rg_set_like(ctx, G_DY, Y);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *y = rg_in(ctx, Y);
    const void *x_norm = rg_in_data(ctx, G_XNORM), *y_norm = rg_in_data(ctx, G_YNORM);
    const void *out = rg_in_data(ctx, G_OUT), *dout = rg_in_data(ctx, G_DOUT);
    int64_t rows = x->meta.shape.dim[0], width = rg_value_width(x);
    bool one = y->meta.shape.dim[0] != rows;
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(
            ctx, X, grad_x,
            (x->data, y->data, x_norm, y_norm, one, out, dout, rows, width, rg_out_data(ctx, G_DX)))
    if (!rg_has_out(ctx, G_DY))
        return RG_OK;
    if (one)
        memset(rg_out_data(ctx, G_DY), 0, rg_value_bytes(rg_out(ctx, G_DY)));
    RG_CALL_FLOAT(
        ctx, X, grad_y,
        (x->data, y->data, x_norm, y_norm, one, out, dout, rows, width, rg_out_data(ctx, G_DY)))
    return RG_OK;
}

const rg_op rg_op_cos_sim_grad = {
    .type = "cos_sim_grad",
    .doc = "Gradient of cos_sim.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [G_XNORM] = {"XNorm", ""},
                   [G_YNORM] = {"YNorm", ""}, [G_OUT] = {"Out", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL}, [G_DY] = {"Y@GRAD", "", RG_OPTIONAL}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
