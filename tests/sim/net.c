/* net.c - a network of hosts, as a transport (endpoints are "sim:HOST:PORT"): how bytes travel.
 *
 * A connection is two ends; what one writes arrives at the other in order, in pieces, after a time,
 * as TCP does it: the sender's memory is read when the window has room for it, the receiver's is
 * asked for by room(). Some connections break at a byte that was drawn, for both ends, or for one
 * that the other does not hear of; some drip; all stand still while their hosts are cut off from
 * each other, in both directions or in one.
 *
 * Left out: packets (what arrives is whole and in order, or the connection is broken), and most of
 * TCP's own patience: connections of hosts that are cut off wait for as long as that takes. */
#include "sim/net_priv.h"

#include <string.h>

network *net;

static net_end *of(const rg_stream *stream)
{
    return stream->conn;
}

uint64_t net_latency(void)
{
    return net->weather.latency_ns + sim_draw(net->weather.jitter_ns + 1);
}

/* ---- what an end has to do, in its loop ---- */

static void work(rg_task *task);

static void post(net_end *e)
{
    if (e->loop == NULL || e->posted || !e->process->alive)
        return;
    net_knock *k = sim_alloc(sizeof *k);
    *k = (net_knock){{.run = work}, e, e->loop};
    e->posted = true;
    rg_loop_post(e->loop, &k->task);
}

void net_break(net_end *e)
{
    e->broken = true;
    post(e);
}

/* Pieces whose time has come arrive, unless the way is cut. */
static void arrive(void *arg)
{
    net_end *e = arg;
    net_end *to = e->other;
    net_pipe *p = &e->out;
    uint64_t cut = net->cut_until[e->host][to->host];
    if (cut > sim_now()) {
        sim_at(cut + net_latency(), arrive, e);
        return;
    }
    while (p->flying != NULL && p->flying->arrives <= sim_now()) {
        net_chunk *c = p->flying;
        p->flying = c->next;
        if (p->flying == NULL)
            p->last_flying = &p->flying;
        c->next = NULL;
        *p->last_there = c;
        p->last_there = &c->next;
    }
    p->fin = p->fin || (p->fin_sent && p->flying == NULL && p->latest <= sim_now());
    if (net->gone[to->host])
        return;                   /* nobody is there to answer */
    if (to->broken || to->closed) /* what comes for one that is no more is answered by a reset */
        net_break(e);
    else
        post(to);
}

static bool has_room(const net_end *e)
{
    return e->out.bytes < net->weather.window;
}

/* One piece of the first write takes off. */
static void take_off(net_end *e, net_write *w)
{
    net_pipe *p = &e->out;
    size_t left = w->iov[w->at].bytes - w->offset, room = net->weather.window - p->bytes;
    size_t n = left < room ? left : room;
    n = n < PIECE ? n : PIECE;
    if (n > 1 && sim_one_in(20))
        n = 1 + sim_draw(n - 1);
    net_chunk *c = sim_alloc(sizeof *c + n);
    memcpy(c->bytes, (const uint8_t *)w->iov[w->at].at + w->offset, n);
    c->n = n;
    uint64_t at = sim_now() + net_latency();
    p->latest = at > p->latest ? at : p->latest;
    p->latest += n * p->ns_a_byte;
    c->arrives = p->latest;
    *p->last_flying = c;
    p->last_flying = &c->next;
    p->bytes += n;
    p->total += n;
    w->offset += n;
    sim_at(c->arrives, arrive, e);
}

void net_break_later(void *arg)
{
    net_break(arg);
}

/* A connection that was to break at this byte does: for both, or for one of the two. The other one
 * hears of it when it writes, or by TCP's keep-alive. */
static void break_by_plan(net_end *e)
{
    uint64_t whom = sim_draw(net->weather.half_open ? 4 : 3);
    net_end *caller = e->listener == NULL ? e : e->other;
    sim_note("a connection of hosts %d and %d breaks after %llu bytes%s", e->host, e->other->host,
             (unsigned long long)e->out.total,
             whom == 2   ? ", and who was called does not hear of it"
             : whom == 3 ? ", and who called does not hear of it"
                         : "");
    e->out.breaks_at = SIM_NEVER;
    e->out.flying = NULL;
    e->out.last_flying = &e->out.flying;
    if (whom != 3)
        net_break(caller);
    else
        sim_at(sim_now() + KEEPALIVE_NS, net_break_later, caller);
    if (whom != 2)
        net_break(caller->other);
    else
        sim_at(sim_now() + KEEPALIVE_NS, net_break_later, caller->other);
}

static void skip_empty(net_write *w)
{
    while (w->at < w->n && w->offset == w->iov[w->at].bytes) {
        w->at++;
        w->offset = 0;
    }
}

static void release_first(net_end *e)
{
    net_write *w = e->writes;
    e->writes = w->next;
    if (e->writes == NULL)
        e->last_write = &e->writes;
    w->done(w->arg);
}

/* As much of what is to be written as there is room for. */
static void fly(net_end *e)
{
    while (e->writes != NULL && !e->broken && !e->closed) {
        net_write *w = e->writes;
        skip_empty(w);
        if (w->at == w->n) {
            release_first(e);
            continue;
        }
        if (!has_room(e))
            return;
        take_off(e, w);
        if (e->out.total >= e->out.breaks_at)
            break_by_plan(e);
    }
}

/* ---- reading ---- */

/* The reader has taken something: the writer hears of it a little later. */
static void hear_of_room(void *arg)
{
    net_end *e = arg;
    if (e->writes != NULL)
        post(e);
}

static bool read_piece(net_end *e)
{
    net_pipe *p = &e->other->out;
    net_chunk *c = p->there;
    uint8_t *at = NULL;
    size_t room = 0;
    if (!e->stream->events->room(e->stream->user, &at, &room))
        return false;
    size_t n = c->n - c->taken < room ? c->n - c->taken : room;
    memcpy(at, c->bytes + c->taken, n);
    c->taken += n;
    p->bytes -= n;
    if (c->taken == c->n) {
        p->there = c->next;
        if (p->there == NULL)
            p->last_there = &p->there;
    }
    if (e->other->writes != NULL)
        sim_at(sim_now() + net_latency(), hear_of_room, e->other);
    return rg_stream_take(e->stream, at, n);
}

static void tell_end(net_end *e)
{
    if (e->told)
        return;
    e->told = true;
    rg_stream_fail(e->stream,
                   e->broken ? rg_fail(RG_ECLOSED, "the connection to %s: connection reset by peer",
                                       e->stream->peer)
                             : rg_fail(RG_ECLOSED, "the other end closed the connection"));
}

static void gone(net_end *e)
{
    rg_stream *stream = e->stream;
    e->stream = NULL;
    rg_stream_gone(stream);
}

static void work(rg_task *task)
{
    const net_knock *k = (const net_knock *)task;
    net_end *e = k->end;
    if (e->loop == k->loop)
        e->posted = false;
    if (e->loop != k->loop || e->stream == NULL || e->closed)
        return;
    e->working = true;
    fly(e);
    bool notices = e->reading || e->writes != NULL; /* who does neither hears nothing */
    while (e->broken && e->writes != NULL)
        release_first(e);
    while (e->reading && !e->broken && !e->closed && !e->stream->failed &&
           e->other->out.there != NULL)
        e->reading = read_piece(e) && e->reading;
    bool at_end = e->other->out.there == NULL && e->other->out.fin;
    if (!e->closed && ((e->broken && notices) || (e->reading && at_end)))
        tell_end(e);
    e->working = false;
    if (e->closed)
        gone(e);
}

static rg_status read_on(rg_stream *stream)
{
    of(stream)->reading = true;
    post(of(stream));
    return RG_OK;
}

static void pause_reading(rg_stream *stream)
{
    of(stream)->reading = false;
}

/* ---- writing ---- */

static void write_all(rg_stream *stream, const rg_iov *iov, size_t n, void (*done)(void *arg),
                      void *arg)
{
    net_end *e = of(stream);
    net_write *w = sim_alloc(sizeof *w);
    *w = (net_write){.iov = sim_alloc((n + 1) * sizeof *iov), .n = n, .done = done, .arg = arg};
    memcpy(w->iov, iov, n * sizeof *iov);
    *e->last_write = w;
    e->last_write = &w->next;
    fly(e);
    if (e->broken)
        post(e);
}

static size_t queued(const rg_stream *stream, bool with_taken)
{
    const net_end *e = of(stream);
    size_t total = with_taken ? e->out.bytes : 0;
    for (const net_write *w = e->writes; w != NULL; w = w->next)
        for (size_t i = w->at; i < w->n; i++)
            total += w->iov[i].bytes - (i == w->at ? w->offset : 0);
    return total;
}

/* ---- the end, and another loop ---- */

void net_send_fin(net_end *e)
{
    net_pipe *p = &e->out;
    if (p->fin_sent || e->broken || e->other == NULL)
        return;
    uint64_t at = sim_now() + net_latency();
    p->fin_sent = true;
    p->latest = at > p->latest ? at : p->latest;
    sim_at(p->latest, arrive, e);
}

static void shut(rg_stream *stream, bool writing_alone)
{
    net_end *e = of(stream);
    net_send_fin(e);
    if (writing_alone)
        return;
    e->other->out.fin = true; /* nothing more is read */
    e->other->out.there = e->other->out.flying = NULL;
    e->other->out.last_there = &e->other->out.there;
    e->other->out.last_flying = &e->other->out.flying;
    post(e);
}

static void close_end(rg_stream *stream)
{
    net_end *e = of(stream);
    while (e->writes != NULL)
        release_first(e);
    e->closed = true;
    net_send_fin(e);
    if (!e->working)
        gone(e);
}

static rg_status detach(rg_stream *stream)
{
    of(stream)->loop = NULL;
    of(stream)->posted = false;
    of(stream)->reading = false;
    return RG_OK;
}

static rg_status adopt(rg_stream *stream, rg_loop *loop)
{
    of(stream)->loop = loop;
    return RG_OK;
}

const rg_transport net_transport = {
    .name = "sim",
    .scheme = "sim:",
    .dial = net_dial,
    .hang_up = net_hang_up,
    .dialled = net_join,
    .listen = net_listen,
    .unlisten = net_unlisten,
    .read = read_on,
    .pause = pause_reading,
    .write = write_all,
    .queued = queued,
    .shut = shut,
    .close = close_end,
    .detach = detach,
    .adopt = adopt,
};
