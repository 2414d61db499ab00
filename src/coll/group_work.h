/* group_work.h - an operation that was started, and the thread that makes it. */
#ifndef RG_COLL_GROUP_WORK_H
#define RG_COLL_GROUP_WORK_H

#include "coll/group_priv.h"
#include "coll/rank_memory.h"
#include "sys/latch.h"

#include <stdint.h>
#include <stdio.h>

/* What an operation is, where ranks do it themselves (group_shared.h). */
typedef enum rg_group_kind {
    RG_GROUP_NONE, /* the group's own, of its thread */
    RG_GROUP_REDUCE,
    RG_GROUP_BROADCAST,
    RG_GROUP_GATHER,
    RG_GROUP_LIST,
    RG_GROUP_BARRIER,
    RG_GROUP_KINDS
} rg_group_kind;

struct rg_group_work {
    rg_status (*run)(rg_group_work *work); /* on the group's thread */
    rg_group_kind kind;
    bool is_last; /* the thread ends after it */
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

    /* Of ranks that have memory in common, in rounds. */
    size_t rounds;            /* 0: not known yet */
    size_t passed[RG_STAGES]; /* rounds that are through each stage */
    uint8_t *columns[2];      /* of a list: the room that was made for it */
    bool is_lent;             /* data is in memory that this process lends: at ... */
    uint64_t lent_at;
    bool in_memory; /* it is of those */
    bool is_over;
    uint64_t end; /* of the group's rounds; of what is over */

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
