/* unfold.c - the windows of images as columns.
 *
 *   Y[n, :, w] = window w of image n as [channels, kernel height, kernel width],
 *                windows counted from the top left on, row by row
 *
 * The gradient of a pixel is the sum over the windows that it stands in. */
#include "ops/types.h"
#include "ops/window.h"

#include <string.h>

enum { X, DY };
enum { OUT };
enum { KERNELS, STRIDES, PADDINGS, DILATIONS };

/* paddings: up, left, down, right */
static rg_status read_window(const rg_ctx *ctx, rg_window *w)
{
    int64_t paddings[4];
    *w = (rg_window){.axes = 2};
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, KERNELS), 2, 1, w->kernel));
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, STRIDES), 2, 1, w->stride));
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, DILATIONS), 2, 1, w->dilation));
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, PADDINGS), 4, 0, paddings));
    for (int d = 0; d < 2; d++) {
        w->before[d] = paddings[d];
        w->after[d] = paddings[2 + d];
    }
    return RG_OK;
}

typedef struct images {
    rg_window w;
    int64_t planes, height, width; /* of all images; of a plane */
    int64_t down, across;          /* windows */
} images;

static rg_status read_images(const rg_ctx *ctx, images *im)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(read_window(ctx, &im->w));
    im->planes = x->dim[0] * x->dim[1];
    im->height = x->dim[2];
    im->width = x->dim[3];
    im->down = rg_window_count(&im->w, 0, im->height, false);
    im->across = rg_window_count(&im->w, 1, im->width, false);
    if ((im->height >= 0 && im->down < 1) || (im->width >= 0 && im->across < 1))
        return rg_fail(RG_ESHAPE, "images of %lld by %lld are smaller than a window",
                       (long long)im->height, (long long)im->width);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    images im;
    RG_TRY(read_images(ctx, &im));
    int64_t taps = im.w.kernel[0] * im.w.kernel[1];
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X),
               &RG_SHAPE(x->dim[0], x->dim[1] < 0 ? -1 : x->dim[1] * taps,
                         im.down < 0 || im.across < 0 ? -1 : im.down * im.across));
    return RG_OK;
}

/* For each plane, tap and window: y is its place in Y, and x that in X, or NULL outside. */
#define EACH_WINDOW(DO)                                                                \
    const rg_window *w = &im->w;                                                       \
    for (int64_t plane = 0; plane < im->planes; plane++, x += im->height * im->width)  \
        for (int64_t tap = 0; tap < w->kernel[0] * w->kernel[1]; tap++) {              \
            int64_t row = tap / w->kernel[1] * w->dilation[0] - w->before[0];          \
            int64_t col = tap % w->kernel[1] * w->dilation[1] - w->before[1];          \
            for (int64_t i = 0; i < im->down; i++)                                     \
                for (int64_t j = 0; j < im->across; j++, y++) {                        \
                    int64_t r = row + i * w->stride[0], c = col + j * w->stride[1];    \
                    bool inside = r >= 0 && r < im->height && c >= 0 && c < im->width; \
                    DO;                                                                \
                }                                                                      \
        }

#define LOOPS(T, S)                                                                       \
    RG_HOT static void take_##S(const images *im, const T *x, T *y){                      \
        EACH_WINDOW(*y = inside ? x[r * im->width + c]                                    \
                                : 0)} RG_HOT static void give_##S(const images *im, T *x, \
                                                                  const T *y)             \
    {                                                                                     \
        EACH_WINDOW(if (inside) x[r * im->width + c] += *y)                               \
    }
RG_FLOATS(LOOPS)

static rg_status kernel(rg_ctx *ctx)
{
    images im;
    RG_TRY(read_images(ctx, &im));
    RG_CALL_FLOAT(ctx, X, take, (&im, rg_in_data(ctx, X), rg_out_data(ctx, OUT)))
    return RG_OK;
}

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *dy = rg_in(ctx, DY);
    rg_value *dx = rg_out(ctx, OUT);
    images im;
    RG_TRY(read_images(ctx, &im));
    if (rg_numel(dy) != im.planes * im.w.kernel[0] * im.w.kernel[1] * im.down * im.across)
        return rg_fail(RG_ESHAPE, "Y@GRAD has %lld elements, and Y another number",
                       (long long)rg_numel(dy));
    memset(dx->data, 0, rg_value_bytes(dx));
    RG_CALL_FLOAT(ctx, DY, give, (&im, dx->data, dy->data))
    return RG_OK;
}

#define ATTRS                                                                                   \
    RG_ATTRS([KERNELS] = RG_REQUIRED("kernel_sizes", RG_ATTR_INTS, "height and width"),         \
             [STRIDES] = RG_REQUIRED("strides", RG_ATTR_INTS, "down and across"),               \
             [PADDINGS] = RG_REQUIRED("paddings", RG_ATTR_INTS, "zeros up, left, down, right"), \
             [DILATIONS] = RG_REQUIRED("dilations", RG_ATTR_INTS, "the step between taps"))

const rg_op rg_ops_unfold[] = {
    {
        .type = "unfold",
        .doc = "The windows of images as columns.",
        .in = RG_SLOTS([X] = {"X", "[n, channels, height, width]"}),
        .out = RG_SLOTS([OUT] = {"Y", "[n, channels * kernel height * kernel width, windows]"}),
        .attr = ATTRS,
        .flags = RG_OP_LINEAR,
        .infer = infer,
        .kernel = kernel,
    },
    {
        .type = "unfold_grad",
        .doc = "Gradient of unfold.",
        .in = RG_SLOTS([X] = {"X", "", RG_SHAPE_ONLY}, [DY] = {"Y@GRAD", ""}),
        .out = RG_SLOTS([OUT] = {"X@GRAD", "", .like = RG_OF(X)}),
        .attr = ATTRS,
        .kernel = grad_kernel,
    },
    {.type = NULL},
};
