/* adam_past.c - Adam's steps over rows without a gradient, many at once. */
#include "ops/adam_past.h"

#include "base/hot.h"
#include "base/mem.h"

#include <math.h>
#include <stdatomic.h>

enum {
    CHUNK = 1 << 14,  /* rates in a chunk */
    CHUNKS = 1 << 14, /* chunks there can be */
    TERMS = 2048,     /* of a sum, at most */
};

struct rg_adam_past {
    rg_adam_betas betas;
    bool converges; /* the sums, for these betas */
    _Atomic uint32_t now;
    float *_Atomic rates[CHUNKS]; /* of step i, at [i / CHUNK][i % CHUNK] */
};

rg_status rg_adam_past_open(rg_adam_past **out)
{
    rg_adam_past *past = rg_alloc_zero(1, sizeof *past);
    if (past == NULL)
        return rg_no_memory(sizeof *past, "Adam's steps");
    atomic_store(&past->now, 1);
    *out = past;
    return RG_OK;
}

void rg_adam_past_close(rg_adam_past *past)
{
    for (size_t i = 0; past != NULL && i < CHUNKS; i++)
        rg_free(atomic_load(&past->rates[i]));
    rg_free(past);
}

uint32_t rg_adam_past_now(const rg_adam_past *past)
{
    return atomic_load(&past->now);
}

bool rg_adam_past_takes(const rg_adam_past *past, rg_adam_betas b)
{
    return past->betas.beta1 == b.beta1 && past->betas.beta2 == b.beta2 &&
           past->betas.epsilon == b.epsilon &&
           rg_adam_past_now(past) + 2 < (uint32_t)CHUNK * CHUNKS;
}

void rg_adam_past_reset(rg_adam_past *past, rg_adam_betas betas)
{
    double b1 = (double)betas.beta1, b2 = (double)betas.beta2, q = b1 / sqrt(b2);
    past->betas = betas;
    past->converges = q < 1 && pow(q, TERMS) < 1e-9 && b1 / pow(b2, 1.5) < 1;
    atomic_store(&past->now, 1);
}

rg_status rg_adam_past_note(rg_adam_past *past, float rate, uint32_t *step)
{
    uint32_t next = rg_adam_past_now(past) + 1;
    float *chunk = atomic_load(&past->rates[next / CHUNK]);
    if (chunk == NULL) {
        chunk = rg_alloc_zero(CHUNK, sizeof *chunk);
        if (chunk == NULL)
            return rg_no_memory(CHUNK * sizeof *chunk, "Adam's rates");
        atomic_store_explicit(&past->rates[next / CHUNK], chunk, memory_order_release);
    }
    chunk[next % CHUNK] = rate;
    *step = next;
    return RG_OK;
}

void rg_adam_past_advance(rg_adam_past *past, uint32_t step)
{
    atomic_store(&past->now, step);
}

static float rate_of(const rg_adam_past *past, uint32_t step)
{
    return atomic_load_explicit(&past->rates[step / CHUNK], memory_order_acquire)[step % CHUNK];
}

/* ---- rows that are behind ---- */

void rg_adam_memo_init(rg_adam_memo *memo, uint32_t now)
{
    memo->now = now;
    for (int i = 0; i < RG_ADAM_MEMO; i++)
        memo->since[i] = 0;
}

static void sum_up(const rg_adam_past *past, rg_adam_memo *memo, uint32_t since, int at)
{
    double b1 = (double)past->betas.beta1, b2 = (double)past->betas.beta2, root = sqrt(b2);
    double q1 = b1 / root, q2 = b1 / b2, q3 = b1 / (b2 * root);
    double p1 = 1, p2 = 1, p3 = 1, s1 = 0, s2 = 0, s3 = 0;
    for (uint32_t k = 1; since + k <= memo->now && k <= TERMS && p1 > 1e-12; k++) {
        double rate = (double)rate_of(past, since + k);
        s1 += rate * (p1 *= q1);
        s2 += rate * (p2 *= q2);
        s3 += rate * (p3 *= q3);
    }
    double n = (double)(memo->now - since);
    memo->since[at] = since;
    memo->shrink1[at] = (float)pow(b1, n);
    memo->shrink2[at] = (float)pow(b2, n);
    memo->sum1[at] = (float)s1;
    memo->sum2[at] = (float)s2;
    memo->sum3[at] = (float)s3;
}

/* The largest eps / sqrt(v) at which three terms of the series are good to 1e-7. */
static const float SMALL = 4e-3f;

RG_HOT static bool move_at_once(const rg_adam_memo *memo, int at, float eps, float *p, float *m,
                                float *v, int64_t n)
{
    const float s1 = memo->sum1[at], s2 = memo->sum2[at], s3 = memo->sum3[at];
    const float shrink1 = memo->shrink1[at], shrink2 = memo->shrink2[at];
    float worst = 0;
    for (int64_t i = 0; i < n; i++) {
        float e = m[i] != 0 ? eps / sqrtf(v[i]) : 0;
        worst = e > worst ? e : worst;
    }
    if (!(worst < SMALL))
        return false;
    for (int64_t i = 0; i < n; i++) {
        float a = sqrtf(v[i]), e = a == 0 ? 0 : eps / a, d = a == 0 ? 0 : m[i] / a;
        p[i] -= d * (s1 - e * (s2 - e * s3));
        m[i] *= shrink1;
        v[i] *= shrink2;
    }
    return true;
}

static void move_slowly(const rg_adam_past *past, uint32_t since, uint32_t now, float *p, float *m,
                        float *v)
{
    for (uint32_t step = since + 1; step <= now; step++) {
        *m *= past->betas.beta1;
        *v *= past->betas.beta2;
        *p -= rate_of(past, step) * (*m / (sqrtf(*v) + past->betas.epsilon));
    }
}

void rg_adam_catch_up(const rg_adam_past *past, rg_adam_memo *memo, uint32_t since, float *p,
                      float *m, float *v, int64_t n)
{
    int at = (int)(since % RG_ADAM_MEMO);
    if (memo->since[at] != since)
        sum_up(past, memo, since, at);
    if (past->converges && move_at_once(memo, at, past->betas.epsilon, p, m, v, n))
        return;
    for (int64_t i = 0; i < n; i++)
        move_slowly(past, since, memo->now, p + i, m + i, v + i);
}

RG_HOT void rg_adam_step(float *p, float *m, float *v, const float *g, rg_adam_betas betas,
                         float rate, int64_t n)
{
    const float b1 = betas.beta1, b2 = betas.beta2, eps = betas.epsilon;
    for (int64_t i = 0; i < n; i++) {
        float a = b1 * m[i] + (1 - b1) * g[i];
        float b = b2 * v[i] + (1 - b2) * g[i] * g[i];
        m[i] = a;
        v[i] = b;
        p[i] -= rate * (a / (sqrtf(b) + eps));
    }
}
