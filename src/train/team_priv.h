/* team_priv.h - a run as part of a job: what all trainers do together, and what this one leaves
 * for its launcher. */
#ifndef RG_TRAIN_TEAM_PRIV_H
#define RG_TRAIN_TEAM_PRIV_H

#include "train/train.h"

typedef struct rg_team {
    struct rg_job *job;  /* borrowed; NULL: none */
    rg_value *pos, *neg; /* counts of the AUC; NULL: none */
    uint64_t told_ns;    /* when the servers were told last */
    rg_train_result all;
} rg_team;

void rg_team_open(rg_team *team, struct rg_job *job, const rg_program *program, rg_scope *scope);

/* `mine` over all trainers, as far as they have told; `mine` itself outside a job. Asks the
 * servers at most once a second, unless it is the last time. */
const rg_train_result *rg_team_result(rg_team *team, const rg_train_result *mine, bool last);

/* A process that was started again has skipped so many batches of this run and trains on from here,
 * in one thread: the counts of an AUC that the one before had told are taken up, where they are of
 * this run. What it had counted since, less than a second, is not known. */
void rg_team_goes_on(rg_team *team, uint64_t skipped);

/* worker.N.report in $REGATTA_RUN_DIR: examples so far, and the files. Failures are logged. */
void rg_team_report(const rg_team *team, const rg_dataset *dataset, uint64_t rows);

#endif
