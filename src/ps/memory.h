/* memory.h - what tables may take of a server's memory, and what becomes of rows when it is short.
 *
 * A quota is a limit that one or several tables share. It counts what rows, their index and the
 * counts of admission take from the system. A table that needs more than there is refuses
 * (RG_ENOMEM, which names it), or lets rows go: those that were not used for longest, or least
 * often. With a disk they go there, and come back with their bits when they are next touched;
 * without one they are gone, and start anew.
 *
 * Which rows go is decided by the order of calls alone. Each time room is needed, eight times the
 * rows that shall go are looked at, all over the table and others each time, and of these the least
 * used go. So a table of few rows loses just its least used ones, and a large one about those,
 * without a list or a look at all rows. Tables that let rows go count them by what a row costs, and
 * not by what was taken, which depends on what was there before: the same rows put into another
 * process go on alike. What that may be off by is kept free (rg_quota_for_rows). */
#ifndef RG_PS_MEMORY_H
#define RG_PS_MEMORY_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a limit ---- */

typedef struct rg_quota {
    size_t limit; /* bytes */
    _Atomic size_t used;
    struct rg_table *tables; /* that let rows go; they have one owner then, and for these: */
    size_t cost;             /* of their rows */
} rg_quota;

/* False: it would be more than the limit, and nothing was taken. A quota may be NULL: no limit. */
bool rg_quota_take(rg_quota *quota, size_t bytes);
/* Taken already, whatever the limit; or given back. */
void rg_quota_note(rg_quota *quota, size_t before, size_t now);

/* In pieces of which size tables should take it. */
size_t rg_quota_slab(const rg_quota *quota);
/* How much of it rows may cost that can go. */
size_t rg_quota_for_rows(const rg_quota *quota);

/* ---- what becomes of rows ---- */

typedef enum rg_evict { RG_EVICT_NEVER, RG_EVICT_LRU, RG_EVICT_LFU } rg_evict;
/* "off", "lru", "lfu"; RG_EINVAL names `what`. */
rg_status rg_parse_evict(const char *what, const char *text, rg_evict *evict);

/* The settings of a server's tables, as the launcher and the flags have them: empty texts are not
 * given. RG_EINVAL names the one that is wrong, or missing. */
#define RG_TABLE_MEMORY "--table_memory (FLAGS_ps_table_memory)"
#define RG_TABLE_EVICT  "--table_evict (FLAGS_ps_table_evict)"
#define RG_TABLE_DISK   "--table_disk (FLAGS_ps_table_disk)"
rg_status rg_parse_table_memory(const char *memory, const char *evict, const char *disk,
                                size_t *bytes, rg_evict *how);

typedef struct rg_disk rg_disk; /* ps/disk.h */

typedef struct rg_table_keep {
    rg_quota *quota; /* NULL: no limit */
    rg_evict evict;  /* with a disk: by which rows go there; NEVER is LRU then */
    rg_disk *disk;   /* NULL: rows that go are gone */
    /* Called with rows that are gone; may be NULL. */
    void (*gone)(void *arg, const int64_t *ids, size_t n);
    void *arg;
} rg_table_keep;

#endif
