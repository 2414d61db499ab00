/* peer.c - in a peer's loop: its requests come in, its replies go out. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "rpc/body.h"
#include "sys/clock.h"
#include "sys/fault.h"
#include "sys/lent.h"
#include "sys/log.h"

#include <stdarg.h>
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

static void forget_oldest(rg_rpc_peer *peer)
{
    rg_answer *gone = peer->answers;
    peer->answers = gone->next;
    if (gone->next == NULL)
        peer->last_answer = &peer->answers;
    peer->n_answers--;
    peer->answer_bytes -= gone->frame.bytes;
    rg_free(gone);
}

void rg_rpc_peer_drop(rg_rpc_peer *peer)
{
    if (peer == NULL || atomic_fetch_sub_explicit(&peer->refs, 1, memory_order_acq_rel) != 1)
        return;
    while (peer->answers != NULL)
        forget_oldest(peer);
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

/* In the peer's loop, as the memory was taken. */
static void free_request(rg_rpc_request *request)
{
    request->peer->memory -= request->memory;
    rg_budget_give(&request->peer->server->memory, request->memory);
    rg_body_free(request->body);
    rg_free(request->lent);
    rg_lent_view_drop(request->view);
    rg_free(request->iov);
    rg_rpc_peer_drop(request->peer);
    rg_free(request);
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

/* ---- what the other end lends ---- */

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

static void fill_piece(rg_rpc_request *request, rg_lent_piece *piece)
{
    if (piece->at != NULL)
        memcpy(request->body + piece->offset, piece->at, piece->n);
    piece->at = NULL;
}

/* The body is whole from now on. */
static void fill_body(rg_rpc_request *request)
{
    for (size_t i = 0; i < request->n_lent; i++)
        fill_piece(request, &request->lent[i]);
    request->n_lent = 0;
}

const uint8_t *rg_rpc_request_part(rg_rpc_request *request, uint64_t offset, size_t n)
{
    for (size_t i = 0; i < request->n_lent; i++) {
        rg_lent_piece *piece = &request->lent[i];
        if (piece->at == NULL || piece->offset >= offset + n || piece->offset + piece->n <= offset)
            continue;
        if (piece->offset <= offset && offset + n <= piece->offset + piece->n)
            return piece->at + (offset - piece->offset);
        fill_piece(request, piece);
    }
    return request->body + offset;
}

size_t rg_rpc_request_pieces(const rg_rpc_request *request, rg_iov *pieces, size_t most)
{
    uint64_t at = 0, end = request->frame.bytes;
    size_t n = 0;
    for (size_t i = 0; i <= request->n_lent; i++) {
        const rg_lent_piece *lent = i < request->n_lent ? &request->lent[i] : NULL;
        if (lent != NULL && lent->at == NULL)
            continue; /* it has been copied */
        uint64_t until = lent != NULL ? lent->offset : end;
        if (n + 2 > most || until < at)
            return 0;
        if (until > at)
            pieces[n++] = (rg_iov){request->body + at, until - at};
        if (lent != NULL)
            pieces[n++] = (rg_iov){lent->at, lent->n};
        at = lent != NULL ? lent->offset + lent->n : end;
    }
    return n;
}

const uint8_t *rg_rpc_request_copied(rg_rpc_request *request, uint64_t offset, size_t n)
{
    for (size_t i = 0; i < request->n_lent; i++)
        if (request->lent[i].offset < offset + n &&
            request->lent[i].offset + request->lent[i].n > offset)
            fill_piece(request, &request->lent[i]);
    return request->body + offset;
}

/* ---- it is handed over ---- */

static void throttle(rg_rpc_peer *peer)
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

static bool answer_again(rg_rpc_request *request);

static void hand_over(rg_rpc_peer *peer, rg_rpc_request *request)
{
    request->next = peer->waiting;
    request->back = &peer->waiting;
    if (request->next != NULL)
        request->next->back = &request->next;
    peer->waiting = request;
    peer->n_waiting++;
    if (request->repeated && answer_again(request))
        return;
    peer->came = request->frame.id > peer->came ? request->frame.id : peer->came;
    throttle(peer);
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
    fill_body(request);
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
    throttle(user);
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
        free_request(next_later(peer));
    if (peer->receiving != NULL)
        free_request(peer->receiving);
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
    throttle(peer);
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

/* ---- replies ---- */

rg_rpc_peer *rg_rpc_request_peer(const rg_rpc_request *request)
{
    return request->peer;
}

uint16_t rg_rpc_request_method(const rg_rpc_request *request)
{
    return request->frame.method;
}

uint16_t rg_rpc_request_flags(const rg_rpc_request *request)
{
    return request->frame.flags;
}

uint64_t rg_rpc_request_id(const rg_rpc_request *request)
{
    return request->frame.id;
}

bool rg_rpc_request_repeated(const rg_rpc_request *request)
{
    return request->repeated;
}

void rg_rpc_request_remember(rg_rpc_request *request)
{
    request->remembers = true;
}

void rg_rpc_request_logged(rg_rpc_request *request)
{
    request->logged = true;
}

bool rg_rpc_request_recalled(const rg_rpc_request *request)
{
    return request->frame.id <= request->peer->recalled;
}

void rg_rpc_request_alone(rg_rpc_request *request)
{
    request->alone = true;
    request->peer->n_alone++;
    throttle(request->peer);
}

const uint8_t *rg_rpc_request_body(const rg_rpc_request *request, size_t *bytes)
{
    *bytes = request->frame.bytes;
    return request->body;
}

void *rg_rpc_request_mine(const rg_rpc_request *request)
{
    return request->mine;
}

uint64_t rg_rpc_request_room(const rg_rpc_request *request)
{
    return request->peer->server->config.max_peer_memory;
}

/* Without memory for it the request, if it comes again, is refused and not applied. */
void rg_peer_remember(rg_rpc_peer *peer, const rg_frame *reply, const rg_iov *iov, size_t n)
{
    rg_answer *answer = rg_alloc(sizeof *answer + reply->bytes);
    if (answer == NULL)
        return;
    *answer = (rg_answer){.frame = *reply};
    uint8_t *at = answer->body;
    for (size_t i = 0; i < n; i++) {
        if (iov[i].bytes > 0)
            memcpy(at, iov[i].at, iov[i].bytes);
        at += iov[i].bytes;
    }
    *peer->last_answer = answer;
    peer->last_answer = &answer->next;
    peer->n_answers++;
    peer->answer_bytes += answer->frame.bytes;
    while (peer->n_answers > RG_SEEN ||
           (peer->n_answers > RG_SEEN_SURE && peer->answer_bytes > RG_SEEN_BYTES))
        forget_oldest(peer);
}

void rg_peer_deliver(rg_task *task)
{
    rg_rpc_request *request = (rg_rpc_request *)task;
    rg_rpc_peer *peer = request->peer;
    if (request->logged && rg_reply_waits(request))
        return;
    if (request->remembers)
        rg_peer_remember(peer, &request->reply, request->iov, request->n);
    peer->n_alone -= request->alone;
    *request->back = request->next;
    if (request->next != NULL)
        request->next->back = request->back;
    peer->n_waiting--;
    (void)rg_fault("rpc.reply");
    rg_rpc_peer_keep(peer);
    if (peer->link != NULL)
        rg_link_send(peer->link, &request->reply, request->iov, request->n, request->release,
                     request->arg);
    else if (request->release != NULL)
        request->release(request->arg); /* who asked comes again, and hears it then */
    free_request(request);
    throttle(peer);
    rg_rpc_peer_drop(peer);
}

static void finish(rg_rpc_request *request)
{
    rg_loop *loop = request->peer->server->loops[request->peer->loop];
    request->task.run = rg_peer_deliver;
    if (rg_loop_inside(loop))
        rg_peer_deliver(&request->task);
    else
        rg_loop_post(loop, &request->task);
}

/* The pieces one after the other behind an array of one piece, for who keeps nothing. */
static bool copy_pieces(rg_rpc_request *request, const rg_iov *iov, size_t n, uint64_t bytes)
{
    rg_iov *one = rg_alloc(sizeof *one + bytes);
    if (one == NULL)
        return false;
    uint8_t *at = (uint8_t *)(one + 1);
    *one = (rg_iov){at, bytes};
    for (size_t i = 0; i < n; i++) {
        if (iov[i].bytes > 0)
            memcpy(at, iov[i].at, iov[i].bytes);
        at += iov[i].bytes;
    }
    request->iov = one;
    request->n = 1;
    return true;
}

static bool keep_pieces(rg_rpc_request *request, const rg_iov *iov, size_t n)
{
    request->iov = rg_alloc(n > 0 ? n * sizeof *iov : 1);
    if (request->iov == NULL)
        return false;
    if (n > 0)
        memcpy(request->iov, iov, n * sizeof *iov);
    request->n = n;
    return true;
}

/* Whether the answer was remembered, and is on its way once more. */
static bool answer_again(rg_rpc_request *request)
{
    const rg_answer *answer = request->peer->answers;
    while (answer != NULL && answer->frame.id != request->frame.id)
        answer = answer->next;
    rg_iov iov = {answer ? answer->body : NULL, answer ? answer->frame.bytes : 0};
    if (answer == NULL || !copy_pieces(request, &iov, 1, iov.bytes))
        return false;
    request->reply = answer->frame;
    request->reply.flags = (uint16_t)((answer->frame.flags & ~RG_FRAME_UNCHECKED) |
                                      (request->frame.flags & RG_FRAME_UNCHECKED));
    rg_body_measure(&request->reply, request->iov, 1);
    rg_peer_deliver(&request->task);
    return true;
}

void rg_rpc_reply(rg_rpc_request *request, uint16_t flags, const rg_iov *iov, size_t n,
                  void (*release)(void *arg), void *arg)
{
    request->reply = (rg_frame){.kind = RG_FRAME_REPLY,
                                .method = request->frame.method,
                                .flags = (uint16_t)((flags & ~RG_FRAME_RESENT) |
                                                    (request->frame.flags & RG_FRAME_UNCHECKED)),
                                .id = request->frame.id};
    rg_body_measure(&request->reply, iov, n);
    bool ok = release == NULL ? copy_pieces(request, iov, n, request->reply.bytes)
                              : keep_pieces(request, iov, n);
    request->release = release;
    request->arg = arg;
    if (!ok) {
        if (release != NULL)
            release(arg);
        request->release = NULL;
        request->reply.status = RG_ENOMEM;
        request->reply.bytes = request->reply.crc = 0;
    }
    finish(request);
}

void rg_rpc_refuse(rg_rpc_request *request, rg_status status, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    rg_iov iov = {text, strlen(text)};
    request->reply = (rg_frame){.kind = RG_FRAME_REPLY,
                                .status = (uint8_t)status,
                                .method = request->frame.method,
                                .id = request->frame.id};
    request->release = NULL;
    request->remembers = true;
    if (copy_pieces(request, &iov, 1, iov.bytes))
        rg_body_measure(&request->reply, request->iov, 1);
    finish(request);
}
