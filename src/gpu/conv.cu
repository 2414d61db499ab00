/* conv.cu - images: the columns that make a convolution a product, and pooling. float32. */
#include "gpu/cuda.h"

/* ---- columns: [images, channels * taps, windows] ---- */

/* Where tap k of window o of an axis is in the image; -1: over its edge. */
RG_DEVICE int64_t pixel(const rg_cu_conv *c, int axis, int64_t o, int64_t k)
{
    int64_t at = o * c->stride[axis] + k * c->dilation[axis] - c->before[axis];
    return at >= 0 && at < c->in[axis] ? at : -1;
}

RG_KERNEL to_columns(rg_cu_conv c, const float *image, float *columns)
{
    int64_t taps = c.kernel[0] * c.kernel[1], windows = c.out[0] * c.out[1];
    RG_EACH(e, c.images * c.channels * taps * windows) {
        int64_t o = e % windows, k = e / windows % taps, plane = e / windows / taps;
        int64_t y = pixel(&c, 0, o / c.out[1], k / c.kernel[1]);
        int64_t x = pixel(&c, 1, o % c.out[1], k % c.kernel[1]);
        columns[e] = y < 0 || x < 0 ? 0 : image[(plane * c.in[0] + y) * c.in[1] + x];
    }
}

extern "C" void rg_cu_to_columns(const rg_cu_conv *c, const float *image, float *columns,
                                 cudaStream_t stream)
{
    int64_t n = c->images * c->channels * c->kernel[0] * c->kernel[1] * c->out[0] * c->out[1];
    if (n > 0)
        RG_LAUNCH(to_columns, rg_blocks(n, RG_THREADS), RG_THREADS, stream, *c, image, columns);
}

/* Which window has tap k on this pixel; -1: none. */
RG_DEVICE int64_t window(const rg_cu_conv *c, int axis, int64_t at, int64_t k)
{
    int64_t from = at + c->before[axis] - k * c->dilation[axis];
    if (from < 0 || from % c->stride[axis] != 0)
        return -1;
    return from / c->stride[axis] < c->out[axis] ? from / c->stride[axis] : -1;
}

/* Each pixel adds up the columns it was in. */
RG_KERNEL from_columns(rg_cu_conv c, const float *columns, float *image)
{
    int64_t taps = c.kernel[0] * c.kernel[1], windows = c.out[0] * c.out[1];
    RG_EACH(e, c.images * c.channels * c.in[0] * c.in[1]) {
        int64_t x = e % c.in[1], y = e / c.in[1] % c.in[0], plane = e / c.in[1] / c.in[0];
        float sum = 0;
        for (int64_t k = 0; k < taps; k++) {
            int64_t oy = window(&c, 0, y, k / c.kernel[1]), ox = window(&c, 1, x, k % c.kernel[1]);
            if (oy >= 0 && ox >= 0)
                sum += columns[(plane * taps + k) * windows + oy * c.out[1] + ox];
        }
        image[e] = sum;
    }
}

extern "C" void rg_cu_from_columns(const rg_cu_conv *c, const float *columns, float *image,
                                   cudaStream_t stream)
{
    int64_t n = c->images * c->channels * c->in[0] * c->in[1];
    if (n > 0)
        RG_LAUNCH(from_columns, rg_blocks(n, RG_THREADS), RG_THREADS, stream, *c, columns, image);
}

/* ---- pooling: [outer, in, inner] ---- */

RG_DEVICE void range_of(const rg_cu_pooling *p, int axis, int64_t o, int64_t *lo, int64_t *hi)
{
    int64_t in = p->in[axis], out = p->out[axis];
    if (p->adaptive) {
        *lo = o * in / out;
        *hi = ((o + 1) * in + out - 1) / out;
        return;
    }
    int64_t from = o * p->stride[axis] - p->before[axis], to = from + p->kernel[axis];
    *lo = from < 0 ? 0 : from > in ? in : from;
    *hi = to > in ? in : to < *lo ? *lo : to;
}

/* The window of element e of the output: its bounds, and its outer and inner number. */
typedef struct window_at {
    int64_t lo[2], hi[2], outer, inner;
} window_at;

RG_DEVICE window_at window_of(const rg_cu_pooling *p, int64_t e)
{
    window_at w;
    w.inner = e % p->inner;
    e /= p->inner;
    range_of(p, 1, e % p->out[1], &w.lo[1], &w.hi[1]);
    e /= p->out[1];
    range_of(p, 0, e % p->out[0], &w.lo[0], &w.hi[0]);
    w.outer = e / p->out[0];
    return w;
}

RG_DEVICE int64_t element(const rg_cu_pooling *p, const window_at *w, int64_t y, int64_t x)
{
    return ((w->outer * p->in[0] + y) * p->in[1] + x) * p->inner + w->inner;
}

/* 1 over what counts of a window; 0 of an empty one. */
RG_DEVICE float part_of(const rg_cu_pooling *p, const window_at *w)
{
    int64_t n = p->exclusive || p->adaptive ? (w->hi[0] - w->lo[0]) * (w->hi[1] - w->lo[1])
                                            : p->kernel[0] * p->kernel[1];
    return n > 0 ? 1 / (float)n : 0;
}

RG_KERNEL pool_forward(int64_t n, rg_cu_pooling p, const float *x, float *out)
{
    RG_EACH(e, n) {
        window_at w = window_of(&p, e);
        float all = p.max ? -FLT_MAX : 0;
        for (int64_t i = w.lo[0]; i < w.hi[0]; i++)
            for (int64_t j = w.lo[1]; j < w.hi[1]; j++) {
                float next = x[element(&p, &w, i, j)];
                all = !p.max ? all + next : all != all ? all : next <= all ? all : next;
            }
        out[e] = p.max ? all : all * part_of(&p, &w);
    }
}

/* The gradient of a largest goes to the first that equals it. dx is zero. */
RG_KERNEL pool_backward(int64_t n, rg_cu_pooling p, const float *x, const float *out,
                        const float *dout, float *dx)
{
    RG_EACH(e, n) {
        window_at w = window_of(&p, e);
        float g = p.max ? dout[e] : dout[e] * part_of(&p, &w);
        bool done = false;
        for (int64_t i = w.lo[0]; i < w.hi[0]; i++)
            for (int64_t j = w.lo[1]; j < w.hi[1]; j++) {
                int64_t at = element(&p, &w, i, j);
                if (!p.max) {
                    atomicAdd(&dx[at], g);
                } else if (!done && x[at] == out[e]) {
                    atomicAdd(&dx[at], g);
                    done = true;
                }
            }
    }
}

static int64_t outputs(const rg_cu_pooling *p)
{
    return p->outer * p->out[0] * p->out[1] * p->inner;
}

extern "C" void rg_cu_pool2d(const rg_cu_pooling *p, const float *x, float *out,
                             cudaStream_t stream)
{
    int64_t n = outputs(p);
    if (n > 0)
        RG_LAUNCH(pool_forward, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, *p, x, out);
}

extern "C" void rg_cu_pool2d_grad(const rg_cu_pooling *p, const float *x, const float *out,
                                  const float *dout, float *dx, cudaStream_t stream)
{
    int64_t n = outputs(p);
    if (n > 0)
        RG_LAUNCH(pool_backward, rg_blocks(n, RG_THREADS), RG_THREADS, stream, n, *p, x, out, dout,
                  dx);
}
