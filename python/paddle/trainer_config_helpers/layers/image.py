"""Layers over images: convolution and pooling."""
import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from ..activations import ReluActivation
from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from ..poolings import (AvgPooling, BasePoolingType, CudnnAvgInclPadPooling, MaxPooling,
                        MaxWithMaskPooling)
from .ops import append_op, is_count, shaped, steps_of
from .picture import (Convolution, along, channel_bias, channels_of, image_layer, image_of,
                      outputs, volume_of)

__all__ = ["img_conv_layer", "img_conv3d_layer", "img_pool_layer", "img_pool3d_layer", "spp_layer"]


# ---- convolution ----

def _conv_layer(what, kinds, conv, input, name, act, bias_attr, param_attr, shared_biases,
                layer_attr, layer_type):
    plain, turned = kinds
    kind = layer_type or (turned if conv.trans else plain)[0]
    if kind not in (turned if conv.trans else plain):
        raise ConfigError("%s: layer_type is %r, and with trans=%s may be %s"
                          % (what, layer_type, conv.trans,
                             " or ".join(turned if conv.trans else plain)))

    def build(net, value):
        made = conv.apply(value, conv.weight(net, layer, 0, param_attr))
        if shared_biases:
            return channel_bias(net, layer, made, conv.out[0], bias_attr, [conv.out[0], 1])
        bias = net.bias(layer, [conv.size], bias_attr, dims=[conv.size, 1])
        made = shaped(made, conv.size)
        return made if bias is None else fluid.layers.elementwise_add(made, bias, axis=1)

    layer = image_layer(name, kind, [input], conv.out, build, layer_attr=layer_attr,
                         activation=ReluActivation() if act is None else act)
    return layer


@layer_function
def img_conv_layer(input, filter_size, num_filters, name=None, num_channels=None, act=None,
                   groups=1, stride=1, padding=0, dilation=1, bias_attr=None, param_attr=None,
                   shared_biases=True, layer_attr=None, filter_size_y=None, stride_y=None,
                   padding_y=None, dilation_y=None, trans=False, layer_type=None):
    """Images filtered, and a bias for each filter (or each place); relu unless told. trans: the
    way back of such a convolution, which makes images larger."""
    name = layer_name(name, "conv")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    conv = Convolution(what, [channels] + list(image_of(what, input, channels)), num_filters,
                       along(filter_size, filter_size_y, 2, what + ": filter_size"),
                       along(stride, stride_y, 2, what + ": stride"),
                       along(padding, padding_y, 2, what + ": padding"),
                       along(dilation, dilation_y, 2, what + ": dilation"), groups, trans)
    return _conv_layer(what, (("exconv", "cudnn_conv"), ("exconvt", "cudnn_convt")), conv, input,
                       name, act, bias_attr, param_attr, shared_biases, layer_attr, layer_type)


@layer_function
def img_conv3d_layer(input, filter_size, num_filters, name=None, num_channels=None, act=None,
                     groups=1, stride=1, padding=0, bias_attr=None, param_attr=None,
                     shared_biases=True, layer_attr=None, trans=False, layer_type=None):
    name = layer_name(name, "conv3d")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    conv = Convolution(what, [channels] + list(volume_of(what, input, channels)), num_filters,
                       along(filter_size, None, 3, what + ": filter_size"),
                       along(stride, None, 3, what + ": stride"),
                       along(padding, None, 3, what + ": padding"), None, groups, trans)
    return _conv_layer(what, (("conv3d",), ("deconv3d",)), conv, input, name, act, bias_attr,
                       param_attr, shared_biases, layer_attr, layer_type)


# ---- pooling ----

def _pool_kind(what, pool_type, exclude_mode=None):
    """(a pooling, whether averages leave the padding out)"""
    if pool_type is None:
        pool_type = MaxPooling()
    elif isinstance(pool_type, type):
        pool_type = pool_type()
    if not isinstance(pool_type, BasePoolingType) or pool_type.image is None:
        raise ConfigError("%s: pool_type is %r, and must be a pooling of images such as "
                          "MaxPooling()" % (what, pool_type))
    if isinstance(pool_type, AvgPooling) and pool_type.strategy != AvgPooling.STRATEGY_AVG:
        raise ConfigError("%s: pool_type %s is for sequences; images have MaxPooling and "
                          "AvgPooling" % (what, type(pool_type).__name__))
    if getattr(pool_type, "output_max_index", None):
        raise ConfigError("%s: output_max_index is for sequences; places in images are of "
                          "MaxWithMaskPooling()" % what)
    exclusive = not isinstance(pool_type, CudnnAvgInclPadPooling)
    return pool_type, exclusive if exclude_mode is None else bool(exclude_mode)


def _pool(value, pool, window, stride, padding, ceil_mode, exclusive):
    return append_op("pool%dd" % len(window), {"X": [value]},
                     {"pooling_type": pool.image, "ksize": list(window), "strides": list(stride),
                      "paddings": list(padding), "ceil_mode": bool(ceil_mode),
                      "exclusive": exclusive, "global_pooling": False})


def _pool_and_mask(value, window, stride, padding):
    """(the largest of each window, where in its plane each stands)"""
    helper = LayerHelper("max_pool2d_with_index")
    made = helper.create_variable_for_type_inference("float32")
    mask = helper.create_variable_for_type_inference("int32", stop_gradient=True)
    helper.append_op("max_pool2d_with_index", {"X": [value]}, {"Out": [made], "Mask": [mask]},
                     {"ksize": list(window), "strides": list(stride), "paddings": list(padding)})
    return made, mask


@layer_function
def img_pool_layer(input, pool_size, name=None, num_channels=None, pool_type=None, stride=1,
                   padding=0, layer_attr=None, pool_size_y=None, stride_y=None, padding_y=None,
                   ceil_mode=True, exclude_mode=None):
    """The largest or the average of each window; ceil_mode: windows that reach beyond the image
    count as well."""
    name = layer_name(name, "pool")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    pool, exclusive = _pool_kind(what, pool_type, exclude_mode)
    image = image_of(what, input, channels)
    window = along(pool_size, pool_size_y, 2, what + ": pool_size")
    steps = along(stride, stride_y, 2, what + ": stride")
    around = along(padding, padding_y, 2, what + ": padding")
    out = [channels] + [outputs(n, w, s, p, ceil_mode)
                        for n, w, s, p in zip(image, window, steps, around)]
    masked = isinstance(pool, MaxWithMaskPooling)
    if masked and out[1:] != [outputs(n, w, s, p) for n, w, s, p in
                              zip(image, window, steps, around)]:
        raise ConfigError("%s: with MaxWithMaskPooling the windows must fit the image of %d x %d: "
                          "pad it, or give ceil_mode=False" % ((what,) + tuple(image)))

    def build(net, value):
        value = shaped(value, channels, *image)
        if not masked:
            return _pool(value, pool, window, steps, around, ceil_mode, exclusive)
        made, mask = _pool_and_mask(value, window, steps, around)
        net.keep(layer, "mask", mask)
        return made

    layer = image_layer(name, "pool", [input], out, build, layer_attr=layer_attr,
                        outputs=["default", "mask"] if masked else None)
    return layer


@layer_function
def img_pool3d_layer(input, pool_size, name=None, num_channels=None, pool_type=None, stride=1,
                     padding=0, layer_attr=None, pool_size_y=None, stride_y=None, padding_y=None,
                     pool_size_z=None, stride_z=None, padding_z=None, ceil_mode=True):
    name = layer_name(name, "pool3d")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    pool, exclusive = _pool_kind(what, pool_type)
    volume = volume_of(what, input, channels)

    def numbers(value, y, z, argument):
        found = along(value, None, 3, what + ": " + argument)
        return [found[0] if z is None else z, found[1] if y is None else y, found[2]]
    window = numbers(pool_size, pool_size_y, pool_size_z, "pool_size")
    steps = numbers(stride, stride_y, stride_z, "stride")
    around = numbers(padding, padding_y, padding_z, "padding")
    out = [channels] + [outputs(n, w, s, p, ceil_mode)
                        for n, w, s, p in zip(volume, window, steps, around)]
    return image_layer(name, "pool3d", [input], out, lambda net, value: _pool(
        shaped(value, channels, *volume), pool, window, steps, around, ceil_mode, exclusive),
        layer_attr=layer_attr)


@layer_function
def spp_layer(input, name=None, num_channels=None, pool_type=None, pyramid_height=None,
              layer_attr=None):
    """Poolings of the whole image, its quarters, their quarters ..., side by side."""
    name = layer_name(name, "spp")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    pool, exclusive = _pool_kind(what, pool_type)
    if isinstance(pool, MaxWithMaskPooling):
        raise ConfigError("%s: pool_type may be MaxPooling or AvgPooling" % what)
    if not is_count(pyramid_height) or pyramid_height < 1:
        raise ConfigError("%s: pyramid_height is %r, and must be 1 or more"
                          % (what, pyramid_height))
    image = image_of(what, input, channels)
    size = channels * sum(4 ** level for level in range(pyramid_height))

    def build(net, value):
        images, parts = shaped(value, channels, *image), []
        for level in range(pyramid_height):
            bins = 2 ** level
            window = [-(-n // bins) for n in image]
            padding = [(w * bins - n + 1) // 2 for w, n in zip(window, image)]
            pooled = _pool(images, pool, window, window, padding, False, exclusive)
            parts.append(shaped(pooled, channels * bins * bins))
        return steps_of(value, fluid.layers.concat(parts, axis=1) if len(parts) > 1 else parts[0])

    return LayerOutput(name, "spp", [input], size=size, build=build, layer_attr=layer_attr)
