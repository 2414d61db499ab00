"""Layers that normalise."""
import paddle.fluid as fluid
from paddle.fluid.layer_helper import LayerHelper

from ..activations import ReluActivation
from ..attrs import ParameterAttribute
from ..graph import ConfigError, LayerOutput, layer_function, layer_name
from .ops import append_op, row_sum, shaped
from .picture import channels_of, constant_start, image_of

__all__ = ["batch_norm_layer", "img_cmrnorm_layer", "cross_channel_norm_layer",
           "sum_to_one_norm_layer", "row_l2_norm_layer"]

_BATCH_NORM_TYPES = (None, "batch_norm", "cudnn_batch_norm", "mkldnn_batch_norm")


def _batch_norm_op(value, scale, bias, mean, variance, mean_out, variance_out, attrs):
    helper = LayerHelper("batch_norm")
    made = helper.create_variable_for_type_inference("float32")
    saved = [helper.create_variable_for_type_inference("float32", stop_gradient=True)
             for _ in range(2)]
    helper.append_op("batch_norm",
                     {"X": [value], "Scale": [scale], "Bias": [bias], "Mean": [mean],
                      "Variance": [variance]},
                     {"Y": [made], "MeanOut": [mean_out], "VarianceOut": [variance_out],
                      "SavedMean": [saved[0]], "SavedVariance": [saved[1]]}, attrs)
    return made


@layer_function
def batch_norm_layer(input, act=None, name=None, img3D=False, num_channels=None, bias_attr=None,
                     param_attr=None, layer_attr=None, batch_norm_type=None, epsilon=1e-5,
                     moving_average_fraction=0.9, use_global_stats=None, mean_var_names=None):
    """Each channel brought to mean 0 and variance 1, then scaled and moved; relu unless told.

    The moving mean and variance are parameters (.w1 and .w2) that no optimizer touches; tests take
    them, and with use_global_stats=True training does; with False not even tests do."""
    name = layer_name(name, "batch_norm")
    what = "layer %r" % name
    channels = num_channels or input.num_filters or input.size
    if input.size % channels:
        raise ConfigError("%s: num_channels is %d, and its input %r has size %d"
                          % (what, channels, input.name, input.size))
    if batch_norm_type not in _BATCH_NORM_TYPES:
        raise ConfigError("%s: batch_norm_type is %r, and may be %s"
                          % (what, batch_norm_type, ", ".join(map(repr, _BATCH_NORM_TYPES))))
    if mean_var_names is not None and len(mean_var_names) != 2:
        raise ConfigError("%s: mean_var_names is %r, and must be two names"
                          % (what, mean_var_names))
    names = mean_var_names or (None, None)
    pixels = input.size // channels

    def build(net, value):
        scale = net.weight(layer, 0, [channels],
                           constant_start(param_attr, 1.0, what + ": param_attr"), dims=[])
        kept = [net.weight(layer, i + 1, [channels],
                           ParameterAttribute(name=names[i], is_static=True, initial_mean=0.0,
                                              initial_std=0.0), dims=[1, channels])
                for i in range(2)]
        bias = net.bias(layer, [channels], bias_attr)
        if bias is None:
            bias = fluid.layers.fill_constant([channels], "float32", 0.0)
        attrs = {"epsilon": float(epsilon), "momentum": float(moving_average_fraction),
                 "use_global_stats": use_global_stats is True, "data_layout": "NCHW"}
        value = shaped(value, channels, pixels, 1) if pixels > 1 else value
        made = _batch_norm_op(value, scale, bias, *(kept * 2), attrs)
        if use_global_stats is False:  # that one keeps the moving numbers, and a test uses them
            own = [fluid.layers.assign(each) for each in kept]
            made = _batch_norm_op(value, scale, bias, *(own * 2),
                                  dict(attrs, trainable_statistics=True))
        return shaped(made, input.size)

    layer = LayerOutput(name, batch_norm_type or "batch_norm", [input],
                        ReluActivation() if act is None else act, input.size, build, layer_attr,
                        num_filters=channels if pixels > 1 or input.num_filters else None,
                        height=input.height, width=input.width, depth=input.depth)
    return layer


@layer_function
def img_cmrnorm_layer(input, size, scale=0.0128, power=0.75, name=None, num_channels=None,
                      layer_attr=None):
    """Each pixel divided by (1 + scale/size * the squares of `size` channels around it)^power."""
    name = layer_name(name, "crmnorm")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    image = image_of(what, input, channels)

    def build(net, value):
        made = append_op("lrn", {"X": [shaped(value, channels, *image)]},
                         {"n": int(size), "k": 1.0, "alpha": float(scale) / size,
                          "beta": float(power)}, also=("MidOut",))
        return shaped(made, input.size)

    return LayerOutput(name, "norm", [input], size=input.size, build=build, layer_attr=layer_attr,
                       num_filters=channels, height=image[0], width=image[1])


@layer_function
def cross_channel_norm_layer(input, name=None, param_attr=None):
    """At each place of an image the vector of its channels at length 1, each channel by a factor
    that is learned."""
    name = layer_name(name, "cross_channel_norm")
    what = "layer %r" % name
    channels = channels_of(what, input, None)
    pixels = input.size // channels

    def build(net, value):
        value = shaped(value, channels, pixels)
        squares = fluid.layers.reduce_sum(fluid.layers.square(value), dim=1, keep_dim=True)
        length = fluid.layers.sqrt(fluid.layers.scale(squares, bias=1e-6))
        value = fluid.layers.elementwise_div(value, length, axis=0)
        factor = net.weight(layer, 0, [channels], param_attr, dims=[channels, 1])
        return shaped(fluid.layers.elementwise_mul(value, factor, axis=1), input.size)

    layer = LayerOutput(name, "norm", [input], size=input.size, build=build,
                        num_filters=channels, height=input.height, width=input.width)
    return layer


@layer_function
def sum_to_one_norm_layer(input, name=None, layer_attr=None):
    return LayerOutput(layer_name(name, "sum_to_one_norm_layer"), "sum_to_one_norm", [input],
                       size=input.size, layer_attr=layer_attr,
                       build=lambda net, x: fluid.layers.elementwise_div(
                           x, shaped(row_sum(x)), axis=0))


@layer_function
def row_l2_norm_layer(input, name=None, layer_attr=None):
    def build(net, x):
        length = fluid.layers.sqrt(row_sum(fluid.layers.square(x)))
        return fluid.layers.elementwise_div(x, shaped(length), axis=0)
    return LayerOutput(layer_name(name, "row_l2_norm_layer"), "row_l2_norm", [input],
                       size=input.size, layer_attr=layer_attr, build=build)
