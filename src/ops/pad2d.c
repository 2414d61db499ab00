/* pad2d.c - images with a margin.
 *
 *   constant  of one number
 *   reflect   the image mirrored at its outermost row and column, which is not repeated
 *   edge      the outermost row and column repeated
 *
 * The gradient of a pixel is the sum over all places where it was put. */
#include "ir/program.h"
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, PADDINGS, DOUT };
enum { OUT };
enum { A_PADDINGS, PAD_VALUE, MODE, DATA_FORMAT };

typedef enum margin { CONSTANT, REFLECT, EDGE } margin;

typedef struct images {
    margin how;
    bool last; /* the channels come last: NHWC */
    int64_t n, channels, height, width;
    int64_t top, left, out_height, out_width;
} images;

static rg_status read_images(const rg_ctx *ctx, const rg_shape *x, images *im)
{
    const char *mode = rg_attr_string(ctx, MODE), *format = rg_attr_string(ctx, DATA_FORMAT);
    rg_shape p;
    if (x->rank != 4)
        return rg_fail(RG_ESHAPE, "X must have 4 dimensions, and has %d", x->rank);
    RG_TRY(rg_shape_from_inputs(ctx, A_PADDINGS, PADDINGS, -1, &p));
    if (!rg_running(ctx) && rg_has_in(ctx, PADDINGS))
        p = RG_SHAPE(0, 0, 0, 0); /* said by the tensor alone */
    if (p.rank != 4 || p.dim[0] < 0 || p.dim[1] < 0 || p.dim[2] < 0 || p.dim[3] < 0)
        return rg_fail(RG_EINVAL, "paddings must be top, bottom, left and right, none negative");
    *im = (images){.last = strcmp(format, "NHWC") == 0};
    if (!im->last && strcmp(format, "NCHW") != 0)
        return rg_fail(RG_EINVAL, "data_format is '%s', and must be NCHW or NHWC", format);
    if (strcmp(mode, "reflect") == 0)
        im->how = REFLECT;
    else if (strcmp(mode, "edge") == 0)
        im->how = EDGE;
    else if (strcmp(mode, "constant") != 0)
        return rg_fail(RG_EINVAL, "mode is '%s', and must be constant, reflect or edge", mode);
    im->n = x->dim[0];
    im->channels = x->dim[im->last ? 3 : 1];
    im->height = x->dim[im->last ? 1 : 2];
    im->width = x->dim[im->last ? 2 : 3];
    im->top = p.dim[0];
    im->left = p.dim[2];
    im->out_height = im->height < 0 ? -1 : im->height + p.dim[0] + p.dim[1];
    im->out_width = im->width < 0 ? -1 : im->width + p.dim[2] + p.dim[3];
    bool narrow = im->how == REFLECT &&
                  ((im->height >= 0 && (p.dim[0] >= im->height || p.dim[1] >= im->height)) ||
                   (im->width >= 0 && (p.dim[2] >= im->width || p.dim[3] >= im->width)));
    if (narrow || (im->how == EDGE && (im->height == 0 || im->width == 0)))
        return rg_fail(RG_ESHAPE, "an image of %lld by %lld cannot be given such a margin by %s",
                       (long long)im->height, (long long)im->width, mode);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    rg_shape out = *x;
    images im;
    RG_TRY(read_images(ctx, x, &im));
    /* While building, paddings that a tensor gives are not known. */
    bool open = !rg_running(ctx) && rg_has_in(ctx, PADDINGS);
    out.dim[im.last ? 1 : 2] = open ? -1 : im.out_height;
    out.dim[im.last ? 2 : 3] = open ? -1 : im.out_width;
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_share_lod(ctx, X, OUT);
    return RG_OK;
}

/* Which row or column of the image stands at `i` of the result; -1: the margin's number. */
static inline int64_t source(margin how, int64_t i, int64_t before, int64_t size)
{
    int64_t at = i - before;
    if (at >= 0 && at < size)
        return at;
    if (how == CONSTANT)
        return -1;
    if (how == EDGE)
        return at < 0 ? 0 : size - 1;
    return at < 0 ? -at : 2 * (size - 1) - at;
}

/* Calls PIXEL for each pixel of the result: `o` is its place, `s` that of its source, or -1;
 * in NHWC a pixel is its channels, in NCHW one number. */
#define EACH_PIXEL(PIXEL)                                                                  \
    const int64_t planes = im->last ? im->n : im->n * im->channels;                        \
    const int64_t wide = im->last ? im->channels : 1;                                      \
    for (int64_t p = 0; p < planes; p++)                                                   \
        for (int64_t i = 0; i < im->out_height; i++) {                                     \
            const int64_t row = source(im->how, i, im->top, im->height);                   \
            for (int64_t j = 0; j < im->out_width; j++) {                                  \
                const int64_t col = source(im->how, j, im->left, im->width);               \
                const int64_t o = ((p * im->out_height + i) * im->out_width + j) * wide;   \
                const int64_t s = row < 0 || col < 0                                       \
                                      ? -1                                                 \
                                      : ((p * im->height + row) * im->width + col) * wide; \
                for (int64_t c = 0; c < wide; c++)                                         \
                    PIXEL;                                                                 \
            }                                                                              \
        }

#define PAD(T, S)                                                       \
    static void pad_##S(const images *im, const T *x, T *out, T number) \
    {                                                                   \
        EACH_PIXEL(out[o + c] = s < 0 ? number : x[s + c])              \
    }
RG_NUMBERS(PAD)

#define ADD_UP(T, S)                                               \
    static void add_up_##S(const images *im, T *dx, const T *dout) \
    {                                                              \
        EACH_PIXEL(if (s >= 0) dx[s + c] += dout[o + c])           \
    }
RG_FLOATS(ADD_UP)

static rg_status pad_kernel(rg_ctx *ctx)
{
    images im;
    float number = rg_attr_float(ctx, PAD_VALUE);
    RG_TRY(read_images(ctx, rg_shape_of(ctx, X), &im));
    switch ((int)rg_dtype_of(ctx, X)) {
    case RG_F32:
        pad_f32(&im, rg_in_data(ctx, X), rg_out_data(ctx, OUT), number);
        break;
    case RG_F64:
        pad_f64(&im, rg_in_data(ctx, X), rg_out_data(ctx, OUT), (double)number);
        break;
    case RG_I32:
        pad_i32(&im, rg_in_data(ctx, X), rg_out_data(ctx, OUT), (int32_t)number);
        break;
    case RG_I64:
        pad_i64(&im, rg_in_data(ctx, X), rg_out_data(ctx, OUT), (int64_t)number);
        break;
    default:
        return rg_bad_dtype(ctx, X);
    }
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    rg_value *dx = rg_out(ctx, OUT);
    images im;
    RG_TRY(read_images(ctx, &dx->meta.shape, &im));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, DOUT, add_up, (&im, dx->data, rg_in_data(ctx, DOUT)))
    return RG_OK;
}

#define ATTRS                                                                                  \
    RG_ATTRS([A_PADDINGS] = RG_REQUIRED("paddings", RG_ATTR_INTS, "top, bottom, left, right"), \
             [PAD_VALUE] = RG_FLOAT("pad_value", 0.0f, "what a constant margin is made of"),   \
             [MODE] = RG_STRING("mode", "constant", "constant, reflect or edge"),              \
             [DATA_FORMAT] = RG_STRING("data_format", "NCHW", "NCHW or NHWC"))
#define PADDINGS_SLOT                                                               \
    {                                                                               \
        "Paddings", "instead of the attribute", RG_OPTIONAL | RG_NO_GRAD | RG_SIZES \
    }

const rg_op rg_op_pad2d = {
    .type = "pad2d",
    .doc = "Images with a margin.",
    .in = RG_SLOTS([X] = {"X", "four dimensions"}, [PADDINGS] = PADDINGS_SLOT),
    .out = RG_SLOTS([OUT] = {"Out", "higher and wider"}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = pad_kernel,
};

/* Twice over: a constant margin does not change, whatever it is made of. */
static rg_status pad2d_second(rg_grad_ctx *ctx)
{
    rg_opdesc *op;
    RG_TRY(rg_grad_linear(ctx, &op));
    return rg_opdesc_set_attr(op, &(rg_attr){.name = "pad_value", .type = RG_ATTR_FLOAT, .f = 0});
}

const rg_op rg_op_pad2d_grad = {
    .type = "pad2d_grad",
    .doc = "Gradient of pad2d.",
    .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY}, [PADDINGS] = PADDINGS_SLOT,
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
    .grad = pad2d_second,
};
