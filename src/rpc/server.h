/* server.h - answers requests of peers that have proved who they are.
 *
 * Threads: the acceptor, one thread, accepts connections, checks who comes, and answers heartbeats,
 * so a long update never looks like a death. Each peer belongs to one of `loops` threads, which
 * reads its requests. hello() is called by the acceptor; request(), lost(), left() and dead() of a
 * peer all come from the peer's own loop, one after the other. Replying is for any thread.
 *
 * A peer is a client process (rather: one rg_rpc_client of it), not a connection: it may lose
 * its connection and come back. It is dead when no heartbeat has come for the lease. */
#ifndef RG_RPC_SERVER_H
#define RG_RPC_SERVER_H

#include "base/buf.h"
#include "base/cursor.h"
#include "rpc/rpc.h"

typedef struct rg_rpc_server rg_rpc_server;
typedef struct rg_rpc_peer rg_rpc_peer;
typedef struct rg_rpc_request rg_rpc_request;

typedef enum rg_rpc_arrival {
    RG_RPC_NEW,      /* never seen */
    RG_RPC_BACK,     /* lost its connection, within the lease */
    RG_RPC_REVENANT, /* was reported dead */
} rg_rpc_arrival;

typedef struct rg_rpc_server_events {
    /* In the opener's thread: the loops run, and nobody can come yet. A failure is the opener's.
     * NULL: not wanted. */
    rg_status (*opened)(void *user, rg_rpc_server *server);
    /* Someone has proved the key and is of this job and version. RG_OK lets it in; it may have
     * set trainer and epoch, which the client is told. A failure refuses it, and the message
     * (rg_fail) reaches the client. NULL lets everyone in. Called for liveness connections not. */
    rg_status (*hello)(void *user, rg_rpc_peer *peer, rg_rpc_hello *hello, rg_rpc_arrival arrival);
    /* A request, owned by the callee until it replies; reply exactly once, now or later. */
    void (*request)(void *user, rg_rpc_request *request);
    /* Where a request's body shall go, as rg_frame_events.place; `mine` is kept for the request
     * (rg_rpc_request_mine), and forgotten where the connection breaks in between: it must not be
     * the only way to something that is to be freed. NULL, or *at left NULL at offset 0: a buffer
     * of its own. */
    rg_status (*place)(void *user, rg_rpc_peer *peer, const rg_frame *frame, uint64_t offset,
                       uint8_t **at, size_t *size, void **mine);
    /* Whether what the other end lends of this request's body stays where it is, and is not copied
     * (rg_rpc_request_part). NULL: never. */
    bool (*reads_lent)(void *user, const rg_frame *frame);
    /* A reply waits until records are on the disk that are not. NULL: they will be soon. */
    void (*waits)(void *user);
    void (*lost)(void *user, rg_rpc_peer *peer, const char *why);
    void (*left)(void *user, rg_rpc_peer *peer); /* said goodbye; the last call for this peer */
    /* The last call for this peer, unless it comes back and hello() accepts it. */
    void (*dead)(void *user, rg_rpc_peer *peer, const char *how);
} rg_rpc_server_events;

typedef struct rg_rpc_server_config {
    const char *const *endpoints; /* "host:port" (port 0: any), "[IPv6]:port", "unix:PATH" */
    size_t n_endpoints; /* 0: nobody comes; what was asked before is handed over again (recall) */
    const char *job;    /* "" or NULL: any job */
    const char *name;   /* for messages: "pserver 0"; NULL: the first endpoint */
    uint64_t lineage;   /* of the state behind it, told to who comes; 0: it goes with the process */
    bool logs_late;     /* replies go before their records are on the disk: clients keep requests */
    rg_rpc_security security;
    int loops;            /* 0: 1 */
    uint64_t max_body;    /* bytes of a request; 0: RG_RPC_MAX_BODY */
    uint64_t max_queued;  /* a peer's requests wait while it leaves more reply bytes; 0: 64 MiB */
    uint32_t max_waiting; /* or while so many of them have no reply; 0: 512, the most */
    uint64_t max_memory;  /* bytes of all requests on their way; 0: FLAGS_rpc_max_memory_mb */
    uint64_t max_peer_memory; /* of those of one peer; 0: FLAGS_rpc_max_peer_memory_mb */
    uint32_t max_peers;       /* 0: 4096 */
    uint64_t lease_ms;        /* 0: FLAGS_rpc_lease_ms */
    uint64_t handshake_ms;    /* a stranger is sent away after; 0: 5000 */
    rg_rpc_server_events events;
    void *user;
} rg_rpc_server_config;

/* Listens when it returns. The config is copied. Refuses by name what cannot be had: an address
 * in use, a certificate that cannot be read. */
rg_status rg_rpc_server_open(rg_rpc_server **server, const rg_rpc_server_config *config);
/* Cuts all connections, ends the threads. Requests without a reply must have been replied to
 * before. No event comes afterwards. NULL is allowed. */
void rg_rpc_server_close(rg_rpc_server *server);
/* As listened on, with the port that was chosen. Borrowed for the server's life. */
const char *rg_rpc_server_endpoint(const rg_rpc_server *server, size_t i);
/* The thread of a peer, to post tasks to. */
rg_loop *rg_rpc_server_loop(rg_rpc_server *server, int i);
/* Of all connections so far. Any thread. */
rg_rpc_counters rg_rpc_server_counters(const rg_rpc_server *server);
/* Cut every connection now (peers come back): for tests. Any thread. */
void rg_rpc_server_cut(rg_rpc_server *server);

/* ---- peers: borrowed from hello() until left() or dead() has returned, or kept ---- */
void rg_rpc_peer_keep(rg_rpc_peer *peer);
void rg_rpc_peer_drop(rg_rpc_peer *peer);
uint64_t rg_rpc_peer_session(const rg_rpc_peer *peer);
int rg_rpc_peer_loop(const rg_rpc_peer *peer); /* its number */
/* In hello() of one that is new: it shall belong to that loop. */
void rg_rpc_peer_set_loop(rg_rpc_peer *peer, int loop);
/* It came by a Unix socket, and the kernel says that it is of this process's user, or root's. Any
 * thread. */
bool rg_rpc_peer_is_own_user(const rg_rpc_peer *peer);
void rg_rpc_peer_set_user(rg_rpc_peer *peer, void *user);
void *rg_rpc_peer_user(const rg_rpc_peer *peer);
/* Cut a peer off: soon its connection is closed, and if it comes again hello() hears of it as a
 * returning peer. dead() is not called. */
void rg_rpc_peer_expel(rg_rpc_peer *peer);

/* ---- requests ---- */
rg_rpc_peer *rg_rpc_request_peer(const rg_rpc_request *request);
uint16_t rg_rpc_request_method(const rg_rpc_request *request);
uint16_t rg_rpc_request_flags(const rg_rpc_request *request);
/* With the peer's session and epoch: the same for every sending of one request. */
uint64_t rg_rpc_request_id(const rg_rpc_request *request);
/* This request was replied to before, and the reply may not have arrived: reply again, but do not
 * apply again. (A second sending of a request that is still waiting for its reply, or whose answer
 * is remembered, is never seen.) */
bool rg_rpc_request_repeated(const rg_rpc_request *request);
/* Before the reply: keep it, so that the request is answered with the same if it comes again. The
 * last 8 answers of a session are kept, and more of them, up to 1024, within 1 MiB. Refusals always
 * are. */
void rg_rpc_request_remember(rg_rpc_request *request);
/* In request() alone: until this one is replied to, no further request of its peer is handed over.
 * For answers that are large and made on another thread: who asks for many of them and takes none
 * shall not have them all made. */
void rg_rpc_request_alone(rg_rpc_request *request);
/* 64-byte aligned; borrowed until the reply. NULL where place() took it. */
const uint8_t *rg_rpc_request_body(const rg_rpc_request *request, size_t *bytes);
/* In request() alone, where reads_lent() was true: the body has gaps then. A part of it, where it
 * lies, borrowed until the reply: the other end could still change it, so nothing is checked there,
 * and has to leave it as it is until it has the reply. The same in the body itself, for what is
 * checked. */
const uint8_t *rg_rpc_request_part(rg_rpc_request *request, uint64_t offset, size_t n);
const uint8_t *rg_rpc_request_copied(rg_rpc_request *request, uint64_t offset, size_t n);
/* The body as it lies, one piece behind the other; how many. 0: it has none, or more than `most`.
 */
size_t rg_rpc_request_pieces(const rg_rpc_request *request, rg_iov *pieces, size_t most);
void *rg_rpc_request_mine(const rg_rpc_request *request);
/* How many bytes the answer may have: what one peer may have the server take at a time. */
uint64_t rg_rpc_request_room(const rg_rpc_request *request);

/* ---- a server that goes on where another process ended (recall.c) ----
 *
 * In opened() peers are made again as they were, and what they had asked is handed over again, so
 * that who comes back finds its session, and is answered as it would have been. */

/* As if it came: hello() is asked. It has the time of a lease to be there. Borrowed. */
rg_status rg_rpc_server_recall(rg_rpc_server *server, rg_rpc_peer **peer, uint64_t session,
                               const rg_rpc_hello *hello, int loop);
/* In opened(), or in the acceptor. NULL: none. */
rg_rpc_peer *rg_rpc_server_find(const rg_rpc_server *server, uint64_t session);
/* Later, for who holds no lock that hello() takes; it is kept. NULL: none. */
rg_rpc_peer *rg_rpc_server_keep(rg_rpc_server *server, uint64_t session);
/* As it was accepted. In opened(): another epoch. */
void rg_rpc_peer_set_epoch(rg_rpc_peer *peer, uint64_t epoch);
/* In the peer's loop: a request that had come to an earlier process. Of the frame id, method, flags
 * and bytes count. first: it is the first time, whatever else has come of the peer. */
rg_status rg_rpc_peer_replay(rg_rpc_peer *peer, const rg_frame *frame, const uint8_t *body,
                             bool first);
/* In the peer's loop: which requests have come, of those below a number, and the answers that are
 * remembered; and back. */
void rg_rpc_peer_write(const rg_rpc_peer *peer, uint64_t below, rg_buf *out);
rg_status rg_rpc_peer_read(rg_rpc_peer *peer, rg_cursor *in);
/* Whether it may have come to an earlier process, which need not have written it down. */
bool rg_rpc_request_recalled(const rg_rpc_request *request);

/* The answer to this one waits until all records that were written before it are on the disk. */
void rg_rpc_request_logged(rg_rpc_request *request);
/* Its answer does not: who asked keeps the request, if it does that, until it is told that they
 * are, and asks for it again where another process has taken this one's place without them. */
void rg_rpc_request_noted(rg_rpc_request *request);
/* Records below `number` were written; those below `number` are on the disk; no more of them will
 * be: answers that wait become this failure. Any thread. */
void rg_rpc_server_logged(rg_rpc_server *server, uint64_t number);
void rg_rpc_server_durable(rg_rpc_server *server, uint64_t number);
/* A number that no other state has, and not 0. */
rg_status rg_rpc_lineage(uint64_t *lineage);
void rg_rpc_server_lost_log(rg_rpc_server *server, rg_status status, const char *why);

/* The answer: pieces that are borrowed until release(arg) is called (NULL: copied now). flags:
 * RG_FRAME_UNCHECKED and the method's own. The request is gone afterwards. Any thread. */
void rg_rpc_reply(rg_rpc_request *request, uint16_t flags, const rg_iov *iov, size_t n,
                  void (*release)(void *arg), void *arg);
/* There is no memory for the answer to what was done. Not an error, which would say that it was
 * not: the connection is cut, and who asked comes again and is told then. rg_rpc_reply() does so
 * itself. Any thread. */
void rg_rpc_reply_lost(rg_rpc_request *request);
/* The answer is an error: `status` is not RG_OK; the text reaches the client. Any thread. */
void rg_rpc_refuse(rg_rpc_request *request, rg_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
