/* rank_table.c - sequences by falling length: lod_rank_table, max_sequence_len,
 * reorder_lod_tensor_by_rank and shrink_rnn_memory.
 *
 * A loop over sequences runs on all of them at once, the longest first; so at each step
 * those that still go on are the first ones. */
#include "ops/rank_table.h"

#include "base/mem.h"
#include "ir/program.h"
#include "ops/shape_args.h"
#include "ops/sequences.h"
#include "ops/units.h"

#include <stdlib.h>
#include <string.h>

rg_status rg_rank_table_of(const rg_ctx *ctx, int slot, const rg_rank_table **table)
{
    const rg_value *value = rg_in(ctx, slot);
    if (value == NULL || value->meta.kind != RG_RANK_TABLE || value->object == NULL)
        return rg_fail(RG_EINVAL, "%s %s is not a rank table", ctx->op->in[slot].name,
                       rg_in_name(ctx, slot, 0));
    *table = value->object;
    return RG_OK;
}

int64_t rg_rank_active(const rg_rank_table *table, int64_t step)
{
    int64_t n = 0;
    while (n < table->n && table->items[n].length > step)
        n++;
    return n;
}

/* ---- lod_rank_table ---- */

enum { X, RANK_TABLE, I };
enum { OUT };
enum { LEVEL };

static void drop(void *object)
{
    rg_rank_table *table = object;
    rg_lod_release(table->above);
    rg_free(table);
}

static rg_status rank_infer(rg_ctx *ctx)
{
    rg_set_kind(ctx, OUT, RG_RANK_TABLE);
    return RG_OK;
}

static int longest_first(const void *a, const void *b)
{
    const rg_ranked *x = a, *y = b;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static rg_status rank_kernel(rg_ctx *ctx)
{
    const rg_lod *lod;
    int level = rg_attr_int(ctx, LEVEL);
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (level < 0 || level >= lod->levels)
        return rg_fail(RG_EINVAL, "level is %d, and X has %d levels", level, lod->levels);
    int64_t n = rg_lod_sequences(lod, level);
    size_t bytes = sizeof(rg_rank_table) + (size_t)n * sizeof(rg_ranked);
    rg_rank_table *table = rg_alloc_zero(1, bytes);
    if (table == NULL)
        return rg_no_memory(bytes, "a rank table");
    rg_value_set_object(rg_out(ctx, OUT), RG_RANK_TABLE, table, drop);
    table->level = level;
    table->n = n;
    for (int64_t i = 0; i < n; i++)
        table->items[i] = (rg_ranked){i, lod->offset[level][i + 1] - lod->offset[level][i]};
    qsort(table->items, (size_t)n, sizeof *table->items, longest_first);
    return rg_lod_slice(&table->above, lod, 0, level);
}

const rg_op rg_op_lod_rank_table = {
    .type = "lod_rank_table",
    .doc = "The sequences of a tensor by falling length.",
    .in = RG_SLOTS([X] = {"X", "sequences", RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([OUT] = {"Out", "a rank table"}),
    .attr = RG_ATTRS([LEVEL] = RG_INT("level", 0, "of the LoD")),
    .flags = RG_OP_DYNAMIC,
    .infer = rank_infer,
    .kernel = rank_kernel,
};

/* ---- max_sequence_len ---- */

static rg_status length_infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(1));
    return RG_OK;
}

static rg_status length_kernel(rg_ctx *ctx)
{
    const rg_rank_table *table;
    RG_TRY(rg_rank_table_of(ctx, 0, &table));
    *(int64_t *)rg_out_data(ctx, OUT) = table->n > 0 ? table->items[0].length : 0;
    return RG_OK;
}

const rg_op rg_op_max_sequence_len = {
    .type = "max_sequence_len",
    .doc = "The length of the longest sequence of a rank table.",
    .in = RG_SLOTS([0] = {"RankTable", "", RG_NO_GRAD | RG_ANY_KIND}),
    .out = RG_SLOTS([OUT] = {"Out", "one int64"}),
    .infer = length_infer,
    .kernel = length_kernel,
};

/* ---- reorder_lod_tensor_by_rank ---- */

static rg_status like_infer(rg_ctx *ctx)
{
    if (!rg_running(ctx))
        rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Sequences of the first level, or rows, in the order of the table or back from it. */
static rg_status reorder(rg_ctx *ctx, bool back)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_rank_table *table;
    int depth = rg_depth(x);
    RG_TRY(rg_rank_table_of(ctx, RANK_TABLE, &table));
    if (rg_units(x, depth) != table->n)
        return rg_fail(RG_ESHAPE, "X %s has %lld %s, and the rank table %lld sequences",
                       rg_in_name(ctx, X, 0), (long long)rg_units(x, depth),
                       depth ? "sequences" : "rows", (long long)table->n);
    rg_pick *picks = rg_scratch(ctx, (size_t)table->n * sizeof *picks);
    if (picks == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < table->n; i++) {
        int64_t from = table->items[i].index;
        picks[back ? from : i] = (rg_pick){x, back ? i : from};
    }
    return rg_pick_units(rg_out(ctx, OUT), picks, table->n, depth, x);
}

static rg_status reorder_kernel(rg_ctx *ctx)
{
    return reorder(ctx, false);
}

static rg_status reorder_back_kernel(rg_ctx *ctx)
{
    return reorder(ctx, true);
}

static rg_status reorder_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "reorder_lod_tensor_by_rank_grad", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "RankTable", "RankTable"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

#define REORDER_SLOTS                                                           \
    RG_SLOTS([X] = {"X", "sequences or rows"}, [RANK_TABLE] = {"RankTable", "", \
                                                               RG_NO_GRAD | RG_ANY_KIND})

const rg_op rg_op_reorder_lod_tensor_by_rank = {
    .type = "reorder_lod_tensor_by_rank",
    .doc = "Sequences, or rows, in the order of a rank table.",
    .in = REORDER_SLOTS,
    .out = RG_SLOTS([OUT] = {"Out", "as many"}),
    .flags = RG_OP_DYNAMIC,
    .infer = like_infer,
    .kernel = reorder_kernel,
    .grad = reorder_grad,
};

const rg_op rg_op_reorder_lod_tensor_by_rank_grad = {
    .type = "reorder_lod_tensor_by_rank_grad",
    .doc = "Gradient of reorder_lod_tensor_by_rank: back from the order of a rank table.",
    .in = REORDER_SLOTS,
    .out = RG_SLOTS([OUT] = {"Out", "as many"}),
    .flags = RG_OP_DYNAMIC,
    .infer = like_infer,
    .kernel = reorder_back_kernel,
};

/* ---- shrink_rnn_memory ---- */

static rg_status shrink_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *step = rg_in(ctx, I);
    const rg_rank_table *table;
    int depth = rg_depth(x);
    RG_TRY(rg_rank_table_of(ctx, RANK_TABLE, &table));
    RG_TRY(RG_EXPECT_DTYPE(ctx, I, RG_I64, RG_I32));
    if (rg_numel(step) != 1)
        return rg_fail(RG_ESHAPE, "I %s must be one number", rg_in_name(ctx, I, 0));
    int64_t n = rg_rank_active(table, rg_whole_at(step, 0));
    rg_pick *picks = rg_scratch(ctx, (size_t)n * sizeof *picks);
    if (picks == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        picks[i] = (rg_pick){x, i};
    return rg_pick_units(rg_out(ctx, OUT), picks, n, depth, x);
}

const rg_op rg_op_shrink_rnn_memory = {
    .type = "shrink_rnn_memory",
    .doc = "Of rows in the order of a rank table, those whose sequence goes on at step I.",
    .in = RG_SLOTS([X] = {"X", "sequences or rows"},
                   [RANK_TABLE] = {"RankTable", "", RG_NO_GRAD | RG_ANY_KIND},
                   [I] = {"I", "the step", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the first of them"}),
    .flags = RG_OP_DYNAMIC,
    .infer = like_infer,
    .kernel = shrink_kernel,
};

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status shrink_grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    rg_value *dx = rg_out(ctx, G_DX);
    size_t bytes = rg_value_bytes(dout), all = rg_value_bytes(dx);
    if (rg_value_width(dout) != rg_value_width(dx) || bytes > all) {
        char ta[RG_SHAPE_TEXT], tb[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Out@GRAD of shape %s is not of an X of shape %s",
                       rg_shape_text(&dout->meta.shape, ta), rg_shape_text(&dx->meta.shape, tb));
    }
    memcpy(dx->data, dout->data, bytes);
    memset((uint8_t *)dx->data + bytes, 0, all - bytes);
    return RG_OK;
}

const rg_op rg_op_shrink_rnn_memory_grad = {
    .type = "shrink_rnn_memory_grad",
    .doc = "Gradient of shrink_rnn_memory: zeros for what was left out.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .kernel = shrink_grad_kernel,
};
