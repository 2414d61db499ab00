/* serve_members.h - a server's trainers: who they are, how far each is, what they wait for. */
#ifndef RG_DIST_SERVE_MEMBERS_H
#define RG_DIST_SERVE_MEMBERS_H

#include "dist/serve_priv.h"

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
struct rg_meeting {
    uint32_t kind;
    char *name;   /* owned */
    void *result; /* owned */
    size_t n_result;
    bool forgotten; /* the result: there were too many */
};

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

struct rg_member {
    /* `members` guards these; what is written once is read without by those it has come to: */
    atomic_bool joined;
    atomic_bool left; /* who comes in an elastic job is here again, under `members` alone */
    bool here;        /* counted in `present` */
    atomic_bool lost; /* and `left`: it is gone for good, without having finished */
    _Atomic uint64_t session, epoch;
    uint32_t incarnation;
    rg_rpc_hello hello;   /* of the session */
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
    /* SET, SHRINK, ...: by call of its script and, in that, by how many requests of it have come
     * here (rg_change_at): the last one of this session, and the last that one before had done. */
    uint64_t asked, done;
    bool shuffled; /* an earlier session has taken part in global shuffles */
    bool leased;   /* its examples are: its pushes say which they are of */
    bool behind;   /* it computes its last step here once more, and is given what was before that */
    /* the engine's: */
    uint64_t changed; /* the last that any session had done, of a call ... */
    uint32_t of;      /* ... of so many requests, to all servers, ... */
    bool saves;       /* ... which are SAVE */
    atomic_bool idle; /* it has nothing to train on now, and takes no part in steps */
    uint64_t enters;  /* it takes part in steps from this one on */
    /* Steps from this one on wait until all servers know that; 0: none do. */
    _Atomic uint64_t holds;
    uint64_t met;           /* rendezvous of this session that are over */
    rg_rpc_request *resume; /* RESUME, until the push that waits has made its step */
    rg_rendezvous rendezvous;
    rg_reported stats;
    rg_inbox inbox;
    uint64_t n_posted; /* messages that it has left here */
};

/* ---- who takes part (serve_members.c) ---- */

/* Events of the rpc server; `user` is the engine. */
rg_status rg_serve_come(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival);
void rg_serve_peer_left(void *user, rg_rpc_peer *peer);
void rg_serve_peer_dead(void *user, rg_rpc_peer *peer, const char *how);
/* Everyone who waits is told why the job is over; with the lock. While a step is made, those that
 * take part are told at its end, and while a snapshot is cut all are. */
void rg_serve_refuse_waiting(rg_engine *s);
/* Those that were away too long; a few times a second, without the lock. */
void rg_serve_look_for_away(rg_engine *s);
/* What is kept of it in any case; at the end. */
void rg_serve_close_member(rg_member *trainer);
void rg_serve_leave(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_hear_failure(rg_engine *s, rg_member *trainer, rg_rpc_request *request);

/* ---- rendezvous (serve_rendezvous.c) ---- */

void rg_serve_rendezvous(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_try_rendezvous(rg_engine *s);

/* ---- trainers that come back (serve_return.c) ---- */

/* Whether one that is gone may come back: FLAGS_ps_return_seconds. */
bool rg_serve_waits_for_return(void);
/* In its loop, before each request: where it is of another session than the last one. */
void rg_serve_new_session(rg_engine *s, rg_member *trainer);
/* Where a request that changes something stands among those of the trainer's script: calls have
 * numbers, and a server counts the requests of a call that come to it. */
static inline uint64_t rg_change_at(uint32_t call, uint32_t requests)
{
    return (uint64_t)call << 32 | requests;
}
static inline uint32_t rg_change_call(uint64_t at)
{
    return (uint32_t)(at >> 32);
}
/* Of the request that has come; true: it was done for an earlier session. In its loop. */
bool rg_serve_was_done(rg_member *trainer, uint32_t call);
/* It counts as done, in all sessions that follow. Any thread, without the lock. */
void rg_serve_count_change(rg_engine *s, rg_member *trainer, uint64_t at, uint32_t of, bool saves);
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

/* ---- data that is dealt (serve_leases.c) ---- */

rg_status rg_serve_open_leases(rg_engine *s);
void rg_serve_begin_pass(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_lease(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_range(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_idle(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
void rg_serve_enter(rg_engine *s, rg_member *trainer, rg_rpc_request *request);
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
/* Whether steps may be made without it while it computes, and what it computes still count: then it
 * has copies of parameters, as they were after one step. */
bool rg_serve_may_be_passed_over(const rg_engine *s, const rg_member *trainer);
/* The number of the step that is to be made next, of those in which trainers take part that came
 * later: where all that take part come later, some are passed over. With the lock. */
uint64_t rg_serve_next_turn(const rg_engine *s);
/* Whether a trainer that has not pushed is waited for by that step, whether its push that waits is
 * of it, and whether it is held until all servers know who takes part. With the lock. */
bool rg_serve_steps_wait_for(const rg_engine *s, const rg_member *trainer, uint64_t turn);
bool rg_serve_is_of_turn(const rg_member *trainer, uint64_t turn);
bool rg_serve_is_held_back(const rg_engine *s, uint64_t turn);
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

#endif
