/* conv.c - convolutions of floats by oneDNN: which layout, and the primitives. */
#include "math/conv.h"

#include "math/dnnl.h"

#include <string.h>

/* Of the OpenMP library, which oneDNN comes with. */
int omp_get_max_threads(void);

/* How image and output are laid out while oneDNN computes. */
typedef enum layout {
    PLAIN,   /* channels second: as a product of matrices */
    BLOCKED, /* oneDNN's own: blocks of channels */
    LAST,    /* channels last */
} layout;

/* From measurements: docs/performance.md. A block is 16 channels, and those that are not
 * there are computed with all the same. */
static layout choose(rg_conv_part part, const rg_conv *c)
{
    enum { BLOCK = 16, FEW = 3, LITTLE = 32 };
    int64_t taps = c->kernel[0] * c->kernel[1] * c->kernel[2], space = 1;
    int64_t in = c->in_channels / c->groups, out = c->out_channels / c->groups;
    for (int i = 0; i < c->axes; i++)
        space *= c->out[i];
    if (c->groups > 1 && in == 1 && out == 1)
        return BLOCKED;
    if (taps == 1 && c->groups == 1 && space >= BLOCK)
        return PLAIN;
    if (part == RG_CONV_IMAGE && in <= FEW)
        return PLAIN;
    if (part == RG_CONV_OUTPUT && in * taps < LITTLE)
        return PLAIN; /* more time would go into the order of the output than into it */
    if (c->channels_last)
        return LAST;
    return (in % BLOCK != 0 && in > FEW) || out % BLOCK != 0 ? LAST : BLOCKED;
}

/* ---- descriptions ---- */

static dnnl_format_tag_t image_tag(const rg_conv *c, layout l)
{
    if (l == BLOCKED)
        return dnnl_format_tag_any;
    if (c->axes == 2)
        return l == LAST ? dnnl_nhwc : dnnl_nchw;
    return l == LAST ? dnnl_ndhwc : dnnl_ncdhw;
}

static dnnl_format_tag_t filter_tag(const rg_conv *c)
{
    if (c->groups > 1)
        return c->axes == 2 ? dnnl_goihw : dnnl_goidhw;
    return c->axes == 2 ? dnnl_oihw : dnnl_oidhw;
}

static rg_status describe_image(dnnl_memory_desc_t *md, const rg_conv *c, int64_t channels,
                                const int64_t *space, dnnl_format_tag_t tag)
{
    dnnl_dims_t dims = {c->batch, channels};
    memcpy(dims + 2, space, (size_t)c->axes * sizeof *space);
    return rg_dnnl_check(dnnl_memory_desc_init_by_tag(md, 2 + (int)c->axes, dims, dnnl_f32, tag),
                         "a shape");
}

static rg_status describe_filter(dnnl_memory_desc_t *md, const rg_conv *c, dnnl_format_tag_t tag)
{
    dnnl_dims_t dims;
    int n = 0;
    if (c->groups > 1)
        dims[n++] = c->groups;
    dims[n++] = c->out_channels / c->groups;
    dims[n++] = c->in_channels / c->groups;
    memcpy(dims + n, c->kernel, (size_t)c->axes * sizeof *c->kernel);
    return rg_dnnl_check(dnnl_memory_desc_init_by_tag(md, n + (int)c->axes, dims, dnnl_f32, tag),
                         "a shape");
}

typedef struct tensors {
    dnnl_memory_desc_t image, filter, output;
} tensors;

static rg_status describe(tensors *t, const rg_conv *c, layout l, dnnl_format_tag_t filter)
{
    RG_TRY(describe_image(&t->image, c, c->in_channels, c->in, image_tag(c, l)));
    RG_TRY(describe_image(&t->output, c, c->out_channels, c->out, image_tag(c, l)));
    return describe_filter(&t->filter, c, filter);
}

/* ---- primitives ---- */

static dnnl_status_t describe_part(dnnl_convolution_desc_t *desc, rg_conv_part part,
                                   const rg_conv *c, const tensors *t)
{
    const dnnl_alg_kind_t how = dnnl_convolution_direct;
    dnnl_dims_t stride, dilation, before, after;
    for (int i = 0; i < c->axes; i++) {
        stride[i] = c->stride[i];
        dilation[i] = c->dilation[i] - 1;
        before[i] = c->before[i];
        after[i] = c->after[i];
    }
    if (part == RG_CONV_OUTPUT)
        return dnnl_dilated_convolution_forward_desc_init(desc, dnnl_forward_training, how,
                                                          &t->image, &t->filter, NULL, &t->output,
                                                          stride, dilation, before, after);
    if (part == RG_CONV_IMAGE)
        return dnnl_dilated_convolution_backward_data_desc_init(
            desc, how, &t->image, &t->filter, &t->output, stride, dilation, before, after);
    return dnnl_dilated_convolution_backward_weights_desc_init(
        desc, how, &t->image, &t->filter, NULL, &t->output, stride, dilation, before, after);
}

/* A primitive in that layout. Backward ones are found with a forward one in hand. */
static rg_status find_primitive(dnnl_primitive_desc_t *out, rg_conv_part part, const rg_conv *c,
                                layout l, dnnl_engine_t engine, const_dnnl_primitive_attr_t attr)
{
    tensors t;
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t forward = NULL;
    RG_TRY(describe(&t, c, l, dnnl_format_tag_any));
    rg_status code = RG_OK;
    if (part != RG_CONV_OUTPUT) {
        RG_TRY(rg_dnnl_check(describe_part(&desc, RG_CONV_OUTPUT, c, &t), "a convolution"));
        RG_TRY(rg_dnnl_check(dnnl_primitive_desc_create(&forward, &desc, attr, engine, NULL),
                             "a convolution"));
    }
    code = rg_dnnl_check(describe_part(&desc, part, c, &t), "a convolution");
    if (code == RG_OK)
        code = rg_dnnl_check(dnnl_primitive_desc_create(out, &desc, attr, engine, forward),
                             "a convolution");
    (void)dnnl_primitive_desc_destroy(forward);
    return code;
}

/* Whether oneDNN has nothing better than its reference loops for this. */
static bool is_slow(const_dnnl_primitive_desc_t primitive)
{
    const char *name = "";
    return dnnl_primitive_desc_query(primitive, dnnl_query_impl_info_str, 0, (void *)&name) ==
               dnnl_success &&
           strncmp(name, "ref", 3) == 0;
}

static rg_status find_best(dnnl_primitive_desc_t *out, rg_conv_part part, const rg_conv *c,
                           dnnl_engine_t engine)
{
    dnnl_primitive_attr_t attr;
    layout l = choose(part, c);
    RG_TRY(rg_dnnl_check(dnnl_primitive_attr_create(&attr), "attributes"));
    (void)dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    rg_status code = find_primitive(out, part, c, l, engine, attr);
    if (code == RG_OK && l != PLAIN && is_slow(*out)) {
        dnnl_primitive_desc_t plain;
        if (find_primitive(&plain, part, c, PLAIN, engine, attr) == RG_OK) {
            (void)dnnl_primitive_desc_destroy(*out);
            *out = plain;
        }
    }
    (void)dnnl_primitive_attr_destroy(attr);
    return code;
}

static rg_status make_call(rg_dnnl_cache *cache, const void *key, size_t bytes, rg_conv_part part,
                           const rg_conv *c, rg_dnnl_call **call)
{
    tensors t;
    dnnl_primitive_desc_t primitive;
    bool by_image = part == RG_CONV_IMAGE, by_filter = part == RG_CONV_FILTER;
    RG_TRY(describe(&t, c, c->channels_last ? LAST : PLAIN, filter_tag(c)));
    RG_TRY(find_best(&primitive, part, c, rg_dnnl_engine(cache)));
    const rg_dnnl_arg args[] = {
        {by_image ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
         by_image ? dnnl_query_diff_src_md : dnnl_query_src_md, by_image, t.image},
        {by_filter ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
         by_filter ? dnnl_query_diff_weights_md : dnnl_query_weights_md, by_filter, t.filter},
        {part == RG_CONV_OUTPUT ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST,
         part == RG_CONV_OUTPUT ? dnnl_query_dst_md : dnnl_query_diff_dst_md,
         part == RG_CONV_OUTPUT, t.output},
    };
    rg_status code = rg_dnnl_put(cache, key, bytes, primitive, args, 3, call);
    (void)dnnl_primitive_desc_destroy(primitive);
    return code;
}

/* ---- what is asked for ---- */

rg_status rg_conv_prepare(void **state, rg_conv_part part, const rg_conv *c,
                          struct rg_dnnl_call **call, size_t *scratch)
{
    rg_dnnl_cache *cache = *state;
    RG_TRY(rg_dnnl_cache_open(&cache));
    *state = cache;
    /* A primitive is made for a number of threads. */
    const struct {
        rg_conv shape;
        int64_t part, threads;
    } key = {*c, part, omp_get_max_threads()};
    *call = rg_dnnl_find(cache, &key, sizeof key);
    if (*call == NULL)
        RG_TRY(make_call(cache, &key, sizeof key, part, c, call));
    *scratch = rg_dnnl_scratch(*call);
    return RG_OK;
}

rg_status rg_conv_run(struct rg_dnnl_call *call, float *image, float *filter, float *output,
                      void *scratch)
{
    return rg_dnnl_run(call, (void *const[]){image, filter, output}, scratch);
}

void rg_conv_drop(void *state)
{
    rg_dnnl_cache_close(state);
}
