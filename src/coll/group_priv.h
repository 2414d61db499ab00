/* group_priv.h - what a back end is, and the thread that it runs on. */
#ifndef RG_COLL_GROUP_PRIV_H
#define RG_COLL_GROUP_PRIV_H

#include "coll/group.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Arguments are checked before these are called. All are called on the group's own thread, and
 * return when the operation is over; where they wait, rg_interrupted() says whether to give up. */
typedef struct rg_group_backend {
    const char *name;
    rg_status (*join)(rg_group *group, const rg_group_config *config); /* sets group->state */
    /* What is said where join() waits for 10 s and cannot say it itself; NULL: it can. */
    const char *joins_silently;
    rg_status (*all_reduce)(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op);
    rg_status (*broadcast)(rg_group *group, void *data, size_t bytes, int root);
    rg_status (*all_gather)(rg_group *group, const void *mine, size_t bytes, void *all);
    /* NULL: all_reduce, and a part of it. */
    rg_status (*reduce_scatter)(rg_group *group, const void *data, void *part, size_t n,
                                rg_dtype dtype, rg_group_op op);
    /* all has what each rank has at at[rank], bytes[rank] long: ours is there already. NULL: by
     * all_gather, in places of the longest. */
    rg_status (*all_gather_in_place)(rg_group *group, uint8_t *all, const size_t *at,
                                     const size_t *bytes);
    rg_status (*barrier)(rg_group *group);
    /* Nothing is to be done: a few times a second, to answer others. NULL: not needed. */
    void (*idle)(rg_group *group);
    /* Also after join() failed. failed: why this process ends, NULL where it does as it should. */
    void (*close)(rg_group *group, const char *failed);
} rg_group_backend;

struct rg_group {
    const rg_group_backend *backend;
    int rank, size;
    void *state; /* the back end's own */
    /* Not NULL: all ranks are on one host, and operations are made in memory that they have in
     * common. Set by the group's thread when all have joined, before anyone calls. */
    _Atomic(struct rg_shared *) shared;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;  /* of what follows; held for moments */
    pthread_cond_t change; /* there is work */
    rg_group_work *first, *last;
    atomic_bool given_up; /* by who waits: what is under way ends */
    /* Its owner's, and one of each operation that was not closed: a step that failed leaves some
     * under way, and what has them may be closed after the group. */
    atomic_int refs;
};

extern const rg_group_backend rg_group_rpc, rg_group_mpi;

void rg_group_release(rg_group *group);
/* to[i] = a[i] op b[i]. Either may be `to`. */
void rg_group_combine(void *to, const void *a, const void *b, size_t n, rg_dtype dtype,
                      rg_group_op op);
/* A failure that names a rank is put down to it, for the launcher: "rank 3 is dead ...". */
rg_status rg_group_blame(rg_status code, int rank);

#endif
