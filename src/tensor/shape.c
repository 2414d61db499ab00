/* shape.c - comparing, checking and printing shapes. */
#include "tensor/shape.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

bool rg_shape_equal(const rg_shape *a, const rg_shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, (size_t)a->rank * sizeof a->dim[0]) == 0;
}

bool rg_shape_fits(const rg_shape *a, const rg_shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dim[i] >= 0 && b->dim[i] >= 0 && a->dim[i] != b->dim[i])
            return false;
    return true;
}

rg_status rg_shape_check(const rg_shape *s, size_t size, size_t max_bytes)
{
    size_t bytes = size;
    for (int i = 0; i < s->rank; i++) {
        if (s->dim[i] < -1)
            return rg_fail(RG_ECORRUPT, "dimension %d is %lld", i, (long long)s->dim[i]);
        size_t d = s->dim[i] < 0 ? 1 : (size_t)s->dim[i];
        if (d == 0)
            return RG_OK;
        if (!rg_mul_size(bytes, d, &bytes) || bytes > max_bytes) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ETOOBIG, "a tensor of shape %s is over the limit of %zu bytes",
                           rg_shape_text(s, text), max_bytes);
        }
    }
    return RG_OK;
}

const char *rg_shape_text(const rg_shape *s, char text[RG_SHAPE_TEXT])
{
    size_t used = (size_t)snprintf(text, RG_SHAPE_TEXT, "[");
    for (int i = 0; i < s->rank && used < RG_SHAPE_TEXT; i++)
        used += (size_t)snprintf(text + used, RG_SHAPE_TEXT - used, i ? ", %lld" : "%lld",
                                 (long long)s->dim[i]);
    if (used < RG_SHAPE_TEXT)
        (void)snprintf(text + used, RG_SHAPE_TEXT - used, "]");
    return text;
}
