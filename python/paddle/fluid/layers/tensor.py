"""Making and moving tensors."""
from .. import unique_name
from ..core import VarDesc
from ..data_feeder import convert_dtype
from ..framework import Variable, convert_np_dtype_to_dtype_, device_guard
from ..initializer import Constant
from ..layer_helper import LayerHelper
from ..param_attr import ParamAttr

__all__ = ["create_tensor", "create_parameter", "create_global_var", "cast",
           "tensor_array_to_tensor", "concat", "sums", "sum", "assign",
           "fill_constant_batch_size_like", "fill_constant", "zeros", "ones", "zeros_like",
           "ones_like", "full", "full_like", "range", "arange", "linspace", "diag", "eye", "tril",
           "triu", "trace", "kron", "reverse", "has_inf", "has_nan", "isfinite"]

_MAX_ASSIGNED = 1024 * 1024  # numbers that fit into an attribute


def _one_op(op_type, inputs, dtype, attrs=None, name=None, helper_name=None, slot="Out"):
    """The only output of an op."""
    helper = LayerHelper(helper_name or op_type, name=name)
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op(op_type, inputs, {slot: [out]}, attrs)
    return out


def _number_tensors(helper, numbers):
    """A tensor for each number, given as a number or as one."""
    out = []
    for number in numbers:
        tensor = number
        if not isinstance(number, Variable):
            tensor = helper.create_variable_for_type_inference("int32")
            fill_constant([1], "int32", number, force_cpu=True, out=tensor)
        tensor.stop_gradient = True
        out.append(tensor)
    return out


def _array_of(input):
    """The tensor array that stands alone or in a list; else None."""
    alone = input[0] if isinstance(input, (list, tuple)) and len(input) == 1 else input
    is_array = getattr(alone, "type", None) == VarDesc.VarType.LOD_TENSOR_ARRAY
    return alone if is_array else None


# ---- variables ----

def create_tensor(dtype, name=None, persistable=False):
    """A variable of the current block, without a value yet."""
    helper = LayerHelper("create_tensor", name=name)
    return helper.create_variable(name=helper.name, dtype=dtype, persistable=persistable)


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    helper = LayerHelper("create_parameter", name=name)  # a name takes no number
    if attr is None:
        attr = ParamAttr(name=name)
    return helper.create_parameter(attr, shape, dtype, is_bias, default_initializer)


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable of the global block that starts as one number everywhere."""
    helper = LayerHelper("global_var")
    var = helper.create_global_variable(dtype=dtype, shape=shape, persistable=persistable,
                                        name=name or unique_name.generate("_generated_var"),
                                        stop_gradient=True)
    helper.set_variable_initializer(var, Constant(value=float(value), force_cpu=force_cpu))
    return var


# ---- moving ----

def cast(x, dtype):
    helper = LayerHelper("cast")
    out = helper.create_variable_for_type_inference(dtype=dtype)
    helper.append_op("cast", {"X": [x]}, {"Out": [out]},
                     {"in_dtype": int(x.dtype), "out_dtype": int(out.dtype)})
    return out


def _join_array(helper, array, axis, use_stack):
    """(the tensors of an array as one, how much each takes of the axis)"""
    out = helper.create_variable_for_type_inference(dtype=array.dtype)
    sizes = helper.create_variable_for_type_inference(dtype="int32")
    helper.append_op("tensor_array_to_tensor", {"X": [array]},
                     {"Out": [out], "OutIndex": [sizes]}, {"axis": axis, "use_stack": use_stack})
    return out, sizes


def tensor_array_to_tensor(input, axis=1, name=None, use_stack=False):
    """(the tensors of an array as one, how much each takes of the axis)"""
    array = _array_of(input)
    if array is None:
        raise TypeError("tensor_array_to_tensor: input is %r, and must be a tensor array"
                        % (input,))
    return _join_array(LayerHelper("tensor_array_to_tensor", name=name), array, axis, use_stack)


def concat(input, axis=0, name=None):
    """Tensors side by side along an axis; a tensor array as well."""
    helper = LayerHelper("concat", input=input, name=name)
    array = _array_of(input)
    if array is not None:
        return _join_array(helper, array, axis, False)[0]
    inputs, attrs = {"X": input}, {}
    if isinstance(axis, Variable):
        axis.stop_gradient = True
        inputs["AxisTensor"] = axis
    else:
        attrs["axis"] = axis
    out = helper.create_variable_for_type_inference(dtype=helper.input_dtype())
    helper.append_op("concat", inputs, {"Out": [out]}, attrs)
    return out


def sums(input, out=None):
    """The sum of tensors of one shape."""
    helper = LayerHelper("sum", input=input)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=helper.input_dtype())
    helper.append_op("sum", {"X": input}, {"Out": out})
    return out


def sum(x):
    return sums(x)


def assign(input, output=None):
    """A copy of a tensor, or an array of numpy as a tensor."""
    helper = LayerHelper("assign")
    if output is None:
        output = helper.create_variable_for_type_inference(dtype=input.dtype)
    if isinstance(input, Variable):
        helper.append_op("assign", {"X": [input]}, {"Out": [output]})
        return output
    key = {"bool": "bool_values", "float32": "fp32_values", "int32": "int32_values",
           "int64": "int64_values"}.get(input.dtype.name)
    if key is None:
        raise TypeError("assign: the array is of %s, and must be of bool, float32, int32 or int64"
                        % input.dtype)
    if input.size > _MAX_ASSIGNED:
        raise ValueError("assign: the array has %d numbers, and a program takes %d at most: feed "
                         "it, or read it from a file" % (input.size, _MAX_ASSIGNED))
    values = input.astype("int32") if key == "bool_values" else input
    helper.append_op("assign_value", {}, {"Out": [output]},
                     {"dtype": convert_np_dtype_to_dtype_(input.dtype),
                      "shape": list(input.shape), key: values.ravel().tolist()})
    return output


def reverse(x, axis):
    return _one_op("reverse", {"X": x}, x.dtype,
                   {"axis": [axis] if isinstance(axis, int) else list(axis)})


# ---- constants ----

def _value_attrs(value, dtype):
    is_whole = convert_np_dtype_to_dtype_(dtype) in (VarDesc.VarType.INT32, VarDesc.VarType.INT64)
    return {"value": float(value), "str_value": str(int(value) if is_whole else float(value))}


def fill_constant(shape, dtype, value, force_cpu=False, out=None):
    """A tensor of one number; the shape may hold or be Variables."""
    helper = LayerHelper("fill_constant")
    inputs, attrs = {}, {"force_cpu": force_cpu}
    if isinstance(value, Variable):
        inputs["ValueTensor"] = value
    else:
        attrs.update(_value_attrs(value, dtype))
    if isinstance(shape, Variable):
        inputs["ShapeTensor"] = shape
    elif any(isinstance(dim, Variable) for dim in shape):
        inputs["ShapeTensorList"] = [
            dim if isinstance(dim, Variable) else fill_constant([1], "int32", dim, True)
            for dim in shape]
        attrs["shape"] = [-1 if isinstance(dim, Variable) else int(dim) for dim in shape]
    else:
        attrs["shape"] = [int(dim) for dim in shape]
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=dtype)
    elif out.dtype != convert_np_dtype_to_dtype_(dtype):
        raise TypeError("fill_constant: out is of another type than dtype: %s and %s"
                        % (convert_dtype(out.dtype), convert_dtype(dtype)))
    attrs["dtype"] = int(out.dtype)
    helper.append_op("fill_constant", inputs, {"Out": [out]}, attrs)
    out.stop_gradient = True
    return out


def fill_constant_batch_size_like(input, shape, dtype, value, input_dim_idx=0, output_dim_idx=0,
                                  force_cpu=False):
    """A tensor of one number; one of its sizes is one of input's."""
    helper = LayerHelper("fill_constant_batch_size_like")
    out = helper.create_variable_for_type_inference(dtype=dtype)
    attrs = {"shape": list(shape), "dtype": int(out.dtype), "input_dim_idx": input_dim_idx,
             "output_dim_idx": output_dim_idx, "force_cpu": force_cpu}
    attrs.update(_value_attrs(value, dtype))
    helper.append_op("fill_constant_batch_size_like", {"Input": input}, {"Out": [out]}, attrs)
    out.stop_gradient = True
    return out


def zeros(shape, dtype, force_cpu=False):
    return fill_constant(shape, dtype, 0.0, force_cpu)


def ones(shape, dtype, force_cpu=False):
    return fill_constant(shape, dtype, 1.0, force_cpu)


def zeros_like(x, out=None):
    helper = LayerHelper("zeros_like")
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("fill_zeros_like", {"X": [x]}, {"Out": [out]})
    out.stop_gradient = True
    return out


def ones_like(x, out=None):
    helper = LayerHelper("ones_like")
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("fill_any_like", {"X": [x]}, {"Out": [out]}, {"value": 1.0})
    return out


def full(shape, fill_value, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """A tensor of one number, of float32 unless told. No gradient comes from a constant, so
    stop_gradient changes nothing."""
    helper = LayerHelper("full", name=name)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=dtype or "float32")
    with device_guard(device):
        return fill_constant(shape, out.dtype, fill_value, out=out)


def full_like(input, fill_value, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """A tensor of one number in the shape of another."""
    helper = LayerHelper("full_like", name=name)
    dtype = input.dtype if dtype is None else convert_np_dtype_to_dtype_(dtype)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=dtype)
    with device_guard(device):
        helper.append_op("fill_any_like", {"X": [input]}, {"Out": [out]},
                         {"value": float(fill_value), "dtype": int(dtype)})
    out.stop_gradient = stop_gradient
    return out


# ---- numbers in order ----

def _scalar(number, dtype, convert=False):
    """A tensor of one number, given as a number or as one."""
    if not isinstance(number, Variable):
        return fill_constant([1], dtype, number)
    if convert and number.dtype != convert_np_dtype_to_dtype_(dtype):
        return cast(number, dtype)
    return number


def _range(start, end, step, dtype, name):
    helper = LayerHelper("range", name=name)
    start, end, step = (_scalar(n, dtype, True) for n in (start, end, step))
    out = helper.create_variable_for_type_inference(dtype=start.dtype)
    helper.append_op("range", {"Start": start, "End": end, "Step": step}, {"Out": [out]})
    out.stop_gradient = True
    return out


def range(start, end, step, dtype):
    """start, start + step, ... up to end, without it."""
    return _range(start, end, step, dtype, None)


def arange(start, end, step=1, dtype=None, name=None):
    return _range(start, end, step, dtype or "float32", name)


def linspace(start, stop, num, dtype):
    """num numbers in equal steps from start to stop, both among them."""
    helper = LayerHelper("linspace")
    start, stop, num = _scalar(start, dtype), _scalar(stop, dtype), _scalar(num, "int32")
    out = helper.create_variable_for_type_inference(dtype=start.dtype)
    helper.append_op("linspace", {"Start": start, "Stop": stop, "Num": num}, {"Out": [out]})
    return out


# ---- matrices ----

def diag(diagonal):
    """A square matrix with these numbers on its diagonal."""
    if not isinstance(diagonal, Variable):
        diagonal = assign(diagonal)
    out = _one_op("diag", {"Diagonal": [diagonal]}, diagonal.dtype)
    out.stop_gradient = True
    return out


def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32"):
    """Ones on the diagonal; batch_shape: as many times."""
    out = _one_op("eye", {}, dtype, {
        "num_rows": num_rows, "num_columns": num_rows if num_columns is None else num_columns,
        "dtype": int(convert_np_dtype_to_dtype_(dtype))})
    out.stop_gradient = True
    if batch_shape is None:
        return out
    if not isinstance(batch_shape, list):
        raise TypeError("eye: batch_shape is %r, and must be a list" % (batch_shape,))
    for times in reversed(batch_shape):
        if not isinstance(times, int) or times <= 0:
            raise TypeError("eye: batch_shape is %r, and must have whole numbers above zero"
                            % (batch_shape,))
        out = _one_op("stack", {"X": [out] * times}, out.dtype, {"axis": 0}, slot="Y")
    return out


def _named_out(helper, dtype):
    """An output that bears the layer's own name."""
    return helper.create_variable(name=helper.name, dtype=dtype, persistable=False)


def _triangle(layer_type, input, diagonal, name):
    helper = LayerHelper(layer_type, name=name)
    out = _named_out(helper, input.dtype)
    helper.append_op("tril_triu", {"X": input}, {"Out": out},
                     {"diagonal": diagonal, "lower": layer_type == "tril"})
    return out


def tril(input, diagonal=0, name=None):
    """What stands on and below a diagonal."""
    return _triangle("tril", input, diagonal, name)


def triu(input, diagonal=0, name=None):
    """What stands on and above a diagonal."""
    return _triangle("triu", input, diagonal, name)


def trace(input, offset=0, dim1=0, dim2=1, out=None, name=None):
    """The sum of a diagonal."""
    helper = LayerHelper("trace", name=name)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("trace", {"Input": [input]}, {"Out": [out]},
                     {"offset": offset, "dim1": dim1, "dim2": dim2})
    return out


def kron(x, y, out=None, name=None):
    """Each element of x times the whole of y."""
    helper = LayerHelper("kron", name=name)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("kron", {"X": x, "Y": y}, {"Out": out})
    return out


# ---- whether numbers are numbers ----

def has_inf(x):
    return _one_op("isinf", {"X": x}, x.dtype)


def has_nan(x):
    return _one_op("isnan", {"X": x}, x.dtype)


def isfinite(x):
    return _one_op("isfinite", {"X": x}, "bool")
