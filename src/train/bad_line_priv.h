/* bad_line_priv.h - the line of a file that has a value which an op or a server refuses. */
#ifndef RG_TRAIN_BAD_LINE_PRIV_H
#define RG_TRAIN_BAD_LINE_PRIV_H

#include "data/dataset.h"
#include "exec/plan.h"

/* The batch that was run. */
typedef struct rg_bad_batch {
    const rg_plan *plan;
    const char *const *feeds; /* names */
    int n_feeds;
    const rg_origins *origins;
    const rg_dataset *dataset;
} rg_bad_batch;

/* An op or a server has refused a value. It says which ("the id 77 ...", "label is 7 at element
 * ..."), and here it is known what line had it. */
rg_status rg_name_line(const rg_bad_batch *of, rg_status code);

#endif
