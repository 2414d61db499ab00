/* pow.c - Out = X^factor; dX = factor X^(factor - 1) dOut. */
#include "ir/terms.h"
#include "ops/number.h"
#include "ops/types.h"

#include <math.h>

enum { X, FACTOR_TENSOR, DOUT };
enum { OUT };
enum { FACTOR };

static rg_status read_factor(const rg_ctx *ctx, double *factor)
{
    const rg_value *given = rg_in(ctx, FACTOR_TENSOR);
    *factor = (double)rg_attr_float(ctx, FACTOR);
    if (given == NULL)
        return RG_OK;
    if (rg_numel(given) != 1)
        return rg_fail(RG_ESHAPE, "FactorTensor has %lld elements, and must have one",
                       (long long)rg_numel(given));
    *factor = rg_number_at(given, 0);
    return RG_OK;
}

/* Small whole powers, by far the most, are products. */
#define POWER(T, S)                                                          \
    RG_HOT static void power_##S(const T *x, T *y, int64_t n, double factor) \
    {                                                                        \
        if (factor == 2)                                                     \
            for (int64_t i = 0; i < n; i++)                                  \
                y[i] = x[i] * x[i];                                          \
        else if (factor == 3)                                                \
            for (int64_t i = 0; i < n; i++)                                  \
                y[i] = x[i] * x[i] * x[i];                                   \
        else                                                                 \
            for (int64_t i = 0; i < n; i++)                                  \
                y[i] = (T)pow((double)x[i], factor);                         \
    }
RG_NUMBERS(POWER)

#define POWER_GRAD(T, S)                                                                       \
    RG_HOT static void power_grad_##S(const T *x, const T *g, T *dx, int64_t n, double factor) \
    {                                                                                          \
        const T f = (T)factor;                                                                 \
        if (factor == 2)                                                                       \
            for (int64_t i = 0; i < n; i++)                                                    \
                dx[i] = g[i] * 2 * x[i];                                                       \
        else if (factor == 3)                                                                  \
            for (int64_t i = 0; i < n; i++)                                                    \
                dx[i] = g[i] * 3 * x[i] * x[i];                                                \
        else                                                                                   \
            for (int64_t i = 0; i < n; i++)                                                    \
                dx[i] = g[i] * f * (T)pow((double)x[i], factor - 1);                           \
    }
RG_FLOATS(POWER_GRAD)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    double factor;
    RG_TRY(read_factor(ctx, &factor));
    RG_CALL_NUMBER(ctx, X, power, (x->data, rg_out_data(ctx, OUT), rg_numel(x), factor))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    double factor;
    RG_TRY(read_factor(ctx, &factor));
    RG_CALL_FLOAT(ctx, DOUT, power_grad,
                  (x->data, rg_in_data(ctx, DOUT), rg_out_data(ctx, OUT), rg_numel(x), factor))
    return RG_OK;
}

#define ATTRS RG_ATTRS([FACTOR] = RG_FLOAT("factor", 1.0f, "the exponent"))

const rg_op rg_op_pow = {
    .type = "pow",
    .doc = "X to a power.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [FACTOR_TENSOR] = {"FactorTensor",
                                                                "the exponent, if not `factor`",
                                                                RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .like = RG_OF(X), .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = kernel,
};

/* factor dy x^(factor - 1) */
static void grad_terms(rg_terms *t)
{
    rg_attr factor = *rg_term_attr(t, "factor");
    double by = (double)factor.f;
    if (rg_term_in(t, "FactorTensor") != NULL)
        rg_term_fail(t, "the exponent is a tensor");
    factor.f -= 1;
    rg_opdesc *op = rg_term_begin(t, "pow");
    rg_term_put(t, op, "X", rg_term_in(t, "X"));
    rg_term_set(t, op, &factor);
    rg_term slope = rg_term_scale(t, rg_term_end(t, op, "Out"), by, 0);
    rg_term_give(t, "X@GRAD", rg_term_mul(t, rg_term_in(t, "Out@GRAD"), slope));
}

const rg_op rg_op_pow_grad = {
    .type = "pow_grad",
    .doc = "Gradient of pow.",
    .in =
        RG_SLOTS([X] = {"X", ""}, [FACTOR_TENSOR] = {"FactorTensor", "", RG_OPTIONAL | RG_NO_GRAD},
                 [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X), .inplace = RG_OF(DOUT)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
