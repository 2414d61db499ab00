/* interp.c - images at another size: bilinear_interp, nearest_interp, trilinear_interp.
 *
 * Along each axis an output position i stands at a place in the input:
 *     align_corners:            i (in - 1) / (out - 1)
 *     else align_mode 1:        i in / out
 *     else (linear) align_mode 0: (i + 1/2) in / out - 1/2, not below 0
 * nearest takes the element there (rounded with align_corners, cut off without), linear the
 * two around it by their distance. The three ops are one: interp_method says which.
 *
 * The size is, in this order of preference: SizeTensor, OutSize, Scale, scale, out_d/h/w. */
#include "ops/shape_args.h"
#include "ops/types.h"

#include <string.h>

enum { X, OUT_SIZE, SIZE_TENSOR, SCALE };
enum { OUT };
enum { LAYOUT, OUT_D, OUT_H, OUT_W, SCALE_ATTR, METHOD, ALIGN_CORNERS, ALIGN_MODE };

/* Images as [outer, in[0], in[1], in[2], inner]; two axes are three with one plane. */
typedef struct resizing {
    bool nearest;
    int64_t outer, inner;
    int64_t in[3], out[3];
} resizing;

static rg_status find_method(const rg_ctx *ctx, int rank, bool *nearest)
{
    const char *method = rg_attr_string(ctx, METHOD);
    *nearest = strcmp(method, "nearest") == 0;
    if (rank == 4 && (*nearest || strcmp(method, "bilinear") == 0))
        return RG_OK;
    if (rank == 5 && strcmp(method, "trilinear") == 0)
        return RG_OK;
    return rg_fail(RG_EINVAL,
                   "interp_method %s of %d dimensions: bilinear or nearest of 4, trilinear of 5",
                   method, rank);
}

/* A size that is the value of a tensor: -1 while the program is built. */
static rg_status size_from(const rg_ctx *ctx, int slot, int i, int64_t at, int64_t *size)
{
    *size = -1;
    if (!rg_running(ctx))
        return RG_OK;
    const rg_value *value = rg_in_n(ctx, slot, i);
    if ((value->meta.dtype != RG_I32 && value->meta.dtype != RG_I64) || rg_numel(value) <= at)
        return rg_fail(RG_ESHAPE, "%s must be int32 or int64, with a number for each axis",
                       ctx->op->in[slot].name);
    *size = rg_whole_at(value, at);
    return RG_OK;
}

static rg_status scale_of(const rg_ctx *ctx, float *scale, bool *later)
{
    *scale = rg_attr_float(ctx, SCALE_ATTR);
    *later = rg_has_in(ctx, SCALE) && !rg_running(ctx);
    if (!rg_has_in(ctx, SCALE) || *later)
        return RG_OK;
    const rg_value *value = rg_in(ctx, SCALE);
    RG_TRY(RG_EXPECT_DTYPE(ctx, SCALE, RG_F32, RG_F64));
    if (rg_numel(value) < 1)
        return rg_fail(RG_ESHAPE, "Scale is empty");
    *scale = value->meta.dtype == RG_F64 ? (float)*(const double *)value->data
                                         : *(const float *)value->data;
    return RG_OK;
}

/* The size of one axis; k counts it from the first of space. */
static rg_status size_of(const rg_ctx *ctx, int axes, int k, int64_t in, int64_t *out)
{
    float scale;
    bool later;
    RG_TRY(scale_of(ctx, &scale, &later));
    *out = rg_attr_int(ctx, OUT_D + (3 - axes) + k);
    if (rg_n_in(ctx, SIZE_TENSOR) > 0) {
        if (rg_n_in(ctx, SIZE_TENSOR) != axes)
            return rg_fail(RG_EINVAL, "SizeTensor has %d tensors, and there are %d axes",
                           rg_n_in(ctx, SIZE_TENSOR), axes);
        if (rg_running(ctx))
            RG_TRY(size_from(ctx, SIZE_TENSOR, k, 0, out));
        else if (*out == 0)
            *out = -1;
    } else if (rg_has_in(ctx, OUT_SIZE) && rg_running(ctx)) {
        RG_TRY(size_from(ctx, OUT_SIZE, 0, k, out));
    } else if (later) {
        *out = -1;
    } else if (scale > 0) {
        *out = in < 0 ? -1 : (int64_t)((float)in * scale);
    }
    if (*out > 0 || (*out == -1 && !rg_running(ctx)))
        return RG_OK;
    return rg_fail(RG_EINVAL, "axis %d would have a size of %lld: give out_shape or scale", k,
                   (long long)*out);
}

static rg_status find_resizing(const rg_ctx *ctx, const rg_shape *x, resizing *r, rg_shape *out)
{
    const char *layout = rg_attr_string(ctx, LAYOUT);
    bool last = strcmp(layout, "NHWC") == 0 || strcmp(layout, "NDHWC") == 0;
    int axes = x->rank - 2, first = last ? 1 : 2;
    if (!last && strcmp(layout, "NCHW") != 0 && strcmp(layout, "NCDHW") != 0 &&
        strcmp(layout, "AnyLayout") != 0)
        return rg_fail(RG_EINVAL, "data_layout %s: NCHW or NHWC", layout);
    *r = (resizing){.in = {1, 1, 1}, .out = {1, 1, 1}};
    RG_TRY(find_method(ctx, x->rank, &r->nearest));
    r->outer = last ? x->dim[0] : x->dim[0] * x->dim[1];
    r->inner = last ? x->dim[x->rank - 1] : 1;
    *out = *x;
    for (int i = 0; i < axes; i++) {
        r->in[3 - axes + i] = x->dim[first + i];
        RG_TRY(size_of(ctx, axes, i, x->dim[first + i], &out->dim[first + i]));
        r->out[3 - axes + i] = out->dim[first + i];
        if (x->dim[first + i] == 0)
            return rg_fail(RG_ESHAPE, "X has nothing along axis %d", i);
    }
    return RG_OK;
}

static rg_status infer(rg_ctx *ctx)
{
    resizing r;
    rg_shape out;
    RG_TRY(find_resizing(ctx, rg_shape_of(ctx, X), &r, &out));
    rg_set_out(ctx, OUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Where the positions of one axis stand: between lo and hi, at `part` of the way. */
typedef struct places {
    int64_t *lo, *hi;
    float *part;
} places;

static rg_status find_places(rg_ctx *ctx, const resizing *r, int axis, places *p)
{
    bool corners = rg_attr_bool(ctx, ALIGN_CORNERS);
    bool middle = !corners && !r->nearest && rg_attr_int(ctx, ALIGN_MODE) == 0;
    int64_t in = r->in[axis], out = r->out[axis];
    float ratio = out <= 1  ? 0.0f
                  : corners ? (float)(in - 1) / (float)(out - 1)
                            : (float)in / (float)out;
    p->lo = rg_scratch(ctx, (size_t)out * sizeof *p->lo);
    p->hi = rg_scratch(ctx, (size_t)out * sizeof *p->hi);
    p->part = rg_scratch(ctx, (size_t)out * sizeof *p->part);
    if (p->lo == NULL || p->hi == NULL || p->part == NULL)
        return RG_ENOMEM;
    for (int64_t i = 0; i < out; i++) {
        float at = middle ? ratio * ((float)i + 0.5f) - 0.5f : ratio * (float)i;
        at = at < 0 ? 0 : at;
        int64_t lo = (int64_t)(r->nearest && corners ? at + 0.5f : at);
        p->lo[i] = lo < in ? lo : in - 1;
        p->hi[i] = !r->nearest && p->lo[i] + 1 < in ? p->lo[i] + 1 : p->lo[i];
        p->part[i] = r->nearest ? 0 : at - (float)p->lo[i];
    }
    return RG_OK;
}

/* A row of the output is a mean of up to four rows of the input, then taken at its places. */
#define LOOPS(T, S)                                                                               \
    RG_HOT static void add_row_##S(const T *from, int64_t n, T factor, T *to)                     \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            to[i] += factor * from[i];                                                            \
    }                                                                                             \
    RG_HOT static void take_##S(const resizing *r, const places *p, const T *row, T *out)         \
    {                                                                                             \
        int64_t c = r->inner;                                                                     \
        for (int64_t x = 0; x < r->out[2]; x++)                                                   \
            for (int64_t j = 0; j < c; j++)                                                       \
                out[x * c + j] = row[p->lo[x] * c + j] * (1 - (T)p->part[x]) +                    \
                                 row[p->hi[x] * c + j] * (T)p->part[x];                           \
    }                                                                                             \
    RG_HOT static void give_##S(const resizing *r, const places *p, const T *dout, T *row)        \
    {                                                                                             \
        int64_t c = r->inner;                                                                     \
        for (int64_t x = 0; x < r->out[2]; x++)                                                   \
            for (int64_t j = 0; j < c; j++) {                                                     \
                row[p->lo[x] * c + j] += dout[x * c + j] * (1 - (T)p->part[x]);                   \
                row[p->hi[x] * c + j] += dout[x * c + j] * (T)p->part[x];                         \
            }                                                                                     \
    }                                                                                             \
    static void rows_##S(const resizing *r, const places p[3], int64_t z, int64_t y, bool back,   \
                         T *image, T *row)                                                        \
    {                                                                                             \
        int64_t width = r->in[2] * r->inner;                                                      \
        for (int k = 0; k < 4; k++) {                                                             \
            T fz = k & 2 ? (T)p[0].part[z] : 1 - (T)p[0].part[z];                                 \
            T fy = k & 1 ? (T)p[1].part[y] : 1 - (T)p[1].part[y];                                 \
            int64_t iz = k & 2 ? p[0].hi[z] : p[0].lo[z], iy = k & 1 ? p[1].hi[y] : p[1].lo[y];   \
            T *at = image + (iz * r->in[1] + iy) * width;                                         \
            if (fz * fy != 0)                                                                     \
                add_row_##S(back ? row : at, width, fz *fy, back ? at : row);                     \
        }                                                                                         \
    }                                                                                             \
    static void resize_##S(const resizing *r, const places p[3], bool back, T *x, T *out, T *row) \
    {                                                                                             \
        int64_t width = r->in[2] * r->inner;                                                      \
        for (int64_t n = 0; n < r->outer; n++, x += r->in[0] * r->in[1] * width)                  \
            for (int64_t z = 0; z < r->out[0]; z++)                                               \
                for (int64_t y = 0; y < r->out[1]; y++, out += r->out[2] * r->inner) {            \
                    memset(row, 0, (size_t)width * sizeof *row);                                  \
                    if (back)                                                                     \
                        give_##S(r, &p[2], out, row);                                             \
                    rows_##S(r, p, z, y, back, x, row);                                           \
                    if (!back)                                                                    \
                        take_##S(r, &p[2], row, out);                                             \
                }                                                                                 \
    }
RG_FLOATS(LOOPS)

/* Elements of any type, as they are. */
static void copy_nearest(const resizing *r, const places p[3], size_t size, const uint8_t *x,
                         uint8_t *out)
{
    size_t pixel = size * (size_t)r->inner;
    for (int64_t n = 0; n < r->outer; n++)
        for (int64_t z = 0; z < r->out[0]; z++)
            for (int64_t y = 0; y < r->out[1]; y++) {
                int64_t row = (n * r->in[0] + p[0].lo[z]) * r->in[1] + p[1].lo[y];
                for (int64_t i = 0; i < r->out[2]; i++, out += pixel)
                    memcpy(out, x + (size_t)(row * r->in[2] + p[2].lo[i]) * pixel, pixel);
            }
}

static rg_status prepare(rg_ctx *ctx, int in, resizing *r, places p[3], void **row)
{
    rg_shape out;
    RG_TRY(find_resizing(ctx, rg_shape_of(ctx, in), r, &out));
    for (int axis = 0; axis < 3; axis++)
        RG_TRY(find_places(ctx, r, axis, &p[axis]));
    *row = rg_scratch(ctx, (size_t)(r->in[2] * r->inner) * sizeof(double));
    return *row ? RG_OK : RG_ENOMEM;
}

static rg_status kernel(rg_ctx *ctx)
{
    resizing r;
    places p[3];
    void *row;
    RG_TRY(prepare(ctx, X, &r, p, &row));
    if (r.nearest) {
        copy_nearest(&r, p, rg_dtype_size(rg_dtype_of(ctx, X)), rg_in_data(ctx, X),
                     rg_out_data(ctx, OUT));
        return RG_OK;
    }
    void *x = (void *)(uintptr_t)rg_in_data(ctx, X); /* only read on the way forward */
    RG_CALL_FLOAT(ctx, X, resize, (&r, p, false, x, rg_out_data(ctx, OUT), row))
    return RG_OK;
}

/* ---- gradient ---- */

enum { G_X, G_OUT_SIZE, G_SIZE_TENSOR, G_SCALE, G_DOUT }; /* the first four as of the op */
enum { G_DX };

static rg_status grad_kernel(rg_ctx *ctx)
{
    resizing r;
    places p[3];
    void *row;
    rg_value *dx = rg_out(ctx, G_DX);
    RG_TRY(prepare(ctx, G_X, &r, p, &row));
    memset(dx->data, 0, rg_value_bytes(dx));
    void *dout = (void *)(uintptr_t)rg_in_data(ctx, G_DOUT); /* only read on the way back */
    RG_CALL_FLOAT(ctx, G_DOUT, resize, (&r, p, true, dx->data, dout, row))
    return RG_OK;
}

#define ATTRS                                                                                     \
    RG_ATTRS([LAYOUT] = RG_STRING("data_layout", "NCHW", "where the channels stand"),             \
             [OUT_D] = RG_INT("out_d", 0, "the depth wanted"),                                    \
             [OUT_H] = RG_INT("out_h", 0, "the height wanted"),                                   \
             [OUT_W] = RG_INT("out_w", 0, "the width wanted"),                                    \
             [SCALE_ATTR] = RG_FLOAT("scale", 0.0f, "above 0: sizes are those of X times it"),    \
             [METHOD] = RG_STRING("interp_method", "bilinear", "bilinear, nearest or trilinear"), \
             [ALIGN_CORNERS] = RG_BOOLEAN("align_corners", true,                                  \
                                          "the corners stay where they are"),                     \
             [ALIGN_MODE] = RG_INT("align_mode", 1, "0: elements stand in the middle of pixels"))
#define SIZE_SLOTS(DOC1, DOC2, DOC3)                                                         \
    [OUT_SIZE] = {"OutSize", DOC1, RG_OPTIONAL | RG_NO_GRAD | RG_SIZES},                     \
    [SIZE_TENSOR] = {"SizeTensor", DOC2, RG_OPTIONAL | RG_REPEATED | RG_NO_GRAD | RG_SIZES}, \
    [SCALE] = {"Scale", DOC3, RG_OPTIONAL | RG_NO_GRAD | RG_SIZES}
#define INTERP(NAME, DOC)                                                                \
    {                                                                                    \
        .type = NAME, .doc = (DOC),                                                      \
        .in = RG_SLOTS([X] = {"X", "[batch, channels, space]"},                          \
                       SIZE_SLOTS("the size, one tensor", "the size, a tensor an axis",  \
                                  "in place of scale")),                                 \
        .out = RG_SLOTS([OUT] = {"Out", "[batch, channels, new space]"}), .attr = ATTRS, \
        .flags = RG_OP_LINEAR, .infer = infer, .kernel = kernel,                         \
    }
#define INTERP_GRAD(NAME)                                                            \
    {                                                                                \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                        \
        .in = RG_SLOTS([G_X] = {"X", "", RG_SHAPE_ONLY},                             \
                       SIZE_SLOTS("", "", ""), [G_DOUT] = {"Out@GRAD", ""}),         \
        .out = RG_SLOTS([G_DX] = {"X@GRAD", "", .like = RG_OF(G_X)}), .attr = ATTRS, \
        .kernel = grad_kernel,                                                       \
    }

const rg_op rg_ops_interp[] = {
    INTERP("bilinear_interp", "Images at another size, between elements by distance."),
    INTERP("nearest_interp", "Images at another size, by the nearest element."),
    INTERP("trilinear_interp", "Volumes at another size, between elements by distance."),
    INTERP_GRAD("bilinear_interp"),
    INTERP_GRAD("nearest_interp"),
    INTERP_GRAD("trilinear_interp"),
    {.type = NULL},
};
