/* shape.h - the extents of a tensor. A dimension of -1 is one that the batch
 * decides: it occurs while a program is built, never when it runs. */
#ifndef RG_TENSOR_SHAPE_H
#define RG_TENSOR_SHAPE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_MAX_DIMS = 9 };

typedef struct rg_shape {
    int rank;
    int64_t dim[RG_MAX_DIMS];
} rg_shape;

/* RG_SHAPE(2, 3): the shape [2, 3]. */
#define RG_SHAPE(...)                                                                              \
    ((rg_shape){(int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), {__VA_ARGS__}})

/* Elements, or -1 where a dimension is not known. Of rank 0: 1. Fits by the
 * checks of rg_shape_check(), which every shape from outside must pass. */
static inline int64_t rg_shape_numel(const rg_shape *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] < 0)
            return -1;
        n *= s->dim[i];
    }
    return n;
}

/* Product of dim[from .. to-1]; -1 where one is not known. */
static inline int64_t rg_shape_product(const rg_shape *s, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++) {
        if (s->dim[i] < 0)
            return -1;
        n *= s->dim[i];
    }
    return n;
}

bool rg_shape_equal(const rg_shape *a, const rg_shape *b);
/* Equal wherever both are known. */
bool rg_shape_fits(const rg_shape *a, const rg_shape *b);

/* RG_ETOOBIG unless the elements, of `size` bytes each, can be counted and are
 * at most `max_bytes`; RG_ECORRUPT for a dimension below -1. */
rg_status rg_shape_check(const rg_shape *s, size_t size, size_t max_bytes);

/* "[-1, 13]" into text; always NUL-terminated; returns text. */
enum { RG_SHAPE_TEXT = 128 };
const char *rg_shape_text(const rg_shape *s, char text[RG_SHAPE_TEXT]);

#endif
