/* job_priv.h - between the files of a job. */
#ifndef RG_DIST_JOB_PRIV_H
#define RG_DIST_JOB_PRIV_H

#include "dist/job.h"

/* job_lost.c: `user` is the rg_job_server that is dead. From the thread of the heartbeats, while we
 * may be joining further servers, or leaving: what was waiting for the dead one goes on before we
 * have told the others. */
void rg_job_server_dead(void *user, const char *how);

#endif
