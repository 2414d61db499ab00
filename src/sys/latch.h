/* latch.h - a lock, and a flag that threads can wait for. */
#ifndef RG_SYS_LATCH_H
#define RG_SYS_LATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef pthread_mutex_t rg_lock;
#define RG_LOCK_INIT PTHREAD_MUTEX_INITIALIZER

void rg_lock_init(rg_lock *lock);
void rg_lock_fini(rg_lock *lock);
void rg_lock_take(rg_lock *lock);
void rg_lock_give(rg_lock *lock);

/* Closed until it is opened, once and for all. The opener must not touch it afterwards: who
 * waits may free it at once. */
typedef struct rg_latch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
} rg_latch;

void rg_latch_init(rg_latch *latch);
void rg_latch_fini(rg_latch *latch);
void rg_latch_open(rg_latch *latch);
/* False where wait_ms passed first; UINT64_MAX waits without end. */
bool rg_latch_wait(rg_latch *latch, uint64_t wait_ms);

#endif
