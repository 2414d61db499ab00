/* v1_learning_rate.c - v1's and v2's learning-rate schedules, by the number of samples.
 *
 * n is the number of samples so far, those of this step among them, or where steps are counted,
 * as on servers, their number times the samples of one:
 *
 *   constant     rate
 *   poly         rate (1 + a n)^-b
 *   caffe_poly   rate (1 - n/a)^b, and 0 after a samples
 *   exp          rate a^(n/b)
 *   discexp      rate a^floor(n/b)
 *   linear       rate - a n, at least b
 *   manual       rate f_i, of the first limit_i that n is not above, or the last
 *   pass_manual  the same of the number of the pass */
#include "ir/op.h"

#include <math.h>
#include <string.h>

enum { SAMPLES, PASS };
enum { OUT };
enum { SCHEDULE, RATE, A, B, PER_STEP, LIMITS, FACTORS };

static double segment(const rg_ctx *ctx, double n)
{
    const rg_attr *limits = rg_attr_list(ctx, LIMITS), *factors = rg_attr_list(ctx, FACTORS);
    int i = 0;
    while (i + 1 < factors->n && n > (double)limits->longs[i])
        i++;
    return factors->n ? (double)factors->floats[i] : 1;
}

/* A name and what it makes of the samples. */
static bool rate_of(const rg_ctx *ctx, double n, double pass, double *out)
{
    const char *name = rg_attr_string(ctx, SCHEDULE);
    double rate = (double)rg_attr_float(ctx, RATE), a = (double)rg_attr_float(ctx, A),
           b = (double)rg_attr_float(ctx, B);
    if (strcmp(name, "constant") == 0)
        *out = rate;
    else if (strcmp(name, "poly") == 0)
        *out = rate * pow(1 + a * n, -b);
    else if (strcmp(name, "caffe_poly") == 0)
        *out = n > a ? 0 : rate * pow(1 - n / a, b);
    else if (strcmp(name, "exp") == 0)
        *out = rate * pow(a, n / b);
    else if (strcmp(name, "discexp") == 0)
        *out = rate * pow(a, floor(n / b));
    else if (strcmp(name, "linear") == 0)
        *out = fmax(rate - a * n, b);
    else if (strcmp(name, "manual") == 0)
        *out = rate * segment(ctx, n);
    else if (strcmp(name, "pass_manual") == 0)
        *out = rate * segment(ctx, pass);
    else
        return false;
    return true;
}

static rg_status infer(rg_ctx *ctx)
{
    double rate;
    if (!rate_of(ctx, 0, 0, &rate))
        return rg_fail(RG_EINVAL,
                       "there is no schedule %s; there are constant, poly, caffe_poly, exp, "
                       "discexp, linear, manual and pass_manual",
                       rg_attr_string(ctx, SCHEDULE));
    if (rg_attr_list(ctx, LIMITS)->n != rg_attr_list(ctx, FACTORS)->n)
        return rg_fail(RG_EINVAL, "there are %d limits for %d factors",
                       rg_attr_list(ctx, LIMITS)->n, rg_attr_list(ctx, FACTORS)->n);
    RG_TRY(RG_EXPECT_DTYPE(ctx, SAMPLES, RG_I64));
    if (rg_has_in(ctx, PASS))
        RG_TRY(RG_EXPECT_DTYPE(ctx, PASS, RG_I64));
    for (int i = SAMPLES; i <= PASS; i++)
        if (rg_running(ctx) && rg_has_in(ctx, i) && rg_shape_numel(rg_shape_of(ctx, i)) != 1)
            return rg_fail(RG_ESHAPE, "%s must be one number", ctx->op->in[i].name);
    rg_set_out(ctx, OUT, RG_F32, &RG_SHAPE(1));
    return RG_OK;
}

static int64_t number(const rg_ctx *ctx, int in, int64_t otherwise)
{
    return rg_has_in(ctx, in) ? *(const int64_t *)rg_in_data(ctx, in) : otherwise;
}

static rg_status kernel(rg_ctx *ctx)
{
    double n = (double)number(ctx, SAMPLES, 0) * (double)rg_attr_long(ctx, PER_STEP), rate = 0;
    (void)rate_of(ctx, n, (double)number(ctx, PASS, 0), &rate);
    *(float *)rg_out_data(ctx, OUT) = (float)rate;
    return RG_OK;
}

const rg_op rg_op_v1_learning_rate = {
    .type = "v1_learning_rate",
    .doc = "The learning rate of v1 after so many samples.",
    .in = RG_SLOTS([SAMPLES] = {"Samples", "int64, so far"}, [PASS] =
                                                                 {"Pass",
                                                                  "int64, the number of the pass",
                                                                  RG_OPTIONAL}),
    .out = RG_SLOTS([OUT] = {"Out", "the learning rate"}),
    .attr = RG_ATTRS([SCHEDULE] = RG_STRING("schedule", "constant", "its name"),
                     [RATE] = RG_FLOAT("rate", 1.0f, "the rate at the start"),
                     [A] = RG_FLOAT("a", 0.0f, ""), [B] = RG_FLOAT("b", 0.0f, ""),
                     [PER_STEP] = RG_LONG("per_step", 1, "samples that each of Samples counts for"),
                     [LIMITS] = RG_LIST("limits", RG_ATTR_LONGS, "of segments"),
                     [FACTORS] = RG_LIST("factors", RG_ATTR_FLOATS, "of segments")),
    .infer = infer,
    .kernel = kernel,
};
