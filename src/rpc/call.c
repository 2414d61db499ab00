/* call.c - requests of a client, from start to answer. */
#include "rpc/kept_priv.h"

#include "base/escape.h"
#include "base/mem.h"
#include "rpc/body.h"
#include "sys/clock.h"
#include "sys/fault.h"
#include "sys/interrupt.h"
#include "sys/lent.h"
#include "sys/profile.h"

#include <stdio.h>
#include <string.h>

enum { NOT_DONE, TELLING, TOLD };

/* A part of a reply that has not been put in its place. */
typedef struct unsettled {
    uint64_t offset;
    const uint8_t *at;
    size_t n;
} unsettled;

struct rg_rpc_call {
    rg_task task;
    rg_rpc_client *client;
    rg_rpc_call *next, **back; /* of the client's, while it is not done */
    rg_rpc_ask ask;
    rg_iov *iov; /* owned; the bytes are the caller's */
    rg_frame frame;
    int64_t sends;
    uint64_t sent_on;           /* the connection it was sent on last */
    uint64_t sent_ns, spell_ns; /* when; and since when no connection has lasted */
    uint64_t begun_ns;          /* for the profile; 0: it did not run then */
    bool started, listed, writing, answered;
    uint64_t after;     /* rg_kept_count() when it was started */
    rg_kept *kept;      /* owned: a copy, where it is to be kept */
    bool abandoned;     /* closed in the loop before it could start, or by its done() */
    atomic_int telling; /* how far done() is, for who uses it; others have the latch */
    rg_latch done;
    rg_frame reply;
    uint8_t *body;        /* NULL where place() took it */
    unsettled *unsettled; /* owned */
    size_t n_unsettled, cap_unsettled;
    rg_lent_view *view; /* that these lie in; NULL: there are none */
    rg_status status;
    char *text; /* of a failure, owned; NULL: the code's name */
};

/* ---- in the client's loop ---- */

static void unlist(rg_rpc_call *call)
{
    rg_rpc_client *client = call->client;
    if (!call->listed)
        return;
    call->listed = false;
    *call->back = call->next;
    if (call->next != NULL)
        call->next->back = call->back;
    else
        client->last = call->back;
}

static void drop_body(rg_rpc_call *call)
{
    rg_body_free(call->body);
    call->body = NULL;
    call->n_unsettled = 0;
    rg_lent_view_drop(call->view);
    call->view = NULL;
}

static void free_call(rg_rpc_call *call)
{
    drop_body(call);
    rg_kept_drop(call->kept);
    rg_latch_fini(&call->done);
    rg_free(call->text);
    rg_free(call->iov);
    rg_free(call->unsettled);
    rg_free(call);
}

/* The last that the loop has to do with a call: whoever waits may free it at once. */
static void finish(rg_rpc_call *call)
{
    if (call->begun_ns != 0 && rg_profiling)
        rg_profile_add(RG_SPAN_REQUEST, call->client->method_name(call->ask.method), call->begun_ns,
                       rg_clock_ns());
    unlist(call);
    if (call->ask.done == NULL) {
        rg_latch_open(&call->done);
        return;
    }
    atomic_store_explicit(&call->telling, TELLING, memory_order_release);
    call->ask.done(call->ask.user, call);
    if (call->abandoned)
        free_call(call);
    else
        atomic_store_explicit(&call->telling, TOLD, memory_order_release);
}

static void finish_failed(rg_rpc_call *call, rg_status status, const char *text)
{
    if (call->client->receiving == call) {
        call->client->receiving = NULL;
        if (call->client->link != NULL)
            rg_link_discard(call->client->link);
    }
    drop_body(call);
    call->status = status;
    rg_free(call->text);
    call->text = rg_strdup(text);
    call->answered = true;
    unlist(call);
    if (!call->writing)
        finish(call);
}

/* The kernel has the request, or the connection is gone. */
static void written(void *arg)
{
    rg_rpc_call *call = arg;
    call->writing = false;
    if (call->answered)
        finish(call);
}

/* Whether a request may be sent again: while its connections have been breaking for less than
 * retry_times leases. One that lasted for a lease ends the spell, and so does a server that was
 * started again: how often a connection breaks in a wait of hours says nothing. */
static bool may_send(rg_rpc_call *call, uint64_t now)
{
    const rg_rpc_client *client = call->client;
    uint64_t lease_ns = client->welcome.lease_ms * 1000000u;
    if (call->sends == 0 || client->cut_ns - call->sent_ns >= lease_ns || client->reborn)
        call->spell_ns = now;
    return call->sends == 0 || (client->retry_times > 0 &&
                                now - call->spell_ns <= (uint64_t)client->retry_times * lease_ns);
}

static void send_call(rg_rpc_call *call)
{
    rg_rpc_client *client = call->client;
    uint64_t now = rg_clock_ns();
    call->sent_on = client->connection;
    if (!may_send(call, now)) {
        char text[800];
        (void)snprintf(text, sizeof text,
                       "connections to %s have been breaking for %.1f s, and the request was sent "
                       "%lld times (FLAGS_rpc_retry_times=%lld): %s",
                       client->route.endpoint, (double)(now - call->spell_ns) * 1e-9,
                       (long long)call->sends, (long long)client->retry_times, client->broke);
        finish_failed(call, RG_ECLOSED, text);
        return;
    }
    call->sent_ns = now;
    if (call->sends++ > 0)
        call->frame.flags |= RG_FRAME_RESENT;
    call->writing = true;
    (void)rg_fault("rpc.ask");
    rg_link_send(client->link, &call->frame, call->iov, call->ask.n, written, call);
}

static rg_rpc_call *first_due(const rg_rpc_client *client)
{
    rg_rpc_call *call = client->first;
    while (call != NULL && call->sent_on == client->connection)
        call = call->next;
    return call;
}

/* By their ids, which grow on a connection; those that were answered, and are asked for again
 * (kept.h), among them. What was started after an answer may rely on it, here or by what its owner
 * did since: it goes when that has been done again. Others do so too, so nobody waits for what was
 * sent later than what it waits for. */
void rg_calls_send_all(rg_rpc_client *client)
{
    client->catching_up = true;
    while (client->link != NULL) {
        /* From the start each time: a call that fails here may close others. */
        rg_kept *kept = rg_kept_due(client);
        rg_rpc_call *call = first_due(client);
        if (kept == NULL && call == NULL)
            break;
        if (kept != NULL && (call == NULL || rg_kept_id(kept) < call->frame.id)) {
            if (!rg_kept_send(kept))
                return; /* the next answer goes on */
        } else if (rg_kept_allows(client, call->after)) {
            send_call(call);
        } else {
            return;
        }
    }
    client->catching_up = false;
}

/* Calls whose request is still being written end when the connection lets go of it. */
void rg_calls_fail_all(rg_rpc_client *client, rg_status status, const char *text)
{
    bool writing = false;
    while (client->first != NULL) {
        writing = writing || client->first->writing;
        finish_failed(client->first, status, text);
    }
    if (writing)
        rg_client_cut(client);
}

void rg_calls_interrupted(rg_rpc_client *client)
{
    if (client->receiving != NULL)
        drop_body(client->receiving);
    client->receiving = NULL;
}

static void start(rg_task *task)
{
    rg_rpc_call *call = (rg_rpc_call *)task;
    rg_rpc_client *client = call->client;
    call->started = true;
    if (call->abandoned) {
        free_call(call);
        return;
    }
    call->frame.id = ++client->next_id;
    call->after = rg_kept_count(client);
    call->back = client->last;
    call->next = NULL;
    *client->last = call;
    client->last = &call->next;
    call->listed = true;
    if (client->failed != RG_OK)
        finish_failed(call, client->failed, client->failure);
    else if (client->link != NULL && !client->catching_up)
        send_call(call);
}

/* ---- replies ---- */

static rg_status on_header(void *user, const rg_frame *frame)
{
    rg_rpc_client *client = user;
    enum { MAX_TEXT = 65536 };
    client->receiving = NULL;
    if (frame->kind == RG_FRAME_DURABLE && frame->bytes == 0)
        return RG_OK;
    if (frame->kind != RG_FRAME_REPLY)
        return rg_fail(RG_ECORRUPT, "a frame of kind %u where a reply was expected", frame->kind);
    if (frame->status != RG_OK && frame->bytes > MAX_TEXT)
        return rg_fail(RG_ETOOBIG, "an error text of %llu bytes", (unsigned long long)frame->bytes);
    rg_rpc_call *call = client->first;
    while (call != NULL && call->frame.id != frame->id)
        call = call->next;
    if (call == NULL)
        return RG_OK; /* of a call that was given up, or answered before: thrown away */
    drop_body(call);
    call->reply = *frame;
    client->receiving = call;
    return RG_OK;
}

static rg_status on_place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                          size_t *size)
{
    rg_rpc_client *client = user;
    rg_rpc_call *call = client->receiving;
    *at = NULL;
    if (call == NULL && frame->status != RG_OK && offset == 0) { /* perhaps of one sent again */
        *at = client->refusal;
        *size = sizeof client->refusal;
    }
    if (call == NULL)
        return RG_OK;
    if (call->ask.place != NULL && frame->status == RG_OK)
        return call->ask.place(call->ask.place_user, frame, offset, at, size);
    call->body = rg_body_alloc(frame->bytes);
    if (call->body == NULL)
        return rg_no_memory(frame->bytes, "a reply");
    *at = call->body;
    *size = frame->bytes;
    return RG_OK;
}

static bool on_lent(void *user, const rg_frame *frame, uint64_t offset, const uint8_t *at, size_t n)
{
    const rg_rpc_client *client = user;
    rg_rpc_call *call = client->receiving;
    if (call == NULL || !call->ask.settles || call->ask.place == NULL || frame->status != RG_OK ||
        (frame->flags & RG_FRAME_STAYS) == 0)
        return false;
    if (call->view == NULL)
        call->view = rg_link_keep_lent(client->link);
    if (call->view == NULL || rg_grow((void **)&call->unsettled, call->n_unsettled,
                                      &call->cap_unsettled, sizeof *call->unsettled) != RG_OK)
        return false;
    call->unsettled[call->n_unsettled++] = (unsettled){offset, at, n};
    return true;
}

/* What had been answered was asked for again. A server that will not do it has lost more than it
 * had said: what this trainer has learned since is of no use to it. */
static void done_again(rg_rpc_client *client, const rg_frame *frame)
{
    rg_kept *kept = rg_kept_owed(client, frame->id);
    char text[400], how[520];
    if (kept == NULL)
        return;
    if (frame->status != RG_OK) {
        size_t n = frame->bytes < sizeof client->refusal ? frame->bytes : sizeof client->refusal;
        (void)rg_escape(text, sizeof text, client->refusal, n);
        (void)snprintf(how, sizeof how,
                       "it was started again without what it had said was on its disk: %s", text);
        rg_client_lost(client, RG_ESTALE, how);
        return;
    }
    rg_kept_done(kept, (frame->flags & RG_FRAME_NOTED) != 0);
    if (client->catching_up)
        rg_calls_send_all(client);
}

/* The answer is here, and what it tells of may not be on the server's disk yet. */
static void keep_request(rg_rpc_call *call, const rg_frame *frame)
{
    rg_rpc_client *client = call->client;
    rg_kept *kept = call->kept;
    call->kept = NULL;
    if ((frame->flags & RG_FRAME_NOTED) == 0 || client->window == NULL) {
        rg_kept_drop(kept);
        return;
    }
    if (kept == NULL) { /* few are, and they are small: that they are known by the answer alone */
        kept = rg_kept_new(client, &call->frame, false);
        if (kept == NULL)
            return; /* where it is needed the server says so */
        rg_kept_fill(kept, call->iov, call->ask.n);
    }
    rg_kept_answered(kept, call->frame.id, call->after);
}

static rg_status on_frame(void *user, const rg_frame *frame)
{
    rg_rpc_client *client = user;
    rg_rpc_call *call = client->receiving;
    atomic_store_explicit(&client->alive_ns, rg_clock_ns(), memory_order_relaxed);
    client->heard = true;
    client->receiving = NULL;
    if (frame->kind == RG_FRAME_DURABLE)
        rg_kept_durable(client, frame->id);
    else if (call == NULL)
        done_again(client, frame);
    if (call == NULL)
        return RG_OK;
    (void)rg_fault("rpc.answer");
    if (frame->status != RG_OK) {
        char text[1100];
        (void)rg_escape(text, sizeof text, call->body, call->body ? frame->bytes : 0);
        finish_failed(call, (rg_status)frame->status, text);
        return RG_OK;
    }
    call->status = RG_OK;
    call->answered = true;
    keep_request(call, frame);
    if (call->ask.flushes)
        rg_kept_flushed(client, call->after);
    unlist(call);
    if (!call->writing)
        finish(call);
    return RG_OK;
}

static void on_failed(void *user, rg_status why, const char *message)
{
    rg_rpc_client *client = user;
    (void)why;
    (void)snprintf(client->last_error, sizeof client->last_error, "%s", message);
    (void)snprintf(client->broke, sizeof client->broke, "%s", message);
    rg_client_cut(client);
}

const rg_link_events rg_client_link_events = {
    {on_header, on_place, on_frame, on_lent}, NULL, on_failed, NULL};

/* ---- any thread ---- */

static rg_status no_call(rg_rpc_client *client, const rg_rpc_ask *ask)
{
    uint64_t bytes = 0;
    for (size_t i = 0; ask->keeps && i < ask->n; i++)
        bytes += ask->iov[i].bytes;
    if (ask->keeps)
        rg_rpc_window_give(client->window, bytes);
    return rg_no_memory(sizeof(rg_rpc_call), "a request");
}

rg_status rg_rpc_start(rg_rpc_call **out, rg_rpc_client *client, const rg_rpc_ask *ask)
{
    rg_rpc_call *call = rg_alloc_zero(1, sizeof *call);
    if (call == NULL)
        return no_call(client, ask);
    call->iov = rg_alloc(ask->n > 0 ? ask->n * sizeof *call->iov : 1);
    if (call->iov == NULL) {
        rg_free(call);
        return no_call(client, ask);
    }
    if (ask->n > 0)
        memcpy(call->iov, ask->iov, ask->n * sizeof *call->iov);
    call->client = client;
    call->ask = *ask;
    call->begun_ns = rg_profiling && client->method_name != NULL ? rg_clock_ns() : 0;
    call->task.run = start;
    /* On one host nothing is damaged, and TLS has its own checks. The reply does as the request. */
    bool sound = atomic_load(&client->sound);
    call->frame = (rg_frame){
        .kind = RG_FRAME_REQUEST,
        .method = ask->method,
        .flags = (uint16_t)((ask->flags & ~RG_FRAME_RESENT) | (sound ? RG_FRAME_UNCHECKED : 0))};
    rg_body_measure(&call->frame, call->iov, ask->n);
    rg_kept *kept = call->kept = ask->keeps ? rg_kept_new(client, &call->frame, true) : NULL;
    if (ask->keeps && kept == NULL) {
        rg_status code = rg_no_memory(call->frame.bytes, "a copy of a request");
        rg_free(call->iov);
        rg_free(call);
        return code;
    }
    rg_latch_init(&call->done);
    *out = call; /* before it starts: done() may be called first */
    if (rg_loop_inside(client->loop))
        start(&call->task);
    else
        rg_loop_post(client->loop, &call->task);
    if (kept != NULL) /* while it travels */
        rg_kept_fill(kept, ask->iov, ask->n);
    return RG_OK;
}

rg_status rg_rpc_result(rg_rpc_call *call)
{
    if (call->status == RG_OK)
        return RG_OK;
    return rg_fail(call->status, "%s: %s", call->client->route.endpoint,
                   call->text ? call->text : rg_status_name(call->status));
}

rg_status rg_rpc_wait(rg_rpc_call *call)
{
    while (!rg_latch_wait(&call->done, RG_LOOK_MS))
        RG_TRY(rg_interrupted());
    return rg_rpc_result(call);
}

bool rg_rpc_is_done(rg_rpc_call *call)
{
    return rg_latch_wait(&call->done, 0);
}

const uint8_t *rg_rpc_answer(const rg_rpc_call *call, size_t *bytes)
{
    *bytes = call->reply.bytes;
    return call->body;
}

const uint8_t *rg_rpc_take_lent(rg_rpc_call *call, uint64_t offset, size_t n, rg_lent_view **view)
{
    for (size_t i = 0; i < call->n_unsettled; i++)
        if (call->unsettled[i].offset == offset && call->unsettled[i].n == n) {
            const uint8_t *at = call->unsettled[i].at;
            call->unsettled[i] = call->unsettled[--call->n_unsettled];
            *view = rg_lent_view_keep(call->view);
            return at;
        }
    return NULL;
}

rg_status rg_rpc_settle(rg_rpc_call *call)
{
    for (size_t i = 0; i < call->n_unsettled; i++) {
        const unsettled *part = &call->unsettled[i];
        for (size_t done = 0, size = 0; done < part->n; done += size) {
            uint8_t *to = NULL;
            RG_TRY(call->ask.place(call->ask.place_user, &call->reply, part->offset + done, &to,
                                   &size));
            size = size < part->n - done ? size : part->n - done;
            memcpy(to, part->at + done, size);
        }
    }
    call->n_unsettled = 0;
    return RG_OK;
}

uint16_t rg_rpc_answer_flags(const rg_rpc_call *call)
{
    return call->reply.flags;
}

/* Nobody is told: the call is the caller's, who gives it up. */
static void give_up(void *arg)
{
    rg_rpc_call *call = arg;
    rg_rpc_client *client = call->client;
    if (call->listed && client->receiving == call) {
        client->receiving = NULL;
        rg_link_discard(client->link);
    }
    unlist(call);
    call->answered = false;
    /* It may have been read since, from where it is. */
    if (call->writing && client->link != NULL)
        (void)rg_link_queued(client->link);
    /* The only way to take back what is being written. It releases the request. */
    if (call->writing)
        rg_client_cut(client);
}

void rg_rpc_call_close(rg_rpc_call *call)
{
    if (call == NULL)
        return;
    bool has_done = call->ask.done != NULL;
    int told = has_done ? atomic_load_explicit(&call->telling, memory_order_acquire) : NOT_DONE;
    bool finished = has_done ? told == TOLD : rg_latch_wait(&call->done, 0);
    if (!finished && rg_loop_inside(call->client->loop) && (!call->started || told == TELLING)) {
        call->abandoned = true; /* its start is still in the queue, or this is its done() */
        return;
    }
    if (!finished) /* done() has returned then, or is never called */
        rg_loop_do(call->client->loop, give_up, call);
    free_call(call);
}

rg_status rg_rpc_ask_once(rg_rpc_client *client, uint16_t method, const rg_iov *iov, size_t n,
                          uint8_t **reply, size_t *bytes)
{
    rg_rpc_call *call = NULL;
    size_t got = 0;
    RG_TRY(rg_rpc_start(&call, client, &(rg_rpc_ask){.method = method, .iov = iov, .n = n}));
    rg_status status = rg_rpc_wait(call);
    const uint8_t *body = status == RG_OK ? rg_rpc_answer(call, &got) : NULL;
    if (status == RG_OK && reply != NULL) {
        uint8_t *copy = rg_alloc(got);
        if (copy == NULL)
            status = rg_no_memory(got, "a reply");
        else if (got > 0)
            memcpy(copy, body, got);
        if (status == RG_OK)
            *reply = copy;
    }
    if (status == RG_OK && bytes != NULL)
        *bytes = got;
    rg_rpc_call_close(call);
    return status;
}
