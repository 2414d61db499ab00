/* dropout.c - elements set to zero by chance.
 *
 *   downgrade_in_infer: Out = X Mask while training,            X (1 - p) in a test
 *   upscale_in_train:   Out = X Mask / (1 - p) while training,  X in a test
 *
 * Mask is 1 with probability 1 - p. Element i of step t is a function of (seed, Out's name,
 * t, i) alone, whatever the number of threads. Seed, or seed with fix_seed, gives the same
 * mask at every step. */
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, SEED };
enum { OUT, MASK };
enum { PROB, IS_TEST, FIX_SEED, SEED_ATTR, IMPLEMENTATION };

static rg_status is_upscale(const rg_ctx *ctx, bool *upscale)
{
    const char *name = rg_attr_string(ctx, IMPLEMENTATION);
    *upscale = strcmp(name, "upscale_in_train") == 0;
    if (*upscale || strcmp(name, "downgrade_in_infer") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL, "dropout_implementation %s: downgrade_in_infer or upscale_in_train",
                   name);
}

static rg_status infer(rg_ctx *ctx)
{
    bool upscale;
    float p = rg_attr_float(ctx, PROB);
    RG_TRY(is_upscale(ctx, &upscale));
    if (!(p >= 0 && p <= 1))
        return rg_fail(RG_EINVAL, "dropout_prob is %g, and must be from 0 to 1", (double)p);
    if (rg_has_in(ctx, SEED))
        RG_TRY(RG_EXPECT_DTYPE(ctx, SEED, RG_I32, RG_I64));
    rg_set_like(ctx, OUT, X);
    rg_set_out(ctx, MASK, RG_U8, rg_shape_of(ctx, X));
    return RG_OK;
}

static rg_status key_of(const rg_ctx *ctx, rg_philox_key *key)
{
    const rg_value *seed = rg_in(ctx, SEED);
    if (seed != NULL && rg_numel(seed) < 1)
        return rg_fail(RG_ESHAPE, "Seed is empty");
    if (seed != NULL) /* it alone decides, so that the op can be repeated elsewhere */
        *key = (rg_philox_key){(uint64_t)(uint32_t)rg_whole_at(seed, 0), 0};
    else
        *key = rg_random_key(ctx, rg_attr_int(ctx, SEED_ATTR), rg_attr_bool(ctx, FIX_SEED));
    return RG_OK;
}

/* What an element is multiplied by where it is not dropped, and in a test. */
static float factor_of(const rg_ctx *ctx, bool upscale)
{
    float p = rg_attr_float(ctx, PROB);
    if (rg_attr_bool(ctx, IS_TEST))
        return upscale ? 1 : 1 - p;
    return upscale && p < 1 ? 1 / (1 - p) : 1;
}

enum { CHUNK = 1024 }; /* numbers drawn at once */

#define DROP(T, S)                                                                                \
    RG_HOT static void keep_##S(const T *x, const uint32_t *r, int64_t n, uint64_t below,         \
                                float factor, T *out, uint8_t *mask)                              \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            mask[i] = r[i] >= below;                                                              \
        for (int64_t i = 0; i < n; i++)                                                           \
            out[i] = mask[i] ? x[i] * (T)factor : 0;                                              \
    }                                                                                             \
    RG_HOT static void scale_##S(const T *x, int64_t n, float factor, T *out)                     \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            out[i] = x[i] * (T)factor;                                                            \
    }                                                                                             \
    static void drop_##S(rg_philox_key key, const T *x, int64_t n, float p, float factor, T *out, \
                         uint8_t *mask)                                                           \
    {                                                                                             \
        const uint64_t below = (uint64_t)((double)p * 4294967296.0);                              \
        uint32_t r[CHUNK];                                                                        \
        uint8_t unasked[CHUNK];                                                                   \
        for (int64_t i = 0; i < n; i += CHUNK) {                                                  \
            int64_t some = n - i < CHUNK ? n - i : CHUNK;                                         \
            rg_philox_blocks(key, (uint64_t)i / 4, (uint64_t)(some + 3) / 4, r);                  \
            keep_##S(x + i, r, some, below, factor, out + i, mask ? mask + i : unasked);          \
        }                                                                                         \
    }                                                                                             \
    RG_HOT static void back_##S(const T *dout, const uint8_t *mask, int64_t n, float factor,      \
                                T *dx)                                                            \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            dx[i] = mask[i] ? dout[i] * (T)factor : 0;                                            \
    }
RG_FLOATS(DROP)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    bool upscale;
    rg_philox_key key;
    RG_TRY(is_upscale(ctx, &upscale));
    float factor = factor_of(ctx, upscale);
    if (rg_attr_bool(ctx, IS_TEST)) {
        if (rg_has_out(ctx, MASK))
            memset(rg_out_data(ctx, MASK), 1, (size_t)rg_numel(x));
        RG_CALL_FLOAT(ctx, X, scale, (x->data, rg_numel(x), factor, rg_out_data(ctx, OUT)))
        return RG_OK;
    }
    RG_TRY(key_of(ctx, &key));
    RG_CALL_FLOAT(ctx, X, drop,
                  (key, x->data, rg_numel(x), rg_attr_float(ctx, PROB), factor,
                   rg_out_data(ctx, OUT), rg_out_data(ctx, MASK)))
    return RG_OK;
}

#define ATTRS                                                                                    \
    RG_ATTRS([PROB] = RG_FLOAT("dropout_prob", 0.5f, "the probability p that one is dropped"),   \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "drop nothing"),                           \
             [FIX_SEED] = RG_BOOLEAN("fix_seed", false, "the same mask at every step, by seed"), \
             [SEED_ATTR] = RG_INT("seed", 0, "0: the program's or the process's"),               \
             [IMPLEMENTATION] = RG_STRING("dropout_implementation", "downgrade_in_infer",        \
                                          "or upscale_in_train"))

const rg_op rg_op_dropout = {
    .type = "dropout",
    .doc = "Elements set to zero by chance.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [SEED] = {"Seed", "a seed, in place of the attributes",
                                                       RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)},
                    [MASK] = {"Mask", "uint8, 0 where X was dropped", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_MASK, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dout = rg_in(ctx, G_DOUT);
    void *dx = rg_out_data(ctx, G_DX);
    bool upscale;
    RG_TRY(is_upscale(ctx, &upscale));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_MASK, RG_U8));
    RG_TRY(rg_expect_same_shape(ctx, G_MASK, G_DOUT));
    RG_CALL_FLOAT(
        ctx, G_DOUT, back,
        (dout->data, rg_in_data(ctx, G_MASK), rg_numel(dout), factor_of(ctx, upscale), dx))
    return RG_OK;
}

const rg_op rg_op_dropout_grad = {
    .type = "dropout_grad",
    .doc = "Gradient of dropout.",
    .in = RG_SLOTS([G_MASK] = {"Mask", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", 0, RG_OF(G_DOUT), RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .flags = RG_OP_DIAGONAL,
    .kernel = grad_kernel,
};
