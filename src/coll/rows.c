/* rows.c - packing and unpacking of sparse gradients. */
#include "coll/rows.h"

#include <string.h>

static size_t row_bytes(const rg_meta *like)
{
    int64_t n = rg_shape_numel(&like->shape), height = like->shape.dim[0];
    return (size_t)(height > 0 ? n / height : 0) * rg_dtype_size(like->dtype);
}

size_t rg_rows_packed_bytes(const rg_value *x)
{
    return x->n_rows * (sizeof(int64_t) + row_bytes(&x->meta));
}

void rg_rows_pack(const rg_value *x, uint8_t *to)
{
    size_t ids = x->n_rows * sizeof *x->rows;
    if (x->n_rows == 0)
        return;
    memcpy(to, x->rows, ids);
    memcpy(to + ids, x->data, x->n_rows * row_bytes(&x->meta));
}

rg_status rg_rows_unpack(rg_value *out, const rg_meta *like, const rg_group_work *gathered,
                         int size)
{
    size_t width = row_bytes(like), each = sizeof(int64_t) + width, total = 0, at = 0;
    rg_shape dense = like->shape;
    rg_dtype dtype = like->dtype; /* `like` may be the output's own */
    for (int i = 0; i < size; i++) {
        size_t bytes;
        (void)rg_group_gathered(gathered, i, &bytes);
        if (bytes % each != 0)
            return rg_fail(RG_ESHAPE, "rank %d sends %zu bytes of rows, which are %zu each here: "
                           "the ranks train different programs", i, bytes, each);
        total += bytes / each;
    }
    RG_TRY(rg_value_resize_rows(out, dtype, &dense, total));
    for (int i = 0; i < size; i++) {
        size_t bytes;
        const uint8_t *from = rg_group_gathered(gathered, i, &bytes);
        size_t n = bytes / each;
        if (n == 0)
            continue;
        memcpy(out->rows + at, from, n * sizeof *out->rows);
        memcpy((uint8_t *)out->data + at * width, from + n * sizeof *out->rows, n * width);
        at += n;
    }
    return RG_OK;
}
