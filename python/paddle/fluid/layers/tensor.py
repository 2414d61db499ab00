"""Making and moving tensors."""
from .. import unique_name
from ..initializer import Constant
from ..layer_helper import LayerHelper

__all__ = ["create_global_var", "fill_constant", "zeros", "ones", "sums", "assign"]


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A variable of the global block that starts as one number everywhere."""
    helper = LayerHelper("global_var")
    var = helper.create_global_variable(dtype=dtype, shape=shape, persistable=persistable,
                                        name=name or unique_name.generate("_generated_var"),
                                        stop_gradient=True)
    helper.set_variable_initializer(var, Constant(value=float(value), force_cpu=force_cpu))
    return var


def fill_constant(shape, dtype, value, force_cpu=False, out=None):
    """A tensor of one number; the shape may hold or be Variables."""
    from ..framework import Variable, convert_np_dtype_to_dtype_
    helper = LayerHelper("fill_constant")
    inputs, attrs = {}, {"value": float(value) if not isinstance(value, Variable) else 0.0,
                         "force_cpu": force_cpu}
    if not isinstance(value, Variable) and convert_np_dtype_to_dtype_(dtype) in (2, 3):
        attrs["str_value"] = str(int(value))
    elif not isinstance(value, Variable):
        attrs["str_value"] = str(float(value))
    else:
        inputs["ValueTensor"] = value
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
    attrs["dtype"] = int(out.dtype)
    helper.append_op("fill_constant", inputs, {"Out": [out]}, attrs)
    out.stop_gradient = True
    return out


def zeros(shape, dtype, force_cpu=False):
    return fill_constant(shape, dtype, 0.0, force_cpu)


def ones(shape, dtype, force_cpu=False):
    return fill_constant(shape, dtype, 1.0, force_cpu)


def sums(input, out=None):
    helper = LayerHelper("sum", input=input)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=helper.input_dtype())
    helper.append_op("sum", {"X": input}, {"Out": out})
    return out


def assign(input, output=None):
    helper = LayerHelper("assign")
    if output is None:
        output = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("assign", {"X": [input]}, {"Out": [output]})
    return output
