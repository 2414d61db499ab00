/* sample_logits.c - the logits of the true classes and of a few drawn ones, for a softmax
 * over those alone.
 *
 *   Samples       = [true classes, drawn classes]; all rows have the same drawn ones
 *   SampledLogits = Logits[Samples] - log Probabilities
 *   SampledLabels = 0 .. num_true-1: where the true ones stand in Samples
 *
 * Class c is drawn with the chance log((c + 2) / (c + 1)) / log(classes + 1), as words fall
 * in number with their rank, until num_samples distinct ones are found; Probabilities are
 * the chances that a class is among them, after that many draws. A drawn class that is a
 * true one of the row is made impossible (-1e20) with remove_accidental_hits. With
 * use_customized_samples both are given instead. */
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

#include <string.h>

enum { LOGITS, LABELS, CUSTOM_SAMPLES, CUSTOM_PROBS };
enum { SAMPLES, PROBS, LOGITS_DIM, LABELS_DIM, SAMPLED_LOGITS, SAMPLED_LABELS };
enum { USE_CUSTOM, UNIQ, REMOVE_HITS, NUM_SAMPLES, SEED };

static rg_status check_custom(const rg_ctx *ctx, const rg_shape *samples)
{
    for (int k = CUSTOM_SAMPLES; k <= CUSTOM_PROBS; k++) {
        if (!rg_has_in(ctx, k))
            return rg_fail(RG_EINVAL, "use_customized_samples needs %s", ctx->op->in[k].name);
        if (!rg_shape_fits(samples, rg_shape_of(ctx, k))) {
            char tw[RG_SHAPE_TEXT], tf[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "%s must be %s, and is %s", ctx->op->in[k].name,
                           rg_shape_text(samples, tw), rg_shape_text(rg_shape_of(ctx, k), tf));
        }
    }
    RG_TRY(RG_EXPECT_DTYPE(ctx, CUSTOM_SAMPLES, RG_I64));
    return rg_expect_same_dtype(ctx, LOGITS, CUSTOM_PROBS);
}

/* The shape and a 0: it has no data. */
static rg_shape with_zero(const rg_shape *shape)
{
    rg_shape out = *shape;
    out.dim[out.rank++] = 0;
    return out;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *logits = rg_shape_of(ctx, LOGITS), *labels = rg_shape_of(ctx, LABELS);
    int64_t n = rg_attr_int(ctx, NUM_SAMPLES);
    RG_TRY(rg_expect_rank(ctx, LOGITS, 2));
    RG_TRY(rg_expect_rank(ctx, LABELS, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABELS, RG_I64, RG_I32));
    if (logits->dim[0] >= 0 && labels->dim[0] >= 0 && logits->dim[0] != labels->dim[0])
        return rg_fail(RG_ESHAPE, "%lld rows of labels for %lld of logits",
                       (long long)labels->dim[0], (long long)logits->dim[0]);
    if (n < 1 || (logits->dim[1] >= 0 && n > logits->dim[1]))
        return rg_fail(RG_EINVAL, "num_samples is %lld, and there are %lld classes", (long long)n,
                       (long long)logits->dim[1]);
    if (!rg_attr_bool(ctx, UNIQ))
        return rg_fail(RG_EUNIMPL, "uniq=False: only distinct classes are drawn");
    rg_shape samples = RG_SHAPE(logits->dim[0], labels->dim[1] < 0 ? -1 : labels->dim[1] + n);
    if (rg_attr_bool(ctx, USE_CUSTOM))
        RG_TRY(check_custom(ctx, &samples));
    rg_dtype dtype = rg_dtype_of(ctx, LOGITS);
    rg_shape logits_dim = with_zero(logits), labels_dim = with_zero(labels), places = *labels;
    rg_set_out(ctx, SAMPLES, RG_I64, &samples);
    rg_set_out(ctx, PROBS, dtype, &samples);
    rg_set_out(ctx, LOGITS_DIM, dtype, &logits_dim);
    rg_set_out(ctx, LABELS_DIM, RG_I64, &labels_dim);
    rg_set_out(ctx, SAMPLED_LOGITS, dtype, &samples);
    rg_set_out(ctx, SAMPLED_LABELS, RG_I64, &places);
    return RG_OK;
}

/* ---- drawing ---- */

typedef struct sizes {
    int64_t rows, classes, n_true, n; /* n: classes in a row of Samples */
} sizes;

static double chance(int64_t c, int64_t classes)
{
    return log(((double)c + 2) / ((double)c + 1)) / log((double)classes + 1);
}

/* `n` distinct classes; returns how many draws that took. Those drawn are marked. */
static int64_t draw(rg_philox_key key, int64_t classes, int64_t n, uint8_t *marked, int64_t *out)
{
    int64_t found = 0, draws = 0;
    while (found < n) {
        double u = rg_philox_uniform_f64(key, (uint64_t)draws++);
        int64_t c = (int64_t)exp(u * log((double)classes + 1)) - 1;
        c = c < 0 ? 0 : c >= classes ? classes - 1 : c;
        if (!marked[c])
            out[found++] = c;
        marked[c] = 1;
    }
    return draws;
}

#define FILL(T, S)                                                                                \
    static void fill_##S(const sizes *s, const int64_t *labels, const int64_t *drawn,             \
                         double draws, int64_t *samples, T *probs)                                \
    {                                                                                             \
        for (int64_t i = 0; i < s->rows; i++)                                                     \
            for (int64_t j = 0; j < s->n; j++) {                                                  \
                const int64_t at = i * s->n + j;                                                  \
                const int64_t c = j < s->n_true ? labels[i * s->n_true + j]                       \
                                                : drawn[j - s->n_true];                           \
                samples[at] = c;                                                                  \
                probs[at] = (T)-expm1(draws * log1p(-chance(c, s->classes)));                     \
            }                                                                                     \
    }                                                                                             \
    static void take_##S(const sizes *s, const T *logits, const int64_t *samples, const T *probs, \
                         bool remove_hits, T *out)                                                \
    {                                                                                             \
        for (int64_t i = 0; i < s->rows; i++) {                                                   \
            const int64_t *row = samples + i * s->n;                                              \
            for (int64_t j = 0; j < s->n; j++) {                                                  \
                bool hit = false;                                                                 \
                for (int64_t k = 0; j >= s->n_true && k < s->n_true; k++)                         \
                    hit |= row[j] == row[k];                                                      \
                const T logit = logits[i * s->classes + row[j]];                                  \
                const T sample = logit - (remove_hits && hit ? (T)1e20 : 0) -                     \
                                 RG_LOG(probs[i * s->n + j]);                                     \
                out[i * s->n + j] = sample < (T)-1e20  ? (T)-1e20                                 \
                                    : sample > (T)1e20 ? (T)1e20                                  \
                                                       : sample;                                  \
            }                                                                                     \
        }                                                                                         \
    }                                                                                             \
    static void put_back_##S(const sizes *s, const int64_t *samples, const T *dout, T *dlogits)   \
    {                                                                                             \
        for (int64_t i = 0; i < s->rows; i++)                                                     \
            for (int64_t j = i * s->n; j < (i + 1) * s->n; j++)                                   \
                dlogits[i * s->classes + samples[j]] += dout[j];                                  \
    }
RG_FLOATS(FILL)

/* Samples and Probabilities, drawn or given. */
static rg_status choose(rg_ctx *ctx, const sizes *s, const int64_t *labels, int64_t *samples,
                        void *probs)
{
    if (rg_attr_bool(ctx, USE_CUSTOM)) {
        const rg_value *given = rg_in(ctx, CUSTOM_SAMPLES), *chances = rg_in(ctx, CUSTOM_PROBS);
        memmove(samples, given->data, rg_value_bytes(given));
        memmove(probs, chances->data, rg_value_bytes(chances));
        return RG_OK;
    }
    int seed = rg_attr_int(ctx, SEED);
    int64_t n = s->n - s->n_true, *drawn = rg_scratch(ctx, (size_t)n * sizeof *drawn);
    uint8_t *marked = rg_scratch(ctx, (size_t)s->classes);
    if (drawn == NULL || marked == NULL)
        return RG_ENOMEM;
    memset(marked, 0, (size_t)s->classes);
    int64_t draws = draw(rg_random_key(ctx, seed, seed != 0), s->classes, n, marked, drawn);
    RG_CALL_FLOAT(ctx, LOGITS, fill, (s, labels, drawn, (double)draws, samples, probs))
    return RG_OK;
}

static rg_status check_classes(const rg_ctx *ctx, const sizes *s, const int64_t *samples)
{
    for (int64_t i = 0; i < s->rows * s->n; i++)
        if (samples[i] < 0 || samples[i] >= s->classes)
            return rg_fail(RG_EVALUE, "%s: sample %lld is %lld, and must be in 0 .. %lld",
                           ctx->op->type, (long long)i, (long long)samples[i],
                           (long long)(s->classes - 1));
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_shape *logits = rg_shape_of(ctx, LOGITS);
    int64_t n_true = rg_shape_of(ctx, LABELS)->dim[1];
    sizes s = {logits->dim[0], logits->dim[1], n_true, n_true + rg_attr_int(ctx, NUM_SAMPLES)};
    const int64_t *labels;
    RG_TRY(rg_read_labels(ctx, LABELS, &labels));
    for (int64_t i = 0; i < s.rows * s.n_true; i++)
        if (labels[i] < 0 || labels[i] >= s.classes)
            return rg_bad_label(ctx, LABELS, i, labels[i], s.classes);
    size_t n = (size_t)(s.rows * s.n);
    int64_t *samples = rg_out_or_scratch(ctx, SAMPLES, n * sizeof *samples);
    void *probs = rg_out_or_scratch(ctx, PROBS, n * sizeof(double));
    if (samples == NULL || probs == NULL)
        return RG_ENOMEM;
    RG_TRY(choose(ctx, &s, labels, samples, probs));
    RG_TRY(check_classes(ctx, &s, samples));
    RG_CALL_FLOAT(ctx, LOGITS, take,
                  (&s, rg_in_data(ctx, LOGITS), samples, probs, rg_attr_bool(ctx, REMOVE_HITS),
                   rg_out_data(ctx, SAMPLED_LOGITS)))
    int64_t *places = rg_out_data(ctx, SAMPLED_LABELS);
    for (int64_t i = 0; places != NULL && i < s.rows * s.n_true; i++)
        places[i] = i % s.n_true;
    return RG_OK;
}

#define ATTRS                                                                                 \
    RG_ATTRS([USE_CUSTOM] = RG_BOOLEAN("use_customized_samples", false, "samples are given"), \
             [UNIQ] = RG_BOOLEAN("uniq", true, "draw distinct classes"),                      \
             [REMOVE_HITS] = RG_BOOLEAN("remove_accidental_hits", true,                       \
                                        "a drawn class that is true does not count"),         \
             [NUM_SAMPLES] = RG_REQUIRED("num_samples", RG_ATTR_INT, "how many are drawn"),   \
             [SEED] = RG_INT("seed", 0, "0: the program's or the process's"))

const rg_op rg_op_sample_logits = {
    .type = "sample_logits",
    .doc = "The logits of the true classes and of a few drawn ones.",
    .in = RG_SLOTS([LOGITS] = {"Logits", "[batch, classes]"},
                   [LABELS] = {"Labels", "the true classes, [batch, n]", RG_NO_GRAD},
                   [CUSTOM_SAMPLES] = {"CustomizedSamples", "true and drawn classes, int64",
                                       RG_OPTIONAL | RG_NO_GRAD},
                   [CUSTOM_PROBS] = {"CustomizedProbabilities", "their chances",
                                     RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([SAMPLES] = {"Samples", "[batch, n + num_samples]", RG_INTERMEDIATE},
                    [PROBS] = {"Probabilities", "their chances", RG_INTERMEDIATE},
                    [LOGITS_DIM] = {"LogitsDim", "the shape of Logits and 0", RG_INTERMEDIATE},
                    [LABELS_DIM] = {"LabelsDim", "the shape of Labels and 0", RG_INTERMEDIATE},
                    [SAMPLED_LOGITS] = {"SampledLogits", "[batch, n + num_samples]"},
                    [SAMPLED_LABELS] = {"SampledLabels", "where the true ones stand"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_LOGITS_DIM, G_LABELS_DIM, G_SAMPLES, G_DSAMPLED };
enum { G_DLOGITS };

static rg_status grad_infer(rg_ctx *ctx)
{
    rg_shape logits = *rg_shape_of(ctx, G_LOGITS_DIM);
    const rg_shape *samples = rg_shape_of(ctx, G_SAMPLES);
    RG_TRY(rg_expect_rank(ctx, G_LOGITS_DIM, 3));
    RG_TRY(rg_expect_rank(ctx, G_SAMPLES, 2));
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_SAMPLES, RG_I64));
    RG_TRY(rg_expect_same_shape(ctx, G_SAMPLES, G_DSAMPLED));
    logits.rank--;
    if (logits.dim[0] >= 0 && samples->dim[0] >= 0 && logits.dim[0] != samples->dim[0])
        return rg_fail(RG_ESHAPE, "%lld rows of samples for %lld of logits",
                       (long long)samples->dim[0], (long long)logits.dim[0]);
    rg_set_out(ctx, G_DLOGITS, rg_dtype_of(ctx, G_DSAMPLED), &logits);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dlogits = rg_out(ctx, G_DLOGITS);
    const rg_shape *shape = &dlogits->meta.shape;
    const int64_t *samples = rg_in_data(ctx, G_SAMPLES);
    sizes s = {shape->dim[0], shape->dim[1], 0, rg_shape_of(ctx, G_SAMPLES)->dim[1]};
    RG_TRY(check_classes(ctx, &s, samples));
    memset(dlogits->data, 0, rg_value_bytes(dlogits));
    RG_CALL_FLOAT(ctx, G_DSAMPLED, put_back,
                  (&s, samples, rg_in_data(ctx, G_DSAMPLED), dlogits->data))
    return RG_OK;
}

const rg_op rg_op_sample_logits_grad = {
    .type = "sample_logits_grad",
    .doc = "Gradient of sample_logits.",
    .in = RG_SLOTS([G_LOGITS_DIM] = {"LogitsDim", "", RG_SHAPE_ONLY},
                   [G_LABELS_DIM] = {"LabelsDim", "", RG_SHAPE_ONLY}, [G_SAMPLES] = {"Samples", ""},
                   [G_DSAMPLED] = {"SampledLogits@GRAD", ""}),
    .out = RG_SLOTS([G_DLOGITS] = {"Logits@GRAD", ""}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
};
