/* net_calls.c - who calls whom in the simulated network, and what happens to hosts.
 *
 * Attempts to connect are refused now and then, or reach a process that does not listen yet; while
 * two hosts are cut off from each other they wait. A process that dies closes its connections; a
 * host that is switched off says nothing, and what is sent there is lost.
 *
 * Left out: names of hosts, limits on connections, more than one address for a host. */
#include "sim/net_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- dialling ---- */

static net_end *new_end(const sim_process *process, rg_loop *loop)
{
    net_end *e = sim_alloc(sizeof *e);
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

void net_join(rg_stream *stream, void *conn)
{
    char peer[32], origin[32];
    net_end *e = conn;
    stream->conn = e;
    e->stream = stream;
    (void)snprintf(peer, sizeof peer, "10.0.0.%d:5000", e->other->host);
    (void)snprintf(origin, sizeof origin, "10.0.0.%d", e->other->host);
    rg_stream_set_peer(stream, peer, origin, (uid_t)-1);
}

static void accept_end(rg_task *task)
{
    net_end *e = ((const net_knock *)task)->end;
    bool listens = false;
    for (const net_gate *g = net->gates; g != NULL; g = g->next)
        listens = listens || g->listener == e->listener;
    rg_stream *stream = listens ? rg_stream_new(e->loop, &net_transport) : NULL;
    e->posted = false;
    if (stream == NULL) {
        e->closed = true;
        net_break(e->other);
        return;
    }
    net_join(stream, e);
    rg_listener_accept(e->listener, stream);
}

/* A new connection may be one that will break, or drip. */
static void draw_fate(net_end *e)
{
    if (sim_one_in(net->weather.reset_one_in))
        e->out.breaks_at = sim_draw_scaled(1, 6000);
    if (sim_one_in(net->weather.slow_one_in))
        e->out.ns_a_byte = sim_draw_scaled(100, 50 * SIM_US);
}

typedef struct call {
    net_end *end;
    int error;
    char endpoint[64];
} call;

static void answer_dial(rg_task *task)
{
    net_end *e = ((const net_knock *)task)->end;
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

static void knock_at(net_end *e, void (*run)(rg_task *task))
{
    net_knock *k = sim_alloc(sizeof *k);
    *k = (net_knock){{.run = run}, e, e->loop};
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
    net_end *here = c->end;
    int to = host_of(c->endpoint);
    uint64_t cut = net->cut_until[here->host][to], back = net->cut_until[to][here->host];
    cut = cut > back ? cut : back;
    if (here->dial == NULL || !here->process->alive || net->gone[to])
        return;
    if (cut > sim_now()) { /* it is sent again */
        sim_at(cut + net_latency(), reach, c);
        return;
    }
    const net_gate *g = net->gates;
    while (g != NULL && strcmp(g->endpoint, c->endpoint) != 0)
        g = g->next;
    if (g != NULL && !sim_one_in(net->weather.refuse_one_in)) {
        net_end *there = new_end(g->process, rg_listener_loop(g->listener));
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

void net_dial(rg_dial *dial, const rg_address *to)
{
    net_end *e = new_end(sim_process_here(), rg_dial_loop(dial));
    call *c = sim_alloc(sizeof *c);
    c->end = e;
    (void)snprintf(c->endpoint, sizeof c->endpoint, "%s", to->endpoint);
    e->dial = dial;
    rg_dial_attempt(dial, e);
    sim_at(sim_now() + net_latency(), reach, c);
}

void net_hang_up(void *attempt)
{
    net_end *e = attempt;
    e->dial = NULL;
    e->closed = true;
    net_send_fin(e);
}

/* ---- listening ---- */

rg_status net_listen(void **out, rg_listener *listener, const rg_address *at)
{
    for (const net_gate *g = net->gates; g != NULL; g = g->next)
        if (strcmp(g->endpoint, at->endpoint) == 0)
            return rg_fail(RG_EIO, "cannot listen on %s: address already in use", at->endpoint);
    net_gate *g = sim_alloc(sizeof *g);
    (void)snprintf(g->endpoint, sizeof g->endpoint, "%s", at->endpoint);
    g->listener = listener;
    g->process = sim_process_here();
    g->next = net->gates;
    net->gates = g;
    *out = g;
    return RG_OK;
}

void net_unlisten(void *at)
{
    for (net_gate **g = &net->gates; *g != NULL; g = &(*g)->next)
        if (*g == at) {
            *g = (*g)->next;
            return;
        }
}

/* ---- from outside ---- */

void sim_net_init(void)
{
    net = sim_alloc(sizeof *net);
    rg_transport_add(&net_transport);
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
            net_break(net->ends[i]);
            net_break(net->ends[i]->other);
        }
}

void sim_net_host_up(int host)
{
    net->gone[host] = false;
}

/* What its kernel still has to send is sent, and then the end of it, or nothing at all. */
void sim_net_process_gone(const sim_process *process, bool silently)
{
    for (net_gate **g = &net->gates; *g != NULL;)
        if ((*g)->process == process)
            *g = (*g)->next;
        else
            g = &(*g)->next;
    for (size_t i = 0; i < net->n_ends; i++) {
        net_end *e = net->ends[i];
        if (e->process != process || e->other == NULL || e->closed)
            continue;
        e->closed = true;
        if (silently)
            sim_at(sim_now() + KEEPALIVE_NS, net_break_later, e->other);
        else
            net_send_fin(e);
    }
    net->gone[process->host] = net->gone[process->host] || silently;
}
