/* pooling.h - the windows of pool.c and max_pool_with_index.c. */
#ifndef RG_OPS_POOLING_H
#define RG_OPS_POOLING_H

#include "ops/window.h"

/* Attributes that stand first in every pooling op, in this order. */
enum {
    RG_POOL_KSIZE,
    RG_POOL_STRIDES,
    RG_POOL_PADDINGS,
    RG_POOL_GLOBAL,
    RG_POOL_ADAPTIVE,
    RG_POOL_ATTRS,
};

#define RG_POOL_ATTR_SPECS(AXES)                                                                   \
    [RG_POOL_KSIZE] = RG_REQUIRED("ksize", RG_ATTR_INTS, "the window, or the output if adaptive"), \
    [RG_POOL_STRIDES] = RG_INT_LIST("strides", ((const int32_t[]){1, 1, 1}), AXES,                 \
                                    "the step along each axis"),                                   \
    [RG_POOL_PADDINGS] = RG_INT_LIST("paddings", ((const int32_t[]){0, 0, 0}), AXES,               \
                                     "how far windows may reach over the edge"),                   \
    [RG_POOL_GLOBAL] = RG_BOOLEAN("global_pooling", false, "one window: the whole image"),         \
    [RG_POOL_ADAPTIVE] = RG_BOOLEAN("adaptive", false, "ksize windows that share the image out")

/* Images as [outer, in[0], in[1], in[2], inner]; two axes are three with one plane. */
typedef struct rg_pooling {
    bool adaptive;
    int64_t outer, inner;
    int64_t in[3], out[3];
    int64_t kernel[3], stride[3], before[3];
} rg_pooling;

/* How images are pooled, and the shape that comes out. */
rg_status rg_pooling_shape(const rg_ctx *ctx, const rg_shape *x, bool channels_last,
                           const char *algorithm, bool ceil_mode, rg_pooling *p, rg_shape *out);

/* The part lo <= i < hi of the image that window o covers along an axis. */
static inline void rg_pooling_range(const rg_pooling *p, int axis, int64_t o, int64_t *lo,
                                    int64_t *hi)
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

/* The windows lo <= o < hi whose tap k falls into the image, along the last axis; not of
 * adaptive pooling. */
static inline void rg_pooling_reach(const rg_pooling *p, int64_t k, int64_t *lo, int64_t *hi)
{
    int64_t shift = k - p->before[2], s = p->stride[2];
    *lo = shift < 0 ? (-shift + s - 1) / s : 0;
    *hi = p->in[2] > shift ? (p->in[2] - shift + s - 1) / s : 0;
    if (*hi > p->out[2])
        *hi = p->out[2];
    if (*hi < *lo)
        *hi = *lo;
}

#endif
