/* job.h - a trainer's side of a job: the servers it talks to, and what it tells them.
 *
 * A process takes part in one job at a time. It joins when a program's first communication op
 * runs: the ops of the program say which servers there are. It leaves by rg_job_leave(), or,
 * where a script forgets to, when the process exits with status 0; a process that exits
 * otherwise tells the servers that it has failed. */
#ifndef RG_DIST_JOB_H
#define RG_DIST_JOB_H

#include "dist/in_flight.h"
#include "dist/mode.h"
#include "dist/protocol.h"
#include "ir/op.h"
#include "rpc/client.h"

#include <pthread.h>

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
    uint64_t pushes;   /* geo: so far. The startup program may run again, and these count on */
    bool taken;        /* geo: the answer to the last of them */
} rg_job_server;

struct rg_job {
    rg_job_server *servers;
    int n_servers;
    int trainer; /* our number */
    uint32_t trainers;
    const rg_mode *servers_mode; /* as they say */
    const rg_mode *mode;         /* how this trainer goes about it (dist/mode.h) */
    void *mode_state;            /* what the mode keeps; NULL: nothing */
    rg_payload payload;          /* FLAGS_rpc_payload */
    pthread_mutex_t lock;        /* of the exchange */
    bool agreed;                 /* the servers know which program we train */
    struct rg_exchange *exchange;
    struct rg_shuffle_inbox *inbox; /* of global shuffles (shuffle.c) */
    pthread_mutex_t news; /* of servers that die: for n_servers, their clients, and these: */
    bool is_lost;         /* a server is dead, the first of them */
    char lost[512];       /* which, and how */
    bool closing;         /* the others need not be told any more */
};

/* The job of this program, joined now if it is not yet. Borrowed. */
rg_status rg_job_of(const rg_ctx *ctx, rg_job **job);
/* Join without a program. trainer -1: whichever is free; trainers 0: the servers know. */
rg_status rg_job_join(const char *const *endpoints, int n, int trainer, int trainers);
/* The programs of a server that has none (rg_serve_empty). Borrowed. */
typedef struct rg_job_load {
    const char *endpoint;
    const rg_program *startup, *main;
} rg_job_load;
/* Join, and hand each server its programs: for trainer 0, before it runs one of its own. `loads`
 * is put in order. */
rg_status rg_job_join_with(rg_job_load *loads, int n, int trainer, int trainers);

/* Of a job whose trainers have no call to end it (v2): that the process exits, with status 0, is
 * how it ends, and nothing to warn of. */
void rg_job_ends_with_process(void);
/* This is the program we train: it may say more of the mode than the servers do. Before threads
 * train it. */
void rg_job_follow(rg_job *job, const rg_program *program);
/* Once in a job: the same, and the servers are told. Refused where another trainer's is different.
 */
rg_status rg_job_agree(rg_job *job, const rg_program *program);
/* The one that was joined; NULL: none. */
rg_job *rg_job_now(void);
/* Tell every server that this trainer is done. What is under way is finished first. */
rg_status rg_job_leave(void);
/* Tell them that it has failed, and why: for who is in a hurry, and does not wait long for servers
 * that do not answer. */
void rg_job_fail(const char *why);

/* The number of the server at this endpoint. */
rg_status rg_job_server_at(const rg_job *job, const char *endpoint, int *server);
/* The server, and the variable there, that the endpoint and the name mean; a name may end in
 * ".trainer_N". RG_ENOENT, saying what there is. */
rg_status rg_job_find(const rg_job *job, const char *endpoint, const char *name, bool by_grad,
                      int *server, uint32_t *var);

/* Several requests at once. */
typedef struct rg_job_request {
    int server;
    uint16_t method, flags;
    const rg_iov *iov;
    size_t n;
    rg_rpc_call *call; /* the answer; NULL after a failure */
} rg_job_request;

/* What a server answered; where it has gone, the launcher hears that we fail because of it. */
rg_status rg_job_answered(rg_rpc_call *call);

/* Asks and waits. Whatever the outcome, rg_job_close_all() ends them. */
rg_status rg_job_ask_all(rg_job *job, rg_job_request *requests, int n);
/* The same in two: what `iov` names stays as it is until the second. */
rg_status rg_job_start_all(rg_job *job, rg_in_flight *in_flight, rg_job_request *requests, int n);
rg_status rg_job_finish_all(rg_in_flight *in_flight, rg_job_request *requests, int n);
/* Those that are not done are given up. */
void rg_job_close_all(rg_job_request *requests, int n);

/* Ask and wait, looking for Ctrl+C meanwhile. *reply, where it is not NULL, gets the body and is
 * the caller's to free. */
rg_status rg_job_ask(rg_job *job, int server, uint16_t method, const rg_iov *iov, size_t n,
                     uint8_t **reply, size_t *bytes);

/* In the log: what the servers wait for, while these calls have been under way for so long. */
void rg_job_say_waiting(rg_job *job, rg_in_flight *in_flight, double seconds);

/* ---- over all trainers ---- */

rg_status rg_job_barrier(rg_job *job, const char *name);
/* op: 0 sum, 1 max, 2 min. Whole numbers are added as such, to the last bit; RG_EVALUE where a sum
 * has no room in 64. */
rg_status rg_job_reduce(rg_job *job, const char *name, int op, double *numbers, size_t n);
rg_status rg_job_reduce_whole(rg_job *job, const char *name, int op, int64_t *numbers, size_t n);

/* ---- variables as a whole ---- */

/* A variable as the server at `endpoint` keeps it, into `value`. */
rg_status rg_job_get(rg_job *job, const char *endpoint, const char *name, rg_value *value);

/* The other way round. */
rg_status rg_job_set(rg_job *job, const char *endpoint, const char *name, const rg_value *value);
/* Drop rows that were not touched in the last `unseen` calls, all of them where that is -1;
 * *rows: how many went. */
rg_status rg_job_shrink(rg_job *job, const char *endpoint, const char *name, int unseen,
                        uint64_t *rows);

/* ---- the exchange of steps (exchange.c) ---- */

/* What a send op adds to the step of its thread: a dense slice (stays: it is as it is until the
 * step is complete), or rows with ids of the whole variable, ascending, each once. */
rg_status rg_exchange_dense(rg_job *job, int thread, int server, uint32_t var, const float *grad,
                            bool stays);
rg_status rg_exchange_rows(rg_job *job, int thread, int server, uint32_t var, const int64_t *ids,
                           const float *rows, size_t n);
/* The step of this thread is complete. Sync and half_async: it is pushed, and the answer awaited.
 * Async: it is pushed when the one before has been taken, with those that wait. */
rg_status rg_exchange_push(rg_job *job, int thread);
/* The latest values that came back of a variable, where some have since the last call for it, into
 * `value` from element `first` on. stays: `value` outlives the step, so that later answers may be
 * written there as they come: in sync and half_async while rg_exchange_push() waits, in async ...
 */
rg_status rg_exchange_take(rg_job *job, int thread, int server, uint32_t var, rg_value *value,
                           int64_t first, bool stays);
/* ... here: at the beginning of a step. */
rg_status rg_exchange_refresh(rg_job *job, int thread);
/* `n` threads will push (train_from_dataset); in sync and half_async their gradients are averaged,
 * and one push is made of them. Each thread says when it ends. */
rg_status rg_exchange_threads(rg_job *job, int n);
rg_status rg_exchange_thread_ends(rg_job *job, int thread);
/* Wait until everything pushed has been taken. */
rg_status rg_exchange_flush(rg_job *job);
void rg_exchange_close(rg_job *job);

void rg_inbox_close(rg_job *job);

#endif
