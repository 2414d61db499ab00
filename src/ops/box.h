/* box.h - a box of elements moved from one place to another.
 *
 * Slicing, padding, joining, cutting, repeating, turning and reversing tensors are one
 * thing: for every index of a box, to[index . steps] = from[index . steps], with steps of
 * its own on each side. Dimensions that can be taken as one are, a run of neighbours is
 * one memcpy, and a turned plane goes in tiles that fit a cache. */
#ifndef RG_OPS_BOX_H
#define RG_OPS_BOX_H

#include "tensor/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_BOX_DIMS = 2 * RG_MAX_DIMS };

typedef struct rg_box {
    int rank;
    int64_t n[RG_BOX_DIMS];
    int64_t to[RG_BOX_DIMS], from[RG_BOX_DIMS]; /* steps in elements; may be 0 or negative */
} rg_box;

/* One more dimension, inside those before it. */
static inline void rg_box_add_dim(rg_box *box, int64_t n, int64_t to, int64_t from)
{
    box->n[box->rank] = n;
    box->to[box->rank] = to;
    box->from[box->rank++] = from;
}

/* Steps of a tensor stored row after row. */
void rg_shape_steps(const rg_shape *shape, int64_t steps[RG_MAX_DIMS]);

/* The box between a tensor and a window of it: of the shape `part`, beginning at `first`, which
 * must be inside. Out of the whole, or into it. Returns where the window begins in the whole. */
int64_t rg_box_window(rg_box *box, const rg_shape *whole, const rg_shape *part,
                      const int64_t *first, bool out);

/* The two places do not overlap; elements are `size` bytes, 1, 2, 4 or 8. */
void rg_box_copy(const rg_box *box, void *to, const void *from, size_t size);

/* to += from; steps of 0 in `to` add up what they meet, in the order of the box. */
void rg_box_add_f32(const rg_box *box, float *to, const float *from);
void rg_box_add_f64(const rg_box *box, double *to, const double *from);

#endif
