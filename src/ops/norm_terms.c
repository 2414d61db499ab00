/* norm_terms.c - see norm_terms.h.
 *
 *   xhat = (x - mean) inverse,  g = scale dy
 *   dX = inverse (g - mean of g - xhat mean of (g xhat))
 *   dScale = sum of dy xhat,  dBias = sum of dy
 *
 * With a mean and a deviation that are given, dX = inverse g. */
#include "ops/norm_terms.h"

/* The mean over the dimensions, where each element of x is. */
static rg_term mean_at(rg_terms *t, const rg_norm_terms *norm, rg_term x)
{
    rg_term mean = rg_term_reduce(t, "reduce_mean", x, norm->dims, norm->n, true);
    return rg_term_spread(t, mean, x, norm->dims, norm->n, true);
}

static rg_term times_scale(rg_terms *t, const rg_norm_terms *norm, rg_term x)
{
    return norm->scale ? rg_term_elementwise(t, "elementwise_mul", x, norm->scale, norm->axis) : x;
}

static void give_sum(rg_terms *t, const rg_norm_terms *norm, const char *slot, rg_term x,
                     rg_term like)
{
    static const int32_t all[] = {-1};
    if (!rg_term_wanted(t, slot))
        return;
    rg_term sum = rg_term_fold(t, x, like, norm->axis);
    if (norm->flat) {
        rg_opdesc *op = rg_term_begin(t, "reshape");
        rg_term_put(t, op, "X", sum);
        rg_term_set(t, op, &(rg_attr){.name = "shape", .type = RG_ATTR_INTS, .n = 1, .ints = all});
        sum = rg_term_end(t, op, "Out");
    }
    rg_term_give(t, slot, sum);
}

void rg_compose_norm(rg_terms *t, const rg_norm_terms *norm)
{
    rg_term x = rg_term_in(t, "X"), dy = rg_term_in(t, "Y@GRAD"), xhat, inverse = NULL;
    if (norm->mean != NULL) {
        xhat = rg_term_elementwise(t, "elementwise_sub", x, norm->mean, norm->axis);
        xhat = rg_term_elementwise(t, "elementwise_mul", xhat, norm->inverse, norm->axis);
    } else {
        double epsilon = (double)rg_term_attr(t, "epsilon")->f;
        rg_term centred = rg_term_sub(t, x, mean_at(t, norm, x));
        rg_term variance = mean_at(t, norm, rg_term_of(t, "square", centred));
        inverse = rg_term_of(t, "rsqrt", rg_term_scale(t, variance, 1, epsilon));
        xhat = rg_term_mul(t, centred, inverse);
    }
    if (rg_term_wanted(t, "X@GRAD")) {
        rg_term dx = times_scale(t, norm, dy);
        if (norm->mean != NULL) {
            dx = rg_term_elementwise(t, "elementwise_mul", dx, norm->inverse, norm->axis);
        } else {
            rg_term along = rg_term_mul(t, xhat, mean_at(t, norm, rg_term_mul(t, dx, xhat)));
            dx = rg_term_sub(t, rg_term_sub(t, dx, mean_at(t, norm, dx)), along);
            dx = rg_term_mul(t, dx, inverse);
        }
        rg_term_give(t, "X@GRAD", dx);
    }
    give_sum(t, norm, "Scale@GRAD", rg_term_mul(t, dy, xhat), norm->scale);
    give_sum(t, norm, "Bias@GRAD", dy, norm->bias ? norm->bias : norm->scale);
}
