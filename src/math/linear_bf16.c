/* linear_bf16.c - layers with products of bfloat16. */
#include "math/linear_bf16.h"

#include "base/bf16.h"
#include "math/fast.h"
#include "math/gemm.h"
#include "math/linear_narrow.h"
#include "math/pairs.h"
#include "math/slope.h"

#include <string.h>

enum { ROOM_X = RG_ROOM_OWN, ROOM_W, ROOM_DZ, ROOM_OUT, ROOM_TURNED = RG_ROOMS - 1 };

/* ---- as the other type ---- */

static const uint16_t *as_bf16(int place, rg_numbers x, int64_t n)
{
    if (x.bf16)
        return x.data;
    uint16_t *out = rg_bf16_room(place, (size_t)n * sizeof *out);
    if (out != NULL)
        rg_bf16_from_floats(out, x.data, (size_t)n);
    return out;
}

static const float *as_floats(int place, rg_numbers x, int64_t n)
{
    if (!x.bf16)
        return x.data;
    float *out = rg_bf16_room(place, (size_t)n * sizeof *out);
    if (out != NULL)
        rg_bf16_to_floats(out, x.data, (size_t)n);
    return out;
}

/* Where floats that become `to` are computed. */
static float *float_room(int place, rg_numbers to, int64_t n)
{
    return to.bf16 ? rg_bf16_room(place, (size_t)n * sizeof(float)) : to.data;
}

static void hand_on(rg_numbers to, const float *from, int64_t n)
{
    if (to.bf16)
        rg_bf16_from_floats(to.data, from, (size_t)n);
}

/* ---- forward ---- */

/* In place; a NaN stays, as does 0 of either sign. */
RG_HOT static void relu_bf16(uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const uint16_t size = x[i] & 0x7fff;
        x[i] = x[i] > 0x8000 && size <= 0x7f80 ? 0 : x[i];
    }
}

RG_INLINE float activate(rg_activation act, float z)
{
    switch (act) {
    case RG_ACT_RELU:
        return 0 > z ? 0 : z;
    case RG_ACT_SIGMOID:
        return rg_sigmoidf(z);
    case RG_ACT_TANH:
        return rg_tanhf(z);
    case RG_ACT_NONE:
        break;
    }
    return z;
}

RG_HOT static void activate_floats(rg_activation act, float *x, int64_t n)
{
    if (act == RG_ACT_RELU)
        for (int64_t i = 0; i < n; i++)
            x[i] = activate(RG_ACT_RELU, x[i]);
    else if (act == RG_ACT_SIGMOID)
        for (int64_t i = 0; i < n; i++)
            x[i] = activate(RG_ACT_SIGMOID, x[i]);
    else if (act == RG_ACT_TANH)
        for (int64_t i = 0; i < n; i++)
            x[i] = activate(RG_ACT_TANH, x[i]);
}

static bool is_narrow(const rg_linear *l)
{
    return l->n <= RG_NARROW && l->k > RG_NARROW;
}

static rg_status forward_narrow(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                                rg_numbers out)
{
    float *turned = rg_bf16_room(ROOM_W, (size_t)(l->n * l->k) * sizeof *turned);
    float *to = float_room(ROOM_OUT, out, l->m * l->n);
    if (turned == NULL || to == NULL)
        return RG_ENOMEM;
    rg_narrow_forward(l, x, w, bias, turned, to);
    activate_floats(l->act, to, l->m * l->n);
    hand_on(out, to, l->m * l->n);
    return RG_OK;
}

static rg_status forward_floats(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                                rg_numbers out)
{
    const float *from = as_floats(ROOM_X, x, l->m * l->k);
    float *to = float_room(ROOM_OUT, out, l->m * l->n);
    if (from == NULL || to == NULL)
        return RG_ENOMEM;
    rg_linear_f32(l->m, l->n, l->k, from, w, bias, l->act, to);
    hand_on(out, to, l->m * l->n);
    return RG_OK;
}

rg_status rg_linear_bf16(const rg_linear *l, rg_numbers x, const float *w, const float *bias,
                         rg_numbers out)
{
    if (is_narrow(l))
        return forward_narrow(l, x, w, bias, out);
    if (!rg_bf16_suits(l->m, l->n, l->k, l->m))
        return forward_floats(l, x, w, bias, out);
    /* What is not linear is computed of floats. */
    bool straight = !out.bf16 || l->act == RG_ACT_NONE || l->act == RG_ACT_RELU;
    rg_bf16_product p = {.precision = l->precision,
                         .bias = true,
                         .bf16_out = out.bf16 && straight,
                         .packed = true,
                         .m = l->m,
                         .n = l->n,
                         .k = l->k,
                         .lda = l->k,
                         .ldb = l->n,
                         .ldc = l->n};
    const uint16_t *from = as_bf16(ROOM_X, x, l->m * l->k);
    void *packed = rg_bf16_room(ROOM_W, rg_bf16_packed_bytes(&p));
    void *to = straight ? out.data : float_room(ROOM_OUT, out, l->m * l->n);
    if (from == NULL || packed == NULL || to == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_bf16_pack(&p, w, packed));
    RG_TRY(rg_bf16_multiply(&p, from, packed, bias, to));
    if (p.bf16_out && l->act == RG_ACT_RELU)
        relu_bf16(to, l->m * l->n);
    else if (!p.bf16_out)
        activate_floats(l->act, to, l->m * l->n);
    if (!straight)
        hand_on(out, to, l->m * l->n);
    return RG_OK;
}

/* ---- backward ---- */

RG_INLINE float number(const void *x, bool bf16, int64_t i)
{
    return bf16 ? rg_bf16_float(((const uint16_t *)x)[i]) : ((const float *)x)[i];
}

/* dZ of a row, and its sums by columns, of floats that are then rounded. */
RG_INLINE void through_row(rg_activation act, int64_t n, const void *out, bool out_bf16,
                           const void *dout, bool dout_bf16, uint16_t *restrict dz,
                           float *restrict sums)
{
    for (int64_t j = 0; j < n; j++) {
        const float g = number(dout, dout_bf16, j);
        const float z = act == RG_ACT_NONE ? g : g * rg_slope(act, number(out, out_bf16, j));
        sums[j] += z;
        dz[j] = rg_bf16_of(z);
    }
}

#define THROUGH(NAME, ACT)                                                                         \
    RG_HOT static void through_##NAME(int64_t n, const void *out, bool out_bf16, const void *dout, \
                                      bool dout_bf16, uint16_t *dz, float *sums)                   \
    {                                                                                              \
        if (out_bf16 && dout_bf16)                                                                 \
            through_row(ACT, n, out, true, dout, true, dz, sums);                                  \
        else if (out_bf16)                                                                         \
            through_row(ACT, n, out, true, dout, false, dz, sums);                                 \
        else if (dout_bf16)                                                                        \
            through_row(ACT, n, out, false, dout, true, dz, sums);                                 \
        else                                                                                       \
            through_row(ACT, n, out, false, dout, false, dz, sums);                                \
    }
THROUGH(none, RG_ACT_NONE)
THROUGH(relu, RG_ACT_RELU)
THROUGH(sigmoid, RG_ACT_SIGMOID)
THROUGH(tanh, RG_ACT_TANH)

static void through(const rg_linear *l, const rg_linear_grads *g, uint16_t *dz)
{
    static void (*const rows[])(int64_t, const void *, bool, const void *, bool, uint16_t *,
                                float *) = {through_none, through_relu, through_sigmoid,
                                            through_tanh};
    size_t out_size = g->out.bf16 ? 2 : 4, dout_size = g->dout.bf16 ? 2 : 4;
    for (int64_t i = 0; i < l->m; i++) {
        size_t at = (size_t)(i * l->n);
        rows[l->act](l->n, (const char *)g->out.data + at * out_size, g->out.bf16,
                     (const char *)g->dout.data + at * dout_size, g->dout.bf16, dz + at, g->sums);
    }
}

RG_HOT static void descend(float *to, const float *from, float rate, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] -= rate * from[i];
}

static rg_status by_x(const rg_linear *l, const rg_linear_grads *g, const uint16_t *dz)
{
    rg_bf16_product p = {.precision = l->precision,
                         .trans_b = true,
                         .bf16_out = g->dx.bf16,
                         .packed = true,
                         .m = l->m,
                         .n = l->k,
                         .k = l->n,
                         .lda = l->n,
                         .ldb = l->n,
                         .ldc = l->k};
    void *packed = rg_bf16_room(ROOM_W, rg_bf16_packed_bytes(&p));
    if (packed == NULL)
        return RG_ENOMEM;
    RG_TRY(rg_bf16_pack(&p, g->w, packed));
    return rg_bf16_multiply(&p, dz, packed, NULL, g->dx.data);
}

/* dW = X^T dZ. oneDNN is slow at turning its first operand: 171 us for 400 x 512 x 400 on a Xeon
 * with AMX, and 108 of one that is turned, with dZ packed; which costs less by our own loops. */
static rg_status multiply_turned(const rg_linear *l, const uint16_t *x, const uint16_t *dz,
                                 float *dw)
{
    rg_bf16_product p = {.precision = l->precision,
                         .packed = true,
                         .m = l->k,
                         .n = l->n,
                         .k = l->m,
                         .lda = l->m,
                         .ldb = l->n,
                         .ldc = l->n};
    uint16_t *turned = rg_bf16_room(ROOM_TURNED, (size_t)(l->m * l->k) * sizeof *turned);
    void *packed = rg_bf16_room(ROOM_W, rg_bf16_packed_bytes(&p));
    if (turned == NULL || packed == NULL)
        return RG_ENOMEM;
    if (rg_bf16_pack_rows(&p, dz, packed)) {
        rg_turn_bf16(x, l->m, l->k, turned);
        return rg_bf16_multiply(&p, turned, packed, NULL, dw);
    }
    p.packed = false;
    p.trans_a = true;
    p.lda = l->k;
    return rg_bf16_multiply(&p, x, dz, NULL, dw);
}

static rg_status by_w(const rg_linear *l, const rg_linear_grads *g, const uint16_t *dz)
{
    const uint16_t *x = as_bf16(ROOM_X, g->x, l->m * l->k);
    float *dw = g->dw ? g->dw : rg_bf16_room(ROOM_OUT, (size_t)(l->k * l->n) * sizeof *dw);
    if (x == NULL || dw == NULL)
        return RG_ENOMEM;
    RG_TRY(multiply_turned(l, x, dz, dw));
    if (g->w_out != NULL)
        descend(g->w_out, dw, g->rate, l->k * l->n);
    return RG_OK;
}

/* The same of floats, where that is no longer. */
static void through_floats(const rg_linear *l, const rg_linear_grads *g, float *dz)
{
    for (int64_t i = 0; i < l->m; i++)
        for (int64_t j = 0; j < l->n; j++) {
            int64_t at = i * l->n + j;
            float y = l->act != RG_ACT_NONE ? number(g->out.data, g->out.bf16, at) : 0;
            dz[at] = number(g->dout.data, g->dout.bf16, at) * rg_slope(l->act, y);
            g->sums[j] += dz[at];
        }
}

static rg_status backward_narrow(const rg_linear *l, const rg_linear_grads *g, const float *dz)
{
    float *turned = rg_bf16_room(ROOM_W, (size_t)(l->n * l->k) * sizeof *turned);
    if (turned == NULL)
        return RG_ENOMEM;
    if (g->dx.data != NULL)
        rg_narrow_by_x(l, dz, g->w, turned, g->dx);
    if (g->dw == NULL && g->w_out == NULL)
        return RG_OK;
    rg_narrow_by_w(l, g->x, dz, turned);
    for (int64_t p = 0; p < l->k; p++)
        for (int64_t j = 0; j < l->n; j++) {
            float sum = turned[j * l->k + p];
            if (g->dw != NULL)
                g->dw[p * l->n + j] = sum;
            if (g->w_out != NULL)
                g->w_out[p * l->n + j] -= g->rate * sum;
        }
    return RG_OK;
}

static rg_status backward_floats(const rg_linear *l, const rg_linear_grads *g)
{
    float *dz = rg_bf16_room(ROOM_DZ, (size_t)(l->m * l->n) * sizeof *dz);
    if (dz == NULL)
        return RG_ENOMEM;
    through_floats(l, g, dz);
    if (is_narrow(l))
        return backward_narrow(l, g, dz);
    const float *x = as_floats(ROOM_X, g->x, l->m * l->k);
    float *dx = g->dx.data ? float_room(ROOM_OUT, g->dx, l->m * l->k) : NULL;
    if (x == NULL || (g->dx.data != NULL && dx == NULL))
        return RG_ENOMEM;
    if (dx != NULL) {
        rg_gemm_f32(false, true, l->m, l->k, l->n, 1, dz, l->n, g->w, l->n, 0, dx, l->k);
        hand_on(g->dx, dx, l->m * l->k);
    }
    if (g->dw != NULL)
        rg_gemm_f32(true, false, l->k, l->n, l->m, 1, x, l->k, dz, l->n, 0, g->dw, l->n);
    if (g->w_out != NULL)
        rg_gemm_f32(true, false, l->k, l->n, l->m, -g->rate, x, l->k, dz, l->n, 1, g->w_out, l->n);
    return RG_OK;
}

rg_status rg_linear_grads_bf16(const rg_linear *l, const rg_linear_grads *g)
{
    memset(g->sums, 0, (size_t)l->n * sizeof *g->sums);
    if (is_narrow(l) || !rg_bf16_suits(l->m, l->n, l->k, l->m))
        return backward_floats(l, g);
    uint16_t *dz = rg_bf16_room(ROOM_DZ, (size_t)(l->m * l->n) * sizeof *dz);
    if (dz == NULL)
        return RG_ENOMEM;
    through(l, g, dz);
    /* dX before W is changed. */
    if (g->dx.data != NULL)
        RG_TRY(by_x(l, g, dz));
    return g->dw != NULL || g->w_out != NULL ? by_w(l, g, dz) : RG_OK;
}
