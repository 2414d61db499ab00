/* server.c - opening and closing a server. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/host.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>
#include <string.h>

typedef struct opening {
    rg_rpc_server *server;
    const rg_rpc_server_config *config;
    int loop;
    rg_status status;
    char message[512];
} opening;

static void set_budgets(rg_rpc_server_config *c)
{
    if (c->max_memory == 0)
        c->max_memory = (uint64_t)rg_flag_int("rpc_max_memory_mb") << 20;
    if (c->max_memory == 0)
        c->max_memory = rg_host_memory() / 2;
    if (c->max_peer_memory == 0)
        c->max_peer_memory = (uint64_t)rg_flag_int("rpc_max_peer_memory_mb") << 20;
    if (c->max_peer_memory == 0)
        c->max_peer_memory = c->max_memory / 2;
}

static void set_defaults(rg_rpc_server *server)
{
    rg_rpc_server_config *c = &server->config;
    if (c->loops == 0)
        c->loops = 1;
    if (c->max_body == 0)
        c->max_body = RG_RPC_MAX_BODY;
    if (c->max_queued == 0)
        c->max_queued = (uint64_t)64 << 20;
    if (c->max_waiting == 0)
        c->max_waiting = RG_SEEN / 2;
    if (c->max_peers == 0)
        c->max_peers = 4096;
    if (c->lease_ms == 0)
        c->lease_ms = (uint64_t)rg_flag_int("rpc_lease_ms");
    if (c->handshake_ms == 0)
        c->handshake_ms = 5000;
    set_budgets(c);
    server->memory.most = c->max_memory;
    int limit = rg_descriptor_limit(), kept = limit / 8;
    server->descriptors = limit - (kept < 8 ? 8 : kept > 64 ? 64 : kept);
    rg_admission_init(&server->admission, server->descriptors);
    (void)snprintf(server->job, sizeof server->job, "%s", c->job ? c->job : "");
    (void)snprintf(server->name, sizeof server->name, "%s", c->name ? c->name : c->endpoints[0]);
}

static rg_status check(const rg_rpc_server_config *config)
{
    if ((config->n_endpoints == 0 && config->name == NULL) || config->events.request == NULL)
        return rg_fail(RG_EINVAL, "a server needs an endpoint, and someone who answers requests");
    if (config->loops < 0 || config->loops > RG_RPC_MAX_LOOPS)
        return rg_fail(RG_EINVAL, "a server of %d threads: 1 to %d are possible", config->loops,
                       RG_RPC_MAX_LOOPS);
    if (config->max_waiting > RG_SEEN / 2)
        return rg_fail(RG_EINVAL, "%u requests waiting for one peer: at most %d are possible",
                       config->max_waiting, RG_SEEN / 2);
    if (rg_flag_int("rpc_lease_ms") <= 0)
        return rg_fail(RG_EINVAL, "FLAGS_rpc_lease_ms must be above 0");
    if (rg_flag_int("rpc_max_memory_mb") < 0 || rg_flag_int("rpc_max_peer_memory_mb") < 0)
        return rg_fail(RG_EINVAL, "FLAGS_rpc_max_memory_mb and FLAGS_rpc_max_peer_memory_mb must "
                                  "not be below 0");
    return RG_OK;
}

static uint64_t watch_ms(const rg_rpc_server *server)
{
    uint64_t ms = server->config.lease_ms / 10;
    return ms < 10 ? 10 : ms > 1000 ? 1000 : ms;
}

/* ---- in the acceptor's thread, and in each loop's ---- */

/* The first listener that needs no key and is not for this host alone; NULL: none. */
static const rg_listener *reached_by_anyone(const rg_rpc_server *server)
{
    for (size_t i = 0; i < server->n_listeners && server->key.bytes == NULL; i++)
        if (!rg_listener_is_loopback(server->listeners[i]))
            return server->listeners[i];
    return NULL;
}

static rg_status listen_all(rg_rpc_server *server, const rg_rpc_server_config *config)
{
    const rg_transport *transport;
    if (config->n_endpoints == 0)
        return RG_OK; /* nobody comes, and nobody is missed */
    RG_TRY(rg_transport_choose(&transport, NULL));
    server->listeners = rg_alloc_zero(config->n_endpoints, sizeof(rg_listener *));
    if (server->listeners == NULL)
        return rg_no_memory(config->n_endpoints, "listening sockets");
    for (size_t i = 0; i < config->n_endpoints; i++) {
        RG_TRY(rg_listen(&server->listeners[i], server->acceptor, config->endpoints[i],
                         transport != &rg_transport_tcp, &server->memory, rg_acceptor_accept,
                         server));
        server->n_listeners++;
    }
    const rg_listener *open = reached_by_anyone(server);
    if (open != NULL)
        rg_log(RG_LOG_W, "rpc",
               "endpoint=%s \"there is no job key: whoever reaches this address can take part; "
               "start the job with a launcher, or give every process the same key\"",
               rg_listener_endpoint(open));
    RG_TRY(rg_timer_open(&server->watch, server->acceptor, rg_acceptor_watch, server));
    server->watched_ns = rg_clock_ns();
    rg_timer_set(server->watch, watch_ms(server), watch_ms(server));
    return RG_OK;
}

static void open_door(void *arg)
{
    opening *o = arg;
    o->status = listen_all(o->server, o->config);
    (void)snprintf(o->message, sizeof o->message, "%s", rg_error_message());
}

static void shut_door(void *server)
{
    rg_acceptor_shut(server);
}

static void cut_loop(void *arg)
{
    const opening *o = arg;
    rg_withheld_drop(o->server, o->loop);
    while (o->server->linked[o->loop] != NULL)
        rg_peer_unlink(o->server->linked[o->loop]);
    rg_timer_close(o->server->movers[o->loop].timer);
}

static void look(void *arg)
{
    const rg_mover *m = arg;
    rg_peers_look(m->server, m->loop);
}

static void open_mover(void *arg)
{
    opening *o = arg;
    rg_rpc_server *server = o->server;
    rg_mover *m = &server->movers[o->loop];
    m->server = server;
    m->loop = o->loop;
    o->status = rg_timer_open(&m->timer, server->loops[o->loop], look, m);
    if (o->status == RG_OK)
        rg_timer_set(m->timer, watch_ms(server), watch_ms(server));
    (void)snprintf(o->message, sizeof o->message, "%s", rg_error_message());
}

/* ---- opening and closing ---- */

static rg_status start(rg_rpc_server *server, const rg_rpc_server_config *config)
{
    opening o = {.server = server, .config = config};
    RG_TRY(rg_key_copy(&server->key, &config->security));
    RG_TRY(rg_seal_use_read(&server->seal));
    RG_TRY(rg_tls_setup_open(&server->tls, &config->security, true));
    RG_TRY(rg_random(&server->instance, sizeof server->instance));
    for (int i = 0; i < server->config.loops; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "rpc-%d", i);
        rg_withheld_init(server, i);
        RG_TRY(rg_loop_open(&server->loops[i], name));
        o.loop = i;
        rg_loop_do(server->loops[i], open_mover, &o);
        if (o.status != RG_OK)
            return rg_fail(o.status, "%s", o.message);
    }
    RG_TRY(rg_loop_open(&server->acceptor, "rpc-acceptor"));
    if (config->events.opened != NULL)
        RG_TRY(config->events.opened(config->user, server));
    for (rg_rpc_peer *p = server->peers; p != NULL; p = p->next) {
        p->recalled = p->came;
        p->heard_ns = rg_clock_ns(); /* it may come back from now on */
    }
    rg_loop_do(server->acceptor, open_door, &o);
    return o.status == RG_OK ? RG_OK : rg_fail(o.status, "%s", o.message);
}

rg_status rg_rpc_server_open(rg_rpc_server **out, const rg_rpc_server_config *config)
{
    RG_TRY(check(config));
    rg_rpc_server *server = rg_alloc_zero(1, sizeof *server);
    if (server == NULL)
        return rg_no_memory(sizeof *server, "a server");
    server->config = *config;
    set_defaults(server);
    rg_status status = start(server, config);
    server->config.security = (rg_rpc_security){0};
    server->config.endpoints = NULL;
    if (status != RG_OK) {
        char message[512];
        (void)snprintf(message, sizeof message, "%s", rg_error_message());
        rg_rpc_server_close(server);
        return rg_fail(status, "%s", message);
    }
    *out = server;
    return RG_OK;
}

/* First nobody comes in any more, then nobody says anything, then the threads can go: the acceptor
 * last, since the loops post to it. */
void rg_rpc_server_close(rg_rpc_server *server)
{
    if (server == NULL)
        return;
    if (server->acceptor != NULL)
        rg_loop_do(server->acceptor, shut_door, server);
    for (int i = 0; i < server->config.loops; i++) {
        opening o = {.server = server, .loop = i};
        if (server->loops[i] != NULL)
            rg_loop_do(server->loops[i], cut_loop, &o);
    }
    for (int i = 0; i < server->config.loops; i++)
        rg_loop_close(server->loops[i]);
    rg_loop_close(server->acceptor);
    while (server->peers != NULL) {
        rg_rpc_peer *peer = server->peers;
        server->peers = peer->next;
        rg_rpc_peer_drop(peer);
    }
    rg_tls_setup_close(server->tls);
    rg_key_fini(&server->key);
    rg_free(server->listeners);
    rg_free(server);
}

const char *rg_rpc_server_endpoint(const rg_rpc_server *server, size_t i)
{
    return i < server->n_listeners ? rg_listener_endpoint(server->listeners[i]) : NULL;
}

rg_loop *rg_rpc_server_loop(rg_rpc_server *server, int i)
{
    return i >= 0 && i < server->config.loops ? server->loops[i] : NULL;
}

rg_rpc_counters rg_rpc_server_counters(const rg_rpc_server *server)
{
    return rg_traffic_read(&server->total);
}

static void shut_links(void *arg)
{
    const opening *o = arg;
    for (rg_rpc_peer *p = o->server->linked[o->loop]; p != NULL; p = p->next_linked)
        rg_link_shut(p->link);
}

void rg_rpc_server_cut(rg_rpc_server *server)
{
    for (int i = 0; i < server->config.loops; i++) {
        opening o = {.server = server, .loop = i};
        rg_loop_do(server->loops[i], shut_links, &o);
    }
}
