"""Arithmetic on Variables: x + y, 2 * x, x < 1, x.astype("int64")."""
from .. import unique_name
from ..core import VarDesc
from ..framework import Variable, convert_np_dtype_to_dtype_, default_main_program

__all__ = []

_WHOLE = (VarDesc.VarType.INT16, VarDesc.VarType.INT32, VarDesc.VarType.INT64,
          VarDesc.VarType.INT8, VarDesc.VarType.UINT8)


def _op(type, inputs, dtype, attrs, stop_gradient=False):
    """The output of an op, under a name of the kind that Fluid gives to expressions."""
    block = default_main_program().current_block()
    out = block.create_var(name=unique_name.generate("tmp"), dtype=dtype,
                           stop_gradient=stop_gradient)
    block.append_op(type, inputs, {"Out": [out]}, attrs)
    return out


def _constant(value, shape, dtype):
    return _op("fill_constant", {}, dtype,
               {"value": value, "shape": list(shape), "dtype": int(dtype)}, True)


def _constant_like(x, value):
    """The number in x's shape, whose first unknown dimension is that of the running x; it is
    spread over the other unknown ones."""
    if -1 not in x.shape:
        return _constant(value, x.shape, x.dtype)
    batch = x.shape.index(-1)
    shape = [1 if dim == -1 and i != batch else dim for i, dim in enumerate(x.shape)]
    return _op("fill_constant_batch_size_like", {"Input": [x]}, x.dtype,
               {"value": value, "shape": shape, "dtype": int(x.dtype),
                "input_dim_idx": batch, "output_dim_idx": batch}, True)


def _scale(x, scale, bias):
    return _op("scale", {"X": [x]}, x.dtype, {"scale": float(scale), "bias": float(bias)})


def _cast(x, dtype):
    dtype = convert_np_dtype_to_dtype_(dtype)
    return _op("cast", {"X": [x]}, dtype, {"in_dtype": int(x.dtype), "out_dtype": int(dtype)})


def astype(self, dtype):
    """x in another type: the op cast."""
    return _cast(self, dtype)


def _whole_or_any(x, value, method):
    if x.dtype in _WHOLE and isinstance(value, float) and not value.is_integer():
        raise AssertionError("%s: float value %s cannot convert to integer, and %s is of whole "
                             "numbers; use x.astype('float32')" % (method, value, x.name))


def _binary(method, op_type, reverse=False, scale_of=None):
    """The method. scale_of: (scale, bias) that does the same with a Python number."""
    def operator(self, other):
        x, y = self, other
        if not isinstance(other, Variable):
            if scale_of is not None and isinstance(other, (int, float)):
                _whole_or_any(self, other, method)
                if op_type != "elementwise_div" or self.dtype not in _WHOLE:
                    return _scale(self, *scale_of(other))
            value = float(other)
            y = _constant_like(self, value) if reverse else _constant(value, [1], self.dtype)
        elif y.dtype != x.dtype:
            y = _cast(y, x.dtype)
        if reverse:
            x, y = y, x
        # A Y with the batch in front starts at the same dimension as X.
        return _op(op_type, {"X": [x], "Y": [y]}, x.dtype,
                   {"axis": 0 if y.shape and y.shape[0] == -1 else -1})
    operator.__name__ = operator.__qualname__ = method
    operator.__doc__ = "The op %s: `paddle ops %s` tells all." % (op_type, op_type)
    setattr(Variable, method, operator)


for _method, _type, _reverse, _scale_of in (
        ("__add__", "elementwise_add", False, lambda v: (1.0, v)),
        ("__radd__", "elementwise_add", False, lambda v: (1.0, v)),
        ("__sub__", "elementwise_sub", False, lambda v: (1.0, -v)),
        ("__rsub__", "elementwise_sub", True, lambda v: (-1.0, v)),
        ("__mul__", "elementwise_mul", False, lambda v: (v, 0.0)),
        ("__rmul__", "elementwise_mul", False, lambda v: (v, 0.0)),
        ("__div__", "elementwise_div", False, lambda v: (1.0 / v, 0.0)),
        ("__truediv__", "elementwise_div", False, lambda v: (1.0 / v, 0.0)),
        ("__rdiv__", "elementwise_div", True, None),
        ("__rtruediv__", "elementwise_div", True, None),
        ("__pow__", "elementwise_pow", False, None),
        ("__rpow__", "elementwise_pow", True, None),
        ("__floordiv__", "elementwise_floordiv", False, None),
        ("__mod__", "elementwise_mod", False, None),
        ("__eq__", "equal", False, None), ("__ne__", "not_equal", False, None),
        ("__lt__", "less_than", False, None), ("__le__", "less_equal", False, None),
        ("__gt__", "greater_than", False, None), ("__ge__", "greater_equal", False, None)):
    _binary(_method, _type, _reverse, _scale_of)

Variable.__neg__ = lambda self: _scale(self, -1.0, 0.0)
Variable.astype = astype
