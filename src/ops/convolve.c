/* convolve.c - the geometry of a convolution from shapes and attributes, and its call. */
#include "ops/convolve.h"

#include "math/reduce.h"
#include "ops/types.h"
#include "ops/window.h"

#include <string.h>

rg_status rg_convolve_format(const rg_ctx *ctx, int rank, bool *channels_last)
{
    return rg_window_format(rg_attr_string(ctx, RG_CONV_FORMAT), rank - 2, channels_last);
}

static rg_status bad_filter(const rg_shape *image, const rg_shape *filter, int64_t channels,
                            int64_t groups)
{
    char ti[RG_SHAPE_TEXT], tf[RG_SHAPE_TEXT];
    return rg_fail(RG_ESHAPE,
                   "an image of shape %s has %lld channels in %lld groups, and Filter the shape %s",
                   rg_shape_text(image, ti), (long long)channels, (long long)groups,
                   rg_shape_text(filter, tf));
}

/* Strides, dilations and padding. */
static rg_status find_window(const rg_ctx *ctx, const rg_shape *filter, const int64_t *sizes,
                             rg_window *w)
{
    w->axes = filter->rank - 2;
    for (int i = 0; i < w->axes; i++) {
        w->kernel[i] = filter->dim[2 + i];
        if (w->kernel[i] < 1)
            return rg_fail(RG_ESHAPE, "Filter has no taps along axis %d", i);
    }
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, RG_CONV_STRIDES), w->axes, 1, w->stride));
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, RG_CONV_DILATIONS), w->axes, 1, w->dilation));
    return rg_window_padding(w, rg_attr_list(ctx, RG_CONV_PADDINGS),
                             rg_attr_string(ctx, RG_CONV_ALGORITHM), sizes);
}

static rg_status check_ranks(const rg_shape *image, const rg_shape *filter)
{
    char ti[RG_SHAPE_TEXT], tf[RG_SHAPE_TEXT];
    if (image->rank == filter->rank && (image->rank == 4 || image->rank == 5))
        return RG_OK;
    return rg_fail(RG_ESHAPE,
                   "an image of shape %s and Filter of shape %s: both must have 4 dimensions, or "
                   "both 5",
                   rg_shape_text(image, ti), rg_shape_text(filter, tf));
}

rg_status rg_convolve_shape(const rg_ctx *ctx, const rg_shape *image, const rg_shape *filter,
                            const int64_t *sizes, rg_conv *c)
{
    bool last;
    rg_window w;
    int64_t groups = rg_attr_int(ctx, RG_CONV_GROUPS);
    RG_TRY(check_ranks(image, filter));
    RG_TRY(rg_convolve_format(ctx, image->rank, &last));
    const int64_t *in = image->dim + (last ? 1 : 2);
    int64_t channels = image->dim[last ? image->rank - 1 : 1];
    RG_TRY(find_window(ctx, filter, sizes ? sizes : in, &w));
    if (groups < 1 || filter->dim[0] % groups != 0 ||
        (channels >= 0 && channels != filter->dim[1] * groups))
        return bad_filter(image, filter, channels, groups);
    *c = (rg_conv){.axes = w.axes,
                   .channels_last = last,
                   .batch = image->dim[0],
                   .groups = groups,
                   .in_channels = filter->dim[1] * groups,
                   .out_channels = filter->dim[0]};
    for (int i = 0; i < 3; i++) {
        bool used = i < w.axes;
        c->in[i] = used ? in[i] : 1;
        c->kernel[i] = used ? w.kernel[i] : 1;
        c->stride[i] = used ? w.stride[i] : 1;
        c->dilation[i] = used ? w.dilation[i] : 1;
        c->before[i] = used ? w.before[i] : 0;
        c->after[i] = used ? w.after[i] : 0;
        c->out[i] = used ? rg_window_count(&w, i, in[i], false) : 1;
        if (c->out[i] == 0)
            return rg_fail(RG_ESHAPE,
                           "along axis %d the image has %lld, with %lld of padding, and the filter "
                           "reaches over %lld",
                           i, (long long)c->in[i], (long long)(c->before[i] + c->after[i]),
                           (long long)((c->kernel[i] - 1) * c->dilation[i] + 1));
    }
    return RG_OK;
}

rg_status rg_convolve_refuse(const rg_ctx *ctx, const int *attrs, int n)
{
    for (int i = 0; i < n; i++) {
        const rg_attr *attr = ctx->attr[attrs[i]];
        if (attr->type == RG_ATTR_BOOL ? attr->b : attr->s[0] != '\0')
            return rg_fail(RG_EUNIMPL,
                           "%s is set: convolutions fused with other ops are not "
                           "supported; save the program before passes for inference",
                           attr->name);
    }
    return RG_OK;
}

/* ---- computing ---- */

/* The constness is that of the two that are read; which they are, `part` says. */
rg_status rg_convolve(rg_ctx *ctx, int in, rg_conv_part part, const rg_conv *c, const void *image,
                      const void *filter, const void *output)
{
    void *i = (void *)(uintptr_t)image, *f = (void *)(uintptr_t)filter;
    void *o = (void *)(uintptr_t)output, *scratch;
    struct rg_dnnl_call *call;
    size_t bytes;
    if (rg_dtype_of(ctx, in) == RG_F64) {
        rg_conv_f64(part, c, i, f, o);
        return RG_OK;
    }
    if (rg_dtype_of(ctx, in) != RG_F32)
        return rg_bad_dtype(ctx, in);
    if (c->batch == 0) {
        int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2];
        if (part == RG_CONV_FILTER)
            memset(f, 0,
                   (size_t)(c->out_channels * c->in_channels / c->groups * taps) * sizeof(float));
        return RG_OK;
    }
    RG_TRY(rg_conv_prepare(&ctx->state, part, c, &call, &bytes));
    if ((scratch = rg_scratch(ctx, bytes)) == NULL)
        return RG_ENOMEM;
    return rg_conv_run(call, i, f, o, scratch);
}

/* Rows of `width` elements for each of n * channels, or of `channels` for each position. */
#define BIAS(T, S)                                                                          \
    RG_HOT static void add_bias_##S(bool last, int64_t n, int64_t channels, int64_t space,  \
                                    const T *bias, T *out)                                  \
    {                                                                                       \
        if (last) {                                                                         \
            for (int64_t i = 0; i < n * space; i++, out += channels)                        \
                for (int64_t k = 0; k < channels; k++)                                      \
                    out[k] += bias[k];                                                      \
            return;                                                                         \
        }                                                                                   \
        for (int64_t i = 0; i < n * channels; i++, out += space)                            \
            for (int64_t k = 0; k < space; k++)                                             \
                out[k] += bias[i % channels];                                               \
    }                                                                                       \
    RG_HOT static void bias_grad_##S(bool last, int64_t n, int64_t channels, int64_t space, \
                                     const T *dout, T *dbias)                               \
    {                                                                                       \
        memset(dbias, 0, (size_t)channels * sizeof *dbias);                                 \
        if (last) {                                                                         \
            for (int64_t i = 0; i < n * space; i++, dout += channels)                       \
                for (int64_t k = 0; k < channels; k++)                                      \
                    dbias[k] += dout[k];                                                    \
            return;                                                                         \
        }                                                                                   \
        for (int64_t i = 0; i < n * channels; i++, dout += space)                           \
            dbias[i % channels] += rg_sum_##S(dout, space);                                 \
    }
RG_FLOATS(BIAS)

rg_status rg_convolve_add_bias(rg_ctx *ctx, int in, const rg_conv *c, const void *bias,
                               void *output)
{
    RG_CALL_FLOAT(ctx, in, add_bias,
                  (c->channels_last, c->batch, c->out_channels, c->out[0] * c->out[1] * c->out[2],
                   bias, output))
    return RG_OK;
}

rg_status rg_convolve_bias_grad(rg_ctx *ctx, int in, const rg_conv *c, const void *doutput,
                                void *dbias)
{
    RG_CALL_FLOAT(ctx, in, bias_grad,
                  (c->channels_last, c->batch, c->out_channels, c->out[0] * c->out[1] * c->out[2],
                   doutput, dbias))
    return RG_OK;
}
