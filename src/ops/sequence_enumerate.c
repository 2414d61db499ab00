/* sequence_enumerate.c - the windows of a sequence of ids.
 *
 *   Out[t] = X[t], ..., X[t + win_size - 1]    pad_value after the end of the sequence */
#include "ops/sequences.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { WIN_SIZE, PAD_VALUE, ALL_KERNELS };

static rg_status sequence_enumerate_infer(rg_ctx *ctx)
{
    const rg_lod *lod;
    const rg_shape *x = rg_shape_of(ctx, X);
    int64_t window = rg_attr_int(ctx, WIN_SIZE);
    RG_TRY(RG_EXPECT_DTYPE(ctx, X, RG_I64, RG_I32));
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    if (x->dim[1] != 1 && x->dim[1] != -1) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have one id in a row, and has the shape %s",
                       rg_shape_text(x, text));
    }
    if (window < 2)
        return rg_fail(RG_EINVAL, "win_size is %lld, and must be at least 2", (long long)window);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(x->dim[0], window));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define WINDOWS(T, S)                                                                        \
    static void windows_##S(const T *x, const int64_t *at, int64_t n, int64_t window, T pad, \
                            T *out)                                                          \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                      \
            for (int64_t r = at[i]; r < at[i + 1]; r++, out += window)                       \
                for (int64_t k = 0; k < window; k++)                                         \
                    out[k] = k < at[i + 1] - r ? x[r + k] : pad;                             \
    }
WINDOWS(int32_t, i32)
WINDOWS(int64_t, i64)

static rg_status sequence_enumerate_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const int64_t *at = x->meta.lod->offset[0];
    int64_t n = rg_lod_sequences(x->meta.lod, 0);
    int32_t window = rg_attr_int(ctx, WIN_SIZE), pad = rg_attr_int(ctx, PAD_VALUE);
    if (x->meta.dtype == RG_I64)
        windows_i64(x->data, at, n, window, pad, rg_out_data(ctx, OUT));
    else
        windows_i32(x->data, at, n, window, pad, rg_out_data(ctx, OUT));
    return RG_OK;
}

const rg_op rg_op_sequence_enumerate = {
    .type = "sequence_enumerate",
    .doc = "The windows of a sequence of ids.",
    .in = RG_SLOTS([X] = {"X", "sequences of ids, [total, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[total, win_size]"}),
    .attr = RG_ATTRS([WIN_SIZE] = RG_REQUIRED("win_size", RG_ATTR_INT, "ids in a window"),
                     [PAD_VALUE] = RG_INT("pad_value", 0, "what stands after the end"),
                     [ALL_KERNELS] = RG_BOOLEAN("@ALL_KERNELS_MUST_COMPUTE_RUNTIME_SHAPE@", true,
                                                "kept for files")),
    .infer = sequence_enumerate_infer,
    .kernel = sequence_enumerate_kernel,
};
