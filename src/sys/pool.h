/* pool.h - a few threads that do one job together.
 *
 * rg_pool_run(pool, work, arg) calls work(arg, 0) .. work(arg, n-1), each on its
 * own thread (0 on the caller's), and returns when all have. A task's failure
 * and its message come back to the caller: the lowest-numbered one that
 * failed. The others are told to halt then (rg_interrupted()), since what they
 * wait for may never come; that they fail because of it does not count. */
#ifndef RG_SYS_POOL_H
#define RG_SYS_POOL_H

#include "base/status.h"

typedef struct rg_pool rg_pool;
typedef rg_status (*rg_pool_work)(void *arg, int thread);

/* threads >= 1, the caller's included. Owned; ended by rg_pool_close(). */
rg_status rg_pool_open(rg_pool **pool, int threads);
void rg_pool_close(rg_pool *pool);
int rg_pool_threads(const rg_pool *pool);
/* One caller at a time. */
rg_status rg_pool_run(rg_pool *pool, rg_pool_work work, void *arg);
/* From a task of the run: the others shall halt, though none has failed. */
void rg_pool_halt(rg_pool *pool);

#endif
