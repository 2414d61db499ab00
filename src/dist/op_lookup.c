/* op_lookup.c - rows of tables that live on servers: distributed_lookup_table, prefetch and
 * lookup_sparse_table.
 *
 *   Outputs[i] = rows Ids[i] of W        zeros where an id is padding_idx
 *
 * W itself has no value on a trainer: row r is in the section that covers r, at the server
 * of that section. Its gradient is that of lookup_table, which needs W's shape alone. */
#include "dist/job.h"

enum { IDS, W };
enum { OUTPUTS };
enum { TABLE_NAMES, HEIGHT_SECTIONS, ENDPOINTS, TRAINER_ID, VERSION, PADDING_IDX, DTYPE };

static rg_status ids_shape(const rg_ctx *ctx, const rg_meta *ids, bool drop_last, rg_shape *out)
{
    int last = ids->shape.rank - 1;
    *out = ids->shape;
    if (drop_last && (last < 0 || (out->dim[last] != 1 && out->dim[last] != -1))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Ids must end with a dimension of 1, and has the shape %s",
                       rg_shape_text(&ids->shape, text));
    }
    if (!drop_last && out->rank == RG_MAX_DIMS)
        return rg_fail(RG_ESHAPE, "Ids has %d dimensions already", out->rank);
    int at = drop_last ? last : out->rank++;
    out->dim[at] = rg_shape_of(ctx, W)->dim[1];
    return RG_OK;
}

static rg_status look_up_infer(rg_ctx *ctx)
{
    bool drop_last = rg_attr_string(ctx, VERSION)[sizeof "lookup_table" - 1] == '\0';
    RG_TRY(rg_expect_rank(ctx, W, 2));
    if (rg_n_in(ctx, IDS) != rg_n_out(ctx, OUTPUTS))
        return rg_fail(RG_ESHAPE, "there are %d Ids, and %d Outputs", rg_n_in(ctx, IDS),
                       rg_n_out(ctx, OUTPUTS));
    for (int i = 0; i < rg_n_in(ctx, IDS); i++) {
        const rg_meta *ids = rg_in_meta_n(ctx, IDS, i);
        rg_meta *out = rg_out_meta_n(ctx, OUTPUTS, i);
        rg_shape shape;
        if (ids == NULL || out == NULL)
            return rg_fail(RG_ESHAPE, "number %d of Ids or Outputs is empty", i);
        if (ids->dtype != RG_I64 && ids->dtype != RG_I32)
            return rg_fail(RG_ESHAPE, "Ids %s is %s, and must be int64 or int32",
                           rg_in_name(ctx, IDS, i), rg_dtype_name(ids->dtype));
        RG_TRY(ids_shape(ctx, ids, drop_last, &shape));
        rg_set_out_n(ctx, OUTPUTS, i, rg_dtype_of(ctx, W), &shape);
        out->lod = rg_lod_retain(ids->lod);
        out->lod_level = ids->lod_level;
    }
    return RG_OK;
}

const rg_op rg_op_distributed_lookup_table = {
    .type = "distributed_lookup_table",
    .doc = "Rows, by id, of a table that lives on servers.",
    .in = RG_SLOTS([IDS] = {"Ids", "row numbers", RG_REPEATED | RG_NO_GRAD},
                   [W] = {"W", "the table: its shape and type", RG_SHAPE_ONLY | RG_NO_GRAD}),
    .out = RG_SLOTS([OUTPUTS] = {"Outputs", "the rows, one output for each Ids", RG_REPEATED}),
    .attr = RG_ATTRS([TABLE_NAMES] = RG_LIST("table_names", RG_ATTR_STRINGS,
                                             "the slices of the table"),
                     [HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS,
                                                 "rows of each slice"),
                     [ENDPOINTS] = RG_ENDPOINTS("endpoints", "where each slice is"),
                     [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),
                     [VERSION] = RG_STRING("lookup_table_version", "lookup_table",
                                           "the op it stands for: lookup_table or lookup_table_v2"),
                     [PADDING_IDX] = RG_LONG("padding_idx", -1,
                                             "this id gives zeros; -1: none does"),
                     [DTYPE] = RG_INT("dtype", RG_F32, "the table's data type")),
    .flags = RG_OP_EFFECT,
    .infer = look_up_infer,
    .kernel = rg_needs_job,
};

enum { P_X };
enum { P_OUT };

static rg_status as_declared(rg_ctx *ctx)
{
    (void)ctx;
    return RG_OK;
}

const rg_op rg_op_prefetch = {
    .type = "prefetch",
    .doc = "Rows, by id, from one server each: of programs that real Paddle transpiled.",
    .in = RG_SLOTS([P_X] = {"X", "row numbers", RG_REPEATED | RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([P_OUT] = {"Out", "rows", RG_REPEATED}),
    .attr = RG_ATTRS(RG_INT("trainer_id", 0, "which trainer asks"),
                     RG_ENDPOINTS("epmap", "the server of each X")),
    .flags = RG_OP_EFFECT | RG_OP_DYNAMIC,
    .infer = as_declared,
    .kernel = rg_needs_job,
};

enum { L_W, L_IDS };
enum { L_OUT };

const rg_op rg_op_lookup_sparse_table = {
    .type = "lookup_sparse_table",
    .doc = "Rows, by id, of a table that grows: of servers that real Paddle transpiled.",
    .in = RG_SLOTS([L_W] = {"W", "the table", RG_NO_GRAD | RG_SHAPE_ONLY | RG_ANY_KIND},
                   [L_IDS] = {"Ids", "row numbers", RG_NO_GRAD}),
    .out = RG_SLOTS([L_OUT] = {"Out", "rows"}),
    .attr = RG_ATTRS(RG_LONG("padding_idx", -1, "this id gives zeros; -1: none does"),
                     RG_BOOLEAN("auto_grown_table", true, "a row comes to be when asked for"),
                     RG_BOOLEAN("is_test", false, "rows that are not there are zeros")),
    .flags = RG_OP_EFFECT | RG_OP_DYNAMIC,
    .infer = as_declared,
    .kernel = rg_needs_job,
};
