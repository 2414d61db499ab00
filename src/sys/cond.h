/* cond.h - waiting for a condition no longer than so long, by the monotonic clock. */
#ifndef RG_SYS_COND_H
#define RG_SYS_COND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void rg_cond_init(pthread_cond_t *cond);
/* False: the time has passed. `lock` is held before and after. */
bool rg_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t ns);

#endif
