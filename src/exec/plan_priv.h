/* plan_priv.h - the inside of a plan, shared by the files of exec/. */
#ifndef RG_EXEC_PLAN_PRIV_H
#define RG_EXEC_PLAN_PRIV_H

#include "exec/plan.h"
#include "ir/bind.h"
#include "ir/fit.h"
#include "ir/kernel.h"
#include "sys/metrics.h"

/* A variable that ops on both sides of a plan use: it is at home on the plan's device, and ops that
 * run on the CPU have a twin of it. A copy is made when a side reads what the other has written. */
typedef struct rg_mirror {
    rg_value *home, *twin; /* counted; twin: on the CPU */
    bool home_ok, twin_ok; /* has the present content */
    bool outlives;         /* the run: kept in the scope, or fetched */
} rg_mirror;

/* What an op, or a stretch of ops, does with one. */
typedef struct rg_mirror_use {
    rg_mirror *mirror;
    bool reads, reads_shape, writes;
} rg_mirror_use;

/* An input that the op writes, too, as it is before the shape rule. */
typedef struct rg_rewritten {
    rg_meta *meta;
    bool read; /* its data, not its shape alone */
    int64_t numel;
    rg_dtype dtype;
} rg_rewritten;

/* What a tainted node writes and others see: feeds, and values of the scope. */
typedef struct rg_watched {
    const rg_value *value; /* what the node is bound to: it, or its twin */
    const rg_meta *noted;
} rg_watched;

/* One op, bound to its values. */
typedef struct rg_node {
    rg_ctx ctx;
    const rg_opdesc *desc;
    const rg_fit *fit; /* NULL: it is given no gradients that could misfit */
    rg_rewritten *rewritten;
    int n_rewritten;
    rg_kernel_run run;
    const rg_kernel *kernel; /* of the plan's device; NULL: it runs on the CPU */
    const char *label;       /* in profiles */
    rg_mirror_use *uses;     /* in a plan that is not the CPU's */
    int n_uses;
    bool tainted; /* its outputs' shapes can differ from run to run under equal feeds */
    bool infers;  /* so its shape rule runs each time; or since others shape its outputs, too */
    rg_watched *watched; /* of a tainted node; ended by one without a value */
    struct rg_region *sub;
} rg_node;

/* Nodes of the root region, one behind the other, that run on the device without the host. */
typedef struct rg_stretch {
    size_t first, end;
    rg_mirror_use *uses; /* of all of them */
    int n_uses;
    void *record;      /* NULL: not recorded */
    bool never;        /* it could not be */
    rg_value **fixed;  /* whose addresses are in the record and may change from outside, ... */
    const void **data; /* ... and these addresses */
    int n_fixed;
} rg_stretch;

/* A value of the scope that a plan refers to. */
typedef struct rg_kept {
    rg_value *value;     /* counted */
    const rg_device *at; /* where it must be */
    int shapers;         /* nodes, of any block, that give it a shape */
} rg_kept;

/* A variable of a region that is not kept in the scope. */
typedef struct rg_temp {
    const char *name;
    rg_value *value; /* owned */
    const rg_vardesc *desc;
    bool pinned; /* fed, fetched, held or seen by a sub-block: has memory of its own */
    bool trails; /* used beside later ops (RG_KERNEL_TRAILS): so has this */
    bool tainted;
    int read;        /* nodes that read it, in any way */
    int written;     /* nodes that write it */
    int shapers;     /* nodes, of any block, that give it a shape */
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
    const rg_device *binding; /* the device of the op whose names are looked up */
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
    rg_kept *kept;
    size_t n_kept, cap_kept;
    rg_map keep_index; /* name -> 1 + number in kept */
    rg_map passing;    /* name -> value of the scope that is fed or fetched */
    rg_value **feeds, **fetches;
    rg_value *const *ahead; /* the next run's feeds; NULL: not known */
    const rg_vardesc **feed_descs;
    int n_feeds, n_fetches;
    rg_meta *noted;           /* of what others see, when the run began by which it settled */
    bool trains, loss_is_sum; /* (step.c) */
    int loss, auc;            /* among the fetches; -1: not fetched */
    /* Of a plan on a device; else none of these is in use. */
    rg_map on_device; /* names that ops of the device use */
    rg_mirror **mirrors;
    size_t n_mirrors, cap_mirrors;
    rg_stretch *stretches;
    size_t n_stretches;
    struct rg_feed_block *feed_block;
    const char *to_device, *to_host; /* copies, in profiles */
    bool reads_step;                 /* an op reads the number of the run on the device */
    bool settled;                    /* shapes are those of the last run */
    bool check_nan;
    int check_nan_flag; /* its number */
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

/* place.c: which op runs where, and the copies between. */
rg_status rg_place_names(rg_plan *plan); /* before any region is opened */
const rg_kernel *rg_place_op(const rg_region *region, const rg_opdesc *op);
rg_status rg_place_label(rg_plan *plan, rg_node *node);
rg_value *rg_place_host(rg_plan *plan, rg_value *value); /* its twin, or itself; NULL: no memory */
rg_status rg_place_finish(rg_plan *plan);                /* after all are */
rg_status rg_place_on_cpu(rg_plan *plan, rg_node *node); /* the device's kernel cannot do it */
void rg_place_begin(rg_plan *plan);                      /* of a run */
rg_status rg_place_before(rg_plan *plan, const rg_mirror_use *uses, int n, bool on_host);
void rg_place_after(const rg_mirror_use *uses, int n, bool on_host);
rg_status rg_place_end(rg_plan *plan);
rg_status rg_place_kept(rg_plan *plan); /* values of the scope are where they belong */
const rg_mirror *rg_place_mirror(const rg_plan *plan, const rg_value *value); /* NULL: none */
void rg_place_close(rg_plan *plan);

/* record.c: stretches of ops that are recorded and run as one. */
rg_status rg_record_plan(rg_plan *plan);
void rg_record_forget(rg_plan *plan); /* addresses or sizes have changed */
/* The stretch that begins at the node, if it is to be run as one now; NULL: none is. */
rg_stretch *rg_record_at(rg_plan *plan, size_t node);
/* Run it; *done false: it could not be, and its nodes are to be run one by one. */
rg_status rg_record_run(rg_plan *plan, rg_stretch *stretch, bool *done);
void rg_record_close(rg_plan *plan);

/* feeds.c: what is fed to a plan on a device, put together and sent at once; and
 * rg_plan_feed_bytes(), rg_plan_feed_take(). */
rg_status rg_feeds_send(rg_plan *plan);
rg_status rg_feeds_settle(rg_plan *plan); /* after shapes have moved: lay them out anew */
void rg_feeds_close(rg_plan *plan);

/* region.c: one node, shapes and all. */
rg_status rg_node_run(rg_region *region, rg_node *node, bool settled);
/* The message names the op, its inputs and the user's line. */
rg_status rg_node_failed(rg_status code, const rg_opdesc *op);

/* shared.c: shapes, LoD and types of feeds and of values of the scope. */
rg_status rg_shared_open(rg_plan *plan); /* when it is known what is tainted */
void rg_shared_note(rg_plan *plan);
bool rg_shared_are_as_noted(const rg_plan *plan);
bool rg_shared_are_left(const rg_node *node); /* as noted, of those that it has written */
void rg_shared_close(rg_plan *plan);

/* memory.c: let temporaries of the root region share memory. */
rg_status rg_share_memory(rg_region *root);

/* check.c: FLAGS_check_nan_inf. */
rg_status rg_check_outputs(const rg_node *node);

/* What its program says of training, before passes change it (step.c). */
void rg_plan_mark(rg_plan *plan, const rg_plan_config *config);
/* Around a run by hand, for the time of its thread (sys/metrics.h). */
rg_step_part rg_step_begin(bool trains);
void rg_step_end(bool trains, rg_step_part before);
/* A step has been made, each of n threads its part by a plan of its own; the first tells the loss.
 */
void rg_plan_count(const rg_plan *const *plans, int n);

#endif
