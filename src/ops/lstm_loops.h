/* lstm_loops.h - the loops of long short-term memory, which several ops have.
 *
 * What is computed stands in lstm.c. RG_FLOATS(RG_LSTM_CELLS) defines add_bias and cells, one step
 * of the rows that go on; RG_LSTM_RUN the walk over all steps; RG_LSTM_CELLS_BACK what a step gives
 * back, and bias_back. */
#ifndef RG_OPS_LSTM_LOOPS_H
#define RG_OPS_LSTM_LOOPS_H

#include "math/gemm.h"
#include "ops/rnn.h"
#include "ops/types.h"

typedef struct rg_lstm_unit {
    int64_t size;
    rg_cell_act gate, cell, cand;
    bool peepholes;
    double clip; /* of the cell, above 0 where it has one */
} rg_lstm_unit;

/* All in step order. before NULL: zeros. peep: w_i, w_f, w_o, or NULL. */
#define RG_LSTM_CELLS(T, S)                                                                       \
    RG_HOT static void add_bias_##S(T *gates, const T *bias, int64_t n, int64_t width)            \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++)                                                           \
            for (int64_t j = 0; j < width; j++)                                                   \
                gates[i * width + j] += bias[j];                                                  \
    }                                                                                             \
    RG_HOT static void cells_##S(const rg_lstm_unit *u, T *gates, const T *peep, const T *before, \
                                 T *cells, T *acts, T *states, int64_t n)                         \
    {                                                                                             \
        int64_t size = u->size;                                                                   \
        for (int64_t r = 0; r < n; r++, gates += 4 * size) {                                      \
            T *c = gates, *i = c + size, *f = i + size, *o = f + size;                            \
            T *cell = cells + r * size, *act = acts + r * size;                                   \
            const T *old = before ? before + r * size : NULL;                                     \
            for (int64_t j = 0; peep != NULL && old != NULL && j < size; j++) {                   \
                i[j] += peep[j] * old[j];                                                         \
                f[j] += peep[size + j] * old[j];                                                  \
            }                                                                                     \
            rg_cell_act_##S(u->cand, c, size);                                                    \
            rg_cell_act_##S(u->gate, i, 2 * size);                                                \
            for (int64_t j = 0; j < size; j++)                                                    \
                cell[j] = i[j] * c[j] + f[j] * (old ? old[j] : 0);                                \
            for (int64_t j = 0; u->clip > 0 && j < size; j++) {                                   \
                T top = (T)u->clip, low = -top > cell[j] ? -top : cell[j];                        \
                cell[j] = top < low ? top : low;                                                  \
            }                                                                                     \
            for (int64_t j = 0; j < size; j++)                                                    \
                act[j] = cell[j];                                                                 \
            for (int64_t j = 0; peep != NULL && j < size; j++)                                    \
                o[j] += peep[2 * size + j] * cell[j];                                             \
            rg_cell_act_##S(u->gate, o, size);                                                    \
            rg_cell_act_##S(u->cell, act, size);                                                  \
            for (int64_t j = 0; j < size; j++)                                                    \
                states[r * size + j] = o[j] * act[j];                                             \
        }                                                                                         \
    }

#define RG_LSTM_RUN(T, S)                                                                       \
    static void run_##S(const rg_lstm_unit *u, const rg_steps *s, const T *x, const T *bias,    \
                        const T *h0, const T *c0, const T *weight, T *gates, T *cells, T *acts, \
                        T *states)                                                              \
    {                                                                                           \
        int64_t size = u->size;                                                                 \
        const T *peep = u->peepholes ? bias + 4 * size : NULL;                                  \
        rg_to_steps(s, x, gates, 4 * (size_t)size * sizeof *x);                                 \
        add_bias_##S(gates, bias, s->rows, 4 * size);                                           \
        for (int64_t t = 0; t < s->steps; t++) {                                                \
            int64_t at = s->begin[t] * size, n = rg_step_rows(s, t);                            \
            const T *h = t > 0 ? states + s->begin[t - 1] * size : h0;                          \
            const T *c = t > 0 ? cells + s->begin[t - 1] * size : c0;                           \
            if (h != NULL)                                                                      \
                rg_gemm_##S(false, false, n, 4 * size, size, 1, h, size, weight, 4 * size, 1,   \
                            gates + 4 * at, 4 * size);                                          \
            cells_##S(u, gates + 4 * at, peep, c, cells + at, acts + at, states + at, n);       \
        }                                                                                       \
    }

#define RG_LSTM_CELLS_BACK(T, S)                                                                   \
    RG_HOT static void cells_back_##S(const rg_lstm_unit *u, const T *gates, const T *peep,        \
                                      const T *old, const T *act, const T *cells, const T *dout,   \
                                      const T *dcell_out, T *dgates, T *dold, int64_t n)           \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t r = 0; r < n; r++) {                                                          \
            const T *c = gates + r * 4 * size, *i = c + size, *f = i + size, *o = f + size;        \
            T *dc = dgates + r * 4 * size, *di = dc + size, *df = di + size, *d_o = df + size;     \
            int64_t at = r * size;                                                                 \
            T *dcell = dold + at;                                                                  \
            for (int64_t j = 0; j < size; j++) {                                                   \
                d_o[j] = dout[at + j] * act[at + j];                                               \
                dcell[j] = dout[at + j] * o[j];                                                    \
            }                                                                                      \
            rg_cell_act_grad_##S(u->gate, o, d_o, size);                                           \
            rg_cell_act_grad_##S(u->cell, act + at, dcell, size);                                  \
            for (int64_t j = 0; j < size; j++) {                                                   \
                T whole = dcell[j] + dcell_out[at + j] + (peep ? peep[2 * size + j] * d_o[j] : 0); \
                if (u->clip > 0 && (cells[at + j] >= (T)u->clip || cells[at + j] <= -(T)u->clip))  \
                    whole = 0;                                                                     \
                dc[j] = whole * i[j];                                                              \
                di[j] = whole * c[j];                                                              \
                df[j] = whole * old[at + j];                                                       \
                dcell[j] = whole * f[j];                                                           \
            }                                                                                      \
            rg_cell_act_grad_##S(u->cand, c, dc, size);                                            \
            rg_cell_act_grad_##S(u->gate, i, di, 2 * size);                                        \
            for (int64_t j = 0; peep != NULL && j < size; j++)                                     \
                dcell[j] += peep[j] * di[j] + peep[size + j] * df[j];                              \
        }                                                                                          \
    }                                                                                              \
    RG_HOT static void add_##S(T *to, const T *from, int64_t n)                                    \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i] += from[i];                                                                      \
    }                                                                                              \
    RG_HOT static void bias_back_##S(const rg_lstm_unit *u, const T *d, const T *old,              \
                                     const T *cell, int64_t n, T *dbias)                           \
    {                                                                                              \
        int64_t size = u->size;                                                                    \
        for (int64_t j = 0; j < (u->peepholes ? 7 : 4) * size; j++)                                \
            dbias[j] = 0;                                                                          \
        for (int64_t r = 0; r < n; r++, d += 4 * size, old += size, cell += size) {                \
            for (int64_t j = 0; j < 4 * size; j++)                                                 \
                dbias[j] += d[j];                                                                  \
            for (int64_t j = 0; u->peepholes && j < size; j++) {                                   \
                dbias[4 * size + j] += d[size + j] * old[j];                                       \
                dbias[5 * size + j] += d[2 * size + j] * old[j];                                   \
                dbias[6 * size + j] += d[3 * size + j] * cell[j];                                  \
            }                                                                                      \
        }                                                                                          \
    }

#endif
