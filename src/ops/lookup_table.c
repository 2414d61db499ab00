/* lookup_table.c - rows of a table by id: what an embedding is.
 *
 *   Out[i] = W[Ids[i]]        zeros where Ids[i] is padding_idx
 *
 * lookup_table takes Ids of [..., 1] and drops that dimension; lookup_table_v2 keeps
 * it. The gradient of W is dense, or with is_sparse the rows that were read, in the
 * order they were read, duplicates included: whoever applies it merges them. */
#include "ops/number.h"
#include "ops/row_set.h"
#include "ops/types.h"

#include <string.h>

enum { W, IDS };
enum { OUT };
enum {
    IS_SPARSE,
    IS_DISTRIBUTED,
    PADDING_IDX,
    GRAD_INPLACE,
    REMOTE_PREFETCH,
    TRAINER_ID,
    HEIGHT_SECTIONS,
    EPMAP,
    TABLE_NAMES,
};

static rg_status infer(rg_ctx *ctx, bool drop_last)
{
    const rg_shape *w = rg_shape_of(ctx, W), *ids = rg_shape_of(ctx, IDS);
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64, RG_I32));
    rg_shape out = *ids;
    if (drop_last) {
        if (ids->rank < 1 || (ids->dim[ids->rank - 1] != 1 && ids->dim[ids->rank - 1] != -1)) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "Ids must end with a dimension of 1, and has the shape %s",
                           rg_shape_text(ids, text));
        }
        out.dim[out.rank - 1] = w->dim[1];
    } else {
        if (out.rank == RG_MAX_DIMS)
            return rg_fail(RG_ESHAPE, "Ids has %d dimensions already", out.rank);
        out.dim[out.rank++] = w->dim[1];
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, W), &out);
    rg_share_lod(ctx, IDS, OUT);
    return RG_OK;
}

static rg_status infer_v1(rg_ctx *ctx)
{
    return infer(ctx, true);
}

static rg_status infer_v2(rg_ctx *ctx)
{
    return infer(ctx, false);
}

static rg_status bad_id(const rg_ctx *ctx, int slot, int64_t id, int64_t at, int64_t rows)
{
    return rg_fail(RG_EVALUE, "%s has the id %lld at element %lld, and the table has %lld rows",
                   rg_in_name(ctx, slot, 0), (long long)id, (long long)at, (long long)rows);
}

/* Rows fetched before they are needed: a table seldom fits a cache. A row may lie in two lines. */
enum { AHEAD = 16 };

/* A table of SelectedRows has only some of its rows. */
static rg_status look_up_some(rg_ctx *ctx, const rg_value *w)
{
    const int64_t *ids;
    int64_t n, padding = rg_attr_long(ctx, PADDING_IDX);
    rg_row_finder finder;
    RG_TRY(rg_read_whole(ctx, IDS, &ids, &n));
    RG_TRY(rg_row_finder_of(ctx, w, &finder));
    size_t width = (size_t)rg_value_width(w) * rg_dtype_size(w->meta.dtype);
    uint8_t *to = rg_out_data(ctx, OUT);
    for (int64_t i = 0; i < n; i++, to += width) {
        if (ids[i] == padding && padding != -1) {
            memset(to, 0, width);
            continue;
        }
        int64_t at = rg_row_find(&finder, ids[i]);
        if (at < 0)
            return rg_fail(RG_EVALUE,
                           "%s has the id %lld at element %lld, which is not among the %zu rows "
                           "of W",
                           rg_in_name(ctx, IDS, 0), (long long)ids[i], (long long)i, w->n_rows);
        memcpy(to, (const uint8_t *)w->data + (size_t)at * width, width);
    }
    return RG_OK;
}

static rg_status look_up(rg_ctx *ctx)
{
    const rg_value *w = rg_in(ctx, W);
    if (w->meta.kind == RG_ROWS)
        return look_up_some(ctx, w);
    const int64_t *ids;
    int64_t n, rows = w->meta.shape.dim[0], padding = rg_attr_long(ctx, PADDING_IDX);
    RG_TRY(rg_read_whole(ctx, IDS, &ids, &n));
    size_t width = (size_t)w->meta.shape.dim[1] * rg_dtype_size(w->meta.dtype);
    const uint8_t *from = w->data;
    uint8_t *to = rg_out_data(ctx, OUT);
    rg_value_settle_rows(w, ids, n);
    for (int64_t i = 0; i < n; i++, to += width) {
        if (i + AHEAD < n) {
            __builtin_prefetch(from + (size_t)ids[i + AHEAD] * width);
            __builtin_prefetch(from + (size_t)ids[i + AHEAD] * width + width - 1);
        }
        if (ids[i] == padding && padding != -1) {
            memset(to, 0, width);
            continue;
        }
        if (ids[i] < 0 || ids[i] >= rows)
            return bad_id(ctx, IDS, ids[i], i, rows);
        memcpy(to, from + (size_t)ids[i] * width, width);
    }
    return RG_OK;
}

#define SLOTS                                                                                      \
    RG_SLOTS([W] = {"W", "the table, [rows, width]", RG_LATE_OK | RG_ROWS_OK}, [IDS] = {          \
                                                                                    "Ids",         \
                                                                                    "row numbers", \
                                                                                    RG_NO_GRAD})
#define ATTRS                                                                                    \
    RG_ATTRS([IS_SPARSE] = RG_BOOLEAN("is_sparse", false, "the gradient holds only rows read"),  \
             [IS_DISTRIBUTED] = RG_BOOLEAN("is_distributed", false, "the table is on servers"),  \
             [PADDING_IDX] = RG_LONG("padding_idx", -1, "this id gives zeros; -1: none does"),   \
             [GRAD_INPLACE] = RG_BOOLEAN("grad_inplace", false, "kept for files"),               \
             [REMOTE_PREFETCH] = RG_BOOLEAN("remote_prefetch", false, "rows come from servers"), \
             [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),                       \
             [HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS, "rows per server"),   \
             [EPMAP] = RG_LIST("epmap", RG_ATTR_STRINGS, "the servers"),                         \
             [TABLE_NAMES] = RG_LIST("table_names", RG_ATTR_STRINGS, "the parts of the table"))

const rg_op rg_op_lookup_table = {
    .type = "lookup_table",
    .doc = "Rows of a table by id; Ids ends with a dimension of 1, which is dropped.",
    .in = SLOTS,
    .out = RG_SLOTS([OUT] = {"Out", "[..., width]"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = infer_v1,
    .kernel = look_up,
};

const rg_op rg_op_lookup_table_v2 = {
    .type = "lookup_table_v2",
    .doc = "Rows of a table by id.",
    .in = SLOTS,
    .out = RG_SLOTS([OUT] = {"Out", "the shape of Ids, and width"}),
    .attr = ATTRS,
    .flags = RG_OP_LINEAR,
    .infer = infer_v2,
    .kernel = look_up,
};

/* ---- gradient ---- */

enum { G_W, G_IDS, G_DOUT };
enum { G_DW };

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_set_like(ctx, G_DW, G_W);
    rg_set_kind(ctx, G_DW, rg_attr_bool(ctx, IS_SPARSE) ? RG_ROWS : RG_TENSOR);
    return RG_OK;
}

static rg_status either_infer(rg_ctx *ctx)
{
    const rg_shape *ids = rg_shape_of(ctx, G_IDS);
    rg_set_like(ctx, G_DW, G_W);
    rg_set_kind(
        ctx, G_DW,
        rg_row_set_kind(rg_running(ctx) ? rg_shape_numel(ids) : -1, rg_shape_of(ctx, G_W)->dim[0]));
    return RG_OK;
}

#define ADD_ROWS(T, S)                                                                   \
    RG_HOT static void add_rows_##S(T *dw, const int64_t *ids, const T *dout, int64_t n, \
                                    int64_t width, int64_t padding)                      \
    {                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                \
            if (ids[i] == padding && padding != -1)                                      \
                continue;                                                                \
            T *row = dw + ids[i] * width;                                                \
            const T *g = dout + i * width;                                               \
            for (int64_t j = 0; j < width; j++)                                          \
                row[j] += g[j];                                                          \
        }                                                                                \
    }
RG_FLOATS(ADD_ROWS)

/* The rows are the ids themselves; those of the padding have a gradient of zero. */
static rg_status sparse_grad(rg_ctx *ctx, rg_value *dw, const int64_t *ids, int64_t n)
{
    const rg_value *w = rg_in(ctx, G_W);
    const uint8_t *dout = rg_in_data(ctx, G_DOUT);
    int64_t padding = rg_attr_long(ctx, PADDING_IDX);
    RG_TRY(rg_value_resize_rows(dw, w->meta.dtype, &w->meta.shape, (size_t)n));
    size_t width = (size_t)w->meta.shape.dim[1] * rg_dtype_size(w->meta.dtype);
    memcpy(dw->rows, ids, (size_t)n * sizeof *ids);
    memcpy(dw->data, dout, (size_t)n * width);
    for (int64_t i = 0; padding != -1 && i < n; i++)
        if (ids[i] == padding)
            memset((uint8_t *)dw->data + (size_t)i * width, 0, width);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dw = rg_out(ctx, G_DW);
    const int64_t *ids;
    int64_t n, rows = rg_shape_of(ctx, G_W)->dim[0];
    /* On servers the table grows; whoever applies rows to something smaller checks them. */
    bool grows = rg_attr_bool(ctx, IS_DISTRIBUTED) && rg_attr_bool(ctx, IS_SPARSE);
    RG_TRY(rg_read_whole(ctx, G_IDS, &ids, &n));
    for (int64_t i = 0; i < n; i++)
        if (ids[i] < 0 || (ids[i] >= rows && !grows))
            return bad_id(ctx, G_IDS, ids[i], i, rows);
    if (dw->meta.kind == RG_ROWS)
        return sparse_grad(ctx, dw, ids, n);
    memset(dw->data, 0, rg_value_bytes(dw));
    RG_CALL_FLOAT(ctx, G_DOUT, add_rows,
                  (dw->data, ids, rg_in_data(ctx, G_DOUT), n, rg_value_width(dw),
                   rg_attr_long(ctx, PADDING_IDX)))
    return RG_OK;
}

#define GRAD_SLOTS                                                                  \
    RG_SLOTS([G_W] = {"W", "", RG_SHAPE_ONLY | RG_ROWS_OK}, [G_IDS] = {"Ids", ""}, \
             [G_DOUT] = {"Out@GRAD", ""})

const rg_op rg_op_lookup_table_grad = {
    .type = "lookup_table_grad",
    .doc = "Gradient of lookup_table, dense or sparse.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([G_DW] = {"W@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};

const rg_op rg_op_lookup_table_v2_grad = {
    .type = "lookup_table_v2_grad",
    .doc = "Gradient of lookup_table_v2, dense or sparse.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([G_DW] = {"W@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};

const rg_op rg_op_fused_lookup_grad = {
    .type = "fused_lookup_grad",
    .doc = "Gradient of lookup_table, dense or sparse, whichever is less work.",
    .in = GRAD_SLOTS,
    .out = RG_SLOTS([G_DW] = {"W@GRAD", ""}),
    .attr = ATTRS,
    .flags = RG_OP_INTERNAL,
    .infer = either_infer,
    .kernel = grad_kernel,
};
