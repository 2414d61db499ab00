/* stopped.h - the servers of a job that was stopped, made again from their journals, without
 * anybody to serve: to go on with another number of them, or to have what they had learned as
 * files.
 *
 * All are in this process, with all that they had, and at one moment: pushes that some servers have
 * and others do not are left out, since what is missing of them is nowhere. Nothing in the
 * journals' folder is changed. */
#ifndef RG_DIST_STOPPED_H
#define RG_DIST_STOPPED_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct rg_stopped rg_stopped;

typedef struct rg_stopped_about {
    int servers;
    uint32_t trainers;
    uint64_t steps;    /* sync: that were made */
    uint64_t pushes;   /* of all trainers */
    uint64_t left_out; /* pushes that not all servers had */
    uint32_t readings; /* passes over leased data that were begun; 0: it is not leased */
    uint64_t examples; /* of those, in ranges that are done */
} rg_stopped_about;

/* `path`: a folder with journals, server-0 and so on, or a snapshot that rg_stopped_write() made.
 * Owned; ended by close, which takes NULL too. RG_ETIMEOUT where a server is at work there. */
rg_status rg_stopped_open(rg_stopped **job, const char *path);
void rg_stopped_close(rg_stopped *job);
rg_stopped_about rg_stopped_tell(const rg_stopped *job);

/* Into a folder that is not there yet: a snapshot of all, for any number of servers
 * (FLAGS_ps_resume_from). It is there when it is whole. */
rg_status rg_stopped_write(rg_stopped *job, const char *path);
/* As fluid.io.save_persistables() writes them: a file for each parameter and state of an optimizer,
 * in Paddle's format. *n: how many. What trainers keep for themselves (running means of batch_norm,
 * counts of an AUC) servers do not have. */
rg_status rg_stopped_export(rg_stopped *job, const char *path, size_t *n);

#endif
