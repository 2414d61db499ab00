"""Start values of parameters: each initializer adds one op to the startup program."""
import contextlib
import math

from .core import VarDesc

__all__ = [
    "Constant", "Uniform", "Normal", "TruncatedNormal", "Xavier", "Bilinear", "MSRA",
    "ConstantInitializer", "UniformInitializer", "NormalInitializer", "TruncatedNormalInitializer",
    "XavierInitializer", "BilinearInitializer", "MSRAInitializer", "NumpyArrayInitializer",
]


class Initializer:
    def __call__(self, param, block):
        raise NotImplementedError()

    @staticmethod
    def _fans(var):
        """Units in and out: of a matrix, or of a convolution with its receptive field."""
        shape = var.shape
        if not shape:
            return 1, 1
        if len(shape) == 1:
            return shape[0], shape[0]
        if len(shape) == 2:
            return shape[0], shape[1]
        field = 1
        for dim in shape[2:]:
            field *= dim
        return shape[1] * field, shape[0] * field

    _compute_fans = _fans

    @staticmethod
    def _seed(seed, block):
        """The attributes that say which numbers are drawn: by a seed of its own, or by that of the
        program and by which of its initializers this is."""
        program = block.program
        if seed or not program.random_seed:
            return {"seed": seed}
        return {"seed": program.random_seed, "start_number": program._next_start()}

    @staticmethod
    def _add(block, type, var, **attrs):
        attrs.update(shape=var.shape, dtype=int(var.dtype))
        return block._prepend_op(type=type, outputs={"Out": var}, attrs=attrs)


class ConstantInitializer(Initializer):
    def __init__(self, value=0.0, force_cpu=False):
        self._value = value
        self._force_cpu = force_cpu

    def __call__(self, var, block):
        return self._add(block, "fill_constant", var, value=float(self._value),
                         force_cpu=self._force_cpu)


class UniformInitializer(Initializer):
    def __init__(self, low=-1.0, high=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
        if high < low:
            raise ValueError("Uniform: high is %s and low is %s" % (high, low))
        self._low, self._high, self._seed_ = low, high, seed
        self._diag = (diag_num, diag_step, diag_val)

    def __call__(self, var, block):
        num, step, val = self._diag
        return self._add(block, "uniform_random", var, min=float(self._low),
                         max=float(self._high), diag_num=num, diag_step=step,
                         diag_val=float(val), **self._seed(self._seed_, block))


class NormalInitializer(Initializer):
    _type = "gaussian_random"

    def __init__(self, loc=0.0, scale=1.0, seed=0):
        if loc is None or scale is None or seed is None:
            raise ValueError("loc, scale and seed must not be None")
        self._mean, self._std, self._seed_ = loc, scale, seed

    def __call__(self, var, block):
        return self._add(block, self._type, var, mean=float(self._mean), std=float(self._std),
                         **self._seed(self._seed_, block))


class TruncatedNormalInitializer(NormalInitializer):
    _type = "truncated_gaussian_random"


class _FanInitializer(Initializer):
    """Uniform in +-limit, or normal, by the number of units."""

    def _fill(self, var, block, uniform, variance, seed):
        seed = self._seed(seed, block)
        if uniform:
            limit = math.sqrt(3.0 * variance)
            return self._add(block, "uniform_random", var, min=-limit, max=limit, **seed)
        return self._add(block, "gaussian_random", var, mean=0.0, std=math.sqrt(variance),
                         **seed)


class XavierInitializer(_FanInitializer):
    def __init__(self, uniform=True, fan_in=None, fan_out=None, seed=0):
        self._uniform, self._fan_in, self._fan_out, self._seed_ = uniform, fan_in, fan_out, seed

    def __call__(self, var, block):
        f_in, f_out = self._fans(var)
        fan_in = f_in if self._fan_in is None else self._fan_in
        fan_out = f_out if self._fan_out is None else self._fan_out
        return self._fill(var, block, self._uniform, 2.0 / float(fan_in + fan_out), self._seed_)


class MSRAInitializer(_FanInitializer):
    def __init__(self, uniform=True, fan_in=None, seed=0):
        self._uniform, self._fan_in, self._seed_ = uniform, fan_in, seed

    def __call__(self, var, block):
        fan_in = self._fans(var)[0] if self._fan_in is None else self._fan_in
        return self._fill(var, block, self._uniform, 2.0 / float(fan_in), self._seed_)


class NumpyArrayInitializer(Initializer):
    def __init__(self, value):
        import numpy
        if not isinstance(value, numpy.ndarray):
            raise TypeError("NumpyArrayInitializer takes a numpy array, not %s" % type(value))
        self._value = value

    def __call__(self, var, block):
        value = self._value
        if value.size > 1024 * 1024 * 1024:
            raise ValueError("NumpyArrayInitializer: %d numbers are too many for a program; set "
                             "the parameter after running the startup program" % value.size)
        kinds = {"float32": ("fp32_values", float), "float64": ("fp32_values", float),
                 "int32": ("int32_values", int), "int64": ("int64_values", int),
                 "bool": ("bool_values", bool)}
        if value.dtype.name not in kinds:
            raise ValueError("Unsupported dtype %s" % value.dtype)
        key, _ = kinds[value.dtype.name]
        dtype = VarDesc.VarType.FP32 if key == "fp32_values" else var.dtype
        return block._prepend_op(
            type="assign_value", outputs={"Out": var},
            attrs={"dtype": int(dtype), "shape": list(value.shape),
                   key: value.astype("float32" if key == "fp32_values" else value.dtype)
                   .ravel().tolist()})


class BilinearInitializer(Initializer):
    """Weights with which a transposed convolution enlarges an image."""

    def __call__(self, var, block):
        import numpy
        shape = var.shape
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ValueError("Bilinear: a square 4-D weight is wanted, not %s" % (shape,))
        size = shape[3]
        f = math.ceil(size / 2.0)
        c = (2 * f - 1 - f % 2) / (2.0 * f)
        line = numpy.array([1 - abs(i / f - c) for i in range(size)], "float32")
        weight = numpy.zeros(shape, "float32")
        weight[:] = numpy.outer(line, line)
        return NumpyArrayInitializer(weight)(var, block)


@contextlib.contextmanager
def init_on_cpu():
    """Initial values are always made on the CPU."""
    yield


def force_init_on_cpu():
    return True


Constant = ConstantInitializer
Uniform = UniformInitializer
Normal = NormalInitializer
TruncatedNormal = TruncatedNormalInitializer
Xavier = XavierInitializer
MSRA = MSRAInitializer
Bilinear = BilinearInitializer
