/* serve_priv.h - a server's inside: the engine, and the shards that own its values.
 *
 * What else it has is in headers of its own: serve_tables.h the variables, serve_push.h what
 * trainers push and pull, serve_members.h who they are, serve_tasks.h what leaves the loops,
 * serve_notes.h what is written down, serve_load.h the program that comes late, serve_tell.h what
 * a server says of itself.
 *
 * serve.c opens and ends it; commands.c takes requests; serve_members.c knows who has come;
 * serve_vars.c knows the variables, serve_whole.c reads and sets them; serve_rows.c the tables,
 * serve_row_steps.c how their rows move; serve_step.c gathers what trainers push;
 * serve_rendezvous.c lets trainers wait for each other; serve_save.c writes parts of tables to
 * files, serve_tasks.c does so outside the loop; serve_wait.c says whom all wait for; serve_load.c
 * takes the program where there is none yet. serve_shards.c says who owns which variable, and how a
 * request goes over several owners. serve_return.c knows trainers that died and come back;
 * serve_leases.c deals data to trainers, serve_elastic.c knows jobs whose trainers come and go.
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
#include "dist/deal.h"
#include "dist/mode.h"
#include "dist/protocol.h"
#include "dist/serve.h"
#include "exec/plan.h"
#include "rpc/server.h"
#include "sys/latch.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct rg_engine rg_engine;
typedef struct rg_shard rg_shard;
typedef struct rg_served rg_served;   /* (serve_tables.h) */
typedef struct rg_member rg_member;   /* (serve_members.h) */
typedef struct rg_meeting rg_meeting; /* (serve_members.h) */
typedef struct rg_pushing rg_pushing; /* (serve_push.h) */
typedef struct rg_task_queue rg_task_queue;
typedef enum rg_task_queue_number {
    RG_QUEUE_COPIES,
    RG_QUEUE_DISK,
    RG_QUEUES
} rg_task_queue_number;

/* What tables may take of memory (serve_memory.c). */
typedef struct rg_table_memory rg_table_memory;

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
    bool cutting;   /* of `lock`: a snapshot is cut, and nobody who waits is answered meanwhile */
    int gave;       /* of these: that have brought gradients */
    uint64_t turns; /* steps so far, and those that were passed over (serve_elastic.c); of `lock` */
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

/* ---- rows by shard (serve_shards.c) ---- */

/* For each shard (n_shards of them) those that it has; the numbers are the arena's. */
rg_status rg_rows_by_shard(const rg_engine *s, uint32_t var, rg_arena *arena, const int64_t *ids,
                           uint32_t n, rg_some *out);

/* Event of the rpc server: a request (serve.c). */
void rg_serve_request(void *engine, rg_rpc_request *request);

/* ---- requests (commands.c) ---- */

/* `trainer` is NULL for a tool. */
void rg_serve_answer(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
/* With what is in the buffer, which is ended; without memory for it it is refused. */
void rg_serve_reply(rg_rpc_request *request, rg_buf *out);

/* The job is over for this reason: everyone who waits is told. With the lock. */
void rg_serve_fail(rg_engine *s, rg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
