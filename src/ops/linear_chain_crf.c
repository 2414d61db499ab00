/* linear_chain_crf.c - how probable the labels of sequences are under a conditional random field.
 *
 *   score(path) = start[path 0] + sum of Emission[t, path t] + sum of W[path t-1, path t]
 *                 + end[path T-1]
 *   LogLikelihood[i] = log(sum over all paths of exp(score)) - score(labels)
 *
 * the negative of what it is called: a cost. Transition is [tags + 2, tags]: the row start, the
 * row end, then W. Alpha[t, k], which sums over the paths that are in tag k at step t, is kept so
 * that each of its rows adds up to 1, and EmissionExps are relative to the largest of a row:
 * no sum leaves the range of a float. Sequences are those of the LoD, or rows with Length. */
#include "ops/labels.h"
#include "ops/sequences.h"
#include "ops/spans.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { EMISSION, TRANSITION, LABEL, LENGTH };
enum { ALPHA, EMISSION_EXPS, TRANSITION_EXPS, LOG_LIKELIHOOD };

static rg_status linear_chain_crf_infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, EMISSION), *w = rg_shape_of(ctx, TRANSITION);
    int64_t n;
    RG_TRY(rg_count_tagged(ctx, EMISSION, TRANSITION, LENGTH, &n));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64, RG_I32));
    rg_dtype dtype = rg_dtype_of(ctx, EMISSION);
    rg_set_out(ctx, ALPHA, dtype, x);
    rg_set_out(ctx, EMISSION_EXPS, dtype, x);
    rg_set_out(ctx, TRANSITION_EXPS, dtype, w);
    rg_set_out(ctx, LOG_LIKELIHOOD, dtype, &RG_SHAPE(n, 1));
    return RG_OK;
}

/* Of one sequence of n steps. w, we: Transition and its exps; a row of alpha is made to add up to
 * 1, and the logs of what it was divided by are what the sum over all paths is made of. */
#define FORWARD(T, S)                                                                              \
    static T normalize_##S(T *row, int64_t tags)                                                   \
    {                                                                                              \
        T sum = 0;                                                                                 \
        for (int64_t k = 0; k < tags; k++)                                                         \
            sum += row[k];                                                                         \
        for (int64_t k = 0; k < tags; k++)                                                         \
            row[k] /= sum;                                                                         \
        return sum;                                                                                \
    }                                                                                              \
    static T row_exps_##S(const T *x, int64_t tags, T *exps)                                       \
    {                                                                                              \
        T largest = x[0];                                                                          \
        for (int64_t k = 1; k < tags; k++)                                                         \
            largest = x[k] > largest ? x[k] : largest;                                             \
        for (int64_t k = 0; k < tags; k++)                                                         \
            exps[k] = (T)exp((double)(x[k] - largest));                                            \
        return largest;                                                                            \
    }                                                                                              \
    RG_HOT static T cost_##S(const T *x, const T *w, const T *we, const int64_t *label, int64_t n, \
                             int64_t tags, T *xe, T *alpha)                                        \
    {                                                                                              \
        double all = 0, own = (double)w[label[0]] + (double)w[tags + label[n - 1]];                \
        for (int64_t t = 0; t < n; t++, x += tags, xe += tags, alpha += tags) {                    \
            all += (double)row_exps_##S(x, tags, xe);                                              \
            own += (double)x[label[t]];                                                            \
            for (int64_t k = 0; k < tags; k++)                                                     \
                alpha[k] = t == 0 ? we[k] : 0;                                                     \
            for (int64_t j = 0; t > 0 && j < tags; j++)                                            \
                for (int64_t k = 0; k < tags; k++)                                                 \
                    alpha[k] += alpha[j - tags] * we[(j + 2) * tags + k];                          \
            for (int64_t k = 0; k < tags; k++)                                                     \
                alpha[k] *= xe[k];                                                                 \
            all += log((double)normalize_##S(alpha, tags));                                        \
            if (t > 0)                                                                             \
                own += (double)w[(label[t - 1] + 2) * tags + label[t]];                            \
        }                                                                                          \
        double end = 0;                                                                            \
        for (int64_t k = 0; k < tags; k++)                                                         \
            end += (double)alpha[k - tags] * (double)we[tags + k];                                 \
        return (T)(all + log(end) - own);                                                          \
    }                                                                                              \
    static void costs_##S(const rg_spans *s, const T *x, const T *w, T *we, const int64_t *label,  \
                          int64_t tags, T *xe, T *alpha, T *out)                                   \
    {                                                                                              \
        for (int64_t i = 0; i < (tags + 2) * tags; i++)                                            \
            we[i] = (T)exp((double)w[i]);                                                          \
        for (int64_t i = 0; i < s->n; i++) {                                                       \
            int64_t n, at = rg_span(s, i, &n);                                                     \
            out[i] = n == 0 ? 0                                                                    \
                            : cost_##S(x + at * tags, w, we, label + at, n, tags, xe + at * tags,  \
                                       alpha + at * tags);                                         \
        }                                                                                          \
    }
RG_FLOATS(FORWARD)

/* One label for each place of Emission; those of a sequence must be tags. */
static rg_status read_tags(rg_ctx *ctx, const rg_spans *s, int label, int64_t tags,
                           const int64_t **out)
{
    const rg_shape *x = rg_shape_of(ctx, EMISSION);
    RG_TRY(rg_expect_count(ctx, label, s->offsets ? x->dim[0] : x->dim[0] * x->dim[1]));
    RG_TRY(rg_read_labels(ctx, label, out));
    for (int64_t i = 0; i < s->n; i++) {
        int64_t n, at = rg_span(s, i, &n);
        for (int64_t t = at; t < at + n; t++)
            if ((*out)[t] < 0 || (*out)[t] >= tags)
                return rg_bad_label(ctx, label, t, (*out)[t], tags);
    }
    return RG_OK;
}

/* The output, or memory in its place where nobody asked for it. Padding has zeros. */
static void *output_or_scratch(rg_ctx *ctx, int slot, size_t bytes)
{
    void *out = rg_out_or_scratch(ctx, slot, bytes);
    if (out != NULL)
        memset(out, 0, bytes);
    return out;
}

static rg_status linear_chain_crf_kernel(rg_ctx *ctx)
{
    rg_spans s;
    const int64_t *label;
    int64_t tags = rg_shape_of(ctx, TRANSITION)->dim[1];
    RG_TRY(rg_open_spans(ctx, EMISSION, LENGTH, &s));
    RG_TRY(read_tags(ctx, &s, LABEL, tags, &label));
    size_t bytes = rg_value_bytes(rg_in(ctx, EMISSION));
    void *xe = output_or_scratch(ctx, EMISSION_EXPS, bytes);
    void *alpha = output_or_scratch(ctx, ALPHA, bytes);
    void *we = output_or_scratch(ctx, TRANSITION_EXPS, rg_value_bytes(rg_in(ctx, TRANSITION)));
    void *out = output_or_scratch(ctx, LOG_LIKELIHOOD,
                                  (size_t)s.n * rg_dtype_size(rg_dtype_of(ctx, EMISSION)));
    if (!xe || !alpha || !we || !out)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, EMISSION, costs,
                  (&s, rg_in_data(ctx, EMISSION), rg_in_data(ctx, TRANSITION), we, label, tags, xe,
                   alpha, out))
    return RG_OK;
}

const rg_op rg_op_linear_chain_crf = {
    .type = "linear_chain_crf",
    .doc = "The cost of labels of sequences under a conditional random field.",
    .in = RG_SLOTS([EMISSION] = {"Emission",
                                 "scores, [total, tags], or with Length [n, time, tags]"},
                   [TRANSITION] = {"Transition", "start, end and W, [tags + 2, tags]"},
                   [LABEL] = {"Label", "one tag for each step", RG_NO_GRAD},
                   [LENGTH] = {"Length", "of the sequences, [n, 1]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([ALPHA] = {"Alpha", "as Emission", RG_INTERMEDIATE},
                    [EMISSION_EXPS] = {"EmissionExps", "as Emission", RG_INTERMEDIATE},
                    [TRANSITION_EXPS] = {"TransitionExps", "as Transition", RG_INTERMEDIATE},
                    [LOG_LIKELIHOOD] = {"LogLikelihood", "a cost for each sequence, [n, 1]"}),
    .infer = linear_chain_crf_infer,
    .kernel = linear_chain_crf_kernel,
};

/* ---- gradient ---- */

enum { G_EMISSION, G_TRANSITION, G_LABEL, G_LENGTH, G_ALPHA, G_XE, G_WE, G_DOUT };
enum { G_DX, G_DW };

/* The gradient of the sum over paths is how probable each tag is at each step, and each pair
 * of tags at two; that of the labels' own score is -1 where they are. beta: two rows, of the paths
 * from a step on. dx has zeros on entry, dw adds up over sequences. */
#define BACK(T, S)                                                                                \
    RG_HOT static void emission_back_##S(const T *alpha, const T *beta, int64_t tags, T d, T *dx) \
    {                                                                                             \
        T sum = 0;                                                                                \
        for (int64_t k = 0; k < tags; k++)                                                        \
            sum += dx[k] = alpha[k] * beta[k];                                                    \
        for (int64_t k = 0; k < tags; k++)                                                        \
            dx[k] *= d / sum;                                                                     \
    }                                                                                             \
    /* next: how the paths go on from the step after, times its emission */                       \
    RG_HOT static void pairs_back_##S(const T *alpha, const T *next, const T *we, int64_t tags,   \
                                      T d, T *dw)                                                 \
    {                                                                                             \
        T sum = 0;                                                                                \
        for (int64_t j = 0; j < tags; j++)                                                        \
            for (int64_t k = 0; k < tags; k++)                                                    \
                sum += alpha[j] * we[j * tags + k] * next[k];                                     \
        for (int64_t j = 0; j < tags; j++)                                                        \
            for (int64_t k = 0; k < tags; k++)                                                    \
                dw[j * tags + k] += d / sum * alpha[j] * we[j * tags + k] * next[k];              \
    }                                                                                             \
    static void back_##S(const T *alpha, const T *xe, const T *we, const int64_t *label,          \
                         int64_t n, int64_t tags, T d, T *beta, T *dx, T *dw)                     \
    {                                                                                             \
        T *next = beta + tags;                                                                    \
        for (int64_t t = n - 1; t >= 0; t--) {                                                    \
            for (int64_t k = 0; k < tags; k++)                                                    \
                next[k] = t < n - 1 ? beta[k] * xe[(t + 1) * tags + k] : 0;                       \
            if (t < n - 1 && dw != NULL)                                                          \
                pairs_back_##S(alpha + t * tags, next, we + 2 * tags, tags, d, dw + 2 * tags);    \
            for (int64_t j = 0; j < tags; j++) {                                                  \
                beta[j] = t < n - 1 ? 0 : we[tags + j];                                           \
                for (int64_t k = 0; t < n - 1 && k < tags; k++)                                   \
                    beta[j] += we[(j + 2) * tags + k] * next[k];                                  \
            }                                                                                     \
            (void)normalize_##S(beta, tags);                                                      \
            emission_back_##S(alpha + t * tags, beta, tags, d, dx + t * tags);                    \
        }                                                                                         \
        for (int64_t k = 0; dw != NULL && k < tags; k++) {                                        \
            dw[k] += dx[k];                                                                       \
            dw[tags + k] += dx[(n - 1) * tags + k];                                               \
        }                                                                                         \
        for (int64_t t = 0; t < n; t++) {                                                         \
            dx[t * tags + label[t]] -= d;                                                         \
            if (dw != NULL && t > 0)                                                              \
                dw[(label[t - 1] + 2) * tags + label[t]] -= d;                                    \
        }                                                                                         \
        if (dw != NULL) {                                                                         \
            dw[label[0]] -= d;                                                                    \
            dw[tags + label[n - 1]] -= d;                                                         \
        }                                                                                         \
    }                                                                                             \
    static void all_back_##S(const rg_spans *s, const T *alpha, const T *xe, const T *we,         \
                             const int64_t *label, int64_t tags, const T *dout, T *beta, T *dx,   \
                             T *dw)                                                               \
    {                                                                                             \
        for (int64_t i = 0; i < s->n; i++) {                                                      \
            int64_t n, at = rg_span(s, i, &n);                                                    \
            if (n > 0)                                                                            \
                back_##S(alpha + at * tags, xe + at * tags, we, label + at, n, tags, dout[i],     \
                         beta, dx + at * tags, dw);                                               \
        }                                                                                         \
    }
RG_FLOATS(BACK)

static rg_status linear_chain_crf_grad_kernel(rg_ctx *ctx)
{
    rg_spans s;
    const int64_t *label;
    int64_t tags = rg_shape_of(ctx, G_TRANSITION)->dim[1];
    RG_TRY(rg_open_spans(ctx, G_EMISSION, G_LENGTH, &s));
    RG_TRY(read_tags(ctx, &s, G_LABEL, tags, &label));
    RG_TRY(rg_expect_numel(ctx, G_DOUT, s.n));
    void *dx = output_or_scratch(ctx, G_DX, rg_value_bytes(rg_in(ctx, G_ALPHA)));
    void *beta = rg_scratch(ctx, 2 * (size_t)tags * sizeof(double));
    rg_value *dw = rg_out(ctx, G_DW);
    if (!dx || !beta)
        return RG_ENOMEM;
    if (dw != NULL)
        memset(dw->data, 0, rg_value_bytes(dw));
    RG_CALL_FLOAT(ctx, G_EMISSION, all_back,
                  (&s, rg_in_data(ctx, G_ALPHA), rg_in_data(ctx, G_XE), rg_in_data(ctx, G_WE),
                   label, tags, rg_in_data(ctx, G_DOUT), beta, dx, dw ? dw->data : NULL))
    return RG_OK;
}

const rg_op rg_op_linear_chain_crf_grad = {
    .type = "linear_chain_crf_grad",
    .doc = "Gradient of linear_chain_crf.",
    .in = RG_SLOTS([G_EMISSION] = {"Emission", "", RG_SHAPE_ONLY},
                   [G_TRANSITION] = {"Transition", "", RG_SHAPE_ONLY}, [G_LABEL] = {"Label", ""},
                   [G_LENGTH] = {"Length", "", RG_OPTIONAL}, [G_ALPHA] = {"Alpha", ""},
                   [G_XE] = {"EmissionExps", ""}, [G_WE] = {"TransitionExps", ""},
                   [G_DOUT] = {"LogLikelihood@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"Emission@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_EMISSION)},
                    [G_DW] = {"Transition@GRAD", "", RG_OPTIONAL, .like = RG_OF(G_TRANSITION)}),
    .kernel = linear_chain_crf_grad_kernel,
};
