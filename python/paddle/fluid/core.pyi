# Made by tools/api_help.py: change the source, or tools/help, and run it again.
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union
from paddle.fluid import (LoDTensor as LoDTensor, LoDTensor as _LoDTensor, LoDTensorArray as LoDTensorArray, Scope as Scope)

def __getattr__(name: str) -> Any: ...

class CPUPlace(_Place):
    """The CPU.

    Examples:
        >>> import paddle.fluid as fluid
        >>> out = fluid.CPUPlace()
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class CUDAPlace(_Place):
    """GPU number `device` of those that this process sees.

    Args:
        device (int): The number of the GPU. Default: 0.

    Examples:
        >>> import paddle.fluid as fluid
        >>> place = fluid.CUDAPlace(0) if fluid.is_compiled_with_cuda() else fluid.CPUPlace()
        >>> exe = fluid.Executor(place)
    """
    def __init__(self, device: int = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def get_device_id(self) -> Any:
        """The number of the GPU."""
        ...

class CUDAPinnedPlace(_Place):
    """Memory of the host for copies to a GPU. Tensors there are the CPU's: what is fed to a GPU is put
    into such memory anyway.

    Examples:
        >>> import paddle.fluid as fluid
        >>> place = fluid.CUDAPinnedPlace() if fluid.is_compiled_with_cuda() else fluid.CPUPlace()
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class EOFException(Exception):
    """The reader has no further batch.

    Args:
        *args (tuple): What the message is made of.
        **kwargs (dict): Further settings, by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> try:
        ...     out = fluid.Executor().run(fluid.default_main_program(), fetch_list=["nothing"])
        ... except (fluid.core.EOFException, fluid.core.EnforceNotMet, ValueError):
        ...     print("there is no such variable")
        ...
        there is no such variable
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class EnforceNotMet(RuntimeError):
    """What an op, a program or a file asks for is not met; the message says which.

    Args:
        *args (tuple): What the message is made of.
        **kwargs (dict): Further settings, by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> try:
        ...     out = fluid.Executor().run(fluid.default_main_program(), fetch_list=["nothing"])
        ... except (fluid.core.EOFException, fluid.core.EnforceNotMet, ValueError):
        ...     print("there is no such variable")
        ...
        there is no such variable
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class SelectedRows:
    """Some rows of a large tensor: a sparse gradient.

    Examples:
        >>> import paddle.fluid as fluid
        >>> rows = fluid.core.SelectedRows([0, 7], 10)
        >>> rows.rows(), rows.height()
        ([], 0)
    """
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def rows(self, *args: Any, **kwargs: Any) -> Any:
        """The row numbers, duplicates included.

        Returns:
            bool: whether.
        """
        ...

    def height(self, *args: Any, **kwargs: Any) -> Any:
        """The rows of the dense tensor it stands for.

        Returns:
            bool: whether.
        """
        ...

    def get_tensor(self, *args: Any, **kwargs: Any) -> Any:
        """A copy of the values, one row each.

        Returns:
            bool: whether.
        """
        ...

    def set(self, *args: Any, **kwargs: Any) -> Any:
        """set(rows, height, array).

        Returns:
            bool: whether.
        """
        ...

class VarDesc:
    """VarType: what a variable holds, and of which type its elements are.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.VarDesc.VarType.FP32
        VarType.FP32
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class AttrType:
    """What an attribute of an op is.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.AttrType.INT
        AttrType.INT
    """
    INT: Any
    FLOAT: Any
    STRING: Any
    INTS: Any
    FLOATS: Any
    STRINGS: Any
    BOOL: Any
    BOOLS: Any
    BLOCK: Any
    LONG: Any
    BLOCKS: Any
    LONGS: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

def var_type(number: int) -> Any:
    """The VarType of a number.

    Args:
        number (int): As programs in files have it.

    Returns:
        VarType: the type.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.var_type(5)
        VarType.FP32
    """
    ...

def attr_type(number: int) -> Any:
    """The AttrType of a number.

    Args:
        number (int): As programs in files have it.

    Returns:
        AttrType: the type.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.attr_type(0)
        AttrType.INT
    """
    ...

class OpRole:
    """What an op is there for: forward, backward, optimize and others.

    Examples:
        >>> import paddle.fluid as fluid
        >>> int(fluid.core.op_proto_and_checker_maker.OpRole.Backward)
        1
    """
    Forward: Any
    Backward: Any
    Optimize: Any
    RPC: Any
    Dist: Any
    LRSched: Any
    Loss: Any
    NotSpecified: Any
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

class op_proto_and_checker_maker:
    """Names of the attributes that every op has.

    Examples:
        >>> import paddle.fluid as fluid
        >>> int(fluid.core.op_proto_and_checker_maker.OpRole.Backward)
        1
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    @staticmethod
    def kOpRoleAttrName() -> Any:
        """The attribute that holds an op's role.

        Returns:
            bool: whether.
        """
        ...

    @staticmethod
    def kOpRoleVarAttrName() -> Any:
        """The attribute that holds a parameter and its gradient.

        Returns:
            bool: whether.
        """
        ...

    @staticmethod
    def kOpNameScopeAttrName() -> Any:
        """The attribute that holds the name scope.

        Returns:
            bool: whether.
        """
        ...

    @staticmethod
    def kOpCreationCallstackAttrName() -> Any:
        """The attribute that holds the line of the script.

        Returns:
            bool: whether.
        """
        ...

    @staticmethod
    def kOpDeviceAttrName() -> Any:
        """The attribute that holds the device.

        Returns:
            bool: whether.
        """
        ...

class Place(_Place):
    """Any place: what tensor._place() gives.

    Examples:
        >>> import paddle.fluid as fluid
        >>> place = fluid.core.Place()
        >>> place.set_place(fluid.CPUPlace())
    """
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

    def set_place(self, place: Any) -> Any:
        """Make it this place.

        Args:
            place (CPUPlace or CUDAPlace): Where tensors are.

        Returns:
            bool: whether.
        """
        ...

    def is_cpu_place(self) -> Any:
        """Whether it is the CPU.

        Returns:
            bool: whether.
        """
        ...

    def is_gpu_place(self) -> Any:
        """Whether it is a GPU.

        Returns:
            bool: whether.
        """
        ...

    def is_cuda_pinned_place(self) -> Any:
        """Whether it is memory from which GPUs copy quickly.

        Returns:
            bool: whether.
        """
        ...

    def gpu_device_id(self) -> Any:
        """The number of the GPU.

        Returns:
            bool: whether.
        """
        ...

def is_compiled_with_cuda() -> bool:
    """Whether CUDAPlace(0) can be had: there are GPU kernels, and a GPU.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> place = fluid.CUDAPlace(0) if fluid.core.is_compiled_with_cuda() else fluid.CPUPlace()
    """
    ...

def is_compiled_with_brpc() -> bool:
    """False: jobs use Regatta's own requests.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.is_compiled_with_brpc()
        False
    """
    ...

def is_compiled_with_dist() -> bool:
    """True: parameter servers and collectives are there.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.is_compiled_with_dist()
        True
    """
    ...

def is_compiled_with_mkldnn() -> bool:
    """Whether oneDNN is linked.

    Returns:
        bool: whether.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.is_compiled_with_mkldnn()
        True
    """
    ...

def get_cuda_device_count() -> int:
    """How many GPUs this process sees.

    Returns:
        int: how many.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.get_cuda_device_count() >= 0
        True
    """
    ...

def grad_var_suffix() -> str:
    """What a gradient's name ends with.

    Returns:
        str: the text.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.grad_var_suffix()
        '@GRAD'
    """
    ...

def empty_var_name() -> str:
    """What stands for no variable.

    Returns:
        str: the text.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.empty_var_name()
        '@EMPTY@'
    """
    ...

def kGradVarSuffix() -> str:
    """What a gradient's name ends with.

    Returns:
        str: the text.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.kGradVarSuffix()
        '@GRAD'
    """
    ...

def kEmptyVarName() -> str:
    """What stands for no variable.

    Returns:
        str: the text.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.kEmptyVarName()
        '@EMPTY@'
    """
    ...

def get_all_op_names() -> Sequence[Any]:
    """The types of all ops.

    Returns:
        list of str: the types.

    Examples:
        >>> import paddle.fluid as fluid
        >>> "mul" in fluid.core.get_all_op_names()
        True
    """
    ...

def from_dlpack(capsule: Any) -> LoDTensor:
    """The tensor in a DLPack capsule of the CPU, a copy.

    Args:
        capsule (PyCapsule): As __dlpack__() gives it.

    Returns:
        LoDTensor: the tensor.

    Examples:
        >>> import numpy
        >>> import paddle.fluid as fluid
        >>> tensor = fluid.core.from_dlpack(numpy.ones((2, 3), "float32").__dlpack__())
        >>> tensor.shape()
        [2, 3]
    """
    ...

def globals() -> Dict[Any, Any]:
    """The FLAGS_* settings, as a dict.

    Returns:
        dict: values by name.

    Examples:
        >>> import paddle.fluid as fluid
        >>> fluid.core.globals()["FLAGS_check_nan_inf"]
        False
    """
    ...

class _Place:
    """"""
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __setattr__(self, name: str, value: Any) -> None: ...

Tensor = _LoDTensor
