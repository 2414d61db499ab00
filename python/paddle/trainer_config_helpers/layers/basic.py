"""Data, fully connected layers, embeddings; joining layers."""
import paddle.fluid as fluid

from ..activations import TanhActivation
from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name, param_attr_of

__all__ = ["data_layer", "fc_layer", "embedding_layer", "concat_layer", "addto_layer",
           "dropout_layer"]


@layer_function
def data_layer(name, size, depth=None, height=None, width=None, layer_attr=None):
    if layer_attr is not None and layer_attr.attr:
        raise ConfigError("the data layer %r cannot have %s: put a dropout_layer behind it"
                          % (name, ", ".join(sorted(layer_attr.attr))))
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
    """Its inputs side by side: layers, and projections, which have their parameters here."""
    from .mixed import Projection, identity_projection
    from .picture import channel_bias
    name = layer_name(name, "concat")
    given = list(input) if isinstance(input, (list, tuple)) else [input]
    parts = [each if isinstance(each, Projection) else identity_projection(each)
             for each in given]
    unsized = [each.kind for each in parts if not each.size]
    if unsized:
        raise ConfigError("layer %r: give the %s in it a size" % (name, unsized[0]))
    convolutions = all(each.image for each in parts)

    def build(net, *values):
        made, at = [], 0
        for index, each in enumerate(parts):
            n = len(each.inputs)
            made.append(each.build(net, layer, index, *values[at:at + n]))
            at += n
        joined = made[0] if len(made) == 1 else fluid.layers.concat(made, axis=1)
        if not convolutions:
            return net.add_bias(layer, joined, False if bias_attr is None else bias_attr)
        joined = fluid.layers.reshape(joined, [-1, layer.num_filters, layer.height * layer.width])
        joined = channel_bias(net, layer, joined, layer.num_filters,
                              False if bias_attr is None else bias_attr)
        return fluid.layers.reshape(joined, [-1, layer.size])

    images = [each.image or _image_sizes(given[i]) for i, each in enumerate(parts)]
    if not all(images) or len({tuple(each[1:]) for each in images}) != 1:
        images = [[None] * 3]  # of no use as an image
    channels = None if images[0][0] is None else sum(each[0] for each in images)
    layer = LayerOutput(name, "concat", [each for part in parts for each in part.inputs], act,
                        sum(each.size for each in parts), build, layer_attr,
                        num_filters=channels, height=images[0][1], width=images[0][2])
    return layer


def _image_sizes(layer):
    """[channels, height, width] of a layer whose rows are images, else None."""
    sizes = [getattr(layer, what, None) for what in ("num_filters", "height", "width")]
    return sizes if all(sizes) else None


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
