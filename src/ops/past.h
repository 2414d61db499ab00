/* past.h - the steps of an optimizer so far, for rows that have missed some.
 *
 * An optimizer that moves every row at every step moves one without a gradient by its states
 * alone. A row's missed steps need not be made one at a time, nor when they happen, but before
 * the row is read: what they do depends on the rates of the steps, which are kept here, on a few
 * numbers that stay the same (rg_idle's `numbers`), and on the row.
 *
 * Steps are numbered from 2 on: a row whose last step is 0 was never named and does not move, and
 * one that came with states has seen step 1. One thread at a time notes steps; any may catch rows
 * up. */
#ifndef RG_OPS_PAST_H
#define RG_OPS_PAST_H

#include "base/buf.h"
#include "base/cursor.h"
#include "ir/update.h"

/* Owned; ended by close, which takes NULL too. */
rg_status rg_past_open(rg_past **past);
void rg_past_close(rg_past *past);

uint32_t rg_past_now(const rg_past *past); /* the last step; 1: none yet */
/* Whether a step with these numbers can be noted: always after rg_past_reset(). */
bool rg_past_takes(const rg_past *past, const float numbers[RG_IDLE_NUMBERS]);
/* Begin again at step 1; no row may be behind. */
void rg_past_reset(rg_past *past, const float numbers[RG_IDLE_NUMBERS]);
/* The next step has this rate, bias correction included; *step is its number. It counts from
 * rg_past_advance() on. */
rg_status rg_past_note(rg_past *past, float rate, uint32_t *step);
void rg_past_advance(rg_past *past, uint32_t step);

const float *rg_past_numbers(const rg_past *past);
float rg_past_rate(const rg_past *past, uint32_t step);
/* Whether a step after `since` had a rate that is no number: 0 times it is NaN, so every row is. */
bool rg_past_spoilt(const rg_past *past, uint32_t since);

/* All of it, for a snapshot; and back, into one without steps. */
void rg_past_write(const rg_past *past, rg_buf *out);
rg_status rg_past_read(rg_past *past, rg_cursor *in);

/* Of a state that fades by mu at each step: sums[0] = mu^k, what is left of it after the steps
 * since + 1 .. now, and sums[1] = what it has moved by, the sum of rate_j mu^j. */
void rg_past_fade(const rg_past *past, uint32_t since, uint32_t now, float mu, float sums[2]);

/* Sums over the steps since some step, formed before: many rows have missed the same ones. One
 * for each batch of rows, on its thread. */
enum { RG_MEMO_PLACES = 1024, RG_MEMO_SUMS = 5 };
struct rg_past_memo {
    uint32_t since[RG_MEMO_PLACES], now;
    float sums[RG_MEMO_PLACES][RG_MEMO_SUMS];
};

/* For rows that are brought to step `now`. */
void rg_past_memo_init(rg_past_memo *memo, uint32_t now);
/* The sums of rows that have seen step `since`, in which *fresh says that they are to be formed. */
static inline float *rg_past_memo_at(rg_past_memo *memo, uint32_t since, bool *fresh)
{
    uint32_t at = since % RG_MEMO_PLACES;
    *fresh = memo->since[at] != since;
    memo->since[at] = since;
    return memo->sums[at];
}

#endif
