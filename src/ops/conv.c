/* conv.c - conv2d, depthwise_conv2d, conv3d: a filter slides over images.
 *
 *   Output[n, o, y] = sum over i and k of Filter[o, i, k] Input[n, i, y stride + k dilation - pad]
 *
 * Channels may be cut into groups that do not mix. depthwise_conv2d is conv2d by another
 * name, which Paddle gives to the case of one group for each channel. */
#include "ops/convolve.h"

enum { INPUT, FILTER, BIAS, RESIDUAL };
enum { OUTPUT };
enum {
    FUSE_RELU = RG_CONV_ATTRS,
    FUSE_ACTIVATION,
    FUSE_RESIDUAL,
    FUSE_ALPHA,
    FUSE_BETA,
    IS_TEST,
    WORKSPACE,
    SEARCH,
    FUSE_RELU_BEFORE, /* from here on: not of conv3d */
    FUSE_BRELU,
    BRELU_THRESHOLD,
    SCALE_IN,
    SCALE_OUT,
    SCALE_IN_ELTWISE,
    SCALE_WEIGHTS,
};

static rg_status refuse_fused(const rg_ctx *ctx, bool flat)
{
    static const int attrs[] = {FUSE_RELU, FUSE_ACTIVATION, FUSE_RESIDUAL, FUSE_RELU_BEFORE,
                                FUSE_BRELU};
    if (flat && rg_has_in(ctx, RESIDUAL))
        return rg_fail(RG_EUNIMPL, "ResidualData belongs to fused convolutions, which are not "
                                   "supported");
    return rg_convolve_refuse(ctx, attrs, flat ? 5 : 3);
}

static rg_status infer(rg_ctx *ctx, int axes)
{
    rg_conv c;
    rg_shape out = *rg_shape_of(ctx, INPUT);
    RG_TRY(rg_expect_rank(ctx, INPUT, axes + 2));
    RG_TRY(rg_expect_same_dtype(ctx, INPUT, FILTER));
    RG_TRY(refuse_fused(ctx, axes == 2));
    RG_TRY(rg_convolve_shape(ctx, &out, rg_shape_of(ctx, FILTER), NULL, &c));
    if (axes == 2 && rg_has_in(ctx, BIAS) &&
        rg_shape_numel(rg_shape_of(ctx, BIAS)) != c.out_channels)
        return rg_fail(RG_ESHAPE, "Bias must have one number for each of the %lld output channels",
                       (long long)c.out_channels);
    for (int i = 0; i < axes; i++)
        out.dim[(c.channels_last ? 1 : 2) + i] = c.out[i];
    out.dim[c.channels_last ? out.rank - 1 : 1] = c.out_channels;
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

static rg_status forward(rg_ctx *ctx, bool may_have_bias)
{
    rg_conv c;
    RG_TRY(rg_convolve_shape(ctx, rg_shape_of(ctx, INPUT), rg_shape_of(ctx, FILTER), NULL, &c));
    RG_TRY(rg_convolve(ctx, INPUT, RG_CONV_OUTPUT, &c, rg_in_data(ctx, INPUT),
                       rg_in_data(ctx, FILTER), rg_out_data(ctx, OUTPUT)));
    if (!may_have_bias || !rg_has_in(ctx, BIAS))
        return RG_OK;
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

enum { G_INPUT, G_FILTER, G_DOUT, G_BIAS };
enum { G_DINPUT, G_DFILTER, G_DBIAS };

static rg_status backward(rg_ctx *ctx, bool may_have_bias)
{
    rg_conv c;
    const void *dout = rg_in_data(ctx, G_DOUT);
    RG_TRY(rg_convolve_shape(ctx, rg_shape_of(ctx, G_INPUT), rg_shape_of(ctx, G_FILTER), NULL, &c));
    if (rg_has_out(ctx, G_DINPUT))
        RG_TRY(rg_convolve(ctx, G_DOUT, RG_CONV_IMAGE, &c, rg_out_data(ctx, G_DINPUT),
                           rg_in_data(ctx, G_FILTER), dout));
    if (rg_has_out(ctx, G_DFILTER))
        RG_TRY(rg_convolve(ctx, G_DOUT, RG_CONV_FILTER, &c, rg_in_data(ctx, G_INPUT),
                           rg_out_data(ctx, G_DFILTER), dout));
    if (!may_have_bias || !rg_has_out(ctx, G_DBIAS))
        return RG_OK;
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

#define INPUT_SLOTS                                          \
    [INPUT] = {"Input", "images, [batch, channels, space]"}, \
    [FILTER] = {"Filter", "[output channels, channels of a group, kernel]"}
#define SLOTS2                                                                            \
    RG_SLOTS(INPUT_SLOTS, [BIAS] = {"Bias", "added to each output channel", RG_OPTIONAL}, \
             [RESIDUAL] = {"ResidualData", "refused", RG_OPTIONAL | RG_NO_GRAD})
#define ATTRS(AXES, FORMAT)                                                                        \
    RG_CONV_ATTR_SPECS(AXES, FORMAT), [FUSE_RELU] = RG_BOOLEAN("fuse_relu", false, "refused"),     \
                                      [FUSE_ACTIVATION] = RG_STRING("fuse_activation", "",         \
                                                                    "refused"),                    \
                                      [FUSE_RESIDUAL] = RG_BOOLEAN("fuse_residual_connection",     \
                                                                   false, "refused"),              \
                                      [FUSE_ALPHA] = RG_FLOAT("fuse_alpha", 0.0f,                  \
                                                              "kept for files"),                   \
                                      [FUSE_BETA] = RG_FLOAT("fuse_beta", 0.0f, "kept for files"), \
                                      [IS_TEST] = RG_BOOLEAN("is_test", false, "kept for files"),  \
                                      [WORKSPACE] = RG_INT("workspace_size_MB", 512,               \
                                                           "kept for files"),                      \
                                      [SEARCH] = RG_BOOLEAN("exhaustive_search", false,            \
                                                            "kept for files")
#define ATTRS3 RG_ATTRS(ATTRS(3, "NCDHW"))
#define ATTRS2                                                                                     \
    RG_ATTRS(ATTRS(2, "NCHW"),                                                                     \
             [FUSE_RELU_BEFORE] = RG_BOOLEAN("fuse_relu_before_depthwise_conv", false, "refused"), \
             [FUSE_BRELU] = RG_BOOLEAN("fuse_brelu", false, "refused"),                            \
             [BRELU_THRESHOLD] = RG_FLOAT("fuse_brelu_threshold", 6.0f, "kept for files"),         \
             [SCALE_IN] = RG_FLOAT("Scale_in", 1.0f, "kept for files"),                            \
             [SCALE_OUT] = RG_FLOAT("Scale_out", 1.0f, "kept for files"),                          \
             [SCALE_IN_ELTWISE] = RG_FLOAT("Scale_in_eltwise", 1.0f, "kept for files"),            \
             [SCALE_WEIGHTS] = {.value = {.name = "Scale_weights",                                 \
                                          .type = RG_ATTR_FLOATS,                                  \
                                          .n = 1,                                                  \
                                          .floats = (const float[]){1.0f}},                        \
                                .doc = "kept for files"})

#define CONV2(NAME, DOC)                                                                           \
    {                                                                                              \
        .type = NAME, .doc = (DOC), .in = SLOTS2,                                                  \
        .out = RG_SLOTS([OUTPUT] = {"Output", "[batch, output channels, space]"}), .attr = ATTRS2, \
        .flags = RG_OP_BILINEAR, .infer = infer2, .kernel = kernel2, .drop = rg_conv_drop,         \
    }
#define CONV2_GRAD(NAME)                                                                 \
    {                                                                                    \
        .type = NAME "_grad", .doc = "Gradient of " NAME ".",                            \
        .in = RG_SLOTS([G_INPUT] = {"Input", ""}, [G_FILTER] = {"Filter", ""},           \
                       [G_DOUT] = {"Output@GRAD", ""},                                   \
                       [G_BIAS] = {"Bias", "", RG_OPTIONAL | RG_SHAPE_ONLY}),            \
        .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, RG_OF(G_INPUT)},    \
                        [G_DFILTER] = {"Filter@GRAD", "", RG_OPTIONAL, RG_OF(G_FILTER)}, \
                        [G_DBIAS] = {"Bias@GRAD", "", RG_OPTIONAL, RG_OF(G_BIAS)}),      \
        .attr = ATTRS2, .kernel = grad_kernel2, .drop = rg_conv_drop,                    \
    }

const rg_op rg_ops_conv[] = {
    CONV2("conv2d", "A filter slides over images."),
    CONV2("depthwise_conv2d", "conv2d with a group for each channel."),
    {
        .type = "conv3d",
        .doc = "A filter slides over volumes.",
        .in = RG_SLOTS(INPUT_SLOTS),
        .out = RG_SLOTS([OUTPUT] = {"Output", "[batch, output channels, space]"}),
        .attr = ATTRS3,
        .flags = RG_OP_BILINEAR,
        .infer = infer3,
        .kernel = kernel3,
        .drop = rg_conv_drop,
    },
    CONV2_GRAD("conv2d"),
    CONV2_GRAD("depthwise_conv2d"),
    {
        .type = "conv3d_grad",
        .doc = "Gradient of conv3d.",
        .in = RG_SLOTS([G_INPUT] = {"Input", ""}, [G_FILTER] = {"Filter", ""},
                       [G_DOUT] = {"Output@GRAD", ""}),
        .out = RG_SLOTS([G_DINPUT] = {"Input@GRAD", "", RG_OPTIONAL, RG_OF(G_INPUT)},
                        [G_DFILTER] = {"Filter@GRAD", "", RG_OPTIONAL, RG_OF(G_FILTER)}),
        .attr = ATTRS3,
        .kernel = grad_kernel3,
        .drop = rg_conv_drop,
    },
    {.type = NULL},
};
