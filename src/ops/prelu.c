/* prelu.c - x above 0, Alpha x below it.
 *
 *   mode all      one Alpha
 *   mode channel  one for each channel, the second dimension of X
 *   mode element  one for each element of a row of X */
#include "ir/terms.h"
#include "ops/types.h"

#include <string.h>

enum { X, ALPHA, DOUT };
enum { OUT };
enum { MODE };

/* X as [rows, alphas, repeat]: Alpha[a] serves all of the last. */
typedef struct layout {
    int64_t rows, alphas, repeat;
} layout;

static rg_status find_layout(const rg_ctx *ctx, const rg_shape *x, layout *l)
{
    const char *mode = rg_attr_string(ctx, MODE);
    int64_t given = rg_shape_numel(rg_shape_of(ctx, ALPHA));
    if (strcmp(mode, "all") == 0)
        *l = (layout){1, 1, rg_shape_numel(x)};
    else if (strcmp(mode, "channel") == 0 && x->rank >= 2)
        *l = (layout){x->dim[0], x->dim[1], rg_shape_product(x, 2, x->rank)};
    else if (strcmp(mode, "element") == 0 && x->rank >= 1)
        *l = (layout){x->dim[0], rg_shape_product(x, 1, x->rank), 1};
    else
        return rg_fail(RG_EINVAL,
                       "mode is '%s', and must be all, channel or element, the latter "
                       "for X of two dimensions and one",
                       mode);
    if (given >= 0 && l->alphas >= 0 && given != l->alphas)
        return rg_fail(RG_ESHAPE, "Alpha has %lld elements, and mode %s asks for %lld",
                       (long long)given, mode, (long long)l->alphas);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    layout l;
    RG_TRY(rg_expect_same_dtype(ctx, X, ALPHA));
    RG_TRY(find_layout(ctx, rg_shape_of(ctx, X), &l));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

/* Both loops walk X in blocks of `repeat`, with the next Alpha at each. */
#define PRELU(T, S)                                                                                \
    RG_HOT static void bend_##S(const layout *l, const T *x, const T *alpha, const T *from, T *to) \
    {                                                                                              \
        for (int64_t r = 0; r < l->rows; r++)                                                      \
            for (int64_t a = 0; a < l->alphas; a++) {                                              \
                const T slope = alpha[a];                                                          \
                for (int64_t j = 0; j < l->repeat; j++)                                            \
                    to[j] = x[j] > 0 ? from[j] : slope * from[j];                                  \
                x += l->repeat;                                                                    \
                from += l->repeat;                                                                 \
                to += l->repeat;                                                                   \
            }                                                                                      \
    }                                                                                              \
    RG_HOT static void by_alpha_##S(const layout *l, const T *x, const T *dout, T *dalpha)         \
    {                                                                                              \
        for (int64_t r = 0; r < l->rows; r++)                                                      \
            for (int64_t a = 0; a < l->alphas; a++) {                                              \
                T sum = 0;                                                                         \
                for (int64_t j = 0; j < l->repeat; j++)                                            \
                    sum += x[j] > 0 ? 0 : x[j] * dout[j];                                          \
                dalpha[a] += sum;                                                                  \
                x += l->repeat;                                                                    \
                dout += l->repeat;                                                                 \
            }                                                                                      \
    }
RG_FLOATS(PRELU)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    layout l;
    RG_TRY(find_layout(ctx, &x->meta.shape, &l));
    RG_CALL_FLOAT(ctx, X, bend,
                  (&l, x->data, rg_in_data(ctx, ALPHA), x->data, rg_out_data(ctx, OUT)))
    return RG_OK;
}

enum { DX, DALPHA };

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X), *dout = rg_in(ctx, DOUT);
    rg_value *dx = rg_out(ctx, DX), *dalpha = rg_out(ctx, DALPHA);
    layout l;
    RG_TRY(find_layout(ctx, &x->meta.shape, &l));
    if (dalpha != NULL) {
        memset(dalpha->data, 0, rg_value_bytes(dalpha));
        RG_CALL_FLOAT(ctx, X, by_alpha, (&l, x->data, dout->data, dalpha->data))
    }
    if (dx != NULL)
        RG_CALL_FLOAT(ctx, X, bend, (&l, x->data, rg_in_data(ctx, ALPHA), dout->data, dx->data))
    return RG_OK;
}

/* ---- the gradient, composed ---- */

/* Alpha as a run of X's dimensions, from *axis on. */
static rg_term slopes(rg_terms *t, const rg_shape *x, int *axis)
{
    const char *mode = rg_term_attr(t, "mode")->s;
    int32_t dims[RG_MAX_DIMS] = {-1};
    int n = 1;
    *axis = strcmp(mode, "all") == 0 ? -1 : 1;
    if (strcmp(mode, "element") == 0) {
        if (rg_shape_product(x, 1, x->rank) < 0)
            rg_term_fail(t, "the dimensions of a row are not known");
        for (n = 0; n + 1 < x->rank; n++)
            dims[n] = (int32_t)x->dim[n + 1];
    }
    rg_term alpha = rg_term_in(t, "Alpha");
    rg_opdesc *op = rg_term_begin(t, "reshape");
    rg_term_put(t, op, "X", alpha);
    rg_term_set(t, op, &(rg_attr){.name = "shape", .type = RG_ATTR_INTS, .n = n, .ints = dims});
    return rg_term_end(t, op, "Out");
}

/* dX = dOut above 0, Alpha dOut below; dAlpha the sum of dOut x below 0. */
static void grad_terms(rg_terms *t)
{
    rg_term x = rg_term_in(t, "X"), dout = rg_term_in(t, "Out@GRAD");
    const rg_shape shape = rg_term_meta(t, x)->shape;
    int axis;
    rg_term alpha = slopes(t, &shape, &axis);
    rg_term above = rg_term_back(t, "relu_grad", "Out", rg_term_of(t, "relu", x), dout);
    rg_term below = rg_term_sub(t, dout, above);
    rg_term bent = rg_term_elementwise(t, "elementwise_mul", below, alpha, axis);
    rg_term_give(t, "X@GRAD", rg_term_add(t, above, bent));
    if (!rg_term_wanted(t, "Alpha@GRAD"))
        return;
    rg_term sum = rg_term_fold(t, rg_term_mul(t, below, x), alpha, axis);
    rg_opdesc *op = rg_term_begin(t, "reshape_grad"); /* in the shape of Alpha */
    rg_term_put(t, op, "X", rg_term_in(t, "Alpha"));
    rg_term_put(t, op, "Out@GRAD", sum);
    rg_term_give(t, "Alpha@GRAD", rg_term_end(t, op, "X@GRAD"));
}

#define ATTRS RG_ATTRS([MODE] = RG_STRING("mode", "all", "all, channel or element"))

const rg_op rg_op_prelu = {
    .type = "prelu",
    .doc = "x above 0, Alpha x below it.",
    .in = RG_SLOTS([X] = {"X", "any shape"}, [ALPHA] = {"Alpha", "slopes below 0"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_prelu_grad = {
    .type = "prelu_grad",
    .doc = "Gradient of prelu.",
    .in = RG_SLOTS([X] = {"X", ""}, [ALPHA] = {"Alpha", ""}, [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(X), RG_OF(DOUT)}, [DALPHA] =
                                                                                   {"Alpha@GRAD",
                                                                                    "", RG_OPTIONAL,
                                                                                    RG_OF(ALPHA)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
