"""Weight normalisation: a parameter as a length g and a direction v, w = g v / |v|."""
import copy

from .. import unique_name
from ..param_attr import WeightNormParamAttr
from .nn import elementwise_div, elementwise_mul

__all__ = []


class _Norms:
    """Ops in one block that compute the norms of a tensor along all dimensions but one."""

    def __init__(self, name, block):
        self._name, self._block = name, block

    def _var(self, what, dtype):
        return self._block.create_var(dtype=dtype, persistable=False, name=unique_name.generate(
            "%s.weight_norm_%s" % (self._name, what)))

    def _op(self, type, x, out, **attrs):
        self._block.append_op(type, {"X": x}, {"Out": out}, attrs)
        return out

    def _norm(self, x, dim, out):
        if out is None:
            out = self._var("norm", x.dtype)
        size = self._op("abs", x, self._var("abs", x.dtype))
        square = self._op("pow", size, self._var("pow", x.dtype), factor=2.0)
        total = self._op("reduce_sum", square, self._var("sum", x.dtype),
                         dim=[0 if dim is None else dim], keep_dim=False, reduce_all=dim is None)
        return self._op("pow", total, out, factor=0.5)

    def _matrix(self, x, rows, dim, shape, out):
        """Through a matrix of `rows`, summed along `dim`, to the shape wanted."""
        flat = self._op("reshape", x, self._var("reshape", x.dtype), shape=rows)
        norm = self._norm(flat, dim, None)
        return self._op("reshape", norm, self._var("reshape", x.dtype) if out is None
                        else out, shape=shape)

    def but(self, x, dim, out=None):
        """The norm of x along all dimensions but `dim`, which keeps its place."""
        if out is None:
            out = self._var("norm", x.dtype)
        rank = len(x.shape)
        if dim is None:
            return self._norm(x, None, out)
        if dim == 0:
            return self._matrix(x, [x.shape[0], -1], 1, [x.shape[0]] + [1] * (rank - 1), out)
        if dim == rank - 1:
            return self._matrix(x, [-1, x.shape[dim]], 0, [1] * (rank - 1) + [x.shape[dim]], out)
        swapped = list(range(rank))
        swapped[0], swapped[dim] = dim, 0
        turned = self._op("transpose", x, self._var("transpose", x.dtype), axis=swapped)
        norm = self._matrix(turned, [x.shape[dim], -1], 1, [x.shape[dim]] + [1] * (rank - 1), None)
        return self._op("transpose", norm, out, axis=swapped)


def _parameter(block, helper, attr, suffix, shape, dtype):
    attr = copy.copy(attr)
    attr.name += suffix
    return block.create_parameter(shape=shape, dtype=dtype, **attr._to_kwargs())


def create(helper, attr, shape, dtype):
    """The weight: g and v are the parameters, and g starts as |v|."""
    dim = attr.dim
    if dim is not None and not 0 <= dim < len(shape):
        raise ValueError("WeightNormParamAttr: dim is %s, and the parameter has the shape %s"
                         % (dim, list(shape)))
    lengths = [n if i == dim else 1 for i, n in enumerate(shape)]
    startup = helper.startup_program.global_block()
    g = _parameter(startup, helper, attr, "_g", lengths, dtype)
    v = _parameter(startup, helper, attr, "_v", shape, dtype)
    attr.initializer(v, startup)
    _Norms(helper.name, startup).but(v, dim, out=g)
    startup.append_op("reshape", {"X": g}, {"Out": g}, {"shape": lengths})
    main = helper.main_program.global_block()
    g = _parameter(main, helper, attr, "_g", lengths, dtype)
    v = _parameter(main, helper, attr, "_v", shape, dtype)
    weight = _weight(g, v, dim, _Norms(helper.name, helper.main_program.current_block()))
    WeightNormParamAttr.params_with_weight_norm.append(weight)
    return weight


def _weight(g, v, dim, norms):
    from ..layer_helper import LayerHelper
    scale = elementwise_div(g, norms.but(v, dim))
    if dim is None:
        return elementwise_mul(v, scale)
    helper = LayerHelper("reshape2")
    flat = helper.create_variable_for_type_inference(dtype=v.dtype)
    shape = helper.create_variable_for_type_inference(dtype=v.dtype)
    helper.append_op("reshape2", {"X": scale}, {"Out": flat, "XShape": shape},
                     {"shape": [v.shape[dim]]})
    return elementwise_mul(v, flat, axis=dim)
