"""Probability distributions whose parameters are tensors."""
import math

from .. import unique_name
from ..core import VarDesc
from ..framework import Variable
from ..layer_helper import LayerHelper
from .control_flow import less_than
from .math import matmul
from .nn import elementwise_pow, reduce_max, reduce_prod, reduce_sum
from .ops import exp, log
from .random import gaussian_random, uniform_random, uniform_random_batch_size_like
from .tensor import fill_constant

__all__ = ["Uniform", "Normal", "Categorical", "MultivariateNormalDiag"]


def _op(op_type, inputs, dtype, attrs=None, more=()):
    """One output of an op, under the name that its layer gives; more: further output slots."""
    helper = LayerHelper(op_type)
    outs = [helper.create_variable_for_type_inference(dtype) for _ in range(1 + len(more))]
    helper.append_op(op_type, inputs, dict(zip(("Out",) + tuple(more), outs)), attrs)
    return outs[0]


def _cast(x, dtype):
    return _op("cast", {"X": x}, dtype, {"in_dtype": int(x.dtype), "out_dtype": int(dtype)})


def _zeros_like_batch(x, shape):
    out = _op("fill_constant_batch_size_like", {"Input": x}, x.dtype,
              {"shape": list(shape), "dtype": int(x.dtype), "value": 0.0, "str_value": "0.0",
               "input_dim_idx": 0, "output_dim_idx": 0, "force_cpu": False})
    out.stop_gradient = True
    return out


def _constant(array):
    name = unique_name.generate("create_tensor")
    helper = LayerHelper("assign")
    out = helper.create_variable(name=name, dtype="float32", persistable=False)
    helper.append_op("assign_value", {}, {"Out": out},
                     {"dtype": int(out.dtype), "shape": list(array.shape),
                      "fp32_values": [float(n) for n in array.ravel()]})
    return out


def _parameters(what, *given):
    """(the parameters as Variables, whether they depend on a batch, whether all are numbers)"""
    import numpy
    of_variables = [isinstance(value, Variable) for value in given]
    if any(of_variables):
        if not all(of_variables):
            raise ValueError("%s: if one argument is Variable, all arguments should be Variable"
                             % what)
        return given, True, False
    for value in given:
        if not isinstance(value, (float, list, numpy.ndarray)):
            raise TypeError("%s: a parameter is %r, and must be a float, a list, an array or a "
                            "Variable" % (what, value))
    arrays = [numpy.array(value, "float32") for value in given]
    arrays = [a.reshape(1) if a.ndim == 0 else a for a in arrays]
    whole = numpy.broadcast_arrays(*arrays)
    return ([_constant(numpy.ascontiguousarray(a)) for a in whole], False,
            all(isinstance(value, float) for value in given))


class Distribution:
    def sample(self, shape, seed=0):
        raise NotImplementedError("%s.sample()" % type(self).__name__)

    def entropy(self):
        raise NotImplementedError("%s.entropy()" % type(self).__name__)

    def kl_divergence(self, other):
        raise NotImplementedError("%s.kl_divergence()" % type(self).__name__)

    def log_prob(self, value):
        raise NotImplementedError("%s.log_prob()" % type(self).__name__)


class _OfTwo(Distribution):
    """Shared by the distributions that two numbers place and widen."""

    def _draw(self, place, width, shape, draw, draw_like):
        """place + width times chance, in the shape [shape..., that of the parameters...].
        width(zero): the width in the shape of the zero."""
        shape, like = list(shape), place + self._second
        whole = list(like.shape)
        if self._of_batch:  # the batch stays in front until the end
            zero = _zeros_like_batch(like, whole + shape)
            out = draw_like(zero, whole + shape) * width(zero) + place
            n = len(whole)
            perm = list(range(n, n + len(shape))) + list(range(n))
            return _op("transpose2", {"X": out}, out.dtype, {"axis": perm}, ("XShape",))
        chance = draw(shape + whole)
        zero = fill_constant(shape + whole, place.dtype, 0.0)
        out = chance * width(zero) + place
        if not self._of_numbers:
            return out
        return _op("reshape2", {"X": out}, out.dtype, {"shape": shape}, ("XShape",))


class Uniform(_OfTwo):
    """Even between low and high."""

    def __init__(self, low, high):
        (self.low, self.high), self._of_batch, self._of_numbers = _parameters("Uniform", low,
                                                                              high)
        self._second = self.high

    def sample(self, shape, seed=0):
        return self._draw(
            self.low, lambda zero: zero + (self.high - self.low), shape,
            lambda s: uniform_random(s, min=0.0, max=1.0, seed=seed),
            lambda zero, s: uniform_random_batch_size_like(zero, s, dtype=zero.dtype, min=0.0,
                                                           max=1.0, seed=seed))

    def log_prob(self, value):
        above, below = less_than(self.low, value), less_than(value, self.high)
        inside = _cast(above, value.dtype) * _cast(below, value.dtype)
        return log(inside) - log(self.high - self.low)

    def entropy(self):
        return log(self.high - self.low)


class Normal(_OfTwo):
    """Of the mean loc and the standard deviation scale."""

    def __init__(self, loc, scale):
        (self.loc, self.scale), self._of_batch, self._of_numbers = _parameters("Normal", loc,
                                                                               scale)
        self._second = self.scale

    def sample(self, shape, seed=0):
        def draw_like(zero, _):
            size = _op("shape", {"Input": zero}, VarDesc.VarType.INT32)
            return gaussian_random(size, mean=0.0, std=1.0, seed=seed, dtype=zero.dtype)
        return self._draw(self.loc, lambda zero: zero + self.scale, shape,
                          lambda s: gaussian_random(s, mean=0.0, std=1.0, seed=seed), draw_like)

    def entropy(self):
        shape = (self.loc + self.scale).shape
        zero = _zeros_like_batch(self.loc + self.scale, shape)
        return log(self.scale + zero) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value):
        variance = self.scale * self.scale
        log_scale = log(self.scale)
        square = (value - self.loc) * (value - self.loc)
        return (-1.0 * square) / (2.0 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def kl_divergence(self, other):
        if not isinstance(other, Normal):
            raise TypeError("Normal.kl_divergence: other is %r, and must be a Normal" % (other,))
        ratio = self.scale / other.scale
        ratio = ratio * ratio
        apart = (self.loc - other.loc) / other.scale
        apart = apart * apart
        return 0.5 * (ratio + apart - 1.0 - log(ratio))


class Categorical(Distribution):
    """Of classes, whose logits (logarithms of chances, up to a constant) stand last."""

    def __init__(self, logits):
        if not isinstance(logits, Variable):
            raise TypeError("Categorical: logits is %r, and must be a Variable" % (logits,))
        self.logits = logits

    def _shifted(self):
        return self.logits - reduce_max(self.logits, dim=-1, keep_dim=True)

    def kl_divergence(self, other):
        if not isinstance(other, Categorical):
            raise TypeError("Categorical.kl_divergence: other is %r, and must be a Categorical"
                            % (other,))
        mine, theirs = self._shifted(), other._shifted()
        e_mine, e_theirs = exp(mine), exp(theirs)
        z_mine = reduce_sum(e_mine, dim=-1, keep_dim=True)
        z_theirs = reduce_sum(e_theirs, dim=-1, keep_dim=True)
        chance = e_mine / z_mine
        return reduce_sum(chance * (mine - log(z_mine) - theirs + log(z_theirs)), dim=-1,
                          keep_dim=True)

    def entropy(self):
        logits = self._shifted()
        e = exp(logits)
        z = reduce_sum(e, dim=-1, keep_dim=True)
        chance = e / z
        return -1.0 * reduce_sum(chance * (logits - log(z)), dim=-1, keep_dim=True)


class MultivariateNormalDiag(Distribution):
    """Of the means loc, [k], and a diagonal matrix of variances, [k, k]."""

    def __init__(self, loc, scale):
        for value in (loc, scale):
            if not isinstance(value, Variable):
                raise TypeError("MultivariateNormalDiag: a parameter is %r, and must be a "
                                "Variable" % (value,))
        self.loc, self.scale = loc, scale

    @staticmethod
    def _ones(value):
        """(ones in the shape of the matrix, ones on its diagonal)"""
        shape = list(value.shape)
        ones = fill_constant(shape, value.dtype, 1.0)
        row = fill_constant([shape[0]], value.dtype, 1.0)
        diagonal = _op("diag", {"Diagonal": row}, value.dtype)
        diagonal.stop_gradient = True
        return ones, diagonal

    def _det(self, value):
        ones, diagonal = self._ones(value)
        return reduce_prod(value + ones - diagonal)

    def _inv(self, value):
        """Of a diagonal matrix: x^-1 on the diagonal, x^1 = 0 elsewhere."""
        ones, diagonal = self._ones(value)
        return elementwise_pow(value, ones - 2.0 * diagonal)

    def entropy(self):
        k = self.scale.shape[0]
        return 0.5 * (log(self._det(self.scale)) + k * (1.0 + math.log(2 * math.pi)))

    def kl_divergence(self, other):
        if not isinstance(other, MultivariateNormalDiag):
            raise TypeError("MultivariateNormalDiag.kl_divergence: other is %r, and must be a "
                            "MultivariateNormalDiag" % (other,))
        trace = reduce_sum(self._inv(other.scale) * self.scale)
        along = matmul(other.loc - self.loc, self._inv(other.scale))
        apart = matmul(along, other.loc - self.loc)
        ln = log(self._det(other.scale)) - log(self._det(self.scale))
        return 0.5 * (trace + apart - float(self.scale.shape[0]) + ln)
