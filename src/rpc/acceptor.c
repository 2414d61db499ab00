/* acceptor.c - who comes, who may come in, and who still lives. All in the acceptor's thread. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PONGS = 64 }; /* answers to heartbeats that a peer may leave lying */

typedef enum stage {
    STAGE_HELLO,     /* nothing is known of it */
    STAGE_PROOF,     /* it has said who it is, and shall prove it */
    STAGE_INSIDE,    /* the welcome is on its way; then its loop takes over */
    STAGE_HEARTBEAT, /* it sends heartbeats */
    STAGE_OUT,       /* it was refused, and shall have the time to read why */
} stage;

struct rg_incoming {
    rg_task task;
    rg_stranger stranger; /* until it is let in */
    rg_incoming *next, **back;
    rg_rpc_server *server;
    rg_link *link; /* NULL: gone, and only the task is waited for */
    stage stage;
    uint64_t came_ns;
    rg_rpc_peer *peer; /* kept */
    rg_handshake_hello hello;
    uint8_t nonce[RG_NONCE_BYTES];
    rg_buf said; /* the body of HELLO */
    size_t n;
    uint8_t body[RG_SHAKE_MAX];
};

/* ---- the end of an attempt ---- */

static void free_guest(rg_incoming *incoming)
{
    rg_rpc_peer_drop(incoming->peer);
    rg_buf_fini(&incoming->said);
    rg_free(incoming);
}

static void unlist(rg_incoming *incoming)
{
    *incoming->back = incoming->next;
    if (incoming->next != NULL)
        incoming->next->back = incoming->back;
    rg_admission_remove(&incoming->server->admission, &incoming->stranger);
    if (incoming->peer != NULL && incoming->peer->heartbeat == incoming)
        incoming->peer->heartbeat = NULL;
}

static void dismiss(rg_incoming *incoming)
{
    rg_link *link = incoming->link;
    unlist(incoming);
    incoming->link = NULL;
    bool task_comes = incoming->stage == STAGE_INSIDE;
    rg_link_close(link);
    if (!task_comes)
        free_guest(incoming);
}

/* One line a second at most: who scans our ports shall not fill our disk. */
static void log_turned_away(rg_rpc_server *server, const rg_link *link, const char *why)
{
    uint64_t now = rg_clock_ns();
    if (now < server->log_after_ns) {
        server->unlogged++;
        return;
    }
    rg_log(RG_LOG_W, "rpc", "peer=%s \"turned away: %s\" unlogged=%" PRIu64, rg_link_peer(link),
           why, server->unlogged);
    server->log_after_ns = now + 1000000000u;
    server->unlogged = 0;
}

static void log_stranger(rg_rpc_server *server, const rg_link *link, const char *why)
{
    if (!rg_link_spoken(link)) { /* someone who looks whether we are there, as probes often do */
        rg_log(RG_LOG_D, "rpc", "peer=%s \"looked in\"", rg_link_peer(link));
        return;
    }
    log_turned_away(server, link, why);
}

static rg_status refuse(rg_incoming *incoming, rg_status status)
{
    char text[600];
    (void)snprintf(text, sizeof text, "%s", rg_error_message());
    rg_link_send_small(incoming->link, RG_FRAME_REFUSE, status, 0, text, strlen(text));
    if (incoming->hello.purpose != RG_PURPOSE_PULSE)
        log_stranger(incoming->server, incoming->link, text);
    incoming->stage = STAGE_OUT;
    rg_link_linger(incoming->link);
    return rg_fail(RG_ECLOSED, "it was refused");
}

/* ---- sessions ---- */

static void unlist_peer(rg_rpc_server *server, const rg_rpc_peer *peer)
{
    for (rg_rpc_peer **at = &server->peers; *at != NULL; at = &(*at)->next) {
        if (*at != peer)
            continue;
        rg_rpc_peer *gone = *at;
        *at = gone->next;
        server->n_peers--;
        rg_rpc_peer_drop(gone);
        return;
    }
}

void rg_acceptor_forget(rg_task *leave)
{
    rg_rpc_peer *peer = (rg_rpc_peer *)((char *)leave - offsetof(rg_rpc_peer, leave));
    unlist_peer(peer->server, peer);
    rg_rpc_peer_drop(peer);
}

/* The dead are remembered so that they can be told; but not without end. */
static bool make_room(rg_rpc_server *server)
{
    if (server->n_peers < server->config.max_peers)
        return true;
    for (rg_rpc_peer *p = server->peers, *oldest = NULL;; p = p->next) {
        if (p == NULL) {
            if (oldest == NULL)
                return false;
            unlist_peer(server, oldest);
            return true;
        }
        if (p->dead)
            oldest = p; /* new ones stand in front */
    }
}

static rg_status ask_owner(rg_rpc_server *server, rg_rpc_peer *peer, rg_rpc_hello *hello,
                           rg_rpc_arrival arrival)
{
    return server->config.events.hello == NULL
               ? RG_OK
               : server->config.events.hello(server->config.user, peer, hello, arrival);
}

rg_status rg_acceptor_enter(rg_rpc_server *server, uint64_t session, const rg_rpc_hello *hello,
                            int loop, rg_rpc_peer **out)
{
    if (!make_room(server))
        return rg_fail(RG_EDENIED, "%s has %u peers already, its limit", server->name,
                       server->n_peers);
    rg_rpc_peer *peer = rg_peer_new(server, session);
    if (peer == NULL)
        return rg_no_memory(sizeof *peer, "a peer");
    peer->hello = *hello;
    peer->loop = loop;
    rg_status status = ask_owner(server, peer, &peer->hello, RG_RPC_NEW);
    if (status != RG_OK) {
        rg_rpc_peer_drop(peer);
        return status;
    }
    server->next_loop = (server->next_loop + 1) % server->config.loops;
    peer->next = server->peers;
    server->peers = peer; /* the list's reference */
    server->n_peers++;
    *out = peer;
    return RG_OK;
}

static rg_status enter_new(rg_incoming *incoming)
{
    rg_rpc_server *server = incoming->server;
    RG_TRY(rg_acceptor_enter(server, incoming->hello.session, &incoming->hello.who,
                             server->next_loop, &incoming->peer));
    rg_rpc_peer_keep(incoming->peer);
    return RG_OK;
}

static rg_status enter_again(rg_incoming *incoming, rg_rpc_peer *peer)
{
    rg_rpc_hello hello = peer->hello; /* trainer and epoch as they were accepted */
    uint64_t epoch = incoming->hello.who.epoch;
    if (epoch != 0 && epoch != hello.epoch) /* 0: it did not hear which it has */
        return rg_fail(RG_ESTALE, "%s is of epoch %" PRIu64 ", and here of %" PRIu64, hello.name,
                       epoch, hello.epoch);
    RG_TRY(ask_owner(incoming->server, peer, &hello, peer->dead ? RG_RPC_REVENANT : RG_RPC_BACK));
    peer->dead = false;
    rg_rpc_peer_keep(peer);
    incoming->peer = peer;
    return RG_OK;
}

static rg_status find_peer(rg_incoming *incoming)
{
    rg_rpc_server *server = incoming->server;
    const rg_rpc_hello *who = &incoming->hello.who;
    rg_rpc_peer *peer = rg_rpc_server_find(server, incoming->hello.session);
    if (server->job[0] != '\0' && strcmp(server->job, who->job) != 0)
        return rg_fail(RG_EDENIED, "%s serves job '%s', and %s (pid %u on %s) is of job '%s'",
                       server->name, server->job, who->name, who->pid, who->host, who->job);
    if (incoming->hello.purpose == RG_PURPOSE_PULSE) {
        if (peer == NULL || peer->dead)
            return rg_fail(RG_ENOENT, "no such session");
        rg_rpc_peer_keep(peer);
        incoming->peer = peer;
    } else if (peer == NULL) {
        RG_TRY(enter_new(incoming));
    } else {
        RG_TRY(enter_again(incoming, peer));
    }
    incoming->peer->heard_ns = rg_clock_ns();
    return RG_OK;
}

/* ---- handing over to the peer's loop ---- */

static void move_in(rg_task *task)
{
    rg_incoming *incoming = (rg_incoming *)task;
    rg_peer_attach(incoming->peer, incoming->link);
    free_guest(incoming);
}

static void move_out(rg_task *task)
{
    rg_incoming *incoming = (rg_incoming *)task;
    if (incoming->link == NULL) {
        free_guest(incoming);
        return;
    }
    rg_status status = rg_link_detach(incoming->link);
    incoming->stage = STAGE_HEARTBEAT; /* no task comes any more */
    if (status != RG_OK) {
        log_stranger(incoming->server, incoming->link, rg_error_message());
        dismiss(incoming);
        return;
    }
    unlist(incoming);
    incoming->task.run = move_in;
    rg_loop_post(incoming->server->loops[incoming->peer->loop], &incoming->task);
}

/* The welcome is written. Not at once: the link may be in the middle of an event. */
static void welcomed(void *arg)
{
    rg_incoming *incoming = arg;
    incoming->task.run = move_out;
    rg_loop_post(incoming->server->acceptor, &incoming->task);
}

static rg_status welcome(rg_incoming *incoming)
{
    rg_rpc_server *server = incoming->server;
    uint8_t proof[RG_PROOF_BYTES] = {0};
    rg_seal *up = NULL, *down = NULL;
    uint32_t options = incoming->hello.options;
    if (rg_link_needs_seal(incoming->link, server->seal))
        options |= RG_OPTION_SEAL;
    if (server->key.bytes == NULL)
        options &= ~(uint32_t)RG_OPTION_SEAL;
    if (!server->config.logs_late)
        options &= ~(uint32_t)RG_OPTION_KEEPS;
    if (incoming->hello.purpose == RG_PURPOSE_REQUESTS)
        atomic_store(&incoming->peer->keeps, (options & RG_OPTION_KEEPS) != 0);
    rg_rpc_welcome out = {.trainer = incoming->peer->hello.trainer,
                          .epoch = incoming->peer->hello.epoch,
                          .instance = server->instance,
                          .lineage = server->config.lineage,
                          .lease_ms = server->config.lease_ms,
                          .came = incoming->peer->recalled,
                          .clock_ns = rg_clock_wall_ns()};
    memcpy(out.name, server->name, sizeof out.name);
    rg_buf body;
    rg_buf_init(&body, RG_SHAKE_MAX);
    rg_handshake_put_welcome(&body, &out, options, proof);
    rg_status status = rg_buf_status(&body);
    if (status == RG_OK)
        status = rg_proof(proof, &server->key, true, incoming->nonce, incoming->said.data,
                          incoming->said.len, body.data + RG_PROOF_BYTES,
                          body.len - RG_PROOF_BYTES);
    if (status == RG_OK && (options & RG_OPTION_SEAL) != 0)
        status = rg_seals_derive(&up, &down, &server->key, incoming->nonce, incoming->said.data,
                                 incoming->said.len);
    if (status != RG_OK) {
        rg_buf_fini(&body);
        return refuse(incoming, status);
    }
    memcpy(body.data, proof, RG_PROOF_BYTES);
    memcpy(incoming->body, body.data, body.len); /* lives until it is written */
    rg_iov iov = {incoming->body, body.len};
    rg_buf_fini(&body);
    rg_frame frame = {.kind = RG_FRAME_WELCOME};
    rg_body_measure(&frame, &iov, 1);
    rg_admission_remove(&server->admission, &incoming->stranger);
    if (incoming->hello.purpose == RG_PURPOSE_PULSE) {
        incoming->stage = STAGE_HEARTBEAT;
        if (incoming->peer->heartbeat != NULL)
            dismiss(incoming->peer->heartbeat);
        incoming->peer->heartbeat = incoming;
        rg_link_send(incoming->link, &frame, &iov, 1, NULL, NULL);
    } else {
        incoming->stage = STAGE_INSIDE;
        rg_link_pause(incoming->link);
        rg_link_send(incoming->link, &frame, &iov, 1, welcomed, incoming);
    }
    if (up != NULL) /* the next frame is the first */
        rg_link_seal(incoming->link, up, down);
    return RG_OK;
}

/* ---- what one that comes says ---- */

static rg_status take_hello(rg_incoming *incoming)
{
    rg_handshake_challenge challenge = {.has_key = incoming->server->key.bytes != NULL};
    rg_buf body;
    RG_TRY(rg_handshake_get_hello(&incoming->hello, incoming->body, incoming->n));
    rg_buf_add(&incoming->said, incoming->body, incoming->n);
    RG_TRY(rg_buf_status(&incoming->said));
    RG_TRY(rg_random(incoming->nonce, sizeof incoming->nonce));
    memcpy(challenge.nonce, incoming->nonce, sizeof challenge.nonce);
    rg_buf_init(&body, RG_SHAKE_MAX);
    rg_handshake_put_challenge(&body, &challenge);
    rg_status status = rg_buf_status(&body);
    if (status == RG_OK)
        rg_link_send_small(incoming->link, RG_FRAME_CHALLENGE, RG_OK, 0, body.data, body.len);
    rg_buf_fini(&body);
    incoming->stage = STAGE_PROOF;
    return status;
}

static rg_status take_proof(rg_incoming *incoming)
{
    uint8_t wanted[RG_PROOF_BYTES];
    const rg_rpc_hello *who = &incoming->hello.who;
    if (incoming->n != RG_PROOF_BYTES)
        return rg_fail(RG_ECORRUPT, "a proof of %zu bytes", incoming->n);
    RG_TRY(rg_proof(wanted, &incoming->server->key, false, incoming->nonce, incoming->said.data,
                    incoming->said.len, NULL, 0));
    if (incoming->server->key.bytes != NULL && !rg_proof_equal(wanted, incoming->body))
        return refuse(incoming, rg_fail(RG_EDENIED, "%s (pid %u on %s) does not have the job key",
                                        who->name, who->pid, who->host));
    rg_status status = find_peer(incoming);
    return status == RG_OK ? welcome(incoming) : refuse(incoming, status);
}

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_incoming *incoming = user;
    static const uint8_t expected[] = {[STAGE_HELLO] = RG_FRAME_HELLO,
                                       [STAGE_PROOF] = RG_FRAME_PROOF,
                                       [STAGE_HEARTBEAT] = RG_FRAME_PING};
    if (incoming->stage == STAGE_INSIDE || incoming->stage == STAGE_OUT ||
        frame->kind != expected[incoming->stage])
        return rg_fail(RG_ECORRUPT, "a frame of kind %u out of turn", frame->kind);
    incoming->n = 0;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_incoming *incoming = user;
    incoming->n = frame->bytes; /* at most RG_SHAKE_MAX: the link's limit */
    *at = incoming->body + offset;
    *size = sizeof incoming->body - offset;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_incoming *incoming = user;
    switch (incoming->stage) {
    case STAGE_HELLO:
        return take_hello(incoming);
    case STAGE_PROOF:
        return take_proof(incoming);
    case STAGE_HEARTBEAT:
        incoming->peer->heard_ns = rg_clock_ns();
        if (rg_link_queued(incoming->link) > (size_t)MOST_PONGS * RG_FRAME_BYTES)
            return rg_fail(RG_ECLOSED, "it does not take the answers to its heartbeats");
        rg_link_send_small(incoming->link, RG_FRAME_PONG, RG_OK, frame->id, NULL, 0);
        return RG_OK;
    case STAGE_INSIDE:
    case STAGE_OUT:
        break;
    }
    return rg_fail(RG_ECORRUPT, "a frame out of turn");
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_incoming *incoming = user;
    bool stranger = incoming->stage == STAGE_HELLO || incoming->stage == STAGE_PROOF;
    /* One that has said who it is may go again without a word. */
    if (stranger && (why != RG_ECLOSED || incoming->stage == STAGE_HELLO))
        log_stranger(incoming->server, incoming->link, message);
    if (stranger && why == RG_EUNIMPL) /* another version: it may understand this much */
        rg_link_send_small(incoming->link, RG_FRAME_REFUSE, why, 0, message, strlen(message));
    if (stranger &&
        (why == RG_EUNIMPL || why == RG_EDENIED)) { /* the latter: by TLS, which told it */
        incoming->stage = STAGE_OUT;
        rg_link_linger(incoming->link);
        return;
    }
    dismiss(incoming);
}

static const rg_link_events guest_events = {{on_header, on_place, on_frame}, NULL, on_failed, NULL};

/* Too many wait, or too few descriptors are left, since this one came: someone has to go. */
static void keep_limits(rg_rpc_server *server, rg_incoming *last, int descriptor)
{
    rg_stranger *goes = rg_admission_surplus(&server->admission, &last->stranger);
    bool full = descriptor >= server->descriptors;
    if (goes == NULL && full)
        goes = rg_admission_oldest(&server->admission);
    if (goes == NULL)
        return;
    rg_incoming *incoming = (rg_incoming *)((char *)goes - offsetof(rg_incoming, stranger));
    if (incoming == last)
        log_turned_away(server, incoming->link,
                        "all descriptors but those kept for files are in use (ulimit -n)");
    else
        log_stranger(server, incoming->link, "too many wait, and it had not said who it is");
    dismiss(incoming);
}

void rg_acceptor_accept(void *user, rg_stream *stream)
{
    rg_rpc_server *server = user;
    char origin[RG_ORIGIN_TEXT];
    int descriptor = rg_stream_descriptor(stream);
    rg_stream_origin(stream, origin);
    rg_incoming *incoming = rg_alloc_zero(1, sizeof *incoming);
    if (incoming != NULL && !rg_admission_add(&server->admission, &incoming->stranger, origin)) {
        rg_free(incoming);
        incoming = NULL;
    }
    if (incoming == NULL) {
        rg_stream_close(stream);
        return;
    }
    incoming->server = server;
    incoming->came_ns = rg_clock_ns();
    rg_buf_init(&incoming->said, RG_SHAKE_MAX);
    if (rg_link_accept(&incoming->link, stream, server->tls, RG_SHAKE_MAX, &guest_events,
                       incoming) != RG_OK) {
        rg_admission_remove(&server->admission, &incoming->stranger);
        free_guest(incoming);
        return;
    }
    incoming->back = &server->incoming;
    incoming->next = server->incoming;
    if (incoming->next != NULL)
        incoming->next->back = &incoming->next;
    server->incoming = incoming;
    keep_limits(server, incoming, descriptor);
}

/* ---- leases ---- */

static void watch_guests(rg_rpc_server *server, uint64_t now)
{
    for (rg_incoming *g = server->incoming, *next; g != NULL; g = next) {
        next = g->next;
        if (g->stage == STAGE_HEARTBEAT ||
            now - g->came_ns < server->config.handshake_ms * 1000000u)
            continue;
        if (g->stage != STAGE_OUT)
            log_stranger(server, g->link, "it did not say who it is in time");
        dismiss(g);
    }
}

void rg_acceptor_watch(void *user)
{
    rg_rpc_server *server = user;
    uint64_t now = rg_clock_ns(), lease_ns = server->config.lease_ms * 1000000u;
    uint64_t away = now - server->watched_ns;
    /* While this process itself stood still it could hear nobody: that time does not count. */
    bool paused = away > lease_ns / 2;
    server->watched_ns = now;
    watch_guests(server, now);
    for (rg_rpc_peer *p = server->peers; p != NULL; p = p->next) {
        if (paused)
            p->heard_ns += away;
        if (p->dead || now < p->heard_ns || now - p->heard_ns < lease_ns)
            continue;
        rg_set_message("no heartbeat from %s (pid %u on %s) for %.1f s, and its lease is %.1f s",
                       p->hello.name, p->hello.pid, p->hello.host,
                       (double)(now - p->heard_ns) * 1e-9, (double)lease_ns * 1e-9);
        if (rg_peer_bury(p, rg_error_message()) == RG_OK)
            p->dead = true;
    }
}

void rg_acceptor_shut(rg_rpc_server *server)
{
    rg_timer_close(server->watch);
    for (size_t i = 0; i < server->n_listeners; i++)
        rg_listener_close(server->listeners[i]);
    server->n_listeners = 0;
    while (server->incoming != NULL)
        dismiss(server->incoming);
}

void rg_acceptor_expel(rg_task *expel)
{
    rg_rpc_peer *peer = (rg_rpc_peer *)((char *)expel - offsetof(rg_rpc_peer, expel));
    atomic_store(&peer->expelling, false);
    if (!peer->dead && rg_peer_bury(peer, NULL) == RG_OK)
        peer->dead = true;
    rg_rpc_peer_drop(peer);
}

void rg_rpc_peer_expel(rg_rpc_peer *peer)
{
    if (atomic_exchange(&peer->expelling, true))
        return;
    rg_rpc_peer_keep(peer);
    rg_loop_post(peer->server->acceptor, &peer->expel);
}
