/* snapshot.h - the whole state of a server at one moment, in a file of records (records.h).
 *
 * ckpt-NUMBER has all that the records of the journal below that number have made. It is written
 * beside its name, flushed, and then given it, so that it is whole or not there; its last record
 * says how many there are. The last two are kept: where the newest is damaged, that is said, and
 * the one before it counts, with the journal since.
 *
 * delta-NUMBER has what is another since the one that it goes on from, which is a whole one or a
 * delta. It counts like a whole one, as long as all that it goes on from are whole; deltas stay as
 * long as the whole one that they go on from. */
#ifndef RG_PS_SNAPSHOT_H
#define RG_PS_SNAPSHOT_H

#include "ps/records.h"

typedef struct rg_snapshot rg_snapshot;

enum {
    RG_SNAPSHOTS_KEPT = 2,
    RG_DELTAS_MAX = 64, /* one behind the other */
    RG_RECORD_END = 0x7ffffff1,
    RG_RECORD_LAST = 0x7ffffff2, /* what follows is of the newest alone */
};

/* ---- writing ---- */

/* Owned; ended by finish() or abandon(). The folder is borrowed. */
rg_status rg_snapshot_begin(rg_snapshot **snapshot, const rg_folder *folder, uint64_t lineage,
                            uint64_t number);
/* A delta, from what has the number `base`, a smaller one. */
rg_status rg_snapshot_begin_delta(rg_snapshot **snapshot, const rg_folder *folder, uint64_t lineage,
                                  uint64_t number, uint64_t base);
bool rg_snapshot_is_delta(const rg_snapshot *snapshot);
/* Any thread. After a failure all others fail, too. */
rg_status rg_snapshot_add(rg_snapshot *snapshot, uint32_t kind, const rg_iov *pieces, size_t n);
/* The same, but behind all others, whenever they come: it is kept until the end. Where a delta goes
 * on from this one it is not read. */
rg_status rg_snapshot_add_last(rg_snapshot *snapshot, uint32_t kind, const rg_iov *pieces,
                               size_t n);
/* Much follows: it is written past the system's cache (rg_file_gather). */
void rg_snapshot_gather(rg_snapshot *snapshot);
uint64_t rg_snapshot_bytes(rg_snapshot *snapshot);
/* What there is so far is on the disk: a little at a time, so that others who write need not wait
 * for much. */
rg_status rg_snapshot_sync(rg_snapshot *snapshot);
/* On the disk under its name; older ones than the two last go. *oldest is the number of the oldest
 * that is kept: the journal is needed from there on. */
rg_status rg_snapshot_finish(rg_snapshot *snapshot, uint64_t *oldest);
void rg_snapshot_abandon(rg_snapshot *snapshot); /* NULL is allowed */

/* ---- reading ---- */

/* One that is there. */
typedef struct rg_snapshot_found {
    uint64_t lineage, number;
    bool delta; /* beside which there may be a whole one of that number */
} rg_snapshot_found;

/* The newest that is whole, all of it checked. Those that are damaged are said, with file and
 * offset. RG_ENOENT: there is none at all; RG_ECORRUPT: none that is whole. */
rg_status rg_snapshot_newest(const rg_folder *folder, rg_snapshot_found *found);
/* The same, and the records are seen on the way: those of damaged ones, too, before the others. */
rg_status rg_snapshot_see(const rg_folder *folder,
                          rg_status (*each)(void *arg, const rg_record *record), void *arg,
                          rg_snapshot_found *found);
/* The same as rg_snapshot_newest() of those whose number is smaller. */
rg_status rg_snapshot_before(const rg_folder *folder, uint64_t below, rg_snapshot_found *found);
/* Of a delta also all that it goes on from, which comes first. */
rg_status rg_snapshot_read(const rg_folder *folder, const rg_snapshot_found *found,
                           rg_status (*each)(void *arg, const rg_record *record), void *arg);

#endif
