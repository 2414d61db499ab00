/* rnn.h - what recurrent ops share: sequences walked together, and activations.
 *
 * Sequences of different lengths are walked step by step, all at once. The longest come
 * first, so that those that still go on at a step are the first ones, and a step is one
 * block of rows: row i of step t belongs to the i-th longest sequence. The rows of all steps,
 * one step after the other, are in what is called step order below. */
#ifndef RG_OPS_RNN_H
#define RG_OPS_RNN_H

#include "base/hot.h"
#include "ir/op.h"
#include "math/fast.h"

#include <math.h>

typedef struct rg_steps {
    int64_t sequences, steps, rows;
    const int64_t *order; /* which sequence is the i-th longest */
    const int64_t *begin; /* steps + 1: where a step's rows begin in step order */
    const int64_t *row;   /* rows: which row of the tensor stands at a place in step order */
} rg_steps;

/* Of a LoD of one level, in scratch memory; `reverse` walks each sequence from its end. */
rg_status rg_make_steps(rg_ctx *ctx, const rg_lod *lod, bool reverse, rg_steps *out);

static inline int64_t rg_step_rows(const rg_steps *s, int64_t t)
{
    return s->begin[t + 1] - s->begin[t];
}

/* Rows of `bytes` each: tensor order to step order, and back. */
void rg_to_steps(const rg_steps *s, const void *from, void *to, size_t bytes);
void rg_from_steps(const rg_steps *s, const void *from, void *to, size_t bytes);
/* What each row of step order follows: the row of the sequence's step before, or, at its
 * first step, its row of `first` (NULL: zeros). `values` is in step order. */
void rg_previous_rows(const rg_steps *s, const void *values, const void *first, void *to,
                      size_t bytes);
/* One row for each sequence: the order of the tensor to that of the steps, and back. Rows of
 * sequences that are empty are zeros. */
void rg_states_to_steps(const rg_steps *s, const void *from, void *to, size_t bytes);
void rg_states_from_steps(const rg_steps *s, const void *from, void *to, size_t bytes);

/* The states before the first step that an input holds, one row for each sequence, in the order of
 * the steps; NULL where it is not given. */
rg_status rg_first_states(rg_ctx *ctx, const rg_steps *s, int slot, const void **out);

/* RG_ESHAPE unless the input, where it is given, has the dtype of input `like` and this shape: for
 * weights, biases and states. */
rg_status rg_expect_state(const rg_ctx *ctx, int slot, int like, const rg_shape *wanted);

/* For kernels of gradients: RG_ESHAPE unless the input has so many elements, of the
 * dtype of input `like`. */
rg_status rg_expect_kept(const rg_ctx *ctx, int slot, int like, int64_t numel);

/* ---- activations, by their numbers in saved programs ---- */

typedef enum rg_cell_act {
    RG_CELL_IDENTITY,
    RG_CELL_SIGMOID,
    RG_CELL_TANH,
    RG_CELL_RELU,
    RG_CELL_CLIPPED_SIGMOID /* of x within [-40, 13] */
} rg_cell_act;

/* By the name in a STRING attribute, or the number in an INT one; RG_EINVAL else. The ops that
 * say it by name, gru and lstm, clip what they take the sigmoid of, as Fluid's do. */
rg_status rg_cell_act_from_attr(const rg_ctx *ctx, int attr, rg_cell_act *act);

#define RG_ACTIVATIONS(T, S, SIGMOID, TANH)                                           \
    /* y = act(y) */                                                                  \
    RG_INLINE void rg_cell_act_##S(rg_cell_act act, T *y, int64_t n)                  \
    {                                                                                 \
        if (act == RG_CELL_SIGMOID)                                                   \
            for (int64_t j = 0; j < n; j++)                                           \
                y[j] = SIGMOID(y[j]);                                                 \
        else if (act == RG_CELL_CLIPPED_SIGMOID)                                      \
            for (int64_t j = 0; j < n; j++) {                                         \
                T x = -40 > y[j] ? -40 : y[j];                                        \
                y[j] = SIGMOID(13 < x ? 13 : x);                                      \
            }                                                                         \
        else if (act == RG_CELL_TANH)                                                 \
            for (int64_t j = 0; j < n; j++)                                           \
                y[j] = TANH(y[j]);                                                    \
        else if (act == RG_CELL_RELU)                                                 \
            for (int64_t j = 0; j < n; j++)                                           \
                y[j] = 0 > y[j] ? 0 : y[j];                                           \
    }                                                                                 \
    /* d = d act'(x), where y = act(x) */                                             \
    RG_INLINE void rg_cell_act_grad_##S(rg_cell_act act, const T *y, T *d, int64_t n) \
    {                                                                                 \
        if (act == RG_CELL_SIGMOID || act == RG_CELL_CLIPPED_SIGMOID)                 \
            for (int64_t j = 0; j < n; j++)                                           \
                d[j] *= y[j] * (1 - y[j]);                                            \
        else if (act == RG_CELL_TANH)                                                 \
            for (int64_t j = 0; j < n; j++)                                           \
                d[j] *= 1 - y[j] * y[j];                                              \
        else if (act == RG_CELL_RELU)                                                 \
            for (int64_t j = 0; j < n; j++)                                           \
                d[j] *= y[j] > 0 ? 1 : 0;                                             \
    }

RG_INLINE double rg_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

RG_ACTIVATIONS(float, f32, rg_sigmoidf, rg_tanhf)
RG_ACTIVATIONS(double, f64, rg_sigmoid, tanh)

#endif
