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
        return True

    def is_gpu_place(self):
        return False

    is_cuda_pinned_place = is_gpu_place

    def gpu_device_id(self):
        raise ValueError("Place.gpu_device_id(): this is the CPU")


class CUDAPlace(_Place):
    """A GPU: not in this build."""

    def __init__(self, device=0):
        raise RuntimeError("fluid.CUDAPlace(%r): this build of Regatta has no GPU kernels; "
                           "use fluid.CPUPlace()" % (device,))


class CUDAPinnedPlace(_Place):
    def __init__(self):
        raise RuntimeError("fluid.CUDAPinnedPlace: this build of Regatta has no GPU kernels; "
                           "use fluid.CPUPlace()")


def is_compiled_with_cuda():
    return False


def is_compiled_with_brpc():
    return False


def is_compiled_with_dist():
    return True


def is_compiled_with_mkldnn():
    return True


def get_cuda_device_count():
    return 0


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
