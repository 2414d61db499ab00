/* ending.h - a launcher that is told to end its job says so to the job's processes.
 *
 * Before it asks the first of them to end: who sees others go then knows why, and does not take the
 * job for one that has failed. The word is a file in the folder that REGATTA_RUN_DIR names, and it
 * is looked for when it is wanted. Any thread. */
#ifndef RG_SYS_ENDING_H
#define RG_SYS_ENDING_H

#include "base/status.h"

#include <stdbool.h>

/* By the launcher, of the job that has this folder. */
rg_status rg_ending_say(const char *run_dir);
/* By a process of the job; false where there is no launcher. */
bool rg_ending_was_said(void);

#endif
