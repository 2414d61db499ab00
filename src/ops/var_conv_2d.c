/* var_conv_2d.c - convolution over images of many sizes.
 *
 * X has an image [channels, rows, columns] a sequence, ROW and COLUMN have as many sequences, of
 * as many rows and columns. Around each place, of one in `stride`, lies a window of the kernel's
 * size, with zeros over the edge; Out has its product with the filters W, [filters, channels x
 * kernel], an image [filters, rows', columns'] a sequence. */
#include "math/gemm.h"
#include "ops/sequences.h"
#include "ops/types.h"

#include <string.h>

enum { X, ROW, COLUMN, W, DOUT };
enum { OUT, COL };
enum { DX, DW };
enum { IN_CHANNELS, OUT_CHANNELS, STRIDE_H, STRIDE_W, KERNEL_H, KERNEL_W };

static int64_t steps(int64_t size, int stride)
{
    return size == 0 ? 0 : (size - 1) / stride + 1;
}

/* RG_ESHAPE where X is not of the sizes said. */
static rg_status check_images(const rg_ctx *ctx, const rg_lod *x, const rg_lod *row,
                              const rg_lod *column)
{
    int64_t channels = rg_attr_int(ctx, IN_CHANNELS);
    if (x->count[0] != row->count[0] || x->count[0] != column->count[0])
        return rg_fail(RG_ESHAPE, "X, ROW and COLUMN must have as many sequences");
    for (int64_t i = 0; i < rg_lod_sequences(x, 0); i++) {
        int64_t h = row->offset[0][i + 1] - row->offset[0][i];
        int64_t w = column->offset[0][i + 1] - column->offset[0][i];
        int64_t size = x->offset[0][i + 1] - x->offset[0][i];
        if (size != channels * h * w)
            return rg_fail(RG_ESHAPE,
                           "sequence %lld of X has %lld elements, and %lld channels of %lld rows "
                           "and %lld columns are %lld",
                           (long long)i, (long long)size, (long long)channels, (long long)h,
                           (long long)w, (long long)(channels * h * w));
    }
    return RG_OK;
}

static rg_status check(const rg_ctx *ctx)
{
    static const char *const names[] = {"InputChannel", "OutputChannel", "StrideH",
                                        "StrideW",      "KernelH",       "KernelW"};
    const rg_lod *x, *row, *column;
    const rg_shape *w = rg_shape_of(ctx, W);
    RG_TRY(rg_expect_rank(ctx, X, 2));
    RG_TRY(rg_expect_rank(ctx, W, 2));
    RG_TRY(rg_expect_one_level(ctx, X, &x));
    RG_TRY(rg_expect_one_level(ctx, ROW, &row));
    RG_TRY(rg_expect_one_level(ctx, COLUMN, &column));
    RG_TRY(rg_expect_same_dtype(ctx, X, W));
    for (int a = IN_CHANNELS; a <= KERNEL_W; a++)
        if (rg_attr_int(ctx, a) < 1)
            return rg_fail(RG_EINVAL, "%s is %d, and must be above 0", names[a],
                           rg_attr_int(ctx, a));
    int64_t taps = (int64_t)rg_attr_int(ctx, IN_CHANNELS) * rg_attr_int(ctx, KERNEL_H) *
                   rg_attr_int(ctx, KERNEL_W);
    if (!rg_shape_fits(w, &RG_SHAPE(rg_attr_int(ctx, OUT_CHANNELS), taps))) {
        char text[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE, "W is %s, and must be [%d, %lld]: filters, and channels x kernel",
                       rg_shape_text(w, text), rg_attr_int(ctx, OUT_CHANNELS), (long long)taps);
    }
    return x ? check_images(ctx, x, row, column) : RG_OK;
}

/* The images' offsets in Out. */
static rg_status place_images(rg_ctx *ctx, const rg_lod *row, const rg_lod *column)
{
    int64_t n = rg_lod_sequences(row, 0);
    rg_lod *lod;
    RG_TRY(rg_lod_one_level(&lod, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t h = row->offset[0][i + 1] - row->offset[0][i];
        int64_t w = column->offset[0][i + 1] - column->offset[0][i];
        lod->offset[0][i + 1] = lod->offset[0][i] + rg_attr_int(ctx, OUT_CHANNELS) *
                                                        steps(h, rg_attr_int(ctx, STRIDE_H)) *
                                                        steps(w, rg_attr_int(ctx, STRIDE_W));
    }
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(lod->offset[0][n], 1));
    rg_take_lod(ctx, OUT, lod);
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    RG_TRY(check(ctx));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &RG_SHAPE(-1, 1));
    rg_set_out(ctx, COL, rg_dtype_of(ctx, X), &RG_SHAPE(rg_running(ctx) ? 0 : -1, 1));
    if (rg_running(ctx))
        return place_images(ctx, rg_in_meta(ctx, ROW)->lod, rg_in_meta(ctx, COLUMN)->lod);
    return RG_OK;
}

/* One image: its sizes, and those of what comes out. */
typedef struct image {
    int64_t channels, filters, in[2], out[2], taps;
    int stride[2], kernel[2];
} image;

static image image_of(const rg_ctx *ctx, int64_t i)
{
    const int64_t *row = rg_in_meta(ctx, ROW)->lod->offset[0];
    const int64_t *column = rg_in_meta(ctx, COLUMN)->lod->offset[0];
    image m = {.channels = rg_attr_int(ctx, IN_CHANNELS),
               .filters = rg_attr_int(ctx, OUT_CHANNELS),
               .in = {row[i + 1] - row[i], column[i + 1] - column[i]},
               .stride = {rg_attr_int(ctx, STRIDE_H), rg_attr_int(ctx, STRIDE_W)},
               .kernel = {rg_attr_int(ctx, KERNEL_H), rg_attr_int(ctx, KERNEL_W)}};
    for (int d = 0; d < 2; d++)
        m.out[d] = steps(m.in[d], m.stride[d]);
    m.taps = m.channels * m.kernel[0] * m.kernel[1];
    return m;
}

/* Walk all (tap, place) of an image: `at` is the element of X under them, -1 over the edge. */
#define FOR_TAPS(m, tap, at)                                                                      \
    for (int64_t tap = 0; tap < (m)->taps; tap++)                                                 \
        for (int64_t y = 0; y < (m)->out[0]; y++)                                                 \
            for (int64_t p = 0, at; p < (m)->out[1] && (at = under(m, tap, y, p), true); p++)

static int64_t under(const image *m, int64_t tap, int64_t y, int64_t p)
{
    int64_t kw = tap % m->kernel[1], kh = tap / m->kernel[1] % m->kernel[0];
    int64_t c = tap / (m->kernel[0] * m->kernel[1]);
    int64_t h = y * m->stride[0] + kh - m->kernel[0] / 2;
    int64_t w = p * m->stride[1] + kw - m->kernel[1] / 2;
    return h < 0 || h >= m->in[0] || w < 0 || w >= m->in[1] ? -1
                                                            : (c * m->in[0] + h) * m->in[1] + w;
}

#define CONVOLVE(T, S)                                                                             \
    static void unfold_##S(const image *m, const T *x, T *col)                                     \
    {                                                                                              \
        FOR_TAPS(m, tap, at)                                                                       \
        *col++ = at < 0 ? 0 : x[at];                                                               \
    }                                                                                              \
    static void convolve_##S(const image *m, const T *x, const T *w, T *col, T *out)               \
    {                                                                                              \
        int64_t area = m->out[0] * m->out[1];                                                      \
        unfold_##S(m, x, col);                                                                     \
        rg_gemm_##S(false, false, m->filters, area, m->taps, 1, w, m->taps, col, area, 0, out,     \
                    area);                                                                         \
    }                                                                                              \
    static void convolve_grad_##S(const image *m, const T *x, const T *w, const T *dout, T *col,   \
                                  T *dx, T *dw)                                                    \
    {                                                                                              \
        int64_t area = m->out[0] * m->out[1];                                                      \
        if (dw != NULL) {                                                                          \
            unfold_##S(m, x, col);                                                                 \
            rg_gemm_##S(false, true, m->filters, m->taps, area, 1, dout, area, col, area, 1, dw,   \
                        m->taps);                                                                  \
        }                                                                                          \
        if (dx != NULL) {                                                                          \
            const T *from = col;                                                                   \
            rg_gemm_##S(true, false, m->taps, area, m->filters, 1, w, m->taps, dout, area, 0, col, \
                        area);                                                                     \
            FOR_TAPS(m, tap, at)                                                                   \
            {                                                                                      \
                T d = *from++;                                                                     \
                if (at >= 0)                                                                       \
                    dx[at] += d;                                                                   \
            }                                                                                      \
        }                                                                                          \
    }
RG_FLOATS(CONVOLVE)

/* Room for the windows of the largest image. */
static rg_status make_room(rg_ctx *ctx, void **col)
{
    int64_t most = 0;
    for (int64_t i = 0; i < rg_lod_sequences(rg_in_meta(ctx, X)->lod, 0); i++) {
        image m = image_of(ctx, i);
        int64_t size = m.taps * m.out[0] * m.out[1];
        most = size > most ? size : most;
    }
    *col = rg_scratch(ctx, (size_t)(most + 1) * rg_dtype_size(rg_dtype_of(ctx, X)));
    return *col ? RG_OK : RG_ENOMEM;
}

static rg_status kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *out = rg_out(ctx, OUT);
    size_t size = rg_dtype_size(x->meta.dtype);
    void *col;
    RG_TRY(make_room(ctx, &col));
    for (int64_t i = 0; i < rg_lod_sequences(x->meta.lod, 0); i++) {
        image m = image_of(ctx, i);
        void *from = (char *)x->data + (size_t)x->meta.lod->offset[0][i] * size;
        void *to = (char *)out->data + (size_t)out->meta.lod->offset[0][i] * size;
        if (m.out[0] * m.out[1] > 0)
            RG_CALL_FLOAT(ctx, X, convolve, (&m, from, rg_in_data(ctx, W), col, to))
    }
    return RG_OK;
}

#define ATTRS                                                                    \
    RG_ATTRS([IN_CHANNELS] = RG_INT("InputChannel", 1, "channels of X"),         \
             [OUT_CHANNELS] = RG_INT("OutputChannel", 1, "filters"),             \
             [STRIDE_H] = RG_INT("StrideH", 1, "the step along rows"),           \
             [STRIDE_W] = RG_INT("StrideW", 1, "the step along columns"),        \
             [KERNEL_H] = RG_INT("KernelH", 1, "rows of a window"),              \
             [KERNEL_W] = RG_INT("KernelW", 1, "columns of a window"))

const rg_op rg_op_var_conv_2d = {
    .type = "var_conv_2d",
    .doc = "Convolution over images of many sizes, a sequence each.",
    .in = RG_SLOTS([X] = {"X", "images, [total, 1]"},
                   [ROW] = {"ROW", "as many rows as the images", RG_NO_GRAD | RG_SHAPE_ONLY},
                   [COLUMN] = {"COLUMN", "as many as columns", RG_NO_GRAD | RG_SHAPE_ONLY},
                   [W] = {"W", "[filters, channels x kernel]"}),
    .out = RG_SLOTS([OUT] = {"Out", "images, [total, 1]"},
                    [COL] = {"Col", "empty; there for files", RG_INTERMEDIATE}),
    .attr = ATTRS,
    .infer = infer,
    .kernel = kernel,
};

static rg_status grad_kernel(rg_ctx *ctx)
{
    const rg_value *x = rg_in(ctx, X);
    rg_value *dx = rg_out(ctx, DX), *dw = rg_out(ctx, DW);
    size_t size = rg_dtype_size(x->meta.dtype);
    int64_t at = 0;
    void *col;
    RG_TRY(check(ctx));
    RG_TRY(rg_expect_same_dtype(ctx, X, DOUT));
    RG_TRY(make_room(ctx, &col));
    for (int64_t i = 0; i < rg_lod_sequences(x->meta.lod, 0); i++) {
        image m = image_of(ctx, i);
        at += m.filters * m.out[0] * m.out[1];
    }
    RG_TRY(rg_expect_numel(ctx, DOUT, at));
    at = 0;
    if (dx != NULL)
        memset(dx->data, 0, rg_value_bytes(dx));
    if (dw != NULL)
        memset(dw->data, 0, rg_value_bytes(dw));
    for (int64_t i = 0; i < rg_lod_sequences(x->meta.lod, 0); i++) {
        image m = image_of(ctx, i);
        size_t from = (size_t)x->meta.lod->offset[0][i] * size;
        const void *dout = (const char *)rg_in_data(ctx, DOUT) + (size_t)at * size;
        at += m.filters * m.out[0] * m.out[1];
        if (m.out[0] * m.out[1] > 0)
            RG_CALL_FLOAT(ctx, X, convolve_grad,
                          (&m, (const void *)((char *)x->data + from), rg_in_data(ctx, W), dout,
                           col, dx ? (void *)((char *)dx->data + from) : NULL,
                           dw ? dw->data : NULL))
    }
    return RG_OK;
}

const rg_op rg_op_var_conv_2d_grad = {
    .type = "var_conv_2d_grad",
    .doc = "Gradient of var_conv_2d.",
    .in = RG_SLOTS([X] = {"X", ""}, [ROW] = {"ROW", "", RG_SHAPE_ONLY},
                   [COLUMN] = {"COLUMN", "", RG_SHAPE_ONLY}, [W] = {"W", ""},
                   [DOUT] = {"Out@GRAD", ""}),
    .out = RG_SLOTS([DX] = {"X@GRAD", "", RG_OPTIONAL, .like = RG_OF(X)},
                    [DW] = {"W@GRAD", "", RG_OPTIONAL, .like = RG_OF(W)}),
    .attr = ATTRS,
    .kernel = grad_kernel,
};
