/* sequence_erase.c - sequences of ids without some of the ids. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X };
enum { OUT };
enum { TOKENS };

static rg_status sequence_erase_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_lod(ctx, X, &lod));
    if (x->dim[1] != 1 && x->dim[1] != -1) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have one id in a row, and has the shape %s",
                       rg_shape_text(x, text));
    }
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

static bool erased(const rg_attr *tokens, int64_t id)
{
    for (int i = 0; i < tokens->n; i++)
        if (tokens->ints[i] == id)
            return true;
    return false;
}

/* Keep what is not erased, and note in `to` where each sequence ends; at and to have n + 1
 * offsets. */
#define KEEP(T, S)                                                                        \
    static void keep_##S(const rg_attr *tokens, const T *x, const int64_t *at, int64_t n, \
                         int64_t *to, T *kept)                                            \
    {                                                                                     \
        int64_t rows = 0;                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                 \
            for (int64_t r = at[i]; r < at[i + 1]; r++)                                   \
                if (!erased(tokens, x[r]))                                                \
                    kept[rows++] = x[r];                                                  \
            to[i + 1] = rows;                                                             \
        }                                                                                 \
    }
KEEP(int32_t, i32)
KEEP(int64_t, i64)

static rg_status sequence_erase_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    int last = x->meta.lod->levels - 1;
    int64_t n = rg_lod_sequences(x->meta.lod, last);
    const int64_t *at = x->meta.lod->offset[last];
    void *kept = rg_scratch(ctx, rg_value_bytes(x));
    rg_lod *lod;
    if (kept == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_lod_slice(&lod, x->meta.lod, 0, last + 1));
    int64_t *to = lod->offset[last];
    if (x->meta.dtype == RG_I64)
        keep_i64(rg_attr_list(ctx, TOKENS), x->data, at, n, to, kept);
    else
        keep_i32(rg_attr_list(ctx, TOKENS), x->data, at, n, to, kept);
    rg_status code = rg_out_resize(ctx, OUT, 0, x->meta.dtype, &RG_SHAPE(to[n], 1));
    if (code == RG_OK) {
        rg_value_set_lod(out, lod);
        memcpy(out->data, kept, rg_value_bytes(out));
    }
    rg_lod_release(lod);
    return code;
}

const rg_op rg_op_sequence_erase = {
    .type = "sequence_erase",
    .doc = "Sequences of ids without some of the ids.",
    .in = RG_SLOTS([X] = {"X", "sequences of ids, [total, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "what is left of them"}),
    .attr = RG_ATTRS([TOKENS] = RG_REQUIRED("tokens", RG_ATTR_INTS, "the ids to leave out")),
    .flags = RG_OP_DYNAMIC,
    .infer = sequence_erase_infer,
    .kernel = sequence_erase_kernel,
};
