/* disk.h - rows of tables that are not in memory: RocksDB in a folder.
 *
 * One for all tables of a server; each has a number. What is in it is for the life of the process
 * alone: it is a part of memory that happens to lie on a disk, without a log of its own, and a
 * server that comes back begins with an empty one (snapshots and the journal have the rows). The
 * library is loaded when the first is opened, so that nothing else needs it.
 *
 * Threads: reading and writing may be done from many at once. */
#ifndef RG_PS_DISK_H
#define RG_PS_DISK_H

#include "base/status.h"
#include "ps/memory.h"

/* In the folder `path`, which is made, and emptied where an earlier process has left something.
 * `memory`: how many bytes it may take for what it caches and has not yet written. RG_EIO where
 * another process has it. */
rg_status rg_disk_open(rg_disk **disk, const char *path, size_t memory);
/* NULL is allowed. The folder's files go. */
void rg_disk_close(rg_disk *disk);
/* A number for one more table. */
uint32_t rg_disk_new_table(rg_disk *disk);

/* Put n rows of `bytes` each; rows[i] is the row of ids[i]. All or none. */
rg_status rg_disk_write(rg_disk *disk, uint32_t table, const int64_t *ids,
                        const uint8_t *const *rows, size_t n, size_t bytes);
/* Those of n rows that there are, found[i] for each, into rows + i * bytes. */
rg_status rg_disk_read(rg_disk *disk, uint32_t table, const int64_t *ids, size_t n, size_t bytes,
                       uint8_t *rows, bool *found);
rg_status rg_disk_erase(rg_disk *disk, uint32_t table, const int64_t *ids, size_t n);
rg_status rg_disk_clear(rg_disk *disk, uint32_t table);

/* All rows of a table by growing id, as they are when it is opened, whatever happens then. Any
 * thread, one at a time. */
typedef struct rg_disk_walk rg_disk_walk;
rg_status rg_disk_walk_open(rg_disk_walk **walk, const rg_disk *disk, uint32_t table);
/* Borrowed until the next call. *row is NULL at the end. */
rg_status rg_disk_walk_next(rg_disk_walk *walk, int64_t *id, const uint8_t **row, size_t *bytes);
void rg_disk_walk_close(rg_disk_walk *walk);

#endif
