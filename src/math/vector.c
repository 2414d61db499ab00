/* vector.c - loops that compilers make vectors of. */
#include "math/vector.h"

#include "base/hot.h"

RG_HOT void rg_add_f32(float *to, const float *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
}

RG_HOT void rg_add_f64(double *to, const double *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
}

RG_HOT void rg_scale_f32(float *x, float by, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= by;
}
