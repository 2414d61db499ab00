/* server_priv.h - what acceptor.c, peer.c, request.c, reply.c, recall.c and server.c share. */
#ifndef RG_RPC_SERVER_PRIV_H
#define RG_RPC_SERVER_PRIV_H

#include "rpc/link_priv.h"
#include "rpc/server.h"
#include "rpc/admission_priv.h"
#include "rpc/handshake_priv.h"
#include "sys/transport.h"

enum {
    RG_SEEN = 1024,          /* answers of a session that are remembered, ... */
    RG_SEEN_SURE = 8,        /* the last of them whatever their size, the others ... */
    RG_SEEN_BYTES = 1 << 20, /* within so many bytes */
    RG_LEAST_RATE = 4096,    /* bytes a second: who takes its replies slower is cut off */
};

typedef struct rg_incoming rg_incoming;
typedef struct rg_answer rg_answer;

typedef struct rg_lent_piece {
    uint64_t offset; /* in the body */
    size_t n;
    const uint8_t *at; /* NULL: it has been copied into the body */
} rg_lent_piece;

struct rg_rpc_request {
    rg_task task;
    rg_rpc_peer *peer;            /* kept */
    rg_rpc_request *next, **back; /* of the peer's waiting ones */
    rg_frame frame;
    uint8_t *body;       /* NULL where place() took it */
    rg_lent_piece *lent; /* owned: what of the body is not there, but where its sender lends it */
    size_t n_lent, cap_lent;
    rg_lent_view *view; /* that it lies in; NULL: nothing does */
    uint64_t memory;    /* that the body takes of its peer's budget */
    void *mine;
    bool repeated;
    bool unwanted;  /* there is no memory for it: its body is thrown away, and it is told so */
    bool remembers; /* its answer is kept */
    bool alone;     /* others wait for its answer */
    bool lost;      /* there is no memory for its answer */
    bool noted;     /* its answer does not, and says so (recall.c) */
    bool logged;    /* its answer waits for the disk (recall.c): */
    uint64_t after; /* what has to be there first; 0: not known yet */
    rg_rpc_request *next_held;

    rg_frame reply;
    rg_iov *iov;   /* owned, or `few` */
    rg_iov few[2]; /* what has been done is not to fail for want of memory for its answer */
    size_t n;
    void (*release)(void *arg);
    void *arg;
};

/* The answer to a request that changed something: if it is lost, the request comes again. */
struct rg_answer {
    rg_answer *next;
    rg_frame frame;
    uint8_t body[];
};

/* A reply that went before its records were on the disk: those below `number`. */
typedef struct rg_mark {
    uint64_t number, id;
} rg_mark;

struct rg_rpc_peer {
    rg_rpc_server *server;
    uint64_t session;
    rg_rpc_hello hello; /* as accepted; does not change afterwards */
    int loop;
    _Atomic(void *) user;
    atomic_int refs;
    atomic_bool own_user; /* by its present connection, or the last */
    atomic_bool keeps;    /* what it asked, until it hears that that is on the disk */
    rg_traffic traffic;

    /* the acceptor's */
    rg_rpc_peer *next;      /* of all sessions */
    uint64_t heard_ns;      /* the last heartbeat */
    rg_incoming *heartbeat; /* its connection for them: one, the latest; NULL: none now */
    bool dead;

    /* its loop's */
    rg_rpc_peer *next_linked, **back_linked; /* of those of this loop with a connection */
    rg_link *link;                           /* NULL: it has none now */
    rg_rpc_request *receiving;               /* NULL: what comes in is thrown away */
    rg_rpc_request *waiting;                 /* without a reply */
    uint32_t n_waiting;
    uint32_t n_alone; /* of those, that let no others in */
    uint64_t memory;  /* bytes of bodies of its requests, whole or coming */
    bool paused;
    rg_rpc_request *later, **last_later; /* came with what was read before it was paused */
    bool going_on;                       /* the task for them is posted */
    uint64_t sent_before, queued_before; /* bytes, when it had last taken enough of its replies */
    uint64_t stuck_ns;                   /* and when that was */
    /* Ids grow, and arrive in order: whatever is not above these has come. */
    uint64_t came, came_here;          /* in the session; on this connection */
    uint64_t recalled;                 /* up to here in an earlier process; does not change */
    rg_answer *answers, **last_answer; /* those that are remembered, oldest first */
    size_t n_answers, answer_bytes;
    rg_mark *marks; /* owned: of replies, in their order, that are not on the disk */
    size_t n_marks, cap_marks;
    uint64_t durable; /* the last reply that is; 0: none was told yet */

    rg_task leave, expel, go_on;
    atomic_bool leaving, expelling;
};

/* Looks in one loop for replies that nobody takes. */
typedef struct rg_mover {
    rg_timer *timer;
    rg_rpc_server *server;
    int loop;
    uint64_t looked_ns;
} rg_mover;

/* Answers of one loop that wait for the disk. */
typedef struct rg_withheld {
    rg_task task;
    atomic_bool posted;
    rg_rpc_server *server;
    int loop;
    rg_rpc_request *first, **last; /* the loop's */
} rg_withheld;

struct rg_rpc_server {
    rg_rpc_server_config config; /* endpoints are not kept */
    char job[RG_RPC_NAME_MAX], name[RG_RPC_NAME_MAX];
    rg_job_key key;
    rg_seal_use seal;
    rg_tls_setup *tls;
    uint64_t instance;
    rg_traffic total;
    rg_budget memory; /* bytes of bodies of requests and of shared memory, of all peers */
    rg_loop *acceptor;
    rg_loop *loops[RG_RPC_MAX_LOOPS];
    rg_rpc_peer *linked[RG_RPC_MAX_LOOPS]; /* each its loop's */
    rg_mover movers[RG_RPC_MAX_LOOPS];
    rg_withheld withheld[RG_RPC_MAX_LOOPS];
    _Atomic uint64_t logged, durable; /* records that were written; that are on the disk */
    atomic_int lost_log;              /* why no more of them will be; RG_OK: they will */
    char lost_why[512];               /* written before it */

    /* the acceptor's */
    rg_listener **listeners;
    size_t n_listeners;
    rg_incoming *incoming;
    rg_admission admission;
    int descriptors; /* connections may use those below it; the rest is for files */
    rg_rpc_peer *peers;
    uint32_t n_peers;
    int next_loop;
    rg_timer *watch;
    uint64_t watched_ns;
    uint64_t log_after_ns; /* lines about strangers: one a second */
    uint64_t unlogged;
};

/* ---- acceptor.c ---- */
void rg_acceptor_accept(void *server, rg_stream *stream);
void rg_acceptor_watch(
    void *server); /* the timer: leases, and those who come and do not come to the point */
void rg_acceptor_shut(rg_rpc_server *server);
void rg_acceptor_forget(rg_task *leave); /* a peer said goodbye */
void rg_acceptor_expel(rg_task *expel);

/* ---- peer.c ---- */
rg_rpc_peer *rg_peer_new(rg_rpc_server *server, uint64_t session);
/* In the peer's loop: its new connection, which is taken. */
void rg_peer_attach(rg_rpc_peer *peer, rg_link *link);
void rg_peer_unlink(rg_rpc_peer *peer); /* close its connection, if it has one */
/* From the acceptor: the peer's connection is closed in its loop, and dead() told unless how is
 * NULL.
 */
rg_status rg_peer_bury(rg_rpc_peer *peer, const char *how);
/* The timer of loop i. */
void rg_peers_look(rg_rpc_server *server, int loop);

/* Reads on, or not, by how much it has to take and to be told. */
void rg_peer_throttle(rg_rpc_peer *peer);

/* ---- request.c ---- */
void rg_request_fill(rg_rpc_request *request); /* its body is whole from now on */
void rg_request_free(rg_rpc_request *request); /* in the peer's loop, as its memory was taken */

/* ---- reply.c ---- */
/* Answered before, or by an earlier process. In the peer's loop, or before it listens. */
void rg_peer_remember(rg_rpc_peer *peer, const rg_frame *reply, const rg_iov *iov, size_t n);
void rg_peer_forget_answers(rg_rpc_peer *peer);
/* Whether the answer was remembered, and is on its way once more. */
bool rg_peer_answer_again(rg_rpc_request *request);
void rg_peer_deliver(rg_task *request);

/* ---- acceptor.c ---- */
/* A peer that nobody knew; it is asked for. */
rg_status rg_acceptor_enter(rg_rpc_server *server, uint64_t session, const rg_rpc_hello *hello,
                            int loop, rg_rpc_peer **out);

/* ---- recall.c ---- */
/* In the loop: whether the answer has to wait for the disk; then it is taken. */
bool rg_reply_waits(rg_rpc_request *request);
/* In the loop: the reply says that its request is to be kept. */
void rg_reply_mark(rg_rpc_request *request);
/* In the loop: what it keeps and need not. again: it may not have heard what it was told last. */
void rg_peer_tell_durable(rg_rpc_peer *peer, bool again);
void rg_withheld_init(rg_rpc_server *server, int loop);
/* In the loop: nothing is waited for any more, and nobody is answered. */
void rg_withheld_drop(rg_rpc_server *server, int loop);

#endif
