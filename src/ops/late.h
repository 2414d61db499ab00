/* late.h - updates over a table of which a step gives a gradient to few rows, and moves them all:
 * the others move when they are next read (past.h says how).
 *
 * A table that is behind knows it (value.h): whoever reads all of it settles it first, and
 * look-ups settle the rows that they read. */
#ifndef RG_OPS_LATE_H
#define RG_OPS_LATE_H

#include "ir/update.h"

/* A kernel whose op has `idle` begins with this. *done: the step is made; what it would do to all
 * rows is noted, and was done to the rows of the gradient. Else they cannot wait (a dense gradient,
 * lazy_mode, not float32, not in place), and those that did have been brought up to date. */
rg_status rg_late_try(rg_ctx *ctx, bool *done);

#endif
