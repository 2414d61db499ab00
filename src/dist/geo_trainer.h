/* geo_trainer.h - what a trainer does in geo mode, for mode_geo.c. */
#ifndef RG_DIST_GEO_TRAINER_H
#define RG_DIST_GEO_TRAINER_H

#include "dist/job.h"
#include "ir/op.h"

/* In place of the kernel of `send`: takes the snapshot in a startup program; notes rows that were
 * looked up in a step, and exchanges where it is time. Its state is job->mode_state. */
rg_status rg_geo_send(rg_ctx *ctx, rg_job *job);
/* Of rg_mode.skip. */
bool rg_geo_skip(rg_job *job, bool counts);
void rg_geo_close(rg_job *job);

#endif
