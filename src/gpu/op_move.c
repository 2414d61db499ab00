/* op_move.c - elements that go elsewhere: transpose, slice, stack, expand, gather. */
#include "gpu/glue.h"
#include "ops/box.h"

/* ---- transpose ---- */

/* `back`: dimension axis[i] of `to` is dimension i of `from`, else the other way round. */
static rg_status turn(rg_ctx *ctx, const rg_value *from, rg_value *to, bool back)
{
    const rg_attr *axis = rg_gpu_attr(ctx, "axis");
    int rank = from->meta.shape.rank;
    int64_t steps[RG_MAX_DIMS];
    rg_cu_box box = {.rank = rank};
    rg_shape_steps(&from->meta.shape, steps);
    for (int i = 0; i < rank; i++) {
        int d = axis->ints[i] < 0 ? axis->ints[i] + rank : axis->ints[i];
        int to_dim = back ? d : i, from_dim = back ? i : d;
        box.dim[to_dim] = to->meta.shape.dim[to_dim];
        box.stride[to_dim] = steps[from_dim];
    }
    if (!rg_cu_box_read(rg_dtype_size(to->meta.dtype), &box, from->data, to->data, rg_cuda(ctx)))
        return rg_gpu_leave(ctx, "this element type");
    RG_GPU_TRY(cudaGetLastError());
    return RG_OK;
}

static rg_status transpose(rg_ctx *ctx)
{
    return turn(ctx, rg_gpu_in(ctx, "X"), rg_gpu_out(ctx, "Out"), false);
}

static rg_status transpose_grad(rg_ctx *ctx)
{
    return turn(ctx, rg_gpu_in(ctx, "Out@GRAD"), rg_gpu_out(ctx, "X@GRAD"), true);
}

const rg_kernel rg_kernel_gpu_transpose = {"transpose", "gpu", transpose};
const rg_kernel rg_kernel_gpu_transpose2 = {"transpose2", "gpu", transpose};
const rg_kernel rg_kernel_gpu_transpose_grad = {"transpose_grad", "gpu", transpose_grad};
const rg_kernel rg_kernel_gpu_transpose2_grad = {"transpose2_grad", "gpu", transpose_grad};

/* ---- slice ---- */

static rg_status box_of_slice(const rg_ctx *ctx, const rg_shape *x, rg_cu_box *box)
{
    const rg_attr *axes = rg_gpu_attr(ctx, "axes"), *starts = rg_gpu_attr(ctx, "starts");
    const rg_attr *ends = rg_gpu_attr(ctx, "ends");
    if (rg_gpu_in(ctx, "StartsTensor") != NULL || rg_gpu_in(ctx, "EndsTensor") != NULL ||
        rg_n_in(ctx, rg_gpu_in_slot(ctx, "StartsTensorList")) > 0 ||
        rg_n_in(ctx, rg_gpu_in_slot(ctx, "EndsTensorList")) > 0)
        return rg_gpu_leave(ctx, "a bound that is a tensor");
    *box = (rg_cu_box){.rank = x->rank};
    rg_shape_steps(x, box->stride);
    for (int d = 0; d < x->rank; d++)
        box->dim[d] = x->dim[d];
    for (int i = 0; i < axes->n; i++) {
        int d = axes->ints[i] < 0 ? axes->ints[i] + x->rank : axes->ints[i];
        int64_t size = x->dim[d], from = starts->ints[i], to = ends->ints[i];
        from = from < 0 ? from + size : from;
        to = to < 0 ? to + size : to;
        from = from < 0 ? 0 : from > size ? size : from;
        to = to < 0 ? 0 : to > size ? size : to;
        box->dim[d] = to - from;
        box->offset += from * box->stride[d];
    }
    return RG_OK;
}

static rg_status slice(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "Input");
    rg_cu_box box;
    RG_TRY(box_of_slice(ctx, &x->meta.shape, &box));
    return rg_gpu_done(ctx,
                       rg_cu_box_read(rg_dtype_size(x->meta.dtype), &box, x->data,
                                      rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "Input");
}

static rg_status slice_grad(rg_ctx *ctx)
{
    rg_value *dx = rg_gpu_out(ctx, "Input@GRAD");
    rg_cu_box box;
    RG_TRY(box_of_slice(ctx, &dx->meta.shape, &box));
    RG_TRY(rg_gpu_zero(ctx, dx->data, rg_value_bytes(dx)));
    return rg_gpu_done(ctx,
                       rg_cu_box_write(rg_dtype_size(dx->meta.dtype), &box,
                                       rg_gpu_in_data(ctx, "Out@GRAD"), dx->data, rg_cuda(ctx)),
                       "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_slice = {"slice", "gpu", slice};
const rg_kernel rg_kernel_gpu_slice_grad = {"slice_grad", "gpu", slice_grad};

/* ---- stack ---- */

/* Parts number `first` on of the whole along its axis, as many as fit a launch, joined or cut. */
static rg_status move_slices(rg_ctx *ctx, const rg_value *whole, rg_value *const *part, int n,
                             bool join)
{
    rg_gpu_cut c = rg_gpu_cut_at(&whole->meta.shape, rg_gpu_attr(ctx, "axis")->i);
    size_t size = rg_dtype_size(whole->meta.dtype);
    for (int first = 0; first < n; first += RG_CU_PARTS) {
        rg_cu_parts parts = {.n = 0};
        for (int i = first; i < n && parts.n < RG_CU_PARTS; i++)
            if (part[i] != NULL) {
                parts.part[parts.n] = part[i]->data;
                parts.width[parts.n] = c.inner;
                parts.at[parts.n++] = i * c.inner;
            }
        bool done = join ? rg_cu_join(size, c.outer, c.n * c.inner, &parts, whole->data,
                                      rg_cuda(ctx))
                         : rg_cu_cut(size, c.outer, c.n * c.inner, &parts, whole->data,
                                     rg_cuda(ctx));
        if (!done)
            return rg_gpu_leave(ctx, "this element type");
    }
    RG_GPU_TRY(cudaGetLastError());
    return RG_OK;
}

static rg_status stack(rg_ctx *ctx, const char *x, const char *y)
{
    int slot = rg_gpu_in_slot(ctx, x);
    return move_slices(ctx, rg_gpu_out(ctx, y), (rg_value *const *)&ctx->in[ctx->in_at[slot]],
                       rg_n_in(ctx, slot), true);
}

static rg_status unstack(rg_ctx *ctx, const char *x, const char *y)
{
    int slot = rg_gpu_out_slot(ctx, y);
    return move_slices(ctx, rg_gpu_in(ctx, x), (rg_value *const *)&ctx->out[ctx->out_at[slot]],
                       rg_n_out(ctx, slot), false);
}

static rg_status stack_forward(rg_ctx *ctx)
{
    return stack(ctx, "X", "Y");
}

static rg_status stack_backward(rg_ctx *ctx)
{
    return unstack(ctx, "Y@GRAD", "X@GRAD");
}

static rg_status unstack_forward(rg_ctx *ctx)
{
    return unstack(ctx, "X", "Y");
}

static rg_status unstack_backward(rg_ctx *ctx)
{
    return stack(ctx, "Y@GRAD", "X@GRAD");
}

const rg_kernel rg_kernel_gpu_stack = {"stack", "gpu", stack_forward};
const rg_kernel rg_kernel_gpu_stack_grad = {"stack_grad", "gpu", stack_backward};
const rg_kernel rg_kernel_gpu_unstack = {"unstack", "gpu", unstack_forward};
const rg_kernel rg_kernel_gpu_unstack_grad = {"unstack_grad", "gpu", unstack_backward};

/* ---- expand ---- */

/* Each dimension as a repetition and what is repeated. */
static rg_status repetitions(const rg_ctx *ctx, const rg_shape *x, const rg_shape *out,
                             rg_cu_box *box)
{
    int64_t steps[RG_MAX_DIMS];
    rg_shape_steps(x, steps);
    *box = (rg_cu_box){.rank = 0};
    for (int d = 0; d < x->rank; d++) {
        int64_t times = x->dim[d] > 0 ? out->dim[d] / x->dim[d] : 0;
        if (box->rank + 2 > RG_CU_DIMS)
            return rg_gpu_leave(ctx, "so many dimensions");
        if (times != 1) {
            box->dim[box->rank] = times;
            box->stride[box->rank++] = 0;
        }
        box->dim[box->rank] = x->dim[d];
        box->stride[box->rank++] = steps[d];
    }
    return RG_OK;
}

static rg_status expand(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *out = rg_gpu_out(ctx, "Out");
    rg_cu_box box;
    RG_TRY(repetitions(ctx, &x->meta.shape, &out->meta.shape, &box));
    return rg_gpu_done(
        ctx, rg_cu_box_read(rg_dtype_size(x->meta.dtype), &box, x->data, out->data, rg_cuda(ctx)),
        "X");
}

static rg_status expand_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    int64_t kept = rg_numel(dx);
    unsigned gone = 0;
    rg_cu_box box;
    RG_TRY(repetitions(ctx, &dx->meta.shape, &dout->meta.shape, &box));
    for (int d = 0; d < box.rank; d++)
        gone |= box.stride[d] == 0 ? 1u << d : 0;
    void *room = rg_gpu_scratch(ctx, rg_cu_reduce_room(kept, 1));
    if (room == NULL)
        return RG_ENOMEM;
    return rg_gpu_done(ctx,
                       rg_cu_reduce(RG_CU_SUM, dout->meta.dtype, box.rank, box.dim, gone,
                                    dout->data, dx->data, room, rg_gpu_stream_of(ctx)->counters,
                                    rg_cuda(ctx)),
                       "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_expand = {"expand", "gpu", expand};
const rg_kernel rg_kernel_gpu_expand_grad = {"expand_grad", "gpu", expand_grad};
const rg_kernel rg_kernel_gpu_expand_as = {"expand_as", "gpu", expand};
const rg_kernel rg_kernel_gpu_expand_as_grad = {"expand_as_grad", "gpu", expand_grad};

/* ---- gather ---- */

static rg_status gather(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X"), *index = rg_gpu_in(ctx, "Index");
    return rg_gpu_done(ctx,
                       rg_cu_gather(rg_dtype_size(x->meta.dtype), x->meta.shape.dim[0],
                                    rg_value_width(x), rg_numel(index), index->data,
                                    index->meta.dtype == RG_I64, x->data,
                                    rg_gpu_out_data(ctx, "Out"),
                                    rg_gpu_site_of(ctx, RG_FAULT_INDEX, "Index"), rg_cuda(ctx)),
                       "X");
}

static rg_status gather_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD"), *index = rg_gpu_in(ctx, "Index");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    int64_t rows = dx->meta.shape.dim[0];
    int32_t *last = NULL;
    if (rg_gpu_attr(ctx, "overwrite")->b &&
        (last = rg_gpu_scratch(ctx, (size_t)(rows + 1) * sizeof *last)) == NULL)
        return RG_ENOMEM;
    return rg_gpu_done(
        ctx,
        rg_cu_gather_grad(dout->meta.dtype, rows, rg_value_width(dx), rg_numel(index), index->data,
                          index->meta.dtype == RG_I64, last, dout->data, dx->data,
                          rg_gpu_site_of(ctx, RG_FAULT_INDEX, "Index"), rg_cuda(ctx)),
        "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_gather = {"gather", "gpu", gather};
const rg_kernel rg_kernel_gpu_gather_grad = {"gather_grad", "gpu", gather_grad};
