/* op_basic.c - copies, constants, casts, scales, sums. */
#include "gpu/glue.h"

#include <stdlib.h>

/* ---- the same elements ---- */

static rg_status view(rg_ctx *ctx)
{
    rg_value *out = rg_gpu_out(ctx, "Out");
    return rg_gpu_copy_to(ctx, out->data, rg_gpu_in_data(ctx, "X"), rg_value_bytes(out));
}

static rg_status view_grad(rg_ctx *ctx)
{
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    return rg_gpu_copy_to(ctx, dx->data, rg_gpu_in_data(ctx, "Out@GRAD"), rg_value_bytes(dx));
}

const rg_kernel rg_kernel_gpu_reshape = {"reshape", "gpu", view};
const rg_kernel rg_kernel_gpu_reshape2 = {"reshape2", "gpu", view};
const rg_kernel rg_kernel_gpu_reshape_grad = {"reshape_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_reshape2_grad = {"reshape2_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_squeeze = {"squeeze", "gpu", view};
const rg_kernel rg_kernel_gpu_squeeze2 = {"squeeze2", "gpu", view};
const rg_kernel rg_kernel_gpu_squeeze_grad = {"squeeze_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_squeeze2_grad = {"squeeze2_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_unsqueeze = {"unsqueeze", "gpu", view};
const rg_kernel rg_kernel_gpu_unsqueeze2 = {"unsqueeze2", "gpu", view};
const rg_kernel rg_kernel_gpu_unsqueeze_grad = {"unsqueeze_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_unsqueeze2_grad = {"unsqueeze2_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_flatten = {"flatten", "gpu", view};
const rg_kernel rg_kernel_gpu_flatten2 = {"flatten2", "gpu", view};
const rg_kernel rg_kernel_gpu_flatten_grad = {"flatten_grad", "gpu", view_grad};
const rg_kernel rg_kernel_gpu_flatten2_grad = {"flatten2_grad", "gpu", view_grad};

/* Out like X, also of a sparse gradient: its rows are copied, its values are the caller's. */
static rg_status like_x(rg_ctx *ctx, const rg_value *x, rg_value *out)
{
    if (x->meta.kind == RG_TENSOR || out == x)
        return RG_OK;
    if (x->meta.kind != RG_ROWS)
        return rg_gpu_leave(ctx, "an array");
    RG_TRY(rg_value_resize_rows(out, x->meta.dtype, &x->meta.shape, x->n_rows));
    return rg_gpu_copy_to(ctx, out->rows, x->rows, x->n_rows * sizeof *x->rows);
}

static rg_status assign(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *out = rg_gpu_out(ctx, "Out");
    RG_TRY(like_x(ctx, x, out));
    return rg_gpu_copy_to(ctx, out->data, x->data, rg_value_bytes(x));
}

const rg_kernel rg_kernel_gpu_assign = {"assign", "gpu", assign};

/* ---- numbers ---- */

static rg_status scale(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X"), *given = rg_gpu_in(ctx, "ScaleTensor");
    rg_value *out = rg_gpu_out(ctx, "Out");
    if (given != NULL && given->meta.dtype != x->meta.dtype)
        return rg_gpu_leave(ctx, "a scale of another type");
    RG_TRY(like_x(ctx, x, out));
    return rg_gpu_done(
        ctx,
        rg_cu_scale(x->meta.dtype, (int64_t)(rg_value_bytes(x) / rg_dtype_size(x->meta.dtype)),
                    (double)rg_gpu_attr(ctx, "scale")->f, given ? given->data : NULL,
                    (double)rg_gpu_attr(ctx, "bias")->f, rg_gpu_attr(ctx, "bias_after_scale")->b,
                    x->data, out->data, rg_cuda(ctx)),
        "X");
}

const rg_kernel rg_kernel_gpu_scale = {"scale", "gpu", scale};

static rg_status increment(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    return rg_gpu_done(ctx,
                       rg_cu_scale(x->meta.dtype, 1, 1, NULL, (double)rg_gpu_attr(ctx, "step")->f,
                                   true, x->data, rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

const rg_kernel rg_kernel_gpu_increment = {"increment", "gpu", increment};

static rg_status cast(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *out = rg_gpu_out(ctx, "Out");
    return rg_gpu_done(
        ctx,
        rg_cu_cast(x->meta.dtype, out->meta.dtype, rg_numel(x), x->data, out->data, rg_cuda(ctx)),
        "X");
}

const rg_kernel rg_kernel_gpu_cast = {"cast", "gpu", cast};

/* ---- one number everywhere ---- */

static rg_status fill(rg_ctx *ctx, double number)
{
    rg_value *out = rg_gpu_out(ctx, "Out");
    if (out->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "a sparse Out");
    if (!rg_cu_fill(out->meta.dtype, rg_numel(out), number, out->data, rg_cuda(ctx)))
        return rg_gpu_leave(ctx, rg_dtype_name(out->meta.dtype));
    RG_GPU_TRY(cudaGetLastError());
    return RG_OK;
}

static rg_status fill_constant(rg_ctx *ctx)
{
    const char *text = rg_gpu_attr(ctx, "str_value")->s;
    double number = (double)rg_gpu_attr(ctx, "value")->f;
    char *end;
    if (rg_gpu_in(ctx, "ValueTensor") != NULL)
        return rg_gpu_leave(ctx, "a value that is a tensor");
    if (text[0] != '\0') {
        number = strtod(text, &end);
        if (*end != '\0')
            return rg_fail(RG_EINVAL, "str_value '%s' is not a number", text);
    }
    return fill(ctx, number);
}

static rg_status fill_zeros(rg_ctx *ctx)
{
    return fill(ctx, 0);
}

static rg_status fill_value(rg_ctx *ctx)
{
    return fill(ctx, (double)rg_gpu_attr(ctx, "value")->f);
}

const rg_kernel rg_kernel_gpu_fill_constant = {"fill_constant", "gpu", fill_constant};
const rg_kernel rg_kernel_gpu_fill_zeros_like = {"fill_zeros_like", "gpu", fill_zeros};
const rg_kernel rg_kernel_gpu_fill_zeros_like2 = {"fill_zeros_like2", "gpu", fill_zeros};
const rg_kernel rg_kernel_gpu_fill_any_like = {"fill_any_like", "gpu", fill_value};
const rg_kernel rg_kernel_gpu_fill_batch_like = {"fill_constant_batch_size_like", "gpu",
                                                 fill_value};

/* ---- sums ---- */

/* Of sparse gradients: their rows one behind the other, not merged. Out may be the first. */
static rg_status join_sparse(rg_ctx *ctx, rg_value *out)
{
    int slot = rg_gpu_in_slot(ctx, "X");
    size_t total = 0, at = 0, step = 0;
    const rg_value *first = NULL;
    for (int i = 0; i < rg_n_in(ctx, slot); i++) {
        const rg_value *x = rg_in_n(ctx, slot, i);
        total += x ? x->n_rows : 0;
        first = first ? first : x;
        if (x == out)
            return rg_gpu_leave(ctx, "a sparse sum in place");
    }
    step = (size_t)rg_value_width(first) * rg_dtype_size(first->meta.dtype);
    RG_TRY(rg_value_resize_rows(out, first->meta.dtype, &first->meta.shape, total));
    for (int i = 0; i < rg_n_in(ctx, slot); i++) {
        const rg_value *x = rg_in_n(ctx, slot, i);
        if (x == NULL || x->n_rows == 0)
            continue;
        RG_TRY(rg_gpu_copy_to(ctx, out->rows + at, x->rows, x->n_rows * sizeof *x->rows));
        RG_TRY(rg_gpu_copy_to(ctx, (char *)out->data + at * step, x->data, x->n_rows * step));
        at += x->n_rows;
    }
    return RG_OK;
}

static rg_status add_rows(rg_ctx *ctx, rg_value *out)
{
    int slot = rg_gpu_in_slot(ctx, "X");
    for (int i = 0; i < rg_n_in(ctx, slot); i++) {
        const rg_value *x = rg_in_n(ctx, slot, i);
        if (x == NULL || x->meta.kind != RG_ROWS || x->n_rows == 0)
            continue;
        rg_cu_lookups l = {.n = 1, .wide = true};
        l.ids[0] = x->rows;
        l.out[0] = x->data;
        l.count[0] = (int64_t)x->n_rows;
        l.step[0] = rg_value_width(x);
        l.padding[0] = -1;
        RG_TRY(rg_gpu_done(ctx,
                           rg_cu_scatter(out->meta.dtype, out->data, out->meta.shape.dim[0],
                                         l.step[0], &l, NULL,
                                         rg_gpu_site_of(ctx, RG_FAULT_ROW, "X"), i, rg_cuda(ctx)),
                           "X"));
    }
    return RG_OK;
}

/* Out may be one of the inputs: then the others are added to it. */
static rg_status sum(rg_ctx *ctx)
{
    rg_value *out = rg_gpu_out(ctx, "Out");
    int slot = rg_gpu_in_slot(ctx, "X"), n = 0;
    const void *parts[RG_CU_PARTS];
    bool more = false, launched = true;
    if (out->meta.kind == RG_ROWS)
        return join_sparse(ctx, out);
    if (out->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "an array");
    for (int i = 0; i < rg_n_in(ctx, slot); i++)
        more = more || (rg_in_n(ctx, slot, i) != NULL && rg_in_n(ctx, slot, i)->data == out->data &&
                        rg_numel(out) > 0);
    bool begun = more;
    for (int i = 0; i < rg_n_in(ctx, slot) && launched; i++) {
        const rg_value *x = rg_in_n(ctx, slot, i);
        if (x != NULL && x->meta.kind == RG_TENSOR && rg_numel(x) > 0 &&
            (x->data != out->data || !more)) {
            parts[n++] = x->data;
            begun = true;
        }
        if (n == RG_CU_PARTS) {
            launched = rg_cu_sum(out->meta.dtype, rg_numel(out), parts, n, more, out->data,
                                 rg_cuda(ctx));
            more = true;
            n = 0;
        }
    }
    if (launched)
        launched = rg_cu_sum(out->meta.dtype, rg_numel(out), parts, n, more, out->data,
                             rg_cuda(ctx));
    if (!begun)
        RG_TRY(rg_gpu_zero(ctx, out->data, rg_value_bytes(out)));
    RG_TRY(rg_gpu_done(ctx, launched, "X"));
    return add_rows(ctx, out);
}

const rg_kernel rg_kernel_gpu_sum = {"sum", "gpu", sum};
