/* conv_shift.c - each row of one matrix turned by weights from another (neural Turing machines).
 *
 *   Out[b, i] = sum over j of X[b, (i + j - h) mod n] Y[b, j]        Y has m = 2 h + 1 columns */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y, DOUT };
enum { OUT };
enum { DX, DY };

static rg_status check(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, Y, 2));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    if (x->dim[0] >= 0 && y->dim[0] >= 0 && x->dim[0] != y->dim[0])
        return rg_fail(RG_ESHAPE, "X has %lld rows, and Y has %lld", (long long)x->dim[0],
                       (long long)y->dim[0]);
    if (y->dim[1] >= 0 && (y->dim[1] % 2 == 0 || (x->dim[1] >= 0 && y->dim[1] > x->dim[1])))
        return rg_fail(RG_ESHAPE,
                       "Y has %lld columns: an odd number is needed, no larger than the "
                       "%lld of X",
                       (long long)y->dim[1], (long long)x->dim[1]);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(check(ctx));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), x);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Elements at, i and j of a row of X, Out and Y that meet. */
#define FOR_PAIRS(b, i, j, at)                     \
    for (int64_t b = 0; b < rows; b++)             \
        for (int64_t i = 0; i < n; i++)            \
            for (int64_t j = 0, at; j < m && (at = (i + j - m / 2 + n) % n, true); j++)

#define SHIFT(T, S)                                                                             \
    static void shift_##S(int64_t rows, int64_t n, int64_t m, const T *x, const T *y, T *out)   \
    {                                                                                           \
        memset(out, 0, (size_t)(rows * n) * sizeof *out);                                       \
        FOR_PAIRS(b, i, j, at)                                                                  \
        out[b * n + i] += x[b * n + at] * y[b * m + j];                                         \
    }                                                                                           \
    static void shift_grad_##S(int64_t rows, int64_t n, int64_t m, const T *x, const T *y,      \
                               const T *dout, T *dx, T *dy)                                     \
    {                                                                                           \
        if (dx != NULL) {                                                                       \
            memset(dx, 0, (size_t)(rows * n) * sizeof *dx);                                     \
            FOR_PAIRS(b, i, j, at)                                                              \
            dx[b * n + at] += dout[b * n + i] * y[b * m + j];                                   \
        }                                                                                       \
        if (dy != NULL) {                                                                       \
            memset(dy, 0, (size_t)(rows * m) * sizeof *dy);                                     \
            FOR_PAIRS(b, i, j, at)                                                              \
            dy[b * m + j] += dout[b * n + i] * x[b * n + at];                                   \
        }                                                                                       \
    }
RG_FLOATS(SHIFT)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_CALL_FLOAT(ctx, X, shift,
                  (x->dim[0], x->dim[1], rg_shape_of(ctx, Y)->dim[1], rg_in_data(ctx, X),
                   rg_in_data(ctx, Y), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(check(ctx));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_numel(ctx, DOUT, rg_shape_numel(x)));
    RG_CALL_FLOAT(ctx, X, shift_grad,
                  (x->dim[0], x->dim[1], rg_shape_of(ctx, Y)->dim[1], rg_in_data(ctx, X),
                   rg_in_data(ctx, Y), rg_in_data(ctx, DOUT), rg_out_data(ctx, DX),
                   rg_out_data(ctx, DY)))
    return RG_OK;
}

const rg_op rg_op_conv_shift = {
    .type = "conv_shift",
    .doc = "Rows turned round by weights.",
    .in = RG_SLOTS([X] = {"X", "[rows, n]"}, [Y] = {"Y", "weights, [rows, m]; m is odd"}),
    .out = RG_SLOTS([OUT] = {"Out", "[rows, n]"}),
    .flags = RG_OP_BILINEAR,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_conv_shift_grad = {
    .type = "conv_shift_grad",
    .doc = "Gradient of conv_shift.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)},
                    [DY] = {"Y@GRAD", "", RG_OPTIONAL, .like = RG_OF(Y)}),
    .kernel = grad_kernel,
};
