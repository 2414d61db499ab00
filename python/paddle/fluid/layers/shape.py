"""Shapes, slices and indices."""
import numpy

from .. import unique_name
from ..framework import Variable
from ..layer_helper import LayerHelper
from .tensor import (_array_of, _join_array, _named_out, _number_tensors, _one_op, assign,
                     fill_constant)

__all__ = ["reshape", "squeeze", "unsqueeze", "flatten", "transpose", "t", "split", "stack",
           "unstack", "slice", "strided_slice", "crop", "crop_tensor", "random_crop", "unfold",
           "expand", "expand_as", "pad", "pad2d", "pad_constant_like", "shape", "rank", "size",
           "gather", "gather_nd", "gather_tree", "scatter", "scatter_nd", "scatter_nd_add",
           "index_select", "index_sample", "multiplex", "where", "nonzero", "unique",
           "unique_with_counts",
           "shard_index", "flip", "roll", "meshgrid", "diag_embed", "cross",
           "merge_selected_rows", "get_tensor_from_selected_rows"]


def _has_variable(numbers):
    return any(isinstance(n, Variable) for n in numbers)


def _known(numbers, unknown=-1):
    """Numbers for an attribute: `unknown` where a tensor says them."""
    return [unknown if isinstance(n, Variable) else int(n) for n in numbers]


def _check_numbers(value, what):
    if not isinstance(value, (list, tuple, Variable)):
        raise TypeError("%s is %r, and must be a list, a tuple or a Variable" % (what, value))


def _pass_numbers(helper, numbers, attr, unknown, slot, list_slot, inputs, attrs):
    """Numbers that are a tensor, or a list in which some may be tensors."""
    if isinstance(numbers, Variable):
        numbers.stop_gradient = True
        inputs[slot] = numbers
        return
    attrs[attr] = _known(numbers, unknown)
    if _has_variable(numbers):
        inputs[list_slot] = _number_tensors(helper, numbers)


# ---- the same elements in another shape ----

def _with_xshape(helper, op_type, inputs, dtype, attrs, out=None):
    """An op that keeps its input's shape for the gradient."""
    if out is None:
        out = helper.create_variable_for_type_inference(dtype)
    xshape = helper.create_variable_for_type_inference(dtype)
    helper.append_op(op_type, inputs, {"Out": out, "XShape": xshape}, attrs)
    return out


def _check_shape(x, shape):
    if not shape:
        raise ValueError("reshape: the shape is empty")
    unknown = 0
    for i, dim in enumerate(shape):
        if isinstance(dim, Variable) or dim > 0:
            continue
        if dim == 0 and i >= len(x.shape):
            raise AssertionError("reshape: shape[%d] is 0, to be copied from the input, which has "
                                 "%d dimensions" % (i, len(x.shape)))
        if dim < -1:
            raise AssertionError("reshape: shape[%d] is %d" % (i, dim))
        unknown += dim == -1
    if unknown > 1:
        raise AssertionError("reshape: the shape is %s, and may have one -1" % (list(shape),))


def reshape(x, shape, actual_shape=None, act=None, inplace=False, name=None):
    """Another shape: 0 keeps a size, -1 is what is left over. inplace: x itself."""
    helper = LayerHelper("reshape2", act=act, name=name)
    _check_numbers(shape, "reshape: shape")
    inputs, attrs = {"X": x}, {}
    if isinstance(actual_shape, Variable):
        actual_shape.stop_gradient = True
        inputs["Shape"] = actual_shape
    if not isinstance(shape, Variable):
        _check_shape(x, shape)
    _pass_numbers(helper, shape, "shape", -1, "Shape", "ShapeTensor", inputs, attrs)
    out = _with_xshape(helper, "reshape2", inputs, x.dtype, attrs, x if inplace else None)
    return helper.append_activation(out)


def squeeze(input, axes, name=None):
    """Without the axes of size one."""
    return _with_xshape(LayerHelper("squeeze", name=name), "squeeze2", {"X": input}, input.dtype,
                        {"axes": axes})


def unsqueeze(input, axes, name=None):
    """With new axes of size one."""
    helper = LayerHelper("unsqueeze2", name=name)
    inputs, attrs = {"X": input}, {}
    if isinstance(axes, int):
        axes = [axes]
    _check_numbers(axes, "unsqueeze: axes")
    if isinstance(axes, Variable):
        axes.stop_gradient = True
        inputs["AxesTensor"] = axes
    elif _has_variable(axes):
        inputs["AxesTensorList"] = _number_tensors(helper, axes)
    else:
        attrs["axes"] = list(axes)
    return _with_xshape(helper, "unsqueeze2", inputs, input.dtype, attrs)


def flatten(x, axis=1, name=None):
    """A matrix: the axes before `axis` as rows, the others as columns."""
    if not isinstance(axis, int) or not 0 <= axis <= len(x.shape):
        raise ValueError("flatten: axis is %r, and must be from 0 to %d" % (axis, len(x.shape)))
    return _with_xshape(LayerHelper("flatten", name=name), "flatten2", {"X": x}, x.dtype,
                        {"axis": axis})


def transpose(x, perm, name=None):
    """The axes in another order."""
    if len(perm) != len(x.shape):
        raise ValueError("transpose: perm is %s, and must name each of the %d axes once"
                         % (list(perm), len(x.shape)))
    return _with_xshape(LayerHelper("transpose", name=name), "transpose2", {"X": [x]}, x.dtype,
                        {"axis": list(perm)})


def t(input, name=None):
    """A matrix transposed; a vector as it is."""
    if len(input.shape) > 2:
        raise ValueError("t: the input has %d axes, and may have two: see transpose()"
                         % len(input.shape))
    helper = LayerHelper("t", name=name)
    if len(input.shape) < 2:
        return input
    return _with_xshape(helper, "transpose2", {"X": [input]}, input.dtype, {"axis": [1, 0]})


# ---- tensors from and into several ----

def split(input, num_or_sections, dim=-1, name=None):
    """Parts along an axis: so many equal ones, or of these sizes."""
    helper = LayerHelper("split", name=name)
    inputs, attrs = {"X": input}, {}
    if isinstance(dim, Variable):
        dim.stop_gradient = True
        inputs["AxisTensor"] = dim
    else:
        attrs["axis"] = dim + len(input.shape) if dim < 0 else dim
    if isinstance(num_or_sections, int):
        if num_or_sections < 1:
            raise AssertionError("split: num_or_sections is %d" % num_or_sections)
        attrs["num"] = count = num_or_sections
    elif isinstance(num_or_sections, (list, tuple)):
        attrs["sections"] = _known(num_or_sections)
        if _has_variable(num_or_sections):
            inputs["SectionsTensorList"] = _number_tensors(helper, num_or_sections)
        count = len(num_or_sections)
    else:
        raise TypeError("split: num_or_sections is %r, and must be a number or a list of sizes"
                        % (num_or_sections,))
    parts = [helper.create_variable_for_type_inference(input.dtype) for _ in range(count)]
    helper.append_op("split", inputs, {"Out": parts}, attrs)
    return parts


def stack(x, axis=0):
    """Tensors of one shape along a new axis; a tensor array as well."""
    array = _array_of(x)
    if array is not None:
        return _join_array(LayerHelper("stack"), array, axis, True)[0]
    parts = list(x) if isinstance(x, (list, tuple)) else [x]
    return _one_op("stack", {"X": parts}, parts[0].dtype, {"axis": axis}, slot="Y")


def unstack(x, axis=0, num=None):
    """The parts along an axis, without that axis."""
    helper = LayerHelper("unstack")
    if num is None:
        num = x.shape[axis]
        if num is None or num <= 0:
            raise ValueError("unstack: the size of axis %d is not known: give num" % axis)
    parts = [helper.create_variable_for_type_inference(x.dtype) for _ in range(num)]
    helper.append_op("unstack", {"X": [x]}, {"Y": parts}, {"axis": axis, "num": num})
    return parts


def meshgrid(input, name=None):
    """For each vector, a tensor over all of them that varies along its own axis."""
    helper = LayerHelper("meshgrid", name=name)
    parts = [helper.create_variable_for_type_inference(x.dtype) for x in input]
    helper.append_op("meshgrid", {"X": list(input)}, {"Out": parts})
    return parts


# ---- a part of a tensor ----

def slice(input, axes, starts, ends):
    """From starts to ends along some axes; numbers below zero count from the end."""
    helper = LayerHelper("slice")
    inputs, attrs = {"Input": input}, {"axes": axes}
    for numbers, name, slot in ((starts, "starts", "Starts"), (ends, "ends", "Ends")):
        if not isinstance(numbers, (list, tuple, Variable)):
            raise ValueError("slice: %s is %r, and must be a list, a tuple or a Variable"
                             % (name, numbers))
        _pass_numbers(helper, numbers, name, -1, slot + "Tensor", slot + "TensorList", inputs,
                      attrs)
    attrs["infer_flags"] = [1 if len(inputs) == 1 else -1] * len(axes)
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op("slice", inputs, {"Out": out}, attrs)
    return out


def strided_slice(input, axes, starts, ends, strides):
    """Every so manyth from starts to ends along some axes."""
    helper = LayerHelper("strided_slice")
    inputs, attrs = {"Input": input}, {"axes": axes}
    flags = [1] * len(axes)
    for numbers, name, slot in ((starts, "starts", "Starts"), (ends, "ends", "Ends"),
                                (strides, "strides", "Strides")):
        _check_numbers(numbers, "strided_slice: " + name)
        _pass_numbers(helper, numbers, name, -1, slot + "Tensor", slot + "TensorList", inputs,
                      attrs)
        if not isinstance(numbers, Variable):
            flags = [-1 if isinstance(n, Variable) else flag for n, flag in zip(numbers, flags)]
    attrs["infer_flags"] = flags
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op("strided_slice", inputs, {"Out": out}, attrs)
    return out


def crop(x, shape=None, offsets=None, name=None):
    """A part of this shape, or of the shape of this tensor, that begins at offsets."""
    helper = LayerHelper("crop", name=name)
    _check_numbers(shape, "crop: shape")
    if offsets is None:
        offsets = [0] * len(x.shape)
    out = helper.create_variable_for_type_inference(x.dtype)
    inputs, attrs = {"X": x}, {}
    if isinstance(shape, Variable):
        inputs["Y"] = shape
    else:
        attrs["shape"] = list(shape)
    if isinstance(offsets, Variable):
        inputs["Offsets"] = offsets
    else:
        attrs["offsets"] = list(offsets)
    helper.append_op("crop", inputs, {"Out": out}, attrs)
    return out


def crop_tensor(x, shape=None, offsets=None, name=None):
    """A part of this shape that begins at offsets; -1 is all that is left of an axis."""
    helper = LayerHelper("crop_tensor", name=name)
    _check_numbers(shape, "crop_tensor: shape")
    if offsets is None:
        offsets = [0] * len(x.shape)
    _check_numbers(offsets, "crop_tensor: offsets")
    out = helper.create_variable_for_type_inference(x.dtype)
    inputs, attrs = {"X": x}, {"offsets": [-1] * len(x.shape)}
    _pass_numbers(helper, offsets, "offsets", -1, "Offsets", "OffsetsTensor", inputs, attrs)
    _pass_numbers(helper, shape, "shape", 0, "Shape", "ShapeTensor", inputs, attrs)
    helper.append_op("crop_tensor", inputs, {"Out": out}, attrs)
    return out


def random_crop(x, shape, seed=None):
    """A part of this shape from a random place in each example."""
    helper = LayerHelper("random_crop")
    out = helper.create_variable_for_type_inference(x.dtype)
    if seed is None:
        seed = int(numpy.random.randint(-65536, 65536))
    attrs = {"shape": list(shape)}
    if not isinstance(seed, Variable):
        attrs["startup_seed"] = seed
        seed = helper.create_variable(name=unique_name.generate("random_crop_seed"),
                                      dtype="int64", persistable=True)
    helper.append_op("random_crop", {"X": x, "Seed": seed}, {"Out": out, "SeedOut": seed}, attrs)
    return out


def _sizes(value, counts, what):
    """One number for all, or a list of one of these lengths."""
    numbers = [value] * counts[0] if isinstance(value, int) else value
    if not isinstance(numbers, (list, tuple)) or len(numbers) not in counts:
        raise ValueError("unfold: %s is %r, and must be one number or a list of %s"
                         % (what, value, " or ".join(map(str, counts))))
    return list(numbers)


def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """The windows of images as columns; paddings: down and across, or up, left, down, right."""
    borders = _sizes(paddings, (2, 4), "paddings")
    return _one_op("unfold", {"X": x}, x.dtype, {
        "kernel_sizes": _sizes(kernel_sizes, (2,), "kernel_sizes"),
        "strides": _sizes(strides, (2,), "strides"),
        "paddings": borders if len(borders) == 4 else borders * 2,
        "dilations": _sizes(dilations, (2,), "dilations")}, name, slot="Y")


# ---- more than a tensor ----

def expand(x, expand_times, name=None):
    """The tensor so many times along each axis."""
    helper = LayerHelper("expand", name=name)
    _check_numbers(expand_times, "expand: expand_times")
    inputs, attrs = {"X": [x]}, {}
    _pass_numbers(helper, expand_times, "expand_times", -1, "ExpandTimes", "expand_times_tensor",
                  inputs, attrs)
    out = helper.create_variable_for_type_inference(x.dtype)
    helper.append_op("expand", inputs, {"Out": out}, attrs)
    return out


def expand_as(x, target_tensor, name=None):
    """The tensor as often as fills the shape of another."""
    return _one_op("expand_as", {"X": x, "target_tensor": target_tensor}, x.dtype, None, name)


def pad(x, paddings, pad_value=0.0, name=None):
    """With pad_value around it: paddings says how much before and after, axis by axis."""
    return _one_op("pad", {"X": x}, x.dtype,
                   {"paddings": list(paddings), "pad_value": float(pad_value)}, name)


def pad_constant_like(x, y, pad_value=0.0, name=None):
    """y, with pad_value behind it up to the shape of x."""
    return _one_op("pad_constant_like", {"X": x, "Y": y}, y.dtype,
                   {"pad_value": float(pad_value)}, name)


def pad2d(input, paddings=[0, 0, 0, 0], mode="constant", pad_value=0.0, data_format="NCHW",
          name=None):
    """Images with a border: paddings says how much above, below, left and right."""
    inputs = {"X": input}
    attrs = {"mode": mode, "pad_value": float(pad_value), "data_format": data_format}
    if isinstance(paddings, Variable):
        inputs["Paddings"], attrs["paddings"] = paddings, []
    else:
        attrs["paddings"] = list(paddings)
    return _one_op("pad2d", inputs, input.dtype, attrs, name)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last axis on a diagonal."""
    if not isinstance(input, Variable):
        input = assign(input)
    out = _one_op("diag_embed", {"Input": [input]}, input.dtype,
                  {"offset": offset, "dim1": dim1, "dim2": dim2})
    out.stop_gradient = True
    return out


# ---- what a shape is ----

def shape(input):
    return _one_op("shape", {"Input": input}, "int32")


def rank(input):
    """The number of axes."""
    return assign(numpy.array(len(input.shape), "int32"))


def size(input):
    """The number of elements."""
    return _one_op("size", {"Input": input}, "int64")


# ---- by index ----

def gather(input, index, overwrite=True):
    """The rows that index names."""
    return _one_op("gather", {"X": input, "Index": index}, input.dtype, {"overwrite": overwrite})


def gather_nd(input, index, name=None):
    """The elements or slices at the coordinates in the last axis of index."""
    return _one_op("gather_nd", {"X": input, "Index": index}, input.dtype, None, name)


def gather_tree(ids, parents):
    """Whole beams, [steps, batch, beam], walked back from their last step."""
    return _one_op("gather_tree", {"Ids": ids, "Parents": parents}, ids.dtype)


def scatter(input, index, updates, name=None, overwrite=True):
    """The input with updates in the rows that index names; overwrite=False sums those that meet."""
    return _one_op("scatter", {"X": input, "Ids": index, "Updates": updates}, input.dtype,
                   {"overwrite": overwrite}, name)


def scatter_nd_add(ref, index, updates, name=None):
    """ref, and updates added at the coordinates in the last axis of index."""
    if ref.dtype != updates.dtype:
        raise ValueError("scatter_nd_add: ref is of %s and updates of %s: they must be of one type"
                         % (ref.dtype, updates.dtype))
    return _one_op("scatter_nd_add", {"X": ref, "Index": index, "Updates": updates}, ref.dtype,
                   None, name)


def scatter_nd(index, updates, shape, name=None):
    """Zeros, and updates added at the coordinates in the last axis of index."""
    return scatter_nd_add(fill_constant(shape, updates.dtype, 0.0), index, updates, name)


def index_select(input, index, dim=0):
    """The slices along an axis that index names."""
    if not isinstance(dim, int):
        raise TypeError("index_select: dim is %r, and must be a whole number" % (dim,))
    return _one_op("index_select", {"X": input, "Index": index}, input.dtype, {"dim": dim})


def index_sample(x, index):
    """Of each row the elements that the same row of index names."""
    return _one_op("index_sample", {"X": x, "Index": index}, x.dtype)


def multiplex(inputs, index):
    """Row by row from the input whose number index says."""
    if not isinstance(inputs, list) or len(inputs) < 2:
        raise ValueError("multiplex: inputs is %r, and must be a list of two tensors or more"
                         % (inputs,))
    return _one_op("multiplex", {"X": inputs, "Ids": index}, inputs[0].dtype)


def where(condition):
    """The coordinates of what is true, a row for each."""
    return _one_op("where_index", {"Condition": condition}, "int64")


def nonzero(input, as_tuple=False):
    """The coordinates of what is not zero, a row for each; as_tuple: a column for each axis."""
    coordinates = where(input)
    if not as_tuple:
        return coordinates
    axes = len(input.shape)
    if axes <= 1:
        return (coordinates,)
    return tuple(slice(coordinates, axes=[1], starts=[i], ends=[i + 1]) for i in range(axes))


def _unique(op_type, x, dtype, slots):
    helper = LayerHelper(op_type)
    out = helper.create_variable_for_type_inference(x.dtype)
    numbers = [helper.create_variable_for_type_inference(dtype) for _ in slots]
    helper.append_op(op_type, {"X": x}, dict(zip(slots, numbers), Out=[out]),
                     {"dtype": int(numbers[0].dtype)})
    return (out,) + tuple(numbers)


def unique(x, dtype="int32"):
    """(each value once, where each element's value stands in them)"""
    return _unique("unique", x, dtype, ("Index",))


def unique_with_counts(x, dtype="int32"):
    """(each value once, where each element's value stands in them, how often each occurs)"""
    if dtype not in ("int32", "int64"):
        raise TypeError("unique_with_counts: dtype is %r, and must be int32 or int64" % (dtype,))
    return _unique("unique_with_counts", x, dtype, ("Index", "Count"))


def shard_index(input, index_num, nshards, shard_id, ignore_value=-1):
    """Indices within one of nshards parts of index_num; ignore_value for those of other parts."""
    if not 0 <= shard_id < nshards:
        raise ValueError("shard_index: shard_id is %d, and there are %d parts"
                         % (shard_id, nshards))
    out = _one_op("shard_index", {"X": [input]}, input.dtype,
                  {"index_num": index_num, "nshards": nshards, "shard_id": shard_id,
                   "ignore_value": ignore_value})
    return out


# ---- another order ----

def flip(input, dims, name=None):
    """Back to front along some axes."""
    helper = LayerHelper("flip", name=name)
    if not isinstance(dims, (list, tuple)):
        raise TypeError("flip: dims is %r, and must be a list or a tuple" % (dims,))
    out = (helper.create_variable_for_type_inference(input.dtype) if name is None
           else _named_out(helper, input.dtype))
    helper.append_op("flip", {"X": input}, {"Out": out}, {"dims": list(dims)})
    return out


def roll(input, shifts, dims=None):
    """Moved along some axes, what leaves coming in at the other end; without dims the elements
    move as one line."""
    helper = LayerHelper("roll")
    shape = input.shape
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    if dims is None:
        input, dims = reshape(input, [-1, 1]), [0]
    elif isinstance(dims, int):
        dims = [dims]
    out = helper.create_variable_for_type_inference(input.dtype)
    helper.append_op("roll", {"X": input}, {"Out": out}, {"dims": list(dims), "shifts": shifts})
    return reshape(out, shape, inplace=True)


def cross(input, other, dim=None):
    """The cross product of vectors of three along an axis: the first of that size unless told."""
    return _one_op("cross", {"X": input, "Y": other}, input.dtype,
                   {} if dim is None else {"dim": dim})


# ---- rows of a sparse tensor ----

def merge_selected_rows(x, name=None):
    """Each row once, the values of equal rows summed."""
    return _one_op("merge_selected_rows", {"X": x}, x.dtype, None, name)


def get_tensor_from_selected_rows(x, name=None):
    """The values of the rows, as a tensor."""
    return _one_op("get_tensor_from_selected_rows", {"X": x}, x.dtype, None, name)
