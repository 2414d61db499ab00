/* randint.c - whole numbers by chance.
 *
 *   randint   numbers from low .. high - 1, all as likely
 *   randperm  0 .. n - 1 in any order
 *
 * As in random.c, a number is a function of the seed, the variable's name, the step and its
 * index. */
#include "ops/number.h"
#include "ops/shape_args.h"

enum { SHAPE_TENSOR, SHAPE_LIST };
enum { OUT };

/* ---- randint ---- */

enum { I_SHAPE, I_LOW, I_HIGH, I_DTYPE, I_SEED };

static rg_status randint_infer(rg_ctx *ctx)
{
    rg_shape shape;
    rg_dtype dtype;
    RG_TRY(rg_whole_dtype_from_attr(ctx, I_DTYPE, &dtype));
    if (rg_attr_int(ctx, I_LOW) >= rg_attr_int(ctx, I_HIGH))
        return rg_fail(RG_EINVAL, "low is %d, and must be below high, which is %d",
                       rg_attr_int(ctx, I_LOW), rg_attr_int(ctx, I_HIGH));
    RG_TRY(rg_shape_to_make(ctx, I_SHAPE, SHAPE_TENSOR, SHAPE_LIST, &shape));
    rg_set_out(ctx, OUT, dtype, &shape);
    return RG_OK;
}

static rg_status randint_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int seed = rg_attr_int(ctx, I_SEED);
    rg_philox_key key = rg_random_key(ctx, seed, seed != 0);
    int64_t low = rg_attr_int(ctx, I_LOW), n = rg_numel(out);
    uint64_t span = (uint64_t)(rg_attr_int(ctx, I_HIGH) - low);
    for (int64_t i = 0; i < n; i++)
        rg_put_whole(out, i, low + (int64_t)rg_philox_below(key, (uint64_t)i, span));
    return RG_OK;
}

const rg_op rg_op_randint = {
    .type = "randint",
    .doc = "Whole numbers drawn evenly from low .. high - 1.",
    .in = RG_SLOTS([SHAPE_TENSOR] = {"ShapeTensor", "the shape, if not `shape`",
                                     RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},
                   [SHAPE_LIST] = {"ShapeTensorList", "the shape, a tensor a dimension",
                                   RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "of the shape and dtype asked for"}),
    .attr = RG_ATTRS([I_SHAPE] = RG_LIST("shape", RG_ATTR_LONGS, "the shape"),
                     [I_LOW] = RG_REQUIRED("low", RG_ATTR_INT, "the least"),
                     [I_HIGH] = RG_REQUIRED("high", RG_ATTR_INT, "one above the largest"),
                     [I_DTYPE] = RG_INT("dtype", RG_I64, "the data type's number"),
                     [I_SEED] = RG_INT("seed", 0, "0: the program's or the process's")),
    .infer = randint_infer,
    .kernel = randint_kernel,
};

/* ---- randperm ---- */

enum { P_N, P_DTYPE, P_SEED };

static rg_status randperm_infer(rg_ctx *ctx)
{
    rg_dtype dtype;
    RG_TRY(rg_whole_dtype_from_attr(ctx, P_DTYPE, &dtype));
    if (rg_attr_int(ctx, P_N) < 1)
        return rg_fail(RG_EINVAL, "n is %d, and must be above 0", rg_attr_int(ctx, P_N));
    rg_set_out(ctx, OUT, dtype, &RG_SHAPE(rg_attr_int(ctx, P_N)));
    return RG_OK;
}

/* Each number goes to a place among those before it, and what was there to the end. */
static rg_status randperm_kernel(rg_ctx *ctx)
{
    rg_value *out = rg_out(ctx, OUT);
    int seed = rg_attr_int(ctx, P_SEED);
    rg_philox_key key = rg_random_key(ctx, seed, seed != 0);
    int64_t n = rg_numel(out);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = (int64_t)rg_philox_below(key, (uint64_t)i, (uint64_t)i + 1);
        rg_put_whole(out, i, at < i ? rg_whole_at(out, at) : i);
        rg_put_whole(out, at, i);
    }
    return RG_OK;
}

const rg_op rg_op_randperm = {
    .type = "randperm",
    .doc = "0 .. n - 1 in any order.",
    .in = RG_SLOTS({.name = NULL}),
    .out = RG_SLOTS([OUT] = {"Out", "[n]"}),
    .attr = RG_ATTRS([P_N] = RG_REQUIRED("n", RG_ATTR_INT, "how many"),
                     [P_DTYPE] = RG_INT("dtype", RG_I64, "the data type's number"),
                     [P_SEED] = RG_INT("seed", 0, "0: the program's or the process's")),
    .infer = randperm_infer,
    .kernel = randperm_kernel,
};
