"""Convolution, pooling, and images at another size."""
from ..framework import Variable
from ..initializer import Normal
from ..layer_helper import LayerHelper
from .tensor import _number_tensors

__all__ = ["conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose", "pool2d", "pool3d",
           "adaptive_pool2d", "adaptive_pool3d", "image_resize", "image_resize_short",
           "resize_bilinear", "resize_trilinear", "resize_nearest", "pixel_shuffle",
           "space_to_depth", "shuffle_channel", "temporal_shift", "grid_sampler", "interpolate"]


# ---- arguments ----

def _numbers(value, n, name):
    """A whole number for each axis, given as one or as a list."""
    if isinstance(value, int):
        return [value] * n
    try:
        numbers = list(value)
    except TypeError:
        raise ValueError("%s is %r, and must be a whole number or %d of them" % (name, value, n))
    if len(numbers) != n or not all(isinstance(v, int) for v in numbers):
        raise ValueError("%s is %r, and must be a whole number or %d of them" % (name, value, n))
    return numbers


def _padding(padding, axes, channels_last, name="padding"):
    """(paddings, padding_algorithm) of whatever Fluid takes for it."""
    if isinstance(padding, str):
        algorithm = padding.upper()
        if algorithm not in ("SAME", "VALID"):
            raise ValueError("%s is %r: 'SAME', 'VALID' or numbers" % (name, padding))
        return [0] * axes, algorithm
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        if len(padding) != axes + 2:
            raise ValueError("%s is %r, and must have a pair for each of the %d dimensions"
                             % (name, padding, axes + 2))
        pairs = [list(pair) for pair in padding]
        others = [pairs[0], pairs[-1 if channels_last else 1]]
        if others != [[0, 0], [0, 0]]:
            raise ValueError("%s is %r: there is none of the batch and of the channels"
                             % (name, padding))
        pairs = pairs[1:-1] if channels_last else pairs[2:]
        padding = [number for pair in pairs for number in pair]
    if isinstance(padding, (list, tuple)) and len(padding) == 2 * axes:
        numbers = _numbers(padding, 2 * axes, name)
        if numbers[::2] == numbers[1::2]:  # the same before and after
            numbers = numbers[::2]
        return numbers, "EXPLICIT"
    return _numbers(padding, axes, name), "EXPLICIT"


def _channels_last(data_format, axes):
    names = ("NCHW", "NHWC") if axes == 2 else ("NCDHW", "NDHWC")
    if data_format not in names:
        raise ValueError("data_format is %r, and must be %r or %r" % ((data_format,) + names))
    return data_format == names[1]


def _check_bool(value, name, error=ValueError):
    if not isinstance(value, bool):
        raise error("%s is %r, and must be True or False" % (name, value))


def _channels(input, channels_last, axes):
    if len(input.shape) != axes + 2:
        raise ValueError("the input has the shape %s, and must have %d dimensions"
                         % (list(input.shape), axes + 2))
    channels = input.shape[-1 if channels_last else 1]
    if channels < 0:
        raise ValueError("the input has the shape %s: its channels must be known"
                         % (list(input.shape),))
    return channels


# ---- convolutions ----

def _conv(op_type, axes, input, num_filters, filter_size, stride, padding, dilation, groups,
          param_attr, bias_attr, use_cudnn, act, name, data_format):
    if param_attr is False:
        raise AssertionError("param_attr is False, and a convolution needs a filter")
    _check_bool(use_cudnn, "use_cudnn")
    last = _channels_last(data_format, axes)
    channels = _channels(input, last, axes)
    if groups is not None and (groups < 1 or channels % groups != 0):
        raise ValueError("groups is %d, and the input has %d channels" % (groups, channels))
    # Where groups is not said it is no depthwise one, of one channel either: names depend on it.
    if axes == 2 and channels == groups and num_filters % channels == 0 and not use_cudnn:
        op_type = "depthwise_conv2d"
    groups = groups or 1
    helper = LayerHelper(op_type, input=input, param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    dtype = helper.input_dtype()
    size = _numbers(filter_size, axes, "filter_size")
    paddings, algorithm = _padding(padding, axes, last)
    taps = channels
    for n in size:
        taps *= n
    filter = helper.create_parameter(attr=helper.param_attr, dtype=dtype,
                                     shape=[num_filters, channels // groups] + size,
                                     default_initializer=Normal(0.0, (2.0 / taps) ** 0.5, 0))
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op(op_type, {"Input": input, "Filter": filter}, {"Output": out},
                     {"strides": _numbers(stride, axes, "stride"), "paddings": paddings,
                      "dilations": _numbers(dilation, axes, "dilation"), "groups": groups,
                      "use_cudnn": use_cudnn, "use_mkldnn": False,
                      "padding_algorithm": algorithm, "data_format": data_format})
    return _finish(helper, out, last, axes)


def _finish(helper, out, channels_last, axes):
    if channels_last:
        biased = helper.append_bias_op(out, dim_start=axes + 1, dim_end=axes + 2)
    else:
        biased = helper.append_bias_op(out, dim_start=1, dim_end=2)
    return helper.append_activation(biased)


def conv2d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None,
           param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None,
           data_format="NCHW"):
    """act(input filtered + b): `paddle ops conv2d` tells all."""
    return _conv("conv2d", 2, input, num_filters, filter_size, stride, padding, dilation, groups,
                 param_attr, bias_attr, use_cudnn, act, name, data_format)


def conv3d(input, num_filters, filter_size, stride=1, padding=0, dilation=1, groups=None,
           param_attr=None, bias_attr=None, use_cudnn=True, act=None, name=None,
           data_format="NCDHW"):
    """act(input filtered + b): `paddle ops conv3d` tells all."""
    return _conv("conv3d", 3, input, num_filters, filter_size, stride, padding, dilation, groups,
                 param_attr, bias_attr, use_cudnn, act, name, data_format)


def _size_for(output_size, input, channels_last, stride, paddings, dilation):
    """The filter that makes the output that large."""
    axes, each = len(output_size), len(paddings) // len(output_size)
    sizes = []
    for i in range(axes):
        known = input.shape[i + (1 if channels_last else 2)]
        pad = paddings[i * each] + paddings[i * each + each - 1]
        sizes.append((output_size[i] - (known - 1) * stride[i] + pad - 1) // dilation[i] + 1)
    return sizes


def _conv_transpose(op_type, axes, input, num_filters, output_size, filter_size, padding, stride,
                    dilation, groups, param_attr, bias_attr, use_cudnn, act, name, data_format):
    if param_attr is False:
        raise AssertionError("param_attr is False, and a convolution needs a filter")
    _check_bool(use_cudnn, "use_cudnn")
    last = _channels_last(data_format, axes)
    channels = _channels(input, last, axes)
    groups = 1 if groups is None else groups
    if groups < 1 or num_filters % groups != 0:
        raise ValueError("groups is %d, and there are %d filters" % (groups, num_filters))
    if axes == 2 and channels == groups and num_filters == channels and not use_cudnn:
        op_type = "depthwise_conv2d_transpose"
    helper = LayerHelper(op_type, input=input, param_attr=param_attr, bias_attr=bias_attr, act=act,
                         name=name)
    strides = _numbers(stride, axes, "stride")
    dilations = _numbers(dilation, axes, "dilation")
    paddings, algorithm = _padding(padding, axes, last)
    sizes = [] if output_size is None else _numbers(output_size, axes, "output_size")
    if filter_size is not None:
        filter_size = _numbers(filter_size, axes, "filter_size")
    elif not sizes:
        raise ValueError("one of output_size and filter_size must be given")
    else:
        filter_size = _size_for(sizes, input, last, strides, paddings, dilations)
    filter = helper.create_parameter(attr=helper.param_attr, dtype=input.dtype,
                                     shape=[channels, num_filters // groups] + filter_size)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op(op_type, {"Input": [input], "Filter": [filter]}, {"Output": out},
                     {"output_size": sizes, "strides": strides, "paddings": paddings,
                      "padding_algorithm": algorithm, "dilations": dilations, "groups": groups,
                      "use_cudnn": use_cudnn, "data_format": "NHWC" if last else "NCHW"})
    return _finish(helper, out, last, axes)


def conv2d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1,
                     dilation=1, groups=None, param_attr=None, bias_attr=None, use_cudnn=True,
                     act=None, name=None, data_format="NCHW"):
    """A convolution turned round: `paddle ops conv2d_transpose` tells all."""
    return _conv_transpose("conv2d_transpose", 2, input, num_filters, output_size, filter_size,
                           padding, stride, dilation, groups, param_attr, bias_attr, use_cudnn,
                           act, name, data_format)


def conv3d_transpose(input, num_filters, output_size=None, filter_size=None, padding=0, stride=1,
                     dilation=1, groups=None, param_attr=None, bias_attr=None, use_cudnn=True,
                     act=None, name=None, data_format="NCDHW"):
    """A convolution turned round: `paddle ops conv3d_transpose` tells all."""
    return _conv_transpose("conv3d_transpose", 3, input, num_filters, output_size, filter_size,
                           padding, stride, dilation, groups, param_attr, bias_attr, use_cudnn,
                           act, name, data_format)


# ---- pooling ----

def _check_pool_type(pool_type):
    if pool_type not in ("max", "avg"):
        raise ValueError("pool_type is %r, and must be 'max' or 'avg'" % (pool_type,))


def _pool(op_type, axes, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling,
          use_cudnn, ceil_mode, name, exclusive, data_format):
    _check_pool_type(pool_type)
    _check_bool(use_cudnn, "use_cudnn", TypeError)
    last = _channels_last(data_format, axes)
    if not global_pooling and pool_size == -1:
        raise ValueError("pool_size must be given unless global_pooling is True")
    paddings, algorithm = _padding(pool_padding, axes, last, "pool_padding")
    if algorithm == "VALID" and ceil_mode:
        raise ValueError("pool_padding 'VALID' and ceil_mode exclude each other")
    helper = LayerHelper(op_type, name=name)
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op(op_type, {"X": input}, {"Out": out},
                     {"pooling_type": pool_type, "ksize": _numbers(pool_size, axes, "pool_size"),
                      "global_pooling": global_pooling,
                      "strides": _numbers(pool_stride, axes, "pool_stride"), "paddings": paddings,
                      "padding_algorithm": algorithm, "use_cudnn": use_cudnn,
                      "ceil_mode": ceil_mode, "use_mkldnn": False, "exclusive": exclusive,
                      "data_format": data_format})
    return out


def pool2d(input, pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0,
           global_pooling=False, use_cudnn=True, ceil_mode=False, name=None, exclusive=True,
           data_format="NCHW"):
    """The largest or the average of windows: `paddle ops pool2d` tells all."""
    return _pool("pool2d", 2, input, pool_size, pool_type, pool_stride, pool_padding,
                 global_pooling, use_cudnn, ceil_mode, name, exclusive, data_format)


def pool3d(input, pool_size=-1, pool_type="max", pool_stride=1, pool_padding=0,
           global_pooling=False, use_cudnn=True, ceil_mode=False, name=None, exclusive=True,
           data_format="NCDHW"):
    """The largest or the average of windows: `paddle ops pool3d` tells all."""
    return _pool("pool3d", 3, input, pool_size, pool_type, pool_stride, pool_padding,
                 global_pooling, use_cudnn, ceil_mode, name, exclusive, data_format)


def _adaptive_pool(axes, input, pool_size, pool_type, require_index, name):
    _check_pool_type(pool_type)
    if pool_type == "avg" and require_index:
        raise ValueError("require_index is of pool_type 'max': an average stands nowhere")
    op_type = "max_pool%dd_with_index" % axes if pool_type == "max" else "pool%dd" % axes
    helper = LayerHelper(op_type, name=name)
    out = helper.create_variable_for_type_inference(input.dtype)
    attrs = {"ksize": _numbers(pool_size, axes, "pool_size"), "adaptive": True}
    if pool_type == "avg":
        helper.append_op(op_type, {"X": input}, {"Out": out}, dict(attrs, pooling_type="avg"))
        return out
    mask = helper.create_variable_for_type_inference("int32")
    helper.append_op(op_type, {"X": input}, {"Out": out, "Mask": mask}, attrs)
    return (out, mask) if require_index else out


def adaptive_pool2d(input, pool_size, pool_type="max", require_index=False, name=None):
    """So many windows that share the image out; (output, mask) with require_index."""
    return _adaptive_pool(2, input, pool_size, pool_type, require_index, name)


def adaptive_pool3d(input, pool_size, pool_type="max", require_index=False, name=None):
    """So many windows that share the volume out; (output, mask) with require_index."""
    return _adaptive_pool(3, input, pool_size, pool_type, require_index, name)


# ---- another size ----

_METHODS = {"BILINEAR": (4, "bilinear"), "NEAREST": (4, "nearest"), "TRILINEAR": (5, "trilinear")}


def _resize_check(input, out_shape, scale, resample, actual_shape, align_corners, align_mode,
                  data_format):
    if resample not in _METHODS:
        raise ValueError("resample is %r, and must be one of %s" % (resample, sorted(_METHODS)))
    rank = _METHODS[resample][0]
    if len(input.shape) != rank:
        raise ValueError("resample is %r, and the input has %d dimensions: it must have %d"
                         % (resample, len(input.shape), rank))
    if out_shape is None and scale is None:
        raise ValueError("one of out_shape and scale must be given")
    if not isinstance(align_corners, bool):
        raise TypeError("align_corners is %r, and must be True or False" % (align_corners,))
    if align_mode not in (0, 1):
        raise ValueError("align_mode is %r, and must be 0 or 1" % (align_mode,))
    if actual_shape is not None and not isinstance(actual_shape, Variable):
        raise TypeError("actual_shape is %r, and must be a Variable" % (actual_shape,))
    return _channels_last(data_format, rank - 2)


def _resize_shape(helper, input, out_shape, inputs, attrs):
    if isinstance(out_shape, Variable):
        out_shape.stop_gradient = True
        inputs["OutSize"] = out_shape
        return
    axes = len(input.shape) - 2
    if not isinstance(out_shape, (list, tuple)) or len(out_shape) != axes:
        raise ValueError("out_shape is %r, and must have %d numbers" % (out_shape, axes))
    if any(isinstance(n, Variable) for n in out_shape):
        inputs["SizeTensor"] = _number_tensors(helper, out_shape)
    for key, n in zip(("out_d", "out_h", "out_w")[3 - axes:], out_shape):
        if not isinstance(n, Variable):
            attrs[key] = int(n)


def image_resize(input, out_shape=None, scale=None, name=None, resample="BILINEAR",
                 actual_shape=None, align_corners=True, align_mode=1, data_format="NCHW"):
    """Images at another size: `paddle ops bilinear_interp` tells all."""
    if data_format == "NCHW" and len(input.shape) == 5:
        data_format = "NCDHW"
    last = _resize_check(input, out_shape, scale, resample, actual_shape, align_corners,
                         align_mode, data_format)
    method = _METHODS[resample][1]
    helper = LayerHelper(method + "_interp", name=name)
    inputs = {"X": input}
    attrs = {"out_d": -1, "out_h": -1, "out_w": -1, "interp_method": method,
             "align_corners": align_corners, "align_mode": align_mode,
             "data_layout": "NHWC" if last else "NCHW"}
    if out_shape is not None:
        _resize_shape(helper, input, out_shape, inputs, attrs)
    elif isinstance(scale, Variable):
        scale.stop_gradient = True
        inputs["Scale"] = scale
    else:
        if scale <= 0:
            raise ValueError("scale is %r, and must be above 0" % (scale,))
        attrs["scale"] = float(scale)
    if actual_shape is not None:
        actual_shape.stop_gradient = True
        inputs["OutSize"] = actual_shape
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op(method + "_interp", inputs, {"Out": out}, attrs)
    return out


def resize_bilinear(input, out_shape=None, scale=None, name=None, actual_shape=None,
                    align_corners=True, align_mode=1, data_format="NCHW"):
    """Images at another size, between elements by distance."""
    return image_resize(input, out_shape, scale, name, "BILINEAR", actual_shape, align_corners,
                        align_mode, data_format)


def resize_trilinear(input, out_shape=None, scale=None, name=None, actual_shape=None,
                     align_corners=True, align_mode=1, data_format="NCDHW"):
    """Volumes at another size, between elements by distance."""
    return image_resize(input, out_shape, scale, name, "TRILINEAR", actual_shape, align_corners,
                        align_mode, data_format)


def resize_nearest(input, out_shape=None, scale=None, name=None, actual_shape=None,
                   align_corners=True, data_format="NCHW"):
    """Images at another size, by the nearest element."""
    return image_resize(input, out_shape, scale, name, "NEAREST", actual_shape, align_corners, 1,
                        data_format)


interpolate = image_resize


def image_resize_short(input, out_short_len, resample="BILINEAR"):
    """Images whose shorter side has that length, and the longer one in proportion."""
    if len(input.shape) != 4:
        raise ValueError("the input has the shape %s, and must have 4 dimensions"
                         % (list(input.shape),))
    sides = list(input.shape[2:4])
    short = sides.index(min(sides))
    long = 1 - short
    size = list(sides)
    size[short] = out_short_len
    size[long] = int(float(size[long]) * (float(out_short_len) / float(sides[short])) + 0.5)
    return image_resize(input, out_shape=size, resample=resample)


# ---- another order ----

def _moved(op_type, x, attrs, name):
    helper = LayerHelper(op_type, name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op(op_type, {"X": x}, {"Out": out}, attrs)
    return out


def _check_whole(value, name, error=TypeError):
    if not isinstance(value, int):
        raise error("%s is %r, and must be a whole number" % (name, value))


def pixel_shuffle(x, upscale_factor):
    """Channels become pixels: `paddle ops pixel_shuffle` tells all."""
    _check_whole(upscale_factor, "upscale_factor")
    return _moved("pixel_shuffle", x, {"upscale_factor": upscale_factor}, None)


def space_to_depth(x, blocksize, name=None):
    """Pixels become channels: `paddle ops space_to_depth` tells all."""
    _check_whole(blocksize, "blocksize", ValueError)
    return _moved("space_to_depth", x, {"blocksize": blocksize}, name)


def shuffle_channel(x, group, name=None):
    """Channels of several groups, mixed: `paddle ops shuffle_channel` tells all."""
    _check_whole(group, "group")
    return _moved("shuffle_channel", x, {"group": group}, name)


def temporal_shift(x, seg_num, shift_ratio=0.25, name=None):
    """Channels that move along time: `paddle ops temporal_shift` tells all."""
    _check_whole(seg_num, "seg_num")
    return _moved("temporal_shift", x, {"seg_num": seg_num, "shift_ratio": shift_ratio}, name)


def grid_sampler(x, grid, name=None):
    """Images taken at given places: `paddle ops grid_sampler` tells all."""
    helper = LayerHelper("grid_sampler", name=name)
    out = helper.create_variable_for_type_inference(x.dtype)
    helper.append_op("grid_sampler", {"X": x, "Grid": grid}, {"Output": out})
    return out
