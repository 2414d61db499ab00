/* test_toy_transport.c - one more transport, all of it in this file, carries the tests of the rpc
 * layer: chunks of bytes in lists, between two ends within one process. */
#include "base/mem.h"
#include "sys/transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct chunk {
    struct chunk *next;
    size_t n;
    uint8_t bytes[];
} chunk;

typedef struct toy {
    rg_task task; /* accept(), then deliver() */
    rg_stream *stream;
    struct toy *other; /* NULL: it is gone */
    rg_loop *loop;     /* NULL: between two */
    int refs;          /* of the stream, of the other end, of the task */
    bool posted, paused, ended, working;
    chunk *first, **last; /* what has come, and is not read */
    rg_listener *listener;
} toy;

typedef struct gate {
    struct gate *next;
    rg_listener *listener;
    in_port_t port;
} gate;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of everything here */
static gate *gates;
static long writes;
static const rg_transport toy_transport;

static toy *of(const rg_stream *stream)
{
    return stream->conn;
}

static void drop(toy *t)
{
    if (--t->refs > 0)
        return;
    while (t->first != NULL) {
        chunk *c = t->first;
        t->first = c->next;
        rg_free(c);
    }
    rg_free(t);
}

static void post(toy *t)
{
    if (t->posted || t->loop == NULL)
        return;
    t->posted = true;
    t->refs++;
    rg_loop_post(t->loop, &t->task);
}

/* ---- reading ---- */

static chunk *next_chunk(toy *t, bool *ended)
{
    pthread_mutex_lock(&lock);
    chunk *c = t->first;
    if (c != NULL && (t->first = c->next) == NULL)
        t->last = &t->first;
    *ended = t->ended;
    pthread_mutex_unlock(&lock);
    return c;
}

static void give_back(toy *t, rg_stream *stream)
{
    t->stream = NULL;
    drop(t);
    rg_stream_gone(stream);
}

static void deliver(rg_task *task)
{
    toy *t = (toy *)task;
    rg_stream *stream = t->stream;
    bool ended = false;
    chunk *c = NULL;
    pthread_mutex_lock(&lock);
    t->posted = false;
    pthread_mutex_unlock(&lock);
    t->working = stream != NULL;
    while (stream != NULL && !stream->closed && !stream->failed && !t->paused &&
           (c = next_chunk(t, &ended)) != NULL) {
        (void)rg_stream_feed(stream, c->bytes, c->n);
        rg_free(c);
    }
    if (stream != NULL && c == NULL && ended && !t->paused)
        rg_stream_fail(stream, rg_fail(RG_ECLOSED, "the other end closed the connection"));
    t->working = false;
    pthread_mutex_lock(&lock);
    if (stream != NULL && stream->closed)
        give_back(t, stream);
    drop(t);
    pthread_mutex_unlock(&lock);
}

static rg_status read_toy(rg_stream *stream)
{
    pthread_mutex_lock(&lock);
    of(stream)->paused = false;
    of(stream)->task.run = deliver;
    post(of(stream));
    pthread_mutex_unlock(&lock);
    return RG_OK;
}

static void pause_toy(rg_stream *stream)
{
    of(stream)->paused = true;
}

/* ---- writing ---- */

static void write_toy(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                      void *arg)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += iov[i].bytes;
    chunk *c = rg_alloc(sizeof *c + total);
    c->next = NULL;
    c->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (iov[i].bytes > 0)
            memcpy(c->bytes + c->n, iov[i].at, iov[i].bytes);
        c->n += iov[i].bytes;
    }
    pthread_mutex_lock(&lock);
    toy *other = of(stream)->other;
    writes++;
    if (other != NULL) {
        *other->last = c;
        other->last = &c->next;
        post(other);
    }
    pthread_mutex_unlock(&lock);
    if (other == NULL)
        rg_free(c);
    done(arg);
}

static size_t queued(const rg_stream *stream, bool with_taken)
{
    size_t total = 0;
    pthread_mutex_lock(&lock);
    const toy *other = of(stream)->other;
    for (const chunk *c = with_taken && other != NULL ? other->first : NULL; c != NULL; c = c->next)
        total += c->n;
    pthread_mutex_unlock(&lock);
    return total;
}

/* ---- the end, and another loop ---- */

static void end(toy *t)
{
    if (t == NULL)
        return;
    t->ended = true;
    post(t);
}

static void shut_toy(rg_stream *stream, bool writing_alone)
{
    pthread_mutex_lock(&lock);
    end(of(stream)->other);
    if (!writing_alone)
        end(of(stream));
    pthread_mutex_unlock(&lock);
}

static void part(toy *t)
{
    toy *other = t->other;
    if (other == NULL)
        return;
    end(other);
    t->other = other->other = NULL;
    drop(other);
    drop(t);
}

static void close_toy(rg_stream *stream)
{
    toy *t = of(stream);
    pthread_mutex_lock(&lock);
    part(t);
    if (!t->working)
        give_back(t, stream);
    pthread_mutex_unlock(&lock);
}

static rg_status detach(rg_stream *stream)
{
    pthread_mutex_lock(&lock);
    of(stream)->loop = NULL;
    pthread_mutex_unlock(&lock);
    return RG_OK;
}

static rg_status adopt(rg_stream *stream, rg_loop *loop)
{
    pthread_mutex_lock(&lock);
    of(stream)->loop = loop;
    pthread_mutex_unlock(&lock);
    return RG_OK;
}

/* ---- dialling and listening ---- */

static void join(rg_stream *stream, void *conn)
{
    stream->conn = conn;
    of(stream)->stream = stream;
    rg_stream_set_peer(stream, "toy", "toy", getuid());
}

static void hang_up(void *attempt)
{
    pthread_mutex_lock(&lock);
    part(attempt);
    drop(attempt);
    pthread_mutex_unlock(&lock);
}

/* The server's end, in the loop that listens. */
static void accepted(rg_task *task)
{
    toy *t = (toy *)task;
    pthread_mutex_lock(&lock);
    bool listens = false;
    for (const gate *g = gates; g != NULL; g = g->next)
        listens |= g->listener == t->listener;
    t->posted = false;
    pthread_mutex_unlock(&lock);
    rg_stream *stream = listens ? rg_stream_new(t->loop, &toy_transport) : NULL;
    if (stream != NULL) {
        join(stream, t);
        rg_listener_accept(t->listener, stream);
    } else {
        hang_up(t);
    }
    pthread_mutex_lock(&lock);
    drop(t);
    pthread_mutex_unlock(&lock);
}

static toy *toy_new(rg_loop *loop)
{
    toy *t = rg_alloc_zero(1, sizeof *t);
    t->loop = loop;
    t->refs = 2;
    t->last = &t->first;
    return t;
}

static in_port_t port_of(const struct sockaddr *ip)
{
    return ip->sa_family == AF_INET6 ? ((const struct sockaddr_in6 *)ip)->sin6_port
                                     : ((const struct sockaddr_in *)ip)->sin_port;
}

static void dial_toy(rg_dial *dial, const rg_address *to)
{
    toy *here = NULL;
    pthread_mutex_lock(&lock);
    gate *g = gates;
    while (g != NULL && g->port != port_of(to->ip))
        g = g->next;
    if (g != NULL) {
        toy *there = toy_new(rg_listener_loop(g->listener));
        here = toy_new(rg_dial_loop(dial));
        here->other = there;
        there->other = here;
        here->task.run = deliver;
        there->task.run = accepted;
        there->listener = g->listener;
        post(there);
    }
    pthread_mutex_unlock(&lock);
    if (here != NULL)
        rg_dial_done(dial, here);
    else
        rg_dial_failed(dial, -ECONNREFUSED);
}

static rg_status listen_toy(void **out, rg_listener *listener, const rg_address *at)
{
    gate *g = rg_alloc_zero(1, sizeof *g);
    g->listener = listener;
    g->port = port_of(at->ip);
    pthread_mutex_lock(&lock);
    g->next = gates;
    gates = g;
    pthread_mutex_unlock(&lock);
    *out = g;
    return RG_OK;
}

static void unlisten(void *at)
{
    pthread_mutex_lock(&lock);
    for (gate **g = &gates; *g != NULL; g = &(*g)->next)
        if (*g == at) {
            *g = (*g)->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    rg_free(at);
}

static const rg_transport toy_transport = {
    .name = "toy",
    .local = true,
    .dial = dial_toy,
    .hang_up = hang_up,
    .dialled = join,
    .listen = listen_toy,
    .unlisten = unlisten,
    .read = read_toy,
    .pause = pause_toy,
    .write = write_toy,
    .queued = queued,
    .shut = shut_toy,
    .close = close_toy,
    .detach = detach,
    .adopt = adopt,
};

/* ---- and now the tests of the rpc layer ---- */

static void was_used(void)
{
    if (writes < 1000)
        abort();
}

__attribute__((constructor)) static void add_toy(void)
{
    rg_transport_add(&toy_transport);
    (void)atexit(was_used);
}

#include "rpc/test_rpc.c"
