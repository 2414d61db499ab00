/* kron.c - the Kronecker product.
 *
 *   Out[i ny + j] = X[i] Y[j]     along every dimension; the shorter shape has 1s in front
 *
 * dX and dY are sums over the blocks that each element made. */
#include "ops/box.h"
#include "ops/types.h"

#include <string.h>

enum { X, Y, DOUT };
enum { OUT };

static rg_shape in_front(const rg_shape *s, int rank)
{
    rg_shape out = {.rank = rank};
    for (int d = 0; d < rank; d++)
        out.dim[d] = d < rank - s->rank ? 1 : s->dim[d - (rank - s->rank)];
    return out;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *gx = rg_shape_of(ctx, X), *gy = rg_shape_of(ctx, Y);
    int rank = gx->rank > gy->rank ? gx->rank : gy->rank;
    rg_shape x = in_front(gx, rank), y = in_front(gy, rank), out = {.rank = rank};
    RG_TRY(rg_expect_same_dtype(ctx, X, Y));
    for (int d = 0; d < rank; d++)
        out.dim[d] = x.dim[d] < 0 || y.dim[d] < 0 ? -1 : x.dim[d] * y.dim[d];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Out as [x0, y0, x1, y1, ...]: its steps, and those of X (0 along the y) and of Y. */
typedef struct pairs {
    int rank;
    int64_t n[RG_BOX_DIMS], out[RG_BOX_DIMS], x[RG_BOX_DIMS], y[RG_BOX_DIMS];
} pairs;

static void find_pairs(const rg_ctx *ctx, pairs *p)
{
    const rg_shape *gx = rg_shape_of(ctx, X), *gy = rg_shape_of(ctx, Y);
    int rank = gx->rank > gy->rank ? gx->rank : gy->rank;
    rg_shape x = in_front(gx, rank), y = in_front(gy, rank);
    int64_t step_out = 1, step_x = 1, step_y = 1;
    *p = (pairs){.rank = 2 * rank};
    for (int64_t d = rank - 1; d >= 0; d--) {
        p->n[2 * d] = x.dim[d];
        p->n[2 * d + 1] = y.dim[d];
        p->x[2 * d] = step_x;
        p->y[2 * d + 1] = step_y;
        p->out[2 * d + 1] = step_out;
        p->out[2 * d] = step_out * y.dim[d];
        step_x *= x.dim[d];
        step_y *= y.dim[d];
        step_out *= x.dim[d] * y.dim[d];
    }
}

static rg_box box_of(const pairs *p, const int64_t *to, const int64_t *from)
{
    rg_box box = {.rank = 0};
    for (int d = 0; d < p->rank; d++)
        rg_box_add_dim(&box, p->n[d], to[d], from[d]);
    return box;
}

#define MULTIPLY(T, S)                                               \
    RG_HOT static void multiply_##S(T *to, const T *from, int64_t n) \
    {                                                                \
        for (int64_t i = 0; i < n; i++)                              \
            to[i] *= from[i];                                        \
    }
RG_NUMBERS(MULTIPLY)

/* The other factor spread over a tensor of Out's shape, in scratch. */
static void *spread(rg_ctx *ctx, const pairs *p, const int64_t *steps, const rg_value *from,
                    int64_t n)
{
    size_t size = rg_dtype_size(from->meta.dtype);
    void *out = rg_scratch(ctx, (size_t)n * size);
    if (out == NULL)
        return NULL;
    rg_box box = box_of(p, p->out, steps);
    rg_box_copy(&box, out, from->data, size);
    return out;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *y = rg_in(ctx, Y);
    rg_value *out = rg_out(ctx, OUT);
    pairs p;
    find_pairs(ctx, &p);
    const void *factor = spread(ctx, &p, p.y, y, rg_numel(out));
    if (factor == NULL)
        return RG_ENOMEM;
    rg_box box = box_of(&p, p.out, p.x);
    rg_box_copy(&box, out->data, x->data, rg_dtype_size(x->meta.dtype));
    RG_CALL_NUMBER(ctx, X, multiply, (out->data, factor, rg_numel(out)))
    return RG_OK;
}

/* ---- gradient ---- */

enum { DX, DY };

static rg_status by(rg_ctx *ctx, const pairs *p, bool x)
{
    const rg_value *dout = rg_in(ctx, DOUT), *other = rg_in(ctx, x ? Y : X);
    rg_value *to = rg_out(ctx, x ? DX : DY);
    int64_t n = rg_numel(dout);
    if (to == NULL)
        return RG_OK;
    void *product = spread(ctx, p, x ? p->y : p->x, other, n);
    if (product == NULL)
        return RG_ENOMEM;
    memset(to->data, 0, rg_value_bytes(to));
    rg_box box = box_of(p, x ? p->x : p->y, p->out);
    RG_CALL_FLOAT(ctx, DOUT, multiply, (product, dout->data, n))
    RG_CALL_FLOAT(ctx, DOUT, rg_box_add, (&box, to->data, product))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    pairs p;
    find_pairs(ctx, &p);
    RG_TRY(by(ctx, &p, true));
    return by(ctx, &p, false);
}

const rg_op rg_op_kron = {
    .type = "kron",
    .doc = "The Kronecker product.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [Y] = {"Y", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "dimensions of X times those of Y"}),
    .flags = RG_OP_BILINEAR,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_kron_grad = {
    .type = "kron_grad",
    .doc = "Gradient of kron.",
    .in = RG_SLOTS([X] = {"X", ""}, [Y] = {"Y", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)}, [DY] = {"Y@GRAD", "",
                                                                                  RG_OPTIONAL,
                                                                                  .like = RG_OF(
                                                                                      Y)}),
    .kernel = grad_kernel,
};
