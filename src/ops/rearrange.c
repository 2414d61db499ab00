/* rearrange.c - channels and pixels in another order: pixel_shuffle, space_to_depth,
 * shuffle_channel.
 *
 *   pixel_shuffle:   Out[n, c, h r + i, w r + j] = X[n, (c r + i) r + j, h, w]
 *   space_to_depth:  the same with X[n, (i r + j) C + c, h, w], the result taken as a tensor
 *                    of r^2 times the channels of X (as Paddle does it)
 *   shuffle_channel: Out[n, c g + i] = X[n, i C + c], groups g become the inner index
 *
 * Each cuts X into six dimensions and gives them another order; the gradient is the way
 * back. Elements of any type. */
#include "ir/op.h"

#include <string.h>

enum { X };
enum { OUT };
enum { FACTOR };

/* X as dimensions, and which of them are the dimensions of Out. */
typedef struct order {
    int64_t dim[6];
    int from[6];
} order;

static void copy_ordered(const order *o, size_t size, bool back, const uint8_t *in, uint8_t *out)
{
    int64_t step[6], at[6] = {0}, n = 1, there = 0;
    int rank = 6;
    for (; rank > 0 && o->from[rank - 1] == rank - 1; rank--)
        size *= (size_t)o->dim[rank - 1]; /* what keeps its place moves as one */
    for (int i = rank - 1; i >= 0; i--) {
        step[i] = n;
        n *= o->dim[i];
    }
    for (int64_t k = 0; k < n; k++) {
        memcpy(out + (size_t)(back ? there : k) * size, in + (size_t)(back ? k : there) * size,
               size);
        for (int i = rank - 1; i >= 0; i--) {
            int64_t d = o->from[i];
            there += step[d];
            if (++at[i] < o->dim[d])
                break;
            there -= step[d] * o->dim[d];
            at[i] = 0;
        }
    }
}

/* ---- which order ---- */

typedef rg_status order_of(const rg_shape *x, int64_t factor, order *o, rg_shape *out);

static rg_status bad_channels(const rg_shape *x, const char *by, int64_t factor)
{
    char text[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE, "the channels of X of shape %s cannot be cut by %s, %lld",
                   rg_shape_text(x, text), by, (long long)factor);
}

/* Of a size that may not be known yet. */
static int64_t times(int64_t size, int64_t factor)
{
    return size < 0 ? size : size * factor;
}

static int64_t over(int64_t size, int64_t factor)
{
    return size < 0 ? size : size / factor;
}

static bool cuts(int64_t factor, int64_t size)
{
    return size < 0 || size % factor == 0;
}

static rg_status pixel_shuffle(const rg_shape *x, int64_t r, order *o, rg_shape *out)
{
    if (r < 1 || !cuts(r * r, x->dim[1]))
        return bad_channels(x, "the square of upscale_factor", r);
    *o = (order){{x->dim[0], over(x->dim[1], r * r), r, r, x->dim[2], x->dim[3]},
                 {0, 1, 4, 2, 5, 3}};
    *out = RG_SHAPE(x->dim[0], over(x->dim[1], r * r), times(x->dim[2], r), times(x->dim[3], r));
    return RG_OK;
}

static rg_status space_to_depth(const rg_shape *x, int64_t r, order *o, rg_shape *out)
{
    if (r < 2 || !cuts(r * r, x->dim[1]))
        return bad_channels(x, "the square of blocksize", r);
    if (!cuts(r, x->dim[2]) || !cuts(r, x->dim[3]))
        return rg_fail(RG_ESHAPE, "images of %lld by %lld cannot be cut by blocksize, %lld",
                       (long long)x->dim[2], (long long)x->dim[3], (long long)r);
    *o = (order){{x->dim[0], r, r, over(x->dim[1], r * r), x->dim[2], x->dim[3]},
                 {0, 3, 4, 1, 5, 2}};
    *out = RG_SHAPE(x->dim[0], times(x->dim[1], r * r), over(x->dim[2], r), over(x->dim[3], r));
    return RG_OK;
}

static rg_status shuffle_channel(const rg_shape *x, int64_t groups, order *o, rg_shape *out)
{
    if (groups < 1 || !cuts(groups, x->dim[1]))
        return bad_channels(x, "group", groups);
    *o = (order){{x->dim[0], groups, over(x->dim[1], groups), x->dim[2], x->dim[3], 1},
                 {0, 2, 1, 3, 4, 5}};
    *out = *x;
    return RG_OK;
}

static order_of *order_by_type(const char *type)
{
    if (strncmp(type, "pixel", 5) == 0)
        return pixel_shuffle;
    return strncmp(type, "space", 5) == 0 ? space_to_depth : shuffle_channel;
}

static int64_t factor_of(const rg_ctx *ctx)
{
    return ctx->attr[FACTOR]->type == RG_ATTR_LONG ? rg_attr_long(ctx, FACTOR)
                                                   : rg_attr_int(ctx, FACTOR);
}

static rg_status infer(rg_ctx *ctx)
{
    order o;
    rg_shape out;
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(order_by_type(ctx->op->type)(rg_shape_of(ctx, X), factor_of(ctx), &o, &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

static rg_status kernel(rg_ctx *ctx)
{
    order o;
    rg_shape out;
    RG_TRY(order_by_type(ctx->op->type)(rg_shape_of(ctx, X), factor_of(ctx), &o, &out));
    copy_ordered(&o, rg_dtype_size(rg_dtype_of(ctx, X)), false, rg_in_data(ctx, X),
                 rg_out_data(ctx, OUT));
    return RG_OK;
}

/* ---- gradient ---- */

enum { G_DOUT, G_X }; /* X of space_to_depth alone */
enum { G_DX };

/* The shape of X from that of Out. */
static rg_status grad_infer(rg_ctx *ctx)
{
    rg_shape x = *rg_shape_of(ctx, G_DOUT);
    int64_t r = factor_of(ctx);
    RG_TRY(rg_expect_rank(ctx, G_DOUT, 4));
    if (r < 1)
        return bad_channels(&x, ctx->op->attr[FACTOR].value.name, r);
    if (order_by_type(ctx->op->type) == pixel_shuffle) {
        x.dim[1] = times(x.dim[1], r * r);
        for (int i = 2; i < 4; i++)
            x.dim[i] = over(x.dim[i], r);
    }
    rg_set_out(ctx, G_DX, rg_dtype_of(ctx, G_DOUT), &x);
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    order o;
    rg_shape out;
    const rg_shape *x = &rg_out_meta(ctx, G_DX)->shape;
    RG_TRY(order_by_type(ctx->op->type)(x, factor_of(ctx), &o, &out));
    copy_ordered(&o, rg_dtype_size(rg_dtype_of(ctx, G_DOUT)), true, rg_in_data(ctx, G_DOUT),
                 rg_out_data(ctx, G_DX));
    return RG_OK;
}

#define REARRANGE(NAME, DOC, ATTR)                                                                \
    {                                                                                             \
        .type = NAME, .doc = (DOC),                                                               \
        .in = RG_SLOTS([X] = {"X", "[batch, channels, height, width]"}),                          \
        .out = RG_SLOTS([OUT] = {"Out", "the elements of X"}), .attr = RG_ATTRS([FACTOR] = ATTR), \
        .flags = RG_OP_LINEAR, .infer = infer, .kernel = kernel,                                  \
    }
#define UPSCALE   RG_INT("upscale_factor", 1, "how much larger images become")
#define BLOCKSIZE RG_LONG("blocksize", 2, "pixels that become channels, along each axis")
#define GROUP     RG_INT("group", 1, "groups of channels that are mixed")

const rg_op rg_ops_rearrange[] = {
    REARRANGE("pixel_shuffle", "Channels become pixels: larger images of fewer channels.", UPSCALE),
    REARRANGE("space_to_depth", "Pixels become channels: smaller images of more channels.",
              BLOCKSIZE),
    REARRANGE("shuffle_channel", "Channels of several groups, mixed.", GROUP),
    {
        .type = "pixel_shuffle_grad",
        .doc = "Gradient of pixel_shuffle.",
        .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
        .attr = RG_ATTRS([FACTOR] = UPSCALE),
        .infer = grad_infer,
        .kernel = grad_kernel,
    },
    {
        .type = "space_to_depth_grad",
        .doc = "Gradient of space_to_depth.",
        .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}, [G_X] = {"X", "", RG_SHAPE_ONLY}),
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
        .attr = RG_ATTRS([FACTOR] = BLOCKSIZE),
        .kernel = grad_kernel,
    },
    {
        .type = "shuffle_channel_grad",
        .doc = "Gradient of shuffle_channel.",
        .in = RG_SLOTS([G_DOUT] = {"Out@GRAD", ""}),
        .out = RG_SLOTS([G_DX] = {"X@GRAD", ""}),
        .attr = RG_ATTRS([FACTOR] = GROUP),
        .infer = grad_infer,
        .kernel = grad_kernel,
    },
    {.type = NULL},
};
