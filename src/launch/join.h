/* join.h - workers that are added to a job that runs.
 *
 * Whoever wants one (launch_ps --join) leaves a file "join.NAME" in the job's folder for that; the
 * launcher looks there a few times a second, and answers in "joined.NAME": a line that begins with
 * "started" or "refused". A file is the means since it works for anyone who may write to the logs,
 * and for nobody else. */
#ifndef RG_LAUNCH_JOIN_H
#define RG_LAUNCH_JOIN_H

#include "base/buf.h"
#include "base/status.h"

#include <stdbool.h>

typedef struct rg_join rg_join;

/* Makes the folder; what is left there of another job goes. */
rg_status rg_join_open(rg_join **join, const char *folder);
/* The folder is gone then, so that nobody waits for an answer. NULL is allowed. */
void rg_join_close(rg_join *join);
/* Whether somebody asks, and then the answer: a line. */
rg_status rg_join_asked(rg_join *join, bool *asked);
rg_status rg_join_answer(rg_join *join, const char *text);

#endif
