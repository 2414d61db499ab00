/* group_work.h - an operation that was started, and the thread that makes it. */
#ifndef RG_COLL_GROUP_WORK_H
#define RG_COLL_GROUP_WORK_H

#include "coll/group_priv.h"
#include "sys/latch.h"

#include <stdint.h>
#include <stdio.h>

struct rg_group_work {
    rg_status (*run)(rg_group_work *work); /* on the group's thread */
    bool is_last;                          /* the thread ends after it */
    /* Its arguments, as far as it has them. Borrowed. */
    void *data;
    const void *from;
    size_t n;
    rg_dtype dtype;
    rg_group_op op;
    int root;
    const rg_group_config *config;
    const char *voice; /* said by who waits, after 10 s: the thread itself cannot. NULL: it can */
    const char *failed;
    rg_group_list list;
    uint64_t *counts; /* of a gather, by rank; owned */

    rg_group *group;
    rg_group_work *next;
    rg_latch done;
    bool waited;
    rg_status code;
    char why[600];
};

rg_status rg_group_thread_begin(rg_group *group);
void rg_group_thread_end(rg_group *group);
/* A copy of `what` is queued. */
rg_status rg_group_start(rg_group_work **work, rg_group *group, const rg_group_work *what);
/* Started and waited for. */
rg_status rg_group_do(rg_group *group, const rg_group_work *what);

#endif
