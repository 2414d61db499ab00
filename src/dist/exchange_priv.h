/* exchange_priv.h - the channel that a thread's steps go through, for what modes do with them. */
#ifndef RG_DIST_EXCHANGE_PRIV_H
#define RG_DIST_EXCHANGE_PRIV_H

#include "dist/exchange.h"
#include "dist/fan_out.h"
#include "dist/outbox_priv.h"

enum { RG_CHANNELS = RG_PS_MAX_THREADS };

/* A parameter of the trainer, or a part of one: rows from element `first` on. */
typedef struct rg_shown rg_shown; /* (shown.c) */
typedef struct rg_target {
    rg_value *value; /* counted; NULL: none */
    int64_t first;
    bool may_show;   /* the server's memory, where that is of this host */
    rg_shown *shown; /* owned; NULL: it never did */
} rg_target;

/* Where an answer goes when it comes. */
typedef struct rg_reply_target {
    const rg_job_server *server;
    const rg_target *targets;
    uint8_t pad[RG_PS_ALIGN];
} rg_reply_target;

/* Memory of a gradient that is sent from where it is. */
typedef struct rg_given {
    struct rg_given *next;
    rg_value value;
} rg_given;

typedef struct rg_channel {
    int number;
    rg_outbox *filling, *sent;            /* by server */
    rg_given *given, *given_sent, *spare; /* of what fills them, of what was sent, of neither */
    rg_value **lenders;                   /* counted: what fills them from where it is, where the
                                           * step waits for the answer */
    size_t n_lenders, cap_lenders;
    int steps; /* in `filling` */
    rg_in_flight in_flight;
    rg_rpc_call **calls;   /* by server: those in flight; NULL: none */
    bool pulls;            /* those in flight bring parameters */
    rg_rpc_call **answers; /* by server: the last that brought parameters */
    float **widened;       /* by server: the same, where they came as halves */
    float **rests;         /* by server: what rounding to bytes took from dense gradients */
    bool **fresh;          /* by server and variable: not taken since they came */
    uint64_t pushes;       /* so far: servers are told which one each is, and none may be missing */
    uint64_t position;     /* batches so far, with those that wait in `filling` */
    uint64_t replayed; /* the first so many were pushed by an earlier process: nothing is sent */
    uint64_t until;    /* async: what is pushed next goes to here, as some servers have it */
    uint64_t since_pull;
    /* Of leased data: which examples the step that is made is of, those in `filling`, those sent.
     */
    rg_push_tag tag;
    bool has_tag;
    rg_push_tag *tags, *sent_tags; /* owned */
    size_t n_tags, cap_tags, n_sent_tags, cap_sent_tags;
    rg_target **targets; /* by server, by variable: where parameters go; NULL: not known */
    bool *in_place;      /* by server: the last answer went straight there */
    rg_reply_target *reply_targets; /* by server */
} rg_channel;

typedef struct rg_exchange {
    rg_channel *channels[RG_CHANNELS];
    /* Where threads are one sender: */
    pthread_mutex_t lock;
    pthread_cond_t change;
    int threads, arrived;
    uint64_t generation;
    rg_status outcome;
    char why[512];
} rg_exchange;

/* Send the outboxes that were filled, and go on with empty ones. The calls of the push before are
 * over, and taken. pulls: the answers shall bring parameters. waits: the step waits for them, and
 * they may go straight to their targets. */
rg_status rg_channel_send(rg_job *job, rg_channel *l, bool pulls, bool waits);
/* What the calls that are over have brought becomes the channel's answer. */
rg_status rg_channel_take(rg_job *job, rg_channel *l);
/* Send, wait for the answer, with the parameters, and take it. */
rg_status rg_channel_exchange(rg_job *job, rg_channel *l);
/* Whether the step that is made was pushed by an earlier process of this trainer. */
static inline bool rg_channel_replays(const rg_channel *l)
{
    return l->position < l->replayed;
}
/* The gradient gets other memory where slices of what it has are in the outboxes. */
rg_status rg_channel_give(const rg_job *job, rg_channel *l, rg_value *gradient);
/* The outboxes that are filled are about to be sent; those sent before have been answered. */
void rg_channel_sends_given(rg_channel *l);
/* The step lends the gradient, and waits. Then: it has been answered, or the step does not wait any
 * more, and what is on its way keeps the memory, while the gradient gets other memory with the same
 * values. */
rg_status rg_channel_note_lender(rg_channel *l, rg_value *gradient);
void rg_channel_release_lenders(rg_channel *l);
void rg_channel_leave_lenders(rg_channel *l);
void rg_channel_free_given(rg_channel *l);
/* ---- parameters that are read where the server has them (shown.c) ---- */

/* Its own memory, also while it shows other. */
float *rg_target_memory(const rg_target *target);
void rg_target_close(rg_target *target);
/* What the answer of server s lends is shown by the targets that can, and copied to others. */
rg_status rg_channel_settle(const rg_job_server *server, rg_channel *l, int s, rg_rpc_call *call);
/* All targets have their own memory again. */
void rg_channel_own(const rg_job *job, rg_channel *l);

/* The step of one of the threads that are one sender: the last of them to come pushes the mean, and
 * all wait for the answer. */
rg_status rg_push_together(rg_job *job, rg_channel *l);

#endif
