/* op_concat.c - concat, its gradient, and split: parts of a whole, many a launch. */
#include "gpu/glue.h"

/* Parts with their places along the axis, given one by one; they go as a launch when there are
 * enough, and at the end. */
typedef struct mover {
    rg_ctx *ctx;
    const rg_value *whole;
    bool join;
    int64_t outer, inner, at;
    size_t size;
    rg_cu_parts parts;
} mover;

static rg_status begin(mover *m, rg_ctx *ctx, const rg_value *whole, bool join)
{
    const rg_shape *shape = &whole->meta.shape;
    if (rg_gpu_in(ctx, "AxisTensor") != NULL)
        return rg_gpu_leave(ctx, "an axis that is a tensor");
    rg_gpu_cut c = rg_gpu_cut_at(shape, rg_gpu_attr(ctx, "axis")->i);
    *m = (mover){ctx, whole, join, c.outer, c.inner, 0, rg_dtype_size(whole->meta.dtype), {.n = 0}};
    return RG_OK;
}

static rg_status send(mover *m)
{
    int64_t step = m->outer ? rg_numel(m->whole) / m->outer : 0;
    bool done = m->join ? rg_cu_join(m->size, m->outer, step, &m->parts, m->whole->data,
                                     rg_cuda(m->ctx))
                        : rg_cu_cut(m->size, m->outer, step, &m->parts, m->whole->data,
                                    rg_cuda(m->ctx));
    m->parts.n = 0;
    return done ? RG_OK : rg_gpu_leave(m->ctx, "this element type");
}

/* NULL: nobody asked for it, and its place is left out. */
static rg_status add(mover *m, const rg_value *part, int64_t along)
{
    int k = m->parts.n;
    if (part != NULL) {
        m->parts.part[k] = part->data;
        m->parts.width[k] = along * m->inner;
        m->parts.at[k] = m->at * m->inner;
        m->parts.n++;
    }
    m->at += along;
    return m->parts.n == RG_CU_PARTS ? send(m) : RG_OK;
}

static rg_status end(mover *m)
{
    if (m->parts.n > 0)
        RG_TRY(send(m));
    RG_GPU_TRY(cudaGetLastError());
    return RG_OK;
}

/* The dimension of the axis. */
static int64_t along_axis(const mover *m, const rg_shape *part)
{
    int64_t of_one = m->outer * m->inner;
    return of_one ? rg_shape_numel(part) / of_one : 0;
}

static rg_status concat(rg_ctx *ctx)
{
    mover m;
    int x = rg_gpu_in_slot(ctx, "X");
    RG_TRY(begin(&m, ctx, rg_gpu_out(ctx, "Out"), true));
    for (int i = 0; i < rg_n_in(ctx, x); i++)
        RG_TRY(add(&m, rg_in_n(ctx, x, i), along_axis(&m, &rg_in_n(ctx, x, i)->meta.shape)));
    return end(&m);
}

const rg_kernel rg_kernel_gpu_concat = {"concat", "gpu", concat};

static rg_status concat_grad(rg_ctx *ctx)
{
    mover m;
    int x = rg_gpu_in_slot(ctx, "X"), dx = rg_gpu_out_slot(ctx, "X@GRAD");
    RG_TRY(begin(&m, ctx, rg_gpu_in(ctx, "Out@GRAD"), false));
    for (int i = 0; i < rg_n_in(ctx, x); i++)
        RG_TRY(add(&m, rg_out_n(ctx, dx, i), along_axis(&m, &rg_in_meta_n(ctx, x, i)->shape)));
    return end(&m);
}

const rg_kernel rg_kernel_gpu_concat_grad = {"concat_grad", "gpu", concat_grad};

/* The shape rule has given every part that is there its size; one that nobody asked for has none.
 */
static rg_status split(rg_ctx *ctx)
{
    mover m;
    int out = rg_gpu_out_slot(ctx, "Out");
    RG_TRY(begin(&m, ctx, rg_gpu_in(ctx, "X"), false));
    for (int i = 0; i < rg_n_out(ctx, out); i++)
        if (rg_out_n(ctx, out, i) == NULL)
            return rg_gpu_leave(ctx, "a part that nobody asks for");
    for (int i = 0; i < rg_n_out(ctx, out); i++)
        RG_TRY(add(&m, rg_out_n(ctx, out, i), along_axis(&m, &rg_out_n(ctx, out, i)->meta.shape)));
    return end(&m);
}

const rg_kernel rg_kernel_gpu_split = {"split", "gpu", split};
