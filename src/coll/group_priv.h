/* group_priv.h - what a back end is. */
#ifndef RG_COLL_GROUP_PRIV_H
#define RG_COLL_GROUP_PRIV_H

#include "coll/group.h"

/* Arguments are checked before these are called. */
typedef struct rg_group_backend {
    const char *name;
    rg_status (*join)(rg_group *group, const rg_group_config *config); /* sets group->state */
    rg_status (*all_reduce)(rg_group *group, void *data, size_t n, rg_dtype dtype, rg_group_op op);
    rg_status (*broadcast)(rg_group *group, void *data, size_t bytes, int root);
    rg_status (*all_gather)(rg_group *group, const void *mine, size_t bytes, void *all);
    /* NULL: all_reduce, and a part of it. */
    rg_status (*reduce_scatter)(rg_group *group, const void *data, void *part, size_t n,
                                rg_dtype dtype, rg_group_op op);
    rg_status (*barrier)(rg_group *group);
    void (*close)(rg_group *group); /* also after join() failed */
} rg_group_backend;

struct rg_group {
    const rg_group_backend *backend;
    int rank, size;
    void *state; /* the back end's own */
};

extern const rg_group_backend rg_group_rpc;

/* to[i] = to[i] op from[i]. */
void rg_group_combine(void *to, const void *from, size_t n, rg_dtype dtype, rg_group_op op);

#endif
