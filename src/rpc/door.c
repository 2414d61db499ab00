/* door.c - who comes, who may come in, and who still lives. All in the door's thread. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PONGS = 64 }; /* answers to heartbeats that a peer may leave lying */

typedef enum stage {
    STAGE_HELLO,  /* nothing is known of it */
    STAGE_PROOF,  /* it has said who it is, and shall prove it */
    STAGE_INSIDE, /* the welcome is on its way; then its loop takes over */
    STAGE_PULSE,  /* it sends heartbeats */
    STAGE_OUT,    /* it was refused, and shall have the time to read why */
} stage;

struct rg_guest {
    rg_task task;
    rg_stranger stranger; /* until it is let in */
    rg_guest *next, **back;
    rg_rpc_server *server;
    rg_link *link; /* NULL: gone, and only the task is waited for */
    int socket;    /* of the link, on its way to the peer's loop */
    stage stage;
    uint64_t came_ns;
    rg_rpc_peer *peer; /* kept */
    rg_wire_hello hello;
    uint8_t nonce[RG_NONCE_BYTES];
    rg_buf said; /* the body of HELLO */
    size_t n;
    uint8_t body[RG_SHAKE_MAX];
};

/* ---- the end of a visit ---- */

static void free_guest(rg_guest *guest)
{
    rg_rpc_peer_drop(guest->peer);
    rg_buf_fini(&guest->said);
    rg_free(guest);
}

static void unlist(rg_guest *guest)
{
    *guest->back = guest->next;
    if (guest->next != NULL)
        guest->next->back = guest->back;
    rg_strangers_remove(&guest->server->strangers, &guest->stranger);
    if (guest->peer != NULL && guest->peer->pulse == guest)
        guest->peer->pulse = NULL;
}

static void dismiss(rg_guest *guest)
{
    rg_link *link = guest->link;
    unlist(guest);
    guest->link = NULL;
    bool task_comes = guest->stage == STAGE_INSIDE;
    rg_link_close(link);
    if (!task_comes)
        free_guest(guest);
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

static rg_status refuse(rg_guest *guest, rg_status status)
{
    char text[600];
    (void)snprintf(text, sizeof text, "%s", rg_error_message());
    rg_link_send_small(guest->link, RG_FRAME_REFUSE, status, 0, text, strlen(text));
    if (guest->hello.purpose != RG_PURPOSE_PULSE)
        log_stranger(guest->server, guest->link, text);
    guest->stage = STAGE_OUT;
    rg_link_linger(guest->link);
    return rg_fail(RG_ECLOSED, "it was refused");
}

/* ---- sessions ---- */

static rg_rpc_peer *find_session(const rg_rpc_server *server, uint64_t session)
{
    rg_rpc_peer *p = server->peers;
    while (p != NULL && p->session != session)
        p = p->next;
    return p;
}

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

void rg_door_forget(rg_task *leave)
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

static rg_status enter_new(rg_guest *guest)
{
    rg_rpc_server *server = guest->server;
    if (!make_room(server))
        return rg_fail(RG_EDENIED, "%s has %u peers already, its limit", server->name,
                       server->n_peers);
    rg_rpc_peer *peer = rg_peer_new(server, guest->hello.session);
    if (peer == NULL)
        return rg_no_memory(sizeof *peer, "a peer");
    peer->hello = guest->hello.who;
    peer->loop = server->next_loop;
    rg_status status = ask_owner(server, peer, &peer->hello, RG_RPC_NEW);
    if (status != RG_OK) {
        rg_rpc_peer_drop(peer);
        return status;
    }
    server->next_loop = (server->next_loop + 1) % server->config.loops;
    peer->next = server->peers;
    server->peers = peer; /* the list's reference */
    server->n_peers++;
    rg_rpc_peer_keep(peer);
    guest->peer = peer;
    return RG_OK;
}

static rg_status enter_again(rg_guest *guest, rg_rpc_peer *peer)
{
    rg_rpc_hello hello = peer->hello; /* trainer and epoch as they were accepted */
    uint64_t epoch = guest->hello.who.epoch;
    if (epoch != 0 && epoch != hello.epoch) /* 0: it did not hear which it has */
        return rg_fail(RG_ESTALE, "%s is of epoch %" PRIu64 ", and here of %" PRIu64, hello.name,
                       epoch, hello.epoch);
    RG_TRY(ask_owner(guest->server, peer, &hello, peer->dead ? RG_RPC_REVENANT : RG_RPC_BACK));
    peer->dead = false;
    rg_rpc_peer_keep(peer);
    guest->peer = peer;
    return RG_OK;
}

static rg_status find_peer(rg_guest *guest)
{
    rg_rpc_server *server = guest->server;
    const rg_rpc_hello *who = &guest->hello.who;
    rg_rpc_peer *peer = find_session(server, guest->hello.session);
    if (server->job[0] != '\0' && strcmp(server->job, who->job) != 0)
        return rg_fail(RG_EDENIED, "%s serves job '%s', and %s (pid %u on %s) is of job '%s'",
                       server->name, server->job, who->name, who->pid, who->host, who->job);
    if (guest->hello.purpose == RG_PURPOSE_PULSE) {
        if (peer == NULL || peer->dead)
            return rg_fail(RG_ENOENT, "no such session");
        rg_rpc_peer_keep(peer);
        guest->peer = peer;
    } else if (peer == NULL) {
        RG_TRY(enter_new(guest));
    } else {
        RG_TRY(enter_again(guest, peer));
    }
    guest->peer->heard_ns = rg_clock_ns();
    return RG_OK;
}

/* ---- handing over to the peer's loop ---- */

static void move_in(rg_task *task)
{
    rg_guest *guest = (rg_guest *)task;
    rg_peer_attach(guest->peer, guest->link, guest->socket);
    free_guest(guest);
}

static void move_out(rg_task *task)
{
    rg_guest *guest = (rg_guest *)task;
    if (guest->link == NULL) {
        free_guest(guest);
        return;
    }
    rg_status status = rg_link_detach(guest->link, &guest->socket);
    guest->stage = STAGE_PULSE; /* no task comes any more */
    if (status != RG_OK) {
        log_stranger(guest->server, guest->link, rg_error_message());
        dismiss(guest);
        return;
    }
    unlist(guest);
    guest->task.run = move_in;
    rg_loop_post(guest->server->loops[guest->peer->loop], &guest->task);
}

/* The welcome is written. Not at once: the link may be in the middle of an event. */
static void welcomed(void *arg)
{
    rg_guest *guest = arg;
    guest->task.run = move_out;
    rg_loop_post(guest->server->door, &guest->task);
}

static rg_status welcome(rg_guest *guest)
{
    rg_rpc_server *server = guest->server;
    uint8_t proof[RG_PROOF_BYTES] = {0};
    rg_rpc_welcome out = {.trainer = guest->peer->hello.trainer,
                          .epoch = guest->peer->hello.epoch,
                          .instance = server->instance,
                          .lease_ms = server->config.lease_ms};
    memcpy(out.name, server->name, sizeof out.name);
    rg_buf body;
    rg_buf_init(&body, RG_SHAKE_MAX);
    rg_wire_put_welcome(&body, &out, proof);
    rg_status status = rg_buf_status(&body);
    if (status == RG_OK)
        status = rg_proof(proof, &server->key, true, guest->nonce, guest->said.data,
                          guest->said.len, body.data + RG_PROOF_BYTES, body.len - RG_PROOF_BYTES);
    if (status != RG_OK) {
        rg_buf_fini(&body);
        return refuse(guest, status);
    }
    memcpy(body.data, proof, RG_PROOF_BYTES);
    memcpy(guest->body, body.data, body.len); /* lives until it is written */
    rg_iov iov = {guest->body, body.len};
    rg_buf_fini(&body);
    rg_frame frame = {.kind = RG_FRAME_WELCOME};
    rg_body_measure(&frame, &iov, 1);
    rg_strangers_remove(&server->strangers, &guest->stranger);
    if (guest->hello.purpose == RG_PURPOSE_PULSE) {
        guest->stage = STAGE_PULSE;
        if (guest->peer->pulse != NULL)
            dismiss(guest->peer->pulse);
        guest->peer->pulse = guest;
        rg_link_send(guest->link, &frame, &iov, 1, NULL, NULL);
        return RG_OK;
    }
    guest->stage = STAGE_INSIDE;
    rg_link_pause(guest->link);
    rg_link_send(guest->link, &frame, &iov, 1, welcomed, guest);
    return RG_OK;
}

/* ---- what a guest says ---- */

static rg_status take_hello(rg_guest *guest)
{
    rg_wire_challenge challenge = {.has_key = guest->server->key.bytes != NULL};
    rg_buf body;
    RG_TRY(rg_wire_get_hello(&guest->hello, guest->body, guest->n));
    rg_buf_add(&guest->said, guest->body, guest->n);
    RG_TRY(rg_buf_status(&guest->said));
    RG_TRY(rg_random(guest->nonce, sizeof guest->nonce));
    memcpy(challenge.nonce, guest->nonce, sizeof challenge.nonce);
    rg_buf_init(&body, RG_SHAKE_MAX);
    rg_wire_put_challenge(&body, &challenge);
    rg_status status = rg_buf_status(&body);
    if (status == RG_OK)
        rg_link_send_small(guest->link, RG_FRAME_CHALLENGE, RG_OK, 0, body.data, body.len);
    rg_buf_fini(&body);
    guest->stage = STAGE_PROOF;
    return status;
}

static rg_status take_proof(rg_guest *guest)
{
    uint8_t wanted[RG_PROOF_BYTES];
    const rg_rpc_hello *who = &guest->hello.who;
    if (guest->n != RG_PROOF_BYTES)
        return rg_fail(RG_ECORRUPT, "a proof of %zu bytes", guest->n);
    RG_TRY(rg_proof(wanted, &guest->server->key, false, guest->nonce, guest->said.data,
                    guest->said.len, NULL, 0));
    if (guest->server->key.bytes != NULL && !rg_proof_equal(wanted, guest->body))
        return refuse(guest, rg_fail(RG_EDENIED, "%s (pid %u on %s) does not have the job key",
                                     who->name, who->pid, who->host));
    rg_status status = find_peer(guest);
    return status == RG_OK ? welcome(guest) : refuse(guest, status);
}

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_guest *guest = user;
    static const uint8_t expected[] = {[STAGE_HELLO] = RG_FRAME_HELLO,
                                       [STAGE_PROOF] = RG_FRAME_PROOF,
                                       [STAGE_PULSE] = RG_FRAME_PING};
    if (guest->stage == STAGE_INSIDE || guest->stage == STAGE_OUT ||
        frame->kind != expected[guest->stage])
        return rg_fail(RG_ECORRUPT, "a frame of kind %u out of turn", frame->kind);
    guest->n = 0;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_guest *guest = user;
    guest->n = frame->bytes; /* at most RG_SHAKE_MAX: the link's limit */
    *at = guest->body + offset;
    *size = sizeof guest->body - offset;
    return RG_OK;
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_guest *guest = user;
    switch (guest->stage) {
    case STAGE_HELLO:
        return take_hello(guest);
    case STAGE_PROOF:
        return take_proof(guest);
    case STAGE_PULSE:
        guest->peer->heard_ns = rg_clock_ns();
        if (rg_link_queued(guest->link) > (size_t)MOST_PONGS * RG_FRAME_BYTES)
            return rg_fail(RG_ECLOSED, "it does not take the answers to its heartbeats");
        rg_link_send_small(guest->link, RG_FRAME_PONG, RG_OK, frame->id, NULL, 0);
        return RG_OK;
    case STAGE_INSIDE:
    case STAGE_OUT:
        break;
    }
    return rg_fail(RG_ECORRUPT, "a frame out of turn");
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_guest *guest = user;
    bool stranger = guest->stage == STAGE_HELLO || guest->stage == STAGE_PROOF;
    /* One that has said who it is may go again without a word. */
    if (stranger && (why != RG_ECLOSED || guest->stage == STAGE_HELLO))
        log_stranger(guest->server, guest->link, message);
    if (stranger && why == RG_EUNIMPL) /* another version: it may understand this much */
        rg_link_send_small(guest->link, RG_FRAME_REFUSE, why, 0, message, strlen(message));
    if (stranger &&
        (why == RG_EUNIMPL || why == RG_EDENIED)) { /* the latter: by TLS, which told it */
        guest->stage = STAGE_OUT;
        rg_link_linger(guest->link);
        return;
    }
    dismiss(guest);
}

static const rg_link_events guest_events = {{on_header, on_place, on_frame}, NULL, on_failed, NULL};

/* Too many wait, or too few descriptors are left, since this one came: someone has to go. */
static void keep_limits(rg_rpc_server *server, rg_guest *last, int descriptor)
{
    rg_stranger *goes = rg_strangers_surplus(&server->strangers, &last->stranger);
    bool full = descriptor >= server->descriptors;
    if (goes == NULL && full)
        goes = rg_strangers_oldest(&server->strangers);
    if (goes == NULL)
        return;
    rg_guest *guest = (rg_guest *)((char *)goes - offsetof(rg_guest, stranger));
    if (guest == last)
        log_turned_away(server, guest->link,
                        "all descriptors but those kept for files are in use (ulimit -n)");
    else
        log_stranger(server, guest->link, "too many wait, and it had not said who it is");
    dismiss(guest);
}

void rg_door_accept(void *user, rg_stream *stream)
{
    rg_rpc_server *server = user;
    char origin[RG_ORIGIN_TEXT];
    int descriptor = rg_stream_descriptor(stream);
    rg_stream_origin(stream, origin);
    rg_guest *guest = rg_alloc_zero(1, sizeof *guest);
    if (guest != NULL && !rg_strangers_add(&server->strangers, &guest->stranger, origin)) {
        rg_free(guest);
        guest = NULL;
    }
    if (guest == NULL) {
        rg_stream_close(stream);
        return;
    }
    guest->server = server;
    guest->came_ns = rg_clock_ns();
    rg_buf_init(&guest->said, RG_SHAKE_MAX);
    if (rg_link_accept(&guest->link, stream, server->tls, RG_SHAKE_MAX, &guest_events, guest) !=
        RG_OK) {
        rg_strangers_remove(&server->strangers, &guest->stranger);
        free_guest(guest);
        return;
    }
    guest->back = &server->guests;
    guest->next = server->guests;
    if (guest->next != NULL)
        guest->next->back = &guest->next;
    server->guests = guest;
    keep_limits(server, guest, descriptor);
}

/* ---- leases ---- */

static void watch_guests(rg_rpc_server *server, uint64_t now)
{
    for (rg_guest *g = server->guests, *next; g != NULL; g = next) {
        next = g->next;
        if (g->stage == STAGE_PULSE || now - g->came_ns < server->config.handshake_ms * 1000000u)
            continue;
        if (g->stage != STAGE_OUT)
            log_stranger(server, g->link, "it did not say who it is in time");
        dismiss(g);
    }
}

void rg_door_watch(void *user)
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

void rg_door_shut(rg_rpc_server *server)
{
    rg_timer_close(server->watch);
    for (size_t i = 0; i < server->n_listeners; i++)
        rg_listener_close(server->listeners[i]);
    server->n_listeners = 0;
    while (server->guests != NULL)
        dismiss(server->guests);
}

void rg_door_expel(rg_task *expel)
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
    rg_loop_post(peer->server->door, &peer->expel);
}
