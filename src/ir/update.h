/* update.h - what an op that updates a parameter says of itself, for all who need to know:
 *
 *   - its own kernel and shape rule (ops/optimizer.h);
 *   - the passes, which find updates in programs, part them between trainers and servers, and
 *     fuse what can be fused;
 *   - the servers' tables, which keep a row, with its states, for each id that was touched, and
 *     let `row_step` move the rows of a push where they stand (dist/serve_row_steps.c);
 *   - rows that are behind on one machine (ops/late.h).
 *
 * A new optimizer is one file: its op has one of these in `update`, and nothing else is edited.
 * Without `row_step` a server copies the rows out, runs the op on them and copies them back;
 * without `idle`, where every step moves every row, it keeps the whole table. */
#ifndef RG_IR_UPDATE_H
#define RG_IR_UPDATE_H

#include "ir/op.h"
#include "ir/program.h"

enum {
    RG_MAX_STATES = 8,     /* of an optimizer, with a row for each of the parameter's */
    RG_IDLE_NUMBERS = 4,   /* that decide how idle rows go on */
    RG_ROWS_AT_ONCE = 128, /* rows in a batch */
};

/* A tensor that is read and written back. */
typedef struct rg_state {
    int in, out;  /* slots */
    bool counter; /* one number (a power of beta), else it is of the parameter's shape */
} rg_state;

/* Rows of float32 to be moved, each once. part[0] is the parameter's, part[k] that of state k,
 * counters not counted: part[k][i] has `width` elements of row i. */
typedef struct rg_row_batch {
    size_t n;
    int64_t width;
    float *part[1 + RG_MAX_STATES][RG_ROWS_AT_ONCE];
    const float *grads; /* [n, width]; NULL where rows are idle */
} rg_row_batch;

/* The steps so far, and sums over them that were formed before (ops/past.h). */
typedef struct rg_past rg_past;
typedef struct rg_past_memo rg_past_memo;

/* How rows that have missed steps make them up, all at once. A row whose states are zero has none
 * to make up: it does not move. */
typedef struct rg_idle {
    /* What decides it, besides the rates of the steps: betas, say. Where they change, all rows
     * are brought up to date first. */
    void (*numbers)(const rg_ctx *ctx, float numbers[RG_IDLE_NUMBERS]);
    /* Row i has seen step since[i], at least 1, and is behind; it is brought to the memo's. */
    void (*catch_up)(const rg_past *past, rg_past_memo *memo, const uint32_t *since,
                     const rg_row_batch *rows);
    /* RG_OF(attribute) that must be above zero: without it rows with states of zero do move, to
     * NaN. 0: none. */
    int epsilon;
} rg_idle;

typedef struct rg_update {
    int grad, rate; /* input slots; rate -1: none */
    int n;
    const rg_state *state; /* n of them, the parameter first */

    /* Rows that a sparse gradient does not name move, too, ... */
    bool every_row;
    int lazy; /* ... unless this attribute is true: RG_OF(attribute) */
    /* param - rate * grad and no more, so that whatever makes the gradient can make the step. */
    bool plain;
    /* The type of the op that makes the step of a dense gradient of which few rows are not zero,
     * and which comes as those rows. NULL: none does for an op with these attributes. */
    const char *(*of_dense_rows)(const rg_opdesc *op);

    /* For rows of float32, once a step: counters go on, and what is returned is the rate that
     * rows move at, bias corrected. The gradient's value is of RG_ROWS. NULL: it is the rate. */
    float (*begin)(rg_ctx *ctx);
    /* Move rows by their gradients. Called for any part of a step's rows, in any order. */
    void (*row_step)(const rg_ctx *ctx, float rate, const rg_row_batch *rows);
    const rg_idle *idle; /* of every_row: rows can make up for steps later */
} rg_update;

/* ---- of an op in a program ---- */

/* NULL: it is no update. */
static inline const rg_update *rg_update_of(const rg_opdesc *op)
{
    return op != NULL && op->op != NULL ? op->op->update : NULL;
}

/* Names of its variables; NULL: it has none. `op` is an update. */
const char *rg_update_param(const rg_opdesc *op);
const char *rg_update_grad(const rg_opdesc *op);
const char *rg_update_rate(const rg_opdesc *op);
/* Of state i of its definition. */
const char *rg_update_state(const rg_opdesc *op, int i);
/* Whether the parameter is written back to where it came from, and: all states, too. */
bool rg_update_keeps_param(const rg_opdesc *op);
bool rg_update_in_place(const rg_opdesc *op);
/* Whether it moves rows that a sparse gradient does not name, and: whether they can make up for
 * that later. */
bool rg_update_moves_idle(const rg_opdesc *op);
bool rg_update_can_wait(const rg_opdesc *op);

#endif
