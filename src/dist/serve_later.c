/* serve_later.c - what would hold up the loop, on a thread of its own.
 *
 * A desk is a queue of requests and the thread that does them, one after the other. There is one
 * for large copies and one for the disk. A disk may take for ever: a desk whose request is late is
 * left to itself, with the request refused, and another one takes what waits. So its thread touches
 * the engine only in the first half of its work, and the desk belongs to whoever lets go of it
 * last. */
#include "dist/serve_priv.h"

#include "base/mem.h"
#include "sys/clock.h"

#include <stdio.h>

static const char OVER[] = "the job is over";

struct rg_desk {
    pthread_mutex_t lock;
    pthread_cond_t change;
    rg_engine *engine; /* NULL: the thread is alone */
    rg_chore *first, **last;
    rg_chore *now;     /* being done */
    uint64_t since_ns; /* when it was begun */
    bool inside;       /* the thread uses the engine */
    bool stop;         /* the thread shall end when it can */
};

/* ---- the thread ---- */

static void free_desk(rg_desk *desk)
{
    pthread_mutex_destroy(&desk->lock);
    pthread_cond_destroy(&desk->change);
    rg_free(desk);
}

static void reply(rg_chore *chore)
{
    size_t n = chore->reply.len;
    char *bytes = rg_buf_take(&chore->reply);
    rg_rpc_reply(chore->request, 0, &(rg_iov){bytes, n}, n > 0 ? 1 : 0, rg_free, bytes);
}

/* Both halves of a request; the lock is held before and after. */
static void do_one(rg_desk *desk)
{
    rg_engine *s = desk->engine;
    rg_chore *chore = desk->now;
    pthread_mutex_unlock(&desk->lock);
    pthread_mutex_lock(&s->lock);
    rg_arena_reset(&s->scratch);
    rg_status code = chore->copy(s, chore);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&desk->lock);
    desk->inside = false;
    (void)pthread_cond_broadcast(&desk->change);
    if (code == RG_OK && chore->write != NULL) {
        pthread_mutex_unlock(&desk->lock);
        code = chore->write(chore);
        pthread_mutex_lock(&desk->lock);
    }
    if (chore->request != NULL && code != RG_OK)
        rg_rpc_refuse(chore->request, code, "%s", rg_error_message());
    else if (chore->request != NULL)
        reply(chore);
    chore->request = NULL;
}

static void free_chore(rg_chore *chore)
{
    rg_buf_fini(&chore->reply);
    chore->close(chore);
}

static void *work(void *arg)
{
    rg_desk *desk = arg;
    pthread_mutex_lock(&desk->lock);
    while (!desk->stop) {
        if (desk->first == NULL) {
            (void)pthread_cond_wait(&desk->change, &desk->lock);
            continue;
        }
        rg_chore *chore = desk->now = desk->first;
        desk->first = chore->next;
        if (desk->first == NULL)
            desk->last = &desk->first;
        desk->since_ns = rg_clock_ns();
        desk->inside = true;
        do_one(desk);
        desk->now = NULL;
        free_chore(chore);
    }
    bool alone = desk->engine == NULL;
    pthread_mutex_unlock(&desk->lock);
    if (alone)
        free_desk(desk);
    return NULL;
}

/* ---- the engine's side ---- */

static rg_status open_desk(rg_engine *s, rg_desk **out, pthread_t *thread)
{
    rg_desk *desk = rg_alloc_zero(1, sizeof *desk);
    if (desk == NULL)
        return rg_no_memory(sizeof *desk, "a thread's queue");
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->change, NULL);
    desk->engine = s;
    desk->last = &desk->first;
    if (pthread_create(thread, NULL, work, desk) != 0) {
        free_desk(desk);
        return rg_fail(RG_EIO, "cannot start a thread for saving");
    }
    *out = desk;
    return RG_OK;
}

static void refuse_queue(rg_desk *desk, rg_status why, const char *text)
{
    while (desk->first != NULL) {
        rg_chore *chore = desk->first;
        desk->first = chore->next;
        rg_rpc_refuse(chore->request, why, "%s", text);
        free_chore(chore);
    }
    desk->last = &desk->first;
}

/* The thread ends, or is left to itself where it writes: then the desk is its own. */
static void leave_desk(rg_desk *desk, pthread_t thread, rg_status why, const char *text)
{
    pthread_mutex_lock(&desk->lock);
    desk->stop = true;
    (void)pthread_cond_broadcast(&desk->change);
    while (desk->inside)
        (void)pthread_cond_wait(&desk->change, &desk->lock);
    refuse_queue(desk, why, text);
    bool writes = desk->now != NULL;
    if (writes && desk->now->request != NULL) {
        rg_rpc_refuse(desk->now->request, why, "%s", text);
        desk->now->request = NULL;
    }
    if (writes)
        desk->engine = NULL;
    pthread_mutex_unlock(&desk->lock);
    if (writes) {
        (void)pthread_detach(thread);
        return;
    }
    (void)pthread_join(thread, NULL);
    free_desk(desk);
}

rg_status rg_serve_open_desks(rg_engine *s)
{
    for (int i = 0; i < RG_DESKS; i++)
        RG_TRY(open_desk(s, &s->desks[i], &s->clerks[i]));
    return RG_OK;
}

void rg_serve_close_desks(rg_engine *s)
{
    for (int i = 0; i < RG_DESKS; i++) {
        pthread_mutex_lock(&s->lock);
        rg_desk *desk = s->desks[i];
        s->desks[i] = NULL; /* requests that still come are refused */
        pthread_mutex_unlock(&s->lock);
        if (desk != NULL)
            leave_desk(desk, s->clerks[i], RG_ECLOSED, OVER);
    }
}

void rg_serve_later(rg_engine *s, rg_desk_number number, rg_chore *chore)
{
    rg_desk *desk = s->desks[number];
    if (desk == NULL) {
        rg_rpc_refuse(chore->request, RG_ECLOSED, "%s", OVER);
        free_chore(chore);
        return;
    }
    pthread_mutex_lock(&desk->lock);
    chore->next = NULL;
    *desk->last = chore;
    desk->last = &chore->next;
    (void)pthread_cond_broadcast(&desk->change);
    pthread_mutex_unlock(&desk->lock);
}

/* Whether what it writes is late. */
static bool is_late(const rg_desk *desk, uint64_t limit_ns)
{
    return desk->now != NULL && !desk->inside && rg_clock_ns() - desk->since_ns > limit_ns;
}

static void move_queue(rg_desk *from, rg_desk *to)
{
    pthread_mutex_lock(&to->lock);
    to->first = from->first;
    if (to->first != NULL)
        to->last = from->last;
    (void)pthread_cond_broadcast(&to->change);
    pthread_mutex_unlock(&to->lock);
    from->first = NULL;
    from->last = &from->first;
}

void rg_serve_look_at_disk(rg_engine *s, uint64_t limit_ns)
{
    rg_desk *desk = s->desks[RG_DESK_DISK], *fresh = NULL;
    pthread_t before = s->clerks[RG_DESK_DISK], thread = before;
    char text[200];
    pthread_mutex_lock(&desk->lock);
    bool late = is_late(desk, limit_ns);
    pthread_mutex_unlock(&desk->lock);
    if (!late || open_desk(s, &fresh, &thread) != RG_OK)
        return; /* it is looked at again */
    (void)snprintf(text, sizeof text,
                   "its disk has not taken what was to be saved in %.0f s (FLAGS_ps_save_seconds); "
                   "if it does later, the file will be written then",
                   (double)limit_ns * 1e-9);
    pthread_mutex_lock(&s->lock); /* nobody queues anything meanwhile */
    pthread_mutex_lock(&desk->lock);
    late = is_late(desk, limit_ns);
    if (late) {
        move_queue(desk, fresh);
        s->desks[RG_DESK_DISK] = fresh;
        s->clerks[RG_DESK_DISK] = thread;
    }
    pthread_mutex_unlock(&desk->lock);
    pthread_mutex_unlock(&s->lock);
    if (late)
        leave_desk(desk, before, RG_ETIMEOUT, text);
    else
        leave_desk(fresh, thread, RG_ECLOSED, "");
}
