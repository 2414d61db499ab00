/* table_priv.h - a table's inside, for the files behind ps/table.h and ps/table_state.h.
 *
 * Whoever changes bytes of a row says so first, by rg_slabs_changing(): a snapshot may be under
 * way.
 *
 * table.c finds, makes and erases rows in memory; table_copy.c copies them; table_keep.c lets rows
 * go where memory is short, and brings those on disk back; table_state.c reads and puts back all
 * that a table has. */
#ifndef RG_PS_TABLE_PRIV_H
#define RG_PS_TABLE_PRIV_H

#include "ps/admission.h"
#include "ps/memory.h"
#include "ps/row_index_priv.h"
#include "ps/slabs_priv.h"
#include "ps/table.h"

#include <string.h>

enum {
    RG_TABLE_CHUNK = 256, /* rows that are found, then copied while they are in the cache */
    RG_TABLE_ID_BYTES = 8,
};

struct rg_table {
    rg_table_spec spec;
    char *name;
    uint64_t id_limit;
    size_t floats; /* of value and states */
    rg_row_index index;
    rg_slabs rows; /* each its id, value, states, counters, `used`; without padding */
    rg_table_keep keep;
    rg_entry_rule entry;
    rg_seen *seen;  /* ids without a row; NULL: every id gets one */
    size_t charged; /* of the quota */
    rg_table_use use;
    bool full; /* why a row was not made: the quota, and not the system */
    /* Where rows may go (keeps is true): */
    bool keeps;
    size_t used_at;      /* where in a row its use stands: RG_ROW_PINNED | when, or how often */
    uint32_t now;        /* calls that have used rows */
    size_t hand;         /* the next row to look at, by position */
    uint32_t disk_table; /* its number there */
    size_t n_cold;       /* rows that are on disk alone */
    rg_buf gone;         /* ids of rows that went, as long as changes are noted: i64 each */
    size_t n_holes;      /* places of rows that have not been put back yet */
    rg_table *next;      /* of the quota, whose rows may go for this one's */
};

#define RG_ROW_PINNED 0x80000000u /* wanted by the call that is under way: it does not go */

static inline void rg_table_note_use(rg_table *table, size_t lookups, size_t missing)
{
    table->use.lookups += lookups;
    table->use.hits += lookups - missing;
}

static inline float *rg_row_floats(const rg_table *table, rg_row_handle handle)
{
    return (float *)(void *)(rg_slabs_row(&table->rows, handle) + RG_TABLE_ID_BYTES);
}

static inline void rg_row_prefetch(const rg_table *table, rg_row_handle handle)
{
    enum { FETCH_BYTES = 512 }; /* of a row; the processor sees the rest coming */
    const uint8_t *row = rg_slabs_row(&table->rows, handle);
    size_t bytes = table->rows.row_bytes < FETCH_BYTES ? table->rows.row_bytes : FETCH_BYTES;
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(row + i, 1);
    __builtin_prefetch(row + bytes - 1, 1);
}

/* From the probe on; it ends at the row's cell. */
static inline rg_row_handle rg_table_search(const rg_table *table, rg_probe *probe, int64_t id)
{
    rg_row_handle handle;
    while ((handle = rg_probe_row(probe)) != RG_NO_ROW && rg_table_id(table, handle) != id)
        rg_probe_step(probe);
    return handle;
}

static inline rg_row_handle rg_table_look(const rg_table *table, int64_t id)
{
    rg_probe probe = rg_probe_begin(&table->index, rg_row_tag(id));
    return rg_table_search(table, &probe, id);
}

/* ---- table.c ---- */

rg_status rg_table_check_ids(const rg_table *table, const int64_t *ids, size_t n);
/* Rows in memory of valid ids. Returns how many are not there. */
size_t rg_table_find_valid(const rg_table *table, const int64_t *ids, size_t n,
                           rg_row_handle *handles);
/* Handles of valid ids; missing rows are made, or come from the disk. starts: with the values that
 * new rows have; else who calls it writes all of them. On failure no row was made. */
rg_status rg_table_touch_valid(rg_table *table, const int64_t *ids, size_t n,
                               rg_row_handle *handles, bool starts);
/* A place for an id that has no row in memory, of which only the id is set. Where the quota does
 * not allow it: RG_ENOMEM, and `full` is set. */
rg_status rg_table_place(rg_table *table, int64_t id, rg_row_handle *handle);
/* The same at a position that is free; where rows before it are missing, holes are left. */
rg_status rg_table_place_at(rg_table *table, int64_t id, uint32_t position, rg_row_handle *handle);
/* What a new row starts with. */
void rg_table_start_row(rg_table *table, int64_t id, rg_row_handle handle);
/* The row in memory goes; where there is none, nothing does. */
void rg_table_drop_row(rg_table *table, int64_t id);
/* Whether the row shall go; its counters become what `drop` makes of them. */
bool rg_table_asks(rg_table *table, rg_row_handle handle, rg_table_drop drop, void *arg);
/* The quota knows what the table has now. */
void rg_table_settle(rg_table *table);
/* RG_ENOMEM, in words: `more` rows do not fit. */
rg_status rg_table_too_full(const rg_table *table, size_t more);

/* ---- table_keep.c ---- */

rg_status rg_table_touch_kept(rg_table *table, const int64_t *ids, size_t n, rg_row_handle *handles,
                              bool create);
/* What rg_table_erase() and rg_table_erase_if() do on the disk; rows in memory are still there
 * after the first. */
rg_status rg_table_erase_kept(rg_table *table, const int64_t *ids, size_t n);
rg_status rg_table_erase_kept_if(rg_table *table, rg_table_drop drop, void *arg);

#endif
