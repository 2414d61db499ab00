/* lod_array.c - sequences as an array of steps, and back: lod_tensor_to_array and
 * array_to_lod_tensor, each the other's gradient.
 *
 *   item t of the array = step t of every sequence that has one, in the order of the rank table
 *
 * A step is a row, or a sequence of the level below the table's. */
#include "ir/program.h"
#include "ops/rank_table.h"
#include "ops/types.h"
#include "ops/units.h"

enum { X, RANK_TABLE };
enum { OUT };
enum { ADD };

/* ---- lod_tensor_to_array ---- */

static rg_status to_array_infer(rg_ctx *ctx)
{
    const rg_meta *x = rg_in_meta(ctx, X);
    rg_meta *out = rg_out_meta(ctx, OUT);
    if (out == NULL)
        return RG_OK;
    out->kind = RG_ARRAY;
    out->dtype = x->dtype;
    if (!rg_running(ctx)) {
        out->shape = x->shape;
        if (out->shape.rank > 0)
            out->shape.dim[0] = -1;
        out->lod_level = x->lod_level > 0 ? x->lod_level - 1 : 0;
    }
    return RG_OK;
}

#define ADD_TO(T, S)                                               \
    RG_HOT static void add_to_##S(T *to, const T *from, int64_t n) \
    {                                                              \
        for (int64_t i = 0; i < n; i++)                            \
            to[i] += from[i];                                      \
    }
RG_FLOATS(ADD_TO)

/* Step t into `item`, or added to what is there. */
static rg_status put_step(rg_ctx *ctx, const rg_pick *picks, int64_t n, int depth, rg_value *item)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value step;
    if (!rg_attr_bool(ctx, ADD) || item->data == NULL)
        return rg_pick_units(item, picks, n, depth, x);
    rg_value_init(&step);
    rg_status code = rg_pick_units(&step, picks, n, depth, x);
    if (code == RG_OK && !rg_shape_equal(&step.meta.shape, &item->meta.shape))
        code = rg_fail(RG_ESHAPE, "two gradients of one item of an array differ in shape");
    if (code == RG_OK && item->meta.dtype == RG_F32)
        add_to_f32(item->data, step.data, rg_numel(item));
    else if (code == RG_OK && item->meta.dtype == RG_F64)
        add_to_f64(item->data, step.data, rg_numel(item));
    else if (code == RG_OK)
        code = rg_bad_dtype(ctx, X);
    rg_value_fini(&step);
    return code;
}

/* Steps beyond the end of a sequence would be those of the next one. */
static rg_status check_lengths(const rg_ctx *ctx, const rg_lod *lod, const rg_rank_table *table)
{
    const int64_t *at = lod->offset[table->level];
    for (int64_t i = 0; i < table->n; i++) {
        int64_t s = table->items[i].index, length = at[s + 1] - at[s];
        if (length != table->items[i].length)
            return rg_fail(RG_ESHAPE,
                           "sequence %lld of X %s has %lld steps, and that of the rank table %lld: "
                           "inputs of one loop must be equally long",
                           (long long)s, rg_in_name(ctx, X, 0), (long long)length,
                           (long long)table->items[i].length);
    }
    return RG_OK;
}

static rg_status to_array_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_rank_table *table;
    const rg_lod *lod;
    rg_value *out = rg_out(ctx, OUT);
    RG_TRY(rg_rank_table_of(ctx, RANK_TABLE, &table));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (lod->levels <= table->level || rg_lod_sequences(lod, table->level) != table->n)
        return rg_fail(RG_ESHAPE,
                       "X %s does not have the %lld sequences of the rank table at "
                       "level %d",
                       rg_in_name(ctx, X, 0), (long long)table->n, table->level);
    RG_TRY(check_lengths(ctx, lod, table));
    int depth = lod->levels - table->level - 1;
    int64_t steps = table->n > 0 ? table->items[0].length : 0;
    rg_pick *picks = rg_scratch(ctx, (size_t)table->n * sizeof *picks);
    if (picks == NULL)
        return RG_ENOMEM;
    if (!rg_attr_bool(ctx, ADD))
        rg_value_array_clear(out);
    for (int64_t t = 0; t < steps; t++) {
        int64_t n = rg_rank_active(table, t);
        rg_value *item;
        for (int64_t i = 0; i < n; i++)
            picks[i] = (rg_pick){x, lod->offset[table->level][table->items[i].index] + t};
        RG_TRY(rg_value_item(out, (size_t)t, &item));
        RG_TRY(put_step(ctx, picks, n, depth, item));
    }
    return RG_OK;
}

static rg_status to_array_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "array_to_lod_tensor", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "RankTable", "RankTable"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_lod_tensor_to_array = {
    .type = "lod_tensor_to_array",
    .doc = "Sequences as an array of steps.",
    .in = RG_SLOTS([X] = {"X", "sequences", RG_ANY_KIND},
                   [RANK_TABLE] = {"RankTable", "", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "an array of tensors"}),
    .attr = RG_ATTRS([ADD] = RG_BOOLEAN("add", false, "of gradients: add to what is there")),
    .flags = RG_OP_DYNAMIC,
    .infer = to_array_infer,
    .kernel = to_array_kernel,
    .grad = to_array_grad,
};

/* ---- array_to_lod_tensor ---- */

static rg_status to_tensor_infer(rg_ctx *ctx)
{
    const rg_meta *array = rg_in_meta(ctx, X);
    rg_meta *out = rg_out_meta(ctx, OUT);
    if (array->kind != RG_ARRAY)
        return rg_fail(RG_ESHAPE, "X is a %s, and must be an array of tensors",
                       rg_kind_name(array->kind));
    if (out == NULL)
        return RG_OK;
    out->kind = RG_TENSOR;
    out->dtype = array->dtype;
    if (!rg_running(ctx)) {
        out->shape = array->shape;
        out->lod_level = array->lod_level + 1;
    }
    return RG_OK;
}

/* Above the steps' own levels: that of the table, and those above it. */
static rg_status full_lod(const rg_rank_table *table, const rg_lod *below, rg_lod **out)
{
    int above = table->above ? table->above->levels : 0, under = below ? below->levels : 0;
    size_t counts[2 * RG_MAX_LOD + 1];
    if (above + 1 + under > RG_MAX_LOD)
        return rg_fail(RG_ETOOBIG, "a LoD of %d levels", above + 1 + under);
    for (int l = 0; l < above; l++)
        counts[l] = table->above->count[l];
    counts[above] = (size_t)table->n + 1;
    for (int l = 0; l < under; l++)
        counts[above + 1 + l] = below->count[l];
    RG_TRY(rg_lod_new(out, above + 1 + under, counts));
    for (int l = 0; l < above + 1 + under; l++)
        for (size_t k = 0; l != above && k < counts[l]; k++)
            (*out)->offset[l][k] = l < above ? table->above->offset[l][k]
                                             : below->offset[l - above - 1][k];
    int64_t *offset = (*out)->offset[above];
    for (int64_t i = 0; i < table->n; i++)
        offset[table->items[i].index + 1] = table->items[i].length;
    for (int64_t i = 0; i < table->n; i++)
        offset[i + 1] += offset[i];
    return RG_OK;
}

/* The steps of all sequences, in the order of the sequences. */
static rg_status steps_in_order(rg_ctx *ctx, const rg_rank_table *table, rg_pick **out, int64_t *n)
{
    const rg_value *array = rg_in(ctx, X);
    int64_t *at = rg_scratch(ctx, (size_t)(table->n + 1) * sizeof *at);
    *n = 0;
    if (at == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < table->n; i++) {
        at[table->items[i].index] = table->items[i].length;
        *n += table->items[i].length;
    }
    for (int64_t i = 0, sum = 0; i < table->n; i++) {
        int64_t length = at[i];
        at[i] = sum;
        sum += length;
    }
    if (table->n > 0 && (int64_t)array->n_items < table->items[0].length)
        return rg_fail(RG_ESHAPE, "the array %s has %zu items, and the longest sequence %lld steps",
                       rg_in_name(ctx, X, 0), array->n_items, (long long)table->items[0].length);
    *out = rg_scratch(ctx, (size_t)*n * sizeof **out);
    if (*out == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < table->n; i++)
        for (int64_t t = 0; t < table->items[i].length; t++)
            (*out)[at[table->items[i].index] + t] = (rg_pick){array->items[t], i};
    return RG_OK;
}

static rg_status to_tensor_kernel(rg_ctx *ctx)
{
    const rg_value *array = rg_in(ctx, X);
    const rg_rank_table *table;
    rg_value *out = rg_out(ctx, OUT);
    rg_pick *picks;
    rg_lod *lod;
    int64_t n;
    RG_TRY(rg_rank_table_of(ctx, RANK_TABLE, &table));
    RG_TRY(steps_in_order(ctx, table, &picks, &n));
    if (array->n_items == 0 || array->items[0]->data == NULL)
        return rg_fail(RG_EINVAL, "the array %s is empty", rg_in_name(ctx, X, 0));
    RG_TRY(rg_pick_units(out, picks, n, rg_depth(array->items[0]), array->items[0]));
    RG_TRY(full_lod(table, out->meta.lod, &lod));
    rg_value_set_lod(out, lod);
    rg_lod_release(lod);
    return RG_OK;
}

static rg_status to_tensor_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "lod_tensor_to_array", false, &op));
    RG_TRY(rg_opdesc_set_attr(op, &(rg_attr){.name = "add", .type = RG_ATTR_BOOL, .b = true}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "RankTable", "RankTable"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_array_to_lod_tensor = {
    .type = "array_to_lod_tensor",
    .doc = "An array of steps as sequences.",
    .in = RG_SLOTS([X] = {"X", "an array of tensors", RG_ANY_KIND},
                   [RANK_TABLE] = {"RankTable", "", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "sequences"}),
    .flags = RG_OP_DYNAMIC,
    .infer = to_tensor_infer,
    .kernel = to_tensor_kernel,
    .grad = to_tensor_grad,
};
