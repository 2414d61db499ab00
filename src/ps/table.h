/* table.h - the rows of a sparse parameter that one shard of a server keeps.
 *
 * A table maps ids to rows. A row is a value of `dim` floats, the optimizer's states
 * (columns of `dim` floats each, e.g. two for adam) and a few counters. The table stores;
 * what a gradient does to a row is its caller's business. A row exists from its first
 * touch on, and starts from (key, id) alone: on any number of servers a row starts with
 * the very bits that the initialiser op gives row `id` of the whole tensor.
 *
 * Rows are found once and then used by handle:
 *
 *     RG_TRY(rg_table_touch(table, ids, n, handles, NULL));
 *     rg_table_read(table, handles, n, values, states);
 *     ... the optimizer ...
 *     rg_table_write(table, handles, n, values, states);
 *
 * A handle stays valid until rows are erased (erase, erase_if, clear); making rows moves
 * none. Where rows may go when memory is short (ps/memory.h) it is valid until the next call that
 * touches, brings or gathers rows of any table that shares the memory. Ids of a batch may repeat:
 * they get the same handle, and of several writes to one row the last stays.
 *
 * Memory: rows stand in slabs of at most 4 MiB (a row larger than that has its own), the
 * index in segments of 2 MiB that split one at a time. So a table grows in small steps, never
 * all at once. A row takes 8 bytes for its id, 4 for each float and counter, and 14 to 17 for
 * the index.
 *
 * Threads: a table has one owner. Functions that take it const may run on many threads
 * at once while nobody changes it; nothing here locks.
 *
 * A cut in time, for a snapshot while updates go on, is a walk of table_state.h. While there is
 * one, a row is copied aside before it first changes: so functions that hand out rows to be changed
 * (rows, row, counters) are for who changes them, and row_const and counters_const for who looks.
 */
#ifndef RG_PS_TABLE_H
#define RG_PS_TABLE_H

#include "base/philox.h"
#include "base/status.h"
#include "sys/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_table rg_table;

enum {
    RG_TABLE_MAX_DIM = 1 << 20, /* floats in a value */
    RG_TABLE_MAX_STATES = 8,
    RG_TABLE_MAX_COUNTERS = 4,
};

/* How the value of a new row is made, and by which op a whole tensor is. */
typedef enum rg_table_start {
    RG_START_CONSTANT,         /* a everywhere: fill_constant */
    RG_START_UNIFORM,          /* from [a, b): uniform_random */
    RG_START_NORMAL,           /* mean a, deviation b: gaussian_random */
    RG_START_TRUNCATED_NORMAL, /* the same within two deviations */
    RG_START_VALUES,           /* as in `values`; a where they have no such row: assign_value */
} rg_table_start;

typedef struct rg_table_spec {
    const char *name; /* for messages; copied */
    int64_t dim;
    int n_states;
    float state_start[RG_TABLE_MAX_STATES]; /* what each state of a new row is filled with */
    int n_counters;                         /* u32 each, 0 in a new row */
    int64_t height;                         /* ids are below it; -1: any id >= 0 */
    rg_table_start start;
    float a, b;
    rg_philox_key key;   /* of random starts, as rg_start_key() gives it */
    const float *values; /* n_values rows from id `first_value` on; borrowed */
    int64_t first_value, n_values;
    const struct rg_table_keep *keep;  /* ps/memory.h; copied. NULL: memory without a limit */
    const struct rg_entry_rule *entry; /* ps/admission.h; copied. NULL: every id gets a row */
} rg_table_spec;

/* Owned; ended by rg_table_close(), which takes NULL too. */
rg_status rg_table_open(rg_table **table, const rg_table_spec *spec);
void rg_table_close(rg_table *table);

/* As opened, but for `name`, which is the table's own. Borrowed until it is closed. */
const rg_table_spec *rg_table_about(const rg_table *table);
size_t rg_table_size(const rg_table *table);      /* rows, */
size_t rg_table_in_memory(const rg_table *table); /* and those that are not on disk */
size_t rg_table_bytes(const rg_table *table);     /* taken from the system: rows and index */
/* The bytes that a row of this kind takes, its share of the index included, at the most. */
size_t rg_table_row_cost(const rg_table *table);

/* Since it was opened: ids that were looked for, those of them whose row was in memory, and rows
 * that left it for others. */
typedef struct rg_table_use {
    uint64_t lookups, hits, evicted;
} rg_table_use;
rg_table_use rg_table_use_of(const rg_table *table);

/* ---- rows by id ---- */

typedef uint32_t rg_row_handle;
#define RG_NO_ROW UINT32_MAX

/* All functions with ids: RG_EVALUE, naming table, id and height, where one is negative or
 * not below the height; then nothing has changed. RG_ENOMEM: the table is whole; rows made before
 * the system's memory ran out remain, with their start values; where it was the quota that did
 * not allow it (the message says so), none was made. */

/* Handles of the rows in memory; RG_NO_ROW for those that are not there. */
rg_status rg_table_find(const rg_table *table, const int64_t *ids, size_t n,
                        rg_row_handle *handles);
/* The same, and missing rows are made. *created (may be NULL): how many were. */
rg_status rg_table_touch(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                         size_t *created);
/* As find, and rows on disk come to memory first. None is made. */
rg_status rg_table_bring(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles);

/* Before rows are touched to change them: which of the ids (admitted[i]) may have one, and have it
 * or get it when they are touched. `counts`: the others are counted. */
rg_status rg_table_admit(rg_table *table, const int64_t *ids, size_t n, bool counts,
                         bool *admitted);
/* What a row that is not there reads as: dim floats, as it would start, or zeros where a push would
 * not let its id in. */
void rg_table_start_value(const rg_table *table, int64_t id, float *value);

/* values [n, dim] and states[k] [n, dim] of the rows. `states` or one of its entries may be
 * NULL: not wanted. A row that is not there reads as rg_table_start_value() says; with `create` it
 * is made. */
rg_status rg_table_gather(rg_table *table, const int64_t *ids, size_t n, bool create, float *values,
                          float *const *states);
/* gather without `create`, a large batch shared out over the pool (NULL: on this thread). For
 * tables without a disk, as read_dense is. */
rg_status rg_table_gather_shared(const rg_table *table, rg_pool *pool, const int64_t *ids, size_t n,
                                 float *values, float *const *states);
/* Put rows, making those that are missing: training's write-back, and loading. States that
 * are not given stay as they are, or start as a new row's do. (`states` is only read.) */
rg_status rg_table_scatter(rg_table *table, const int64_t *ids, size_t n, const float *values,
                           float *const *states);

/* ---- rows by handle ---- */

/* RG_NO_ROW reads as zeros and is passed over when writing. `values` may be NULL too. */
void rg_table_read(const rg_table *table, const rg_row_handle *handles, size_t n, float *values,
                   float *const *states);
void rg_table_write(rg_table *table, const rg_row_handle *handles, size_t n, const float *values,
                    float *const *states);
/* value += scale * row i of grads [n, dim], in order: plain SGD with scale = -rate. */
void rg_table_add_scaled(rg_table *table, const rg_row_handle *handles, size_t n,
                         const float *grads, float scale);

/* Where rows stand, none of them RG_NO_ROW, and (may be NULL) their counters; they are fetched
 * into the cache. A row is the value, then the states, (1 + n_states) * dim floats. Borrowed until
 * rows are erased. */
void rg_table_rows(rg_table *table, const rg_row_handle *handles, size_t n, float **rows,
                   uint32_t **counters);
/* One row in place, not RG_NO_ROW: the value, then the states, (1 + n_states) * dim floats,
 * aligned to 4 bytes. Borrowed until rows are erased. */
float *rg_table_row(rg_table *table, rg_row_handle handle);
const float *rg_table_row_const(const rg_table *table, rg_row_handle handle);
int64_t rg_table_id(const rg_table *table, rg_row_handle handle);
/* n_counters numbers; NULL where the table has none. */
uint32_t *rg_table_counters(rg_table *table, rg_row_handle handle);
const uint32_t *rg_table_counters_const(const rg_table *table, rg_row_handle handle);
/* Fetch rows that will be used soon into the cache. */
void rg_table_prefetch(const rg_table *table, rg_row_handle handle);

/* ---- all rows ---- */

/* Handles of rows first .. first + n - 1 in memory, in storage order, which is the order they were
 * made in until rows are erased. Returns how many there are (0: no more). */
size_t rg_table_list(const rg_table *table, size_t first, size_t n, rg_row_handle *handles);
/* Ids of all rows (rg_table_size() of them), growing, so that equal tables are saved alike. Takes
 * 32 bytes a row meanwhile. */
rg_status rg_table_ids(const rg_table *table, int64_t *ids);
/* Rows first .. first + n - 1 of the dense tensor, missing rows as they would start. */
rg_status rg_table_read_dense(const rg_table *table, int64_t first, size_t n, float *values);

/* ---- fewer rows ---- */

/* *erased (may be NULL): how many of the ids were there. */
rg_status rg_table_erase(rg_table *table, const int64_t *ids, size_t n, size_t *erased);
/* Of these rows, those that are as they were made: what a refused request has made of them. */
rg_status rg_table_unmake(rg_table *table, const int64_t *ids, size_t n);
/* Erase the rows of which `drop` says so; *erased says how many. `drop` may change the counters
 * (to age them; of rows on disk it sees a copy), and must not touch the table. */
typedef bool (*rg_table_drop)(void *arg, int64_t id, uint32_t *counters);
rg_status rg_table_erase_if(rg_table *table, rg_table_drop drop, void *arg, size_t *erased);
/* No rows, and their memory given back. */
rg_status rg_table_clear(rg_table *table);

#endif
