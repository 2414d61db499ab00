/* cond.c - conditions with a time limit. */
#include "sys/cond.h"

#include "sys/clock.h"

#include <time.h>

enum { SECOND = 1000000000 };

void rg_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(cond, &attr);
    (void)pthread_condattr_destroy(&attr);
}

bool rg_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t ns)
{
    uint64_t at = rg_clock_ns() + ns;
    const struct timespec until = {.tv_sec = (time_t)(at / SECOND), .tv_nsec = (long)(at % SECOND)};
    return pthread_cond_timedwait(cond, lock, &until) == 0;
}
