"""The tensors of the inference API: PaddleTensor goes in and out of run(), ZeroCopyTensor stays
with its predictor."""
import numpy as np

from . import core

__all__ = ["PaddleBuf", "PaddleDType", "PaddlePlace", "PaddleTensor", "ZeroCopyTensor",
           "as_lod_tensor", "paddle_dtype_size"]


class _DType(core._Enum):
    _owner = "PaddleDType"


class _PaddlePlace(core._Enum):
    _owner = "PaddlePlace"


class PaddleDType:
    FLOAT32, INT64, INT32, UINT8 = (_DType(i, name) for i, name in enumerate(
        ("FLOAT32", "INT64", "INT32", "UINT8")))


class PaddlePlace:
    UNK, CPU, GPU = (_PaddlePlace(i, name) for i, name in zip((-1, 0, 1), ("UNK", "CPU", "GPU")))


_NUMPY = {PaddleDType.FLOAT32: np.dtype("float32"), PaddleDType.INT64: np.dtype("int64"),
          PaddleDType.INT32: np.dtype("int32"), PaddleDType.UINT8: np.dtype("uint8")}
_KINDS = {dtype: kind for kind, dtype in _NUMPY.items()}


def _kind(array):
    kind = _KINDS.get(array.dtype)
    if kind is None:
        raise TypeError("a tensor of %s: float32, int64, int32 and uint8 are possible; use "
                        "array.astype('float32')" % array.dtype)
    return kind


def paddle_dtype_size(dtype):
    """Bytes of an element."""
    return _NUMPY[dtype].itemsize


def _bytes_of(array):
    """Those of the array itself, where they lie in a row."""
    _kind(array)
    return np.ascontiguousarray(array).reshape(-1).view("uint8")


class PaddleBuf:
    """Bytes, or the numbers that they are."""

    def __init__(self, data):
        self.reset(np.zeros(data, "uint8") if isinstance(data, int) else data)

    def reset(self, data):
        """From an array; from a list of floats, float32."""
        array = data if isinstance(data, np.ndarray) else np.array(data, "float32")
        self._bytes = _bytes_of(array).copy()

    def resize(self, length):
        """That many bytes, which are zero."""
        self._bytes = np.zeros(length, "uint8")

    def length(self):
        return len(self._bytes)

    def empty(self):
        return len(self._bytes) == 0

    def _as(self, dtype):
        return self._bytes.view(dtype)

    def float_data(self):
        return self._as("float32").tolist()

    def int32_data(self):
        return self._as("int32").tolist()

    def int64_data(self):
        return self._as("int64").tolist()

    def tolist(self, dtype):
        return self._as(dtype).tolist()


class PaddleTensor:
    """An array with a name and a LoD. Not copied, it is the array as it is when it is used."""

    def __init__(self, data=None, name="", lod=(), copy=True):
        array = np.zeros(0, "float32") if data is None else np.asarray(data)
        self.name, self.lod = name, [list(level) for level in lod]
        self.shape = [] if data is None else list(array.shape)
        self.dtype = _kind(array)
        self.data = PaddleBuf(array)
        if not copy:
            self.data._bytes = _bytes_of(array)

    def as_ndarray(self):
        return self.data._as(_NUMPY[self.dtype]).reshape(self.shape).copy()


def as_lod_tensor(tensor):
    """A PaddleTensor as the executor is fed with it."""
    if not isinstance(tensor, PaddleTensor):
        raise TypeError("run() takes PaddleTensors, not %s" % type(tensor))
    made = core.LoDTensor()
    made.set(tensor.as_ndarray(), core.CPUPlace())
    if tensor.lod:
        made.set_lod(tensor.lod)
    return made


class ZeroCopyTensor:
    """An input or output of a predictor, whatever it holds at the time."""

    def __init__(self, name, held):
        self._name, self._held = name, held

    @property
    def _tensor(self):
        return self._held.setdefault(self._name, core.LoDTensor())

    def name(self):
        return self._name

    def reshape(self, shape):
        """The shape of what comes; copy_from_cpu() takes that of its array."""
        self._tensor._set_dims(list(shape))

    def copy_from_cpu(self, array):
        array = np.asarray(array)
        _kind(array)
        lod = self._tensor.lod()
        made = core.LoDTensor()
        made.set(array, core.CPUPlace())
        if lod and made.shape() and lod[-1][-1] == made.shape()[0]:
            made.set_lod(lod)
        self._held[self._name] = made

    def copy_to_cpu(self):
        if not self._tensor._is_initialized():
            raise ValueError("%s has no value yet: call zero_copy_run()" % self._name)
        return np.array(self._tensor)

    def shape(self):
        return self._tensor.shape()

    def lod(self):
        return self._tensor.lod()

    def set_lod(self, lod):
        self._tensor.set_lod([list(level) for level in lod])

    def type(self):
        return _kind(np.zeros(0, core_name(self._tensor)))


def core_name(tensor):
    """numpy's name of a tensor's data type."""
    from .data_feeder import convert_dtype
    return convert_dtype(core.var_type(tensor._dtype()))
