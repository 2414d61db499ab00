"""The names of Fluid's C++ core, on Regatta's."""
from .. import _core
from .._core import (EOFException, EnforceNotMet, LoDTensor, LoDTensorArray,  # noqa: F401
                     Scope, SelectedRows)

Tensor, _Scope = LoDTensor, Scope


class _Enum(int):
    """A number that prints by its name, as VarType.FP32 does."""
    _owner = ""

    def __new__(cls, value, name):
        self = int.__new__(cls, value)
        self._name = name
        return self

    @property
    def name(self):
        return self._name

    @property
    def value(self):
        return int(self)

    def __repr__(self):
        return "%s.%s" % (self._owner, self._name)

    __str__ = __repr__

    def __format__(self, spec):
        return format(repr(self), spec)

    def __reduce__(self):
        return (_restore, (type(self).__name__, int(self)))


class _VarType(_Enum):
    _owner = "VarType"


class _AttrType(_Enum):
    _owner = "AttrType"


def _restore(kind, value):
    return (var_type if kind == "_VarType" else attr_type)(value)


_VAR_TYPES = ("BOOL INT16 INT32 INT64 FP16 FP32 FP64 LOD_TENSOR SELECTED_ROWS FEED_MINIBATCH "
              "FETCH_LIST STEP_SCOPES LOD_RANK_TABLE LOD_TENSOR_ARRAY PLACE_LIST READER - RAW "
              "TUPLE SIZE_T UINT8 INT8 BF16").split()
_ATTR_TYPES = ("INT FLOAT STRING INTS FLOATS STRINGS BOOL BOOLS BLOCK LONG BLOCKS LONGS").split()


class VarDesc:
    class VarType:
        pass


class AttrType:
    pass


_var_types = [_VarType(i, name) for i, name in enumerate(_VAR_TYPES)]
_attr_types = [_AttrType(i, name) for i, name in enumerate(_ATTR_TYPES)]
for _t in _var_types:
    setattr(VarDesc.VarType, _t.name, _t)
for _t in _attr_types:
    setattr(AttrType, _t.name, _t)


def var_type(number):
    """The VarType of a number."""
    return _var_types[number]


def attr_type(number):
    return _attr_types[number]


class OpRole:
    Forward = 0
    Backward = 1
    Optimize = 2
    RPC = 4
    Dist = 8
    LRSched = 16
    Loss = 256
    NotSpecified = 4096


class op_proto_and_checker_maker:
    OpRole = OpRole

    @staticmethod
    def kOpRoleAttrName():
        return "op_role"

    @staticmethod
    def kOpRoleVarAttrName():
        return "op_role_var"

    @staticmethod
    def kOpNameScopeAttrName():
        return "op_namescope"

    @staticmethod
    def kOpCreationCallstackAttrName():
        return "op_callstack"

    @staticmethod
    def kOpDeviceAttrName():
        return "op_device"


class _Place:
    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self).__name__)

    def __repr__(self):
        return type(self).__name__

    __str__ = __repr__

    def _type(self):
        return 0

    def _equals(self, other):
        return self == other


class CPUPlace(_Place):
    """The CPU."""


class Place(_Place):
    """Any place: what tensor._place() gives."""

    def __init__(self):
        self._place = CPUPlace()

    def set_place(self, place):
        self._place = place

    def is_cpu_place(self):
        return isinstance(self._place, CPUPlace)

    def is_gpu_place(self):
        return isinstance(self._place, CUDAPlace)

    def is_cuda_pinned_place(self):
        return isinstance(self._place, CUDAPinnedPlace)

    def gpu_device_id(self):
        if not self.is_gpu_place():
            raise ValueError("Place.gpu_device_id(): this is the CPU")
        return self._place._gpu


def _place_of(gpu):
    """A Place: GPU number `gpu`, or -1 for the CPU."""
    place = Place()
    if gpu >= 0:
        place.set_place(CUDAPlace(gpu))
    return place


class CUDAPlace(_Place):
    """GPU number `device` of those that this process sees."""

    def __init__(self, device=0):
        device = int(device)
        try:
            _core.gpu_check(device)
        except RuntimeError as e:
            raise RuntimeError("fluid.CUDAPlace(%d): %s" % (device, e)) from None
        self._gpu = device

    def __eq__(self, other):
        return type(self) is type(other) and self._gpu == other._gpu

    def __hash__(self):
        return hash(("CUDAPlace", self._gpu))

    def __repr__(self):
        return "CUDAPlace(%d)" % self._gpu

    __str__ = __repr__

    def _type(self):
        return 1

    def get_device_id(self):
        return self._gpu


class CUDAPinnedPlace(_Place):
    """Memory of the host for copies to a GPU. Tensors there are the CPU's: what is fed to a GPU is put
    into such memory anyway."""

    def __init__(self):
        try:
            _core.gpu_check(0)
        except RuntimeError as e:
            raise RuntimeError("fluid.CUDAPinnedPlace: %s" % e) from None

    def _type(self):
        return 2


def is_compiled_with_cuda():
    """Whether CUDAPlace(0) can be had: there are GPU kernels, and a GPU."""
    return _core.gpu_count() > 0


def is_compiled_with_brpc():
    return False


def is_compiled_with_dist():
    return True


def is_compiled_with_mkldnn():
    return True


def get_cuda_device_count():
    return _core.gpu_count()


def grad_var_suffix():
    return "@GRAD"


def empty_var_name():
    return "@EMPTY@"


def kGradVarSuffix():
    return "@GRAD"


def kEmptyVarName():
    return "@EMPTY@"


def get_all_op_names():
    return _core.op_types()


class _Capsule:
    """A DLPack capsule as the object that numpy.from_dlpack() takes."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **kwargs):
        return self._capsule

    def __dlpack_device__(self):
        return (1, 0)  # the CPU


def from_dlpack(capsule):
    """The tensor in a DLPack capsule of the CPU, a copy."""
    import numpy
    tensor = LoDTensor()
    tensor.set(numpy.from_dlpack(_Capsule(capsule)), CPUPlace())
    return tensor


def globals():  # noqa: A001 (Fluid's own name)
    from .framework import _Flags
    return _Flags()


# Imported when they are first used.
_OF_INFERENCE = ("AnalysisConfig", "AnalysisPredictor", "NativeConfig", "NativePaddlePredictor",
                 "PaddleBuf", "PaddleDType", "PaddlePlace", "PaddlePredictor", "PaddleTensor",
                 "ZeroCopyTensor", "create_paddle_predictor", "paddle_dtype_size")


def __getattr__(name):
    if name in _OF_INFERENCE:
        from . import inference
        return getattr(inference, name)
    if name in ("LoDTensorBlockingQueue", "init_lod_tensor_blocking_queue"):
        from . import batch_queue, reader_ops
        return (batch_queue.BatchQueue if name == "LoDTensorBlockingQueue"
                else reader_ops.init_lod_tensor_blocking_queue)
    from .._names import missing
    return missing(__name__, name)
