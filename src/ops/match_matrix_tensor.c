/* match_matrix_tensor.c - every word of one text against every word of another, in several ways.
 *
 *   Out of pair i = for each channel t, X_i W[:, t, :] Y_i^T        [channels, len(X_i), len(Y_i)]
 *
 * flattened and one pair after the other: [total, 1], with a LoD that says where each pair is.
 * Tmp is X W, [rows of X, channels * width of Y], for the gradient. */
#include "math/gemm.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y, W, TMP, DOUT };
enum { OUT, OUT_TMP };
enum { DX, DY, DW };
enum { DIM_T };

/* *of_x, *of_y: NULL while building. */
static rg_status check(const rg_ctx *ctx, const rg_lod **of_x, const rg_lod **of_y)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y), *w = rg_shape_of(ctx, W);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, Y, 2));
    RG_TRY(rg_expect_rank(ctx, W, 3));
    RG_TRY(rg_expect_one_level(ctx, X, of_x));
    RG_TRY(rg_expect_one_level(ctx, Y, of_y));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(rg_expect_same_dtype(ctx, X, W));
    if (!rg_shape_fits(w, &RG_SHAPE(x->dim[1], rg_attr_int(ctx, DIM_T), y->dim[1]))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "W is %s, and must be [%lld, %d, %lld]: the widths of X and Y, "
                       "and dim_t between them",
                       rg_shape_text(w, text), (long long)x->dim[1], rg_attr_int(ctx, DIM_T),
                       (long long)y->dim[1]);
    }
    if (*of_x != NULL && (*of_x)->count[0] != (*of_y)->count[0])
        return rg_fail(RG_ESHAPE, "X has %lld sequences, and Y has %lld",
                       (long long)rg_lod_sequences(*of_x, 0),
                       (long long)rg_lod_sequences(*of_y, 0));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *w = rg_shape_of(ctx, W);
    const rg_lod *of_x, *of_y;
    RG_TRY(check(ctx, &of_x, &of_y));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(-1, 1));
    if (of_x != NULL) {
        rg_lod *lod;
        int64_t n = rg_lod_sequences(of_x, 0);
        RG_TRY(rg_lod_one_level(&lod, n));
        for (int64_t i = 0; i < n; i++)
            lod->offset[0][i + 1] = lod->offset[0][i] +
                                    w->dim[1] * (of_x->offset[0][i + 1] - of_x->offset[0][i]) *
                                        (of_y->offset[0][i + 1] - of_y->offset[0][i]);
        rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(lod->offset[0][n], 1));
        rg_take_lod(ctx, OUT, lod);
    }
    rg_set_lod_level(ctx, OUT, 1);
    rg_shape tmp = RG_SHAPE(x->dim[0], rg_shape_product(w, 1, 3));
    rg_set_out(ctx, OUT_TMP, rg_dtype_of(ctx, X), rg_running(ctx) ? &tmp : &RG_SHAPE(-1, 1));
    return RG_OK;
}

typedef struct sizes {
    int64_t pairs, rows, left, channels, right; /* pairs, rows of X, widths and channels of W */
    const int64_t *x, *y;                       /* where sequences begin */
} sizes;

static sizes sizes_of(const rg_ctx *ctx)
{
    const rg_shape *w = rg_shape_of(ctx, W);
    const rg_lod *x = rg_in_meta(ctx, X)->lod, *y = rg_in_meta(ctx, Y)->lod;
    return (sizes){rg_lod_sequences(x, 0),
                   rg_shape_of(ctx, X)->dim[0],
                   w->dim[0],
                   w->dim[1],
                   w->dim[2],
                   x->offset[0],
                   y->offset[0]};
}

/* A step of `out` is the matrix of a channel of a pair, m x n. */
#define MATCH(T, S)                                                                                \
    static void match_##S(const sizes *z, const T *x, const T *y, const T *w, T *tmp, T *out)      \
    {                                                                                              \
        const int64_t wide = z->channels * z->right;                                               \
        rg_gemm_##S(false, false, z->rows, wide, z->left, 1, x, z->left, w, wide, 0, tmp, wide);   \
        for (int64_t i = 0; i < z->pairs; i++) {                                                   \
            int64_t m = z->x[i + 1] - z->x[i], n = z->y[i + 1] - z->y[i];                          \
            for (int64_t t = 0; t < z->channels; t++, out += m * n)                                \
                if (m > 0 && n > 0)                                                                \
                    rg_gemm_##S(false, true, m, n, z->right, 1,                                    \
                                tmp + z->x[i] * wide + t * z->right, wide, y + z->y[i] * z->right, \
                                z->right, 0, out, n);                                              \
        }                                                                                          \
    }                                                                                              \
    static void match_grad_##S(const sizes *z, const T *x, const T *y, const T *w, const T *tmp,   \
                               const T *dout, T *dtmp, T *dx, T *dy, T *dw)                        \
    {                                                                                              \
        const int64_t wide = z->channels * z->right;                                               \
        for (int64_t i = 0; i < z->pairs; i++) {                                                   \
            int64_t m = z->x[i + 1] - z->x[i], n = z->y[i + 1] - z->y[i];                          \
            for (int64_t t = 0; t < z->channels; t++, dout += m * n) {                             \
                int64_t at = z->x[i] * wide + t * z->right;                                        \
                if (m > 0 && n > 0)                                                                \
                    rg_gemm_##S(false, false, m, z->right, n, 1, dout, n,                          \
                                y + z->y[i] * z->right, z->right, 0, dtmp + at, wide);             \
                if (dy != NULL && m > 0 && n > 0)                                                  \
                    rg_gemm_##S(true, false, n, z->right, m, 1, dout, n, tmp + at, wide, 1,        \
                                dy + z->y[i] * z->right, z->right);                                \
            }                                                                                      \
        }                                                                                          \
        if (dx != NULL)                                                                            \
            rg_gemm_##S(false, true, z->rows, z->left, wide, 1, dtmp, wide, w, wide, 0, dx,        \
                        z->left);                                                                  \
        if (dw != NULL)                                                                            \
            rg_gemm_##S(true, false, z->left, wide, z->rows, 1, x, z->left, dtmp, wide, 0, dw,     \
                        wide);                                                                     \
    }
RG_FLOATS(MATCH)

static rg_status kernel(rg_ctx *ctx)
{
    sizes z = sizes_of(ctx);
    void *tmp = rg_out_data(ctx, OUT_TMP);
    if (tmp == NULL && (tmp = rg_scratch(ctx, (size_t)(z.rows * z.channels * z.right) *
                                                  rg_dtype_size(rg_dtype_of(ctx, X)))) == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, match,
                  (&z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, W), tmp,
                   rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_match_matrix_tensor = {
    .type = "match_matrix_tensor",
    .doc = "Every word of one text against every word of another, X W Y^T by channels.",
    .in = RG_SLOTS([X] = {"X", "sequences, [total, width]"}, [Y] = {"Y", "as many sequences"},
                   [W] = {"W", "[width of X, channels, width of Y]"}),
    .out = RG_SLOTS([OUT] = {"Out", "sequences of matrices, [total, 1]"},
                    [OUT_TMP] = {"Tmp", "X W, for the gradient", RG_INTERMEDIATE}),
    .attr = RG_ATTRS([DIM_T] = RG_INT("dim_t", 1, "channels")),
    .infer = infer,
    .kernel = kernel,
};

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_lod *of_x, *of_y;
    RG_TRY(check(ctx, &of_x, &of_y));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_same_dtype(ctx, X, TMP));
    sizes z = sizes_of(ctx);
    rg_value *dy = rg_out(ctx, DY);
    size_t bytes = (size_t)(z.rows * z.channels * z.right) * rg_dtype_size(rg_dtype_of(ctx, DOUT));
    void *dtmp = rg_scratch(ctx, bytes + 1);
    if (dtmp == NULL)
        return RG_ENOMEM;
    int64_t total = 0;
    for (int64_t i = 0; i < z.pairs; i++)
        total += z.channels * (z.x[i + 1] - z.x[i]) * (z.y[i + 1] - z.y[i]);
    RG_TRY(rg_expect_numel(ctx, DOUT, total));
    RG_TRY(rg_expect_numel(ctx, TMP, z.rows * z.channels * z.right));
    memset(dtmp, 0, bytes); /* beside an empty sequence nothing is written */
    if (dy != NULL)
        memset(dy->data, 0, rg_value_bytes(dy));
    RG_CALL_FLOAT(ctx, DOUT, match_grad,
                  (&z, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_in_data(ctx, W),
                   rg_in_data(ctx, TMP), rg_in_data(ctx, DOUT), dtmp, rg_out_data(ctx, DX),
                   rg_out_data(ctx, DY), rg_out_data(ctx, DW)))
    return RG_OK;
}

const rg_op rg_op_match_matrix_tensor_grad = {
    .type = "match_matrix_tensor_grad",
    .doc = "Gradient of match_matrix_tensor.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [W] = {"W", ""}, [TMP] = {"Tmp", ""},
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)},
                    [DY] = {"Y@GRAD", "", RG_OPTIONAL, .like = RG_OF(Y)},
                    [DW] = {"W@GRAD", "", RG_OPTIONAL, .like = RG_OF(W)}),
    .attr = RG_ATTRS([DIM_T] = RG_INT("dim_t", 1, "as of match_matrix_tensor")),
    .kernel = grad_kernel,
};
