/* op_table.c - look-ups, their gradients, and the SGD step of a table. */
#include "gpu/glue.h"
#include "gpu/side.h"

static bool wide_ids(const rg_value *ids)
{
    return ids->meta.dtype == RG_I64;
}

static rg_cu_lookups one_lookup(const rg_value *ids, void *rows, int64_t width, int64_t padding)
{
    rg_cu_lookups l = {.n = 1, .wide = wide_ids(ids)};
    l.ids[0] = ids->data;
    l.out[0] = rows;
    l.count[0] = rg_numel(ids);
    l.step[0] = width;
    l.padding[0] = padding;
    return l;
}

static rg_status lookup(rg_ctx *ctx)
{
    const rg_value *w = rg_gpu_in(ctx, "W");
    if (w->meta.kind != RG_TENSOR)
        return rg_gpu_leave(ctx, "a table of SelectedRows");
    rg_cu_lookups l = one_lookup(rg_gpu_in(ctx, "Ids"), rg_gpu_out_data(ctx, "Out"),
                                 w->meta.shape.dim[1], rg_gpu_attr(ctx, "padding_idx")->l);
    return rg_gpu_done(ctx,
                       rg_cu_lookup(rg_dtype_size(w->meta.dtype), w->data, w->meta.shape.dim[0],
                                    w->meta.shape.dim[1], &l,
                                    rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids"), 0, rg_cuda(ctx)),
                       "W");
}

const rg_kernel rg_kernel_gpu_lookup_table = {"lookup_table", "gpu", lookup};
const rg_kernel rg_kernel_gpu_lookup_table_v2 = {"lookup_table_v2", "gpu", lookup};

static rg_status lookup_grad(rg_ctx *ctx)
{
    const rg_value *w = rg_gpu_in(ctx, "W"), *ids = rg_gpu_in(ctx, "Ids");
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    rg_value *dw = rg_gpu_out(ctx, "W@GRAD");
    int64_t rows = w->meta.shape.dim[0], width = w->meta.shape.dim[1];
    rg_gpu_site site = rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids");
    rg_cu_lookups l = one_lookup(ids, dout->data, width, rg_gpu_attr(ctx, "padding_idx")->l);
    if (dout->meta.dtype != RG_F32 && dout->meta.dtype != RG_F64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Out@GRAD"));
    if (dw->meta.kind != RG_ROWS) {
        RG_TRY(rg_gpu_zero(ctx, dw->data, rg_value_bytes(dw)));
        return rg_gpu_done(
            ctx,
            rg_cu_scatter(dout->meta.dtype, dw->data, rows, width, &l, NULL, site, 0, rg_cuda(ctx)),
            "Out@GRAD");
    }
    if (rg_gpu_attr(ctx, "is_distributed")->b && rg_gpu_attr(ctx, "is_sparse")->b)
        rows = INT64_MAX; /* on servers the table grows */
    RG_TRY(rg_value_resize_rows(dw, dout->meta.dtype, &w->meta.shape, (size_t)rg_numel(ids)));
    return rg_gpu_done(ctx,
                       rg_cu_sparse_rows(dout->meta.dtype, rows, width, &l, 0, dw->rows, dw->data,
                                         site, 0, rg_cuda(ctx)),
                       "Out@GRAD");
}

const rg_kernel rg_kernel_gpu_lookup_table_grad = {"lookup_table_grad", "gpu", lookup_grad};
const rg_kernel rg_kernel_gpu_lookup_table_v2_grad = {"lookup_table_v2_grad", "gpu", lookup_grad};
const rg_kernel rg_kernel_gpu_fused_lookup_grad = {"fused_lookup_grad", "gpu", lookup_grad};

/* ---- several look-ups over a table ---- */

/* Those from `first` on, as many as fit a launch and have ids of one type, with their gradients. */
static rg_cu_lookups gather_lookups(const rg_ctx *ctx, int first, int64_t width)
{
    int ids = rg_gpu_in_slot(ctx, "Ids"), dout = rg_gpu_in_slot(ctx, "Out@GRAD");
    rg_cu_lookups l = {.wide = wide_ids(rg_in_n(ctx, ids, first))};
    for (int k = first; k < rg_n_in(ctx, ids) && l.n < RG_CU_PARTS; k++, l.n++) {
        if (wide_ids(rg_in_n(ctx, ids, k)) != l.wide)
            break;
        l.ids[l.n] = rg_in_n(ctx, ids, k)->data;
        l.out[l.n] = rg_in_n(ctx, dout, k)->data;
        l.count[l.n] = rg_numel(rg_in_n(ctx, ids, k));
        l.step[l.n] = width;
        l.padding[l.n] = rg_gpu_attr(ctx, "padding_idx")->longs[k];
    }
    return l;
}

static rg_status expect_ids(const rg_ctx *ctx)
{
    int ids = rg_gpu_in_slot(ctx, "Ids");
    for (int k = 0; k < rg_n_in(ctx, ids); k++) {
        const rg_value *value = rg_in_n(ctx, ids, k);
        if (!wide_ids(value) && value->meta.dtype != RG_I32)
            return rg_bad_dtype(ctx, ids);
    }
    return RG_OK;
}

static rg_status embedding_sgd(rg_ctx *ctx)
{
    rg_value *w = rg_gpu_out(ctx, "WOut");
    int64_t rows = w->meta.shape.dim[0], width = w->meta.shape.dim[1];
    rg_gpu_site site = rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids");
    bool launched = true;
    RG_TRY(expect_ids(ctx));
    for (int k = 0; k < rg_n_in(ctx, rg_gpu_in_slot(ctx, "Ids")) && launched;) {
        rg_cu_lookups l = gather_lookups(ctx, k, width);
        launched = rg_cu_scatter(w->meta.dtype, w->data, rows, width, &l,
                                 rg_gpu_in_data(ctx, "LearningRate"), site, k, rg_cuda(ctx));
        k += l.n;
    }
    return rg_gpu_done(ctx, launched, "W");
}

const rg_kernel rg_kernel_gpu_embedding_sgd = {"fused_embedding_sgd", "gpu", embedding_sgd};

/* Its rows are neither merged nor sorted, as the CPU's are: whoever applies them merges. */
static rg_status embedding_grad(rg_ctx *ctx)
{
    const rg_value *w = rg_gpu_in(ctx, "W");
    rg_value *dw = rg_gpu_out(ctx, "W@GRAD");
    int slot = rg_gpu_in_slot(ctx, "Ids");
    int64_t width = w->meta.shape.dim[1], at = 0, total = 0;
    int64_t rows = rg_gpu_attr(ctx, "grows")->b ? INT64_MAX : w->meta.shape.dim[0];
    bool launched = true;
    RG_TRY(expect_ids(ctx));
    for (int k = 0; k < rg_n_in(ctx, slot); k++)
        total += rg_numel(rg_in_n(ctx, slot, k));
    RG_TRY(rg_value_resize_rows(dw, RG_F32, &w->meta.shape, (size_t)total));
    for (int k = 0; k < rg_n_in(ctx, slot) && launched;) {
        rg_cu_lookups l = gather_lookups(ctx, k, width);
        launched = rg_cu_sparse_rows(RG_F32, rows, width, &l, at, dw->rows, dw->data,
                                     rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids"), k, rg_cuda(ctx));
        for (int i = 0; i < l.n; i++)
            at += l.count[i];
        k += l.n;
    }
    return rg_gpu_done(ctx, launched, "W");
}

const rg_kernel rg_kernel_gpu_embedding_grad = {"fused_embedding_grad", "gpu", embedding_grad};

/* ---- look-ups that stand side by side: fused_embedding_concat and its SGD step ---- */

/* Where the sequences of an input begin, on the GPU; NULL where there is no memory. */
static const int64_t *offsets_of(rg_ctx *ctx, const rg_value *value)
{
    const rg_lod *lod = value->meta.lod;
    return rg_gpu_constant(ctx, lod->offset[lod->levels - 1],
                           lod->count[lod->levels - 1] * sizeof(int64_t));
}

static rg_status add_column(rg_ctx *ctx, rg_cu_columns *columns, const rg_value *w, int k, int at)
{
    const rg_value *ids = rg_in_n(ctx, rg_gpu_in_slot(ctx, "Ids"), k);
    bool pooled = rg_gpu_attr(ctx, "pooled")->ints[k] != 0;
    rg_cu_column *c = &columns->part[columns->n++];
    *c = (rg_cu_column){.table = w->data,
                        .ids = ids->data,
                        .rows = w->meta.shape.dim[0],
                        .padding = rg_gpu_attr(ctx, "padding_idx")->longs[k],
                        .width = (int32_t)w->meta.shape.dim[1],
                        .at = at,
                        .item = k};
    if (w->meta.dtype != RG_F32 || ids->meta.dtype != RG_I64)
        return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "Ids"));
    if (pooled && ids->meta.lod == NULL)
        return rg_gpu_leave(ctx, "ids without a LoD");
    if (pooled && (c->offsets = offsets_of(ctx, ids)) == NULL)
        return RG_ENOMEM;
    return RG_OK;
}

static rg_status embedding_concat(rg_ctx *ctx)
{
    const rg_attr *order = rg_gpu_attr(ctx, "order");
    rg_value *out = rg_gpu_out(ctx, "Out");
    int64_t n = out->meta.shape.dim[0], step = out->meta.shape.dim[1];
    rg_gpu_site site = rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids");
    rg_cu_columns columns = {.n = 0};
    int at = 0;
    for (int p = 0; p < order->n; p++) {
        int k = order->ints[p];
        if (k >= 0) {
            RG_TRY(add_column(ctx, &columns, rg_in_n(ctx, rg_gpu_in_slot(ctx, "W"), k), k, at));
        } else {
            const rg_value *x = rg_in_n(ctx, rg_gpu_in_slot(ctx, "X"), -1 - k);
            if (x->meta.dtype != RG_F32)
                return rg_bad_dtype(ctx, rg_gpu_in_slot(ctx, "X"));
            columns.part[columns.n++] = (rg_cu_column){
                .table = x->data, .width = (int32_t)(n ? rg_numel(x) / n : 0), .at = at};
        }
        at += columns.part[columns.n - 1].width;
        if (p + 1 == order->n && at < step &&
            columns.n < RG_CU_PARTS) /* zeros that fill a row up */
            columns.part[columns.n++] = (rg_cu_column){.width = (int32_t)(step - at), .at = at};
        if (columns.n < RG_CU_PARTS && p + 1 < order->n)
            continue;
        rg_cu_gather_columns(n, step, &columns, out->data, site, rg_cuda(ctx));
        columns.n = 0;
        if (p + 1 == order->n && at < step && order->n % RG_CU_PARTS == 0) { /* it did not fit */
            columns.part[columns.n++] = (rg_cu_column){.width = (int32_t)(step - at), .at = at};
            rg_cu_gather_columns(n, step, &columns, out->data, site, rg_cuda(ctx));
        }
    }
    return rg_gpu_done(ctx, true, "Ids");
}

const rg_kernel rg_kernel_gpu_embedding_concat = {"fused_embedding_concat", "gpu", embedding_concat,
                                                  RG_KERNEL_PADS, NULL};

static rg_status embedding_concat_sgd(rg_ctx *ctx)
{
    const rg_value *dout = rg_gpu_in(ctx, "Out@GRAD");
    const rg_attr *at = rg_gpu_attr(ctx, "columns");
    rg_value *w = rg_gpu_out(ctx, "WOut");
    rg_gpu_site site = rg_gpu_site_of(ctx, RG_FAULT_ID, "Ids");
    rg_cu_columns columns = {.n = 0};
    int last = rg_n_in(ctx, rg_gpu_in_slot(ctx, "Ids")) - 1;
    RG_TRY(rg_gpu_meet(rg_gpu_stream_of(ctx), w->data));
    for (int k = 0; k <= last; k++) {
        RG_TRY(add_column(ctx, &columns, w, k, at->ints[k]));
        if (columns.n < RG_CU_PARTS && k < last)
            continue;
        rg_cu_scatter_columns(dout->meta.shape.dim[0], dout->meta.shape.dim[1], &columns,
                              dout->data, w->data, rg_gpu_in_data(ctx, "LearningRate"), site,
                              rg_cuda(ctx));
        columns.n = 0;
    }
    return rg_gpu_done(ctx, true, "Ids");
}

const rg_kernel rg_kernel_gpu_embedding_concat_sgd = {"fused_embedding_concat_sgd", "gpu",
                                                      embedding_concat_sgd, RG_KERNEL_TRAILS, NULL};
