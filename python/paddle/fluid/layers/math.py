"""Arithmetic on tensors: products, powers, bounds, norms, logic."""
from .. import unique_name
from ..framework import Variable
from ..layer_helper import LayerHelper

__all__ = ["matmul", "mul", "pow", "clip", "clip_by_norm", "l2_normalize", "logical_and",
           "logical_or", "logical_xor", "logical_not", "cumsum", "sum", "elementwise_equal"]


def matmul(x, y, transpose_x=False, transpose_y=False, alpha=1.0, name=None):
    helper = LayerHelper("matmul", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("matmul", {"X": x, "Y": y}, {"Out": out},
                     {"transpose_X": transpose_x, "transpose_Y": transpose_y,
                      "alpha": float(alpha)})
    return out


def mul(x, y, x_num_col_dims=1, y_num_col_dims=1, name=None):
    helper = LayerHelper("mul", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("mul", {"X": x, "Y": y}, {"Out": out},
                     {"x_num_col_dims": x_num_col_dims, "y_num_col_dims": y_num_col_dims})
    return out


def pow(x, factor=1.0, name=None):
    helper = LayerHelper("pow", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    inputs, attrs = {"X": x}, {}
    if isinstance(factor, Variable):
        factor.stop_gradient = True
        inputs["FactorTensor"] = factor
    else:
        attrs["factor"] = float(factor)
    helper.append_op("pow", inputs, {"Out": out}, attrs)
    return out


def _named(op_type, x, name, attrs):
    """The op's output is called as the layer is."""
    helper = LayerHelper(op_type)
    out = helper.create_variable(
        name=name or unique_name.generate(helper.name + ".tmp"), type=x.type, dtype=x.dtype,
        persistable=False)
    helper.append_op(op_type, {"X": x}, {"Out": out}, attrs)
    return out


def clip(x, min, max, name=None):
    return _named("clip", x, name, {"min": float(min), "max": float(max)})


def clip_by_norm(x, max_norm, name=None):
    return _named("clip_by_norm", x, name, {"max_norm": float(max_norm)})


def l2_normalize(x, axis, epsilon=1e-12, name=None):
    helper = LayerHelper("l2_normalize", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    norm = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("norm", {"X": x}, {"Out": out, "Norm": norm},
                     {"axis": 0 if len(x.shape) == 1 else axis, "epsilon": float(epsilon)})
    return out


def _logical(op_type, x, y, out, name):
    helper = LayerHelper(op_type, name=name)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype="bool")
    helper.append_op(op_type, {"X": x, "Y": y}, {"Out": out})
    return out


def logical_and(x, y, out=None, name=None):
    return _logical("logical_and", x, y, out, name)


def logical_or(x, y, out=None, name=None):
    return _logical("logical_or", x, y, out, name)


def logical_xor(x, y, out=None, name=None):
    return _logical("logical_xor", x, y, out, name)


def logical_not(x, out=None, name=None):
    return _logical("logical_not", x, None, out, name)


def cumsum(x, axis=None, exclusive=None, reverse=None):
    helper = LayerHelper("cumsum")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    given = {"axis": axis, "exclusive": exclusive, "reverse": reverse}
    helper.append_op("cumsum", {"X": x}, {"Out": out},
                     {key: value for key, value in given.items() if value is not None})
    return out


def sum(x):
    """The sum of the tensors, element by element."""
    helper = LayerHelper("sum", x=x)
    out = helper.create_variable_for_type_inference(dtype=helper.input_dtype("x"))
    helper.append_op("sum", {"X": x}, {"Out": out})
    return out


def elementwise_equal(x, y, name=None):
    helper = LayerHelper("elementwise_equal", name=name)
    out = helper.create_variable_for_type_inference(dtype="bool", stop_gradient=True)
    helper.append_op("equal", {"X": [x], "Y": [y]}, {"Out": [out]})
    return out
