/* select.c - one of several by a number: select_input reads one, select_output writes one.
 *
 * Each is the other's gradient. What is not selected need not have a value, and gets none. */
#include "ir/program.h"
#include "ops/shape_args.h"

enum { X, MASK };
enum { OUT };

static rg_status number_of(const rg_ctx *ctx, int n, int *out)
{
    const rg_value *mask = rg_in(ctx, MASK);
    RG_TRY(RG_EXPECT_DTYPE(ctx, MASK, RG_I32, RG_I64));
    if (rg_numel(mask) != 1)
        return rg_fail(RG_ESHAPE, "Mask %s must be one number", rg_in_name(ctx, MASK, 0));
    int64_t number = rg_whole_at(mask, 0);
    if (number < 0 || number >= n)
        return rg_fail(RG_EVALUE, "Mask %s is %lld, and there are %d to select from",
                       rg_in_name(ctx, MASK, 0), (long long)number, n);
    *out = (int)number;
    return RG_OK;
}

static bool is_set(const rg_value *value)
{
    return value != NULL && (value->meta.kind != RG_TENSOR || value->data != NULL);
}

/* ---- select_input ---- */

/* What all have in common: other dimensions are known when it runs. */
static rg_status select_input_infer(rg_ctx *ctx)
{
    rg_meta *out = rg_out_meta(ctx, OUT);
    const rg_meta *first = rg_in_meta(ctx, X);
    if (rg_running(ctx) || out == NULL || first == NULL)
        return RG_OK;
    rg_shape shape = first->shape;
    for (int i = 1; i < rg_n_in(ctx, X); i++) {
        const rg_meta *x = rg_in_meta_n(ctx, X, i);
        if (x == NULL || x->shape.rank != shape.rank)
            continue;
        for (int d = 0; d < shape.rank; d++)
            if (shape.dim[d] != x->shape.dim[d])
                shape.dim[d] = -1;
    }
    out->kind = first->kind;
    out->dtype = first->dtype;
    out->shape = shape;
    out->lod_level = first->lod_level;
    return RG_OK;
}

static rg_status select_input_kernel(rg_ctx *ctx)
{
    int number;
    RG_TRY(number_of(ctx, rg_n_in(ctx, X), &number));
    const rg_value *x = rg_in_n(ctx, X, number);
    if (!is_set(x))
        return rg_fail(RG_EINVAL, "%s is selected, and has no value", rg_in_name(ctx, X, number));
    return rg_value_copy(rg_out(ctx, OUT), x);
}

static rg_status select_input_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "select_output", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "Mask", "Mask"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_select_input = {
    .type = "select_input",
    .doc = "Out = X[Mask].",
    .in = RG_SLOTS([X] = {"X", "those to select from", RG_REPEATED | RG_UNSET_OK | RG_ANY_KIND},
                   [MASK] = {"Mask", "one int", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "a copy of the selected"}),
    .flags = RG_OP_DYNAMIC,
    .infer = select_input_infer,
    .kernel = select_input_kernel,
    .grad = select_input_grad,
};

/* ---- select_output ---- */

static rg_status select_output_infer(rg_ctx *ctx)
{
    const rg_meta *x = rg_in_meta(ctx, X);
    for (int i = 0; !rg_running(ctx) && i < rg_n_out(ctx, OUT); i++) {
        rg_meta *out = rg_out_meta_n(ctx, OUT, i);
        if (out != NULL && out != x)
            *out = *x;
    }
    return RG_OK;
}

static rg_status select_output_kernel(rg_ctx *ctx)
{
    int number;
    RG_TRY(number_of(ctx, rg_n_out(ctx, OUT), &number));
    for (int i = 0; i < rg_n_out(ctx, OUT); i++) {
        rg_value *out = rg_out_n(ctx, OUT, i);
        if (out == NULL)
            continue;
        if (i == number)
            RG_TRY(rg_value_copy(out, rg_in(ctx, X)));
        else
            out->data = NULL; /* nor what an earlier run left there */
    }
    return RG_OK;
}

static rg_status select_output_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "select_input", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "Mask", "Mask"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_select_output = {
    .type = "select_output",
    .doc = "Out[Mask] = X.",
    .in = RG_SLOTS([X] = {"X", "a tensor"}, [MASK] = {"Mask", "one int", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "one becomes a copy of X", RG_REPEATED | RG_OPTIONAL}),
    .flags = RG_OP_DYNAMIC,
    .infer = select_output_infer,
    .kernel = select_output_kernel,
    .grad = select_output_grad,
};
