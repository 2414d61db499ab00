/* job.h - a trainer's place in a job: the servers it talks to, and what it tells them.
 *
 * Whoever trains opens a job and closes it; its runs carry it (rg_run), so a process may have
 * several trainers. It is joined when the first communication op of such a run is met: the ops of
 * the program say which servers there are. The owner ends it by rg_job_leave(), by rg_job_fail(),
 * or, where it was forgotten, by rg_job_exits() when the process does.
 *
 * Threads: joining, leaving and failing are for any; what is asked of a job while another thread
 * leaves it is the owner's mistake. A child that is forked takes no part in its parent's job. */
#ifndef RG_DIST_JOB_H
#define RG_DIST_JOB_H

#include "dist/mode.h"
#include "dist/protocol.h"
#include "ir/op.h"
#include "rpc/client.h"

#include <pthread.h>
#include <stdatomic.h>

/* Endpoints as these ops' attributes list them, with the default of the file format. */
#define RG_ENDPOINTS(NAME, DOC)                                        \
    {                                                                  \
        .value = {.name = (NAME),                                      \
                  .type = RG_ATTR_STRINGS,                             \
                  .n = 1,                                              \
                  .strings = (const char *const[]){"127.0.0.1:6164"}}, \
        .doc = (DOC)                                                   \
    }

/* Names for the order of ops, not data: every output an empty bool. */
static inline void rg_set_control_outs(rg_ctx *ctx, int out)
{
    rg_shape none = {.rank = 0};
    for (int i = 0; !rg_running(ctx) && i < rg_n_out(ctx, out); i++)
        rg_set_out_n(ctx, out, i, RG_BOOL, &none);
}

typedef struct rg_job rg_job;

/* A server, and where its variables stand. */
typedef struct rg_job_server {
    rg_rpc_client *client;
    struct rg_job *job;
    int id; /* its number in the job, as it says; RG_BECAUSE_ANY: it does not */
    rg_ps_schema schema;
    uint32_t *pulled; /* numbers of the variables that are pulled: all but tables */
    uint32_t n_pulled;
    size_t *reply_at; /* by variable: where its values stand in a reply of all those */
    size_t reply_bytes;
    rg_rpc_call *told; /* of another one's death; NULL: nothing */
    size_t half_bytes; /* of such a reply in halves */
    uint64_t epoch;    /* of our session there */
    rg_rpc_call *sync; /* it was asked to flush its journal (window.c); NULL: it was not */
    uint64_t pushes;   /* geo: so far. The startup program may run again, and these count on */
    bool taken;        /* geo: the answer to the last of them */
} rg_job_server;

/* A trainer that was started again: how far a thread of it was. */
typedef struct rg_resumed {
    uint64_t pushes;   /* that all servers have */
    uint64_t position; /* batches in those: they are not trained on again */
    uint64_t until;    /* some servers have a push more, with the batches up to here */
} rg_resumed;

/* What a process before this one had told of how its training goes (stats.h). */
typedef struct rg_told {
    uint64_t rows, batches;
    double seconds, loss_sum;
    int64_t *counts; /* of the AUC: positives, then negatives; owned */
    size_t bins;
} rg_told;

struct rg_job {
    pthread_mutex_t joining; /* held while it is joined or left */
    atomic_bool joined;
    long process;       /* that joined it */
    uint64_t term;      /* grows when it is joined: what was found out before counts no more */
    bool ends_silently; /* rg_job_ends_with_process() */
    uint64_t examples;  /* trained on so far, for the launcher's report */
    pthread_mutex_t refusing;
    char refused[400]; /* what a server refused last; under `refusing` */
    /* While it is joined: */
    rg_job_server *servers;
    int n_servers;
    int trainer; /* our number */
    uint32_t trainers;
    const rg_mode *servers_mode; /* as they say */
    const rg_mode *mode;         /* how this trainer goes about it (dist/mode.h) */
    void *mode_state;            /* what the mode keeps; NULL: nothing */
    rg_payload payload;          /* FLAGS_rpc_payload */
    rg_rpc_window *window;       /* of pushes that are not on servers' disks yet; NULL: none */
    pthread_mutex_t syncing;     /* of the servers' `sync` */
    pthread_mutex_t lock;        /* of the exchange */
    _Atomic uint32_t changes;    /* calls of the script that changed what servers have, so far */
    bool agreed;                 /* the servers know which program we train */
    rg_resumed *resumed;         /* by thread; NULL: it is its first start */
    size_t n_resumed;
    rg_told told;
    atomic_bool has_told; /* and it was not taken yet */
    atomic_bool replays;  /* of what was resumed not all has been come by */
    struct rg_exchange *exchange;
    struct rg_leases *leases;       /* of data that servers deal (leases.h); NULL: there is none */
    struct rg_shuffle_inbox *inbox; /* of global shuffles (shuffle.c) */
    pthread_mutex_t news; /* of servers that die: for n_servers, their clients, and these: */
    bool is_lost;         /* a server is dead, the first of them */
    char lost[512];       /* which, and how */
    bool closing;         /* the others need not be told any more */
};

/* ---- joining (job_join.c) ---- */

/* Owned; ended by rg_job_close(). Not joined yet. */
rg_status rg_job_open(rg_job **job);
/* Who is still joined goes without a word: the servers take it for dead. NULL is allowed. */
void rg_job_close(rg_job *job);

/* Whether this process has joined it, and not left. */
bool rg_job_is_joined(rg_job *job);
/* The job of this run, joined now if it is not yet. Borrowed. */
rg_status rg_job_of(const rg_ctx *ctx, rg_job **job);
/* Join without a program. trainer -1: whichever is free; trainers 0: the servers know. Nothing
 * where it is joined already. */
rg_status rg_job_join(rg_job *job, const char *const *endpoints, int n, int trainer, int trainers);
/* The programs of a server that has none (rg_serve_empty). Borrowed. */
typedef struct rg_job_load {
    const char *endpoint;
    const rg_program *startup, *main;
} rg_job_load;
/* Join, and hand each server its programs: for trainer 0, before it runs one of its own. `loads`
 * is put in order. */
rg_status rg_job_join_with(rg_job *job, rg_job_load *loads, int n, int trainer, int trainers);
/* This is the program we train: it may say more of the mode than the servers do. Before threads
 * train it. */
void rg_job_follow(rg_job *job, const rg_program *program);
/* Once in a job: the same, and the servers are told. Refused where another trainer's is different.
 */
rg_status rg_job_agree(rg_job *job, const rg_program *program);

/* ---- started again (job_resume.c) ---- */

/* Where a server knows an earlier process in our place: ask all of them how far it was, and go on
 * there. With the join. */
rg_status rg_job_resume(rg_job *job);
/* Of a thread; zeros where it begins. */
rg_resumed rg_job_resumed(const rg_job *job, int thread);
/* A trainer that fails and may be started again does not end the job. */
bool rg_job_may_return(rg_job *job);

/* ---- leaving (job.c) ---- */

/* Tell every server that this trainer is done. What is under way is finished first. */
rg_status rg_job_leave(rg_job *job);
/* Tell them that it has failed, and why: for who is in a hurry, and does not wait long for servers
 * that do not answer. */
void rg_job_fail(rg_job *job, const char *why);
/* The process exits with this status, and nobody has left the job: with 0 it is left, with a
 * warning; otherwise the servers are told that this trainer has failed. */
void rg_job_exits(rg_job *job, int status);
/* After the last of them: what was not closed stands still. */
void rg_job_process_ends(void);
/* Of a job whose trainers have no call to end it (v2): that the process exits, with status 0, is
 * how it ends, and nothing to warn of. */
void rg_job_ends_with_process(rg_job *job);
/* For rg_job_leave() and a failed join: drop all that is there while it is joined. */
void rg_job_disconnect(rg_job *job);

/* ---- finding ---- */

/* The number of the server at this endpoint. */
rg_status rg_job_server_at(const rg_job *job, const char *endpoint, int *server);
/* The server, and the variable there, that the endpoint and the name mean; a name may end in
 * ".trainer_N". RG_ENOENT, saying what there is. */
rg_status rg_job_find(const rg_job *job, const char *endpoint, const char *name, bool by_grad,
                      int *server, uint32_t *var);

/* ---- over all trainers ---- */

rg_status rg_job_barrier(rg_job *job, const char *name);
/* op: 0 sum, 1 max, 2 min. Whole numbers are added as such, to the last bit; RG_EVALUE where a sum
 * has no room in 64. */
rg_status rg_job_reduce(rg_job *job, const char *name, int op, double *numbers, size_t n);
rg_status rg_job_reduce_whole(rg_job *job, const char *name, int op, int64_t *numbers, size_t n);

/* ---- variables as a whole ---- */

/* A variable as the server at `endpoint` keeps it, into `value`. */
rg_status rg_job_get(rg_job *job, const char *endpoint, const char *name, rg_value *value);

/* The next call of the script that changes what servers have, in so many requests: setting all
 * parts of a variable is one, so that calls have the same numbers with any servers. */
rg_ps_change rg_job_change(rg_job *job, size_t requests);
/* The other way round; a request of that call. */
rg_status rg_job_set(rg_job *job, const rg_ps_change *change, const char *endpoint,
                     const char *name, const rg_value *value);
/* Drop rows that were not touched in the last `unseen` calls, all of them where that is -1;
 * *rows: how many went. */
rg_status rg_job_shrink(rg_job *job, const rg_ps_change *change, const char *endpoint,
                        const char *name, int unseen, uint64_t *rows);

void rg_exchange_close(rg_job *job);
void rg_inbox_close(rg_job *job);
void rg_leases_close(rg_job *job);

#endif
