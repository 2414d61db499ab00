/* nll_loss.c - what log probabilities cost, given the right class.
 *
 *   cost = - Weight[Label] X[Label]           X [n, classes], or images [n, classes, h, w]
 *
 * 0 where the label is ignore_index. reduction: none, sum, or mean, which divides by the sum of
 * the weights (Total_weight; without Weight each counts 1). */
#include "ops/number.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, LABEL, WEIGHT, TOTAL, DOUT };
enum { OUT, TOTAL_WEIGHT };
enum { IGNORE_INDEX, REDUCTION };

static rg_status check_reduction(const rg_ctx *ctx)
{
    const char *how = rg_attr_string(ctx, REDUCTION);
    if (strcmp(how, "none") == 0 || strcmp(how, "sum") == 0 || strcmp(how, "mean") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL, "reduction %s: none, sum or mean", how);
}

static rg_status check(const rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *label = rg_shape_of(ctx, LABEL);
    rg_shape wanted = {.rank = x->rank - 1};
    RG_TRY(check_reduction(ctx));
    RG_TRY(RG_EXPECT_DTYPE(ctx, LABEL, RG_I64));
    if (x->rank != 2 && x->rank != 4)
        return rg_fail(RG_ESHAPE, "X has %d dimensions, and must have 2, or 4 of images", x->rank);
    for (int d = 0, to = 0; d < x->rank; d++)
        if (d != 1)
            wanted.dim[to++] = x->dim[d];
    if (!rg_shape_fits(label, &wanted)) {
        char found[RG_SHAPE_TEXT], right[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "Label is %s, and must be %s: X without its classes",
                       rg_shape_text(label, found), rg_shape_text(&wanted, right));
    }
    if (rg_has_in(ctx, WEIGHT)) {
        RG_TRY(rg_expect_same_dtype(ctx, X, WEIGHT));
        if (!rg_shape_fits(rg_shape_of(ctx, WEIGHT), &RG_SHAPE(x->dim[1])))
            return rg_fail(RG_ESHAPE, "Weight must be [%lld]: one for each class",
                           (long long)x->dim[1]);
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *label = rg_shape_of(ctx, LABEL);
    RG_TRY(check(ctx));
    bool each = strcmp(rg_attr_string(ctx, REDUCTION), "none") == 0;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), each ? label : &RG_SHAPE(1));
    rg_set_out(ctx, TOTAL_WEIGHT, rg_dtype_of(ctx, X), &RG_SHAPE(1));
    return RG_OK;
}

typedef struct costs {
    int64_t n, classes, area; /* a label for each of n x area */
    const int64_t *label;
    int64_t ignore;
    int how; /* 'n', 's' or 'm' */
} costs;

static rg_status read_costs(const rg_ctx *ctx, costs *c)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    *c = (costs){x->dim[0],
                 x->dim[1],
                 rg_shape_product(x, 2, x->rank),
                 rg_in_data(ctx, LABEL),
                 rg_attr_long(ctx, IGNORE_INDEX),
                 rg_attr_string(ctx, REDUCTION)[0]};
    for (int64_t i = 0; i < c->n * c->area; i++)
        if (c->label[i] != c->ignore && (c->label[i] < 0 || c->label[i] >= c->classes))
            return rg_fail(RG_EVALUE, "%s (Label) has %lld at element %lld, and X has %lld classes",
                           rg_in_name(ctx, LABEL, 0), (long long)c->label[i], (long long)i,
                           (long long)c->classes);
    return RG_OK;
}

/* The element of X that label i chooses. */
static int64_t chosen(const costs *c, int64_t i)
{
    return (i / c->area * c->classes + c->label[i]) * c->area + i % c->area;
}

#define NLL(T, S)                                                                              \
    static void nll_##S(const costs *c, const T *x, const T *weight, T *out, T *total_weight)  \
    {                                                                                          \
        double sum = 0, weights = 0;                                                           \
        for (int64_t i = 0; i < c->n * c->area; i++) {                                         \
            bool counts = c->label[i] != c->ignore;                                            \
            double w = !counts ? 0 : weight ? (double)weight[c->label[i]] : 1;                 \
            double cost = counts ? -w * (double)x[chosen(c, i)] : 0;                           \
            if (c->how == 'n' && out != NULL)                                                  \
                out[i] = (T)cost;                                                              \
            sum += cost;                                                                       \
            weights += w;                                                                      \
        }                                                                                      \
        if (c->how != 'n' && out != NULL)                                                      \
            *out = (T)(c->how == 'm' && weights != 0 ? sum / weights : sum);                   \
        if (total_weight != NULL)                                                              \
            *total_weight = c->how == 'n' ? 0 : (T)weights;                                    \
    }                                                                                          \
    static void nll_grad_##S(const costs *c, const T *weight, const T *total, const T *dout,   \
                             T *dx)                                                            \
    {                                                                                          \
        T share = c->how == 'm' && *total != 0 ? 1 / *total : 1;                               \
        for (int64_t i = 0; i < c->n * c->area; i++)                                           \
            if (c->label[i] != c->ignore)                                                      \
                dx[chosen(c, i)] = -share * (weight ? weight[c->label[i]] : 1) *               \
                                   dout[c->how == 'n' ? i : 0];                                \
    }
RG_FLOATS(NLL)

static rg_status kernel(rg_ctx *ctx)
{
    costs c;
    RG_TRY(read_costs(ctx, &c));
    RG_CALL_FLOAT(ctx, X, nll,
                  (&c, rg_in_data(ctx, X), rg_in_data(ctx, WEIGHT), rg_out_data(ctx, OUT),
                   rg_out_data(ctx, TOTAL_WEIGHT)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, 0);
    costs c;
    RG_TRY(check(ctx));
    RG_TRY(read_costs(ctx, &c));
    RG_TRY(rg_expect_same_dtype(ctx, X, TOTAL));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(rg_expect_numel(ctx, TOTAL, 1));
    RG_TRY(rg_expect_numel(ctx, DOUT, c.how == 'n' ? c.n * c.area : 1));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(
        ctx, DOUT, nll_grad,
        (&c, rg_in_data(ctx, WEIGHT), rg_in_data(ctx, TOTAL), rg_in_data(ctx, DOUT), dx->data))
    return RG_OK;
}

#define ATTRS                                                                              \
    RG_ATTRS([IGNORE_INDEX] = RG_LONG("ignore_index", -100, "a label that costs nothing"), \
             [REDUCTION] = RG_STRING("reduction", "mean", "none, sum or mean"))

const rg_op rg_op_nll_loss = {
    .type = "nll_loss",
    .doc = "What log probabilities cost, given the right class.",
    .in = RG_SLOTS([X] = {"X", "log probabilities, [n, classes] or [n, classes, h, w]"},
                   [LABEL] = {"Label", "int64, X without its classes", RG_NO_GRAD},
                   [WEIGHT] = {"Weight", "[classes]", RG_OPTIONAL | RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "[1], or with none the shape of Label"},
                    [TOTAL_WEIGHT] = {"Total_weight", "the sum of the weights, [1]"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_nll_loss_grad = {
    .type = "nll_loss_grad",
    .doc = "Gradient of nll_loss.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY}, [LABEL] = {"Label", ""},
                   [WEIGHT] = {"Weight", "", RG_OPTIONAL}, [TOTAL] = {"Total_weight", ""},
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS({"X@GRAD", "", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
