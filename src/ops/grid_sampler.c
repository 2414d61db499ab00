/* grid_sampler.c - images taken at given places.
 *
 *   Output[n, c, y, x] = X[n, c] at the place Grid[n, y, x] = (right, down), from -1, the first
 *                        pixel, to 1, the last; between pixels by distance, 0 outside */
#include "ops/types.h"

#include <math.h>
#include <string.h>

enum { X, GRID };
enum { OUTPUT };

static rg_status infer(rg_ctx *ctx)
{
    const rg_shape *x = rg_shape_of(ctx, X), *grid = rg_shape_of(ctx, GRID);
    RG_TRY(rg_expect_rank(ctx, X, 4));
    RG_TRY(rg_expect_rank(ctx, GRID, 4));
    RG_TRY(rg_expect_same_dtype(ctx, X, GRID));
    if ((grid->dim[3] != 2 && grid->dim[3] != -1) ||
        (x->dim[0] >= 0 && grid->dim[0] >= 0 && x->dim[0] != grid->dim[0])) {
        char tx[RG_SHAPE_TEXT], tg[RG_SHAPE_TEXT];
        return rg_fail(RG_ESHAPE,
                       "X has the shape %s, and Grid %s: it must be [batch, height, width, 2]",
                       rg_shape_text(x, tx), rg_shape_text(grid, tg));
    }
    rg_shape out = RG_SHAPE(x->dim[0], x->dim[1], grid->dim[1], grid->dim[2]);
    rg_set_out(ctx, OUTPUT, rg_dtype_of(ctx, X), &out);
    return RG_OK;
}

/* Images of [batch, channels, height, width], and places of them. */
typedef struct extents {
    int64_t batch, channels, height, width, places;
} extents;

static extents extents_of(const rg_ctx *ctx, int x, int grid)
{
    const rg_shape *s = rg_shape_of(ctx, x), *g = rg_shape_of(ctx, grid);
    return (extents){s->dim[0], s->dim[1], s->dim[2], s->dim[3], g->dim[1] * g->dim[2]};
}

/* The four pixels around a place: where they stand, -1 outside, and their weights; what a
 * step to the right or down changes of the weights. */
#define AROUND(T, S)                                                                        \
    typedef struct around_##S {                                                             \
        int64_t at[4];                                                                      \
        T weight[4], right[4], down[4], none;                                               \
    } around_##S;                                                                           \
    static void look_##S(const extents *e, const T *place, around_##S *a)                   \
    {                                                                                       \
        T to_x = (T)(e->width - 1) / 2, to_y = (T)(e->height - 1) / 2;                      \
        T x = (place[0] + 1) * to_x, y = (place[1] + 1) * to_y;                             \
        bool far = !(x > -2 && x < (T)e->width + 1 && y > -2 && y < (T)e->height + 1);      \
        a->none = x != x || y != y ? (T)NAN : 0;                                            \
        int64_t left = far ? -2 : (int64_t)floor((double)x);                                \
        int64_t top = far ? -2 : (int64_t)floor((double)y);                                 \
        for (int k = 0; k < 4; k++) {                                                       \
            int64_t i = left + (k & 1), j = top + (k >> 1);                                 \
            T wx = k & 1 ? x - (T)left : (T)(left + 1) - x;                                 \
            T wy = k >> 1 ? y - (T)top : (T)(top + 1) - y;                                  \
            bool in = !far && i >= 0 && i < e->width && j >= 0 && j < e->height;            \
            a->at[k] = in ? j * e->width + i : -1;                                          \
            a->weight[k] = wx * wy;                                                         \
            a->right[k] = (k & 1 ? wy : -wy) * to_x;                                        \
            a->down[k] = (k >> 1 ? wx : -wx) * to_y;                                        \
        }                                                                                   \
    }                                                                                       \
    static void sample_##S(const extents *e, const T *x, const T *grid, T *out)             \
    {                                                                                       \
        int64_t plane = e->height * e->width;                                               \
        around_##S a;                                                                       \
        for (int64_t n = 0; n < e->batch; n++)                                              \
            for (int64_t p = 0; p < e->places; p++) {                                       \
                look_##S(e, grid + 2 * (n * e->places + p), &a);                            \
                for (int64_t c = n * e->channels; c < (n + 1) * e->channels; c++) {         \
                    T sum = a.none; /* NaN where the place is */                            \
                    for (int k = 0; k < 4; k++)                                             \
                        sum += a.at[k] < 0 ? 0 : a.weight[k] * x[c * plane + a.at[k]];      \
                    out[c * e->places + p] = sum;                                           \
                }                                                                           \
            }                                                                               \
    }                                                                                       \
    static void back_##S(const extents *e, const T *x, const T *grid, const T *dout, T *dx, \
                         T *dgrid)                                                          \
    {                                                                                       \
        int64_t plane = e->height * e->width;                                               \
        around_##S a;                                                                       \
        for (int64_t n = 0; n < e->batch; n++)                                              \
            for (int64_t p = 0; p < e->places; p++) {                                       \
                look_##S(e, grid + 2 * (n * e->places + p), &a);                            \
                T right = a.none, down = a.none;                                            \
                for (int64_t c = n * e->channels; c < (n + 1) * e->channels; c++)           \
                    for (int k = 0; k < 4; k++) {                                           \
                        if (a.at[k] < 0)                                                    \
                            continue;                                                       \
                        T g = dout[c * e->places + p], v = x[c * plane + a.at[k]];          \
                        right += g * v * a.right[k];                                        \
                        down += g * v * a.down[k];                                          \
                        if (dx != NULL)                                                     \
                            dx[c * plane + a.at[k]] += g * a.weight[k];                     \
                    }                                                                       \
                if (dgrid != NULL) {                                                        \
                    dgrid[2 * (n * e->places + p)] = right;                                 \
                    dgrid[2 * (n * e->places + p) + 1] = down;                              \
                }                                                                           \
            }                                                                               \
    }
RG_FLOATS(AROUND)

static rg_status kernel(rg_ctx *ctx)
{
    extents e = extents_of(ctx, X, GRID);
    RG_CALL_FLOAT(ctx, X, sample,
                  (&e, rg_in_data(ctx, X), rg_in_data(ctx, GRID), rg_out_data(ctx, OUTPUT)))
    return RG_OK;
}

const rg_op rg_op_grid_sampler = {
    .type = "grid_sampler",
    .doc = "Images taken at given places.",
    .in = RG_SLOTS([X] = {"X", "[batch, channels, height, width]"},
                   [GRID] = {"Grid", "[batch, height, width, 2]: places, from -1 to 1"}),
    .out = RG_SLOTS([OUTPUT] = {"Output", "[batch, channels, height and width of Grid]"}),
    .infer = infer,
    .kernel = kernel,
};

/* ---- gradient ---- */

enum { G_X, G_GRID, G_DOUT };
enum { G_DX, G_DGRID };

static rg_status grad_kernel(rg_ctx *ctx)
{
    extents e = extents_of(ctx, G_X, G_GRID);
    if (rg_has_out(ctx, G_DX))
        memset(rg_out_data(ctx, G_DX), 0, rg_value_bytes(rg_out(ctx, G_DX)));
    RG_CALL_FLOAT(ctx, G_X, back,
                  (&e, rg_in_data(ctx, G_X), rg_in_data(ctx, G_GRID), rg_in_data(ctx, G_DOUT),
                   rg_out_data(ctx, G_DX), rg_out_data(ctx, G_DGRID)))
    return RG_OK;
}

const rg_op rg_op_grid_sampler_grad = {
    .type = "grid_sampler_grad",
    .doc = "Gradient of grid_sampler.",
    .in = RG_SLOTS([G_X] = {"X", ""}, [G_GRID] = {"Grid", ""}, [G_DOUT] = {"Output@GRAD", ""}),
    .out = RG_SLOTS([G_DX] = {"X@GRAD", "", RG_OPTIONAL, RG_OF(G_X)}, [G_DGRID] = {"Grid@GRAD", "",
                                                                                   RG_OPTIONAL,
                                                                                   RG_OF(G_GRID)}),
    .kernel = grad_kernel,
};
