/* diagonal.c - tensors and their diagonals: diag, diag_embed, trace, tril_triu, eye.
 *
 *   diag        a vector as the diagonal of a matrix
 *   diag_embed  the last dimension of a tensor as diagonals, `offset` above the main one, in
 *               two new dimensions dim1 and dim2
 *   trace       the sum of the diagonal in dimensions dim1 and dim2, which are then gone
 *   tril_triu   what stands on or below (above) a diagonal of the last two dimensions
 *   eye         ones on the main diagonal */
#include "ops/box.h"
#include "ops/number.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, DOUT };
enum { OUT };

/* ---- diag ---- */

static rg_status diag_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 1));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], x->dim[0]));
    return RG_OK;
}

static rg_status diag_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    int64_t n = rg_numel(x);
    rg_box box = {.rank = 0};
    rg_box_add_dim(&box, n, n + 1, 1);
    memset(out->data, 0, rg_value_bytes(out));
    rg_box_copy(&box, out->data, x->data, rg_dtype_size(x->meta.dtype));
    return RG_OK;
}

/* ---- diag_embed, trace ---- */

enum { OFFSET, DIM1, DIM2 };

/* A diagonal of `n` elements in dimensions d1 and d2 of a shape: where it begins, and the step
 * along it. */
typedef struct diagonal {
    int d1, d2;
    int64_t n, start, step;
} diagonal;

static rg_status find_dims(const rg_ctx *ctx, int rank, diagonal *out)
{
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, DIM1), rank, &out->d1));
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, DIM2), rank, &out->d2));
    if (out->d1 == out->d2)
        return rg_fail(RG_EINVAL, "dim1 and dim2 are both dimension %d", out->d1);
    return RG_OK;
}

static void lay_diagonal(const rg_shape *whole, int64_t offset, diagonal *out)
{
    int64_t steps[RG_MAX_DIMS];
    rg_shape_steps(whole, steps);
    int64_t down = offset < 0 ? -offset : 0, right = offset > 0 ? offset : 0;
    int64_t rows = whole->dim[out->d1] - down, cols = whole->dim[out->d2] - right;
    out->n = rows < cols ? rows : cols;
    out->n = out->n < 0 ? 0 : out->n;
    out->start = out->n > 0 ? down * steps[out->d1] + right * steps[out->d2] : 0;
    out->step = steps[out->d1] + steps[out->d2];
}

static rg_status find_diagonal(const rg_ctx *ctx, const rg_shape *whole, diagonal *out)
{
    RG_TRY(find_dims(ctx, whole->rank, out));
    lay_diagonal(whole, rg_attr_int(ctx, OFFSET), out);
    return RG_OK;
}

/* All diagonals of `whole` (outermost the dimensions that are not d1 or d2) and, one behind the
 * other, a tensor whose steps along them are `part`, which begins with those of the diagonal. */
static rg_box diagonals(const rg_shape *whole, const diagonal *d, bool out, bool sum)
{
    int64_t steps[RG_MAX_DIMS], part = sum ? 1 : d->n;
    rg_box box = {.rank = 0}, turned = {.rank = 0};
    rg_shape_steps(whole, steps);
    for (int i = whole->rank - 1; i >= 0; i--) {
        if (i == d->d1 || i == d->d2)
            continue;
        rg_box_add_dim(&turned, whole->dim[i], out ? part : steps[i], out ? steps[i] : part);
        part *= whole->dim[i];
    }
    for (int i = turned.rank - 1; i >= 0; i--)
        rg_box_add_dim(&box, turned.n[i], turned.to[i], turned.from[i]);
    int64_t along = sum ? 0 : 1;
    rg_box_add_dim(&box, d->n, out ? along : d->step, out ? d->step : along);
    return box;
}

static rg_status embed_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out = {.rank = x->rank + 1};
    int64_t offset = rg_attr_int(ctx, OFFSET);
    diagonal d;
    if (x->rank < 1 || out.rank > RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "Input has %d dimensions", x->rank);
    RG_TRY(find_dims(ctx, out.rank, &d));
    int64_t n = x->dim[x->rank - 1], side = n < 0 ? -1 : n + (offset < 0 ? -offset : offset);
    for (int i = 0, from = 0; i < out.rank; i++)
        out.dim[i] = i == d.d1 || i == d.d2 ? side : x->dim[from++];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

static rg_status embed_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    size_t size = rg_dtype_size(x->meta.dtype);
    diagonal d;
    RG_TRY(find_diagonal(ctx, &out->meta.shape, &d));
    rg_box box = diagonals(&out->meta.shape, &d, false, false);
    memset(out->data, 0, rg_value_bytes(out));
    rg_box_copy(&box, (char *)out->data + (size_t)d.start * size, x->data, size);
    return RG_OK;
}

static rg_status trace_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out = {.rank = 0};
    diagonal d;
    RG_TRY(find_dims(ctx, x->rank, &d));
    for (int i = 0; i < x->rank; i++)
        if (i != d.d1 && i != d.d2)
            out.dim[out.rank++] = x->dim[i];
    if (out.rank == 0)
        out = RG_SHAPE(1);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Of a trace the offset counts along the later dimension, whichever of the two is dim2. */
static rg_status find_traced(const rg_ctx *ctx, const rg_shape *whole, diagonal *out)
{
    RG_TRY(find_dims(ctx, whole->rank, out));
    if (out->d1 > out->d2) {
        int first = out->d2;
        out->d2 = out->d1;
        out->d1 = first;
    }
    lay_diagonal(whole, rg_attr_int(ctx, OFFSET), out);
    return RG_OK;
}

static rg_status trace_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    diagonal d;
    RG_TRY(find_traced(ctx, &x->meta.shape, &d));
    rg_box box = diagonals(&x->meta.shape, &d, true, true);
    memset(out->data, 0, rg_value_bytes(out));
    const char *from = (const char *)x->data + (size_t)d.start * rg_dtype_size(x->meta.dtype);
    RG_CALL_FLOAT(ctx, X, rg_box_add, (&box, out->data, (const void *)from))
    return RG_OK;
}

static rg_status trace_grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, OUT);
    size_t size = rg_dtype_size(dx->meta.dtype);
    diagonal d;
    RG_TRY(find_traced(ctx, &dx->meta.shape, &d));
    rg_box box = diagonals(&dx->meta.shape, &d, false, true);
    memset(dx->data, 0, rg_value_bytes(dx));
    rg_box_copy(&box, (char *)dx->data + (size_t)d.start * size, rg_in_data(ctx, DOUT), size);
    return RG_OK;
}

/* ---- tril_triu ---- */

enum { DIAGONAL, LOWER };

static rg_status triangle_infer(rg_ctx *ctx)
{
    if (rg_shape_of(ctx, X)->rank < 2)
        return rg_fail(RG_ESHAPE, "X has %d dimensions, and a triangle has two",
                       rg_shape_of(ctx, X)->rank);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status triangle_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    size_t size = rg_dtype_size(x->meta.dtype);
    int64_t rows = shape->dim[shape->rank - 2], cols = shape->dim[shape->rank - 1];
    int64_t all = rg_shape_product(shape, 0, shape->rank - 1), offset = rg_attr_int(ctx, DIAGONAL);
    bool lower = rg_attr_bool(ctx, LOWER);
    const char *from = x->data;
    char *to = rg_out_data(ctx, OUT);
    for (int64_t r = 0; r < all; r++) {
        /* Columns below `cut` are left of the diagonal; the diagonal itself is kept. */
        int64_t cut = r % rows + offset + (lower ? 1 : 0);
        cut = cut < 0 ? 0 : cut > cols ? cols : cut;
        size_t left = (size_t)cut * size, right = (size_t)(cols - cut) * size;
        memmove(to, from, (size_t)cols * size);
        if (lower)
            memset(to + left, 0, right);
        else
            memset(to, 0, left);
        from += (size_t)cols * size;
        to += (size_t)cols * size;
    }
    return RG_OK;
}

/* ---- eye ---- */

enum { E_ROWS, E_COLS, E_DTYPE };

static rg_status eye_infer(rg_ctx *ctx)
{
    int64_t rows = rg_attr_long(ctx, E_ROWS), cols = rg_attr_long(ctx, E_COLS);
    rg_dtype dtype;
    RG_TRY(rg_dtype_from_attr(ctx, E_DTYPE, &dtype));
    cols = cols == -1 ? rows : cols;
    if (rows < 0 || cols < 0)
        return rg_fail(RG_EINVAL, "num_rows is %lld and num_columns %lld", (long long)rows,
                       (long long)cols);
    rg_set_out(ctx, OUT, dtype, &RG_SHAPE(rows, cols));
    return RG_OK;
}

static rg_status eye_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    const rg_shape *shape = &out->meta.shape;
    int64_t n = shape->dim[0] < shape->dim[1] ? shape->dim[0] : shape->dim[1];
    uint64_t memory;
    rg_value one; /* the number 1 in the type wanted */
    rg_value_init(&one);
    one.meta.dtype = out->meta.dtype;
    one.meta.shape = RG_SHAPE(1);
    one.data = &memory;
    RG_TRY(rg_fill(&one, 1));
    rg_box box = {.rank = 0};
    rg_box_add_dim(&box, n, shape->dim[1] + 1, 0);
    memset(out->data, 0, rg_value_bytes(out));
    rg_box_copy(&box, out->data, one.data, rg_dtype_size(out->meta.dtype));
    return RG_OK;
}

#define DIAGONAL_ATTRS                                                          \
    RG_ATTRS([OFFSET] = RG_INT("offset", 0, "how far above the main diagonal"), \
             [DIM1] = RG_INT("dim1", -2, "the rows' dimension"),                \
             [DIM2] = RG_INT("dim2", -1, "the columns' dimension"))
#define TRIANGLE_ATTRS                                                              \
    RG_ATTRS([DIAGONAL] = RG_INT("diagonal", 0, "how far above the main diagonal"), \
             [LOWER] = RG_REQUIRED("lower", RG_ATTR_BOOL, "keep what is on or below it"))

const rg_op rg_ops_diagonal[] = {
    {
        .type = "diag",
        .doc = "A vector as the diagonal of a matrix.",
        .in = RG_SLOTS([X] = {"Diagonal", "one dimension", RG_NO_GRAD}),
        .out = RG_SLOTS([OUT] = {"Out", "a square"}),
        .infer = diag_infer,
        .kernel = diag_kernel,
    },
    {
        .type = "diag_embed",
        .doc = "The last dimension as diagonals of matrices.",
        .in = RG_SLOTS([X] = {"Input", "one dimension or more", RG_NO_GRAD}),
        .out = RG_SLOTS([OUT] = {"Out", "a dimension more"}),
        .attr = DIAGONAL_ATTRS,
        .infer = embed_infer,
        .kernel = embed_kernel,
    },
    {
        .type = "trace",
        .doc = "Sums of diagonals.",
        .in = RG_SLOTS([X] = {"Input", "two dimensions or more"}),
        .out = RG_SLOTS([OUT] = {"Out", "two dimensions less"}),
        .attr = DIAGONAL_ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = trace_infer,
        .kernel = trace_kernel,
    },
    {
        .type = "trace_grad",
        .doc = "Gradient of trace.",
        .in = RG_SLOTS([X] = {"Input", "", RG_SHAPE_ONLY}, [DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([OUT] = {"Input@GRAD", "", .like = RG_OF(X)}),
        .attr = DIAGONAL_ATTRS,
        .kernel = trace_grad_kernel,
    },
    {
        .type = "tril_triu",
        .doc = "A triangle of each matrix, zeros in the other.",
        .in = RG_SLOTS([X] = {"X", "two dimensions or more"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
        .attr = TRIANGLE_ATTRS,
        .infer = triangle_infer,
        .kernel = triangle_kernel,
    },
    {
        .type = "tril_triu_grad",
        .doc = "Gradient of tril_triu.",
        .in = RG_SLOTS([X] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([OUT] = {"X@GRAD", "", .inplace = RG_OF(X)}),
        .attr = TRIANGLE_ATTRS,
        .flags = RG_OP_DIAGONAL,
        .infer = triangle_infer,
        .kernel = triangle_kernel,
    },
    {
        .type = "eye",
        .doc = "Ones on the main diagonal, zeros beside it.",
        .in = RG_SLOTS([X] = {.name = NULL}),
        .out = RG_SLOTS([OUT] = {"Out", "[num_rows, num_columns]"}),
        .attr = RG_ATTRS([E_ROWS] = RG_REQUIRED("num_rows", RG_ATTR_LONG, "rows"),
                         [E_COLS] = RG_LONG("num_columns", -1, "columns; -1: as many as rows"),
                         [E_DTYPE] = RG_INT("dtype", RG_F32, "the data type's number")),
        .infer = eye_infer,
        .kernel = eye_kernel,
    },
    {.type = NULL},
};
