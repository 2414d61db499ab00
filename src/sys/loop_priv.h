/* loop_priv.h - what the files about loops and streams share. */
#ifndef RG_SYS_LOOP_PRIV_H
#define RG_SYS_LOOP_PRIV_H

#include "sys/transport.h"

#include <pthread.h>
#include <uv.h>

struct rg_loop {
    uv_loop_t uv;
    uv_poll_t wake; /* for `event`. Not uv_async_t: its loop spins while the waker is in its call */
    int event;
    pthread_t thread;
    atomic_int posting;   /* threads inside rg_loop_post() */
    pthread_mutex_t lock; /* of the tasks */
    rg_task *first, **last;
    rg_stream *streams; /* all that belong to it */
};

/* What every libuv handle's `data` points to: how to drop it when the loop ends. */
typedef struct rg_handle {
    void (*drop)(void *self);
} rg_handle;

rg_status rg_uv_fail(int code, const char *doing, const char *what);

/* "host:port" taken apart; host is empty for ":port". */
rg_status rg_endpoint_split(const char *endpoint, char host[256], char port[8]);
/* The connecting that a stream waits for. */
void rg_dial_forget(rg_dial *dial);
/* It has come to its end: with a connection it begins to read. */
void rg_stream_dialled(rg_stream *stream, rg_status status);

#endif
