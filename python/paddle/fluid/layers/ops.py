"""Layers that are one op of one input: made from the table below."""
import numpy

from ..layer_helper import LayerHelper
from .tensor import assign

_UNARY = ("relu sigmoid tanh exp log sqrt rsqrt square abs ceil floor round reciprocal sin cos "
          "asin acos atan erf softplus softsign logsigmoid tanh_shrink").split()

__all__ = _UNARY + ["sign"]


def _unary(op_type):
    def layer(x, name=None):
        helper = LayerHelper(op_type, name=name)
        out = helper.create_variable_for_type_inference(dtype=x.dtype)
        helper.append_op(op_type, {"X": x}, {"Out": out})
        return out
    layer.__name__ = layer.__qualname__ = op_type
    layer.__doc__ = "The op %s: `paddle ops %s` tells all." % (op_type, op_type)
    return layer


for _name in _UNARY:
    globals()[_name] = _unary(_name)

_sign = _unary("sign")


def sign(x, name=None):
    """-1, 0 or 1. x: a variable, or an array."""
    return _sign(assign(x) if isinstance(x, numpy.ndarray) else x, name)
