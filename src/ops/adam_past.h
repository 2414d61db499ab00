/* adam_past.h - Adam's steps so far, and what those that a row has missed do to it.
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
 * Steps are numbered from 2 on: a row whose last step is 0 has no moments, and one that came
 * with moments has seen step 1. One thread at a time notes steps; any may catch rows up. */
#ifndef RG_OPS_ADAM_PAST_H
#define RG_OPS_ADAM_PAST_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct rg_adam_past rg_adam_past;

typedef struct rg_adam_betas {
    float beta1, beta2, epsilon;
} rg_adam_betas;

/* Owned; ended by close, which takes NULL too. */
rg_status rg_adam_past_open(rg_adam_past **past);
void rg_adam_past_close(rg_adam_past *past);

uint32_t rg_adam_past_now(const rg_adam_past *past); /* the last step; 1: none yet */
/* Whether a step with these betas can be noted: RG_OK always after rg_adam_past_reset(). */
bool rg_adam_past_takes(const rg_adam_past *past, rg_adam_betas betas);
/* Begin again at step 1; no row may be behind. */
void rg_adam_past_reset(rg_adam_past *past, rg_adam_betas betas);
/* The next step has this rate, bias correction included; *step is its number. It counts from
 * rg_adam_past_advance() on. */
rg_status rg_adam_past_note(rg_adam_past *past, float rate, uint32_t *step);
void rg_adam_past_advance(rg_adam_past *past, uint32_t step);

/* Sums that were formed before: one for each batch of rows, on its thread. */
enum { RG_ADAM_MEMO = 1024 };
typedef struct rg_adam_memo {
    uint32_t since[RG_ADAM_MEMO], now;
    float shrink1[RG_ADAM_MEMO], shrink2[RG_ADAM_MEMO];
    float sum1[RG_ADAM_MEMO], sum2[RG_ADAM_MEMO], sum3[RG_ADAM_MEMO];
} rg_adam_memo;

/* For rows that are brought to step `now`. */
void rg_adam_memo_init(rg_adam_memo *memo, uint32_t now);
/* A row of n elements has seen step `since`, above 0 and below memo's now. */
void rg_adam_catch_up(const rg_adam_past *past, rg_adam_memo *memo, uint32_t since, float *p,
                      float *m, float *v, int64_t n);

/* A step with a gradient. */
void rg_adam_step(float *p, float *m, float *v, const float *g, rg_adam_betas betas, float rate,
                  int64_t n);

#endif
