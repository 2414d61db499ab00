/* scatter.c - rows and elements put into a tensor by their numbers.
 *
 *   scatter         Out = X but for the rows Ids[i], which become Updates[i]; without
 *                   `overwrite`, the sum of all that are put there
 *   scatter_nd_add  Out = X, and Updates[i...] added at Index[i...]
 *
 * dUpdates is gathered from dOut. dX is dOut, for scatter but for the rows that were replaced:
 * those of X never reached Out. (Paddle 1.8.5 lets their gradient through.) Of several updates
 * of one row, each gets that row's gradient. */
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { X, IDS, UPDATES };
enum { OUT };
enum { OVERWRITE };

static rg_status does_not_fit(const rg_ctx *ctx)
{
    char tx[RG_SHAPE_TEXT], ti[RG_SHAPE_TEXT], tu[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "Updates of shape %s do not go into X of shape %s at %s of shape %s",
                   rg_shape_text(rg_shape_of(ctx, UPDATES), tu),
                   rg_shape_text(rg_shape_of(ctx, X), tx), ctx->op->in[IDS].name,
                   rg_shape_text(rg_shape_of(ctx, IDS), ti));
}

static rg_status scatter_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *updates = rg_shape_of(ctx, UPDATES);
    rg_shape wanted = *x;
    RG_TRY(rg_expect_rank(ctx, IDS, 1));
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I32, RG_I64));
    RG_TRY(rg_expect_same_dtype(ctx, X, UPDATES));
    if (x->rank < 1)
        return does_not_fit(ctx);
    wanted.dim[0] = rg_shape_of(ctx, IDS)->dim[0];
    if (!rg_shape_fits(&wanted, updates))
        return does_not_fit(ctx);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), x);
    return RG_OK;
}

/* The shape of Updates: Index but for its last dimension, then what that leaves of X. */
static rg_status nd_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *index = rg_shape_of(ctx, IDS);
    rg_shape wanted = {.rank = 0};
    int64_t depth = index->rank < 1 ? -1 : index->dim[index->rank - 1];
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I32, RG_I64));
    RG_TRY(rg_expect_same_dtype(ctx, X, UPDATES));
    if (depth < 1 || depth > x->rank || index->rank - 1 + x->rank - depth > RG_MAX_DIMS)
        return does_not_fit(ctx);
    for (int d = 0; d < index->rank - 1; d++)
        wanted.dim[wanted.rank++] = index->dim[d];
    for (int d = (int)depth; d < x->rank; d++)
        wanted.dim[wanted.rank++] = x->dim[d];
    if (wanted.rank == 0)
        wanted = RG_SHAPE(1);
    if (!rg_shape_fits(&wanted, rg_shape_of(ctx, UPDATES)))
        return does_not_fit(ctx);
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Which block of `inner` elements of a tensor of this shape each index names. */
static rg_status find_blocks(rg_ctx *ctx, int slot, const rg_shape *x, int depth,
                             const int64_t **out, int64_t *n)
{
    int64_t all;
    const int64_t *given;
    RG_TRY(rg_read_whole(ctx, slot, &given, &all));
    *n = all / depth;
    int64_t *flat = rg_scratch(ctx, (size_t)*n * sizeof *flat);
    if (flat == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < *n; i++) {
        flat[i] = 0;
        for (int d = 0; d < depth; d++) {
            int64_t at = given[i * depth + d];
            if (at < 0 || at >= x->dim[d])
                return rg_fail(RG_EVALUE, "%s (%s) has %lld at [%lld, %d], and X has %lld there",
                               rg_in_name(ctx, slot, 0), ctx->op->in[slot].name, (long long)at,
                               (long long)i, d, (long long)x->dim[d]);
            flat[i] = flat[i] * x->dim[d] + at;
        }
    }
    *out = flat;
    return RG_OK;
}

/* Blocks of `width` bytes: put to their places, taken from them, or zeroed there. */
static void put(const int64_t *ids, int64_t n, size_t width, const char *from, char *to)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)ids[i] * width, from + (size_t)i * width, width);
}

static void take(const int64_t *ids, int64_t n, size_t width, const char *from, char *to)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * width, from + (size_t)ids[i] * width, width);
}

static void clear(const int64_t *ids, int64_t n, size_t width, char *to)
{
    for (int64_t i = 0; i < n; i++)
        memset(to + (size_t)ids[i] * width, 0, width);
}

#define ADD(T, S)                                                                                  \
    RG_HOT static void add_##S(const int64_t *ids, int64_t n, int64_t inner, const T *from, T *to) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < inner; j++)                                                    \
                to[ids[i] * inner + j] += from[i * inner + j];                                     \
    }
RG_NUMBERS(ADD)

static void copy(rg_value *to, const rg_value *from)
{
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
}

static rg_status scatter_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    const void *updates = rg_in_data(ctx, UPDATES);
    int64_t inner = rg_value_width(x), n;
    size_t width = (size_t)inner * rg_dtype_size(x->meta.dtype);
    const int64_t *ids;
    RG_TRY(find_blocks(ctx, IDS, &x->meta.shape, 1, &ids, &n));
    copy(out, x);
    if (rg_attr_bool(ctx, OVERWRITE)) {
        put(ids, n, width, updates, out->data);
        return RG_OK;
    }
    clear(ids, n, width, out->data);
    RG_CALL_NUMBER(ctx, X, add, (ids, n, inner, updates, out->data))
    return RG_OK;
}

static rg_status nd_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    const rg_shape *index = rg_shape_of(ctx, IDS);
    int depth = (int)index->dim[index->rank - 1];
    int64_t inner = rg_shape_product(&x->meta.shape, depth, x->meta.shape.rank), n;
    const int64_t *ids;
    RG_TRY(find_blocks(ctx, IDS, &x->meta.shape, depth, &ids, &n));
    copy(out, x);
    RG_CALL_NUMBER(ctx, X, add, (ids, n, inner, rg_in_data(ctx, UPDATES), out->data))
    return RG_OK;
}

/* ---- gradients ---- */

enum { G_IDS, G_UPDATES, G_DOUT };
enum { G_DX, G_DUPDATES };

/* dUpdates before dX: dX may take over the memory of dOut. */
static rg_status spread(rg_ctx *ctx, bool replaced)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    const rg_shape *shape = &dout->meta.shape, *index = rg_shape_of(ctx, G_IDS);
    rg_value *dx = rg_out(ctx, G_DX), *dupdates = rg_out(ctx, G_DUPDATES);
    int depth = replaced ? 1 : (int)index->dim[index->rank - 1];
    size_t width = (size_t)rg_shape_product(shape, depth, shape->rank) *
                   rg_dtype_size(dout->meta.dtype);
    int64_t n;
    const int64_t *ids;
    RG_TRY(find_blocks(ctx, G_IDS, shape, depth, &ids, &n));
    if (dupdates != NULL)
        take(ids, n, width, dout->data, dupdates->data);
    if (dx != NULL) {
        copy(dx, dout);
        if (replaced)
            clear(ids, n, width, dx->data);
    }
    return RG_OK;
}

static rg_status scatter_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, true);
}

static rg_status nd_grad_kernel(rg_ctx *ctx)
{
    return spread(ctx, false);
}

#define GRAD_SLOTS(IDS_NAME)                                                         \
    RG_SLOTS([G_IDS] = {IDS_NAME, ""}, [G_UPDATES] = {"Updates", "", RG_SHAPE_ONLY}, \
             [G_DOUT] = {"Out@GRAD", ""})
#define GRAD_OUT                                                                 \
    RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_DOUT), RG_OF(G_DOUT)}, \
             [G_DUPDATES] = {"Updates@GRAD", "", RG_OPTIONAL, RG_OF(G_UPDATES)})
#define SCATTER_ATTRS \
    RG_ATTRS([OVERWRITE] = RG_BOOLEAN("overwrite", true, "false: rows put to one place add up"))

const rg_op rg_ops_scatter[] = {
    {
        .type = "scatter",
        .doc = "Rows put into a tensor by number.",
        .in = RG_SLOTS([X] = {"X", "at least one dimension"},
                       [IDS] = {"Ids", "[n], int32 or int64", RG_NO_GRAD},
                       [UPDATES] = {"Updates", "a row for each id"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
        .attr = SCATTER_ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = scatter_infer,
        .kernel = scatter_kernel,
    },
    {
        .type = "scatter_grad",
        .doc = "Gradient of scatter.",
        .in = GRAD_SLOTS("Ids"),
        .out = GRAD_OUT,
        .attr = SCATTER_ATTRS,
        .kernel = scatter_grad_kernel,
    },
    {
        .type = "scatter_nd_add",
        .doc = "Elements or slices added to a tensor at their indices.",
        .in = RG_SLOTS([X] = {"X", "any shape"},
                       [IDS] = {"Index", "[..., depth], int32 or int64", RG_NO_GRAD},
                       [UPDATES] = {"Updates", "a slice for each index"}),
        .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
        .flags = RG_OP_LINEAR,
        .infer = nd_infer,
        .kernel = nd_kernel,
    },
    {
        .type = "scatter_nd_add_grad",
        .doc = "Gradient of scatter_nd_add.",
        .in = GRAD_SLOTS("Index"),
        .out = GRAD_OUT,
        .kernel = nd_grad_kernel,
    },
    {.type = NULL},
};
