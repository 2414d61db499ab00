/* filter_by_instag.c - the instances that have one of some tags.
 *
 * An instance is a row of Ins, or with is_lod a sequence; Ins_tag has the tags of each, a
 * sequence an instance. Out is those of which a tag is in Filter_tag, in their order; IndexMap
 * says where each stands in Out and in Ins, and how many rows it has; LossWeight is 1 for each.
 * Where there is none, Out is one row of out_val_if_empty, and LossWeight one 0: the step then
 * teaches nothing, and the gradient is 0. */
#include "ops/number.h"
#include "ops/sequences.h"

#include <string.h>

enum { INS, INS_TAG, FILTER_TAG };
enum { OUT, LOSS_WEIGHT, INDEX_MAP };
enum { IS_LOD, OUT_VAL_IF_EMPTY };

static rg_status infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_shape out = *rg_shape_of(ctx, INS);
    RG_TRY(rg_expect_rank_from(ctx, INS, 1));
    RG_TRY(rg_expect_lod(ctx, INS_TAG, &lod));
    RG_TRY(RG_EXPECT_DTYPE(ctx, INS_TAG, RG_I64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, FILTER_TAG, RG_I64));
    if (rg_attr_bool(ctx, IS_LOD))
        RG_TRY(rg_expect_lod(ctx, INS, &lod));
    out.dim[0] = -1;
    if (!rg_running(ctx)) {
        rg_set_out(ctx, OUT, rg_dtype_of(ctx, INS), &out);
        rg_set_out(ctx, LOSS_WEIGHT, RG_F32, &RG_SHAPE(-1, 1));
        rg_set_out(ctx, INDEX_MAP, RG_I64, &RG_SHAPE(-1, 3));
    }
    return RG_OK;
}

static bool has_tag(const int64_t *tags, int64_t from, int64_t to, const rg_value *wanted)
{
    for (int64_t t = from; t < to; t++)
        for (int64_t w = 0; w < rg_numel(wanted); w++)
            if (tags[t] == ((const int64_t *)wanted->data)[w])
                return true;
    return false;
}

/* The rows of the n chosen instances, first[i] and length[i], go to Out; *lod gets theirs. */
static rg_status move_out(rg_ctx *ctx, const int64_t *first, const int64_t *length, int64_t n,
                          rg_lod *of_out, rg_lod *of_map)
{
    const rg_value *ins = rg_in(ctx, INS);
    rg_value *out = rg_out(ctx, OUT), *map = rg_out(ctx, INDEX_MAP);
    rg_value *weight = rg_out(ctx, LOSS_WEIGHT);
    rg_shape shape = ins->meta.shape;
    int64_t lines = n > 0 ? n : 1;
    shape.dim[0] = n > 0 ? 0 : 1;
    for (int64_t i = 0; i < n; i++)
        shape.dim[0] += length[i];
    RG_TRY(rg_out_resize(ctx, OUT, 0, ins->meta.dtype, &shape));
    RG_TRY(rg_out_resize(ctx, LOSS_WEIGHT, 0, RG_F32, &RG_SHAPE(lines, 1)));
    RG_TRY(rg_out_resize(ctx, INDEX_MAP, 0, RG_I64, &RG_SHAPE(lines, 3)));
    if (n == 0) {
        const int64_t none[3] = {0, 1, 1};
        if (map != NULL)
            memcpy(map->data, none, sizeof none);
        if (weight != NULL)
            *(float *)weight->data = 0;
        of_out->offset[0][1] = of_map->offset[0][1] = 1;
        return out ? rg_fill(out, (double)rg_attr_long(ctx, OUT_VAL_IF_EMPTY)) : RG_OK;
    }
    for (int64_t i = 0, to = 0; i < n; i++, to += length[i - 1]) {
        const int64_t line[3] = {to, first[i], length[i]};
        if (out != NULL)
            memcpy(rg_row(out, to), rg_row(ins, first[i]), (size_t)length[i] * rg_row_bytes(ins));
        if (map != NULL)
            memcpy((int64_t *)map->data + 3 * i, line, sizeof line);
        if (weight != NULL)
            ((float *)weight->data)[i] = 1;
        of_out->offset[0][i + 1] = to + length[i];
        of_map->offset[0][i + 1] = i + 1;
    }
    return RG_OK;
}

/* Choose the instances, and note where each is. */
static rg_status choose(rg_ctx *ctx, int64_t **first, int64_t **length, int64_t *chosen)
{
    const rg_value *ins = rg_in(ctx, INS), *tag = rg_in(ctx, INS_TAG);
    const rg_lod *tags = tag->meta.lod;
    const int64_t *at = rg_attr_bool(ctx, IS_LOD) ? ins->meta.lod->offset[0] : NULL;
    int64_t n = at ? rg_lod_sequences(ins->meta.lod, 0) : ins->meta.shape.dim[0];
    if (rg_lod_sequences(tags, 0) != n || tags->levels != 1)
        return rg_fail(RG_ESHAPE, "%s (Ins_tag) has tags of %lld instances, and %s (Ins) has %lld",
                       rg_in_name(ctx, INS_TAG, 0), (long long)rg_lod_sequences(tags, 0),
                       rg_in_name(ctx, INS, 0), (long long)n);
    if (at != NULL && ins->meta.lod->levels != 1)
        return rg_fail(RG_ESHAPE, "Ins has a LoD of %d levels, and must have one",
                       ins->meta.lod->levels);
    *first = rg_scratch(ctx, (size_t)(n + 1) * sizeof **first);
    *length = rg_scratch(ctx, (size_t)(n + 1) * sizeof **length);
    if (*first == NULL || *length == NULL)
        return RG_ENOMEM;
    *chosen = 0;
    for (int64_t i = 0; i < n; i++)
        if (has_tag(tag->data, tags->offset[0][i], tags->offset[0][i + 1],
                    rg_in(ctx, FILTER_TAG))) {
            (*first)[*chosen] = at ? at[i] : i;
            (*length)[(*chosen)++] = at ? at[i + 1] - at[i] : 1;
        }
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    int64_t *first, *length, n;
    rg_lod *of_out, *of_map = NULL;
    RG_TRY(choose(ctx, &first, &length, &n));
    RG_TRY(rg_lod_one_level(&of_out, n > 0 ? n : 1));
    rg_status code = rg_lod_one_level(&of_map, n > 0 ? n : 1);
    if (code == RG_OK)
        code = move_out(ctx, first, length, n, of_out, of_map);
    for (int slot = OUT; code == RG_OK && slot <= INDEX_MAP; slot++)
        if (rg_out(ctx, slot) != NULL)
            rg_value_set_lod(rg_out(ctx, slot), slot == OUT ? of_out : of_map);
    rg_lod_release(of_out);
    rg_lod_release(of_map);
    return code;
}

#define ATTRS                                                                                  \
    RG_ATTRS([IS_LOD] = RG_BOOLEAN("is_lod", true, "an instance is a sequence, not a row"),    \
             [OUT_VAL_IF_EMPTY] = RG_LONG("out_val_if_empty", 0, "what Out has without any"))

const rg_op rg_op_filter_by_instag = {
    .type = "filter_by_instag",
    .doc = "The instances that have one of some tags.",
    .in = RG_SLOTS([INS] = {"Ins", "instances: rows, or sequences"},
                   [INS_TAG] = {"Ins_tag", "int64, the tags of each", RG_NO_GRAD},
                   [FILTER_TAG] = {"Filter_tag", "int64, the tags wanted", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "those that have one"},
                    [LOSS_WEIGHT] = {"LossWeight", "1 for each; 0: there is none"},
                    [INDEX_MAP] = {"IndexMap", "place in Out, place in Ins, rows of each"}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_INDEX_MAP, G_LOSS_WEIGHT, G_DOUT, G_INS };
enum { G_DINS };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *map = rg_in(ctx, G_INDEX_MAP), *dout = rg_in(ctx, G_DOUT);
    rg_value *dins = rg_out(ctx, G_DINS);
    const int64_t *line = map->data;
    size_t width = rg_row_bytes(dins);
    RG_TRY(rg_expect_same_dtype(ctx, G_INS, G_DOUT));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_INDEX_MAP, RG_I64));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_LOSS_WEIGHT, RG_F32));
    RG_TRY(rg_expect_numel(ctx, G_INDEX_MAP, 3 * map->meta.shape.dim[0]));
    RG_TRY(rg_expect_numel(ctx, G_LOSS_WEIGHT, map->meta.shape.dim[0]));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, dout->meta.shape.dim[0] * rg_value_width(dins)));
    memset(dins->data, 0, rg_value_bytes(dins));
    if (rg_numel(map) == 0 || *(const float *)rg_in_data(ctx, G_LOSS_WEIGHT) == 0)
        return RG_OK;
    for (int64_t i = 0; i < map->meta.shape.dim[0]; i++, line += 3) {
        if (line[0] < 0 || line[2] < 0 || line[0] + line[2] > dout->meta.shape.dim[0] ||
            line[1] < 0 || line[1] + line[2] > dins->meta.shape.dim[0])
            return rg_fail(RG_EVALUE, "IndexMap is not of these instances: %lld, %lld, %lld",
                           (long long)line[0], (long long)line[1], (long long)line[2]);
        memcpy(rg_row(dins, line[1]), rg_row(dout, line[0]), (size_t)line[2] * width);
    }
    return RG_OK;
}

const rg_op rg_op_filter_by_instag_grad = {
    .type = "filter_by_instag_grad",
    .doc = "Gradient of filter_by_instag.",
    .in = RG_SLOTS([G_INDEX_MAP] = {"IndexMap", ""}, [G_LOSS_WEIGHT] = {"LossWeight", ""},
                   [G_DOUT] = {"Out@GRAD", ""}, [G_INS] = {"Ins", "", RG_SHAPE_ONLY}),
    .out = RG_SLOTS([G_DINS] = {"Ins@GRAD", "", .like = RG_OF(G_INS)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
