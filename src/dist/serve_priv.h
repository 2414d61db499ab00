/* serve_priv.h - a server's inside: its variables, its trainers, the step that is being made.
 *
 * serve.c opens and ends it; commands.c takes requests; serve_members.c knows who has come;
 * serve_vars.c knows the variables, serve_whole.c
 * reads and sets them; serve_rows.c the tables; serve_step.c gathers what trainers push;
 * serve_rendezvous.c lets trainers wait for each other; serve_save.c writes parts of tables to
 * files, serve_tasks.c does so outside the loop; serve_wait.c says whom all wait for; serve_load.c
 * takes the program where there is none yet.
 *
 * Two locks. `lock` guards variables, steps and rendezvous: requests come from one loop, whoever
 * goes from the same, large copies from a thread of their own. `members` guards who has come and
 * how it ends; it is held for moments only and taken inside the other, so that the acceptor, which
 * answers heartbeats and lets in, never waits for work. */
#ifndef RG_DIST_SERVE_PRIV_H
#define RG_DIST_SERVE_PRIV_H

#include "base/arena.h"
#include "dist/mode.h"
#include "dist/block_plan.h"
#include "dist/serve.h"
#include "dist/protocol.h"
#include "ops/past.h"
#include "ps/geo_rows.h"
#include "ps/table.h"
#include "rpc/server.h"

#include <pthread.h>

typedef struct rg_engine rg_engine;
typedef struct rg_server_task rg_server_task;
typedef struct rg_task_queue rg_task_queue;
typedef enum rg_task_queue_number {
    RG_QUEUE_COPIES,
    RG_QUEUE_DISK,
    RG_QUEUES
} rg_task_queue_number;

/* The optimizer of a table whose rows it moves where they stand (serve_rows.c). */
typedef struct rg_row_stepper rg_row_stepper;

/* A variable that trainers push to and pull from; number i of the schema. */
typedef struct rg_served {
    const rg_ps_var *about;
    const rg_opdesc *op; /* its optimizer; NULL in geo */
    rg_plan *update;     /* NULL in geo, and where rows move in place */
    rg_value *param;     /* of the scope; NULL: a table of rows */
    /* A table: */
    bool grows;
    rg_table *table;
    const char *columns[1 + RG_TABLE_MAX_STATES]; /* the parameter and its states, by name */
    int state_of[1 + RG_TABLE_MAX_STATES]; /* which state of the optimizer's definition each is */
    int n_columns;
    rg_row_stepper *stepper; /* NULL: geo, or the block is run on copies of the rows: */
    rg_value *staged[1 + RG_TABLE_MAX_STATES]; /* of the plan */
    rg_scope *stage;
    rg_past *past; /* steps that idle rows make later; NULL: they make none */
    uint32_t age;  /* how often the table was shrunk: rows know when they were last touched */
    rg_geo_rows *changed; /* geo */
    uint64_t *told;       /* geo, by trainer: how far what it was told last goes */
    /* DC-ASGD: what each trainer was sent last. */
    rg_value **sent;
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

/* What a trainer told last of how far it is. */
typedef struct rg_progress {
    bool has;
    uint64_t rows, batches;
    double seconds, loss_sum;
    int64_t *bins; /* positives, then negatives; owned */
    size_t n_bins;
} rg_progress;

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
    uint64_t session;
    char who[3 * RG_RPC_NAME_MAX]; /* "trainer 1 (pid 4711 on host a)" */
    /* the engine's: */
    uint64_t asked_ns;       /* its last request */
    bool fetches;            /* which was for messages: it has nothing else to do */
    rg_rpc_request *waiting; /* sync: its push of this step */
    rg_push push;
    rg_arena arena;   /* of the push */
    uint64_t *pushed; /* by thread of the trainer: how many of its pushes have come; owned */
    size_t n_pushed;
    rg_rendezvous rendezvous;
    rg_progress stats;
    rg_inbox inbox;
    uint64_t n_posted; /* messages that it has left here */
} rg_member;

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
    rg_served *vars;
    rg_plan *schedule; /* NULL: a constant rate */
    rg_rpc_server *rpc;
    rg_arena arena;   /* for its life */
    rg_arena scratch; /* for a request */
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
    rg_status failed; /* why it ended: RG_OK when all trainers have left */
    char why[1024];
    uint64_t steps, rendezvous; /* that were made */
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

/* ---- variables (serve_vars.c) ---- */

rg_status rg_serve_open_vars(rg_engine *s);
void rg_serve_close_vars(rg_engine *s);
/* The variable `name`, which lives here under whatever guise, rows first .. first + n - 1 (-1:
 * all), as many as fit into RG_PS_GET_BYTES, into `out`, behind dtype, rank and dimensions. */
rg_status rg_serve_get(rg_engine *s, const char *name, int64_t first, int64_t n, rg_buf *out);
/* Give it this value. */
rg_status rg_serve_set(rg_engine *s, const char *name, const rg_value *value);
/* Apply a gradient of a variable that is no table. */
rg_status rg_serve_update(rg_engine *s, uint32_t var, const float *grad, int trainer);
/* The same in two: *grad is where the gradient goes (NULL: nothing uses it), which is then
 * applied. */
rg_status rg_serve_gradient(rg_engine *s, uint32_t var, float **grad);
rg_status rg_serve_apply(rg_engine *s, uint32_t var);
/* The learning rate of the next step; `counter` names what a trainer counts, or NULL. */
rg_status rg_serve_schedule(rg_engine *s);

/* ---- requests for them as a whole (serve_whole.c) ---- */

void rg_serve_get_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_set_whole(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_shrink(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- tables (serve_rows.c) ---- */

/* A table whose rows come to be, or, where every step moves every row, a dense parameter in its
 * place (`table` is NULL then). alone: its block is the optimizer's op and nothing else. */
rg_status rg_served_open(rg_engine *s, rg_served *var, bool alone);
void rg_served_close(rg_served *var);
/* Rows by ids, [n, width] into `out`. */
rg_status rg_served_pull(rg_engine *s, rg_served *var, const int64_t *ids, size_t n, float *out);
/* Whether rows with these ids may be. */
rg_status rg_served_check(const rg_served *var, const int64_t *ids, size_t n);
/* Apply gradients; ids checked, ascending, each once. In geo: add differences. */
rg_status rg_served_push(rg_engine *s, rg_served *var, const int64_t *ids, size_t n, float *grads);
/* Drop the rows that were not touched since the last `unseen` calls of this, or all; how many. */
rg_status rg_served_shrink(rg_served *var, uint32_t unseen, uint64_t *rows);
rg_status rg_served_clear(rg_served *var, uint64_t *rows);
/* Give all rows of a column new values. */
rg_status rg_served_set(rg_served *var, int column, const float *rows);
/* The column `name`, rows first .. first + n - 1, as the dense variable would hold it. */
rg_status rg_served_dense(rg_engine *s, rg_served *var, int column, int64_t first, int64_t n,
                          float *out);
/* Geo: rows for a trainer to hear of, which is no use of them: one that was dropped stays so. */
rg_status rg_served_tell(rg_served *var, const int64_t *ids, size_t n, float *out);
/* Geo: the trainer has the rows that it was told last, or: it has gone. */
void rg_served_heard(rg_served *var, int trainer);
void rg_served_left(rg_served *var, int trainer);
/* How many rows there are, and all of them by growing id: ids [n], rows [n, width]. */
size_t rg_served_size(const rg_served *var);
rg_status rg_served_list(rg_served *var, int64_t *ids, float *rows);

/* ---- steps (serve_step.c) ---- */

void rg_serve_push(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* For modes: a push is applied when it comes, and answered. */
void rg_serve_at_once(rg_engine *s, rg_member *trainer, rg_rpc_request *request, bool again);
/* The rows of a push, each by itself. */
rg_status rg_serve_apply_rows(rg_engine *s, const rg_push *push);
/* One step of the pushes that wait, which are so many trainers'. */
rg_status rg_serve_make_step(rg_engine *s, int took_part);
/* The values of the variables, each padded. A copy, unless nothing changes until all who wait
 * for it have it (`still`). trainer: who gets it, for DC-ASGD; -1: it is not noted. */
void rg_serve_reply(rg_engine *s, rg_rpc_request *request, const uint32_t *pull, uint32_t n,
                    bool still, int trainer);
/* The buffer's bytes are the answer, or what went wrong is; the buffer is used up. */
void rg_serve_reply_buf(rg_rpc_request *request, rg_status code, rg_buf *out);
/* With the message of the failure. */
void rg_serve_refuse(rg_rpc_request *request, rg_status code);
void rg_serve_pull(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_rows(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* Whoever was waited for may have gone: make the step, if all others are there. */
void rg_serve_try_step(rg_engine *s);

/* ---- rendezvous (serve_rendezvous.c) ---- */

void rg_serve_rendezvous(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_try_rendezvous(rg_engine *s);

/* ---- statistics (serve_stats.c) ---- */

void rg_serve_stats(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_forget_stats(rg_member *trainer);

/* ---- messages (serve_messages.c) ---- */

void rg_serve_post(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_fetch(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_forget_messages(rg_member *trainer);

/* ---- parts of tables in files (serve_save.c) ---- */

void rg_serve_save(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- what leaves the loop (serve_tasks.c) ---- */

/* Owned by the queue from rg_serve_later() on. */
struct rg_server_task {
    rg_server_task *next;
    rg_rpc_request *request;
    rg_buf reply;
    rg_status (*copy)(rg_engine *s, rg_server_task *task); /* under the engine's lock */
    rg_status (*write)(rg_server_task *task); /* without it, and the engine; NULL: nothing */
    void (*close)(rg_server_task *task);      /* frees it */
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
/* In the end: what has come and gone. */
void rg_serve_sum_up(rg_engine *s);

/* ---- requests (commands.c) ---- */

/* `trainer` is NULL for a tool. */
void rg_serve_answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- who takes part (serve_members.c) ---- */

/* Events of the rpc server; `user` is the engine. */
rg_status rg_serve_come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival);
void rg_serve_peer_left(void *user, rg_rpc_peer *peer);
void rg_serve_peer_dead(void *user, rg_rpc_peer *peer, const char *how);
void rg_serve_leave(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_hear_failure(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* The job is over for this reason: everyone who waits is told. */
void rg_serve_fail(rg_engine *s, rg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
