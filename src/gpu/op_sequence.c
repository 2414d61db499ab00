/* op_sequence.c - over the sequences of a LoD, whose offsets are brought to the GPU. */
#include "gpu/glue.h"

#include <string.h>

/* The last level of a LoD: where its sequences begin, on the GPU, and how many there are. */
static rg_status sequences(rg_ctx *ctx, const rg_lod *lod, const int64_t **at, int64_t *n)
{
    if (lod == NULL)
        return rg_gpu_leave(ctx, "an input without a LoD");
    int last = lod->levels - 1;
    *n = rg_lod_sequences(lod, last);
    *at = rg_gpu_constant(ctx, lod->offset[last], lod->count[last] * sizeof **at);
    return *at ? RG_OK : RG_ENOMEM;
}

/* ---- sequence_pool ---- */

static rg_status pool_of(const rg_ctx *ctx, enum rg_cu_pool *how)
{
    static const char *const names[] = {"SUM", "AVERAGE", "SQRT", "MAX", "FIRST", "LAST"};
    const char *wanted = rg_gpu_attr(ctx, "pooltype")->s;
    for (int i = 0; i < 6; i++)
        if (strcmp(names[i], wanted) == 0) {
            *how = (enum rg_cu_pool)i;
            return RG_OK;
        }
    return rg_gpu_leave(ctx, wanted);
}

static rg_status pool(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    enum rg_cu_pool how;
    const int64_t *at;
    int64_t n;
    RG_TRY(pool_of(ctx, &how));
    RG_TRY(sequences(ctx, x->meta.lod, &at, &n));
    return rg_gpu_done(
        ctx,
        rg_cu_sequence_pool(how, x->meta.dtype, n, rg_value_width(x), at,
                            rg_gpu_attr(ctx, "pad_value")->f, x->data, rg_gpu_out_data(ctx, "Out"),
                            how == RG_CU_LARGEST ? rg_gpu_out_data(ctx, "MaxIndex") : NULL,
                            rg_cuda(ctx)),
        "X");
}

static rg_status pool_grad(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    const void *index = rg_gpu_in_data(ctx, "MaxIndex");
    enum rg_cu_pool how;
    const int64_t *at;
    int64_t n;
    RG_TRY(pool_of(ctx, &how));
    RG_TRY(sequences(ctx, rg_in_meta(ctx, rg_gpu_in_slot(ctx, "X"))->lod, &at, &n));
    if (how == RG_CU_LARGEST && index == NULL)
        return rg_fail(RG_EINVAL, "the gradient of MAX needs MaxIndex");
    return rg_gpu_done(ctx,
                       rg_cu_sequence_pool_grad(how, dout->meta.dtype, n, rg_value_width(dx), at,
                                                dout->data, index, dx->data, rg_cuda(ctx)),
                       "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_sequence_pool = {"sequence_pool", "gpu", pool};
const rg_kernel rg_kernel_gpu_sequence_pool_grad = {"sequence_pool_grad", "gpu", pool_grad};

/* ---- sequence_softmax ---- */

static rg_status softmax(rg_ctx *ctx)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    const int64_t *at;
    int64_t n;
    RG_TRY(sequences(ctx, x->meta.lod, &at, &n));
    return rg_gpu_done(ctx,
                       rg_cu_sequence_softmax(x->meta.dtype, n, at, x->data,
                                              rg_gpu_out_data(ctx, "Out"), rg_cuda(ctx)),
                       "X");
}

static rg_status softmax_grad(rg_ctx *ctx)
{
    const rg_value *y = rg_gpu_in(ctx, "Out"), *dy = rg_gpu_in(ctx, "Out@GRAD");
    const rg_meta *x = rg_in_meta(ctx, rg_gpu_in_slot(ctx, "X"));
    const int64_t *at;
    int64_t n;
    RG_TRY(sequences(ctx, x->lod, &at, &n));
    if (rg_numel(y) != x->shape.dim[0] || rg_numel(dy) != x->shape.dim[0])
        return rg_gpu_leave(ctx, "inputs that do not fit");
    return rg_gpu_done(ctx,
                       rg_cu_sequence_softmax_grad(y->meta.dtype, n, at, y->data, dy->data,
                                                   rg_gpu_out_data(ctx, "X@GRAD"), rg_cuda(ctx)),
                       "Out");
}

const rg_kernel rg_kernel_gpu_sequence_softmax = {"sequence_softmax", "gpu", softmax};
const rg_kernel rg_kernel_gpu_sequence_softmax_grad = {"sequence_softmax_grad", "gpu",
                                                       softmax_grad};

/* ---- sequence_expand, sequence_expand_as: a gather, by a list of rows that the host makes ---- */

/* Which row of X each row of Out is; rows of Out in all. */
static rg_status rows_to_take(rg_ctx *ctx, const char *like, bool by_level, const int64_t **index,
                              int64_t rows)
{
    const rg_meta *x = rg_in_meta(ctx, rg_gpu_in_slot(ctx, "X"));
    const rg_lod *y = rg_in_meta(ctx, rg_gpu_in_slot(ctx, like))->lod;
    if (y == NULL || (x->lod != NULL && x->lod->levels != 1))
        return rg_gpu_leave(ctx, "such a LoD");
    int level = by_level ? rg_gpu_attr(ctx, "ref_level")->i : 0;
    level = level < 0 ? y->levels - 1 : level;
    const int64_t *from = by_level && x->lod ? x->lod->offset[0] : NULL, *times = y->offset[level];
    int64_t *list = rg_scratch(ctx, (size_t)(rows + 1) * sizeof *list), n = 0;
    if (list == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < rg_lod_sequences(y, level); i++)
        for (int64_t t = times[i]; t < times[i + 1]; t++)
            for (int64_t r = from ? from[i] : i; r < (from ? from[i + 1] : i + 1) && n < rows; r++)
                list[n++] = r;
    list[n] = 0; /* there may be no other */
    *index = rg_gpu_constant(ctx, list, (size_t)(n + 1) * sizeof *list);
    return *index ? RG_OK : RG_ENOMEM;
}

static rg_status expand_rows(rg_ctx *ctx, bool by_level)
{
    const rg_value *x = rg_gpu_in(ctx, "X");
    rg_value *out = rg_gpu_out(ctx, "Out");
    const int64_t *index;
    int64_t rows = out->meta.shape.dim[0];
    RG_TRY(rows_to_take(ctx, "Y", by_level, &index, rows));
    return rg_gpu_done(ctx,
                       rg_cu_gather(rg_dtype_size(x->meta.dtype), x->meta.shape.dim[0],
                                    rg_value_width(x), rows, index, true, x->data, out->data,
                                    rg_gpu_site_of(ctx, RG_FAULT_INDEX, "X"), rg_cuda(ctx)),
                       "X");
}

static rg_status expand_rows_grad(rg_ctx *ctx, bool by_level)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dx = rg_gpu_out(ctx, "X@GRAD");
    int64_t width = rg_value_width(dx), rows = width ? rg_numel(dout) / width : 0;
    const int64_t *index;
    RG_TRY(rows_to_take(ctx, "Y", by_level, &index, rows));
    return rg_gpu_done(ctx,
                       rg_cu_gather_grad(dout->meta.dtype, dx->meta.shape.dim[0], width, rows,
                                         index, true, NULL, dout->data, dx->data,
                                         rg_gpu_site_of(ctx, RG_FAULT_INDEX, "X"), rg_cuda(ctx)),
                       "Out@GRAD");
}

static rg_status expand(rg_ctx *ctx)
{
    return expand_rows(ctx, true);
}

static rg_status expand_grad(rg_ctx *ctx)
{
    return expand_rows_grad(ctx, true);
}

static rg_status expand_as(rg_ctx *ctx)
{
    return expand_rows(ctx, false);
}

static rg_status expand_as_grad(rg_ctx *ctx)
{
    return expand_rows_grad(ctx, false);
}

const rg_kernel rg_kernel_gpu_sequence_expand = {"sequence_expand", "gpu", expand};
const rg_kernel rg_kernel_gpu_sequence_expand_grad = {"sequence_expand_grad", "gpu", expand_grad};
const rg_kernel rg_kernel_gpu_sequence_expand_as = {"sequence_expand_as", "gpu", expand_as};
const rg_kernel rg_kernel_gpu_sequence_expand_as_grad = {"sequence_expand_as_grad", "gpu",
                                                         expand_as_grad};
