/* tensor_io.h - tensors as bytes, exactly as Paddle's files have them.
 *
 *   LoDTensor     u32 0 | u64 levels | per level: u64 bytes, u64 offsets ... | Tensor
 *   SelectedRows  u32 0 | u64 rows | i64 row ... | i64 height | Tensor
 *   Tensor        u32 0 | i32 size | TensorDesc | raw data
 *
 * all little-endian. A reader believes no length: what is declared must be there,
 * in the bytes that are left, before memory is asked for. */
#ifndef RG_TENSOR_TENSOR_IO_H
#define RG_TENSOR_TENSOR_IO_H

#include "base/status.h"
#include "sys/file.h"
#include "sys/folder.h"
#include "tensor/value.h"

/* Where bytes come from: a file, or memory. */
typedef struct rg_source {
    rg_status (*read)(void *arg, void *bytes, size_t n);
    void *arg;
    uint64_t left;
} rg_source;

rg_source rg_source_file(rg_file *file);
/* `cursor` is borrowed while the source is used. */
struct rg_cursor;
rg_source rg_source_memory(struct rg_cursor *cursor);

/* Where they go. */
typedef struct rg_sink {
    rg_status (*write)(void *arg, const void *bytes, size_t n);
    void *arg;
} rg_sink;

rg_sink rg_sink_file(rg_file *file);
rg_sink rg_sink_buf(rg_buf *buf);

/* A tensor, or RG_ROWS, of `value`. */
rg_status rg_tensor_write(rg_sink *sink, const rg_value *value);

/* The values one behind the other in a file, whose folders are made. It is written beside its
 * place, flushed and renamed, so that it is the old one or the new one whatever happens. */
rg_status rg_tensor_write_file(const char *path, const rg_value *const *values, size_t n);
/* The same at `name` below the folder, where no link is followed. */
rg_status rg_tensor_write_below(const rg_folder *folder, const char *name,
                                const rg_value *const *values, size_t n);

/* On failure `value` holds what it held, or nothing; never half of the new. */
rg_status rg_tensor_read(rg_source *source, rg_value *value);
rg_status rg_rows_read(rg_source *source, rg_value *value);

/* Element offset `seek` and shape of a slice: as rg_tensor_read, of this part only. */
rg_status rg_tensor_read_slice(rg_source *source, rg_value *value, int64_t seek,
                               const rg_shape *shape);

#endif
