/* linear_narrow.c - products with a few columns: each is a row here, so that loops run along it. */
#include "math/linear_narrow.h"

#include "base/bf16.h"

#include <string.h>

static void turn(const float *w, int64_t k, int64_t n, float *turned)
{
    for (int64_t p = 0; p < k; p++)
        for (int64_t j = 0; j < n; j++)
            turned[j * k + p] = w[p * n + j];
}

RG_INLINE float number(const void *x, bool bf16, int64_t i)
{
    return bf16 ? rg_bf16_float(((const uint16_t *)x)[i]) : ((const float *)x)[i];
}

static const void *row_of(rg_numbers x, int64_t i, int64_t k)
{
    return (const char *)x.data + (size_t)(i * k) * (x.bf16 ? 2 : 4);
}

/* ---- forward ---- */

/* In LANES sums side by side, added up in the end. */
RG_INLINE float dot(const void *x, bool bf16, const float *w, int64_t k)
{
    enum { LANES = 32 };
    float sums[LANES] = {0};
    int64_t p = 0;
    for (; p + LANES <= k; p += LANES)
        for (int l = 0; l < LANES; l++)
            sums[l] += number(x, bf16, p + l) * w[p + l];
    for (; p < k; p++)
        sums[0] += number(x, bf16, p) * w[p];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            sums[l] += sums[l + half];
    return sums[0];
}

RG_HOT static void forward_row(const void *x, bool bf16, const float *turned, const float *bias,
                               int64_t n, int64_t k, float *out)
{
    for (int64_t j = 0; j < n; j++)
        out[j] = (bf16 ? dot(x, true, turned + j * k, k) : dot(x, false, turned + j * k, k)) +
                 bias[j];
}

void rg_narrow_forward(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                       float *turned, float *out)
{
    turn(w, l->k, l->n, turned);
    for (int64_t i = 0; i < l->m; i++)
        forward_row(row_of(x, i, l->k), x.bf16, turned, bias, l->n, l->k, out + i * l->n);
}

/* ---- backward ---- */

RG_HOT static void add_row(float g, const float *from, float *to, int64_t k)
{
    for (int64_t p = 0; p < k; p++)
        to[p] += g * from[p];
}

/* The most frequent of all: two classes. */
RG_HOT static void two_rows(float a, float b, const float *first, const float *second, float *to,
                            int64_t k)
{
    for (int64_t p = 0; p < k; p++)
        to[p] = a * first[p] + b * second[p];
}

void rg_narrow_by_x(const rg_linear *l, const float *dz, const float *w, float *turned,
                    rg_numbers dx)
{
    enum { PIECE = 512 };
    float piece[PIECE];
    turn(w, l->k, l->n, turned);
    for (int64_t i = 0; i < l->m; i++)
        for (int64_t at = 0; at < l->k; at += PIECE) {
            int64_t some = l->k - at < PIECE ? l->k - at : PIECE;
            float *to = dx.bf16 ? piece : (float *)dx.data + i * l->k + at;
            const float *g = dz + i * l->n;
            if (l->n == 2) {
                two_rows(g[0], g[1], turned + at, turned + l->k + at, to, some);
            } else {
                memset(to, 0, (size_t)some * sizeof *to);
                for (int64_t j = 0; j < l->n; j++)
                    add_row(g[j], turned + j * l->k + at, to, some);
            }
            if (dx.bf16)
                rg_bf16_from_floats((uint16_t *)dx.data + i * l->k + at, to, (size_t)some);
        }
}

RG_INLINE void add_numbers(float g, const void *x, bool bf16, float *to, int64_t k)
{
    for (int64_t p = 0; p < k; p++)
        to[p] += g * number(x, bf16, p);
}

RG_HOT static void add_outer(const float *g, const void *x, bool bf16, float *turned, int64_t n,
                             int64_t k)
{
    for (int64_t j = 0; j < n; j++)
        if (bf16)
            add_numbers(g[j], x, true, turned + j * k, k);
        else
            add_numbers(g[j], x, false, turned + j * k, k);
}

void rg_narrow_by_w(const rg_linear *l, rg_numbers x, const float *dz, float *turned)
{
    memset(turned, 0, (size_t)(l->n * l->k) * sizeof *turned);
    for (int64_t i = 0; i < l->m; i++)
        add_outer(dz + i * l->n, row_of(x, i, l->k), x.bf16, turned, l->n, l->k);
}
