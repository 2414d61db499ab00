/* by_hand.c - steps that a script makes, and those of them that were made before. */
#include "train/by_hand.h"

#include "dist/exchange.h"
#include "sys/metrics.h"

/* Whether the ops do no more than compute, and talk to servers. */
static bool has_other_effects(const rg_program *program)
{
    const rg_block *block = program->blocks[0];
    for (size_t i = 0; i < block->n_ops; i++) {
        const rg_opdesc *op = block->ops[i];
        if (op->op == NULL || rg_opdesc_attr(op, "sub_block") != NULL ||
            ((op->op->flags & RG_OP_EFFECT) != 0 && (op->op->flags & RG_OP_TALKS) == 0))
            return true;
    }
    return false;
}

/* The job whose servers have the next step of the program; NULL: it is to be made. */
static rg_job *made_before(const rg_executor *executor, const rg_program *program,
                           const rg_prepared *prepared)
{
    rg_job *job = rg_executor_job(executor);
    if (job == NULL || !rg_plan_trains(rg_prepared_plan(prepared)) || !rg_job_is_joined(job) ||
        !rg_exchange_replays(job, 0)) /* mostly it is told here */
        return NULL;
    return rg_program_has(program, RG_OP_PUSHES) && !has_other_effects(program) ? job : NULL;
}

rg_by_hand rg_by_hand_begin(rg_executor *executor, const rg_program *program, rg_scope *scope,
                            const rg_plan_config *config, rg_prepared *prepared)
{
    rg_by_hand run = {.prepared = prepared};
    rg_plan_config forward = *config;
    rg_prepared *instead;
    rg_job *job = made_before(executor, program, prepared);
    forward.forward = true;
    /* Where a gradient is fetched all of it is run. */
    if (job == NULL ||
        rg_executor_prepare(executor, program, scope, &forward, &instead, NULL) != RG_OK)
        return run;
    rg_plan_skip(rg_prepared_plan(prepared)); /* random numbers go by the number of the run */
    rg_prepared_release(prepared);
    return (rg_by_hand){.prepared = instead, .again = job};
}

rg_status rg_by_hand_run(const rg_by_hand *run)
{
    rg_plan *plan = rg_prepared_plan(run->prepared);
    if (run->again == NULL)
        return rg_plan_step(plan);
    rg_status code = rg_plan_run(plan);
    if (code == RG_OK && rg_exchange_skip(run->again, 0))
        rg_metric_add(RG_M_SKIPPED, 1);
    return code;
}
