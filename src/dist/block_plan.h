/* block_plan.h - one block of a program as a plan of its own. */
#ifndef RG_DIST_BLOCK_PLAN_H
#define RG_DIST_BLOCK_PLAN_H

#include "exec/plan.h"

/* Block `block`'s ops from number `first` on, over the scope, fed with the variable `feed`
 * (NULL: nothing is fed). Owned; ended by rg_plan_close(). */
rg_status rg_block_plan_open(rg_plan **plan, const rg_program *program, int block, size_t first,
                             rg_scope *scope, const char *feed);

#endif
