/* norm.c - lengths of vectors: norm, frobenius_norm.
 *
 *   norm            Out = X / Norm, Norm = sqrt(sum of squares along `axis` + epsilon)
 *   frobenius_norm  Out = sqrt(sum of squares over the dimensions `dim`)
 *
 * dX = (dOut - Out sum(dOut Out)) / Norm of the first, X dOut / Out of the second. */
#include "ir/terms.h"
#include "ops/box.h"
#include "ops/types.h"

#include <string.h>

enum { X, NORM_IN, DOUT };
enum { NORM, OUT };
enum { AXIS, EPSILON };

/* ---- norm ---- */

static rg_status norm_infer(rg_ctx *ctx)
{
    rg_shape norm = *rg_shape_of(ctx, X);
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), norm.rank, &axis));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &norm);
    norm.dim[axis] = 1;
    rg_set_out(ctx, NORM, rg_dtype_of(ctx, X), &norm);
    return RG_OK;
}

/* [outer, n, inner]: the vectors lie along n. */
#define NORMALIZE(T, S)                                                                           \
    RG_HOT static void normalize_##S(const T *x, T *norm, T *y, int64_t outer, int64_t n,         \
                                     int64_t inner, float epsilon)                                \
    {                                                                                             \
        for (int64_t o = 0; o < outer; o++, x += n * inner, y += n * inner, norm += inner) {      \
            for (int64_t j = 0; j < inner; j++)                                                   \
                norm[j] = (T)epsilon;                                                             \
            for (int64_t i = 0; i < n; i++)                                                       \
                for (int64_t j = 0; j < inner; j++)                                               \
                    norm[j] += x[i * inner + j] * x[i * inner + j];                               \
            for (int64_t j = 0; j < inner; j++)                                                   \
                norm[j] = RG_SQRT(norm[j]);                                                       \
            for (int64_t i = 0; i < n; i++)                                                       \
                for (int64_t j = 0; j < inner; j++)                                               \
                    y[i * inner + j] = x[i * inner + j] / norm[j];                                \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void by_x_##S(const T *x, const T *norm, const T *g, T *dx, T *sum,             \
                                int64_t outer, int64_t n, int64_t inner)                          \
    {                                                                                             \
        for (int64_t o = 0; o < outer; o++) {                                                     \
            for (int64_t j = 0; j < inner; j++)                                                   \
                sum[j] = 0;                                                                       \
            for (int64_t i = 0; i < n; i++)                                                       \
                for (int64_t j = 0; j < inner; j++)                                               \
                    sum[j] += g[i * inner + j] * x[i * inner + j];                                \
            for (int64_t j = 0; j < inner; j++)                                                   \
                sum[j] /= norm[j] * norm[j];                                                      \
            for (int64_t i = 0; i < n; i++)                                                       \
                for (int64_t j = 0; j < inner; j++)                                               \
                    dx[i * inner + j] = (g[i * inner + j] - x[i * inner + j] * sum[j]) / norm[j]; \
            x += n * inner;                                                                       \
            g += n * inner;                                                                       \
            dx += n * inner;                                                                      \
            norm += inner;                                                                        \
        }                                                                                         \
    }
RG_FLOATS(NORMALIZE)

/* Norm is there for the gradient: without one, it goes to scratch. */
static rg_status norm_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    int64_t outer = rg_shape_product(shape, 0, axis), n = shape->dim[axis];
    int64_t inner = rg_shape_product(shape, axis + 1, shape->rank);
    void *norm = rg_out_data(ctx, NORM);
    if (norm == NULL)
        norm = rg_scratch(ctx, (size_t)(outer * inner) * rg_dtype_size(x->meta.dtype));
    if (norm == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(
        ctx, X, normalize,
        (x->data, norm, rg_out_data(ctx, OUT), outer, n, inner, rg_attr_float(ctx, EPSILON)))
    return RG_OK;
}

static rg_status norm_grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    int64_t inner = rg_shape_product(shape, axis + 1, shape->rank);
    void *sum = rg_scratch(ctx, (size_t)inner * rg_dtype_size(x->meta.dtype));
    if (sum == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, by_x,
                  (x->data, rg_in_data(ctx, NORM_IN), rg_in_data(ctx, DOUT), rg_out_data(ctx, 0),
                   sum, rg_shape_product(shape, 0, axis), shape->dim[axis], inner))
    return RG_OK;
}

/* ---- frobenius_norm ---- */

enum { F_OUT };
enum { DIM, KEEP_DIM, REDUCE_ALL, IN_DTYPE, OUT_DTYPE };

/* The shape of Out, and the box between X and Out: steps of 0 along reduced dimensions. */
static rg_status find_reduced(const rg_ctx *ctx, const rg_shape *x, bool back, rg_shape *out,
                              rg_box *box)
{
    const rg_attr *dims = rg_attr_list(ctx, DIM);
    bool all = rg_attr_bool(ctx, REDUCE_ALL) || dims->n == 0, reduced[RG_MAX_DIMS] = {false};
    int64_t steps[RG_MAX_DIMS], kept = 1, out_steps[RG_MAX_DIMS];
    for (int i = 0; !all && i < dims->n; i++) {
        int d;
        RG_TRY(rg_expect_axis(ctx, dims->ints[i], x->rank, &d));
        reduced[d] = true;
    }
    *out = (rg_shape){.rank = 0};
    for (int d = 0; d < x->rank; d++)
        if (!all && !reduced[d])
            out->dim[out->rank++] = x->dim[d];
        else if (rg_attr_bool(ctx, KEEP_DIM))
            out->dim[out->rank++] = 1;
    if (out->rank == 0)
        *out = RG_SHAPE(1);
    if (box == NULL)
        return RG_OK;
    rg_shape_steps(x, steps);
    for (int d = x->rank - 1; d >= 0; d--) {
        out_steps[d] = all || reduced[d] ? 0 : kept;
        kept *= all || reduced[d] ? 1 : x->dim[d];
    }
    *box = (rg_box){.rank = 0};
    for (int d = 0; d < x->rank; d++)
        rg_box_add_dim(box, x->dim[d], back ? steps[d] : out_steps[d],
                       back ? out_steps[d] : steps[d]);
    return RG_OK;
}

static rg_status frobenius_infer(rg_ctx *ctx)
{
    rg_shape out;
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(find_reduced(ctx, x, false, &out, NULL));
    rg_set_out(ctx, F_OUT, rg_dtype_of(ctx, X), &out);
    if (x->rank > 0 && out.dim[0] == x->dim[0])
        rg_share_lod(ctx, X, F_OUT);
    return RG_OK;
}

#define FROBENIUS(T, S)                                                                     \
    static void frobenius_##S(const rg_box *box, const T *x, T *squares, int64_t n, T *out, \
                              int64_t n_out)                                                \
    {                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                     \
            squares[i] = x[i] * x[i];                                                       \
        memset(out, 0, (size_t)n_out * sizeof *out);                                        \
        rg_box_add_##S(box, out, squares);                                                  \
        for (int64_t i = 0; i < n_out; i++)                                                 \
            out[i] = RG_SQRT(out[i]);                                                       \
    }                                                                                       \
    static void frobenius_grad_##S(const rg_box *box, const T *x, const T *out, const T *g, \
                                   T *slope, int64_t n_out, T *dx, int64_t n)               \
    {                                                                                       \
        for (int64_t i = 0; i < n_out; i++)                                                 \
            slope[i] = out[i] == 0 ? 0 : g[i] / out[i];                                     \
        rg_box_copy(box, dx, slope, sizeof *dx);                                            \
        for (int64_t i = 0; i < n; i++)                                                     \
            dx[i] *= x[i];                                                                  \
    }
RG_FLOATS(FROBENIUS)

static rg_status frobenius_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, F_OUT);
    rg_shape shape;
    rg_box box;
    RG_TRY(find_reduced(ctx, &x->meta.shape, false, &shape, &box));
    void *squares = rg_scratch(ctx, rg_value_bytes(x));
    if (squares == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, frobenius,
                  (&box, x->data, squares, rg_numel(x), out->data, rg_numel(out)))
    return RG_OK;
}

enum { F_X, F_OUT_IN, F_DOUT };

static rg_status frobenius_grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, F_X), *out = rg_in(ctx, F_OUT_IN);
    rg_shape shape;
    rg_box box;
    RG_TRY(find_reduced(ctx, &x->meta.shape, true, &shape, &box));
    void *slope = rg_scratch(ctx, rg_value_bytes(out));
    if (slope == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, F_X, frobenius_grad,
                  (&box, x->data, out->data, rg_in_data(ctx, F_DOUT), slope, rg_numel(out),
                   rg_out_data(ctx, F_OUT), rg_numel(x)))
    return RG_OK;
}

#define NORM_ATTRS                                                                             \
    RG_ATTRS([AXIS] = RG_REQUIRED("axis", RG_ATTR_INT, "the dimension the vectors lie along"), \
             [EPSILON] = RG_FLOAT("epsilon", 1e-10f, "keeps the length above 0"))
#define FROBENIUS_ATTRS                                                                         \
    RG_ATTRS([DIM] = RG_INT_LIST("dim", ((const int32_t[]){0}), 1, "the dimensions to reduce"), \
             [KEEP_DIM] = RG_BOOLEAN("keep_dim", false, "keep them, as 1"),                     \
             [REDUCE_ALL] = RG_BOOLEAN("reduce_all", false, "reduce all dimensions"),           \
             [IN_DTYPE] = RG_INT("in_dtype", -1, "kept for files"),                             \
             [OUT_DTYPE] = RG_INT("out_dtype", -1, "kept for files"))

/* ---- the gradients, composed ---- */

/* (dy - y times the sum of y dy) / length, y = x / length */
static void norm_grad_terms(rg_terms *t)
{
    rg_term x = rg_term_in(t, "X"), dy = rg_term_in(t, "Out@GRAD");
    int axis = rg_term_attr(t, "axis")->i;
    double epsilon = (double)rg_term_attr(t, "epsilon")->f;
    rg_term squares = rg_term_reduce(t, "reduce_sum", rg_term_of(t, "square", x), &axis, 1, true);
    rg_term length = rg_term_of(t, "sqrt", rg_term_scale(t, squares, 1, epsilon));
    length = rg_term_spread(t, length, x, &axis, 1, true);
    rg_term y = rg_term_div(t, x, length);
    rg_term sum = rg_term_reduce(t, "reduce_sum", rg_term_mul(t, y, dy), &axis, 1, true);
    rg_term along = rg_term_mul(t, y, rg_term_spread(t, sum, x, &axis, 1, true));
    rg_term_give(t, "X@GRAD", rg_term_div(t, rg_term_sub(t, dy, along), length));
}

/* x dout / out */
static void frobenius_grad_terms(rg_terms *t)
{
    rg_term share = rg_term_div(t, rg_term_in(t, "Out@GRAD"), rg_term_in(t, "Out"));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, rg_term_in(t, "X"), rg_term_unreduce(t, share)));
}

const rg_op rg_ops_norm[] = {
    {
        .type = "norm",
        .doc = "Vectors divided by their length.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([NORM] = {"Norm", "the lengths", RG_INTERMEDIATE}, [OUT] =
                                                                               {"Out",
                                                                                "the shape of X"}),
        .attr = NORM_ATTRS,
        .infer = norm_infer,
        .kernel = norm_kernel,
    },
    {
        .type = "norm_grad",
        .doc = "Gradient of norm.",
        .in = RG_SLOTS([X] = {"X", ""}, [NORM_IN] = {"Norm", ""}, [DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([0] = {"X@GRAD", "", .like = RG_OF(X)}),
        .attr = NORM_ATTRS,
        .kernel = norm_grad_kernel,
        .compose = norm_grad_terms,
    },
    {
        .type = "frobenius_norm",
        .doc = "The root of the sum of squares along dimensions.",
        .in = RG_SLOTS([X] = {"X", "any shape"}),
        .out = RG_SLOTS([F_OUT] = {"Out", "X without the reduced dimensions"}),
        .attr = FROBENIUS_ATTRS,
        .infer = frobenius_infer,
        .kernel = frobenius_kernel,
    },
    {
        .type = "frobenius_norm_grad",
        .doc = "Gradient of frobenius_norm.",
        .in = RG_SLOTS([F_X] = {"X", ""}, [F_OUT_IN] = {"Out", ""}, [F_DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([F_OUT] = {"X@GRAD", "", .like = RG_OF(F_X)}),
        .attr = FROBENIUS_ATTRS,
        .kernel = frobenius_grad_kernel,
        .compose = frobenius_grad_terms,
    },
    {.type = NULL},
};
