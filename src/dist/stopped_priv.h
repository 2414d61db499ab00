/* stopped_priv.h - the servers of a stopped job, for those who write down what they have. */
#ifndef RG_DIST_STOPPED_PRIV_H
#define RG_DIST_STOPPED_PRIV_H

#include "dist/serve_journal.h"
#include "dist/stopped.h"

/* By number; borrowed. Nothing is under way in it. */
rg_engine *rg_stopped_server(rg_stopped *job, int number);

#endif
