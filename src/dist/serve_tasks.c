/* serve_tasks.c - what would hold up the loops, on threads of its own.
 *
 * A task queue is requests and the thread that does them, one after the other. There is one
 * for large copies and one for the disk. A disk may take for ever: a queue whose request is late is
 * left to itself, with the request refused, and another one takes what waits. So its thread touches
 * the engine (it waits for copies that the shards make) only in the first half of its work, and the
 * queue belongs to whoever lets go of it last. */
#include "dist/serve_tasks.h"

#include "base/mem.h"
#include "sys/clock.h"

#include <stdio.h>

static const char OVER[] = "the job is over";

struct rg_task_queue {
    pthread_mutex_t lock;
    pthread_cond_t change;
    rg_engine *engine; /* NULL: the thread is alone */
    rg_server_task *first, **last;
    rg_server_task *now; /* being done */
    uint64_t since_ns;   /* when it was begun */
    bool inside;         /* the thread uses the engine */
    bool stop;           /* the thread shall end when it can */
};

/* ---- the thread ---- */

static void free_desk(rg_task_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->change);
    rg_free(queue);
}

static void reply(rg_server_task *task)
{
    size_t n = task->reply.len;
    char *bytes = rg_buf_take(&task->reply);
    rg_rpc_reply(task->request, 0, &(rg_iov){bytes, n}, n > 0 ? 1 : 0, rg_free, bytes);
}

/* With the engine once more, unless it has left this thread behind; the lock as in do_one(). */
static rg_status tell_written(rg_task_queue *queue, rg_server_task *task)
{
    rg_engine *s = queue->engine;
    if (task->written == NULL || task->request == NULL || s == NULL)
        return RG_OK;
    queue->inside = true;
    pthread_mutex_unlock(&queue->lock);
    rg_status code = task->written(s, task);
    pthread_mutex_lock(&queue->lock);
    queue->inside = false;
    (void)pthread_cond_broadcast(&queue->change);
    return code;
}

/* Both halves of a request; the lock is held before and after. */
static void do_one(rg_task_queue *queue)
{
    rg_engine *s = queue->engine;
    rg_server_task *task = queue->now;
    pthread_mutex_unlock(&queue->lock);
    rg_status code = task->copy(s, task);
    pthread_mutex_lock(&queue->lock);
    queue->inside = false;
    (void)pthread_cond_broadcast(&queue->change);
    if (code == RG_OK && task->write != NULL) {
        pthread_mutex_unlock(&queue->lock);
        code = task->write(task);
        pthread_mutex_lock(&queue->lock);
        if (code == RG_OK)
            code = tell_written(queue, task);
    }
    if (task->request != NULL && code != RG_OK)
        rg_rpc_refuse(task->request, code, "%s", rg_error_message());
    else if (task->request != NULL)
        reply(task);
    task->request = NULL;
}

static void free_chore(rg_server_task *task)
{
    rg_buf_fini(&task->reply);
    task->close(task);
}

static void *work(void *arg)
{
    rg_task_queue *queue = arg;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stop) {
        if (queue->first == NULL) {
            (void)pthread_cond_wait(&queue->change, &queue->lock);
            continue;
        }
        rg_server_task *task = queue->now = queue->first;
        queue->first = task->next;
        if (queue->first == NULL)
            queue->last = &queue->first;
        queue->since_ns = rg_clock_ns();
        queue->inside = true;
        do_one(queue);
        queue->now = NULL;
        free_chore(task);
    }
    bool alone = queue->engine == NULL;
    pthread_mutex_unlock(&queue->lock);
    if (alone)
        free_desk(queue);
    return NULL;
}

/* ---- the engine's side ---- */

static rg_status open_desk(rg_engine *s, rg_task_queue **out, pthread_t *thread)
{
    rg_task_queue *queue = rg_alloc_zero(1, sizeof *queue);
    if (queue == NULL)
        return rg_no_memory(sizeof *queue, "a thread's queue");
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->change, NULL);
    queue->engine = s;
    queue->last = &queue->first;
    if (pthread_create(thread, NULL, work, queue) != 0) {
        free_desk(queue);
        return rg_fail(RG_EIO, "cannot start a thread for saving");
    }
    *out = queue;
    return RG_OK;
}

static void refuse_queue(rg_task_queue *queue, rg_status why, const char *text)
{
    while (queue->first != NULL) {
        rg_server_task *task = queue->first;
        queue->first = task->next;
        rg_rpc_refuse(task->request, why, "%s", text);
        free_chore(task);
    }
    queue->last = &queue->first;
}

/* The thread ends, or is left to itself where it writes: then the queue is its own. */
static void leave_desk(rg_task_queue *queue, pthread_t thread, rg_status why, const char *text)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    (void)pthread_cond_broadcast(&queue->change);
    while (queue->inside)
        (void)pthread_cond_wait(&queue->change, &queue->lock);
    refuse_queue(queue, why, text);
    bool writes = queue->now != NULL;
    if (writes && queue->now->request != NULL) {
        rg_rpc_refuse(queue->now->request, why, "%s", text);
        queue->now->request = NULL;
    }
    if (writes)
        queue->engine = NULL;
    pthread_mutex_unlock(&queue->lock);
    if (writes) {
        (void)pthread_detach(thread);
        return;
    }
    (void)pthread_join(thread, NULL);
    free_desk(queue);
}

rg_status rg_serve_open_queues(rg_engine *s)
{
    for (int i = 0; i < RG_QUEUES; i++)
        RG_TRY(open_desk(s, &s->queues[i], &s->workers[i]));
    return RG_OK;
}

void rg_serve_close_queues(rg_engine *s)
{
    for (int i = 0; i < RG_QUEUES; i++) {
        pthread_mutex_lock(&s->lock);
        rg_task_queue *queue = s->queues[i];
        s->queues[i] = NULL; /* requests that still come are refused */
        pthread_mutex_unlock(&s->lock);
        if (queue != NULL)
            leave_desk(queue, s->workers[i], RG_ECLOSED, OVER);
    }
}

void rg_serve_later(rg_engine *s, rg_task_queue_number number, rg_server_task *task)
{
    pthread_mutex_lock(&s->lock); /* the queue stays while it is held */
    rg_task_queue *queue = s->queues[number];
    if (queue != NULL) {
        pthread_mutex_lock(&queue->lock);
        task->next = NULL;
        *queue->last = task;
        queue->last = &task->next;
        (void)pthread_cond_broadcast(&queue->change);
        pthread_mutex_unlock(&queue->lock);
    }
    pthread_mutex_unlock(&s->lock);
    if (queue == NULL) {
        rg_rpc_refuse(task->request, RG_ECLOSED, "%s", OVER);
        free_chore(task);
    }
}

/* Whether what it writes is late. */
static bool is_late(const rg_task_queue *queue, uint64_t limit_ns)
{
    return queue->now != NULL && !queue->inside && rg_clock_ns() - queue->since_ns > limit_ns;
}

static void move_queue(rg_task_queue *from, rg_task_queue *to)
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
    rg_task_queue *queue = s->queues[RG_QUEUE_DISK], *fresh = NULL;
    pthread_t before = s->workers[RG_QUEUE_DISK], thread = before;
    char text[200];
    pthread_mutex_lock(&queue->lock);
    bool late = is_late(queue, limit_ns);
    pthread_mutex_unlock(&queue->lock);
    if (!late || open_desk(s, &fresh, &thread) != RG_OK)
        return; /* it is looked at again */
    (void)snprintf(text, sizeof text,
                   "its disk has not taken what was to be saved in %.0f s (FLAGS_ps_save_seconds); "
                   "if it does later, the file will be written then",
                   (double)limit_ns * 1e-9);
    pthread_mutex_lock(&s->lock); /* nobody queues anything meanwhile */
    pthread_mutex_lock(&queue->lock);
    late = is_late(queue, limit_ns);
    if (late) {
        move_queue(queue, fresh);
        s->queues[RG_QUEUE_DISK] = fresh;
        s->workers[RG_QUEUE_DISK] = thread;
    }
    pthread_mutex_unlock(&queue->lock);
    pthread_mutex_unlock(&s->lock);
    if (late)
        leave_desk(queue, before, RG_ETIMEOUT, text);
    else
        leave_desk(fresh, thread, RG_ECLOSED, "");
}
