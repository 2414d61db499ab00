/* v1_update.c - the update rules of v1 and v2: momentum, AdaGrad and its kin, Adam, Adamax.
 *
 * They differ from Fluid's: the rate is part of the velocity, epsilon stands under the root,
 * RMSProp takes the mean's square off, and regularisation is a part of the rule. All but Adam's
 * two make a rate r for each element of what they keep of past gradients:
 *
 *   momentum          r = rate
 *   AdaGrad           s += g^2                            r = rate / sqrt(s + eps)
 *   decayed AdaGrad   s = rho s + (1 - rho) g^2           r = rate / sqrt(s + eps)
 *   RMSProp           s so, m = rho m + (1 - rho) g       r = rate / sqrt(s - m^2 + eps)
 *   AdaDelta          s so, q = sqrt((m + eps) / (s + eps)), m = rho m + (1 - rho) (q g)^2
 *                                                         r = rate q
 * and then go
 *   v = mu v - r (g + decay p)      p += v
 *
 * In decayed AdaGrad and RMSProp the first gradient counts in full: s starts below zero, which
 * says that there was none. Last, p is drawn to zero by r l1, and divided by 1 + r shrink. The
 * gradient is clipped before anything reads it. A sparse gradient moves the rows it names, but
 * for v1_sparse_momentum, which moves all. */
#include "ops/optimizer.h"
#include "ops/types.h"

enum { PARAM, GRAD, RATE, VELOCITY, SQUARES, MEANS, BETA1_POW, BETA2_POW };
enum { PARAM_OUT, VELOCITY_OUT, SQUARES_OUT, MEANS_OUT, BETA1_POW_OUT, BETA2_POW_OUT };
enum { FACTOR, CLIP, MU, DECAY, L1, SHRINK, RHO, EPSILON, BETA1, BETA2 };
enum { BLOCK = 1024 }; /* elements at a time, with their rates in the nearest cache */

static const rg_state state[] = {
    {PARAM, PARAM_OUT}, {VELOCITY, VELOCITY_OUT},         {SQUARES, SQUARES_OUT},
    {MEANS, MEANS_OUT}, {BETA1_POW, BETA1_POW_OUT, true}, {BETA2_POW, BETA2_POW_OUT, true}};

typedef struct step {
    float rate, clip, mu, decay, l1, shrink, rho, eps, beta1, beta2;
    float step_rate;      /* Adam's and Adamax's, with their powers */
    float *p, *v, *s, *m; /* of the block; v, s, m: NULL where the rule has none */
} step;

/* ---- the rates of a block: they read the gradient g and fill r ---- */

typedef void rates_fn(const step *k, const float *restrict g, float *restrict r, int64_t n);

static void constant_rates(const step *k, const float *restrict g, float *restrict r, int64_t n)
{
    (void)g;
    for (int64_t i = 0; i < n; i++)
        r[i] = k->rate;
}

RG_HOT static void adagrad_rates(const step *k, const float *restrict g, float *restrict r,
                                 int64_t n)
{
    float *restrict s = k->s, rate = k->rate, eps = k->eps;
    for (int64_t i = 0; i < n; i++) {
        s[i] += g[i] * g[i];
        r[i] = rate / sqrtf(s[i] + eps);
    }
}

/* What is kept of the squares with one more. */
RG_INLINE float more_squares(float s, float g, float rho)
{
    return s < 0 ? g * g : rho * s + (1 - rho) * g * g;
}

RG_HOT static void decayed_rates(const step *k, const float *restrict g, float *restrict r,
                                 int64_t n)
{
    float *restrict s = k->s, rate = k->rate, eps = k->eps, rho = k->rho;
    for (int64_t i = 0; i < n; i++) {
        s[i] = more_squares(s[i], g[i], rho);
        r[i] = rate / sqrtf(s[i] + eps);
    }
}

RG_HOT static void rmsprop_rates(const step *k, const float *restrict g, float *restrict r,
                                 int64_t n)
{
    float *restrict s = k->s, *restrict m = k->m, rate = k->rate, eps = k->eps, rho = k->rho;
    for (int64_t i = 0; i < n; i++) {
        s[i] = more_squares(s[i], g[i], rho);
        m[i] = rho * m[i] + (1 - rho) * g[i];
        float variance = s[i] - m[i] * m[i]; /* never below zero but by rounding */
        r[i] = rate / sqrtf((variance < 0 ? 0 : variance) + eps);
    }
}

RG_HOT static void adadelta_rates(const step *k, const float *restrict g, float *restrict r,
                                  int64_t n)
{
    float *restrict s = k->s, *restrict m = k->m, rate = k->rate, eps = k->eps, rho = k->rho;
    for (int64_t i = 0; i < n; i++) {
        s[i] = rho * s[i] + (1 - rho) * g[i] * g[i];
        float q = sqrtf((m[i] + eps) / (s[i] + eps));
        m[i] = rho * m[i] + (1 - rho) * (q * g[i]) * (q * g[i]);
        r[i] = rate * q;
    }
}

/* ---- the step of a block ---- */

RG_HOT static void descend(const step *k, const float *restrict g, const float *restrict r,
                           int64_t n)
{
    float *restrict p = k->p, *restrict v = k->v, mu = k->mu, decay = k->decay;
    if (v == NULL) {
        for (int64_t i = 0; i < n; i++)
            p[i] -= r[i] * (g[i] + decay * p[i]);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        v[i] = mu * v[i] - r[i] * (g[i] + decay * p[i]);
        p[i] += v[i];
    }
}

RG_HOT static void adam_descend(const step *k, const float *restrict g, int64_t n)
{
    float *restrict p = k->p, *restrict s = k->s, *restrict m = k->m;
    float b1 = k->beta1, b2 = k->beta2, eps = k->eps, rate = k->step_rate;
    for (int64_t i = 0; i < n; i++) {
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        s[i] = b2 * s[i] + (1 - b2) * g[i] * g[i];
        p[i] -= rate * m[i] / (sqrtf(s[i]) + eps);
    }
}

/* s: the largest gradient, forgotten slowly. Where there was none yet nothing moves. */
RG_HOT static void adamax_descend(const step *k, const float *restrict g, int64_t n)
{
    float *restrict p = k->p, *restrict s = k->s, *restrict m = k->m;
    float b1 = k->beta1, b2 = k->beta2, rate = k->step_rate;
    for (int64_t i = 0; i < n; i++) {
        float now = fabsf(g[i]), past = b2 * s[i];
        m[i] = b1 * m[i] + (1 - b1) * g[i];
        s[i] = past > now ? past : now;
        p[i] -= s[i] == 0 ? 0 : rate * m[i] / s[i]; /* a NaN goes on */
    }
}

RG_HOT static void draw_to_zero(const step *k, const float *restrict r, int64_t n)
{
    float *restrict p = k->p, l1 = k->l1, shrink = k->shrink;
    for (int64_t i = 0; i < n; i++) {
        float by = r[i] * l1, left = fabsf(p[i]) - by;
        float drawn = copysignf(left < 0 ? 0 : left, p[i]);
        p[i] = drawn / (1 + r[i] * shrink);
    }
}

RG_HOT static void clip_to(float *restrict out, const float *restrict g, float limit, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float low = g[i] < -limit ? -limit : g[i]; /* a NaN stays one */
        out[i] = low > limit ? limit : low;
    }
}

/* ---- the kernels ---- */

static float *at_of(const rg_ctx *ctx, int out, int64_t at)
{
    return rg_has_out(ctx, out) ? (float *)rg_out_data(ctx, out) + at : NULL;
}

static step read_step(const rg_ctx *ctx)
{
    return (step){.rate = (float)rg_number(ctx, RATE) * rg_attr_float(ctx, FACTOR),
                  .clip = rg_attr_float(ctx, CLIP),
                  .mu = rg_attr_float(ctx, MU),
                  .decay = rg_attr_float(ctx, DECAY),
                  .l1 = rg_attr_float(ctx, L1),
                  .shrink = rg_attr_float(ctx, SHRINK),
                  .rho = rg_attr_float(ctx, RHO),
                  .eps = rg_attr_float(ctx, EPSILON),
                  .beta1 = rg_attr_float(ctx, BETA1),
                  .beta2 = rg_attr_float(ctx, BETA2)};
}

/* The power as it was; the output has the next. */
static float advance(const rg_ctx *ctx, int in, int out, float beta)
{
    float power = (float)rg_number(ctx, in);
    *(float *)rg_out_data(ctx, out) = power * beta;
    return power;
}

/* The rate of the step; the powers go on. */
static float begin(rg_ctx *ctx)
{
    return (float)rg_number(ctx, RATE) * rg_attr_float(ctx, FACTOR);
}

static float adam_begin(rg_ctx *ctx)
{
    float power1 = advance(ctx, BETA1_POW, BETA1_POW_OUT, rg_attr_float(ctx, BETA1));
    float power2 = advance(ctx, BETA2_POW, BETA2_POW_OUT, rg_attr_float(ctx, BETA2));
    return begin(ctx) * sqrtf(1 - power2) / (1 - power1);
}

static float adamax_begin(rg_ctx *ctx)
{
    return begin(ctx) / (1 - advance(ctx, BETA1_POW, BETA1_POW_OUT, rg_attr_float(ctx, BETA1)));
}

typedef void descend_fn(const step *k, const float *restrict g, int64_t n);

/* One block by `rates`, or where it is NULL by `own`. */
static void run_block(step *k, rates_fn *rates, descend_fn *own, const float *g, int64_t n)
{
    float clipped[BLOCK], r[BLOCK];
    if (k->clip > 0) {
        clip_to(clipped, g, k->clip, n);
        g = clipped;
    }
    (rates != NULL ? rates : constant_rates)(k, g, r, n);
    if (rates != NULL)
        descend(k, g, r, n);
    else
        own(k, g, n);
    if (k->l1 > 0 || k->shrink > 0)
        draw_to_zero(k, r, n);
}

static rg_status run(rg_ctx *ctx, float (*rate)(rg_ctx *ctx), rates_fn *rates, descend_fn *own)
{
    rg_walk walk;
    step of_all = read_step(ctx), *k = &of_all;
    RG_TRY(rg_update_begin(ctx, &walk));
    k->step_rate = rate(ctx);
    while (rg_walk_next(&walk))
        for (int64_t done = 0; done < walk.n; done += BLOCK) {
            int64_t n = walk.n - done < BLOCK ? walk.n - done : BLOCK, at = walk.at + done;
            k->p = at_of(ctx, PARAM_OUT, at);
            k->v = at_of(ctx, VELOCITY_OUT, at);
            k->s = at_of(ctx, SQUARES_OUT, at);
            k->m = at_of(ctx, MEANS_OUT, at);
            run_block(k, rates, own, (const float *)walk.grad + done, n);
        }
    return RG_OK;
}

static float *part_of(const rg_ctx *ctx, const rg_row_batch *rows, int in, int part, size_t i,
                      int64_t at)
{
    return rg_has_in(ctx, in) ? rows->part[part][i] + at : NULL;
}

static void step_rows(const rg_ctx *ctx, float rate, const rg_row_batch *rows, rates_fn *rates,
                      descend_fn *own)
{
    step k = read_step(ctx);
    k.step_rate = rate;
    for (size_t i = 0; i < rows->n; i++)
        for (int64_t at = 0; at < rows->width; at += BLOCK) {
            k.p = rows->part[0][i] + at;
            k.v = part_of(ctx, rows, VELOCITY, 1, i, at);
            k.s = part_of(ctx, rows, SQUARES, 2, i, at);
            k.m = part_of(ctx, rows, MEANS, 3, i, at);
            run_block(&k, rates, own, rows->grads + (int64_t)i * rows->width + at,
                      rows->width - at < BLOCK ? rows->width - at : BLOCK);
        }
}

#define KERNEL(NAME, BEGIN, RATES, OWN)                                                  \
    static rg_status NAME##_kernel(rg_ctx *ctx)                                          \
    {                                                                                    \
        return run(ctx, BEGIN, RATES, OWN);                                              \
    }                                                                                    \
    static void NAME##_row_step(const rg_ctx *ctx, float rate, const rg_row_batch *rows) \
    {                                                                                    \
        step_rows(ctx, rate, rows, RATES, OWN);                                          \
    }
KERNEL(constant, begin, constant_rates, NULL)
KERNEL(adagrad, begin, adagrad_rates, NULL)
KERNEL(decayed, begin, decayed_rates, NULL)
KERNEL(rmsprop, begin, rmsprop_rates, NULL)
KERNEL(adadelta, begin, adadelta_rates, NULL)
KERNEL(adam, adam_begin, NULL, adam_descend)
KERNEL(adamax, adamax_begin, NULL, adamax_descend)

/* ---- the shape rules ---- */

static rg_status infer(rg_ctx *ctx, const int *needed, int n)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, PARAM, RG_F32));
    for (int i = 0; i < n; i++)
        if (!rg_has_in(ctx, needed[i]))
            return rg_fail(RG_EINVAL, "%s needs its input %s", ctx->op->type,
                           ctx->op->in[needed[i]].name);
    for (int i = 0; i < ctx->op->update->n; i++)
        if (!rg_has_in(ctx, state[i].in) && rg_has_out(ctx, state[i].out))
            return rg_fail(RG_EINVAL, "%s comes from nowhere: the op has no input %s",
                           ctx->op->out[state[i].out].name, ctx->op->in[state[i].in].name);
    if (rg_attr_float(ctx, MU) != 0 && !rg_has_in(ctx, VELOCITY))
        return rg_fail(RG_EINVAL, "with a momentum %s needs its input Velocity", ctx->op->type);
    return rg_update_infer(ctx);
}

#define INFER(NAME, ...)                                                  \
    static rg_status NAME##_infer(rg_ctx *ctx)                            \
    {                                                                     \
        static const int needed[] = {PARAM, __VA_ARGS__};                 \
        return infer(ctx, needed, (int)(sizeof needed / sizeof *needed)); \
    }
INFER(constant, GRAD)
INFER(adagrad, SQUARES)
INFER(rmsprop, SQUARES, MEANS)
INFER(adam, SQUARES, MEANS, BETA1_POW, BETA2_POW)
INFER(adamax, SQUARES, MEANS, BETA1_POW)

#define V1_IN                                                                                   \
    RG_SLOTS([PARAM] = {"Param", "the parameter"},                                              \
             [GRAD] = {"Grad", "dense or sparse", RG_ROWS_OK},                                 \
             [RATE] = {"LearningRate", "one number"},                                           \
             [VELOCITY] = {"Velocity", "the last step; only with a momentum", RG_OPTIONAL},     \
             [SQUARES] = {"Squares", "of past gradients; Adamax: the largest", RG_OPTIONAL},    \
             [MEANS] = {"Means", "of past gradients; AdaDelta: of squared steps", RG_OPTIONAL}, \
             [BETA1_POW] = {"Beta1Pow", "Adam: beta1 to the number of steps", RG_OPTIONAL},     \
             [BETA2_POW] = {"Beta2Pow", "Adam: beta2 to the number of steps", RG_OPTIONAL})
#define V1_OUT                                                           \
    RG_SLOTS([PARAM_OUT] = {"ParamOut", "the parameter after the step"}, \
             [VELOCITY_OUT] = {"VelocityOut", "", RG_OPTIONAL},          \
             [SQUARES_OUT] = {"SquaresOut", "", RG_OPTIONAL},            \
             [MEANS_OUT] = {"MeansOut", "", RG_OPTIONAL},                \
             [BETA1_POW_OUT] = {"Beta1PowOut", "", RG_OPTIONAL},         \
             [BETA2_POW_OUT] = {"Beta2PowOut", "", RG_OPTIONAL})
#define V1_ATTR                                                                                 \
    RG_ATTRS([FACTOR] = RG_FLOAT("factor", 1.0f, "the parameter's own part of the rate"),       \
             [CLIP] = RG_FLOAT("clip", 0.0f, "the gradient's largest size; 0: any"),            \
             [MU] = RG_FLOAT("mu", 0.0f, "what stays of the last step"),                        \
             [DECAY] = RG_FLOAT("decay", 0.0f, "of the parameter, added to its gradient"),      \
             [L1] = RG_FLOAT("l1", 0.0f, "how fast the parameter goes to zero after the step"), \
             [SHRINK] = RG_FLOAT("shrink", 0.0f, "L2: the parameter shrinks after the step"),   \
             [RHO] = RG_FLOAT("rho", 0.95f, "what stays of the past"),                          \
             [EPSILON] = RG_FLOAT("epsilon", 1.0e-6f, "under the root; Adam: beside it"),       \
             [BETA1] = RG_FLOAT("beta1", 0.9f, "Adam: what stays of the mean"),                 \
             [BETA2] = RG_FLOAT("beta2", 0.999f, "Adam: what stays of the squares"))

#define V1_OP(TYPE, DOC, INFER_OF, KERNEL_OF, ...)                                             \
    {                                                                                          \
        .type = (TYPE), .doc = (DOC), .in = V1_IN, .out = V1_OUT, .attr = V1_ATTR,             \
        .infer = INFER_OF##_infer, .kernel = KERNEL_OF##_kernel,                               \
        .update = &(const rg_update){.grad = GRAD, .rate = RATE, .n = 6, .state = state,       \
                                     .row_step = KERNEL_OF##_row_step, __VA_ARGS__}            \
    }

const rg_op rg_ops_v1_update[] = {
    V1_OP("v1_momentum", "v1's gradient descent, with or without momentum.", constant, constant, ),
    V1_OP("v1_sparse_momentum", "v1_momentum that moves all rows of a sparse gradient.", constant,
          constant, .every_row = true),
    V1_OP("v1_adagrad", "v1's AdaGrad.", adagrad, adagrad, ),
    V1_OP("v1_decayed_adagrad", "v1's AdaGrad whose squares are forgotten.", adagrad, decayed, ),
    V1_OP("v1_rmsprop", "v1's RMSProp, by the variance.", rmsprop, rmsprop, ),
    V1_OP("v1_adadelta", "v1's AdaDelta, times the learning rate.", rmsprop, adadelta, ),
    V1_OP("v1_adam", "v1's Adam.", adam, adam, .begin = adam_begin),
    V1_OP("v1_adamax", "v1's Adamax.", adamax, adamax, .begin = adamax_begin),
    {0},
};
