/* batch_norm.c - each channel brought to mean 0 and variance 1, then scaled and moved.
 *
 *   Y = Scale (X - mean) / sqrt(variance + epsilon) + Bias
 *
 * While training, mean and variance are those of the batch (the variance divided by n, not
 * n - 1), and the running ones follow them: running = momentum running + (1 - momentum) batch,
 * in place. With is_test or use_global_stats the running ones are taken and left alone.
 * SavedMean and SavedVariance are what was taken, the latter as 1 / sqrt(variance + epsilon).
 * A batch with one element a channel is left as it is.
 *
 * inplace_abn is the same with an activation after it, and made to be written over X: its gradient
 * reads Y alone and works X out of it, so the activation is one that can be undone.
 *
 *   identity: y;   leaky_relu: y, or alpha y below 0;   elu: y, or alpha (e^y - 1) below 0 */
#include "ops/norm_terms.h"
#include "ir/program.h"
#include "math/reduce.h"
#include "ops/types.h"

#include <string.h>

enum { X, SCALE, BIAS, MEAN, VARIANCE, MOMENTUM_TENSOR };
enum { Y, MEAN_OUT, VARIANCE_OUT, SAVED_MEAN, SAVED_VARIANCE, RESERVE };
enum { EPSILON, MOMENTUM, IS_TEST, LAYOUT, GLOBAL_STATS, TRAINABLE_STATS, FUSE_RELU };
enum { ACTIVATION = FUSE_RELU + 1, ALPHA, USE_SYNC_BN }; /* of inplace_abn */

/* X as [outer, channels, space]. */
typedef struct extents {
    int64_t outer, channels, space;
} extents;

#define T float
#define S f32
#include "ops/batch_norm_loops.h"
#define T double
#define S f64
#include "ops/batch_norm_loops.h"

static rg_status find_extents(const rg_ctx *ctx, const rg_shape *x, extents *e)
{
    const char *layout = rg_attr_string(ctx, LAYOUT);
    bool last = strcmp(layout, "NHWC") == 0 || strcmp(layout, "NDHWC") == 0;
    if (!last && strcmp(layout, "NCHW") != 0 && strcmp(layout, "NCDHW") != 0 &&
        strcmp(layout, "AnyLayout") != 0)
        return rg_fail(RG_EINVAL, "data_layout %s: NCHW or NHWC", layout);
    if (x->rank < 2 || x->rank > 5) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "X must have 2 to 5 dimensions, and has the shape %s",
                       rg_shape_text(x, text));
    }
    if (last)
        *e = (extents){rg_shape_product(x, 0, x->rank - 1), x->dim[x->rank - 1], 1};
    else
        *e = (extents){x->dim[0], x->dim[1], rg_shape_product(x, 2, x->rank)};
    return RG_OK;
}

static bool of_batch(const rg_ctx *ctx)
{
    bool test = rg_attr_bool(ctx, IS_TEST) && !rg_attr_bool(ctx, TRAINABLE_STATS);
    return !test && !rg_attr_bool(ctx, GLOBAL_STATS);
}

static rg_status infer(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    if (rg_attr_bool(ctx, FUSE_RELU))
        return rg_fail(RG_EUNIMPL, "fuse_with_relu is set: ops fused by passes for inference are "
                                   "not supported");
    if (!(rg_attr_float(ctx, EPSILON) >= 0))
        return rg_fail(RG_EINVAL, "epsilon is %g, and must not be negative",
                       (double)rg_attr_float(ctx, EPSILON));
    for (int in = SCALE; in <= VARIANCE; in++) {
        int64_t n = rg_shape_numel(rg_shape_of(ctx, in));
        RG_TRY(rg_expect_same_dtype(ctx, X, in));
        if (n >= 0 && e.channels >= 0 && n != e.channels)
            return rg_fail(RG_ESHAPE, "X has %lld channels, and %s %lld elements",
                           (long long)e.channels, ctx->op->in[in].name, (long long)n);
    }
    if (rg_has_in(ctx, MOMENTUM_TENSOR))
        RG_TRY(RG_EXPECT_DTYPE(ctx, MOMENTUM_TENSOR, RG_F32, RG_F64));
    rg_set_like(ctx, Y, X);
    for (int out = MEAN_OUT; out <= SAVED_VARIANCE; out++)
        rg_set_out(ctx, out, rg_dtype_of(ctx, X), rg_shape_of(ctx, SCALE));
    rg_set_out(ctx, RESERVE, rg_dtype_of(ctx, X), &RG_SHAPE(0));
    return RG_OK;
}

static float momentum_of(const rg_ctx *ctx)
{
    const rg_value *given = rg_in(ctx, MOMENTUM_TENSOR);
    if (given == NULL || rg_numel(given) == 0)
        return rg_attr_float(ctx, MOMENTUM);
    return given->meta.dtype == RG_F64 ? (float)*(const double *)given->data
                                       : *(const float *)given->data;
}

static void copy_unless_same(rg_value *to, const rg_value *from)
{
    if (to != NULL && to->data != from->data)
        memcpy(to->data, from->data, rg_value_bytes(from));
}

/* Mean and 1 / deviation of the batch, and the running ones moved on. */
static rg_status use_batch(rg_ctx *ctx, const extents *e, void *mean, void *inverse)
{
    float momentum = momentum_of(ctx), epsilon = rg_attr_float(ctx, EPSILON);
    int64_t c = e->channels;
    const void *x = rg_in_data(ctx, X);
    void *variance = rg_scratch(ctx, (size_t)c * sizeof(double));
    double *sum = rg_scratch(ctx, (size_t)c * sizeof *sum);
    if (variance == NULL || sum == NULL)
        return RG_ENOMEM;
    if (e->space == 1)
        RG_CALL_FLOAT(ctx, X, row_moments, (e, x, sum, mean, variance))
    else
        RG_CALL_FLOAT(ctx, X, plane_moments, (e, x, mean, variance))
    if (rg_has_out(ctx, MEAN_OUT))
        RG_CALL_FLOAT(ctx, X, advance,
                      (c, momentum, rg_in_data(ctx, MEAN), mean, rg_out_data(ctx, MEAN_OUT)))
    if (rg_has_out(ctx, VARIANCE_OUT))
        RG_CALL_FLOAT(
            ctx, X, advance,
            (c, momentum, rg_in_data(ctx, VARIANCE), variance, rg_out_data(ctx, VARIANCE_OUT)))
    RG_CALL_FLOAT(ctx, X, invert, (c, variance, epsilon, inverse))
    return RG_OK;
}

static rg_status use_running(rg_ctx *ctx, const extents *e, void *mean, void *inverse)
{
    memcpy(mean, rg_in_data(ctx, MEAN), rg_value_bytes(rg_in(ctx, MEAN)));
    RG_CALL_FLOAT(ctx, X, invert,
                  (e->channels, rg_in_data(ctx, VARIANCE), rg_attr_float(ctx, EPSILON), inverse))
    copy_unless_same(rg_out(ctx, MEAN_OUT), rg_in(ctx, MEAN));
    copy_unless_same(rg_out(ctx, VARIANCE_OUT), rg_in(ctx, VARIANCE));
    return RG_OK;
}

/* Too little to take a mean of. */
static rg_status leave_alone(rg_ctx *ctx)
{
    copy_unless_same(rg_out(ctx, Y), rg_in(ctx, X));
    copy_unless_same(rg_out(ctx, MEAN_OUT), rg_in(ctx, MEAN));
    copy_unless_same(rg_out(ctx, VARIANCE_OUT), rg_in(ctx, VARIANCE));
    for (int out = SAVED_MEAN; out <= SAVED_VARIANCE; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, X), &e));
    if (of_batch(ctx) && e.outer * e.space <= 1)
        return leave_alone(ctx);
    size_t bytes = (size_t)e.channels * sizeof(double);
    void *mean = rg_out_or_scratch(ctx, SAVED_MEAN, bytes),
         *inverse = rg_out_or_scratch(ctx, SAVED_VARIANCE, bytes);
    void *factor = rg_scratch(ctx, bytes);
    if (mean == NULL || inverse == NULL || factor == NULL)
        return RG_ENOMEM;
    if (of_batch(ctx))
        RG_TRY(use_batch(ctx, &e, mean, inverse));
    else
        RG_TRY(use_running(ctx, &e, mean, inverse));
    RG_CALL_FLOAT(ctx, X, forward,
                  (&e, rg_in_data(ctx, X), rg_in_data(ctx, SCALE), rg_in_data(ctx, BIAS), mean,
                   inverse, factor, rg_out_data(ctx, Y)))
    return RG_OK;
}

static rg_status make_grad(rg_grad_ctx *ctx);

#define NORM_ATTRS                                                                             \
    [EPSILON] = RG_FLOAT("epsilon", 1e-5f, "keeps a variance of 0 from dividing"),             \
    [MOMENTUM] = RG_FLOAT("momentum", 0.9f, "how much of the running ones is kept"),           \
    [IS_TEST] = RG_BOOLEAN("is_test", false, "take the running mean and variance"),            \
    [LAYOUT] = RG_STRING("data_layout", "NCHW", "NCHW or NHWC"),                               \
    [GLOBAL_STATS] = RG_BOOLEAN("use_global_stats", false, "as is_test, while training"),      \
    [TRAINABLE_STATS] =                                                                        \
        RG_BOOLEAN("trainable_statistics", false, "those of the batch despite is_test"),       \
    [FUSE_RELU] = RG_BOOLEAN("fuse_with_relu", false, "refused")
#define ATTRS RG_ATTRS(NORM_ATTRS)

#define IN_SLOTS                                                                               \
    RG_SLOTS([X] = {"X", "2 to 5 dimensions"}, [SCALE] = {"Scale", "a factor for a channel"},  \
             [BIAS] = {"Bias", "a shift for a channel"},                                       \
             [MEAN] = {"Mean", "the running mean", RG_NO_GRAD},                                \
             [VARIANCE] = {"Variance", "the running variance", RG_NO_GRAD},                    \
             [MOMENTUM_TENSOR] = {"MomentumTensor", "in place of momentum",                    \
                                  RG_OPTIONAL | RG_NO_GRAD})
#define OUT_SLOTS                                                                              \
    RG_SLOTS([Y] = {"Y", "the shape of X", .inplace = RG_OF(X)},                               \
             [MEAN_OUT] = {"MeanOut", "the variable of Mean"},                                 \
             [VARIANCE_OUT] = {"VarianceOut", "the variable of Variance"},                     \
             [SAVED_MEAN] = {"SavedMean", "the mean that was taken", RG_INTERMEDIATE},         \
             [SAVED_VARIANCE] = {"SavedVariance", "1 / the deviation that was taken",          \
                                 RG_INTERMEDIATE},                                             \
             [RESERVE] = {"ReserveSpace", "kept for files", RG_OPTIONAL})

const rg_op rg_op_batch_norm = {
    .type = "batch_norm",
    .doc = "Each channel brought to mean 0 and variance 1, then scaled and moved.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
    .grad = make_grad,
};

/* ---- gradient ---- */

enum { G_X, G_DY, G_SCALE, G_BIAS, G_SAVED_MEAN, G_SAVED_VARIANCE, G_MEAN, G_VARIANCE, G_RESERVE };
enum { G_DX, G_DSCALE, G_DBIAS };

/* `value`: X or Y, what it reads beside the gradient. With use_global_stats it reads the running
 * mean and variance, too. */
static rg_status add_grad(rg_grad_ctx *ctx, const char *type, const char *value)
{
    static const char *const out[] = {"SavedMean", "SavedVariance", "ReserveSpace"};
    const rg_attr *global = rg_opdesc_attr(rg_grad_forward(ctx), "use_global_stats");
    struct rg_opdesc *op;
    RG_TRY(rg_grad_add(ctx, type, true, &op));
    if (strcmp(value, "X") == 0)
        RG_TRY(rg_grad_read_in(ctx, op, "X", "X"));
    else
        RG_TRY(rg_grad_read_out(ctx, op, value, value));
    RG_TRY(rg_grad_read_in(ctx, op, "Scale", "Scale"));
    RG_TRY(rg_grad_read_in(ctx, op, "Bias", "Bias"));
    RG_TRY(rg_grad_read_grad(ctx, op, "Y@GRAD", "Y"));
    for (int i = 0; i < 3; i++)
        RG_TRY(rg_grad_read_out(ctx, op, out[i], out[i]));
    if (global != NULL && global->b) {
        RG_TRY(rg_grad_read_out(ctx, op, "Mean", "MeanOut"));
        RG_TRY(rg_grad_read_out(ctx, op, "Variance", "VarianceOut"));
    }
    RG_TRY(rg_grad_write(ctx, op, "X@GRAD", "X", -1, NULL));
    RG_TRY(rg_grad_write(ctx, op, "Scale@GRAD", "Scale", -1, NULL));
    return rg_grad_write(ctx, op, "Bias@GRAD", "Bias", -1, NULL);
}

static rg_status make_grad(rg_grad_ctx *ctx)
{
    const rg_opdesc *forward = rg_grad_forward(ctx);
    const rg_args *x = rg_opdesc_in(forward, "X"), *y = rg_opdesc_out(forward, "Y");
    if (x != NULL && y != NULL && strcmp(x->names[0], y->names[0]) == 0)
        return rg_fail(RG_EINVAL,
                       "Y is written over X, which the gradient needs: use in_place=False; "
                       "memory is shared where that is possible anyway");
    return add_grad(ctx, "batch_norm_grad", "X");
}

static rg_status left_alone(rg_ctx *ctx, const void *dy)
{
    rg_value *dx = rg_out(ctx, G_DX);
    if (dx != NULL && dx->data != dy)
        memcpy(dx->data, dy, rg_value_bytes(dx));
    for (int out = G_DSCALE; out <= G_DBIAS; out++)
        if (rg_has_out(ctx, out))
            memset(rg_out_data(ctx, out), 0, rg_value_bytes(rg_out(ctx, out)));
    return RG_OK;
}

/* Of x, and of the gradient of what was scaled and moved. */
static rg_status norm_grad(rg_ctx *ctx, const void *x, const void *dy)
{
    extents e;
    RG_TRY(find_extents(ctx, rg_shape_of(ctx, G_X), &e));
    if (of_batch(ctx) && e.outer * e.space <= 1)
        return left_alone(ctx, dy);
    size_t bytes = (size_t)e.channels * sizeof(double);
    const void *mean = rg_in_data(ctx, G_SAVED_MEAN);
    const void *inverse = rg_in_data(ctx, G_SAVED_VARIANCE);
    void *dscale = rg_out_or_scratch(ctx, G_DSCALE, bytes),
         *dbias = rg_out_or_scratch(ctx, G_DBIAS, bytes);
    void *work = rg_scratch(ctx, 3 * bytes);
    if (dscale == NULL || dbias == NULL || work == NULL)
        return RG_ENOMEM;
    if (!of_batch(ctx) && rg_has_in(ctx, G_MEAN) && rg_has_in(ctx, G_VARIANCE)) {
        void *made = rg_scratch(ctx, bytes);
        if (made == NULL)
            return RG_ENOMEM;
        RG_CALL_FLOAT(ctx, G_X, invert,
                      (e.channels, rg_in_data(ctx, G_VARIANCE), rg_attr_float(ctx, EPSILON), made))
        mean = rg_in_data(ctx, G_MEAN);
        inverse = made;
    }
    if (e.space == 1)
        RG_CALL_FLOAT(ctx, G_X, row_sums, (&e, x, dy, mean, inverse, work, dbias, dscale))
    else
        RG_CALL_FLOAT(ctx, G_X, plane_sums, (&e, x, dy, mean, inverse, dbias, dscale))
    if (rg_has_out(ctx, G_DX))
        RG_CALL_FLOAT(ctx, G_X, backward,
                      (&e, of_batch(ctx), x, dy, rg_in_data(ctx, G_SCALE), mean, inverse, dscale,
                       dbias, work, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    return norm_grad(ctx, rg_in_data(ctx, G_X), rg_in_data(ctx, G_DY));
}

/* Over all but the channels; in test with the mean and deviation that were taken, as constants. */
static void grad_terms(rg_terms *t)
{
    int rank = rg_term_meta(t, rg_term_in(t, "X"))->shape.rank;
    bool last = strcmp(rg_term_attr(t, "data_layout")->s, "NHWC") == 0;
    rg_norm_terms norm = {.axis = last ? rank - 1 : 1, .scale = rg_term_in(t, "Scale")};
    for (int d = 0; d < rank; d++)
        if (d != norm.axis)
            norm.dims[norm.n++] = d;
    if (rg_term_attr(t, "use_global_stats")->b)
        rg_term_fail(t, "use_global_stats is set");
    if (rg_term_attr(t, "is_test")->b && !rg_term_attr(t, "trainable_statistics")->b) {
        norm.mean = rg_term_constant(t, rg_term_of(t, "assign", rg_term_in(t, "SavedMean")));
        norm.inverse = rg_term_constant(t, rg_term_of(t, "assign", rg_term_in(t, "SavedVariance")));
    }
    rg_compose_norm(t, &norm);
}

#define GRAD_IN(VALUE, BIAS_FLAGS)                                                             \
    RG_SLOTS([G_X] = {VALUE, ""}, [G_DY] = {"Y@GRAD", ""}, [G_SCALE] = {"Scale", ""},          \
             [G_BIAS] = {"Bias", "", BIAS_FLAGS}, [G_SAVED_MEAN] = {"SavedMean", ""},          \
             [G_SAVED_VARIANCE] = {"SavedVariance", ""},                                       \
             [G_MEAN] = {"Mean", "with use_global_stats", RG_OPTIONAL},                        \
             [G_VARIANCE] = {"Variance", "with use_global_stats", RG_OPTIONAL},                \
             [G_RESERVE] = {"ReserveSpace", "", RG_OPTIONAL | RG_SHAPE_ONLY})
#define GRAD_OUT                                                                               \
    RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X), RG_OF(G_DY)},                    \
             [G_DSCALE] = {"Scale@GRAD", "", RG_OPTIONAL, RG_OF(G_SCALE)},                     \
             [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_BIAS)})

const rg_op rg_op_batch_norm_grad = {
    .type = "batch_norm_grad",
    .doc = "Gradient of batch_norm.",
    .in = GRAD_IN("X", RG_SHAPE_ONLY),
    .out = GRAD_OUT,
    .attr = ATTRS,
    .kernel = grad_kernel,
    .compose = grad_terms,
};

/* ---- inplace_abn ---- */

typedef enum activation { IDENTITY, LEAKY_RELU, ELU } activation;

static rg_status activation_of(const rg_ctx *ctx, activation *act)
{
    const char *name = rg_attr_string(ctx, ACTIVATION);
    float alpha = rg_attr_float(ctx, ALPHA);
    if (strcmp(name, "leaky_relu") == 0)
        *act = LEAKY_RELU;
    else if (strcmp(name, "elu") == 0)
        *act = ELU;
    else if (strcmp(name, "identity") == 0 || name[0] == '\0')
        *act = IDENTITY;
    else
        return rg_fail(RG_EINVAL, "activation %s: identity, leaky_relu or elu", name);
    if (*act != IDENTITY && !(alpha > 0))
        return rg_fail(RG_EINVAL, "alpha is %g, and must be above 0: the gradient undoes %s",
                       (double)alpha, name);
    if (rg_attr_bool(ctx, USE_SYNC_BN))
        return rg_fail(RG_EUNIMPL, "use_sync_bn is set: each replica takes the statistics of its "
                                   "own part of the batch");
    return RG_OK;
}

#define ACTIVATE(T, S)                                                                         \
    static void activate_##S(activation act, float alpha, T *y, int64_t n)                     \
    {                                                                                          \
        for (int64_t i = 0; act != IDENTITY && i < n; i++)                                     \
            if (y[i] < 0)                                                                      \
                y[i] = (T)alpha * (act == ELU ? (T)expm1((double)y[i]) : y[i]);                \
    }                                                                                          \
    /* z: before the activation; dz: the gradient there. */                                    \
    static void undo_##S(activation act, float a, const T *y, const T *dy, int64_t n, T *z,    \
                         T *dz)                                                                \
    {                                                                                          \
        T alpha = (T)a;                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                      \
            bool below = act != IDENTITY && y[i] < 0;                                          \
            z[i] = !below       ? y[i]                                                         \
                   : act == ELU ? (T)log1p((double)(y[i] / alpha))                             \
                                : y[i] / alpha;                                                \
            dz[i] = !below ? dy[i] : act == ELU ? dy[i] * (y[i] + alpha) : dy[i] * alpha;      \
        }                                                                                      \
    }                                                                                          \
    /* x = (z - bias) / (scale inverse) + mean, in the place of z. */                          \
    static void restore_##S(const extents *e, const T *scale, const T *bias, const T *mean,    \
                            const T *inverse, T *z)                                            \
    {                                                                                          \
        for (int64_t i = 0; i < e->outer * e->channels; i++, z += e->space) {                  \
            int64_t c = i % e->channels;                                                       \
            for (int64_t k = 0; k < e->space; k++)                                             \
                z[k] = (z[k] - bias[c]) / (scale[c] * inverse[c]) + mean[c];                   \
        }                                                                                      \
    }
RG_FLOATS(ACTIVATE)

static rg_status abn_infer(rg_ctx *ctx)
{
    activation act;
    RG_TRY(activation_of(ctx, &act));
    return infer(ctx);
}

static rg_status abn_kernel(rg_ctx *ctx)
{
    activation act;
    RG_TRY(activation_of(ctx, &act));
    RG_TRY(kernel(ctx));
    RG_CALL_FLOAT(ctx, X, activate,
                  (act, rg_attr_float(ctx, ALPHA), rg_out_data(ctx, Y), rg_numel(rg_out(ctx, Y))))
    return RG_OK;
}

static rg_status abn_make_grad(rg_grad_ctx *ctx)
{
    return add_grad(ctx, "inplace_abn_grad", "Y");
}

static rg_status abn_grad_kernel(rg_ctx *ctx)
{
    const rg_value *y = rg_in(ctx, G_X);
    void *x = rg_scratch(ctx, rg_value_bytes(y)), *dz = rg_scratch(ctx, rg_value_bytes(y));
    activation act;
    extents e;
    RG_TRY(activation_of(ctx, &act));
    RG_TRY(find_extents(ctx, &y->meta.shape, &e));
    if (x == NULL || dz == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(
        ctx, G_X, undo,
        (act, rg_attr_float(ctx, ALPHA), y->data, rg_in_data(ctx, G_DY), rg_numel(y), x, dz))
    RG_CALL_FLOAT(ctx, G_X, restore,
                  (&e, rg_in_data(ctx, G_SCALE), rg_in_data(ctx, G_BIAS),
                   rg_in_data(ctx, G_SAVED_MEAN), rg_in_data(ctx, G_SAVED_VARIANCE), x))
    return norm_grad(ctx, x, dz);
}

#define ABN_ATTRS                                                                              \
    RG_ATTRS(NORM_ATTRS,                                                                       \
             [ACTIVATION] = RG_STRING("activation", "", "identity, leaky_relu or elu"),        \
             [ALPHA] = RG_FLOAT("alpha", 0.1f, "of the activation"),                           \
             [USE_SYNC_BN] = RG_BOOLEAN("use_sync_bn", false, "refused"))

const rg_op rg_op_inplace_abn = {
    .type = "inplace_abn",
    .doc = "batch_norm and an activation, which may be written over X.",
    .in = IN_SLOTS,
    .out = OUT_SLOTS,
    .attr = ABN_ATTRS,
    .infer = abn_infer,
    .kernel = abn_kernel,
    .grad = abn_make_grad,
};

const rg_op rg_op_inplace_abn_grad = {
    .type = "inplace_abn_grad",
    .doc = "Gradient of inplace_abn, from its output.",
    .in = GRAD_IN("Y", 0),
    .out = GRAD_OUT,
    .attr = ABN_ATTRS,
    .kernel = abn_grad_kernel,
};
