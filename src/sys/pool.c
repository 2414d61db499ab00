/* pool.c - worker threads behind sys/pool.h. */
#include "sys/pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MESSAGE_BYTES = 4096, MAX_THREADS = 1024 };

typedef struct worker {
    rg_pool *pool;
    pthread_t thread;
    int number;
    bool started;
    rg_status code;
    char message[MESSAGE_BYTES];
} worker;

struct rg_pool {
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    uint64_t round; /* grows by one for each job */
    int running;
    bool stop;
    rg_pool_work work;
    void *arg;
    int n;
    worker workers[];
};

static void keep_message(worker *w)
{
    const char *text = rg_error_message();
    size_t i = 0;
    for (; text[i] != '\0' && i < MESSAGE_BYTES - 1; i++)
        w->message[i] = text[i];
    w->message[i] = '\0';
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
        w->code = pool->work(pool->arg, w->number);
        if (w->code != RG_OK)
            keep_message(w);
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
    if (pool == NULL)
        return;
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

int rg_pool_threads(const rg_pool *pool)
{
    return pool->n;
}

rg_status rg_pool_run(rg_pool *pool, rg_pool_work work, void *arg)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->arg = arg;
    pool->running = pool->n - 1;
    pool->round++;
    (void)pthread_cond_broadcast(&pool->go);
    (void)pthread_mutex_unlock(&pool->lock);

    worker *own = &pool->workers[0];
    own->code = work(arg, 0);
    if (own->code != RG_OK)
        keep_message(own);

    (void)pthread_mutex_lock(&pool->lock);
    while (pool->running > 0)
        (void)pthread_cond_wait(&pool->done, &pool->lock);
    (void)pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->n; i++)
        if (pool->workers[i].code != RG_OK)
            return rg_fail(pool->workers[i].code, "%s", pool->workers[i].message);
    return RG_OK;
}
