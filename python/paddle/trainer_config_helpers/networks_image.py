"""Networks over images that are often used."""
from .activations import LinearActivation, ReluActivation, SoftmaxActivation
from .attrs import ExtraLayerAttribute
from .graph import ConfigError, as_layers, current_graph, layer_function, layer_name
from .layers import (batch_norm_layer, dropout_layer, fc_layer, img_conv_layer, img_pool_layer)
from .poolings import MaxPooling

__all__ = ["simple_img_conv_pool", "img_conv_bn_pool", "img_conv_group", "small_vgg",
           "vgg_16_network", "inputs", "outputs"]


@layer_function
def simple_img_conv_pool(input, filter_size, num_filters, pool_size, name=None, pool_type=None,
                         act=None, groups=1, conv_stride=1, conv_padding=0, bias_attr=None,
                         num_channel=None, param_attr=None, shared_bias=True, conv_layer_attr=None,
                         pool_stride=1, pool_padding=0, pool_layer_attr=None):
    """A convolution and a pooling."""
    name = layer_name(name, "conv_pool")
    conv = img_conv_layer(
        name="%s_conv" % name, input=input, filter_size=filter_size, num_filters=num_filters,
        num_channels=num_channel, act=act, groups=groups, stride=conv_stride, padding=conv_padding,
        bias_attr=bias_attr, param_attr=param_attr, shared_biases=shared_bias,
        layer_attr=conv_layer_attr)
    return img_pool_layer(name="%s_pool" % name, input=conv, pool_size=pool_size,
                          pool_type=pool_type, stride=pool_stride, padding=pool_padding,
                          layer_attr=pool_layer_attr)


@layer_function
def img_conv_bn_pool(input, filter_size, num_filters, pool_size, name=None, pool_type=None,
                     act=None, groups=1, conv_stride=1, conv_padding=0, conv_bias_attr=None,
                     num_channel=None, conv_param_attr=None, shared_bias=True,
                     conv_layer_attr=None, bn_param_attr=None, bn_bias_attr=None,
                     bn_layer_attr=None, pool_stride=1, pool_padding=0, pool_layer_attr=None):
    """A convolution, a batch normalisation that has the activation, and a pooling."""
    name = layer_name(name, "conv_bn_pool")
    conv = img_conv_layer(
        name="%s_conv" % name, input=input, filter_size=filter_size, num_filters=num_filters,
        num_channels=num_channel, act=LinearActivation(), groups=groups, stride=conv_stride,
        padding=conv_padding, bias_attr=conv_bias_attr, param_attr=conv_param_attr,
        shared_biases=shared_bias, layer_attr=conv_layer_attr)
    normal = batch_norm_layer(name="%s_bn" % name, input=conv, act=act, bias_attr=bn_bias_attr,
                              param_attr=bn_param_attr, layer_attr=bn_layer_attr)
    return img_pool_layer(name="%s_pool" % name, input=normal, pool_size=pool_size,
                          pool_type=pool_type, stride=pool_stride, padding=pool_padding,
                          layer_attr=pool_layer_attr)


def _for_each(value, n, what):
    values = list(value) if isinstance(value, (list, tuple)) else [value] * n
    if len(values) != n:
        raise ConfigError("img_conv_group: %s has %d values for %d convolutions"
                          % (what, len(values), n))
    return values


@layer_function
def img_conv_group(input, conv_num_filter, pool_size, num_channels=None, conv_padding=1,
                   conv_filter_size=3, conv_act=None, conv_with_batchnorm=False,
                   conv_batchnorm_drop_rate=0, pool_stride=1, pool_type=None, param_attr=None):
    """Convolutions one after the other, with batch normalisation where asked, and a pooling."""
    if not isinstance(conv_num_filter, (list, tuple)) or not conv_num_filter:
        raise ConfigError("img_conv_group: conv_num_filter is %r, and must be a list with a number "
                          "for each convolution" % (conv_num_filter,))
    n = len(conv_num_filter)
    paddings = _for_each(conv_padding, n, "conv_padding")
    sizes = _for_each(conv_filter_size, n, "conv_filter_size")
    acts = _for_each(conv_act, n, "conv_act")
    normals = _for_each(conv_with_batchnorm, n, "conv_with_batchnorm")
    drops = _for_each(conv_batchnorm_drop_rate, n, "conv_batchnorm_drop_rate")
    made = input
    for i in range(n):
        act = ReluActivation() if acts[i] is None else acts[i]
        made = img_conv_layer(
            input=made, padding=paddings[i], filter_size=sizes[i], num_filters=conv_num_filter[i],
            num_channels=num_channels if i == 0 else None, param_attr=param_attr,
            act=LinearActivation() if normals[i] else act)
        if normals[i]:
            attr = ExtraLayerAttribute(drop_rate=drops[i]) if drops[i] else None
            made = batch_norm_layer(input=made, act=act, layer_attr=attr)
    return img_pool_layer(input=made, stride=pool_stride, pool_size=pool_size, pool_type=pool_type)


def _vgg_block(made, filters, times, drops, channels=None):
    return img_conv_group(
        input=made, num_channels=channels, conv_num_filter=[filters] * times, conv_filter_size=3,
        conv_padding=1, conv_act=ReluActivation(), conv_with_batchnorm=True,
        conv_batchnorm_drop_rate=drops, pool_size=2, pool_stride=2, pool_type=MaxPooling())


@layer_function
def small_vgg(input_image, num_channels, num_classes):
    """VGG for small images: four groups, a pooling, and a fully connected layer."""
    made = _vgg_block(input_image, 64, 2, [0.3, 0], num_channels)
    made = _vgg_block(made, 128, 2, [0.4, 0])
    made = _vgg_block(made, 256, 3, [0.4, 0.4, 0])
    made = _vgg_block(made, 512, 3, [0.4, 0.4, 0])
    made = img_pool_layer(input=made, stride=2, pool_size=2, pool_type=MaxPooling())
    made = dropout_layer(input=made, dropout_rate=0.5)
    made = fc_layer(input=made, size=512, layer_attr=ExtraLayerAttribute(drop_rate=0.5),
                    act=LinearActivation())
    made = batch_norm_layer(input=made, act=ReluActivation())
    return fc_layer(input=made, size=num_classes, act=SoftmaxActivation())


@layer_function
def vgg_16_network(input_image, num_channels, num_classes=1000):
    made = input_image
    for i, (filters, times) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
        made = img_conv_group(
            input=made, num_channels=num_channels if i == 0 else None, conv_padding=1,
            conv_num_filter=[filters] * times, conv_filter_size=3, conv_act=ReluActivation(),
            pool_size=2, pool_stride=2, pool_type=MaxPooling())
    for _ in range(2):
        made = fc_layer(input=made, size=4096, act=ReluActivation(),
                        layer_attr=ExtraLayerAttribute(drop_rate=0.5))
    return fc_layer(input=made, size=num_classes, act=SoftmaxActivation())


# ---- what the network is for ----

def _all(layers, args):
    return as_layers((list(layers) if isinstance(layers, (list, tuple)) else [layers]) +
                     list(args), "inputs() and outputs()")


@layer_function
def inputs(layers, *args):
    """The data layers in the order of a sample's slots."""
    current_graph().inputs = _all(layers, args)


@layer_function
def outputs(layers, *args):
    """What is computed: costs for training, or layers for prediction."""
    current_graph().outputs = _all(layers, args)
