/* loop_priv.h - what loop.c, stream.c and listen.c share. */
#ifndef RG_SYS_LOOP_PRIV_H
#define RG_SYS_LOOP_PRIV_H

#include "sys/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

struct rg_loop {
    uv_loop_t uv;
    uv_poll_t wake; /* for `event`. Not uv_async_t: its loop spins while the waker is in its call */
    int event;
    pthread_t thread;
    atomic_int posting;   /* threads inside rg_loop_post() */
    pthread_mutex_t lock; /* of the tasks */
    rg_task *first, **last;
};

/* What every libuv handle's `data` points to: how to drop it when the loop ends. */
typedef struct rg_handle {
    void (*drop)(void *self);
} rg_handle;

/* A stream of `loop` without a connection yet; NULL without memory. Unix sockets too are libuv's
 * uv_tcp_t: for reading and writing there is no difference. */
rg_stream *rg_stream_new(rg_loop *loop);
uv_tcp_t *rg_stream_uv(rg_stream *stream);
/* Give it its connected socket, which is taken in any case. */
rg_status rg_stream_take(rg_stream *stream, int socket);
/* It has its socket: note who is at the other end. */
void rg_stream_settle(rg_stream *stream);
/* The connecting that a stream waits for; NULL when it is over. */
typedef struct rg_dial rg_dial;
void rg_stream_set_dial(rg_stream *stream, rg_dial *dial, const rg_stream_events *events,
                        void *user);
void rg_dial_forget(rg_dial *dial);
/* Connecting has come to its end: code 0 begins to read. */
void rg_stream_dialled(rg_stream *stream, rg_status status);

/* A second descriptor of a socket, which a handle that closes its own leaves open; -1 and errno. */
int rg_socket_copy(int socket);

rg_status rg_uv_fail(int code, const char *doing, const char *what);

/* "host:port" taken apart; host is empty for ":port". */
rg_status rg_endpoint_split(const char *endpoint, char host[256], char port[8]);
/* The abstract Unix socket that stands for a TCP address of this host and this user. */
struct sockaddr;
struct sockaddr_un;
size_t rg_local_name(struct sockaddr_un *out, const struct sockaddr *address, bool wildcard);

#endif
