/* sigmoid_cross_entropy_with_logits.c - the loss of yes or no, from numbers that are no
 * probabilities yet, each element for itself.
 *
 *   Out = max(X, 0) - X Label + log(1 + e^-|X|)    0 where Label is ignore_index
 *
 * With normalize all is divided by the number of elements that are not ignored; where
 * all are, there is no loss. dX = (sigmoid(X) - Label) dOut. */
#include "ir/terms.h"
#include "ops/float_math.h"
#include "ops/types.h"

enum { X, LABEL };
enum { OUT };
enum { NORMALIZE, IGNORE_INDEX };

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, X, LABEL));
    RG_TRY(rg_expect_same_dtype(ctx, X, LABEL));
    rg_set_like(ctx, OUT, X);
    return RG_OK;
}

#define LOOPS(T, S)                                                                            \
    RG_HOT static T part_##S(const T *label, T ignored, int64_t n)                             \
    {                                                                                          \
        int64_t counted = 0;                                                                   \
        for (int64_t i = 0; i < n; i++)                                                        \
            counted += label[i] < ignored || label[i] > ignored;                               \
        return counted > 0 ? 1 / (T)counted : 0;                                               \
    }                                                                                          \
    RG_HOT static void loss_##S(const T *x, const T *label, T ignored, bool normalize, T *out, \
                                int64_t n)                                                     \
    {                                                                                          \
        const T part = normalize ? part_##S(label, ignored, n) : 1;                            \
        for (int64_t i = 0; i < n; i++) {                                                      \
            const T loss = (RG_SOFTPLUS(x[i]) - x[i] * label[i]) * part;                       \
            out[i] = label[i] == ignored ? 0 : loss;                                           \
        }                                                                                      \
    }                                                                                          \
    RG_HOT static void grad_##S(const T *x, const T *label, const T *dout, T ignored,          \
                                bool normalize, T *dx, int64_t n)                              \
    {                                                                                          \
        const T part = normalize ? part_##S(label, ignored, n) : 1;                            \
        for (int64_t i = 0; i < n; i++) {                                                      \
            const T slope = (RG_SIGMOID(x[i]) - label[i]) * part * dout[i];                    \
            dx[i] = label[i] == ignored ? 0 : slope;                                           \
        }                                                                                      \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    RG_CALL_FLOAT(ctx, X, loss,
                  (x->data, rg_in_data(ctx, LABEL), (float)rg_attr_int(ctx, IGNORE_INDEX),
                   rg_attr_bool(ctx, NORMALIZE), rg_out_data(ctx, OUT), rg_numel(x)))
    return RG_OK;
}

#define ATTRS                                                                                \
    RG_ATTRS([NORMALIZE] = RG_BOOLEAN("normalize", false, "divide by the elements counted"), \
             [IGNORE_INDEX] = RG_INT("ignore_index", -100, "this label has no loss"))

const rg_op rg_op_sigmoid_cross_entropy_with_logits = {
    .type = "sigmoid_cross_entropy_with_logits",
    .doc = "The cross entropy of the sigmoid of numbers, element by element.",
    .in = RG_SLOTS([X] = {"X", "any numbers"}, [LABEL] = {"Label", "chances in [0, 1], like X",
                                                          RG_NO_GRAD}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of X", .inplace = RG_OF(X)}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_LABEL, G_DOUT };
enum { G_DX };

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_LABEL));
    RG_TRY(rg_expect_same_shape(ctx, G_X, G_DOUT));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, G_X);
    RG_CALL_FLOAT(ctx, G_X, grad,
                  (x->data, rg_in_data(ctx, G_LABEL), rg_in_data(ctx, G_DOUT),
                   (float)rg_attr_int(ctx, IGNORE_INDEX), rg_attr_bool(ctx, NORMALIZE),
                   rg_out_data(ctx, G_DX), rg_numel(x)))
    return RG_OK;
}

/* The gradient itself at X of one value and dOut of ones. */
static rg_term at_logit(rg_terms *t, double value)
{
    rg_term logits = rg_term_filled(t, rg_term_in(t, "X"), value);
    rg_term ones = rg_term_filled(t, logits, 1);
    rg_opdesc *again = rg_term_again(t);
    rg_term_put(t, again, "X", logits);
    rg_term_put(t, again, "Out@GRAD", ones);
    return rg_term_constant(t, rg_term_end(t, again, "X@GRAD"));
}

/* dOut (sigmoid(x) - label) factor. The factor (of normalising; 0 where a label is ignored) is how
 * much the gradient grows from a logit of -100 to one of 100, that is from 0 to 1. */
static void grad_terms(rg_terms *t)
{
    rg_term low = at_logit(t, -100), high = at_logit(t, 100);
    rg_term factor = rg_term_constant(t, rg_term_sub(t, high, low));
    rg_term grown = rg_term_mul(t, rg_term_of(t, "sigmoid", rg_term_in(t, "X")), factor);
    rg_term slope = rg_term_add(t, grown, low);
    rg_term_give(t, "X@GRAD", rg_term_mul(t, rg_term_in(t, "Out@GRAD"), slope));
}

const rg_op rg_op_sigmoid_cross_entropy_with_logits_grad = {
    .type = "sigmoid_cross_entropy_with_logits_grad",
    .doc = "Gradient of sigmoid_cross_entropy_with_logits.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_LABEL] = {"Label", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .inplace = RG_OF(G_DOUT)}),
    .attr = ATTRS,
    .infer = grad_infer,
    .kernel = grad_kernel,
    .compose = grad_terms,
};
