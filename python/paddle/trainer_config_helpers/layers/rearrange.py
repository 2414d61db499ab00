"""Layers that move, cut, repeat or enlarge what is in an image or a row."""
import paddle.fluid as fluid

from ..graph import ConfigError, LayerOutput, as_layers, layer_function, layer_name
from .ops import append_op, shaped, size_is, steps_of
from .picture import channels_of, flat, image_of, image_layer, outputs

__all__ = ["maxout_layer", "pad_layer", "crop_layer", "block_expand_layer",
           "bilinear_interp_layer", "upsample_layer", "rotate_layer", "switch_order_layer",
           "resize_layer", "scale_sub_region_layer", "trans_layer", "repeat_layer"]


# ---- the images' sizes ----

@layer_function
def maxout_layer(input, groups, num_channels=None, name=None, layer_attr=None):
    """Of each `groups` channels that follow each other the largest."""
    name = layer_name(name, "maxout_layer")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    if groups < 2 or channels % groups:
        raise ConfigError("%s: groups is %r, and must be above 1 and divide the %d channels"
                          % (what, groups, channels))
    image = image_of(what, input, channels)
    return image_layer(name, "maxout", [input], [channels // groups] + list(image),
                       lambda net, value: append_op(
                           "maxout", {"X": [shaped(value, channels, *image)]},
                           {"groups": groups, "axis": 1}),
                       layer_attr=layer_attr)


@layer_function
def pad_layer(input, pad_c=None, pad_h=None, pad_w=None, name=None, layer_attr=None):
    """Zeros around an image: [how many before, how many behind] for channels, height and width."""
    name = layer_name(name, "pad")
    what = "layer %r" % name
    around = []
    for axis, given in (("pad_c", pad_c), ("pad_h", pad_h), ("pad_w", pad_w)):
        pair = list(given) if given is not None else [0, 0]
        if len(pair) != 2 or min(pair) < 0:
            raise ConfigError("%s: %s is %r, and must be two numbers, 0 or more"
                              % (what, axis, given))
        around.append(pair)
    channels = channels_of(what, input, None)
    image = [channels] + list(image_of(what, input, channels))
    return image_layer(name, "pad", [input], [n + sum(pair) for n, pair in zip(image, around)],
                       lambda net, value: fluid.layers.pad(
                           shaped(value, *image), [0, 0] + [n for pair in around for n in pair]),
                       layer_attr=layer_attr)


@layer_function
def crop_layer(input, offset, axis=2, shape=None, name=None, layer_attr=None):
    """A part of each image, from `offset` on, along `axis` (1: channels, 2: height, 3: width) and
    those behind it; as large as `shape` (of all four axes), or as the second input."""
    name = layer_name(name, "crop_layer")
    what = "layer %r" % name
    inputs = as_layers(input)
    if axis not in (1, 2, 3):
        raise ConfigError("%s: axis is %r, and may be 1 (channels), 2 (height) or 3 (width): the "
                          "examples of a batch are not cropped" % (what, axis))
    offset = list(offset) if isinstance(offset, (list, tuple)) else [offset]
    if len(offset) != 4 - axis:
        raise ConfigError("%s: offset is %r, and from axis %d on there are %d axes"
                          % (what, offset, axis, 4 - axis))
    channels = channels_of(what, inputs[0], None)
    image = [channels] + list(image_of(what, inputs[0], channels))
    if shape is None:
        if len(inputs) != 2:
            raise ConfigError("%s: give shape, or a second input that has it" % what)
        wanted = channels_of(what, inputs[1], None)
        target = [wanted] + list(image_of(what, inputs[1], wanted))
    elif len(shape) != 4:
        raise ConfigError("%s: shape is %r, and must have 4 numbers: examples, channels, height, "
                          "width" % (what, shape))
    else:
        target = list(shape)[1:]
    out = image[:axis - 1] + target[axis - 1:]
    starts = [0] * (axis - 1) + offset
    for n, start, length in zip(image, starts, out):
        if start < 0 or start + length > n:
            raise ConfigError("%s: %d from %d on is more than its input's %d"
                              % (what, length, start, n))
    return image_layer(name, "crop", inputs, out, lambda net, value, *_: fluid.layers.slice(
        shaped(value, *image), axes=[1, 2, 3], starts=starts,
        ends=[start + length for start, length in zip(starts, out)]), layer_attr=layer_attr)


@layer_function
def block_expand_layer(input, block_x=0, block_y=0, stride_x=0, stride_y=0, padding_x=0,
                       padding_y=0, num_channels=None, name=None, layer_attr=None):
    """Each image as a sequence of its windows, row by row; the last ones may reach beyond it."""
    name = layer_name(name, "block_expand_layer")
    what = "layer %r" % name
    channels = channels_of(what, input, num_channels)
    image = image_of(what, input, channels)
    block, stride, padding = (block_y, block_x), (stride_y, stride_x), (padding_y, padding_x)
    counts = [outputs(n, b, s, p, up=True) for n, b, s, p in zip(image, block, stride, padding)]
    behind = [(count - 1) * s + b - n - p
              for count, n, b, s, p in zip(counts, image, block, stride, padding)]

    def build(net, value):
        return append_op("im2sequence", {"X": [shaped(value, channels, *image)]},
                         {"kernels": list(block), "strides": list(stride),
                          "paddings": list(padding) + [max(n, 0) for n in behind]})
    return LayerOutput(name, "blockexpand", [input], size=channels * block_x * block_y, build=build,
                       layer_attr=layer_attr)


@layer_function
def bilinear_interp_layer(input, out_size_x=None, out_size_y=None, name=None, layer_attr=None):
    """Images at another size, the corners kept."""
    name = layer_name(name, "bilinear_interp_layer")
    what = "layer %r" % name
    if not out_size_x or not out_size_y or min(out_size_x, out_size_y) < 1:
        raise ConfigError("%s: out_size_x and out_size_y are %r and %r, and must be 1 or more"
                          % (what, out_size_x, out_size_y))
    channels = channels_of(what, input, None)
    image = image_of(what, input, channels)
    return image_layer(name, "bilinear_interp", [input], [channels, out_size_y, out_size_x],
                       lambda net, value: append_op(
                           "bilinear_interp", {"X": [shaped(value, channels, *image)]},
                           {"out_h": out_size_y, "out_w": out_size_x, "align_corners": True,
                            "interp_method": "bilinear"}), layer_attr=layer_attr)


def _put_back(value, places, channels, small, large):
    """[n, channels * small] at their places in planes of `large` elements, zeros elsewhere."""
    rows, places = shaped(value, small), fluid.layers.cast(shaped(places, small), "int64")
    ones = fluid.layers.ones_like(fluid.layers.slice(places, [1], [0], [1]))
    plane = fluid.layers.cumsum(ones, axis=0, exclusive=True)
    places = fluid.layers.elementwise_add(places, fluid.layers.scale(plane, float(large)))
    empty = fluid.layers.expand(fluid.layers.zeros_like(fluid.layers.slice(value, [1], [0], [1])),
                                [1, channels * large])
    made = fluid.layers.scatter(shaped(empty, 1), shaped(places), shaped(rows, 1))
    return shaped(made, channels * large)


@layer_function
def upsample_layer(input, name=None, scale=None, scale_y=None, upsample_size=None,
                   upsample_size_y=None, pad_out_x=False, pad_out_y=False, layer_attr=None):
    """Each value back where a pooling took it from, zeros elsewhere. input: [the values, the
    pooling, which has pool_type=MaxWithMaskPooling()]."""
    name = layer_name(name, "upsample")
    what = "layer %r" % name
    inputs = as_layers(input)
    if len(inputs) != 2 or "mask" not in inputs[1].outputs:
        raise ConfigError("%s: input must be two layers: values, and an img_pool_layer with "
                          "pool_type=MaxWithMaskPooling()" % what)
    channels = channels_of(what, inputs[0], None)
    size_is(what, inputs[1], inputs[0].size)
    height, width = image_of(what, inputs[0], channels)
    if upsample_size is not None:
        out = [channels, upsample_size_y or upsample_size, upsample_size]
    elif scale is not None:
        out = [channels, height * (scale_y or scale) - int(bool(pad_out_y)),
               width * scale - int(bool(pad_out_x))]
    else:
        raise ConfigError("%s: give scale or upsample_size" % what)

    def build(net, value, pooled):
        return _put_back(value, net.kept(inputs[1], "mask"), channels, height * width,
                         out[1] * out[2])
    return image_layer(name, "upsample", inputs, out, build, layer_attr=layer_attr)


# ---- the order of elements ----

@layer_function
def rotate_layer(input, height, width, name=None, layer_attr=None):
    """Images turned by 90 degrees, clockwise."""
    name = layer_name(name, "rotate_layer")
    if height * width < 1 or input.size % (height * width):
        raise ConfigError("layer %r: height and width are %r and %r, and its input %r has size %d"
                          % (name, height, width, input.name, input.size))
    channels = input.size // (height * width)

    def build(net, value):
        value = fluid.layers.reverse(shaped(value, channels, height, width), axis=[2])
        return fluid.layers.transpose(value, [0, 1, 3, 2])
    return image_layer(name, "rotate", [input], [channels, width, height], build,
                       layer_attr=layer_attr)


@layer_function
def switch_order_layer(input, name=None, reshape_axis=None, act=None, layer_attr=None):
    """[channels, height, width] as [height, width, channels]; the axes from reshape_axis on (0: the
    examples, 1: height, 2: width, 3: channels) are a row, those before it count rows."""
    name = layer_name(name, "switch_order")
    what = "layer %r" % name
    if reshape_axis not in (1, 2, 3):
        raise ConfigError("%s: reshape_axis is %r, and must be 1, 2 or 3" % (what, reshape_axis))
    channels = channels_of(what, input, None)
    image = image_of(what, input, channels)
    size = 1
    for n in (list(image) + [channels])[reshape_axis - 1:]:
        size *= n

    def build(net, value):
        made = fluid.layers.transpose(shaped(value, channels, *image), [0, 2, 3, 1])
        made = shaped(made, size)
        return steps_of(value, made) if reshape_axis == 1 else made
    return LayerOutput(name, "switch_order", [input], act, size, build, layer_attr)


@layer_function
def resize_layer(input, size, name=None):
    """The same numbers in rows of another length."""
    return LayerOutput(layer_name(name, "resize"), "resize", [input], size=size,
                       build=lambda net, value: shaped(value, size))


@layer_function
def trans_layer(input, name=None, layer_attr=None):
    """The matrix of the batch, transposed."""
    return LayerOutput(layer_name(name, "trans_layer"), "trans", [input], size=input.size,
                       layer_attr=layer_attr,
                       build=lambda net, value: fluid.layers.transpose(value, [1, 0]))


@layer_function
def repeat_layer(input, num_repeats, as_row_vector=True, act=None, name=None, layer_attr=None):
    """Each row several times side by side; as_row_vector=False: each element several times."""
    if not isinstance(num_repeats, int) or num_repeats < 1:
        raise ConfigError("repeat_layer: num_repeats is %r, and must be 1 or more"
                          % (num_repeats,))
    size = input.size * num_repeats

    def build(net, value):
        if as_row_vector:
            return fluid.layers.expand(value, [1, num_repeats])
        value = fluid.layers.expand(shaped(value, input.size, 1), [1, 1, num_repeats])
        return flat(value, size)
    return LayerOutput(layer_name(name, "repeat_layer"), "featmap_expand", [input], act, size,
                       build, layer_attr)


# ---- a part of an image by a factor ----

def _between(bounds, first, length):
    """[n, length] of 0 and 1: where first <= 1, 2 ... <= behind, which are two columns of
    `bounds`."""
    places = fluid.layers.assign(_counting(length))
    ends = [fluid.layers.expand(fluid.layers.slice(bounds, [1], [first + i], [first + i + 1]),
                                [1, length]) for i in range(2)]
    wide = fluid.layers.elementwise_add(fluid.layers.zeros_like(ends[0]), places, axis=1)
    inside = [fluid.layers.greater_equal(wide, ends[0]), fluid.layers.less_equal(wide, ends[1])]
    return fluid.layers.elementwise_mul(*[fluid.layers.cast(each, "float32") for each in inside])


def _counting(length):
    import numpy
    return numpy.arange(1, length + 1, dtype="float32")


@layer_function
def scale_sub_region_layer(input, indices, value, name=None):
    """A part of each image times `value`. indices: for each image the first and last channel, row
    and column of the part, counted from 1."""
    name = layer_name(name, "scale_sub_region")
    what = "layer %r" % name
    size_is(what, indices, 6)
    channels = channels_of(what, input, None)
    image = image_of(what, input, channels)

    def build(net, x, bounds):
        region = _between(bounds, 0, channels)
        for i, length in enumerate(image):
            inside = _between(bounds, 2 * i + 2, length)
            width = int(region.shape[1])
            region = fluid.layers.elementwise_mul(
                fluid.layers.expand(shaped(region, width, 1), [1, 1, length]),
                fluid.layers.expand(shaped(inside, 1, length), [1, width, 1]))
            region = shaped(region, width * length)
        region.stop_gradient = True
        return fluid.layers.elementwise_mul(
            x, fluid.layers.scale(region, float(value) - 1.0, bias=1.0))

    return image_layer(name, "scale_sub_region", [input, indices], [channels] + list(image), build)
