/* update.cu - the steps of optimizers, float32: over all elements of a dense gradient, or over the
 * rows of a sparse one, those of one row added up first.
 *
 * Rows are found together by a table of hashes that is made anew each time: a row's numbers are
 * added, atomically, to where the first of it that came into the table stands. */
#include "gpu/cuda.h"

/* ---- one element ---- */

/* The rate of the step; Adam's is corrected by the powers of its betas. */
RG_DEVICE float rate_of(const rg_cu_update *u)
{
    float rate = u->rate ? *u->rate : 1;
    if (u->kind == RG_CU_ADAM) {
        float used[2];
        for (int i = 0; i < 2; i++)
            used[i] = u->advance_first[i] ? *u->power[i] * u->number[i] : *u->power[i];
        return rate * sqrtf(1 - used[1]) / (1 - used[0]);
    }
    if (u->kind == RG_CU_ADAMAX)
        return rate / (1 - *u->power[0]);
    return rate;
}

RG_DEVICE void adam(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float b1 = u->number[0], b2 = u->number[1], eps = u->number[2];
    float a = b1 * u->state[0][i] + (1 - b1) * g, b = b2 * u->state[1][i] + (1 - b2) * g * g;
    u->state[0][i] = a;
    u->state[1][i] = b;
    u->param[i] -= rate * (a / (sqrtf(b) + eps));
}

/* numbers: keep, add, eps */
RG_DEVICE void adagrad(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float m = u->number[0] * u->state[0][i] + u->number[1] * g * g;
    u->state[0][i] = m;
    u->param[i] -= rate * g / (sqrtf(m) + u->number[2]);
}

/* numbers: mu, nesterov */
RG_DEVICE void momentum(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float mu = u->number[0], v = mu * u->state[0][i] + g;
    u->state[0][i] = v;
    u->param[i] -= rate * (u->number[1] != 0 ? g + mu * v : v);
}

/* numbers: eps, decay, momentum, centered; states: the step, the mean square, the mean */
RG_DEVICE void rmsprop(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float decay = u->number[1], a = decay * u->state[1][i] + (1 - decay) * g * g, under = a;
    if (u->number[3] != 0) {
        float c = decay * u->state[2][i] + (1 - decay) * g;
        u->state[2][i] = c;
        under = a - c * c;
    }
    float b = u->number[2] * u->state[0][i] + rate * g / sqrtf(under + u->number[0]);
    u->state[1][i] = a;
    u->state[0][i] = b;
    u->param[i] -= b;
}

/* numbers: l1, l2, power; states: squared, linear */
RG_DEVICE void ftrl(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float l1 = u->number[0], l2 = u->number[1], power = u->number[2];
    float old = u->state[0][i], now = old + g * g;
    float r = power == -0.5f ? sqrtf(old) : powf(old, -power);
    float s = power == -0.5f ? sqrtf(now) : powf(now, -power);
    float a = u->state[1][i] + g - (s - r) / rate * u->param[i], size = a < 0 ? -a : a;
    u->state[0][i] = now;
    u->state[1][i] = a;
    u->param[i] = size > l1 ? ((a < 0 ? -l1 : l1) - a) / (s / rate + 2 * l2) : 0;
}

/* numbers: rho, eps, in place; states: of gradients, of updates */
RG_DEVICE void adadelta(const rg_cu_update *u, int64_t i, float g)
{
    float rho = u->number[0], eps = u->number[1];
    float a = rho * u->state[0][i] + (1 - rho) * g * g;
    float d = sqrtf((u->state[1][i] + eps) / (a + eps)) * g;
    float b = rho * u->state[1][i] + (1 - rho) * d * d;
    u->state[0][i] = a;
    u->state[1][i] = b;
    u->param[i] -= u->number[2] != 0 ? sqrtf((b + eps) / (a + eps)) * g : d;
}

/* numbers: b1, b2, eps */
RG_DEVICE void adamax(const rg_cu_update *u, float rate, int64_t i, float g)
{
    float size = g < 0 ? -g : g, old = u->number[1] * u->state[1][i] + u->number[2];
    float a = u->number[0] * u->state[0][i] + (1 - u->number[0]) * g;
    float b = size <= old || old != old ? old : size;
    u->state[0][i] = a;
    u->state[1][i] = b;
    u->param[i] -= rate * (a / b);
}

RG_DEVICE void move(const rg_cu_update *u, float rate, int64_t i, float g)
{
    switch (u->kind) {
    case RG_CU_SGD:
        u->param[i] -= rate * g;
        break;
    case RG_CU_MOMENTUM:
        momentum(u, rate, i, g);
        break;
    case RG_CU_ADAM:
        adam(u, rate, i, g);
        break;
    case RG_CU_ADAGRAD:
        adagrad(u, rate, i, g);
        break;
    case RG_CU_RMSPROP:
        rmsprop(u, rate, i, g);
        break;
    case RG_CU_FTRL:
        ftrl(u, rate, i, g);
        break;
    case RG_CU_ADADELTA:
        adadelta(u, i, g);
        break;
    case RG_CU_ADAMAX:
        adamax(u, rate, i, g);
        break;
    }
}

/* When all blocks have read the powers, they go on. */
RG_DEVICE void advance(const rg_cu_update *u, unsigned *counters)
{
    if (u->power_out[0] == NULL || !rg_last_block(counters, gridDim.x))
        return;
    if (threadIdx.x < 2)
        *u->power_out[threadIdx.x] = *u->power[threadIdx.x] * u->number[threadIdx.x];
}

/* ---- a dense gradient ---- */

RG_KERNEL update_dense(rg_cu_update u, int64_t n, const float *grad, unsigned *counters)
{
    float rate = rate_of(&u);
    RG_EACH(i, n)
        move(&u, rate, i, grad[i]);
    advance(&u, counters);
}

extern "C" void rg_cu_update_dense(const rg_cu_update *u, int64_t n, const float *grad,
                                   unsigned *counters, cudaStream_t stream)
{
    RG_LAUNCH_SYNC(update_dense, rg_blocks(n, RG_THREADS), RG_THREADS, stream, *u, n, grad,
                   counters);
}

/* ---- rows ---- */

static int64_t capacity(int64_t n)
{
    int64_t cap = 64;
    while (cap < 2 * n)
        cap *= 2;
    return cap;
}

/* keys, the first of each, where each row's key is, sums. */
typedef struct merge {
    int64_t n, cap, width, height;
    unsigned long long *keys;
    int32_t *first, *slot;
    float *sums;
} merge;

extern "C" size_t rg_cu_update_rows_room(int64_t n, int64_t width)
{
    return (size_t)(capacity(n) * 12 + n * 4 + n * width * 4 + 64);
}

static merge merge_of(int64_t n, int64_t width, int64_t height, void *room)
{
    merge m = {n, capacity(n), width, height, (unsigned long long *)room, NULL, NULL, NULL};
    m.sums = (float *)(m.keys + m.cap);
    m.first = (int32_t *)(m.sums + n * width);
    m.slot = m.first + m.cap;
    return m;
}

enum : unsigned long long { EMPTY = 0xffffffffffffffffull };

RG_DEVICE int64_t hash_of(unsigned long long row, int64_t cap)
{
    row *= 0x9e3779b97f4a7c15ull;
    return (int64_t)((row >> 32) & (unsigned long long)(cap - 1));
}

RG_KERNEL merge_find(merge m, const int64_t *rows, rg_gpu_site site)
{
    RG_EACH(i, m.n) {
        int64_t row = rows[i];
        if (row < 0 || row >= m.height) {
            rg_fault(site, 0, 0, row, i, m.height);
            m.slot[i] = -1;
            continue;
        }
        int64_t at = hash_of((unsigned long long)row, m.cap);
        for (;; at = (at + 1) & (m.cap - 1)) {
            unsigned long long had = atomicCAS(&m.keys[at], (unsigned long long)EMPTY,
                                               (unsigned long long)row);
            if (had == EMPTY)
                m.first[at] = (int32_t)i;
            if (had == EMPTY || had == (unsigned long long)row)
                break;
        }
        m.slot[i] = (int32_t)at;
    }
}

RG_KERNEL merge_add(merge m, const float *grad)
{
    RG_EACH(e, m.n * m.width) {
        int64_t i = e / m.width, j = e % m.width;
        if (m.slot[i] >= 0)
            atomicAdd(&m.sums[m.first[m.slot[i]] * m.width + j], grad[e]);
    }
}

RG_KERNEL update_rows(rg_cu_update u, merge m, const int64_t *rows, unsigned *counters)
{
    float rate = rate_of(&u);
    RG_EACH(e, m.n * m.width) {
        int64_t i = e / m.width, j = e % m.width;
        if (m.slot[i] >= 0 && m.first[m.slot[i]] == i)
            move(&u, rate, rows[i] * m.width + j, m.sums[e]);
    }
    advance(&u, counters);
}

extern "C" void rg_cu_update_rows(const rg_cu_update *u, int64_t n, int64_t width, int64_t height,
                                  const int64_t *rows, const float *grad, void *room,
                                  rg_gpu_site site, unsigned *counters, cudaStream_t stream)
{
    merge m = merge_of(n, width, height, room);
    if (n > 0) {
        cudaMemsetAsync(m.keys, 0xff, (size_t)m.cap * sizeof *m.keys, stream);
        cudaMemsetAsync(m.sums, 0, (size_t)(n * width) * sizeof *m.sums, stream);
        RG_LAUNCH(merge_find, rg_blocks(n, RG_THREADS), RG_THREADS, stream, m, rows, site);
        RG_LAUNCH(merge_add, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, m, grad);
    }
    RG_LAUNCH_SYNC(update_rows, rg_blocks(n * width, RG_THREADS), RG_THREADS, stream, *u, m, rows,
                   counters);
}
