/* protocol.h - the bodies of the parameter server's requests and replies (docs/protocol.md).
 *
 * Numbers are little-endian. A push has all counts and numbers of variables in front, so that
 * its whole layout is checked before a float of it is read; payloads begin at multiples of
 * 8 bytes of the body, which itself is aligned. */
#ifndef RG_DIST_PROTOCOL_H
#define RG_DIST_PROTOCOL_H

#include "base/buf.h"
#include "base/status.h"
#include "dist/payload.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "rpc/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rg_ps_method {
    RG_PS_SCHEMA = 1, /* -> the variables of this server */
    RG_PS_PULL,       /* numbers of variables -> their values */
    RG_PS_ROWS,       /* ids of tables -> their rows */
    RG_PS_PUSH,       /* gradients, and what is wanted back -> that */
    RG_PS_GET,        /* a name -> a variable as a tensor file, or a part of it */
    RG_PS_BARRIER,    /* a name -> nothing, when all trainers have come */
    RG_PS_REDUCE,     /* a name and numbers -> the same over all trainers */
    RG_PS_LEAVE,      /* -> nothing: this trainer is done */
    RG_PS_FAIL,       /* why -> nothing: this trainer has failed */
    RG_PS_PROGRAM,    /* the digest of the program that is trained -> nothing, where all agree */
    RG_PS_STATS,      /* how far a trainer is -> how far all are (stats.h) */
    RG_PS_SET,        /* a name and a tensor -> nothing: the variable's new value */
    RG_PS_SHRINK,     /* a table and a number -> rows that went, untouched for so many calls */
    RG_PS_CLEAR,      /* a table -> how many rows it had; it has none now */
    RG_PS_SAVE,       /* a folder and a table -> rows that the server wrote there of its part */
    RG_PS_POST,       /* a message to another trainer -> whether there was room for it */
    RG_PS_FETCH,      /* how many messages it has -> those behind them */
    RG_PS_WAITS,      /* -> text: whom the server waits for */
    RG_PS_LOAD,       /* a startup and a main program -> nothing: the server runs them */
    RG_PS_RESUME,     /* -> how far this trainer was; or: with which pushes it goes on */
    RG_PS_PEEK,       /* as ROWS, and changes nothing */
    RG_PS_DEAL,       /* files -> how far the reading of them is: this trainer takes part in it */
    RG_PS_LEASE,      /* ranges that are done, and whether one is wanted -> one */
    RG_PS_RANGE,      /* a range, and its generation -> how many examples of it have come */
    RG_PS_IDLE,       /* -> nothing: this trainer has no data now, and takes no part in steps */
    RG_PS_ENTER,      /* 0 -> from which step on it can take part; or: that it does */
    RG_PS_SYNC,       /* -> nothing, when what was answered before is on the server's disk */
};

enum {
    RG_PS_MAX_NAME = 4096,
    RG_PS_MAX_VARS = 1 << 20,
    RG_PS_MAX_THREADS = 1024, /* of a trainer, that push each for itself */
    RG_PS_ALIGN = 8,
    RG_PS_GET_BYTES = 16 << 20,   /* of rows in one answer to GET, unless one row alone has more */
    RG_PS_MAX_TAGS = 1024,        /* of a push */
    RG_DEAL_MAX_RANGES = 1 << 20, /* of one reading */
};

/* ---- the variables of a server ---- */

typedef struct rg_ps_var {
    char *name, *grad;          /* "w.block0", "w@GRAD.block0"; owned */
    int64_t begin, rows, width; /* rows begin .. begin + rows - 1 of the whole variable */
    bool table;                 /* is pulled and pushed by rows */
} rg_ps_var;

typedef struct rg_ps_schema {
    uint32_t mode, trainers;
    rg_ps_var *vars; /* owned */
    size_t n;
} rg_ps_schema;

/* "PULL"; "?" for a number that is none. */
const char *rg_ps_method_name(uint16_t method);

void rg_ps_schema_write(rg_buf *out, const rg_ps_schema *schema);
rg_status rg_ps_schema_read(rg_ps_schema *schema, const uint8_t *bytes, size_t n);
void rg_ps_schema_fini(rg_ps_schema *schema);

/* ---- pushes ---- */

typedef struct rg_push_rows {
    uint32_t var, n;
    const int64_t *ids; /* of the whole variable */
    const float *rows;
} rg_push_rows;

/* Examples `from` .. `to` - 1 of a range of leased data (dist/deal.h). */
typedef struct rg_push_tag {
    uint32_t reading, range, generation;
    uint64_t from, to;
} rg_push_tag;

typedef struct rg_push {
    uint64_t step; /* which push of this thread of the trainer it is, from 0 */
    uint32_t n_dense, n_sparse, n_pull;
    uint64_t position; /* batches that the thread has trained on, with those of this push */
    uint16_t thread;
    bool taken; /* the trainer has the answer to the push of this thread before this one */
    const uint32_t *dense; /* numbers of variables; their gradients stand in `values` */
    const float **values;  /* n_dense; arena of the reader */
    rg_push_rows *sparse;  /* n_sparse */
    const uint32_t *pull;  /* whose values are wanted back */
    rg_push_tag *tags;     /* n_tags; which examples it is of; none where they are not leased */
    uint32_t n_tags;
} rg_push;

struct rg_arena;
/* The pointers go into `bytes`, which must be aligned to 8 and outlive it, and into the arena;
 * values that do not travel as floats become floats there, and those that do are not read.
 * RG_ECORRUPT, saying what is wrong, for whatever does not fit the schema to the byte, and where a
 * variable is pushed or wanted twice. */
rg_status rg_push_read(rg_push *push, struct rg_arena *arena, const rg_ps_schema *schema,
                       rg_payload payload, const uint8_t *bytes, size_t n);

/* What a push is, and nothing of what is in it. */
rg_status rg_push_read_head(rg_push *push, const uint8_t *bytes, size_t n);
/* How many bytes stand before its payloads; not more than `n`. */
size_t rg_push_head_bytes(const rg_push *push, size_t n);

/* The head of a push: everything before the payloads, padded. Not signed yet. */
void rg_push_write_head(rg_buf *out, uint64_t step, const uint32_t *dense, uint32_t n_dense,
                        const uint32_t *sparse, const uint32_t *sparse_n, uint32_t n_sparse,
                        const uint32_t *pull, uint32_t n_pull);

/* Into a head that stands at the beginning of the buffer. */
void rg_push_sign(rg_buf *head, int thread, bool taken, uint64_t position);
/* Behind such a head, once, after it is signed. */
void rg_push_tag_with(rg_buf *head, const rg_push_tag *tags, uint32_t n);

static inline size_t rg_ps_padded(size_t n)
{
    return (n + RG_PS_ALIGN - 1) / RG_PS_ALIGN * RG_PS_ALIGN;
}

/* ---- leased data (protocol_leases.c) ---- */

/* The files of a reading, the same for all trainers. */
typedef struct rg_deal_plan {
    uint32_t reading; /* which one of the job it is, from 0 */
    uint32_t n_files;
    uint64_t digest;      /* of their names, in their order, and of what else decides on examples */
    uint64_t range_bytes; /* 0: a file is a range */
    const uint64_t *sizes; /* 0: cannot be cut */
} rg_deal_plan;

/* A range: the lines that begin in bytes begin .. end - 1 of the file; all where both are 0. */
typedef struct rg_lease {
    uint32_t range, generation, file;
    uint64_t begin, end;
} rg_lease;

typedef struct rg_lease_done {
    uint32_t range, generation;
    uint64_t rows;
} rg_lease_done;

typedef struct rg_lease_ask {
    uint32_t reading;
    bool wants;      /* a range */
    uint64_t ticket; /* which request for one of this process it is */
    rg_lease_done *done;
    uint32_t n_done;
} rg_lease_ask;

/* How far a reading is. */
typedef struct rg_pass_state {
    uint32_t ranges, done;
    uint32_t returned; /* ranges that came back, of trainers that were gone; each time counts */
    uint64_t rows;     /* examples of those that are done */
    bool over;         /* all of them are */
} rg_pass_state;

void rg_deal_plan_write(rg_buf *out, const rg_deal_plan *plan);
/* `sizes` is the caller's to free, also after a failure. */
rg_status rg_deal_plan_read(rg_deal_plan *plan, const uint8_t *bytes, size_t n);
void rg_lease_ask_write(rg_buf *out, const rg_lease_ask *ask);
/* `done` is the caller's to free, also after a failure. */
rg_status rg_lease_ask_read(rg_lease_ask *ask, const uint8_t *bytes, size_t n);
struct rg_cursor;
void rg_pass_state_write(rg_buf *out, const rg_pass_state *is);
rg_status rg_pass_state_read(struct rg_cursor *in, rg_pass_state *is);
/* The answer to what was asked; not given: the lease says nothing. */
void rg_lease_given_write(rg_buf *out, bool given, const rg_lease *lease, const rg_pass_state *is);
rg_status rg_lease_given_read(const uint8_t *bytes, size_t n, bool *given, rg_lease *lease,
                              rg_pass_state *is);

/* ---- rows that are asked for ---- */

/* {u32 variable, u32 n, i64 ids[n]} one after the other. */
typedef struct rg_rows_wanted {
    uint32_t var, n;
    const int64_t *ids;
} rg_rows_wanted;

rg_status rg_wanted_read(const uint8_t **at, size_t *left, const rg_ps_schema *schema,
                         rg_rows_wanted *wanted);

/* ---- tensors and text ---- */

struct rg_value;
/* {u32 dtype, u32 rank, u64 dimensions}; the elements follow it. */
void rg_ps_put_tensor_head(rg_buf *out, rg_dtype dtype, const rg_shape *shape);
/* The head and the elements, to the end of the bytes. */
struct rg_cursor;
rg_status rg_ps_get_tensor_head(struct rg_cursor *in, rg_dtype *dtype, rg_shape *shape);
rg_status rg_ps_get_tensor(const uint8_t *bytes, size_t n, struct rg_value *value);

/* Characters of the name of the variable that this one is a slice of, "w" of "w.block3"; of one
 * that is none all of them. */
size_t rg_ps_whole(const char *name);
/* Whether `name` is the variable `whole` or a slice of it, "whole.blockN". */
bool rg_ps_is_part_of(const char *name, const char *whole);

void rg_ps_put_text(rg_buf *out, const char *text);
struct rg_cursor;
/* Owned by the caller; RG_ECORRUPT where it is longer than RG_PS_MAX_NAME. */
rg_status rg_ps_get_text(struct rg_cursor *in, char **text);

/* ---- what the trainer's script changes ---- */

/* In front of SET, SHRINK, CLEAR and SAVE: which call of the script this is a request of, and how
 * many requests, to whichever servers, that call is made of. Calls have the same numbers when the
 * script is run again, also with other servers, which have other parts. {u32 call, from 1, u32
 * requests} */
typedef struct rg_ps_change {
    uint32_t call, requests;
} rg_ps_change;

void rg_ps_change_write(rg_buf *out, const rg_ps_change *change);
rg_status rg_ps_change_read(struct rg_cursor *in, rg_ps_change *change);

/* ---- parts of tables in files ---- */

/* "Write what you keep of this table to that folder." {name folder, name table} */
typedef struct rg_ps_save {
    char *folder, *table; /* owned */
} rg_ps_save;

void rg_ps_save_write(rg_buf *out, const char *folder, const char *table);
/* RG_ECORRUPT for what is no such body, RG_EINVAL where the folder is empty, a control character
 * stands in either, or the table's name leads out of the folder. */
rg_status rg_ps_save_read(rg_ps_save *save, const uint8_t *bytes, size_t n);
void rg_ps_save_fini(rg_ps_save *save);

/* ---- the programs of a server ---- */

/* Two packed programs. {u64 bytes, u64 bytes, the one, the other} */
typedef struct rg_ps_load {
    const uint8_t *startup, *main;
    size_t n_startup, n_main;
} rg_ps_load;

/* What stands before the programs. */
void rg_ps_load_write_head(rg_buf *out, size_t n_startup, size_t n_main);
/* The pointers go into `bytes`. RG_ECORRUPT for what is no such body, and an empty program. */
rg_status rg_ps_load_read(rg_ps_load *load, const uint8_t *bytes, size_t n);

#endif
