/* similarity_focus.c - where a matrix of similarities is to be looked at: its largest elements, of
 * which no two stand in one row or one column.
 *
 * X is cut across `axis` at each of `indexes`, which gives matrices. Of each, the largest element
 * is taken, its row and column are struck out, and so on until no row or no column is left. Out is
 * 1 wherever an element was taken in one of them, along the whole of `axis`, and 0 elsewhere. Of
 * equal elements the first is taken. It has no gradient. */
#include "base/hot.h"
#include "ops/types.h"

#include <stdlib.h>
#include <string.h>

enum { X };
enum { OUT };
enum { AXIS, INDEXES };

static rg_status infer(rg_ctx *ctx)
{
    int axis = rg_attr_int(ctx, AXIS);
    const rg_attr *indexes = rg_attr_list(ctx, INDEXES);
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_F32, RG_F64));
    if (axis < 1 || axis > 3)
        return rg_fail(RG_EINVAL, "axis is %d, and must be 1, 2 or 3", axis);
    if (indexes->n == 0)
        return rg_fail(RG_EINVAL, "indexes is empty");
    for (size_t i = 0; i < (size_t)indexes->n; i++)
        if (indexes->ints[i] < 0 || (x->dim[axis] >= 0 && indexes->ints[i] >= x->dim[axis]))
            return rg_fail(RG_EINVAL, "indexes has %d, and dimension %d of X is %lld",
                           indexes->ints[i], axis, (long long)x->dim[axis]);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

typedef struct element {
    double value;
    int64_t row, column;
} element;

static int larger_first(const void *a, const void *b)
{
    const element *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->column < y->column ? -1 : 1;
}

/* The two dimensions of a cut: how many there are and how far apart in memory. */
typedef struct cut {
    int64_t rows, columns, row_step, column_step;
} cut;

/* Memory for one cut. */
typedef struct work {
    element *elements;
    bool *row_taken, *column_taken;
} work;

#define FOCUS(T, S)                                                                               \
    static bool focus_##S(const cut *c, const T *x, work *w, int64_t along, int64_t step, T *out) \
    {                                                                                             \
        int64_t n = c->rows * c->columns;                                                         \
        for (int64_t i = 0; i < n; i++) {                                                         \
            int64_t r = i / c->columns, j = i % c->columns;                                       \
            w->elements[i] =                                                                      \
                (element){(double)x[r * c->row_step + j * c->column_step], r, j};                 \
            if (isnan(w->elements[i].value))                                                      \
                return false;                                                                     \
        }                                                                                         \
        qsort(w->elements, (size_t)n, sizeof *w->elements, larger_first);                         \
        memset(w->row_taken, 0, (size_t)c->rows);                                                 \
        memset(w->column_taken, 0, (size_t)c->columns);                                           \
        for (int64_t i = 0; i < n; i++) {                                                         \
            const element *e = &w->elements[i];                                                   \
            if (w->row_taken[e->row] || w->column_taken[e->column])                               \
                continue;                                                                         \
            w->row_taken[e->row] = w->column_taken[e->column] = true;                             \
            for (int64_t k = 0; k < along; k++)                                                   \
                out[e->row * c->row_step + e->column * c->column_step + k * step] = 1;            \
        }                                                                                         \
        return true;                                                                              \
    }
RG_FLOATS(FOCUS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    const rg_shape *s = &x->meta.shape;
    const rg_attr *indexes = rg_attr_list(ctx, INDEXES);
    int axis = rg_attr_int(ctx, AXIS), row = axis == 1 ? 2 : 1, column = axis == 3 ? 2 : 3;
    int64_t steps[4] = {s->dim[1] * s->dim[2] * s->dim[3], s->dim[2] * s->dim[3], s->dim[3], 1};
    cut c = {s->dim[row], s->dim[column], steps[row], steps[column]};
    size_t size = rg_dtype_size(x->meta.dtype);
    work w = {rg_scratch(ctx, (size_t)(c.rows * c.columns) * sizeof(element)),
              rg_scratch(ctx, (size_t)c.rows), rg_scratch(ctx, (size_t)c.columns)};
    if (w.elements == NULL || w.row_taken == NULL || w.column_taken == NULL)
        return RG_ENOMEM;
    memset(out->data, 0, rg_value_bytes(out));
    for (int64_t b = 0; b < s->dim[0]; b++)
        for (size_t i = 0; i < (size_t)indexes->n; i++) {
            size_t at = (size_t)(b * steps[0]) * size;
            const void *from = (const char *)x->data + at +
                               (size_t)(indexes->ints[i] * steps[axis]) * size;
            void *to = (char *)out->data + at;
            bool numbers = x->meta.dtype == RG_F32
                               ? focus_f32(&c, from, &w, s->dim[axis], steps[axis], to)
                               : focus_f64(&c, from, &w, s->dim[axis], steps[axis], to);
            if (!numbers)
                return rg_fail(RG_EVALUE, "%s has a NaN, which is neither larger nor smaller",
                               rg_in_name(ctx, X, 0));
        }
    return RG_OK;
}

const rg_op rg_op_similarity_focus = {
    .type = "similarity_focus",
    .doc = "1 at the largest elements, no two in one row or column; 0 elsewhere.",
    .in = RG_SLOTS([X] = {"X", "[batch, a, b, c]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([AXIS] = RG_REQUIRED("axis", RG_ATTR_INT, "1, 2 or 3"),
                     [INDEXES] = RG_REQUIRED("indexes", RG_ATTR_INTS, "where axis is cut")),
    .infer = infer,
    .kernel = kernel,
};
