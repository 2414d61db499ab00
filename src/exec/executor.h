/* executor.h - runs programs: plans are made when first asked for, kept, and fed with what fits.
 *
 * A plan is found by the program and its version, the scope, and the names fed and fetched; up to
 * RG_EXECUTOR_PLANS are kept, and of those the one used least recently goes first. Those of a
 * closed program, or of a scope that nobody else has, go when the next plan is made. An executor
 * may be used from several threads: a plan is one thread's while that has it taken, and lives until
 * it is given back, whatever becomes of the executor meanwhile. */
#ifndef RG_EXEC_EXECUTOR_H
#define RG_EXEC_EXECUTOR_H

#include "exec/plan.h"

enum { RG_EXECUTOR_PLANS = 64 };

typedef struct rg_executor rg_executor;
typedef struct rg_prepared rg_prepared; /* a plan of an executor's, counted */

/* Owned; ended by rg_executor_close(). Its runs take part in `job`, which may be NULL and outlives
 * its plans. */
rg_status rg_executor_open(rg_executor **executor, struct rg_job *job);
struct rg_job *rg_executor_job(const rg_executor *executor);
/* Its plans are for this device, unless their config names one; before the first is made. */
void rg_executor_set_device(rg_executor *executor, const rg_device *device);
const rg_device *rg_executor_device(const rg_executor *executor); /* NULL: the CPU */
void rg_executor_close(rg_executor *executor);
/* Drop all plans. */
void rg_executor_clear(rg_executor *executor);

/* The plan for a run; *is_new, where asked: it was made now. Given up by rg_prepared_release(). */
rg_status rg_executor_prepare(rg_executor *executor, const rg_program *program, rg_scope *scope,
                              const rg_plan_config *config, rg_prepared **prepared, bool *is_new);
/* The executor does not keep it any longer; and it is given up. */
void rg_executor_forget(rg_executor *executor, rg_prepared *prepared);
/* The same, of a plan that is not kept: each thread of a training has its own, which goes with it.
 * Nobody else has it, it need not be taken. */
rg_status rg_executor_make(rg_executor *executor, const rg_program *program, rg_scope *scope,
                           const rg_plan_config *config, rg_prepared **prepared);
void rg_prepared_release(rg_prepared *prepared);

/* The plan becomes this thread's until rg_prepared_give_back(). False: another has it, and
 * `wait` is not wanted. */
bool rg_prepared_take(rg_prepared *prepared, bool wait);
void rg_prepared_give_back(rg_prepared *prepared);
/* For who has taken it. */
rg_plan *rg_prepared_plan(const rg_prepared *prepared);

/* Where the steps of the next pass over data begin: each pass of an executor draws numbers of its
 * own, and a script that is run again draws the same. Passes that infer are counted apart. */
uint64_t rg_executor_begin_pass(rg_executor *executor, bool infer);

/* Run every op of the program once: startup programs. */
rg_status rg_execute(rg_executor *executor, const rg_program *program, rg_scope *scope);

/* ---- what may be fed ---- */

/* A tensor to be fed, of whatever memory. All borrowed. */
typedef struct rg_fed {
    const void *data;
    rg_dtype dtype;
    rg_shape shape;
    rg_lod *lod;           /* NULL: none */
    const rg_value *value; /* not NULL: it is this one, wherever its memory is, and not `data` */
} rg_fed;

/* RG_EINVAL, naming the feed, where it does not fit the variable's description. desc NULL: the
 * program does not know it, and everything fits. */
rg_status rg_feed_check(const rg_vardesc *desc, rg_dtype dtype, const rg_shape *shape);
/* Checked and copied: feed number i of the plan. Shapes are inferred again only where they differ
 * from the last run's. */
rg_status rg_feed_plan(rg_plan *plan, int i, const rg_fed *fed);
/* Checked and copied into a value of the caller's. */
rg_status rg_feed_value(const rg_vardesc *desc, const rg_fed *fed, rg_value *value);

#endif
