"""Data, fully connected layers, embeddings; joining layers."""
import paddle.fluid as fluid

from ..activations import TanhActivation
from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name, param_attr_of

__all__ = ["data_layer", "fc_layer", "embedding_layer", "concat_layer", "addto_layer",
           "dropout_layer"]


@layer_function
def data_layer(name, size, depth=None, height=None, width=None, layer_attr=None):
    num_filters = None
    if height is not None and width is not None:
        num_filters = size // (width * height * (depth or 1))
    layer = LayerOutput(name, "data", size=size, height=height, width=width, depth=depth,
                        num_filters=num_filters, layer_attr=layer_attr, finished=True,
                        build=lambda net: net.data(layer))
    return layer


def per_input(attr, n, what):
    """One attribute for each of n inputs."""
    attrs = list(attr) if isinstance(attr, (list, tuple)) else [attr] * n
    if len(attrs) != n:
        raise ConfigError("%s: %d attributes for %d inputs" % (what, len(attrs), n))
    return [param_attr_of(each, what) for each in attrs]


@layer_function
def fc_layer(input, size, act=None, name=None, param_attr=None, bias_attr=None, layer_attr=None):
    """The sum of its inputs, each by a matrix of its own, and a bias; tanh unless told."""
    inputs = as_layers(input)
    name = layer_name(name, "fc_layer")
    attrs = per_input(param_attr, len(inputs), "layer %r: param_attr" % name)

    def build(net, *values):
        parts = []
        for i, (parent, value) in enumerate(zip(inputs, values)):
            weight = net.weight(layer, i, [parent.size, size], attrs[i])
            parts.append(net.multiply(value, weight, attrs[i].sparse_update))
        return net.add_bias(layer, parts[0] if len(parts) == 1 else fluid.layers.sums(parts),
                            bias_attr)

    layer = LayerOutput(name, "fc", inputs, TanhActivation() if act is None else act, size, build,
                        layer_attr)
    return layer


@layer_function
def embedding_layer(input, size, name=None, param_attr=None, layer_attr=None):
    name = layer_name(name, "embedding")
    attr = param_attr_of(param_attr, "layer %r: param_attr" % name)

    def build(net, ids):
        table = net.weight(layer, 0, [input.size, size], attr)
        return net.rows(ids, table, attr.sparse_update)

    layer = LayerOutput(name, "embedding", [input], size=size, build=build, layer_attr=layer_attr)
    return layer


@layer_function
def concat_layer(input, act=None, name=None, layer_attr=None, bias_attr=None):
    """Its inputs side by side; projections among them are made first."""
    from .mixed import Projection, mixed_layer
    name = layer_name(name, "concat")
    given = list(input) if isinstance(input, (list, tuple)) else [input]
    inputs = as_layers([mixed_layer(each.size, [each]) if isinstance(each, Projection) else each
                        for each in given])

    def build(net, *values):
        joined = values[0] if len(values) == 1 else fluid.layers.concat(list(values), axis=1)
        return net.add_bias(layer, joined, False if bias_attr is None else bias_attr)

    layer = LayerOutput(name, "concat", inputs, act, sum(each.size for each in inputs), build,
                        layer_attr)
    return layer


@layer_function
def addto_layer(input, act=None, name=None, bias_attr=None, layer_attr=None):
    """The sum of its inputs; no bias unless asked for."""
    inputs = as_layers(input)
    name = layer_name(name, "addto")

    def build(net, *values):
        total = values[0] if len(values) == 1 else fluid.layers.sums(list(values))
        return net.add_bias(layer, total, False if bias_attr is None else bias_attr)

    first = inputs[0]
    layer = LayerOutput(name, "addto", inputs, act, first.size, build, layer_attr,
                        num_filters=first.num_filters, height=first.height, width=first.width)
    return layer


@layer_function
def dropout_layer(input, dropout_rate, name=None):
    from ..attrs import ExtraLayerAttribute
    return addto_layer(input, name=layer_name(name, "dropout"), bias_attr=False,
                       layer_attr=ExtraLayerAttribute(drop_rate=dropout_rate))
