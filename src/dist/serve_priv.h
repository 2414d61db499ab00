/* serve_priv.h - a server's inside: its variables, its trainers, the step that is being made.
 *
 * serve.c opens and ends it; commands.c takes requests; serve_members.c knows who has come;
 * serve_vars.c knows the variables, serve_whole.c
 * reads and sets them; serve_rows.c the tables, serve_row_steps.c how their rows move; serve_step.c
 * gathers what trainers push; serve_rendezvous.c lets trainers wait for each other; serve_save.c
 * writes parts of tables to files, serve_tasks.c does so outside the loop; serve_wait.c says whom
 * all wait for; serve_load.c takes the program where there is none yet. serve_shards.c says who
 * owns which variable, and how a request goes over several owners. serve_return.c knows trainers
 * that died and come back; serve_leases.c deals data to trainers, serve_elastic.c knows jobs whose
 * trainers come and go.
 *
 * Who owns what. Values are in shards, each owned by a loop: only that loop's thread reads or
 * writes them, so they need no lock. What belongs to a trainer (its counts of pushes) is its peer's
 * loop's. Two locks are for the rest. `lock` guards who waits for whom: steps, rendezvous,
 * statistics, messages, the program that comes late. It is held for moments, never while values are
 * computed or copied, and async pushes and look-ups do not take it at all. `members` guards who has
 * come and how it ends; it is taken inside the other, so that the acceptor, which answers
 * heartbeats and lets in, never waits for work. No loop waits for another: see serve_shards.c. */
#ifndef RG_DIST_SERVE_PRIV_H
#define RG_DIST_SERVE_PRIV_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/cursor.h"
#include "dist/mode.h"
#include "dist/block_plan.h"
#include "dist/deal.h"
#include "dist/serve.h"
#include "dist/protocol.h"
#include "ops/past.h"
#include "ps/geo_rows.h"
#include "ps/admission.h"
#include "ps/memory.h"
#include "ps/table.h"
#include "rpc/server.h"
#include "sys/latch.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct rg_engine rg_engine;
typedef struct rg_shard rg_shard;
typedef struct rg_pushing rg_pushing;
typedef struct rg_server_task rg_server_task;
typedef struct rg_task_queue rg_task_queue;
typedef enum rg_task_queue_number {
    RG_QUEUE_COPIES,
    RG_QUEUE_DISK,
    RG_QUEUES
} rg_task_queue_number;

/* The optimizer of a table whose rows it moves where they stand (serve_row_steps.c). */
typedef struct rg_row_stepper rg_row_stepper;
/* What tables may take of memory (serve_memory.c). */
typedef struct rg_table_memory rg_table_memory;

/* A variable that trainers push to and pull from; number i of the schema. */
typedef struct rg_served {
    rg_shard *shard; /* whose it is */
    const rg_ps_var *about;
    const rg_opdesc *op; /* its optimizer; NULL in geo */
    rg_plan *update;     /* NULL in geo, and where rows move in place */
    rg_value *param;     /* of the scope; NULL: a table of rows */
    int block;           /* its optimizer's, ... */
    size_t first_op;     /* ... from this op on: what comes before merges gradients */
    bool only_reads;     /* it is one op, which reads the gradient and does not write it */
    /* A table: */
    bool grows;
    bool in_place; /* the optimizer moves rows where they stand, ... */
    bool later;    /* ... and those that a step does not name make it later */
    bool spread;   /* every shard has some of its rows (rg_shard_of), and one of these */
    rg_table *table;
    const char *columns[1 + RG_TABLE_MAX_STATES]; /* the parameter and its states, by name */
    int state_of[1 + RG_TABLE_MAX_STATES]; /* which state of the optimizer's definition each is */
    int n_columns;
    rg_row_stepper *stepper; /* NULL: geo, or the block is run on copies of the rows: */
    rg_value *staged[1 + RG_TABLE_MAX_STATES]; /* of the plan */
    rg_scope *stage;
    rg_past *past; /* steps that idle rows make later; NULL: they make none */
    bool noticed;  /* a read has changed it since this was last cleared (serve_journal.h) */
    uint32_t age;  /* how often the table was shrunk: rows know when they were last touched */
    rg_geo_rows *changed; /* geo */
    uint64_t *told;       /* geo, by trainer: how far what it was told last goes */
    size_t gone;          /* rows for which there was no memory */
    rg_entry_rule entry;  /* which ids get a row */
    /* DC-ASGD: what each trainer was sent last. */
    rg_value **sent;
    /* Sync, where trainers may come back: values before the last step, of a table those of the rows
     * that it changed (serve_return.c); owned. */
    bool has_before; /* dense: the last step has changed it */
    float *before;
    int64_t *before_ids; /* growing */
    size_t n_before, cap_before;
} rg_served;

/* Counters of a row. */
enum { RG_ROW_SEEN, RG_ROW_STEP, RG_ROW_COUNTERS };

typedef struct rg_rendezvous {
    rg_rpc_request *request; /* NULL: not waiting */
    uint32_t kind;           /* RG_PS_BARRIER or RG_PS_REDUCE */
    uint32_t op;             /* 0 sum, 1 max, 2 min */
    char *name;              /* owned */
    uint32_t type;           /* of the numbers: 0 f64, 1 i64 */
    const uint8_t *numbers;  /* of the request's body */
    size_t n;
} rg_rendezvous;

/* One that is over, and what came of it. */
typedef struct rg_meeting {
    uint32_t kind;
    char *name;   /* owned */
    void *result; /* owned */
    size_t n_result;
    bool forgotten; /* the result: there were too many */
} rg_meeting;

/* What a trainer told last of how far it is. */
typedef struct rg_reported {
    bool has;
    uint64_t rows, batches;
    double seconds, loss_sum;
    int64_t *bins; /* positives, then negatives; owned */
    size_t n_bins;
} rg_reported;

/* Messages for a trainer (serve_messages.c). */
typedef struct rg_message rg_message;
typedef struct rg_inbox {
    rg_message *first, *end;
    size_t bytes;
    uint64_t taken; /* messages that the trainer is known to have */
    uint64_t *ends; /* by sender: last messages of shuffles that came; NULL: none */
} rg_inbox;

typedef struct rg_member {
    /* `members` guards these; what is written once is read without by those it has come to: */
    bool joined;
    bool left; /* written under both locks */
    bool here; /* counted in `present` */
    bool lost; /* and `left`: it is gone for good, without having finished */
    _Atomic uint64_t session, epoch;
    uint32_t incarnation;
    rg_rpc_peer *peer;    /* of the session; kept, while it is here */
    int loop;             /* of every session of it: `pushed` and the like belong to that */
    uint64_t away_ns;     /* since when it is gone, and may come back; 0: it is not */
    char how[400];        /* it went */
    _Atomic(char *) who;  /* "trainer 1 (pid 4711 on host a)"; never freed before the end */
    struct rg_who *names; /* all that it has had; owned */
    /* the engine's: */
    _Atomic uint64_t asked_ns; /* its last request */
    atomic_bool fetches;       /* which was for messages: it has nothing else to do */
    _Atomic uint64_t n_pushes; /* all that have come */
    rg_pushing *waiting;       /* sync: its push of this step */
    /* its peer's loop's: */
    uint64_t *pushed;    /* by thread of the trainer: how many of its pushes have come; owned */
    uint64_t *positions; /* by thread: batches that were in them, as the last of them said; owned */
    size_t n_pushed;
    uint64_t *before;         /* by thread: the position before the last push; owned */
    _Atomic uint8_t *refused; /* by thread, RG_PS_MAX_THREADS: the last push was; owned */
    uint64_t seen_epoch;      /* of the session that has asked last; written under the lock */
    uint64_t asked, changed;  /* SET, SHRINK, ...: asked for in this session; done in all of them */
    bool shuffled;            /* an earlier session has taken part in global shuffles */
    bool leased;              /* its examples are: its pushes say which they are of */
    bool behind; /* it computes its last step here once more, and is given what was before that */
    /* the engine's: */
    bool idle;              /* it has nothing to train on now, and takes no part in steps */
    uint64_t met;           /* rendezvous of this session that are over */
    rg_rpc_request *resume; /* RESUME, until the push that waits has made its step */
    rg_rendezvous rendezvous;
    rg_reported stats;
    rg_inbox inbox;
    uint64_t n_posted; /* messages that it has left here */
} rg_member;

/* ---- shards (serve_shards.c) ---- */

/* A request, or whatever else, that goes over several shards: part() is called in the loop of each,
 * and when the last of them is through, there, done() is, which may free it. */
typedef struct rg_spread rg_spread;
typedef struct rg_spread_part {
    rg_task task;
    rg_spread *spread;
    rg_shard *shard;
} rg_spread_part;

struct rg_spread {
    rg_engine *engine;
    rg_status (*part)(rg_spread *spread, rg_shard *shard);
    void (*done)(rg_spread *spread);
    atomic_int left;     /* parts that are not through */
    atomic_int failures; /* of the parts; for done() there is the first of them: */
    rg_status code;
    char why[512];
    rg_latch *latch;       /* of who waits for the end of it; NULL: nobody does */
    rg_spread_part *parts; /* one for each shard, behind the whole */
};

typedef uint64_t rg_shard_set; /* by bits: RG_RPC_MAX_LOOPS of them */
enum { RG_EVERY_SHARD = -1 };

/* Of ids, or rows, those that are one shard's: numbers of them, growing. */
typedef struct rg_some {
    const uint32_t *at; /* NULL: all */
    uint32_t n;
} rg_some;

struct rg_shard {
    rg_engine *engine;
    int number;
    rg_loop *loop; /* its owner */
    /* The first has the engine's. Others have one below it, with copies of the few variables that
     * an update or the schedule changes beside rows: all shards change theirs alike. */
    rg_scope *scope;
    rg_plan *schedule; /* NULL: a constant rate */
    rg_arena scratch;  /* for a part of a request */
    rg_served *vars;   /* by number; opened are those that it owns, and its rows of tables */
    /* Pushes that are over, whose memory is used again; any loop puts them back. */
    pthread_mutex_t spare_lock;
    rg_pushing *spare;
    int n_spare;
};

struct rg_engine {
    const rg_opdesc *desc; /* listen_and_serv; NULL: its program has not come yet */
    const rg_program *program;
    rg_scope *scope;
    rg_program *sent;      /* the program, where trainer 0 sent it; owned, as the scope then is */
    bool typed;            /* a command's options say how many trainers there are */
    rg_serve_group *group; /* of the servers of this process; NULL: it is the only one */
    rg_rpc_request **held; /* that came before the program; owned */
    size_t n_held, cap_held;
    char who[64];        /* "pserver 0" */
    const rg_mode *mode; /* NULL: its program has not come yet */
    bool dc_asgd;
    bool sums; /* sync: gradients are summed over trainers, and not averaged */
    int id;
    rg_ps_schema schema;
    rg_shard *shards;
    int n_shards;
    rg_table_memory *memory; /* owned */
    int *owners;             /* by variable: a shard, or RG_EVERY_SHARD; owned */
    bool scheduled;
    bool keeps_before;   /* values before the last step */
    atomic_bool ready;   /* the program is there */
    atomic_bool closing; /* whatever comes is refused */
    atomic_int spreads;  /* that are under way */
    rg_spread *step;     /* sync: the step that is being made; owned */
    bool stepping;       /* of `lock`; while it is, these are read by all shards: */
    rg_pushing **taking; /* who takes part, by number; room for all trainers; owned */
    int took_part;
    rg_rpc_server *rpc;
    rg_arena arena;               /* for its life */
    rg_arena scratch;             /* for a request, under `lock` */
    struct rg_serve_facts *facts; /* (serve_watch.c) NULL: nobody watches */
    uint64_t told_ns,
        told_pushes; /* when news were told last, and how many had come (serve_log.c) */
    pthread_mutex_t lock, members;
    pthread_cond_t change; /* of `members` */
    rg_member *trainers;   /* schema.trainers of them */
    uint8_t digest[RG_RPC_DIGEST_BYTES];
    bool has_digest;
    bool guarded; /* whoever comes in has the job's key */
    /* of `members`; what ends it is written under both locks: */
    int present;          /* connections of trainers that have not said goodbye */
    uint32_t turned_away; /* trainers that know an earlier process in this one's place */
    char stale[512];      /* what the first of them was told; "": there is none */
    bool ended;
    atomic_int refusing; /* `failed`, once `why` can be read without a lock */
    rg_status failed;    /* why it ended: RG_OK when all trainers have left */
    char why[1024];
    uint64_t steps, rendezvous;       /* that were made */
    struct rg_serve_journal *journal; /* NULL: what it has goes with the process */
    int loops;                        /* as many as the journal says; 0: it says nothing */
    char port[16];                    /* of one that is typed */
    /* Rendezvous that are over, in their order; `lock`. Owned. */
    rg_meeting *meetings;
    size_t n_meetings, cap_meetings, first_kept, meeting_bytes;
    rg_deals *deals;     /* data that is dealt to trainers; owned */
    int64_t elastic;     /* trainers come and go, and so many must come: FLAGS_ps_elastic; 0: all */
    atomic_int n_joined; /* trainers that have ever come */
    uint64_t alone_ns;   /* since when all trainers are lost; 0: they are not */
    char last_lost[512]; /* the trainer that was done without last, and how it went; of `lock` */
    rg_task_queue *queues[RG_QUEUES];
    pthread_t workers[RG_QUEUES];
    /* of the thread that waits for the end: */
    uint64_t progress, held_ns, tell_ns; /* since when nothing moves; when to say so */
};

/* ---- the program, where it comes later (serve_load.c) ---- */

/* The engine of this listen_and_serv, over the scope. On failure it has no program. */
rg_status rg_serve_adopt(rg_engine *s, const rg_opdesc *listen, rg_scope *scope);
/* Check the programs of others, run the one and adopt the other. On failure nothing has changed. */
rg_status rg_serve_take(rg_engine *s, const rg_ps_load *load);
/* RG_PS_LOAD. Whether the program is there now: what was held can be answered. */
bool rg_serve_load(rg_engine *s, const rg_member *trainer, rg_rpc_request *request);
/* Until the program is there. */
void rg_serve_hold(rg_engine *s, rg_rpc_request *request);
/* The next that was held; NULL: none is left. */
rg_rpc_request *rg_serve_next_held(rg_engine *s);
/* While there is no program: says who shall send it, and gives up. */
void rg_serve_look_for_program(rg_engine *s);
void rg_serve_whose_program(rg_engine *s, rg_buf *out);

/* ---- its life (serve.c) ---- */

void rg_serve_init(rg_engine *s);
rg_status rg_serve_open_trainers(rg_engine *s, int trainers);
void rg_serve_close(rg_engine *s);

/* ---- shards (serve_shards.c) ---- */

/* As many as there shall be loops: FLAGS_ps_loops, or what suits this host. Without variables. */
rg_status rg_serve_open_shards(rg_engine *s, int servers_here);
void rg_serve_close_shards(rg_engine *s);
/* Event of the rpc server: the loops run. Goes on where an earlier process ended. */
rg_status rg_serve_loops_run(void *user, rg_rpc_server *server);
void rg_serve_do_nothing(void *arg);
/* Nothing that comes is taken any more, and what was taken is through. */
void rg_serve_drain(rg_engine *s);

/* Which of n shards has the row, of a table that is in all of them. */
static inline int rg_shard_of(int64_t id, int n)
{
    /* The upper half of a product: the index of rows uses other mixes of the same bits. */
    uint64_t mixed = ((uint64_t)id + 1) * 0x9e3779b97f4a7c15u;
    return (int)((mixed >> 32) * (uint64_t)n >> 32);
}

static inline bool rg_served_is_mine(const rg_served *var, int64_t id)
{
    return !var->spread || rg_shard_of(id, var->shard->engine->n_shards) == var->shard->number;
}

/* The variable in its shard; of one in all shards, the first's. */
rg_served *rg_serve_var(rg_engine *s, size_t number);
rg_shard_set rg_serve_owners(const rg_engine *s, size_t number);
rg_shard_set rg_serve_all_shards(const rg_engine *s);
/* Which shard changes the variable of the scope, or would. */
rg_shard_set rg_serve_owners_of(const rg_engine *s, const char *name);

/* Zeros, of `bytes` with the spread in front; freed by rg_free(). NULL: no memory. */
void *rg_spread_new(rg_engine *s, size_t bytes);
/* From any thread; in its own loop a part is done at once. `shards` may be empty. */
void rg_spread_start(rg_spread *spread, rg_shard_set shards,
                     rg_status (*part)(rg_spread *spread, rg_shard *shard),
                     void (*done)(rg_spread *spread));
/* The same for a thread that is no loop and holds no lock, until all are through: then the first
 * failure of a part comes back, with its message. */
rg_status rg_spread_wait(rg_spread *spread, rg_shard_set shards,
                         rg_status (*part)(rg_spread *spread, rg_shard *shard));
/* In the loop of whoever asked, at once where that is here: rg_serve_answer(). */
void rg_serve_answer_there(rg_engine *s, rg_rpc_request *request);

/* ---- the journal (serve_journal.c) ---- */

/* By the flags; a state that is found decides how many loops there are. */
rg_status rg_serve_open_journal(rg_engine *s);
void rg_serve_close_journal(rg_engine *s);
uint64_t rg_serve_lineage(const rg_engine *s); /* 0: it has no journal */
/* The loops run, nobody has come: the state as it was, or the first snapshot of a new one. */
rg_status rg_serve_go_on(rg_engine *s);
/* Before it is applied. False: it could not be written, is refused, and the job is over. */
bool rg_serve_note_request(rg_engine *s, rg_rpc_request *request);
bool rg_serve_is_noted(uint16_t method); /* commands.c */
/* What comes is from the journal, and was let in before. */
bool rg_serve_is_replaying(const rg_engine *s);
rg_status rg_serve_note_join(rg_engine *s, const rg_rpc_peer *peer, const rg_rpc_hello *hello);
void rg_serve_note_gone(rg_engine *s, uint64_t session);
/* Reads that have changed something: a request for rows; rows first .. first + n - 1 of a variable,
 * n < 0: all that there are. */
rg_status rg_serve_note_rows(rg_engine *s, const uint8_t *body, size_t n);
rg_status rg_serve_note_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n);
/* The body of LOAD, for snapshots. */
rg_status rg_serve_keep_program(rg_engine *s, const uint8_t *body, size_t n);
/* Nothing is under way any more. For a thread that is no loop's. */
void rg_serve_settle(rg_engine *s);

/* ---- snapshots (serve_snapshot.c) ---- */

/* Now, in a thread that is no loop's and holds no lock. */
rg_status rg_serve_snapshot(rg_engine *s);
/* A few times a second: where it is time for one. */
void rg_serve_look_at_journal(rg_engine *s);
/* Whether the request waits for one, which has it now. */
bool rg_serve_waits_for_snapshot(rg_engine *s, rg_rpc_request *request);

/* ---- variables (serve_vars.c) ---- */

rg_status rg_serve_open_vars(rg_engine *s);
void rg_serve_close_vars(rg_engine *s);
/* Apply a gradient of a variable that is no table; `trainer` pushed it. */
rg_status rg_serve_update(rg_served *var, const float *grad, int trainer);
/* *grad is where the gradient goes (NULL: nothing uses it); then `update` is to be run. */
rg_status rg_serve_gradient(rg_served *var, float **grad);

/* ---- which shard has what (serve_deal.c) ---- */

/* By shards[0].vars, which say what the program says of each. */
rg_status rg_serve_deal(rg_engine *s);
rg_status rg_serve_open_scopes(rg_engine *s, int schedule);
/* How many pushes of a trainer have come, where a schedule counts them. */
#define RG_PUSHES_COUNTED "@LR_DECAY_COUNTER@.trainer_%u"

/* ---- what tables may take of memory (serve_memory.c) ---- */

/* By the flags, when it is known which shard has what; closed when all tables are. */
rg_status rg_serve_open_memory(rg_engine *s);
void rg_serve_close_memory(rg_engine *s);
/* A line for each table: what its rows take, and whether they fit. */
void rg_serve_forecast(rg_engine *s);
/* For the table's opening. */
rg_table_keep rg_serve_keep(rg_engine *s, rg_served *var);
/* A table that is a dense parameter takes as much. */
rg_status rg_serve_take_memory(rg_engine *s, const rg_served *var, size_t bytes);
/* Whether rows may go, so that look-ups make none. */
bool rg_serve_rows_may_go(const rg_engine *s);
/* RG_ENOMEM where rows that were loaded have gone. */
rg_status rg_serve_check_loaded(const rg_served *var);
/* Before a push is applied: false, there is room for its rows; true, it is seen to that there is,
 * and then the mode has it, or that it is refused. */
bool rg_serve_reserve(rg_engine *s, rg_pushing *p);
/* The rows that a refused request has made go again. */
rg_status rg_serve_unmake(rg_shard *shard, uint32_t var, const int64_t *ids, const rg_some *some);

/* ---- requests for them as a whole (serve_whole.c) ---- */

void rg_serve_get_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_set_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* As a read of these rows does, n < 0: of all. */
rg_status rg_serve_catch_up(rg_engine *s, size_t var, int64_t first, int64_t n);
void rg_serve_shrink(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- tables (serve_rows.c) ---- */

/* What its optimizer does with rows. alone: its block is the optimizer's op and nothing else. */
rg_status rg_served_describe(rg_engine *s, rg_served *var, bool alone);
/* Whether each of its rows moves by itself, so that they may be in several shards. */
bool rg_served_can_spread(const rg_engine *s, const rg_served *var);
/* A table whose rows come to be, or, where every step moves every row, a dense parameter in its
 * place (`table` is NULL then). What was loaded into the scope stays there until all shards have
 * their rows of it. */
rg_status rg_served_open(rg_engine *s, rg_served *var);
void rg_served_forget_loaded(rg_engine *s, const rg_served *var);
void rg_served_close(rg_served *var);
/* Rows by ids, checked: the i-th becomes row at[i] of `out` (NULL: row i). */
rg_status rg_served_pull(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);
/* The same, and nothing is changed: rows do not come to be, are not touched, and make the steps
 * that they have missed when they will be read (the bits of that depend on when). */
rg_status rg_served_peek(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);
/* Whether rows with these ids may be. Any thread. */
rg_status rg_served_check(const rg_served *var, const int64_t *ids, size_t n);
/* Handles of the rows with these ids, which come to be, and are noted as touched. */
rg_status rg_served_touch(rg_served *var, const int64_t *ids, size_t n, rg_row_handle *handles);
/* Drop the rows that were not touched since the last `unseen` calls of this, or all; how many. */
rg_status rg_served_shrink(rg_served *var, uint32_t unseen, uint64_t *rows);
rg_status rg_served_clear(rg_served *var, uint64_t *rows);
/* Give all rows of a column new values. */
rg_status rg_served_set(rg_served *var, int column, const float *rows);
/* Those of rows first .. first + n - 1 of a column that are this shard's, each in its place of what
 * the dense variable would hold. */
rg_status rg_served_dense(rg_served *var, int column, int64_t first, int64_t n, float *out);
/* What such a read does to rows, and rg_served_copy() of all where n is negative. */
rg_status rg_served_read_all(rg_served *var, int64_t first, int64_t n);
/* Geo: rows for a trainer to hear of, which is no use of them: one that was dropped stays so. */
rg_status rg_served_tell(rg_served *var, const int64_t *ids, size_t n, float *out);
/* Geo: the trainer has the rows that it was told last, or: it has gone. */
void rg_served_heard(rg_served *var, int trainer);
void rg_served_left(rg_served *var, int trainer);
/* How many rows there are, and their ids, growing. */
size_t rg_served_size(const rg_served *var);
rg_status rg_served_ids(const rg_served *var, int64_t *ids);
/* As rg_served_pull(), and no use of the rows: those that are not there do not come to be. */
rg_status rg_served_copy(rg_served *var, const int64_t *ids, const uint32_t *at, size_t n,
                         float *out);

/* ---- how rows move (serve_row_steps.c) ---- */

/* The optimizer's op, for rows that it moves where they stand. */
rg_status rg_served_open_stepper(rg_engine *s, rg_served *var);
/* Apply gradients; ids checked, ascending, each once. In geo: add differences. */
rg_status rg_served_push(rg_engine *s, rg_served *var, const int64_t *ids, size_t n, float *grads);
/* Rows that were idle make the steps that they have missed: before they are read. */
void rg_served_catch_up(rg_served *var, const rg_row_handle *handles, size_t n);

/* ---- rows by shard (serve_shards.c) ---- */

/* For each shard (n_shards of them) those that it has; the numbers are the arena's. */
rg_status rg_rows_by_shard(const rg_engine *s, uint32_t var, rg_arena *arena, const int64_t *ids,
                           uint32_t n, rg_some *out);

/* ---- pushes (serve_push.c) ---- */

/* A push, or a pull, from its coming to its answer. */
struct rg_pushing {
    rg_spread spread;
    rg_pushing *next; /* of those that are spare */
    rg_shard *home;   /* of the loop that it came in */
    rg_task task;
    rg_rpc_request *request;
    rg_member *trainer; /* NULL: a pull */
    rg_arena arena;
    rg_push push;
    rg_some *rows;     /* [tables of the push][shards] */
    bool came;         /* before: it is answered, and not applied */
    bool before;       /* a pull of one that is behind */
    rg_status refused; /* since there is no memory for its rows (serve_memory.c) */
    rg_payload back;   /* what the answer is in */
    uint8_t *values;   /* that are wanted, each padded; owned */
    size_t n_values;   /* bytes */
    void *mine;        /* the mode's */
};

void rg_serve_push(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* So many threads of it push; more than before. */
rg_status rg_serve_count_threads(rg_member *trainer, size_t n);
/* Whether gradients are read where the trainer lends them, which it leaves as they are until it is
 * answered (exchange.c). The body of such a request has gaps. */
bool rg_serve_reads_lent(void *engine, const rg_frame *frame);
/* For modes: each shard applies its part when it comes, and the last answers. */
void rg_serve_at_once(rg_engine *s, rg_pushing *p);
/* The rows of a push that are the shard's. */
rg_status rg_serve_apply_rows(rg_shard *shard, const rg_pushing *p);
/* The answer is given, or refused: its memory is for the next. Any thread. */
void rg_pushing_end(rg_pushing *p);
rg_pushing *rg_pushing_begin(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_free_spare(rg_shard *shard);

/* ---- gradients of several trainers as one (serve_merge.c) ---- */

typedef struct rg_merge_part {
    const rg_push_rows *rows;
    rg_some some;
} rg_merge_part;

/* Those of them that shard has of table number i of the push; false: none ever. */
bool rg_pushing_rows(const rg_pushing *p, uint32_t i, const rg_shard *shard, rg_merge_part *part);
/* Rows in ascending order, each once, times `scale`; in the shard's scratch. */
rg_status rg_merge_pushed(rg_shard *shard, const rg_merge_part *parts, int n_parts, int64_t width,
                          float scale, int64_t **ids, float **grads, size_t *n);
/* (found[0] + found[1] + ...) * scale, added in this order. */
void rg_merge_values(float *to, const float *const *found, int count, float scale, int64_t n);

/* ---- handing out (serve_pull.c) ---- */

void rg_serve_pull(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_rows(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* What a request for rows does beside its answer. */
rg_status rg_serve_look_up(rg_engine *s, const uint8_t *body, size_t n);
void rg_refuse_with_message(rg_rpc_request *request, rg_status code);
rg_payload rg_payload_asked(const rg_rpc_request *request);
/* Memory for the values that are wanted back, and those of them that the shard has. */
rg_status rg_pushing_make_room(rg_pushing *p);
void rg_pushing_copy_values(rg_pushing *p, const rg_shard *shard);
/* The answer, with the values. */
void rg_pushing_reply_values(rg_pushing *p);

/* ---- steps (serve_step.c) ---- */

/* Whoever was waited for may have come or gone: make the step, if all others are there. Without
 * the lock. */
void rg_serve_try_step(rg_engine *s);
/* For modes: one step of the pushes in `taking`, by all shards; then done(s->step). */
void rg_serve_make_step(rg_engine *s, void (*done)(rg_spread *spread));
/* The values as they stand, which nothing changes until all who wait for them have them; in the
 * loop of the trainer. The push is over then. */
void rg_serve_reply_still(rg_engine *s, rg_pushing *p);

/* ---- rendezvous (serve_rendezvous.c) ---- */

void rg_serve_rendezvous(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_try_rendezvous(rg_engine *s);

/* ---- trainers that come back (serve_return.c) ---- */

/* Whether one that is gone may come back: FLAGS_ps_return_seconds. */
bool rg_serve_waits_for_return(void);
/* In its loop, before each request: where it is of another session than the last one. */
void rg_serve_new_session(rg_engine *s, rg_member *trainer);
/* Counts a request that changes something; true: it was done for an earlier session. */
bool rg_serve_was_done(rg_member *trainer);
void rg_serve_resume(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* A push has failed on its way through the shards, and some may have applied their part: where its
 * trainer could be started again and make it again, the job has failed. Without the lock. */
void rg_serve_fail_half(rg_pushing *p);
/* Pushes that were refused do not count any more: they are made again. In its loop. */
void rg_serve_take_back_refused(rg_member *trainer);
/* A push was refused, and nothing of it has been applied. Any thread. */
void rg_serve_note_refused(rg_pushing *p);
/* The push that RESUME waited for has made its step. With the lock. */
void rg_serve_tell_resuming(rg_engine *s, rg_member *trainer);
/* Rendezvous that are over; with the lock. meet_again: whether it was one, and is answered. */
void rg_serve_keep_meeting(rg_engine *s, const rg_rendezvous *of, const void *result, size_t n);
bool rg_serve_meet_again(rg_engine *s, rg_member *trainer, const rg_rendezvous *of);
void rg_serve_forget_meetings(rg_engine *s);
/* For a snapshot. */
void rg_serve_write_meetings(const rg_engine *s, rg_buf *out);
rg_status rg_serve_read_meetings(rg_engine *s, struct rg_cursor *in);
void rg_served_write_before(const rg_served *var, rg_buf *out);
rg_status rg_served_read_before(rg_served *var, struct rg_cursor *in);
/* A step: what is changed is kept first. ids: checked, ascending, each once. */
void rg_served_step_begins(rg_served *var);
rg_status rg_served_keep_dense(rg_served *var);
rg_status rg_served_keep_rows(rg_served *var, const int64_t *ids, size_t n);
/* Values as they are, or were before the last step. */
const float *rg_served_values(const rg_served *var, bool before);
typedef struct rg_reading {
    bool before; /* the last step */
    bool peeks;  /* changes nothing */
} rg_reading;
rg_status rg_served_pull_as(rg_served *var, rg_reading how, const int64_t *ids, const uint32_t *at,
                            size_t n, float *out);
void rg_served_free_before(rg_served *var);

/* ---- data that is dealt (serve_leases.c) ---- */

rg_status rg_serve_open_leases(rg_engine *s);
void rg_serve_begin_pass(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_lease(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_range(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_idle(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* What it holds, in this epoch and those before, goes back. Any lock may be held. */
void rg_serve_return_leases(rg_engine *s, const rg_member *trainer, uint64_t epoch);
/* Which examples the push is of: p->came where they have been applied before. */
rg_status rg_serve_claim(rg_engine *s, rg_pushing *p);
/* A push that was claimed is not applied. */
void rg_serve_unclaim(rg_pushing *p);
/* At the end: a warning where not all was trained on. */
void rg_serve_sum_up_leases(rg_engine *s);
/* For a snapshot, and the journal. */
void rg_serve_write_leases(rg_engine *s, rg_buf *out);
rg_status rg_serve_note_lease(rg_engine *s, const rg_range_note *note);
/* The answer waits until what was noted is on the disk, where answers do. */
void rg_serve_wait_for_notes(rg_engine *s, rg_rpc_request *request);

/* ---- trainers that come and go (serve_elastic.c) ---- */

/* A number that nobody has had, and that nobody waits for. */
bool rg_serve_is_absent(const rg_engine *s, const rg_member *trainer);
/* Whether a trainer is waited for by those that step, or meet. With the lock. */
bool rg_serve_steps_wait_for(const rg_engine *s, const rg_member *trainer);
bool rg_serve_all_are_lost(const rg_engine *s);
/* The job ends where all are lost, and none comes in time; a few times a second. */
void rg_serve_look_for_lost(rg_engine *s);

/* ---- statistics (serve_stats.c) ---- */

void rg_serve_stats(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_forget_stats(rg_member *trainer);
void rg_serve_write_stats(const rg_member *trainer, rg_buf *out);
rg_status rg_serve_read_stats(rg_member *trainer, rg_cursor *in);

/* ---- messages (serve_messages.c) ---- */

void rg_serve_post(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_fetch(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_forget_messages(rg_member *trainer);
void rg_serve_write_messages(const rg_member *trainer, uint32_t trainers, rg_buf *out);
rg_status rg_serve_read_messages(rg_member *trainer, uint32_t trainers, rg_cursor *in);

/* ---- parts of tables in files (serve_save.c) ---- */

void rg_serve_save(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- what leaves the loop (serve_tasks.c) ---- */

/* Owned by the queue from rg_serve_later() on. */
struct rg_server_task {
    rg_server_task *next;
    rg_rpc_request *request;
    rg_buf reply;
    rg_status (*copy)(rg_engine *s, rg_server_task *task); /* waits for the shards */
    rg_status (*write)(rg_server_task *task);              /* without the engine; NULL: nothing */
    void (*close)(rg_server_task *task);                   /* frees it */
};

rg_status rg_serve_open_queues(rg_engine *s);
/* Requests that are not done are refused. */
void rg_serve_close_queues(rg_engine *s);
void rg_serve_later(rg_engine *s, rg_task_queue_number queue, rg_server_task *task);
/* Refuses what the disk has not taken in that time, and leaves it behind. */
void rg_serve_look_at_disk(rg_engine *s, uint64_t limit_ns);

/* ---- waits (serve_wait.c) ---- */

/* Whom this server waits for, in words; nothing where it does not. */
void rg_serve_whom(rg_engine *s, rg_buf *out);
/* A few times a second: says whom it waits for, and gives up those that never come. */
void rg_serve_look(rg_engine *s);

/* ---- news (serve_log.c) ---- */

/* A line every FLAGS_ps_log_seconds, where that time has passed. */
void rg_serve_tell(rg_engine *s);
/* ---- being watched (serve_watch.c) ---- */
/* From when it listens. */
void rg_serve_watch_open(rg_engine *s, const char *endpoint);
/* Now and then. */
void rg_serve_watch_look(rg_engine *s);
/* While the loops still run, for the last numbers; then no one asks any more. */
void rg_serve_watch_end(rg_engine *s);
void rg_serve_watch_close(rg_engine *s);
/* In the end: what has come and gone. */
void rg_serve_sum_up(rg_engine *s);

/* Event of the rpc server: a request (serve.c). */
void rg_serve_request(void *engine, rg_rpc_request *request);

/* ---- requests (commands.c) ---- */

/* `trainer` is NULL for a tool. */
void rg_serve_answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- who takes part (serve_members.c) ---- */

/* Events of the rpc server; `user` is the engine. */
rg_status rg_serve_come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival);
void rg_serve_peer_left(void *user, rg_rpc_peer *peer);
void rg_serve_peer_dead(void *user, rg_rpc_peer *peer, const char *how);
/* Everyone who waits is told why the job is over; with the lock. While a step is made, those that
 * take part are told at its end. */
void rg_serve_refuse_waiting(rg_engine *s);
/* Those that were away too long; a few times a second, without the lock. */
void rg_serve_look_for_away(rg_engine *s);
/* What is kept of it in any case; at the end. */
void rg_serve_close_member(rg_member *trainer);
void rg_serve_leave(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_hear_failure(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* The job is over for this reason: everyone who waits is told. With the lock. */
void rg_serve_fail(rg_engine *s, rg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
