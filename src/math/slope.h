/* slope.h - activations of layers by name, and their slopes from what they gave. */
#ifndef RG_MATH_SLOPE_H
#define RG_MATH_SLOPE_H

#include "base/status.h"
#include "base/hot.h"
#include "math/matmul.h"

#include <string.h>

static inline rg_status rg_activation_of(const char *name, rg_activation *act)
{
    static const char *const names[] = {"", "relu", "sigmoid", "tanh"};
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) {
            *act = (rg_activation)i;
            return RG_OK;
        }
    return rg_fail(RG_EINVAL, "activation %s", name);
}

/* Where it gave y. */
RG_INLINE float rg_slope(rg_activation act, float y)
{
    switch (act) {
    case RG_ACT_RELU:
        return y > 0 ? 1 : 0;
    case RG_ACT_SIGMOID:
        return y * (1 - y);
    case RG_ACT_TANH:
        return 1 - y * y;
    case RG_ACT_NONE:
        break;
    }
    return 1;
}

/* dx *= act'(.), where it gave x. */
static inline void rg_times_slope(rg_activation act, int64_t n, const float *x, float *dx)
{
    for (int64_t i = 0; act != RG_ACT_NONE && i < n; i++)
        dx[i] *= rg_slope(act, x[i]);
}

#endif
