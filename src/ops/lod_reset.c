/* lod_reset.c - a tensor with other sequences.
 *
 *   Out = X with the LoD of Y; with the offsets that stand in Y, if Y has no LoD; or with the
 *         offsets target_lod. `append` adds those offsets as one more level below X's own. */
#include "ir/program.h"
#include "ops/sequences.h"
#include "ops/shape_args.h"

#include <string.h>

enum { X, Y };
enum { OUT };
enum { TARGET_LOD, APPEND };

static rg_status offsets_from(const rg_ctx *ctx, const rg_value *given, rg_lod **lod)
{
    const rg_attr *target = rg_attr_list(ctx, TARGET_LOD);
    int64_t n = given ? rg_numel(given) : target->n;
    if (given != NULL)
        RG_TRY(RG_EXPECT_DTYPE(ctx, Y, RG_I32, RG_I64));
    if (n < 1)
        return rg_fail(RG_EINVAL, "%s is empty: there is no LoD to take",
                       given ? "Y" : "target_lod");
    RG_TRY(rg_lod_one_level(lod, n - 1));
    for (int64_t i = 0; i < n; i++)
        (*lod)->offset[0][i] = given ? rg_whole_at(given, i) : target->ints[i];
    return RG_OK;
}

/* X's levels with `lod` below them; `lod` is taken. */
static rg_status append_to(const rg_lod *above, rg_lod *lod, rg_lod **out)
{
    size_t counts[RG_MAX_LOD];
    rg_lod *made = NULL;
    rg_status code = RG_OK;
    if (above == NULL) {
        *out = lod;
        return RG_OK;
    }
    if (above->levels == RG_MAX_LOD) {
        code = rg_fail(RG_ETOOBIG, "X has %d levels already", above->levels);
    } else {
        memcpy(counts, above->count, (size_t)above->levels * sizeof *counts);
        counts[above->levels] = lod->count[0];
        code = rg_lod_new(&made, above->levels + 1, counts);
    }
    for (int i = 0; code == RG_OK && i < made->levels; i++)
        memcpy(made->offset[i], i < above->levels ? above->offset[i] : lod->offset[0],
               made->count[i] * sizeof(int64_t));
    rg_lod_release(lod);
    *out = made;
    return code;
}

static rg_status new_lod(const rg_ctx *ctx, rg_lod **out)
{
    const rg_meta *x = rg_in_meta(ctx, X);
    const rg_value *y = rg_in(ctx, Y);
    rg_lod *lod;
    if (y != NULL && y->meta.lod != NULL) {
        lod = rg_lod_retain(y->meta.lod);
    } else {
        RG_TRY(offsets_from(ctx, y, &lod));
        if (rg_attr_bool(ctx, APPEND))
            RG_TRY(append_to(x->lod, lod, &lod));
    }
    rg_status code = rg_lod_check(lod, x->shape.dim[0]);
    if (code != RG_OK)
        rg_lod_release(lod);
    else
        *out = lod;
    return code == RG_ECORRUPT ? RG_EVALUE : code;
}

static rg_status lod_reset_infer(rg_ctx *ctx)
{
    rg_lod *lod = NULL;
    RG_TRY(rg_expect_rank_from(ctx, X, 1));
    if (!rg_has_in(ctx, Y) && rg_attr_list(ctx, TARGET_LOD)->n == 0)
        return rg_fail(RG_EINVAL, "there is neither Y nor target_lod to take a LoD from");
    if (rg_running(ctx))
        RG_TRY(new_lod(ctx, &lod));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), rg_shape_of(ctx, X));
    rg_take_lod(ctx, OUT, lod);
    int level = 1;
    if (rg_has_in(ctx, Y) && rg_in_meta(ctx, Y)->lod_level > 0)
        level = rg_in_meta(ctx, Y)->lod_level;
    else if (rg_attr_bool(ctx, APPEND))
        level = rg_in_meta(ctx, X)->lod_level + 1;
    rg_set_lod_level(ctx, OUT, level);
    return RG_OK;
}

static rg_status copy(const rg_value *from, rg_value *to)
{
    if (to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(to));
    return RG_OK;
}

static rg_status lod_reset_kernel(rg_ctx *ctx)
{
    return copy(rg_in(ctx, X), rg_out(ctx, OUT));
}

#define ATTRS                                                                                 \
    RG_ATTRS([TARGET_LOD] = RG_LIST("target_lod", RG_ATTR_INTS, "offsets, beginning with 0"), \
             [APPEND] = RG_BOOLEAN("append", false, "they are one more level"))

const rg_op rg_op_lod_reset = {
    .type = "lod_reset",
    .doc = "A tensor with other sequences.",
    .in = RG_SLOTS([X] = {"X", "a tensor"}, [Y] = {"Y", "sequences, or offsets",
                                                   RG_OPTIONAL | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "X with another LoD", RG_VIEW, .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = lod_reset_infer,
    .kernel = lod_reset_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DOUT };
enum { G_DX };

static rg_status lod_reset_grad_kernel(rg_ctx *ctx)
{
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_numel(rg_out(ctx, G_DX))));
    return copy(rg_in(ctx, G_DOUT), rg_out(ctx, G_DX));
}

/* Twice over: with the sequences of Out@GRAD, that is of Out. */
static rg_status lod_reset_second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "lod_reset_grad", true, &op));
    RG_TRY(rg_grad_read_in(ctx, op, "X", "Out@GRAD"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Out@GRAD", "X@GRAD"));
    return rg_grad_write(ctx, op, "X@GRAD", "Out@GRAD", -1, NULL);
}

const rg_op rg_op_lod_reset_grad = {
    .type = "lod_reset_grad",
    .doc = "Gradient of lod_reset.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_VIEW, .like = RG_OF(G_X), .inplace = RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .kernel = lod_reset_grad_kernel,
    .grad = lod_reset_second,
};
