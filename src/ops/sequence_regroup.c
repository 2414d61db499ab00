/* sequence_regroup.c - the same rows in other sequences.
 *
 *   merge   of two levels one: each sequence is all rows of its sub-sequences
 *   inner   of two levels the lower alone: each sub-sequence is a sequence
 *   windows a level below: `stride` rows each, the last of a sequence shorter where they do not
 *           go up; from_end: the first is the shorter one
 *
 * lod_reset takes sequences from elsewhere; here they follow from X's own. */
#include "ir/program.h"
#include "ops/sequences.h"

#include <string.h>

enum { X };
enum { OUT };
enum { HOW, STRIDE, FROM_END };

static rg_status merged(const rg_lod *lod, rg_lod **out)
{
    RG_TRY(rg_lod_one_level(out, rg_lod_sequences(lod, 0)));
    for (size_t i = 0; i < lod->count[0]; i++)
        (*out)->offset[0][i] = lod->offset[1][lod->offset[0][i]];
    return RG_OK;
}

static rg_status windows(const rg_lod *lod, int64_t stride, bool from_end, rg_lod **out)
{
    const int64_t *at = lod->offset[0];
    int64_t n = rg_lod_sequences(lod, 0), total = 0;
    for (int64_t i = 0; i < n; i++)
        total += (at[i + 1] - at[i] + stride - 1) / stride;
    RG_TRY(rg_lod_new(out, 2, (size_t[]){lod->count[0], (size_t)total + 1}));
    int64_t *coarse = (*out)->offset[0], *fine = (*out)->offset[1], w = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t rows = at[i + 1] - at[i];
        int64_t first = from_end && rows % stride != 0 ? rows % stride : stride;
        for (int64_t to = first; to < rows; to += stride)
            fine[++w] = at[i] + to;
        if (rows > 0)
            fine[++w] = at[i + 1];
        coarse[i + 1] = w;
    }
    return RG_OK;
}

/* Levels that Out has; while a program is built *made is NULL. */
static rg_status regroup(const rg_ctx *ctx, const rg_lod *lod, rg_lod **made, int *levels)
{
    const char *how = rg_attr_string(ctx, HOW);
    bool split = strcmp(how, "windows") == 0;
    *levels = split ? 2 : 1;
    if (!split && strcmp(how, "merge") != 0 && strcmp(how, "inner") != 0)
        return rg_fail(RG_EINVAL, "how is %s, and may be merge, inner or windows", how);
    if (split && rg_attr_int(ctx, STRIDE) < 1)
        return rg_fail(RG_EINVAL, "stride is %d, and must be at least 1", rg_attr_int(ctx, STRIDE));
    if (lod == NULL)
        return RG_OK;
    if (lod->levels != (split ? 1 : 2))
        return rg_fail(RG_ESHAPE, "X has a LoD of %d levels, and for %s it must have %s",
                       lod->levels, how, split ? "one" : "two");
    if (split)
        return windows(lod, rg_attr_int(ctx, STRIDE), rg_attr_bool(ctx, FROM_END), made);
    return strcmp(how, "merge") == 0 ? merged(lod, made) : rg_lod_slice(made, lod, 1, 2);
}

static rg_status sequence_regroup_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    rg_lod *made = NULL;
    int levels;
    RG_TRY(rg_expect_rank_from(ctx, X, 1));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    RG_TRY(regroup(ctx, lod, &made, &levels));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    rg_take_lod(ctx, OUT, made);
    rg_set_lod_level(ctx, OUT, levels);
    return RG_OK;
}

static void copy(const rg_value *from, rg_value *to)
{
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
}

static rg_status sequence_regroup_kernel(rg_ctx *ctx)
{
    copy(rg_in(ctx, X), rg_out(ctx, OUT));
    return RG_OK;
}

/* The gradient is that of X's rows, in X's sequences. */
static rg_status sequence_regroup_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "lod_reset_grad", false, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "Out"));
    return rg_grad_write(ctx, op, "X@GRAD", "X", -1, NULL);
}

const rg_op rg_op_sequence_regroup = {
    .type = "sequence_regroup",
    .doc = "The same rows in other sequences.",
    .in = RG_SLOTS([X] = {"X", "sequences"}),
    .out = RG_SLOTS([OUT] = {"Out", "X with another LoD", RG_VIEW, .inplace = RG_OF(X)}),
    .attr = RG_ATTRS([HOW] = RG_REQUIRED("how", RG_ATTR_STRING, "merge, inner or windows"),
                     [STRIDE] = RG_INT("stride", 0, "rows of a window"),
                     [FROM_END] = RG_BOOLEAN("from_end", false, "windows are full at the end")),
    .infer = sequence_regroup_infer,
    .kernel = sequence_regroup_kernel,
    .grad = sequence_regroup_grad,
};
