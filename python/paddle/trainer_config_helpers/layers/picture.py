"""What layers over images share: how large the images of a layer are, and convolutions.

Between layers an image is a row [channels, height, width] (volumes: [channels, depth, height,
width]) of the batch's matrix; LayerOutput keeps the numbers."""
import paddle.fluid as fluid

from ..attrs import ParameterAttribute
from ..graph import ConfigError, LayerOutput, param_attr_of
from .ops import append_op, is_count, shaped, steps_of

__all__ = []


def channels_of(what, layer, num_channels):
    """num_channels, or what the layer before knows of itself."""
    if num_channels is None:
        num_channels = layer.num_filters
    if num_channels is None:
        raise ConfigError("%s: how many channels its input %r has is not known; give num_channels"
                          % (what, layer.name))
    return num_channels


def image_of(what, layer, channels):
    """(height, width) of the images of a layer; they are square where it does not say."""
    pixels = layer.size // channels
    width = layer.width or int(round(pixels ** 0.5))
    height = layer.height or (pixels // width if width else 0)
    if channels * height * width != layer.size:
        raise ConfigError("%s: its input %r has size %d, which is not %d channels of %d x %d; give "
                          "the data layer's height and width, or num_channels"
                          % (what, layer.name, layer.size, channels, height, width))
    return height, width


def volume_of(what, layer, channels):
    """(depth, height, width); cubes where the layer does not say."""
    voxels = layer.size // channels
    width = layer.width or int(round(voxels ** (1.0 / 3)))
    height = layer.height or width
    depth = layer.depth or (voxels // (width * height) if width * height else 0)
    if channels * depth * height * width != layer.size:
        raise ConfigError("%s: its input %r has size %d, which is not %d channels of %d x %d x %d; "
                          "give the data layer's depth, height and width, or num_channels"
                          % (what, layer.name, layer.size, channels, depth, height, width))
    return depth, height, width


def along(value, other, axes, what):
    """What v1 takes as one number for all axes, a list from the last axis (x) to the first, or x
    and (in `other`) y: as a list from the first axis to the last."""
    if isinstance(value, (list, tuple)):
        numbers = list(value)
        if len(numbers) != axes:
            raise ConfigError("%s is %r, and must be a number or %d of them" % (what, value, axes))
        numbers.reverse()
    else:
        numbers = [value] * axes
        if other is not None:
            numbers[:-1] = [other] * (axes - 1)
    for n in numbers:
        if not is_count(n):
            raise ConfigError("%s is %r, and must be a whole number, 0 or more" % (what, value))
    return [int(n) for n in numbers]


def outputs(size, window, stride, padding, up=False):
    """How many windows fit an axis; up: one that reaches beyond the end counts as well."""
    room = size + 2 * padding - window
    if stride < 1 or window < 1 or room < 0:
        raise ConfigError("a window of %d with stride %d does not fit %d with a padding of %d"
                          % (window, stride, size, padding))
    return (room + (stride - 1 if up else 0)) // stride + 1


class Convolution:
    """Of images or volumes, with a filter that is a parameter. sizes: [channels, axes...] of the
    input; after making it, `out` has those of the output."""

    def __init__(self, what, sizes, num_filters, window, stride, padding, dilation=None, groups=1,
                 trans=False):
        axes = len(sizes) - 1
        self.what, self.sizes, self.groups, self.trans = what, list(sizes), groups, trans
        self.stride, self.padding = list(stride), list(padding)
        self.dilation = list(dilation or [1] * axes)
        channels = sizes[0]
        if not is_count(num_filters) or not is_count(groups) or num_filters < 1:
            raise ConfigError("%s: num_filters and groups are %r and %r, and must be whole numbers "
                              "from 1 on" % (what, num_filters, groups))
        if groups < 1 or channels % groups or num_filters % groups:
            raise ConfigError("%s: groups is %r, and divides not both the %d channels and the %d "
                              "filters" % (what, groups, channels, num_filters))
        reach = [(w - 1) * d + 1 for w, d in zip(window, self.dilation)]
        if trans:
            self.filter = [channels, num_filters // groups] + list(window)
            self.out = [num_filters] + [(n - 1) * s + r - 2 * p for n, s, r, p in
                                        zip(sizes[1:], self.stride, reach, self.padding)]
        else:
            self.filter = [num_filters, channels // groups] + list(window)
            self.out = [num_filters] + [outputs(n, r, s, p) for n, r, s, p in
                                        zip(sizes[1:], reach, self.stride, self.padding)]
        if min(self.out) < 1:
            raise ConfigError("%s: its output would be %s" % (what, self.out))
        self.start = (2.0 / (window[-1] ** 2 * channels)) ** 0.5

    @property
    def size(self):
        n = 1
        for each in self.out:
            n *= each
        return n

    def weight(self, net, layer, index, param_attr):
        """v1 writes filters into files without dimensions: as one row."""
        attr = param_attr_of(param_attr, "%s: param_attr" % self.what)
        return net.weight(layer, index, self.filter, attr, dims=[], std=self.start)

    def apply(self, value, filter):
        kind = "conv%dd" % (len(self.sizes) - 1) + ("_transpose" if self.trans else "")
        return append_op(kind, {"Input": [shaped(value, *self.sizes)], "Filter": [filter]},
                         {"strides": self.stride, "paddings": self.padding,
                          "dilations": self.dilation, "groups": self.groups}, out="Output")


    def apply_each(self, value, filters):
        """For each image the filters of its own row: its windows as columns, by a matrix."""
        window, padding, stride = self.filter[2:], self.padding, self.stride
        value = shaped(value, *self.sizes)
        if self.trans:
            value, filters = self._turned_round(value, filters)
            padding, stride = [w - 1 - p for w, p in zip(window, padding)], [1, 1]
        taps = self.sizes[0] * window[0] * window[1]
        columns = append_op("unfold", {"X": [value]},
                            {"kernel_sizes": window, "strides": stride, "paddings": padding * 2,
                             "dilations": [1, 1]}, out="Y")
        return fluid.layers.matmul(shaped(filters, self.out[0], taps), columns)

    def _turned_round(self, value, filters):
        """The way back of a convolution is one over the image with its pixels `stride` apart, its
        filters mirrored."""
        if any(p > w - 1 for w, p in zip(self.filter[2:], self.padding)):
            raise ConfigError("%s: with trans=True the padding must be below the filter's size"
                              % self.what)
        channels, height, width = self.sizes
        down, across = self.stride
        value = fluid.layers.pad(shaped(value, channels, height, 1, width, 1),
                                 [0] * 6 + [0, down - 1, 0, 0, 0, across - 1])
        value = fluid.layers.slice(shaped(value, channels, height * down, width * across),
                                   axes=[2, 3], starts=[0, 0],
                                   ends=[(height - 1) * down + 1, (width - 1) * across + 1])
        filters = fluid.layers.reverse(shaped(filters, *self.filter), axis=[3, 4])
        return value, fluid.layers.transpose(filters, [0, 2, 1, 3, 4])


def image_layer(name, kind, parents, out, build, **kwargs):
    """A layer whose rows are images [channels, height, width], or volumes."""
    size = 1
    for n in out:
        size *= n
    return LayerOutput(name, kind, parents, size=size, num_filters=out[0], height=out[-2],
                       width=out[-1], depth=out[1] if len(out) == 4 else None,
                       build=lambda net, *values: steps_of(
                           values[0], shaped(build(net, *values), size)), **kwargs)


def constant_start(attr, mean, what):
    """A ParameterAttribute that starts at `mean` unless the given one says how it starts."""
    attr = param_attr_of(attr, what)
    if not attr.is_smart:
        return attr
    fixed = ParameterAttribute()
    fixed.__dict__.update(attr.__dict__)
    fixed.initial_mean, fixed.initial_std = mean, 0.0
    return fixed


def channel_bias(net, layer, value, channels, bias_attr, dims=None):
    """One number for each channel, added to [n, channels, ...]."""
    bias = net.bias(layer, [channels], bias_attr, dims=dims)
    return value if bias is None else fluid.layers.elementwise_add(value, bias, axis=1)
