/* table_state.h - everything that a table has, in chunks of bytes, and the reverse: for snapshots.
 *
 * A walk gives chunks; each says what it holds and of what shape, and can be put into any table of
 * that shape, also of another shard or server, which keeps the rows that are its own. Numbers are
 * little-endian. What is no row's and no table's (optimizers' counters, what geo trainers know) is
 * not in it.
 *
 * When. A walk is the table as it was when the walk was opened, whatever its owner does since: a
 * row that changes before it was given is copied aside first (slabs_priv.h). RG_WALK_DISK may be
 * walked by any thread; the others by the table's owner alone, who does other work between two
 * chunks. Of these there is one walk at a time.
 *
 * In what order. Rows are put back in any; a row in memory may have an older copy on disk, which
 * comes as `cold` and counts where there is no other. The clock, and counts, come last. */
#ifndef RG_PS_TABLE_STATE_H
#define RG_PS_TABLE_STATE_H

#include "base/buf.h"
#include "ps/table.h"

typedef struct rg_table_walk rg_table_walk;

enum {
    RG_WALK_DISK = 1,   /* rows on disk, ... */
    RG_WALK_MEMORY = 2, /* ... rows in memory, and the clock by which rows go, ... */
    RG_WALK_COUNTS = 4, /* ... how often ids were seen that have no row yet */
    RG_WALK_ALL = 7,
    /* For what has changed since an earlier walk, of tables that can note it: */
    RG_WALK_GONE = 8,     /* ids of rows that went: to be put before any row, */
    RG_WALK_CHANGES = 16, /* and of rows in memory only those that are new, or changed, */
    RG_WALK_NOTES = 32,   /* since the last that said this */
};

/* Whether every row stands in memory and what is in one does not depend on where. */
bool rg_table_can_note(const rg_table *table);
/* Whether all changes were noted since the last walk with RG_WALK_NOTES. It takes a bit for each
 * row; where there is no memory for it, or too many rows went, it ends by itself. */
bool rg_table_notes_changes(const rg_table *table);

/* By the owner. Owned; ended by close, which takes NULL too. */
rg_status rg_table_walk_open(rg_table_walk **walk, rg_table *table, int parts);
/* What is copied aside is at most about a sixteenth of the rows, or 4 MiB: where it comes to be
 * more than that before it is asked for, chunks of it are handed to spill(), in the call that
 * changes rows. Without this it waits, however much it is. */
typedef rg_status (*rg_table_spill)(void *arg, const uint8_t *chunk, size_t n);
void rg_table_walk_spills(rg_table_walk *walk, rg_table_spill spill, void *arg);
/* Appends one chunk of about `most` bytes, at least one row. *more is false where nothing was
 * left, and nothing was appended. */
rg_status rg_table_walk_next(rg_table_walk *walk, rg_buf *out, size_t most, bool *more);
void rg_table_walk_close(rg_table_walk *walk);
/* Of the rows in memory those that are still to come; whether what is copied aside has come to half
 * of what it may be. By the owner. */
size_t rg_table_walk_bytes(const rg_table_walk *walk);
bool rg_table_walk_presses(const rg_table_walk *walk);

typedef enum rg_chunk_kind {
    RG_CHUNK_ROWS = 1,
    RG_CHUNK_CLOCK,
    RG_CHUNK_COUNTS,
    RG_CHUNK_GONE, /* i64 ids */
} rg_chunk_kind;

/* A chunk, checked. A row: i64 id, (1 + n_states) * dim floats, n_counters u32, and where `used`
 * is set one u32 more, by which rows go; packed. Of counts: i64 id, u32 how often. Behind rows
 * their places among all rows may follow, u32 each, where it matters to which go. */
typedef struct rg_table_chunk {
    rg_chunk_kind kind;
    uint32_t n;
    int64_t dim;
    int n_states, n_counters;
    bool used;
    bool cold; /* from a disk: another row of that id is newer */
    size_t row_bytes;
    const uint8_t *rows;   /* borrowed; at no particular alignment */
    const uint8_t *places; /* as well; NULL: there are none */
} rg_table_chunk;

/* RG_ECORRUPT: its sizes are not those of a chunk. */
rg_status rg_table_chunk_read(rg_table_chunk *view, const uint8_t *chunk, size_t n);
/* Put what the chunk has into the table: rows of which `keep` (NULL: all) says so. RG_ESHAPE where
 * the table's rows are others; fewer or more counters are taken, the missing as 0. */
rg_status rg_table_put(rg_table *table, const uint8_t *chunk, size_t n,
                       bool (*keep)(void *arg, int64_t id), void *arg);

#endif
