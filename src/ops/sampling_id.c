/* sampling_id.c - an index drawn from each row of probabilities.
 *
 *   r = a number drawn from [min, max);  Out[i] = the first j where the sum of
 *   X[i, 0 .. j] is above r, the last index where none is */
#include "ops/types.h"

enum { X };
enum { OUT };
enum { MIN, MAX, SEED };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    if (x->dim[1] == 0)
        return rg_fail(RG_ESHAPE, "X has nothing to choose from");
    if (!(rg_attr_float(ctx, MIN) <= rg_attr_float(ctx, MAX)))
        return rg_fail(RG_EINVAL, "min is %g and max %g", (double)rg_attr_float(ctx, MIN),
                       (double)rg_attr_float(ctx, MAX));
    rg_set_out(ctx, OUT, RG_I64, &RG_SHAPE(x->dim[0]));
    return RG_OK;
}

#define DRAW(T, S)                                                                            \
    static void draw_##S(const T *x, rg_philox_key key, double min, double max, int64_t rows, \
                         int64_t n, int64_t *out)                                             \
    {                                                                                         \
        for (int64_t i = 0; i < rows; i++, x += n) {                                          \
            double r = min + (max - min) * rg_philox_uniform_f64(key, (uint64_t)i);           \
            int64_t j = 0;                                                                    \
            for (; j < n - 1; j++) {                                                          \
                r -= (double)x[j];                                                            \
                if (r < 0)                                                                    \
                    break;                                                                    \
            }                                                                                 \
            out[i] = j;                                                                       \
        }                                                                                     \
    }
RG_FLOATS(DRAW)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int seed = rg_attr_int(ctx, SEED);
    RG_CALL_FLOAT(ctx, X, draw,
                  (x->data, rg_random_key(ctx, seed, seed != 0), (double)rg_attr_float(ctx, MIN),
                   (double)rg_attr_float(ctx, MAX), x->meta.shape.dim[0], x->meta.shape.dim[1],
                   rg_out_data(ctx, OUT)))
    return RG_OK;
}

const rg_op rg_op_sampling_id = {
    .type = "sampling_id",
    .doc = "An index drawn from each row of probabilities.",
    .in = RG_SLOTS([X] = {"X", "probabilities, [batch, n]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "int64, [batch]"}),
    .attr = RG_ATTRS([MIN] = RG_FLOAT("min", 0.0f, "the number drawn is not below this"),
                     [MAX] = RG_FLOAT("max", 1.0f, "and below this"),
                     [SEED] = RG_INT("seed", 0, "0: the program's or the process's")),
    .infer = infer,
    .kernel = kernel,
};
