/* recall.c - a server that goes on where another process ended, and answers that wait for the disk.
 */
#include "rpc/server_priv.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* ---- peers as they were ---- */

rg_status rg_rpc_server_recall(rg_rpc_server *server, rg_rpc_peer **peer, uint64_t session,
                               const rg_rpc_hello *hello, int loop)
{
    if (loop < 0 || loop >= server->config.loops)
        return rg_fail(RG_ECORRUPT, "a peer in loop %d of %d", loop, server->config.loops);
    *peer = rg_rpc_server_find(server, session);
    if (*peer != NULL)
        return RG_OK; /* it came while a snapshot was taken, and is in both */
    return rg_acceptor_enter(server, session, hello, loop, peer);
}

rg_rpc_peer *rg_rpc_server_find(const rg_rpc_server *server, uint64_t session)
{
    rg_rpc_peer *p = server->peers;
    while (p != NULL && p->session != session)
        p = p->next;
    return p;
}

typedef struct finding {
    const rg_rpc_server *server;
    uint64_t session;
    rg_rpc_peer *found;
} finding;

static void find(void *arg)
{
    finding *f = arg;
    f->found = rg_rpc_server_find(f->server, f->session);
    if (f->found != NULL)
        rg_rpc_peer_keep(f->found);
}

rg_rpc_peer *rg_rpc_server_keep(rg_rpc_server *server, uint64_t session)
{
    finding f = {.server = server, .session = session};
    rg_loop_do(server->acceptor, find, &f);
    return f.found;
}

void rg_rpc_peer_set_epoch(rg_rpc_peer *peer, uint64_t epoch)
{
    peer->hello.epoch = epoch;
}

rg_status rg_rpc_lineage(uint64_t *lineage)
{
    do
        RG_TRY(rg_random(lineage, sizeof *lineage));
    while (*lineage == 0);
    return RG_OK;
}

void rg_rpc_peer_write(const rg_rpc_peer *peer, uint64_t below, rg_buf *out)
{
    rg_buf_u64(out, peer->came < below ? peer->came : below - 1);
    rg_buf_u64(out, peer->n_answers);
    for (const rg_answer *a = peer->answers; a != NULL; a = a->next) {
        rg_buf_u64(out, a->frame.id);
        rg_buf_u32(out, a->frame.method);
        rg_buf_u32(out, a->frame.flags);
        rg_buf_u32(out, a->frame.status);
        rg_buf_u64(out, a->frame.bytes);
        rg_buf_add(out, a->body, a->frame.bytes);
    }
}

static rg_status read_answer(rg_rpc_peer *peer, rg_cursor *in)
{
    rg_frame reply = {.kind = RG_FRAME_REPLY};
    uint32_t method, flags, status;
    const uint8_t *body;
    RG_TRY(rg_cursor_u64(in, &reply.id));
    RG_TRY(rg_cursor_u32(in, &method));
    RG_TRY(rg_cursor_u32(in, &flags));
    RG_TRY(rg_cursor_u32(in, &status));
    RG_TRY(rg_cursor_u64(in, &reply.bytes));
    RG_TRY(rg_cursor_take(in, reply.bytes, &body));
    reply.method = (uint16_t)method;
    reply.flags = (uint16_t)flags;
    reply.status = (uint8_t)status;
    rg_peer_remember(peer, &reply, &(rg_iov){body, reply.bytes}, 1);
    return RG_OK;
}

rg_status rg_rpc_peer_read(rg_rpc_peer *peer, rg_cursor *in)
{
    uint64_t n;
    RG_TRY(rg_cursor_u64(in, &peer->came));
    RG_TRY(rg_cursor_u64(in, &n));
    for (uint64_t i = 0; i < n; i++)
        RG_TRY(read_answer(peer, in));
    return RG_OK;
}

/* ---- answers that wait for the disk ---- */

static void put_held(rg_withheld *w, rg_rpc_request *request)
{
    request->next_held = NULL;
    *w->last = request;
    w->last = &request->next_held;
}

static void refuse_held(const rg_rpc_server *server, rg_rpc_request *request)
{
    if (request->release != NULL)
        request->release(request->arg);
    request->release = NULL;
    if (request->iov != request->few)
        rg_free(request->iov);
    request->iov = NULL;
    request->n = 0;
    request->logged = false;
    rg_rpc_refuse(request, (rg_status)atomic_load(&server->lost_log), "%s", server->lost_why);
}

bool rg_reply_waits(rg_rpc_request *request)
{
    rg_rpc_server *server = request->peer->server;
    if (request->reply.status != RG_OK)
        return false; /* nothing is promised */
    if (request->after == 0)
        request->after = atomic_load(&server->logged);
    if (request->after <= atomic_load(&server->durable))
        return false;
    if (atomic_load(&server->lost_log) != RG_OK)
        refuse_held(server, request);
    else
        put_held(&server->withheld[request->peer->loop], request);
    if (server->config.events.waits != NULL)
        server->config.events.waits(server->config.user);
    return true;
}

/* ---- answers that do not ---- */

enum { MOST_MARKS = 4096 }; /* beyond them a mark stands for several replies */

void rg_reply_mark(rg_rpc_request *request)
{
    rg_rpc_peer *peer = request->peer;
    const rg_rpc_server *server = peer->server;
    rg_mark mark = {atomic_load(&server->logged), request->frame.id};
    if (request->reply.status != RG_OK || !atomic_load(&peer->keeps) ||
        mark.number <= atomic_load(&server->durable))
        return;
    request->reply.flags |= RG_FRAME_NOTED;
    bool grows = peer->n_marks < MOST_MARKS && rg_grow((void **)&peer->marks, peer->n_marks,
                                                       &peer->cap_marks, sizeof mark) == RG_OK;
    if (grows)
        peer->n_marks++;
    if (peer->n_marks > 0) /* else it is kept until a later one is told */
        peer->marks[peer->n_marks - 1] = mark;
}

void rg_peer_tell_durable(rg_rpc_peer *peer, bool again)
{
    uint64_t durable = atomic_load(&peer->server->durable);
    size_t n = 0;
    while (n < peer->n_marks && peer->marks[n].number <= durable)
        peer->durable = peer->marks[n++].id;
    if (n > 0)
        memmove(peer->marks, peer->marks + n, (peer->n_marks - n) * sizeof *peer->marks);
    peer->n_marks -= n;
    /* Also one that was told before: it was asked again, when that had been told too early. */
    if (peer->link != NULL && atomic_load(&peer->keeps) && peer->durable != 0 && (again || n > 0))
        rg_link_send_small(peer->link, RG_FRAME_DURABLE, RG_OK, peer->durable, NULL, 0);
}

/* Those that may go do, and those that may not are put back. */
static void look(rg_task *task)
{
    rg_withheld *w = (rg_withheld *)task;
    atomic_store(&w->posted, false);
    for (rg_rpc_peer *p = w->server->linked[w->loop], *next; p != NULL; p = next) {
        next = p->next_linked;
        rg_peer_tell_durable(p, false);
    }
    rg_rpc_request *request = w->first;
    w->first = NULL;
    w->last = &w->first;
    while (request != NULL) {
        rg_rpc_request *next = request->next_held;
        rg_peer_deliver(&request->task);
        request = next;
    }
}

static void look_everywhere(rg_rpc_server *server)
{
    for (int i = 0; i < server->config.loops; i++)
        if (!atomic_exchange(&server->withheld[i].posted, true))
            rg_loop_post(server->loops[i], &server->withheld[i].task);
}

void rg_rpc_server_logged(rg_rpc_server *server, uint64_t number)
{
    uint64_t before = atomic_load(&server->logged);
    while (before < number && !atomic_compare_exchange_weak(&server->logged, &before, number))
        continue;
}

void rg_rpc_server_durable(rg_rpc_server *server, uint64_t number)
{
    atomic_store(&server->durable, number);
    look_everywhere(server);
}

void rg_rpc_server_lost_log(rg_rpc_server *server, rg_status status, const char *why)
{
    if (atomic_load(&server->lost_log) != RG_OK)
        return;
    (void)snprintf(server->lost_why, sizeof server->lost_why, "%s", why);
    atomic_store(&server->lost_log, (int)status);
    look_everywhere(server);
}

void rg_withheld_init(rg_rpc_server *server, int loop)
{
    rg_withheld *w = &server->withheld[loop];
    w->task.run = look;
    w->server = server;
    w->loop = loop;
    w->last = &w->first;
}

void rg_withheld_drop(rg_rpc_server *server, int loop)
{
    rg_withheld *w = &server->withheld[loop];
    (void)snprintf(server->lost_why, sizeof server->lost_why, "the job is over");
    atomic_store(&server->lost_log, RG_ECLOSED);
    look(&w->task);
}
