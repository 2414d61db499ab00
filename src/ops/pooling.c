/* pooling.c - the geometry of pooling from shapes and attributes. */
#include "ops/pooling.h"

static rg_status find_window(const rg_ctx *ctx, int axes, const char *algorithm, const int64_t *in,
                             rg_window *w)
{
    bool global = rg_attr_bool(ctx, RG_POOL_GLOBAL);
    w->axes = axes;
    for (int i = 0; i < axes; i++) {
        w->dilation[i] = 1;
        w->kernel[i] = in[i];
    }
    RG_TRY(rg_window_numbers(rg_attr_list(ctx, RG_POOL_STRIDES), axes, 1, w->stride));
    if (!global)
        RG_TRY(rg_window_numbers(rg_attr_list(ctx, RG_POOL_KSIZE), axes, 1, w->kernel));
    RG_TRY(rg_window_padding(w, rg_attr_list(ctx, RG_POOL_PADDINGS), algorithm, in));
    for (int i = 0; global && i < axes; i++) {
        w->before[i] = w->after[i] = 0;
        w->stride[i] = 1;
    }
    return RG_OK;
}

rg_status rg_pooling_shape(const rg_ctx *ctx, const rg_shape *x, bool channels_last,
                           const char *algorithm, bool ceil_mode, rg_pooling *p, rg_shape *out)
{
    int axes = x->rank - 2, first = 3 - axes;
    const int64_t *in = x->dim + (channels_last ? 1 : 2);
    int64_t channels = x->dim[channels_last ? x->rank - 1 : 1];
    bool adaptive = rg_attr_bool(ctx, RG_POOL_ADAPTIVE), global = rg_attr_bool(ctx, RG_POOL_GLOBAL);
    rg_window w;
    if (adaptive && global)
        return rg_fail(RG_EINVAL, "adaptive and global_pooling exclude each other");
    RG_TRY(find_window(ctx, axes, algorithm, in, &w));
    *p = (rg_pooling){.adaptive = adaptive,
                      .outer = channels_last ? x->dim[0] : x->dim[0] * channels,
                      .inner = channels_last ? channels : 1,
                      .in = {1, 1, 1},
                      .out = {1, 1, 1},
                      .kernel = {1, 1, 1},
                      .stride = {1, 1, 1}};
    *out = *x;
    for (int i = 0; i < axes; i++) {
        int64_t n = adaptive ? w.kernel[i] : global ? 1 : rg_window_count(&w, i, in[i], ceil_mode);
        if (n == 0 || in[i] == 0)
            return rg_fail(RG_ESHAPE,
                           "along axis %d the image has %lld, with %lld of padding, and the window "
                           "%lld",
                           i, (long long)in[i], (long long)(w.before[i] + w.after[i]),
                           (long long)w.kernel[i]);
        p->in[first + i] = in[i];
        p->out[first + i] = n;
        p->kernel[first + i] = w.kernel[i];
        p->stride[first + i] = w.stride[i];
        p->before[first + i] = w.before[i];
        out->dim[(channels_last ? 1 : 2) + i] = n;
    }
    return RG_OK;
}
