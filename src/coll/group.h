/* group.h - processes that compute one thing together.
 *
 * Every member calls the same operations in the same order; each returns when all have called it.
 * Sums are made in the order of ranks, so that a run repeats bit by bit. A member that dies, leaves
 * or calls something else makes the operation fail everywhere, with its name; the group is of no
 * use afterwards, and is closed.
 *
 * How bytes travel is a back end's: one file, one table of functions, one line in group.c.
 *
 * Threads: one thread of a process uses a group at a time. Every operation may wait; it says after
 * 10 s whom it waits for, and ends as rg_interrupted() says. */
#ifndef RG_COLL_GROUP_H
#define RG_COLL_GROUP_H

#include "base/status.h"
#include "rpc/rpc.h"
#include "tensor/dtype.h"

#include <stddef.h>

typedef struct rg_group rg_group;

typedef enum rg_group_op { RG_GROUP_SUM, RG_GROUP_PROD, RG_GROUP_MAX, RG_GROUP_MIN } rg_group_op;

typedef struct rg_group_config {
    const char *backend; /* "rpc"; NULL: that */
    int rank, size;
    const char *const *endpoints; /* of all ranks, in their order; borrowed for the call */
    const char *job;              /* NULL: any */
    rg_rpc_security security;
} rg_group_config;

/* Returns when all members are there. Owned. */
rg_status rg_group_open(rg_group **group, const rg_group_config *config);
/* The others are not waited for, but the rank whose endpoint carries the group (rpc: 0) lets them
 * end what is under way. NULL is allowed. */
void rg_group_close(rg_group *group);

int rg_group_rank(const rg_group *group);
int rg_group_size(const rg_group *group);

/* data [n] of each becomes that of all together. float32, float64, int32 and int64. */
rg_status rg_group_all_reduce(rg_group *group, void *data, size_t n, rg_dtype dtype,
                              rg_group_op op);
/* The root's bytes, to all. */
rg_status rg_group_broadcast(rg_group *group, void *data, size_t bytes, int root);
/* all [size, bytes]: what each has, in the order of ranks. */
rg_status rg_group_all_gather(rg_group *group, const void *mine, size_t bytes, void *all);
/* data [size, n] of each: its own part of the sum of all, to `part` [n]. */
rg_status rg_group_reduce_scatter(rg_group *group, const void *data, void *part, size_t n,
                                  rg_dtype dtype, rg_group_op op);
rg_status rg_group_barrier(rg_group *group);

#endif
