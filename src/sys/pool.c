/* pool.c - worker threads behind sys/pool.h. */
#include "sys/pool.h"

#include "base/mem.h"
#include "sys/interrupt.h"
#include "sys/process.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 4096, MAX_THREADS = 1024 };

typedef struct worker {
    rg_pool *pool;
    pthread_t thread;
    int number;
    bool started;
} worker;

struct rg_pool {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    uint64_t round; /* grows by one for each job */
    int running;
    bool stop;
    long pid; /* whose threads these are */
    rg_pool_work work;
    void *arg;
    atomic_bool halted; /* a task of this round has failed */
    rg_status code;
    int failed; /* whose code and message it is; -1: of one that was halted */
    char message[MESSAGE_BYTES];
    int n;
    worker workers[];
};

static void keep_failure(rg_pool *pool, int number, rg_status code)
{
    bool own = !rg_was_halted();
    (void)pthread_mutex_lock(&pool->lock);
    if (pool->code == RG_OK || (own && (pool->failed < 0 || number < pool->failed))) {
        pool->code = code;
        pool->failed = own ? number : -1;
        (void)snprintf(pool->message, sizeof pool->message, "%s", rg_error_message());
    }
    (void)pthread_mutex_unlock(&pool->lock);
    rg_pool_halt(pool);
}

static void do_task(rg_pool *pool, int number)
{
    const atomic_bool *before = rg_halted_by(&pool->halted);
    rg_status code = pool->work(pool->arg, number);
    if (code != RG_OK)
        keep_failure(pool, number, code);
    (void)rg_halted_by(before);
}

static void *worker_main(void *arg)
{
    worker *w = arg;
    rg_pool *pool = w->pool;
    uint64_t seen = 0;
    (void)pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && pool->round == seen)
            (void)pthread_cond_wait(&pool->go, &pool->lock);
        if (pool->stop)
            break;
        seen = pool->round;
        (void)pthread_mutex_unlock(&pool->lock);
        do_task(pool, w->number);
        (void)pthread_mutex_lock(&pool->lock);
        if (--pool->running == 0)
            (void)pthread_cond_signal(&pool->done);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return NULL;
}

rg_status rg_pool_open(rg_pool **out, int threads)
{
    if (threads < 1 || threads > MAX_THREADS)
        return rg_fail(RG_EINVAL, "a pool of %d threads, and it must have 1 to %d", threads,
                       MAX_THREADS);
    size_t bytes = sizeof(rg_pool) + (size_t)threads * sizeof(worker);
    rg_pool *pool = rg_alloc_zero(1, bytes);
    if (pool == NULL)
        return rg_no_memory(bytes, "a thread pool");
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->go, NULL);
    (void)pthread_cond_init(&pool->done, NULL);
    pool->n = threads;
    pool->pid = rg_process_id();
    for (int i = 1; i < threads; i++) {
        worker *w = &pool->workers[i];
        w->pool = pool;
        w->number = i;
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0) {
            rg_pool_close(pool);
            return rg_fail(RG_EIO, "cannot start thread %d of %d", i, threads);
        }
        w->started = true;
    }
    *out = pool;
    return RG_OK;
}

void rg_pool_close(rg_pool *pool)
{
    if (pool == NULL || pool->pid != rg_process_id())
        return; /* a forked child has none of the threads, and nothing to wait for */
    (void)pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    (void)pthread_cond_broadcast(&pool->go);
    (void)pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i < pool->n; i++)
        if (pool->workers[i].started)
            (void)pthread_join(pool->workers[i].thread, NULL);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_cond_destroy(&pool->go);
    (void)pthread_mutex_destroy(&pool->lock);
    rg_free(pool);
}

void rg_pool_halt(rg_pool *pool)
{
    atomic_store_explicit(&pool->halted, true, memory_order_release);
}

int rg_pool_threads(const rg_pool *pool)
{
    return pool->n;
}

rg_status rg_pool_run(rg_pool *pool, rg_pool_work work, void *arg)
{
    if (pool->n > 1 && pool->pid != rg_process_id())
        return rg_fail(RG_EINVAL, "this process was forked from one whose threads it would need; "
                                  "fork before the first run, or use the spawn method");
    (void)pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->arg = arg;
    pool->running = pool->n - 1;
    pool->code = RG_OK;
    atomic_store(&pool->halted, false);
    pool->round++;
    (void)pthread_cond_broadcast(&pool->go);
    (void)pthread_mutex_unlock(&pool->lock);
    do_task(pool, 0);
    (void)pthread_mutex_lock(&pool->lock);
    while (pool->running > 0)
        (void)pthread_cond_wait(&pool->done, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
    return pool->code == RG_OK ? RG_OK : rg_fail(pool->code, "%s", pool->message);
}
