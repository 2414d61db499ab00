/* geo.h - training on one's own, exchanging differences now and then (docs/transpiler.md). */
#ifndef RG_DIST_GEO_H
#define RG_DIST_GEO_H

#include "dist/job.h"

/* The kernel of a send op with geo attributes: at the end of the startup program it takes the
 * snapshot that changes are counted from, at the end of a step it notes what was touched and,
 * every so many steps, exchanges. */
rg_status rg_geo_send(rg_ctx *ctx, rg_job *job);

#endif
