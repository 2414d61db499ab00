/* plan_priv.h - the inside of a plan, shared by the files of exec/. */
#ifndef RG_EXEC_PLAN_PRIV_H
#define RG_EXEC_PLAN_PRIV_H

#include "exec/plan.h"
#include "ir/bind.h"
#include "ir/kernel.h"

/* One op, bound to its values. */
typedef struct rg_node {
    rg_ctx ctx;
    const rg_opdesc *desc;
    rg_kernel_run run; /* on the plan's device */
    bool tainted;      /* its outputs' shapes can differ from run to run under equal feeds */
    struct rg_region *sub;
} rg_node;

/* A variable of a region that is not kept in the scope. */
typedef struct rg_temp {
    const char *name;
    rg_value *value; /* owned */
    const rg_vardesc *desc;
    bool pinned; /* fed, fetched, held or seen by a sub-block: has memory of its own */
    bool tainted;
    int read;        /* nodes that read it, in any way */
    int written;     /* nodes that write it */
    int first, last; /* nodes that first write and last read its data; -1: none */
} rg_temp;

/* A block, planned. The root region is the program's block 0. */
typedef struct rg_region {
    rg_plan *plan;
    const rg_block *block;
    struct rg_region *parent;  /* around it */
    struct rg_region *forward; /* of a gradient block: the region it differentiates */
    rg_node *nodes;
    size_t n_nodes;
    rg_temp *temps;
    size_t n_temps, cap_temps;
    rg_map index; /* name -> 1 + number in temps */
    bool has_arrays;
    /* Variables that the gradient region reads, set aside after every step. */
    size_t *kept;
    size_t n_kept, cap_kept;
    /* Variables around it that it changes and the gradient region reads. */
    rg_value **carried;
    size_t n_carried, cap_carried;
} rg_region;

struct rg_plan {
    rg_program *program; /* its own, after the passes */
    rg_scope *scope;
    uint64_t scope_epoch;
    rg_arena arena;   /* contexts */
    rg_arena scratch; /* of one kernel */
    rg_region *root;
    rg_region **regions; /* all of them, owned */
    size_t n_regions, cap_regions;
    rg_value **kept; /* values of the scope that it refers to, counted */
    size_t n_kept, cap_kept;
    rg_map keep_index; /* name -> rg_value */
    rg_value **feeds, **fetches;
    rg_value *const *ahead; /* the next run's feeds; NULL: not known */
    const rg_vardesc **feed_descs;
    int n_feeds, n_fetches;
    bool settled; /* shapes are those of the last run */
    bool any_tainted;
    bool check_nan;
    rg_run run;
};

/* region.c: make the nodes of a block, and run them. */
rg_status rg_region_open(rg_region **region, rg_plan *plan, const rg_block *block,
                         rg_region *parent, rg_region *forward);
rg_status rg_region_run(rg_region *region);
void rg_region_close(rg_region *region);
rg_temp *rg_region_temp(const rg_region *region, const char *name);
/* What the executor does for kernels with sub-blocks. */
extern const rg_run_services rg_plan_services;

/* steps.c: the steps of a loop, set aside for its gradient. */
rg_status rg_steps_save(rg_region *region, rg_value *scopes);
rg_status rg_steps_load(rg_region *region, rg_value *scopes, size_t i);
rg_status rg_present_keep(rg_region *region, rg_value *scopes);
rg_status rg_present_load(rg_region *region, rg_value *scopes);

/* memory.c: let temporaries of the root region share memory. */
rg_status rg_share_memory(rg_region *root);

/* check.c: FLAGS_check_nan_inf. */
rg_status rg_check_outputs(const rg_node *node);

#endif
