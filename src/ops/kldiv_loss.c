/* kldiv_loss.c - the divergence of a distribution, given as logarithms, from another.
 *
 *   l = Target (log Target - X), 0 where Target is not above 0
 *   Loss = l, or with reduction its mean, its sum, or its sum over the batch size
 *
 * dX = -Target dLoss, over what Loss was divided by. */
#include "math/reduce.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { X, TARGET };
enum { LOSS };
enum { REDUCTION };

typedef enum reduction { NONE, MEAN, SUM, BATCH_MEAN } reduction;

static rg_status reduction_of(const rg_ctx *ctx, reduction *out)
{
    static const char *const names[] = {"none", "mean", "sum", "batchmean"};
    const char *wanted = rg_attr_string(ctx, REDUCTION);
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], wanted) == 0) {
            *out = (reduction)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "reduction '%s': none, mean, sum or batchmean", wanted);
}

static rg_status infer(rg_ctx *ctx)
{
    reduction r;
    RG_TRY(reduction_of(ctx, &r));
    RG_TRY(rg_expect_same_shape(ctx, X, TARGET));
    RG_TRY(rg_expect_same_dtype(ctx, X, TARGET));
    rg_set_out(ctx, LOSS, rg_dtype_of(ctx, X), r == NONE ? rg_shape_of(ctx, X) : &RG_SHAPE(1));
    return RG_OK;
}

/* What the sum is divided by. */
static double divisor(reduction r, const rg_shape *x)
{
    int64_t n = rg_shape_numel(x), batch = x->rank > 0 ? x->dim[0] : 1;
    return r == MEAN && n > 0 ? (double)n : r == BATCH_MEAN && batch > 0 ? (double)batch : 1;
}

#define LOOPS(T, S)                                                                           \
    RG_HOT static void loss_##S(const T *x, const T *target, T *out, int64_t n)               \
    {                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T t = target[i] <= 0 ? 1 : target[i], loss = t * (RG_LOG(t) - x[i]);        \
            out[i] = target[i] <= 0 ? 0 : loss;                                               \
        }                                                                                     \
    }                                                                                         \
    static void add_up_##S(const T *l, int64_t n, double by, T *out)                          \
    {                                                                                         \
        *out = (T)((double)rg_sum_##S(l, n) / by);                                            \
    }                                                                                         \
    RG_HOT static void grad_##S(const T *target, const T *dloss, bool each, double by, T *dx, \
                                int64_t n)                                                    \
    {                                                                                         \
        const T part = (T)(1 / by);                                                           \
        for (int64_t i = 0; i < n; i++) {                                                     \
            const T t = target[i] <= 0 ? 0 : target[i];                                       \
            dx[i] = -t * part * dloss[each ? i : 0];                                          \
        }                                                                                     \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = rg_numel(x);
    reduction r;
    RG_TRY(reduction_of(ctx, &r));
    void *each = r == NONE ? rg_out_data(ctx, LOSS) : rg_scratch(ctx, rg_value_bytes(x));
    if (each == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, X, loss, (x->data, rg_in_data(ctx, TARGET), each, n))
    if (r != NONE)
        RG_CALL_FLOAT(ctx, X, add_up, (each, n, divisor(r, &x->meta.shape), rg_out_data(ctx, LOSS)))
    return RG_OK;
}

#define ATTRS RG_ATTRS([REDUCTION] = RG_STRING("reduction", "mean", "none, mean, sum or batchmean"))

const rg_op rg_op_kldiv_loss = {
    .type = "kldiv_loss",
    .doc = "The divergence of a distribution, given as logarithms, from another.",
    .in = RG_SLOTS([X] = {"X", "logarithms of probabilities"}, [TARGET] = {"Target",
                                                                           "probabilities, like X",
                                                                           RG_NO_GRAD}),
    .out = RG_SLOTS([LOSS] = {"Loss", "[1]; the shape of X with none"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_TARGET, G_DLOSS };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    reduction r;
    RG_TRY(reduction_of(ctx, &r));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_TARGET));
    RG_TRY(rg_expect_count(ctx, G_DLOSS, r == NONE ? rg_shape_numel(rg_shape_of(ctx, G_X)) : 1));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *target = rg_in(ctx, G_TARGET);
    reduction r;
    RG_TRY(reduction_of(ctx, &r));
    RG_CALL_FLOAT(ctx, G_TARGET, grad,
                  (target->data, rg_in_data(ctx, G_DLOSS), r == NONE,
                   divisor(r, &target->meta.shape), rg_out_data(ctx, G_DX), rg_numel(target)))
    return RG_OK;
}

const rg_op rg_op_kldiv_loss_grad = {
    .type = "kldiv_loss_grad",
    .doc = "Gradient of kldiv_loss.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_TARGET] = {"Target", ""},
                   [G_DLOSS] = {"Loss@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
