"""mixed_layer: a sum of projections and operators. A projection knows its input and makes its
summand by build(net, layer, index, value); so does an operator, of several values."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name, param_attr_of
from .ops import same_size, shaped, steps_of
from .picture import Convolution, along, channel_bias, channels_of, image_of

__all__ = ["Projection", "mixed_layer", "full_matrix_projection", "table_projection",
           "identity_projection", "dotmul_projection", "scaling_projection",
           "trans_full_matrix_projection", "slice_projection", "dotmul_operator",
           "conv_projection", "conv_operator"]


class Projection:
    """inputs: its layers. size: of what it makes; 0: that of the mixed layer. image: the sizes
    [channels, height, width] of what it makes, of convolutions."""

    def __init__(self, kind, inputs, size, build, image=None):
        self.kind, self.inputs, self.size, self.build = kind, as_layers(inputs), size, build
        self.image = image


class _MixedLayer(LayerOutput):
    """mixed_layer without input: `with mixed_layer(size) as m: m += projection`."""

    def __init__(self, name, size, **kwargs):
        self.projections, self.closed = [], False
        LayerOutput.__init__(self, name, "mixed", size=size, build=self._build_sum, **kwargs)

    def __iadd__(self, projection):
        if self.closed:
            raise ConfigError("mixed layer %r is complete: add projections inside its `with`"
                              % self.name)
        self.projections.append(_as_projection(projection))
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()

    def close(self):
        self.closed = True
        if not self.projections:
            raise ConfigError("mixed layer %r has no projection" % self.name)
        sizes = {p.size for p in self.projections if p.size}
        if not self.size and len(sizes) == 1:
            self.size = sizes.pop()
        for each in self.projections:
            if each.size and each.size != self.size:
                raise ConfigError("mixed layer %r has size %s, and its %s has %s"
                                  % (self.name, self.size, each.kind, each.size))
        self.parents = [layer for each in self.projections for layer in each.inputs]
        image = self.projections[0].image
        if image is not None:
            self.num_filters, self.height, self.width = image
        return self

    def _build_sum(self, net, *values):
        parts, at = [], 0
        for index, each in enumerate(self.projections):
            n = len(each.inputs)
            parts.append(each.build(net, self, index, *values[at:at + n]))
            at += n
        total = parts[0] if len(parts) == 1 else fluid.layers.sums(parts)
        if not all(each.image for each in self.projections):
            return net.add_bias(self, total, self.bias_attr)
        total = shaped(total, self.num_filters, self.height * self.width)
        biased = channel_bias(net, self, total, self.num_filters, self.bias_attr)
        return shaped(biased, self.size)


def _as_projection(given):
    if isinstance(given, LayerOutput):
        return identity_projection(given)
    if not isinstance(given, Projection):
        raise ConfigError("mixed_layer: %r is no projection or operator" % (given,))
    return given


@layer_function
def mixed_layer(size=0, input=None, name=None, act=None, bias_attr=False, layer_attr=None):
    layer = _MixedLayer(layer_name(name, "mixed"), size, activation=act, layer_attr=layer_attr)
    layer.bias_attr = False if bias_attr is None else bias_attr
    if input is None:
        return layer
    for each in input if isinstance(input, (list, tuple)) else [input]:
        layer += each
    return layer.close()


@layer_function
def full_matrix_projection(input, size=0, param_attr=None):
    attr = param_attr_of(param_attr, "full_matrix_projection: param_attr")

    def build(net, layer, index, value):
        weight = net.weight(layer, index, [input.size, size or layer.size], attr)
        return net.multiply(value, weight, attr.sparse_update)
    return Projection("full_matrix_projection", input, size, build)


@layer_function
def table_projection(input, size=0, param_attr=None):
    attr = param_attr_of(param_attr, "table_projection: param_attr")

    def build(net, layer, index, ids):
        table = net.weight(layer, index, [input.size, size or layer.size], attr)
        return net.rows(ids, table, attr.sparse_update)
    return Projection("table_projection", input, size, build)


@layer_function
def dotmul_projection(input, param_attr=None):
    """Each column by a factor of its own, which is learned."""
    attr = param_attr_of(param_attr, "dotmul_projection: param_attr")

    def build(net, layer, index, value):
        weight = net.weight(layer, index, [input.size], attr, dims=[1, input.size], std=1.0)
        return fluid.layers.elementwise_mul(value, weight, axis=1)
    return Projection("dotmul_projection", input, input.size, build)


@layer_function
def scaling_projection(input, param_attr=None):
    """All by one factor, which is learned."""
    attr = param_attr_of(param_attr, "scaling_projection: param_attr")

    def build(net, layer, index, value):
        weight = net.weight(layer, index, [1], attr, dims=[1, 1])
        return fluid.layers.elementwise_mul(value, weight)
    return Projection("scaling_projection", input, input.size, build)


@layer_function
def trans_full_matrix_projection(input, size=0, param_attr=None):
    """By the transpose of a matrix: one that another projection uses as it is, say."""
    attr = param_attr_of(param_attr, "trans_full_matrix_projection: param_attr")

    def build(net, layer, index, value):
        weight = net.weight(layer, index, [size or layer.size, input.size], attr)
        return fluid.layers.matmul(value, weight, transpose_y=True)
    return Projection("trans_full_matrix_projection", input, size, build)


@layer_function
def slice_projection(input, slices):
    """Some columns side by side: slices is a list of (first, behind the last)."""
    for part in slices:
        if len(part) != 2 or not 0 <= part[0] < part[1] <= input.size:
            raise ConfigError("slice_projection: %r is no part of %r, which has %d columns"
                              % (part, input.name, input.size))

    def build(net, layer, index, value):
        parts = [fluid.layers.slice(value, axes=[1], starts=[first], ends=[behind])
                 for first, behind in slices]
        return fluid.layers.concat(parts, axis=1) if len(parts) > 1 else parts[0]
    return Projection("slice_projection", input, sum(b - a for a, b in slices), build)


@layer_function
def identity_projection(input, offset=None, size=None):
    """The input itself, or `size` columns of it from `offset` on."""
    if offset is None:
        return Projection("identity_projection", input, input.size, lambda net, m, i, value: value)
    width = input.size - offset if size is None else size

    def build(net, layer, index, value):
        return fluid.layers.slice(value, axes=[1], starts=[offset], ends=[offset + width])
    return Projection("identity_projection", input, width, build)


@layer_function
def dotmul_operator(a=None, b=None, scale=1, **kwargs):
    """scale * a * b, element by element. (x and y are old names of a and b.)"""
    a, b = kwargs.pop("x", a), kwargs.pop("y", b)
    if kwargs:
        raise ConfigError("dotmul_operator: there is no argument %s; it takes (a, b, scale)"
                          % ", ".join(sorted(kwargs)))
    as_layers([a, b], "dotmul_operator: a or b")
    same_size("dotmul_operator", a, b)

    def build(net, layer, index, x, y):
        made = fluid.layers.elementwise_mul(x, y)
        return made if scale == 1 else fluid.layers.scale(made, float(scale))
    return Projection("dotmul_operator", [a, b], a.size, build)


# ---- convolutions ----

def _convolution(what, input, filter_size, num_filters, num_channels, stride, padding,
                 filter_size_y, stride_y, padding_y, groups, trans):
    channels = channels_of(what, input, num_channels)
    return Convolution(what, [channels] + list(image_of(what, input, channels)), num_filters,
                       along(filter_size, filter_size_y, 2, what + ": filter_size"),
                       along(stride, stride_y, 2, what + ": stride"),
                       along(padding, padding_y, 2, what + ": padding"), None, groups, trans)


@layer_function
def conv_projection(input, filter_size, num_filters, num_channels=None, stride=1, padding=0,
                    filter_size_y=None, stride_y=None, padding_y=None, groups=1, param_attr=None,
                    trans=False):
    """A convolution as a projection: img_conv_layer without bias and activation."""
    conv = _convolution("conv_projection", input, filter_size, num_filters, num_channels, stride,
                        padding, filter_size_y, stride_y, padding_y, groups, trans)

    def build(net, layer, index, value):
        made = conv.apply(value, conv.weight(net, layer, index, param_attr))
        return steps_of(value, shaped(made, conv.size))
    return Projection("conv_projection", input, conv.size, build, image=conv.out)


@layer_function
def conv_operator(img, filter, filter_size, num_filters, num_channels=None, stride=1, padding=0,
                  filter_size_y=None, stride_y=None, padding_y=None, trans=False):
    """A convolution with the filters that the layer `filter` gives, for each image its own."""
    conv = _convolution("conv_operator", img, filter_size, num_filters, num_channels, stride,
                        padding, filter_size_y, stride_y, padding_y, 1, trans)
    wanted = conv.filter[0] * conv.filter[1] * conv.filter[2] * conv.filter[3]
    if filter.size != wanted:
        raise ConfigError("conv_operator: its filters %r have size %d, and must have %d: %s"
                          % (filter.name, filter.size, wanted, conv.filter))

    def build(net, layer, index, value, filters):
        return steps_of(value, shaped(conv.apply_each(value, filters), conv.size))
    return Projection("conv_operator", [img, filter], conv.size, build, image=conv.out)
