/* net.c - a network of hosts, as a transport: endpoints are "sim:HOST:PORT".
 *
 * A connection is two ends; what one writes arrives at the other in order, in pieces, after a time,
 * as TCP does it: the sender's memory is read when the window has room for it, the receiver's is
 * asked for by room(). What it does to connections is drawn: they are refused, break at some byte
 * of theirs (for both ends, or for one that the other does not hear of), drip, or stand still while
 * two hosts are cut off from each other, in both directions or in one. A process that dies breaks
 * its connections; a host that is gone says nothing, and what is sent there is lost.
 *
 * Left out: packets (what arrives is whole and in order, or the connection is broken), names, and
 * most of TCP's own patience: connections of hosts that are cut off wait for as long as that takes.
 */
#include "sim/sim.h"

#include "sys/transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOSTS = 16, MOST_ENDS = 4096, PIECE = 16 << 10 };

#define KEEPALIVE_NS (15 * SIM_S) /* as transport_tcp.c has it */

typedef struct chunk {
    struct chunk *next;
    uint64_t arrives;
    size_t n, taken;
    uint8_t bytes[];
} chunk;

/* A write of which not all is under way yet. */
typedef struct pending {
    struct pending *next;
    rg_iov *iov;
    size_t n, at, offset;
    void (*done)(void *arg);
    void *arg;
} pending;

/* What one end has sent, and the other has not read. */
typedef struct pipe {
    chunk *flying, **last_flying; /* under way */
    chunk *there, **last_there;   /* arrived */
    size_t bytes;                 /* of both */
    uint64_t total, breaks_at;    /* at so many bytes; SIM_NEVER: never */
    uint64_t latest;              /* when the last of it arrives */
    bool fin_sent, fin;           /* nothing more comes */
    uint64_t ns_a_byte;           /* it drips */
} pipe_t;

typedef struct end {
    struct end *other;
    const sim_process *process;
    int host;
    rg_loop *loop;
    rg_stream *stream; /* NULL: there is none yet, or no more */
    rg_dial *dial;
    rg_listener *listener;
    bool reading, working, posted, closed, broken, told;
    pipe_t out;
    pending *writes, **last_write;
} end;

typedef struct gate {
    struct gate *next;
    rg_listener *listener;
    const sim_process *process;
    char endpoint[64];
} gate;

/* A task that an end has in a loop: when it runs the end may be another loop's. */
typedef struct knock {
    rg_task task;
    end *end;
    rg_loop *loop;
} knock;

typedef struct network {
    sim_weather weather;
    gate *gates;
    end *ends[MOST_ENDS];
    size_t n_ends;
    uint64_t cut_until[MOST_HOSTS][MOST_HOSTS]; /* from, to */
    bool gone[MOST_HOSTS];                      /* it was switched off */
} network;

static network *net;
static const rg_transport sim_transport;

static end *of(const rg_stream *stream)
{
    return stream->conn;
}

static uint64_t latency(void)
{
    return net->weather.latency_ns + sim_draw(net->weather.jitter_ns + 1);
}

/* ---- what an end has to do, in its loop ---- */

static void work(rg_task *task);

static void post(end *e)
{
    if (e->loop == NULL || e->posted || !e->process->alive)
        return;
    knock *k = sim_alloc(sizeof *k);
    *k = (knock){{.run = work}, e, e->loop};
    e->posted = true;
    rg_loop_post(e->loop, &k->task);
}

static void break_end(end *e)
{
    e->broken = true;
    post(e);
}

static void fly(end *e);

/* Pieces whose time has come arrive, unless the way is cut. */
static void arrive(void *arg)
{
    end *e = arg;
    end *to = e->other;
    pipe_t *p = &e->out;
    uint64_t cut = net->cut_until[e->host][to->host];
    if (cut > sim_now()) {
        sim_at(cut + latency(), arrive, e);
        return;
    }
    while (p->flying != NULL && p->flying->arrives <= sim_now()) {
        chunk *c = p->flying;
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
        break_end(e);
    else
        post(to);
}

static bool has_room(const end *e)
{
    return e->out.bytes < net->weather.window;
}

/* One piece of the first write takes off. */
static void take_off(end *e, pending *w)
{
    pipe_t *p = &e->out;
    size_t left = w->iov[w->at].bytes - w->offset, room = net->weather.window - p->bytes;
    size_t n = left < room ? left : room;
    n = n < PIECE ? n : PIECE;
    if (n > 1 && sim_one_in(20))
        n = 1 + sim_draw(n - 1);
    chunk *c = sim_alloc(sizeof *c + n);
    memcpy(c->bytes, (const uint8_t *)w->iov[w->at].at + w->offset, n);
    c->n = n;
    uint64_t at = sim_now() + latency();
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

static void break_later(void *arg)
{
    break_end(arg);
}

/* A connection that was to break at this byte does: for both, or for one of the two. The other one
 * hears of it when it writes, or by TCP's keep-alive. */
static void break_by_plan(end *e)
{
    uint64_t whom = sim_draw(net->weather.half_open ? 4 : 3);
    end *caller = e->listener == NULL ? e : e->other;
    sim_note("a connection of hosts %d and %d breaks after %llu bytes%s", e->host, e->other->host,
             (unsigned long long)e->out.total,
             whom == 2   ? ", and who was called does not hear of it"
             : whom == 3 ? ", and who called does not hear of it"
                         : "");
    e->out.breaks_at = SIM_NEVER;
    e->out.flying = NULL;
    e->out.last_flying = &e->out.flying;
    if (whom != 3)
        break_end(caller);
    else
        sim_at(sim_now() + KEEPALIVE_NS, break_later, caller);
    if (whom != 2)
        break_end(caller->other);
    else
        sim_at(sim_now() + KEEPALIVE_NS, break_later, caller->other);
}

static void skip_empty(pending *w)
{
    while (w->at < w->n && w->offset == w->iov[w->at].bytes) {
        w->at++;
        w->offset = 0;
    }
}

static void release_first(end *e)
{
    pending *w = e->writes;
    e->writes = w->next;
    if (e->writes == NULL)
        e->last_write = &e->writes;
    w->done(w->arg);
}

/* As much of what is to be written as there is room for. */
static void fly(end *e)
{
    while (e->writes != NULL && !e->broken && !e->closed) {
        pending *w = e->writes;
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
    end *e = arg;
    if (e->writes != NULL)
        post(e);
}

static bool read_piece(end *e)
{
    pipe_t *p = &e->other->out;
    chunk *c = p->there;
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
        sim_at(sim_now() + latency(), hear_of_room, e->other);
    return rg_stream_take(e->stream, at, n);
}

static void tell_end(end *e)
{
    if (e->told)
        return;
    e->told = true;
    rg_stream_fail(e->stream,
                   e->broken ? rg_fail(RG_ECLOSED, "the connection to %s: connection reset by peer",
                                       e->stream->peer)
                             : rg_fail(RG_ECLOSED, "the other end closed the connection"));
}

static void gone(end *e)
{
    rg_stream *stream = e->stream;
    e->stream = NULL;
    rg_stream_gone(stream);
}

static void work(rg_task *task)
{
    const knock *k = (const knock *)task;
    end *e = k->end;
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
    end *e = of(stream);
    pending *w = sim_alloc(sizeof *w);
    *w = (pending){.iov = sim_alloc((n + 1) * sizeof *iov), .n = n, .done = done, .arg = arg};
    memcpy(w->iov, iov, n * sizeof *iov);
    *e->last_write = w;
    e->last_write = &w->next;
    fly(e);
    if (e->broken)
        post(e);
}

static size_t queued(const rg_stream *stream, bool with_taken)
{
    const end *e = of(stream);
    size_t total = with_taken ? e->out.bytes : 0;
    for (const pending *w = e->writes; w != NULL; w = w->next)
        for (size_t i = w->at; i < w->n; i++)
            total += w->iov[i].bytes - (i == w->at ? w->offset : 0);
    return total;
}

/* ---- the end, and another loop ---- */

static void send_fin(end *e)
{
    pipe_t *p = &e->out;
    if (p->fin_sent || e->broken || e->other == NULL)
        return;
    uint64_t at = sim_now() + latency();
    p->fin_sent = true;
    p->latest = at > p->latest ? at : p->latest;
    sim_at(p->latest, arrive, e);
}

static void shut(rg_stream *stream, bool writing_alone)
{
    end *e = of(stream);
    send_fin(e);
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
    end *e = of(stream);
    while (e->writes != NULL)
        release_first(e);
    e->closed = true;
    send_fin(e);
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

/* ---- dialling ---- */

static end *new_end(const sim_process *process, rg_loop *loop)
{
    end *e = sim_alloc(sizeof *e);
    if (net->n_ends == MOST_ENDS)
        abort();
    net->ends[net->n_ends++] = e;
    e->process = process;
    e->host = process->host;
    e->loop = loop;
    e->out.last_flying = &e->out.flying;
    e->out.last_there = &e->out.there;
    e->out.breaks_at = SIM_NEVER;
    e->last_write = &e->writes;
    return e;
}

static void join(rg_stream *stream, void *conn)
{
    char peer[32], origin[32];
    end *e = conn;
    stream->conn = e;
    e->stream = stream;
    (void)snprintf(peer, sizeof peer, "10.0.0.%d:5000", e->other->host);
    (void)snprintf(origin, sizeof origin, "10.0.0.%d", e->other->host);
    rg_stream_set_peer(stream, peer, origin, (uid_t)-1);
}

static void accept_end(rg_task *task)
{
    end *e = ((const knock *)task)->end;
    bool listens = false;
    for (const gate *g = net->gates; g != NULL; g = g->next)
        listens = listens || g->listener == e->listener;
    rg_stream *stream = listens ? rg_stream_new(e->loop, &sim_transport) : NULL;
    e->posted = false;
    if (stream == NULL) {
        e->closed = true;
        break_end(e->other);
        return;
    }
    join(stream, e);
    rg_listener_accept(e->listener, stream);
}

/* A new connection may be one that will break, or drip. */
static void draw_fate(end *e)
{
    if (sim_one_in(net->weather.reset_one_in))
        e->out.breaks_at = sim_draw_scaled(1, 6000);
    if (sim_one_in(net->weather.slow_one_in))
        e->out.ns_a_byte = sim_draw_scaled(100, 50 * SIM_US);
}

typedef struct call {
    end *end;
    int error;
    char endpoint[64];
} call;

static void answer_dial(rg_task *task)
{
    end *e = ((const knock *)task)->end;
    rg_dial *dial = e->dial;
    e->posted = false;
    e->dial = NULL;
    if (dial == NULL)
        return; /* hung up */
    if (e->other != NULL)
        rg_dial_done(dial, e);
    else
        rg_dial_failed(dial, -ECONNREFUSED);
}

static void knock_at(end *e, void (*run)(rg_task *task))
{
    knock *k = sim_alloc(sizeof *k);
    *k = (knock){{.run = run}, e, e->loop};
    e->posted = true;
    rg_loop_post(e->loop, &k->task);
}

static int host_of(const char *endpoint)
{
    return atoi(endpoint + strlen("sim:"));
}

/* The first packet has come to the other host. */
static void reach(void *arg)
{
    call *c = arg;
    end *here = c->end;
    int to = host_of(c->endpoint);
    uint64_t cut = net->cut_until[here->host][to], back = net->cut_until[to][here->host];
    cut = cut > back ? cut : back;
    if (here->dial == NULL || !here->process->alive || net->gone[to])
        return;
    if (cut > sim_now()) { /* it is sent again */
        sim_at(cut + latency(), reach, c);
        return;
    }
    const gate *g = net->gates;
    while (g != NULL && strcmp(g->endpoint, c->endpoint) != 0)
        g = g->next;
    if (g != NULL && !sim_one_in(net->weather.refuse_one_in)) {
        end *there = new_end(g->process, rg_listener_loop(g->listener));
        here->other = there;
        there->other = here;
        there->listener = g->listener;
        draw_fate(here);
        draw_fate(there);
        knock_at(there, accept_end);
    }
    sim_note("host %d calls host %d: %s", here->host, to, here->other ? "connected" : "refused");
    knock_at(here, answer_dial);
}

static void dial_sim(rg_dial *dial, const rg_address *to)
{
    end *e = new_end(sim_process_here(), rg_dial_loop(dial));
    call *c = sim_alloc(sizeof *c);
    c->end = e;
    (void)snprintf(c->endpoint, sizeof c->endpoint, "%s", to->endpoint);
    e->dial = dial;
    rg_dial_attempt(dial, e);
    sim_at(sim_now() + latency(), reach, c);
}

static void hang_up(void *attempt)
{
    end *e = attempt;
    e->dial = NULL;
    e->closed = true;
    send_fin(e);
}

/* ---- listening ---- */

static rg_status listen_sim(void **out, rg_listener *listener, const rg_address *at)
{
    for (const gate *g = net->gates; g != NULL; g = g->next)
        if (strcmp(g->endpoint, at->endpoint) == 0)
            return rg_fail(RG_EIO, "cannot listen on %s: address already in use", at->endpoint);
    gate *g = sim_alloc(sizeof *g);
    (void)snprintf(g->endpoint, sizeof g->endpoint, "%s", at->endpoint);
    g->listener = listener;
    g->process = sim_process_here();
    g->next = net->gates;
    net->gates = g;
    *out = g;
    return RG_OK;
}

static void unlisten(void *at)
{
    for (gate **g = &net->gates; *g != NULL; g = &(*g)->next)
        if (*g == at) {
            *g = (*g)->next;
            return;
        }
}

static const rg_transport sim_transport = {
    .name = "sim",
    .scheme = "sim:",
    .dial = dial_sim,
    .hang_up = hang_up,
    .dialled = join,
    .listen = listen_sim,
    .unlisten = unlisten,
    .read = read_on,
    .pause = pause_reading,
    .write = write_all,
    .queued = queued,
    .shut = shut,
    .close = close_end,
    .detach = detach,
    .adopt = adopt,
};

/* ---- from outside ---- */

void sim_net_init(void)
{
    net = sim_alloc(sizeof *net);
    rg_transport_add(&sim_transport);
}

void sim_net_set_weather(const sim_weather *weather)
{
    net->weather = *weather;
}

const sim_weather *sim_net_weather(void)
{
    return &net->weather;
}

void sim_net_cut(int from, int to, uint64_t until)
{
    sim_note("host %d is cut off from %d until %.3f s", from, to, (double)until * 1e-9);
    if (net->cut_until[from][to] < until)
        net->cut_until[from][to] = until;
}

void sim_net_reset_all(int host)
{
    sim_note("all connections of host %d break", host);
    for (size_t i = 0; i < net->n_ends; i++)
        if (net->ends[i]->host == host && net->ends[i]->other != NULL && !net->ends[i]->closed) {
            break_end(net->ends[i]);
            break_end(net->ends[i]->other);
        }
}

void sim_net_host_up(int host)
{
    net->gone[host] = false;
}

/* What its kernel still has to send is sent, and then the end of it, or nothing at all. */
void sim_net_process_gone(const sim_process *process, bool silently)
{
    for (gate **g = &net->gates; *g != NULL;)
        if ((*g)->process == process)
            *g = (*g)->next;
        else
            g = &(*g)->next;
    for (size_t i = 0; i < net->n_ends; i++) {
        end *e = net->ends[i];
        if (e->process != process || e->other == NULL || e->closed)
            continue;
        e->closed = true;
        if (silently)
            sim_at(sim_now() + KEEPALIVE_NS, break_later, e->other);
        else
            send_fin(e);
    }
    net->gone[process->host] = net->gone[process->host] || silently;
}
