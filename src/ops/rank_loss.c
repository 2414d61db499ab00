/* rank_loss.c - losses of two scores of which one should be the larger.
 *
 *   rank_loss         log(1 + e^o) - Label o,  o = Left - Right;  Label is the chance that
 *                     Left is the better one
 *   margin_rank_loss  max(0, -Label (X1 - X2) + margin);  Label is 1 where X1 should be the
 *                     larger and -1 where X2 should; Activated is 1 where there is a loss
 *
 * The gradients by the two scores are the opposite of each other. */
#include "ops/float_math.h"
#include "ops/labels.h"
#include "ops/types.h"

#define LOOPS(T, S)                                                                                \
    RG_HOT static void rank_##S(const T *label, const T *left, const T *right, T *out, int64_t n)  \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T o = left[i] - right[i];                                                        \
            out[i] = RG_SOFTPLUS(o) - label[i] * o;                                                \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void rank_grad_##S(const T *label, const T *left, const T *right, const T *dout, \
                                     T sign, T *dx, int64_t n)                                     \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T o = left[i] - right[i];                                                        \
            dx[i] = sign * dout[i] * (RG_SIGMOID(o) - label[i]);                                   \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void margin_##S(const T *x1, const T *x2, const T *label, T margin, T *active,   \
                                  T *out, int64_t n)                                               \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T loss = -label[i] * (x1[i] - x2[i]) + margin;                                   \
            active[i] = loss > 0 ? 1 : 0;                                                          \
            out[i] = loss > 0 ? loss : 0;                                                          \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void margin_grad_##S(const T *label, const T *active, const T *dout, T sign,     \
                                       T *dx, int64_t n)                                           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            dx[i] = sign * dout[i] * active[i] * label[i];                                         \
    }
RG_FLOATS(LOOPS)

/* ---- rank_loss ---- */

enum { LABEL, LEFT, RIGHT };
enum { OUT };

static rg_status rank_loss_infer(rg_ctx *ctx)
{
    for (int s = LABEL; s <= RIGHT; s++) {
        RG_TRY(rg_expect_column_or_row(ctx, s));
        RG_TRY(rg_expect_count(ctx, s, rg_shape_numel(rg_shape_of(ctx, LABEL))));
        RG_TRY(rg_expect_same_dtype(ctx, LABEL, s));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, LEFT), rg_shape_of(ctx, LABEL));
    return RG_OK;
}

static rg_status rank_loss_kernel(rg_ctx *ctx)
{
    RG_CALL_FLOAT(ctx, LEFT, rank,
                  (rg_in_data(ctx, LABEL), rg_in_data(ctx, LEFT), rg_in_data(ctx, RIGHT),
                   rg_out_data(ctx, OUT), rg_numel(rg_in(ctx, LEFT))))
    return RG_OK;
}

const rg_op rg_op_rank_loss = {
    .type = "rank_loss",
    .doc = "The loss of two scores, given the chance that the first is the better.",
    .in = RG_SLOTS([LABEL] = {"Label", "the chance that Left is better, [batch, 1] or [batch]",
                              RG_NO_GRAD},
                   [LEFT] = {"Left", "a score, as many"}, [RIGHT] = {"Right", "another, as many"}),
    .out = RG_SLOTS([OUT] = {"Out", "the shape of Label"}),
    .infer = rank_loss_infer,
    .kernel = rank_loss_kernel,
};

enum { G_LABEL, G_LEFT, G_RIGHT, G_DOUT };
enum { G_DLEFT, G_DRIGHT };

static rg_status rank_loss_grad_infer(rg_ctx *ctx)
{
    for (int s = G_LEFT; s <= G_DOUT; s++)
        RG_TRY(rg_expect_count(ctx, s, rg_shape_numel(rg_shape_of(ctx, G_LABEL))));
    rg_set_like(ctx, G_DLEFT, G_LEFT);
    rg_set_like(ctx, G_DRIGHT, G_RIGHT);
    return RG_OK;
}

static rg_status rank_loss_grad_kernel(rg_ctx *ctx)
{
    for (int s = G_DLEFT; s <= G_DRIGHT; s++)
        if (rg_has_out(ctx, s))
            RG_CALL_FLOAT(ctx, G_LEFT, rank_grad,
                          (rg_in_data(ctx, G_LABEL), rg_in_data(ctx, G_LEFT),
                           rg_in_data(ctx, G_RIGHT), rg_in_data(ctx, G_DOUT), s == G_DLEFT ? 1 : -1,
                           rg_out_data(ctx, s), rg_numel(rg_out(ctx, s))))
    return RG_OK;
}

const rg_op rg_op_rank_loss_grad = {
    .type = "rank_loss_grad",
    .doc = "Gradient of rank_loss.",
    .in = RG_SLOTS([G_LABEL] = {"Label", ""}, [G_LEFT] = {"Left", ""}, [G_RIGHT] = {"Right", ""},
                   [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DLEFT] = {"Left@GRAD", "", RG_OPTIONAL}, [G_DRIGHT] = {"Right@GRAD", "",
                                                                              RG_OPTIONAL}),
    .infer = rank_loss_grad_infer,
    .kernel = rank_loss_grad_kernel,
};

/* ---- margin_rank_loss ---- */

enum { M_X1, M_X2, M_LABEL };
enum { M_ACTIVATED, M_OUT };
enum { MARGIN };

static rg_status margin_infer(rg_ctx *ctx)
{
    RG_TRY(rg_expect_column(ctx, M_LABEL));
    for (int s = M_X1; s <= M_X2; s++) {
        RG_TRY(rg_expect_same_shape(ctx, M_LABEL, s));
        RG_TRY(rg_expect_same_dtype(ctx, M_LABEL, s));
    }
    for (int s = M_ACTIVATED; s <= M_OUT; s++)
        rg_set_out(ctx, s, rg_dtype_of(ctx, M_X1), rg_shape_of(ctx, M_X1));
    return RG_OK;
}

static rg_status margin_kernel(rg_ctx *ctx)
{
    const rg_value *x1 = rg_in(ctx, M_X1);
    void *active = rg_out_or_scratch(ctx, M_ACTIVATED, rg_value_bytes(x1));
    if (active == NULL)
        return RG_ENOMEM;
    RG_CALL_FLOAT(ctx, M_X1, margin,
                  (x1->data, rg_in_data(ctx, M_X2), rg_in_data(ctx, M_LABEL),
                   rg_attr_float(ctx, MARGIN), active, rg_out_data(ctx, M_OUT), rg_numel(x1)))
    return RG_OK;
}

#define MARGIN_ATTR RG_ATTRS([MARGIN] = RG_FLOAT("margin", 0.0f, "by how much it should be larger"))

const rg_op rg_op_margin_rank_loss = {
    .type = "margin_rank_loss",
    .doc = "The loss of two scores of which one should be larger by a margin.",
    .in = RG_SLOTS([M_X1] = {"X1", "a score, [batch, 1]"}, [M_X2] = {"X2", "another, [batch, 1]"},
                   [M_LABEL] = {"Label", "1: X1 should be larger; -1: X2", RG_NO_GRAD}),
    .out = RG_SLOTS([M_ACTIVATED] = {"Activated", "1 where there is a loss", RG_INTERMEDIATE},
                    [M_OUT] = {"Out", "[batch, 1]"}),
    .attr = MARGIN_ATTR,
    .infer = margin_infer,
    .kernel = margin_kernel,
};

enum { MG_LABEL, MG_ACTIVATED, MG_DOUT };
enum { MG_DX1, MG_DX2 };

static rg_status margin_grad_infer(rg_ctx *ctx)
{
    for (int s = MG_ACTIVATED; s <= MG_DOUT; s++)
        RG_TRY(rg_expect_same_shape(ctx, MG_LABEL, s));
    rg_set_like(ctx, MG_DX1, MG_LABEL);
    rg_set_like(ctx, MG_DX2, MG_LABEL);
    return RG_OK;
}

static rg_status margin_grad_kernel(rg_ctx *ctx)
{
    for (int s = MG_DX1; s <= MG_DX2; s++)
        if (rg_has_out(ctx, s))
            RG_CALL_FLOAT(ctx, MG_DOUT, margin_grad,
                          (rg_in_data(ctx, MG_LABEL), rg_in_data(ctx, MG_ACTIVATED),
                           rg_in_data(ctx, MG_DOUT), s == MG_DX1 ? -1 : 1, rg_out_data(ctx, s),
                           rg_numel(rg_out(ctx, s))))
    return RG_OK;
}

const rg_op rg_op_margin_rank_loss_grad = {
    .type = "margin_rank_loss_grad",
    .doc = "Gradient of margin_rank_loss.",
    .in = RG_SLOTS([MG_LABEL] = {"Label", ""}, [MG_ACTIVATED] = {"Activated", ""},
                   [MG_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([MG_DX1] = {"X1@GRAD", "", RG_OPTIONAL}, [MG_DX2] = {"X2@GRAD", "",
                                                                         RG_OPTIONAL}),
    .attr = MARGIN_ATTR,
    .infer = margin_grad_infer,
    .kernel = margin_grad_kernel,
};
