/* split_merge.c - sequences, or rows, parted by a mask and put together again:
 * split_lod_tensor and merge_lod_tensor, each the other's gradient.
 *
 *   split    OutTrue = those of X where Mask is true, OutFalse the others
 *   merge    Out = the next of InTrue where Mask is true, else the next of InFalse */
#include "ir/program.h"
#include "ops/units.h"

enum { LEVEL };

static rg_status read_mask(const rg_ctx *ctx, int slot, const bool **mask, int64_t *n)
{
    const rg_value *value = rg_in(ctx, slot);
    RG_TRY(RG_EXPECT_DTYPE(ctx, slot, RG_BOOL));
    if (rg_attr_int(ctx, LEVEL) != 0)
        return rg_fail(RG_EUNIMPL, "level is %d, and only 0 is implemented",
                       rg_attr_int(ctx, LEVEL));
    *mask = value->data;
    *n = rg_numel(value);
    return RG_OK;
}

/* ---- split_lod_tensor ---- */

enum { X, MASK };
enum { OUT_TRUE, OUT_FALSE };

static rg_status split_infer(rg_ctx *ctx)
{
    for (int out = OUT_TRUE; !rg_running(ctx) && out <= OUT_FALSE; out++) {
        rg_shape shape = *rg_shape_of(ctx, X);
        rg_set_like(ctx, out, X);
        if (shape.rank > 0)
            shape.dim[0] = -1;
        rg_set_shape(ctx, out, &shape);
    }
    return RG_OK;
}

static rg_status split_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const bool *mask;
    int64_t n, depth = rg_depth(x);
    RG_TRY(read_mask(ctx, MASK, &mask, &n));
    if (rg_units(x, (int)depth) != n)
        return rg_fail(RG_ESHAPE, "X %s has %lld %s, and Mask %lld elements", rg_in_name(ctx, X, 0),
                       (long long)rg_units(x, (int)depth), depth ? "sequences" : "rows",
                       (long long)n);
    rg_pick *picks = rg_scratch(ctx, (size_t)n * sizeof *picks);
    if (picks == NULL)
        return RG_ENOMEM;
    for (int out = OUT_TRUE; out <= OUT_FALSE; out++) {
        int64_t taken = 0;
        for (int64_t i = 0; i < n; i++)
            if (mask[i] == (out == OUT_TRUE))
                picks[taken++] = (rg_pick){x, i};
        if (rg_has_out(ctx, out))
            RG_TRY(rg_pick_units(rg_out(ctx, out), picks, taken, (int)depth, x));
    }
    return RG_OK;
}

static rg_status split_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "merge_lod_tensor", true, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    RG_TRY(rg_grad_read_in(ctx, op, "Mask", "Mask"));
    RG_TRY(rg_grad_read_grad(ctx, op, "InTrue", "OutTrue"));
    RG_TRY(rg_grad_read_grad(ctx, op, "InFalse", "OutFalse"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

#define ATTRS RG_ATTRS([LEVEL] = RG_INT("level", 0, "0: sequences of the first level, or rows"))

const rg_op rg_op_split_lod_tensor = {
    .type = "split_lod_tensor",
    .doc = "Sequences, or rows, parted by a mask.",
    .in = RG_SLOTS([X] = {"X", "sequences or rows"}, [MASK] = {"Mask", "a bool each", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT_TRUE] = {"OutTrue", "those whose bool is true"}, [OUT_FALSE] =
                                                                              {"OutFalse",
                                                                               "the others"}),
    .attr = ATTRS,
    .flags = RG_OP_DYNAMIC,
    .infer = split_infer,
    .kernel = split_kernel,
    .grad = split_grad,
};

/* ---- merge_lod_tensor ---- */

enum { M_X, M_MASK, M_TRUE, M_FALSE };
enum { M_OUT };

static rg_status merge_infer(rg_ctx *ctx)
{
    if (!rg_running(ctx))
        rg_set_like(ctx, M_OUT, M_TRUE);
    return RG_OK;
}

static rg_status merge_kernel(rg_ctx *ctx)
{
    const rg_value *parts[2] = {rg_in(ctx, M_FALSE), rg_in(ctx, M_TRUE)};
    const bool *mask;
    int64_t n, used[2] = {0, 0};
    RG_TRY(read_mask(ctx, M_MASK, &mask, &n));
    int depth = rg_depth(parts[1]) > rg_depth(parts[0]) ? rg_depth(parts[1]) : rg_depth(parts[0]);
    rg_pick *picks = rg_scratch(ctx, (size_t)n * sizeof *picks);
    if (picks == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        picks[i] = (rg_pick){parts[mask[i]], used[mask[i]]++};
    for (int k = 0; k < 2; k++)
        if ((used[k] > 0 || rg_depth(parts[k]) >= depth) && rg_units(parts[k], depth) != used[k])
            return rg_fail(RG_ESHAPE, "%s %s has %lld %s, and Mask says %lld",
                           ctx->op->in[k ? M_TRUE : M_FALSE].name,
                           rg_in_name(ctx, k ? M_TRUE : M_FALSE, 0),
                           (long long)rg_units(parts[k], depth), depth ? "sequences" : "rows",
                           (long long)used[k]);
    return rg_pick_units(rg_out(ctx, M_OUT), picks, n, depth, parts[n > 0 && mask[0]]);
}

static rg_status merge_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "split_lod_tensor", true, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    RG_TRY(rg_grad_read_in(ctx, op, "Mask", "Mask"));
    RG_TRY(rg_grad_write(ctx, op, "OutTrue", "InTrue", -1, NULL));
    return rg_grad_write(ctx, op, "OutFalse", "InFalse", -1, NULL);
}

#define MERGE(TYPE, DOC, GRAD)                                                                    \
    {                                                                                             \
        .type = (TYPE), .doc = (DOC),                                                             \
        .in = RG_SLOTS([M_X] = {"X", "of which they are the parts", RG_NO_GRAD | RG_SHAPE_ONLY},  \
                       [M_MASK] = {"Mask", "a bool each", RG_NO_GRAD},                            \
                       [M_TRUE] = {"InTrue", "those whose bool is true"},                         \
                       [M_FALSE] = {"InFalse", "the others"}),                                    \
        .out = RG_SLOTS([M_OUT] = {"Out", "all of them"}), .attr = ATTRS, .flags = RG_OP_DYNAMIC, \
        .infer = merge_infer, .kernel = merge_kernel, .grad = (GRAD)                              \
    }

const rg_op rg_ops_merge_lod_tensor[] = {
    MERGE("merge_lod_tensor", "Sequences, or rows, put together by a mask.", merge_grad),
    MERGE("merge_lod_tensor_infer", "merge_lod_tensor in programs that are not trained.", NULL),
    {.type = NULL},
};
