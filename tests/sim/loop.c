/* loop.c - event loops over virtual time, in the place of src/sys/loop.c.
 *
 * A loop is a thread that runs the tasks posted to it and the timers that are due, one after the
 * other, and sleeps otherwise. What has arrived from the network is a task, too (net.c). Streams,
 * listening and dialling are src/sys's own files; they know of a loop only its list of streams.
 *
 * Left out: libuv, and so the order in which it looks at timers, sockets and tasks of one turn;
 * here a task or a due timer is drawn. */
#include "sim/sim.h"

#include "sys/latch.h"
#include "sys/loop_priv.h"

#include <pthread.h>
#include <string.h>

struct rg_timer {
    rg_timer *next;
    struct sim_loop *loop;
    void (*fire)(void *user);
    void *user;
    uint64_t at; /* SIM_NEVER: it is not set */
    uint64_t every_ns;
    bool closed;
};

typedef struct sim_loop {
    rg_loop base; /* for the list of streams */
    pthread_t thread;
    rg_task *first, **last;
    rg_timer *timers;
    bool ends;
} sim_loop;

static sim_loop *of(const rg_loop *loop)
{
    return (sim_loop *)(uintptr_t)loop;
}

rg_status rg_uv_fail(int code, const char *doing, const char *what)
{
    bool gone = code == UV_EOF || code == UV_ECONNRESET || code == UV_ECONNREFUSED ||
                code == UV_EPIPE;
    return rg_fail(gone ? RG_ECLOSED : RG_EIO, "%s %s: %s", doing, what, uv_strerror(code));
}

/* ---- the thread ---- */

static rg_timer *next_timer(const sim_loop *loop)
{
    rg_timer *first = NULL;
    for (rg_timer *t = loop->timers; t != NULL; t = t->next)
        if (!t->closed && t->at != SIM_NEVER && (first == NULL || t->at < first->at))
            first = t;
    return first;
}

static void fire(rg_timer *timer)
{
    timer->at = timer->every_ns != 0 ? sim_now() + timer->every_ns : SIM_NEVER;
    timer->fire(timer->user);
}

static void run_task(sim_loop *loop)
{
    rg_task *task = loop->first;
    loop->first = task->next;
    if (loop->first == NULL)
        loop->last = &loop->first;
    task->run(task);
}

static void *run(void *arg)
{
    sim_loop *loop = arg;
    while (!loop->ends || loop->first != NULL) {
        rg_timer *timer = next_timer(loop);
        bool due = timer != NULL && timer->at <= sim_now();
        if (due && (loop->first == NULL || sim_one_in(2)))
            fire(timer);
        else if (loop->first != NULL)
            run_task(loop);
        else
            (void)sim_wait(loop, timer != NULL ? timer->at : SIM_NEVER);
        sim_maybe_yield();
    }
    return NULL;
}

/* Also from the network, which is no thread. */
void rg_loop_post(rg_loop *loop, rg_task *task)
{
    sim_loop *l = of(loop);
    task->next = NULL;
    *l->last = task;
    l->last = &task->next;
    sim_wake(l, true);
    sim_maybe_yield();
}

bool rg_loop_inside(const rg_loop *loop)
{
    return pthread_equal(pthread_self(), of(loop)->thread) != 0;
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

/* ---- opening and closing ---- */

rg_status rg_loop_open(rg_loop **out, const char *name)
{
    sim_loop *loop = sim_alloc(sizeof *loop);
    loop->last = &loop->first;
    (void)pthread_create(&loop->thread, NULL, run, loop);
    (void)pthread_setname_np(loop->thread, name);
    *out = &loop->base;
    return RG_OK;
}

static void drop_all(void *arg)
{
    sim_loop *loop = arg;
    while (loop->base.streams != NULL)
        rg_stream_close(loop->base.streams);
    for (rg_timer *t = loop->timers; t != NULL; t = t->next)
        rg_timer_close(t);
    loop->ends = true;
}

void rg_loop_close(rg_loop *loop)
{
    if (loop == NULL)
        return;
    rg_loop_do(loop, drop_all, of(loop));
    (void)pthread_join(of(loop)->thread, NULL);
}

/* ---- timers ---- */

rg_status rg_timer_open(rg_timer **out, rg_loop *loop, void (*fire_it)(void *user), void *user)
{
    rg_timer *timer = sim_alloc(sizeof *timer);
    timer->loop = of(loop);
    timer->fire = fire_it;
    timer->user = user;
    timer->at = SIM_NEVER;
    timer->next = timer->loop->timers;
    timer->loop->timers = timer;
    *out = timer;
    return RG_OK;
}

void rg_timer_set(rg_timer *timer, uint64_t after_ms, uint64_t every_ms)
{
    timer->at = sim_now() + after_ms * SIM_MS;
    timer->every_ns = every_ms * SIM_MS;
    sim_wake(timer->loop, true);
}

void rg_timer_stop(rg_timer *timer)
{
    timer->at = SIM_NEVER;
}

void rg_timer_close(rg_timer *timer)
{
    if (timer != NULL)
        timer->closed = true;
}
