"""Layers with parameters, beside the fully connected one and the convolutions."""
import paddle.fluid as fluid

from ..activations import LinearActivation, SigmoidActivation, SoftmaxActivation, TanhActivation
from ..graph import (ConfigError, LayerOutput, as_layers, layer_function, layer_name,
                     param_attr_of)
from ..network import SparseValue
from .basic import fc_layer, per_input
from .mixed import dotmul_operator, mixed_layer
from .ops import append_op, dense, row_sum, shaped, size_is
from .picture import channels_of, constant_start

__all__ = ["tensor_layer", "selective_fc_layer", "scale_shift_layer", "prelu_layer",
           "gated_unit_layer", "factorization_machine", "row_conv_layer"]


@layer_function
def tensor_layer(a, b, size, act=None, name=None, param_attr=None, bias_attr=None,
                 layer_attr=None):
    """y[i] = a W[i] b for each of `size` matrices."""
    name = layer_name(name, "tensor_layer")

    def build(net, x, y):
        weight = net.weight(layer, 0, [size, a.size, b.size], param_attr,
                            dims=[a.size, b.size, size], std=a.size ** -0.5)
        made = append_op("bilinear_tensor_product", {"X": [x], "Y": [y], "Weight": [weight]})
        return net.add_bias(layer, made, bias_attr)

    layer = LayerOutput(name, "tensor", [a, b], act, size, build, layer_attr)
    return layer


@layer_function
def selective_fc_layer(input, size, select=None, act=None, name=None, pass_generation=False,
                       has_selected_colums=True, mul_ratio=0.02, param_attr=None, bias_attr=None,
                       layer_attr=None):
    """fc_layer of which each example has only some columns, those that `select` marks; the others
    are 0. The matrix is transposed, [size, the input's]. mul_ratio chose between two ways to the
    same numbers, and is not needed."""
    name = layer_name(name, "selective_fc_layer")
    what = "layer %r" % name
    if pass_generation:
        raise ConfigError("%s: pass_generation=True is not there: select columns also while "
                          "generating, or use fc_layer" % what)
    inputs = as_layers(input)
    attrs = per_input(param_attr, len(inputs), what + ": param_attr")
    chosen = [select] if select is not None and has_selected_colums else []
    for each in chosen:
        size_is(what, each, size)
    act = TanhActivation() if act is None else act

    def build(net, *values):
        parts = []
        for i, (parent, value) in enumerate(zip(inputs, values)):
            weight = net.weight(layer, i, [size, parent.size], attrs[i], std=size ** -0.5)
            parts.append(fluid.layers.matmul(dense(value, parent.size), weight, transpose_y=True))
        made = net.add_bias(layer, parts[0] if len(parts) == 1 else fluid.layers.sums(parts),
                            bias_attr)
        if not chosen:
            return net.drop_and_clip(layer, act.apply(made))
        marks = dense(values[-1], size)
        if isinstance(act, SoftmaxActivation):  # over those that are there
            far = fluid.layers.scale(marks, 1e30, bias=-1e30)
            far.stop_gradient = True
            made = fluid.layers.elementwise_add(made, far)
        made = fluid.layers.elementwise_mul(act.apply(made), marks)
        return net.drop_and_clip(layer, made)

    layer = LayerOutput(name, "selective_fc", inputs + chosen, act, size, build, layer_attr,
                        finished=True)
    return layer


@layer_function
def scale_shift_layer(input, name=None, param_attr=None, bias_attr=None):
    """w * input + b, with two numbers that are learned."""
    name = layer_name(name, "scale_shift")

    def build(net, value):
        made = fluid.layers.elementwise_mul(value, net.weight(layer, 0, [1], param_attr,
                                                              dims=[1, 1]))
        bias = net.bias(layer, [1], bias_attr)
        return made if bias is None else fluid.layers.elementwise_add(made, bias)

    layer = LayerOutput(name, "scale_shift", [input], size=input.size, build=build)
    return layer


@layer_function
def prelu_layer(input, name=None, partial_sum=1, channel_shared=None, num_channels=None,
                param_attr=None, layer_attr=None):
    """Negative elements by a factor that is learned, one for each partial_sum elements:
    channel_shared=True is one for all, False one for each channel."""
    name = layer_name(name, "prelu_layer")
    what = "layer %r" % name
    if channel_shared is not None:
        partial_sum = input.size if channel_shared else (
            input.size // channels_of(what, input, num_channels))
    if partial_sum < 1 or input.size % partial_sum:
        raise ConfigError("%s: partial_sum is %r, and must divide its input's size, %d"
                          % (what, partial_sum, input.size))
    count = input.size // partial_sum

    def build(net, value):
        factor = net.weight(layer, 0, [count], constant_start(param_attr, 0.25, what),
                            dims=[1, count])
        value = shaped(value, count, partial_sum)
        below = fluid.layers.relu(fluid.layers.scale(value, -1.0))
        made = fluid.layers.elementwise_sub(
            fluid.layers.relu(value), fluid.layers.elementwise_mul(below, factor, axis=1))
        return shaped(made, input.size)

    layer = LayerOutput(name, "prelu", [input], size=input.size, build=build,
                        layer_attr=layer_attr, num_filters=input.num_filters, height=input.height,
                        width=input.width, depth=input.depth)
    return layer


@layer_function
def gated_unit_layer(input, size, act=None, name=None, gate_attr=None, gate_param_attr=None,
                     gate_bias_attr=True, inproj_attr=None, inproj_param_attr=None,
                     inproj_bias_attr=True, layer_attr=None):
    """act(input W + b) * sigmoid(input V + c)"""
    name = layer_name(name, "gated_unit_layer")
    projected = fc_layer(input=input, name="%s_input_proj" % name, size=size,
                         act=LinearActivation() if act is None else act, layer_attr=inproj_attr,
                         param_attr=inproj_param_attr, bias_attr=inproj_bias_attr)
    gate = fc_layer(input=input, name="%s_gate" % name, size=size, act=SigmoidActivation(),
                    layer_attr=gate_attr, param_attr=gate_param_attr, bias_attr=gate_bias_attr)
    return mixed_layer(name="%s_gated_act" % name, input=dotmul_operator(projected, gate),
                       layer_attr=layer_attr)


@layer_function
def factorization_machine(input, factor_size, act=None, name=None, param_attr=None,
                          layer_attr=None):
    """The sum over pairs of columns of x[i] x[j] <v[i], v[j]>."""
    name = layer_name(name, "factorization_machine")
    attr = param_attr_of(param_attr, "layer %r: param_attr" % name)

    def build(net, value):
        factors = net.weight(layer, 0, [input.size, factor_size], attr)
        square = fluid.layers.square
        first = square(net.multiply(value, factors, attr.sparse_update))
        if isinstance(value, SparseValue):
            squares = square(net.rows(value.ids, factors, attr.sparse_update))
            if value.values is not None:
                squares = fluid.layers.elementwise_mul(squares, shaped(square(value.values)),
                                                       axis=0)
            second = fluid.layers.sequence_pool(squares, "sum")
        else:
            second = fluid.layers.mul(square(value), square(factors))
        return fluid.layers.scale(row_sum(fluid.layers.elementwise_sub(first, second)), 0.5)

    layer = LayerOutput(name, "factorization_machine", [input], act, 1, build, layer_attr)
    return layer


@layer_function
def row_conv_layer(input, context_len, act=None, name=None, param_attr=None, layer_attr=None):
    """Each step of a sequence and the next ones, context_len in all, column by column by factors
    that are learned."""
    name = layer_name(name, "row_conv_layer")

    def build(net, value):
        weight = net.weight(layer, 0, [context_len, input.size], param_attr)
        return append_op("row_conv", {"X": [value], "Filter": [weight]})

    layer = LayerOutput(name, "row_conv", [input], act, input.size, build, layer_attr)
    return layer
