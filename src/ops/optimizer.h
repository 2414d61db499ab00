/* optimizer.h - what the ops that update a parameter share.
 *
 * Such an op reads a parameter, its gradient and some state, and writes the parameter and
 * the state back, nearly always to the variables they came from. Its kernel begins with
 * rg_update_begin(), after which the outputs hold the old values, and goes over the gradient
 * in spans, so that one loop serves a dense gradient (one span) and a sparse one:
 *
 *     RG_TRY(rg_update_begin(ctx, &update, &g));
 *     while (rg_spans_next(&g))
 *         step_f32(p + g.at, v + g.at, g.grad, rate, g.n); */
#ifndef RG_OPS_OPTIMIZER_H
#define RG_OPS_OPTIMIZER_H

#include "ir/op.h"

/* A tensor that is read and written back. */
typedef struct rg_state {
    int in, out; /* slots */
    bool number; /* it is one number (a power of beta), else of the parameter's shape */
} rg_state;

typedef struct rg_update {
    int grad, rate; /* input slots; rate -1: none */
    int n;
    const rg_state *state; /* n of them, the parameter first */
} rg_update;

/* The whole shape rule: gradient and state agree with the parameter, the learning rate is
 * one number, every output is like its input. */
rg_status rg_update_infer(rg_ctx *ctx, const rg_update *update);

/* A walk over the gradient. `grad` is NULL before the first span. */
typedef struct rg_spans {
    int64_t at, n;    /* the span: n elements from element `at` of the parameter on */
    const void *grad; /* their gradient */
    const int64_t *rows;
    const uint8_t *values;
    size_t i, n_rows, size; /* size: bytes of an element */
    int64_t width, next, end;
} rg_spans;

/* Outputs that are not their inputs become copies of them; a sparse gradient is merged and
 * its rows are checked. Where the op has RG_OP_EVERY_ROW, rows that it does not name come too,
 * with zeros. */
rg_status rg_update_begin(rg_ctx *ctx, const rg_update *update, rg_spans *spans);
/* The next span, in ascending order; false: that was all. */
bool rg_spans_next(rg_spans *spans);
/* The sum of the gradient's squares; before the first rg_spans_next(). */
float rg_spans_squares_f32(const rg_spans *spans);
double rg_spans_squares_f64(const rg_spans *spans);

/* RG_EVALUE unless all rows of a sparse gradient are below `height`. */
rg_status rg_expect_rows_below(const rg_ctx *ctx, int grad, int64_t height);

/* RG_ESHAPE unless it is a float tensor of one number. */
rg_status rg_expect_number(const rg_ctx *ctx, int in);
/* That number. */
double rg_number(const rg_ctx *ctx, int in);

#endif
