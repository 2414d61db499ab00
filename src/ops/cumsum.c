/* cumsum.c - running sums along a dimension.
 *
 *   Out[i] = X[0] + ... + X[i]     exclusive: without X[i]; reverse: from the other end
 *
 * The gradient is the running sum from the other end. */
#include "ir/program.h"
#include "ops/types.h"

enum { X };
enum { OUT };
enum { AXIS, EXCLUSIVE, REVERSE };

static rg_status infer(rg_ctx *ctx)
{
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), rg_shape_of(ctx, X)->rank, &axis));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Blocks of `inner` elements; each is the one before it in the sum and one block of X. */
#define ADD_UP(T, S)                                                                         \
    RG_HOT static void add_up_##S(const T *x, T *y, int64_t outer, int64_t n, int64_t inner, \
                                  bool exclusive, bool reverse)                              \
    {                                                                                        \
        const int64_t step = reverse ? -inner : inner;                                       \
        for (int64_t o = 0; o < outer; o++) {                                                \
            const int64_t first = (o * n + (reverse ? n - 1 : 0)) * inner;                   \
            for (int64_t i = 0; i < n; i++) {                                                \
                T *to = y + first + i * step;                                                \
                const T *before = to - step, *add = x + first + (i - exclusive) * step;      \
                if (i == 0)                                                                  \
                    for (int64_t j = 0; j < inner; j++)                                      \
                        to[j] = exclusive ? 0 : add[j];                                      \
                else                                                                         \
                    for (int64_t j = 0; j < inner; j++)                                      \
                        to[j] = before[j] + add[j];                                          \
            }                                                                                \
        }                                                                                    \
    }
RG_NUMBERS(ADD_UP)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    const rg_shape *shape = &x->meta.shape;
    int axis;
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), shape->rank, &axis));
    RG_CALL_NUMBER(ctx, X, add_up,
                   (x->data, rg_out_data(ctx, OUT), rg_shape_product(shape, 0, axis),
                    shape->dim[axis], rg_shape_product(shape, axis + 1, shape->rank),
                    rg_attr_bool(ctx, EXCLUSIVE), rg_attr_bool(ctx, REVERSE)))
    return RG_OK;
}

static rg_status grad(rg_grad_ctx *ctx)
{
    const rg_attr *reverse = rg_opdesc_attr(rg_grad_forward(ctx), "reverse");
    rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, "cumsum", true, &op));
    RG_TRY(rg_opdesc_set_attr(
        op, &(rg_attr){.name = "reverse", .type = RG_ATTR_BOOL, .b = !reverse->b}));
    RG_TRY(rg_grad_read_grad(ctx, op, "X", "Out"));
    return rg_grad_write(ctx, op, "Out", "X", -1, NULL);
}

const rg_op rg_op_cumsum = {
    .type = "cumsum",
    .doc = "Running sums along a dimension.",
    .in = RG_SLOTS([X] = {"X", "any shape"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X"}),
    .attr = RG_ATTRS([AXIS] = RG_INT("axis", -1, "the dimension; negative: from the end"),
                     [EXCLUSIVE] = RG_BOOLEAN("exclusive", false, "each without its own element"),
                     [REVERSE] = RG_BOOLEAN("reverse", false, "from the last element on")),
    .infer = infer,
    .kernel = kernel,
    .grad = grad,
};
