/* activate.h - the activations of layers, for .cu files. NaN stays NaN. */
#ifndef RG_GPU_ACTIVATE_H
#define RG_GPU_ACTIVATE_H

#include "gpu/cuda.h"

/* Apart, since it is long: a kernel that has it in many places is waited for as it is loaded. */
#ifdef RG_EMULATED
static float rg_bend(int act, float x)
#else
static __device__ __noinline__ float rg_bend(int act, float x)
#endif
{
    return act == RG_CU_SIGMOID ? 1 / (1 + expf(-x)) : tanhf(x);
}

RG_DEVICE float rg_activate(int act, float x)
{
    if (act == RG_CU_RELU)
        return x > 0 ? x : x != x ? x : 0;
    return act == RG_CU_NONE ? x : rg_bend(act, x);
}

/* Where it gave y. */
RG_DEVICE float rg_slope(int act, float y)
{
    if (act == RG_CU_RELU)
        return y > 0 ? 1 : 0;
    return act == RG_CU_NONE ? 1 : act == RG_CU_SIGMOID ? y * (1 - y) : 1 - y * y;
}

#endif
