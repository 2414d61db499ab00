/* nce.c - the loss of many classes from a few of them: noise contrastive estimation.
 *
 * For each example the true classes and num_neg_samples drawn ones are looked at:
 *
 *   o = sigmoid(Input . Weight[c] + Bias[c]),  b = P(c) num_neg_samples
 *   Cost = sum over the true of -log(o / (o + b)) + over the drawn of -log(b / (o + b))
 *
 * times SampleWeight. P is the chance of drawing c: all alike (sampler 0), falling with
 * the logarithm of c (1), or as CustomDistProbs says, drawn by its alias tables (2). Each
 * example draws its own, unless custom_neg_classes names them. SampleLogits keeps o and
 * SampleLabels the classes. The gradient of Weight is dense, or with is_sparse the rows
 * of the classes looked at, each once. */
#include "math/reduce.h"
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/row_set.h"
#include "ops/types.h"

#include <string.h>

enum { INPUT, LABEL, WEIGHT, BIAS, SAMPLE_WEIGHT, DIST_PROBS, DIST_ALIAS, DIST_ALIAS_PROBS };
enum { COST, SAMPLE_LOGITS, SAMPLE_LABELS };
enum {
    CLASSES,
    NEG_SAMPLES,
    SAMPLER,
    SEED,
    IS_SPARSE,
    REMOTE_PREFETCH,
    TRAINER_ID,
    HEIGHT_SECTIONS,
    EPMAP,
    TABLE_NAMES,
    CUSTOM_NEG,
};

enum { UNIFORM, LOG_UNIFORM, CUSTOM };

typedef struct sizes {
    int64_t batch, width, classes, n_true, n; /* n: classes looked at for an example */
} sizes;

static sizes sizes_of(const rg_ctx *ctx)
{
    const rg_shape *input = rg_shape_of(ctx, INPUT), *label = rg_shape_of(ctx, LABEL);
    sizes s = {input->dim[0], input->dim[1], rg_attr_int(ctx, CLASSES),
               label->rank == 2 ? label->dim[1] : 1, 0};
    s.n = s.n_true < 0 ? -1 : s.n_true + rg_attr_int(ctx, NEG_SAMPLES);
    return s;
}

static rg_status check_attrs(const rg_ctx *ctx)
{
    int sampler = rg_attr_int(ctx, SAMPLER), negs = rg_attr_int(ctx, NEG_SAMPLES);
    const rg_attr *custom = rg_attr_list(ctx, CUSTOM_NEG);
    int64_t classes = rg_attr_int(ctx, CLASSES);
    if (sampler < UNIFORM || sampler > CUSTOM)
        return rg_fail(RG_EINVAL, "sampler is %d: 0 uniform, 1 log_uniform or 2 custom", sampler);
    if (negs < 1 || classes < 2)
        return rg_fail(RG_EINVAL, "num_neg_samples is %d and num_total_classes %lld", negs,
                       (long long)classes);
    if (custom->n > 0 && custom->n != negs)
        return rg_fail(RG_EINVAL, "custom_neg_classes has %d classes, and num_neg_samples is %d",
                       custom->n, negs);
    for (int i = 0; i < custom->n; i++)
        if (custom->ints[i] < 0 || custom->ints[i] >= classes)
            return rg_fail(RG_EINVAL, "custom_neg_classes has %d, and there are %lld classes",
                           custom->ints[i], (long long)classes);
    return RG_OK;
}

static rg_status check_inputs(const rg_ctx *ctx)
{
    const rg_shape *input = rg_shape_of(ctx, INPUT), *label = rg_shape_of(ctx, LABEL);
    const rg_shape *weight = rg_shape_of(ctx, WEIGHT);
    RG_TRY(check_attrs(ctx));
    RG_TRY(rg_expect_rank(ctx, INPUT, 2));
    RG_TRY(rg_expect_rank(ctx, WEIGHT, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, WEIGHT));
    if (label->rank != 1)
        RG_TRY(rg_expect_rank(ctx, LABEL, 2));
    sizes s = sizes_of(ctx);
    if ((s.batch >= 0 && label->dim[0] >= 0 && label->dim[0] != s.batch) ||
        (s.width >= 0 && weight->dim[1] != s.width) || weight->dim[0] != s.classes) {
        char ti[RG_SHAPE_TEXT], tl[RG_SHAPE_TEXT], tw[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Input is %s, Label %s and Weight %s for %lld classes",
                       rg_shape_text(input, ti), rg_shape_text(label, tl),
                       rg_shape_text(weight, tw), (long long)s.classes);
    }
    for (int k = BIAS; k <= SAMPLE_WEIGHT; k++)
        if (rg_has_in(ctx, k))
            RG_TRY(rg_expect_same_dtype(ctx, INPUT, k));
    RG_TRY(rg_expect_count(ctx, BIAS, s.classes));
    RG_TRY(rg_expect_count(ctx, SAMPLE_WEIGHT, s.batch));
    if (rg_has_in(ctx, DIST_ALIAS))
        RG_TRY(RG_EXPECT_DTYPE(ctx, DIST_ALIAS, RG_I32, RG_I64));
    for (int k = DIST_PROBS; k <= DIST_ALIAS_PROBS; k += 2)
        if (rg_has_in(ctx, k))
            RG_TRY(RG_EXPECT_DTYPE(ctx, k, RG_F32, RG_F64));
    for (int k = DIST_PROBS; k <= DIST_ALIAS_PROBS; k++) {
        RG_TRY(rg_expect_count(ctx, k, s.classes));
        if (rg_attr_int(ctx, SAMPLER) == CUSTOM && !rg_has_in(ctx, k))
            return rg_fail(RG_EINVAL, "the custom sampler needs %s", ctx->op->in[k].name);
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    sizes s = sizes_of(ctx);
    rg_dtype dtype = rg_dtype_of(ctx, INPUT);
    rg_set_out(ctx, COST, dtype, &RG_SHAPE(s.batch, 1));
    rg_set_out(ctx, SAMPLE_LOGITS, dtype, &RG_SHAPE(s.batch, s.n));
    rg_set_out(ctx, SAMPLE_LABELS, RG_I64, &RG_SHAPE(s.batch, s.n));
    return RG_OK;
}

/* ---- drawing ---- */

static double number_at(const rg_value *value, int64_t i)
{
    return value->meta.dtype == RG_F64 ? ((const double *)value->data)[i]
                                       : (double)((const float *)value->data)[i];
}

/* b of each class that is looked at. The chances of log_uniform are over classes - 1. */
static rg_status noise_of(rg_ctx *ctx, const sizes *s, const int64_t *classes, double **out)
{
    int sampler = rg_attr_int(ctx, SAMPLER);
    double negs = (double)rg_attr_int(ctx, NEG_SAMPLES), all = (double)s->classes;
    double *b = rg_scratch(ctx, (size_t)(s->batch * s->n) * sizeof *b);
    if (b == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < s->batch * s->n; i++) {
        double c = (double)classes[i];
        b[i] = negs * (sampler == UNIFORM       ? 1 / all
                       : sampler == LOG_UNIFORM ? log((c + 2) / (c + 1)) / log(all)
                                                : number_at(rg_in(ctx, DIST_PROBS), classes[i]));
    }
    *out = b;
    return RG_OK;
}

/* Draw number i of the stream. */
static rg_status draw(const rg_ctx *ctx, rg_philox_key key, uint64_t i, int64_t classes,
                      int64_t *out)
{
    int sampler = rg_attr_int(ctx, SAMPLER);
    if (sampler == LOG_UNIFORM) {
        double u = rg_philox_uniform_f64(key, i);
        int64_t c = (int64_t)exp(u * log((double)classes)) - 1;
        *out = c < 0 ? 0 : c > classes - 2 ? classes - 2 : c;
        return RG_OK;
    }
    if (sampler == UNIFORM) {
        *out = (int64_t)rg_philox_below(key, i, (uint64_t)classes);
        return RG_OK;
    }
    *out = (int64_t)rg_philox_below(key, 2 * i, (uint64_t)classes);
    if (rg_philox_uniform_f64(key, 2 * i + 1) < number_at(rg_in(ctx, DIST_ALIAS_PROBS), *out))
        return RG_OK;
    const rg_value *alias = rg_in(ctx, DIST_ALIAS);
    int64_t other = alias->meta.dtype == RG_I64 ? ((const int64_t *)alias->data)[*out]
                                                : ((const int32_t *)alias->data)[*out];
    if (other >= classes)
        return rg_bad_label(ctx, DIST_ALIAS, *out, other, classes);
    *out = other < 0 ? *out : other; /* -1: it has no alias */
    return RG_OK;
}

/* The classes of each example: the true ones, then the drawn ones. */
static rg_status choose(rg_ctx *ctx, const sizes *s, int64_t *classes)
{
    const rg_attr *custom = rg_attr_list(ctx, CUSTOM_NEG);
    int seed = rg_attr_int(ctx, SEED);
    rg_philox_key key = rg_random_key(ctx, seed, seed != 0);
    const int64_t *labels;
    RG_TRY(rg_read_labels(ctx, LABEL, &labels));
    for (int64_t i = 0; i < s->batch; i++)
        for (int64_t j = 0; j < s->n; j++) {
            int64_t *to = classes + i * s->n + j, neg = j - s->n_true;
            if (neg < 0) {
                *to = labels[i * s->n_true + j];
                if (*to < 0 || *to >= s->classes)
                    return rg_bad_label(ctx, LABEL, i * s->n_true + j, *to, s->classes);
            } else if (custom->n > 0) {
                *to = custom->ints[neg];
            } else {
                uint64_t at = (uint64_t)(i * (s->n - s->n_true) + neg);
                RG_TRY(draw(ctx, key, at, s->classes, to));
            }
        }
    return RG_OK;
}

/* ---- computing ---- */

/* What the loops need of the inputs. */
typedef struct tables {
    const int64_t *classes; /* SampleLabels */
    const double *noise;    /* b of each */
    const void *input, *weight, *bias, *example_weight;
} tables;

#define LOOPS(T, S)                                                                               \
    static void cost_##S(const sizes *s, const tables *t, T *logits, T *cost)                     \
    {                                                                                             \
        const T *input = t->input, *weight = t->weight, *bias = t->bias;                          \
        const T *example_weight = t->example_weight;                                              \
        for (int64_t i = 0; i < s->batch; i++, input += s->width) {                               \
            T sum = 0;                                                                            \
            for (int64_t j = 0; j < s->n; j++) {                                                  \
                const int64_t c = t->classes[i * s->n + j];                                       \
                const T dot = rg_dot_##S(input, weight + c * s->width, s->width);                 \
                const T o = RG_SIGMOID(dot + (bias ? bias[c] : 0));                               \
                const T b = (T)t->noise[i * s->n + j];                                            \
                logits[i * s->n + j] = o;                                                         \
                sum -= RG_LOG((j < s->n_true ? o : b) / (o + b));                                 \
            }                                                                                     \
            cost[i] = example_weight ? sum * example_weight[i] : sum;                             \
        }                                                                                         \
    }                                                                                             \
    /* The gradients of the dot products, [batch, n]. */                                          \
    static void slopes_##S(const sizes *s, const tables *t, const T *logits, const T *dcost,      \
                           T *slope)                                                              \
    {                                                                                             \
        const T *example_weight = t->example_weight;                                              \
        for (int64_t i = 0; i < s->batch; i++) {                                                  \
            const T d = dcost[i] * (example_weight ? example_weight[i] : 1);                      \
            for (int64_t j = 0; j < s->n; j++) {                                                  \
                const int64_t at = i * s->n + j;                                                  \
                const T o = logits[at], b = (T)t->noise[at];                                      \
                slope[at] = d * (1 - o) * (j < s->n_true ? -b : o) / (o + b);                     \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    RG_INLINE void add_##S(T *to, T factor, const T *from, int64_t n)                             \
    {                                                                                             \
        for (int64_t k = 0; k < n; k++)                                                           \
            to[k] += factor * from[k];                                                            \
    }                                                                                             \
    RG_HOT static void spread_input_##S(const sizes *s, const tables *t, const T *slope, T *dx)   \
    {                                                                                             \
        const T *weight = t->weight;                                                              \
        for (int64_t at = 0; at < s->batch * s->n; at++)                                          \
            add_##S(dx + at / s->n * s->width, slope[at], weight + t->classes[at] * s->width,     \
                    s->width);                                                                    \
    }                                                                                             \
    /* rows: where the class of each stands in dw. */                                             \
    RG_HOT static void spread_weight_##S(const sizes *s, const tables *t, const T *slope,         \
                                         const int64_t *rows, T *dw)                              \
    {                                                                                             \
        const T *input = t->input;                                                                \
        for (int64_t at = 0; at < s->batch * s->n; at++)                                          \
            add_##S(dw + rows[at] * s->width, slope[at], input + at / s->n * s->width, s->width); \
    }                                                                                             \
    static void spread_bias_##S(const sizes *s, const tables *t, const T *slope, T *db)           \
    {                                                                                             \
        for (int64_t at = 0; at < s->batch * s->n; at++)                                          \
            db[t->classes[at]] += slope[at];                                                      \
    }
RG_FLOATS(LOOPS)

static rg_status gather_tables(rg_ctx *ctx, const sizes *s, const int64_t *classes, tables *out)
{
    double *noise;
    RG_TRY(noise_of(ctx, s, classes, &noise));
    *out = (tables){classes,
                    noise,
                    rg_in_data(ctx, INPUT),
                    rg_in_data(ctx, WEIGHT),
                    rg_in_data(ctx, BIAS),
                    rg_in_data(ctx, SAMPLE_WEIGHT)};
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    sizes s = sizes_of(ctx);
    tables t;
    int64_t n = s.batch * s.n;
    int64_t *classes = rg_out_or_scratch(ctx, SAMPLE_LABELS, (size_t)n * sizeof *classes);
    void *logits = rg_out_or_scratch(ctx, SAMPLE_LOGITS, (size_t)n * sizeof(double));
    if (classes == NULL || logits == NULL)
        return RG_ENOMEM;
    RG_TRY(choose(ctx, &s, classes));
    RG_TRY(gather_tables(ctx, &s, classes, &t));
    rg_value_settle_rows(rg_in(ctx, WEIGHT), classes, n);
    RG_CALL_FLOAT(ctx, INPUT, cost, (&s, &t, logits, rg_out_data(ctx, COST)))
    return RG_OK;
}

#define ATTRS                                                                                    \
    RG_ATTRS([CLASSES] = RG_REQUIRED("num_total_classes", RG_ATTR_INT, "how many classes"),      \
             [NEG_SAMPLES] = RG_INT("num_neg_samples", 10, "how many are drawn"),                \
             [SAMPLER] = RG_INT("sampler", 0, "0 uniform, 1 log_uniform, 2 custom"),             \
             [SEED] = RG_INT("seed", 0, "0: the program's or the process's"),                    \
             [IS_SPARSE] = RG_BOOLEAN("is_sparse", false, "the gradient holds only rows read"),  \
             [REMOTE_PREFETCH] = RG_BOOLEAN("remote_prefetch", false, "rows come from servers"), \
             [TRAINER_ID] = RG_INT("trainer_id", 0, "which trainer asks"),                       \
             [HEIGHT_SECTIONS] = RG_LIST("height_sections", RG_ATTR_LONGS, "rows per server"),   \
             [EPMAP] = RG_LIST("epmap", RG_ATTR_STRINGS, "the servers"),                         \
             [TABLE_NAMES] = RG_LIST("table_names", RG_ATTR_STRINGS, "the parts of the table"),  \
             [CUSTOM_NEG] = RG_LIST("custom_neg_classes", RG_ATTR_INTS,                          \
                                    "taken for every example instead of drawing"))
#define SLOTS(...)                                                                            \
    RG_SLOTS([INPUT] = {"Input", "examples, [batch, width]"},                                 \
             [LABEL] = {"Label", "the true classes, [batch, n]", RG_NO_GRAD},                 \
             [WEIGHT] = {"Weight", "[classes, width]", RG_LATE_OK},                           \
             [BIAS] = {"Bias", "one for each class", RG_OPTIONAL},                            \
             [SAMPLE_WEIGHT] = {"SampleWeight", "of the examples", RG_OPTIONAL | RG_NO_GRAD}, \
             [DIST_PROBS] = {"CustomDistProbs", "the chance of each class",                   \
                             RG_OPTIONAL | RG_NO_GRAD},                                       \
             [DIST_ALIAS] = {"CustomDistAlias", "another class for each; -1: none",           \
                             RG_OPTIONAL | RG_NO_GRAD},                                       \
             [DIST_ALIAS_PROBS] = {"CustomDistAliasProbs", "the chance to keep the class",    \
                                   RG_OPTIONAL | RG_NO_GRAD},                                 \
             __VA_ARGS__)

const rg_op rg_op_nce = {
    .type = "nce",
    .doc = "The loss of many classes from a few of them.",
    .in = SLOTS({.name = NULL}),
    .out = RG_SLOTS([COST] = {"Cost", "[batch, 1]"},
                    [SAMPLE_LOGITS] = {"SampleLogits", "o of the classes", RG_INTERMEDIATE},
                    [SAMPLE_LABELS] = {"SampleLabels", "the classes", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient: the inputs as above, and ---- */

enum { G_LOGITS = DIST_ALIAS_PROBS + 1, G_LABELS, G_DCOST };
enum { G_DINPUT, G_DWEIGHT, G_DBIAS };

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(check_inputs(ctx));
    sizes s = sizes_of(ctx);
    for (int k = G_LOGITS; k <= G_LABELS; k++)
        RG_TRY(rg_expect_count(ctx, k, s.batch < 0 || s.n < 0 ? -1 : s.batch * s.n));
    RG_TRY(rg_expect_count(ctx, G_DCOST, s.batch));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_LABELS, RG_I64));
    rg_set_like(ctx, G_DINPUT, INPUT);
    rg_set_like(ctx, G_DWEIGHT, WEIGHT);
    rg_set_kind(ctx, G_DWEIGHT, rg_attr_bool(ctx, IS_SPARSE) ? RG_ROWS : RG_TENSOR);
    rg_set_like(ctx, G_DBIAS, BIAS);
    return RG_OK;
}

static rg_status either_infer(rg_ctx *ctx)
{
    RG_TRY(grad_infer(ctx));
    sizes s = sizes_of(ctx);
    rg_set_kind(ctx, G_DWEIGHT,
                rg_row_set_kind(s.batch < 0 || s.n < 0 ? -1 : s.batch * s.n, s.classes));
    return RG_OK;
}

static rg_status weight_grad(rg_ctx *ctx, const sizes *s, const tables *t, const void *slope)
{
    rg_value *dw = rg_out(ctx, G_DWEIGHT);
    const int64_t *rows = t->classes;
    if (dw == NULL)
        return RG_OK;
    if (dw->meta.kind == RG_ROWS)
        RG_TRY(
            rg_row_set_gradient(ctx, rg_in(ctx, WEIGHT), t->classes, s->batch * s->n, dw, &rows));
    else
        memset(dw->data, 0, rg_value_bytes(dw));
    RG_CALL_FLOAT(ctx, INPUT, spread_weight, (s, t, slope, rows, dw->data))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    sizes s = sizes_of(ctx);
    const int64_t *classes = rg_in_data(ctx, G_LABELS);
    tables t;
    void *slope = rg_scratch(ctx, (size_t)(s.batch * s.n) * sizeof(double));
    if (slope == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < s.batch * s.n; i++)
        if (classes[i] < 0 || classes[i] >= s.classes)
            return rg_bad_label(ctx, G_LABELS, i, classes[i], s.classes);
    RG_TRY(gather_tables(ctx, &s, classes, &t));
    rg_value_settle_rows(rg_in(ctx, WEIGHT), classes, s.batch * s.n);
    RG_CALL_FLOAT(ctx, INPUT, slopes,
                  (&s, &t, rg_in_data(ctx, G_LOGITS), rg_in_data(ctx, G_DCOST), slope))
    RG_TRY(weight_grad(ctx, &s, &t, slope));
    rg_value *dx = rg_out(ctx, G_DINPUT), *db = rg_out(ctx, G_DBIAS);
    if (dx != NULL) {
        memset(dx->data, 0, rg_value_bytes(dx));
        RG_CALL_FLOAT(ctx, INPUT, spread_input, (&s, &t, slope, dx->data))
    }
    if (db != NULL) {
        memset(db->data, 0, rg_value_bytes(db));
        RG_CALL_FLOAT(ctx, INPUT, spread_bias, (&s, &t, slope, db->data))
    }
    return RG_OK;
}

#define GRAD_SLOTS                                                              \
    SLOTS([G_LOGITS] = {"SampleLogits", ""}, [G_LABELS] = {"SampleLabels", ""}, \
          [G_DCOST] = {"Cost@GRAD", ""})
#define GRAD_OUT                                             \
    RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL},   \
             [G_DWEIGHT] = {"Weight@GRAD", "", RG_OPTIONAL}, \
             [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL})

const rg_op rg_op_nce_grad = {
    .type = "nce_grad",
    .doc = "Gradient of nce, of Weight dense or sparse.",
    .in = GRAD_SLOTS,
    .out = GRAD_OUT,
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};

const rg_op rg_op_fused_nce_grad = {
    .type = "fused_nce_grad",
    .doc = "Gradient of nce, of Weight dense or sparse, whichever is less work.",
    .in = GRAD_SLOTS,
    .out = GRAD_OUT,
    .attr = ATTRS,
    .flags = RG_OP_INTERNAL,
    .infer = either_infer,
    .kernel = grad_kernel,
};
