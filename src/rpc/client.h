/* client.h - asks one server.
 *
 * A client keeps a connection for requests and, on a thread of its own, one for heartbeats. A
 * connection that breaks is made again; requests that were sent but not answered are sent again
 * with the same id, so that the server can tell and applies them once. All clients of a process
 * share the two threads.
 *
 * Time spent waiting for a server that answers heartbeats is never counted. Calls fail with
 * RG_ETIMEOUT when nothing was heard from the server for deadline_ms.
 *
 * Threads: all functions are for any thread, but what waits must not be called from an event or
 * from done(). Events of a client come from the shared threads. */
#ifndef RG_RPC_CLIENT_H
#define RG_RPC_CLIENT_H

#include "rpc/kept.h"
#include "rpc/rpc.h"

typedef struct rg_rpc_client rg_rpc_client;
typedef struct rg_rpc_call rg_rpc_call;

/* What a server said when it let us in. */
typedef struct rg_rpc_welcome {
    int32_t trainer; /* as accepted, or given */
    uint64_t epoch;
    uint64_t instance; /* another one each time the server's process starts */
    uint64_t lineage;  /* of its state: one that was started again and has it still says the same;
                        * 0: what it has goes with the process */
    uint64_t lease_ms;
    bool keeps;    /* replies may be here before what they tell of is on its disk */
    uint64_t came; /* where it keeps: the last request that the state of its process began with */
    char name[RG_RPC_NAME_MAX]; /* of the server */
    uint64_t clock_ns;          /* what its clock showed, since 1970 */
} rg_rpc_welcome;

typedef struct rg_rpc_client_events {
    /* Connected, for the first time or again, perhaps to another process of the same lineage. What
     * waits is (re)sent after this returns. */
    void (*connected)(void *user, const rg_rpc_welcome *welcome, bool again);
    /* Nothing was heard for the lease. Told once until it is heard of again; calls wait on until
     * the deadline unless they are failed with rg_rpc_client_fail(). */
    void (*dead)(void *user, const char *how);
} rg_rpc_client_events;

typedef struct rg_rpc_client_config {
    rg_rpc_hello me;
    rg_rpc_security security;
    const char *transport;                       /* as FLAGS_rpc_transport, which NULL means */
    const char *(*method_name)(uint16_t method); /* in profiles; NULL: they are left out there */
    uint64_t max_body;                           /* bytes of a reply; 0: RG_RPC_MAX_BODY */
    int64_t deadline_ms;                         /* 0: FLAGS_rpc_deadline */
    int64_t retry_times; /* a request whose connections break is sent again for so many leases; 0:
                          * FLAGS_rpc_retry_times, -1: never */
    uint64_t lease_ms;   /* 0: what the server says */
    uint64_t return_ms;  /* a server whose state outlives it (lineage) is waited for so long: it is
                          * dead, and its requests fail, that much later */
    rg_rpc_window
        *window; /* borrowed: requests are kept in it, if the server says so; NULL: none */
    rg_rpc_client_events events;
    void *user;
} rg_rpc_client_config;

/* Returns at once: connecting goes on in the background (a server may start later), and requests
 * wait for it. Config and endpoint are copied. */
rg_status rg_rpc_client_open(rg_rpc_client **client, const char *endpoint,
                             const rg_rpc_client_config *config);
/* Waits until the server has let us in. Fails with the server's text where it refuses, and with
 * RG_ETIMEOUT after the deadline. Says in the log every few seconds that it waits, and ends early
 * as rg_interrupted() says; the client goes on trying then. */
rg_status rg_rpc_client_ready(rg_rpc_client *client, rg_rpc_welcome *welcome);
/* Says goodbye. Calls must have been closed before. NULL is allowed. */
void rg_rpc_client_close(rg_rpc_client *client);
/* Every call, present and future, fails with this: the job is over. */
void rg_rpc_client_fail(rg_rpc_client *client, rg_status status, const char *text);
const char *rg_rpc_client_endpoint(const rg_rpc_client *client);
bool rg_rpc_client_is_local(const rg_rpc_client *client); /* to a process of this host */
/* Whether requests to it are to be kept. */
bool rg_rpc_client_keeps(const rg_rpc_client *client);
/* RG_OK, or how every call fails. */
rg_status rg_rpc_client_state(rg_rpc_client *client);
/* The name of the transport, at present; "?" before the first connection. */
const char *rg_rpc_client_transport(const rg_rpc_client *client);
rg_rpc_counters rg_rpc_client_counters(const rg_rpc_client *client);
/* Cut the connection now (it is made again): for tests. */
void rg_rpc_client_cut(rg_rpc_client *client);

/* The process exits with clients that nobody has closed: their threads, which may be calling a
 * server that is gone, go no further, so that they do not meet the ends of libraries. */
void rg_rpc_clients_stop(void);

typedef struct rg_rpc_ask {
    uint16_t method;
    uint16_t flags;    /* RG_FRAME_UNCHECKED and the method's own */
    const rg_iov *iov; /* the body. The array is copied, the bytes are borrowed until the call is
                        * done or closed */
    size_t n;
    /* Where the reply's body shall go, as rg_frame_events.place; called in the client's thread,
     * from the start again (offset 0) where the connection broke in between. NULL: a buffer of
     * the call's own. Not called for errors. */
    rg_status (*place)(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                       size_t *size);
    void *place_user;
    /* What the server lends of the reply, and says that it stays, is put in its place by
     * rg_rpc_settle() alone: in the thread that is going to use it. */
    bool settles;
    /* A copy is made, for which room was taken (rg_rpc_window_take), and kept until the server has
     * it on its disk; the call gives the room back. Others are kept where their answer says so. The
     * thread that starts it copies `iov` when it has been sent on its way. */
    bool keeps;
    /* Its answer says that all that was answered before it was started is on the server's disk:
     * that is kept no longer. */
    bool flushes;
    /* Called once, in the client's thread, when the call is answered or has failed; it may close
     * the call and start others, and must not block. NULL: rg_rpc_wait() is used. */
    void (*done)(void *user, rg_rpc_call *call);
    void *user;
} rg_rpc_ask;

/* Sends a request; several may be under way, and they are sent in the order they were started.
 * Owned by the caller, who ends it with rg_rpc_call_close(). */
rg_status rg_rpc_start(rg_rpc_call **call, rg_rpc_client *client, const rg_rpc_ask *ask);
/* Waits for the answer. What the server refused, and what went wrong, is the status and message.
 * May end early, as rg_interrupted() says. */
rg_status rg_rpc_wait(rg_rpc_call *call);
bool rg_rpc_is_done(rg_rpc_call *call); /* of one without done() */
/* After it is done (rg_rpc_wait returned, or in done()): its status, with the message set. */
rg_status rg_rpc_result(rg_rpc_call *call);
/* The reply. 64-byte aligned, borrowed until the call is closed; NULL where place() took it. */
const uint8_t *rg_rpc_answer(const rg_rpc_call *call, size_t *bytes);
uint16_t rg_rpc_answer_flags(const rg_rpc_call *call);
/* Of a call that `settles` and has been answered: where the server lends this part of the reply, in
 * *view, which is the caller's to drop; it is not put in its place then. NULL: it does not, or not
 * as one piece. */
const uint8_t *rg_rpc_take_lent(rg_rpc_call *call, uint64_t offset, size_t n, rg_lent_view **view);
/* The same: the rest of the reply is put in its place. */
rg_status rg_rpc_settle(rg_rpc_call *call);
/* A call that is not done is given up: its memory is no longer touched, and done() either has
 * returned or is not called. NULL is allowed. */
void rg_rpc_call_close(rg_rpc_call *call);

/* Start, wait and close: *reply gets the body, to be ended with rg_free(); both may be NULL. */
rg_status rg_rpc_ask_once(rg_rpc_client *client, uint16_t method, const rg_iov *iov, size_t n,
                          uint8_t **reply, size_t *bytes);

#endif
