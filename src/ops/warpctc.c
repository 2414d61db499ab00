/* warpctc.c - connectionist temporal classification: the loss of a sequence of labels, given a
 * longer sequence of what each step says, without a word on which step says which label.
 *
 *   Loss = -log(the sum over all ways to spread Label over the steps of the product of the
 *          steps' probabilities), a softmax of Logits; a step may also say the blank, must say
 *          it between two equal labels, and labels may last for several steps
 *
 * Ways are walked over states: blank, label 0, blank, label 1, ... blank. `before` is the log of
 * the sum over all ways to a state at a step, `after` that of all ways on from it; their sum
 * over Loss is how likely the state is, and the gradient of a logit is its probability less that
 * of the states that say it. A sequence that is too short for its labels has loss 0 and no
 * gradient, as in Paddle.
 *
 * Sequences are those of the LoD, or, with lengths given, [steps, batch, classes] and labels
 * [batch, longest]. */
#include "ops/labels.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { LOGITS, LABEL, LOGITS_LENGTH, LABEL_LENGTH };
enum { SLOPES, LOSS };
enum { BLANK, NORM_BY_TIMES };

/* Where steps and labels of the sequences stand. */
typedef struct layout {
    int64_t sequences, classes;
    const int64_t *steps_at, *labels_at;   /* of LoDs; else NULL, and */
    const int64_t *steps, *labels_of;      /* lengths, of [longest, sequences, classes] and */
    int64_t longest_steps, longest_labels; /* [sequences, longest] */
    const int64_t *labels;
} layout;

static bool padded(const rg_ctx *ctx)
{
    return rg_has_in(ctx, LOGITS_LENGTH);
}

/* How many sequences there are; -1 where it is not known yet. */
static rg_status count_sequences(const rg_ctx *ctx, int64_t *n)
{
    const rg_lod *lod, *labels;
    if (padded(ctx)) {
        RG_TRY(rg_expect_rank(ctx, LOGITS, 3));
        RG_TRY(rg_expect_rank(ctx, LABEL, 2));
        *n = rg_shape_of(ctx, LOGITS)->dim[1];
        if (!rg_running(ctx))
            return RG_OK;
        RG_TRY(rg_expect_count(ctx, LOGITS_LENGTH, *n));
        RG_TRY(rg_expect_count(ctx, LABEL_LENGTH, *n));
        if (rg_shape_of(ctx, LABEL)->dim[0] != *n)
            return rg_fail(RG_ESHAPE, "Logits has %lld sequences, and Label %lld", (long long)*n,
                           (long long)rg_shape_of(ctx, LABEL)->dim[0]);
        return RG_OK;
    }
    RG_TRY(rg_expect_rank(ctx, LOGITS, 2));
    RG_TRY(rg_expect_one_level(ctx, LOGITS, &lod));
    RG_TRY(rg_expect_column(ctx, LABEL));
    RG_TRY(rg_expect_one_level(ctx, LABEL, &labels));
    *n = lod ? rg_lod_sequences(lod, 0) : -1;
    if (lod != NULL && rg_lod_sequences(labels, 0) != *n)
        return rg_fail(RG_ESHAPE, "Logits has %lld sequences, and Label %lld", (long long)*n,
                       (long long)rg_lod_sequences(labels, 0));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    int64_t n;
    const rg_shape *logits = rg_shape_of(ctx, LOGITS);
    if (rg_has_in(ctx, LOGITS_LENGTH) != rg_has_in(ctx, LABEL_LENGTH))
        return rg_fail(RG_EINVAL, "LogitsLength and LabelLength are given both or not at all");
    for (int s = LABEL; s <= LABEL_LENGTH; s++)
        if (rg_has_in(ctx, s))
            RG_TRY(RG_EXPECT_DTYPE(ctx, s, RG_I32, RG_I64));
    RG_TRY(count_sequences(ctx, &n));
    int64_t classes = logits->dim[logits->rank - 1], blank = rg_attr_int(ctx, BLANK);
    if (blank < 0 || (classes >= 0 && blank >= classes))
        return rg_fail(RG_EINVAL, "blank is %lld, and must be in 0 .. %lld", (long long)blank,
                       (long long)classes - 1);
    rg_set_like(ctx, SLOPES, LOGITS);
    /* programs are written to Fluid's -1 for their number */
    rg_set_out(ctx, LOSS, rg_dtype_of(ctx, LOGITS), &RG_SHAPE(rg_running(ctx) ? n : -1, 1));
    return RG_OK;
}

/* ---- the layout, checked ---- */

static rg_status check_lengths(const rg_ctx *ctx, int in, const int64_t *lengths, int64_t n,
                               int64_t most)
{
    for (int64_t i = 0; i < n; i++)
        if (lengths[i] < 0 || lengths[i] > most)
            return rg_fail(RG_EVALUE, "%s is %lld at element %lld, and must be in 0 .. %lld",
                           rg_in_name(ctx, in, 0), (long long)lengths[i], (long long)i,
                           (long long)most);
    return RG_OK;
}

static int64_t steps_of(const layout *at, int64_t i)
{
    return at->steps_at ? at->steps_at[i + 1] - at->steps_at[i] : at->steps[i];
}

static int64_t labels_of(const layout *at, int64_t i)
{
    return at->labels_at ? at->labels_at[i + 1] - at->labels_at[i] : at->labels_of[i];
}

static const int64_t *labels_begin(const layout *at, int64_t i)
{
    return at->labels + (at->labels_at ? at->labels_at[i] : i * at->longest_labels);
}

/* Where the logits of step t of sequence i begin. */
static int64_t row(const layout *at, int64_t i, int64_t t)
{
    return (at->steps_at ? at->steps_at[i] + t : t * at->sequences + i) * at->classes;
}

static rg_status open_layout(rg_ctx *ctx, layout *at)
{
    const rg_shape *logits = rg_shape_of(ctx, LOGITS);
    *at = (layout){.classes = logits->dim[logits->rank - 1]};
    RG_TRY(count_sequences(ctx, &at->sequences));
    RG_TRY(rg_read_labels(ctx, LABEL, &at->labels));
    if (padded(ctx)) {
        at->longest_steps = logits->dim[0];
        at->longest_labels = rg_shape_of(ctx, LABEL)->dim[1];
        RG_TRY(rg_read_labels(ctx, LOGITS_LENGTH, &at->steps));
        RG_TRY(rg_read_labels(ctx, LABEL_LENGTH, &at->labels_of));
        RG_TRY(check_lengths(ctx, LOGITS_LENGTH, at->steps, at->sequences, at->longest_steps));
        RG_TRY(check_lengths(ctx, LABEL_LENGTH, at->labels_of, at->sequences, at->longest_labels));
    } else {
        at->steps_at = rg_in_meta(ctx, LOGITS)->lod->offset[0];
        at->labels_at = rg_in_meta(ctx, LABEL)->lod->offset[0];
    }
    for (int64_t i = 0; i < at->sequences; i++) {
        const int64_t *labels = labels_begin(at, i);
        for (int64_t j = 0; j < labels_of(at, i); j++)
            if (labels[j] < 0 || labels[j] >= at->classes)
                return rg_bad_label(ctx, LABEL, labels + j - at->labels, labels[j], at->classes);
    }
    return RG_OK;
}

/* ---- one sequence, in logarithms ---- */

typedef struct walk {
    int64_t steps, classes, states, blank;
    const int64_t *labels;
    double *chance; /* [steps, classes], logs of the softmax */
    double *before; /* [steps, states] */
    double *after;  /* [2, states]: of a step and the one behind it */
} walk;

static int64_t symbol(const walk *w, int64_t state)
{
    return state % 2 == 0 ? w->blank : w->labels[state / 2];
}

/* Whether a way may leap over the blank before this state. */
static bool may_leap(const walk *w, int64_t state)
{
    return state >= 2 && symbol(w, state) != w->blank && symbol(w, state) != symbol(w, state - 2);
}

static double log_add(double a, double b)
{
    double most = a > b ? a : b;
    if (most == -INFINITY)
        return most;
    return most + log(exp(a - most) + exp(b - most));
}

static bool fits(const walk *w)
{
    int64_t needed = w->states / 2;
    for (int64_t j = 1; j < w->states / 2; j++)
        needed += w->labels[j] == w->labels[j - 1];
    return w->steps >= needed && w->steps > 0;
}

/* The loss. */
static double forward(const walk *w)
{
    for (int64_t s = 0; s < w->states; s++)
        w->before[s] = s < 2 ? w->chance[symbol(w, s)] : -INFINITY;
    for (int64_t t = 1; t < w->steps; t++) {
        const double *from = w->before + (t - 1) * w->states;
        for (int64_t s = 0; s < w->states; s++) {
            double sum = s > 0 ? log_add(from[s], from[s - 1]) : from[s];
            if (may_leap(w, s))
                sum = log_add(sum, from[s - 2]);
            w->before[t * w->states + s] = sum + w->chance[t * w->classes + symbol(w, s)];
        }
    }
    const double *last = w->before + (w->steps - 1) * w->states;
    return -(w->states > 1 ? log_add(last[w->states - 1], last[w->states - 2]) : last[0]);
}

/* One step of `after`, of what is behind it. */
static void step_back(const walk *w, int64_t t, const double *behind, double *here)
{
    const double *chance = w->chance + (t + 1) * w->classes;
    for (int64_t s = 0; s < w->states; s++) {
        double sum = behind[s] + chance[symbol(w, s)];
        if (s + 1 < w->states)
            sum = log_add(sum, behind[s + 1] + chance[symbol(w, s + 1)]);
        if (s + 2 < w->states && may_leap(w, s + 2))
            sum = log_add(sum, behind[s + 2] + chance[symbol(w, s + 2)]);
        here[s] = sum;
    }
}

/* chance becomes the gradient. */
static void backward(const walk *w, double loss)
{
    for (int64_t t = w->steps - 1; t >= 0; t--) {
        double *here = w->after + (t % 2) * w->states;
        if (t == w->steps - 1)
            for (int64_t s = 0; s < w->states; s++)
                here[s] = s + 2 >= w->states ? 0 : -INFINITY;
        else
            step_back(w, t, w->after + ((t + 1) % 2) * w->states, here);
        if (t + 1 < w->steps) /* nobody looks at that step any more */
            for (int64_t k = 0; k < w->classes; k++)
                w->chance[(t + 1) * w->classes + k] = exp(w->chance[(t + 1) * w->classes + k]);
        for (int64_t s = 0; s < w->states; s++) /* how likely the state is, kept in its place */
            w->before[t * w->states + s] = exp(w->before[t * w->states + s] + here[s] + loss);
    }
    for (int64_t k = 0; k < w->classes; k++)
        w->chance[k] = exp(w->chance[k]);
    for (int64_t t = 0; t < w->steps; t++)
        for (int64_t s = 0; s < w->states; s++)
            w->chance[t * w->classes + symbol(w, s)] -= w->before[t * w->states + s];
}

/* ---- all sequences ---- */

static rg_status make_room(rg_ctx *ctx, const layout *at, walk *w)
{
    size_t chances = 0, states = 0, most = 0;
    for (int64_t i = 0; i < at->sequences; i++) {
        size_t t = (size_t)steps_of(at, i), s = 2 * (size_t)labels_of(at, i) + 1;
        chances = t * (size_t)at->classes > chances ? t * (size_t)at->classes : chances;
        states = t * s > states ? t * s : states;
        most = s > most ? s : most;
    }
    double *memory = rg_scratch(ctx, (chances + states + 2 * most) * sizeof *memory);
    if (memory == NULL && chances + states + most > 0)
        return RG_ENOMEM;
    *w = (walk){.classes = at->classes, .blank = rg_attr_int(ctx, BLANK), .chance = memory};
    w->before = memory + chances;
    w->after = w->before + states;
    return RG_OK;
}

#define SEQUENCES(T, S)                                                                      \
    static void log_softmax_##S(const T *x, double *y, int64_t n)                            \
    {                                                                                        \
        double most = (double)x[0], sum = 0;                                                 \
        for (int64_t k = 1; k < n; k++)                                                      \
            most = (double)x[k] > most ? (double)x[k] : most;                                \
        for (int64_t k = 0; k < n; k++)                                                      \
            sum += exp((double)x[k] - most);                                                 \
        for (int64_t k = 0; k < n; k++)                                                      \
            y[k] = (double)x[k] - most - log(sum);                                           \
    }                                                                                        \
    static double loss_of_##S(const layout *at, walk *w, const T *logits, int64_t i, T *dx)  \
    {                                                                                        \
        w->steps = steps_of(at, i);                                                          \
        w->labels = labels_begin(at, i);                                                     \
        w->states = 2 * labels_of(at, i) + 1;                                                \
        if (!fits(w))                                                                        \
            return 0;                                                                        \
        for (int64_t t = 0; t < w->steps; t++)                                               \
            log_softmax_##S(logits + row(at, i, t), w->chance + t * w->classes, w->classes); \
        double loss = forward(w);                                                            \
        if (dx == NULL)                                                                      \
            return loss;                                                                     \
        backward(w, loss);                                                                   \
        for (int64_t t = 0; t < w->steps; t++)                                               \
            for (int64_t k = 0; k < w->classes; k++)                                         \
                dx[row(at, i, t) + k] = (T)w->chance[t * w->classes + k];                    \
        return loss;                                                                         \
    }                                                                                        \
    static void losses_##S(const layout *at, walk *w, const T *logits, T *loss, T *dx)       \
    {                                                                                        \
        for (int64_t i = 0; i < at->sequences; i++) {                                        \
            double one = loss_of_##S(at, w, logits, i, dx);                                  \
            if (loss != NULL)                                                                \
                loss[i] = (T)one;                                                            \
        }                                                                                    \
    }
RG_FLOATS(SEQUENCES)

static rg_status kernel(rg_ctx *ctx)
{
    layout at;
    walk w;
    RG_TRY(open_layout(ctx, &at));
    RG_TRY(make_room(ctx, &at, &w));
    rg_value *slopes = rg_out(ctx, SLOPES);
    if (slopes != NULL)
        memset(slopes->data, 0, rg_value_bytes(slopes));
    RG_CALL_FLOAT(
        ctx, LOGITS, losses,
        (&at, &w, rg_in_data(ctx, LOGITS), rg_out_data(ctx, LOSS), slopes ? slopes->data : NULL))
    return RG_OK;
}

#define ATTRS                                                             \
    RG_ATTRS([BLANK] = RG_INT("blank", 0, "the class that says nothing"), \
             [NORM_BY_TIMES] = RG_BOOLEAN("norm_by_times", false,         \
                                          "the gradient is over the number of steps"))

const rg_op rg_op_warpctc = {
    .type = "warpctc",
    .doc = "The loss of connectionist temporal classification.",
    .in = RG_SLOTS([LOGITS] = {"Logits", "[total, classes] sequences, or [steps, batch, classes]"},
                   [LABEL] = {"Label", "[total, 1] sequences, or [batch, longest]", RG_NO_GRAD},
                   [LOGITS_LENGTH] = {"LogitsLength", "steps of each, [batch]",
                                      RG_OPTIONAL | RG_NO_GRAD},
                   [LABEL_LENGTH] = {"LabelLength", "labels of each, [batch]",
                                     RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([SLOPES] = {"WarpCTCGrad", "the gradient of each Loss by its Logits",
                                RG_INTERMEDIATE},
                    [LOSS] = {"Loss", "[batch, 1]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_LOGITS, G_LENGTH, G_SLOPES, G_DLOSS };
enum { G_DLOGITS };

#define SCALED(T, S)                                                                            \
    RG_HOT static void scaled_##S(const layout *at, const T *slopes, const T *dloss, bool norm, \
                                  T *dx)                                                        \
    {                                                                                           \
        for (int64_t i = 0; i < at->sequences; i++) {                                           \
            const int64_t steps = steps_of(at, i);                                              \
            const T factor = norm ? dloss[i] / (T)steps : dloss[i];                             \
            for (int64_t t = 0; t < steps; t++)                                                 \
                for (int64_t k = 0; k < at->classes; k++)                                       \
                    dx[row(at, i, t) + k] = slopes[row(at, i, t) + k] * factor;                 \
        }                                                                                       \
    }
RG_FLOATS(SCALED)

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_shape *logits = rg_shape_of(ctx, G_LOGITS);
    layout at = {.classes = logits->dim[logits->rank - 1]};
    RG_TRY(rg_expect_numel(ctx, G_SLOPES, rg_shape_numel(logits)));
    if (rg_has_in(ctx, G_LENGTH)) {
        at.sequences = logits->dim[1];
        RG_TRY(rg_expect_count(ctx, G_LENGTH, at.sequences));
        RG_TRY(rg_read_labels(ctx, G_LENGTH, &at.steps));
        RG_TRY(check_lengths(ctx, G_LENGTH, at.steps, at.sequences, logits->dim[0]));
    } else {
        const rg_lod *lod;
        RG_TRY(rg_expect_one_level(ctx, G_LOGITS, &lod));
        at.sequences = rg_lod_sequences(lod, 0);
        at.steps_at = lod->offset[0];
    }
    RG_TRY(rg_expect_numel(ctx, G_DLOSS, at.sequences));
    rg_value *out = rg_out(ctx, G_DLOGITS);
    memset(out->data, 0, rg_value_bytes(out));
    RG_CALL_FLOAT(ctx, G_SLOPES, scaled,
                  (&at, rg_in_data(ctx, G_SLOPES), rg_in_data(ctx, G_DLOSS),
                   rg_attr_bool(ctx, NORM_BY_TIMES), out->data))
    return RG_OK;
}

const rg_op rg_op_warpctc_grad = {
    .type = "warpctc_grad",
    .doc = "Gradient of warpctc.",
    .in = RG_SLOTS([G_LOGITS] = {"Logits", "", RG_SHAPE_ONLY},
                   [G_LENGTH] = {"LogitsLength", "", RG_OPTIONAL}, [G_SLOPES] = {"WarpCTCGrad", ""},
                   [G_DLOSS] = {"Loss@GRAD", ""}),
    .out = RG_SLOTS([G_DLOGITS] = {"Logits@GRAD", "", .like = RG_OF(G_LOGITS)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
