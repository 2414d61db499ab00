/* maxout.c - the largest of each group of channels.
 *
 *   channel c of Out is the largest of channels c groups .. (c + 1) groups - 1 of X
 *
 * The gradient goes to the first of a group that equals it. */
#include "ops/types.h"

#include <string.h>

enum { X, G_OUT, G_DOUT };
enum { OUT };
enum { GROUPS, AXIS };

/* X as [outer, channels of Out, groups, inner]. */
typedef struct layout {
    int64_t outer, channels, groups, inner;
} layout;

static rg_status find_layout(const rg_ctx *ctx, const rg_shape *x, layout *l, int *axis)
{
    int groups = rg_attr_int(ctx, GROUPS);
    if (x->rank != 4)
        return rg_fail(RG_ESHAPE, "X must have 4 dimensions, and has %d", x->rank);
    RG_TRY(rg_expect_axis(ctx, rg_attr_int(ctx, AXIS), 4, axis));
    if (groups < 1 || (x->dim[*axis] >= 0 && x->dim[*axis] % groups != 0))
        return rg_fail(RG_ESHAPE, "%lld channels, along axis %d, are not groups of %d",
                       (long long)x->dim[*axis], *axis, groups);
    *l = (layout){rg_shape_product(x, 0, *axis), x->dim[*axis] / groups, groups,
                  rg_shape_product(x, *axis + 1, 4)};
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    rg_shape out = *rg_shape_of(ctx, X);
    layout l;
    int axis;
    RG_TRY(find_layout(ctx, &out, &l, &axis));
    out.dim[axis] = out.dim[axis] < 0 ? -1 : l.channels;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

#define LARGEST(T, S)                                                                            \
    RG_HOT static void largest_##S(const layout *l, const T *x, T *out)                          \
    {                                                                                            \
        const int64_t inner = l->inner;                                                          \
        for (int64_t b = 0; b < l->outer * l->channels; b++, out += inner) {                     \
            memcpy(out, x, (size_t)inner * sizeof *out);                                         \
            x += inner;                                                                          \
            for (int64_t g = 1; g < l->groups; g++, x += inner)                                  \
                for (int64_t j = 0; j < inner; j++)                                              \
                    out[j] = x[j] <= out[j] || out[j] != out[j] ? out[j] : x[j]; /* NaN stays */ \
        }                                                                                        \
    }                                                                                            \
    static void give_##S(const layout *l, const T *x, const T *out, const T *dout, T *dx)        \
    {                                                                                            \
        const int64_t inner = l->inner;                                                          \
        for (int64_t b = 0; b < l->outer * l->channels; b++)                                     \
            for (int64_t j = 0; j < inner; j++) {                                                \
                bool given = false;                                                              \
                for (int64_t g = 0; g < l->groups; g++) {                                        \
                    const int64_t at = (b * l->groups + g) * inner + j;                          \
                    const bool mine = !given && x[at] == out[b * inner + j];                     \
                    dx[at] = mine ? dout[b * inner + j] : 0;                                     \
                    given = given || mine;                                                       \
                }                                                                                \
            }                                                                                    \
    }
RG_FLOATS(LARGEST)

static rg_status kernel(rg_ctx *ctx)
{
    layout l;
    int axis;
    RG_TRY(find_layout(ctx, rg_shape_of(ctx, X), &l, &axis));
    RG_CALL_FLOAT(ctx, X, largest, (&l, rg_in_data(ctx, X), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    layout l;
    int axis;
    RG_TRY(find_layout(ctx, rg_shape_of(ctx, X), &l, &axis));
    RG_CALL_FLOAT(ctx, X, give,
                  (&l, rg_in_data(ctx, X), rg_in_data(ctx, G_OUT), rg_in_data(ctx, G_DOUT),
                   rg_out_data(ctx, OUT)))
    return RG_OK;
}

#define ATTRS                                                                      \
    RG_ATTRS([GROUPS] = RG_REQUIRED("groups", RG_ATTR_INT, "channels in a group"), \
             [AXIS] = RG_INT("axis", 1, "the dimension of the channels"))

const rg_op rg_op_maxout = {
    .type = "maxout",
    .doc = "The largest of each group of channels.",
    .in = RG_SLOTS([X] = {"X", "four dimensions"}),
    .out = RG_SLOTS([OUT] = {"Out", "fewer channels"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

const rg_op rg_op_maxout_grad = {
    .type = "maxout_grad",
    .doc = "Gradient of maxout.",
    .in = RG_SLOTS([X] = {"X", ""}, [G_OUT] = {"Out", ""}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
