/* latch.c - over POSIX threads, waiting by the monotonic clock. */
#include "sys/latch.h"

#include "sys/clock.h"

#include <time.h>

void rg_lock_init(rg_lock *lock)
{
    (void)pthread_mutex_init(lock, NULL);
}

void rg_lock_fini(rg_lock *lock)
{
    (void)pthread_mutex_destroy(lock);
}

void rg_lock_take(rg_lock *lock)
{
    (void)pthread_mutex_lock(lock);
}

void rg_lock_give(rg_lock *lock)
{
    (void)pthread_mutex_unlock(lock);
}

void rg_latch_init(rg_latch *latch)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&latch->lock, NULL);
    (void)pthread_cond_init(&latch->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
    latch->open = false;
}

void rg_latch_fini(rg_latch *latch)
{
    (void)pthread_cond_destroy(&latch->changed);
    (void)pthread_mutex_destroy(&latch->lock);
}

void rg_latch_open(rg_latch *latch)
{
    (void)pthread_mutex_lock(&latch->lock);
    latch->open = true;
    /* Under the lock: once it is given the waiter may be gone, and the latch with it. */
    (void)pthread_cond_broadcast(&latch->changed);
    (void)pthread_mutex_unlock(&latch->lock);
}

bool rg_latch_wait(rg_latch *latch, uint64_t wait_ms)
{
    struct timespec until = {0};
    if (wait_ms != UINT64_MAX) {
        uint64_t at = rg_clock_ns() + wait_ms * 1000000u;
        until.tv_sec = (time_t)(at / 1000000000u);
        until.tv_nsec = (long)(at % 1000000000u);
    }
    (void)pthread_mutex_lock(&latch->lock);
    int failed = 0;
    while (!latch->open && failed == 0)
        failed = wait_ms == UINT64_MAX
                     ? pthread_cond_wait(&latch->changed, &latch->lock)
                     : pthread_cond_timedwait(&latch->changed, &latch->lock, &until);
    bool open = latch->open;
    (void)pthread_mutex_unlock(&latch->lock);
    return open;
}
