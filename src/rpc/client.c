/* client.c - a client's connection for requests: made, lost, made again. */
#include "rpc/kept_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/flags.h"
#include "sys/interrupt.h"
#include "sys/log.h"
#include "sys/process.h"

#include <stdio.h>
#include <string.h>

enum {
    FIRST_WAIT_MS = 2,
    LONGEST_WAIT_MS = 250, /* a server that is started again is missed for no longer than that */
    VISIT_MS = 30000,
    PROD_MS = 2000,    /* of silence, after which the other end is prodded */
    FOREIGN_MS = 2000, /* of answers in another protocol, after which it is given up */
    TELL_EVERY_S = 5,
    EXIT_MS = 1000, /* at the end of the process, for its threads */
};

/* ---- the two threads that all clients of a process share ---- */

static rg_lock shared_lock = RG_LOCK_INIT;
static int shared_users;
static rg_loop *shared_loop, *shared_pulse_loop;

typedef struct standing {
    rg_task task;
    rg_latch stands;
} standing;

/* A child has neither the threads nor the connections of its parent. */
static void forked(void)
{
    rg_lock_init(&shared_lock);
    shared_users = 0;
    shared_loop = shared_pulse_loop = NULL;
}

/* The thread goes no further. */
static void stand_still(rg_task *task)
{
    rg_latch never;
    rg_latch_init(&never);
    rg_latch_open(&((standing *)task)->stands);
    (void)rg_latch_wait(&never, UINT64_MAX);
}

static void stop_thread(rg_loop *loop, standing *s)
{
    s->task.run = stand_still;
    rg_latch_init(&s->stands);
    rg_loop_post(loop, &s->task);
    (void)rg_latch_wait(&s->stands, EXIT_MS); /* it is left to whoever ends the process */
}

void rg_rpc_clients_stop(void)
{
    static standing two[2]; /* the threads have them for good */
    if (pthread_mutex_trylock(&shared_lock) != 0)
        return; /* someone is opening or closing a client, and does not come to its end */
    if (shared_users > 0) {
        stop_thread(shared_pulse_loop, &two[0]);
        stop_thread(shared_loop, &two[1]);
    }
    rg_lock_give(&shared_lock);
}

static rg_status threads_take(rg_rpc_client *client)
{
    static bool watched;
    rg_status status = RG_OK;
    rg_lock_take(&shared_lock);
    if (!watched)
        rg_process_on_fork(forked);
    watched = true;
    if (shared_users == 0) {
        status = rg_loop_open(&shared_loop, "rpc-client");
        if (status == RG_OK)
            status = rg_loop_open(&shared_pulse_loop, "rpc-heartbeat");
        if (status != RG_OK) {
            rg_loop_close(shared_loop);
            shared_loop = NULL;
        }
    }
    if (status == RG_OK) {
        shared_users++;
        client->loop = shared_loop;
        client->pulse_loop = shared_pulse_loop;
    }
    rg_lock_give(&shared_lock);
    return status;
}

static void threads_give(void)
{
    rg_lock_take(&shared_lock);
    if (--shared_users == 0) {
        rg_loop_close(shared_pulse_loop);
        rg_loop_close(shared_loop);
        shared_loop = shared_pulse_loop = NULL;
    }
    rg_lock_give(&shared_lock);
}

/* ---- in the client's loop ---- */

static void be_ready(rg_rpc_client *client)
{
    if (!client->is_ready)
        rg_latch_open(&client->ready);
    client->is_ready = true;
}

void rg_client_failed(rg_rpc_client *client, rg_status status, const char *text)
{
    rg_lock_take(&client->lock);
    bool first = client->failed == RG_OK;
    if (first) {
        client->failed = status;
        (void)snprintf(client->failure, sizeof client->failure, "%s", text);
    }
    rg_lock_give(&client->lock);
    if (first)
        rg_calls_fail_all(client, client->failed, client->failure);
    if (client->again != NULL)
        rg_timer_stop(client->again); /* nothing is waited for any more */
    rg_connector_close(client->connector);
    client->connector = NULL;
    be_ready(client);
}

static void try_later(rg_rpc_client *client)
{
    if (client->closing || client->failed != RG_OK || atomic_load(&client->heartbeat.lost_posted))
        return;
    rg_timer_set(client->again, client->wait_ms, 0);
    client->wait_ms *= 2;
    if (client->wait_ms > LONGEST_WAIT_MS)
        client->wait_ms = LONGEST_WAIT_MS;
}

void rg_client_cut(rg_rpc_client *client)
{
    rg_link *link = client->link;
    if (link == NULL)
        return;
    rg_calls_interrupted(client);
    client->link = NULL;
    rg_link_close(link); /* releases what was being written */
    if (client->heard)   /* else it may break for what we say, and breaks again */
        client->wait_ms = FIRST_WAIT_MS;
    client->cut_ns = client->told_ns = rg_clock_ns();
    try_later(client);
}

static void on_in(void *user, rg_link *link, const rg_rpc_welcome *welcome)
{
    rg_rpc_client *client = user;
    bool again = client->let_in;
    client->connector = NULL;
    if (again && rg_client_is_another(client, link, welcome))
        return;
    client->link = link;
    client->reborn = again && welcome->instance != client->welcome.instance;
    if (client->reborn && client->window != NULL)
        rg_kept_owe(client, welcome->keeps ? welcome->came : UINT64_MAX);
    if (client->reborn)
        rg_log(RG_LOG_I, "rpc",
               "server=%s \"%s was started again and has what it had: going on with it\"",
               client->route.endpoint, welcome->name);
    client->let_in = true;
    client->foreign_ns = 0;
    client->heard = false;
    if (!again)
        client->wait_ms = FIRST_WAIT_MS;
    client->catching_up = true;
    client->connection++;
    rg_timer_stop(client->again);
    client->me.trainer = welcome->trainer;
    client->me.epoch = welcome->epoch;
    client->last_error[0] = '\0';
    rg_lock_take(&client->lock);
    client->welcome = *welcome;
    rg_lock_give(&client->lock);
    atomic_store(&client->local, rg_link_is_local(link));
    atomic_store(&client->keeps, client->window != NULL && welcome->keeps);
    atomic_store(&client->sound, rg_link_is_sound(link));
    atomic_store(&client->transport, rg_link_transport(link));
    atomic_store_explicit(&client->alive_ns, rg_clock_ns(), memory_order_relaxed);
    rg_link_expect(link, client->max_body, &rg_client_link_events, client, &client->traffic,
                   &client->total);
    if (!again)
        rg_pulse_begin(client, welcome);
    if (client->events.connected != NULL)
        client->events.connected(client->user, welcome, again);
    rg_calls_send_all(client);
    be_ready(client);
}

static void tell_waiting(rg_rpc_client *client)
{
    uint64_t now = rg_clock_ns();
    if (now - client->told_ns < (uint64_t)TELL_EVERY_S * 1000000000u)
        return;
    client->told_ns = now;
    rg_log(RG_LOG_W, "rpc", "server=%s \"waiting for the server: %s\"", client->route.endpoint,
           client->last_error);
}

/* Whether the port has been another service's for so long that it is no accident: a byte that was
 * damaged on its way looks the same. */
static bool is_foreign(rg_rpc_client *client, rg_status why)
{
    uint64_t now = rg_clock_ns();
    if (why != RG_ECORRUPT)
        client->foreign_ns = 0;
    else if (client->foreign_ns == 0)
        client->foreign_ns = now;
    return client->foreign_ns != 0 && now - client->foreign_ns > FOREIGN_MS * UINT64_C(1000000);
}

static void on_out(void *user, rg_status why, bool final, const char *message)
{
    rg_rpc_client *client = user;
    client->connector = NULL;
    (void)snprintf(client->last_error, sizeof client->last_error, "%s%s", message,
                   why == RG_ECORRUPT ? "; is this another service's port?" : "");
    if (is_foreign(client, why)) {
        rg_client_failed(client, why, client->last_error);
        return;
    }
    if (why == RG_ESTALE && client->let_in) {
        rg_client_lost(client, why, message);
        return;
    }
    if (final) {
        rg_client_failed(client, why, message);
        return;
    }
    tell_waiting(client);
    try_later(client);
}

static const rg_connector_events visit_events = {on_in, on_out};

/* The other end has not answered yet. False: it has had its time. */
static bool wait_on(rg_rpc_client *client)
{
    uint64_t ms = (rg_clock_ns() - client->visit_ns) / 1000000u;
    if (ms >= VISIT_MS)
        return false;
    if (rg_connector_is_connected(client->connector))
        (void)snprintf(client->last_error, sizeof client->last_error,
                       "it took the connection, and has said nothing for %.0f s; is this another "
                       "service's port?",
                       (double)ms * 1e-3);
    else
        (void)snprintf(client->last_error, sizeof client->last_error,
                       "it has not answered for %.0f s", (double)ms * 1e-3);
    if (!client->prodded)
        rg_connector_prod(client->connector);
    client->prodded = true;
    tell_waiting(client);
    rg_timer_set(client->again, 1000, 0);
    return true;
}

static void connect_now(void *user)
{
    rg_rpc_client *client = user;
    if (client->link != NULL || client->failed != RG_OK ||
        atomic_load(&client->heartbeat.lost_posted) ||
        (client->connector != NULL && wait_on(client)))
        return;
    /* One that takes so long hangs on a connection that is no more. */
    rg_connector_close(client->connector);
    client->connector = NULL;
    client->visit_ns = rg_clock_ns();
    client->prodded = false;
    rg_timer_set(client->again, PROD_MS, 0);
    rg_status status = rg_connector_open(&client->connector, client->loop, &client->route,
                                         RG_PURPOSE_REQUESTS, &client->me, &visit_events, client);
    if (status != RG_OK)
        on_out(client, status, status == RG_EINVAL, rg_error_message());
}

/* ---- opening ---- */

/* The name that the server's certificate must be for: given, or the host of the endpoint. */
static void choose_tls_name(rg_route *route, const char *given)
{
    const char *from = given, *to = given ? given + strlen(given) : NULL;
    if (from == NULL) {
        from = route->endpoint;
        to = strrchr(from, ':');
        if (strncmp(from, "unix:", 5) == 0)
            from = "localhost", to = from + 9;
        else if (from[0] == '[' && to > from + 1)
            from++, to--;
    }
    (void)snprintf(route->tls_name, sizeof route->tls_name, "%.*s", (int)(to ? to - from : 0),
                   from);
}

static rg_status configure(rg_rpc_client *client, const char *endpoint,
                           const rg_rpc_client_config *config)
{
    rg_route *route = &client->route;
    int64_t deadline = config->deadline_ms ? config->deadline_ms : rg_flag_int("rpc_deadline");
    if (deadline <= 0)
        return rg_fail(RG_EINVAL, "FLAGS_rpc_deadline is %lld ms, and must be above 0",
                       (long long)deadline);
    if (strlen(endpoint) >= sizeof route->endpoint)
        return rg_fail(RG_EINVAL, "an endpoint of %zu bytes", strlen(endpoint));
    (void)snprintf(route->endpoint, sizeof route->endpoint, "%s", endpoint);
    choose_tls_name(route, config->security.tls_name);
    client->deadline_ms = (uint64_t)deadline;
    client->lease_ms = config->lease_ms;
    client->return_ms = config->return_ms;
    client->window = config->window;
    route->keeps = config->window != NULL;
    client->max_body = config->max_body ? config->max_body : RG_RPC_MAX_BODY;
    client->retry_times = config->retry_times == 0    ? rg_flag_int("rpc_retry_times")
                          : config->retry_times == -1 ? 0
                                                      : config->retry_times;
    client->events = config->events;
    client->user = config->user;
    client->method_name = config->method_name;
    client->me = config->me;
    if (client->me.pid == 0)
        client->me.pid = (uint32_t)rg_process_id();
    if (client->me.host[0] == '\0')
        rg_process_host(client->me.host, sizeof client->me.host);
    if (client->me.name[0] == '\0')
        (void)snprintf(client->me.name, sizeof client->me.name, "a client");
    client->heartbeat.me = client->me;
    RG_TRY(rg_transport_choose(&route->transport, config->transport));
    RG_TRY(rg_key_copy(&route->key, &config->security));
    RG_TRY(rg_seal_use_read(&route->seal));
    RG_TRY(rg_tls_setup_open(&route->tls, &config->security, false));
    return rg_random(&route->session, sizeof route->session);
}

static void free_client(rg_rpc_client *client)
{
    rg_tls_setup_close(client->route.tls);
    rg_key_fini(&client->route.key);
    rg_latch_fini(&client->ready);
    rg_lock_fini(&client->lock);
    rg_free(client);
}

typedef struct job {
    rg_rpc_client *client;
    rg_status status;
} job;

static void open_requests(void *arg)
{
    job *j = arg;
    rg_rpc_client *client = j->client;
    j->status = rg_timer_open(&client->again, client->loop, connect_now, client);
    if (j->status == RG_OK)
        connect_now(client);
}

static void open_pulse(void *arg)
{
    job *j = arg;
    j->status = rg_pulse_open(j->client);
}

rg_status rg_rpc_client_open(rg_rpc_client **out, const char *endpoint,
                             const rg_rpc_client_config *config)
{
    rg_rpc_client *client = rg_alloc_zero(1, sizeof *client);
    if (client == NULL)
        return rg_no_memory(sizeof *client, "a client");
    rg_lock_init(&client->lock);
    rg_latch_init(&client->ready);
    client->last = &client->first;
    client->wait_ms = FIRST_WAIT_MS;
    client->opened_ns = client->told_ns = rg_clock_ns();
    atomic_store(&client->alive_ns, client->opened_ns);
    rg_status status = configure(client, endpoint, config);
    if (status == RG_OK)
        status = threads_take(client);
    if (status != RG_OK) {
        free_client(client);
        return status;
    }
    job j = {.client = client};
    rg_loop_do(client->pulse_loop, open_pulse, &j);
    if (j.status == RG_OK)
        rg_loop_do(client->loop, open_requests, &j);
    if (j.status != RG_OK) {
        rg_rpc_client_close(client);
        return rg_no_memory(sizeof *client, "a client");
    }
    *out = client;
    return RG_OK;
}

rg_status rg_rpc_client_ready(rg_rpc_client *client, rg_rpc_welcome *welcome)
{
    rg_status status;
    do
        RG_TRY(rg_interrupted());
    while (!rg_latch_wait(&client->ready, RG_LOOK_MS));
    rg_lock_take(&client->lock);
    status = client->failed;
    if (status != RG_OK)
        rg_set_message("%s: %s", client->route.endpoint, client->failure);
    else if (welcome != NULL)
        *welcome = client->welcome;
    rg_lock_give(&client->lock);
    return status;
}

/* ---- closing ---- */

static void close_pulse(void *arg)
{
    rg_pulse_close(arg);
}

static void close_requests(void *arg)
{
    rg_rpc_client *client = arg;
    client->closing = true;
    if (client->link != NULL)
        rg_link_send_small(client->link, RG_FRAME_BYE, RG_OK, 0, NULL, 0);
    rg_client_cut(client);
    rg_connector_close(client->connector);
    client->connector = NULL;
    rg_timer_close(client->again);
    client->again = NULL;
    rg_kept_close(client);
}

void rg_rpc_client_close(rg_rpc_client *client)
{
    if (client == NULL)
        return;
    /* The heartbeat posts to the loop, and the loop to the heartbeat: the second time nothing new
     * comes. */
    rg_loop_do(client->pulse_loop, close_pulse, client);
    rg_loop_do(client->loop, close_requests, client);
    rg_loop_do(client->pulse_loop, close_pulse, client);
    threads_give();
    free_client(client);
}

/* ---- the rest ---- */

typedef struct verdict {
    rg_rpc_client *client;
    rg_status status;
    const char *text;
} verdict;

static void pronounce(void *arg)
{
    const verdict *v = arg;
    rg_client_failed(v->client, v->status, v->text);
}

void rg_rpc_client_fail(rg_rpc_client *client, rg_status status, const char *text)
{
    verdict v = {client, status, text};
    rg_loop_do(client->loop, pronounce, &v);
}

static void cut(void *arg)
{
    rg_client_cut(arg);
}

void rg_rpc_client_cut(rg_rpc_client *client)
{
    rg_loop_do(client->loop, cut, client);
}

const char *rg_rpc_client_endpoint(const rg_rpc_client *client)
{
    return client->route.endpoint;
}

bool rg_rpc_client_is_local(const rg_rpc_client *client)
{
    return atomic_load(&client->local);
}

bool rg_rpc_client_keeps(const rg_rpc_client *client)
{
    return atomic_load(&client->keeps);
}

rg_status rg_rpc_client_state(rg_rpc_client *client)
{
    rg_lock_take(&client->lock);
    rg_status status = client->failed;
    if (status != RG_OK)
        rg_set_message("%s: %s", client->route.endpoint, client->failure);
    rg_lock_give(&client->lock);
    return status;
}

const char *rg_rpc_client_transport(const rg_rpc_client *client)
{
    const char *name = atomic_load(&client->transport);
    return name != NULL ? name : "?";
}

rg_rpc_counters rg_rpc_client_counters(const rg_rpc_client *client)
{
    return rg_traffic_read(&client->traffic);
}
