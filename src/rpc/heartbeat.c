/* heartbeat.c - a client's heartbeats, on a thread and a connection of their own. */
#include "rpc/client_priv.h"

#include "sys/clock.h"

#include <stdio.h>

static uint64_t beat_ms(const rg_rpc_client *client)
{
    uint64_t lease = client->heartbeat.lease_ns / 1000000u, ms = 1000;
    if (lease != 0 && lease / 4 < ms)
        ms = lease / 4;
    if (client->deadline_ms / 4 < ms)
        ms = client->deadline_ms / 4;
    return ms < 5 ? 5 : ms;
}

/* ---- the connection ---- */

static rg_status on_header(void *user, const rg_frame *frame)
{
    (void)user;
    if (frame->kind != RG_FRAME_PONG || frame->bytes != 0)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u where a heartbeat was expected",
                       frame->kind);
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    (void)user, (void)frame, (void)offset, (void)size;
    *at = NULL;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_rpc_client *client = user;
    (void)frame;
    client->heartbeat.told_dead = false;
    atomic_store_explicit(&client->alive_ns, rg_clock_ns(), memory_order_relaxed);
    return RG_OK;
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_rpc_client *client = user;
    (void)why, (void)message;
    rg_link_close(client->heartbeat.link);
    client->heartbeat.link = NULL; /* the next beat makes a new one */
}

static const rg_link_events pulse_events = {{on_header, on_place, on_frame}, NULL, on_failed, NULL};

static void ping(rg_rpc_client *client)
{
    rg_link_send_small(client->heartbeat.link, RG_FRAME_PING, RG_OK, ++client->heartbeat.beat, NULL,
                       0);
}

/* ---- another server in the place of ours ---- */

static void end_client(rg_task *task)
{
    rg_rpc_client *client = (rg_rpc_client *)((char *)task -
                                              offsetof(rg_rpc_client, heartbeat.lost));
    if (!client->closing)
        rg_client_failed(client, client->lost, client->how_lost);
}

/* Here, as all deaths are told: who hears of it waits for the other loop. */
static void tell_lost(rg_task *task)
{
    rg_rpc_client *client = (rg_rpc_client *)((char *)task -
                                              offsetof(rg_rpc_client, heartbeat.lost));
    if (client->heartbeat.timer == NULL)
        return; /* closed meanwhile */
    client->heartbeat.told_dead = true;
    if (client->events.dead != NULL)
        client->events.dead(client->user, client->how_lost);
    task->run = end_client;
    rg_loop_post(client->loop, task);
}

void rg_client_lost(rg_rpc_client *client, rg_status why, const char *how)
{
    if (atomic_exchange(&client->heartbeat.lost_posted, true))
        return;
    rg_lock_take(&client->lock);
    client->lost = why;
    (void)snprintf(client->how_lost, sizeof client->how_lost, "%s", how);
    rg_lock_give(&client->lock);
    client->heartbeat.lost.run = tell_lost;
    rg_loop_post(client->pulse_loop, &client->heartbeat.lost);
}

bool rg_client_is_another(rg_rpc_client *client, rg_link *link, const rg_rpc_welcome *welcome)
{
    rg_lock_take(&client->lock);
    uint64_t instance = client->welcome.instance, lineage = client->welcome.lineage;
    rg_lock_give(&client->lock);
    if (instance == welcome->instance || (lineage != 0 && lineage == welcome->lineage))
        return false;
    rg_link_close(link);
    rg_client_lost(client, RG_ESTALE,
                   "it was started again while the job was running, and what it had learned is "
                   "lost; end all processes of the job, and start it again from what was saved "
                   "last");
    return true;
}

static void on_in(void *user, rg_link *link, const rg_rpc_welcome *welcome)
{
    rg_rpc_client *client = user;
    client->heartbeat.connector = NULL;
    if (rg_client_is_another(client, link, welcome))
        return;
    client->heartbeat.link = link;
    rg_link_expect(link, 0, &pulse_events, client, &client->total, &client->total);
    ping(client);
}

/* Whatever the reason: the connection for requests hears it too, and decides. */
static void on_out(void *user, rg_status why, bool final, const char *message)
{
    rg_rpc_client *client = user;
    (void)why, (void) final, (void)message;
    client->heartbeat.connector = NULL;
}

static const rg_connector_events visit_events = {on_in, on_out};

/* ---- beats ---- */

static void fail_calls(rg_task *task)
{
    rg_rpc_client *client = (rg_rpc_client *)((char *)task -
                                              offsetof(rg_rpc_client, heartbeat.silent));
    char text[500];
    atomic_store(&client->heartbeat.silent_posted, false);
    if (client->closing)
        return;
    (void)snprintf(text, sizeof text, "nothing was heard from the server for %.1f s%s%s",
                   (double)client->deadline_ms * 1e-3, client->last_error[0] ? ": " : "",
                   client->last_error);
    if (client->let_in)
        rg_calls_fail_all(client, RG_ETIMEOUT, text);
    else
        rg_client_failed(client, RG_ETIMEOUT, text);
}

/* What was sent so long ago without an answer may lie in a connection that is no more, and TCP
 * takes its time to find out. */
static void leave_connection(rg_task *task)
{
    rg_rpc_client *client = (rg_rpc_client *)((char *)task -
                                              offsetof(rg_rpc_client, heartbeat.stale));
    atomic_store(&client->heartbeat.stale_posted, false);
    if (!client->closing)
        rg_client_cut(client);
}

static void check_silence(rg_rpc_client *client, uint64_t now)
{
    struct rg_pulse *p = &client->heartbeat;
    uint64_t alive = atomic_load_explicit(&client->alive_ns, memory_order_relaxed);
    uint64_t away = now - p->ticked_ns, lease = p->lease_ns;
    p->ticked_ns = now;
    /* While this process itself stood still it could hear nothing: that time does not count. */
    if (away > 2 * beat_ms(client) * 1000000u + lease / 2) {
        uint64_t later = alive + away > now ? now : alive + away;
        (void)atomic_compare_exchange_strong(&client->alive_ns, &alive, later);
        return;
    }
    uint64_t silent = alive < now ? now - alive : 0;
    uint64_t back = p->returns ? client->return_ms * 1000000u : 0; /* time to be started again */
    if (lease != 0 && silent > lease + back && !p->told_dead) {
        p->told_dead = true;
        rg_set_message("no heartbeat from the server at %s for %.1f s, and its lease is %.1f s%s",
                       client->route.endpoint, (double)silent * 1e-9, (double)lease * 1e-9,
                       back > 0 ? "; it was not started again in time (FLAGS_ps_return_seconds)"
                                : "");
        if (client->events.dead != NULL)
            client->events.dead(client->user, rg_error_message());
        if (!atomic_exchange(&p->stale_posted, true))
            rg_loop_post(client->loop, &p->stale);
    }
    if (silent > client->deadline_ms * 1000000u + back && !atomic_exchange(&p->silent_posted, true))
        rg_loop_post(client->loop, &p->silent);
}

static void tick(void *user)
{
    rg_rpc_client *client = user;
    struct rg_pulse *p = &client->heartbeat;
    uint64_t now = rg_clock_ns();
    uint64_t alive = atomic_load_explicit(&client->alive_ns, memory_order_relaxed);
    check_silence(client, now);
    /* Neither a connection nor an attempt at one is waited for without end. */
    if (now - p->tried_ns > p->lease_ns / 2 && alive < now && now - alive > p->lease_ns / 2) {
        rg_link_close(p->link);
        rg_connector_close(p->connector);
        p->link = NULL;
        p->connector = NULL;
    }
    if (p->link != NULL)
        ping(client);
    if (p->link != NULL || p->connector != NULL || p->lease_ns == 0 || atomic_load(&p->lost_posted))
        return;
    p->tried_ns = now;
    (void)rg_connector_open(&p->connector, client->pulse_loop, &client->route, RG_PURPOSE_PULSE,
                            &p->me, &visit_events, client);
}

static void begin(rg_task *task)
{
    rg_rpc_client *client = (rg_rpc_client *)((char *)task -
                                              offsetof(rg_rpc_client, heartbeat.begin));
    struct rg_pulse *p = &client->heartbeat;
    rg_lock_take(&client->lock);
    p->lease_ns = (client->lease_ms ? client->lease_ms : client->welcome.lease_ms) * 1000000u;
    p->me.trainer = client->welcome.trainer;
    p->me.epoch = client->welcome.epoch;
    p->returns = client->welcome.lineage != 0;
    rg_lock_give(&client->lock);
    if (p->timer == NULL)
        return; /* closed meanwhile */
    rg_timer_set(p->timer, beat_ms(client), beat_ms(client));
    tick(client);
}

void rg_pulse_begin(rg_rpc_client *client, const rg_rpc_welcome *welcome)
{
    (void)welcome;
    rg_loop_post(client->pulse_loop, &client->heartbeat.begin);
}

rg_status rg_pulse_open(rg_rpc_client *client)
{
    struct rg_pulse *p = &client->heartbeat;
    p->begin.run = begin;
    p->silent.run = fail_calls;
    p->stale.run = leave_connection;
    p->ticked_ns = rg_clock_ns();
    RG_TRY(rg_timer_open(&p->timer, client->pulse_loop, tick, client));
    rg_timer_set(p->timer, beat_ms(client), beat_ms(client));
    return RG_OK;
}

void rg_pulse_close(rg_rpc_client *client)
{
    struct rg_pulse *p = &client->heartbeat;
    rg_timer_close(p->timer);
    rg_connector_close(p->connector);
    rg_link_close(p->link);
    p->timer = NULL;
    p->connector = NULL;
    p->link = NULL;
}
