/* group_shared.h - operations of ranks that have memory in common (rank_memory.h).
 *
 * They are made by whoever calls them, and not by the group's thread: to start one is to write what
 * this rank has to its area, and whatever can be done then without waiting, also of those before,
 * is done. The rest is done in the wait. So nobody is woken to add up a few numbers, and what
 * backward has just written is read where it still is in the cache. */
#ifndef RG_COLL_GROUP_SHARED_H
#define RG_COLL_GROUP_SHARED_H

#include "coll/group_work.h"
#include "coll/rank_memory.h"

typedef struct rg_shared rg_shared;

/* Owned; takes the memory over. NULL: no memory. */
rg_shared *rg_shared_new(rg_rank_memory *memory, int rank, int size);
rg_rank_memory *rg_shared_memory(const rg_shared *shared);
bool rg_shared_lends(const rg_shared *shared);
void rg_shared_free(rg_shared *shared); /* NULL is allowed */

/* `work` is an operation that nobody waits for yet. Does not wait. */
void rg_shared_start(rg_shared *shared, rg_group_work *work);
/* Until it is over. */
rg_status rg_shared_wait(rg_shared *shared, rg_group_work *work);

#endif
