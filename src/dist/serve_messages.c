/* serve_messages.c - what trainers leave at a server for each other: the examples of a global
 * shuffle.
 *
 * Messages for a trainer wait in its inbox in the order they came, and are numbered. Both requests
 * say where they stand, so that either may come twice: a message posted again is known by the
 * sender's count, and messages are thrown away only when their receiver asks for those behind
 * them. */
#include "dist/serve_members.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <string.h>

/* An inbox that has so much takes no more until some is fetched; an answer has about so much. */
enum { BOX_BYTES = 64 << 20, ANSWER_BYTES = 8 << 20 };

struct rg_message {
    rg_message *next;
    uint32_t from, last; /* last: of what its sender has for this trainer in this shuffle */
    size_t n;
    uint8_t bytes[];
};

static void drop_first(rg_inbox *inbox)
{
    rg_message *first = inbox->first;
    inbox->first = first->next;
    if (inbox->first == NULL)
        inbox->end = NULL;
    inbox->bytes -= sizeof *first + first->n;
    inbox->taken++;
    rg_free(first);
}

void rg_serve_forget_messages(rg_member *trainer)
{
    while (trainer->inbox.first != NULL)
        drop_first(&trainer->inbox);
    rg_free(trainer->inbox.ends);
    trainer->inbox.ends = NULL;
}

/* ---- for a snapshot ---- */

void rg_serve_write_messages(const rg_member *trainer, uint32_t trainers, rg_buf *out)
{
    const rg_inbox *inbox = &trainer->inbox;
    uint64_t n = 0;
    for (const rg_message *m = inbox->first; m != NULL; m = m->next)
        n++;
    rg_buf_u64(out, inbox->taken);
    for (uint32_t t = 0; t < trainers; t++)
        rg_buf_u64(out, inbox->ends != NULL ? inbox->ends[t] : 0);
    rg_buf_u64(out, n);
    for (const rg_message *m = inbox->first; m != NULL; m = m->next) {
        rg_buf_u32(out, m->from);
        rg_buf_u32(out, m->last);
        rg_buf_u64(out, m->n);
        rg_buf_add(out, m->bytes, m->n);
    }
}

static rg_status keep(rg_inbox *inbox, uint32_t from, uint32_t last, const uint8_t *bytes, size_t n)
{
    rg_message *message = rg_alloc(sizeof *message + n);
    if (message == NULL)
        return rg_no_memory(n, "a message");
    *message = (rg_message){.from = from, .last = last, .n = n};
    if (n > 0)
        memcpy(message->bytes, bytes, n);
    if (inbox->end != NULL)
        inbox->end->next = message;
    else
        inbox->first = message;
    inbox->end = message;
    inbox->bytes += sizeof *message + n;
    return RG_OK;
}

rg_status rg_serve_read_messages(rg_member *trainer, uint32_t trainers, rg_cursor *in)
{
    rg_inbox *inbox = &trainer->inbox;
    uint64_t n;
    inbox->ends = rg_alloc_zero(trainers, sizeof *inbox->ends);
    if (inbox->ends == NULL)
        return rg_no_memory(trainers * sizeof *inbox->ends, "messages");
    RG_TRY(rg_cursor_u64(in, &inbox->taken));
    for (uint32_t t = 0; t < trainers; t++)
        RG_TRY(rg_cursor_u64(in, &inbox->ends[t]));
    RG_TRY(rg_cursor_u64(in, &n));
    for (uint64_t i = 0; i < n; i++) {
        uint32_t from, last;
        uint64_t bytes;
        const uint8_t *at;
        RG_TRY(rg_cursor_u32(in, &from));
        RG_TRY(rg_cursor_u32(in, &last));
        RG_TRY(rg_cursor_u64(in, &bytes));
        RG_TRY(rg_cursor_take(in, bytes, &at));
        RG_TRY(keep(inbox, from, last, at, bytes));
    }
    return RG_OK;
}

/* ---- posting ---- */

typedef struct posted {
    uint32_t to, last;
    uint64_t number; /* of this trainer's messages here, from 0 */
    const uint8_t *bytes;
    size_t n;
} posted;

static rg_status read_post(const rg_engine *s, rg_rpc_request *request, posted *post)
{
    rg_cursor in = {.left = 0};
    in.at = rg_rpc_request_body(request, &in.left);
    RG_TRY(rg_cursor_u32(&in, &post->to));
    RG_TRY(rg_cursor_u32(&in, &post->last));
    RG_TRY(rg_cursor_u64(&in, &post->number));
    post->bytes = in.at;
    post->n = in.left;
    if (post->to >= s->schema.trainers || post->last > 1)
        return rg_fail(RG_EINVAL, "a message to trainer %u of %u", post->to, s->schema.trainers);
    return RG_OK;
}

static rg_status put(rg_engine *s, uint32_t from, const posted *post)
{
    rg_inbox *inbox = &s->trainers[post->to].inbox;
    if (inbox->ends == NULL)
        inbox->ends = rg_alloc_zero(s->schema.trainers, sizeof *inbox->ends);
    if (inbox->ends == NULL)
        return rg_no_memory(s->schema.trainers * sizeof *inbox->ends, "messages");
    RG_TRY(keep(inbox, from, post->last, post->bytes, post->n));
    inbox->ends[from] += post->last;
    return RG_OK;
}

void rg_serve_post(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    posted post = {.n = 0};
    uint32_t taken = 1;
    rg_status code = read_post(s, request, &post);
    if (code == RG_OK && post.number > trainer->n_posted)
        code = rg_fail(RG_EINVAL, "message %llu of %s, which has posted %llu",
                       (unsigned long long)post.number, trainer->who,
                       (unsigned long long)trainer->n_posted);
    if (code == RG_OK && post.number == trainer->n_posted) {
        const rg_inbox *inbox = &s->trainers[post.to].inbox;
        taken = inbox->bytes == 0 || inbox->bytes + post.n <= BOX_BYTES;
        if (taken)
            code = put(s, (uint32_t)(trainer - s->trainers), &post);
        trainer->n_posted += taken && code == RG_OK;
    }
    if (code != RG_OK)
        rg_rpc_refuse(request, code, "%s", rg_error_message());
    else
        rg_rpc_reply(request, 0, &(rg_iov){&taken, sizeof taken}, 1, NULL, NULL);
}

/* ---- fetching ---- */

/* Who has gone before its last message of shuffle `round` came will not write any more. */
static rg_status check_writers(const rg_engine *s, const rg_member *reader, uint64_t round)
{
    for (uint32_t t = 0; t < s->schema.trainers; t++) {
        const rg_member *writer = &s->trainers[t];
        uint64_t ends = reader->inbox.ends ? reader->inbox.ends[t] : 0;
        if (writer != reader && writer->left && ends <= round)
            return rg_fail(RG_ECLOSED, "%s has left, and took no part in this global shuffle",
                           writer->who);
    }
    return RG_OK;
}

static rg_status fetch(rg_engine *s, rg_member *trainer, rg_rpc_request *request, rg_buf *out)
{
    rg_cursor in = {.left = 0};
    uint64_t have, round;
    rg_inbox *inbox = &trainer->inbox;
    in.at = rg_rpc_request_body(request, &in.left);
    RG_TRY(rg_cursor_u64(&in, &have));
    RG_TRY(rg_cursor_u64(&in, &round));
    RG_TRY(rg_cursor_end(&in));
    while (inbox->taken < have && inbox->first != NULL)
        drop_first(inbox);
    if (inbox->taken != have)
        return rg_fail(RG_EINVAL, "%s has %llu messages, and %llu were thrown away", trainer->who,
                       (unsigned long long)have, (unsigned long long)inbox->taken);
    if (inbox->first == NULL)
        return check_writers(s, trainer, round);
    for (const rg_message *l = inbox->first; l != NULL && out->len < ANSWER_BYTES; l = l->next) {
        rg_buf_u32(out, l->from);
        rg_buf_u32(out, l->last);
        rg_buf_u64(out, l->n);
        rg_buf_add(out, l->bytes, l->n);
    }
    return rg_buf_status(out);
}

void rg_serve_fetch(rg_engine *s, rg_member *trainer, rg_rpc_request *request)
{
    rg_buf out;
    rg_buf_init(&out, 0);
    rg_status code = fetch(s, trainer, request, &out);
    if (code != RG_OK)
        rg_rpc_refuse(request, code, "%s", rg_error_message());
    else
        rg_rpc_reply(request, 0, &(rg_iov){out.data, out.len}, out.len > 0 ? 1 : 0, NULL, NULL);
    rg_buf_fini(&out);
}
