/* philox.c - numbers of a distribution from Philox's bits, one at a time. */
#include "base/philox.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

float rg_philox_uniform_f32(rg_philox_key key, uint64_t i)
{
    uint32_t r[4];
    rg_philox(key, i >> 2, r);
    return (float)(r[i & 3] >> 8) * 0x1p-24f;
}

static uint64_t bits64(rg_philox_key key, uint64_t i)
{
    uint32_t r[4];
    rg_philox(key, i >> 1, r);
    unsigned half = (unsigned)(i & 1) * 2;
    return (uint64_t)r[half] << 32 | r[half + 1];
}

double rg_philox_uniform_f64(rg_philox_key key, uint64_t i)
{
    return (double)(bits64(key, i) >> 11) * 0x1p-53;
}

double rg_philox_normal(rg_philox_key key, uint64_t i)
{
    /* One block gives the pair (2j, 2j + 1): the cosine and the sine. */
    uint32_t r[4];
    rg_philox(key, i >> 1, r);
    double u = ((double)((uint64_t)r[0] << 21 | r[1] >> 11) + 1.0) * 0x1p-53; /* (0, 1] */
    double angle = 6.283185307179586 * (double)((uint64_t)r[2] << 21 | r[3] >> 11) * 0x1p-53;
    double radius = sqrt(-2.0 * log(u));
    return i & 1 ? radius * sin(angle) : radius * cos(angle);
}

/* The number whose normal distribution's value is p: bisection would do, but a rational
 * start and one step of Newton on erfc are as exact as a double holds. */
static double normal_quantile(double p)
{
    double x = 0;
    if (p <= 0 || p >= 1)
        return p <= 0 ? -8 : 8;
    double t = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
    x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    x = p < 0.5 ? -x : x;
    for (int i = 0; i < 2; i++) {
        double error = 0.5 * erfc(-x * 0.7071067811865476) - p;
        x -= error / (0.3989422804014327 * exp(-0.5 * x * x));
    }
    return x;
}

double rg_philox_truncated_normal(rg_philox_key key, uint64_t i)
{
    const double low = 0.022750131948179195; /* the normal distribution's value at -2 */
    return normal_quantile(low + (1 - 2 * low) * rg_philox_uniform_f64(key, i));
}

uint64_t rg_philox_below(rg_philox_key key, uint64_t i, uint64_t n)
{
    return (uint64_t)(((wide)bits64(key, i) * n) >> 64);
}
