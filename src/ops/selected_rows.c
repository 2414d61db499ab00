/* selected_rows.c - sparse gradients as they are: merge_selected_rows, with duplicates added
 * up and in order, and get_tensor_from_selected_rows, their values as a tensor. */
#include "ops/merge_rows.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };

static rg_status expect_rows(const rg_ctx *ctx)
{
    if (rg_in_meta(ctx, X)->kind != RG_ROWS)
        return rg_fail(RG_ESHAPE, "X is a %s, and must be SELECTED_ROWS",
                       rg_kind_name(rg_in_meta(ctx, X)->kind));
    return RG_OK;
}

static rg_status merge_infer(rg_ctx *ctx)
{
    RG_TRY(expect_rows(ctx));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static rg_status merge_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    size_t width = (size_t)rg_value_width(x) * rg_dtype_size(x->meta.dtype);
    rg_merged merged;
    RG_TRY(rg_merge_rows(ctx, x, &merged));
    if (merged.values == x->data && out == x)
        return RG_OK; /* merged already */
    RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &x->meta.shape, merged.n));
    memcpy(out->rows, merged.rows, merged.n * sizeof *out->rows);
    memcpy(out->data, merged.values, merged.n * width);
    return RG_OK;
}

const rg_op rg_op_merge_selected_rows = {
    .type = "merge_selected_rows",
    .doc = "A sparse gradient with its duplicates added up.",
    .in = RG_SLOTS([X] = {"X", "sparse", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "sparse, each row once"}),
    .infer = merge_infer,
    .kernel = merge_kernel,
};

static rg_status get_infer(rg_ctx *ctx)
{
    rg_shape shape = *rg_shape_of(ctx, X);
    RG_TRY(expect_rows(ctx));
    if (shape.rank > 0)
        shape.dim[0] = rg_running(ctx) ? (int64_t)rg_in(ctx, X)->n_rows : shape.dim[0];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &shape);
    return RG_OK;
}

static rg_status get_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_shape shape = x->meta.shape;
    shape.dim[0] = (int64_t)x->n_rows;
    RG_TRY(rg_out_resize(ctx, OUT, 0, x->meta.dtype, &shape));
    memcpy(rg_out_data(ctx, OUT), x->data, rg_value_bytes(x));
    return RG_OK;
}

const rg_op rg_op_get_tensor_from_selected_rows = {
    .type = "get_tensor_from_selected_rows",
    .doc = "The values of a sparse gradient, a row each.",
    .in = RG_SLOTS([X] = {"X", "sparse", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, ...]"}),
    .flags = RG_OP_DYNAMIC,
    .infer = get_infer,
    .kernel = get_kernel,
};
