/* exchange.c - gradients go to the servers, parameters come back.
 *
 * Each trainer thread has a channel. Its send ops fill an outbox for each server; when the step is
 * complete the mode says what happens (dist/mode.h): the outboxes are sent and the answer awaited,
 * or the next are filled while these are under way. Where the threads are one sender all fill one
 * channel, and the last of them to come sends it. */
#include "dist/exchange_priv.h"

#include "base/mem.h"
#include "dist/leases.h"
#include "dist/window.h"
#include "sys/cond.h"
#include "sys/fault.h"
#include "sys/interrupt.h"
#include "sys/lent.h"
#include "sys/metrics.h"

#include <string.h>

/* ---- channels ---- */

static void close_calls(const rg_job *job, rg_rpc_call **calls)
{
    for (int s = 0; calls != NULL && s < job->n_servers; s++)
        rg_rpc_call_close(calls[s]);
    rg_free(calls);
}

static void close_channel(const rg_job *job, rg_channel *l)
{
    if (l == NULL)
        return;
    /* Nobody waits for these, and servers may read what was sent with them. */
    if (l->calls != NULL && !rg_in_flight_is_done(&l->in_flight))
        rg_lent_leave();
    close_calls(job, l->calls);
    close_calls(job, l->answers);
    for (int s = 0; l->targets != NULL && s < job->n_servers; s++) {
        for (size_t v = 0; l->targets[s] != NULL && v < job->servers[s].schema.n; v++)
            rg_target_close(&l->targets[s][v]);
        rg_free(l->targets[s]);
    }
    rg_free(l->targets);
    rg_free(l->reply_targets);
    rg_free(l->in_place);
    for (int s = 0; l->widened != NULL && s < job->n_servers; s++)
        rg_free(l->widened[s]);
    for (int s = 0; l->rests != NULL && s < job->n_servers; s++)
        rg_free(l->rests[s]);
    for (int s = 0; l->fresh != NULL && s < job->n_servers; s++)
        rg_free(l->fresh[s]);
    rg_free(l->widened);
    rg_free(l->rests);
    rg_free(l->fresh);
    rg_free(l->tags);
    rg_free(l->sent_tags);
    rg_outboxes_close(job, l->filling);
    rg_outboxes_close(job, l->sent);
    rg_channel_free_given(l);
    rg_in_flight_fini(&l->in_flight);
    rg_free(l);
}

static rg_status open_fresh(const rg_job *job, rg_channel *l)
{
    l->fresh = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->fresh);
    for (int s = 0; l->fresh != NULL && s < job->n_servers; s++) {
        l->fresh[s] = rg_alloc_zero(job->servers[s].schema.n + 1, sizeof **l->fresh);
        if (l->fresh[s] == NULL)
            return rg_no_memory(job->servers[s].schema.n, "a channel");
    }
    return l->fresh ? RG_OK : rg_no_memory(1, "a channel");
}

static rg_status open_rests(const rg_job *job, rg_channel *l)
{
    l->rests = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->rests);
    if (l->rests == NULL)
        return rg_no_memory(1, "a channel");
    for (int s = 0; job->payload == RG_PAYLOAD_BYTES && s < job->n_servers; s++) {
        l->rests[s] = rg_alloc_zero(job->servers[s].reply_bytes + 1, 1);
        if (l->rests[s] == NULL)
            return rg_no_memory(job->servers[s].reply_bytes, "gradients");
    }
    return RG_OK;
}

static rg_status open_channel(rg_job *job, rg_channel **out)
{
    rg_channel *l = rg_alloc_zero(1, sizeof *l);
    if (l == NULL)
        return rg_no_memory(sizeof *l, "a channel");
    rg_in_flight_init(&l->in_flight, job);
    l->calls = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->calls);
    l->answers = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->answers);
    l->widened = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->widened);
    l->targets = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->targets);
    l->reply_targets = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->reply_targets);
    l->in_place = rg_alloc_zero((size_t)job->n_servers + 1, sizeof *l->in_place);
    rg_status code = l->calls && l->answers && l->targets && l->reply_targets && l->in_place &&
                             l->widened
                         ? RG_OK
                         : rg_no_memory(1, "a channel");
    if (code == RG_OK)
        code = open_fresh(job, l);
    if (code == RG_OK)
        code = open_rests(job, l);
    if (code == RG_OK)
        code = rg_outboxes_open(job, &l->filling);
    if (code == RG_OK)
        code = rg_outboxes_open(job, &l->sent);
    if (code != RG_OK)
        close_channel(job, l);
    else
        *out = l;
    return code;
}

static rg_status exchange_of(rg_job *job, rg_exchange **out)
{
    pthread_mutex_lock(&job->lock);
    if (job->exchange == NULL) {
        job->exchange = rg_alloc_zero(1, sizeof *job->exchange);
        if (job->exchange != NULL) {
            pthread_mutex_init(&job->exchange->lock, NULL);
            rg_cond_init(&job->exchange->change);
            job->exchange->threads = 1;
        }
    }
    pthread_mutex_unlock(&job->lock);
    *out = job->exchange;
    return *out ? RG_OK : rg_no_memory(sizeof **out, "the exchange");
}

/* Where an earlier process of this trainer was. */
static void begin_channel(const rg_job *job, rg_channel *l, int number)
{
    rg_resumed resumed = rg_job_resumed(job, number);
    l->number = number;
    l->pushes = resumed.pushes;
    l->replayed = resumed.position;
    l->until = resumed.until;
}

/* The channel that a thread fills; where they are one sender all threads fill the first. */
static rg_status channel_of(rg_job *job, int thread, rg_channel **out)
{
    rg_exchange *x;
    RG_TRY(exchange_of(job, &x));
    int number = job->mode->together ? 0 : thread;
    if (number < 0 || number >= RG_CHANNELS)
        return rg_fail(RG_EINVAL, "thread %d, and a trainer has up to %d", number, RG_CHANNELS);
    pthread_mutex_lock(&x->lock);
    bool fresh = x->channels[number] == NULL;
    rg_status code = fresh ? open_channel(job, &x->channels[number]) : RG_OK;
    if (code == RG_OK && fresh)
        begin_channel(job, x->channels[number], number);
    *out = x->channels[number];
    pthread_mutex_unlock(&x->lock);
    return code;
}

rg_status rg_exchange_dense(rg_job *job, int thread, int server, uint32_t var, const float *grad,
                            bool stays)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    if (!rg_channel_replays(l))
        (stays ? rg_outbox_lend_dense : rg_outbox_add_dense)(job, &l->filling[server], server, var,
                                                             grad);
    pthread_mutex_unlock(&job->exchange->lock);
    return RG_OK;
}

rg_status rg_exchange_give(rg_job *job, int thread, rg_value *gradient)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    rg_status code = rg_channel_replays(l) ? RG_OK
                     : job->mode->together ? rg_channel_note_lender(l, gradient)
                                           : rg_channel_give(job, l, gradient);
    pthread_mutex_unlock(&job->exchange->lock);
    return code;
}

rg_status rg_exchange_rows(rg_job *job, int thread, int server, uint32_t var, const int64_t *ids,
                           const float *rows, size_t n)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    size_t width = (size_t)job->servers[server].schema.vars[var].width;
    rg_status code = rg_channel_replays(l)
                         ? RG_OK
                         : rg_outbox_add_rows(&l->filling[server], var, width, ids, rows, n);
    pthread_mutex_unlock(&job->exchange->lock);
    return code;
}

/* ---- pushing ---- */

/* Where the values of a variable go; NULL: it is not known, or not as it was. */
static float *target_of(const rg_job_server *server, const rg_target *targets, uint32_t var)
{
    const rg_value *value = targets[var].value;
    int64_t n = (int64_t)rg_ps_count(&server->schema.vars[var]);
    if (value == NULL || value->data == NULL || value->meta.kind != RG_TENSOR ||
        value->meta.dtype != RG_F32 || rg_numel(value) < targets[var].first + n)
        return NULL;
    return rg_target_memory(&targets[var]) + targets[var].first;
}

static bool all_have_targets(const rg_job_server *server, const rg_target *targets)
{
    for (uint32_t i = 0; i < server->n_pulled; i++)
        if (targets == NULL || target_of(server, targets, server->pulled[i]) == NULL)
            return false;
    return true;
}

/* Parameters straight to their targets, while the step waits for them. */
static rg_status place(void *user, const rg_frame *frame, uint64_t offset, uint8_t **at,
                       size_t *size)
{
    rg_reply_target *to = user;
    const rg_job_server *server = to->server;
    rg_payload payload;
    RG_TRY(rg_payload_of_answer(frame->flags, &payload));
    if (payload != RG_PAYLOAD_FLOATS || frame->bytes != server->reply_bytes)
        return rg_fail(RG_ECORRUPT, "%llu bytes of parameters, and %zu are wanted",
                       (unsigned long long)frame->bytes, server->reply_bytes);
    for (uint32_t i = 0; i < server->n_pulled; i++) {
        uint32_t var = server->pulled[i];
        size_t bytes = rg_ps_count(&server->schema.vars[var]) * sizeof(float);
        size_t begin = server->reply_at[var], end = begin + rg_ps_padded(bytes);
        if (offset >= end)
            continue;
        bool in_pad = offset >= begin + bytes;
        *at = in_pad ? to->pad
                     : (uint8_t *)target_of(server, to->targets, var) + (size_t)(offset - begin);
        *size = (in_pad ? end : begin + bytes) - (size_t)offset;
        return RG_OK;
    }
    return rg_fail(RG_ECORRUPT, "parameters that were not asked for");
}

/* What fills the outboxes is sent: so are the names of its examples. */
static void send_tags(rg_channel *l)
{
    rg_push_tag *sent = l->tags;
    size_t cap = l->cap_tags;
    l->tags = l->sent_tags;
    l->cap_tags = l->cap_sent_tags;
    l->sent_tags = sent;
    l->cap_sent_tags = cap;
    l->n_sent_tags = l->n_tags;
    l->n_tags = 0;
}

rg_status rg_channel_send(rg_job *job, rg_channel *l, bool pulls, bool waits)
{
    rg_outbox *outboxes = l->filling;
    rg_status code = RG_OK;
    l->filling = l->sent;
    l->sent = outboxes;
    rg_channel_sends_given(l);
    send_tags(l);
    l->pulls = pulls;
    (void)rg_fault("push.begin");
    for (int s = 0; s < job->n_servers && code == RG_OK; s++) {
        rg_rpc_ask ask = {.method = RG_PS_PUSH,
                          .flags = rg_payload_to_flags(job->payload),
                          .iov = outboxes[s].iov};
        l->reply_targets[s] = (rg_reply_target){.server = &job->servers[s],
                                                .targets = l->targets[s]};
        if (waits && pulls && job->payload == RG_PAYLOAD_FLOATS &&
            all_have_targets(&job->servers[s], l->targets[s])) {
            ask.place = place;
            ask.place_user = &l->reply_targets[s];
            ask.settles = true; /* by this thread, which multiplies with them next */
        }
        code = rg_outbox_pack(job, &outboxes[s], s, l->pushes, pulls, l->rests[s], &ask.n);
        rg_push_sign(&outboxes[s].head, l->number, false, l->position);
        rg_push_tag_with(&outboxes[s].head, l->sent_tags, (uint32_t)l->n_sent_tags);
        outboxes[s].iov[0] = (rg_iov){outboxes[s].head.data, outboxes[s].head.len};
        if (code == RG_OK)
            code = rg_buf_status(&outboxes[s].head);
        if (s > 0)
            (void)rg_fault("push.between"); /* some servers have it, others have not */
        if (code == RG_OK)
            code = rg_window_start(job, &l->in_flight, &l->calls[s], s, &ask);
    }
    (void)rg_fault("push.sent");
    l->pushes++;
    l->steps = 0;
    rg_outboxes_empty(job, l->filling);
    return code;
}

/* Parameters that came as halves, as floats. */
static rg_status widen(const rg_job_server *server, const uint8_t *body, float **out)
{
    if (*out == NULL)
        *out = rg_alloc(server->reply_bytes + 1);
    if (*out == NULL)
        return rg_no_memory(server->reply_bytes, "parameters");
    for (uint32_t i = 0; i < server->n_pulled; i++) {
        uint32_t var = server->pulled[i];
        size_t n = rg_ps_count(&server->schema.vars[var]);
        rg_payload_read(RG_PAYLOAD_HALVES,
                        (float *)(void *)((uint8_t *)*out + server->reply_at[var]), body, n, 0);
        body += rg_payload_padded(RG_PAYLOAD_HALVES, n, 0);
    }
    return RG_OK;
}

/* The parameters of a call become the server's answer; the call is the channel's now. */
static rg_status keep_answer(const rg_job_server *server, rg_channel *l, int s, rg_rpc_call *call)
{
    size_t bytes;
    const uint8_t *body = rg_rpc_answer(call, &bytes);
    rg_payload payload = RG_PAYLOAD_FLOATS;
    rg_rpc_call_close(l->answers[s]);
    l->answers[s] = call;
    memset(l->fresh[s], true, server->schema.n * sizeof **l->fresh);
    l->in_place[s] = body == NULL;
    RG_TRY(rg_channel_settle(server, l, s, call));
    if (l->in_place[s])
        return RG_OK;
    RG_TRY(rg_payload_of_answer(rg_rpc_answer_flags(call), &payload));
    bool half = payload == RG_PAYLOAD_HALVES;
    size_t wanted = half ? server->half_bytes : server->reply_bytes;
    if (bytes < wanted)
        return rg_fail(RG_ECORRUPT,
                       "the server at %s sent %zu bytes of parameters, and %zu are wanted",
                       rg_rpc_client_endpoint(server->client), bytes, wanted);
    return half ? widen(server, body, &l->widened[s]) : RG_OK;
}

/* What the last calls brought becomes the answer. */
rg_status rg_channel_take(rg_job *job, rg_channel *l)
{
    rg_status code = RG_OK;
    if (l->calls[0] != NULL)
        (void)rg_fault("push.answered");
    for (int s = 0; s < job->n_servers; s++) {
        rg_rpc_call *call = l->calls[s];
        l->calls[s] = NULL;
        if (call == NULL)
            continue;
        rg_status each = rg_job_answered(job, call);
        if (each == RG_OK && l->pulls)
            each = keep_answer(&job->servers[s], l, s, call);
        else
            rg_rpc_call_close(call);
        if (each != RG_OK)
            code = each;
    }
    if (code == RG_OK)
        rg_leases_pushed(job, l->sent_tags, l->n_sent_tags);
    l->n_sent_tags = 0;
    return code;
}

/* ---- steps ---- */

rg_status rg_exchange_tag(rg_job *job, int thread, const rg_push_tag *tag)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    l->tag = *tag;
    l->has_tag = true;
    return RG_OK;
}

/* The examples of a step that is complete; those behind the last are one with it. */
static rg_status add_tag(rg_channel *l)
{
    rg_push_tag *last = l->n_tags > 0 ? &l->tags[l->n_tags - 1] : NULL;
    if (!l->has_tag)
        return RG_OK;
    l->has_tag = false;
    if (last != NULL && last->reading == l->tag.reading && last->range == l->tag.range &&
        last->generation == l->tag.generation && last->to == l->tag.from) {
        last->to = l->tag.to;
        return RG_OK;
    }
    RG_TRY(rg_grow((void **)&l->tags, l->n_tags, &l->cap_tags, sizeof *l->tags));
    l->tags[l->n_tags++] = l->tag;
    return RG_OK;
}

rg_status rg_exchange_hold(rg_job *job, int thread, uint64_t steps)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    l->until = l->position + steps;
    return RG_OK;
}

rg_status rg_channel_exchange(rg_job *job, rg_channel *l)
{
    RG_TRY(rg_in_flight_wait(&l->in_flight)); /* of a step whose wait was interrupted */
    RG_TRY(rg_channel_take(job, l));
    rg_status code = rg_channel_send(job, l, true, true);
    /* Where a server answers when all have pushed, it is the others who are waited for. */
    rg_step_part before = rg_step_within(job->mode->programs.merges ? RG_STEP_WAIT : RG_STEP_PUSH);
    rg_status waited = rg_in_flight_wait(&l->in_flight);
    (void)rg_step_enter(before);
    if (waited != RG_OK) {
        rg_channel_own(job, l); /* the server may change what is shown when nobody waits for it */
        rg_channel_leave_lenders(l);
        return waited;
    }
    rg_channel_release_lenders(l);
    rg_status unloaded = rg_channel_take(job, l);
    return code == RG_OK ? unloaded : code;
}

/* All threads of this trainer have come, or ended. */
static rg_status push_mean(rg_job *job, rg_channel *l)
{
    rg_exchange *x = job->exchange;
    l->position += (uint64_t)x->arrived;
    if (x->arrived > 1)
        for (int s = 0; s < job->n_servers; s++)
            rg_outbox_scale(job, &l->filling[s], s, 1.0f / (float)x->arrived);
    x->arrived = 0;
    x->outcome = rg_channel_exchange(job, l);
    (void)strncpy(x->why, x->outcome == RG_OK ? "" : rg_error_message(), sizeof x->why - 1);
    x->generation++;
    (void)pthread_cond_broadcast(&x->change);
    return x->outcome;
}

rg_status rg_push_together(rg_job *job, rg_channel *l)
{
    rg_exchange *x = job->exchange;
    rg_status code = RG_OK;
    pthread_mutex_lock(&x->lock);
    uint64_t generation = x->generation;
    if (++x->arrived >= x->threads) {
        code = push_mean(job, l);
        pthread_mutex_unlock(&x->lock);
        return code;
    }
    rg_step_part before = rg_step_within(RG_STEP_WAIT);
    while (x->generation == generation && code == RG_OK) {
        if (rg_cond_wait(&x->change, &x->lock, RG_LOOK_NS))
            continue;
        pthread_mutex_unlock(&x->lock);
        code = rg_interrupted();
        pthread_mutex_lock(&x->lock);
    }
    (void)rg_step_enter(before);
    if (code == RG_OK && x->outcome != RG_OK)
        code = rg_fail(x->outcome, "%s", x->why);
    pthread_mutex_unlock(&x->lock);
    return code;
}

rg_status rg_exchange_push(rg_job *job, int thread)
{
    rg_channel *l;
    if (job->mode->push == NULL)
        return rg_fail(RG_EINVAL,
                       "the servers are of %s mode, in which a trainer pushes no steps: "
                       "the trainer's program is of another",
                       job->mode->programs.name);
    RG_TRY(channel_of(job, thread, &l));
    if (rg_exchange_skip(job, thread))
        return RG_OK;
    if (!job->mode->together)
        l->position++;
    RG_TRY(add_tag(l));
    return job->mode->push(job, l);
}

bool rg_exchange_replays(rg_job *job, int thread)
{
    rg_channel *l;
    if (!atomic_load(&job->replays))
        return false;
    if (job->mode->skip != NULL)
        return job->mode->skip(job, false);
    if (channel_of(job, thread, &l) != RG_OK)
        return false;
    pthread_mutex_lock(&job->exchange->lock);
    bool replays = rg_channel_replays(l);
    pthread_mutex_unlock(&job->exchange->lock);
    return replays;
}

bool rg_exchange_skip(rg_job *job, int thread)
{
    rg_channel *l;
    if (!atomic_load(&job->replays))
        return false;
    if (job->mode->skip != NULL)
        return job->mode->skip(job, true);
    if (channel_of(job, thread, &l) != RG_OK)
        return false;
    pthread_mutex_lock(&job->exchange->lock);
    bool skips = rg_channel_replays(l);
    l->position += skips;
    pthread_mutex_unlock(&job->exchange->lock);
    return skips;
}

/* The values of a variable that the last answer brought; NULL: none that were not taken before. */
static rg_status latest(const rg_job *job, rg_channel *l, int server, uint32_t var,
                        const float **values)
{
    const rg_job_server *from = &job->servers[server];
    const rg_rpc_call *answer = l->answers[server];
    rg_payload payload = RG_PAYLOAD_FLOATS;
    size_t bytes;
    *values = NULL;
    if (answer == NULL)
        return RG_OK;
    /* Threads that are one sender take from one channel, and after each step. */
    if (!job->mode->together) {
        if (!l->fresh[server][var])
            return RG_OK;
        l->fresh[server][var] = false;
    }
    if (l->in_place[server]) {
        const rg_target *target = &l->targets[server][var];
        *values = target_of(from, l->targets[server], var) != NULL
                      ? (const float *)target->value->data + target->first
                      : NULL;
        return RG_OK;
    }
    const uint8_t *body = rg_rpc_answer(answer, &bytes);
    RG_TRY(rg_payload_of_answer(rg_rpc_answer_flags(answer), &payload));
    if (payload == RG_PAYLOAD_HALVES)
        body = (const uint8_t *)l->widened[server];
    *values = (const float *)(const void *)(body + from->reply_at[var]);
    return RG_OK;
}

/* From now on the variable's values may come straight to `value`. */
static rg_status settle_at(const rg_job *job, rg_channel *l, int server, uint32_t var,
                           rg_value *value, int64_t first, bool shows)
{
    rg_target **targets = &l->targets[server];
    if (*targets == NULL)
        *targets = rg_alloc_zero(job->servers[server].schema.n + 1, sizeof **targets);
    if (*targets == NULL)
        return rg_no_memory(1, "the exchange");
    if ((*targets)[var].value == value && (*targets)[var].first == first)
        return RG_OK;
    rg_target_close(&(*targets)[var]);
    (*targets)[var] = (rg_target){
        .value = rg_value_retain(value), .first = first, .may_show = shows};
    return RG_OK;
}

/* Whether the last answer went straight there. Where its data is does not say so: another thread
 * may settle it now. */
static bool is_in_place(const rg_channel *l, int server, uint32_t var, const rg_value *value,
                        int64_t first)
{
    const rg_target *target = l->in_place[server] ? &l->targets[server][var] : NULL;
    return target != NULL && target->value == value && target->first == first;
}

rg_status rg_exchange_take(rg_job *job, int thread, int server, uint32_t var, rg_value *value,
                           int64_t first, rg_taking how)
{
    rg_channel *l;
    const float *values;
    RG_TRY(channel_of(job, thread, &l));
    pthread_mutex_lock(&job->exchange->lock);
    rg_status code = latest(job, l, server, var, &values);
    if (code == RG_OK && values != NULL && !is_in_place(l, server, var, value, first))
        memcpy((float *)value->data + first, values,
               rg_ps_count(&job->servers[server].schema.vars[var]) * sizeof *values);
    if (code == RG_OK && how != RG_TAKE_ONCE)
        code = settle_at(job, l, server, var, value, first, how == RG_TAKE_SHOWN);
    pthread_mutex_unlock(&job->exchange->lock);
    return code;
}

/* An answer that has come since the step before is put in its places now, not a step later. */
rg_status rg_exchange_refresh(rg_job *job, int thread)
{
    rg_channel *l;
    if (!job->mode->background || job->exchange == NULL)
        return RG_OK;
    RG_TRY(channel_of(job, thread, &l));
    if (!l->pulls || l->calls[0] == NULL || !rg_in_flight_is_done(&l->in_flight))
        return RG_OK;
    RG_TRY(rg_channel_take(job, l));
    for (int s = 0; s < job->n_servers; s++)
        for (uint32_t i = 0; l->targets[s] != NULL && i < job->servers[s].n_pulled; i++) {
            uint32_t var = job->servers[s].pulled[i];
            const float *values = NULL;
            float *to = target_of(&job->servers[s], l->targets[s], var);
            if (to == NULL)
                continue;
            RG_TRY(latest(job, l, s, var, &values));
            if (values != NULL)
                memcpy(to, values, rg_ps_count(&job->servers[s].schema.vars[var]) * sizeof *to);
        }
    return RG_OK;
}

rg_status rg_exchange_threads(rg_job *job, int n)
{
    rg_exchange *x;
    RG_TRY(exchange_of(job, &x));
    pthread_mutex_lock(&x->lock);
    x->threads = n;
    x->arrived = 0; /* of a step that was broken off, and so is what they brought */
    if (job->mode->together && x->channels[0] != NULL) {
        rg_outboxes_empty(job, x->channels[0]->filling);
        rg_channel_release_lenders(x->channels[0]);
    }
    pthread_mutex_unlock(&x->lock);
    return RG_OK;
}

rg_status rg_exchange_thread_ends(rg_job *job, int thread)
{
    rg_exchange *x;
    rg_channel *l;
    rg_status code = RG_OK;
    RG_TRY(exchange_of(job, &x));
    RG_TRY(channel_of(job, thread, &l));
    pthread_mutex_lock(&x->lock);
    x->threads--;
    if (job->mode->together && x->arrived > 0 && x->arrived >= x->threads)
        code = push_mean(job, l);
    pthread_mutex_unlock(&x->lock);
    return code;
}

static rg_status flush(rg_job *job, rg_channel *l)
{
    RG_TRY(rg_in_flight_wait(&l->in_flight));
    RG_TRY(rg_channel_take(job, l));
    return l->steps > 0 ? rg_channel_exchange(job, l) : RG_OK;
}

rg_status rg_exchange_flush_thread(rg_job *job, int thread)
{
    rg_channel *l;
    RG_TRY(channel_of(job, thread, &l));
    return flush(job, l);
}

rg_status rg_exchange_flush(rg_job *job)
{
    rg_status code = RG_OK;
    for (int i = 0; job->exchange != NULL && code == RG_OK && i < RG_CHANNELS; i++)
        if (job->exchange->channels[i] != NULL)
            code = flush(job, job->exchange->channels[i]);
    return code;
}

void rg_exchange_close(rg_job *job)
{
    rg_exchange *x = job->exchange;
    for (int i = 0; x != NULL && i < RG_CHANNELS; i++)
        close_channel(job, x->channels[i]);
    if (x != NULL) {
        pthread_mutex_destroy(&x->lock);
        pthread_cond_destroy(&x->change);
    }
    rg_free(x);
    job->exchange = NULL;
}
