/* late.h - updates over a table of which a step gives a gradient to few rows, and moves them all:
 * the others move when they are next read (past.h says how).
 *
 * A table that is behind knows it (value.h): whoever reads all of it settles it first, and
 * look-ups settle the rows that they read. */
#ifndef RG_OPS_LATE_H
#define RG_OPS_LATE_H

#include "ir/update.h"

/* Whether the rows that the op's gradient does not name can wait: it has `idle`, moves them, and
 * works on float32 in place. */
bool rg_late_can(const rg_ctx *ctx);
/* The step: what it would do to all rows is noted, and is done to the rows of the gradient. */
rg_status rg_late_step(rg_ctx *ctx);

#endif
