/* by_hand.h - a program that a script runs by itself, step by step (exe.run).
 *
 * The script of a trainer that was started again makes the steps once more that its servers have.
 * They are not pushed again. So of such a run only that is computed which is asked for: what is
 * fetched, forwards, of the parameters as they are now, and what the program counts for itself; of
 * a run that fetches nothing mostly nothing. Random numbers are what they would have been. */
#ifndef RG_TRAIN_BY_HAND_H
#define RG_TRAIN_BY_HAND_H

#include "exec/executor.h"

typedef struct rg_by_hand {
    rg_prepared *prepared; /* what is to be fed, and has the fetches; owned */
    struct rg_job *again;  /* the step was made before; NULL: it was not */
} rg_by_hand;

/* In the place of `prepared`, the executor's plan for a run of the program with this config: it, or
 * that of a step that was made before. Takes over what is given; nobody else has it taken. */
rg_by_hand rg_by_hand_begin(rg_executor *executor, const rg_program *program, rg_scope *scope,
                            const rg_plan_config *config, rg_prepared *prepared);
/* For who has taken its plan, and has fed it. */
rg_status rg_by_hand_run(const rg_by_hand *run);

#endif
