/* conv_plain.c - convolutions of doubles by plain loops. */
#include "math/conv.h"

#include "base/hot.h"

#include <string.h>

/* A tensor of images: where element (n, channel, z, y, x) stands. Two axes of space are
 * three with one plane. */
typedef struct strides {
    int64_t n, channel, z, y, x;
} strides;

/* c with three axes of space. */
static rg_conv with_depth(const rg_conv *c)
{
    rg_conv d = *c;
    if (c->axes == 3)
        return d;
    int64_t *of[] = {d.in, d.out, d.kernel, d.stride, d.dilation, d.before, d.after};
    static const int64_t one[] = {1, 1, 1, 1, 1, 0, 0};
    for (int i = 0; i < 7; i++) {
        memmove(of[i] + 1, of[i], 2 * sizeof **of);
        of[i][0] = one[i];
    }
    return d;
}

static strides strides_of(const rg_conv *c, int64_t channels, const int64_t *space)
{
    strides s;
    s.x = c->channels_last ? channels : 1;
    s.y = s.x * space[2];
    s.z = s.y * space[1];
    s.channel = c->channels_last ? 1 : s.z * space[0];
    s.n = channels * space[0] * space[1] * space[2];
    return s;
}

/* One row of the output and one tap of the kernel. */
RG_HOT static void row(rg_conv_part part, int64_t n, double *image, int64_t image_step,
                       double *filter, double *output, int64_t output_step)
{
    double f = *filter, sum = 0;
    switch (part) {
    case RG_CONV_OUTPUT:
        for (int64_t x = 0; x < n; x++)
            output[x * output_step] += f * image[x * image_step];
        break;
    case RG_CONV_IMAGE:
        for (int64_t x = 0; x < n; x++)
            image[x * image_step] += f * output[x * output_step];
        break;
    case RG_CONV_FILTER:
        for (int64_t x = 0; x < n; x++)
            sum += image[x * image_step] * output[x * output_step];
        *filter += sum;
        break;
    }
}

/* The positions lo <= y < hi of the output along an axis whose tap k falls into the image. */
static void inside(const rg_conv *c, int axis, int64_t k, int64_t *lo, int64_t *hi)
{
    int64_t shift = k * c->dilation[axis] - c->before[axis], s = c->stride[axis];
    *lo = shift < 0 ? (-shift + s - 1) / s : 0;
    *hi = c->in[axis] - shift > 0 ? (c->in[axis] - shift + s - 1) / s : 0;
    if (*hi > c->out[axis])
        *hi = c->out[axis];
}

/* One image channel, one output channel, one tap: all positions. */
static void tap(rg_conv_part part, const rg_conv *c, const int64_t k[3], double *image,
                const strides *si, double *filter, double *output, const strides *so)
{
    int64_t lo[3], hi[3], at[3];
    for (int i = 0; i < 3; i++) {
        inside(c, i, k[i], &lo[i], &hi[i]);
        at[i] = k[i] * c->dilation[i] - c->before[i];
    }
    if (lo[2] >= hi[2])
        return;
    for (int64_t z = lo[0]; z < hi[0]; z++)
        for (int64_t y = lo[1]; y < hi[1]; y++) {
            double *from = image + (z * c->stride[0] + at[0]) * si->z +
                           (y * c->stride[1] + at[1]) * si->y +
                           (lo[2] * c->stride[2] + at[2]) * si->x;
            row(part, hi[2] - lo[2], from, c->stride[2] * si->x, filter,
                output + z * so->z + y * so->y + lo[2] * so->x, so->x);
        }
}

static void clear(rg_conv_part part, const rg_conv *c, double *image, double *filter,
                  double *output)
{
    int64_t in = c->batch * c->in_channels, out = c->batch * c->out_channels;
    int64_t taps = c->out_channels * (c->in_channels / c->groups);
    for (int i = 0; i < 3; i++) {
        in *= c->in[i];
        out *= c->out[i];
        taps *= c->kernel[i];
    }
    if (part == RG_CONV_OUTPUT)
        memset(output, 0, (size_t)out * sizeof *output);
    else if (part == RG_CONV_IMAGE)
        memset(image, 0, (size_t)in * sizeof *image);
    else
        memset(filter, 0, (size_t)taps * sizeof *filter);
}

void rg_conv_f64(rg_conv_part part, const rg_conv *conv, double *image, double *filter,
                 double *output)
{
    const rg_conv c = with_depth(conv);
    const strides si = strides_of(&c, c.in_channels, c.in);
    const strides so = strides_of(&c, c.out_channels, c.out);
    int64_t in = c.in_channels / c.groups, out = c.out_channels / c.groups;
    clear(part, &c, image, filter, output);
    for (int64_t n = 0; n < c.batch; n++)
        for (int64_t o = 0; o < c.out_channels; o++)
            for (int64_t i = 0; i < in; i++) {
                double *from = image + n * si.n + (o / out * in + i) * si.channel;
                double *to = output + n * so.n + o * so.channel;
                double *f = filter + (o * in + i) * c.kernel[0] * c.kernel[1] * c.kernel[2];
                int64_t k[3];
                for (k[0] = 0; k[0] < c.kernel[0]; k[0]++)
                    for (k[1] = 0; k[1] < c.kernel[1]; k[1]++)
                        for (k[2] = 0; k[2] < c.kernel[2]; k[2]++)
                            tap(part, &c, k, from, &si, f++, to, &so);
            }
}
