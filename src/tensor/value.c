/* value.c - the life of values and their memory. */
#include "tensor/value.h"

#include "base/mem.h"
#include "sys/lent.h"
#include "tensor/device.h"

#include <assert.h>
#include <string.h>

enum { ROWS_ALIGN = 256 }; /* of row numbers behind the data */

int rg_late_count;

rg_status rg_storage_new(rg_storage **out)
{
    rg_storage *s = rg_alloc_zero(1, sizeof *s);
    if (s == NULL)
        return rg_no_memory(sizeof *s, "a tensor");
    s->refs = 1;
    *out = s;
    return RG_OK;
}

rg_storage *rg_storage_retain(rg_storage *storage)
{
    if (storage != NULL)
        (void)__atomic_add_fetch(&storage->refs, 1, __ATOMIC_RELAXED);
    return storage;
}

static void free_memory(rg_storage *storage)
{
    const rg_device *device = storage->device ? storage->device : &rg_cpu;
    device->free(device, storage->data, storage->bytes);
}

void rg_storage_release(rg_storage *storage)
{
    if (storage == NULL || __atomic_sub_fetch(&storage->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (storage->whole != NULL)
        rg_storage_release(storage->whole);
    else
        free_memory(storage);
    rg_free(storage->host);
    rg_free(storage);
}

rg_status rg_storage_grow(rg_storage *storage, size_t bytes)
{
    if (storage->data != NULL && storage->bytes >= bytes)
        return RG_OK;
    const rg_device *device = storage->device ? storage->device : &rg_cpu;
    void *data = device->alloc(device, bytes);
    if (data == NULL)
        return rg_no_memory(bytes, "a tensor");
    if (storage->whole != NULL) { /* it outgrows its place, and stands alone from now on */
        rg_storage_release(storage->whole);
        storage->whole = NULL;
    } else {
        free_memory(storage);
    }
    storage->data = data;
    storage->bytes = bytes;
    return RG_OK;
}

void rg_value_init(rg_value *value)
{
    *value = (rg_value){.meta = {.kind = RG_TENSOR, .dtype = RG_F32}, .refs = 1};
}

rg_status rg_value_new(rg_value **out)
{
    rg_value *value = rg_alloc(sizeof *value);
    if (value == NULL)
        return rg_no_memory(sizeof *value, "a variable");
    rg_value_init(value);
    *out = value;
    return RG_OK;
}

rg_value *rg_value_retain(rg_value *value)
{
    (void)__atomic_add_fetch(&value->refs, 1, __ATOMIC_RELAXED);
    return value;
}

void rg_value_release(rg_value *value)
{
    if (value == NULL || __atomic_sub_fetch(&value->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    rg_value_fini(value);
    rg_free(value);
}

void rg_value_array_clear(rg_value *array)
{
    for (size_t i = 0; i < array->n_items; i++)
        rg_value_release(array->items[i]);
    array->n_items = 0;
}

void rg_value_set_object(rg_value *value, rg_kind kind, void *object, void (*drop)(void *))
{
    if (value->object != NULL && value->drop != NULL)
        value->drop(value->object);
    value->meta.kind = kind;
    value->object = object;
    value->drop = drop;
}

void rg_value_drop_rows(rg_value *value)
{
    if (value->cap_rows > 0)
        rg_free(value->rows);
    value->rows = NULL;
    value->n_rows = value->cap_rows = 0;
}

void rg_value_fini(rg_value *value)
{
    rg_value_array_clear(value);
    rg_free(value->items);
    rg_value_drop_rows(value);
    rg_value_set_object(value, RG_TENSOR, NULL, NULL);
    if (value->late != NULL)
        value->late->leave(value->late, value);
    rg_storage_release(value->storage);
    rg_lod_release(value->meta.lod);
    rg_value_init(value);
}

/* Memory for `bytes` in this value's storage; its own where another holds it, or where it showed
 * other. Rows that are behind stay so: what they have to be brought up to date with is kept. */
static rg_status reserve(rg_value *value, size_t bytes)
{
    if (value->late != NULL && value->late->readable)
        rg_value_settle(value);
    rg_storage *s = value->storage;
    if (s != NULL && !s->pooled && __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) > 1 &&
        s->bytes < bytes) {
        rg_storage_release(s);
        s = value->storage = NULL;
    }
    if (s == NULL)
        RG_TRY(rg_storage_new(&value->storage));
    if (value->storage->data == NULL)
        value->storage->device = value->device;
    RG_TRY(rg_storage_grow(value->storage, bytes ? bytes : 1));
    value->data = value->storage->data;
    return RG_OK;
}

void rg_value_lend(rg_value *value)
{
    enum { WORTH_IT = 32 * 1024 };
    rg_storage *s = value->storage;
    size_t bytes = rg_value_bytes(value);
    uint64_t place;
    if (value->meta.kind != RG_TENSOR || s == NULL || s->pooled || s->data == NULL ||
        !rg_device_of(value)->on_host || value->data != s->data || value->late != NULL ||
        bytes < WORTH_IT || __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) != 1 ||
        rg_lent_find(s->data, bytes, &place))
        return;
    void *to = rg_lent_alloc(bytes);
    if (to == NULL)
        return;
    memcpy(to, s->data, bytes);
    free_memory(s);
    s->bytes = bytes;
    s->data = value->data = to;
}

static rg_status bytes_of(const rg_shape *shape, rg_dtype dtype, size_t *bytes)
{
    *bytes = rg_dtype_size(dtype);
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i] < 0 || !rg_mul_size(*bytes, (size_t)shape->dim[i], bytes)) {
            char text[RG_SHAPE_TEXT];
            return rg_fail(RG_ETOOBIG, "no tensor can have the shape %s",
                           rg_shape_text(shape, text));
        }
    return RG_OK;
}

rg_status rg_value_resize(rg_value *value, rg_dtype dtype, const rg_shape *shape)
{
    size_t bytes;
    RG_TRY(bytes_of(shape, dtype, &bytes));
    RG_TRY(reserve(value, bytes));
    value->meta.kind = RG_TENSOR;
    value->meta.dtype = dtype;
    if (&value->meta.shape != shape)
        value->meta.shape = *shape;
    return RG_OK;
}

rg_status rg_value_resize_rows(rg_value *value, rg_dtype dtype, const rg_shape *dense, size_t n)
{
    rg_shape part = *dense;
    size_t bytes;
    assert(part.rank >= 1);
    part.dim[0] = (int64_t)n;
    RG_TRY(bytes_of(&part, dtype, &bytes));
    if (rg_device_of(value)->on_host) {
        if (n > value->cap_rows || value->rows == NULL) {
            size_t room = n > 0 ? n : 1; /* copies of no rows have addresses, too */
            int64_t *rows = rg_realloc(value->rows, room * sizeof *rows);
            if (rows == NULL)
                return rg_no_memory(room * sizeof *rows, "row numbers");
            value->rows = rows;
            value->cap_rows = room;
        }
        RG_TRY(reserve(value, bytes));
    } else {
        size_t values = (bytes + ROWS_ALIGN - 1) / ROWS_ALIGN * ROWS_ALIGN;
        RG_TRY(reserve(value, values + n * sizeof *value->rows));
        value->rows = (int64_t *)((uint8_t *)value->data + values);
    }
    value->n_rows = n;
    value->meta.kind = RG_ROWS;
    value->meta.dtype = dtype;
    if (&value->meta.shape != dense)
        value->meta.shape = *dense;
    return RG_OK;
}

rg_status rg_value_item(rg_value *array, size_t i, rg_value **item)
{
    while (array->n_items <= i) {
        RG_TRY(rg_grow((void **)&array->items, array->n_items, &array->cap_items,
                       sizeof *array->items));
        RG_TRY(rg_value_new(&array->items[array->n_items]));
        array->n_items++;
    }
    array->meta.kind = RG_ARRAY;
    *item = array->items[i];
    return RG_OK;
}

void rg_value_set_lod(rg_value *value, rg_lod *lod)
{
    if (value->meta.lod == lod)
        return;
    rg_lod_release(value->meta.lod);
    value->meta.lod = rg_lod_retain(lod);
}

size_t rg_value_bytes(const rg_value *value)
{
    size_t size = rg_dtype_size(value->meta.dtype);
    if (value->meta.kind == RG_ROWS)
        return value->n_rows * (size_t)rg_value_width(value) * size;
    return (size_t)rg_numel(value) * size;
}

int64_t rg_value_width(const rg_value *value)
{
    return rg_shape_product(&value->meta.shape, 1, value->meta.shape.rank);
}

static rg_status copy_items(rg_value *dst, const rg_value *src)
{
    rg_value_array_clear(dst);
    dst->meta.kind = RG_ARRAY;
    dst->meta.dtype = src->meta.dtype;
    for (size_t i = 0; i < src->n_items; i++) {
        rg_value *item;
        RG_TRY(rg_value_item(dst, i, &item));
        if (src->items[i]->data != NULL) /* not written, like this one */
            RG_TRY(rg_value_copy(item, src->items[i]));
    }
    return RG_OK;
}

rg_status rg_value_copy(rg_value *dst, const rg_value *src)
{
    if (dst == src)
        return RG_OK;
    rg_value_settle(src);
    rg_value_settle(dst);
    if (src->meta.kind == RG_ARRAY)
        return copy_items(dst, src);
    if (src->meta.kind == RG_ROWS) {
        RG_TRY(rg_value_resize_rows(dst, src->meta.dtype, &src->meta.shape, src->n_rows));
        RG_TRY(rg_device_copy_rows(dst, src));
    } else if (src->meta.kind == RG_TENSOR) {
        if (src->data == NULL)
            return rg_fail(RG_EINVAL, "the variable has no value yet");
        RG_TRY(rg_value_resize(dst, src->meta.dtype, &src->meta.shape));
    } else {
        return rg_fail(RG_EINVAL, "a %s cannot be copied", rg_kind_name(src->meta.kind));
    }
    RG_TRY(rg_device_copy(dst, src, rg_value_bytes(src)));
    rg_value_set_lod(dst, src->meta.lod);
    return RG_OK;
}

rg_status rg_value_share(rg_value *dst, const rg_value *src)
{
    if (src->meta.kind != RG_TENSOR)
        return rg_value_copy(dst, src);
    rg_value_settle(src);
    rg_value_settle(dst);
    rg_storage *shared = rg_storage_retain(src->storage);
    rg_storage_release(dst->storage);
    dst->storage = shared;
    dst->device = src->device;
    dst->data = src->data;
    dst->meta.kind = RG_TENSOR;
    dst->meta.dtype = src->meta.dtype;
    dst->meta.shape = src->meta.shape;
    rg_value_set_lod(dst, src->meta.lod);
    return RG_OK;
}

rg_status rg_value_share_part(rg_value *dst, const rg_value *src, size_t offset,
                              const rg_shape *shape)
{
    size_t bytes;
    rg_storage *part;
    RG_TRY(bytes_of(shape, src->meta.dtype, &bytes));
    assert(src->storage != NULL && !src->storage->pooled);
    assert(offset <= src->storage->bytes && bytes <= src->storage->bytes - offset);
    RG_TRY(rg_storage_new(&part));
    part->whole = rg_storage_retain(src->storage);
    part->data = (uint8_t *)src->storage->data + offset;
    part->bytes = bytes;
    part->device = src->storage->device;
    rg_value_settle(dst);
    rg_storage_release(dst->storage);
    dst->storage = part;
    dst->device = src->device;
    dst->data = part->data;
    dst->meta.kind = RG_TENSOR;
    dst->meta.dtype = src->meta.dtype;
    dst->meta.shape = *shape;
    return RG_OK;
}
