/* group.h - processes that compute one thing together.
 *
 * Every member calls the same operations in the same order; each is over when all have called it.
 * Sums are made in the order of ranks, so that a run repeats bit by bit, whatever the back end. A
 * member that dies, leaves or calls something else makes the operation fail everywhere, with its
 * name; the group is of no use afterwards, and is closed.
 *
 * An operation may be started and waited for later, and the caller computes meanwhile. How bytes
 * travel is a back end's: one file, one table of functions, one line in group.c. A thread of the
 * group's own makes its calls, one after another. Members that are all on one host meet by it, and
 * do the rest in memory that they have in common (group_shared.h).
 *
 * Threads: one thread of a process uses a group at a time. Every operation may wait; it says after
 * 10 s whom it waits for, and ends as rg_interrupted() says. */
#ifndef RG_COLL_GROUP_H
#define RG_COLL_GROUP_H

#include "base/status.h"
#include "rpc/rpc.h"
#include "tensor/dtype.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rg_group rg_group;

typedef enum rg_group_op { RG_GROUP_SUM, RG_GROUP_PROD, RG_GROUP_MAX, RG_GROUP_MIN } rg_group_op;

typedef struct rg_group_config {
    const char *backend; /* "rpc", "mpi"; NULL: rpc */
    int rank, size;
    const char *const *endpoints; /* rpc: of all ranks, in their order; borrowed for the call */
    const char *job;              /* NULL: any */
    rg_rpc_security security;
} rg_group_config;

/* Returns when all members are there. Owned. */
rg_status rg_group_open(rg_group **group, const rg_group_config *config);
/* The others are not waited for, but the rank whose endpoint carries the group (rpc: 0) lets them
 * end what is under way, and MPI ends when all do. NULL is allowed. */
void rg_group_close(rg_group *group);
/* This process ends with a failure: the others are told, and nobody is waited for. */
void rg_group_fail(rg_group *group, const char *why);

int rg_group_rank(const rg_group *group);
int rg_group_size(const rg_group *group);
const char *rg_group_backend_name(const rg_group *group);
/* Its ranks are on one host, and add up in memory that they have in common (group_shared.h). */
bool rg_group_shares_memory(const rg_group *group);
/* ... and look at numbers where they are, if those are in memory that is lent (sys/lent.h). */
bool rg_group_looks_at_lent(const rg_group *group);

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

/* ---- started now, waited for later ---- */

typedef struct rg_group_work rg_group_work;

/* As rg_group_all_reduce(); nobody touches the data until it has been waited for. Owned, ended by
 * rg_group_work_close(). */
rg_status rg_group_start_all_reduce(rg_group_work **work, rg_group *group, void *data, size_t n,
                                    rg_dtype dtype, rg_group_op op);
/* Items that each rank has, as many as it likes, in one column or two (rows, and their values). */
typedef struct rg_group_list {
    size_t n; /* items of this rank */
    int columns;
    const void *mine[2];
    size_t item_bytes[2]; /* the same on all ranks */
    /* Called once the number is known, on the group's thread or in a call of the group: memory for
     * a column of all ranks' items, in the order of ranks. NULL: there is none. */
    void *(*room)(void *user, int column, size_t bytes);
    void *user;
} rg_group_list;
rg_status rg_group_start_gather(rg_group_work **work, rg_group *group, const rg_group_list *list);
/* Returns when it is over, and says how it ended; only once for each. */
rg_status rg_group_wait(rg_group_work *work);
/* Of a gather that has been waited for: how many items that rank has. */
size_t rg_group_gathered(const rg_group_work *work, int rank);
/* Waits where nobody has. NULL is allowed. */
void rg_group_work_close(rg_group_work *work);

#endif
