/* conv.h - convolutions over two or three dimensions of space.
 *
 *   output[n, o, y] = sum over i and k of filter[o, i, k] image[n, i, y stride + k dilation -
 * before]
 *
 * and the same equation solved for the others: the gradient of the image from that of the
 * output and the filter, and the gradient of the filter from the two. A transposed
 * convolution is the gradient of the image by another name. Floats go through oneDNN in the
 * layout that suits the shape, doubles through plain loops: these are what oneDNN is
 * tested against. Which layout and why: docs/performance.md. */
#ifndef RG_MATH_CONV_H
#define RG_MATH_CONV_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Compared byte by byte: no member may leave a gap. Axes run from the outermost. */
typedef struct rg_conv {
    int64_t axes;          /* of space: 2 or 3 */
    int64_t channels_last; /* image and output are [batch, space, channels]; else channels second */
    int64_t batch, groups;
    int64_t in_channels, out_channels; /* of all groups; filter is [out, in / groups, kernel] */
    int64_t in[3], out[3], kernel[3];
    int64_t stride[3], dilation[3], before[3], after[3];
} rg_conv;

/* What is computed from the two others. */
typedef enum rg_conv_part { RG_CONV_OUTPUT, RG_CONV_IMAGE, RG_CONV_FILTER } rg_conv_part;

/* Floats: prepare, lend memory, run. What is prepared is kept under *state, by shape; it is
 * ended by rg_conv_drop(). One thread at a time for one state. */
struct rg_dnnl_call;
rg_status rg_conv_prepare(void **state, rg_conv_part part, const rg_conv *c,
                          struct rg_dnnl_call **call, size_t *scratch);
rg_status rg_conv_run(struct rg_dnnl_call *call, float *image, float *filter, float *output,
                      void *scratch);
void rg_conv_drop(void *state);

/* Doubles. */
void rg_conv_f64(rg_conv_part part, const rg_conv *c, double *image, double *filter,
                 double *output);

#endif
