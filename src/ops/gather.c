/* gather.c - elements and rows of a tensor by their numbers.
 *
 *   gather        Out[i] = X[Index[i]]                      whole rows
 *   gather_nd     Out[i...] = X[Index[i..., 0], Index[i..., 1], ...]
 *   index_select  the slices Index[i] along dimension `dim`
 *   index_sample  Out[b, i] = X[b, Index[b, i]]
 *
 * The gradient puts back what was taken. What was taken several times is added up, but for
 * gather with `overwrite`, where the last one stays. */
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { X, INDEX, DOUT };
enum { OUT };
enum { OPTION };

/* One walk serves all but gather_nd: in each of `outer` slabs, block Index[i] of `inner`
 * elements of X, of `size` blocks a slab, is block i of Out; a slab has its own index or
 * shares one. */
typedef struct blocks {
    int64_t outer, size, inner, n;
    bool own_index;
    const int64_t *index;
} blocks;

static void take(const blocks *b, const char *x, char *out, size_t size)
{
    size_t width = (size_t)b->inner * size;
    for (int64_t o = 0; o < b->outer; o++, x += (size_t)b->size * width) {
        const int64_t *index = b->index + (b->own_index ? o * b->n : 0);
        for (int64_t i = 0; i < b->n; i++, out += width)
            memcpy(out, x + (size_t)index[i] * width, width);
    }
}

#define PUT_BACK(T, S)                                                                     \
    RG_HOT static void put_back_##S(const blocks *b, const T *dout, T *dx, bool overwrite) \
    {                                                                                      \
        const int64_t inner = b->inner;                                                    \
        for (int64_t o = 0; o < b->outer; o++, dx += b->size * inner) {                    \
            const int64_t *index = b->index + (b->own_index ? o * b->n : 0);               \
            for (int64_t i = 0; i < b->n; i++, dout += inner) {                            \
                T *to = dx + index[i] * inner;                                             \
                if (overwrite)                                                             \
                    memcpy(to, dout, (size_t)inner * sizeof *to);                          \
                else                                                                       \
                    for (int64_t j = 0; j < inner; j++)                                    \
                        to[j] += dout[j];                                                  \
            }                                                                              \
        }                                                                                  \
    }
RG_FLOATS(PUT_BACK)

/* The walk over X of this shape along dimension `axis`. */
static rg_status find_blocks(rg_ctx *ctx, const rg_shape *x, int axis, bool own_index, blocks *b)
{
    int64_t n;
    RG_TRY(rg_read_whole(ctx, INDEX, &b->index, &n));
    b->outer = rg_shape_product(x, 0, axis);
    b->size = x->dim[axis];
    b->inner = rg_shape_product(x, axis + 1, x->rank);
    b->own_index = own_index;
    b->n = own_index ? rg_shape_of(ctx, INDEX)->dim[1] : n;
    return rg_check_ids(ctx, INDEX, b->index, n, b->size, "along that dimension");
}

static rg_status forward(rg_ctx *ctx, int axis, bool own_index)
{
    const rg_value *x = rg_in(ctx, X);
    blocks b;
    RG_TRY(find_blocks(ctx, &x->meta.shape, axis, own_index, &b));
    take(&b, x->data, rg_out_data(ctx, OUT), rg_dtype_size(x->meta.dtype));
    return RG_OK;
}

static rg_status backward(rg_ctx *ctx, int axis, bool own_index, bool overwrite)
{
    rg_value *dx = rg_out(ctx, OUT);
    blocks b;
    RG_TRY(find_blocks(ctx, &dx->meta.shape, axis, own_index, &b));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, DOUT, put_back, (&b, rg_in_data(ctx, DOUT), dx->data, overwrite))
    return RG_OK;
}

/* ---- gather ---- */

static rg_status check_index(const rg_ctx *ctx)
{
    const rg_shape *index = rg_shape_of(ctx, INDEX);
    RG_TRY(RG_EXPECT_DTYPE(ctx, INDEX, RG_I32, RG_I64));
    if (index->rank == 1 || (index->rank == 2 && (index->dim[1] == 1 || index->dim[1] == -1)))
        return RG_OK;
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "Index must be [n] or [n, 1], and has the shape %s",
                   rg_shape_text(index, text));
}

static rg_status gather_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(check_index(ctx));
    if (out.rank < 1)
        return rg_fail(RG_ESHAPE, "X has no rows");
    out.dim[0] = rg_shape_of(ctx, INDEX)->dim[0];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

static rg_status gather_kernel(rg_ctx *ctx)
{
    return forward(ctx, 0, false);
}

static rg_status gather_grad_kernel(rg_ctx *ctx)
{
    return backward(ctx, 0, false, rg_attr_bool(ctx, OPTION));
}

/* ---- index_select ---- */

static rg_status select_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    int axis;
    RG_TRY(check_index(ctx));
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, OPTION), out.rank, &axis));
    out.dim[axis] = rg_shape_of(ctx, INDEX)->dim[0];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    if (axis != 0)
        rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status select_kernel(rg_ctx *ctx)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, OPTION), rg_shape_of(ctx, X)->rank, &axis));
    return forward(ctx, axis, false);
}

static rg_status select_grad_kernel(rg_ctx *ctx)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, OPTION), rg_shape_of(ctx, X)->rank, &axis));
    return backward(ctx, axis, false, false);
}

/* ---- index_sample ---- */

static rg_status sample_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *index = rg_shape_of(ctx, INDEX);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, INDEX, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, INDEX, RG_I32, RG_I64));
    if (x->dim[0] >= 0 && index->dim[0] >= 0 && x->dim[0] != index->dim[0])
        return rg_fail(RG_ESHAPE, "X has %lld rows, and Index has %lld", (long long)x->dim[0],
                       (long long)index->dim[0]);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), index);
    return RG_OK;
}

static rg_status sample_kernel(rg_ctx *ctx)
{
    return forward(ctx, 1, true);
}

static rg_status sample_grad_kernel(rg_ctx *ctx)
{
    return backward(ctx, 1, true, false);
}

/* ---- gather_nd ---- */

static rg_status nd_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *index = rg_shape_of(ctx, INDEX);
    rg_shape out = {.rank = index->rank - 1};
    RG_TRY(RG_EXPECT_DTYPE(ctx, INDEX, RG_I32, RG_I64));
    int64_t depth = index->rank < 2 ? -1 : index->dim[index->rank - 1];
    if (depth < 0 || depth > x->rank || out.rank + x->rank - depth > RG_MAX_DIMS) {
        char tx[RG_SHAPE_TEXT], ti[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s cannot be indexed by an Index of shape %s",
                       rg_shape_text(x, tx), rg_shape_text(index, ti));
    }
    for (int d = 0; d < out.rank; d++)
        out.dim[d] = index->dim[d];
    for (int d = (int)depth; d < x->rank; d++)
        out.dim[out.rank++] = x->dim[d];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT); /* as in Paddle, whatever rows are taken */
    return RG_OK;
}

/* Each index as the number of a block of `inner` elements: gather_nd is then a gather. */
static rg_status find_nd_blocks(rg_ctx *ctx, const rg_shape *x, blocks *b)
{
    const rg_shape *index = rg_shape_of(ctx, INDEX);
    int depth = (int)index->dim[index->rank - 1];
    int64_t all, n = rg_shape_product(index, 0, index->rank - 1);
    const int64_t *given;
    RG_TRY(rg_read_whole(ctx, INDEX, &given, &all));
    int64_t *flat = rg_scratch(ctx, (size_t)n * sizeof *flat);
    if (flat == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        flat[i] = 0;
        for (int d = 0; d < depth; d++) {
            int64_t at = given[i * depth + d];
            if (at < 0 || at >= x->dim[d])
                return rg_fail(RG_EVALUE, "%s (Index) has %lld at [%lld, %d], and X has %lld there",
                               rg_in_name(ctx, INDEX, 0), (long long)at, (long long)i, d,
                               (long long)x->dim[d]);
            flat[i] = flat[i] * x->dim[d] + at;
        }
    }
    *b = (blocks){1,   rg_shape_product(x, 0, depth), rg_shape_product(x, depth, x->rank), n, false,
                  flat};
    return RG_OK;
}

static rg_status nd_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    blocks b;
    RG_TRY(find_nd_blocks(ctx, &x->meta.shape, &b));
    take(&b, x->data, rg_out_data(ctx, OUT), rg_dtype_size(x->meta.dtype));
    return RG_OK;
}

static rg_status nd_grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, OUT);
    blocks b;
    RG_TRY(find_nd_blocks(ctx, &dx->meta.shape, &b));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, DOUT, put_back, (&b, rg_in_data(ctx, DOUT), dx->data, false))
    return RG_OK;
}

#define TAKE(NAME, DOC, INFER, KERNEL, ATTRS)                                                \
    {                                                                                        \
        .type = NAME, .doc = (DOC),                                                          \
        .in = RG_SLOTS([X] = {"X", "any shape"}, [INDEX] = {"Index", "int32 or int64",       \
                                                            RG_NO_GRAD}),                    \
        .out = RG_SLOTS([OUT] = {"Out", "what was taken"}), .attr = ATTRS,                   \
        .flags = RG_OP_LINEAR, .infer = (INFER), .kernel = (KERNEL),                         \
    }
#define TAKE_GRAD(NAME, KERNEL, ATTRS)                                            \
    {                                                                             \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                     \
        .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY}, [INDEX] = {"Index", ""},   \
                       [DOUT] = {"Out@GRAD", ""}),                                \
        .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X)}), .attr = ATTRS, \
        .kernel = (KERNEL),                                                       \
    }
#define TAKE_OPS(NAME, DOC, WHICH, ATTRS)                  \
    TAKE(NAME, DOC, WHICH##_infer, WHICH##_kernel, ATTRS), \
        TAKE_GRAD(NAME, WHICH##_grad_kernel, ATTRS)
#define OVERWRITE                                     \
    RG_ATTRS([OPTION] = RG_BOOLEAN("overwrite", true, \
                                   "gradient: of a row taken twice, the last one stays"))
#define DIM RG_ATTRS([OPTION] = RG_INT("dim", 0, "the dimension; negative: from the end"))

const rg_op rg_ops_gather[] = {
    TAKE_OPS("gather", "Rows by number.", gather, OVERWRITE),
    TAKE_OPS("gather_nd", "Elements or slices by their indices.", nd, NULL),
    TAKE_OPS("index_select", "Slices along a dimension by number.", select, DIM),
    TAKE_OPS("index_sample", "Elements of each row by number.", sample, NULL),
    {.type = NULL},
};
