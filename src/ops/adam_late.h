/* adam_late.h - Adam over a table of which a step gives a gradient to few rows: the others
 * move when they are next read (adam_past.h says how).
 *
 * A table that is behind knows it (value.h): whoever reads all of it settles it first. */
#ifndef RG_OPS_ADAM_LATE_H
#define RG_OPS_ADAM_LATE_H

#include "ops/adam_past.h"
#include "tensor/value.h"

#include <stddef.h>

/* What Adam's step would do to all rows is noted, and is done to the rows of the gradient. */
typedef struct rg_adam_update {
    rg_value *param, *moment1, *moment2; /* float32, [rows, width] */
    const int64_t *rows;                 /* n of them, ascending, each once, below the height */
    const float *grads;
    size_t n;
    rg_adam_betas betas;
    float rate; /* as the step uses it, bias corrected */
} rg_adam_update;

rg_status rg_adam_late_step(const rg_adam_update *update);

/* Bring those rows of the table up to date; ids outside it are passed over. Any thread. */
void rg_adam_late_rows(const rg_value *table, const int64_t *ids, int64_t n);

#endif
