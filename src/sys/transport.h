/* transport.h - how the bytes of a stream travel: for each way a table of functions.
 *
 * TCP, Unix sockets and shared memory are a file each (transport_*.c), and transport.c has the list
 * of them. One more is one more file with its table, and a line there (or rg_transport_add()).
 * A stream (sys/loop.h) is what all of them have in common, and whoever uses one does not see
 * which it is. TLS lies over streams (rpc/link.c).
 *
 * Threads: a table's functions are called in the thread of the stream's loop. */
#ifndef RG_SYS_TRANSPORT_H
#define RG_SYS_TRANSPORT_H

#include "sys/loop.h"

#include <stdatomic.h>
#include <sys/types.h>

struct sockaddr;
typedef struct rg_dial rg_dial;

/* Bytes that all users of something may take together. Any thread. */
typedef struct rg_budget {
    _Atomic uint64_t used;
    uint64_t most;
} rg_budget;

bool rg_budget_take(rg_budget *budget, uint64_t bytes); /* false: there are not so many left */
void rg_budget_give(rg_budget *budget, uint64_t bytes);

typedef struct rg_address {
    const char *endpoint;      /* as it was given */
    const struct sockaddr *ip; /* of HOST:PORT; NULL: the endpoint is of the transport's scheme */
} rg_address;

struct rg_transport {
    const char *name;       /* for FLAGS_rpc_transport */
    const char *scheme;     /* endpoints that begin so are its own ("unix:"); NULL: it has none */
    bool may_skip_checksum; /* what arrives is what was sent */
    bool local;             /* both ends are on one host, and the other's user is known */
    bool takes_memory;      /* for each stream, so it is not for those that carry next to nothing */

    /* Begin to connect; at once or later rg_dial_done() or rg_dial_failed() is called, unless
     * hang_up() is before. */
    void (*dial)(rg_dial *dial, const rg_address *to);
    /* Give up what dial() has set with rg_dial_attempt(), or has connected. */
    void (*hang_up)(void *attempt);
    void (*dialled)(rg_stream *stream, void *conn); /* it is the stream's now: name its peer */
    /* Bind. Of the transports of a HOST:PORT TCP is first, and the others see the port that it has
     * got. */
    rg_status (*listen)(void **gate, rg_listener *listener, const rg_address *at);
    rg_status (*accept)(void *gate); /* begin to; TCP last. NULL: listen() does */
    void (*unlisten)(void *gate);

    rg_status (*read)(rg_stream *stream); /* begin, or go on after pause() */
    void (*pause)(rg_stream *stream);
    void (*write)(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                  void *arg);                                   /* never of 0 bytes in all */
    size_t (*queued)(const rg_stream *stream, bool with_taken); /* as rg_stream_queued, _unsent */
    rg_lent_view *(*keep_lent)(
        const rg_stream *stream); /* as the stream's; NULL: nothing is lent */
    void (*shut)(rg_stream *stream, bool writing_alone);
    /* Releases what is pending now, and calls rg_stream_gone() at the end: not before it has come
     * out of an event that it was called from. */
    void (*close)(rg_stream *stream);
    /* As rg_stream_detach() and _adopt(); after a failure of either it can only be closed. */
    rg_status (*detach)(rg_stream *stream);
    rg_status (*adopt)(rg_stream *stream, rg_loop *loop);
};

/* What every stream has, for transports to use. */
struct rg_stream {
    const rg_transport *transport; /* NULL: it is not connected yet */
    void *conn;                    /* the transport's own */
    rg_loop *loop;
    rg_stream *next, **back; /* of the loop's */
    rg_dial *dial;           /* NULL: it was accepted, or is connected */
    const rg_stream_events *events;
    void *user;
    bool failed, closed;
    int descriptor;
    char peer[96];
    char origin[RG_ORIGIN_TEXT];
    uid_t uid; /* at the other end, of one that is local; (uid_t)-1: not known */
};

extern const rg_transport rg_transport_shm, rg_transport_unix, rg_transport_tcp;

/* ---- the list ---- */

/* In the order in which they are tried; NULL: no more. */
const rg_transport *rg_transport_at(size_t i);
/* Whose own endpoint this is; NULL: it is HOST:PORT. */
const rg_transport *rg_transport_of_scheme(const char *endpoint);
/* One more, tried before all others; for good. Before any loop is opened. */
void rg_transport_add(const rg_transport *transport);

/* ---- for transports ---- */

rg_loop *rg_dial_loop(const rg_dial *dial);
void rg_dial_attempt(rg_dial *dial, void *attempt);
/* Connected: dialled() is called at once or later, or hang_up(). */
void rg_dial_done(rg_dial *dial, void *conn);
void rg_dial_failed(rg_dial *dial, int error); /* an errno, negative */

/* A stream that was accepted; NULL: no memory. Its conn is the caller's to set. */
rg_stream *rg_stream_new(rg_loop *loop, const rg_transport *transport);
/* For one without a connection, or whose connection is gone. */
void rg_stream_gone(rg_stream *stream);
void rg_stream_set_peer(rg_stream *stream, const char *peer, const char *origin, uid_t uid);
/* Bytes have arrived where room() said; true: go on reading. */
bool rg_stream_take(rg_stream *stream, uint8_t *at, size_t n);
/* Bytes lie somewhere else, where the other end may still change them. True: go on reading. */
bool rg_stream_feed(rg_stream *stream, const uint8_t *at, size_t n);
/* The same of memory that the other end lends, which is mapped while the stream is not gone. Then,
 * when the other end can see that they were read, rg_stream_fed_lent(). */
bool rg_stream_feed_lent(rg_stream *stream, const uint8_t *at, size_t n);
bool rg_stream_fed_lent(rg_stream *stream);
/* It has failed; the message is set. Told once, and not where it is closed. */
void rg_stream_fail(rg_stream *stream, rg_status why);

rg_loop *rg_listener_loop(const rg_listener *listener);
/* Of the memory that streams of this listener take; NULL: none is kept. */
rg_budget *rg_listener_budget(const rg_listener *listener);
void rg_listener_accept(rg_listener *listener, rg_stream *stream);
/* TCP has bound: the address that it got, for the others. */
void rg_listener_bound(rg_listener *listener, const struct sockaddr *ip);

#endif
