/* activate.h - the activations of layers, for .cu files. NaN stays NaN. */
#ifndef RG_GPU_ACTIVATE_H
#define RG_GPU_ACTIVATE_H

#include "gpu/cuda.h"

RG_DEVICE float rg_activate(int act, float x)
{
    switch (act) {
    case RG_CU_RELU:
        return x > 0 ? x : x != x ? x : 0;
    case RG_CU_SIGMOID:
        return 1 / (1 + expf(-x));
    case RG_CU_TANH:
        return tanhf(x);
    }
    return x;
}

/* Where it gave y. */
RG_DEVICE float rg_slope(int act, float y)
{
    switch (act) {
    case RG_CU_RELU:
        return y > 0 ? 1 : 0;
    case RG_CU_SIGMOID:
        return y * (1 - y);
    case RG_CU_TANH:
        return 1 - y * y;
    }
    return 1;
}

#endif
