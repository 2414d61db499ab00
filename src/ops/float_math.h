/* float_math.h - exp, log and their kin in the type of the argument: those of
 * math/fast.h for floats, the C library's for doubles. */
#ifndef RG_OPS_FLOAT_MATH_H
#define RG_OPS_FLOAT_MATH_H

#include "math/fast.h"

RG_INLINE double rg_sigmoid_f64(double x)
{
    return 1 / (1 + exp(-x));
}

RG_INLINE double rg_softplus_f64(double x)
{
    return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

#define RG_EXP(x)     _Generic((x), float : rg_expf, default : exp)(x)
#define RG_LOG(x)     _Generic((x), float : rg_logf, default : log)(x)
#define RG_SIGMOID(x) _Generic((x), float : rg_sigmoidf, default : rg_sigmoid_f64)(x)
/* log(1 + e^x) */
#define RG_SOFTPLUS(x) _Generic((x), float : rg_softplusf, default : rg_softplus_f64)(x)

#endif
