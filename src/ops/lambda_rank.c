/* lambda_rank.c - lists of scores that should stand in the order of their relevance
 * (LambdaRank). Each sequence is a list.
 *
 *   Out = NDCG of the list, for each of its rows: the sum over the first ndcg_num places of
 *         (2^relevance - 1) / log(place + 1), the rows sorted by X, over what the best order
 *         gives. A list in which nothing is relevant has 0.
 *
 * NDCG does not change with small changes of X, so its gradient is of no use. dX is that of
 *
 *   the sum over pairs i before j in the best order of
 *         |what NDCG changes by if i and j change places| * log(1 + e^(X[j] - X[i]))
 *
 * Of pairs whose first is not among the first max_sort_size there is none (-1: all are), and
 * the second's place counts nothing where it is not. */
#include "ops/labels.h"
#include "ops/sequences.h"
#include "ops/sort_keys.h"
#include "ops/types.h"

enum { X, LABEL };
enum { OUT };
enum { NDCG_NUM, MAX_SORT_SIZE };

static rg_status check(const rg_ctx *ctx)
{
    const rg_lod *lod;
    RG_TRY(rg_expect_column(ctx, X));
    RG_TRY(rg_expect_column(ctx, LABEL));
    RG_TRY(rg_expect_same_dtype(ctx, X, LABEL));
    RG_TRY(rg_expect_one_level(ctx, X, &lod));
    if (rg_attr_int(ctx, NDCG_NUM) < 1)
        return rg_fail(RG_EINVAL, "ndcg_num is %lld, and must be 1 or more",
                       (long long)rg_attr_int(ctx, NDCG_NUM));
    int64_t most = rg_attr_int(ctx, MAX_SORT_SIZE);
    if (most != -1 && most < rg_attr_int(ctx, NDCG_NUM))
        return rg_fail(RG_EINVAL,
                       "max_sort_size is %lld, and must be -1 (all) or ndcg_num (%lld) "
                       "at least",
                       (long long)most, (long long)rg_attr_int(ctx, NDCG_NUM));
    if (rg_running(ctx))
        RG_TRY(rg_expect_count(ctx, LABEL, rg_shape_numel(rg_shape_of(ctx, X))));
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check(ctx));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Room for one list: the order of its rows. */
typedef struct room {
    rg_keyed *order, *spare;
} room;

static rg_status make_room(rg_ctx *ctx, const int64_t *at, int64_t lists, room *r)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < lists; i++)
        longest = at[i + 1] - at[i] > longest ? at[i + 1] - at[i] : longest;
    r->order = rg_scratch(ctx, 2 * (size_t)longest * sizeof *r->order);
    if (r->order == NULL && longest > 0)
        return RG_ENOMEM;
    r->spare = r->order == NULL ? NULL : r->order + longest;
    return RG_OK;
}

/* What a place counts, places counted from 0. */
static double discount(int64_t place)
{
    return 1 / log((double)place + 2);
}

#define LISTS(T, S)                                                                             \
    /* The rows in descending order of `by`. */                                                 \
    static void sort_##S(const room *r, const T *by, int64_t n)                                 \
    {                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                         \
            r->order[i] = (rg_keyed){rg_key_##S(by[i], true), i};                               \
        rg_sort_keys(r->order, r->spare, n);                                                    \
    }                                                                                           \
    /* Of the first places of the order. */                                                     \
    static double gain_##S(const room *r, const T *label, int64_t n, int64_t places)            \
    {                                                                                           \
        double sum = 0;                                                                         \
        for (int64_t i = 0; i < n && i < places; i++)                                           \
            sum += (exp2((double)label[r->order[i].at]) - 1) * discount(i);                     \
        return sum;                                                                             \
    }                                                                                           \
    static void ndcg_##S(const room *r, const T *x, const T *label, const int64_t *at,          \
                         int64_t lists, int64_t places, T *out)                                 \
    {                                                                                           \
        for (int64_t i = 0; i < lists; i++) {                                                   \
            int64_t n = at[i + 1] - at[i];                                                      \
            sort_##S(r, label + at[i], n);                                                      \
            double best = gain_##S(r, label + at[i], n, places);                                \
            sort_##S(r, x + at[i], n);                                                          \
            double found = gain_##S(r, label + at[i], n, places);                               \
            for (int64_t j = at[i]; j < at[i + 1]; j++) /* what is no number has no place */    \
                found = isnan(x[j]) ? (double)x[j] : found;                                     \
            for (int64_t j = at[i]; j < at[i + 1]; j++)                                         \
                out[j] = (T)(best == 0 ? 0 : found / best);                                     \
        }                                                                                       \
    }                                                                                           \
    /* Adds the pairs of one list, whose rows stand in their best order. */                     \
    static void pairs_##S(const room *r, const T *x, const T *label, int64_t n, int64_t sorted, \
                          double best, T *dx)                                                   \
    {                                                                                           \
        for (int64_t i = 0; i < n && i < sorted; i++) {                                         \
            int64_t a = r->order[i].at;                                                         \
            for (int64_t j = i + 1; j < n; j++) {                                               \
                int64_t b = r->order[j].at;                                                     \
                double change = (exp2((double)label[a]) - exp2((double)label[b])) *             \
                                (discount(i) - (j < sorted ? discount(j) : 0)) / best;          \
                double slope = -fabs(change) / (1 + exp((double)x[a] - (double)x[b]));          \
                dx[a] += (T)slope;                                                              \
                dx[b] -= (T)slope;                                                              \
            }                                                                                   \
        }                                                                                       \
    }                                                                                           \
    static void lambdas_##S(const room *r, const T *x, const T *label, const T *dout,           \
                            const int64_t *at, int64_t lists, int64_t places, int64_t sorted,   \
                            T *dx)                                                              \
    {                                                                                           \
        for (int64_t i = 0; i < lists; i++) {                                                   \
            int64_t n = at[i + 1] - at[i];                                                      \
            for (int64_t j = at[i]; j < at[i + 1]; j++)                                         \
                dx[j] = 0;                                                                      \
            sort_##S(r, label + at[i], n);                                                      \
            double best = gain_##S(r, label + at[i], n, places);                                \
            if (best != 0)                                                                      \
                pairs_##S(r, x + at[i], label + at[i], n, sorted, best, dx + at[i]);            \
            for (int64_t j = at[i]; j < at[i + 1]; j++)                                         \
                dx[j] *= dout[j];                                                               \
        }                                                                                       \
    }
RG_FLOATS(LISTS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_lod *lod = rg_in_meta(ctx, X)->lod;
    int64_t lists = rg_lod_sequences(lod, 0);
    room r;
    RG_TRY(make_room(ctx, lod->offset[0], lists, &r));
    RG_CALL_FLOAT(ctx, X, ndcg,
                  (&r, rg_in_data(ctx, X), rg_in_data(ctx, LABEL), lod->offset[0], lists,
                   rg_attr_int(ctx, NDCG_NUM), rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                             \
    RG_ATTRS([NDCG_NUM] = RG_INT("ndcg_num", 5, "how many places count"), \
             [MAX_SORT_SIZE] = RG_INT("max_sort_size", -1,                \
                                      "how many of the best order "       \
                                      "are pushed up; -1: all"))

const rg_op rg_op_lambda_rank = {
    .type = "lambda_rank",
    .doc = "How well lists are ordered (NDCG), with the gradient of LambdaRank.",
    .in = RG_SLOTS([X] = {"X", "scores, sequences [total, 1]"},
                   [LABEL] = {"Label", "how relevant each row is, [total, 1]", RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the NDCG of each row's list, [total, 1]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_LABEL, G_DOUT };
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    RG_TRY(check(ctx));
    const rg_lod *lod = rg_in_meta(ctx, G_X)->lod;
    int64_t lists = rg_lod_sequences(lod, 0), sorted = rg_attr_int(ctx, MAX_SORT_SIZE);
    RG_TRY(rg_expect_numel(ctx, G_DOUT, rg_shape_numel(rg_shape_of(ctx, G_X))));
    room r;
    RG_TRY(make_room(ctx, lod->offset[0], lists, &r));
    RG_CALL_FLOAT(ctx, G_X, lambdas,
                  (&r, rg_in_data(ctx, G_X), rg_in_data(ctx, G_LABEL), rg_in_data(ctx, G_DOUT),
                   lod->offset[0], lists, rg_attr_int(ctx, NDCG_NUM),
                   sorted == -1 ? INT64_MAX : sorted, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_lambda_rank_grad = {
    .type = "lambda_rank_grad",
    .doc = "Gradient of lambda_rank.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_LABEL] = {"Label", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
