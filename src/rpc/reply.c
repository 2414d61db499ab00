/* reply.c - in a peer's loop: its replies go out, and those to what changed something are
 * remembered, since their requests may come again. */
#include "rpc/server_priv.h"

#include "base/mem.h"
#include "rpc/body.h"
#include "sys/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void rg_peer_forget_answers(rg_rpc_peer *peer)
{
    while (peer->answers != NULL)
        forget_oldest(peer);
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
    if (request->noted)
        rg_reply_mark(request);
    if (request->remembers && !request->lost)
        rg_peer_remember(peer, &request->reply, request->iov, request->n);
    peer->n_alone -= request->alone;
    *request->back = request->next;
    if (request->next != NULL)
        request->next->back = request->back;
    peer->n_waiting--;
    (void)rg_fault("rpc.reply");
    rg_rpc_peer_keep(peer);
    if (request->lost && peer->link != NULL)
        rg_link_shut(peer->link);
    else if (peer->link != NULL)
        rg_link_send(peer->link, &request->reply, request->iov, request->n, request->release,
                     request->arg);
    else if (request->release != NULL)
        request->release(request->arg); /* who asked comes again, and hears it then */
    rg_request_free(request);
    rg_peer_throttle(peer);
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
    request->iov = n <= sizeof request->few / sizeof request->few[0] ? request->few
                                                                     : rg_alloc(n * sizeof *iov);
    if (request->iov == NULL)
        return false;
    if (n > 0)
        memcpy(request->iov, iov, n * sizeof *iov);
    request->n = n;
    return true;
}

bool rg_peer_answer_again(rg_rpc_request *request)
{
    const rg_answer *answer = request->peer->answers;
    while (answer != NULL && answer->frame.id != request->frame.id)
        answer = answer->next;
    rg_iov iov = {answer ? answer->body : NULL, answer ? answer->frame.bytes : 0};
    if (answer == NULL || !copy_pieces(request, &iov, 1, iov.bytes))
        return false;
    request->reply = answer->frame;
    /* Whether it is on the disk by now is for rg_reply_mark() to say. */
    request->noted = (answer->frame.flags & RG_FRAME_NOTED) != 0;
    request->reply.flags = (uint16_t)((answer->frame.flags &
                                       ~(RG_FRAME_UNCHECKED | RG_FRAME_NOTED)) |
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
    if (ok) {
        finish(request);
        return;
    }
    if (release != NULL)
        release(arg);
    rg_rpc_reply_lost(request);
}

void rg_rpc_reply_lost(rg_rpc_request *request)
{
    request->lost = true;
    request->release = NULL;
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
    static const char short_of[] = "no memory, also for saying why";
    if (!copy_pieces(request, &iov, 1, iov.bytes))
        (void)keep_pieces(request, &(rg_iov){short_of, sizeof short_of - 1}, 1);
    rg_body_measure(&request->reply, request->iov, 1);
    finish(request);
}
