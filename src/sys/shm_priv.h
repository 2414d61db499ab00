/* shm_priv.h - a connection through shared memory: transport_shm.c makes and ends it, shm_bytes.c
 * writes and reads. */
#ifndef RG_SYS_SHM_PRIV_H
#define RG_SYS_SHM_PRIV_H

#include "sys/lent.h"
#include "sys/ring.h"
#include "sys/socket_priv.h"

#include <unistd.h>

enum {
    RG_SHM_RING = 1 << 20, /* bytes each way */
    RG_SHM_HEADS = 4096,   /* before the rings: both heads */
    RG_SHM_BYTES = RG_SHM_HEADS + 2 * RG_SHM_RING,
};

enum {
    RG_SHM_MEMORY,
    RG_SHM_TO_SERVER,
    RG_SHM_TO_CLIENT,
    RG_SHM_LENT,
    RG_SHM_HANDED
}; /* the descriptors; RG_SHM_LENT may be missing */

/* A descriptor that is waited for. Apart from the connection: libuv lets go of it later. */
typedef struct rg_shm_watch {
    rg_handle base;
    uv_poll_t uv;
    struct rg_shm *shm; /* NULL: it is over */
} rg_shm_watch;

typedef struct rg_shm_pending {
    struct rg_shm_pending *next;
    void (*done)(void *arg);
    void *arg;
    uint64_t end; /* where the ring has to be read up to before it is done */
    size_t lent;  /* bytes of it that were not copied; 0: it is done when it is written */
    size_t n, at; /* pieces, the present one */
    rg_iov iov[];
} rg_shm_pending;

typedef struct rg_shm_queue {
    rg_shm_pending *first, **last;
    size_t bytes;
} rg_shm_queue;

typedef struct rg_shm {
    rg_stream *stream;         /* NULL: being dialled */
    rg_dial *dial;             /* NULL: not being dialled */
    rg_loop *loop;             /* NULL: between two */
    bool open;                 /* the memory is mapped, both know */
    bool client;               /* this side has made it */
    int handed[RG_SHM_HANDED]; /* -1: not there */
    int socket;
    rg_shm_watch *on_socket, *on_wake;
    void *memory;
    rg_lent_view *theirs; /* what the other side lends; NULL: nothing */
    rg_budget *budget;    /* that the memory is from; NULL: none */
    bool counted;         /* it has been taken from there */
    rg_ring in, out;
    bool paused, ended, shut; /* the other end has closed the socket; this one has */
    bool working;             /* inside work() */
    rg_shm_queue waiting;     /* to be written */
    rg_shm_queue held;        /* written, and read from where they are */
} rg_shm;

static inline rg_shm *rg_shm_of(const rg_stream *stream)
{
    return stream->conn;
}

static inline void rg_shm_wake(int event)
{
    static const uint64_t once = 1;
    (void)!write(event, &once, sizeof once);
}

static inline int rg_shm_mine(const rg_shm *s)
{
    return s->handed[s->client ? RG_SHM_TO_CLIENT : RG_SHM_TO_SERVER];
}

static inline int rg_shm_theirs(const rg_shm *s)
{
    return s->handed[s->client ? RG_SHM_TO_SERVER : RG_SHM_TO_CLIENT];
}

/* ---- transport_shm.c ---- */

void rg_shm_unwatch(rg_shm_watch **at);
void rg_shm_free(rg_shm *s);

/* ---- shm_bytes.c ---- */

void rg_shm_write(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                  void *arg);
size_t rg_shm_queued(const rg_stream *stream, bool with_taken);
void rg_shm_release_all(rg_shm *s); /* what is written or waits, read or not */
/* The other end has woken this one; the socket can be read, which is its end. */
void rg_shm_on_wake(uv_poll_t *uv, int status, int events);
void rg_shm_on_end(uv_poll_t *uv, int status, int events);

#endif
