/* tensor_io.c - reading and writing the byte formats of tensor_io.h. */
#include "tensor/tensor_io.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "sys/flags.h"
#include "tensor/device.h"
#include "tensor/framework.pb-c.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DESC_BYTES = 1024, TENSOR_VERSION = 0, SKIP_BYTES = 64 * 1024, MAX_NAME = 256 };

static rg_status read_file(void *arg, void *bytes, size_t n)
{
    return rg_file_read(arg, bytes, n);
}

rg_source rg_source_file(rg_file *file)
{
    return (rg_source){read_file, file, rg_file_size(file) - rg_file_offset(file)};
}

static rg_status read_memory(void *arg, void *bytes, size_t n)
{
    const uint8_t *from = NULL;
    RG_TRY(rg_cursor_take(arg, n, &from));
    if (n > 0)
        memcpy(bytes, from, n);
    return RG_OK;
}

rg_source rg_source_memory(rg_cursor *cursor)
{
    return (rg_source){read_memory, cursor, cursor->left};
}

static rg_status write_file(void *arg, const void *bytes, size_t n)
{
    return rg_file_write(arg, bytes, n);
}

rg_sink rg_sink_file(rg_file *file)
{
    return (rg_sink){write_file, file};
}

static rg_status write_buf(void *arg, const void *bytes, size_t n)
{
    rg_buf_add(arg, bytes, n);
    return rg_buf_status(arg);
}

rg_sink rg_sink_buf(rg_buf *buf)
{
    return (rg_sink){write_buf, buf};
}

/* ---- writing ---- */

static rg_status put(rg_sink *sink, const void *bytes, size_t n)
{
    return sink->write(sink->arg, bytes, n);
}

static rg_status put_u32(rg_sink *sink, uint32_t value)
{
    uint8_t b[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                    (uint8_t)(value >> 24)};
    return put(sink, b, sizeof b);
}

static rg_status put_u64(rg_sink *sink, uint64_t value)
{
    RG_TRY(put_u32(sink, (uint32_t)value));
    return put_u32(sink, (uint32_t)(value >> 32));
}

static rg_status write_tensor(rg_sink *sink, const rg_value *value, const rg_shape *shape)
{
    Paddle__Framework__Proto__VarType__TensorDesc desc =
        PADDLE__FRAMEWORK__PROTO__VAR_TYPE__TENSOR_DESC__INIT;
    int64_t dims[RG_MAX_DIMS];
    uint8_t bytes[MAX_DESC_BYTES];
    memcpy(dims, shape->dim, sizeof dims);
    desc.data_type = (Paddle__Framework__Proto__VarType__Type)value->meta.dtype;
    desc.n_dims = (size_t)shape->rank;
    desc.dims = dims;
    size_t size = protobuf_c_message_pack(&desc.base, bytes);
    RG_TRY(put_u32(sink, TENSOR_VERSION));
    RG_TRY(put_u32(sink, (uint32_t)size));
    RG_TRY(put(sink, bytes, size));
    return put(sink, rg_host_data(value), rg_value_bytes(value));
}

static rg_status write_rows(rg_sink *sink, const rg_value *value)
{
    RG_TRY(put_u32(sink, TENSOR_VERSION));
    RG_TRY(put_u64(sink, value->n_rows));
    RG_TRY(put(sink, value->rows, value->n_rows * sizeof *value->rows));
    RG_TRY(put_u64(sink, (uint64_t)value->meta.shape.dim[0]));
    rg_shape part = value->meta.shape;
    part.dim[0] = (int64_t)value->n_rows;
    return write_tensor(sink, value, &part);
}

rg_status rg_tensor_write(rg_sink *sink, const rg_value *value)
{
    rg_value_settle(value);
    if (value->meta.kind == RG_ROWS)
        return write_rows(sink, value);
    if (value->meta.kind != RG_TENSOR)
        return rg_fail(RG_EINVAL, "a %s cannot be saved", rg_kind_name(value->meta.kind));
    if (value->data == NULL)
        return rg_fail(RG_EINVAL, "the variable has no value yet: run the startup program first");
    const rg_lod *lod = value->meta.lod;
    RG_TRY(put_u32(sink, TENSOR_VERSION));
    RG_TRY(put_u64(sink, lod ? (uint64_t)lod->levels : 0));
    for (int i = 0; lod != NULL && i < lod->levels; i++) {
        RG_TRY(put_u64(sink, lod->count[i] * sizeof(int64_t)));
        RG_TRY(put(sink, lod->offset[i], lod->count[i] * sizeof(int64_t)));
    }
    return write_tensor(sink, value, &value->meta.shape);
}

static rg_status write_values(rg_file *file, const rg_value *const *values, size_t n)
{
    rg_sink sink = rg_sink_file(file);
    for (size_t i = 0; i < n; i++)
        RG_TRY(rg_tensor_write(&sink, values[i]));
    return rg_file_finish(file);
}

/* Under the lock of the place: what stands aside is of somebody who is gone. */
static rg_status write_aside(const rg_folder *folder, const char *name, const char *aside,
                             const rg_value *const *values, size_t n)
{
    rg_file *file;
    RG_TRY(rg_folder_remove(folder, aside));
    RG_TRY(rg_folder_create(&file, folder, aside));
    rg_status code = write_values(file, values, n);
    rg_file_close(file);
    if (code == RG_OK)
        code = rg_folder_move(folder, aside, folder, name);
    if (code != RG_OK) {
        char why[2048];
        (void)snprintf(why, sizeof why, "%s", rg_error_message());
        (void)rg_folder_remove(folder, aside);
        return rg_fail(code, "%s", why);
    }
    return rg_folder_sync(folder); /* renames last only when it has reached the disk */
}

/* `name` has one part. */
static rg_status write_into(const rg_folder *folder, const char *name,
                            const rg_value *const *values, size_t n)
{
    char aside[MAX_NAME], lock_name[MAX_NAME];
    rg_folder_lock *lock;
    RG_TRY(rg_path_check_inside(name));
    int length = snprintf(lock_name, sizeof lock_name, ".%s.regatta-lock", name);
    (void)snprintf(aside, sizeof aside, ".%s.regatta-new", name);
    if (length < 0 || length >= MAX_NAME)
        return rg_fail(RG_EINVAL, "the name %.64s... is too long for a file", name);
    RG_TRY(rg_folder_lock_open(&lock, folder, lock_name, (uint64_t)rg_flag_int("save_wait_ms")));
    rg_status code = write_aside(folder, name, aside, values, n);
    rg_folder_lock_close(lock);
    return code;
}

rg_status rg_tensor_write_below(const rg_folder *folder, const char *name,
                                const rg_value *const *values, size_t n)
{
    const char *slash = strrchr(name, '/');
    if (slash == NULL)
        return write_into(folder, name, values, n);
    rg_folder *below = NULL;
    char *way = rg_strdup(name);
    if (way == NULL)
        return rg_no_memory(strlen(name), "a path");
    way[slash - name] = '\0';
    rg_status code = rg_folder_enter(&below, folder, way, true);
    if (code == RG_OK)
        code = write_into(below, slash + 1, values, n);
    if (code == RG_OK)
        code = rg_folder_sync_way(folder, name);
    if (code == RG_OK)
        code = rg_folder_sync(folder);
    rg_folder_close(below);
    rg_free(way);
    return code;
}

rg_status rg_tensor_write_file(const char *path, const rg_value *const *values, size_t n)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    rg_folder *folder;
    char *parent = rg_strdup(slash ? path : ".");
    if (parent == NULL)
        return rg_no_memory(strlen(path), "a path");
    if (slash != NULL)
        parent[slash == path ? 1 : slash - path] = '\0';
    rg_status code = rg_dir_make(parent);
    if (code == RG_OK)
        code = rg_folder_open(&folder, parent);
    rg_free(parent);
    RG_TRY(code);
    code = rg_tensor_write_below(folder, base, values, n);
    rg_folder_close(folder);
    return code;
}

/* ---- reading ---- */

static rg_status get(rg_source *source, void *bytes, size_t n)
{
    if (n > source->left)
        return rg_fail(RG_ECORRUPT, "the data ends %llu bytes early",
                       (unsigned long long)(n - source->left));
    RG_TRY(source->read(source->arg, bytes, n));
    source->left -= n;
    return RG_OK;
}

static rg_status get_u32(rg_source *source, uint32_t *value)
{
    uint8_t b[4];
    RG_TRY(get(source, b, sizeof b));
    return rg_cursor_u32(&(rg_cursor){b, sizeof b}, value);
}

static rg_status get_u64(rg_source *source, uint64_t *value)
{
    uint8_t b[8];
    RG_TRY(get(source, b, sizeof b));
    return rg_cursor_u64(&(rg_cursor){b, sizeof b}, value);
}

static rg_status skip(rg_source *source, uint64_t n)
{
    uint8_t *waste = rg_alloc(SKIP_BYTES);
    if (waste == NULL)
        return rg_no_memory(SKIP_BYTES, "skipping");
    rg_status code = RG_OK;
    while (n > 0 && code == RG_OK) {
        size_t part = n < SKIP_BYTES ? (size_t)n : SKIP_BYTES;
        code = get(source, waste, part);
        n -= part;
    }
    rg_free(waste);
    return code;
}

static rg_status expect_version(rg_source *source, const char *what)
{
    uint32_t version;
    RG_TRY(get_u32(source, &version));
    if (version != TENSOR_VERSION)
        return rg_fail(RG_ECORRUPT, "%s version %u, and only 0 is known", what, version);
    return RG_OK;
}

/* The TensorDesc: dtype and shape, checked, its data known to be there. */
static rg_status read_desc(rg_source *source, rg_dtype *dtype, rg_shape *shape)
{
    uint32_t size;
    uint8_t bytes[MAX_DESC_BYTES];
    RG_TRY(expect_version(source, "tensor"));
    RG_TRY(get_u32(source, &size));
    if (size > sizeof bytes)
        return rg_fail(RG_ETOOBIG, "a tensor description of %u bytes, over the limit of %zu", size,
                       sizeof bytes);
    RG_TRY(get(source, bytes, size));
    ProtobufCMessage *message = protobuf_c_message_unpack(
        &paddle__framework__proto__var_type__tensor_desc__descriptor, NULL, size, bytes);
    const Paddle__Framework__Proto__VarType__TensorDesc *desc = (const void *)message;
    if (desc == NULL)
        return rg_fail(RG_ECORRUPT, "the tensor description cannot be read");
    rg_status code = RG_OK;
    if (!rg_dtype_valid((int)desc->data_type))
        code = rg_fail(RG_ECORRUPT, "data type %d is not one of a tensor", (int)desc->data_type);
    else if (desc->n_dims > RG_MAX_DIMS)
        code = rg_fail(RG_ECORRUPT, "%zu dimensions, and at most %d are known", desc->n_dims,
                       RG_MAX_DIMS);
    for (size_t i = 0; code == RG_OK && i < desc->n_dims; i++) {
        shape->dim[i] = desc->dims[i];
        if (desc->dims[i] < 0)
            code = rg_fail(RG_ECORRUPT, "dimension %zu is %lld", i, (long long)desc->dims[i]);
    }
    if (code == RG_OK) {
        *dtype = (rg_dtype)desc->data_type;
        shape->rank = (int)desc->n_dims;
        size_t max = source->left > SIZE_MAX ? SIZE_MAX : (size_t)source->left;
        code = rg_shape_check(shape, rg_dtype_size(*dtype), max);
        if (code == RG_ETOOBIG) {
            char text[RG_SHAPE_TEXT];
            code = rg_fail(RG_ECORRUPT, "%s of shape %s was announced, and %llu bytes are left",
                           rg_dtype_name(*dtype), rg_shape_text(shape, text),
                           (unsigned long long)source->left);
        }
    }
    protobuf_c_message_free_unpacked(message, NULL);
    return code;
}

/* The LoD part. Levels come one by one, so each is read into a LoD of its own and
 * they are joined at the end. */
static rg_status read_lod(rg_source *source, rg_lod **out)
{
    uint64_t levels;
    RG_TRY(get_u64(source, &levels));
    if (levels > RG_MAX_LOD)
        return rg_fail(RG_ETOOBIG, "a LoD of %llu levels, over the limit of %d",
                       (unsigned long long)levels, RG_MAX_LOD);
    rg_lod *part[RG_MAX_LOD] = {NULL};
    size_t counts[RG_MAX_LOD];
    rg_status code = RG_OK;
    *out = NULL;
    for (uint64_t i = 0; i < levels; i++) {
        uint64_t bytes;
        RG_TRY_GOTO(code, get_u64(source, &bytes));
        if (bytes % sizeof(int64_t) != 0 || bytes == 0 || bytes > source->left) {
            code = rg_fail(RG_ECORRUPT, "LoD level %llu of %llu bytes, and %llu are left",
                           (unsigned long long)i, (unsigned long long)bytes,
                           (unsigned long long)source->left);
            goto done;
        }
        counts[i] = (size_t)(bytes / sizeof(int64_t));
        RG_TRY_GOTO(code, rg_lod_new(&part[i], 1, &counts[i]));
        RG_TRY_GOTO(code, get(source, part[i]->offset[0], (size_t)bytes));
    }
    if (levels > 0) {
        RG_TRY_GOTO(code, rg_lod_new(out, (int)levels, counts));
        for (uint64_t i = 0; i < levels; i++)
            memcpy((*out)->offset[i], part[i]->offset[0], counts[i] * sizeof(int64_t));
    }
done:
    for (uint64_t i = 0; i < levels; i++)
        rg_lod_release(part[i]);
    return code;
}

static rg_status read_into(rg_source *source, rg_value *fresh)
{
    rg_dtype dtype;
    rg_shape shape;
    rg_lod *lod = NULL;
    RG_TRY(expect_version(source, "LoDTensor"));
    RG_TRY(read_lod(source, &lod));
    fresh->meta.lod = lod;
    RG_TRY(read_desc(source, &dtype, &shape));
    if (lod != NULL)
        RG_TRY(rg_lod_check(lod, shape.rank > 0 ? shape.dim[0] : 1));
    RG_TRY(rg_value_resize(fresh, dtype, &shape));
    return get(source, fresh->data, rg_value_bytes(fresh));
}

/* What was read whole replaces what `value` held; its identity stays. */
static void replace(rg_value *value, rg_value *fresh)
{
    int refs = value->refs;
    rg_value_fini(value);
    *value = *fresh;
    value->refs = refs;
}

rg_status rg_tensor_read(rg_source *source, rg_value *value)
{
    rg_value fresh;
    rg_value_init(&fresh);
    rg_status code = read_into(source, &fresh);
    if (code != RG_OK) {
        rg_value_fini(&fresh);
        return code;
    }
    replace(value, &fresh);
    return RG_OK;
}

static rg_status read_rows_into(rg_source *source, rg_value *fresh)
{
    uint64_t n, height;
    rg_dtype dtype;
    rg_shape shape;
    rg_status code = RG_OK;
    RG_TRY(expect_version(source, "SelectedRows"));
    RG_TRY(get_u64(source, &n));
    if (n > source->left / sizeof(int64_t))
        return rg_fail(RG_ECORRUPT, "%llu rows were announced, and %llu bytes are left",
                       (unsigned long long)n, (unsigned long long)source->left);
    int64_t *rows = rg_alloc((size_t)n * sizeof *rows);
    if (rows == NULL)
        return rg_no_memory((size_t)n * sizeof *rows, "row numbers");
    RG_TRY_GOTO(code, get(source, rows, (size_t)n * sizeof *rows));
    RG_TRY_GOTO(code, get_u64(source, &height));
    RG_TRY_GOTO(code, read_desc(source, &dtype, &shape));
    if (height > INT64_MAX || shape.rank < 1 || shape.dim[0] != (int64_t)n) {
        code = rg_fail(RG_ECORRUPT, "%llu rows of a table of height %llu do not fit their values",
                       (unsigned long long)n, (unsigned long long)height);
        goto done;
    }
    for (uint64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= (int64_t)height) {
            code = rg_fail(RG_ECORRUPT, "row %lld of a table of height %llu", (long long)rows[i],
                           (unsigned long long)height);
            goto done;
        }
    shape.dim[0] = (int64_t)height;
    RG_TRY_GOTO(code, rg_value_resize_rows(fresh, dtype, &shape, (size_t)n));
    if (n > 0)
        memcpy(fresh->rows, rows, (size_t)n * sizeof *rows);
    code = get(source, fresh->data, rg_value_bytes(fresh));
done:
    rg_free(rows);
    return code;
}

rg_status rg_rows_read(rg_source *source, rg_value *value)
{
    rg_value fresh;
    rg_value_init(&fresh);
    rg_status code = read_rows_into(source, &fresh);
    if (code != RG_OK) {
        rg_value_fini(&fresh);
        return code;
    }
    replace(value, &fresh);
    return RG_OK;
}

rg_status rg_tensor_read_slice(rg_source *source, rg_value *value, int64_t seek,
                               const rg_shape *shape)
{
    rg_dtype dtype;
    rg_shape whole;
    rg_lod *lod = NULL;
    RG_TRY(expect_version(source, "LoDTensor"));
    RG_TRY(read_lod(source, &lod));
    rg_lod_release(lod);
    RG_TRY(read_desc(source, &dtype, &whole));
    int64_t n = rg_shape_numel(shape), all = rg_shape_numel(&whole);
    if (seek < 0 || n < 0 || n > all || seek > all - n)
        return rg_fail(RG_EINVAL, "elements %lld to %lld of a tensor that has %lld",
                       (long long)seek, (long long)(seek + n), (long long)all);
    size_t size = rg_dtype_size(dtype);
    RG_TRY(skip(source, (uint64_t)seek * size));
    RG_TRY(rg_value_resize(value, dtype, shape));
    rg_value_set_lod(value, NULL);
    return get(source, value->data, (size_t)n * size);
}
