/* multiplex.c - row i of Out is row i of the tensor X[Ids[i]].
 *
 * Each tensor gets the gradient of the rows that were taken from it. */
#include "ops/number.h"
#include "ops/types.h"

#include <string.h>

enum { IDS, X };
enum { OUT };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *ids = rg_shape_of(ctx, IDS), *x = rg_shape_of(ctx, X);
    int n = rg_n_in(ctx, X);
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I32, RG_I64));
    if (x->rank < 2 || n < 2)
        return rg_fail(RG_ESHAPE, "there must be two tensors or more, of two dimensions or more");
    if (ids->rank != 2 || (ids->dim[1] != 1 && ids->dim[1] != -1) ||
        (ids->dim[0] >= 0 && x->dim[0] >= 0 && ids->dim[0] != x->dim[0])) {
        char ti[RG_SHAPE_TEXT], tx[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Ids of shape %s must be [n, 1] for X of shape %s",
                       rg_shape_text(ids, ti), rg_shape_text(x, tx));
    }
    for (int i = 1; i < n; i++) {
        const rg_meta *other = rg_in_meta_n(ctx, X, i);
        if (other == NULL || other->dtype != rg_dtype_of(ctx, X) ||
            !rg_shape_fits(&other->shape, x))
            return rg_fail(RG_ESHAPE, "%s and %s must have one shape and type",
                           rg_in_name(ctx, X, 0), rg_in_name(ctx, X, i));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), x);
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    size_t width = (size_t)rg_value_width(x) * rg_dtype_size(x->meta.dtype);
    char *out = rg_out_data(ctx, OUT);
    const int64_t *ids;
    int64_t n;
    RG_TRY(rg_read_whole(ctx, IDS, &ids, &n));
    RG_TRY(rg_check_ids(ctx, IDS, ids, n, rg_n_in(ctx, X), "tensors"));
    for (int64_t i = 0; i < n; i++) {
        const rg_value *from = rg_in_n(ctx, X, (int)ids[i]);
        memcpy(out + (size_t)i * width, (const char *)from->data + (size_t)i * width, width);
    }
    return RG_OK;
}

const rg_op rg_op_multiplex = {
    .type = "multiplex",
    .doc = "Rows taken from several tensors.",
    .in = RG_SLOTS([IDS] = {"Ids", "[rows, 1]: which tensor", RG_NO_GRAD},
                   [X] = {"X", "two or more of one shape", RG_REPEATED}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of each"}),
    .flags = RG_OP_LINEAR,
    .infer = infer,
    .kernel = kernel,
};

enum { G_IDS, G_DOUT };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    for (int i = 0; i < rg_n_out(ctx, G_DX); i++)
        rg_set_out_n(ctx, G_DX, i, rg_dtype_of(ctx, G_DOUT), rg_shape_of(ctx, G_DOUT));
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    size_t width = (size_t)rg_value_width(dout) * rg_dtype_size(dout->meta.dtype);
    const int64_t *ids;
    int64_t n;
    RG_TRY(rg_read_whole(ctx, G_IDS, &ids, &n));
    RG_TRY(rg_check_ids(ctx, G_IDS, ids, n, rg_n_out(ctx, G_DX), "tensors"));
    for (int k = 0; k < rg_n_out(ctx, G_DX); k++) {
        rg_value *dx = rg_out_n(ctx, G_DX, k);
        if (dx == NULL)
            continue;
        for (int64_t i = 0; i < n; i++) {
            char *to = (char *)dx->data + (size_t)i * width;
            if (ids[i] == k)
                memcpy(to, (const char *)dout->data + (size_t)i * width, width);
            else
                memset(to, 0, width);
        }
    }
    return RG_OK;
}

const rg_op rg_op_multiplex_grad = {
    .type = "multiplex_grad",
    .doc = "Gradient of multiplex.",
    .in = RG_SLOTS([G_IDS] = {"Ids", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_REPEATED}),
    .infer = grad_infer,
    .kernel = grad_kernel,
};
