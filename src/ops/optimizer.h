/* optimizer.h - what the kernels of ops that update a parameter share.
 *
 * Such an op reads a parameter, its gradient and some state, and writes the parameter and
 * the state back, nearly always to the variables they came from; ir/update.h has what it says of
 * that. Its kernel begins with rg_update_begin(), after which the outputs hold the old values, and
 * goes over the gradient in spans, so that one loop serves a dense gradient (one span) and a
 * sparse one:
 *
 *     RG_TRY(rg_update_begin(ctx, &g));
 *     while (rg_walk_next(&g))
 *         step_f32(p + g.at, v + g.at, g.grad, rate, g.n); */
#ifndef RG_OPS_OPTIMIZER_H
#define RG_OPS_OPTIMIZER_H

#include "ir/update.h"

/* The whole shape rule: gradient and state agree with the parameter, the learning rate is
 * one number, every output is like its input. */
rg_status rg_update_infer(rg_ctx *ctx);

/* A walk over the gradient. `grad` is NULL before the first span. */
typedef struct rg_walk {
    int64_t at, n;    /* the span: n elements from element `at` of the parameter on */
    const void *grad; /* their gradient */
    const int64_t *rows;
    const uint8_t *values;
    size_t i, n_rows, size; /* size: bytes of an element */
    int64_t width, next, end;
} rg_walk;

/* Outputs that are not their inputs become copies of them; a sparse gradient is merged and
 * its rows are checked. Where the op moves rows that it does not name they come too, with zeros. */
rg_status rg_update_begin(rg_ctx *ctx, rg_walk *walk);
/* The next span, in ascending order; false: that was all. */
bool rg_walk_next(rg_walk *walk);
/* The sum of the gradient's squares; before the first rg_walk_next(). */
float rg_walk_squares_f32(const rg_walk *walk);
double rg_walk_squares_f64(const rg_walk *walk);

/* Whether rows that a sparse gradient does not name move, too. */
bool rg_moves_idle(const rg_ctx *ctx);
/* Of the definition's `begin`, or the learning rate; 1: it has none. */
float rg_step_rate(rg_ctx *ctx);

/* RG_EVALUE unless all rows of a sparse gradient are below `height`. */
rg_status rg_expect_rows_below(const rg_ctx *ctx, int grad, int64_t height);

/* RG_ESHAPE unless it is a float tensor of one number. */
rg_status rg_expect_number(const rg_ctx *ctx, int in);
/* That number. */
double rg_number(const rg_ctx *ctx, int in);

#endif
