/* cvm.c - the two counters, shows and clicks, that stand before an embedding.
 *
 *   use_cvm      Y = X, with log(show + 1) and log(click + 1) - log(show + 1) in front
 *   otherwise    Y = X without them
 *
 * The gradient of the counters is not a derivative: it is the row of CVM, so that whoever
 * applies it to a table adds up what was shown and clicked. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, CVM };
enum { Y };
enum { USE_CVM };
enum { COUNTERS = 2 };

static rg_status cvm_infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    if (out.dim[1] >= 0 && out.dim[1] < COUNTERS)
        return rg_fail(RG_ESHAPE, "X has rows of %lld, and they begin with %d counters",
                       (long long)out.dim[1], COUNTERS);
    if (!rg_attr_bool(ctx, USE_CVM) && out.dim[1] >= 0)
        out.dim[1] -= COUNTERS;
    rg_set_out(ctx, Y, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, Y);
    return RG_OK;
}

#define FORWARD(T, S)                                                                       \
    static void forward_##S(const T *x, int64_t n, int64_t width, bool keep, T *y)          \
    {                                                                                       \
        size_t rest = (size_t)(width - COUNTERS) * sizeof *x;                               \
        for (int64_t i = 0; i < n; i++, x += width, y += keep ? width : width - COUNTERS) { \
            if (keep) {                                                                     \
                y[0] = (T)log((double)x[0] + 1);                                            \
                y[1] = (T)(log((double)x[1] + 1) - log((double)x[0] + 1));                  \
            }                                                                               \
            memcpy(keep ? y + COUNTERS : y, x + COUNTERS, rest);                            \
        }                                                                                   \
    }
RG_FLOATS(FORWARD)

static rg_status cvm_kernel(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_CALL_FLOAT(
        ctx, X, forward,
        (rg_in_data(ctx, X), x->dim[0], x->dim[1], rg_attr_bool(ctx, USE_CVM), rg_out_data(ctx, Y)))
    return RG_OK;
}

#define ATTRS RG_ATTRS([USE_CVM] = RG_BOOLEAN("use_cvm", true, "the counters stay, as logarithms"))

const rg_op rg_op_cvm = {
    .type = "cvm",
    .doc = "The two counters that stand before an embedding, as logarithms or left out.",
    .in = RG_SLOTS([X] = {"X", "[n, 2 + width], show and click first"},
                   [CVM] = {"CVM", "[instances, 2]: the gradient of the counters",
                            RG_NO_GRAD | RG_SHAPE_ONLY}),
    .out = RG_SLOTS([Y] = {"Y", "[n, 2 + width], or [n, width]"}),
    .attr = ATTRS,
    .infer = cvm_infer,
    .kernel = cvm_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_CVM, G_DY };
enum { G_DX };

#define BACK(T, S)                                                                               \
    static void back_##S(const T *dy, const T *cvm, const int64_t *at, int64_t n, int64_t width, \
                         bool keep, T *dx)                                                       \
    {                                                                                            \
        size_t rest = (size_t)(width - COUNTERS) * sizeof *dx;                                   \
        for (int64_t i = 0; i < n; i++, cvm += COUNTERS)                                         \
            for (int64_t r = at ? at[i] : i; r < (at ? at[i + 1] : i + 1); r++) {                \
                memcpy(dx, cvm, COUNTERS * sizeof *dx);                                          \
                memcpy(dx + COUNTERS, keep ? dy + COUNTERS : dy, rest);                          \
                dx += width;                                                                     \
                dy += keep ? width : width - COUNTERS;                                           \
            }                                                                                    \
    }
RG_FLOATS(BACK)

static rg_status cvm_grad_kernel(rg_ctx *ctx)
{
    const rg_meta *x = rg_in_meta(ctx, G_X);
    const rg_shape *cvm = rg_shape_of(ctx, G_CVM);
    bool keep = rg_attr_bool(ctx, USE_CVM);
    int64_t width = x->shape.dim[1], n = x->shape.dim[0];
    const rg_lod *lod = NULL;
    if (x->lod != NULL) {
        RG_TRY(rg_expect_one_level(ctx, G_X, &lod));
        n = rg_lod_sequences(lod, 0);
    }
    RG_TRY(rg_expect_same_dtype(ctx, G_CVM, G_DY));
    RG_TRY(rg_expect_numel(ctx, G_DY, x->shape.dim[0] * (keep ? width : width - COUNTERS)));
    if (!rg_shape_equal(cvm, &RG_SHAPE(n, COUNTERS))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "CVM has the shape %s, and X is of %lld instances: [%lld, %d]",
                       rg_shape_text(cvm, text), (long long)n, (long long)n, COUNTERS);
    }
    RG_CALL_FLOAT(ctx, G_DY, back,
                  (rg_in_data(ctx, G_DY), rg_in_data(ctx, G_CVM), lod ? lod->offset[0] : NULL, n,
                   width, keep, rg_out_data(ctx, G_DX)))
    return RG_OK;
}

const rg_op rg_op_cvm_grad = {
    .type = "cvm_grad",
    .doc = "Gradient of cvm; that of the counters is CVM.",
    .in =
        RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_CVM] = {"CVM", ""}, [G_DY] = {"Y@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = cvm_grad_kernel,
};
