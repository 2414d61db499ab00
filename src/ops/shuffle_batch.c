/* shuffle_batch.c - the rows of a tensor in a random order.
 *
 * Rows are those of the last dimension. ShuffleIdx says where each went, for the gradient.
 * The order is a function of Seed alone, or of startup_seed as long as Seed has no value;
 * SeedOut, usually the same variable, is the seed of the next run. */
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { X, SEED };
enum { OUT, INDEX, SEED_OUT };
enum { STARTUP_SEED };

static int64_t count_rows(const rg_shape *x)
{
    return rg_shape_product(x, 0, x->rank - 1);
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    if (x->rank < 2)
        return rg_fail(RG_ESHAPE, "X must have two dimensions or more, and has %d", x->rank);
    rg_set_like(ctx, OUT, X);
    rg_set_out(ctx, INDEX, RG_I64, &RG_SHAPE(count_rows(x)));
    if (rg_out_meta(ctx, SEED_OUT) != rg_in_meta(ctx, SEED))
        rg_set_out(ctx, SEED_OUT, RG_I64, &RG_SHAPE(1));
    return RG_OK;
}

/* Fisher and Yates: the last of what is left changes places with one drawn from it. */
static void draw_order(int64_t *order, int64_t n, rg_philox_key key)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)rg_philox_below(key, (uint64_t)i, (uint64_t)i + 1);
        int64_t held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *seed = rg_in(ctx, SEED);
    const rg_shape *shape = &x->meta.shape;
    size_t width = (size_t)shape->dim[shape->rank - 1] * rg_dtype_size(x->meta.dtype);
    int64_t rows = count_rows(shape), number = rg_attr_int(ctx, STARTUP_SEED);
    if (seed->data != NULL && rg_numel(seed) == 1)
        number = (int64_t)rg_number_at(seed, 0);
    RG_TRY(rg_out_resize(ctx, OUT, 0, x->meta.dtype, shape));
    RG_TRY(rg_out_resize(ctx, INDEX, 0, RG_I64, &RG_SHAPE(rows)));
    RG_TRY(rg_out_resize(ctx, SEED_OUT, 0, RG_I64, &RG_SHAPE(1)));
    char *out = rg_out_data(ctx, OUT);
    int64_t *order = rg_out_data(ctx, INDEX), *next_seed = rg_out_data(ctx, SEED_OUT);
    if (order == NULL && (order = rg_scratch(ctx, (size_t)rows * sizeof *order)) == NULL)
        return RG_ENOMEM;
    uint32_t next[4];
    rg_philox_key key = {(uint64_t)number, 0x73687566666c65};
    draw_order(order, rows, key);
    for (int64_t i = 0; out != NULL && i < rows; i++)
        memcpy(out + (size_t)order[i] * width, (const char *)x->data + (size_t)i * width, width);
    rg_philox(key, UINT64_MAX, next);
    if (next_seed != NULL)
        *next_seed = (int64_t)(next[0] >> 1);
    return RG_OK;
}

const rg_op rg_op_shuffle_batch = {
    .type = "shuffle_batch",
    .doc = "Rows in a random order.",
    .in = RG_SLOTS([X] = {"X", "[..., width]"}, [SEED] = {"Seed", "one int64",
                                                          RG_NO_GRAD | RG_UNSET_OK}),
    .out =
        RG_SLOTS([OUT] = {"Out", "the shape of X"}, [INDEX] = {"ShuffleIdx", "where each row went"},
                 [SEED_OUT] = {"SeedOut", "the next seed"}),
    .attr = RG_ATTRS([STARTUP_SEED] = RG_INT("startup_seed", 0, "until Seed has a value")),
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};

enum { G_INDEX, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    size_t width = (size_t)dout->meta.shape.dim[dout->meta.shape.rank - 1] *
                   rg_dtype_size(dout->meta.dtype);
    int64_t rows = count_rows(&dout->meta.shape), n;
    const int64_t *order;
    char *dx = rg_out_data(ctx, G_DX);
    RG_TRY(rg_read_whole(ctx, G_INDEX, &order, &n));
    if (n != rows)
        return rg_fail(RG_ESHAPE, "ShuffleIdx has %lld elements for %lld rows", (long long)n,
                       (long long)rows);
    RG_TRY(rg_check_ids(ctx, G_INDEX, order, n, rows, "rows"));
    for (int64_t i = 0; i < rows; i++)
        memcpy(dx + (size_t)i * width, (const char *)dout->data + (size_t)order[i] * width, width);
    return RG_OK;
}

const rg_op rg_op_shuffle_batch_grad = {
    .type = "shuffle_batch_grad",
    .doc = "Gradient of shuffle_batch.",
    .in = RG_SLOTS([G_INDEX] = {"ShuffleIdx", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_DOUT)}),
    .attr = RG_ATTRS([STARTUP_SEED] = RG_INT("startup_seed", 0, "as of shuffle_batch")),
    .kernel = grad_kernel,
};
