/* matmul.c - products of matrices, or of batches of them: matmul, bmm.
 *
 *   Out = alpha op(X) op(Y)     op turns the last two dimensions where asked for
 *
 * A vector X is a row and a vector Y a column, whose dimension of 1 is left out of the result
 * again. Dimensions before the last two number a batch of matrices: both tensors have as many,
 * or one has a single matrix that serves them all.
 *
 * dX = dOut op(Y)^T and dY = op(X)^T dOut, added up over the batch for a single matrix. */
#include "ir/program.h"
#include "math/bf16.h"
#include "math/gemm.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y, DOUT };
enum { OUT };
enum {
    TRANS_X,
    TRANS_Y,
    ALPHA,
    HEAD_NUMBER,
    FUSED_RESHAPE,
    FUSED_TRANSPOSE,
    SCALE_X,
    SCALE_Y,
    SCALE_OUT,
};

/* Sizes are -1 where the batch decides them. */
typedef struct product {
    bool tx, ty;
    double alpha;
    int64_t m, n, k;
    int64_t batch;          /* products to compute; 1 where neither has a batch */
    bool x_many, y_many;    /* false: a single matrix serves all */
    int64_t x_step, y_step; /* from one matrix to the next */
    rg_precision precision;
    rg_status status; /* of the products so far */
} product;

/* A tensor as stored. */
typedef struct matrices {
    bool many;
    int64_t rows, cols, count;
} matrices;

static matrices as_matrices(const rg_shape *s, bool column)
{
    if (s->rank == 1)
        return (matrices){false, column ? s->dim[0] : 1, column ? 1 : s->dim[0], 1};
    return (matrices){s->rank > 2, s->dim[s->rank - 2], s->dim[s->rank - 1],
                      rg_shape_product(s, 0, s->rank - 2)};
}

static rg_status find_product(const rg_ctx *ctx, bool plain, product *p)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    *p = (product){.alpha = 1};
    if (!plain) {
        p->tx = rg_attr_bool(ctx, TRANS_X);
        p->ty = rg_attr_bool(ctx, TRANS_Y);
        p->alpha = (double)rg_attr_float(ctx, ALPHA);
        p->precision = (rg_precision)ctx->desc->precision;
    }
    if (x->rank < 1 || y->rank < 1)
        return rg_fail(RG_ESHAPE, "X and Y must have dimensions");
    matrices a = as_matrices(x, false), b = as_matrices(y, true);
    p->m = p->tx ? a.cols : a.rows;
    p->k = p->tx ? a.rows : a.cols;
    p->n = p->ty ? b.rows : b.cols;
    int64_t k = p->ty ? b.cols : b.rows;
    bool inner = p->k < 0 || k < 0 || p->k == k;
    bool outer = !a.many || !b.many || a.count < 0 || b.count < 0 || a.count == b.count;
    if (!inner || !outer) {
        char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X of shape %s%s and Y of shape %s%s cannot be multiplied",
                       rg_shape_text(x, tx), p->tx ? " turned" : "", rg_shape_text(y, ty),
                       p->ty ? " turned" : "");
    }
    p->batch = a.many ? a.count : b.count;
    p->x_many = a.many;
    p->y_many = b.many;
    p->x_step = a.many ? p->m * p->k : 0;
    p->y_step = b.many ? p->n * p->k : 0;
    return RG_OK;
}

/* A batch that meets a single Y is one tall matrix. */
static void join_batch(product *p)
{
    if (p->y_many || p->tx)
        return;
    p->m *= p->batch;
    p->batch = 1;
}

static rg_status matmul_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *y = rg_shape_of(ctx, Y);
    const rg_shape *longer = x->rank > 2 || y->rank <= 2 ? x : y;
    product p;
    rg_shape out = {.rank = 0};
    if (rg_attr_int(ctx, HEAD_NUMBER) != 1 || rg_attr_list(ctx, FUSED_RESHAPE)->n > 0 ||
        rg_attr_list(ctx, FUSED_TRANSPOSE)->n > 0)
        return rg_fail(RG_EUNIMPL, "matmul with heads, or with a reshape fused into it");
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(find_product(ctx, false, &p));
    for (int d = 0; d < longer->rank - 2; d++)
        out.dim[out.rank++] = longer->dim[d];
    if (x->rank > 1 || p.tx)
        out.dim[out.rank++] = p.m;
    if (y->rank > 1 || p.ty)
        out.dim[out.rank++] = p.n;
    if (out.rank == 0)
        out = RG_SHAPE(1);
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static rg_status bmm_infer(rg_ctx *ctx)
{
    product p;
    RG_TRY(rg_expect_rank(ctx, X, 3));
    RG_TRY(rg_expect_rank(ctx, Y, 3));
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    RG_TRY(find_product(ctx, true, &p));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(rg_shape_of(ctx, X)->dim[0], p.m, p.n));
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

static void gemm_f32(product *p, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                     const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c)
{
    if (p->status == RG_OK)
        p->status = rg_gemm_bf16(p->precision, trans_a, trans_b, m, n, k, (float)p->alpha, a, lda,
                                 b, ldb, beta, c, n);
}

static void gemm_f64(product *p, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                     const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                     double *c)
{
    rg_gemm_f64(trans_a, trans_b, m, n, k, p->alpha, a, lda, b, ldb, beta, c, n);
}

#define PRODUCTS(T, S)                                                                          \
    static void multiply_##S(product *p, const T *x, const T *y, T *out)                        \
    {                                                                                           \
        for (int64_t b = 0; b < p->batch; b++)                                                  \
            gemm_##S(p, p->tx, p->ty, p->m, p->n, p->k, x + b * p->x_step, p->tx ? p->m : p->k, \
                     y + b * p->y_step, p->ty ? p->k : p->n, 0, out + b * p->m * p->n);         \
    }                                                                                           \
    static void by_x_##S(product *p, const T *y, const T *dout, T *dx)                          \
    {                                                                                           \
        for (int64_t b = 0; b < p->batch; b++) {                                                \
            const T *yb = y + b * p->y_step, *g = dout + b * p->m * p->n;                       \
            const T add = !p->x_many && b > 0 ? 1 : 0;                                          \
            const int64_t ldy = p->ty ? p->k : p->n;                                            \
            T *to = dx + b * p->x_step;                                                         \
            if (p->tx)                                                                          \
                gemm_##S(p, p->ty, true, p->k, p->m, p->n, yb, ldy, g, p->n, add, to);          \
            else                                                                                \
                gemm_##S(p, false, !p->ty, p->m, p->k, p->n, g, p->n, yb, ldy, add, to);        \
        }                                                                                       \
    }                                                                                           \
    static void by_y_##S(product *p, const T *x, const T *dout, T *dy)                          \
    {                                                                                           \
        for (int64_t b = 0; b < p->batch; b++) {                                                \
            const T *xb = x + b * p->x_step, *g = dout + b * p->m * p->n;                       \
            const T add = !p->y_many && b > 0 ? 1 : 0;                                          \
            const int64_t ldx = p->tx ? p->m : p->k;                                            \
            T *to = dy + b * p->y_step;                                                         \
            if (p->ty)                                                                          \
                gemm_##S(p, true, p->tx, p->n, p->k, p->m, g, p->n, xb, ldx, add, to);          \
            else                                                                                \
                gemm_##S(p, !p->tx, false, p->k, p->n, p->m, xb, ldx, g, p->n, add, to);        \
        }                                                                                       \
    }
RG_FLOATS(PRODUCTS)

static rg_status forward(rg_ctx *ctx, bool plain)
{
    product p;
    RG_TRY(find_product(ctx, plain, &p));
    join_batch(&p);
    RG_CALL_FLOAT(ctx, X, multiply,
                  (&p, rg_in_data(ctx, X), rg_in_data(ctx, Y), rg_out_data(ctx, OUT)))
    return p.status;
}

enum { DX, DY };

static rg_status backward(rg_ctx *ctx, bool plain)
{
    const void *dout = rg_in_data(ctx, DOUT);
    rg_value *dx = rg_out(ctx, DX), *dy = rg_out(ctx, DY);
    product p;
    RG_TRY(find_product(ctx, plain, &p));
    join_batch(&p);
    /* An empty batch adds nothing up. */
    if (dx != NULL && p.batch == 0)
        memset(dx->data, 0, rg_value_bytes(dx));
    if (dy != NULL && p.batch == 0)
        memset(dy->data, 0, rg_value_bytes(dy));
    if (dx != NULL)
        RG_CALL_FLOAT(ctx, DOUT, by_x, (&p, rg_in_data(ctx, Y), dout, dx->data))
    if (dy != NULL)
        RG_CALL_FLOAT(ctx, DOUT, by_y, (&p, rg_in_data(ctx, X), dout, dy->data))
    return p.status;
}

static rg_status matmul_kernel(rg_ctx *ctx)
{
    return forward(ctx, false);
}

static rg_status matmul_grad_kernel(rg_ctx *ctx)
{
    return backward(ctx, false);
}

static rg_status bmm_kernel(rg_ctx *ctx)
{
    return forward(ctx, true);
}

static rg_status bmm_grad_kernel(rg_ctx *ctx)
{
    return backward(ctx, true);
}

#define MATMUL_ATTRS                                                                            \
    RG_ATTRS([TRANS_X] = RG_BOOLEAN("transpose_X", false, "turn the matrices of X"),            \
             [TRANS_Y] = RG_BOOLEAN("transpose_Y", false, "turn the matrices of Y"),            \
             [ALPHA] = RG_FLOAT("alpha", 1.0f, "a factor"),                                     \
             [HEAD_NUMBER] = RG_INT("head_number", 1, "must be 1"),                             \
             [FUSED_RESHAPE] = RG_LIST("fused_reshape_Out", RG_ATTR_INTS, "must be empty"),     \
             [FUSED_TRANSPOSE] = RG_LIST("fused_transpose_Out", RG_ATTR_INTS, "must be empty"), \
             [SCALE_X] = RG_FLOAT("Scale_x", 1.0f, "kept for files"),                           \
             [SCALE_Y] = RG_FLOAT("Scale_y", 1.0f, "kept for files"),                           \
             [SCALE_OUT] = RG_FLOAT("Scale_out", 1.0f, "kept for files"))
#define GRAD_SLOTS RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""})
#define GRAD_OUT                                                                         \
    RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "", \
                                                                           RG_OPTIONAL,  \
                                                                           .like = RG_OF(Y)})

const rg_op rg_ops_matmul[] = {
    {
        .type = "matmul",
        .doc = "Products of matrices, vectors, or batches of them.",
        .in = RG_SLOTS([X] = {"X", "one dimension or more"}, [Y] = {"Y", "one dimension or more"}),
        .out = RG_SLOTS([OUT] = {"Out", "the batch, rows of X, columns of Y"}),
        .attr = MATMUL_ATTRS,
        .flags = RG_OP_BILINEAR,
        .infer = matmul_infer,
        .kernel = matmul_kernel,
    },
    {
        .type = "matmul_grad",
        .doc = "Gradient of matmul.",
        .in = GRAD_SLOTS,
        .out = GRAD_OUT,
        .attr = MATMUL_ATTRS,
        .kernel = matmul_grad_kernel,
    },
    {
        .type = "bmm",
        .doc = "The products of a batch of matrices.",
        .in = RG_SLOTS([X] = {"X", "[batch, m, k]"}, [Y] = {"Y", "[batch, k, n]"}),
        .out = RG_SLOTS([OUT] = {"Out", "[batch, m, n]"}),
        .flags = RG_OP_BILINEAR,
        .infer = bmm_infer,
        .kernel = bmm_kernel,
    },
    {
        .type = "bmm_grad",
        .doc = "Gradient of bmm.",
        .in = GRAD_SLOTS,
        .out = GRAD_OUT,
        .kernel = bmm_grad_kernel,
    },
    {.type = NULL},
};
