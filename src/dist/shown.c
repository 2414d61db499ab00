/* shown.c - parameters that a trainer reads where a server of its host has them.
 *
 * In sync a server changes a parameter while every trainer waits for that, and at no other time. So
 * a trainer need not copy what an answer lends (RG_FRAME_STAYS): the parameter shows the server's
 * memory, and ops read it there. Whoever writes to it, or reads it from outside of a step, settles
 * it first, as a value that is behind (tensor/value.h): then it has its own memory again, with the
 * same values. So does the trainer before it says that steps need not wait for it any more
 * (rg_exchange_own): when it leaves, has no data, or waits for others.
 *
 * A view is good for as long as it is kept, also when its server has died.
 *
 * Threads: rg_channel_settle() is called while all threads of the trainer wait for the answer.
 * Settling is any thread's: others may read where the value was shown meanwhile, so the view is
 * kept until the next answer.
 *
 * A child that is forked has no view, and its parent's server does not wait for it: whoever forks
 * settles all before. */
#include "dist/exchange_priv.h"

#include "base/mem.h"
#include "sys/lent.h"
#include "sys/process.h"
#include "tensor/device.h"

#include <string.h>

struct rg_shown {
    rg_late late;           /* first */
    rg_shown *next, **back; /* of those that have a value */
    rg_value *value;        /* the target's, whose `late` this is; NULL: it is not */
    bool shows;
    const void *at; /* what it shows, in `view` */
    size_t bytes;
    rg_lent_view *view; /* kept; NULL: none so far */
};

/* Guards which have a value, and what these show. One for all, since whoever forks holds it: no
 * value begins to show anything between its settling and the child. Taken for moments, inside any
 * other lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static rg_shown *all;

/* With the lock. */
static void own(rg_shown *s)
{
    rg_value *value = s->value;
    if (!s->shows)
        return;
    if (value->storage->bytes >= s->bytes)
        memcpy(value->storage->data, s->at, s->bytes);
    value->data = value->storage->data;
    s->shows = false;
}

static void settle(rg_late *late)
{
    pthread_mutex_lock(&lock);
    own((rg_shown *)late);
    pthread_mutex_unlock(&lock);
}

/* What is shown is read where it is. */
static void settle_rows(rg_late *late, const int64_t *ids, int64_t n)
{
    (void)late;
    (void)ids;
    (void)n;
}

static void part(rg_shown *s)
{
    pthread_mutex_lock(&lock);
    if (s->value != NULL) {
        own(s);
        s->value->late = NULL;
        s->value = NULL;
        *s->back = s->next;
        if (s->next != NULL)
            s->next->back = s->back;
        (void)__atomic_sub_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
}

static void leave(rg_late *late, const rg_value *value)
{
    (void)value;
    part((rg_shown *)late);
}

void rg_target_close(rg_target *target)
{
    rg_shown *s = target->shown;
    if (s != NULL) {
        part(s);
        rg_lent_view_drop(s->view);
        rg_free(s);
    }
    rg_value_release(target->value);
    *target = (rg_target){0};
}

/* ---- forks ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    for (rg_shown *s = all; s != NULL; s = s->next)
        own(s);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
    (void)pthread_mutex_init(&lock, NULL);
}

static void watch_forks(void)
{
    rg_process_around_fork(before_fork, after_fork, in_child);
}

/* ---- answers ---- */

/* The record of a target, made where there is none. */
static rg_shown *record_of(rg_target *target)
{
    (void)pthread_once(&once, watch_forks);
    if (target->shown != NULL)
        return target->shown;
    rg_shown *s = target->shown = rg_alloc_zero(1, sizeof *s);
    if (s != NULL)
        s->late = (rg_late){settle, settle_rows, leave, .readable = true};
    return s;
}

/* It is its value's. With the lock. */
static void join(rg_shown *s, rg_value *value)
{
    if (s->value != NULL)
        return;
    s->value = value;
    value->late = &s->late;
    s->back = &all;
    s->next = all;
    if (all != NULL)
        all->back = &s->next;
    all = s;
    (void)__atomic_add_fetch(&rg_late_count, 1, __ATOMIC_RELAXED);
}

/* Whether all of the value is the variable, and its memory is nobody else's. */
static bool can_show(const rg_target *target, size_t bytes)
{
    const rg_value *value = target->value;
    const rg_storage *s = value != NULL ? value->storage : NULL;
    return target->may_show && s != NULL && !s->pooled && s->whole == NULL && s->data != NULL &&
           s->bytes >= bytes && target->first == 0 && rg_value_bytes(value) == bytes &&
           rg_device_of(value)->on_host &&
           (value->late == NULL ||
            (target->shown != NULL && value->late == &target->shown->late)) &&
           __atomic_load_n(&s->refs, __ATOMIC_ACQUIRE) == 1;
}

/* Nothing is written where the answer lends nothing: in other modes threads do not wait for each
 * other. */
static bool show(rg_target *target, rg_rpc_call *call, uint64_t offset, size_t bytes)
{
    rg_lent_view *view = NULL;
    const uint8_t *at;
    if (!can_show(target, bytes) || (at = rg_rpc_take_lent(call, offset, bytes, &view)) == NULL)
        return false;
    rg_shown *s = record_of(target);
    if (s == NULL) {
        memcpy(target->value->storage->data, at, bytes);
        rg_lent_view_drop(view);
        return false;
    }
    rg_lent_view *before = s->view;
    pthread_mutex_lock(&lock);
    join(s, target->value);
    s->view = view;
    s->at = at;
    s->bytes = bytes;
    s->shows = true;
    target->value->data = (void *)(uintptr_t)at; /* which nobody writes to */
    pthread_mutex_unlock(&lock);
    rg_lent_view_drop(before);
    return true;
}

/* It has its own memory, to which the values have come or are about to. */
static void hide(rg_target *target)
{
    if (target->shown == NULL)
        return;
    pthread_mutex_lock(&lock);
    if (target->shown->shows)
        target->value->data = target->value->storage->data;
    target->shown->shows = false;
    pthread_mutex_unlock(&lock);
}

float *rg_target_memory(const rg_target *target)
{
    pthread_mutex_lock(&lock);
    bool shows = target->shown != NULL && target->shown->shows;
    float *own_memory = shows ? target->value->storage->data : target->value->data;
    pthread_mutex_unlock(&lock);
    return own_memory;
}

rg_status rg_channel_settle(const rg_job_server *server, rg_channel *l, int s, rg_rpc_call *call)
{
    for (uint32_t i = 0; l->targets[s] != NULL && i < server->n_pulled; i++) {
        uint32_t var = server->pulled[i];
        rg_target *target = &l->targets[s][var];
        size_t bytes = rg_ps_count(&server->schema.vars[var]) * sizeof(float);
        if (!l->in_place[s] || !show(target, call, server->reply_at[var], bytes))
            hide(target);
    }
    return l->in_place[s] ? rg_rpc_settle(call) : RG_OK;
}

void rg_channel_own(const rg_job *job, rg_channel *l)
{
    for (int s = 0; s < job->n_servers; s++)
        for (size_t v = 0; l->targets[s] != NULL && v < job->servers[s].schema.n; v++)
            if (l->targets[s][v].shown != NULL)
                settle(&l->targets[s][v].shown->late);
}

void rg_exchange_own(rg_job *job)
{
    rg_exchange *x = job->exchange;
    for (int i = 0; x != NULL && i < RG_CHANNELS; i++)
        if (x->channels[i] != NULL)
            rg_channel_own(job, x->channels[i]);
}
