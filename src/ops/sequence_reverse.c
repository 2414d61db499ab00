/* sequence_reverse.c - each sequence back to front; so is its gradient. */
#include "ir/program.h"
#include "ops/sequences.h"

#include <string.h>

enum { X };
enum { Y };

static rg_status sequence_reverse_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    RG_TRY(rg_expect_rank_from(ctx, X, 2));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    rg_set_like(ctx, Y, X);
    return RG_OK;
}

static rg_status sequence_reverse_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const int64_t *at = x->meta.lod->offset[0];
    size_t row = rg_row_bytes(x);
    uint8_t *to = rg_out_data(ctx, Y);
    for (int64_t i = 0; i < rg_lod_sequences(x->meta.lod, 0); i++)
        for (int64_t r = at[i + 1] - 1; r >= at[i]; r--, to += row)
            memcpy(to, rg_row(x, r), row);
    return RG_OK;
}

static rg_status sequence_reverse_grad(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "sequence_reverse", false, &op));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Y"));
    return rg_grad_write(ctx, op, "Y", "X", -1, NULL);
}

const rg_op rg_op_sequence_reverse = {
    .type = "sequence_reverse",
    .doc = "Each sequence back to front.",
    .in = RG_SLOTS([X] = {"X", "sequences"}),
    .out = RG_SLOTS([Y] = {"Y", "as long"}),
    .infer = sequence_reverse_infer,
    .kernel = sequence_reverse_kernel,
    .grad = sequence_reverse_grad,
};
