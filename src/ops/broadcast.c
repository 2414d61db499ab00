/* broadcast.c - shapes and loops of broadcasting. */
#include "ops/broadcast.h"

/* Both shapes padded with 1 to one rank, y from `axis` on. */
static rg_status align(const rg_shape *x, const rg_shape *y, int axis, rg_shape *ax, rg_shape *ay)
{
    const rg_shape *big = x->rank >= y->rank ? x : y, *small = x->rank >= y->rank ? y : x;
    int at = axis < 0 ? big->rank - small->rank : axis;
    /* Trailing ones of the smaller one only pad it. */
    int rank = small->rank;
    while (rank > 0 && at + rank > big->rank && small->dim[rank - 1] == 1)
        rank--;
    if (at < 0 || at + rank > big->rank)
        return rg_fail(RG_ESHAPE, "axis %d does not fit tensors of %d and %d dimensions", axis,
                       x->rank, y->rank);
    rg_shape padded = {.rank = big->rank};
    for (int i = 0; i < big->rank; i++)
        padded.dim[i] = i >= at && i < at + rank ? small->dim[i - at] : 1;
    *ax = x->rank >= y->rank ? *x : padded;
    *ay = x->rank >= y->rank ? padded : *y;
    return RG_OK;
}

rg_status rg_broadcast_shape(const rg_shape *x, const rg_shape *y, int axis, rg_shape *out)
{
    rg_shape ax, ay;
    RG_TRY(align(x, y, axis, &ax, &ay));
    out->rank = ax.rank;
    for (int i = 0; i < ax.rank; i++) {
        int64_t p = ax.dim[i], q = ay.dim[i];
        if (p >= 0 && q >= 0 && p != q && p != 1 && q != 1) {
            char tx[RG_SHAPE_TEXT], ty[RG_SHAPE_TEXT];
            return rg_fail(RG_ESHAPE,
                           "shapes %s and %s do not fit with axis %d: dimension %d is %lld "
                           "and %lld",
                           rg_shape_text(x, tx), rg_shape_text(y, ty), axis, i, (long long)p,
                           (long long)q);
        }
        out->dim[i] = p == 1 ? q : q == 1 ? p : p < 0 ? (q < 0 ? p : q) : p;
    }
    return RG_OK;
}

void rg_broadcast_plan(rg_broadcast *b, const rg_shape *x, const rg_shape *y, int axis)
{
    rg_shape ax, ay;
    rg_status code = align(x, y, axis, &ax, &ay);
    assert(code == RG_OK);
    (void)code;
    *b = (rg_broadcast){.rank = 0};
    int64_t step_x = 1, step_y = 1;
    /* From the last dimension: the first of the plan is the row, turned round below. */
    for (int i = ax.rank - 1; i >= 0; i--) {
        int64_t n = ax.dim[i] == 1 ? ay.dim[i] : ax.dim[i];
        int64_t sx = ax.dim[i] == 1 ? 0 : step_x, sy = ay.dim[i] == 1 ? 0 : step_y;
        step_x *= ax.dim[i];
        step_y *= ay.dim[i];
        if (n == 1)
            continue;
        int last = b->rank - 1;
        if (last >= 0 && sx == b->sx[last] * b->n[last] && sy == b->sy[last] * b->n[last]) {
            b->n[last] *= n;
            continue;
        }
        b->n[b->rank] = n;
        b->sx[b->rank] = sx;
        b->sy[b->rank++] = sy;
    }
    if (b->rank == 0) {
        b->n[0] = 1;
        b->sx[0] = b->sy[0] = 1;
        b->rank = 1;
    }
    b->rows = 1;
    for (int i = 0, j = b->rank - 1; i < j; i++, j--) {
        int64_t n = b->n[i], sx = b->sx[i], sy = b->sy[i];
        b->n[i] = b->n[j];
        b->sx[i] = b->sx[j];
        b->sy[i] = b->sy[j];
        b->n[j] = n;
        b->sx[j] = sx;
        b->sy[j] = sy;
    }
    for (int i = 0; i + 1 < b->rank; i++)
        b->rows *= b->n[i];
}
