/* argsort.c - sorting along one dimension.
 *
 *   Out     = X sorted along axis
 *   Indices = where each element stood
 *
 * Equal elements stay in order. dX takes each element of dOut back to its place. */
#include "ops/sort_keys.h"
#include "ops/types.h"

enum { X };
enum { OUT, INDICES };
enum { AXIS, DESCENDING };

/* A tensor as lines of n elements that are `inner` apart. */
typedef struct lines {
    int64_t outer, n, inner;
} lines;

static rg_status cut_at_axis(const rg_ctx *ctx, const rg_shape *shape, lines *out)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    *out = (lines){rg_shape_product(shape, 0, axis), shape->dim[axis],
                   rg_shape_product(shape, axis + 1, shape->rank)};
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    lines l;
    RG_TRY(cut_at_axis(ctx, rg_shape_of(ctx, X), &l));
    rg_set_like(ctx, OUT, X);
    rg_set_like(ctx, INDICES, X);
    rg_set_dtype(ctx, INDICES, RG_I64);
    return RG_OK;
}

#define SORT(T, S)                                                                            \
    static void sort_lines_##S(const T *x, const lines *l, bool descending, rg_keyed *work,   \
                               T *out, int64_t *indices)                                      \
    {                                                                                         \
        for (int64_t o = 0; o < l->outer; o++)                                                \
            for (int64_t i = 0; i < l->inner; i++) {                                          \
                const int64_t first = o * l->n * l->inner + i;                                \
                for (int64_t j = 0; j < l->n; j++)                                            \
                    work[j] = (rg_keyed){rg_key_##S(x[first + j * l->inner], descending), j}; \
                rg_sort_keys(work, work + l->n, l->n);                                        \
                for (int64_t j = 0; out != NULL && j < l->n; j++)                             \
                    out[first + j * l->inner] = x[first + work[j].at * l->inner];             \
                for (int64_t j = 0; indices != NULL && j < l->n; j++)                         \
                    indices[first + j * l->inner] = work[j].at;                               \
            }                                                                                 \
    }
RG_NUMBERS(SORT)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    lines l;
    RG_TRY(cut_at_axis(ctx, &x->meta.shape, &l));
    rg_keyed *work = rg_scratch(ctx, (size_t)(2 * l.n) * sizeof *work);
    if (work == NULL)
        return RG_ENOMEM;
    RG_CALL_NUMBER(ctx, X, sort_lines,
                   (x->data, &l, rg_attr_bool(ctx, DESCENDING), work, rg_out_data(ctx, OUT),
                    rg_out_data(ctx, INDICES)))
    return RG_OK;
}

#define ATTRS                                                                      \
    RG_ATTRS([AXIS] = RG_INT("axis", -1, "the dimension; negative: from the end"), \
             [DESCENDING] = RG_BOOLEAN("descending", false, "the largest first"))

const rg_op rg_op_argsort = {
    .type = "argsort",
    .doc = "Sorting along one dimension.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "X, sorted"}, [INDICES] = {"Indices", "where each stood"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_INDICES, G_DOUT };
enum { G_DX };

#define PUT_BACK(T, S)                                                                        \
    static bool put_back_##S(const int64_t *indices, const T *dout, const lines *l, T *dx)    \
    {                                                                                         \
        for (int64_t o = 0; o < l->outer; o++)                                                \
            for (int64_t j = 0; j < l->n; j++)                                                \
                for (int64_t i = 0; i < l->inner; i++) {                                      \
                    const int64_t first = o * l->n * l->inner + i, at = first + j * l->inner; \
                    if (indices[at] < 0 || indices[at] >= l->n)                               \
                        return false;                                                         \
                    dx[first + indices[at] * l->inner] = dout[at];                            \
                }                                                                             \
        return true;                                                                          \
    }
RG_FLOATS(PUT_BACK)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    bool good;
    lines l;
    RG_TRY(cut_at_axis(ctx, &dout->meta.shape, &l));
    RG_CALL_FLOAT(ctx, G_DOUT, good = put_back,
                  (rg_in_data(ctx, G_INDICES), dout->data, &l, rg_out_data(ctx, G_DX)))
    return good ? RG_OK
                : rg_fail(RG_EVALUE, "Indices has one outside 0 .. %lld", (long long)(l.n - 1));
}

static rg_status grad_infer(rg_ctx *ctx)
{
    lines l;
    RG_TRY(cut_at_axis(ctx, rg_shape_of(ctx, G_X), &l));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_INDICES, RG_I64));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_INDICES));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_DOUT));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

const rg_op rg_op_argsort_grad = {
    .type = "argsort_grad",
    .doc = "Gradient of argsort.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_INDICES] = {"Indices", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
