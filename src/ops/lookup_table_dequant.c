/* lookup_table_dequant.c - rows of a table that was packed into bytes, by id.
 *
 * A row of W is float32: the least and the largest of the row, then its elements, four bytes in
 * each float. An element is least + (largest - least) / 256 x byte. For inference: no gradient. */
#include "ops/number.h"

#include <string.h>

enum { W, IDS };
enum { OUT };
enum { PADDING_IDX };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *w = rg_shape_of(ctx, W);
    rg_shape out = *rg_shape_of(ctx, IDS);
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, W, RG_F32));
    RG_TRY(RG_EXPECT_DTYPE(ctx, IDS, RG_I64));
    if (out.rank < 1 || (out.dim[out.rank - 1] != 1 && out.dim[out.rank - 1] != -1)) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Ids must end with a dimension of 1, and has the shape %s",
                       rg_shape_text(&out, text));
    }
    if (w->dim[1] >= 0 && w->dim[1] < 3)
        return rg_fail(RG_ESHAPE, "W has %lld columns, and needs two and some with elements",
                       (long long)w->dim[1]);
    out.dim[out.rank - 1] = w->dim[1] < 0 ? -1 : (w->dim[1] - 2) * 4;
    rg_set_out(ctx, OUT, RG_F32, &out);
    rg_share_lod(ctx, IDS, OUT);
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *w = rg_in(ctx, W);
    int64_t columns = w->meta.shape.dim[1], width = (columns - 2) * 4, n;
    int64_t padding = rg_attr_long(ctx, PADDING_IDX);
    const int64_t *ids;
    float *out = rg_out_data(ctx, OUT);
    RG_TRY(rg_read_whole(ctx, IDS, &ids, &n));
    for (int64_t i = 0; i < n; i++, out += width) {
        if (ids[i] == padding && padding != -1) {
            memset(out, 0, (size_t)width * sizeof *out);
            continue;
        }
        RG_TRY(rg_check_ids(ctx, IDS, ids + i, 1, w->meta.shape.dim[0], "rows of the table"));
        const float *row = (const float *)w->data + ids[i] * columns;
        const uint8_t *bytes = (const uint8_t *)(row + 2);
        float step = (row[1] - row[0]) / 256;
        for (int64_t j = 0; j < width; j++)
            out[j] = row[0] + step * bytes[j];
    }
    return RG_OK;
}

const rg_op rg_op_lookup_table_dequant = {
    .type = "lookup_table_dequant",
    .doc = "Rows of a table packed into bytes, by id.",
    .in = RG_SLOTS([W] = {"W", "float32: least, largest, and packed bytes", RG_NO_GRAD},
                   [IDS] = {"Ids", "row numbers, [..., 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[..., 4 x (columns of W - 2)]"}),
    .attr = RG_ATTRS([PADDING_IDX] = RG_LONG("padding_idx", -1, "this id gives zeros; -1: none")),
    .infer = infer,
    .kernel = kernel,
};
