/* rows.c - sparse gradients of all ranks. */
#include "coll/rows.h"

#include "base/mem.h"

#include <string.h>

static size_t row_bytes(const rg_meta *like)
{
    int64_t n = rg_shape_numel(&like->shape), height = like->shape.dim[0];
    return (size_t)(height > 0 ? n / height : 0) * rg_dtype_size(like->dtype);
}

void rg_rows_room_fini(rg_rows_room *room)
{
    rg_free(room->rows);
    rg_storage_release(room->values);
    *room = (rg_rows_room){0};
}

static void *make_room(void *user, int column, size_t bytes)
{
    rg_rows_room *room = user;
    if (column == 0 && bytes > room->cap_rows * sizeof *room->rows) {
        rg_free(room->rows);
        room->rows = rg_alloc(bytes);
        room->cap_rows = room->rows ? bytes / sizeof *room->rows : 0;
    }
    if (column == 0)
        return room->rows != NULL ? (void *)room->rows : room; /* none at all: any address */
    if (room->values == NULL && rg_storage_new(&room->values) != RG_OK)
        return NULL;
    return rg_storage_grow(room->values, bytes + 1) == RG_OK ? room->values->data : NULL;
}

rg_status rg_rows_start(rg_group_work **work, rg_group *group, const rg_value *x,
                        rg_rows_room *room)
{
    rg_group_list list = {.n = x->n_rows,
                          .columns = 2,
                          .mine = {x->rows, x->data},
                          .item_bytes = {sizeof *x->rows, row_bytes(&x->meta)},
                          .room = make_room,
                          .user = room};
    return rg_group_start_gather(work, group, &list);
}

rg_status rg_rows_take(rg_value *out, const rg_meta *like, const rg_group_work *gathered, int size,
                       rg_rows_room *room)
{
    size_t total = 0;
    rg_shape dense = like->shape;
    rg_dtype dtype = like->dtype;
    for (int i = 0; i < size; i++)
        total += rg_group_gathered(gathered, i);
    /* Memory that the output has to itself is exchanged for what has come, and used for the next
     * that comes. */
    rg_storage *own = out->storage;
    bool exchange = own != NULL && own->refs == 1 && !own->pooled && own->whole == NULL &&
                    own->device == NULL && room->values != NULL && out->meta.kind == RG_ROWS;
    if (!exchange) {
        RG_TRY(rg_value_resize_rows(out, dtype, &dense, total));
        if (total > 0) {
            memcpy(out->rows, room->rows, total * sizeof *out->rows);
            memcpy(out->data, room->values->data, total * row_bytes(&out->meta));
        }
        return RG_OK;
    }
    int64_t *rows = out->rows;
    size_t cap_rows = out->cap_rows;
    out->rows = room->rows;
    out->cap_rows = room->cap_rows;
    out->n_rows = total;
    room->rows = rows;
    room->cap_rows = cap_rows;
    out->storage = room->values;
    out->data = out->storage->data;
    room->values = own;
    out->meta.dtype = dtype;
    out->meta.shape = dense;
    return RG_OK;
}
