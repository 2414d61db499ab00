/* im2sequence.c - the patches of an image as a sequence.
 *
 *   sequence i of Out = the windows of image i from the top left on, row by row, each as one
 *                       row [channels, kernel height, kernel width]
 *
 * Y, if given, says for each of several images how large the picture was from which the image
 * was made; out_stride is by how much it was made smaller since. */
#include "ops/sequences.h"
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, Y };
enum { OUT };
enum { KERNELS, STRIDES, PADDINGS, OUT_STRIDE };
enum { UP, LEFT, DOWN, RIGHT };

typedef struct windows {
    int64_t channels, height, width; /* of an image */
    int64_t kernel[2], stride[2], padding[4], out_stride[2];
} windows;

static rg_status numbers(const rg_ctx *ctx, int attr, int n, int64_t least, int64_t *out)
{
    const rg_attr *list = rg_attr_list(ctx, attr);
    const char *name = ctx->op->attr[attr].value.name;
    if (list->n != n)
        return rg_fail(RG_EINVAL, "%s has %d numbers, and must have %d", name, list->n, n);
    for (int i = 0; i < n; i++) {
        if (list->ints[i] < least)
            return rg_fail(RG_EINVAL, "%s has %d, and the least is %lld", name, list->ints[i],
                           (long long)least);
        out[i] = list->ints[i];
    }
    return RG_OK;
}

static rg_status windows_of(const rg_ctx *ctx, windows *w)
{
    const rg_shape *x = rg_shape_of(ctx, X);
    RG_TRY(rg_expect_rank(ctx, X, 4));
    *w = (windows){.channels = x->dim[1], .height = x->dim[2], .width = x->dim[3]};
    RG_TRY(numbers(ctx, KERNELS, 2, 1, w->kernel));
    RG_TRY(numbers(ctx, STRIDES, 2, 1, w->stride));
    RG_TRY(numbers(ctx, PADDINGS, 4, 0, w->padding));
    return numbers(ctx, OUT_STRIDE, 2, 1, w->out_stride);
}

/* Windows down and across an image of this size. */
static void count_windows(const windows *w, int64_t height, int64_t width, int64_t out[2])
{
    int64_t down = height + w->padding[UP] + w->padding[DOWN] - w->kernel[0];
    int64_t across = width + w->padding[LEFT] + w->padding[RIGHT] - w->kernel[1];
    out[0] = down < 0 ? 0 : down / w->stride[0] + 1;
    out[1] = across < 0 ? 0 : across / w->stride[1] + 1;
}

/* Those of image i. A single image is taken whole, as Fluid does. */
static rg_status windows_in(const rg_ctx *ctx, const windows *w, int64_t i, int64_t out[2])
{
    int64_t n = rg_shape_of(ctx, X)->dim[0], size[2] = {w->height, w->width};
    if (rg_has_in(ctx, Y) && n > 1) {
        const rg_value *y = rg_in(ctx, Y);
        if (y->meta.dtype != RG_F32 || !rg_shape_equal(&y->meta.shape, &RG_SHAPE(n, 2))) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE, "Y must be float32 of shape [%lld, 2], and is %s of shape %s",
                           (long long)n, rg_dtype_name(y->meta.dtype),
                           rg_shape_text(&y->meta.shape, text));
        }
        for (int d = 0; d < 2; d++) {
            float real = ((const float *)y->data)[i * 2 + d];
            if (!(real >= 0 && real <= 1 << 20))
                return rg_fail(RG_EVALUE, "Y says that picture %lld has the size %g", (long long)i,
                               (double)real);
            size[d] = ((int64_t)real + w->out_stride[d] - 1) / w->out_stride[d];
        }
    }
    count_windows(w, size[0], size[1], out);
    if (out[0] == 0 || out[1] == 0)
        return rg_fail(RG_ESHAPE, "image %lld, of %lld x %lld, is smaller than a window",
                       (long long)i, (long long)size[0], (long long)size[1]);
    return RG_OK;
}

static rg_status im2sequence_infer(rg_ctx *ctx)
{
    windows w;
    RG_TRY(windows_of(ctx, &w));
    rg_shape out = RG_SHAPE(-1, w.channels < 0 ? -1 : w.channels * w.kernel[0] * w.kernel[1]);
    rg_lod *lod = NULL;
    if (rg_running(ctx)) {
        int64_t n = rg_shape_of(ctx, X)->dim[0];
        RG_TRY(rg_lod_one_level(&lod, n));
        for (int64_t i = 0; i < n; i++) {
            int64_t count[2];
            rg_status code = windows_in(ctx, &w, i, count);
            if (code != RG_OK) {
                rg_lod_release(lod);
                return code;
            }
            lod->offset[0][i + 1] = lod->offset[0][i] + count[0] * count[1];
        }
        out.dim[0] = lod->offset[0][n];
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    rg_take_lod(ctx, OUT, lod);
    rg_set_lod_level(ctx, OUT, 1);
    return RG_OK;
}

/* One window's rows: copied out of the image, or added back to it. */
#define WINDOW(T, S)                                                                          \
    RG_INLINE void window_##S(const windows *w, T *image, int64_t top, int64_t left, T *row,  \
                              bool add)                                                       \
    {                                                                                         \
        for (int64_t c = 0; c < w->channels; c++, image += w->height * w->width)              \
            for (int64_t y = top; y < top + w->kernel[0]; y++)                                \
                for (int64_t x = left; x < left + w->kernel[1]; x++, row++) {                 \
                    bool inside = y >= 0 && y < w->height && x >= 0 && x < w->width;          \
                    if (add && inside)                                                        \
                        image[y * w->width + x] += *row;                                      \
                    else if (!add)                                                            \
                        *row = inside ? image[y * w->width + x] : 0;                          \
                }                                                                             \
    }                                                                                         \
    static T *walk_##S(const windows *w, T *image, const int64_t count[2], T *rows, bool add) \
    {                                                                                         \
        int64_t step = w->channels * w->kernel[0] * w->kernel[1];                             \
        for (int64_t i = 0; i < count[0]; i++)                                                \
            for (int64_t j = 0; j < count[1]; j++, rows += step)                              \
                window_##S(w, image, i * w->stride[0] - w->padding[UP],                       \
                           j * w->stride[1] - w->padding[LEFT], rows, add);                   \
        return rows;                                                                          \
    }
RG_FLOATS(WINDOW)

static rg_status walk_images(rg_ctx *ctx, const windows *w, void *images, void *rows, bool add,
                             bool with_y)
{
    int64_t n = rg_shape_of(ctx, X)->dim[0], size = w->channels * w->height * w->width;
    for (int64_t i = 0; i < n; i++) {
        int64_t count[2];
        if (with_y)
            RG_TRY(windows_in(ctx, w, i, count));
        else
            count_windows(w, w->height, w->width, count);
        if (rg_dtype_of(ctx, X) == RG_F32)
            rows = walk_f32(w, (float *)images + i * size, count, rows, add);
        else if (rg_dtype_of(ctx, X) == RG_F64)
            rows = walk_f64(w, (double *)images + i * size, count, rows, add);
        else
            return rg_bad_dtype(ctx, X);
    }
    return RG_OK;
}

static rg_status im2sequence_kernel(rg_ctx *ctx)
{
    windows w;
    RG_TRY(windows_of(ctx, &w));
    return walk_images(ctx, &w, (void *)(uintptr_t)rg_in_data(ctx, X), rg_out_data(ctx, OUT), false,
                       true);
}

static const int32_t ones[2] = {1, 1}, zeros[4] = {0, 0, 0, 0};

#define ATTRS                                                                                   \
    RG_ATTRS([KERNELS] = RG_REQUIRED("kernels", RG_ATTR_INTS, "height and width of a window"),  \
             [STRIDES] = RG_INT_LIST("strides", ones, 2, "steps down and across"),              \
             [PADDINGS] = RG_INT_LIST("paddings", zeros, 4, "zeros above, left, below, right"), \
             [OUT_STRIDE] = RG_INT_LIST("out_stride", ones, 2, "how much smaller than Y says"))

const rg_op rg_op_im2sequence = {
    .type = "im2sequence",
    .doc = "The patches of an image as a sequence.",
    .in = RG_SLOTS([X] = {"X", "images, [n, channels, height, width]"},
                   [Y] = {"Y", "sizes of the pictures, [n, 2]",
                          RG_OPTIONAL | RG_NO_GRAD | RG_SIZES}),
    .out = RG_SLOTS([OUT] = {"Out", "sequences of patches"}),
    .attr = ATTRS,
    .infer = im2sequence_infer,
    .kernel = im2sequence_kernel,
};

/* ---- gradient ---- */

enum { G_X, G_DOUT };
enum { G_DX };

/* The op does not read Y, so that of images of several sizes cannot be computed. */
static rg_status im2sequence_grad_kernel(rg_ctx *ctx)
{
    windows w;
    rg_value *dx = rg_out(ctx, G_DX);
    int64_t count[2];
    RG_TRY(windows_of(ctx, &w));
    count_windows(&w, w.height, w.width, count);
    RG_TRY(rg_expect_numel(ctx, G_DOUT,
                           dx->meta.shape.dim[0] * count[0] * count[1] * w.channels * w.kernel[0] *
                               w.kernel[1]));
    memset(dx->data, 0, rg_value_bytes(dx));
    return walk_images(ctx, &w, dx->data, (void *)(uintptr_t)rg_in_data(ctx, G_DOUT), true, false);
}

const rg_op rg_op_im2sequence_grad = {
    .type = "im2sequence_grad",
    .doc = "Gradient of im2sequence, of images that are all of one size.",
    .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY}, [G_DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}),
    .attr = ATTRS,
    .kernel = im2sequence_grad_kernel,
};
