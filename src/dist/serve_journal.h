/* serve_journal.h - what a server writes down before it answers, and how it goes on from it.
 *
 * The journal is a log of what was asked. Requests that change something are appended as they come,
 * before they are applied; so are trainers that come in. When the process is started again, its
 * peers are made again and the same requests are handed over in the same order, to the code that
 * applies requests: what comes of them, the values, how many pushes of whom have come, answers that
 * were not heard, is what it was. In sync the order of different trainers does not matter: a step
 * is of the pushes that wait when nobody else is waited for. In the other modes each push is
 * applied once, and the bits may differ where two trainers push the same.
 *
 * Reads change little: a row comes to be, is marked as used, makes the steps that it missed. Those
 * that did are noted after the fact, before they are answered.
 *
 * A snapshot (serve_state.c) is the beginning of a journal, and now and then a new one takes the
 * place of what is before it. */
#ifndef RG_DIST_SERVE_JOURNAL_H
#define RG_DIST_SERVE_JOURNAL_H

#include "dist/serve_members.h"
#include "dist/serve_notes.h"
#include "dist/serve_push.h"
#include "dist/serve_tables.h"
#include "ps/journal.h"
#include "ps/snapshot.h"
#include "ps/table_state.h"

/* While a snapshot is cut nothing is taken in. */
typedef struct rg_held_loop {
    bool holding;
    rg_rpc_request **requests; /* owned, in the order they came */
    size_t n, cap;
} rg_held_loop;

struct rg_serve_journal {
    rg_journal_mode mode;
    rg_folder *folder;
    rg_folder_lock *lock;
    uint64_t lineage;
    rg_snapshot_found snapshot; /* that it begins with */
    bool found;                 /* there was one: another process was here */
    rg_journal *journal;        /* NULL: not yet */
    atomic_bool replaying;      /* what comes is from the journal */
    uint64_t snapshot_ns,
        snapshot_bytes;   /* when the last one was taken; how large a whole one is */
    uint64_t last_number; /* of the last one; what was written to the journal since a whole one: */
    uint64_t since_whole;
    bool told_whole;            /* it was said that none can be a delta */
    uint64_t written_bytes;     /* how large the last one was */
    uint64_t snapshot_steps;    /* sync: steps that were made when the last was taken */
    int64_t n_deltas;           /* since then; -1: the next one is whole */
    pthread_t writer;           /* writes rows and brings it to the disk, ... */
    bool writing;               /* ... and is to be joined; the looking thread's */
    atomic_bool written, stop;  /* it is done; it shall be */
    double share;               /* of a core's time for it; as stop, set before it begins */
    rg_snapshot *unfinished;    /* the writer's meanwhile, with ... */
    struct rg_state_rows *rows; /* ... its rows at the cut */
    rg_held_loop held[RG_RPC_MAX_LOOPS]; /* each its loop's */
    rg_buf load;                         /* the body of LOAD, where a trainer sent the program */
    /* Of a job that has stopped (stopped.c): nothing is written, and of what was pushed only so
     * much is done that all servers have it; NULL: all of it. */
    bool looks;
    bool (*leaves_out)(void *arg, const rg_engine *s, const rg_record *record);
    void *leaves_out_arg;
};

/* Kinds of records, of the journal and of snapshots. docs/formats.md has their bodies. */
enum {
    RG_NOTED_JOIN = 1,
    RG_NOTED_REQUEST,
    RG_NOTED_GONE,
    RG_NOTED_ROWS,     /* as RG_PS_ROWS: those were looked up */
    RG_NOTED_CATCH_UP, /* u32 variable, i64 first, i64 n: those were read */
    RG_NOTED_LEASE,    /* what has become of a range of the data */
    RG_NOTED_SAVED,    /* u32 trainer, u32 of, u64 at: a file of SAVE was written */
    RG_STATE_ABOUT = 100,
    RG_STATE_PROGRAM,
    RG_STATE_VALUE,
    RG_STATE_TABLE, /* what a shard has of a table beside rows */
    RG_STATE_ROWS,
    RG_STATE_ENGINE,
    RG_STATE_MEMBER,
    RG_STATE_BEFORE, /* values before the last step */
    RG_STATE_SERVES, /* u64 seed, and the packed program, of a server that was born with one */
    RG_STATE_SPLIT,  /* of which variables these are parts */
    RG_STATE_LEASES, /* ranges of the data */
};

/* ---- serve_state.c ---- */

/* Which state it is, so that another job's, or one of another program, is not taken for it. */
void rg_state_write_about(const rg_engine *s, rg_buf *out);
/* Of that record: how many loops its server had; RG_EINVAL, saying why, where it is not ours.
 * *other: it is of another job. */
rg_status rg_state_read_about(const rg_engine *s, const rg_record *record, int *loops, bool *other);
/* All of it as it is now: no request is under way, and none is taken in. Of tables *rows (NULL:
 * there are none) has the rows, which are written by and by; owned, also where it failed. */
typedef struct rg_state_rows rg_state_rows;
rg_status rg_state_cut(rg_engine *s, rg_snapshot *snapshot, rg_state_rows **rows);
rg_status rg_state_write_values(const rg_shard *shard, rg_snapshot *to); /* in its loop */
/* The reverse, record by record; in opened() of the rpc server. */
rg_status rg_state_read(rg_engine *s, const rg_record *record);
/* Of RG_STATE_ABOUT. */
typedef struct rg_state_about {
    uint32_t id, trainers, loops;
} rg_state_about;
rg_status rg_state_get_about(const rg_record *record, rg_state_about *about, char **job);
/* Of RG_STATE_VALUE: the name is the caller's to free, the bytes are the record's. */
typedef struct rg_state_value {
    uint32_t shard;
    char *name;
    uint64_t offset; /* in bytes, of what the record has */
    rg_dtype dtype;
    rg_shape shape;
    const uint8_t *bytes;
    size_t n;
} rg_state_value;
rg_status rg_state_get_value(const rg_record *record, rg_state_value *value);
/* The value, where it is of the engine's own scope, into one that need not have it. */
rg_status rg_state_read_scope(rg_scope *scope, const rg_record *record);
/* Of RG_STATE_MEMBER: what is known of the trainer, into a member that rg_serve_close_member()
 * ends. */
rg_status rg_state_get_member(const rg_record *record, uint32_t trainers, uint32_t *number,
                              rg_member *member);

/* ---- serve_state_rows.c ---- */

rg_status rg_state_cut_shards(rg_engine *s, rg_snapshot *to, rg_state_rows **rows);
/* Whether all tables know what has changed since the last cut, so that a delta can be taken. */
bool rg_state_notes_changes(rg_engine *s);
/* In a thread that is no loop's, which holds no lock. share: of the time of one core it takes so
 * much; 1: as fast as it can. RG_ECLOSED: `stop` was set. */
rg_status rg_state_rows_write(rg_state_rows *rows, double share, const atomic_bool *stop);
void rg_state_rows_close(rg_state_rows *rows); /* the same; NULL is allowed */
rg_status rg_state_read_beside(rg_engine *s, const rg_record *record);
rg_status rg_state_read_before(rg_engine *s, const rg_record *record);
rg_status rg_state_read_rows(rg_engine *s, const rg_record *record);

/* ---- serve_snapshot.c ---- */

/* One that is being written is given up. */
void rg_serve_end_snapshot(rg_engine *s);

/* ---- serve_take_over.c ---- */

/* What a server without a journal of its own begins with, by the flags; in opened(). */
rg_status rg_serve_take_over(rg_engine *s);

/* ---- serve_split.c ---- */

/* Of which variables those of a server are parts: by name, and tables by number. */
typedef struct rg_split_part {
    char *name, *origin; /* "w.block1", "w"; owned */
    int64_t begin;       /* its first row there */
} rg_split_part;

typedef struct rg_split {
    rg_split_part *parts; /* of which more is known than their names say; owned */
    size_t n, n_vars;
    char **vars; /* by number of the schema; owned */
} rg_split;

rg_status rg_split_of(const rg_engine *s, rg_split *split);
void rg_split_fini(rg_split *split);
/* The record RG_STATE_SPLIT. */
void rg_split_write(const rg_split *split, rg_buf *out);
rg_status rg_split_read(rg_split *split, const rg_record *record);
/* Of a variable or a part of one. */
size_t rg_split_row_bytes(const rg_shape *shape, rg_dtype dtype);
/* The variable that this one is a part of, of so many characters, and where it begins there; one
 * that is in no list is "w" of "w.block3", or itself. */
const char *rg_split_origin(const rg_split *split, const char *name, size_t *length,
                            int64_t *begin);

/* ---- serve_journal.c ---- */

typedef struct rg_replayed {
    uint64_t records, next; /* how many; the number behind the last */
    uint64_t snapshot_ns;   /* how long the snapshot before them took */
} rg_replayed;
/* Snapshot and journal, to the end. */
rg_status rg_serve_replay(rg_engine *s, rg_replayed *out);

/* The body of RG_NOTED_REQUEST without that of the request. */
void rg_note_put_request(rg_buf *out, const rg_rpc_request *request);
/* Its body, at most RG_RECORD_PIECES - 1 pieces; how many. */
size_t rg_note_body(rg_rpc_request *request, rg_iov *pieces);
void rg_note_put_hello(rg_buf *out, uint64_t session, int loop, const rg_rpc_hello *hello);
rg_status rg_note_get_hello(rg_cursor *in, uint64_t *session, uint32_t *loop, rg_rpc_hello *hello);
/* A trainer comes in as it did. */
rg_status rg_note_recall(rg_engine *s, rg_cursor *in, rg_rpc_peer **peer);
/* A request as it came, in its peer's loop. first: it was never answered. */
rg_status rg_note_replay(rg_engine *s, const rg_record *record, bool first);

#endif
