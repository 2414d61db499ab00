/* clip.c - numbers kept within bounds.
 *
 *   clip          each element between min and max; the gradient passes strictly between them
 *   clip_by_norm  X max_norm / max(norm, max_norm): a tensor made no longer than max_norm
 *
 * A sparse gradient has its duplicates added up first: what is bounded is their sum. */
#include "math/reduce.h"
#include "ops/merge_rows.h"
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { X, MIN_TENSOR, MAX_TENSOR, DOUT };
enum { OUT };
enum { MIN, MAX };
enum { MAX_NORM };

/* The elements to work on, and where the results go: of a sparse gradient, its merged rows
 * in a sparse output. */
static rg_status begin(rg_ctx *ctx, const void **from, void **to, int64_t *n)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    if (x->meta.kind != RG_ROWS) {
        *from = x->data;
        *to = out->data;
        *n = rg_numel(x);
        return RG_OK;
    }
    rg_merged merged;
    RG_TRY(rg_merge_rows(ctx, x, &merged));
    int64_t width = rg_value_width(x);
    if (out == x) { /* in place: the merged rows may be its own memory */
        size_t bytes = merged.n * (size_t)width * rg_dtype_size(x->meta.dtype);
        int64_t *rows = rg_scratch(ctx, merged.n * sizeof *rows);
        void *values = rg_scratch(ctx, bytes);
        if (rows == NULL || values == NULL)
            return RG_ENOMEM;
        merged.rows = memcpy(rows, merged.rows, merged.n * sizeof *rows);
        merged.values = memcpy(values, merged.values, bytes);
    }
    rg_shape shape = x->meta.shape;
    RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &shape, merged.n));
    memcpy(out->rows, merged.rows, merged.n * sizeof *out->rows);
    *from = merged.values;
    *to = out->data;
    *n = (int64_t)merged.n * width;
    return RG_OK;
}

/* ---- clip ---- */

static rg_status read_bounds(const rg_ctx *ctx, double *low, double *high)
{
    *low = (double)rg_attr_float(ctx, MIN);
    *high = (double)rg_attr_float(ctx, MAX);
    for (int slot = MIN_TENSOR; slot <= MAX_TENSOR; slot++) {
        const rg_value *given = rg_in(ctx, slot);
        if (given == NULL)
            continue;
        if (rg_numel(given) != 1)
            return rg_fail(RG_ESHAPE, "%s has %lld elements, and must have one",
                           ctx->op->in[slot].name, (long long)rg_numel(given));
        *(slot == MIN_TENSOR ? low : high) = rg_number_at(given, 0);
    }
    if (!(*low <= *high))
        return rg_fail(RG_EINVAL, "min is %g, and max is %g", *low, *high);
    return RG_OK;
}

#define CLIP(T, S)                                                                    \
    RG_HOT static void clip_##S(const T *x, T *y, int64_t n, double low, double high) \
    {                                                                                 \
        const T a = (T)low, b = (T)high;                                              \
        for (int64_t i = 0; i < n; i++)                                               \
            y[i] = x[i] < a ? a : x[i] > b ? b : x[i];                                \
    }
RG_NUMBERS(CLIP)

#define CLIP_GRAD(T, S)                                                                    \
    RG_HOT static void clip_grad_##S(const T *x, const T *g, T *dx, int64_t n, double low, \
                                     double high)                                          \
    {                                                                                      \
        const T a = (T)low, b = (T)high;                                                   \
        for (int64_t i = 0; i < n; i++)                                                    \
            dx[i] = x[i] > a && x[i] < b ? g[i] : 0;                                       \
    }
RG_FLOATS(CLIP_GRAD)

static rg_status clip_kernel(rg_ctx *ctx)
{
    const void *from;
    void *to;
    int64_t n;
    double low, high;
    RG_TRY(read_bounds(ctx, &low, &high));
    RG_TRY(begin(ctx, &from, &to, &n));
    RG_CALL_NUMBER(ctx, X, clip, (from, to, n, low, high))
    return RG_OK;
}

static rg_status clip_grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    double low, high;
    RG_TRY(read_bounds(ctx, &low, &high));
    RG_CALL_FLOAT(ctx, DOUT, clip_grad,
                  (x->data, rg_in_data(ctx, DOUT), rg_out_data(ctx, OUT), rg_numel(x), low, high))
    return RG_OK;
}

#define BOUND(NAME, DOC)                    \
    {                                       \
        NAME, DOC, RG_OPTIONAL | RG_NO_GRAD \
    }
#define ATTRS                                                                                    \
    RG_ATTRS([MIN] = RG_REQUIRED("min", RG_ATTR_FLOAT, "lower bound"), [MAX] = RG_REQUIRED(      \
                                                                           "max", RG_ATTR_FLOAT, \
                                                                           "upper bound"))

const rg_op rg_op_clip = {
    .type = "clip",
    .doc = "Each element kept between min and max.",
    .in = RG_SLOTS([X] = {"X", "any shape; may be sparse", RG_ROWS_OK},
                   [MIN_TENSOR] = BOUND("Min", "instead of min"),
                   [MAX_TENSOR] = BOUND("Max", "instead of max")),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = clip_kernel,
};

const rg_op rg_op_clip_grad = {
    .type = "clip_grad",
    .doc = "Gradient of clip.",
    .in = RG_SLOTS([X] = {"X", ""}, [MIN_TENSOR] = BOUND("Min", ""),
                   [MAX_TENSOR] = BOUND("Max", ""), [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X), .inplace = RG_OF(DOUT)}),
    .attr = ATTRS,
    .flags = RG_OP_DIAGONAL,
    .kernel = clip_grad_kernel,
};

/* ---- clip_by_norm ---- */

#define SHORTEN(T, S)                                                        \
    RG_HOT static void shorten_##S(const T *x, T *y, int64_t n, float limit) \
    {                                                                        \
        const T norm = RG_SQRT(rg_dot_##S(x, x, n));                         \
        const T factor = norm <= (T)limit ? 1 : (T)limit / norm;             \
        for (int64_t i = 0; i < n; i++)                                      \
            y[i] = x[i] * factor;                                            \
    }
RG_FLOATS(SHORTEN)

static rg_status clip_by_norm_kernel(rg_ctx *ctx)
{
    const void *from;
    void *to;
    int64_t n;
    float limit = rg_attr_float(ctx, MAX_NORM);
    RG_TRY(begin(ctx, &from, &to, &n));
    RG_CALL_FLOAT(ctx, X, shorten, (from, to, n, limit))
    return RG_OK;
}

const rg_op rg_op_clip_by_norm = {
    .type = "clip_by_norm",
    .doc = "A tensor made no longer than max_norm.",
    .in = RG_SLOTS([X] = {"X", "any shape; may be sparse", RG_NO_GRAD | RG_ROWS_OK}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([MAX_NORM] = RG_REQUIRED("max_norm", RG_ATTR_FLOAT, "the greatest length")),
    .kernel = clip_by_norm_kernel,
};
