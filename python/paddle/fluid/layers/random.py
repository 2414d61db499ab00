"""Numbers by chance."""
from ..framework import Variable, convert_np_dtype_to_dtype_
from ..layer_helper import LayerHelper

__all__ = ["uniform_random", "gaussian_random", "uniform_random_batch_size_like",
           "gaussian_random_batch_size_like", "randint", "randn", "randperm"]


def _number_op(helper, dtype, value):
    """A whole number as a tensor, for a shape that is otherwise of tensors."""
    out = helper.create_variable_for_type_inference(dtype, stop_gradient=True)
    helper.append_op("fill_constant", {}, {"Out": [out]},
                     {"shape": [1], "dtype": int(out.dtype), "force_cpu": True,
                      "value": float(value), "str_value": str(int(value))})
    return out


def _shape_args(shape, constant, keep_known=True):
    """(inputs, attributes) of a shape: of numbers, of numbers and Variables, or a Variable.
    constant(n): the number n as a Variable."""
    if isinstance(shape, Variable):
        shape.stop_gradient = True
        return {"ShapeTensor": shape}, {}
    if not isinstance(shape, (list, tuple)) or len(shape) == 0:
        raise TypeError("the shape is %r, and must be a list, a tuple or a Variable" % (shape,))
    if not any(isinstance(dim, Variable) for dim in shape):
        return {}, {"shape": [int(dim) for dim in shape]}
    parts = [dim if isinstance(dim, Variable) else constant(dim) for dim in shape]
    for part in parts:
        part.stop_gradient = True
    attrs = {"shape": [-1 if isinstance(dim, Variable) else int(dim) for dim in shape]}
    return {"ShapeTensorList": parts}, attrs if keep_known else {}


def uniform_random(shape, dtype="float32", min=-1.0, max=1.0, seed=0):
    """Numbers drawn evenly from [min, max)."""
    helper = LayerHelper("uniform_random")
    dtype = convert_np_dtype_to_dtype_(dtype)
    inputs, attrs = _shape_args(shape, lambda n: _number_op(helper, "int64", n))
    attrs.update(min=float(min), max=float(max), seed=seed, dtype=int(dtype))
    out = helper.create_variable_for_type_inference(dtype)
    helper.append_op("uniform_random", inputs, {"Out": out}, attrs)
    return out


def gaussian_random(shape, mean=0.0, std=1.0, seed=0, dtype="float32"):
    """Numbers drawn from a normal distribution."""
    from .tensor import fill_constant
    helper = LayerHelper("gaussian_random")
    dtype = convert_np_dtype_to_dtype_(dtype)
    out = helper.create_variable_for_type_inference(dtype)
    inputs, attrs = _shape_args(shape, lambda n: fill_constant([1], "int32", n, force_cpu=True))
    attrs.update(mean=float(mean), std=float(std), seed=seed, dtype=int(dtype))
    helper.append_op("gaussian_random", inputs, {"Out": out}, attrs)
    return out


def _batch_size_like(op_type, input, shape, dtype, input_dim_idx, output_dim_idx, **attrs):
    helper = LayerHelper(op_type)
    dtype = convert_np_dtype_to_dtype_(dtype)
    out = helper.create_variable_for_type_inference(dtype)
    attrs.update(shape=list(shape), input_dim_idx=input_dim_idx, output_dim_idx=output_dim_idx,
                 dtype=int(dtype))
    helper.append_op(op_type, {"Input": input}, {"Out": out}, attrs)
    return out


def uniform_random_batch_size_like(input, shape, dtype="float32", input_dim_idx=0,
                                   output_dim_idx=0, min=-1.0, max=1.0, seed=0):
    return _batch_size_like("uniform_random_batch_size_like", input, shape, dtype, input_dim_idx,
                            output_dim_idx, min=float(min), max=float(max), seed=seed)


def gaussian_random_batch_size_like(input, shape, input_dim_idx=0, output_dim_idx=0, mean=0.0,
                                    std=1.0, seed=0, dtype="float32"):
    return _batch_size_like("gaussian_random_batch_size_like", input, shape, dtype,
                            input_dim_idx, output_dim_idx, mean=float(mean), std=float(std),
                            seed=seed)


def _check_device(device, what):
    if device not in (None, "cpu"):
        raise ValueError("%s: device is %r, and must be None or 'cpu'" % (what, device))


def randint(low, high=None, shape=None, out=None, dtype=None, device=None, stop_gradient=False,
            seed=0, name=None):
    """Whole numbers from low .. high - 1, or from 0 .. low - 1 where high is not given."""
    _check_device(device, "randint")
    if high is None:
        low, high = 0, low
    dtype = convert_np_dtype_to_dtype_("int64" if dtype is None else dtype)
    helper = LayerHelper("randint", name=name)
    inputs, attrs = _shape_args([1] if shape is None else shape,
                                lambda n: _number_op(helper, "int64", n), keep_known=False)
    if out is None and name is None:
        out = helper.create_variable_for_type_inference(dtype)
    elif out is None:
        out = helper.create_variable(name=name, dtype=dtype, persistable=False)
    if stop_gradient:
        out.stop_gradient = True
    attrs.update(low=low, high=high, seed=seed, dtype=int(dtype))
    helper.append_op("randint", inputs, {"Out": out}, attrs)
    return out


def randn(shape, out=None, dtype=None, device=None, stop_gradient=True, name=None):
    """Numbers of the standard normal distribution, others in each step."""
    _check_device(device, "randn")
    helper = LayerHelper("randn", name=name)
    dtype = convert_np_dtype_to_dtype_("float32" if dtype is None else dtype)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype)
    out.stop_gradient = stop_gradient
    inputs, attrs = _shape_args(shape, lambda n: _number_op(helper, "int64", n))
    attrs.update(mean=0.0, std=1.0, seed=0, dtype=int(dtype))
    helper.append_op("gaussian_random", inputs, {"Out": out}, attrs)
    return out


def randperm(n, out=None, dtype="int64", device=None, stop_gradient=True, seed=0):
    """0 .. n - 1 in any order."""
    if n < 1:
        raise ValueError("randperm: n is %s, and must be above 0" % n)
    _check_device(device, "randperm")
    helper = LayerHelper("randperm")
    dtype = convert_np_dtype_to_dtype_(dtype)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype)
    if stop_gradient:
        out.stop_gradient = True
    helper.append_op("randperm", {}, {"Out": out}, {"n": n, "seed": seed, "dtype": int(dtype)})
    return out
