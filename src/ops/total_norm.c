/* total_norm.c - one number for a whole tensor.
 *
 *   squared_l2_norm  the sum of X^2     dX = 2 X dOut
 *   l1_norm          the sum of |X|     dX = sign(X) dOut */
#include "ir/terms.h"
#include "math/reduce.h"
#include "ops/labels.h"
#include "ops/types.h"

enum { X };
enum { OUT };

static rg_status infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(1));
    return RG_OK;
}

enum { G_X, G_DOUT };
enum { G_DX };

/* Absolute values are added a piece at a time, in the order of math/reduce.h. */
enum { PIECE = 1024 };

#define LOOPS(T, S)                                                             \
    static void squares_##S(const T *x, int64_t n, T *out)                      \
    {                                                                           \
        *out = rg_dot_##S(x, x, n);                                             \
    }                                                                           \
    RG_HOT static void squares_grad_##S(const T *x, T dout, T *dx, int64_t n)   \
    {                                                                           \
        for (int64_t i = 0; i < n; i++)                                         \
            dx[i] = 2 * x[i] * dout;                                            \
    }                                                                           \
    RG_HOT static void absolutes_##S(const T *x, int64_t n, T *out)             \
    {                                                                           \
        T piece[PIECE], sum = 0;                                                \
        for (int64_t at = 0; at < n; at += PIECE) {                             \
            const int64_t size = n - at < PIECE ? n - at : PIECE;               \
            for (int64_t i = 0; i < size; i++)                                  \
                piece[i] = x[at + i] < 0 ? -x[at + i] : x[at + i];              \
            sum += rg_sum_##S(piece, size);                                     \
        }                                                                       \
        *out = sum;                                                             \
    }                                                                           \
    RG_HOT static void absolutes_grad_##S(const T *x, T dout, T *dx, int64_t n) \
    {                                                                           \
        for (int64_t i = 0; i < n; i++)                                         \
            dx[i] = (T)((x[i] > 0) - (x[i] < 0)) * dout;                        \
    }
RG_FLOATS(LOOPS)

#define KERNELS(NAME)                                                               \
    static rg_status NAME##_kernel(rg_ctx *ctx)                                     \
    {                                                                               \
        const rg_value *x = rg_in(ctx, X);                                          \
        RG_CALL_FLOAT(ctx, X, NAME, (x->data, rg_numel(x), rg_out_data(ctx, OUT)))  \
        return RG_OK;                                                               \
    }                                                                               \
    static rg_status NAME##_grad_kernel(rg_ctx *ctx)                                \
    {                                                                               \
        const rg_value *x = rg_in(ctx, G_X), *dout = rg_in(ctx, G_DOUT);            \
        void *dx = rg_out_data(ctx, G_DX);                                          \
        if (rg_dtype_of(ctx, G_X) == RG_F32)                                        \
            NAME##_grad_f32(x->data, *(const float *)dout->data, dx, rg_numel(x));  \
        else                                                                        \
            NAME##_grad_f64(x->data, *(const double *)dout->data, dx, rg_numel(x)); \
        return RG_OK;                                                               \
    }
KERNELS(squares)
KERNELS(absolutes)

static rg_status grad_infer(rg_ctx *ctx)
{
    RG_TRY(RG_EXPECT_DTYPE(ctx, G_X, RG_F32, RG_F64));
    RG_TRY(rg_expect_same_dtype(ctx, G_X, G_DOUT));
    RG_TRY(rg_expect_count(ctx, G_DOUT, 1));
    rg_set_like(ctx, G_DX, G_X);
    return RG_OK;
}

static void squares_terms(rg_terms *t)
{
    rg_term twice = rg_term_scale(t, rg_term_in(t, "X"), 2, 0);
    rg_term_give(t, "X@GRAD", rg_term_mul(t, twice, rg_term_in(t, "Out@GRAD")));
}

static void absolutes_terms(rg_terms *t)
{
    rg_term sign = rg_term_constant(t, rg_term_of(t, "sign", rg_term_in(t, "X")));
    rg_term_give(t, "X@GRAD", rg_term_mul(t, sign, rg_term_in(t, "Out@GRAD")));
}

#define NORM(TYPE, DOC, NAME)                                           \
    {                                                                   \
        .type = (TYPE),                                                 \
        .doc = (DOC),                                                   \
        .in = RG_SLOTS([X] = {"X", "any shape"}),                       \
        .out = RG_SLOTS([OUT] = {"Out", "[1]"}),                        \
        .infer = infer,                                                 \
        .kernel = NAME##_kernel,                                        \
    },                                                                  \
    {                                                                   \
        .type = TYPE "_grad", .doc = "Gradient of " TYPE ".",           \
        .in = RG_SLOTS([G_X] = {"X", ""}, [G_DOUT] = {"Out@GRAD", ""}), \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}), .infer = grad_infer,  \
        .kernel = NAME##_grad_kernel, .compose = NAME##_terms,          \
    }

const rg_op rg_ops_total_norm[] = {
    NORM("squared_l2_norm", "The sum of all squares.", squares),
    NORM("l1_norm", "The sum of all absolute values.", absolutes),
    {.type = NULL},
};
