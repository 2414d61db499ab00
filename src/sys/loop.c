/* loop.c - a libuv loop on a thread of its own: tasks and timers. */
#include "sys/loop_priv.h"

#include "base/mem.h"
#include "sys/latch.h"
#include "sys/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

rg_status rg_uv_fail(int code, const char *doing, const char *what)
{
    rg_status status = RG_EIO;
    if (code == UV_ENOMEM)
        status = RG_ENOMEM;
    else if (code == UV_EOF || code == UV_ECONNRESET || code == UV_ECONNREFUSED || code == UV_EPIPE)
        status = RG_ECLOSED;
    return rg_fail(status, "%s %s: %s", doing, what, uv_strerror(code));
}

/* ---- tasks ---- */

static rg_task *take_tasks(rg_loop *loop)
{
    (void)pthread_mutex_lock(&loop->lock);
    rg_task *task = loop->first;
    loop->first = NULL;
    loop->last = &loop->first;
    (void)pthread_mutex_unlock(&loop->lock);
    return task;
}

static void run_tasks(uv_poll_t *wake, int status, int events)
{
    rg_loop *loop = wake->loop->data;
    uint64_t times;
    (void)status, (void)events;
    (void)!read(loop->event, &times, sizeof times);
    rg_task *task = take_tasks(loop);
    while (task != NULL) {
        rg_task *next = task->next; /* run() may free the task */
        task->run(task);
        task = next;
    }
}

void rg_loop_post(rg_loop *loop, rg_task *task)
{
    static const uint64_t once = 1;
    task->next = NULL;
    (void)atomic_fetch_add(&loop->posting, 1);
    (void)pthread_mutex_lock(&loop->lock);
    bool first = loop->first == NULL;
    *loop->last = task;
    loop->last = &task->next;
    (void)pthread_mutex_unlock(&loop->lock);
    if (first)
        (void)!write(loop->event, &once, sizeof once);
    (void)atomic_fetch_sub(&loop->posting, 1);
}

bool rg_loop_inside(const rg_loop *loop)
{
    return pthread_equal(pthread_self(), loop->thread) != 0;
}

typedef struct errand {
    rg_task task;
    void (*work)(void *arg);
    void *arg;
    rg_latch done;
} errand;

static void run_errand(rg_task *task)
{
    errand *e = (errand *)task;
    e->work(e->arg);
    rg_latch_open(&e->done);
}

void rg_loop_do(rg_loop *loop, void (*work)(void *arg), void *arg)
{
    if (rg_loop_inside(loop)) {
        work(arg);
        return;
    }
    errand e = {.task.run = run_errand, .work = work, .arg = arg};
    rg_latch_init(&e.done);
    rg_loop_post(loop, &e.task);
    (void)rg_latch_wait(&e.done, UINT64_MAX);
    rg_latch_fini(&e.done);
}

/* ---- the thread ---- */

static void *run(void *arg)
{
    rg_loop *loop = arg;
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

/* Signals belong to the program's own threads; among those that the loop's thread does not take is
 * the SIGPIPE of its own writes. */
static int start_thread(rg_loop *loop, const char *name)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&loop->thread, NULL, run, loop);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed == 0)
        (void)pthread_setname_np(loop->thread, name);
    return -failed;
}

/* ---- a child that is forked ---- */

static long opened_by; /* the process that has opened the first loop */

static void do_nothing(uv_work_t *work)
{
    (void)work;
}

/* At its end libuv waits for the threads that look up names, which only its parent has had; it
 * makes new ones where they are needed, and so they shall be. */
static void at_exit(int status, void *arg)
{
    uv_loop_t own;
    uv_work_t work;
    (void)status, (void)arg;
    if (opened_by == rg_process_id() || uv_loop_init(&own) != 0)
        return;
    (void)uv_queue_work(&own, &work, do_nothing, NULL);
    (void)uv_run(&own, UV_RUN_DEFAULT);
    (void)uv_loop_close(&own);
}

static void watch_forks(void)
{
    opened_by = rg_process_id();
    (void)on_exit(at_exit, NULL);
}

/* ---- opening and closing ---- */

rg_status rg_loop_open(rg_loop **out, const char *name)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    (void)pthread_once(&watched, watch_forks);
    rg_loop *loop = rg_alloc_zero(1, sizeof *loop);
    if (loop == NULL)
        return rg_no_memory(sizeof *loop, "an event loop");
    (void)pthread_mutex_init(&loop->lock, NULL);
    loop->last = &loop->first;
    loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int failed = loop->event < 0 ? -errno : uv_loop_init(&loop->uv);
    if (failed != 0)
        goto no_loop;
    loop->uv.data = loop;
    failed = uv_poll_init(&loop->uv, &loop->wake, loop->event);
    if (failed == 0)
        failed = uv_poll_start(&loop->wake, UV_READABLE, run_tasks);
    if (failed == 0)
        failed = start_thread(loop, name);
    if (failed == 0) {
        *out = loop;
        return RG_OK;
    }
    if (loop->wake.type == UV_POLL)
        uv_close((uv_handle_t *)&loop->wake, NULL);
    (void)uv_run(&loop->uv, UV_RUN_DEFAULT);
    (void)uv_loop_close(&loop->uv);
no_loop:
    if (loop->event >= 0)
        (void)close(loop->event);
    (void)pthread_mutex_destroy(&loop->lock);
    rg_free(loop);
    return rg_uv_fail(failed, "starting the event loop", name);
}

static void drop_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (uv_is_closing(handle))
        return;
    rg_handle *owner = handle->data;
    if (owner != NULL)
        owner->drop(owner);
    else
        uv_close(handle, NULL); /* the wake-up */
}

static void drop_all(void *arg)
{
    rg_loop *loop = arg;
    while (loop->streams != NULL)
        rg_stream_close(loop->streams);
    uv_walk(&loop->uv, drop_handle, NULL);
}

void rg_loop_close(rg_loop *loop)
{
    if (loop == NULL)
        return;
    rg_loop_do(loop, drop_all, loop);
    (void)pthread_join(loop->thread, NULL);
    (void)uv_loop_close(&loop->uv);
    /* A thread whose task has run already may still be on its way out of rg_loop_post(). */
    while (atomic_load(&loop->posting) > 0)
        (void)sched_yield();
    (void)close(loop->event);
    (void)pthread_mutex_destroy(&loop->lock);
    rg_free(loop);
}

/* ---- timers ---- */

struct rg_timer {
    rg_handle base;
    uv_timer_t uv;
    void (*fire)(void *user);
    void *user;
};

static void free_timer(uv_handle_t *handle)
{
    rg_free(handle->data);
}

static void drop_timer(void *self)
{
    rg_timer_close(self);
}

rg_status rg_timer_open(rg_timer **out, rg_loop *loop, void (*fire)(void *user), void *user)
{
    rg_timer *timer = rg_alloc_zero(1, sizeof *timer);
    if (timer == NULL)
        return rg_no_memory(sizeof *timer, "a timer");
    timer->base.drop = drop_timer;
    timer->fire = fire;
    timer->user = user;
    (void)uv_timer_init(&loop->uv, &timer->uv);
    timer->uv.data = timer;
    *out = timer;
    return RG_OK;
}

static void fire_timer(uv_timer_t *uv)
{
    rg_timer *timer = uv->data;
    timer->fire(timer->user);
}

void rg_timer_set(rg_timer *timer, uint64_t after_ms, uint64_t every_ms)
{
    /* libuv's idea of now is from the start of this turn of the loop. */
    uv_update_time(timer->uv.loop);
    (void)uv_timer_start(&timer->uv, fire_timer, after_ms, every_ms);
}

void rg_timer_stop(rg_timer *timer)
{
    (void)uv_timer_stop(&timer->uv);
}

void rg_timer_close(rg_timer *timer)
{
    if (timer != NULL && !uv_is_closing((uv_handle_t *)&timer->uv))
        uv_close((uv_handle_t *)&timer->uv, free_timer);
}
