/* adam_late.h - Adam over a table of which a step gives a gradient to few rows.
 *
 * Without lazy_mode every row moves at every step: a row without a gradient by its moments,
 * which shrink meanwhile. A row's missed steps need not be made one at a time, nor when they
 * happen, but before the row is read:
 *
 *   m -> b1^k m      v -> b2^k v      p -= sum over k of rate_k b1^k m / (b2^(k/2) sqrt(v) + eps)
 *
 * With a = sqrt(v) and e = eps / a, the sum is m / a times S1 - e S2 + e^2 S3 - ..., where
 * Sn = sum of rate_k (b1 / b2^(n/2))^k belongs to the steps and not to the row; its terms
 * vanish after a few hundred. Where e is not small the steps are made one by one. Rows that
 * never had a gradient have no moments and do not move.
 *
 * A table that is behind knows it (value.h): whoever reads all of it settles it first. */
#ifndef RG_OPS_ADAM_LATE_H
#define RG_OPS_ADAM_LATE_H

#include "tensor/value.h"

#include <stddef.h>

typedef struct rg_adam_late rg_adam_late;

/* What Adam's step would do to all rows is noted, and is done to the rows of the gradient. */
typedef struct rg_adam_step {
    rg_value *param, *moment1, *moment2; /* float32, [rows, width] */
    const int64_t *rows;                 /* n of them, ascending, each once, below the height */
    const float *grads;
    size_t n;
    float beta1, beta2, epsilon, rate; /* rate: as the step uses it, bias corrected */
} rg_adam_step;

rg_status rg_adam_late_step(const rg_adam_step *step);

/* Bring those rows of the table up to date; ids outside it are passed over. Any thread. */
void rg_adam_late_rows(const rg_value *table, const int64_t *ids, int64_t n);

#endif
