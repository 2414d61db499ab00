/* conv_transpose.c - conv2d_transpose, depthwise_conv2d_transpose, conv3d_transpose.
 *
 * The gradient of a convolution by its image, as an op: from Input, taken as the output of
 * a convolution by Filter, to Output, its image.
 *
 *   Output size = (Input size - 1) stride - padding + (kernel - 1) dilation + 1
 *
 * or, with output_size, up to stride - 1 more: sizes that the convolution does not tell
 * apart. So the gradients are a convolution, and the gradient of its filter. */
#include "ops/convolve.h"

enum { INPUT, FILTER, BIAS };
enum { OUTPUT };
enum {
    OUTPUT_SIZE = RG_CONV_ATTRS,
    WORKSPACE,
    FUSE_RELU, /* from here on: not of conv3d_transpose */
    FUSE_ACTIVATION,
    FUSE_ALPHA,
    FUSE_BETA,
    IS_TEST,
};

/* The shape of Output without regard to output_size: -1 where Input's is not known. */
static void smallest_output(const rg_shape *input, bool last, const rg_conv *c, rg_shape *out)
{
    *out = *input;
    for (int i = 0; i < c->axes; i++) {
        int64_t *size = &out->dim[(last ? 1 : 2) + i];
        if (*size >= 0)
            *size = (*size - 1) * c->stride[i] - c->before[i] - c->after[i] +
                    (c->kernel[i] - 1) * c->dilation[i] + 1;
    }
    out->dim[last ? out->rank - 1 : 1] = c->in_channels;
}

static rg_status check_input(const rg_shape *input, const rg_shape *filter, bool last)
{
    char ti[RG_SHAPE_TEXT], tf[RG_SHAPE_TEXT];
    int64_t channels = input->dim[last ? input->rank - 1 : 1];
    if (input->rank == filter->rank && (channels < 0 || channels == filter->dim[0]))
        return RG_OK;
    return rg_fail(RG_ESHAPE,
                   "Input of shape %s has %lld channels, and Filter of shape %s takes %lld",
                   rg_shape_text(input, ti), (long long)channels, rg_shape_text(filter, tf),
                   (long long)filter->dim[0]);
}

/* output_size in place of the smallest sizes. */
static rg_status enlarge(const rg_attr *sizes, const rg_conv *c, bool last, rg_shape *out)
{
    if (sizes->n == 0)
        return RG_OK;
    if (sizes->n != c->axes)
        return rg_fail(RG_EINVAL, "output_size has %d numbers, and there are %lld axes", sizes->n,
                       (long long)c->axes);
    for (int i = 0; i < c->axes; i++) {
        int64_t *size = &out->dim[(last ? 1 : 2) + i];
        if (*size < 0)
            continue;
        if (sizes->ints[i] < *size || sizes->ints[i] >= *size + c->stride[i])
            return rg_fail(RG_EINVAL, "output_size %d of axis %d is not from %lld to %lld",
                           sizes->ints[i], i, (long long)*size,
                           (long long)(*size + c->stride[i] - 1));
        *size = sizes->ints[i];
    }
    return RG_OK;
}

/* The convolution whose output is Input; `output` is the shape of its image. */
static rg_status find_conv(const rg_ctx *ctx, rg_shape *output, rg_conv *c)
{
    const rg_shape *input = rg_shape_of(ctx, INPUT), *filter = rg_shape_of(ctx, FILTER);
    bool last;
    RG_TRY(rg_convolve_format(ctx, input->rank, &last));
    RG_TRY(check_input(input, filter, last));
    const int64_t *sizes = input->dim + (last ? 1 : 2);
    /* An image that anything fits into, for the attributes; then the one that is meant. */
    rg_shape any = *input;
    for (int i = 0; i < any.rank; i++)
        any.dim[i] = -1;
    RG_TRY(rg_convolve_shape(ctx, &any, filter, sizes, c));
    smallest_output(input, last, c, output);
    RG_TRY(enlarge(rg_attr_list(ctx, OUTPUT_SIZE), c, last, output));
    for (int i = 0; i < c->axes; i++)
        if (sizes[i] >= 0 && output->dim[(last ? 1 : 2) + i] < 1)
            return rg_fail(RG_ESHAPE, "the paddings leave nothing of axis %d", i);
    return rg_convolve_shape(ctx, output, filter, sizes, c);
}

static rg_status infer(rg_ctx *ctx, int axes)
{
    static const int fused[] = {FUSE_RELU, FUSE_ACTIVATION};
    rg_conv c;
    rg_shape out;
    RG_TRY(rg_expect_rank(ctx, INPUT, axes + 2));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, FILTER));
    RG_TRY(rg_convolve_refuse(ctx, fused, axes == 2 ? 2 : 0));
    RG_TRY(find_conv(ctx, &out, &c));
    if (axes == 2 && rg_has_in(ctx, BIAS) &&
        rg_shape_numel(rg_shape_of(ctx, BIAS)) != c.in_channels)
        return rg_fail(RG_ESHAPE, "Bias must have one number for each of the %lld output channels",
                       (long long)c.in_channels);
    rg_set_out(ctx, OUTPUT, rg_dtype_of(ctx, INPUT), &out);
    return RG_OK;
}

static rg_status infer2(rg_ctx *ctx)
{
    return infer(ctx, 2);
}

static rg_status infer3(rg_ctx *ctx)
{
    return infer(ctx, 3);
}

/* The convolution with image and output exchanged: for a bias on Output. */
static rg_conv turned(const rg_conv *c)
{
    rg_conv t = *c;
    t.out_channels = c->in_channels;
    for (int i = 0; i < 3; i++)
        t.out[i] = c->in[i];
    return t;
}

static rg_status forward(rg_ctx *ctx, bool may_have_bias)
{
    rg_conv c;
    rg_shape out;
    RG_TRY(find_conv(ctx, &out, &c));
    RG_TRY(rg_convolve(ctx, INPUT, RG_CONV_IMAGE, &c, rg_out_data(ctx, OUTPUT),
                       rg_in_data(ctx, FILTER), rg_in_data(ctx, INPUT)));
    if (!may_have_bias || !rg_has_in(ctx, BIAS))
        return RG_OK;
    c = turned(&c);
    return rg_convolve_add_bias(ctx, INPUT, &c, rg_in_data(ctx, BIAS), rg_out_data(ctx, OUTPUT));
}

static rg_status kernel2(rg_ctx *ctx)
{
    return forward(ctx, true);
}

static rg_status kernel3(rg_ctx *ctx)
{
    return forward(ctx, false);
}

/* ---- gradient ---- */

enum { G_INPUT = INPUT, G_FILTER = FILTER, G_DOUT, G_BIAS }; /* find_conv reads the first two */
enum { G_DINPUT, G_DFILTER, G_DBIAS };

static rg_status backward(rg_ctx *ctx, bool may_have_bias)
{
    rg_conv c;
    rg_shape out;
    const void *dout = rg_in_data(ctx, G_DOUT);
    RG_TRY(find_conv(ctx, &out, &c));
    if (rg_has_out(ctx, G_DINPUT))
        RG_TRY(rg_convolve(ctx, G_DOUT, RG_CONV_OUTPUT, &c, dout, rg_in_data(ctx, G_FILTER),
                           rg_out_data(ctx, G_DINPUT)));
    if (rg_has_out(ctx, G_DFILTER))
        RG_TRY(rg_convolve(ctx, G_DOUT, RG_CONV_FILTER, &c, dout, rg_out_data(ctx, G_DFILTER),
                           rg_in_data(ctx, G_INPUT)));
    if (!may_have_bias || !rg_has_out(ctx, G_DBIAS))
        return RG_OK;
    c = turned(&c);
    return rg_convolve_bias_grad(ctx, G_DOUT, &c, dout, rg_out_data(ctx, G_DBIAS));
}

static rg_status grad_kernel2(rg_ctx *ctx)
{
    return backward(ctx, true);
}

static rg_status grad_kernel3(rg_ctx *ctx)
{
    return backward(ctx, false);
}

#define INPUT_SLOTS                                  \
    [INPUT] = {"Input", "[batch, channels, space]"}, \
    [FILTER] = {"Filter", "[channels, output channels of a group, kernel]"}
#define OUT_SLOTS RG_SLOTS([OUTPUT] = {"Output", "[batch, output channels, space]"})
#define ATTRS(AXES)                                                                               \
    RG_CONV_ATTR_SPECS(AXES, "NCHW"),                                                             \
        [OUTPUT_SIZE] = RG_LIST("output_size", RG_ATTR_INTS, "the size wanted; empty: smallest"), \
        [WORKSPACE] = RG_INT("workspace_size_MB", 512, "kept for files")
#define ATTRS3 RG_ATTRS(ATTRS(3))
#define ATTRS2                                                                  \
    RG_ATTRS(ATTRS(2), [FUSE_RELU] = RG_BOOLEAN("fuse_relu", false, "refused"), \
             [FUSE_ACTIVATION] = RG_STRING("fuse_activation", "", "refused"),   \
             [FUSE_ALPHA] = RG_FLOAT("fuse_alpha", 0.0f, "kept for files"),     \
             [FUSE_BETA] = RG_FLOAT("fuse_beta", 0.0f, "kept for files"),       \
             [IS_TEST] = RG_BOOLEAN("is_test", false, "kept for files"))
#define GRAD_IN \
    [G_INPUT] = {"Input", ""}, [G_FILTER] = {"Filter", ""}, [G_DOUT] = {"Output@GRAD", ""}
#define GRAD_OUT                                                                                  \
    [G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, RG_OF(G_INPUT)}, [G_DFILTER] = {"Filter@GRAD",   \
                                                                                 "", RG_OPTIONAL, \
                                                                                 RG_OF(G_FILTER)}

#define TRANSPOSE2(NAME, DOC)                                                             \
    {                                                                                     \
        .type = NAME, .doc = (DOC),                                                       \
        .in = RG_SLOTS(                                                                   \
            INPUT_SLOTS, [BIAS] = {"Bias", "added to each output channel", RG_OPTIONAL}), \
        .out = OUT_SLOTS, .attr = ATTRS2, .flags = RG_OP_BILINEAR, .infer = infer2,       \
        .kernel = kernel2, .drop = rg_conv_drop,                                          \
    }
#define TRANSPOSE2_GRAD(NAME)                                                                 \
    {                                                                                         \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                                 \
        .in = RG_SLOTS(GRAD_IN, [G_BIAS] = {"Bias", "", RG_OPTIONAL | RG_SHAPE_ONLY}),        \
        .out = RG_SLOTS(GRAD_OUT, [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_BIAS)}), \
        .attr = ATTRS2, .kernel = grad_kernel2, .drop = rg_conv_drop,                         \
    }

const rg_op rg_ops_conv_transpose[] = {
    TRANSPOSE2("conv2d_transpose", "A convolution turned round: it makes images larger."),
    TRANSPOSE2("depthwise_conv2d_transpose", "conv2d_transpose with a group for each channel."),
    {
        .type = "conv3d_transpose",
        .doc = "A convolution of volumes turned round.",
        .in = RG_SLOTS(INPUT_SLOTS),
        .out = OUT_SLOTS,
        .attr = ATTRS3,
        .flags = RG_OP_BILINEAR,
        .infer = infer3,
        .kernel = kernel3,
        .drop = rg_conv_drop,
    },
    TRANSPOSE2_GRAD("conv2d_transpose"),
    TRANSPOSE2_GRAD("depthwise_conv2d_transpose"),
    {
        .type = "conv3d_transpose_grad",
        .doc = "Gradient of conv3d_transpose.",
        .in = RG_SLOTS(GRAD_IN),
        .out = RG_SLOTS(GRAD_OUT),
        .attr = ATTRS3,
        .kernel = grad_kernel3,
        .drop = rg_conv_drop,
    },
    {.type = NULL},
};
