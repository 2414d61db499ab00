/* isfinite.c - whether a tensor holds what is no number: isfinite (all are finite), isinf (any
 * is infinite), isnan (any is not a number). The answer is one bool for the whole tensor. */
#include "ops/types.h"

#include <math.h>

enum { X };
enum { OUT };

static rg_status infer(rg_ctx *ctx)
{
    rg_set_out(ctx, OUT, RG_BOOL, &RG_SHAPE(1));
    return RG_OK;
}

/* Counted, not searched: a loop without a way out becomes vectors. */
#define LOOK(T, S, LARGEST)                                                          \
    RG_HOT static void look_##S(const T *x, int64_t n, int64_t *nans, int64_t *infs) \
    {                                                                                \
        int64_t bad = 0, large = 0;                                                  \
        for (int64_t i = 0; i < n; i++) {                                            \
            bad += x[i] != x[i];                                                     \
            large += x[i] > LARGEST || x[i] < -LARGEST;                              \
        }                                                                            \
        *nans = bad;                                                                 \
        *infs = large;                                                               \
    }
LOOK(float, f32, 3.40282347e+38f)
LOOK(double, f64, 1.7976931348623157e+308)

static void count(rg_ctx *ctx, int64_t *nans, int64_t *infs)
{
    const rg_value *x = rg_in(ctx, X);
    int64_t n = (int64_t)(rg_value_bytes(x) / rg_dtype_size(x->meta.dtype));
    *nans = *infs = 0;
    if (x->meta.dtype == RG_F32)
        look_f32(x->data, n, nans, infs);
    else if (x->meta.dtype == RG_F64)
        look_f64(x->data, n, nans, infs);
}

static rg_status answer(rg_ctx *ctx, bool yes)
{
    *(bool *)rg_out_data(ctx, OUT) = yes;
    return RG_OK;
}

static rg_status isfinite_kernel(rg_ctx *ctx)
{
    int64_t nans, infs;
    count(ctx, &nans, &infs);
    return answer(ctx, nans + infs == 0);
}

static rg_status isinf_kernel(rg_ctx *ctx)
{
    int64_t nans, infs;
    count(ctx, &nans, &infs);
    return answer(ctx, infs > 0);
}

static rg_status isnan_kernel(rg_ctx *ctx)
{
    int64_t nans, infs;
    count(ctx, &nans, &infs);
    return answer(ctx, nans > 0);
}

#define QUESTION(NAME, DOC)                                                                    \
    {                                                                                          \
        .type = #NAME, .doc = (DOC),                                                           \
        .in = RG_SLOTS([X] = {"X", "any shape; may be sparse", RG_NO_GRAD | RG_ROWS_OK}),     \
        .out = RG_SLOTS([OUT] = {"Out", "one bool"}), .infer = infer, .kernel = NAME##_kernel, \
    }

const rg_op rg_ops_isfinite[] = {
    QUESTION(isfinite, "Whether all elements are finite numbers."),
    QUESTION(isinf, "Whether any element is infinite."),
    QUESTION(isnan, "Whether any element is not a number."),
    {.type = NULL},
};
