/* activation_kinds.h - which functions of one element there are: activation.c has the ops,
 * activation_loops.h what they compute, here and on a GPU. */
#ifndef RG_OPS_ACTIVATION_KINDS_H
#define RG_OPS_ACTIVATION_KINDS_H

#define ALL_KINDS(DO)                                                                              \
    DO(RELU) DO(SIGMOID) DO(TANH) DO(EXP) DO(LOG) DO(SQRT) DO(RSQRT) DO(SQUARE) DO(ABS) DO(CEIL)   \
    DO(FLOOR) DO(ROUND) DO(RECIPROCAL) DO(SIN) DO(COS) DO(ASIN) DO(ACOS) DO(ATAN) DO(ERF)          \
    DO(SOFTPLUS) DO(SOFTSIGN) DO(LOGSIGMOID) DO(TANH_SHRINK) DO(SIGN) DO(LEAKY_RELU) DO(RELU6)     \
    DO(ELU) DO(SELU) DO(BRELU) DO(SOFT_RELU) DO(SWISH) DO(HARD_SIGMOID) DO(HARD_SWISH) DO(STANH)   \
    DO(HARD_SHRINK) DO(SOFTSHRINK) DO(THRESHOLDED_RELU) DO(GELU) DO(MISH) DO(LOG1P)
#define NAME_KIND(K) K,
typedef enum kind { ALL_KINDS(NAME_KIND) } kind;

#endif
