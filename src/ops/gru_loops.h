/* gru_loops.h - the loops of gated recurrent units, which several ops have.
 *
 * What is computed stands in gru.c. RG_FLOATS(RG_GRU_STEP) defines add_bias and step, one step of
 * the rows that go on; RG_GRU_RUN the walk over all steps. */
#ifndef RG_OPS_GRU_LOOPS_H
#define RG_OPS_GRU_LOOPS_H

#include "math/gemm.h"
#include "ops/rnn.h"
#include "ops/types.h"

typedef struct rg_gru_unit {
    int64_t size;
    rg_cell_act gate, act;
    bool origin;
} rg_gru_unit;

#define RG_GRU_STEP(T, S)                                                                          \
    /* x + bias, row by row */                                                                     \
    RG_HOT static void add_bias_##S(T *gates, const T *x, const T *bias, int64_t n, int64_t width) \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (int64_t j = 0; j < width; j++)                                                    \
                gates[i * width + j] = x[i * width + j] + (bias ? bias[j] : 0);                    \
    }                                                                                              \
    RG_HOT static void reset_##S(const rg_gru_unit *u, T *gates, const T *h, T *reset, int64_t n)  \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t i = 0; i < n; i++, gates += 3 * size, reset += size) {                        \
            rg_cell_act_##S(u->gate, gates, 2 * size);                                             \
            for (int64_t j = 0; j < size; j++)                                                     \
                reset[j] = h ? gates[size + j] * h[i * size + j] : 0;                              \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void output_##S(const rg_gru_unit *u, T *gates, const T *h, T *out, int64_t n)   \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t i = 0; i < n; i++, gates += 3 * size, out += size) {                          \
            T *c = gates + 2 * size;                                                               \
            rg_cell_act_##S(u->act, c, size);                                                      \
            for (int64_t j = 0; j < size; j++) {                                                   \
                T old = h ? h[i * size + j] : 0;                                                   \
                T part = u->origin ? 1 - gates[j] : gates[j];                                      \
                out[j] = old + part * (c[j] - old);                                                \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* gates: x with the bias; becomes the gates. h NULL: zeros. */                                \
    static void step_##S(const rg_gru_unit *u, const T *weight, T *gates, const T *h, T *reset,    \
                         T *out, int64_t n)                                                        \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        if (h != NULL)                                                                             \
            rg_gemm_##S(false, false, n, 2 * size, size, 1, h, size, weight, 2 * size, 1, gates,   \
                        3 * size);                                                                 \
        reset_##S(u, gates, h, reset, n);                                                          \
        if (h != NULL)                                                                             \
            rg_gemm_##S(false, false, n, size, size, 1, reset, size, weight + 2 * size * size,     \
                        size, 1, gates + 2 * size, 3 * size);                                      \
        output_##S(u, gates, h, out, n);                                                           \
    }

#define RG_GRU_RUN(T, S)                                                                         \
    static void run_##S(const rg_gru_unit *u, const rg_steps *s, const T *x, const T *bias,      \
                        const T *h0, const T *weight, T *gates, T *reset, T *states)             \
    {                                                                                            \
        int64_t size = u->size;                                                                  \
        rg_to_steps(s, x, gates, 3 * (size_t)size * sizeof *x);                                  \
        add_bias_##S(gates, gates, bias, s->rows, 3 * size);                                     \
        for (int64_t t = 0; t < s->steps; t++) {                                                 \
            int64_t at = s->begin[t];                                                            \
            const T *h = t > 0 ? states + s->begin[t - 1] * size : h0;                           \
            step_##S(u, weight, gates + at * 3 * size, h, reset + at * size, states + at * size, \
                     rg_step_rows(s, t));                                                        \
        }                                                                                        \
    }

#endif
