/* convolve.h - what conv.c and conv_transpose.c share: attributes, geometry, the call. */
#ifndef RG_OPS_CONVOLVE_H
#define RG_OPS_CONVOLVE_H

#include "ir/op.h"
#include "math/conv.h"

/* Attributes that stand first in every convolution, in this order. */
enum {
    RG_CONV_STRIDES,
    RG_CONV_PADDINGS,
    RG_CONV_DILATIONS,
    RG_CONV_GROUPS,
    RG_CONV_ALGORITHM,
    RG_CONV_FORMAT,
    RG_CONV_ATTRS,
};

#define RG_CONV_ATTR_SPECS(AXES, FORMAT)                                               \
    [RG_CONV_STRIDES] = RG_INT_LIST("strides", ((const int32_t[]){1, 1, 1}), AXES,     \
                                    "the step along each axis"),                       \
    [RG_CONV_PADDINGS] = RG_INT_LIST("paddings", ((const int32_t[]){0, 0, 0}), AXES,   \
                                     "zeros around each axis, one number or two"),     \
    [RG_CONV_DILATIONS] = RG_INT_LIST("dilations", ((const int32_t[]){1, 1, 1}), AXES, \
                                      "the step between the taps of the filter"),      \
    [RG_CONV_GROUPS] = RG_INT("groups", 1, "groups of channels that do not mix"),      \
    [RG_CONV_ALGORITHM] = RG_STRING("padding_algorithm", "EXPLICIT",                   \
                                    "EXPLICIT, or SAME or VALID for paddings"),        \
    [RG_CONV_FORMAT] = RG_STRING("data_format", FORMAT, "where the channels stand")

/* Whether the channels stand last, of a tensor of that rank. */
rg_status rg_convolve_format(const rg_ctx *ctx, int rank, bool *channels_last);

/* The convolution of an image by a filter; `out` has -1 where `image` has. `sizes` is what
 * SAME looks at, if not the image. RG_ESHAPE where they do not fit. */
rg_status rg_convolve_shape(const rg_ctx *ctx, const rg_shape *image, const rg_shape *filter,
                            const int64_t *sizes, rg_conv *c);

/* Compute one of the three, of the dtype of input `in`. */
rg_status rg_convolve(rg_ctx *ctx, int in, rg_conv_part part, const rg_conv *c, const void *image,
                      const void *filter, const void *output);

/* RG_EUNIMPL unless these attributes, n of them, are false or empty: what Paddle's passes
 * for inference put into convolutions. */
rg_status rg_convolve_refuse(const rg_ctx *ctx, const int *attrs, int n);

/* output += bias, and the gradient of that, of the dtype of input `in`. */
rg_status rg_convolve_add_bias(rg_ctx *ctx, int in, const rg_conv *c, const void *bias,
                               void *output);
rg_status rg_convolve_bias_grad(rg_ctx *ctx, int in, const rg_conv *c, const void *doutput,
                                void *dbias);

#endif
