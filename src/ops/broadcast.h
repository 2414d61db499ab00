/* broadcast.h - two tensors, one or both repeated along some dimensions.
 *
 * Fluid's rule: the dimensions of the tensor of smaller rank stand against those of
 * the other from `axis` on (-1: so that the last ones meet); a dimension of 1 repeats.
 * The loop is over rows: dimensions that can be taken as one are, so that a bias is two
 * dimensions and two tensors of one shape are one. */
#ifndef RG_OPS_BROADCAST_H
#define RG_OPS_BROADCAST_H

#include "base/status.h"
#include "ir/op.h"

typedef struct rg_broadcast {
    int rank; /* at least 1; the last dimension is the row */
    int64_t n[RG_MAX_DIMS];
    int64_t sx[RG_MAX_DIMS], sy[RG_MAX_DIMS]; /* steps; 0: repeated; of a row: 1 or 0 */
    int64_t rows;
} rg_broadcast;

/* The shape of the result; dimensions may be -1. */
rg_status rg_broadcast_shape(const rg_shape *x, const rg_shape *y, int axis, rg_shape *out);
/* The loop, for known shapes that rg_broadcast_shape() has accepted. */
void rg_broadcast_plan(rg_broadcast *b, const rg_shape *x, const rg_shape *y, int axis);

/* Where the rows of x and y begin, row after row. */
typedef struct rg_row {
    int64_t at[RG_MAX_DIMS];
    int64_t x, y;
} rg_row;

static inline void rg_row_next(const rg_broadcast *b, rg_row *row)
{
    for (int d = b->rank - 2; d >= 0; d--) {
        row->x += b->sx[d];
        row->y += b->sy[d];
        if (++row->at[d] < b->n[d])
            return;
        row->x -= b->sx[d] * b->n[d];
        row->y -= b->sy[d] * b->n[d];
        row->at[d] = 0;
    }
}

#endif
