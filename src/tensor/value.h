/* value.h - what a variable holds while a program runs.
 *
 * Mostly a tensor: dtype, shape, LoD and data. The same struct carries a sparse
 * gradient (RG_ROWS: `rows` names the rows of a [height, ...] tensor whose values
 * stand in `data`), an array of tensors (RG_ARRAY) and objects that ops keep for
 * themselves (readers, rank tables, the scopes of a loop).
 *
 * A value is counted; its storage is counted apart, so that tensors can share
 * memory. Counting may be done from any thread, everything else by one thread
 * at a time. */
#ifndef RG_TENSOR_VALUE_H
#define RG_TENSOR_VALUE_H

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/lod.h"
#include "tensor/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What can be known of a variable without its data. Shape rules see this much,
 * of a variable's description while a program is built (dimensions may be -1,
 * `lod` is NULL and lod_level says the depth) and of a value when it runs. */
typedef struct rg_meta {
    rg_kind kind;
    rg_dtype dtype;
    int lod_level;
    rg_shape shape; /* of RG_ROWS: [height, width ...], as if it were dense */
    rg_lod *lod;    /* counted; NULL: none */
} rg_meta;

/* Memory that tensors share. In a plan, values that are never alive together
 * share one `pooled` storage, which may therefore be replaced when it grows. */
typedef struct rg_storage {
    int refs; /* atomic */
    bool pooled;
    size_t bytes;
    void *data;
    struct rg_storage *whole;       /* not NULL: `data` is a part of this one, which is held */
    const struct rg_device *device; /* that gave the memory; NULL: the CPU (device.h) */
    void *host; /* a copy of another device's bytes, for the host: NULL, or owned */
    size_t host_bytes;
} rg_storage;

/* Rows of a tensor may be behind: updates that have been decided and are made before anyone
 * reads the row. Whoever reads the whole tensor settles it first. Several tensors that are
 * updated together share one. */
struct rg_value;
typedef struct rg_late rg_late;
struct rg_late {
    void (*settle)(rg_late *late);
    /* Those rows alone, for whoever reads no others; ids outside the tensor are passed over. Any
     * thread. */
    void (*settle_rows)(rg_late *late, const int64_t *ids, int64_t n);
    /* The value goes, or gets other contents from outside. */
    void (*leave)(rg_late *late, const struct rg_value *value);
    /* What `data` shows is right, and not the value's own memory: ops may read it as it is, who
     * writes to it settles it first. */
    bool readable;
};

/* How many there are in the process: while there are none, nobody need look. */
extern int rg_late_count;

typedef struct rg_value {
    rg_meta meta; /* first: a shape rule gets a pointer to it */
    int refs;     /* atomic */
    uint32_t tag; /* for its owner's use; 0 in a new one */
    void *data;   /* NULL: not set yet */
    rg_storage *storage;
    const struct rg_device *device; /* where its memory is had; NULL: the CPU (device.h) */
    /* RG_ROWS; duplicates allowed, in the order they came. Where the memory is a device's they
     * stand in it, behind the data, and cap_rows is 0: the host has no use for the address. */
    int64_t *rows;
    size_t n_rows, cap_rows;
    struct rg_value **items; /* RG_ARRAY; counted; NULL where not written */
    size_t n_items, cap_items;
    rg_late *late; /* NULL: every row is what it says */
    void *object;  /* other kinds: owned, ended by drop() */
    void (*drop)(void *object);
} rg_value;

/* With one reference, an empty RG_TENSOR of float32 and rank 0. */
rg_status rg_value_new(rg_value **value);
rg_value *rg_value_retain(rg_value *value);
void rg_value_release(rg_value *value); /* NULL is allowed */

/* Embedded values: init leaves an empty one, fini drops what it holds. */
void rg_value_init(rg_value *value);
void rg_value_fini(rg_value *value);

/* Make it a tensor of this dtype and shape. The data is not defined, but is the
 * old bytes where they still fit. The LoD stays. */
rg_status rg_value_resize(rg_value *value, rg_dtype dtype, const rg_shape *shape);
/* Make it RG_ROWS of `n` rows of the dense shape; rows and data are not defined. */
rg_status rg_value_resize_rows(rg_value *value, rg_dtype dtype, const rg_shape *dense, size_t n);
/* RG_ROWS loses its row numbers, and their memory where that is its own. */
void rg_value_drop_rows(rg_value *value);
/* Make item i of an RG_ARRAY exist. Borrowed until the array changes. */
rg_status rg_value_item(rg_value *array, size_t i, rg_value **item);
void rg_value_array_clear(rg_value *array);
/* Take over `object`; what was there is dropped. */
void rg_value_set_object(rg_value *value, rg_kind kind, void *object, void (*drop)(void *));

/* The LoD is retained; NULL for none. */
void rg_value_set_lod(rg_value *value, rg_lod *lod);

/* dst gets a copy of src: dtype, shape, LoD, data (or rows, or items). */
rg_status rg_value_copy(rg_value *dst, const rg_value *src);
/* dst gets src's shape, LoD and, sharing it, its memory. */
rg_status rg_value_share(rg_value *dst, const rg_value *src);
/* dst becomes a tensor of this shape that stands `offset` bytes into the memory of src, a tensor
 * with its type and memory of its own. What is written to one is seen in the other, until either
 * is made larger than its place. */
rg_status rg_value_share_part(rg_value *dst, const rg_value *src, size_t offset,
                              const rg_shape *shape);

/* Its memory moves to where it can be sent without a copy to processes of this host. Only a tensor
 * that nobody shares it with; where it cannot, nothing happens. */
void rg_value_lend(rg_value *value);

rg_status rg_storage_new(rg_storage **storage);
rg_storage *rg_storage_retain(rg_storage *storage);
void rg_storage_release(rg_storage *storage);
/* At least `bytes`; the content is lost where it grows. */
rg_status rg_storage_grow(rg_storage *storage, size_t bytes);

static inline int64_t rg_numel(const rg_value *value)
{
    return rg_shape_numel(&value->meta.shape);
}

static inline void rg_value_settle(const rg_value *value)
{
    if (__builtin_expect(value->late != NULL, 0))
        value->late->settle(value->late);
}

static inline void rg_value_settle_rows(const rg_value *value, const int64_t *ids, int64_t n)
{
    if (__builtin_expect(value->late != NULL, 0))
        value->late->settle_rows(value->late, ids, n);
}

/* Bytes of the data, RG_ROWS counted by its rows. */
size_t rg_value_bytes(const rg_value *value);

/* Elements in a row of RG_ROWS, or in one entry of dimension 0. */
int64_t rg_value_width(const rg_value *value);

#endif
