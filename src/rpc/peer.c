/* peer.c - in a peer's loop: its connection, and the requests that come in on it. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "rpc/body.h"
#include "sys/clock.h"
#include "sys/fault.h"
#include "sys/lent.h"
#include "sys/log.h"

#include <stdio.h>
#include <string.h>

static void go_on(rg_task *task);

/* ---- peers ---- */

rg_rpc_peer *rg_peer_new(rg_rpc_server *server, uint64_t session)
{
    rg_rpc_peer *peer = rg_alloc_zero(1, sizeof *peer);
    if (peer == NULL)
        return NULL;
    peer->server = server;
    peer->session = session;
    peer->leave.run = rg_acceptor_forget;
    peer->expel.run = rg_acceptor_expel;
    peer->last_later = &peer->later;
    peer->go_on.run = go_on;
    peer->last_answer = &peer->answers;
    atomic_init(&peer->refs, 1);
    return peer;
}

void rg_rpc_peer_keep(rg_rpc_peer *peer)
{
    (void)atomic_fetch_add_explicit(&peer->refs, 1, memory_order_relaxed);
}

void rg_rpc_peer_drop(rg_rpc_peer *peer)
{
    if (peer == NULL || atomic_fetch_sub_explicit(&peer->refs, 1, memory_order_acq_rel) != 1)
        return;
    rg_peer_forget_answers(peer);
    rg_free(peer->marks);
    rg_free(peer);
}

uint64_t rg_rpc_peer_session(const rg_rpc_peer *peer)
{
    return peer->session;
}

int rg_rpc_peer_loop(const rg_rpc_peer *peer)
{
    return peer->loop;
}

void rg_rpc_peer_set_loop(rg_rpc_peer *peer, int loop)
{
    peer->loop = loop;
}

bool rg_rpc_peer_is_own_user(const rg_rpc_peer *peer)
{
    return atomic_load(&peer->own_user);
}

void rg_rpc_peer_set_user(rg_rpc_peer *peer, void *user)
{
    atomic_store(&peer->user, user);
}

void *rg_rpc_peer_user(const rg_rpc_peer *peer)
{
    return atomic_load(&peer->user);
}

/* ---- a request comes in ---- */

/* What the body needs, from both budgets, before a byte of memory is taken. */
static bool take_memory(rg_rpc_request *request, uint64_t bytes)
{
    rg_rpc_peer *peer = request->peer;
    rg_rpc_server *server = peer->server;
    if (bytes > server->config.max_peer_memory ||
        peer->memory > server->config.max_peer_memory - bytes)
        return false;
    if (!rg_budget_take(&server->memory, bytes))
        return false;
    peer->memory += bytes;
    request->memory = bytes;
    return true;
}

static bool is_waiting(const rg_rpc_peer *peer, uint64_t id)
{
    for (const rg_rpc_request *r = peer->waiting; r != NULL; r = r->next)
        if (r->frame.id == id)
            return true;
    for (const rg_rpc_request *r = peer->later; r != NULL; r = r->next)
        if (r->frame.id == id)
            return true;
    return false;
}

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_rpc_peer *peer = user;
    peer->receiving = NULL;
    if (frame->kind == RG_FRAME_BYE && frame->bytes == 0)
        return RG_OK;
    if (frame->kind != RG_FRAME_REQUEST)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u where a request was expected", frame->kind);
    if (frame->id == 0)
        return rg_fail(RG_ECORRUPT, "a request without an id");
    /* Someone on the way has doubled it: on one connection nothing is asked twice. */
    if (frame->id <= peer->came_here)
        return RG_OK;
    peer->came_here = frame->id;
    /* It will be answered: on this connection, when the time has come. */
    if (frame->id <= peer->came && is_waiting(peer, frame->id))
        return RG_OK;
    rg_rpc_request *request = rg_alloc_zero(1, sizeof *request);
    if (request == NULL)
        return rg_no_memory(sizeof *request, "a request");
    rg_rpc_peer_keep(peer);
    request->peer = peer;
    request->frame = *frame;
    request->repeated = frame->id <= peer->came;
    peer->receiving = request;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_rpc_peer *peer = user;
    rg_rpc_request *request = peer->receiving;
    const rg_rpc_server *server = peer->server;
    *at = NULL;
    if (request == NULL)
        return RG_OK;
    if (server->config.events.place != NULL && request->body == NULL) {
        RG_TRY(server->config.events.place(server->config.user, peer, frame, offset, at, size,
                                           &request->mine));
        if (*at != NULL || offset > 0)
            return RG_OK;
    }
    request->unwanted = !take_memory(request, frame->bytes);
    if (request->unwanted)
        return RG_OK;
    request->body = rg_body_alloc(frame->bytes);
    if (request->body == NULL)
        return rg_no_memory(frame->bytes, "a request's body");
    *at = request->body;
    *size = frame->bytes;
    return RG_OK;
}

static bool on_lent(void *user, const rg_frame *frame, uint64_t offset, const uint8_t *at, size_t n)
{
    rg_rpc_peer *peer = user;
    rg_rpc_request *request = peer->receiving;
    const rg_rpc_server_config *config = &peer->server->config;
    if (request == NULL || request->body == NULL || config->events.reads_lent == NULL ||
        !config->events.reads_lent(config->user, frame))
        return false;
    /* Its reply may come later, and the connection go before. */
    if (request->view == NULL)
        request->view = rg_link_keep_lent(peer->link);
    if (request->view == NULL || rg_grow((void **)&request->lent, request->n_lent,
                                         &request->cap_lent, sizeof *request->lent) != RG_OK)
        return false;
    request->lent[request->n_lent++] = (rg_lent_piece){offset, n, at};
    return true;
}

/* ---- it is handed over ---- */

void rg_peer_throttle(rg_rpc_peer *peer)
{
    const rg_rpc_server_config *config = &peer->server->config;
    if (peer->link == NULL)
        return;
    bool full = peer->n_alone > 0 || peer->n_waiting >= config->max_waiting ||
                rg_link_queued(peer->link) > config->max_queued;
    if (full == peer->paused)
        return;
    peer->paused = full;
    if (full)
        rg_link_pause(peer->link);
    else
        rg_link_resume(peer->link);
    if (!full && peer->later != NULL && !peer->going_on) {
        peer->going_on = true;
        rg_rpc_peer_keep(peer);
        rg_loop_post(peer->server->loops[peer->loop], &peer->go_on);
    }
}

static void refuse_unwanted(const rg_rpc_peer *peer, rg_rpc_request *request)
{
    const rg_rpc_server *server = peer->server;
    rg_rpc_refuse(request, RG_ENOMEM,
                  "a request of %llu bytes, while requests of this process take %llu of %llu "
                  "(FLAGS_rpc_max_peer_memory_mb) and all of %s take %llu of %llu "
                  "(FLAGS_rpc_max_memory_mb)",
                  (unsigned long long)request->frame.bytes, (unsigned long long)peer->memory,
                  (unsigned long long)server->config.max_peer_memory, server->name,
                  (unsigned long long)atomic_load(&server->memory.used),
                  (unsigned long long)server->config.max_memory);
}

static void hand_over(rg_rpc_peer *peer, rg_rpc_request *request)
{
    request->next = peer->waiting;
    request->back = &peer->waiting;
    if (request->next != NULL)
        request->next->back = &request->next;
    peer->waiting = request;
    peer->n_waiting++;
    if (request->repeated && rg_peer_answer_again(request))
        return;
    peer->came = request->frame.id > peer->came ? request->frame.id : peer->came;
    rg_peer_throttle(peer);
    (void)rg_fault("rpc.request");
    if (request->unwanted) {
        refuse_unwanted(peer, request);
        return;
    }
    rg_rpc_peer_keep(peer);
    peer->server->config.events.request(peer->server->config.user, request);
    rg_rpc_peer_drop(peer);
}

rg_status rg_rpc_peer_replay(rg_rpc_peer *peer, const rg_frame *frame, const uint8_t *body,
                             bool first)
{
    rg_rpc_request *request = rg_alloc_zero(1, sizeof *request);
    uint8_t *copy = rg_body_alloc(frame->bytes);
    if (request == NULL || copy == NULL) {
        rg_free(request);
        rg_body_free(copy);
        return rg_no_memory(frame->bytes, "a request of the journal");
    }
    if (frame->bytes > 0)
        memcpy(copy, body, frame->bytes);
    rg_rpc_peer_keep(peer);
    request->peer = peer;
    request->frame = *frame;
    request->frame.kind = RG_FRAME_REQUEST;
    request->body = copy;
    request->repeated = !first && frame->id <= peer->came;
    hand_over(peer, request);
    return RG_OK;
}

static rg_rpc_request *next_later(rg_rpc_peer *peer)
{
    rg_rpc_request *request = peer->later;
    peer->later = request->next;
    if (peer->later == NULL)
        peer->last_later = &peer->later;
    return request;
}

static void go_on(rg_task *task)
{
    rg_rpc_peer *peer = (rg_rpc_peer *)((char *)task - offsetof(rg_rpc_peer, go_on));
    peer->going_on = false;
    while (peer->later != NULL && !peer->paused)
        hand_over(peer, next_later(peer));
    rg_rpc_peer_drop(peer);
}

static rg_status said_goodbye(rg_rpc_peer *peer)
{
    rg_rpc_server *server = peer->server;
    rg_rpc_peer_keep(peer);
    rg_peer_unlink(peer);
    if (server->config.events.left != NULL)
        server->config.events.left(server->config.user, peer);
    if (!atomic_exchange(&peer->leaving, true)) {
        rg_rpc_peer_keep(peer); /* until the acceptor has forgotten it */
        rg_loop_post(server->acceptor, &peer->leave);
    }
    rg_rpc_peer_drop(peer);
    return rg_fail(RG_ECLOSED, "it said goodbye");
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_rpc_peer *peer = user;
    rg_rpc_request *request = peer->receiving;
    if (frame->kind == RG_FRAME_BYE)
        return said_goodbye(peer);
    if (request == NULL)
        return RG_OK;
    peer->receiving = NULL;
    if (!peer->paused && peer->later == NULL) {
        hand_over(peer, request);
        return RG_OK;
    }
    /* It stood in one buffer with those that filled the measure. */
    rg_request_fill(request);
    request->next = NULL;
    *peer->last_later = request;
    peer->last_later = &request->next;
    return RG_OK;
}

/* ---- the connection ---- */

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_rpc_peer *peer = user;
    const rg_rpc_server *server = peer->server;
    (void)why;
    rg_rpc_peer_keep(peer);
    rg_peer_unlink(peer);
    if (server->config.events.lost != NULL)
        server->config.events.lost(server->config.user, peer, message);
    rg_rpc_peer_drop(peer);
}

static void on_drained(void *user)
{
    rg_peer_throttle(user);
}

static const rg_link_events peer_events = {
    {on_header, on_place, on_frame, on_lent}, NULL, on_failed, on_drained};

void rg_peer_unlink(rg_rpc_peer *peer)
{
    if (peer->link == NULL)
        return;
    rg_link *link = peer->link;
    peer->link = NULL;
    peer->paused = false;
    while (peer->later != NULL) /* they are sent again */
        rg_request_free(next_later(peer));
    if (peer->receiving != NULL)
        rg_request_free(peer->receiving);
    peer->receiving = NULL;
    *peer->back_linked = peer->next_linked;
    if (peer->next_linked != NULL)
        peer->next_linked->back_linked = peer->back_linked;
    rg_link_close(link);
    rg_rpc_peer_drop(peer);
}

void rg_peer_attach(rg_rpc_peer *peer, rg_link *link)
{
    rg_rpc_server *server = peer->server;
    rg_peer_unlink(peer);
    rg_link_expect(link, server->config.max_body, &peer_events, peer, &peer->traffic,
                   &server->total);
    if (rg_link_adopt(link, server->loops[peer->loop]) != RG_OK) {
        rg_link_close(link); /* it comes again */
        return;
    }
    rg_rpc_peer_keep(peer);
    atomic_store(&peer->own_user, rg_link_is_own_user(link));
    peer->link = link;
    peer->came_here = 0;
    peer->queued_before = 0;
    peer->sent_before = rg_traffic_read(&peer->traffic).sent_bytes;
    peer->stuck_ns = rg_clock_ns();
    peer->back_linked = &server->linked[peer->loop];
    peer->next_linked = *peer->back_linked;
    if (peer->next_linked != NULL)
        peer->next_linked->back_linked = &peer->next_linked;
    *peer->back_linked = peer;
    rg_peer_tell_durable(peer, true);
    rg_peer_throttle(peer);
}

typedef struct burial {
    rg_task task;
    rg_rpc_peer *peer;
    bool told;
    char how[400];
} burial;

static void bury(rg_task *task)
{
    burial *b = (burial *)task;
    const rg_rpc_server *server = b->peer->server;
    rg_peer_unlink(b->peer);
    if (b->told && server->config.events.dead != NULL)
        server->config.events.dead(server->config.user, b->peer, b->how);
    rg_rpc_peer_drop(b->peer);
    rg_free(b);
}

rg_status rg_peer_bury(rg_rpc_peer *peer, const char *how)
{
    burial *b = rg_alloc_zero(1, sizeof *b);
    if (b == NULL)
        return rg_no_memory(sizeof *b, "the end of a peer");
    b->task.run = bury;
    rg_rpc_peer_keep(peer);
    b->peer = peer;
    b->told = how != NULL;
    (void)snprintf(b->how, sizeof b->how, "%s", how ? how : "");
    rg_loop_post(peer->server->loops[peer->loop], &b->task);
    return RG_OK;
}

/* How much of its replies the peer has taken since it had taken enough; UINT64_MAX: all. */
static uint64_t taken_of(const rg_rpc_peer *peer, uint64_t sent, uint64_t queued)
{
    if (queued == 0)
        return UINT64_MAX;
    uint64_t given = peer->queued_before + (sent - peer->sent_before);
    return given > queued ? given - queued : 0;
}

/* A peer that takes next to nothing of its replies would hold their memory for ever. */
void rg_peers_look(rg_rpc_server *server, int loop)
{
    rg_mover *mover = &server->movers[loop];
    uint64_t now = rg_clock_ns(), lease_ms = server->config.lease_ms;
    uint64_t least = lease_ms * RG_LEAST_RATE / 1000 + 1;
    /* While this process itself stood still nobody could take anything. */
    bool paused = now - mover->looked_ns > lease_ms * 500000u;
    mover->looked_ns = now;
    for (rg_rpc_peer *p = server->linked[loop], *next; p != NULL; p = next) {
        next = p->next_linked;
        uint64_t queued = rg_link_unsent(p->link); /* the kernel takes in fits and starts */
        uint64_t sent = rg_traffic_read(&p->traffic).sent_bytes;
        if (paused || taken_of(p, sent, queued) >= least) {
            p->stuck_ns = now;
            p->sent_before = sent;
            p->queued_before = queued;
        }
        if (now - p->stuck_ns > lease_ms * 1000000u) {
            rg_log(RG_LOG_W, "rpc",
                   "\"%s (pid %u on %s) takes its answers at less than %d bytes a second, and is "
                   "cut off\" waiting=%llu",
                   p->hello.name, p->hello.pid, p->hello.host, RG_LEAST_RATE,
                   (unsigned long long)queued);
            rg_link_shut(p->link);
        }
    }
}
