"""Arithmetic on tensors: products, powers, bounds, norms, logic."""
from .. import unique_name
from ..framework import Variable
from ..layer_helper import LayerHelper
from .nn import elementwise_add, elementwise_mul, reduce_sum
from .ops import exp, log

__all__ = ["matmul", "mul", "pow", "clip", "clip_by_norm", "l2_normalize", "logical_and",
           "logical_or", "logical_xor", "logical_not", "cumsum", "sum", "elementwise_equal",
           "log1p", "logsumexp", "clamp", "addmm", "addcmul", "bmm", "dot", "dist", "allclose",
           "bilinear_tensor_product", "fsp_matrix", "similarity_focus"]


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


# ---- of whole tensors ----

def log1p(x, out=None, name=None):
    """log(1 + x), exact near 0."""
    helper = LayerHelper("log1p", name=name)
    if out is None:
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("log1p", {"X": x}, {"Out": out})
    return out


def logsumexp(x, dim=None, keepdim=False, out=None, name=None):
    """log(sum of e^x), without care for large x: as Fluid computes it."""
    exps = exp(x)
    total = reduce_sum(exps, dim=dim, keep_dim=keepdim)
    if out is None:
        return log(total, name=name)
    LayerHelper("log", name=name).append_op("log", {"X": total}, {"Out": out})
    return out


def clamp(input, min=None, max=None, output=None, name=None):
    """x between bounds, which may be numbers or Variables; one of them may be left out."""
    if min is None and max is None:
        raise AssertionError("clamp: either min or max should be defined.")
    inputs, attrs = {"X": input}, {}
    for bound, slot, none in ((min, "Min", "-inf"), (max, "Max", "inf")):
        if isinstance(bound, Variable):
            bound.stop_gradient = True
            inputs[slot] = bound
        attrs[slot.lower()] = float(none if bound is None or slot in inputs else bound)
    if attrs["min"] > attrs["max"]:
        raise ValueError("clamp: min is %s, and max %s" % (min, max))
    helper = LayerHelper("clamp", name=name)
    if output is None:
        output = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("clip", inputs, {"Out": output}, attrs)
    return output


def addmm(input, x, y, alpha=1.0, beta=1.0, name=None):
    """beta input + alpha x y"""
    helper = LayerHelper("addmm", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("addmm", {"Input": input, "X": x, "Y": y}, {"Out": out},
                     {"Alpha": float(alpha), "Beta": float(beta)})
    return out


def addcmul(input, tensor1, tensor2, value=1.0, out=None, name=None):
    """input + value tensor1 tensor2"""
    total = elementwise_add(input, elementwise_mul(tensor1, tensor2) * float(value))
    if out is None:
        return total
    LayerHelper("addcmul", name=name).append_op("assign", {"X": total}, {"Out": out})
    return out


def bmm(x, y, name=None):
    """The matrix products of two batches."""
    helper = LayerHelper("bmm", name=name)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("bmm", {"X": x, "Y": y}, {"Out": out})
    return out


def dot(x, y, name=None):
    helper = LayerHelper("dot", name=name)
    if name is None:
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
    else:
        out = helper.create_variable(name=name, dtype=x.dtype, persistable=False)
    helper.append_op("dot", {"X": x, "Y": y}, {"Out": out})
    return out


def dist(x, y, p=2):
    """The p-norm of x - y."""
    helper = LayerHelper("dist")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("dist", {"X": [x], "Y": [y]}, {"Out": [out]}, {"p": float(p)})
    return out


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """Whether |input - other| <= atol + rtol |other| everywhere."""
    helper = LayerHelper("allclose", name=name)
    out = helper.create_variable_for_type_inference(dtype="bool")
    helper.append_op("allclose", {"Input": input, "Other": other}, {"Out": out},
                     {"rtol": float(rtol), "atol": float(atol), "equal_nan": equal_nan})
    return out


def bilinear_tensor_product(x, y, size, act=None, name=None, param_attr=None, bias_attr=None):
    """act(x W_i y^T + b_i) for each of `size` outputs."""
    helper = LayerHelper("bilinear_tensor_product", act=act, name=name, param_attr=param_attr,
                         bias_attr=bias_attr)
    w = helper.create_parameter(attr=helper.param_attr, shape=[size, x.shape[1], y.shape[1]],
                                dtype=x.dtype)
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    inputs = {"X": x, "Y": y, "Weight": w}
    if helper.bias_attr:
        inputs["Bias"] = helper.create_parameter(attr=helper.bias_attr, shape=[1, size],
                                                 dtype=x.dtype, is_bias=True)
    helper.append_op("bilinear_tensor_product", inputs, {"Out": out})
    return helper.append_activation(out)


def fsp_matrix(x, y):
    """Mean products of all pairs of channels."""
    helper = LayerHelper("fsp_matrix")
    out = helper.create_variable_for_type_inference(dtype=x.dtype)
    helper.append_op("fsp", {"X": x, "Y": y}, {"Out": out})
    return out


def similarity_focus(input, axis, indexes, name=None):
    """1 at the largest elements of the matrices that `input` [batch, a, b, c] has at `indexes` of
    `axis`, no two of them in one row or column, along the whole axis; 0 elsewhere."""
    if not isinstance(axis, int):
        raise TypeError("similarity_focus: axis is %r, and must be an int" % (axis,))
    if not isinstance(indexes, list):
        raise TypeError("similarity_focus: indexes is %r, and must be a list" % (indexes,))
    if axis not in (1, 2, 3):
        raise ValueError("similarity_focus: axis is %d, and must be 1, 2 or 3" % axis)
    if not indexes:
        raise ValueError("similarity_focus: indexes can not be empty")
    helper = LayerHelper("similarity_focus", name=name)
    out = helper.create_variable_for_type_inference(dtype=input.dtype)
    helper.append_op("similarity_focus", {"X": input}, {"Out": out},
                     {"axis": axis, "indexes": indexes})
    return out
