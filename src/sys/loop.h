/* loop.h - event loops: sockets, timers and tasks, each loop on a thread of its own.
 *
 * A loop's thread runs everything that belongs to the loop: the events of its streams, its
 * timers, the tasks that other threads post to it. So what belongs to one loop needs no lock.
 * Unless a function says "any thread" it is for the loop's own thread; rg_loop_do() gets there.
 *
 * A thread of a loop takes no signals, and writing to a socket whose other end has gone is an
 * error like any other, never SIGPIPE. A loop without work sleeps in the kernel. */
#ifndef RG_SYS_LOOP_H
#define RG_SYS_LOOP_H

#include "base/status.h"
#include "sys/iov.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rg_loop rg_loop;
typedef struct rg_timer rg_timer;
typedef struct rg_listener rg_listener;
typedef struct rg_stream rg_stream;

/* ---- loops and tasks ---- */

/* Starts the thread; its name is for people who look at processes. Any thread. */
rg_status rg_loop_open(rg_loop **loop, const char *name);
/* Runs the tasks posted so far, drops timers, listeners and streams (which hear nothing more;
 * their pending writes are released) and ends the thread. From any thread but the loop's own. */
void rg_loop_close(rg_loop *loop);
/* Whether the caller is the loop's thread. Any thread. */
bool rg_loop_inside(const rg_loop *loop);

/* Embedded in what the task is about; borrowed until run() is called, which may free it. */
typedef struct rg_task rg_task;
struct rg_task {
    rg_task *next;
    void (*run)(rg_task *task);
};

/* Runs the task in the loop, in the order of posting; wakes the loop. Never fails. Any thread. */
void rg_loop_post(rg_loop *loop, rg_task *task);
/* Runs work(arg) in the loop and returns when it has; at once where the caller is inside. Any
 * thread. */
void rg_loop_do(rg_loop *loop, void (*work)(void *arg), void *arg);

/* ---- timers ---- */

rg_status rg_timer_open(rg_timer **timer, rg_loop *loop, void (*fire)(void *user), void *user);
/* Fires after after_ms, then each every_ms (0: once). Setting it again forgets the old time. */
void rg_timer_set(rg_timer *timer, uint64_t after_ms, uint64_t every_ms);
void rg_timer_stop(rg_timer *timer);
void rg_timer_close(rg_timer *timer); /* NULL is allowed; never fires afterwards */

/* ---- streams ---- */

typedef struct rg_stream_events {
    /* A connection that was asked for is there. Not called for accepted ones. */
    void (*opened)(void *user);
    /* Where the next bytes shall go: at least one byte of room. False stops the stream: it must
     * have been closed. */
    bool (*room)(void *user, uint8_t **at, size_t *size);
    /* So many bytes lie where room() said. */
    void (*arrived)(void *user, size_t n);
    /* Bytes have arrived somewhere else, where the other end can still change them: whatever is
     * checked is copied first. Borrowed for the call. lent: they lie in memory that the other end
     * lends, and may be left there for as long as that is kept (rg_stream_keep_lent); the other end
     * is told that they were read before the call without bytes (NULL) that follows. NULL, or
     * false: by room() and arrived(). */
    bool (*bytes)(void *user, const uint8_t *at, size_t n, bool lent);
    /* The stream has failed (or could not be connected) or the other end has closed it, which is
     * RG_ECLOSED. It must still be closed. `message` is borrowed for the call. */
    void (*failed)(void *user, rg_status why, const char *message);
} rg_stream_events;

enum { RG_ORIGIN_TEXT = 64 };

/* How the bytes travel (sys/transport.h). By name, as FLAGS_rpc_transport has it; "auto" is NULL:
 * the first that reaches the other end. */
typedef struct rg_transport rg_transport;
typedef struct rg_budget rg_budget;
typedef struct rg_lent_view rg_lent_view; /* sys/lent.h */
rg_status rg_transport_find(const rg_transport **transport, const char *name);

/* Connects to "host:port", "[IPv6]:port" or "unix:PATH"; names are resolved without blocking, and
 * all addresses of a name are tried, by `only`, or (NULL) by all transports in their order.
 * `light`: it carries little, so of those one that takes memory for each stream is not for it.
 * `events` is borrowed for the stream's life. */
rg_status rg_stream_connect(rg_stream **stream, rg_loop *loop, const char *endpoint,
                            const rg_transport *only, bool light, const rg_stream_events *events,
                            void *user);
/* Begins to read a stream that was accepted. */
rg_status rg_stream_start(rg_stream *stream, const rg_stream_events *events, void *user);
/* Stop and go on reading: what the other end sends then waits on its way. */
void rg_stream_pause(rg_stream *stream);
void rg_stream_resume(rg_stream *stream);

/* Sends the pieces; n may be any number. The memory is borrowed until done(arg) is called, which
 * is always, exactly once, and may be before this function returns. Written or not is no longer
 * of interest to who releases memory: a failure of the stream is told by failed(). */
void rg_stream_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                     void *arg);
/* Bytes given to rg_stream_write() that are still where they were. */
size_t rg_stream_queued(const rg_stream *stream);
/* And with those that were taken, and the other end has not. */
size_t rg_stream_unsent(const rg_stream *stream);
/* What the other end lends, for whoever reads there: to be dropped. NULL: nothing. */
rg_lent_view *rg_stream_keep_lent(const rg_stream *stream);
/* For messages: "10.0.0.7:51234", "unix". Borrowed for the stream's life. */
const char *rg_stream_peer(const rg_stream *stream);
bool rg_stream_is_local(const rg_stream *stream);    /* both ends are on this host */
bool rg_stream_is_loopback(const rg_stream *stream); /* TCP that does not leave this host */
/* One whose other end the kernel knows to be this process's user, or root. */
bool rg_stream_is_own_user(const rg_stream *stream);
bool rg_stream_may_skip_checksum(const rg_stream *stream); /* what arrives is what was sent */
const char *rg_stream_transport(const rg_stream *stream);  /* its name */
/* Whom its connections are counted for: the address without the port, of IPv6 the first 64 bits,
 * since whoever has one such address has all of them; of a Unix socket the user. */
void rg_stream_origin(const rg_stream *stream, char origin[RG_ORIGIN_TEXT]);
/* The number of its socket. The system gives out the lowest that is free, so of a stream that has
 * just been accepted it says how many descriptors are in use at least. */
int rg_stream_descriptor(const rg_stream *stream);

/* The connection is to end: failed() is called soon, but not before this returns. */
void rg_stream_shut(rg_stream *stream);
/* Tell the other end that nothing more comes. What is still queued is lost. */
void rg_stream_shut_writing(rg_stream *stream);
/* No event comes afterwards; pending writes are released now. NULL is allowed. */
void rg_stream_close(rg_stream *stream);

/* Hand a stream that is not writing over to another loop: detach in the one, adopt in the other;
 * it does not read until it is resumed. After a failure it can only be closed. In between that is
 * for any thread. */
rg_status rg_stream_detach(rg_stream *stream);
rg_status rg_stream_adopt(rg_stream *stream, rg_loop *loop);

/* ---- listening ---- */

/* Listens on "host:port", "[IPv6]:port", ":port" (all addresses), or "unix:PATH". Port 0 lets the
 * system choose. `beside`: by all transports, which reach only who is on this host; else by TCP
 * alone. The memory that they take for streams is from the budget, which is borrowed; NULL: there
 * is none, and no limit. An address in use is RG_EIO, by name. accepted() gets streams to start or
 * to close. May block while a name is resolved. */
rg_status rg_listen(rg_listener **listener, rg_loop *loop, const char *endpoint, bool beside,
                    rg_budget *budget, void (*accepted)(void *user, rg_stream *stream), void *user);
/* "host:port" with the port that was chosen. Borrowed for the listener's life. */
const char *rg_listener_endpoint(const rg_listener *listener);
bool rg_listener_is_loopback(const rg_listener *listener);
void rg_listener_close(rg_listener *listener); /* NULL is allowed */

#endif
