/* window.h - windows that slide over images: what convolution and pooling share. */
#ifndef RG_OPS_WINDOW_H
#define RG_OPS_WINDOW_H

#include "ir/op.h"

enum { RG_WINDOW_AXES = 3 };

/* Along each axis of space, from the outermost. */
typedef struct rg_window {
    int axes;
    int64_t kernel[RG_WINDOW_AXES], stride[RG_WINDOW_AXES], dilation[RG_WINDOW_AXES];
    int64_t before[RG_WINDOW_AXES], after[RG_WINDOW_AXES]; /* padding */
} rg_window;

/* Whether "NHWC", "NDHWC", "NCHW", "NCDHW" or "AnyLayout" puts the channels last, as a
 * tensor of that many axes of space may have it. */
rg_status rg_window_format(const char *format, int axes, bool *channels_last);

/* An attribute with one number for each axis, each at least `least`. */
rg_status rg_window_numbers(const rg_attr *list, int axes, int64_t least, int64_t *out);

/* The padding: `paddings` has one number for each axis or two, before and after it. The
 * algorithm SAME overrides them so that there are ceil(in / stride) windows (`in` may be -1
 * while a program is built), and allows no dilation; VALID sets them to 0. */
rg_status rg_window_padding(rg_window *w, const rg_attr *paddings, const char *algorithm,
                            const int64_t *in);

/* How many windows fit into `in` along the axis; -1 where `in` is not known. Up: the last may
 * reach over the edge. */
int64_t rg_window_count(const rg_window *w, int axis, int64_t in, bool up);

#endif
